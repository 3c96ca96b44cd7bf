//! Calls: one activation from its entry to its ways out, and what a call can enter.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::index::{FuncId, LocId};
use crate::program::{Callee, Instr, Op, Type};
use crate::symex::machine::activation::Activation;
use crate::symex::machine::cfg::{Cfg, Instance};
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::functions::Targets;
use crate::symex::machine::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::machine::values::{callee_context, instance_key};

/// The blocks of a function, or why it has none that can be executed.
type Blocks = Arc<Result<Cfg, String>>;

/// The values of `raise` and of the probe flag, as far as they are constant.
type Class = (Option<u128>, Option<u128>);

impl Executor<'_> {
    /// Executes one activation. `entry`: the state in which it starts, if it does; in a later lane it may also be
    /// entered in the middle, at the switch points of the lane before.
    pub(in crate::symex) fn call_function(
        &mut self,
        schedule: &mut dyn Schedule,
        f: FuncId,
        args: &[Value],
        entry: Option<State>,
        context: u64,
    ) -> Vec<Exit> {
        let program = self.program;
        let function = &program.functions[f];
        let cfg = match self.entered(f) {
            Ok(cfg) => cfg,
            Err((kind, loc)) => {
                if let Some(state) = entry {
                    self.end(&state.guard, kind, loc);
                }
                return Vec::new();
            }
        };
        let Ok(cfg) = cfg.as_ref() else {
            return Vec::new();
        };
        let mut pending: BTreeMap<Instance, Vec<Flow>> = BTreeMap::new();
        if let Some(state) = entry {
            let mut locals = Locals::new(function.values.len());
            for (p, a) in function.params.iter().zip(args) {
                locals.set(*p, a.clone());
            }
            pending.insert(cfg.entry(), vec![Flow { state, locals }]);
        }
        let resumed = schedule.resumes().map(|r| r.instances(context));
        for at in resumed.into_iter().flatten() {
            pending.entry(at).or_default();
        }
        let mut activation = Activation {
            f,
            function,
            cfg,
            context,
            pending,
            decided: FxHashMap::default(),
            shown: FxHashMap::default(),
            counted: FxHashMap::default(),
            grown: FxHashMap::default(),
            exits: Vec::new(),
        };
        while let Some((at, flows)) = activation.pending.pop_first() {
            if self.budget.ran_out {
                break;
            }
            let flows = self.merge_by_class(flows);
            self.block(schedule, &mut activation, at, flows);
        }
        let exits = std::mem::take(&mut activation.exits);
        self.join_exits(exits)
    }

    /// The blocks of a function that is called, or how executions end that call it, and where.
    fn entered(&mut self, f: FuncId) -> Result<Blocks, (EndKind, Option<LocId>)> {
        let function = &self.program.functions[f];
        if !function.is_defined() {
            let what = format!("call of {}, which has no body", function.name);
            return Err((EndKind::Unsupported(what), None));
        }
        let run = self.marks().run;
        self.stack.runs |= Some(f) == run;
        let frames = self.stack.frames.iter().rev();
        let own = frames.take_while(|fr| Some(fr.function) != run);
        let depth = own.filter(|fr| fr.function == f).count() as u32;
        if depth > self.budget.limits.recursion && !self.marks().is_own(f) {
            return Err((EndKind::RecursionBound, function.loc));
        }
        if self.stack.frames.len() >= self.budget.limits.depth {
            let what = format!("calls nested more than {} deep", self.budget.limits.depth);
            return Err((EndKind::Unsupported(what), function.loc));
        }
        let cfg = self.cfg(f);
        match cfg.as_ref() {
            Ok(_) => Ok(cfg),
            Err(why) => Err((EndKind::Unsupported(why.clone()), function.loc)),
        }
    }

    /// The class of a state: what it will do next depends on it more than on anything else.
    fn class(&mut self, state: &State) -> Class {
        (
            self.peek_constant(&state.memory, self.marks().raise, 1),
            self.peek_constant(&state.memory, self.marks().probe, 1),
        )
    }

    /// Merges flows that meet, except that raised and unraised, probing and not probing stay apart.
    fn merge_by_class(&mut self, mut flows: Vec<Flow>) -> Vec<Flow> {
        if flows.len() < 2 {
            return flows;
        }
        let mut classes: Vec<(Class, Vec<Flow>)> = Vec::new();
        for flow in flows.drain(..) {
            let class = self.class(&flow.state);
            match classes.iter_mut().find(|(c, _)| *c == class) {
                Some((_, list)) => list.push(flow),
                None => classes.push((class, vec![flow])),
            }
        }
        classes
            .into_iter()
            .filter_map(|(_, list)| self.merge_flows(list))
            .collect()
    }

    /// Merges the ways out, by class.
    fn join_exits(&mut self, exits: Vec<Exit>) -> Vec<Exit> {
        let mut classes: Vec<(Class, Vec<Exit>)> = Vec::new();
        for exit in exits {
            let class = self.class(&exit.state);
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
                    (Some(x), Some(y)) if x != y => Some(self.terms.choose(selector, x, y)),
                    (Some(x), _) => Some(x.clone()),
                    (None, y) => y.clone(),
                };
                all = Exit { state, value };
            }
            out.push(all);
        }
        out
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(in crate::symex) fn call(
        &mut self,
        schedule: &mut dyn Schedule,
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
        let targets = self.callees(callee, args, &locals, state, instr);
        let key = instance_key(a.context, at, index);
        self.pass_over(instr, key, targets.unknown, &locals, next);
        for (f, state) in targets.known {
            let context = callee_context(a.context, at, index, f);
            if let Some(value) = self.left_call(f, context) {
                let mut locals = locals.clone();
                if let (Some(result), Some(value)) = (instr.result, value) {
                    locals.set(result, value);
                }
                next.push(Flow { state, locals });
                continue;
            }
            let frame = Frame {
                context: a.context,
                function: a.f,
                at: at.clone(),
                index,
                locals: locals.clone(),
            };
            self.stack.frames.push(frame);
            let fitted = self.fitted(f, args);
            let exits = self.enter(schedule, f, &fitted, state, context);
            self.stack.frames.pop();
            for exit in exits {
                let mut locals = locals.clone();
                let value = exit.value.map(|v| self.fitted_result(v, instr));
                if let (Some(result), Some(value)) = (instr.result, value) {
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
        args: &[Value],
        locals: &Locals,
        state: State,
        instr: &Instr,
    ) -> Targets {
        match callee {
            Callee::Direct(f) => Targets {
                known: vec![(*f, state)],
                ..Targets::default()
            },
            Callee::Indirect(operand) => {
                let flow = Flow {
                    state,
                    locals: locals.clone(),
                };
                let Value::Scalar(address) = self.operand(&flow, operand) else {
                    return Targets::default();
                };
                self.function_targets(address, args, flow.state, instr)
            }
        }
    }

    /// Goes on after a call of a function that nothing is known of.
    pub(in crate::symex) fn pass_over(
        &mut self,
        instr: &Instr,
        key: u64,
        states: Vec<State>,
        locals: &Locals,
        next: &mut Vec<Flow>,
    ) {
        for state in states {
            let mut locals = locals.clone();
            if let (Some(result), Op::Call { ret, .. }) = (instr.result, &instr.op) {
                let value = self.any_result(ret, key, &state);
                locals.set(result, value);
            }
            next.push(Flow { state, locals });
        }
    }

    /// What a function that nothing is known of returns: any number of at most 64 bits; zero, if it is something else.
    fn any_result(&mut self, ret: &Type, key: u64, state: &State) -> Value {
        let bytes = self.program.layout.pointer_bytes;
        match ret {
            Type::Int(bits) | Type::Float(bits) if *bits <= 64 => {
                let value = self.input(key, *bits, "nondet");
                self.journal_nondet(state, self.terms.as_const(value));
                Value::Scalar(value)
            }
            Type::Tuple(items) => {
                let widths = items.iter().map(|t| t.bits(bytes).unwrap_or(1));
                Value::Tuple(widths.map(|w| self.terms.constant(w, 0)).collect())
            }
            scalar => Value::Scalar(self.terms.constant(scalar.bits(bytes).unwrap_or(1), 0)),
        }
    }

    /// The arguments as the parameters have them; what is missing is zero, as all that is undefined.
    fn fitted(&mut self, f: FuncId, args: &[Value]) -> Vec<Value> {
        let program = self.program;
        let function = &program.functions[f];
        let mut fitted = args.to_vec();
        for (n, p) in function.params.iter().enumerate() {
            let Some(width) = self.scalar_width(&function.values[*p].ty) else {
                continue;
            };
            match fitted.get(n) {
                Some(Value::Scalar(t)) => fitted[n] = Value::Scalar(self.terms.resize(*t, width)),
                Some(Value::Tuple(_)) => {}
                None => fitted.push(Value::Scalar(self.terms.constant(width, 0))),
            }
        }
        fitted
    }

    /// A result as the call expects it.
    fn fitted_result(&mut self, value: Value, instr: &Instr) -> Value {
        match (&value, &instr.op) {
            (Value::Scalar(t), Op::Call { ret, .. }) => match self.scalar_width(ret) {
                Some(width) => Value::Scalar(self.terms.resize(*t, width)),
                None => value,
            },
            _ => value,
        }
    }

    fn scalar_width(&self, ty: &Type) -> Option<u32> {
        ty.bits(self.program.layout.pointer_bytes)
    }

    /// Enters a function: the run time's with their special parts, the others as they are.
    pub(in crate::symex) fn enter(
        &mut self,
        schedule: &mut dyn Schedule,
        f: FuncId,
        args: &[Value],
        state: State,
        context: u64,
    ) -> Vec<Exit> {
        let marks = self.marks();
        if Some(f) == marks.schedule {
            let call = SwitchCall {
                args,
                entry: Some(state),
                injected: None,
                context,
            };
            return schedule.at_switch_point(self, call);
        }
        if self.is_left_out(f, &state) {
            return vec![Exit { state, value: None }];
        }
        if marks.is_point(f) {
            return self.visible_point(schedule, f, args, state, context);
        }
        self.call_function(schedule, f, args, Some(state), context)
    }
}
