//! What was found, for scripts: bugs, their findings, and what is not told.

use serde::Serialize;

use super::super::{fingerprint, top, wording};
use crate::bugs::class::{self, Class, Severity};
use crate::bugs::{Bug, id};
use crate::verdict::{
    Access, Content, Does, Excuse, Finding, FindingKind, Frame, Memory, Nature, Outcome, Suppressed,
};

#[derive(Serialize)]
pub(super) struct BugOut<'a> {
    /// As `group` of its findings.
    id: &'a str,
    rule: &'static str,
    class: Class,
    severity: Severity,
    effect: &'static str,
    /// The message of the finding that is shown for it.
    message: &'a str,
    locations: &'a [&'a str],
    /// `a × b`: the pairs of entry points.
    pairs: Vec<String>,
    /// The names of its findings, that which is shown first.
    findings: Vec<String>,
    /// The bugs that are told with it: what mends it mends them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    with: Vec<&'a str>,
    /// The bug that it is told with.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_with: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct FindingOut<'a> {
    /// Its name, which outlives edits of the source.
    id: String,
    /// The name of its bug.
    group: String,
    class: Class,
    severity: Severity,
    kind: FindingKind,
    rule: &'static str,
    location: &'a str,
    message: &'a str,
    fingerprint: String,
    accesses: Vec<AccessOut<'a>>,
    /// Nothing is reported that was not: a constant, for scripts that merge the output of other tools.
    replayed: bool,
    /// Other pairs of entry points in which it was found.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    also: &'a [Vec<String>],
    other_pairs: u32,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    functions: &'a [String],
    nature: &'a Nature,
    state: &'a str,
    /// Of an assumed state: the contents that decide; absent where that was not found out.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    rests_on: &'a [Content],
    switches: u32,
    assumptions: &'a [String],
    benign_hints: &'a [String],
    schedule: Vec<EventOut<'a>>,
}

#[derive(Serialize)]
struct AccessOut<'a> {
    thread: u32,
    entry_point: &'a str,
    function: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    kind: &'a str,
    bytes: u32,
    marked: bool,
    locks: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    acquired: &'a [Frame],
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<&'a str>,
    value: Option<u64>,
    stack: &'a [Frame],
}

#[derive(Serialize)]
struct EventOut<'a> {
    thread: u32,
    function: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    event: String,
    does: &'a Does,
    memory: Memory,
    entry: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    called_at: Option<&'a Frame>,
    /// Whether a branch depends on what it reads, or gets.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    decides: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum AsideOut<'a> {
    /// By the source, before anybody looked for it.
    Meant(SuppressedOut<'a>),
    /// By the user.
    Found {
        by: &'static str,
        /// Of `allow`: where it stands.
        at: &'a str,
        reason: &'a str,
        #[serde(flatten)]
        finding: Box<FindingOut<'a>>,
    },
}

#[derive(Serialize)]
pub(super) struct SuppressedOut<'a> {
    a: &'a str,
    b: &'a str,
    #[serde(flatten)]
    what: &'a Suppressed,
}

/// The names of a finding.
pub(super) struct Named {
    own: String,
    bug: String,
}

impl Named {
    pub(super) fn of(finding: &Finding, bugs: &[Bug<'_>], unit: &str) -> Named {
        let of = |b: &&Bug<'_>| b.findings.iter().any(|x| std::ptr::eq(*x, finding));
        Named {
            own: id::finding(finding, unit),
            bug: bugs.iter().find(of).map_or(String::new(), |b| b.id.clone()),
        }
    }
}

/// Of a bug, and of what is told with it.
pub(super) fn bugs<'a>(told: &'a Bug<'_>, unit: &str) -> Vec<BugOut<'a>> {
    let of = |b: &'a Bug<'_>| BugOut {
        told_with: (b.id != told.id).then_some(&told.id),
        ..bug(b, unit)
    };
    told.all().into_iter().map(of).collect()
}

fn bug<'a>(b: &'a Bug<'_>, unit: &str) -> BugOut<'a> {
    BugOut {
        id: &b.id,
        rule: wording::kind(b.shown().kind).rule,
        class: b.class,
        severity: b.class.severity(),
        effect: b.class.effect(),
        message: &b.shown().message,
        locations: &b.places,
        pairs: b.pairs(),
        findings: b.findings.iter().map(|f| id::finding(f, unit)).collect(),
        with: b.with.iter().map(|w| w.id.as_str()).collect(),
        told_with: None,
    }
}

pub(super) fn aside<'a>(outcome: &'a Outcome, names: &[Named]) -> Vec<AsideOut<'a>> {
    let meant = outcome.pairs.iter().flat_map(|p| {
        let one = |what| {
            AsideOut::Meant(SuppressedOut {
                a: &p.a,
                b: &p.b,
                what,
            })
        };
        p.suppressed.iter().map(one)
    });
    let found = outcome.set_aside.iter().zip(names).map(|(s, names)| {
        let (by, at) = match &s.by {
            Excuse::Allow(at) => ("allow", at.as_str()),
            Excuse::Baseline => ("baseline", ""),
        };
        AsideOut::Found {
            by,
            at,
            reason: &s.reason,
            finding: Box::new(finding(&s.finding, names)),
        }
    });
    meant.chain(found).collect()
}

pub(super) fn finding<'a>(f: &'a Finding, named: &Named) -> FindingOut<'a> {
    let class = class::of(f);
    FindingOut {
        id: named.own.clone(),
        group: named.bug.clone(),
        class,
        severity: class.severity(),
        also: &f.also,
        nature: &f.nature,
        kind: f.kind,
        rule: wording::kind(f.kind).rule,
        location: &f.location,
        message: &f.message,
        fingerprint: fingerprint::of(f),
        accesses: f.accesses.iter().map(access).collect(),
        replayed: true,
        other_pairs: f.other_pairs,
        functions: &f.functions,
        state: f.state.code(),
        rests_on: f.state.contents(),
        switches: f.switches,
        assumptions: &f.assumptions,
        benign_hints: &f.benign_hints,
        schedule: f
            .events
            .iter()
            .map(|e| EventOut {
                thread: e.thread,
                function: &e.at.function,
                file: &e.at.file,
                line: e.at.line,
                column: e.at.column,
                event: e.does.to_string(),
                does: &e.does,
                memory: e.memory,
                entry: &e.entry,
                called_at: e.called_at.as_ref(),
                decides: e.decides,
            })
            .collect(),
    }
}

fn access(a: &Access) -> AccessOut<'_> {
    let (function, file, line, column) = top(a).map_or(("", "", 0, 0), |f| {
        (f.function.as_str(), f.file.as_str(), f.line, f.column)
    });
    AccessOut {
        thread: a.thread,
        entry_point: &a.entry_point,
        function,
        file,
        line,
        column,
        kind: a.kind.name(),
        bytes: a.bytes,
        marked: a.marked,
        locks: &a.locks,
        acquired: &a.acquired,
        waits_for: a.waits_for.as_deref(),
        value: a.value,
        stack: &a.stack,
    }
}
