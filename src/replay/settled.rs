//! Variables that never hold anything else than what they begin with, although the program writes them.

use crate::index::GlobalId;
use crate::program::{Const, InitCell, Op, Operand, Program, Terminator, operands};

/// Whether nobody else can name a global, and all that is done with it is to read it and to store in it what stands there from the beginning.
pub(super) fn is_settled(program: &Program, global: GlobalId) -> bool {
    let Some(init) = &program.globals[global].init else {
        return false;
    };
    if program.globals[global].external {
        return false;
    }
    let bytes = program.layout.pointer_bytes;
    let named = |value: &Const| names(value, global);
    let elsewhere = |cells: &[InitCell]| cells.iter().any(|c| named(&c.value));
    if program
        .globals
        .iter()
        .any(|g| elsewhere(g.init.as_deref().unwrap_or_default()))
    {
        return false;
    }
    program
        .functions
        .iter()
        .flat_map(|f| f.blocks.iter())
        .all(|block| {
            let ends = match &block.term {
                Terminator::Return(Some(Operand::Const(value))) => !named(value),
                _ => true,
            };
            ends && block.instrs.iter().all(|instr| match &instr.op {
                Op::Load { .. } => true,
                Op::Store { ptr, value, ty, .. } => {
                    let Operand::Const(Const::Addr {
                        global: at, offset, ..
                    }) = ptr
                    else {
                        return !is_named(value, global);
                    };
                    !is_named(value, global)
                        && (*at != global
                            || stands_there(init, *offset, value, ty.store_bytes(bytes)))
                }
                op => {
                    let mut free = true;
                    operands(op, &mut |operand| free &= !is_named(operand, global));
                    free
                }
            })
        })
}

fn is_named(operand: &Operand, global: GlobalId) -> bool {
    matches!(operand, Operand::Const(value) if names(value, global))
}

/// Whether a constant contains the address of a global.
fn names(value: &Const, global: GlobalId) -> bool {
    let mut parts = vec![value];
    while let Some(part) = parts.pop() {
        match part {
            Const::Addr { global: g, .. } if *g == global => return true,
            Const::Tuple(inner) => parts.extend(inner),
            _ => {}
        }
    }
    false
}

/// Whether an initialiser has that constant at that place; what no cell covers is 0.
fn stands_there(init: &[InitCell], offset: i64, value: &Operand, bytes: u64) -> bool {
    let (Operand::Const(value), Ok(offset)) = (value, u64::try_from(offset)) else {
        return false;
    };
    let mut cells = init
        .iter()
        .filter(|c| c.offset < offset + bytes && offset < c.offset + u64::from(c.size));
    match (cells.next(), cells.next(), value) {
        (None, _, Const::Int { value: 0, .. } | Const::Null) => true,
        (
            Some(cell),
            None,
            Const::Int { .. } | Const::Addr { .. } | Const::Func { .. } | Const::Null,
        ) => cell.offset == offset && u64::from(cell.size) == bytes && cell.value == *value,
        _ => false,
    }
}
