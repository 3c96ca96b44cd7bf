//! `[[allow]]` in `irkiss.toml`: findings that are meant, each with a reason.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::{comment, id};
use crate::error::InputError;
use crate::verdict::Finding;

/// How the file is called that is looked for from an input's folder upwards.
pub const NAME: &str = "irkiss.toml";

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// Where it stands: `irkiss.toml:12`.
    pub at: String,
    /// Name of a bug or finding.
    pub id: Option<String>,
    /// Memory, as reports name it; `*` stands for anything.
    pub field: Option<String>,
    /// Source file, from its end; `*` stands for anything within a folder, `**` for folders.
    pub file: Option<String>,
    /// A function in which an access stands, or an entry point.
    pub function: Option<String>,
    /// Kinds of finding, as `--property` names them.
    pub kinds: Vec<String>,
    /// Why it is meant.
    pub reason: String,
    /// The last day on which it holds: `2027-01-31`.
    pub until: Option<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    allow: Vec<Spanned<Text>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    id: Option<String>,
    field: Option<String>,
    file: Option<String>,
    function: Option<String>,
    #[serde(default = "race")]
    property: Vec<String>,
    reason: String,
    until: Option<toml::Value>,
}

fn race() -> Vec<String> {
    vec!["race".to_string()]
}

/// The file in the folder of an input or above it.
pub fn found_from(input: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(input).ok()?;
    let mut folders = whole.ancestors().skip(1).map(|f| f.join(NAME));
    folders.find(|f| f.is_file())
}

/// The entries of a file.
///
/// # Errors
/// It cannot be read, or an entry is none: no reason, nothing that it is about, a day that is none.
pub fn read(path: &Path) -> Result<Vec<Allow>, InputError> {
    let text = std::fs::read_to_string(path).map_err(|e| InputError::new(path.display(), e))?;
    parse(&text, &path.display().to_string())
}

/// The entries of such a text. `name`: of the file.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, name: &str) -> Result<Vec<Allow>, InputError> {
    let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let file: File = toml::from_str(text).map_err(|e| {
        let at = e.span().map_or(1, |s| line(s.start));
        InputError::new(format!("{name}:{at}"), e.message().replace('\n', " "))
    })?;
    let entry = |spanned: Spanned<Text>| {
        let at = format!("{name}:{}", line(spanned.span().start));
        let text = spanned.into_inner();
        let refuse = |what: &str, advice: &str| Err(InputError::new(&at, what).advise(advice));
        if text.reason.trim().is_empty() {
            return refuse("an [[allow]] without a reason", "say why it is meant");
        }
        if text.id.is_none()
            && text.field.is_none()
            && text.file.is_none()
            && text.function.is_none()
        {
            return refuse(
                "an [[allow]] that is about nothing",
                "give an id, field, file or function",
            );
        }
        if let Some(kind) = text.property.iter().find(|k| !comment::is_name(k)) {
            return Err(InputError::new(&at, comment::no_name(kind)));
        }
        let until = match &text.until {
            None => None,
            Some(toml::Value::String(day)) => Some(day.clone()),
            Some(toml::Value::Datetime(day)) => Some(day.to_string()),
            Some(_) => return refuse("until is no day", "write until = \"2027-01-31\""),
        };
        if until.as_deref().is_some_and(|day| !is_day(day)) {
            return refuse("until is no day", "write until = \"2027-01-31\"");
        }
        Ok(Allow {
            at,
            id: text.id,
            field: text.field,
            file: text.file,
            function: text.function,
            kinds: text.property,
            reason: text.reason,
            until,
        })
    };
    file.allow.into_iter().map(entry).collect()
}

fn is_day(text: &str) -> bool {
    humantime::parse_rfc3339(&format!("{text}T00:00:00Z")).is_ok()
}

impl Allow {
    /// Whether it is about that finding of a bug of that name. `unit`: [`id::unit`].
    pub fn covers(&self, finding: &Finding, bug: &str, unit: &str) -> bool {
        let named = |id: &String| *id == bug || *id == id::finding(finding, unit);
        let stacks = || finding.accesses.iter().flat_map(|a| &a.stack);
        let at = |glob: &String| stacks().any(|f| is_file(glob, &f.file));
        let within = |name: &String| {
            stacks().any(|f| f.function == *name)
                || finding.accesses.iter().any(|a| a.entry_point == *name)
        };
        let location = finding.location.as_str();
        let field = |pattern: &String| {
            let plain = location.strip_prefix("struct ").unwrap_or(location);
            matches(pattern, location) || matches(pattern, plain)
        };
        comment::covers(&self.kinds, finding.kind)
            && self.id.as_ref().is_none_or(named)
            && self.field.as_ref().is_none_or(field)
            && self.file.as_ref().is_none_or(at)
            && self.function.as_ref().is_none_or(within)
    }

    /// Whether it has run out on that day.
    pub fn over(&self, today: &str) -> bool {
        self.until.as_deref().is_some_and(|last| last < today)
    }

    /// Whether it is about files of that input at all, as far as it says which.
    pub fn concerns(&self, sources: &[String]) -> bool {
        let glob = self.file.as_ref();
        glob.is_none_or(|g| sources.iter().any(|s| is_file(g, s)))
    }
}

/// The text of one more entry.
pub fn entry(id: &str, reason: &str, until: Option<&str>) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_string()).to_string();
    let mut text = format!(
        "[[allow]]\nid = {}\nreason = {}\n",
        quoted(id),
        quoted(reason)
    );
    if let Some(day) = until {
        text += &format!("until = {}\n", quoted(day));
    }
    text
}

/// Whether a file is one of those: the whole path, or the end of it from a folder on.
fn is_file(glob: &str, file: &str) -> bool {
    matches(glob, file) || matches(&format!("**/{glob}"), file)
}

/// Whether a text fits a pattern in which `*` stands for anything without a `/`, and `**` for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => {
            let Some(tail) = text.strip_prefix(start) else {
                return false;
            };
            let (rest, folders) = match rest.strip_prefix('*') {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            let ends = tail.char_indices().map(|(n, _)| n).chain([tail.len()]);
            ends.take_while(|n| folders || !tail[..*n].contains('/'))
                .any(|n| matches(rest, &tail[n..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bugs::policy::tests::race;

    #[test]
    fn an_entry_needs_a_reason_and_something_that_it_is_about() {
        let told = |text: &str| parse(text, "irkiss.toml").map_err(|e| e.to_string());
        let one = "\n[[allow]]\nfield = \"foo.*\"\nreason = \"counts\"\nuntil = 2027-01-31\n";
        let allowed = told(one).expect("an entry");
        assert_eq!(allowed[0].at, "irkiss.toml:2");
        assert!(allowed[0].over("2027-02-01") && !allowed[0].over("2027-01-31"));
        assert!(told("[[allow]]\nreason = \"x\"").is_err_and(|e| e.contains("about nothing")));
        assert!(told("[[allow]]\nid = \"x\"").is_err_and(|e| e.contains("irkiss.toml:1")));
        assert!(told("[[allow]]\nid = \"x\"\nreason = \" \"").is_err());
        assert!(told("[[allow]]\nid = \"x\"\nreason = \"y\"\nuntil = \"soon\"").is_err());
        let typo = "[[allow]]\nid = \"x\"\nreason = \"y\"\nproperty = [\"races\"]";
        assert!(told(typo).is_err_and(|e| e.contains("allow(races)")));
        assert!(told("[[rule]]\non = [\"a\"]").is_ok_and(|all| all.is_empty()));
    }

    #[test]
    fn an_entry_is_about_all_that_it_names() {
        let finding = race("struct foo.bar");
        let covers = |text: &str| {
            let text = format!("[[allow]]\nreason = \"x\"\n{text}");
            parse(&text, "t").expect("an entry")[0].covers(&finding, "b", "demo.c")
        };
        assert!(covers("field = \"struct foo.bar\"") && covers("field = \"foo.b*\""));
        assert!(!covers("field = \"foo.baz\"") && covers("id = \"b\""));
        assert!(covers("file = \"demo.c\"") && covers("file = \"drivers/**/demo.c\""));
        assert!(!covers("file = \"drivers/*.c\"") && !covers("file = \"o.c\""));
        assert!(covers("function = \"demo_open\"") && !covers("function = \"demo\""));
        assert!(!covers("id = \"b\"\nproperty = [\"uaf\"]"));
    }
}
