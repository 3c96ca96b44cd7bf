//! Function pointers that code hands on: arguments of calls, stores into fields, also through functions that pass a parameter
//! on, and through tables of the input's own; and those whose address is taken and goes nowhere known.

use std::collections::{HashMap, HashSet};

use super::Found;
use super::find::Search;
use super::tables::Tables;
use super::types::{Definitions, Target, global_type, place_at, pointee};
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Instr, Op, Operand, operands};

/// `via` of a function pointer stored where nothing is known of the place.
pub const UNKNOWN_PLACE: &str = "(unknown place)";

/// Where a function pointer ends up.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sink {
    /// `struct.field` or `function#argument`.
    via: String,
    /// The global that holds it, and where in it the innermost struct starts.
    holder: Option<(GlobalId, i64)>,
    /// The registering call.
    call: Option<String>,
    /// Why only the input itself calls it.
    own: Option<String>,
}

/// One step of a function pointer.
struct Step {
    /// The function that takes it.
    inside: FuncId,
    /// The pointer.
    what: Target,
    /// Where it goes.
    to: To,
}

enum To {
    Sink(Sink),
    /// A parameter of a function of the input.
    Parameter(FuncId, usize),
}

impl Search<'_> {
    /// Function pointers that calls and stores hand on.
    pub(super) fn flows(&self) -> Vec<Found> {
        let mut steps = Vec::new();
        let tables = Tables::of(self.program, self.rules);
        for (inside, function) in self.bodies() {
            let definitions = Definitions::new(function);
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                for (what, to) in self.steps(&definitions, instr) {
                    steps.push(Step { inside, what, to });
                }
                for (function, to) in self.taken_from_tables(&tables, &definitions, instr) {
                    let what = Target::Function(function);
                    steps.push(Step { inside, what, to });
                }
            }
        }
        // Parameter `n` of a function ends up in these places.
        let mut forwards: HashMap<(FuncId, usize), Vec<Sink>> = HashMap::new();
        let ends = |forwards: &HashMap<_, Vec<Sink>>, to: &To| match to {
            To::Sink(sink) => vec![sink.clone()],
            To::Parameter(f, n) => forwards.get(&(*f, *n)).cloned().unwrap_or_default(),
        };
        loop {
            let mut changed = false;
            for step in &steps {
                let Target::Parameter(p) = step.what else {
                    continue;
                };
                for sink in ends(&forwards, &step.to) {
                    let list = forwards.entry((step.inside, p)).or_default();
                    if !list.contains(&sink) {
                        list.push(sink);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut found = Vec::new();
        for step in &steps {
            let Target::Function(function) = step.what else {
                continue;
            };
            if !self.defined(function) {
                continue;
            }
            for sink in ends(&forwards, &step.to) {
                // Where nothing else is known, the type of the first parameter tells what a function is for.
                let open = sink.own.is_none() || sink.via == UNKNOWN_PLACE;
                let signature = match self.rules.place(&sink.via) {
                    None if open && sink.call.is_none() => self.by_signature(function),
                    _ => None,
                };
                found.push(Found {
                    function,
                    via: signature.map_or(sink.via, str::to_string),
                    holder: sink.holder,
                    call: sink.call,
                    own: sink.own.filter(|_| signature.is_none()),
                });
            }
        }
        found
    }

    /// Where an instruction takes function pointers.
    fn steps(&self, definitions: &Definitions<'_>, instr: &Instr) -> Vec<(Target, To)> {
        let mut steps = Vec::new();
        match &instr.op {
            Op::Store { ptr, value, .. } => {
                let targets = definitions.targets(value);
                if !targets.is_empty() {
                    let sink = self.stored(definitions, ptr);
                    for target in targets {
                        let mut sink = sink.clone();
                        // What a function is given and keeps where nothing is known: its own business, as a rule.
                        if sink.via == UNKNOWN_PLACE && matches!(target, Target::Parameter(_)) {
                            sink.own = Some("kept by the input itself".to_string());
                        }
                        steps.push((target, To::Sink(sink)));
                    }
                }
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(pointer) = callee {
                    for target in definitions.targets(pointer) {
                        let own = Some("called by the input itself".to_string());
                        let via = "call".to_string();
                        steps.push((
                            target,
                            To::Sink(Sink {
                                via,
                                holder: None,
                                call: None,
                                own,
                            }),
                        ));
                    }
                }
                for (n, arg) in args.iter().enumerate() {
                    for target in definitions.targets(arg) {
                        if let Some(to) = self.argument(definitions, callee, n) {
                            steps.push((target, to));
                        }
                    }
                }
            }
            _ => {}
        }
        steps
    }

    /// Where an instruction hands on a function that was taken from a table: to others, or to a function of the input.
    fn taken_from_tables(
        &self,
        tables: &Tables,
        definitions: &Definitions<'_>,
        instr: &Instr,
    ) -> Vec<(FuncId, To)> {
        let taken = |value: &Operand| tables.loaded(self.program, definitions, value);
        let mut steps = Vec::new();
        match &instr.op {
            Op::Store { ptr, value, .. } => {
                for function in taken(value) {
                    let sink = self.stored(definitions, ptr);
                    if sink.own.is_none() && sink.via != UNKNOWN_PLACE {
                        steps.push((function, To::Sink(sink)));
                    }
                }
            }
            Op::Call { callee, args, .. } => {
                for (n, arg) in args.iter().enumerate() {
                    for function in taken(arg) {
                        let to = self.argument(definitions, callee, n);
                        steps.extend(to.map(|to| (function, to)));
                    }
                }
            }
            _ => {}
        }
        steps
    }

    /// Argument `n` of a call; `None` for calls that keep nothing.
    fn argument(&self, definitions: &Definitions<'_>, callee: &Callee, n: usize) -> Option<To> {
        let sink = |name: String| {
            To::Sink(Sink {
                via: format!("{name}#{n}"),
                holder: None,
                call: Some(name),
                own: None,
            })
        };
        match callee {
            Callee::Direct(f) => {
                let name = &self.program.functions[*f].name;
                if name.starts_with("llvm.") || name.starts_with("__irkiss_") {
                    return None;
                }
                let known = self.rules.place(&format!("{name}#{n}")).is_some();
                Some(if self.defined(*f) && !known {
                    To::Parameter(*f, n)
                } else {
                    sink(name.clone())
                })
            }
            // A call through a field: what the field's functions do with it is unknown.
            Callee::Indirect(Operand::Value(value)) => {
                let place = match definitions.of(*value).map(|i| &i.op) {
                    Some(Op::Load { ptr, .. }) => definitions.place(self.program, ptr),
                    _ => None,
                };
                Some(sink(
                    place.map_or_else(|| "(indirect call)".to_string(), |p| p.name()),
                ))
            }
            Callee::Indirect(_) => None,
        }
    }

    /// The place that a store writes.
    fn stored(&self, definitions: &Definitions<'_>, address: &Operand) -> Sink {
        let place = definitions.place(self.program, address);
        let holder = match definitions.targets(address).as_slice() {
            [Target::Global(global, offset)] => self.holder_of(*global, *offset),
            _ => None,
        };
        Sink {
            via: place
                .as_ref()
                .map_or_else(|| UNKNOWN_PLACE.to_string(), |p| p.name()),
            holder,
            call: None,
            own: place.and_then(|p| self.own(&p)),
        }
    }

    /// The object in a global to which the field at `offset` belongs.
    fn holder_of(&self, global: GlobalId, offset: i64) -> Option<(GlobalId, i64)> {
        let place = place_at(
            self.program,
            global_type(self.program, global)?,
            u64::try_from(offset).ok()?,
        )?;
        Some((global, i64::try_from(place.start).ok()?))
    }

    /// What a function is by the type of its first parameter, where the place of its address says nothing.
    pub(super) fn by_signature(&self, function: FuncId) -> Option<&'static str> {
        let f = &self.program.functions[function];
        let first = (*f.param_types.first()?)?;
        let target = pointee(self.program, first)?;
        match (
            self.program.debug_types[target].name.as_str(),
            f.params.len(),
        ) {
            ("work_struct", 1) => Some("work_struct.func"),
            ("timer_list", 1) => Some("timer_list.function"),
            ("hrtimer", 1) => Some("hrtimer.function"),
            ("tasklet_struct", 1) => Some("tasklet_struct.callback"),
            ("urb", 1) => Some("urb.complete"),
            ("virtqueue", 1) => Some("virtqueue.callback"),
            ("callback_head", 1) => Some("call_rcu#1"),
            _ => None,
        }
    }

    /// Functions whose address is taken somewhere, and that no place was found for: whoever calls them is in the input.
    pub(super) fn rest(&self) -> Vec<Found> {
        let mut seen: HashSet<FuncId> = self.found.iter().map(|f| f.function).collect();
        let mut rest = Vec::new();
        let mut take = |operand: &Operand| {
            if let Operand::Const(Const::Func { function, .. }) = operand
                && self.defined(*function)
                && seen.insert(*function)
            {
                rest.push(*function);
            }
        };
        for (_, function) in self.bodies() {
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                operands(&instr.op, &mut take);
            }
        }
        rest.into_iter()
            .map(|function| Found {
                function,
                via: "address".to_string(),
                holder: None,
                call: None,
                own: Some("its address stays in the input".to_string()),
            })
            .collect()
    }
}
