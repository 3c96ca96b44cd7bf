//! What is known of an input besides its bugs: what is proved and by what, what is open and why, what was not asked.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::{Told, open};
use crate::report::read::{Pair, Region, Report};
use crate::report::wording;
use crate::report::{list, open as causes};
use crate::verdict::{Overall, Tier, Verdict};

/// An input.
#[derive(Serialize)]
pub struct Unit {
    name: String,
    input: String,
    verdict: Overall,
    /// What ended it before its time, and what went wrong.
    problems: Vec<String>,
    race: usize,
    proved: usize,
    bounded: usize,
    unknown: usize,
    decided: Vec<Decided>,
    /// What everything that is decided rests on.
    shared: Vec<String>,
    open: Vec<Open>,
    apart: Vec<Apart>,
    nothing_shared: usize,
    meant: Vec<String>,
    entry_points: Vec<Entry>,
    bounds: String,
    notes: Vec<String>,
}

/// Memory without a race, and the pairs for which that holds.
#[derive(Serialize)]
struct Decided {
    location: String,
    verdict: Verdict,
    by: Option<Tier>,
    pairs: Vec<String>,
    /// What only this rests on.
    rests_on: Vec<String>,
}

/// What is open for one cause.
#[derive(Serialize)]
struct Open {
    text: String,
    regions: Vec<String>,
    advice: String,
}

/// Pairs that never overlap.
#[derive(Serialize)]
struct Apart {
    by: String,
    pairs: Vec<String>,
}

#[derive(Serialize)]
struct Entry {
    function: String,
    via: String,
    context: &'static str,
}

/// Of a report.
pub fn of(told: &Told) -> Unit {
    let report = &told.report;
    let n = |verdict: Verdict| {
        regions(report)
            .filter(|(_, r)| r.verdict == verdict)
            .count()
    };
    let shared = shared(report);
    let open_regions = causes::causes(report).into_iter().map(|cause| Open {
        advice: cause.advice(&told.again()).unwrap_or_default(),
        regions: cause
            .open
            .iter()
            .map(|(p, r)| format!("{} in {} × {}", r.location, p.a, p.b))
            .collect(),
        text: cause.text,
    });
    let mut apart: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for pair in &report.pairs {
        if let Some(by) = &pair.serialized_by {
            apart.entry(by).or_default().push(label(pair));
        }
    }
    let meant = report.meant.iter().map(|m| {
        let word = m.what.by.word();
        format!("{} in {} × {} ({word})", m.what.location, m.a, m.b)
    });
    Unit {
        name: told.unit().to_string(),
        input: told.outcome.input.join(" "),
        verdict: report.verdict,
        problems: open(told),
        race: n(Verdict::Race),
        proved: n(Verdict::Proved),
        bounded: n(Verdict::Bounded),
        unknown: n(Verdict::Unknown),
        decided: decided(report, &shared),
        shared: shared.iter().map(|a| text_of(a)).collect(),
        open: open_regions.collect(),
        apart: apart
            .into_iter()
            .map(|(by, pairs)| Apart {
                by: by.to_string(),
                pairs,
            })
            .collect(),
        nothing_shared: report.pairs.iter().filter(|p| p.nothing_shared).count(),
        meant: meant.collect(),
        entry_points: report
            .entry_points
            .iter()
            .map(|e| Entry {
                function: e.function.clone(),
                via: e.via.clone(),
                context: list::context(e.context),
            })
            .collect(),
        bounds: bounds(report),
        notes: report.notes.clone(),
    }
}

fn label(pair: &Pair) -> String {
    format!("{} × {}", pair.a, pair.b)
}

fn regions(report: &Report) -> impl Iterator<Item = (&Pair, &Region)> {
    let pairs = report.pairs.iter();
    pairs.flat_map(|p| p.regions.iter().map(move |r| (p, r)))
}

fn is_decided(region: &Region) -> bool {
    matches!(region.verdict, Verdict::Proved | Verdict::Bounded)
}

/// What all that is decided rests on.
fn shared(report: &Report) -> BTreeSet<&str> {
    let decided = regions(report).filter(|(_, r)| is_decided(r));
    let each = decided.map(|(_, r)| r.assumptions.iter().map(String::as_str).collect());
    each.reduce(|a: BTreeSet<&str>, b| a.intersection(&b).copied().collect())
        .unwrap_or_default()
}

/// The text of an assumption, without its code.
fn text_of(assumption: &str) -> String {
    let text = assumption.split_once(": ").map(|(_, text)| text);
    text.unwrap_or(assumption).to_string()
}

fn decided(report: &Report, shared: &BTreeSet<&str>) -> Vec<Decided> {
    // By what it is, and what it rests on.
    type Key<'a> = (Verdict, &'a str, Option<&'static str>, Vec<&'a str>);
    let mut all: BTreeMap<Key<'_>, (Option<Tier>, Vec<String>)> = BTreeMap::new();
    for (pair, region) in regions(report).filter(|(_, r)| is_decided(r)) {
        let own = region.assumptions.iter().map(String::as_str);
        let own = own.filter(|a| !shared.contains(a)).collect();
        let key = (
            region.verdict,
            region.location.as_str(),
            region.by.map(name),
            own,
        );
        let entry = all.entry(key).or_insert_with(|| (region.by, Vec::new()));
        entry.1.push(label(pair));
    }
    let out = all
        .into_iter()
        .map(|((verdict, location, _, own), (by, pairs))| Decided {
            location: location.to_string(),
            verdict,
            by,
            pairs,
            rests_on: own.into_iter().map(text_of).collect(),
        });
    out.collect()
}

fn name(tier: Tier) -> &'static str {
    match tier {
        Tier::Lockset => "lockset",
        Tier::Coverability => "coverability",
        Tier::Runs => "runs",
        Tier::Kiss => "kiss",
        Tier::Contexts => "contexts",
    }
}

fn bounds(report: &Report) -> String {
    let b = report.bounds;
    let regions = report.pairs.iter().flat_map(|p| &p.regions);
    let claims = regions.map(|r| r.within.as_slice());
    let searched = wording::searched(claims, &b).into_iter();
    let searched: Vec<String> = searched.map(|(bounds, _)| bounds).collect();
    format!(
        "{}, loops (unwind) {}, recursion {}, sequential consistency",
        searched.join(" or "),
        b.unwind,
        b.recursion
    )
}
