//! The bugs on one screen: how many, how bad, which, and what to type next.

use std::collections::BTreeMap;

use super::style::{BAD, FAINT, STRONG, WARNING, paint};
use super::{count, interleaving};
use crate::bugs::class::Severity;
use crate::bugs::{Bug, Cause};
use crate::verdict::{Excuse, Outcome, RegionResult, Verdict};

/// Bugs that are listed.
const MOST: usize = 40;

/// The list; empty where nothing was found.
pub(super) fn render(bugs: &[Bug<'_>], outcome: &Outcome, width: usize) -> String {
    let mut out = String::new();
    if bugs.is_empty() {
        return out;
    }
    line!(out, "\n{}", paint(STRONG, head(bugs, outcome)));
    let (benign, told): (Vec<_>, Vec<_>) = bugs
        .iter()
        .enumerate()
        .partition(|(_, b)| b.class.severity() == Severity::Benign);
    for (n, bug) in told.iter().take(MOST) {
        let severity = bug.class.severity();
        let style = match severity {
            Severity::Harmful => BAD,
            Severity::Check => WARNING,
            Severity::Marking | Severity::Benign => FAINT,
        };
        let start = format!("{:>3}  ", n + 1);
        line!(
            out,
            "{start}{} {:<16} {}  {}",
            paint(style, format!("{:<8}", severity.code())),
            bug.class.code(),
            what(bug),
            paint(FAINT, &bug.id)
        );
        for piece in interleaving::wrap(&how(bug), width - start.len()) {
            line!(out, "{}{}", " ".repeat(start.len()), paint(FAINT, piece));
        }
    }
    if told.len() > MOST {
        line!(
            out,
            "     and {} more (--format json lists them)",
            told.len() - MOST
        );
    }
    if !benign.is_empty() {
        let names = benign.iter().map(|(n, b)| format!("{} {}", n + 1, what(b)));
        let text = format!("benign: {}", names.collect::<Vec<_>>().join(", "));
        for piece in interleaving::wrap(&text, width - 5) {
            line!(out, "     {}", paint(FAINT, piece));
        }
    }
    let first = &bugs[0].id;
    let unknown = |r: &RegionResult| r.verdict == Verdict::Unknown;
    let open = outcome.pairs.iter().flat_map(|p| &p.regions).any(unknown);
    let open = if open {
        "  What is open: irkiss why"
    } else {
        ""
    };
    line!(out, "Show one: irkiss show 1{open}");
    line!(out, "It is meant: irkiss allow {first} --reason \"…\"");
    out
}

/// `3 bugs (9 pairs of places): 1 harmful, 2 marking; 1 allowed, 2 known`.
fn head(bugs: &[Bug<'_>], outcome: &Outcome) -> String {
    let pairs: usize = bugs.iter().map(|b| b.findings.len()).sum();
    let mut by_severity: BTreeMap<Severity, usize> = BTreeMap::new();
    for bug in bugs {
        *by_severity.entry(bug.class.severity()).or_default() += 1;
    }
    let parts: Vec<String> = by_severity
        .iter()
        .map(|(s, n)| format!("{n} {}", s.code()))
        .collect();
    let allowed = |by: fn(&Excuse) -> bool| outcome.set_aside.iter().filter(|s| by(&s.by)).count();
    let mut head = format!(
        "{} ({} of places): {}",
        count(bugs.len(), "bug"),
        count(pairs, "pair"),
        parts.join(", ")
    );
    for (n, what) in [
        (allowed(|e| matches!(e, Excuse::Allow(_))), "allowed"),
        (allowed(|e| *e == Excuse::Baseline), "known"),
    ] {
        if n > 0 {
            head += &format!("; {n} {what}");
        }
    }
    head
}

/// What it is about.
fn what(bug: &Bug<'_>) -> String {
    match (&bug.cause, bug.places.as_slice()) {
        (Cause::NoLock { of, .. }, [_, _, ..]) => {
            format!("{} of {of}", count(bug.places.len(), "field"))
        }
        (_, [place, ..]) => (*place).to_string(),
        (_, []) => String::new(),
    }
}

/// Who, where.
fn how(bug: &Bug<'_>) -> String {
    let finding = bug.shown();
    let access = |a: &crate::verdict::Access| {
        let at = a.at();
        let line = at.map_or(String::new(), |f| format!(":{}", f.line));
        let function = at.map_or(a.entry_point.as_str(), |f| f.function.as_str());
        let by = match a.entry_point.as_str() {
            "" => String::new(),
            entry if entry == function => String::new(),
            entry => format!(" ({entry})"),
        };
        let locks = match a.locks.as_slice() {
            [] => "no lock".to_string(),
            locks => locks.join(", "),
        };
        format!("{} in {function}{line}{by}, {locks}", a.kind)
    };
    let sides: Vec<String> = finding.accesses.iter().map(access).collect();
    let mut text = sides.join("; ");
    if let (Cause::NoLock { entry_point, .. }, [_, _, ..]) = (&bug.cause, bug.places.as_slice()) {
        let last = |p: &&str| p.rsplit('.').next().unwrap_or(p).to_string();
        let fields: Vec<String> = bug.places.iter().map(last).collect();
        text = format!(
            "{entry_point} holds no lock, the others do: {}; {text}",
            fields.join(", ")
        );
    }
    text
}
