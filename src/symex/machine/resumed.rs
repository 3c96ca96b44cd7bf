//! Calls at which an activation is entered in the middle: what the schedule has set aside there goes on.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::expr::Term;
use crate::index::FuncId;
use crate::program::{Callee, Instr, Op};
use crate::symex::machine::activation::Activation;
use crate::symex::machine::cfg::Instance;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::functions::Targets;
use crate::symex::machine::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::machine::values::{callee_context, instance_key};

/// Where a lane is entered: for each activation the calls.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Resumes(pub FxHashMap<u64, BTreeMap<(Instance, usize), Resume>>);

impl Resumes {
    /// The block instances at which an activation is entered.
    pub fn instances(&self, context: u64) -> Vec<Instance> {
        match self.0.get(&context) {
            Some(places) => places.keys().map(|(at, _)| at.clone()).collect(),
            None => Vec::new(),
        }
    }

    /// Whether an activation is entered at this call.
    pub fn enters_at(&self, context: u64, at: &Instance, index: usize) -> bool {
        !self.0.is_empty()
            && self
                .0
                .get(&context)
                .is_some_and(|places| places.contains_key(&(at.clone(), index)))
    }

    /// What goes on at a call, once.
    pub fn take(&mut self, context: u64, place: &(Instance, usize)) -> Option<Resume> {
        let places = self.0.get_mut(&context);
        places.and_then(|places| places.remove(place))
    }
}

/// Where a lane is entered.
#[derive(Clone, Debug)]
pub(in crate::symex) struct Resume {
    /// Values of the activation.
    pub locals: Locals,
    /// The functions entered by the call there.
    pub callees: BTreeSet<FuncId>,
    /// For a call of `schedule()` itself: what the scheduled thread left.
    pub injected: Option<State>,
    /// The points under this call.
    pub points: BTreeSet<u32>,
    /// The lane before ended at one of them.
    pub here: Term,
}

impl Executor<'_> {
    /// A call at which the current lane is entered: perhaps also met from before.
    pub(in crate::symex) fn call_resumed(
        &mut self,
        schedule: &mut dyn Schedule,
        a: &Activation<'_>,
        at: &Instance,
        index: usize,
        instr: &Instr,
        flow: Option<Flow>,
    ) -> Vec<Flow> {
        let place = (at.clone(), index);
        let resume = schedule.resumes().and_then(|r| r.take(a.context, &place));
        let (Some(resume), Op::Call { callee, args, .. }) = (resume, &instr.op) else {
            return flow.into_iter().collect();
        };
        let (locals, args, targets) = match flow {
            Some(flow) => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                let locals = self
                    .terms
                    .merge_locals(resume.here, &resume.locals, &flow.locals);
                let targets = self.called(callee, &args, flow, instr);
                (locals, args, targets)
            }
            None => (resume.locals, Vec::new(), Targets::default()),
        };
        let mut regular = targets.known;
        let mut callees = resume.callees;
        callees.extend(regular.iter().map(|(f, _)| *f));
        let mut injected = resume.injected.map(|state| (resume.here, state));
        let mut next = Vec::new();
        let key = instance_key(a.context, at, index);
        self.pass_over(instr, key, targets.unknown, &locals, &mut next);
        for f in callees {
            let entry = regular
                .iter()
                .position(|(g, _)| *g == f)
                .map(|n| regular.swap_remove(n).1);
            if let (true, Some(state)) = (self.marks().is_point(f), &entry) {
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
            self.stack.frames.push(frame);
            let passes = entry.is_none() && self.marks().is_point(f) && self.writes_journal();
            let exits = if Some(f) == self.marks().schedule {
                let call = SwitchCall {
                    args: &args,
                    entry,
                    injected: injected.take(),
                    context,
                };
                schedule.at_switch_point(self, call)
            } else {
                self.call_function(schedule, f, &args, entry, context)
            };
            self.stack.frames.pop();
            if passes {
                self.passed_after_all(f, instr, &locals, &exits);
            }
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

    /// Whom a call calls that is met from before.
    fn called(&mut self, callee: &Callee, args: &[Value], flow: Flow, instr: &Instr) -> Targets {
        match callee {
            Callee::Direct(f) => Targets {
                known: vec![(*f, flow.state)],
                ..Targets::default()
            },
            Callee::Indirect(operand) => match self.operand(&flow, operand) {
                Value::Scalar(address) => self.function_targets(address, args, flow.state, instr),
                Value::Tuple(_) => Targets::default(),
            },
        }
    }

    /// In a concrete run: a thread that had stopped before a visible instruction goes on.
    fn passed_after_all(&mut self, f: FuncId, instr: &Instr, locals: &Locals, exits: &[Exit]) {
        let (Op::Call { args, .. }, [exit]) = (&instr.op, exits) else {
            return;
        };
        let flow = Flow {
            state: State::default(),
            locals: locals.clone(),
        };
        let site = args.last().map(|site| self.operand(&flow, site));
        let site = match site {
            Some(Value::Scalar(t)) => self.terms.as_const(t).map(|n| n as usize),
            _ => None,
        };
        let site = site.filter(|n| *n < self.program.sites.len());
        let thread = self.thread(&exit.state);
        let before = self.journal_resumed(thread, site);
        self.journal_passed(before, exits, self.is_step(f, site));
    }
}
