//! What the user reads: text for people, JSON for scripts, schedules for `irkiss replay`.
//!
//! Everything here is a pure function from a [`crate::verdict::Outcome`] to a
//! string; source files are read through [`snippet::Sources`] alone. Strings
//! for people carry colour codes, which the caller strips where nobody sees
//! them. Only `pipeline/` and the command import this module.

/// A line of text at the end of a string.
macro_rules! line {
    ($out:expr $(, $($arg:tt)*)?) => {{
        use std::fmt::Write;
        writeln!($out $(, $($arg)*)?).expect("writing to a string does not fail")
    }};
}

mod again;
pub mod build;
pub mod diff;
pub mod doctor;
pub mod explain;
mod fields;
mod finding;
pub mod fingerprint;
pub mod formats;
pub mod guards;
pub mod human;
mod interleaving;
pub mod json;
mod known;
pub mod lines;
pub mod list;
mod names;
pub mod open;
mod overview;
mod picture;
pub mod read;
pub mod schedule;
pub mod snippet;
mod style;
mod summary;
pub mod sweep;
pub mod whoop;
pub mod wire;
mod wording;

#[cfg(test)]
mod sample;

use crate::verdict::{Access, Finding, Frame, Outcome};
use snippet::Sources;

/// What the report shows only on request.
#[derive(Clone, Copy, Debug, Default)]
pub struct More {
    /// Counts of the work done.
    pub stats: bool,
    /// The table of fields.
    pub fields: bool,
    /// How much of an interleaving.
    pub trace: Trace,
    /// Every bug with its picture, however many there are.
    pub all: bool,
    /// Columns of the terminal; 0: as in a mail.
    pub width: usize,
    /// Whether a check of more is kept of the input: by the name of the file that one is shown.
    pub narrower: bool,
}

/// How much of an interleaving is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trace {
    /// What decides, over the source.
    #[default]
    Short,
    /// Every step.
    Full,
}

/// Columns that every report takes.
const NARROW: usize = 50;

/// Columns of a mail.
const MAIL: usize = 75;

impl More {
    fn columns(self) -> usize {
        match self.width {
            0 => MAIL,
            width => width.max(NARROW),
        }
    }
}

/// Where the access is told to stand; every access that the interpreter saw has such a place.
fn top(access: &Access) -> Option<&Frame> {
    access.at()
}

/// A finding in one line, at the moment it is found: nothing is known yet of the others.
pub fn at_once(finding: &Finding) -> String {
    let mut finding = finding.clone();
    shorten_paths(&mut finding, &snippet::Disk::beside(&[]));
    names::in_finding(&mut finding);
    let at = place(finding.accesses.first().and_then(top));
    format!("{at}: {}", finding.message)
}

/// `file:line:column`; the function alone where there is no debug info.
fn place(frame: Option<&Frame>) -> String {
    match frame {
        Some(f) => place_of(&f.file, f.line, f.column, &f.function),
        None => "<no debug info>".to_string(),
    }
}

fn place_of(file: &str, line: u32, column: u32, function: &str) -> String {
    match (line, file) {
        (_, "") => format!("{function}()"),
        (0, _) => format!("{file}:0:0"),
        _ => format!("{file}:{line}:{}", column.max(1)),
    }
}

/// The findings in the order of all reports: by place, then rule, then fingerprint.
fn in_order(outcome: &Outcome) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = outcome.findings.iter().collect();
    findings.sort_by_cached_key(|f| {
        let at = f.accesses.first().and_then(top);
        let place = at.map(|t| (t.file.clone(), t.line, t.column, t.function.clone()));
        (place, f.kind, fingerprint::of(f))
    });
    findings
}

/// A text in which the sources of the outcome stand as `sources` shows them.
fn shorten_text(text: String, outcome: &Outcome, sources: &dyn Sources) -> String {
    let folders: std::collections::BTreeSet<String> = outcome
        .sources
        .iter()
        .filter_map(|file| {
            let folder = file.strip_suffix(&sources.shown(file))?;
            (!folder.is_empty()).then(|| folder.to_string())
        })
        .collect();
    folders.iter().fold(text, |text, f| text.replace(f, ""))
}

/// As [`shorten_paths`]; what has no debug information stands in the input file.
fn readable(outcome: &mut Outcome, sources: &dyn Sources) {
    let input = outcome.input.first().cloned().unwrap_or_default();
    for finding in &mut outcome.findings {
        shorten_paths(finding, sources);
        names::in_finding(finding);
        let stacks = finding.accesses.iter_mut().flat_map(|a| &mut a.stack);
        for frame in stacks.filter(|f| f.file.is_empty()) {
            frame.file.clone_from(&input);
        }
    }
}

/// Names sources in the finding as `sources` shows them.
fn shorten_paths(finding: &mut Finding, sources: &dyn Sources) {
    let accesses = finding.accesses.iter_mut();
    let stacks = accesses.flat_map(|a| a.stack.iter_mut().chain(&mut a.acquired));
    let called = finding
        .events
        .iter_mut()
        .filter_map(|e| e.called_at.as_mut());
    for frame in called {
        frame.file = sources.shown(&frame.file);
    }
    let events = finding.events.iter_mut().map(|e| &mut e.at);
    for frame in stacks.chain(events) {
        frame.file = sources.shown(&frame.file);
    }
}

/// A text that begins with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// `1 race`, `2 races`, `2 switches`, `2 releases of a lock`.
pub fn count(n: usize, one: &str) -> String {
    let first = one.split_once(' ').filter(|(word, _)| {
        let counted = ["release", "return", "sleep", "use"];
        counted.contains(word)
    });
    match first {
        _ if n == 1 => format!("1 {one}"),
        Some((word, rest)) => format!("{n} {word}s {rest}"),
        None if one.ends_with("ch") => format!("{n} {one}es"),
        None if one.ends_with('y') => format!("{n} {}ies", &one[..one.len() - 1]),
        None => format!("{n} {one}s"),
    }
}
