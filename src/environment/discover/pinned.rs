//! Entry points that hold a reference of the module: module exit comes when they are over.

use super::{MODULE_EXIT, types};
use crate::environment::entry::{EntryPoint, Exclusion};
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

/// Whether a field of an ops object holds an address (THIS_MODULE). `fops->owner` is a field of the object that `fops` leads to.
pub fn names_module(program: &Program, global: GlobalId, start: i64, field: &str) -> bool {
    match field.split_once("->") {
        None => held(program, global, start, field).is_some(),
        Some((pointer, rest)) => held(program, global, start, pointer)
            .is_some_and(|(to, offset)| names_module(program, to, offset, rest)),
    }
}

/// The address that a field of an object holds from the beginning.
fn held(program: &Program, global: GlobalId, start: i64, field: &str) -> Option<(GlobalId, i64)> {
    let structure = program.globals[global].struct_name.as_deref();
    let debug = types::global_type(program, global);
    let name = debug.map(|t| program.debug_types[t].name.as_str());
    let offset = types::member_offset(program, name.or(structure)?, field)?;
    let offset = i64::try_from(offset).ok()? + start;
    let mut cells = program.globals[global].init.iter().flatten();
    cells.find_map(|cell| match cell.value {
        Const::Addr {
            global: to,
            offset: at,
            ..
        } if i64::try_from(cell.offset).ok() == Some(offset) => Some((to, at)),
        _ => None,
    })
}

/// Module exit runs beside nothing that holds a reference to the module, and not at all in built-in code.
pub fn exclude_exit(entries: &mut [EntryPoint], built_in: bool) {
    let others: Vec<String> = entries.iter().map(|e| e.function.clone()).collect();
    let exits: Vec<String> = entries
        .iter()
        .filter(|e| e.via == MODULE_EXIT)
        .map(|e| e.function.clone())
        .collect();
    for entry in entries {
        if entry.via == MODULE_EXIT && built_in {
            entry.never_beside = others
                .iter()
                .map(|function| Exclusion {
                    function: function.clone(),
                    reason: "built-in code is never unloaded".to_string(),
                })
                .collect();
        }
        // `PINNED` stands for all exit functions until here.
        if entry.never_beside.iter().any(|x| x.function == PINNED) {
            entry.never_beside = exits
                .iter()
                .map(|function| Exclusion {
                    function: function.clone(),
                    reason: "module reference".to_string(),
                })
                .collect();
        }
    }
}
