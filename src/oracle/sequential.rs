//! The sequential program on all its paths, with explicit states.
//!
//! Where this and [`super::figure4`] disagree, the sequentializing
//! transformation or its run time is wrong; where this and the symbolic
//! executor disagree, the executor is. All sites are switch points, and all
//! are checked.
//!
//! What it misses: see [`super::explore`].

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::script::Script;
use super::search::{Limits, SitePair, pair_of};
use crate::index::SiteId;
use crate::program::{FailKind, Program};
use crate::replay::interp::{Log, Machine};
use crate::replay::state::{NO_START, PathError, State, Stop};

/// What the sequential program claims.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Assertions that fail.
    pub assertions: BTreeSet<SiteId>,
    /// Checks of models that fail, by kind.
    pub checks: BTreeSet<(FailKind, SiteId)>,
    /// Pairs of sites that race, as figure 5 sees it (compare [`super::search::Outcome::candidates`]).
    pub candidates: BTreeSet<SitePair>,
    /// Whether everything was explored.
    pub complete: bool,
    /// Distinct states at choices.
    pub states: usize,
    /// Why paths ended early, without repetition.
    pub errors: BTreeSet<String>,
}

/// Runs the check on all paths for that MAX. [`Limits::fuel`] bounds the instructions between two choices.
pub fn failures(program: &Program, max: u32, limits: &Limits) -> Outcome {
    let mut outcome = Outcome::default();
    let machine = Machine::new(program, limits.fuel);
    let Some(entry) = program.runtime.main else {
        outcome.errors.insert(NO_START.to_string());
        return outcome;
    };
    let mut script = Script::new(&limits.domain, &limits.pair, Vec::new());
    let mut todo = match machine.initial(entry, &mut script) {
        Ok(state) => vec![(state, Vec::new())],
        Err(e) => {
            outcome.errors.insert(e.to_string());
            return outcome;
        }
    };
    let mut seen: FxHashSet<State> = FxHashSet::default();
    outcome.complete = true;
    while let Some((mut state, mut given)) = todo.pop() {
        if seen.len() > limits.states {
            outcome.complete = false;
            break;
        }
        let mut fuel = limits.fuel;
        while state.is_running(0) {
            let mut script = Script::new(&limits.domain, &limits.pair, given.clone());
            script.sequential = Some((u64::from(max), limits.races));
            // A bulk access that waits for its n-th byte has changed nothing yet.
            let mut log = Log::default();
            let result = machine.one(&mut state, 0, &mut script, &mut log);
            let failed = log.failed.iter().map(|(kind, site, _)| (*kind, *site));
            outcome.checks.extend(failed);
            match result {
                Ok(()) if fuel > 0 => {
                    fuel -= 1;
                    given.clear();
                    continue;
                }
                Ok(()) => {
                    let e = PathError::Budget("too many instructions without a choice".into());
                    outcome.errors.insert(e.to_string());
                }
                Err(Stop::NeedChoice(values)) => {
                    if !given.is_empty() || seen.insert(state.clone()) {
                        for value in values.into_iter().rev() {
                            let mut longer = given.clone();
                            longer.push(value);
                            todo.push((state.clone(), longer));
                        }
                    }
                }
                Err(Stop::Blocked) => {}
                Err(Stop::Claimed(kind, first, second)) => match FailKind::from_number(kind) {
                    Some(FailKind::Race) => {
                        outcome.candidates.insert(pair_of(first, second));
                    }
                    Some(FailKind::Assertion) => {
                        outcome.assertions.insert(second);
                    }
                    // No other kind is a claim of the sequential program.
                    Some(_) | None => {
                        outcome.errors.insert(format!("failure of kind {kind}"));
                    }
                },
                Err(Stop::AssertionFailed(_)) => {
                    outcome
                        .errors
                        .insert("an assertion that was not instrumented".into());
                }
                Err(Stop::Error(e)) => {
                    outcome.errors.insert(e.to_string());
                }
            }
            break;
        }
    }
    outcome.states = seen.len();
    outcome
}
