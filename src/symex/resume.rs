//! Where a lane is entered: in the middle of activations, at the calls within which the lane before was left.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::cfg::Instance;
use super::exec::{Activation, Executor, callee_context, instance_key};
use super::functions::Targets;
use super::lanes::SwitchPoint;
use super::state::{Exit, Flow, Frame, Locals, State, Value};
use crate::expr::Term;
use crate::index::FuncId;
use crate::program::{Callee, Instr, Op};

/// Where a lane is entered: for each activation the calls.
pub(super) type Resumes = FxHashMap<u64, BTreeMap<(Instance, usize), Resume>>;

/// Where a lane is entered.
#[derive(Clone, Debug)]
pub(super) struct Resume {
    /// Values of the activation.
    locals: Locals,
    /// The functions entered by the call there.
    callees: BTreeSet<FuncId>,
    /// For a call of `schedule()` itself: what the scheduled thread left.
    injected: Option<State>,
    /// The points under this call.
    points: BTreeSet<u32>,
    /// The lane before ended at one of them.
    here: Term,
}

impl Executor<'_> {
    /// A lane that is entered at each of these points, in the state that goes with it, if there is one.
    pub(super) fn resumes_at_points(
        &mut self,
        number: Term,
        points: Vec<SwitchPoint>,
        states: Vec<Option<State>>,
    ) -> Resumes {
        let mut map = Resumes::default();
        let all: BTreeSet<u32> = points.iter().map(|p| self.number_at(p)).collect();
        for (point, state) in points.into_iter().zip(states) {
            let Some(state) = state else { continue };
            let depth = point.frames.len();
            let own = self.number_at(&point);
            for (n, frame) in point.frames.iter().enumerate() {
                let callee = point
                    .frames
                    .get(n + 1)
                    .map(|f| f.function)
                    .or(self.marks().schedule);
                let never = self.terms.fals();
                let resume = map
                    .entry(frame.context)
                    .or_default()
                    .entry((frame.at.clone(), frame.index))
                    .or_insert_with(|| Resume {
                        locals: frame.locals.clone(),
                        callees: BTreeSet::new(),
                        injected: None,
                        points: BTreeSet::new(),
                        here: never,
                    });
                resume.callees.extend(callee);
                resume.points.insert(own);
                if n + 1 == depth {
                    resume.injected = Some(state.clone());
                }
            }
        }
        for resume in map.values_mut().flat_map(BTreeMap::values_mut) {
            resume.here = self.is_among(number, &resume.points, &all);
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
        let (locals, args, targets) = match flow {
            Some(flow) => {
                let args: Vec<Value> = args.iter().map(|x| self.operand(&flow, x)).collect();
                let locals = self.merge_locals(resume.here, &resume.locals, &flow.locals);
                let targets = match callee {
                    Callee::Direct(f) => Targets {
                        known: vec![(*f, flow.state)],
                        ..Targets::default()
                    },
                    Callee::Indirect(operand) => match self.operand(&flow, operand) {
                        Value::Scalar(address) => {
                            self.function_targets(address, &args, flow.state, instr)
                        }
                        Value::Tuple(_) => Targets::default(),
                    },
                };
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
            self.frames.push(frame);
            let passes = entry.is_none() && self.marks().is_point(f) && self.writes_journal();
            let exits = if Some(f) == self.marks().schedule {
                self.schedule(&args, entry, injected.take(), context)
            } else {
                self.call_function(f, &args, entry, context)
            };
            self.frames.pop();
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
