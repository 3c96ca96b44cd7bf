//! What functions without a model may have written: variables of the caller whose addresses they are given.
//!
//! A pointer to what is not constant may be there to be written through. Where it leads to a variable of the calling function that
//! holds a number, a pointer, or no pointers at all, that is arbitrary after the call: a pointer leads to a new object or nowhere. Of what
//! holds pointers among other things, or is a part of the driver's own structs, see [`super::filled`]; all else that others can see is
//! taken to stay as it is.

use std::collections::BTreeSet;

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};

use super::declared::declared;
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::debug_info::{DebugInfo, Md, tag};
use crate::frontend::llvm::raw::{LLVMOpcode, Ty, Val, functions};
use crate::frontend::stubs::Group;
use crate::program::{Primitive, is_runtime};

/// Makes arbitrary what functions without a definition may write. After models are linked, before defaults are made.
pub fn write(module: &Module<'_>) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    for function in functions(module) {
        let name = function.name();
        let ours =
            name.starts_with("llvm.") || is_runtime(&name) || Primitive::by_name(&name).is_some();
        // What stands in the table was looked at.
        if !function.is_declaration() || ours || declared(Group::Linux, &name).is_some() {
            continue;
        }
        let constant = constant_targets(&info, function);
        for call in function.users() {
            if call.callee() != Some(function) {
                continue;
            }
            let variables: BTreeSet<usize> = (0..call.call_args().len())
                .filter(|n| !constant.contains(n))
                .collect();
            for n in variables {
                let variable = call.call_args()[n];
                if matches!(variable.opcode(), Some(LLVMOpcode::LLVMAlloca)) {
                    overwrite(module, &builder, call, variable);
                }
            }
        }
    }
}

/// The parameters that lead to what is constant.
pub(super) fn constant_targets(info: &DebugInfo<'_>, function: Val<'_>) -> BTreeSet<usize> {
    let subprogram = info.function(function);
    let signature = subprogram.and_then(Md::subprogram_type).map(Md::signature);
    let parameters = signature.unwrap_or_default().into_iter().skip(1);
    let leads = parameters
        .enumerate()
        .filter(|(_, ty)| ty.is_some_and(leads_to_constant));
    leads.map(|(n, _)| n).collect()
}

fn leads_to_constant(ty: Md<'_>) -> bool {
    let mut at = ty;
    // Through names of the pointer's type.
    while let (tag::TYPEDEF, Some(base)) = (at.tag(), at.base_type()) {
        at = base;
    }
    at.tag() == tag::POINTER && at.base_type().is_some_and(|t| t.tag() == tag::CONST)
}

fn overwrite<'m>(module: &'m Module<'_>, builder: &Builder<'m>, call: Val<'m>, variable: Val<'m>) {
    let ty = unsafe { Ty::new(LLVMGetAllocatedType(variable.raw())) };
    let Some(next) = (unsafe { Val::maybe(LLVMGetNextInstruction(call.raw())) }) else {
        return;
    };
    builder.before(next);
    match ty.kind() {
        LLVMTypeKind::LLVMPointerTypeKind => {
            let any = builder.call("__irkiss_nondet_ptr", ty, &[]);
            builder.store(any, variable, false);
        }
        LLVMTypeKind::LLVMIntegerTypeKind if ty.int_bits() <= 64 => {
            builder.store(builder.nondet(ty.int_bits()), variable, false);
        }
        _ if without_pointers(ty) && ty.is_sized() => {
            let bytes = unsafe {
                LLVMABISizeOfType(LLVMGetModuleDataLayout(module.as_mut_ptr()), ty.raw())
            };
            let args = [variable, builder.int(64, bytes)];
            builder.call("__irkiss_havoc", builder.void_type(), &args);
        }
        _ => {}
    }
}

fn without_pointers(ty: Ty<'_>) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => ty.fields().into_iter().all(without_pointers),
        LLVMTypeKind::LLVMArrayTypeKind => ty
            .elements()
            .is_some_and(|(element, _)| without_pointers(element)),
        LLVMTypeKind::LLVMPointerTypeKind => false,
        _ => true,
    }
}
