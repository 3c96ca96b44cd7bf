//! What a function of which nothing is known may do with what a program gives it, where its declaration has no types.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use crate::frontend::llvm::debug_info::{DebugInfo, Md};
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Val, resolve_alias};

use super::unknown::{Argument, MAX_DEPTH, Part, in_initialiser, is_theirs, parts, plain, tag};

/// What may happen to the arguments of a function whose declaration has no types (compilers leave them out at `-O0`), as the calls
/// tell: functions that they hand out, by themselves or in an object, may be called, and another pointer beside them is handed to
/// these. What else a pointer leads to may be `const` and is taken to stay; where others may use it, nothing tells whether it does (the
/// second result).
pub(super) fn as_called<'m>(module: &'m Module<'_>, function: Val<'m>) -> (Vec<Argument>, bool) {
    let info = DebugInfo::new(module);
    let mut arguments = vec![Argument::default(); function.params().len()];
    let users = function.users().into_iter();
    let calls: Vec<Val<'m>> = users.filter(|u| u.callee() == Some(function)).collect();
    for call in &calls {
        let call = *call;
        for (argument, value) in arguments.iter_mut().zip(call.call_args()) {
            let value = resolve_alias(value);
            if value.kind() == LLVMValueKind::LLVMFunctionValueKind {
                argument.function = true;
                continue;
            }
            let mut found = Vec::new();
            match object_type(&info, call, value) {
                Some(ty) => {
                    argument.function |= ty.tag() == tag::SUBROUTINE;
                    parts(ty, 0, false, MAX_DEPTH, &mut found);
                }
                None => {
                    let offsets = in_initialiser(module, value).into_iter().map(|(at, _)| at);
                    found.extend(offsets.map(|at| (at, Part::Function)));
                }
            }
            found.retain(|part| part.1 == Part::Function && !argument.parts.contains(part));
            argument.parts.append(&mut found);
        }
    }
    let kept = |a: &Argument| a.function || !a.parts.is_empty();
    if arguments.iter().any(kept) {
        let beside = arguments.iter_mut().filter(|a| !kept(a));
        beside.for_each(|a| a.context = true);
    }
    let untold = arguments.iter().enumerate().any(|(n, a)| {
        let nothing = !kept(a) && !a.context;
        nothing && calls.iter().any(|c| may_be_shared(&info, *c, n))
    });
    (arguments, untold)
}

/// Whether a call gives memory that others than the caller may use: no variable of its own, nothing constant, and no object that only
/// the function knows.
fn may_be_shared<'m>(info: &DebugInfo<'m>, call: Val<'m>, argument: usize) -> bool {
    let given = call.call_args().get(argument).copied().map(object_of);
    let pointer = |v: &Val<'m>| v.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind;
    let Some(given) = given.filter(pointer) else {
        return false;
    };
    match (given.kind(), given.opcode()) {
        (LLVMValueKind::LLVMGlobalVariableValueKind, _) => unsafe {
            LLVMIsGlobalConstant(given.raw()) == 0
        },
        (_, Some(LLVMOpcode::LLVMAlloca)) => false,
        (_, Some(LLVMOpcode::LLVMLoad)) => {
            let variable = given.operand(0).and_then(|v| object_type(info, call, v));
            let variable = variable.filter(|ty| ty.tag() == tag::POINTER);
            let target = variable.and_then(|ty| plain(ty.base_type()).0);
            let unknown = |ty: Md<'_>| {
                let is_struct = matches!(ty.tag(), tag::STRUCT | tag::UNION);
                is_struct && (ty.type_bits() == 0 || is_theirs(ty))
            };
            !target.is_some_and(unknown)
        }
        _ => !given.is_constant(),
    }
}

/// What a pointer into it is computed from.
fn object_of(mut pointer: Val<'_>) -> Val<'_> {
    loop {
        pointer = resolve_alias(pointer);
        match (pointer.opcode(), pointer.operand(0)) {
            (Some(LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMBitCast), Some(base)) => {
                pointer = base;
            }
            _ => return pointer,
        }
    }
}

/// The type of the object that a pointer which a call is given leads to, if the source has a variable that is the object or the pointer.
fn object_type<'m>(info: &DebugInfo<'m>, call: Val<'m>, pointer: Val<'m>) -> Option<Md<'m>> {
    let of = |variable: Md<'m>| plain(variable.variable()?.0).0;
    if pointer.kind() == LLVMValueKind::LLVMGlobalVariableValueKind {
        return info.global(pointer).and_then(of);
    }
    let caller = unsafe {
        Val::maybe(LLVMGetBasicBlockParent(LLVMGetInstructionParent(
            call.raw(),
        )))
    }?;
    for instruction in caller.blocks().into_iter().flat_map(|b| b.instructions()) {
        for (place, variable) in info.declared_variables(instruction) {
            if place == pointer {
                return of(variable);
            }
        }
        for (value, variable, beyond) in info.bound_variables(instruction) {
            if value == pointer && beyond == 0 {
                let target = of(variable)?;
                return plain(target.base_type())
                    .0
                    .filter(|_| target.tag() == tag::POINTER);
            }
        }
    }
    None
}
