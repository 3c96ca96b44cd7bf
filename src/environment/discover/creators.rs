//! What makes the devices whose files are opened, where the module's own initialisation does not.
//!
//! A module that serves other drivers registers devices when these call functions that it exports, or when the kernel tells it of a device.
//! Without that, every open fails, and nothing can be said of the operations. So one such function may have run, successfully,
//! before files are opened in the steady scenario.
//!
//! Looked for where a file operation looks numbers up that initialisation never enters, where it reads pointers in a table of
//! the module's (`devices[minor]`) that initialisation never sets, and where initialisation registers no character device at all.
//! One function for each; the objects that it is given are arbitrary.

use std::collections::HashSet;

use crate::environment::entry::{EntryPoint, Phase, Start};
use crate::index::{FuncId, GlobalId};
use crate::program::{Callee, Const, Op, Operand, Program, Type};

use super::types::{Definitions, Target};

/// Functions that find what a number stands for, and those that enter it (include/linux/idr.h, include/linux/xarray.h).
const FINDS: &[&str] = &[
    "idr_find",
    "idr_get_next",
    "idr_for_each",
    "xa_load",
    "xa_find",
];
const ENTERS: &[&str] = &[
    "idr_alloc",
    "idr_alloc_cyclic",
    "idr_alloc_u32",
    "__xa_alloc",
    "__xa_alloc_cyclic",
    "xa_store",
    "__xa_store",
];

/// Functions that register a character device (include/linux/cdev.h, include/linux/miscdevice.h, include/linux/fs.h,
/// include/linux/usb.h, include/sound/core.h), or files of debugfs and /proc.
const REGISTERS: &[&str] = &[
    "cdev_add",
    "cdev_device_add",
    "misc_register",
    "__register_chrdev",
    "usb_register_dev",
    "snd_register_device",
    "debugfs_create_file",
    "proc_create",
    "proc_create_data",
];

/// The functions that may have run before files are opened: of the entry points, or, failing that, of those that are exported.
pub fn creators(program: &Program, entries: &[EntryPoint], exported: &[FuncId]) -> Vec<FuncId> {
    let is_file = |e: &EntryPoint| e.via.starts_with("file_operations.");
    let functions = |of: &dyn Fn(&EntryPoint) -> bool| -> Vec<FuncId> {
        let chosen = entries.iter().filter(|e| e.phase != Phase::Nested && of(e));
        chosen
            .filter_map(|e| program.function_named(&e.function))
            .collect()
    };
    let files = functions(&is_file);
    if files.is_empty() {
        return Vec::new();
    }
    let initial = functions(&|e| e.phase == Phase::Init);
    let init = called(program, &initial);
    let operations = called(program, &files);
    let mut wanted: Vec<&[&str]> = Vec::new();
    if names_one(&operations, FINDS) && !names_one(&init, ENTERS) {
        wanted.push(ENTERS);
    }
    if !names_one(&init, REGISTERS) {
        wanted.push(REGISTERS);
    }
    let told = functions(&|e| e.phase == Phase::Steady && e.start == Start::Any && !is_file(e));
    let mut found = Vec::new();
    let candidates: Vec<FuncId> = told.iter().chain(exported).copied().collect();
    for names in wanted {
        let makes = |f: &&FuncId| names_one(&called(program, &[**f]), names);
        if let Some(f) = candidates.iter().find(makes)
            && !found.contains(f)
        {
            found.push(*f);
        }
    }
    let set = tables(program, &initial, true);
    let mut read: Vec<GlobalId> = tables(program, &files, false).into_iter().collect();
    read.retain(|table| !set.contains(table));
    read.sort_unstable();
    for table in read {
        let sets = |f: &&FuncId| tables(program, &[**f], true).contains(&table);
        if let Some(f) = candidates.iter().find(sets)
            && !found.contains(f)
        {
            found.push(*f);
        }
    }
    found
}

/// The variables without content of their own in which functions, and what they call, find pointers, or (`set`) put them.
fn tables(program: &Program, from: &[FuncId], set: bool) -> HashSet<GlobalId> {
    let mut found = HashSet::new();
    for f in reached(program, from) {
        let function = &program.functions[f];
        let definitions = Definitions::new(function);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let place = match &instr.op {
                Op::Load {
                    ptr, ty: Type::Ptr, ..
                } if !set => ptr,
                Op::Store {
                    ptr,
                    ty: Type::Ptr,
                    value: Operand::Value(_),
                    ..
                } if set => ptr,
                _ => continue,
            };
            found.extend(variable(&definitions, place).filter(|g| is_empty(program, *g)));
        }
    }
    found
}

/// The variable that an address leads into.
fn variable(definitions: &Definitions<'_>, address: &Operand) -> Option<GlobalId> {
    let mut at = address;
    while let Operand::Value(v) = at
        && let Some(Op::Gep { base, .. }) = definitions.of(*v).map(|i| &i.op)
    {
        at = base;
    }
    definitions.targets(at).into_iter().find_map(|t| match t {
        Target::Global(global, _) => Some(global),
        _ => None,
    })
}

/// Whether a variable of the input holds nothing but zeros at first.
fn is_empty(program: &Program, global: GlobalId) -> bool {
    let init = program.globals[global].init.as_ref();
    init.is_some_and(|cells| {
        cells
            .iter()
            .all(|c| matches!(c.value, Const::Null | Const::Int { value: 0, .. }))
    })
}

fn names_one(called: &HashSet<&str>, names: &[&str]) -> bool {
    names.iter().any(|n| called.contains(n))
}

/// The names of all functions that direct calls lead to.
fn called<'a>(program: &'a Program, from: &[FuncId]) -> HashSet<&'a str> {
    let all = reached(program, from).into_iter();
    all.map(|f| program.functions[f].name.as_str()).collect()
}

/// All functions that direct calls lead to.
pub(super) fn reached(program: &Program, from: &[FuncId]) -> HashSet<FuncId> {
    let mut seen: HashSet<FuncId> = from.iter().copied().collect();
    let mut work: Vec<FuncId> = from.to_vec();
    while let Some(f) = work.pop() {
        let instrs = program.functions[f].blocks.iter().flat_map(|b| &b.instrs);
        for instr in instrs {
            if let Op::Call {
                callee: Callee::Direct(callee),
                ..
            } = &instr.op
                && seen.insert(*callee)
            {
                work.push(*callee);
            }
        }
    }
    seen
}
