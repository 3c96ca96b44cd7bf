//! Parameters of a module that only loading it sets: their functions run before initialisation, as no thread.

use super::types::member_offset;
use crate::index::GlobalId;
use crate::program::{Const, Program};

/// Whether a function of these operations of parameters (`kernel_param_ops`) is called while the module is loaded only: no parameter
/// that has them may be written, or read, by its file (kernel/params.c: add_sysfs_param makes one for `perm` other than 0,
/// param_attr_store and param_attr_show are refused by its mode).
pub fn is_over(program: &Program, via: &str, operations: GlobalId) -> bool {
    let mode = match via {
        "kernel_param_ops.set" => 0o222,
        "kernel_param_ops.get" => 0o444,
        _ => return false,
    };
    let member = |name| member_offset(program, "kernel_param", name);
    let (Some(perm), Some(ops)) = (member("perm"), member("ops")) else {
        return false;
    };
    let parameters = program.globals.iter();
    let mut parameters = parameters
        .filter(|g| g.section.as_deref() == Some("__param"))
        .map(|g| g.init.iter().flatten())
        .filter(|cells| {
            let has = |value: &Const| matches!(value, Const::Addr { global, .. } if *global == operations);
            cells.clone().any(|c| c.offset == ops && has(&c.value))
        })
        .peekable();
    parameters.peek().is_some()
        && parameters.all(|mut cells| {
            let allowed = |value: &Const| match value {
                Const::Int { value, .. } => value & mode != 0,
                _ => true,
            };
            !cells.any(|c| c.offset == perm && allowed(&c.value))
        })
}
