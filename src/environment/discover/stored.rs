//! What the input stores in members of objects that it is handed.

use super::types::Definitions;
use crate::program::{Const, Op, Operand, Program};

/// Whether the input may store anything but 0 in a member.
pub fn may_store(program: &Program, structure: &str, member: &str) -> bool {
    let own = program.functions.iter().filter(|f| !f.is_model);
    own.into_iter().any(|function| {
        let definitions = Definitions::new(function);
        let mut instrs = function.blocks.iter().flat_map(|b| &b.instrs);
        instrs.any(|instr| match &instr.op {
            Op::Store { ptr, value, .. } => {
                let zero = matches!(value, Operand::Const(Const::Int { value: 0, .. }));
                let place = definitions.place(program, ptr);
                !zero && place.is_some_and(|p| p.structure == structure && p.field == member)
            }
            _ => false,
        })
    })
}
