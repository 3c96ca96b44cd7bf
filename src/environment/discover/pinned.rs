//! Entry points that hold a reference of the module: module exit comes when they are over.

use super::types;
use crate::environment::entry::Exclusion;
use crate::index::GlobalId;
use crate::program::{Callee, Const, Op, Operand, Program};

/// Marks entry points that hold a module reference, while entries are made.
pub const PINNED: &str = "";

/// That module exit comes when it is over.
pub fn mark() -> Exclusion {
    Exclusion {
        function: PINNED.to_string(),
        reason: String::new(),
    }
}

/// Whether other modules may name a global (EXPORT_SYMBOL): who does has a reference of this module as long as it is loaded.
pub fn is_exported(program: &Program, global: GlobalId) -> bool {
    let keeps = |name: &str| {
        name.starts_with("__UNIQUE_ID___addressable_") || name.starts_with("__ksymtab_")
    };
    program.globals.iter().any(|kept| {
        let cells = kept.init.iter().flatten();
        let mut held = cells.filter_map(|c| match c.value {
            Const::Addr { global, .. } => Some(global),
            _ => None,
        });
        keeps(&kept.name) && held.any(|g| g == global)
    })
}

/// Whether every call of a function, of which there is one, hands on the address of a global (THIS_MODULE).
pub fn hands_module(program: &Program, function: &str, argument: &str) -> bool {
    let Ok(n) = argument.parse::<usize>() else {
        return false;
    };
    let functions = program.functions.iter();
    let mut calls = functions
        .flat_map(|f| f.blocks.iter().flat_map(|b| &b.instrs))
        .filter_map(|i| match &i.op {
            Op::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } if program.functions[*callee].name == function => Some(args.get(n)),
            _ => None,
        })
        .peekable();
    calls.peek().is_some() && calls.all(|a| matches!(a, Some(Operand::Const(Const::Addr { .. }))))
}

/// Whether a field of an ops object holds an address (THIS_MODULE).
pub fn names_module(program: &Program, global: GlobalId, start: i64, field: &str) -> bool {
    let structure = program.globals[global].struct_name.as_deref();
    let debug = types::global_type(program, global);
    let name = debug.map(|t| program.debug_types[t].name.as_str());
    let Some(offset) = name
        .or(structure)
        .and_then(|s| types::member_offset(program, s, field))
    else {
        return false;
    };
    program.globals[global].init.iter().flatten().any(|cell| {
        i64::try_from(cell.offset).ok() == i64::try_from(offset).ok().map(|o| o + start)
            && matches!(cell.value, Const::Addr { .. })
    })
}
