//! A report that was written: `--format json`, read back. What is shown later, compared, or made a page of, is made of this.

use serde::Deserialize;

use crate::bugs::sought::{Said, Sought};
use crate::deadline::Stopped;
use crate::environment::entry::Context;
use crate::error::InputError;
use crate::trace::schedule::Schedule;
use crate::verdict::{
    self, Access, Act, Bounds, Claim, Content, Does, Event, Excuse, Finding, FindingKind, Frame,
    Memory, Nature, Outcome, Overall, PairResult, RegionResult, SetAside, StateKind, Suppressed,
    Tier, Verdict, Within,
};

/// A report, as far as it is shown again.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// The version of irkiss that wrote it.
    pub irkiss: String,
    /// Files, as they were given.
    pub input: Vec<String>,
    /// What a build makes of it, as one names that to `make`, if it is one that a build keeps.
    #[serde(skip)]
    pub object: Option<String>,
    /// The source files, without headers.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Of the whole input.
    pub verdict: Overall,
    /// What ended the run before its time.
    pub stopped: Option<String>,
    /// What nobody looked for, in words.
    #[serde(default)]
    pub not_asked: Vec<String>,
    /// Within which `bounded` holds.
    pub bounds: Bounds,
    /// What the kernel may call.
    #[serde(default)]
    pub entry_points: Vec<Entry>,
    /// One for each pair of them.
    pub pairs: Vec<Pair>,
    /// What was found.
    #[serde(deserialize_with = "findings")]
    pub findings: Vec<Finding>,
    /// What was found and is not told.
    #[serde(default, deserialize_with = "set_aside", rename = "suppressed")]
    pub set_aside: Vec<SetAside>,
    /// Findings that were not confirmed: each is a bug of irkiss.
    #[serde(default)]
    pub not_replayed: u32,
    /// For the user.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Counts of the work done.
    #[serde(default)]
    pub stats: std::collections::BTreeMap<String, u64>,
    /// Of one that a build keeps: the name of what the check depends on.
    #[serde(default)]
    pub made_of: String,
    /// What the source says is meant: nobody looked for a race there.
    #[serde(skip)]
    pub meant: Vec<Meant>,
}

/// Memory of a pair of which no race is told, since the source says that it is meant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Meant {
    /// One of the pair.
    pub a: String,
    /// The other.
    pub b: String,
    /// The memory, and where.
    #[serde(flatten)]
    pub what: Suppressed,
}

/// An entry point.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Its name.
    pub function: String,
    /// In which it runs.
    pub context: Context,
    /// Where it was found.
    pub via: String,
}

/// A pair of entry points.
#[derive(Clone, Debug, Deserialize)]
pub struct Pair {
    /// One of them.
    pub a: String,
    /// The other.
    pub b: String,
    /// What never lets them overlap.
    pub serialized_by: Option<String>,
    /// Whether they have nothing in common.
    #[serde(default)]
    pub nothing_shared: bool,
    /// What is claimed of it.
    pub regions: Vec<Region>,
    /// Of each side: places shown to be reached, of all.
    #[serde(default)]
    pub reachable_sites: Sites,
    /// Of a pair without regions: what that rests on.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// Of whom nothing is shown to be reached.
    #[serde(default)]
    pub vacuous: Option<String>,
}

/// Of each side of a pair: places shown to be reached, of all.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Sites {
    /// Of the first.
    pub a: (u32, u32),
    /// Of the second.
    pub b: (u32, u32),
}

/// What is claimed of memory.
#[derive(Clone, Debug, Deserialize)]
pub struct Region {
    /// Its name.
    pub location: String,
    /// The kind of claim.
    pub claim: String,
    /// What is known.
    pub verdict: Verdict,
    /// Who decided.
    #[serde(default)]
    pub by: Option<Tier>,
    /// Which executions were gone through.
    #[serde(default)]
    pub within: Vec<Within>,
    /// Why not more.
    pub why: Option<Why>,
    /// What it rests on: the code, a colon, the text.
    #[serde(default)]
    pub assumptions: Vec<String>,
}

/// Why no more is known.
#[derive(Clone, Debug, Deserialize)]
pub struct Why {
    /// Its name.
    pub code: String,
    /// In words.
    pub text: String,
    /// Where executions end.
    pub at: Option<String>,
    /// What may decide it.
    #[serde(rename = "try")]
    pub next_step: Option<String>,
    /// Whether a larger budget may.
    #[serde(default)]
    pub limit: bool,
    /// Where executions end.
    #[serde(default)]
    pub ends: Vec<End>,
}

/// Where executions end.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct End {
    /// How: its name.
    pub code: String,
    /// What is not modelled.
    pub what: Option<String>,
    /// `file:line (function)`.
    pub at: String,
}

#[derive(Deserialize)]
struct FindingText {
    kind: FindingKind,
    location: String,
    message: String,
    accesses: Vec<AccessText>,
    #[serde(default)]
    also: Vec<Vec<String>>,
    #[serde(default)]
    other_pairs: u32,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    nature: Nature,
    state: String,
    #[serde(default)]
    rests_on: Vec<Content>,
    #[serde(default)]
    switches: u32,
    #[serde(default)]
    assumptions: Vec<String>,
    #[serde(default)]
    benign_hints: Vec<String>,
    #[serde(default)]
    schedule: Vec<EventText>,
}

#[derive(Deserialize)]
struct AccessText {
    thread: u32,
    entry_point: String,
    kind: Act,
    bytes: u32,
    marked: bool,
    locks: Vec<String>,
    #[serde(default)]
    acquired: Vec<Frame>,
    waits_for: Option<String>,
    value: Option<u64>,
    stack: Vec<Frame>,
}

#[derive(Deserialize)]
struct EventText {
    thread: u32,
    function: String,
    file: String,
    line: u32,
    #[serde(default)]
    column: u32,
    does: Does,
    #[serde(default)]
    memory: Memory,
    #[serde(default)]
    entry: String,
    called_at: Option<Frame>,
    #[serde(default)]
    decides: bool,
}

#[derive(Deserialize)]
struct AsideText {
    by: String,
    #[serde(default)]
    at: String,
    #[serde(default)]
    reason: String,
    #[serde(flatten)]
    finding: FindingText,
}

fn findings<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Finding>, D::Error> {
    let all = Vec::<FindingText>::deserialize(from)?;
    Ok(all.into_iter().map(FindingText::told).collect())
}

fn set_aside<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<SetAside>, D::Error> {
    let all = Vec::<serde_json::Value>::deserialize(from)?;
    // Those that nobody looked for are no findings.
    let found = all.into_iter().filter(|v| v.get("message").is_some());
    let read = found.map(|value| {
        let text: AsideText = serde_json::from_value(value).map_err(serde::de::Error::custom)?;
        Ok(SetAside {
            finding: text.finding.told(),
            by: match text.by.as_str() {
                "baseline" => Excuse::Baseline,
                _ => Excuse::Allow(text.at),
            },
            reason: text.reason,
        })
    });
    read.collect()
}

impl FindingText {
    fn told(self) -> Finding {
        let state = match (self.state.as_str(), self.rests_on) {
            ("reached", _) => StateKind::Reached,
            (_, contents) if contents.is_empty() => StateKind::Assumed(None),
            (_, contents) => StateKind::Assumed(Some(contents)),
        };
        let access = |a: AccessText| Access {
            thread: a.thread,
            entry_point: a.entry_point,
            stack: a.stack,
            kind: a.kind,
            bytes: a.bytes,
            marked: a.marked,
            locks: a.locks,
            acquired: a.acquired,
            waits_for: a.waits_for,
            if_by: None,
            value: a.value,
        };
        let event = |e: EventText| Event {
            thread: e.thread,
            at: Frame {
                function: e.function,
                file: e.file,
                line: e.line,
                column: e.column,
            },
            called_at: e.called_at,
            entry: e.entry,
            does: e.does,
            memory: e.memory,
            decides: e.decides,
        };
        Finding {
            kind: self.kind,
            location: self.location,
            message: self.message,
            accesses: self.accesses.into_iter().map(access).collect(),
            also: self.also,
            other_pairs: self.other_pairs,
            functions: self.functions,
            state,
            switches: self.switches,
            assumptions: self.assumptions,
            nature: self.nature,
            benign_hints: self.benign_hints,
            events: self.schedule.into_iter().map(event).collect(),
            // What is replayed is written by `--emit schedule`.
            schedule: Schedule::default(),
        }
    }
}

/// The part in which two kinds of things stand.
#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    suppressed: Vec<serde_json::Value>,
}

impl Report {
    /// Why nothing says that what was found before is gone; `None`: it is.
    pub fn hides(&self, sought: &Sought<'_>) -> Option<String> {
        let unreached = self.pairs.iter().filter_map(|p| p.vacuous.as_deref());
        let said = Said {
            stopped: self.stopped.as_deref(),
            not_asked: &self.not_asked,
            unreached: unreached.collect(),
        };
        let regions = self.pairs.iter().flat_map(|p| &p.regions);
        let unknown = regions.filter(|r| r.verdict == Verdict::Unknown);
        let open = unknown.map(|r| {
            let why = r.why.as_ref().map_or("unknown", |w| w.text.as_str());
            (r.claim(), why)
        });
        sought.hidden(&said, open)
    }

    /// Reads the object that `--format json` writes. `name`: of where it came from.
    ///
    /// # Errors
    /// It is none, or not one of this version.
    pub fn parse(text: &str, name: &str) -> Result<Report, InputError> {
        let read = || -> Result<Report, serde_json::Error> {
            let whole: Whole = serde_json::from_str(text)?;
            let mut report: Report = serde_json::from_str(text)?;
            // Those that were found are no such ones.
            let all = whole.suppressed.into_iter();
            let meant = all.filter(|v| v.get("message").is_none());
            report.meant = meant
                .map(serde_json::from_value)
                .collect::<Result<_, _>>()?;
            Ok(report)
        };
        read().map_err(|e| {
            InputError::new(name, format!("no report: {e}"))
                .advise("irkiss --format json FILE writes one")
        })
    }

    /// As what the reports are made of: without what was not written.
    pub fn outcome(&self) -> Outcome {
        let mut outcome = Outcome::empty(&[], &crate::config::Options::default());
        outcome.input.clone_from(&self.input);
        outcome.object.clone_from(&self.object);
        outcome.sources.clone_from(&self.sources);
        outcome.findings.clone_from(&self.findings);
        outcome.set_aside.clone_from(&self.set_aside);
        outcome.notes.clone_from(&self.notes);
        // One that a later irkiss has written ended before its time, too.
        let stopped = self.stopped.as_deref();
        outcome.stopped = stopped.map(|s| s.parse().unwrap_or(Stopped::Interrupted));
        outcome.bounds = self.bounds;
        outcome.not_replayed = self.not_replayed;
        outcome.pairs = self.pairs.iter().map(Pair::told).collect();
        outcome.entries = self.entry_points.iter().map(Entry::told).collect();
        outcome
    }
}

impl Pair {
    fn told(&self) -> PairResult {
        let region = |r: &Region| r.told();
        PairResult {
            a: self.a.clone(),
            b: self.b.clone(),
            further: Vec::new(),
            scenario: String::new(),
            serialized_by: self.serialized_by.clone(),
            regions: self.regions.iter().map(region).collect(),
            nothing_shared: self.nothing_shared,
            suppressed: Vec::new(),
            assumptions: Vec::new(),
            reachable_sites: vec![self.reachable_sites.a, self.reachable_sites.b],
        }
    }
}

impl Region {
    /// The claim.
    pub fn claim(&self) -> Claim {
        Claim::written(&self.claim, &self.location)
    }

    /// Without its reason, and what it rests on: these are read as they were written.
    fn told(&self) -> RegionResult {
        let claim = self.claim();
        match (self.verdict, self.by) {
            (Verdict::Proved, Some(by)) => RegionResult::proved(claim, by, Vec::new()),
            (Verdict::Bounded, Some(by)) => RegionResult::bounded(claim, by, self.within.clone()),
            (Verdict::Race, Some(by)) => RegionResult::race(claim, by),
            (Verdict::Unknown, _) | (_, None) => {
                RegionResult::unknown(claim, verdict::Why::NotRecorded)
            }
        }
    }
}

impl Entry {
    fn told(&self) -> crate::environment::entry::EntryPoint {
        use crate::environment::entry::{EntryPoint, Phase};
        EntryPoint {
            context: self.context,
            ..EntryPoint::new(&self.function, &self.via, Phase::Steady)
        }
    }
}
