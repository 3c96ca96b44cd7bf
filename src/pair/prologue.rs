//! What runs before a pair: opening a file, what a rule puts before, what one of the pair follows. Once for all pairs before which the
//! same runs.
//!
//! The harness has it in a function of its own ([`HarnessMap::warm_up`](crate::program::harness_map::HarnessMap)), and says which
//! entry points it treats alike.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::index::{FuncId, Idx};
use crate::program::Program;
use crate::program::harness_map::AlikeId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::{CheckInputs, Limits};
use crate::symex::machine::state::State;

/// Terms of the states that are kept, about 400 bytes each: of more, those used last.
const KEPT_TERMS: usize = 3_000_000;

/// So many are kept in any case: pairs are checked in an order in which those alike follow each other.
const KEPT: usize = 3;

/// What of an input of the check can show before the pair begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// Of the number of a thread's entry point: whom it is like.
    Thread(AlikeId),
    /// What tells of the scenario: all.
    Scenario(u32),
}

type Key = Vec<Seen>;

type Cell<'p> = Arc<OnceLock<Option<Warmed<'p>>>>;

/// The run so far, and the state that it leaves.
type Warmed<'p> = (Executor<'p>, State);

/// States that pairs begin in.
pub(super) struct Prologue<'p> {
    program: &'p Program,
    known: Mutex<Vec<(Key, Cell<'p>)>>,
    /// What each took, whoever made it, and whether it was kept meanwhile: instructions and terms.
    took: Mutex<BTreeMap<Key, (u64, u64)>>,
}

impl<'p> Prologue<'p> {
    pub fn new(program: &'p Program) -> Self {
        Prologue {
            program,
            known: Mutex::default(),
            took: Mutex::default(),
        }
    }

    /// A run of its own on the state that pairs with these numbers begin in. `start`: the run of the initialisation, and what it
    /// left. `None`: there is no such state, or it is not known within the limits.
    pub fn begin(
        &self,
        start: (&Executor<'p>, &State),
        check: &CheckInputs,
        limits: Limits,
    ) -> Option<Warmed<'p>> {
        let function = self.program.harness.warm_up?;
        let key = self.key(&check.pair);
        let cell = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            match known.iter().position(|(k, _)| *k == key) {
                // The one used last is at the end.
                Some(at) => known[at..].rotate_left(1),
                None => {
                    let terms = |(_, cell): &(Key, Cell<'p>)| {
                        let made = cell.get().and_then(Option::as_ref);
                        made.map_or(0, |(run, _)| run.terms.len())
                    };
                    while known.len() >= KEPT && known.iter().map(terms).sum::<usize>() > KEPT_TERMS
                    {
                        known.remove(0);
                    }
                    known.push((key.clone(), Cell::default()));
                }
            }
            known.last().map(|(_, cell)| cell.clone())?
        };
        let warmed = cell
            .get_or_init(|| warm_up(function, start, check, limits))
            .clone();
        if let Some((run, _)) = &warmed {
            let instructions = run.instructions() - start.0.instructions();
            let terms = run.terms.len() - start.0.terms.len();
            let mut took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
            took.insert(key, (instructions, terms as u64));
        }
        warmed
    }

    /// What tells apart the states that pairs with these numbers begin in.
    pub fn begins(&self, pair: &[u32]) -> Vec<u32> {
        let seen = self.key(pair).into_iter();
        seen.map(|seen| match seen {
            Seen::Thread(alike) => alike.index() as u32,
            Seen::Scenario(number) => number,
        })
        .collect()
    }

    /// Counts for `--stats`: states that pairs began in, and what they took.
    pub fn stats(&self) -> [(String, u64); 3] {
        let took = self.took.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = |of: fn(&(u64, u64)) -> u64| took.values().map(of).sum();
        [
            ("before pairs: states".to_string(), took.len() as u64),
            ("before pairs: instructions".to_string(), sum(|t| t.0)),
            ("before pairs: terms".to_string(), sum(|t| t.1)),
        ]
    }

    fn key(&self, pair: &[u32]) -> Key {
        let each = (0..).zip(pair).map(|(place, number)| match place {
            0 | 1 => Seen::Thread(self.program.harness.alike(*number)),
            // Of further threads the number is one more; 0 is none.
            3 | 4 => Seen::Thread(self.program.harness.alike(number.wrapping_sub(1))),
            _ => Seen::Scenario(*number),
        });
        each.collect()
    }
}

fn warm_up<'p>(
    function: FuncId,
    (run, state): (&Executor<'p>, &State),
    check: &CheckInputs,
    limits: Limits,
) -> Option<Warmed<'p>> {
    let mut run = run.clone();
    run.set_limits(limits);
    // Nobody else is there yet: no place where another thread could run, or race.
    let mut alone = check.clone();
    alone.enabled.clear();
    alone.checked.clear();
    alone.watched = Default::default();
    alone.slicing = None;
    alone.rounds = None;
    run.set_check(alone);
    let left = run.run(function, state.clone());
    let whole = run.stopped().is_none() && !run.ran_out();
    // What it gets to is nothing that the pair gets to.
    run.found.reached.clear();
    left.ok()
        .flatten()
        .filter(|_| whole)
        .map(|left| (run, left))
}
