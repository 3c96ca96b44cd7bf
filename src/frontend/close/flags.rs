//! Objects of type `sig_atomic_t` (C17 7.14): their volatile accesses cannot be torn by a handler of a signal, which is what programs
//! use them for, and count as atomic ones.

use inkwell::module::Module;
use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::*;

use crate::frontend::llvm::debug_info::{DebugInfo, Md};
use crate::frontend::llvm::raw::{LLVMOpcode, globals};

/// How C libraries name the type.
const NAMES: &[&str] = &["sig_atomic_t", "__sig_atomic_t"];

/// Makes such accesses atomic.
pub fn mark_signal_flags(module: &Module<'_>) {
    let info = DebugInfo::new(module);
    for global in globals(module) {
        if !info.global(global).is_some_and(is_flag) {
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
