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
//! ([`crate::symex::schedule::lanes`]): with the values that the activations had there, on the store that the others left. Nothing is
//! guessed, so pointers, the heap and failures need no special care: whatever fails has really been reached.
//!
//! Where a context ends is one unknown, the number of the switch point; 0: the thread has ended, [`NOT_STARTED`]: it has not begun. A
//! thread that lets its turn go by stops at the point where it stands. KISS's plain RAISE is not needed: a thread that is not
//! scheduled any more is the same. The first access of a race ends its thread, as in figure 5.

use crate::config::Rounds;
use crate::expr::Term;
use crate::faults::{RoundsFault, seeded};
use crate::index::FuncId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::resumed::Resumes;
use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::machine::values::{SWITCH_BITS, hash_of};
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::store::{Contents, Memory};
use crate::symex::schedule::frame_rule::Around;
use crate::symex::schedule::levels::{Levels, SwitchPoint};

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

/// Threads in turns.
pub(in crate::symex) struct RoundRobin {
    bounds: Rounds,
    levels: Levels,
    /// Where each thread stands.
    threads: Vec<Stand>,
    /// For each turn, whether its thread has moved.
    moves: Vec<Term>,
}

impl Schedule for RoundRobin {
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        run.call_function(self, f, args, Some(from), base)
    }

    /// Executes `main` as thread 0, with all threads that are started, in rounds. What is left at the end; `None`: nothing is.
    fn check(
        &mut self,
        run: &mut Executor<'_>,
        (_, main): (&str, FuncId),
        from: State,
    ) -> Option<State> {
        (self.threads, self.moves) = (Vec::new(), Vec::new());
        run.stack.turn.ends = true;
        let left = self.all_rounds(run, main, from);
        run.stack.turn.ends = false;
        without_idle_rounds(run, &self.moves, self.threads.len());
        if let Some(most) = self.bounds.switches {
            bound_moves(run, &self.moves, most);
        }
        left
    }

    /// A call of `schedule()` in a thread's turn: it may end here. (In a concrete run the model says whether it does.)
    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit> {
        let context = call.context;
        let Some(all) = call.joined(run) else {
            return Vec::new();
        };
        let stays = |state| vec![Exit { state, value: None }];
        // Nobody to switch to.
        if run.created(&all) <= 1 {
            return stays(all);
        }
        // A point that the symbolic run has not met is none.
        let known = match &run.mode {
            Mode::Concrete(model) => model.switch_points.get(&context).copied(),
            Mode::Merge | Mode::Path(_) => Some(run.chosen.number_of_point(context)),
        };
        let Some(own) = known else {
            return stays(all);
        };
        let number = self.levels.switch_number(run);
        let own = run.terms.constant(SWITCH_BITS, u128::from(own));
        let here = run.terms.eq(number, own);
        if let Some(guard) = all.guard.and(&mut run.terms, here) {
            let memory = all.memory.clone();
            let start = State { guard, memory };
            self.levels.set_aside_here(run, start, own, here);
        }
        if run.terms.is_true(here) {
            return Vec::new();
        }
        stays(all)
    }

    fn resumes(&mut self) -> Option<&mut Resumes> {
        self.levels.resumes()
    }
}

impl RoundRobin {
    /// Within these bounds.
    pub fn new(bounds: Rounds) -> RoundRobin {
        RoundRobin {
            bounds,
            levels: Levels::default(),
            threads: Vec::new(),
            moves: Vec::new(),
        }
    }

    fn all_rounds(&mut self, run: &mut Executor<'_>, main: FuncId, from: State) -> Option<State> {
        let mut left = Some(from);
        for round in 0..self.bounds.contexts {
            let mut thread = 0;
            let known = left.as_ref().map(|store| run.created(store).max(1));
            // Whoever is started in a round takes part in it.
            while let Some(store) = left.take() {
                let late = seeded(RoundsFault::LateThreads) && known.is_some_and(|n| thread >= n);
                if late || thread >= run.created(&store).max(1) {
                    left = Some(store);
                    break;
                }
                if self.threads.len() <= thread as usize {
                    self.threads.push(Stand::default());
                }
                let mut stand = std::mem::take(&mut self.threads[thread as usize]);
                let before = stand.number;
                left = self.context(run, (thread, round), main, store, &mut stand);
                let number = stand.number;
                self.threads[thread as usize] = stand;
                if let Some(number) = number {
                    let before =
                        before.unwrap_or_else(|| run.terms.constant(SWITCH_BITS, NOT_STARTED));
                    self.moves.push(run.terms.ne(number, before));
                }
                if run.budget.ran_out {
                    return left;
                }
                thread += 1;
            }
        }
        left
    }

    /// Executes the thread, from its beginning or wherever it is entered.
    fn activation(
        &mut self,
        run: &mut Executor<'_>,
        (thread, main): (u64, FuncId),
        entry: Option<State>,
        base: u64,
    ) -> Vec<Exit> {
        match (thread, run.marks().schedule_thread) {
            (0, _) => run.call_function(self, main, &[], entry, base),
            (_, Some(f)) => {
                let number = Value::Scalar(run.terms.constant(64, u128::from(thread)));
                run.call_function(self, f, &[number], entry, base)
            }
            (_, None) => Vec::new(),
        }
    }

    /// A thread's turn: from wherever it stands to wherever it stops. The store that it leaves.
    fn context(
        &mut self,
        run: &mut Executor<'_>,
        (thread, round): (u64, u32),
        main: FuncId,
        mut store: State,
        stand: &mut Stand,
    ) -> Option<State> {
        set_running(run, thread, &mut store);
        let base = hash_of(&("rounds", thread));
        self.levels.push(run, base, round);
        let number = self.levels.switch_number(run);
        let [not_started, ended] = [NOT_STARTED, ENDED].map(|n| run.terms.constant(SWITCH_BITS, n));
        let stays_out = run.terms.eq(number, not_started);
        let is_over = run.terms.eq(number, ended);
        let (fresh, was_over) = match stand.number {
            // The first thread begins in its first turn: there are no others before it.
            Some(before) if thread == 0 => (run.terms.fals(), run.terms.eq(before, ended)),
            Some(before) => (
                run.terms.eq(before, not_started),
                run.terms.eq(before, ended),
            ),
            None => (run.terms.tru(), run.terms.fals()),
        };
        let entry = begins(run, thread, &store, [fresh, stays_out]);
        let points = std::mem::take(&mut stand.points);
        if let Some(before) = stand.number {
            let around = Around {
                merged: &stand.left,
                left: &store.memory,
                in_turns: true,
            };
            let resume = resumes_in_round(run, points, before, &around, &store.guard);
            self.levels.last().resume = resume;
        }
        let exits = self.activation(run, (thread, main), entry, base);
        let level = self.levels.pop(run);
        // The latest first, as everywhere: its guard extends those of the earlier ones.
        let mut left: Option<State> = None;
        for Exit { state, .. } in exits {
            or_else(run, &mut left, is_over, is_over, state);
        }
        let waits_on = match thread {
            0 => run.terms.fals(),
            _ => fresh,
        };
        for (selector, also) in [(was_over, is_over), (stays_out, waits_on)] {
            let state = store.clone();
            if let Some(guard) = state.guard.and(&mut run.terms, also) {
                let memory = state.memory;
                or_else(run, &mut left, selector, selector, State { guard, memory });
            }
        }
        let points = level.points.iter();
        let stopped = points.map(|p| (run.terms.number_at(p), p.start.clone()));
        let stopped = stopped.collect();
        if let Some(state) = run.merge_across(number, stopped) {
            let [always, over_or_out] = [run.terms.tru(), run.terms.or(is_over, stays_out)];
            let within = run.terms.not(over_or_out);
            or_else(run, &mut left, always, within, state);
        }
        stand.points = level.points;
        stand.number = Some(number);
        stand.stack.append(&mut run.stack.made);
        if let (true, Some(left)) = (seeded(RoundsFault::FramesPopped), &mut left) {
            for object in &stand.stack {
                left.memory.set(*object, Contents::default());
            }
        }
        if let Some(left) = &left {
            stand.left = left.memory.clone();
        }
        left
    }
}

/// One of many orders of turns that are the same execution: where every thread has let its turn go by, it is over. Of two threads,
/// one lets its turn go by before the other has begun, or when it is over: between two turns of the one, it has one itself.
fn without_idle_rounds(run: &mut Executor<'_>, moves: &[Term], threads: usize) {
    let idle = match threads {
        _ if seeded(RoundsFault::IdleEnds) => 1,
        2 => 1,
        n => n,
    };
    for n in 1..moves.len().saturating_sub(idle) {
        let before = run.terms.or_all(&moves[n..n + idle]);
        let later = run.terms.not(moves[n + idle]);
        let axiom = run.terms.or(before, later);
        run.chosen.axioms.push(axiom);
    }
}

/// One more context begins than there are switches.
fn bound_moves(run: &mut Executor<'_>, moves: &[Term], switches: u32) {
    let [zero, one] = [0, 1].map(|n| run.terms.constant(MOVES_BITS, n));
    let mut sum = zero;
    for moved in moves {
        let n = run.terms.ite(*moved, one, zero);
        sum = run.terms.add(sum, n);
    }
    let most = u128::from(switches.saturating_add(1).min(u32::from(u16::MAX)));
    let most = run.terms.constant(MOVES_BITS, most);
    let few = run.terms.ule(sum, most);
    run.chosen.axioms.push(few);
}

/// The state in which a thread begins, if it may in this turn.
fn begins(
    run: &mut Executor<'_>,
    thread: u64,
    store: &State,
    [fresh, stays_out]: [Term; 2],
) -> Option<State> {
    let waits = match thread {
        0 => run.terms.tru(),
        _ => run.waits(store, thread),
    };
    let comes = run.terms.not(stays_out);
    let mut guard = store.guard.clone();
    for condition in [fresh, waits, comes] {
        guard = guard.and(&mut run.terms, condition)?;
    }
    Some(State {
        guard,
        memory: store.memory.clone(),
    })
}

/// Merges a state, under one more condition, into what there is; `selector` tells it from that.
fn or_else(
    run: &mut Executor<'_>,
    all: &mut Option<State>,
    condition: Term,
    selector: Term,
    state: State,
) {
    let Some(guard) = state.guard.and(&mut run.terms, condition) else {
        return;
    };
    let state = State { guard, ..state };
    *all = Some(match all.take() {
        Some(others) => run.merge_selected(selector, state, others),
        None => state,
    });
}

/// Where a thread's next context is entered.
fn resumes_in_round(
    run: &mut Executor<'_>,
    points: Vec<SwitchPoint>,
    number: Term,
    around: &Around<'_>,
    guard: &Guard,
) -> Resumes {
    let mut states = Vec::new();
    for point in &points {
        let state = guard.and(&mut run.terms, point.here).map(|guard| {
            let own = &point.start.memory;
            let mut memory = match seeded(RoundsFault::OwnStore) {
                true => own.clone(),
                false => run.terms.memory_at_point(around, own, number, point.number),
            };
            if seeded(RoundsFault::OwnLocks) {
                memory.ghosts.clone_from(&own.ghosts);
            }
            if seeded(RoundsFault::OwnHeap) {
                memory.freed.clone_from(&own.freed);
            }
            State { guard, memory }
        });
        states.push(state);
    }
    run.resumes_at_points(number, points, states)
}

/// From now on the thread of that number runs.
fn set_running(run: &mut Executor<'_>, thread: u64, state: &mut State) {
    let Some(global) = run.marks().self_id else {
        return;
    };
    if seeded(RoundsFault::NoGhostSave) {
        return;
    }
    let object = run.global_object(global);
    let number = run.terms.constant(64, u128::from(thread));
    let always = run.terms.tru();
    run.write_at(&mut state.memory, object, 0, number, always);
}
