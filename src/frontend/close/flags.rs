//! Objects of type `sig_atomic_t` (C17 7.14): their volatile accesses cannot be torn by a handler of a signal, which is what programs
//! use them for, and count as atomic ones where a handler accesses the object. Between threads alone they are nothing of the kind.

use std::collections::HashSet;

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMTypeKind};

use crate::frontend::llvm::debug_info::{DebugInfo, Md};
use crate::frontend::llvm::raw::{LLVMOpcode, Val, functions, globals};

/// How C libraries name the type.
const NAMES: &[&str] = &["sig_atomic_t", "__sig_atomic_t"];

/// Makes such accesses atomic.
pub fn mark_signal_flags(module: &Module<'_>) {
    let info = DebugInfo::new(module);
    let handlers = run_by_handlers(module);
    for global in globals(module) {
        if !info.global(global).is_some_and(is_flag) {
            continue;
        }
        let by_handler = |user: Val<'_>| handlers.iter().any(|h| accesses(*h, user));
        if !global.users().into_iter().any(by_handler) {
            continue;
        }
        for user in global.users() {
            let place = match user.opcode() {
                Some(LLVMOpcode::LLVMLoad) => user.operand(0),
                Some(LLVMOpcode::LLVMStore) => user.operand(1),
                _ => None,
            };
            unsafe {
                if place == Some(global) && LLVMGetVolatile(user.raw()) != 0 {
                    let relaxed = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
                    LLVMSetOrdering(user.raw(), relaxed);
                }
            }
        }
    }
}

/// Whether an instruction is one of a function.
fn accesses(function: Val<'_>, instruction: Val<'_>) -> bool {
    let mut all = function.blocks().into_iter().flat_map(|b| b.instructions());
    all.any(|i| i == instruction)
}

/// Functions that may be handlers of signals, by their types and because something else than a call names them, and what they call.
fn run_by_handlers<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    let may_be = |f: &Val<'m>| {
        let named = |u: &Val<'m>| u.callee() != Some(*f);
        is_of_handlers(*f) && !f.is_declaration() && f.users().iter().any(named)
    };
    let mut found: Vec<Val<'m>> = functions(module).into_iter().filter(may_be).collect();
    let mut seen: HashSet<Val<'m>> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(function) = found.get(next).copied() {
        next += 1;
        for at in function.blocks().into_iter().flat_map(|b| b.instructions()) {
            let callee = at.callee().filter(|f| !f.is_declaration());
            found.extend(callee.filter(|f| seen.insert(*f)));
        }
    }
    found
}

/// Whether a function has the type of a handler: `void (int)`, or with `SA_SIGINFO` `void (int, siginfo_t *, void *)`.
fn is_of_handlers(function: Val<'_>) -> bool {
    let ty = function.global_type();
    let params = ty.params();
    let bits = |n: usize| params.get(n).map_or(0, |p| p.int_bits());
    let pointer = |n: usize| params.get(n).is_some_and(|p| p.address_space().is_some());
    ty.result().kind() == LLVMTypeKind::LLVMVoidTypeKind
        && match params.len() {
            1 => bits(0) == 32,
            3 => bits(0) == 32 && pointer(1) && pointer(2),
            _ => false,
        }
}

/// Whether a variable is declared so.
fn is_flag(variable: Md<'_>) -> bool {
    let mut ty = variable.variable().and_then(|(ty, _)| ty);
    while let Some(t) = ty {
        if NAMES.contains(&t.type_name().as_str()) {
            return true;
        }
        // Qualifiers and typedefs.
        if !matches!(t.tag(), 0x16 | 0x26 | 0x35) {
            return false;
        }
        ty = t.base_type();
    }
    false
}
