//! Where lives of local variables end: with `--property uaf`, in programs. Of variables whose address leaves their frame alone; nobody
//! else could look at the others.
//!
//! A variable ends where its function returns, or at the compiler's marks (`llvm.lifetime.end`), which say where a block or a function
//! that was inlined ends, unless the variable may begin again there, in a loop. Those of `main` itself live as long as the process does.
//! A thread that ends by `pthread_exit` takes the variables of the function that calls it with it, unless the program has something
//! that runs after that call (handlers for clean-up, destructors of thread-specific data).

use std::collections::HashSet;

use inkwell::module::Module;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;

use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Val, functions};
use crate::frontend::sequentialize::escapes;

/// Functions by which a thread ends.
const ENDS: &[&str] = &["pthread_exit", "thrd_exit"];
/// What runs on a thread that has called one of those.
const AFTER: &[&str] = &[
    "__pthread_register_cancel",
    "pthread_key_create",
    "tss_create",
];

/// Puts a call where each of these lives ends.
pub fn end_lives(module: &Module<'_>) {
    let all = functions(module);
    let after = all.iter().any(|f| AFTER.contains(&f.name().as_str()));
    let ends: &[&str] = if after { &[] } else { ENDS };
    let mut places = Vec::new();
    for function in all {
        let own = function.string_attribute(MODEL_ATTRIBUTE).is_some()
            || function.name().starts_with("__irkiss_");
        if !function.is_declaration() && !own {
            places.extend(ends_in(function, ends));
        }
    }
    if places.is_empty() {
        return;
    }
    let leave = declared(module);
    for (at, local) in places {
        unsafe {
            let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.as_mut_ptr()));
            LLVMPositionBuilderBefore(builder, at.raw());
            let mut args = [local.raw()];
            let ty = leave.global_type().raw();
            LLVMBuildCall2(builder, ty, leave.raw(), args.as_mut_ptr(), 1, c"".as_ptr());
            LLVMDisposeBuilder(builder);
        }
    }
}

fn declared<'m>(module: &'m Module<'_>) -> Val<'m> {
    let known = functions(module)
        .into_iter()
        .find(|f| f.name() == "__irkiss_local_ends");
    known.unwrap_or_else(|| unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let mut object = [LLVMPointerTypeInContext(context, 0)];
        let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), object.as_mut_ptr(), 1, 0);
        let function = LLVMAddFunction(module.as_mut_ptr(), c"__irkiss_local_ends".as_ptr(), ty);
        LLVMSetLinkage(function, LLVMLinkage::LLVMExternalLinkage);
        Val::new(function)
    })
}

/// Before which instructions of a function which variables end.
fn ends_in<'m>(function: Val<'m>, ends: &[&str]) -> Vec<(Val<'m>, Val<'m>)> {
    let blocks = function.blocks();
    let Some(entry) = blocks.first() else {
        return Vec::new();
    };
    // The others are made as often as their block runs.
    let locals = entry
        .instructions()
        .into_iter()
        .filter(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca) && escapes(*i));
    let of_all = || blocks.iter().flat_map(|b| b.instructions());
    let returns = |i: &Val<'m>| i.opcode() == Some(LLVMOpcode::LLVMRet);
    let stops = |i: &Val<'m>| {
        i.callee()
            .is_some_and(|f| ends.contains(&f.name().as_str()))
    };
    let is_main = function.name() == "main";
    let mut found = Vec::new();
    for local in locals {
        let (marked, all) = marks(&blocks, local);
        let by_return = !is_main && (marked.is_empty() || !all);
        let by_stop = !is_main;
        let others = of_all().filter(|i| by_return && returns(i) || by_stop && stops(i));
        found.extend(marked.into_iter().chain(others).map(|at| (at, local)));
    }
    found
}

/// Where the compiler says that a variable ends, without those from which it may begin again; whether these are all.
fn marks<'m>(blocks: &[Bb<'m>], local: Val<'m>) -> (Vec<Val<'m>>, bool) {
    let is_mark = |i: &Val<'m>, which: &str| {
        i.intrinsic_name().is_some_and(|n| n.starts_with(which)) && i.call_args().contains(&local)
    };
    let (mut ends, mut all) = (Vec::new(), true);
    for block in blocks {
        let instructions = block.instructions();
        for (n, at) in instructions.iter().enumerate() {
            if !is_mark(at, "llvm.lifetime.end") {
                continue;
            }
            let begins = |i: &Val<'m>| is_mark(i, "llvm.lifetime.start");
            let mut again = instructions[n..].iter().any(begins);
            let mut seen: HashSet<Bb<'m>> = HashSet::new();
            let mut work = block.successors();
            while let Some(next) = work.pop() {
                if seen.insert(next) {
                    again |= next.instructions().iter().any(begins);
                    work.extend(next.successors());
                }
            }
            ends.extend((!again).then_some(*at));
            all &= !again;
        }
    }
    (ends, all)
}
