//! Blocks: instructions in order, terminators, and the edges to what follows.

use crate::config::{MAX_ITERATIONS, MAX_OPEN_ITERATIONS};
use crate::expr::Term;
use crate::index::{BlockId, ValueId};
use crate::program::{Instr, Op, Terminator};
use crate::symex::machine::activation::Activation;
use crate::symex::machine::behind::After;
use crate::symex::machine::cfg::{Edge, Instance, LoopEntry};
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::state::{Exit, Flow, State, Value};
use crate::symex::machine::switch::Schedule;
use crate::symex::machine::values::instance_key;

/// The run time loops over tables of at most 64 entries.
const RUNTIME_UNWIND: u32 = 65;

/// See [`MAX_OPEN_ITERATIONS`].
const LONG_LOOP: &str = "loop of many rounds, in which others may run, is cut off after 32";

/// Such a loop may have a constant count, which the bound on iterations does not concern.
const UNKNOWN_COUNT: &str = "loop whose count is not followed";

impl Executor<'_> {
    pub(in crate::symex) fn block(
        &mut self,
        schedule: &mut dyn Schedule,
        a: &mut Activation<'_>,
        at: Instance,
        mut flows: Vec<Flow>,
    ) {
        let block = &a.function.blocks[at.block];
        for (index, instr) in block.instrs.iter().enumerate() {
            if matches!(instr.op, Op::Phi(_)) {
                continue;
            }
            let resumes = schedule.resumes();
            let resumed = resumes.is_some_and(|r| r.enters_at(a.context, &at, index));
            if resumed {
                let merged = self.merge_flows(std::mem::take(&mut flows));
                flows = self.call_resumed(schedule, a, &at, index, instr, merged);
                continue;
            }
            if flows.is_empty() {
                continue;
            }
            let mut next = Vec::with_capacity(flows.len());
            for flow in std::mem::take(&mut flows) {
                self.instruction(schedule, a, &at, index, instr, flow, &mut next);
            }
            flows = next;
        }
        for flow in flows {
            self.terminator(a, &at, flow);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one instruction")]
    fn instruction(
        &mut self,
        schedule: &mut dyn Schedule,
        a: &Activation<'_>,
        at: &Instance,
        index: usize,
        instr: &Instr,
        mut flow: Flow,
        next: &mut Vec<Flow>,
    ) {
        if !self.budget.spend(&self.terms) {
            self.end(&flow.state.guard, EndKind::Budget, instr.loc);
            return;
        }
        self.journal_before(a.f, instr, &flow.state);
        self.stack.site = instr.site;
        self.stack.place = Some(After {
            function: a.f,
            block: at.block,
            index,
        });
        match &instr.op {
            Op::Call { callee, args, .. } => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                self.call(schedule, a, at, index, instr, callee, &args, flow, next);
            }
            Op::Primitive { primitive, args } => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                let key = instance_key(a.context, at, index);
                let ty = instr.result.map(|r| &a.function.values[r].ty);
                let value = match self.given(a.f, *primitive, &flow.state) {
                    Some(value) => Some(Some(value)),
                    None => self.primitive(*primitive, &args, key, instr, ty, &mut flow.state),
                };
                if let Some(value) = value {
                    if let (Some(result), Some(value)) = (instr.result, value) {
                        flow.locals.set(result, value);
                    }
                    next.push(flow);
                }
            }
            op => {
                let key = instance_key(a.context, at, index);
                if let Some(value) = self.operation(op, instr, key, &mut flow) {
                    if let (Some(result), Some(value)) = (instr.result, value) {
                        flow.locals.set(result, value);
                    }
                    next.push(flow);
                }
            }
        }
    }

    fn terminator(&mut self, a: &mut Activation<'_>, at: &Instance, flow: Flow) {
        let block = &a.function.blocks[at.block];
        self.budget.instructions += 1;
        self.stack.place = Some(After {
            function: a.f,
            block: at.block,
            index: block.instrs.len(),
        });
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
        self.count_down(a, at, &flow);
        // A way that cannot be taken leaves nothing open (the default of a switch over two values, say).
        let open = ways.iter().filter(|(c, _)| !self.terms.is_false(*c));
        let successors: Vec<BlockId> = open.map(|(_, to)| *to).collect();
        if successors.len() > 1 {
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

    /// A loop that goes round and finds the conditions of its exits as they were waits for another thread, or for ever:
    /// such an iteration counts against the bound like one in which an exit was open. (A model's run is finite as it is.)
    fn count_iteration(&self, a: &mut Activation<'_>, from: &Instance, to: BlockId, flow: &Flow) {
        if matches!(self.mode, Mode::Concrete(_)) {
            return;
        }
        let Some((entry, iteration)) = a.cfg.back_edge(from, to) else {
            return;
        };
        let deciding = a.cfg.deciding(to);
        let shown = deciding.iter().map(|v| flow.locals.get(*v).cloned());
        let before = a.shown.entry(entry.clone()).or_default();
        let first = before
            .entry(shown.collect())
            .or_insert_with(|| iteration.clone());
        if *first != iteration {
            a.decided.entry(entry).or_default().insert(iteration);
        }
    }

    /// Follows an edge; the phis of the target take their values here.
    pub(in crate::symex) fn edge(
        &mut self,
        a: &mut Activation<'_>,
        from: &Instance,
        to: BlockId,
        flow: Flow,
    ) {
        if let Some(mut leaving) = self.leaves_loop(a, from, to, &flow) {
            while let Some(way) = self.terms.way_out(&mut leaving, &flow.state) {
                if let Some((at, to, flow)) = way {
                    self.edge(a, &at, to, flow);
                }
            }
            return;
        }
        let mut flow = flow;
        self.count_iteration(a, from, to, &flow);
        self.count_growth(a, from, to, &flow);
        let unwind = if self.marks().is_own(a.f) {
            RUNTIME_UNWIND
        } else {
            let told = a.function.blocks[from.block].repeats;
            self.budget.limits.unwind.max(told.unwrap_or(0))
        };
        let (decided, counted, grown) = (&a.decided, &a.counted, &a.grown);
        let may_repeat = |entry: &LoopEntry, iteration: u32| {
            let free = |n: &&Vec<u32>| counted.get(entry).is_some_and(|c| c.contains(*n));
            let open = decided
                .get(entry)
                .map_or(0, |all| all.len() - all.iter().filter(free).count());
            let parted = grown.get(entry).map_or(0, |(_, n)| *n);
            open as u32 <= unwind && parted <= MAX_OPEN_ITERATIONS && iteration < MAX_ITERATIONS
        };
        match a.cfg.follow(from, to, may_repeat) {
            Edge::BoundReached => {
                let loc = a.function.blocks[from.block].term_loc;
                let entry = a.cfg.back_edge(from, to).map(|(entry, _)| entry);
                let parted = entry.and_then(|entry| a.grown.get(&entry));
                let kind = match self.counts_to_what_is_not_followed(a, to, &flow) {
                    true => EndKind::Unsupported(UNKNOWN_COUNT.into()),
                    false if parted.is_some_and(|(_, n)| *n > MAX_OPEN_ITERATIONS) => {
                        EndKind::Unsupported(LONG_LOOP.into())
                    }
                    false => EndKind::UnwindBound,
                };
                self.end(&flow.state.guard, kind, loc);
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
}
