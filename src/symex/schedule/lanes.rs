//! Scheduled threads in lanes: the second thread's body runs once, on the state merged over all switch points.
//!
//! `schedule()` may run a pending thread at every visible point of the running thread. Taken literally, a thread with n
//! points executes the other's body n times. Instead the running thread is executed in *lanes*: in lane 0 nothing has
//! been scheduled yet; at every switch point its state, under the condition that the switch is taken there, is set
//! aside. When the thread has ended, these states are merged and the scheduled thread runs on them, once. What it
//! leaves joins lane 1 of the first thread at the very point where it had been set aside, and so on for a second
//! scheduled thread. Each lane meets each instruction once; terms grow with the sum of the bodies, not their product.
//!
//! Where a lane's switch is made is *one* unknown, the number of the switch point (0: there is none): what selects between
//! the states set aside, and where the next lane is entered, is that number, not a path condition. A state that goes on
//! past a point needs no condition for it: the number is fixed where the lane ends (or fails) without a switch. Which
//! pending thread runs is an unknown of the same kind; each is run by itself, since its function and argument are then
//! usually constants.
//!
//! A lane is entered in the middle of activations: the values of the activation are those that the lane before had at
//! that point, since a scheduled thread cannot change them. Inputs are named by dynamic instance without the lane: no
//! execution meets an instance in two lanes.
//!
//! This is an execution strategy for the run time's `schedule()`, which alone it replaces; `--explore=paths` executes the
//! function as it is written and must come to the same verdicts.

use std::collections::BTreeSet;

use crate::expr::Term;
use crate::index::FuncId;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::resumed::Resumes;
use crate::symex::memory::store::Memory;
use crate::symex::schedule::THREAD_BITS;
use crate::symex::schedule::frame_rule::Around;

use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::machine::values::{SWITCH_BITS, hash_of};
use crate::symex::schedule::levels::{Levels, SwitchPoint};

/// More scheduled threads on one level than this end as `Budget`.
const MAX_LANES: u32 = 8;

/// What one thread did, scheduled at any of some switch points.
struct Event {
    /// It is the one that is scheduled.
    this: Term,
    /// Indices of the points at which it was pending.
    from: BTreeSet<usize>,
    /// The memory that it started on, merged over these points.
    merged: Memory,
    /// What it left.
    left: State,
}

/// Threads in lanes.
#[derive(Debug, Default)]
pub(in crate::symex) struct Lanes {
    levels: Levels,
}

impl Schedule for Lanes {
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        self.levels.push(run, base, 0);
        let mut exits = Vec::new();
        let mut entry = Some(from);
        loop {
            let left = run.call_function(self, f, args, entry.take(), base);
            exits.extend(without_switch(run, left));
            self.levels.last().resume = Resumes::default();
            let points = self.levels.take_points(run);
            if points.is_empty() || run.budget.ran_out {
                break;
            }
            let number = self.levels.switch_number(run);
            let lane = self.levels.next_lane(run);
            if lane > MAX_LANES {
                for p in points {
                    run.end(&p.start.guard, EndKind::Budget, None);
                }
                break;
            }
            let event = hash_of(&(base, "event", lane));
            let events = self.run_events(run, &points, number, event);
            if events.is_empty() {
                break;
            }
            let resume = resumes(run, points, &events, number);
            self.levels.last().resume = resume;
        }
        self.levels.pop(run);
        exits
    }

    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit> {
        let context = call.context;
        let Some(all) = call.joined(run) else {
            return Vec::new();
        };
        let pending = match self.all_scheduled(run, &all) {
            true => run.terms.fals(),
            false => run.pending(&all),
        };
        if let Some(possible) = all.guard.and(&mut run.terms, pending) {
            let own = run.chosen.number_of_point(context);
            let number = self.levels.switch_number(run);
            let own = run.terms.constant(SWITCH_BITS, u128::from(own));
            let here = run.terms.eq(number, own);
            if let Some(guard) = possible.and(&mut run.terms, here) {
                let memory = all.memory.clone();
                let start = State { guard, memory };
                self.levels.set_aside_here(run, start, own, here);
            }
        }
        vec![Exit {
            state: all,
            value: None,
        }]
    }

    fn resumes(&mut self) -> Option<&mut Resumes> {
        self.levels.resumes()
    }
}

impl Lanes {
    /// Whether as many threads have been scheduled on the way here as can have been created: then none is pending,
    /// even where merging hides it.
    fn all_scheduled(&self, run: &mut Executor<'_>, state: &State) -> bool {
        // The first thread is not created.
        let created = run.created(state).saturating_sub(1);
        u64::from(self.levels.scheduled()) >= created
    }

    /// Runs each thread that can be pending, on the state merged over the switch points where it is.
    fn run_events(
        &mut self,
        run: &mut Executor<'_>,
        points: &[SwitchPoint],
        at: Term,
        event: u64,
    ) -> Vec<Event> {
        let created = points.iter().map(|p| run.created(&p.start)).max();
        let chosen = run.input(hash_of(&(event, "thread")), THREAD_BITS, "thread");
        let mut events = Vec::new();
        for thread in 1..created.unwrap_or(0) {
            let number = run.terms.constant(THREAD_BITS, u128::from(thread));
            let this = run.terms.eq(chosen, number);
            let mut starts = Vec::new();
            let mut from = BTreeSet::new();
            for (n, point) in points.iter().enumerate() {
                let mut start = point.start.clone();
                let waits = run.waits(&start, thread);
                let Some(guard) = start.guard.and(&mut run.terms, waits) else {
                    continue;
                };
                start.guard = guard;
                from.insert(n);
                starts.push((run.terms.number_at(point), start));
            }
            let merged = run.merge_across(at, starts);
            let Some(mut start) = merged else { continue };
            let Some(guard) = start.guard.and(&mut run.terms, this) else {
                continue;
            };
            start.guard = guard;
            if !run.feasible(&start.guard) {
                continue;
            }
            let merged = start.memory.clone();
            if let Some(left) = super::pending_thread(self, run, thread, start, event) {
                events.push(Event {
                    this,
                    from,
                    merged,
                    left,
                });
            }
        }
        events
    }
}

/// Of the ways out those of executions that were left at no switch point.
fn without_switch(run: &mut Executor<'_>, exits: Vec<Exit>) -> Vec<Exit> {
    let Some(none) = run.no_switch() else {
        return exits;
    };
    let mut out = Vec::with_capacity(exits.len());
    for mut exit in exits {
        if let Some(guard) = exit.state.guard.and(&mut run.terms, none) {
            exit.state.guard = guard;
            out.push(exit);
        }
    }
    out
}

/// Where the next lane is entered.
fn resumes(
    run: &mut Executor<'_>,
    points: Vec<SwitchPoint>,
    events: &[Event],
    number: Term,
) -> Resumes {
    let mut states = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let mut all: Option<State> = None;
        for event in events.iter().filter(|e| e.from.contains(&index)).rev() {
            let Some(guard) = event.left.guard.and(&mut run.terms, point.here) else {
                continue;
            };
            let around = Around {
                merged: &event.merged,
                left: &event.left.memory,
                in_turns: false,
            };
            let own = &point.start.memory;
            let memory = run
                .terms
                .memory_at_point(&around, own, number, point.number);
            let state = State { guard, memory };
            all = Some(match all {
                Some(others) => run.merge_selected(event.this, state, others),
                None => state,
            });
        }
        states.push(all);
    }
    run.resumes_at_points(number, points, states)
}
