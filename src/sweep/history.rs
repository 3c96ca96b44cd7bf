//! What earlier nights knew and a later one could not see.
//!
//! A night may not have looked: a file did not compile, a check broke down, a budget ended it before it came to a region. What was known
//! of the module before is still known then. So a night with which another is compared stands for all before it: a module that it did not
//! check is as the last night left it that did, and a finding stays until a night finds it again or shows it to be gone.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::{Snapshot, State, is_gone};
use super::reading::Finding;
use super::store::Store;
use super::task::{Ended, Planned};
use crate::error::InputError;
use crate::verdict::Verdict;

/// A finding that no night since has found again or shown to be gone.
#[derive(Clone, Debug)]
pub struct Open {
    /// The last night that found it.
    pub night: i64,
    /// What was found.
    pub finding: Finding,
}

/// The last time that a module was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// The night.
    pub night: i64,
    /// What was found then.
    pub findings: u64,
}

/// A name, and its tasks of several nights.
type Past<'a> = BTreeMap<&'a str, &'a [(i64, Planned)]>;

fn past(rows: &[(i64, Planned)]) -> Past<'_> {
    let of_one_name = rows.chunk_by(|a, b| a.1.task.name == b.1.task.name);
    of_one_name
        .map(|rows| (rows[0].1.task.name.as_str(), rows))
        .collect()
}

impl Snapshot {
    /// Adds what nights before it knew of the modules of another.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn look_back(&mut self, store: &Store, now: &Snapshot) -> Result<(), InputError> {
        let rows = store.tasks_until(self.night)?;
        let engines = engines(store)?;
        for (name, rows) in past(&rows) {
            if !now.tasks.contains_key(name) {
                continue;
            }
            if let Some(state) = Chain::of(store, rows, &engines)?.known() {
                self.tasks.insert(name.to_string(), state);
            }
        }
        Ok(())
    }

    /// Tells of each module that this night has not checked when one did.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) fn find_last(&mut self, store: &Store) -> Result<(), InputError> {
        if self.tasks.values().all(State::is_checked) {
            return Ok(());
        }
        let rows = store.tasks_until(self.night)?;
        for (name, rows) in past(&rows) {
            let Some(state) = self.tasks.get_mut(name).filter(|s| !s.is_checked()) else {
                continue;
            };
            for (night, planned) in rows {
                let summary = match store.best(&planned.key, planned.level, *night)? {
                    Some((_, Ended::Reported(summary), _)) => summary.findings,
                    Some((_, Ended::NoEntryPoints, _)) => 0,
                    _ => continue,
                };
                state.last = Some(Last {
                    night: *night,
                    findings: summary,
                });
                break;
            }
        }
        Ok(())
    }
}

/// Which irkiss checked in each night.
pub(super) fn engines(store: &Store) -> Result<BTreeMap<i64, String>, InputError> {
    Ok(store.engines()?.into_iter().collect())
}

/// What nights know of a task: its results, the last one first, as far back as there is something left to know.
#[derive(Debug, Default)]
pub(super) struct Chain {
    states: Vec<State>,
    /// What the last result does not say.
    open: Vec<Open>,
}

impl Chain {
    /// Of the task's nights, the last one first.
    pub(super) fn of(
        store: &Store,
        rows: &[(i64, Planned)],
        engines: &BTreeMap<i64, String>,
    ) -> Result<Chain, InputError> {
        let mut chain = Chain::default();
        let mut seen = BTreeSet::new();
        for (night, planned) in rows.iter().filter(|(_, p)| !p.key.is_empty()) {
            let Some((level, ..)) = store.best(&planned.key, planned.level, *night)? else {
                continue;
            };
            // A result is the same in all nights that have it.
            if !seen.insert((planned.key.as_str(), level)) {
                continue;
            }
            let engine = engines.get(night).map_or("", String::as_str);
            let state = State::of(store, planned.clone(), *night, engine)?;
            if !state.is_checked() {
                continue;
            }
            let decides_all = state.decides_all();
            chain.push(state);
            if decides_all {
                break;
            }
        }
        Ok(chain)
    }

    fn push(&mut self, state: State) {
        for finding in state.report.iter().flat_map(|r| &r.findings) {
            let later = |s: &State| s.has(finding) || is_gone(finding, s);
            if !self.states.is_empty() && !self.states.iter().any(later) {
                self.open.push(Open {
                    night: state.night,
                    finding: finding.clone(),
                });
            }
        }
        self.states.push(state);
    }

    /// The nights whose results say all this.
    pub(super) fn nights(&self) -> Vec<i64> {
        let oldest = self.open.iter().map(|o| o.night).min();
        let first = self.states.first().map(|s| s.night);
        let needed = |n: &i64| Some(*n) == first || oldest.is_some_and(|o| *n >= o);
        let nights = self.states.iter().map(|s| s.night);
        nights.filter(needed).collect()
    }

    /// The last result, with what it does not say. `None`: there is none.
    fn known(self) -> Option<State> {
        let open = self.open;
        let mut states = self.states.into_iter();
        states.next().map(|last| State { open, ..last })
    }
}

impl State {
    /// Whether there is something known of it.
    pub fn is_checked(&self) -> bool {
        matches!(
            self.ended,
            Some((_, Ended::Reported(_) | Ended::NoEntryPoints, _))
        )
    }

    /// Whether it has that finding.
    fn has(&self, finding: &Finding) -> bool {
        let mut own = self.report.iter().flat_map(|r| &r.findings);
        own.any(|f| f.fingerprint == finding.fingerprint)
    }

    /// Whether nothing is left of which an earlier night might know more.
    fn decides_all(&self) -> bool {
        self.report.as_ref().is_none_or(|report| {
            let mut regions = report.pairs.iter().flat_map(|p| &p.regions);
            report.stopped.is_none() && !regions.any(|r| r.verdict == Verdict::Unknown)
        })
    }
}
