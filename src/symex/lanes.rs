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

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::cfg::Instance;
use super::ends::EndKind;
use super::exec::{Activation, Executor, Mode, callee_context, hash_of, input_name};
use super::frame::Around;
use super::guard::Guard;
use super::memory::Memory;
use super::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::expr::{Evaluator, Term};
use crate::index::FuncId;
use crate::program::{Callee, Instr, Op};
use crate::solver::{self, Answer};

/// More scheduled threads on one level than this end as `Budget`.
const MAX_LANES: u32 = 8;

/// Assignments tried before the solver is asked whether a thread can start.
const WITNESSES: usize = 4;

/// Width of the number of a switch point.
const SWITCH_BITS: u32 = 32;

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
    points: Vec<SwitchPoint>,
    /// Where the current lane is entered, by activation.
    resume: FxHashMap<u64, BTreeMap<(Instance, usize), Resume>>,
}

/// A state set aside at a call of `schedule()`.
#[derive(Clone, Debug)]
struct SwitchPoint {
    /// The stack of the level, outermost first.
    frames: Vec<Frame>,
    /// The state, under the condition that the switch is made here.
    start: State,
    /// The number of the point.
    number: Term,
    /// The lane's switch is made at this point.
    here: Term,
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

/// Where a lane is entered.
#[derive(Clone, Debug)]
struct Resume {
    /// Values of the activation.
    locals: Locals,
    /// The functions entered by the call there.
    callees: BTreeSet<FuncId>,
    /// For a call of `schedule()` itself: what the scheduled thread left.
    injected: Option<State>,
    /// The lane before ended at one of the points under this call.
    here: Term,
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
        self.levels.push(Level {
            base,
            floor,
            ..Level::default()
        });
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
            let events = self.run_events(&points, event);
            if events.is_empty() {
                break;
            }
            let resume = self.resumes(points, &events, number);
            self.level().resume = resume;
        }
        self.levels.pop();
        exits
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("a thread runs on a level")
    }

    /// How many threads have been scheduled on the way here, on all levels.
    pub(super) fn scheduled(&self) -> u32 {
        self.levels.iter().map(|l| l.lane).sum()
    }

    /// The number of the point at which the current lane's switch is made.
    fn switch_number(&mut self) -> Term {
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
    fn run_events(&mut self, points: &[SwitchPoint], event: u64) -> Vec<Event> {
        let created = points.iter().map(|p| self.created(&p.start)).max();
        let chosen = self.input(hash_of(&(event, "thread")), THREAD_BITS, "thread");
        let mut events = Vec::new();
        for thread in 1..created.unwrap_or(0) {
            let number = self.terms.constant(THREAD_BITS, u128::from(thread));
            let this = self.terms.eq(chosen, number);
            let mut merged: Option<State> = None;
            let mut from = BTreeSet::new();
            // The latest first: guards of later points extend those of earlier ones.
            for (n, point) in points.iter().enumerate().rev() {
                let mut start = point.start.clone();
                let waits = self.waits(&start, thread);
                let Some(guard) = start.guard.and(&mut self.terms, waits) else {
                    continue;
                };
                start.guard = guard;
                from.insert(n);
                merged = Some(match merged {
                    Some(later) => self.merge_selected(point.here, start, later),
                    None => start,
                });
            }
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
        let run = self.marks.schedule_thread?;
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
    fn resumes(
        &mut self,
        points: Vec<SwitchPoint>,
        events: &[Event],
        number: Term,
    ) -> FxHashMap<u64, BTreeMap<(Instance, usize), Resume>> {
        let mut map: FxHashMap<u64, BTreeMap<(Instance, usize), Resume>> = FxHashMap::default();
        for (index, point) in points.into_iter().enumerate() {
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
            let Some(state) = all else { continue };
            let depth = point.frames.len();
            for (n, frame) in point.frames.iter().enumerate() {
                let callee = point
                    .frames
                    .get(n + 1)
                    .map(|f| f.function)
                    .or(self.marks.schedule);
                let never = self.terms.fals();
                let resume = map
                    .entry(frame.context)
                    .or_default()
                    .entry((frame.at.clone(), frame.index))
                    .or_insert_with(|| Resume {
                        locals: frame.locals.clone(),
                        callees: BTreeSet::new(),
                        injected: None,
                        here: never,
                    });
                resume.callees.extend(callee);
                resume.here = self.terms.or(resume.here, point.here);
                if n + 1 == depth {
                    resume.injected = Some(state.clone());
                }
            }
        }
        map
    }

    /// The block instances at which the current lane enters an activation.
    pub(super) fn resumed_instances(&self, context: u64) -> Vec<Instance> {
        let Some(level) = self.levels.last() else {
            return Vec::new();
        };
        match level.resume.get(&context) {
            Some(places) => places.keys().map(|(at, _)| at.clone()).collect(),
            None => Vec::new(),
        }
    }

    /// Whether the current lane is entered at this call.
    pub(super) fn resumes_at(&self, context: u64, at: &Instance, index: usize) -> bool {
        self.levels.last().is_some_and(|level| {
            !level.resume.is_empty()
                && level
                    .resume
                    .get(&context)
                    .is_some_and(|places| places.contains_key(&(at.clone(), index)))
        })
    }

    /// A call at which the current lane is entered: perhaps also met from before.
    pub(super) fn call_resumed(
        &mut self,
        a: &Activation<'_>,
        at: &Instance,
        index: usize,
        instr: &Instr,
        flow: Option<Flow>,
    ) -> Vec<Flow> {
        let place = (at.clone(), index);
        let resume = self
            .level()
            .resume
            .get_mut(&a.context)
            .and_then(|places| places.remove(&place));
        let (Some(resume), Op::Call { callee, args, .. }) = (resume, &instr.op) else {
            return flow.into_iter().collect();
        };
        let (locals, args, mut regular) = match flow {
            Some(flow) => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                let locals = self.merge_locals(resume.here, &resume.locals, &flow.locals);
                let targets = match callee {
                    Callee::Direct(f) => vec![(*f, flow.state)],
                    Callee::Indirect(operand) => match self.operand(&flow, operand) {
                        Value::Scalar(address) => {
                            self.function_targets(address, flow.state, instr.loc)
                        }
                        Value::Tuple(_) => Vec::new(),
                    },
                };
                (locals, args, targets)
            }
            None => (resume.locals, Vec::new(), Vec::new()),
        };
        let mut callees = resume.callees;
        callees.extend(regular.iter().map(|(f, _)| *f));
        let mut injected = resume.injected.map(|state| (resume.here, state));
        let mut next = Vec::new();
        for f in callees {
            let entry = regular
                .iter()
                .position(|(g, _)| *g == f)
                .map(|n| regular.swap_remove(n).1);
            if let (true, Some(state)) = (self.is_point(f), &entry) {
                self.note_reached(&args, state);
            }
            let context = callee_context(a.context, at, index, f);
            let frame = Frame {
                context: a.context,
                function: a.f,
                at: at.clone(),
                index,
                locals: locals.clone(),
            };
            self.frames.push(frame);
            let exits = if Some(f) == self.marks.schedule {
                self.schedule(&args, entry, injected.take(), context)
            } else {
                self.call_function(f, &args, entry, context)
            };
            self.frames.pop();
            for exit in exits {
                let mut locals = locals.clone();
                if let (Some(result), Some(value)) = (instr.result, exit.value) {
                    locals.set(result, value);
                }
                next.push(Flow {
                    state: exit.state,
                    locals,
                });
            }
        }
        next
    }

    /// `schedule()`: in lanes, or in a concrete run as the model says, or as it is written.
    pub(super) fn schedule(
        &mut self,
        args: &[Value],
        entry: Option<State>,
        injected: Option<(Term, State)>,
        context: u64,
    ) -> Vec<Exit> {
        match self.mode {
            Mode::Merge => self.schedule_in_lanes(entry, injected, context),
            Mode::Path(_) => match self.marks.schedule {
                Some(f) => self.call_function(f, args, entry, context),
                None => Vec::new(),
            },
            Mode::Concrete(ref model) if !model.lanes => match self.marks.schedule {
                Some(f) => self.call_function(f, args, entry, context),
                None => Vec::new(),
            },
            Mode::Concrete(_) => match entry {
                Some(state) => self.schedule_concretely(state, context),
                None => Vec::new(),
            },
        }
    }

    fn schedule_in_lanes(
        &mut self,
        entry: Option<State>,
        injected: Option<(Term, State)>,
        context: u64,
    ) -> Vec<Exit> {
        let all = match (entry, injected) {
            (Some(came), Some((here, state))) => self.merge_selected(here, state, came),
            (Some(state), None) | (None, Some((_, state))) => state,
            (None, None) => return Vec::new(),
        };
        let pending = if self.all_scheduled(&all) {
            self.terms.fals()
        } else {
            self.pending(&all)
        };
        if let Some(possible) = all.guard.and(&mut self.terms, pending) {
            let next = self.switch_points.len() as u32 + 1;
            let own = *self.switch_points.entry(context).or_insert(next);
            let number = self.switch_number();
            let own = self.terms.constant(SWITCH_BITS, u128::from(own));
            let here = self.terms.eq(number, own);
            if let Some(guard) = possible.and(&mut self.terms, here) {
                let floor = self.level().floor;
                let frames = self.frames[floor..].to_vec();
                let start = State {
                    guard,
                    memory: all.memory.clone(),
                };
                self.set_aside(SwitchPoint {
                    frames,
                    start,
                    number: own,
                    here,
                });
            }
        }
        vec![Exit {
            state: all,
            value: None,
        }]
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
