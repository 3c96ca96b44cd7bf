//! A bug as the page shows it: both sides over the source, the steps that decide in columns, every step on request.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::{Told, command, message};
use crate::bugs::Bug;
use crate::bugs::class::{Class, Severity};
use crate::bugs::id::base;
use crate::report::picture::{self, Row};
use crate::report::snippet::Sources;
use crate::report::{capital, finding, interleaving, overview, place, top, wording};
use crate::verdict::{Access, Excuse, Finding, Frame};

/// Whether it is told, or why not. The order is that of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is.
    Told,
    /// The user has said that it is meant.
    Allowed,
    /// It stands in the baseline.
    Known,
}

/// A bug.
#[derive(Serialize)]
pub struct BugOut {
    pub number: usize,
    pub state: State,
    #[serde(skip)]
    pub rank: Class,
    id: String,
    unit: String,
    rule: &'static str,
    pub severity: &'static str,
    pub class: &'static str,
    effect: &'static str,
    what: String,
    how: String,
    message: String,
    /// Of all its findings.
    pub entry_points: BTreeSet<String>,
    /// Why it is not told.
    excuse: String,
    sides: Vec<Side>,
    before: String,
    /// The last calls of that which let another thread start.
    lets: String,
    switches: u32,
    left_out: usize,
    columns: Vec<String>,
    rows: Vec<RowOut>,
    every: Vec<RowOut>,
    starts: &'static str,
    if_contents: Vec<String>,
    assumptions: Vec<String>,
    hints: Vec<String>,
    /// What those have in common with it.
    common: String,
    with: Vec<With>,
    pairs: Vec<String>,
    command: String,
}

/// A bug that is told with another.
#[derive(Serialize)]
struct With {
    id: String,
    memory: String,
}

/// One of its accesses.
#[derive(Serialize)]
struct Side {
    headline: String,
    label: String,
    caller: String,
    at: String,
    function: String,
    lines: Vec<SourceLine>,
    locks: Vec<Lock>,
    value: String,
    stack: Vec<FrameOut>,
}

#[derive(Serialize)]
struct SourceLine {
    n: u32,
    text: String,
    /// Whether it is the line of the access.
    here: bool,
}

#[derive(Serialize)]
struct Lock {
    name: String,
    /// Where it was acquired; empty: not known.
    at: String,
}

#[derive(Serialize)]
struct FrameOut {
    function: String,
    at: String,
}

/// A step, or several on one line.
#[derive(Serialize)]
struct RowOut {
    /// Where: the line alone, where all are of one file.
    at: String,
    /// Of its thread, from 0.
    column: usize,
    source: String,
    within: String,
    values: Vec<String>,
    last: bool,
    /// The function, where another one begins.
    enters: String,
}

/// The bugs of a report, those that are told first.
pub fn of(told: &Told, sources: &dyn Sources) -> Vec<BugOut> {
    let bugs = told.bugs();
    let bugs = bugs
        .iter()
        .map(|b| one(b, told, sources, State::Told, String::new()));
    let aside = told.aside();
    let aside = aside.iter().map(|(b, s)| match &s.by {
        Excuse::Baseline => one(b, told, sources, State::Known, String::new()),
        Excuse::Allow(at) => {
            let excuse = format!("{} ({at})", s.reason);
            one(b, told, sources, State::Allowed, excuse)
        }
    });
    bugs.chain(aside).collect()
}

fn one(bug: &Bug<'_>, told: &Told, sources: &dyn Sources, state: State, excuse: String) -> BugOut {
    let shown = bug.shown();
    let picture = picture::of(shown);
    let threads: Vec<u32> = interleaving::threads(shown)
        .into_iter()
        .filter(|t| shown.events.iter().any(|e| e.thread == *t))
        .collect();
    let all = bug.all();
    let entry_points = all.iter().flat_map(|b| &b.findings).flat_map(|f| {
        let own = f.accesses.iter().map(|a| a.entry_point.clone());
        own.chain(f.also.iter().flatten().cloned())
    });
    let class = bug.class;
    let harmless = class.severity() == Severity::Benign;
    let hints = shown.benign_hints.iter().filter(|_| !harmless);
    BugOut {
        number: 0,
        state,
        rank: class,
        id: bug.id.clone(),
        unit: told.unit().to_string(),
        rule: wording::kind(shown.kind).rule,
        severity: class.severity().code(),
        class: class.code(),
        effect: class.effect(),
        what: overview::what(&bug.all()),
        how: overview::how(&bug.all()),
        message: message(bug),
        entry_points: entry_points.filter(|n| !n.is_empty()).collect(),
        excuse,
        sides: shown
            .accesses
            .iter()
            .map(|a| side(a, shown, told, sources))
            .collect(),
        before: picture.before.join(", "),
        lets: picture.lets.join(", "),
        switches: shown.switches,
        left_out: picture.left_out,
        columns: threads
            .iter()
            .map(|t| interleaving::heading(shown, *t))
            .collect(),
        rows: short(&picture.rows, &threads, &shown.location, sources),
        every: every(shown, &threads),
        starts: finding::state(&shown.state),
        if_contents: finding::contents(shown),
        assumptions: shown.assumptions.clone(),
        hints: hints.cloned().collect(),
        common: capital(&bug.in_common()),
        with: bug
            .with
            .iter()
            .map(|b| With {
                id: b.id.clone(),
                memory: b.places[0].to_string(),
            })
            .collect(),
        pairs: bug.pairs(),
        command: command(told, bug),
    }
}

fn side(access: &Access, of: &Finding, told: &Told, sources: &dyn Sources) -> Side {
    let at = top(access);
    let known = access.locks.len() == access.acquired.len();
    let lock = |(n, name): (usize, &String)| Lock {
        name: name.clone(),
        at: match access.acquired.get(n).filter(|_| known) {
            Some(at) => format!("{} in {}", place(Some(at)), at.function),
            None => String::new(),
        },
    };
    Side {
        headline: finding::headline(access, &of.location),
        label: finding::label(access),
        caller: finding::caller(access, &told.outcome.entries).unwrap_or_default(),
        at: place(at),
        function: at.map_or(String::new(), |f| f.function.clone()),
        lines: at.map_or(Vec::new(), |f| around(f, sources)),
        locks: access.locks.iter().enumerate().map(lock).collect(),
        value: access
            .value
            .map_or(String::new(), |v| picture::number(v, None)),
        stack: access
            .stack
            .iter()
            .map(|f| FrameOut {
                function: f.function.clone(),
                at: place(Some(f)),
            })
            .collect(),
    }
}

/// The source around a place.
fn around(at: &Frame, sources: &dyn Sources) -> Vec<SourceLine> {
    const FAR: u32 = 3;
    let first = at.line.saturating_sub(FAR).max(1);
    let lines = (first..=at.line + FAR).filter_map(|n| {
        let text = sources.line(&at.file, n)?;
        Some(SourceLine {
            n,
            text: text.trim_end().replace('\t', "    "),
            here: n == at.line,
        })
    });
    let mut lines: Vec<SourceLine> = lines.collect();
    let indent = |l: &SourceLine| l.text.len() - l.text.trim_start().len();
    let filled = lines.iter().filter(|l| !l.text.is_empty());
    let common = filled.map(indent).min().unwrap_or(0);
    for line in &mut lines {
        line.text = line.text.get(common..).unwrap_or_default().to_string();
    }
    lines
}

/// The name of a place beside others: the line alone where all are of one file.
fn short_place(at: &Frame, single: bool) -> String {
    match (at.line, single) {
        (0, _) => String::new(),
        (line, true) => line.to_string(),
        (line, false) => format!("{}:{line}", base(&at.file)),
    }
}

fn short(rows: &[Row<'_>], threads: &[u32], location: &str, sources: &dyn Sources) -> Vec<RowOut> {
    let files: BTreeSet<&str> = rows.iter().map(|r| r.at.file.as_str()).collect();
    let out = rows.iter().filter_map(|row| {
        let told = picture::told(row, location, sources);
        Some(RowOut {
            at: short_place(row.at, files.len() == 1),
            column: threads.binary_search(&row.thread).ok()?,
            source: told.source.unwrap_or_default(),
            within: row.within.unwrap_or_default().to_string(),
            values: told.values,
            last: row.last,
            enters: String::new(),
        })
    });
    out.collect()
}

/// Every step, without its source.
fn every(of: &Finding, threads: &[u32]) -> Vec<RowOut> {
    let files: BTreeSet<&str> = of.events.iter().map(|e| e.at.file.as_str()).collect();
    let mut inside = vec![""; threads.len()];
    let out = of.events.iter().filter_map(|event| {
        let column = threads.binary_search(&event.thread).ok()?;
        let enters = match inside[column] == event.at.function {
            true => String::new(),
            false => event.at.function.clone(),
        };
        inside[column] = &event.at.function;
        Some(RowOut {
            at: short_place(&event.at, files.len() == 1),
            column,
            source: String::new(),
            within: String::new(),
            values: vec![picture::step(&event.does)],
            last: false,
            enters,
        })
    });
    out.collect()
}
