//! What other parts of the kernel do with the input: functions that they call, and objects that only these functions hand on.
//!
//! A module that serves others registers what these ask for (`EXPORT_SYMBOL`), and one file of several what the other files ask for.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::creators::reached;
use super::find::module_functions;
use crate::environment::entry::{EntryPoint, Phase};
use crate::index::FuncId;
use crate::program::{Callee, Const, Op, Operand, Program, operands};

/// Functions that something outside the input may call by name: those that it exports, and those with a name outside that nothing in the
/// input refers to.
pub fn called_from_outside(program: &Program) -> Vec<FuncId> {
    let exported: HashSet<FuncId> = module_functions(program).exported.into_iter().collect();
    let within = referred_to(program);
    program
        .functions
        .iter_ids()
        .filter(|(_, f)| f.external && f.is_defined() && !f.is_model)
        .map(|(id, _)| id)
        .filter(|id| exported.contains(id) || !within.contains(id))
        .collect()
}

/// How many functions are named that nobody looks at.
const NAMED: usize = 5;

/// Which functions something outside the input may call that are no entry points: nothing tells when, and beside what. `None`: there are
/// none.
pub fn not_looked_at(program: &Program, entries: &[EntryPoint]) -> Option<String> {
    let is_entry = |name: &str| entries.iter().any(|e| e.function == name);
    let all = called_from_outside(program).into_iter();
    let mut names: Vec<&str> = all.map(|f| program.functions[f].name.as_str()).collect();
    names.retain(|name| !is_entry(name));
    names.sort_unstable();
    let first = *names.first()?;
    let mut said = names[..names.len().min(NAMED)].join(", ");
    if names.len() > NAMED {
        let _ = write!(said, " and {} more", names.len() - NAMED);
    }
    let beside = entries.iter().find(|e| e.phase == Phase::Steady)?;
    Some(format!(
        "functions that only other modules or files call are not looked at: {said} (--entry {first} --entry {} puts two beside each other)",
        beside.function
    ))
}

/// Whether functions, or what they call, name one of the globals or functions, or a constant that does.
pub fn name_one(program: &Program, from: &[FuncId], names: &[&str]) -> bool {
    let is = |value: &Const| match value {
        Const::Addr { global, .. } => names.contains(&program.globals[*global].name.as_str()),
        Const::Func { function, .. } => names.contains(&program.functions[*function].name.as_str()),
        _ => false,
    };
    // Also in what a variable of its own begins as: a constant that it is filled from.
    let named = |value: &Const| {
        let filled = match value {
            Const::Addr { global, .. } => Some(&program.globals[*global]),
            _ => None,
        };
        let filled = filled.filter(|g| g.constant && !g.external);
        let mut cells = filled.iter().flat_map(|g| g.init.iter().flatten());
        is(value) || cells.any(|cell| each(&cell.value, &is))
    };
    let mut found = false;
    for function in reached(program, from) {
        let blocks = &program.functions[function].blocks;
        for instr in blocks.iter().flat_map(|b| &b.instrs) {
            operands(&instr.op, &mut |o| {
                found |= matches!(o, Operand::Const(c) if each(c, &named));
            });
        }
    }
    found
}

/// Whether it is so of a constant or of a part of it.
fn each(value: &Const, is: &dyn Fn(&Const) -> bool) -> bool {
    match value {
        Const::Tuple(parts) => parts.iter().any(|p| each(p, is)),
        other => is(other),
    }
}

/// The functions that code or content of the input names, or calls, other than to keep them.
fn referred_to(program: &Program) -> HashSet<FuncId> {
    let mut found = address_taken(program);
    let instrs = program.functions.iter();
    for instr in instrs.flat_map(|f| f.blocks.iter().flat_map(|b| &b.instrs)) {
        if let Op::Call {
            callee: Callee::Direct(callee),
            ..
        } = &instr.op
        {
            found.insert(*callee);
        }
    }
    found
}

/// The functions whose address code or content of the input has, other than to keep them.
pub(super) fn address_taken(program: &Program) -> HashSet<FuncId> {
    let mut found = HashSet::new();
    let instrs = program.functions.iter();
    for instr in instrs.flat_map(|f| f.blocks.iter().flat_map(|b| &b.instrs)) {
        operands(&instr.op, &mut |o| {
            if let Operand::Const(Const::Func { function, .. }) = o {
                found.insert(*function);
            }
        });
    }
    let keeps = |name: &str| {
        name.starts_with("llvm.")
            || name.starts_with("__UNIQUE_ID_")
            || name.starts_with("__ksymtab_")
    };
    let globals = program.globals.iter().filter(|g| !keeps(&g.name));
    for cell in globals.flat_map(|g| g.init.iter().flatten()) {
        if let Const::Func { function, .. } = cell.value {
            found.insert(function);
        }
    }
    found
}
