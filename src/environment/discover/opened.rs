//! Functions that the opening of a file hands over: whose operations open it.

use super::Found;
use super::objects::is_called;
use super::types::{global_type, member_offset, place_at};
use crate::environment::entry::Parameter;
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Function, Op, Operand, Program};

/// Where the functions stand that open files.
const OPENS: [&str; 2] = ["file_operations.open", "proc_ops.proc_open"];

/// The operations, with their offset in a global, whose function for opening hands a function over; `None` where it is not those of one file
/// alone.
pub fn operations(program: &Program, found: &Found) -> Option<(GlobalId, i64)> {
    let (registers, _) = found.via.split_once('#')?;
    if found.holder.is_some() || !is_called(program, registers) {
        return None;
    }
    let hands = |f: &Function| hands_over(program, f, registers, found.function);
    let openers: Vec<FuncId> = program
        .functions
        .iter_ids()
        .filter(|(_, f)| f.is_defined() && !f.is_model && hands(f))
        .map(|(id, _)| id)
        .collect();
    let [opener] = openers[..] else { return None };
    let mut at = Vec::new();
    for (id, global) in program.globals.iter_ids() {
        let cells = global.init.iter().flatten();
        for cell in
            cells.filter(|c| matches!(c.value, Const::Func { function, .. } if function == opener))
        {
            let ty = global_type(program, id)?;
            let place = place_at(program, ty, cell.offset)?;
            if !OPENS.contains(&place.name().as_str()) {
                return None;
            }
            at.push((id, i64::try_from(place.start).ok()?));
        }
    }
    match at[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Whether a function calls another one with the address of a third.
fn hands_over(program: &Program, f: &Function, registers: &str, function: FuncId) -> bool {
    let is = |a: &Operand| matches!(a, Operand::Const(Const::Func { function: f, .. }) if *f == function);
    let instrs = f.blocks.iter().flat_map(|b| &b.instrs);
    instrs.into_iter().any(|i| match &i.op {
        Op::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } => program.functions[*callee].name == registers && args.iter().any(is),
        _ => false,
    })
}

/// What registration puts into the inode of such a file; where that is not known, what is told of it elsewhere.
pub fn data(program: &Program, operations: Option<(GlobalId, i64)>) -> Parameter {
    let at = member_offset(program, "inode", "i_private");
    match (operations, at) {
        (Some((ops, _)), Some(at)) => {
            Parameter::Kept(format!("{}.inode", program.globals[ops].name), at)
        }
        _ => Parameter::Typed {
            name: String::new(),
            by_rule: false,
        },
    }
}
