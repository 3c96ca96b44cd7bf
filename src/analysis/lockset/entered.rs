//! What functions are entered with: locks, told apart by what is known of the parameters.
//!
//! `update(dev, true)` is called with the lock held and `update(dev, false)` without, which acquires it: what a caller holds meets
//! only those ways through the function on which the parameters are what this caller passes. A state that is less (nothing known,
//! fewer locks) stands for those that are more, so there are few.

use crate::program::Op;

use super::super::points_to::InstanceId;
use super::Locksets;
use super::facts::Facts;
use super::flow::weaken;
use super::holds::{Hold, Name, kills, on_both};
use super::summaries::{At, Way};

/// States kept apart at the entry of one function.
const MAX_STATES: usize = 8;

/// What is held, and what is known of some values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub held: Vec<Hold>,
    pub given: Facts,
}

impl State {
    /// Whether all that `other` allows is allowed by this.
    fn covers(&self, other: &State) -> bool {
        let known = |(v, fact)| other.given.get(v) == Some(fact);
        let mut both = self.held.clone();
        on_both(&mut both, &other.held);
        both == self.held && self.given.iter().all(known)
    }
}

/// The states in which a function is entered.
#[derive(Clone, Debug)]
pub(super) struct Entered(Vec<State>);

impl Entered {
    /// Without any lock.
    pub fn bare() -> Entered {
        Entered(vec![State::default()])
    }

    pub fn one(state: State) -> Entered {
        Entered(vec![state])
    }

    /// Adds a state; whether that changed anything.
    pub fn add(&mut self, state: State) -> bool {
        if self.0.iter().any(|old| old.covers(&state)) {
            return false;
        }
        if let Some(old) = self.0.iter_mut().find(|old| old.held == state.held) {
            return weaken(&mut old.given, &state.given);
        }
        self.0.retain(|old| !state.covers(old));
        self.0.push(state);
        if self.0.len() > MAX_STATES {
            let mut all = self.0.swap_remove(0);
            for state in self.0.drain(..) {
                on_both(&mut all.held, &state.held);
            }
            all.given.clear();
            self.0.push(all);
        }
        true
    }
}

impl Locksets<'_> {
    /// What is held at a place of an instance that is entered in these states, for each way there; none: the place is not reached.
    pub(super) fn states_at(&self, id: InstanceId, at: At, entered: &Entered) -> Vec<State> {
        let ways = match self.summaries.at(id, at) {
            None => return Vec::new(),
            Some(None) => return entered.0.clone(),
            Some(Some(ways)) => ways,
        };
        let mut states = self.combined(id, ways, &entered.0, true);
        if states.is_empty() {
            // Nobody comes here with these parameters. Then it does not matter what is said, and more may be known of the place.
            states = self.combined(id, ways, &entered.0, false);
        }
        states
    }

    /// Each state with each way; `told_apart`: unless what is known of them rules that out.
    fn combined(
        &self,
        id: InstanceId,
        ways: &[Way],
        entered: &[State],
        told_apart: bool,
    ) -> Vec<State> {
        let mut states: Vec<State> = Vec::new();
        for entry in entered {
            for way in ways {
                let contradicts = way.given.iter().any(|(v, fact)| {
                    let other = entry.given.get(v);
                    other.is_some_and(|o| o.contradicts(*fact))
                });
                if told_apart && contradicts {
                    continue;
                }
                let held = self.on_way(id, way, &entry.held);
                let mut given = Facts::new();
                if told_apart {
                    given.clone_from(&entry.given);
                    given.extend(way.given.iter().map(|(v, fact)| (*v, *fact)));
                }
                let state = State { held, given };
                if !states.contains(&state) {
                    states.push(state);
                }
            }
        }
        states
    }

    /// What is held at a place whatever the way there; nothing if there is none.
    pub(super) fn held_at(&self, id: InstanceId, at: At, entered: &Entered) -> Vec<Hold> {
        let mut states = self.states_at(id, at, entered).into_iter().map(|s| s.held);
        let mut all = states.next().unwrap_or_default();
        for held in states {
            on_both(&mut all, &held);
        }
        all
    }

    fn on_way(&self, id: InstanceId, way: &Way, entry: &[Hold]) -> Vec<Hold> {
        let mut held = way.gens.clone();
        let kept = entry.iter().filter(|h| {
            let mut releases = way.kills.iter();
            let killed = releases.any(|r| {
                let release = self.summaries.release(*r);
                kills(self.points_to, id, release, h)
            });
            !killed && !way.gens.contains(h)
        });
        held.extend(kept);
        held.sort_unstable();
        held
    }

    /// What the callee is entered with, in its own terms.
    pub(super) fn passed(
        &self,
        id: InstanceId,
        at: At,
        callee: InstanceId,
        state: &State,
    ) -> State {
        let caller = self.points_to.instances()[id].function;
        let function = self.points_to.instances()[callee].function;
        let block = &self.program.functions[caller].blocks[at.0];
        let args = match &block.instrs[at.1 as usize].op {
            Op::Call { args, .. } => args.as_slice(),
            _ => &[],
        };
        let params = &self.program.functions[function].params;
        let roots: Vec<_> = params
            .iter()
            .zip(args)
            .filter_map(|(p, a)| Some((*p, self.roots.of(self.program, caller, a)?)))
            .collect();
        let mut held = Vec::new();
        for h in &state.held {
            match h.name {
                Name::At(_) => held.push(*h),
                Name::From(v, o) => held.extend(roots.iter().filter(|(_, (w, _))| *w == v).map(
                    |(p, (_, c))| Hold {
                        name: Name::From(*p, o - c),
                        mode: h.mode,
                    },
                )),
            }
        }
        held.sort_unstable();
        held.dedup();
        let mut given = Facts::new();
        // Where the callee leaves locks alone, nobody asks.
        let asked = self.summaries.touches(callee);
        for (param, arg) in params.iter().zip(args).filter(|_| asked) {
            let fact = self.roots.fact(self.program, caller, &state.given, arg, 0);
            given.extend(fact.map(|fact| (*param, fact)));
        }
        State { held, given }
    }
}
