//! K contexts for each thread: round-robin schedules, in lanes.
//!
//! Threads take turns in the order of their numbers, K times each; a thread may let a turn go by (Lal, Reps: Reducing concurrent
//! analysis under a context bound to sequential analysis, CAV 2008; Lahiri, Qadeer, Rakamarić: Static and precise detection of
//! concurrency errors in systems code using SMT solvers, CAV 2009, §2.2). Nothing is a stack here: what KISS cannot see, since
//! a thread goes on that others have interrupted while these have not ended, is seen from K = 2 on.
//!
//! Deviation from the papers: they execute each thread once over K copies of the store, of which all but the first are guessed
//! and compared with what really was there at the end. Here contexts are executed in the order in which they happen, on the
//! one store that there is. A thread's next context is entered at the points where its last one may have ended, as a lane is
//! ([`super::lanes`]): with the values that the activations had there, on the store that the others left. Nothing is guessed, so
//! pointers, the heap and failures need no special care: whatever fails has really been reached.
//!
//! Where a context ends is one unknown, the number of the switch point; 0: the thread has ended, [`NOT_STARTED`]: it has not begun. A
//! thread that lets its turn go by stops at the point where it stands. KISS's plain RAISE is not needed: a thread that is not
//! scheduled any more is the same. The first access of a race ends its thread, as in figure 5.

use super::exec::{Executor, Mode, hash_of};
use super::frame::Around;
use super::guard::Guard;
use super::lanes::{Level, SWITCH_BITS, SwitchPoint};
use super::memory::{Contents, Memory};
use super::objects::ObjectId;
use super::resume::Resumes;
use super::state::{Exit, State, Value};
use crate::config::{Rounds, RoundsFault};
use crate::expr::Term;
use crate::index::FuncId;

/// The place of a thread that has not begun.
const NOT_STARTED: u128 = u32::MAX as u128;
/// The place of one that has ended.
const ENDED: u128 = 0;

/// Width of the number of moves.
const MOVES_BITS: u32 = 16;

/// Where a thread stands between two of its contexts.
#[derive(Default)]
struct Stand {
    /// The points at which it may have stopped.
    points: Vec<SwitchPoint>,
    /// The unknown that says at which; `None` before its first turn.
    number: Option<Term>,
    /// The store that it left, merged over all of them.
    left: Memory,
    /// For [`RoundsFault::FramesPopped`]: the objects on its stack.
    stack: Vec<ObjectId>,
}

impl Executor<'_> {
    /// Executes `main` as thread 0, with all threads that are started, in rounds. What is left at the end; `None`: nothing is.
    pub(super) fn run_rounds(
        &mut self,
        main: FuncId,
        from: State,
        bounds: Rounds,
    ) -> Option<State> {
        let mut threads: Vec<Stand> = Vec::new();
        let mut moves = Vec::new();
        self.in_rounds = true;
        let mut left = Some(from);
        'rounds: for round in 0..bounds.contexts {
            let mut thread = 0;
            let known = left.as_ref().map(|store| self.created(store).max(1));
            // Whoever is started in a round takes part in it.
            while let Some(store) = left.take() {
                let late = self.has(RoundsFault::LateThreads) && known.is_some_and(|n| thread >= n);
                if late || thread >= self.created(&store).max(1) {
                    left = Some(store);
                    break;
                }
                if threads.len() <= thread as usize {
                    threads.push(Stand::default());
                }
                let stand = &mut threads[thread as usize];
                let before = stand.number;
                left = self.context((thread, round), main, store, stand);
                if let Some(number) = stand.number {
                    let before =
                        before.unwrap_or_else(|| self.terms.constant(SWITCH_BITS, NOT_STARTED));
                    moves.push(self.terms.ne(number, before));
                }
                if self.out_of_budget {
                    break 'rounds;
                }
                thread += 1;
            }
        }
        self.in_rounds = false;
        self.without_idle_rounds(&moves, threads.len());
        if let Some(most) = bounds.switches {
            self.bound_moves(&moves, most);
        }
        left
    }

    /// One of many orders of turns that are the same execution: where every thread has let its turn go by, it is over. Of two threads,
    /// one lets its turn go by before the other has begun, or when it is over: between two turns of the one, it has one itself.
    fn without_idle_rounds(&mut self, moves: &[Term], threads: usize) {
        let idle = match threads {
            _ if self.has(RoundsFault::IdleEnds) => 1,
            2 => 1,
            n => n,
        };
        for n in 1..moves.len().saturating_sub(idle) {
            let before = self.terms.or_all(&moves[n..n + idle]);
            let later = self.terms.not(moves[n + idle]);
            let axiom = self.terms.or(before, later);
            self.axioms.push(axiom);
        }
    }

    /// One more context begins than there are switches.
    fn bound_moves(&mut self, moves: &[Term], switches: u32) {
        let [zero, one] = [0, 1].map(|n| self.terms.constant(MOVES_BITS, n));
        let mut sum = zero;
        for moved in moves {
            let n = self.terms.ite(*moved, one, zero);
            sum = self.terms.add(sum, n);
        }
        let most = u128::from(switches.saturating_add(1).min(u32::from(u16::MAX)));
        let most = self.terms.constant(MOVES_BITS, most);
        let few = self.terms.ule(sum, most);
        self.axioms.push(few);
    }

    /// A thread's turn: from wherever it stands to wherever it stops. The store that it leaves.
    fn context(
        &mut self,
        (thread, round): (u64, u32),
        main: FuncId,
        mut store: State,
        stand: &mut Stand,
    ) -> Option<State> {
        self.set_running(thread, &mut store);
        let base = hash_of(&("rounds", thread));
        let floor = self.frames.len();
        self.levels.push(Level::new(base, round, floor));
        let number = self.switch_number();
        let [not_started, ended] =
            [NOT_STARTED, ENDED].map(|n| self.terms.constant(SWITCH_BITS, n));
        let stays_out = self.terms.eq(number, not_started);
        let is_over = self.terms.eq(number, ended);
        let (fresh, was_over) = match stand.number {
            // The first thread begins in its first turn: there are no others before it.
            Some(before) if thread == 0 => (self.terms.fals(), self.terms.eq(before, ended)),
            Some(before) => (
                self.terms.eq(before, not_started),
                self.terms.eq(before, ended),
            ),
            None => (self.terms.tru(), self.terms.fals()),
        };
        let entry = self.begins(thread, &store, [fresh, stays_out]);
        let points = std::mem::take(&mut stand.points);
        if let Some(before) = stand.number {
            let around = Around {
                merged: &stand.left,
                left: &store.memory,
            };
            let resume = self.resumes_in_round(points, before, &around, &store.guard);
            self.levels.last_mut().expect("just pushed").resume = resume;
        }
        let exits = match (thread, self.marks().schedule_thread) {
            (0, _) => self.call_function(main, &[], entry, base),
            (_, Some(run)) => {
                let number = Value::Scalar(self.terms.constant(64, u128::from(thread)));
                self.call_function(run, &[number], entry, base)
            }
            (_, None) => Vec::new(),
        };
        let level = self.levels.pop().expect("pushed above");
        // The latest first, as everywhere: its guard extends those of the earlier ones.
        let mut left: Option<State> = None;
        for Exit { state, .. } in exits {
            self.or_else(&mut left, is_over, is_over, state);
        }
        let waits_on = match thread {
            0 => self.terms.fals(),
            _ => fresh,
        };
        for (selector, also) in [(was_over, is_over), (stays_out, waits_on)] {
            let state = store.clone();
            if let Some(guard) = state.guard.and(&mut self.terms, also) {
                let memory = state.memory;
                self.or_else(&mut left, selector, selector, State { guard, memory });
            }
        }
        let points = level.points.iter();
        let stopped = points.map(|p| (self.number_at(p), p.start.clone()));
        let stopped = stopped.collect();
        if let Some(state) = self.merge_across(number, stopped) {
            let [always, over_or_out] = [self.terms.tru(), self.terms.or(is_over, stays_out)];
            let within = self.terms.not(over_or_out);
            self.or_else(&mut left, always, within, state);
        }
        stand.points = level.points;
        stand.number = Some(number);
        stand.stack.append(&mut self.stack_made);
        if let (true, Some(left)) = (self.has(RoundsFault::FramesPopped), &mut left) {
            for object in &stand.stack {
                left.memory.set(*object, Contents::default());
            }
        }
        if let Some(left) = &left {
            stand.left = left.memory.clone();
        }
        left
    }

    /// The state in which a thread begins, if it may in this turn.
    fn begins(
        &mut self,
        thread: u64,
        store: &State,
        [fresh, stays_out]: [Term; 2],
    ) -> Option<State> {
        let waits = match thread {
            0 => self.terms.tru(),
            _ => self.waits(store, thread),
        };
        let comes = self.terms.not(stays_out);
        let mut guard = store.guard.clone();
        for condition in [fresh, waits, comes] {
            guard = guard.and(&mut self.terms, condition)?;
        }
        Some(State {
            guard,
            memory: store.memory.clone(),
        })
    }

    /// Merges a state, under one more condition, into what there is; `selector` tells it from that.
    fn or_else(&mut self, all: &mut Option<State>, condition: Term, selector: Term, state: State) {
        let Some(guard) = state.guard.and(&mut self.terms, condition) else {
            return;
        };
        let state = State { guard, ..state };
        *all = Some(match all.take() {
            Some(others) => self.merge_selected(selector, state, others),
            None => state,
        });
    }

    /// Where a thread's next context is entered.
    fn resumes_in_round(
        &mut self,
        points: Vec<SwitchPoint>,
        number: Term,
        around: &Around<'_>,
        guard: &Guard,
    ) -> Resumes {
        let mut states = Vec::new();
        for point in &points {
            let state = guard.and(&mut self.terms, point.here).map(|guard| {
                let own = &point.start.memory;
                let mut memory = match self.has(RoundsFault::OwnStore) {
                    true => own.clone(),
                    false => self.memory_at_point(around, own, number, point.number),
                };
                if self.has(RoundsFault::OwnLocks) {
                    memory.ghosts.clone_from(&own.ghosts);
                }
                if self.has(RoundsFault::OwnHeap) {
                    memory.freed.clone_from(&own.freed);
                }
                State { guard, memory }
            });
            states.push(state);
        }
        self.resumes_at_points(number, points, states)
    }

    /// A call of `schedule()` in a thread's turn: it may end here. (In a concrete run the model says whether it does.)
    pub(super) fn schedule_in_rounds(&mut self, all: State, context: u64) -> Vec<Exit> {
        let stays = |state| vec![Exit { state, value: None }];
        // Nobody to switch to.
        if self.created(&all) <= 1 {
            return stays(all);
        }
        // A point that the symbolic run has not met is none.
        let known = match &self.mode {
            Mode::Concrete(model) => model.switch_points.get(&context).copied(),
            Mode::Merge | Mode::Path(_) => Some(self.number_of_point(context)),
        };
        let Some(own) = known else {
            return stays(all);
        };
        let number = self.switch_number();
        let own = self.terms.constant(SWITCH_BITS, u128::from(own));
        let here = self.terms.eq(number, own);
        if let Some(guard) = all.guard.and(&mut self.terms, here) {
            let memory = all.memory.clone();
            self.set_aside_here(State { guard, memory }, own, here);
        }
        if self.terms.is_true(here) {
            return Vec::new();
        }
        stays(all)
    }

    pub(super) fn has(&self, fault: RoundsFault) -> bool {
        self.check.rounds.and_then(|r| r.fault) == Some(fault)
    }

    /// From now on the thread of that number runs.
    fn set_running(&mut self, thread: u64, state: &mut State) {
        let Some(global) = self.marks().self_id else {
            return;
        };
        if self.has(RoundsFault::NoGhostSave) {
            return;
        }
        let object = self.global_object(global);
        let number = self.terms.constant(64, u128::from(thread));
        let always = self.terms.tru();
        self.write_at(&mut state.memory, object, 0, number, always);
    }
}
