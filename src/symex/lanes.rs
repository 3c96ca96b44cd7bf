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
//! This is an execution strategy for `__kiss_schedule`, which alone it replaces; `--explore=paths` executes the
//! function as it is written and must come to the same verdicts.

use std::collections::BTreeSet;

use super::ends::EndKind;
use super::exec::{Executor, Mode, hash_of, input_name};
use super::frame::Around;
use super::guard::Guard;
use super::memory::Memory;
use super::resume::Resumes;
use super::state::{Exit, Frame, State, Value};
use crate::expr::{Evaluator, Term};
use crate::index::FuncId;
use crate::solver::{self, Answer};

/// More scheduled threads on one level than this end as `Budget`.
const MAX_LANES: u32 = 8;

/// Assignments tried before the solver is asked whether a thread can start.
const WITNESSES: usize = 4;

/// Width of the number of a switch point.
pub(super) const SWITCH_BITS: u32 = 32;

/// Width of the number of a scheduled thread.
const THREAD_BITS: u32 = 8;

/// Budget of a question whether a scheduled thread can start, in the solver's units.
const PRUNING_BUDGET: u64 = 300_000;

/// The execution of one thread with what it schedules.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Names this thread's execution.
    base: u64,
    /// How many threads have been scheduled on this level so far.
    lane: u32,
    /// Height of the stack below this level.
    floor: usize,
    /// The switch points of the current lane.
    pub(super) points: Vec<SwitchPoint>,
    /// Where the current lane is entered, by activation.
    pub(super) resume: Resumes,
}

impl Level {
    /// A lane of the thread that `base` names, without switch points so far.
    pub(super) fn new(base: u64, lane: u32, floor: usize) -> Level {
        Level {
            base,
            lane,
            floor,
            ..Level::default()
        }
    }
}

/// A state set aside at a call of `schedule()`.
#[derive(Clone, Debug)]
pub(super) struct SwitchPoint {
    /// The stack of the level, outermost first.
    pub frames: Vec<Frame>,
    /// The state, under the condition that the switch is made here.
    pub start: State,
    /// The number of the point.
    pub number: Term,
    /// The lane's switch is made at this point.
    pub here: Term,
}

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

impl Executor<'_> {
    /// Executes a function as one level: with all threads that it schedules.
    pub(super) fn run_leveled(
        &mut self,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        let floor = self.frames.len();
        self.levels.push(Level::new(base, 0, floor));
        let mut exits = Vec::new();
        let mut entry = Some(from);
        loop {
            let left = self.call_function(f, args, entry.take(), base);
            exits.extend(self.without_switch(left));
            self.level().resume.clear();
            let points = std::mem::take(&mut self.level().points);
            if points.is_empty() || self.out_of_budget {
                break;
            }
            let number = self.switch_number();
            self.level().lane += 1;
            let lane = self.level().lane;
            if lane > MAX_LANES {
                for p in points {
                    self.end(&p.start.guard, EndKind::Budget, None);
                }
                break;
            }
            let event = hash_of(&(base, "event", lane));
            let events = self.run_events(&points, number, event);
            if events.is_empty() {
                break;
            }
            let resume = self.resumes(points, &events, number);
            self.level().resume = resume;
        }
        self.levels.pop();
        exits
    }

    pub(super) fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("a thread runs on a level")
    }

    /// How many threads have been scheduled on the way here, on all levels.
    pub(super) fn scheduled(&self) -> u32 {
        self.levels.iter().map(|l| l.lane).sum()
    }

    /// The number of the point at which the current lane's switch is made.
    pub(super) fn switch_number(&mut self) -> Term {
        let name = self.switch_name();
        self.input(name, SWITCH_BITS, "switch")
    }

    fn switch_name(&mut self) -> u64 {
        let (base, lane) = (self.level().base, self.level().lane);
        hash_of(&(base, "switch", lane))
    }

    /// The condition that the current lane ends without a switch; `None`: it has no switch point so far.
    pub(super) fn no_switch(&mut self) -> Option<Term> {
        if self.levels.last().is_none_or(|l| l.points.is_empty()) {
            return None;
        }
        let number = self.switch_number();
        let none = self.terms.constant(SWITCH_BITS, 0);
        Some(self.terms.eq(number, none))
    }

    fn without_switch(&mut self, exits: Vec<Exit>) -> Vec<Exit> {
        let Some(none) = self.no_switch() else {
            return exits;
        };
        let mut out = Vec::with_capacity(exits.len());
        for mut exit in exits {
            if let Some(guard) = exit.state.guard.and(&mut self.terms, none) {
                exit.state.guard = guard;
                out.push(exit);
            }
        }
        out
    }

    /// Runs each thread that can be pending, on the state merged over the switch points where it is.
    fn run_events(&mut self, points: &[SwitchPoint], at: Term, event: u64) -> Vec<Event> {
        let created = points.iter().map(|p| self.created(&p.start)).max();
        let chosen = self.input(hash_of(&(event, "thread")), THREAD_BITS, "thread");
        let mut events = Vec::new();
        for thread in 1..created.unwrap_or(0) {
            let number = self.terms.constant(THREAD_BITS, u128::from(thread));
            let this = self.terms.eq(chosen, number);
            let mut starts = Vec::new();
            let mut from = BTreeSet::new();
            for (n, point) in points.iter().enumerate() {
                let mut start = point.start.clone();
                let waits = self.waits(&start, thread);
                let Some(guard) = start.guard.and(&mut self.terms, waits) else {
                    continue;
                };
                start.guard = guard;
                from.insert(n);
                starts.push((self.number_at(point), start));
            }
            let merged = self.merge_across(at, starts);
            let Some(mut start) = merged else { continue };
            let Some(guard) = start.guard.and(&mut self.terms, this) else {
                continue;
            };
            start.guard = guard;
            if !self.feasible(&start.guard) {
                continue;
            }
            let merged = start.memory.clone();
            if let Some(left) = self.run_thread(thread, start, event) {
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

    /// Runs a pending thread to its end, with what it schedules.
    fn run_thread(&mut self, thread: u64, start: State, event: u64) -> Option<State> {
        let run = self.marks().schedule_thread?;
        let number = Value::Scalar(self.terms.constant(64, u128::from(thread)));
        let base = hash_of(&(event, thread));
        let mut states: Vec<State> = self
            .run_leveled(run, &[number], start, base)
            .into_iter()
            .map(|e| e.state)
            .collect();
        let mut left = states.pop()?;
        while let Some(state) = states.pop() {
            left = self.merge_states(state, left).0;
        }
        Some(left)
    }

    /// Whether a condition can hold. Asked where a wrong yes would start a thread for nothing, and, since such a thread
    /// may start others, without end: beyond the first scheduled thread. Everything else is left to the questions at
    /// the end of the run.
    pub(super) fn feasible(&mut self, guard: &Guard) -> bool {
        if self.scheduled() < 2 {
            return true;
        }
        let mut conjuncts = self.axioms.clone();
        conjuncts.extend(guard.parts());
        // What showed that one thread can start often shows it of the next.
        let known = self.witnesses.iter().rev().any(|w| {
            let mut evaluator = Evaluator::new(w);
            conjuncts.iter().all(|c| evaluator.holds(&self.terms, *c))
        });
        if known {
            return true;
        }
        let answer = solver::standard(PRUNING_BUDGET, self.limits.deadline)
            .check(&mut self.terms, &conjuncts);
        match answer {
            Answer::Sat(model) => {
                if self.witnesses.len() == WITNESSES {
                    self.witnesses.remove(0);
                }
                self.witnesses.push(model);
                true
            }
            Answer::Unsat => false,
            Answer::Unknown(_) => true,
        }
    }

    /// Where the next lane is entered.
    fn resumes(&mut self, points: Vec<SwitchPoint>, events: &[Event], number: Term) -> Resumes {
        let mut states = Vec::new();
        for (index, point) in points.iter().enumerate() {
            let mut all: Option<State> = None;
            for event in events.iter().filter(|e| e.from.contains(&index)).rev() {
                let Some(guard) = event.left.guard.and(&mut self.terms, point.here) else {
                    continue;
                };
                let around = Around {
                    merged: &event.merged,
                    left: &event.left.memory,
                };
                let own = &point.start.memory;
                let memory = self.memory_at_point(&around, own, number, point.number);
                let state = State { guard, memory };
                all = Some(match all {
                    Some(others) => self.merge_selected(event.this, state, others),
                    None => state,
                });
            }
            states.push(all);
        }
        self.resumes_at_points(number, points, states)
    }

    /// `schedule()`: in lanes, or in a concrete run as the model says, or as it is written.
    pub(super) fn schedule(
        &mut self,
        args: &[Value],
        entry: Option<State>,
        injected: Option<(Term, State)>,
        context: u64,
    ) -> Vec<Exit> {
        if self.in_rounds {
            return match self.joined(entry, injected) {
                Some(state) => self.schedule_in_rounds(state, context),
                None => Vec::new(),
            };
        }
        match self.mode {
            Mode::Merge => self.schedule_in_lanes(entry, injected, context),
            Mode::Path(_) => match self.marks().schedule {
                Some(f) => self.call_function(f, args, entry, context),
                None => Vec::new(),
            },
            Mode::Concrete(ref model) if !model.lanes => match self.marks().schedule {
                Some(f) => self.call_function(f, args, entry, context),
                None => Vec::new(),
            },
            Mode::Concrete(_) => match entry {
                Some(state) => self.schedule_concretely(state, context),
                None => Vec::new(),
            },
        }
    }

    /// What comes to a point from before, and what the lane is entered with there.
    fn joined(&mut self, entry: Option<State>, injected: Option<(Term, State)>) -> Option<State> {
        match (entry, injected) {
            (Some(came), Some((here, state))) => Some(self.merge_selected(here, state, came)),
            (Some(state), None) | (None, Some((_, state))) => Some(state),
            (None, None) => None,
        }
    }

    fn schedule_in_lanes(
        &mut self,
        entry: Option<State>,
        injected: Option<(Term, State)>,
        context: u64,
    ) -> Vec<Exit> {
        let Some(all) = self.joined(entry, injected) else {
            return Vec::new();
        };
        let pending = if self.all_scheduled(&all) {
            self.terms.fals()
        } else {
            self.pending(&all)
        };
        if let Some(possible) = all.guard.and(&mut self.terms, pending) {
            let own = self.number_of_point(context);
            let number = self.switch_number();
            let own = self.terms.constant(SWITCH_BITS, u128::from(own));
            let here = self.terms.eq(number, own);
            if let Some(guard) = possible.and(&mut self.terms, here) {
                let memory = all.memory.clone();
                self.set_aside_here(State { guard, memory }, own, here);
            }
        }
        vec![Exit {
            state: all,
            value: None,
        }]
    }

    /// The number of a switch point.
    pub(super) fn number_of_point(&mut self, context: u64) -> u32 {
        let next = self.switch_points.len() as u32 + 1;
        *self.switch_points.entry(context).or_insert(next)
    }

    /// Keeps a state of the running activations for the next lane.
    pub(super) fn set_aside_here(&mut self, start: State, number: Term, here: Term) {
        let floor = self.level().floor;
        let frames = self.frames[floor..].to_vec();
        self.set_aside(SwitchPoint {
            frames,
            start,
            number,
            here,
        });
    }

    /// Keeps a state for the next lane. States that come to one point by ways of their own (raised or not, say) become
    /// one: the point's number does not tell them apart.
    fn set_aside(&mut self, point: SwitchPoint) {
        let known = self
            .level()
            .points
            .iter()
            .position(|p| p.number == point.number);
        let Some(n) = known else {
            self.level().points.push(point);
            return;
        };
        let other = self.level().points.remove(n);
        let (start, selector) = self.merge_states(point.start, other.start);
        let mut frames = point.frames;
        for (frame, old) in frames.iter_mut().zip(&other.frames) {
            frame.locals = self.merge_locals(selector, &frame.locals, &old.locals);
        }
        self.level().points.push(SwitchPoint {
            frames,
            start,
            ..other
        });
    }

    fn schedule_concretely(&mut self, mut state: State, context: u64) -> Vec<Exit> {
        let Mode::Concrete(model) = self.mode.clone() else {
            return Vec::new();
        };
        let Some(own) = model.switch_points.get(&context) else {
            return vec![Exit { state, value: None }];
        };
        loop {
            let pending = self.pending(&state);
            let number = self.switch_number();
            let here = self.terms.as_const(number) == Some(u128::from(*own));
            if !here || !self.terms.is_true(pending) {
                return vec![Exit { state, value: None }];
            }
            let name = self.switch_name();
            self.journal.switches.push(input_name(name, "switch"));
            self.level().lane += 1;
            let event = hash_of(&(self.level().base, "event", self.level().lane));
            let chosen = self.input(hash_of(&(event, "thread")), THREAD_BITS, "thread");
            let thread = self.terms.as_const(chosen).unwrap_or(0) as u64;
            let waits = thread < self.created(&state) && {
                let waits = self.waits(&state, thread);
                self.terms.is_true(waits)
            };
            if !waits {
                return Vec::new();
            }
            match self.run_thread(thread, state, event) {
                Some(left) => state = left,
                None => return Vec::new(),
            }
        }
    }
}
