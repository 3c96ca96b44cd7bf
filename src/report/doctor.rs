//! What `irkiss doctor` and `irkiss --version --verbose` say: what is there, what is missing and what to do about it.

use super::style::{BAD, STRONG, WARNING, paint};

/// A thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// A word.
    pub what: &'static str,
    /// How it is.
    pub state: State,
}

impl Row {
    /// One of that name.
    pub fn new(what: &'static str, state: State) -> Row {
        Row { what, state }
    }
}

/// How a thing is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Fine(String),
    /// It was not looked at, for that reason.
    Nothing(String),
    /// Something that not everybody needs is missing.
    Lacking {
        /// What.
        what: String,
        /// What to do.
        advice: String,
    },
    /// What was asked for cannot work.
    Broken {
        /// Why.
        what: String,
        /// What to do.
        advice: String,
    },
}

impl State {
    /// Not everybody needs it.
    pub fn lacking(what: String, advice: impl Into<String>) -> State {
        let advice = advice.into();
        State::Lacking { what, advice }
    }
    /// It does not work without.
    pub fn broken(what: String, advice: impl Into<String>) -> State {
        let advice = advice.into();
        State::Broken { what, advice }
    }
}

/// Whether all that is needed works.
pub fn all_works(rows: &[Row]) -> bool {
    !rows.iter().any(|r| matches!(r.state, State::Broken { .. }))
}

/// One line for each, and one for all.
pub fn render(rows: &[Row]) -> String {
    let mut out = String::new();
    let mut lacking = 0;
    let mut broken = 0;
    for row in rows {
        let text = match &row.state {
            State::Fine(text) | State::Nothing(text) => text.clone(),
            State::Lacking { what, advice } => {
                lacking += 1;
                format!("{} {what}: {advice}", paint(WARNING, "lacking:"))
            }
            State::Broken { what, advice } => {
                broken += 1;
                format!("{} {what}: {advice}", paint(BAD, "broken:"))
            }
        };
        line!(out, "{} {text}", paint(STRONG, format!("{:<8}", row.what)));
    }
    let all = match (broken, lacking) {
        (0, 0) => "all works".to_string(),
        (0, n) => format!("all that is needed works; {n} of the others lacking"),
        (n, _) => format!("{n} needed and not working"),
    };
    line!(out, "{all}");
    out
}

/// Versions of the parts on which answers may depend.
pub struct Versions {
    /// Of the LLVM that reads bitcode.
    pub llvm: String,
    /// Of Z3.
    pub z3: String,
    /// Of the SAT solver.
    pub sat: String,
    /// Names the content of the models.
    pub models: String,
}

/// `irkiss --version`, with the parts if there are any.
pub fn version(parts: Option<&Versions>) -> String {
    let mut out = String::new();
    line!(out, "irkiss {}", env!("CARGO_PKG_VERSION"));
    if let Some(parts) = parts {
        line!(out, "LLVM {}", parts.llvm);
        line!(out, "Z3 {}", parts.z3);
        line!(out, "SAT {}", parts.sat);
        line!(out, "models {}", parts.models);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_there_and_what_is_not() {
        let mut rows = vec![
            Row::new("LLVM", State::Fine("22.1.8".into())),
            Row::new("kernel", State::Nothing("none here".into())),
        ];
        let plain = |rows: &[Row]| anstream::adapter::strip_str(&render(rows)).to_string();
        let all = plain(&rows);
        assert!(
            all.contains("LLVM     22.1.8\n") && all.ends_with("all works\n"),
            "{all}"
        );
        rows.push(Row::new(
            "clang",
            State::lacking("not found".into(), "install it"),
        ));
        assert!(all_works(&rows));
        let all = plain(&rows);
        assert!(
            all.contains("clang    lacking: not found: install it\n"),
            "{all}"
        );
        rows.push(Row::new("Z3", State::broken("4.8.12".into(), "unset it")));
        assert!(!all_works(&rows));
        assert!(plain(&rows).ends_with("1 needed and not working\n"));
    }
}
