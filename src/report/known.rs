//! What is known of everything that is no bug, in a few lines: what is proved, by which locks; what is not decided, for which cause most of
//! all, and what to type.

use std::collections::BTreeMap;

use super::again::Again;
use super::read::Report;
use super::style::{GOOD, STRONG, WARNING, paint};
use super::{count, interleaving, open};
use crate::assumption::Assumption;
use crate::property::Property;
use crate::verdict::{Outcome, RegionResult, Verdict};

/// Locks that are named.
const LOCKS: usize = 4;

/// The lines; empty where there is no region. `stored`: the report that the outcome was read from, which alone knows the reasons.
pub(super) fn render(outcome: &Outcome, stored: Option<&Report>, width: usize) -> String {
    let mut out = String::new();
    let regions: Vec<&RegionResult> = outcome.pairs.iter().flat_map(|p| &p.regions).collect();
    let number = |v: Verdict| regions.iter().filter(|r| r.verdict() == v).count();
    let mut parts = Vec::new();
    let proved = number(Verdict::Proved);
    if proved > 0 {
        parts.push(format!(
            "{} proved{}",
            count(proved, "region"),
            locks(&regions)
        ));
    }
    let what = match outcome.not_asked.contains(&Property::Race) {
        true => "a finding",
        false => "a race",
    };
    match (number(Verdict::Bounded), parts.is_empty()) {
        (0, _) => {}
        (n, true) => parts.push(format!(
            "{} without {what} within the bounds",
            count(n, "region")
        )),
        (n, false) => parts.push(format!("{n} without {what} within the bounds")),
    }
    let wrapped = |out: &mut String, style, text: &str| {
        for piece in interleaving::wrap(text, width) {
            line!(out, "{}", paint(style, piece));
        }
    };
    if !parts.is_empty() {
        wrapped(&mut out, GOOD, &parts.join("; "));
    }
    let unknown = number(Verdict::Unknown);
    let own = match stored {
        None if unknown > 0 => open::of(outcome),
        _ => None,
    };
    let report = stored.or(own.as_ref()).filter(|_| unknown > 0);
    let causes = report.map(open::causes).unwrap_or_default();
    let Some(first) = causes.first() else {
        return out;
    };
    let most = match causes.len() {
        1 => String::new(),
        _ => format!(", {} of them", first.open.len()),
    };
    wrapped(
        &mut out,
        WARNING,
        &format!("{unknown} undecided{most}: {}", first.brief),
    );
    let again = Again::of(&outcome.input, outcome.object.as_deref());
    for piece in first.tries(&again, width - 2) {
        line!(out, "  {}", paint(STRONG, piece));
    }
    out
}

/// The locks by which regions are proved, those of most first, and how many each.
fn locks(regions: &[&RegionResult]) -> String {
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for assumption in regions.iter().flat_map(|r| r.assumptions()) {
        if let Assumption::BothHold(locks) = assumption {
            let name = |l: &String| {
                l.trim_start_matches('@')
                    .trim_start_matches("struct ")
                    .to_string()
            };
            let names: Vec<String> = locks.iter().map(name).collect();
            *by.entry(names.join(" or ")).or_default() += 1;
        }
    }
    let mut by: Vec<(String, usize)> = by.into_iter().collect();
    by.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let named: Vec<String> = by
        .iter()
        .take(LOCKS)
        .map(|(l, n)| format!("{l} {n}"))
        .collect();
    let more = match by.len().saturating_sub(LOCKS) {
        0 => String::new(),
        n => format!(" and {}", count(n, "more lock")),
    };
    match named.is_empty() {
        true => String::new(),
        false => format!(" (by {}{more})", named.join(", ")),
    }
}
