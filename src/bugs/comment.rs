//! `// irkiss: allow(race) reason` in the source, on the line of an access, above it, or on its function or above that.

use std::collections::BTreeSet;

use crate::property::Property;
use crate::verdict::{Access, Finding, FindingKind, Frame};

/// What opens it.
const WORD: &str = "irkiss: allow(";
/// Lines above an access in which its function is looked for.
const FAR: u32 = 2000;

/// What a comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The names in its parentheses.
    pub kinds: Vec<String>,
    /// The rest of the line.
    pub reason: String,
}

/// Where it stands, and the reason, of the first comment that allows a finding. `line`: a line of a source file, from 1.
pub fn allows(
    finding: &Finding,
    line: &dyn Fn(&str, u32) -> Option<String>,
) -> Option<(String, String)> {
    let frames = finding.accesses.iter().flat_map(frames);
    let mut found = frames.filter_map(|frame| {
        places(frame, line)
            .into_iter()
            .find_map(|n| Some((n, comment(&line(&frame.file, n)?)?)))
            .filter(|(_, c)| covers(&c.kinds, finding.kind))
            .map(|(n, c)| (format!("{}:{n}", frame.file), c.reason))
    });
    found.next()
}

/// What is to be said of comments there that allow nothing, since no kind of finding has one of their names.
pub fn misspelt(finding: &Finding, line: &dyn Fn(&str, u32) -> Option<String>) -> Vec<String> {
    let mut notes = Vec::new();
    for frame in finding.accesses.iter().flat_map(frames) {
        for n in places(frame, line) {
            let Some(comment) = line(&frame.file, n).and_then(|text| comment(&text)) else {
                continue;
            };
            let wrong = comment.kinds.iter().find(|k| !is_name(k));
            notes.extend(wrong.map(|k| format!("{}:{n}: {}", frame.file, no_name(k))));
        }
    }
    notes
}

/// What is to be said of comments in these sources that allow races and are none of `used` (`file:line`): no finding is told there.
pub fn unused(
    sources: &[String],
    used: &BTreeSet<String>,
    line: &dyn Fn(&str, u32) -> Option<String>,
) -> Vec<String> {
    let mut notes = Vec::new();
    for source in sources {
        let lines = (1..).map_while(|n| Some((n, line(source, n)?)));
        for (n, text) in lines {
            let Some(comment) = comment(&text) else {
                continue;
            };
            let at = format!("{source}:{n}");
            if let Some(wrong) = comment.kinds.iter().find(|k| !is_name(k)) {
                notes.push(format!("{at}: {}", no_name(wrong)));
            } else if covers(&comment.kinds, FindingKind::DataRace) && !used.contains(&at) {
                notes.push(format!(
                    "{at}: no finding is told where this comment allows one"
                ));
            }
        }
    }
    notes
}

/// The names that it knows: those of properties, and `all`. What gets to `BUG()` fails as assertions do.
fn names() -> impl Iterator<Item = &'static str> {
    let all = Property::ALL.iter().filter(|p| **p != Property::Bug);
    all.map(|p| p.word()).chain(["all"])
}

/// Whether `allow` knows that name.
pub fn is_name(name: &str) -> bool {
    names().any(|known| known == name)
}

/// What to say of one that it does not know.
pub fn no_name(name: &str) -> String {
    let known: Vec<&str> = names().collect();
    format!(
        "allow({name}) is about no kind of finding: {}",
        known.join(", ")
    )
}

/// The innermost frame, and the one of the driver's own file that leads there.
fn frames(access: &Access) -> impl Iterator<Item = &Frame> {
    let top = access.stack.first();
    let own = access.at();
    let own = own.filter(|f| Some(*f) != top);
    top.into_iter().chain(own).filter(|f| f.line > 0)
}

/// The lines where a comment may stand for this place.
fn places(frame: &Frame, line: &dyn Fn(&str, u32) -> Option<String>) -> Vec<u32> {
    let mut all = vec![frame.line];
    all.extend(above(&frame.file, frame.line, line));
    let begin = (frame.line.saturating_sub(FAR).max(1)..=frame.line)
        .rev()
        .find(|n| line(&frame.file, *n).is_some_and(|text| defines(&text, &frame.function)));
    if let Some(begin) = begin {
        all.push(begin);
        all.extend(above(&frame.file, begin, line));
    }
    all
}

/// The lines of the comment directly above a line.
fn above(file: &str, from: u32, line: &dyn Fn(&str, u32) -> Option<String>) -> Vec<u32> {
    let is_comment = |n: &u32| {
        line(file, *n).is_some_and(|text| {
            let text = text.trim_start();
            ["//", "/*", "*"]
                .iter()
                .any(|start| text.starts_with(start))
        })
    };
    (1..from).rev().take_while(is_comment).collect()
}

/// Whether a function's definition begins in this line: its name stands before a parenthesis, and the line is not indented.
fn defines(text: &str, function: &str) -> bool {
    let indented = text.starts_with([' ', '\t']) || text.trim_end().ends_with(';');
    let named = || {
        text.match_indices(function).any(|(at, _)| {
            let alone = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
            alone(text[..at].chars().next_back())
                && text[at + function.len()..].trim_start().starts_with('(')
        })
    };
    !function.is_empty() && !indented && named()
}

/// The comment in a line.
pub fn comment(text: &str) -> Option<Comment> {
    let (_, rest) = text.split_once(WORD)?;
    let (kinds, reason) = rest.split_once(')')?;
    let reason = reason.trim().trim_end_matches("*/").trim();
    Some(Comment {
        kinds: kinds.split(',').map(|k| k.trim().to_string()).collect(),
        reason: reason.to_string(),
    })
}

/// Whether one of these names is that of the kind: `race`, `assert`, `uaf` and so on, as `--property` has them, or `all`.
pub fn covers(names: &[String], kind: FindingKind) -> bool {
    let own = kind.property().word();
    names.iter().any(|n| n == "all" || n == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &[&str] = &[
        "/* irkiss: allow(race) statistics */",
        "static void count(struct dev *d)",
        "{",
        "    d->n++;",
        "    // irkiss: allow(assert, race) a hint, see the other",
        "    d->m = 1;",
        "    d->k = 1; // irkiss: allow(uaf) no race",
        "}",
        "void other(void)",
        "{",
        "    d->n++;",
    ];

    fn line(_: &str, n: u32) -> Option<String> {
        SOURCE.get(n as usize - 1).map(|s| (*s).to_string())
    }

    fn at(function: &str, n: u32) -> Option<(String, String)> {
        let mut finding = crate::bugs::policy::tests::race("struct dev.n");
        for access in &mut finding.accesses {
            access.stack[0].line = n;
            access.stack[0].function = function.into();
            access.stack[0].file = "d.c".into();
        }
        allows(&finding, &line)
    }

    #[test]
    fn on_the_line_above_it_and_on_the_function() {
        assert_eq!(at("count", 4), Some(("d.c:1".into(), "statistics".into())));
        let (place, reason) = at("count", 6).expect("the line above");
        assert_eq!(
            (place.as_str(), reason.as_str()),
            ("d.c:5", "a hint, see the other")
        );
        assert_eq!(at("other", 11), None);
        for kind in [FindingKind::DataRace, FindingKind::SleepInAtomic] {
            assert!(is_name(kind.property().word()));
        }
        assert!(!is_name("races"));
        assert_eq!(
            comment("x; // irkiss: allow(uaf) y").expect("one").kinds,
            ["uaf"]
        );
    }
}
