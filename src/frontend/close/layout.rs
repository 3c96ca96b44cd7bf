//! Sizes and offsets that models ask for, from the debug info of the input.
//!
//! `u64 __irkiss_sizeof__STRUCT(void)` and `u64 __irkiss_offsetof__STRUCT__MEMBER(void)`
//! serve models of objects whose layout depends on the kernel's configuration.
//! Where the input does not have the struct, a size is 0 and an offset all ones.

use std::collections::HashMap;

use inkwell::module::Module;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;

use super::models::mark_as_model;
use crate::environment::discover::{member_offset, struct_size};
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Val, functions};
use crate::program::Program;

const SIZE: &str = "__irkiss_sizeof__";
const OFFSET: &str = "__irkiss_offsetof__";

/// Defines those that the linked models refer to.
pub fn define_layouts(module: &Module<'_>, plain: &Program) {
    let mut numbers = HashMap::new();
    for function in functions(module) {
        let name = function.name();
        let Some(number) = number(plain, &name) else {
            continue;
        };
        if !function.is_declaration() {
            continue;
        }
        let builder = Builder::new(module);
        unsafe {
            // The debug info of a declaration does not fit a definition.
            LLVMGlobalClearMetadata(function.raw());
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            let block = LLVMAppendBasicBlockInContext(context, function.raw(), c"entry".as_ptr());
            builder.at_end(Bb::new(block));
            LLVMSetLinkage(function.raw(), LLVMLinkage::LLVMInternalLinkage);
        }
        mark_as_model(function);
        builder.ret(Some(builder.int(64, number)));
        numbers.insert(name, number);
    }
    // Where it is called, the number: what models compute from it are constants for every analysis.
    let builder = Builder::new(module);
    let all = functions(module).into_iter().flat_map(Val::blocks);
    for i in all.flat_map(Bb::instructions) {
        let called = i.callee().and_then(|f| numbers.get(&f.name()));
        if let Some(number) = called.filter(|_| i.opcode() == Some(LLVMOpcode::LLVMCall)) {
            replace(i, Some(builder.int(64, *number)));
        }
    }
}

fn number(plain: &Program, name: &str) -> Option<u64> {
    if let Some(structure) = name.strip_prefix(SIZE) {
        return Some(struct_size(plain, structure));
    }
    let (structure, member) = name.strip_prefix(OFFSET)?.split_once("__")?;
    Some(member_offset(plain, structure, member).unwrap_or(u64::MAX))
}
