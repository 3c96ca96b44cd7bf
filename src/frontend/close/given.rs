//! How much of what a program gives to a function without a model that function may use: how many numbers there are behind a pointer, and
//! what is given beyond the parameters. A function that is handed over there, or together with what is, is called nobody knows how (a
//! parallel region of OpenMP, say): that is told as a gap.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{LLVMGetAllocatedType, LLVMGlobalGetValueType, LLVMIsGlobalConstant};
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};

use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::debug_info::{DebugInfo, Md};
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Val, resolve_alias};

use super::unknown::{READS, WRITES, plain, tag};

/// Bytes of a variable that are taken to be written or read by one call, at most.
const MAX_BYTES: u64 = 4096;

/// The bytes of numbers, `one` each, that every call of a function gives as argument `n`: of the variable that starts there, or as many as
/// the constant says that comes after.
pub(super) fn in_all_calls(module: &Module<'_>, function: Val<'_>, n: usize, one: u64) -> u64 {
    let calls = function.users().into_iter();
    let calls = calls.filter(|call| call.callee() == Some(function));
    let each = calls.map(|call| {
        let args = call.call_args();
        let counted = args.get(n + 1).and_then(|count| count.int_value());
        let counted = counted.and_then(|count| u64::try_from(count).ok()?.checked_mul(one));
        let room = args.get(n).and_then(|given| room(module, *given));
        room.map_or(one, |room| counted.unwrap_or(room).min(room))
    });
    each.min().unwrap_or(one).clamp(one, MAX_BYTES.max(one))
}

/// The size of the variable that starts at an address, if it is one.
fn room(module: &Module<'_>, address: Val<'_>) -> Option<u64> {
    let value = resolve_alias(address);
    let layout = unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let ty = match (value.kind(), value.opcode()) {
        (LLVMValueKind::LLVMGlobalVariableValueKind, _) => unsafe {
            LLVMGlobalGetValueType(value.raw())
        },
        (_, Some(LLVMOpcode::LLVMAlloca)) => unsafe { LLVMGetAllocatedType(value.raw()) },
        _ => return None,
    };
    Some(unsafe { LLVMABISizeOfType(layout, ty) }).filter(|size| *size > 0)
}

/// What a function without a model does with what its calls give it beyond its parameters.
pub fn beyond_parameters<'m>(module: &'m Module<'_>, function: Val<'m>) {
    let fixed = function.global_type().params().len();
    let info = DebugInfo::new(module);
    let declared = info.function(function).and_then(|f| f.subprogram_type());
    let signature = declared.map(|ty| ty.signature()).unwrap_or_default();
    let is_text = |ty: &Option<Md<'m>>| {
        let pointer = plain(*ty).0.filter(|t| t.tag() == tag::POINTER);
        let target = pointer.map(|p| plain(p.base_type()));
        target.is_some_and(|(target, constant)| {
            constant && target.is_some_and(|t| t.type_bits() == 8)
        })
    };
    let model = match signature.iter().skip(1).any(is_text) {
        true => READS,
        false => WRITES,
    };
    let builder = Builder::new(module);
    for call in function.users() {
        if call.callee() != Some(function) {
            continue;
        }
        let args = call.call_args();
        let (own, given) = args.split_at(fixed.min(args.len()));
        // When it calls that function is not known, nor with which of what is given.
        let called = given.iter().any(|a| is_code(*a))
            || own.iter().any(|a| is_code(*a)) && given.iter().any(|a| is_address(*a));
        if called {
            builder.before(call);
            let what = builder.text("what calls a function with arguments of any number");
            builder.call("__irkiss_gap", builder.void_type(), &[what]);
        }
        for address in given.iter().copied().filter(|a| is_address(*a)) {
            let bytes = room(module, address).unwrap_or(1).min(MAX_BYTES);
            builder.before(call);
            let args = [address, address, builder.int(64, bytes)];
            builder.call(model, builder.void_type(), &args);
        }
    }
}

/// Whether it is a function of the input.
fn is_code(value: Val<'_>) -> bool {
    let value = resolve_alias(value);
    value.kind() == LLVMValueKind::LLVMFunctionValueKind && !value.is_declaration()
}

/// Whether it is the address of something that may change.
fn is_address(value: Val<'_>) -> bool {
    let value = resolve_alias(value);
    let pointer = value.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind;
    pointer
        && match value.kind() {
            LLVMValueKind::LLVMFunctionValueKind
            | LLVMValueKind::LLVMConstantPointerNullValueKind => false,
            LLVMValueKind::LLVMGlobalVariableValueKind => unsafe {
                LLVMIsGlobalConstant(value.raw()) == 0
            },
            _ => true,
        }
}
