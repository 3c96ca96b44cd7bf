//! The executor: functions, blocks, joins, calls.
//!
//! States are merged, not enumerated: block instances (see [`super::cfg`]) are taken in an order in which every join
//! is met after all that flows into it, and what meets there becomes one state. A sequentialized program returns early
//! from everywhere; merging keeps that linear. States that differ in whether `raise` is set stay apart at returns,
//! since they part again at once.
//!
//! Loops are unrolled up to a bound, calls are entered on demand up to a recursion bound; what the bounds cut is
//! recorded with its path condition. The modes: merging, one path at a time (the differential test of merging), and
//! concrete (a model of the first run decides everything: how traces are read back).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::cfg::{Cfg, Edge, Instance, LoopEntry};
use super::ends::{End, EndKind, Failure};
use super::guard::Guard;
use super::journal::Journal;
use super::lanes::Level;
use super::memory::Memory;
use super::model::Model;
use super::objects::{ObjectId, Objects};
use super::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::expr::{ArrayTerm, Term, Terms};
use crate::index::{BlockId, FuncId, GlobalId, Idx, LocId, SiteId, ValueId};
use crate::program::{Callee, Function, Instr, Op, Operand, Program, Terminator, Type};

/// A loop whose trip count is constant is unrolled as often as it says, up to this.
const MAX_ITERATIONS: u32 = 4096;

/// The run time loops over tables of at most 16 entries.
const RUNTIME_UNWIND: u32 = 17;

/// How conditions that are not constant are treated.
#[derive(Clone, Debug)]
pub enum Mode {
    /// Both ways, merged at joins; scheduled threads in lanes.
    Merge,
    /// One way, as the decisions say; unseen decisions are added.
    Path(Decisions),
    /// There are none: a model gives every input its value.
    Concrete(Arc<Model>),
}

/// The decisions of one path, in order.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Taken (`true`: the condition holds), and whether the other way has been tried or is impossible.
    pub taken: Vec<(bool, bool)>,
    /// How many have been used on this run.
    pub used: usize,
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Times that a back edge is taken in one activation.
    pub unwind: u32,
    /// Activations of one function on the stack beyond the first.
    pub recursion: u32,
    /// Instructions executed in all.
    pub instructions: u64,
}

/// The inputs of a check: what the sequential program asks for by primitives.
#[derive(Clone, Debug, Default)]
pub struct CheckInputs {
    /// Entry points of the pair, and the scenario.
    pub pair: [u32; 3],
    /// Switch points.
    pub enabled: FixedBitSet,
    /// Sites whose access is checked.
    pub checked: FixedBitSet,
    /// MAX.
    pub ts_max: u32,
}

/// Functions and globals of the sequential program that have a special part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Landmarks {
    pub(super) schedule: Option<FuncId>,
    pub(super) schedule_one: Option<FuncId>,
    pub(super) access: Option<FuncId>,
    pub(super) also: Option<FuncId>,
    pub(super) point: Option<FuncId>,
    pub(super) atomic_begin: Option<FuncId>,
    pub(super) run: Option<FuncId>,
    pub(super) raise: Option<GlobalId>,
    pub(super) probe: Option<GlobalId>,
    pub(super) size: Option<GlobalId>,
    pub(super) pending_table: Option<GlobalId>,
    pub(super) atomic: Option<GlobalId>,
    pub(super) self_id: Option<GlobalId>,
    pub(super) access_kind: Option<GlobalId>,
}

/// A symbolic run over one program.
#[derive(Clone)]
pub struct Executor<'p> {
    pub(super) program: &'p Program,
    /// The term store of this run.
    pub terms: Terms,
    pub(super) objects: Objects,
    pub(super) cfgs: FxHashMap<FuncId, Arc<Result<Cfg, String>>>,
    /// The variable of each dynamic input.
    pub(super) inputs: FxHashMap<u64, Term>,
    /// The array variable of each object whose initial content is one.
    pub(super) array_inputs: FxHashMap<u64, ArrayTerm>,
    /// Lazily chosen pointers: the variable, its object and offset.
    pub(super) lazy_vars: FxHashMap<Term, (ObjectId, u64)>,
    pub(super) leaf_sets: FxHashMap<Term, Arc<Vec<(Term, u128)>>>,
    /// Conditions on inputs that hold in every execution.
    pub axioms: Vec<Term>,
    pub(super) mode: Mode,
    pub(super) limits: Limits,
    pub(super) check: CheckInputs,
    pub(super) marks: Landmarks,
    pub(super) frames: Vec<Frame>,
    pub(super) levels: Vec<Level>,
    pub(super) journal: Journal,
    /// Ends of paths, with their conditions.
    pub ends: Vec<End>,
    /// Failures of the check, with their conditions.
    pub failures: Vec<Failure>,
    /// For each site and thread the conditions under which the thread was about to execute it.
    pub reached: FxHashMap<(SiteId, u32), Vec<Term>>,
    /// Instructions executed.
    pub instructions: u64,
    /// States merged into others.
    pub merges: u64,
    pub(super) out_of_budget: bool,
}

impl<'p> Executor<'p> {
    /// A run over the sequential program; nothing is executed yet.
    pub fn new(
        program: &'p Program,
        mode: Mode,
        limits: Limits,
        check: CheckInputs,
    ) -> Executor<'p> {
        let f = |name: &str| program.function_named(name);
        let g = |name: &str| program.global_named(name);
        let marks = Landmarks {
            schedule: f("__kiss_schedule"),
            schedule_one: f("__kiss_schedule_one"),
            access: f("__kiss_access"),
            also: f("__kiss_also"),
            point: f("__kiss_point"),
            atomic_begin: f("__kiss_atomic_begin"),
            run: f("__kiss_run"),
            raise: g("__kiss_raise"),
            probe: g("__kiss_probe"),
            size: g("__kiss_size"),
            pending_table: g("__kiss_ts"),
            atomic: g("__kiss_atomic"),
            self_id: g("__kiss_self"),
            access_kind: g("__kiss_access_kind"),
        };
        Executor {
            program,
            terms: Terms::new(),
            objects: Objects::new(program.layout.pointer_bytes * 8),
            cfgs: FxHashMap::default(),
            inputs: FxHashMap::default(),
            array_inputs: FxHashMap::default(),
            lazy_vars: FxHashMap::default(),
            leaf_sets: FxHashMap::default(),
            axioms: Vec::new(),
            mode,
            limits,
            check,
            marks,
            frames: Vec::new(),
            levels: Vec::new(),
            journal: Journal::default(),
            ends: Vec::new(),
            failures: Vec::new(),
            reached: FxHashMap::default(),
            instructions: 0,
            merges: 0,
            out_of_budget: false,
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Replaces the inputs of the check: the next run is of another pair.
    pub fn set_check(&mut self, check: CheckInputs) {
        self.check = check;
    }

    /// Changes the mode; returns the old one.
    pub fn set_mode(&mut self, mode: Mode) -> Mode {
        std::mem::replace(&mut self.mode, mode)
    }

    /// Replaces the bounds.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Runs a function without arguments as thread code: what it schedules runs in lanes. The name also names the run:
    /// inputs of different runs are different.
    pub fn run(&mut self, function: &str, from: State) -> Result<Option<State>, String> {
        let id = self
            .program
            .function_named(function)
            .filter(|f| self.program.functions[*f].is_defined())
            .ok_or_else(|| format!("the program has no function {function}"))?;
        let context = hash_of(&(function, "run"));
        let exits = self.run_leveled(id, &[], from, context);
        let mut exits: Vec<State> = exits.into_iter().map(|e| e.state).collect();
        let mut merged = exits.pop();
        while let Some(state) = exits.pop() {
            merged = merged.map(|m| self.merge_states(state, m).0);
        }
        Ok(merged)
    }

    pub(super) fn cfg(&mut self, f: FuncId) -> Arc<Result<Cfg, String>> {
        let program = self.program;
        self.cfgs
            .entry(f)
            .or_insert_with(|| Arc::new(Cfg::new(program, &program.functions[f])))
            .clone()
    }

    /// Executes one activation. `entry`: the state in which it starts, if it does; in a later lane it may also be
    /// entered in the middle, at the switch points of the lane before.
    pub(super) fn call_function(
        &mut self,
        f: FuncId,
        args: &[Value],
        entry: Option<State>,
        context: u64,
    ) -> Vec<Exit> {
        let program = self.program;
        let function = &program.functions[f];
        if !function.is_defined() {
            if let Some(state) = entry {
                self.end(
                    &state.guard,
                    EndKind::Unsupported(format!("call of {}, which has no body", function.name)),
                    None,
                );
            }
            return Vec::new();
        }
        let run = self.marks.run;
        let own = self
            .frames
            .iter()
            .rev()
            .take_while(|fr| Some(fr.function) != run);
        let depth = own.filter(|fr| fr.function == f).count() as u32;
        if depth > self.limits.recursion && !self.is_runtime(function) {
            if let Some(state) = entry {
                self.end(&state.guard, EndKind::RecursionBound, function.loc);
            }
            return Vec::new();
        }
        let cfg = self.cfg(f);
        let cfg = match cfg.as_ref() {
            Ok(cfg) => cfg,
            Err(why) => {
                if let Some(state) = entry {
                    self.end(
                        &state.guard,
                        EndKind::Unsupported(why.clone()),
                        function.loc,
                    );
                }
                return Vec::new();
            }
        };
        let mut pending: BTreeMap<Instance, Vec<Flow>> = BTreeMap::new();
        if let Some(state) = entry {
            let mut locals = Locals::new(function.values.len());
            for (p, a) in function.params.iter().zip(args) {
                locals.set(*p, a.clone());
            }
            pending.insert(cfg.entry(), vec![Flow { state, locals }]);
        }
        for at in self.resumed_instances(context) {
            pending.entry(at).or_default();
        }
        let mut activation = Activation {
            f,
            function,
            cfg,
            context,
            pending,
            decided: FxHashMap::default(),
            exits: Vec::new(),
        };
        while let Some((at, flows)) = activation.pending.pop_first() {
            if self.out_of_budget {
                break;
            }
            let flow = self.merge_flows(flows);
            self.block(&mut activation, at, flow);
        }
        let exits = std::mem::take(&mut activation.exits);
        self.join_exits(exits)
    }

    /// Merges flows that meet, the latest first: later ones carry the negations of what made the earlier ones leave.
    pub(super) fn merge_flows(&mut self, mut flows: Vec<Flow>) -> Option<Flow> {
        let mut all = flows.pop()?;
        while let Some(flow) = flows.pop() {
            let (state, selector) = self.merge_states(flow.state, all.state);
            let locals = self.merge_locals(selector, &flow.locals, &all.locals);
            all = Flow { state, locals };
        }
        Some(all)
    }

    pub(super) fn merge_locals(&mut self, selector: Term, a: &Locals, b: &Locals) -> Locals {
        a.zip(b, |x, y| self.choose(selector, x, y))
    }

    fn choose(&mut self, selector: Term, a: &Value, b: &Value) -> Value {
        match (a, b) {
            (Value::Scalar(x), Value::Scalar(y)) => Value::Scalar(self.terms.ite(selector, *x, *y)),
            (Value::Tuple(x), Value::Tuple(y)) => Value::Tuple(
                x.iter()
                    .zip(y.iter())
                    .map(|(x, y)| self.terms.ite(selector, *x, *y))
                    .collect(),
            ),
            // One of the two is of a name that is dead here.
            _ => a.clone(),
        }
    }

    /// Merges the ways out, except that raised and unraised, probing and not probing stay apart.
    fn join_exits(&mut self, exits: Vec<Exit>) -> Vec<Exit> {
        let mut classes: Vec<((Option<u128>, Option<u128>), Vec<Exit>)> = Vec::new();
        for exit in exits {
            let class = (
                self.peek_constant(&exit.state.memory, self.marks.raise, 1),
                self.peek_constant(&exit.state.memory, self.marks.probe, 1),
            );
            match classes.iter_mut().find(|(c, _)| *c == class) {
                Some((_, list)) => list.push(exit),
                None => classes.push((class, vec![exit])),
            }
        }
        let mut out = Vec::new();
        for (_, mut list) in classes {
            let Some(mut all) = list.pop() else { continue };
            while let Some(exit) = list.pop() {
                let (state, selector) = self.merge_states(exit.state, all.state);
                let value = match (&exit.value, &all.value) {
                    (Some(x), Some(y)) if x != y => Some(self.choose(selector, x, y)),
                    (Some(x), _) => Some(x.clone()),
                    (None, y) => y.clone(),
                };
                all = Exit { state, value };
            }
            out.push(all);
        }
        out
    }

    fn block(&mut self, a: &mut Activation<'_>, at: Instance, flow: Option<Flow>) {
        let block = &a.function.blocks[at.block];
        let mut flows: Vec<Flow> = flow.into_iter().collect();
        for (index, instr) in block.instrs.iter().enumerate() {
            if matches!(instr.op, Op::Phi(_)) {
                continue;
            }
            let resumed = self.resumes_at(a.context, &at, index);
            if resumed {
                let merged = self.merge_flows(std::mem::take(&mut flows));
                flows = self.call_resumed(a, &at, index, instr, merged);
                continue;
            }
            if flows.is_empty() {
                continue;
            }
            let mut next = Vec::with_capacity(flows.len());
            for flow in std::mem::take(&mut flows) {
                self.instruction(a, &at, index, instr, flow, &mut next);
            }
            flows = next;
        }
        for flow in flows {
            self.terminator(a, &at, flow);
        }
    }

    fn instruction(
        &mut self,
        a: &Activation<'_>,
        at: &Instance,
        index: usize,
        instr: &Instr,
        mut flow: Flow,
        next: &mut Vec<Flow>,
    ) {
        self.instructions += 1;
        if self.instructions > self.limits.instructions {
            self.out_of_budget = true;
            self.end(&flow.state.guard, EndKind::Budget, instr.loc);
            return;
        }
        self.journal_before(a.function, instr, &flow.state);
        match &instr.op {
            Op::Call { callee, args, .. } => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                self.call(a, at, index, instr, callee, &args, flow, next);
            }
            Op::Primitive { primitive, args } => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                let key = instance_key(a.context, at, index);
                let ty = instr.result.map(|r| &a.function.values[r].ty);
                if let Some(value) =
                    self.primitive(*primitive, &args, key, instr, ty, &mut flow.state)
                {
                    if let (Some(result), Some(value)) = (instr.result, value) {
                        flow.locals.set(result, value);
                    }
                    next.push(flow);
                }
            }
            op => {
                let key = instance_key(a.context, at, index);
                if let Some(value) = self.operation(op, a.function, instr, key, &mut flow) {
                    if let (Some(result), Some(value)) = (instr.result, value) {
                        flow.locals.set(result, value);
                    }
                    next.push(flow);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one call")]
    fn call(
        &mut self,
        a: &Activation<'_>,
        at: &Instance,
        index: usize,
        instr: &Instr,
        callee: &Callee,
        args: &[Value],
        flow: Flow,
        next: &mut Vec<Flow>,
    ) {
        let Flow { state, locals } = flow;
        let targets = self.callees(callee, &locals, state, instr);
        for (f, state) in targets {
            let context = callee_context(a.context, at, index, f);
            let frame = Frame {
                context: a.context,
                function: a.f,
                at: at.clone(),
                index,
                locals: locals.clone(),
            };
            self.frames.push(frame);
            let exits = self.enter(f, args, state, context);
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
    }

    /// The functions that a call can mean, each with the state in which it does.
    fn callees(
        &mut self,
        callee: &Callee,
        locals: &Locals,
        state: State,
        instr: &Instr,
    ) -> Vec<(FuncId, State)> {
        match callee {
            Callee::Direct(f) => vec![(*f, state)],
            Callee::Indirect(operand) => {
                let flow = Flow {
                    state,
                    locals: locals.clone(),
                };
                let Value::Scalar(address) = self.operand(&flow, operand) else {
                    return Vec::new();
                };
                self.function_targets(address, flow.state, instr.loc)
            }
        }
    }

    /// Enters a function: the run time's with their special parts, the others as they are.
    fn enter(&mut self, f: FuncId, args: &[Value], state: State, context: u64) -> Vec<Exit> {
        let marks = self.marks;
        if Some(f) == marks.schedule {
            return self.schedule(args, Some(state), Vec::new(), context);
        }
        let is_point = Some(f) == marks.point;
        let is_access = Some(f) == marks.access || Some(f) == marks.also;
        if is_point || is_access || Some(f) == marks.atomic_begin {
            return self.visible_point(f, args, state, context);
        }
        self.call_function(f, args, Some(state), context)
    }

    fn terminator(&mut self, a: &mut Activation<'_>, at: &Instance, flow: Flow) {
        let block = &a.function.blocks[at.block];
        self.instructions += 1;
        match &block.term {
            Terminator::Jump(to) => self.edge(a, at, *to, flow),
            Terminator::Branch {
                cond,
                if_true,
                if_false,
            } => {
                let Value::Scalar(cond) = self.operand(&flow, cond) else {
                    return;
                };
                if if_true == if_false {
                    return self.edge(a, at, *if_true, flow);
                }
                let not = self.terms.not(cond);
                self.branch(a, at, flow, vec![(cond, *if_true), (not, *if_false)]);
            }
            Terminator::Switch {
                value,
                bits,
                cases,
                default,
            } => {
                let Value::Scalar(v) = self.operand(&flow, value) else {
                    return;
                };
                let mut ways: Vec<(Term, BlockId)> = Vec::new();
                let mut none = self.terms.tru();
                for (case, to) in cases {
                    let c = self.terms.constant(*bits, *case);
                    let hit = self.terms.eq(v, c);
                    let miss = self.terms.not(hit);
                    none = self.terms.and(none, miss);
                    match ways.iter_mut().find(|(_, t)| t == to) {
                        Some((w, _)) => *w = self.terms.or(*w, hit),
                        None => ways.push((hit, *to)),
                    }
                }
                match ways.iter_mut().find(|(_, t)| t == default) {
                    Some((w, _)) => *w = self.terms.or(*w, none),
                    None => ways.push((none, *default)),
                }
                self.branch(a, at, flow, ways);
            }
            Terminator::Return(value) => {
                let value = value.as_ref().map(|v| self.operand(&flow, v));
                a.exits.push(Exit {
                    state: flow.state,
                    value,
                });
            }
            Terminator::Unreachable => {
                self.end(&flow.state.guard, EndKind::Undefined, block.term_loc)
            }
            Terminator::Unsupported(what) => {
                self.end(
                    &flow.state.guard,
                    EndKind::Unsupported(what.clone()),
                    block.term_loc,
                );
            }
        }
    }

    fn branch(
        &mut self,
        a: &mut Activation<'_>,
        at: &Instance,
        flow: Flow,
        ways: Vec<(Term, BlockId)>,
    ) {
        if ways.iter().all(|(c, _)| self.terms.as_const(*c).is_none()) {
            let successors: Vec<BlockId> = ways.iter().map(|(_, to)| *to).collect();
            for entry in a.cfg.left_by(at, &successors) {
                let mut iterations = a.cfg.iterations(at);
                iterations.truncate(entry.around.len() + 1);
                a.decided.entry(entry).or_default().insert(iterations);
            }
        }
        if matches!(self.mode, Mode::Path(_)) {
            let last = ways.len() - 1;
            for (n, (cond, to)) in ways.into_iter().enumerate() {
                if n == last || self.decide(&flow.state.guard, cond) {
                    if let Some(guard) = flow.state.guard.and(&mut self.terms, cond) {
                        let state = State {
                            guard,
                            memory: flow.state.memory,
                        };
                        self.edge(
                            a,
                            at,
                            to,
                            Flow {
                                state,
                                locals: flow.locals,
                            },
                        );
                    }
                    return;
                }
            }
            return;
        }
        for (cond, to) in ways {
            if let Some(guard) = flow.state.guard.and(&mut self.terms, cond) {
                let state = State {
                    guard,
                    memory: flow.state.memory.clone(),
                };
                self.edge(
                    a,
                    at,
                    to,
                    Flow {
                        state,
                        locals: flow.locals.clone(),
                    },
                );
            }
        }
    }

    /// Follows an edge; the phis of the target take their values here.
    fn edge(&mut self, a: &mut Activation<'_>, from: &Instance, to: BlockId, mut flow: Flow) {
        let unwind = if self.is_runtime(a.function) {
            RUNTIME_UNWIND
        } else {
            self.limits.unwind
        };
        let decided = &a.decided;
        let may_repeat = |entry: &LoopEntry, iteration: u32| {
            decided.get(entry).map_or(0, |n| n.len() as u32) <= unwind && iteration < MAX_ITERATIONS
        };
        match a.cfg.follow(from, to, may_repeat) {
            Edge::BoundReached => {
                let loc = a.function.blocks[from.block].term_loc;
                self.end(&flow.state.guard, EndKind::UnwindBound, loc);
            }
            Edge::To(at) => {
                let mut values: Vec<(ValueId, Value)> = Vec::new();
                for instr in &a.function.blocks[to].instrs {
                    let Op::Phi(incoming) = &instr.op else { break };
                    let operand = incoming
                        .iter()
                        .find(|(b, _)| *b == from.block)
                        .map(|(_, o)| o);
                    if let (Some(result), Some(operand)) = (instr.result, operand) {
                        values.push((result, self.operand(&flow, operand)));
                    }
                }
                for (result, value) in values {
                    flow.locals.set(result, value);
                }
                a.pending.entry(at).or_default().push(flow);
            }
        }
    }

    /// Records the end of a path.
    pub(super) fn end(&mut self, guard: &Guard, kind: EndKind, loc: Option<LocId>) {
        let guard = guard.term(&mut self.terms);
        if !self.terms.is_false(guard) {
            self.ends.push(End { kind, guard, loc });
        }
    }

    /// Whether a function belongs to the sequentialization's run time: its loops run over bounded tables.
    fn is_runtime(&self, function: &Function) -> bool {
        function.name.starts_with("__kiss_")
    }

    pub(super) fn operand(&mut self, flow: &Flow, operand: &Operand) -> Value {
        match operand {
            Operand::Value(id) => match flow.locals.get(*id) {
                Some(v) => v.clone(),
                // Only unreachable uses have no definition before them.
                None => Value::Scalar(self.terms.constant(64, 0)),
            },
            Operand::Const(c) => self.constant(c),
        }
    }

    pub(super) fn pointer_bits(&self) -> u32 {
        self.program.layout.pointer_bytes * 8
    }

    /// Width in bits of a scalar type (0 for void).
    pub(super) fn width_of(&self, ty: &Type) -> u32 {
        ty.bits(self.program.layout.pointer_bytes).unwrap_or(0)
    }

    /// In path mode: which way to go.
    pub(super) fn decide(&mut self, guard: &Guard, cond: Term) -> bool {
        if self.terms.is_true(cond) {
            return true;
        }
        let not = self.terms.not(cond);
        let can = guard.and(&mut self.terms, cond).is_some();
        let can_not = guard.and(&mut self.terms, not).is_some();
        if !can || !can_not {
            return can;
        }
        let Mode::Path(decisions) = &mut self.mode else {
            return true;
        };
        let n = decisions.used;
        decisions.used += 1;
        if n == decisions.taken.len() {
            decisions.taken.push((true, false));
        }
        decisions.taken[n].0
    }

    /// Reads a global of the run time if its value is constant in this state.
    pub(super) fn peek_constant(
        &mut self,
        memory: &Memory,
        global: Option<GlobalId>,
        bytes: u32,
    ) -> Option<u128> {
        let object = self.global_object(global?);
        let value = self.read_at(memory, object, 0, bytes);
        self.terms.as_const(value)
    }
}

/// An activation being executed.
pub(super) struct Activation<'a> {
    pub f: FuncId,
    pub function: &'a Function,
    pub cfg: &'a Cfg,
    pub context: u64,
    pub pending: BTreeMap<Instance, Vec<Flow>>,
    /// For each loop entered, the iterations in which it was open whether it goes on: these count against the bound.
    pub decided: FxHashMap<LoopEntry, BTreeSet<Vec<u32>>>,
    pub exits: Vec<Exit>,
}

/// A number that names a thing in every run alike.
pub(super) fn hash_of(parts: &impl Hash) -> u64 {
    #[allow(
        deprecated,
        reason = "a fixed hash: names must be the same in every run"
    )]
    let mut h = std::hash::SipHasher::new();
    parts.hash(&mut h);
    h.finish()
}

/// Names one execution of an instruction.
pub(super) fn instance_key(context: u64, at: &Instance, index: usize) -> u64 {
    hash_of(&(context, at, index))
}

/// Names the activation that a call starts.
pub(super) fn callee_context(context: u64, at: &Instance, index: usize, f: FuncId) -> u64 {
    hash_of(&(context, at, index, f.index(), "call"))
}
