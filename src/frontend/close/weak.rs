//! Weak symbols that nobody defines: whether they are there is arbitrary, and the same for the whole run.
//!
//! What models define is there, and so is what belongs to threads: glibc has it, and C++'s run time asks for it to learn whether there may be
//! several. A place that takes the address asks; who calls such a function, or accesses such a variable, has it.

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate::LLVMIntNE, LLVMLinkage};

use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, Val, functions, globals, instructions};

/// Prefix of the variable that says whether one is there.
const PRESENT: &str = "irkiss.present.";

/// Asks where their addresses are looked at.
pub fn ask(module: &Module<'_>) {
    let all = functions(module).into_iter().chain(globals(module));
    let weak: Vec<Val<'_>> = all.filter(|v| is_unsettled(*v)).collect();
    if weak.is_empty() {
        return;
    }
    let builder = Builder::new(module);
    let byte = builder.int_type(8);
    let uses: Vec<(Val<'_>, u32, Val<'_>)> = instructions(module)
        .flat_map(|i| (0..i.operand_count()).map(move |n| (i, n)))
        .filter_map(|(i, n)| Some((i, n, i.operand(n)?)))
        .filter(|(i, n, operand)| weak.contains(operand) && is_looked_at(*i, *n))
        .collect();
    for (instruction, n, symbol) in uses {
        let name = format!("{PRESENT}{}", symbol.name());
        let name = std::ffi::CString::new(name).unwrap_or_default();
        unsafe {
            let known = Val::maybe(LLVMGetNamedGlobal(module.as_mut_ptr(), name.as_ptr()));
            let present = known.unwrap_or_else(|| {
                Val::new(LLVMAddGlobal(
                    module.as_mut_ptr(),
                    byte.raw(),
                    name.as_ptr(),
                ))
            });
            builder.before(instruction);
            // Volatile: nobody writes it.
            let is = builder.load(byte, present, true);
            let there = builder.compare(LLVMIntNE, is, builder.int(8, 0));
            let address = builder.select(there, symbol, builder.zero(symbol.ty()));
            LLVMSetOperand(instruction.raw(), n, address.raw());
        }
    }
}

fn is_unsettled(symbol: Val<'_>) -> bool {
    let weak = unsafe { LLVMGetLinkage(symbol.raw()) } == LLVMLinkage::LLVMExternalWeakLinkage;
    let name = symbol.name();
    let of_threads = name.trim_start_matches('_').starts_with("pthread_");
    weak && symbol.is_declaration() && !of_threads
}

/// Whether an operand is an address that is looked at, or goes on to where it may be.
fn is_looked_at(instruction: Val<'_>, n: u32) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMICmp | LLVMOpcode::LLVMRet) => true,
        Some(LLVMOpcode::LLVMStore) => n == 0,
        Some(LLVMOpcode::LLVMCall) => n + 1 < instruction.operand_count(),
        _ => false,
    }
}
