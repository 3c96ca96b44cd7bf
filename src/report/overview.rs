//! The bugs on one screen: how many, how bad, which, and what to type next.

use std::collections::{BTreeMap, BTreeSet};

use super::again::Again;
use super::read::Report;
use super::style::{BAD, FAINT, STRONG, WARNING, paint};
use super::{More, count, interleaving, known};
use crate::bugs::class::Severity;
use crate::bugs::{self, Bug};
use crate::verdict::{Excuse, Outcome, RegionResult, Verdict};

/// Bugs that are listed.
const MOST: usize = 40;

/// The list; empty where nothing was found, and nothing is silenced.
pub(super) fn render(
    bugs: &[Bug<'_>],
    outcome: &Outcome,
    stored: Option<&Report>,
    more: More,
) -> String {
    let width = more.columns();
    let mut out = String::new();
    if bugs.is_empty() && outcome.set_aside.is_empty() {
        let known = known::render(outcome, stored, width);
        return match known.is_empty() {
            true => out,
            false => format!("\n{known}"),
        };
    }
    let all = bugs::together(bugs);
    line!(out, "\n{}", paint(STRONG, head(bugs, &all, outcome)));
    let is_benign = |told: &[&Bug<'_>]| told[0].class.severity() == Severity::Benign;
    for (n, told) in all.iter().enumerate().take(MOST) {
        if !is_benign(told) {
            item(&mut out, n + 1, told, width);
        }
    }
    if all.len() > MOST {
        line!(
            out,
            "     and {} more (--format json lists them)",
            all.len() - MOST
        );
    }
    let benign = all.iter().enumerate().filter(|(_, told)| is_benign(told));
    let benign: Vec<String> = benign
        .map(|(n, told)| format!("{} {}", n + 1, what(told).replace("struct ", "")))
        .collect();
    if !benign.is_empty() {
        let text = format!("benign: {}", benign.join(", "));
        for piece in interleaving::wrap(&text, width - 5) {
            line!(out, "     {}", paint(FAINT, piece));
        }
    }
    out.push_str(&known::render(outcome, stored, width));
    let unknown = |r: &RegionResult| r.verdict == Verdict::Unknown;
    let open = outcome.pairs.iter().flat_map(|p| &p.regions).any(unknown);
    let open = if open {
        "  What is open: irkiss why"
    } else {
        ""
    };
    if let [first, ..] = bugs {
        // The last report may be of another file by then.
        let has_name = outcome.input.len() == 1 || outcome.object.is_some();
        let which = match has_name && !more.narrower {
            true => {
                let again = Again::of(&outcome.input, outcome.object.as_deref());
                format!("{}:1", again.name())
            }
            false => "1".to_string(),
        };
        line!(out, "Show one: irkiss show {which}{open}");
        line!(out, "It is meant: irkiss allow {} --reason \"…\"", first.id);
    }
    out
}

/// Bugs that are told together.
fn item(out: &mut String, n: usize, told: &[&Bug<'_>], width: usize) {
    let bug = told[0];
    let severity = bug.class.severity();
    let style = match severity {
        Severity::Harmful => BAD,
        Severity::Check => WARNING,
        Severity::Marking | Severity::Benign => FAINT,
    };
    let start = format!("{n:>3}  ");
    line!(
        out,
        "{start}{} {:<16} {}  {}",
        paint(style, format!("{:<8}", severity.code())),
        bug.class.code(),
        what(told).replace("struct ", ""),
        paint(FAINT, &bug.id)
    );
    // A line for each access.
    for part in parts(told) {
        let part = part.replace("struct ", "");
        for piece in interleaving::wrap(&part, width - start.len()) {
            line!(out, "{}{}", " ".repeat(start.len()), paint(FAINT, piece));
        }
    }
}

/// `3 bugs (4 places in memory, 9 pairs of accesses): 1 harmful, 2 marking; 1 allowed, 2 known, 1 meant in the source`.
fn head(bugs: &[Bug<'_>], told: &[Vec<&Bug<'_>>], outcome: &Outcome) -> String {
    let pairs: usize = bugs.iter().map(|b| b.findings.len()).sum();
    let mut by_severity: BTreeMap<Severity, usize> = BTreeMap::new();
    for told in told {
        *by_severity.entry(told[0].class.severity()).or_default() += 1;
    }
    let parts: Vec<String> = by_severity
        .iter()
        .map(|(s, n)| format!("{n} {}", s.code()))
        .collect();
    let places = match bugs.len() == told.len() {
        true => String::new(),
        false => format!("{} in memory, ", count(bugs.len(), "place")),
    };
    let allowed = |by: fn(&Excuse) -> bool| outcome.set_aside.iter().filter(|s| by(&s.by)).count();
    let mut head = match bugs.is_empty() {
        true => count(0, "bug"),
        false => format!(
            "{} ({places}{} of accesses): {}",
            count(told.len(), "bug"),
            count(pairs, "pair"),
            parts.join(", ")
        ),
    };
    let suppressed = outcome.pairs.iter().flat_map(|p| &p.suppressed);
    let meant: BTreeSet<&str> = suppressed.map(|s| s.location.as_str()).collect();
    for (n, what) in [
        (allowed(|e| matches!(e, Excuse::Allow(_))), "allowed"),
        (allowed(|e| *e == Excuse::Baseline), "known"),
        (meant.len(), "meant in the source"),
    ] {
        if n > 0 {
            head += &format!("; {n} {what}");
        }
    }
    head
}

/// What they are about.
pub(super) fn what(told: &[&Bug<'_>]) -> String {
    let place = told[0].places[0];
    match told.len() {
        1 => place.to_string(),
        n => format!("{place} and {} more", n - 1),
    }
}

/// Who, where.
pub(super) fn how(told: &[&Bug<'_>]) -> String {
    parts(told).join("; ")
}

/// The same of each access, and what else belongs to it.
fn parts(told: &[&Bug<'_>]) -> Vec<String> {
    let finding = told[0].shown();
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
            [] => "without a lock".to_string(),
            locks => format!("under {}", locks.join(", ")),
        };
        format!("{} in {function}{line}{by} {locks}", a.kind)
    };
    let mut sides: Vec<String> = finding.accesses.iter().map(access).collect();
    if let [_, others @ ..] = told
        && !others.is_empty()
    {
        let name = |b: &&Bug<'_>| {
            let place = b.places[0];
            place.rsplit('.').next().unwrap_or(place).to_string()
        };
        let names: Vec<String> = others.iter().map(name).collect();
        let common = match told[0].blamed() {
            Some(function) => format!("in {function}, too"),
            None => "the same functions".to_string(),
        };
        sides.push(format!("{common}: {}", names.join(", ")));
    }
    sides
}
