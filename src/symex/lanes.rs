//! Scheduled threads in lanes: the second thread's body runs once, on the state merged over all switch points.
//!
//! `schedule()` may run a pending thread at every visible point of the running thread. Taken literally, a thread with n
//! points executes the other's body n times. Instead the running thread is executed in *lanes*: in lane 0 nothing has
//! been scheduled yet; at every switch point its state, under the condition that the switch is taken there, is set
//! aside. When the thread has ended, these states are merged and the scheduled thread runs on them, once. What it
//! leaves joins lane 1 of the first thread at the very point where it had been set aside, and so on for a second
//! scheduled thread. Each lane meets each instruction once; terms grow with the sum of the bodies, not their product.
//!
//! A lane is entered in the middle of activations: the values of the activation are those that the lane before had at
//! that point, since a scheduled thread cannot change them. Inputs are named by dynamic instance without the lane: no
//! execution meets an instance in two lanes.
//!
//! This is an execution strategy for `__kiss_schedule`, which alone it replaces; `--explore=paths` executes the
//! function as it is written and must come to the same verdicts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cfg::Instance;
use super::ends::EndKind;
use super::exec::{Activation, Executor, Mode, callee_context, hash_of};
use super::guard::Guard;
use super::memory::{Contents, Memory};
use super::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::expr::Term;
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Callee, Instr, Op, SiteKind};
use crate::solver::{self, Answer};

/// More scheduled threads on one level than this end as `Budget`.
const MAX_LANES: u32 = 8;

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
    /// The state, under the condition that the switch is taken here.
    start: State,
}

/// Where a lane is entered.
#[derive(Clone, Debug)]
struct Resume {
    /// Values of the activation.
    locals: Locals,
    /// The functions entered by the call there.
    callees: BTreeSet<FuncId>,
    /// For a call of `schedule()` itself: what the scheduled thread left.
    injected: Vec<State>,
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
        let mut exits = self.call_function(f, args, Some(from), base);
        loop {
            let points = std::mem::take(&mut self.level().points);
            if points.is_empty() || self.out_of_budget {
                break;
            }
            self.level().lane += 1;
            let lane = self.level().lane;
            if lane > MAX_LANES {
                for p in points {
                    self.end(&p.start.guard, EndKind::Budget, None);
                }
                break;
            }
            let event = hash_of(&(base, "event", lane));
            let Some(left) = self.run_event(&points, event) else {
                break;
            };
            let resume = self.resumes(points, &left);
            self.level().resume = resume;
            exits.extend(self.call_function(f, args, None, base));
            self.level().resume.clear();
        }
        self.levels.pop();
        exits
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("a thread runs on a level")
    }

    /// Runs one pending thread on the merged switch points.
    fn run_event(&mut self, points: &[SwitchPoint], event: u64) -> Option<State> {
        let mut starts: Vec<State> = points.iter().map(|p| p.start.clone()).collect();
        let mut all = starts.pop()?;
        while let Some(state) = starts.pop() {
            all = self.merge_states(state, all).0;
        }
        let pending = self.pending(&all);
        self.settle_pending(&mut all.memory, pending);
        if !self.feasible(&all.guard) {
            return None;
        }
        let one = self.marks.schedule_one?;
        let site = Value::Scalar(self.terms.constant(32, 0));
        let mut states: Vec<State> = self
            .run_leveled(one, &[site], all, event)
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
        if self.levels.iter().map(|l| l.lane).sum::<u32>() < 2 {
            return true;
        }
        let mut conjuncts = self.axioms.clone();
        conjuncts.extend(guard.parts());
        let answer = solver::standard(PRUNING_BUDGET, self.limits.deadline)
            .check(&mut self.terms, &conjuncts);
        !matches!(answer, Answer::Unsat)
    }

    /// Where the next lane is entered.
    fn resumes(
        &mut self,
        points: Vec<SwitchPoint>,
        left: &State,
    ) -> FxHashMap<u64, BTreeMap<(Instance, usize), Resume>> {
        let mut map: FxHashMap<u64, BTreeMap<(Instance, usize), Resume>> = FxHashMap::default();
        for point in points {
            let here = point.start.guard.term(&mut self.terms);
            let Some(guard) = left.guard.and(&mut self.terms, here) else {
                continue;
            };
            let state = State {
                guard,
                memory: left.memory.clone(),
            };
            let depth = point.frames.len();
            for (n, frame) in point.frames.iter().enumerate() {
                let callee = point
                    .frames
                    .get(n + 1)
                    .map(|f| f.function)
                    .or(self.marks.schedule);
                let resume = map
                    .entry(frame.context)
                    .or_default()
                    .entry((frame.at.clone(), frame.index))
                    .or_insert_with(|| Resume {
                        locals: frame.locals.clone(),
                        callees: BTreeSet::new(),
                        injected: Vec::new(),
                    });
                resume.callees.extend(callee);
                if n + 1 == depth {
                    resume.injected.push(state.clone());
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
                let came = flow.state.guard.term(&mut self.terms);
                let locals = self.merge_locals(came, &flow.locals, &resume.locals);
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
        let mut injected = resume.injected;
        let mut next = Vec::new();
        for f in callees {
            let entry = regular
                .iter()
                .position(|(g, _)| *g == f)
                .map(|n| regular.swap_remove(n).1);
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
                self.schedule(&args, entry, std::mem::take(&mut injected), context)
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
        injected: Vec<State>,
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

    fn switch_name(&mut self, context: u64) -> u64 {
        let lane = self.level().lane;
        hash_of(&(context, "switch", lane))
    }

    fn schedule_in_lanes(
        &mut self,
        entry: Option<State>,
        injected: Vec<State>,
        context: u64,
    ) -> Vec<Exit> {
        let mut states: Vec<State> = entry.into_iter().chain(injected).collect();
        let Some(mut all) = states.pop() else {
            return Vec::new();
        };
        while let Some(state) = states.pop() {
            all = self.merge_states(state, all).0;
        }
        let pending = if self.all_scheduled(&all) {
            self.terms.fals()
        } else {
            self.pending(&all)
        };
        let Some(possible) = all.guard.and(&mut self.terms, pending) else {
            return vec![Exit {
                state: all,
                value: None,
            }];
        };
        let name = self.switch_name(context);
        let taken = self.input(name, 1, "switch");
        if let Some(guard) = possible.and(&mut self.terms, taken) {
            let floor = self.level().floor;
            let frames = self.frames[floor..].to_vec();
            let start = State {
                guard,
                memory: all.memory.clone(),
            };
            self.level().points.push(SwitchPoint { frames, start });
        }
        let both = self.terms.and(pending, taken);
        let not = self.terms.not(both);
        match all.guard.and(&mut self.terms, not) {
            Some(guard) => vec![Exit {
                state: State {
                    guard,
                    memory: all.memory,
                },
                value: None,
            }],
            None => Vec::new(),
        }
    }

    fn schedule_concretely(&mut self, mut state: State, context: u64) -> Vec<Exit> {
        let Some(one) = self.marks.schedule_one else {
            return Vec::new();
        };
        loop {
            let pending = self.pending(&state);
            let name = self.switch_name(context);
            let taken = self.input(name, 1, "switch");
            let go = self.terms.and(pending, taken);
            if !self.terms.is_true(go) {
                return vec![Exit { state, value: None }];
            }
            self.level().lane += 1;
            let event = hash_of(&(self.level().base, "event", self.level().lane));
            let site = Value::Scalar(self.terms.constant(32, 0));
            match self.run_leveled(one, &[site], state, event).pop() {
                Some(exit) => state = exit.state,
                None => return Vec::new(),
            }
        }
    }

    /// Where something is pending, the tables of pending threads usually have one value only: merged states differ in
    /// them just by whether the thread had been created.
    fn settle_pending(&mut self, memory: &mut Memory, pending: Term) {
        for global in [self.marks.size, self.marks.pending_table]
            .into_iter()
            .flatten()
        {
            let object = self.global_object(global);
            let Some(Contents::Cells(cells)) = memory.written(object).map(Arc::as_ref) else {
                continue;
            };
            let mut settled = cells.clone();
            for (_, value) in settled.values_mut() {
                if self.terms.as_const(*value).is_some() {
                    continue;
                }
                let leaves = self.leaves(*value);
                let mut left = Vec::new();
                for (condition, constant) in leaves.constants.iter().copied() {
                    let here = self.terms.and(condition, pending);
                    if !self.terms.is_false(here) {
                        left.push(constant);
                    }
                }
                let other = self.terms.and(leaves.other, pending);
                if let ([only], true) = (&left[..], self.terms.is_false(other)) {
                    let only = *only;
                    let width = self.terms.width(*value);
                    *value = self.terms.constant(width, only);
                }
            }
            memory.set(object, Contents::Cells(settled));
        }
    }

    /// Whether as many threads have been scheduled on the way here as can have been created: then none is pending,
    /// even where merging hides it.
    fn all_scheduled(&mut self, state: &State) -> bool {
        let Some(next) = self.marks.next else {
            return false;
        };
        let object = self.global_object(next);
        let next = self.read_at(&state.memory, object, 0, 8);
        // The first thread is not created; `next` is the number of the one to come.
        let Some(most) = self.terms.leaves(next).and_then(<[u128]>::last) else {
            return false;
        };
        let created = most.saturating_sub(1);
        let scheduled: u32 = self.levels.iter().map(|l| l.lane).sum();
        u128::from(scheduled) >= created
    }

    /// size() > 0
    fn pending(&mut self, state: &State) -> Term {
        let Some(size) = self.marks.size else {
            return self.terms.fals();
        };
        let object = self.global_object(size);
        let size = self.read_at(&state.memory, object, 0, 4);
        let zero = self.terms.constant(32, 0);
        self.terms.ne(size, zero)
    }

    /// A call that stands before a visible instruction: told to the journal and counted as reached; short where the
    /// check has nothing to decide there.
    pub(super) fn visible_point(
        &mut self,
        f: FuncId,
        args: &[Value],
        state: State,
        context: u64,
    ) -> Vec<Exit> {
        let marks = self.marks;
        let site = match args.last() {
            Some(Value::Scalar(t)) => self.terms.as_const(*t).map(|n| n as usize),
            _ => None,
        };
        let site = site.filter(|n| *n < self.program.sites.len());
        if let Some(n) = site
            && !matches!(self.mode, Mode::Concrete(_))
        {
            let thread = self.thread(&state);
            let list = self.reached.entry((SiteId::new(n), thread)).or_default();
            if list.last() != Some(&state.guard) {
                list.push(state.guard.clone());
            }
        }
        let depth = self.peek_constant(&state.memory, marks.atomic, 4);
        let probe = self.peek_constant(&state.memory, marks.probe, 1);
        let begin = Some(f) == marks.atomic_begin;
        let silent = match (depth, site) {
            _ if begin => false,
            (Some(d), _) if d > 0 => probe == Some(0),
            (Some(_), Some(n)) => {
                !self.check.enabled.contains(n) && !self.check.checked.contains(n)
            }
            _ => false,
        };
        let before = self.journal_point(&state, site, depth);
        let exits = if silent {
            let no = Value::Scalar(self.terms.fals());
            vec![Exit {
                state,
                value: Some(no),
            }]
        } else {
            self.call_function(f, args, Some(state), context)
        };
        if let Some(before) = before {
            let kind = site.map(|n| self.program.sites[SiteId::new(n)].kind);
            let is_step = match kind {
                Some(SiteKind::AtomicBegin) => begin,
                Some(SiteKind::Read | SiteKind::Write | SiteKind::ReadWrite) | None => false,
                Some(_) => true,
            };
            self.journal_passed(before, &exits, is_step);
        }
        exits
    }
}
