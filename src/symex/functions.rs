//! Functions that calls through pointers enter.

use super::ends::EndKind;
use super::exec::{Executor, Mode};
use super::objects::Origin;
use super::state::{State, Value};
use super::targets::Place;
use crate::expr::Term;
use crate::index::FuncId;
use crate::program::Instr;

/// What a call through a pointer of unknown origin leaves out.
const UNKNOWN_FUNCTION: &str = "call through an unknown function pointer";

/// Who a call through a pointer may enter.
#[derive(Default)]
pub(super) struct Targets {
    /// Functions, each with the state in which it is the one.
    pub known: Vec<(FuncId, State)>,
    /// States in which it is one that nothing is known of: the call returns anything.
    pub unknown: Vec<State>,
}

impl Executor<'_> {
    /// The functions that an address can mean, each with the state in which it does.
    pub(super) fn function_targets(
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
}
