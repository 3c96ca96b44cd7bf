//! What another night said, and what this one says: new, fixed, no longer decided.
//!
//! A finding is known by its task and its fingerprint, which outlives edits of the source. It counts as fixed only where its region was
//! looked at to the end; where a limit or an unknown stands in its place, it is no longer decided, which is not better.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{Last, Open};
use super::reading::{Counts, Finding, Pair, Region, Report};
use super::store::{Night, Store};
use super::task::{Cost, Ended, Planned, RunEnd};
use super::words;
use crate::bugs::id;
use crate::bugs::sought::{Said, Sought};
use crate::error::InputError;
use crate::property::Property;
use crate::verdict::{Claim, FindingKind, Verdict};

/// What a night knows.
#[derive(Debug)]
pub struct Snapshot {
    /// The number of the night.
    pub night: i64,
    /// How it was planned.
    pub planned: Night,
    /// How its last run ended.
    pub run: Option<RunEnd>,
    /// Its tasks, by name.
    pub tasks: BTreeMap<String, State>,
    /// How many findings the source or a configuration allows ([`Snapshot::set_aside`]).
    pub allowed: usize,
}

/// What is known of a task.
#[derive(Debug)]
pub struct State {
    /// The night that knows it.
    pub night: i64,
    /// Which irkiss that night had.
    pub engine: String,
    /// What was planned.
    pub planned: Planned,
    /// How it ended, on which level; none: it has not run.
    pub ended: Option<(u32, Ended, Cost)>,
    /// Its report.
    pub report: Option<Report>,
    /// What nights before it found, and none since has decided ([`Snapshot::look_back`]).
    pub open: Vec<Open>,
    /// Of one that was not checked: when it was.
    pub last: Option<Last>,
    /// Of one that a compiler brought, and a clock ended: after so many seconds.
    pub cut: Option<u64>,
}

impl State {
    /// Of a task of a night.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn of(
        store: &Store,
        mut planned: Planned,
        night: i64,
        engine: &str,
    ) -> Result<State, InputError> {
        for file in &mut planned.task.files {
            file.path = store.folder().join(&file.path);
        }
        let ended = match planned.key.is_empty() {
            true => None,
            false => store.best(&planned.key, planned.level, night)?,
        };
        let text = match &ended {
            Some((level, ..)) => store.report(&planned.key, *level)?,
            None => None,
        };
        let report = text.map(|t| Report::parse(&t)).transpose()?;
        let brought = planned.task.call.is_some() && ended.is_none();
        let cut = match brought {
            true => store.told(&planned.key)?.and_then(|t| t.seconds),
            false => None,
        };
        Ok(State {
            night,
            engine: engine.to_string(),
            planned,
            ended,
            report,
            open: Vec::new(),
            last: None,
            cut,
        })
    }

    /// Its regions by verdict.
    pub fn regions(&self) -> Counts {
        match &self.ended {
            Some((_, Ended::Reported(summary), _)) => summary.regions,
            _ => Counts::default(),
        }
    }
}

impl Snapshot {
    /// Of a night of a store.
    ///
    /// # Errors
    /// There is no such night; the store cannot be read.
    pub fn of(store: &Store, number: i64) -> Result<Snapshot, InputError> {
        let Some(night) = store.night_of(number)? else {
            let what = format!("there is no night {number}");
            return Err(InputError::new(store.folder().display(), what)
                .advise("irkiss sweep status lists them"));
        };
        if night.pruned {
            let what = format!("night {number} was pruned: it is no longer there as a whole");
            return Err(InputError::new(store.folder().display(), what)
                .advise("irkiss sweep status lists those that are"));
        }
        let mut tasks = BTreeMap::new();
        for planned in store.tasks(number)? {
            let name = planned.task.name.clone();
            tasks.insert(name, State::of(store, planned, number, &night.engine)?);
        }
        let mut snapshot = Snapshot {
            night: number,
            run: store.last_run(number)?,
            planned: night,
            tasks,
            allowed: 0,
        };
        snapshot.find_last(store)?;
        Ok(snapshot)
    }

    /// What there is to say of a task without a report.
    pub fn line(&self, state: &State) -> Option<String> {
        match (&state.planned.task.problem, &state.ended) {
            (Some(line), _) => Some(line.clone()),
            (None, Some((_, ended, _))) => ended.line(),
            (None, None) => Some(match (&self.run, state.cut) {
                (Some(run), _) => run.line(),
                (None, Some(seconds)) => format!(
                    "the compiler's check was ended after {seconds} s (irkiss sweep run does it again)"
                ),
                (None, None) => "did not run yet".to_string(),
            }),
        }
    }

    /// All findings, each once.
    pub fn findings(&self) -> Vec<Found<'_>> {
        let mut found = Vec::new();
        for (task, state) in &self.tasks {
            let mut seen = BTreeSet::new();
            for finding in state.report.iter().flat_map(|r| &r.findings) {
                if seen.insert(&finding.fingerprint) {
                    found.push(Found { task, finding });
                }
            }
        }
        found
    }

    /// Regions by verdict.
    pub fn regions(&self) -> Counts {
        let mut all = Counts::default();
        for state in self.tasks.values() {
            all += state.regions();
        }
        all
    }
}

/// A finding of a task.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The task's name.
    pub task: &'a str,
    /// What was found.
    pub finding: &'a Finding,
}

/// Why a task says something else than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its code has changed.
    Code,
    /// The same code was checked by another irkiss.
    Checker,
    /// The same code was checked with other options, rules or models.
    Options,
    /// The same code was checked with another budget.
    Budget,
}

impl Cause {
    /// `None`: it cannot.
    fn of(before: &State, now: &State) -> Option<Cause> {
        let contents = |s: &State| -> Vec<String> {
            let files = s.planned.task.files.iter();
            files.map(|f| f.content.clone()).collect()
        };
        let level = |s: &State| s.ended.as_ref().map(|(level, ..)| *level);
        if contents(before) != contents(now) {
            Some(Cause::Code)
        } else if before.engine != now.engine {
            Some(Cause::Checker)
        } else if before.planned.key != now.planned.key {
            Some(Cause::Options)
        } else {
            (level(before) != level(now)).then_some(Cause::Budget)
        }
    }

    /// What is different although the code is the same; `None`: the code is not.
    pub fn other(self) -> Option<&'static str> {
        match self {
            Cause::Code => None,
            Cause::Checker => Some("another irkiss"),
            Cause::Options => Some("other options"),
            Cause::Budget => Some("another budget"),
        }
    }
}

/// What was decided in a task and is not any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The task's name.
    pub task: String,
    /// How many regions; 0: the whole task has no report any more.
    pub regions: usize,
    /// One of them, and why.
    pub example: String,
}

/// What has changed.
#[derive(Debug, Default)]
pub struct Changes<'a> {
    /// Not there before.
    pub new: Vec<Found<'a>>,
    /// There before as well.
    pub known: Vec<Found<'a>>,
    /// There before, and shown or bounded away now, or the code is gone from its module.
    pub fixed: Vec<Found<'a>>,
    /// There before, and neither found nor shown to be gone now.
    pub carried: Vec<Found<'a>>,
    /// Decided before.
    pub lost: Vec<Lost>,
    /// Tasks that were not there before.
    pub added: Vec<&'a str>,
    /// Tasks that are there no more.
    pub gone: Vec<&'a str>,
    /// Tasks that the other night did not check, and the last one that did.
    pub back: Vec<(&'a str, i64)>,
    /// Why a task of both nights may say something else.
    pub causes: BTreeMap<&'a str, Cause>,
    /// How else than the other night this one was checked: a line each.
    pub otherwise: Vec<String>,
}

/// In what one night was planned otherwise than another.
fn otherwise(before: &Night, now: &Night) -> Vec<String> {
    let mut lines = Vec::new();
    if before.engine != now.engine {
        lines.push(format!("irkiss {} (was: {})", now.engine, before.engine));
    }
    match words::difference(&now.options, &before.options) {
        Some(words) => lines.push(words),
        None if before.rules != now.rules => {
            let files = now.options.config.iter().chain(&now.options.models);
            let files: Vec<String> = files.map(|f| f.display().to_string()).collect();
            lines.push(format!("{} (has changed)", files.join(", ")));
        }
        None => {}
    }
    if before.inputs != now.inputs {
        let names = |n: &Night| {
            let names: Vec<String> = n.inputs.iter().map(|i| i.display().to_string()).collect();
            match names.is_empty() {
                true => "a build".to_string(),
                false => names.join(" "),
            }
        };
        lines.push(format!("of {} (was: of {})", names(now), names(before)));
    }
    lines
}

/// The name of a region within a task.
type Place<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str);

fn places(report: &Report) -> BTreeMap<Place<'_>, &Region> {
    let mut places = BTreeMap::new();
    for pair in &report.pairs {
        for region in &pair.regions {
            let place = (
                pair.a.as_str(),
                pair.b.as_str(),
                pair.scenario.as_str(),
                region.claim.as_str(),
                region.location.as_str(),
            );
            places.insert(place, region);
        }
    }
    places
}

/// Compares two nights. The one before stands for all before it ([`Snapshot::look_back`]).
pub fn between<'a>(before: &'a Snapshot, now: &'a Snapshot) -> Changes<'a> {
    let mut changes = Changes {
        otherwise: otherwise(&before.planned, &now.planned),
        ..Changes::default()
    };
    let names =
        |s: &'a Snapshot| -> BTreeSet<&'a str> { s.tasks.keys().map(String::as_str).collect() };
    let (old, new) = (names(before), names(now));
    changes.added = new.difference(&old).copied().collect();
    changes.gone = old.difference(&new).copied().collect();
    for (name, state) in &now.tasks {
        let Some(old) = before.tasks.get(name) else {
            continue;
        };
        if let Some(cause) = Cause::of(old, state) {
            changes.causes.insert(name, cause);
        }
        if old.night < before.night && state.is_checked() {
            changes.back.push((name, old.night));
        }
        // That nothing could be seen is told once.
        if old.night == before.night || state.is_checked() {
            changes.lost.extend(lost(name, old, now, state));
        }
    }
    let open = |(task, state): (&'a String, &'a State)| {
        let open = state.open.iter();
        open.map(|o| Found {
            task,
            finding: &o.finding,
        })
        .collect::<Vec<_>>()
    };
    let open: Vec<Found<'a>> = before.tasks.iter().flat_map(open).collect();
    let named = |f: &Found<'a>| (f.task, f.finding.fingerprint.as_str());
    let found = before.findings();
    let known: BTreeSet<_> = found.iter().chain(&open).map(named).collect();
    let mut there = BTreeSet::new();
    for found in now.findings() {
        there.insert(named(&found));
        match known.contains(&named(&found)) {
            true => changes.known.push(found),
            false => changes.new.push(found),
        }
    }
    for found in found {
        // What was in a module that is not there is neither fixed nor lost: the module is told of.
        let state = now.tasks.get(found.task);
        let Some(state) = state.filter(|_| !there.contains(&named(&found))) else {
            continue;
        };
        if is_gone(found.finding, state) {
            changes.fixed.push(found);
            continue;
        }
        changes.carried.push(found);
        let told = changes.lost.iter().any(|l| l.task == found.task);
        let seen = before.tasks[found.task].night == before.night || state.is_checked();
        if !told && seen {
            changes.lost.push(Lost {
                task: found.task.to_string(),
                regions: 1,
                example: format!(
                    "{}: not found, and not shown to be gone",
                    found.finding.message
                ),
            });
        }
    }
    // That these are not decided was told in their time.
    for found in open {
        match now.tasks.get(found.task) {
            Some(_) if there.contains(&named(&found)) => {}
            Some(state) if is_gone(found.finding, state) => changes.fixed.push(found),
            Some(_) => changes.carried.push(found),
            None => {}
        }
    }
    changes
}

/// Whether nothing stands where a finding was that might hide it.
pub(super) fn is_gone(finding: &Finding, state: &State) -> bool {
    let Some(report) = &state.report else {
        return matches!(state.ended, Some((_, Ended::NoEntryPoints, _)));
    };
    let accesses = finding.accesses.iter();
    let entries: BTreeSet<&str> = accesses.map(|a| a.entry_point.as_str()).collect();
    let of_pair = |p: &&Pair| entries.iter().all(|e| [&*p.a, &*p.b].contains(e));
    let place = id::lasting(&finding.location);
    let sought = Sought {
        // One of which this irkiss knows nothing is a race to it.
        property: finding.kind().map_or(Property::Race, FindingKind::property),
        places: vec![&place],
        functions: entries.clone(),
    };
    let unreached = report.pairs.iter().filter_map(|p| p.vacuous.as_deref());
    let said = Said {
        stopped: report.stopped.as_deref(),
        not_asked: &report.not_asked,
        unreached: unreached.collect(),
    };
    let regions = report.pairs.iter().filter(of_pair).flat_map(|p| &p.regions);
    let unknown = regions.filter(|r| r.verdict == Verdict::Unknown);
    let open = unknown.map(|r| (Claim::written(&r.claim, &r.location), ""));
    sought.hidden(&said, open).is_none()
}

fn lost(name: &str, old: &State, night: &Snapshot, new: &State) -> Option<Lost> {
    let decided = |r: &&Region| r.verdict != Verdict::Unknown;
    let before = old.report.as_ref()?;
    let Some(now) = &new.report else {
        let all = before.pairs.iter().flat_map(|p| &p.regions);
        let line = night.line(new).filter(|_| all.clone().any(|r| decided(&r)));
        return line.map(|example| Lost {
            task: name.to_string(),
            regions: 0,
            example,
        });
    };
    let now_places = places(now);
    let mut regions = 0;
    let mut example = String::new();
    for (place, _) in places(before).into_iter().filter(|(_, r)| decided(r)) {
        let why = match (now_places.get(&place), &now.stopped) {
            (Some(open), _) if open.verdict == Verdict::Unknown => {
                open.why.as_ref().map_or("", |w| w.text.as_str())
            }
            // It may not have come so far.
            (None, Some(stopped)) => stopped,
            _ => continue,
        };
        regions += 1;
        if example.is_empty() {
            example = format!("{} of {} beside {}: {why}", place.4, place.0, place.1);
        }
    }
    (regions > 0).then(|| Lost {
        task: name.to_string(),
        regions,
        example,
    })
}
