//! Functions that calls through pointers enter.

use crate::expr::Term;
use crate::index::FuncId;
use crate::program::{Instr, Op, Type};
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::state::{State, Value};
use crate::symex::memory::objects::Origin;
use crate::symex::memory::pointees::Place;

/// What a call through a pointer of unknown origin leaves out.
const UNKNOWN_FUNCTION: &str = "call through an unknown function pointer";

/// Who a call through a pointer may enter.
#[derive(Default)]
pub(in crate::symex) struct Targets {
    /// Functions, each with the state in which it is the one.
    pub known: Vec<(FuncId, State)>,
    /// States in which it is one that nothing is known of: the call returns anything.
    pub unknown: Vec<State>,
}

impl Executor<'_> {
    /// The functions that an address can mean, each with the state in which it does.
    pub(in crate::symex) fn function_targets(
        &mut self,
        address: Term,
        args: &[Value],
        state: State,
        instr: &Instr,
    ) -> Targets {
        let loc = instr.loc;
        if !instr.own.is_empty() {
            self.bind_functions(address, &instr.own);
        }
        let mut targets = self.objects.resolve(&mut self.terms, address);
        for t in targets.clone().iter() {
            // A pointer that is only called is one like any other.
            if let Place::Unknown(term) = t.place
                && self.bind_pointer(term)
            {
                targets = self.objects.resolve(&mut self.terms, address);
            }
        }
        let mut out = Targets::default();
        let last = targets.len().saturating_sub(1);
        for (n, t) in targets.iter().enumerate() {
            if matches!(self.mode, Mode::Path(_))
                && n != last
                && !self.decide(&state.guard, t.condition)
            {
                continue;
            }
            let Some(guard) = state.guard.and(&mut self.terms, t.condition) else {
                continue;
            };
            if targets.len() > 1 && !self.feasible(&guard) {
                continue;
            }
            match t.place {
                Place::Object(object, _) => match self.objects.get(object).origin {
                    Origin::Function(f) if !self.fits(f, args, instr) => {
                        let name = &self.program.functions[f].name;
                        let what = format!("call of {name} with other types than its own");
                        self.end(&guard, EndKind::Unsupported(what), loc);
                    }
                    Origin::Function(f) => {
                        let memory = state.memory.clone();
                        out.known.push((f, State { guard, memory }));
                    }
                    // The environment's: it may do anything, the least of which is nothing.
                    _ => {
                        self.end(&guard, EndKind::Unsupported(UNKNOWN_FUNCTION.into()), loc);
                        let memory = state.memory.clone();
                        out.unknown.push(State { guard, memory });
                    }
                },
                Place::Invalid(_) => self.end(&guard, EndKind::InvalidAccess, loc),
                Place::Unknown(_) => {
                    self.end(&guard, EndKind::Unsupported(UNKNOWN_FUNCTION.into()), loc);
                }
            }
            if matches!(self.mode, Mode::Path(_)) {
                break;
            }
        }
        out
    }

    /// Whether a function takes arguments of these kinds and returns a result of the expected one: numbers of other widths are extended
    /// or cut, and of a structure all must be as it is.
    pub(in crate::symex) fn fits(&self, f: FuncId, args: &[Value], instr: &Instr) -> bool {
        let function = &self.program.functions[f];
        let bytes = self.program.layout.pointer_bytes;
        let parts = |ty: &Type| match ty {
            Type::Tuple(items) => Some(items.iter().map(|t| t.bits(bytes)).collect()),
            _ => None,
        };
        let given = |value: &Value| match value {
            Value::Scalar(_) => None,
            Value::Tuple(items) => {
                let widths = items.iter().map(|t| Some(self.terms.width(*t)));
                Some(widths.collect::<Vec<_>>())
            }
        };
        let returns = match &instr.op {
            Op::Call { ret, .. } => {
                *ret == Type::Void
                    || parts(ret) == parts(&function.ret) && function.ret != Type::Void
            }
            _ => true,
        };
        let mut each = function.params.iter().zip(args);
        returns && each.all(|(p, arg)| parts(&function.values[*p].ty) == given(arg))
    }
}
