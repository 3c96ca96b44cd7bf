//! What C declares to be an array of small integers: buffers, which hold no pointers.
//!
//! Drivers copy buffers about (`memcpy(wb->buf, buf, count)`) whose contents nobody has stored in this program. Taken for
//! memory of any type, each would hold pointers to objects of its own, and the copies would mix them all.

use crate::index::{DebugTypeId, FuncId, ValueId};
use crate::program::{Const, DebugTypeKind, Function, Op, Operand};

use super::instances::InstanceId;
use super::solver::Solver;

/// Steps followed.
const MAX_DEPTH: u32 = 12;

impl Solver<'_> {
    /// Whether an operand points, by its C type, to integers smaller than a pointer.
    pub fn points_to_numbers(&self, i: InstanceId, operand: &Operand) -> bool {
        self.types.enabled && self.is_numbers(i, operand, 0)
    }

    fn is_numbers(&self, i: InstanceId, operand: &Operand, depth: u32) -> bool {
        let program = self.program;
        let v = match operand {
            Operand::Value(v) if depth < MAX_DEPTH => *v,
            Operand::Value(_) => return false,
            Operand::Const(Const::Addr { global, .. }) => {
                let ty = program.globals[*global].debug_type;
                return ty.is_some_and(|t| self.array_of_numbers(t));
            }
            Operand::Const(_) => return false,
        };
        let instance = &self.instances[i];
        let function = &program.functions[instance.function];
        if let Some(n) = function.params.iter().position(|p| *p == v) {
            return self.parameter_is_numbers(i, function, n, depth);
        }
        match self.definition(instance.function, v) {
            Some(Op::Gep {
                field: Some(field), ..
            }) => self
                .types
                .member_type(field)
                .is_some_and(|t| self.array_of_numbers(t)),
            Some(Op::Gep { base, .. }) => self.is_numbers(i, base, depth + 1),
            Some(Op::Load { ptr, .. }) => self.loaded_is_numbers(instance.function, ptr),
            Some(Op::Phi(items)) => {
                let numbers = |o: &Operand| self.is_numbers(i, o, depth + 1);
                items.iter().any(|(_, o)| numbers(o))
                    && items
                        .iter()
                        .all(|(_, o)| is_self_or_null(o, v) || self.is_numbers(i, o, depth + 4))
            }
            _ => false,
        }
    }

    /// By the declaration, or, where that says `void *`, by what the call passes.
    fn parameter_is_numbers(
        &self,
        i: InstanceId,
        function: &Function,
        n: usize,
        depth: u32,
    ) -> bool {
        let declared = function.param_types.get(n).copied().flatten();
        if declared.is_some_and(|t| self.pointer_to_numbers(t)) {
            return true;
        }
        let Some(place) = self.instances[i].site else {
            return false;
        };
        let caller = &self.program.functions[self.instances[place.instance].function];
        match &caller.blocks[place.block].instrs[place.index as usize].op {
            Op::Call { args, .. } => args
                .get(n)
                .is_some_and(|a| self.is_numbers(place.instance, a, depth + 1)),
            _ => false,
        }
    }

    /// Whether the pointer at that address is declared a pointer to numbers.
    fn loaded_is_numbers(&self, function: FuncId, ptr: &Operand) -> bool {
        let program = self.program;
        let ty = match ptr {
            Operand::Const(Const::Addr {
                global, offset: 0, ..
            }) => program.globals[*global].debug_type,
            Operand::Value(v) => match self.definition(function, *v) {
                Some(Op::Gep {
                    field: Some(field), ..
                }) => self.types.member_type(field),
                _ => None,
            },
            Operand::Const(_) => None,
        };
        ty.is_some_and(|t| self.pointer_to_numbers(t))
    }

    fn pointer_to_numbers(&self, ty: DebugTypeId) -> bool {
        match self.program.debug_types[ty].kind {
            DebugTypeKind::Pointer(Some(to)) => self.types.is_numbers(to),
            _ => false,
        }
    }

    fn array_of_numbers(&self, ty: DebugTypeId) -> bool {
        match self.program.debug_types[ty].kind {
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } => self.types.is_numbers(element),
            _ => false,
        }
    }
}

fn is_self_or_null(operand: &Operand, v: ValueId) -> bool {
    match operand {
        Operand::Value(other) => *other == v,
        Operand::Const(c) => matches!(c, Const::Null | Const::Undef(_)),
    }
}
