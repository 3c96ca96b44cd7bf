//! Two sets of reports, of one tree before and after a change: new bugs, fixed ones, those that are there still, and what is no longer
//! decided.
//!
//! A bug is the same by its name ([`crate::bugs::id`]). It is fixed only where its memory was looked at to the end; where a limit or an
//! unknown stands in its place it is no longer decided, which is not better.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::read::Report;
use super::style::{BAD, FAINT, GOOD, STRONG, WARNING, paint};
use super::{count, json, place, top};
use crate::bugs::baseline::{Baseline, Known};
use crate::bugs::sought::Sought;
use crate::bugs::{self, Bug, id};
use crate::property::Property;
use crate::verdict::{Excuse, Finding, SetAside, Verdict};

/// What was before.
pub struct Base {
    /// The bugs.
    pub known: Baseline,
    /// The reports, if they are there: by the files that they are about.
    pub reports: BTreeMap<String, Report>,
}

/// What is different.
#[derive(Debug, Default, Serialize)]
pub struct Diff {
    /// Bugs that were not known.
    pub new: Vec<Told>,
    /// Known bugs in which other functions take part now.
    pub grown: Vec<Told>,
    /// Known bugs that are gone.
    pub fixed: Vec<Told>,
    /// Known bugs that are there.
    pub same: Vec<Told>,
    /// Known bugs, and numbers of regions, that are no longer decided.
    pub no_longer_decided: Vec<Told>,
    /// Bugs that the source or a configuration allows.
    pub allowed: Vec<Told>,
}

/// A line about a bug, or about what is open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Told {
    /// Of the bug; empty: it is about regions of memory.
    pub id: String,
    /// `file:line:column`, where that is known.
    pub at: String,
    /// One line.
    pub message: String,
    /// How bad.
    pub class: &'static str,
}

impl Told {
    fn of(bug: &Bug<'_>, finding: &Finding) -> Told {
        Told {
            id: bug.id.clone(),
            at: place(finding.accesses.first().and_then(top)),
            message: finding.message.replace('\n', " "),
            class: bug.class.code(),
        }
    }
}

/// The differences. Reports of the same input are compared; where there is one on each side, they are that.
pub fn of(base: &Base, head: &BTreeMap<String, Report>) -> Diff {
    let mut diff = Diff::default();
    let mut seen = BTreeSet::new();
    let mut units = BTreeMap::new();
    for report in head.values() {
        units.insert(id::unit(&report.sources).to_string(), report);
        let aside = |allowed: bool| {
            let by = move |s: &&SetAside| (s.by != Excuse::Baseline) == allowed;
            report.set_aside.iter().filter(by).map(|s| &s.finding)
        };
        let told = report.findings.iter().chain(aside(false));
        let mut here = BTreeSet::new();
        for bug in bugs::of(told, &report.sources) {
            here.insert(bug.id.clone());
            seen.insert(bug.id.clone());
            let known = |f: &&&Finding| base.known.knows(&bug.id, f);
            let unknown = bug.findings.iter().find(|f| !known(f));
            match (base.known.bugs.contains_key(&bug.id), unknown) {
                (false, _) => diff.new.push(Told::of(&bug, bug.shown())),
                (true, Some(finding)) => diff.grown.push(Told::of(&bug, finding)),
                (true, None) => diff.same.push(Told::of(&bug, bug.shown())),
            }
        }
        for bug in bugs::of(aside(true), &report.sources) {
            seen.insert(bug.id.clone());
            if !here.contains(&bug.id) {
                diff.allowed.push(Told::of(&bug, bug.shown()));
            }
        }
    }
    for known in base.known.bugs.values().filter(|b| !seen.contains(&b.id)) {
        let places: Vec<&str> = known.places.keys().map(String::as_str).collect();
        let told = |why: &str| Told {
            id: known.id.clone(),
            at: known.file.clone(),
            message: format!("{} on {}{why}", known.kind, places.join(", ")),
            class: "",
        };
        match units.get(&known.file) {
            None => diff
                .no_longer_decided
                .push(told(": there is no report of it")),
            Some(report) => match hidden(known, report) {
                Some(why) => diff.no_longer_decided.push(told(&format!(": {why}"))),
                None => diff.fixed.push(told("")),
            },
        }
    }
    lost(base, head, &mut diff);
    diff
}

/// Why nothing says that it is gone, if so.
fn hidden(known: &Known, report: &Report) -> Option<String> {
    // One of a later version: this report was not asked for it.
    let Some(property) = Property::named(&known.kind) else {
        return Some(format!("nobody looked for {}", known.kind));
    };
    let functions = known.places.values().flatten();
    let sought = Sought {
        property,
        places: known.places.keys().map(String::as_str).collect(),
        functions: functions.map(String::as_str).collect(),
    };
    report.hides(&sought)
}

/// Regions that were proved or bounded and are unknown.
fn lost(base: &Base, head: &BTreeMap<String, Report>, diff: &mut Diff) {
    let single = base.reports.len() == 1 && head.len() == 1;
    for (name, before) in &base.reports {
        let after = match single {
            true => head.values().next(),
            false => head.get(name),
        };
        let Some(after) = after else { continue };
        let decided = places(before, |v| matches!(v, Verdict::Proved | Verdict::Bounded));
        let unknown = places(after, |v| v == Verdict::Unknown);
        let both: Vec<_> = decided.intersection(&unknown).collect();
        if let Some((a, b, location)) = both.first() {
            diff.no_longer_decided.push(Told {
                id: String::new(),
                at: name.clone(),
                message: format!(
                    "{}, such as {location} in {a} × {b}",
                    count(both.len(), "region of memory")
                ),
                class: "",
            });
        }
    }
}

fn places(report: &Report, of: fn(Verdict) -> bool) -> BTreeSet<(String, String, String)> {
    let pairs = report.pairs.iter();
    pairs
        .flat_map(|p| p.regions.iter().map(move |r| (p, r)))
        .filter(|(_, r)| of(r.verdict))
        .map(|(p, r)| (p.a.clone(), p.b.clone(), id::lasting(&r.location)))
        .collect()
}

/// For people.
pub fn render(diff: &Diff) -> String {
    let mut out = String::new();
    for (all, word, style) in [
        (&diff.new, "NEW", BAD),
        (&diff.grown, "NEW in another function", BAD),
        (&diff.fixed, "FIXED", GOOD),
        (&diff.no_longer_decided, "NO LONGER DECIDED", WARNING),
    ] {
        for told in all {
            let id = match told.id.as_str() {
                "" => String::new(),
                id => format!("  [{id}]"),
            };
            line!(
                out,
                "{}  {}: {}{}",
                paint(style, word),
                told.at,
                told.message,
                paint(FAINT, id)
            );
        }
    }
    let n = |all: &[Told]| all.len();
    let text = format!(
        "{} new, {} in another function, {} fixed, {} the same, {} no longer decided",
        n(&diff.new),
        n(&diff.grown),
        n(&diff.fixed),
        n(&diff.same),
        n(&diff.no_longer_decided)
    );
    let text = match n(&diff.allowed) {
        0 => text,
        allowed => format!("{text}; {allowed} allowed"),
    };
    line!(out, "{}", paint(STRONG, text));
    out
}

/// For scripts.
pub fn render_json(diff: &Diff) -> String {
    json::text(diff)
}
