//! What another night said, and what this one says: new, fixed, no longer decided.
//!
//! A finding is known by its task and its fingerprint, which outlives edits of the source. It counts as fixed only where its region was
//! looked at to the end; where a limit or an unknown stands in its place, it is no longer decided, which is not better.

use std::collections::{BTreeMap, BTreeSet};

use super::reading::{Counts, Finding, Region, Report};
use super::store::Store;
use super::task::{Cost, Ended, Planned};
use crate::error::InputError;
use crate::verdict::{Claim, Verdict};

/// What a night knows.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The number of the night.
    pub night: i64,
    /// When it was planned, in seconds since 1970.
    pub began: i64,
    /// Its tasks, by name.
    pub tasks: BTreeMap<String, State>,
}

/// What is known of a task.
#[derive(Debug)]
pub struct State {
    /// What was planned.
    pub planned: Planned,
    /// How it ended, on which level; none: it has not run.
    pub ended: Option<(u32, Ended, Cost)>,
    /// Its report.
    pub report: Option<Report>,
}

impl State {
    /// What there is to say of a task without a report.
    pub fn line(&self) -> Option<String> {
        match (&self.planned.task.problem, &self.ended) {
            (Some(line), _) => Some(line.clone()),
            (None, Some((_, ended, _))) => ended.line(),
            (None, None) => Some("did not run yet".to_string()),
        }
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
        let mut tasks = BTreeMap::new();
        for mut planned in store.tasks(number)? {
            for file in &mut planned.task.files {
                file.path = store.folder().join(&file.path);
            }
            let ended = match planned.key.is_empty() {
                true => None,
                false => store.best(&planned.key, planned.level, number)?,
            };
            let text = match &ended {
                Some((level, ..)) => store.report(&planned.key, *level)?,
                None => None,
            };
            let report = text.map(|t| Report::parse(&t)).transpose()?;
            let state = State {
                planned,
                ended,
                report,
            };
            tasks.insert(state.planned.task.name.clone(), state);
        }
        Ok(Snapshot {
            night: number,
            began: night.began,
            tasks,
        })
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
    /// Decided before.
    pub lost: Vec<Lost>,
    /// Tasks that were not there before.
    pub added: Vec<&'a str>,
    /// Tasks that are there no more.
    pub gone: Vec<&'a str>,
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

/// Compares two nights.
pub fn between<'a>(before: &'a Snapshot, now: &'a Snapshot) -> Changes<'a> {
    let mut changes = Changes::default();
    let names =
        |s: &'a Snapshot| -> BTreeSet<&'a str> { s.tasks.keys().map(String::as_str).collect() };
    let (old, new) = (names(before), names(now));
    changes.added = new.difference(&old).copied().collect();
    changes.gone = old.difference(&new).copied().collect();
    let known: BTreeSet<(&str, &str)> = before
        .findings()
        .into_iter()
        .map(|f| (f.task, f.finding.fingerprint.as_str()))
        .collect();
    let mut there = BTreeSet::new();
    for found in now.findings() {
        let name = (found.task, found.finding.fingerprint.as_str());
        there.insert(name);
        match known.contains(&name) {
            true => changes.known.push(found),
            false => changes.new.push(found),
        }
    }
    for (name, state) in &now.tasks {
        if let Some(old) = before.tasks.get(name) {
            changes.lost.extend(lost(name, old, state));
        }
    }
    for found in before.findings() {
        let name = (found.task, found.finding.fingerprint.as_str());
        // What was in a module that is not there is neither fixed nor lost: the module is told of.
        if there.contains(&name) || !now.tasks.contains_key(found.task) {
            continue;
        }
        if is_gone(found, now) {
            changes.fixed.push(found);
        } else if !changes.lost.iter().any(|l| l.task == found.task) {
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
    changes
}

/// Whether nothing stands where a finding was that might hide it.
fn is_gone(found: Found<'_>, now: &Snapshot) -> bool {
    let Some(state) = now.tasks.get(found.task) else {
        return false;
    };
    let Some(report) = &state.report else {
        return matches!(state.ended, Some((_, Ended::NoEntryPoints, _)));
    };
    let entries: BTreeSet<&str> = found
        .finding
        .accesses
        .iter()
        .map(|a| a.entry_point.as_str())
        .collect();
    let of_pair = |a: &str, b: &str| entries.iter().all(|e| [a, b].contains(e));
    let hidden = report
        .pairs
        .iter()
        .filter(|p| of_pair(&p.a, &p.b))
        .any(|p| {
            let open = |r: &&Region| r.verdict == Verdict::Unknown;
            let mut regions = p.regions.iter().filter(open);
            // What is said of all of a pair's memory stands for this region too.
            regions
                .any(|r| r.location == found.finding.location || r.claim == Claim::Threads.code())
        });
    report.stopped.is_none() && !hidden
}

fn lost(name: &str, old: &State, new: &State) -> Option<Lost> {
    let decided = |r: &&Region| r.verdict != Verdict::Unknown;
    let before = old.report.as_ref()?;
    let Some(now) = &new.report else {
        let all = before.pairs.iter().flat_map(|p| &p.regions);
        let line = new.line().filter(|_| all.clone().any(|r| decided(&r)));
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
