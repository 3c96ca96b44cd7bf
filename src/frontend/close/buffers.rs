//! What a function of the kernel without a model may do with numbers that it is given the address of.
//!
//! A pointer to numbers is the place of a result or a buffer, and so is a `const void *` with a number after it: of what is `const`, the
//! first element is read; what is not is written, unless each call gives it what nobody may write (a text). How much more, nothing tells.
//! Objects (pointers to structs, a `void *`) are the subsystem's and stay as they are. The access is that function's: what is found of it
//! says so. What is given to a function whose name says `user` is an address of the caller's process, which no driver accesses.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::LLVMIsGlobalConstant;

use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::debug_info::{DebugInfo, Md, tag};
use crate::frontend::llvm::raw::{LLVMValueKind, Val};

/// The models that do it (`runtime-stubs/linux/outside.c`): of the address and the number of bytes.
pub const READS: &str = "__irkiss_outside_reads";
pub const WRITES: &str = "__irkiss_outside_writes";

/// What may happen to the buffers that a function is given.
#[derive(Default)]
pub struct Buffers(Vec<Buffer>);

struct Buffer {
    /// The number of the parameter.
    parameter: usize,
    /// Whether it is read only.
    constant: bool,
    /// Size of an element.
    bytes: u64,
}

impl Buffers {
    /// Of that function, as its declaration tells; nothing without one. `writes_nothing`: somebody looked at it.
    pub fn of<'m>(info: &DebugInfo<'m>, function: Val<'m>, writes_nothing: bool) -> Buffers {
        if function.name().contains("user") {
            return Buffers::default();
        }
        let declared = info.function(function).and_then(Md::subprogram_type);
        let signature = declared.map(Md::signature).unwrap_or_default();
        let parameters: Vec<Option<Md<'m>>> = signature.into_iter().skip(1).collect();
        let is_number = |ty: Option<&Option<Md<'m>>>| {
            ty.is_some_and(|ty| ty.is_some_and(|ty| size_of_number(plain(ty).0).is_some()))
        };
        let buffer = |(parameter, ty): (usize, &Option<Md<'m>>)| {
            let pointer = Some(plain((*ty)?).0).filter(|t| t.tag() == tag::POINTER)?;
            let (constant, bytes) = match pointer.base_type() {
                None => return None,
                Some(target) => {
                    let (target, constant) = plain(target);
                    let is_void = target.tag() == tag::CONST;
                    let measured = is_void && is_number(parameters.get(parameter + 1));
                    let bytes = size_of_number(target).or(measured.then_some(1))?;
                    (constant, bytes)
                }
            };
            Some(Buffer {
                parameter,
                constant: constant || is_given_constants(function, parameter),
                bytes,
            })
        };
        let buffers = parameters.iter().enumerate().filter_map(buffer);
        Buffers(buffers.filter(|b| b.constant || !writes_nothing).collect())
    }

    /// Builds it, where `builder` is, in the body of the function.
    pub fn build<'m>(&self, builder: &Builder<'m>, function: Val<'m>) {
        let params = function.params();
        for buffer in &self.0 {
            let given = params.get(buffer.parameter).copied();
            let pointer = given.filter(|p| p.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind);
            let Some(pointer) = pointer else { continue };
            let model = if buffer.constant { READS } else { WRITES };
            let args = [pointer, builder.int(64, buffer.bytes)];
            builder.call(model, builder.void_type(), &args);
        }
    }
}

/// Whether every call gives it a constant there, whatever its declaration says (`acpi_get_table(char *signature, …)`).
fn is_given_constants(function: Val<'_>, parameter: usize) -> bool {
    let mut calls = (function.users().into_iter()).filter(|u| u.callee() == Some(function));
    let constant = |call: Val<'_>| {
        let given = call.call_args().get(parameter).copied();
        given.is_some_and(|v| {
            v.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
                && unsafe { LLVMIsGlobalConstant(v.raw()) } != 0
        })
    };
    calls.next().is_some_and(constant) && calls.all(constant)
}

/// The type itself, and whether it is `const`; the last `const` where nothing is behind it (`const void`).
fn plain(mut ty: Md<'_>) -> (Md<'_>, bool) {
    let mut constant = false;
    loop {
        constant |= ty.tag() == tag::CONST;
        match (ty.tag(), ty.base_type()) {
            (tag::CONST | tag::TYPEDEF | tag::VOLATILE | tag::RESTRICT, Some(base)) => ty = base,
            _ => return (ty, constant),
        }
    }
}

/// How many bytes a number of that type has.
fn size_of_number(ty: Md<'_>) -> Option<u64> {
    let is_number = matches!(ty.tag(), tag::BASE | tag::ENUMERATION);
    (is_number && ty.type_bits() >= 8).then(|| ty.type_bits() / 8)
}
