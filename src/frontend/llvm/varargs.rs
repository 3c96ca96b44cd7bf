//! Variable arguments: a caller lays them out in memory one beside the other, and hands over where.
//!
//! That is how they lie where no registers are left for them, on every architecture: what `va_start` gives is a list that says
//! so, and the code that clang makes of `va_arg` goes on from there. A function that asks for them has them by a call of
//! [`ARGUMENTS`], which the decoder makes a parameter.

use std::collections::HashSet;

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMPointerSize, LLVMTargetDataRef,
};

use super::build::{Builder, replace};
use super::raw::{Bb, LLVMOpcode, LLVMValueKind, Ty, Val, functions, instructions, resolve_alias};

/// `void *__irkiss_variable_arguments(void)`: the variable arguments of the function that calls it.
pub const ARGUMENTS: &str = "__irkiss_variable_arguments";

/// Marks calls whose arguments have been laid out.
const DONE: &str = "irkiss-arguments";

/// What `va_list` is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    /// A pointer to the next argument.
    Pointer,
    /// System V's for x86-64: used up registers of two kinds, the next argument in memory, saved registers.
    X86,
    /// AArch64's: the next argument in memory, ends of saved registers of two kinds, bytes left of each.
    Arm64,
}

impl List {
    fn of(module: &Module<'_>) -> List {
        let triple = module.get_triple();
        let triple = triple.as_str().to_string_lossy().into_owned();
        let other = ["windows", "darwin", "macos", "apple"];
        if other.iter().any(|system| triple.contains(system)) {
            return List::Pointer;
        }
        match triple.split('-').next().unwrap_or_default() {
            "x86_64" | "amd64" => List::X86,
            "aarch64" | "arm64" | "aarch64_be" => List::Arm64,
            _ => List::Pointer,
        }
    }

    /// Its size in bytes.
    fn bytes(self, pointer: u64) -> u64 {
        match self {
            List::Pointer => pointer,
            List::X86 => 24,
            List::Arm64 => 32,
        }
    }

    /// Makes the list of arguments that all lie in memory.
    fn start<'m>(self, builder: &Builder<'m>, list: Val<'m>, arguments: Val<'m>) {
        let put = |offset: u64, value: Val<'m>| {
            let place = builder.offset(list, builder.int(64, offset));
            builder.store(value, place, false);
        };
        let null = builder.zero(builder.ptr_type());
        match self {
            List::Pointer => put(0, arguments),
            List::X86 => {
                // Six registers of 8 bytes, and eight of 16 behind them.
                put(0, builder.int(32, 48));
                put(4, builder.int(32, 176));
                put(8, arguments);
                put(16, null);
            }
            List::Arm64 => {
                put(0, arguments);
                put(8, null);
                put(16, null);
                put(24, builder.int(32, 0));
                put(28, builder.int(32, 0));
            }
        }
    }
}

/// Lowers `va_start`, `va_copy` and the calls of functions that ask for their arguments.
pub fn lower_varargs(module: &Module<'_>) {
    let builder = Builder::new(module);
    let data = unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let pointer = u64::from(unsafe { LLVMPointerSize(data) });
    let list = List::of(module);
    let all: Vec<Val<'_>> = instructions(module).collect();
    for i in &all {
        let name = i.intrinsic_name().unwrap_or_default();
        let args = i.call_args();
        if name.starts_with("llvm.va_start") {
            builder.before(*i);
            let arguments = builder.call(ARGUMENTS, builder.ptr_type(), &[]);
            list.start(&builder, args[0], arguments);
            replace(*i, None);
        } else if name.starts_with("llvm.va_copy") {
            builder.before(*i);
            builder.memcpy(args[0], args[1], builder.int(64, list.bytes(pointer)));
            replace(*i, None);
        }
    }
    let asking: HashSet<Val<'_>> = functions(module).into_iter().filter(|f| asks(*f)).collect();
    for call in instructions(module).collect::<Vec<_>>() {
        if matches!(call.opcode(), Some(LLVMOpcode::LLVMCall)) {
            lay_out(module, &builder, (data, pointer), call, &asking);
        }
    }
}

/// Whether a function asks for its variable arguments.
pub fn asks(function: Val<'_>) -> bool {
    let asks = |i: Val<'_>| i.callee().is_some_and(|c| c.name() == ARGUMENTS);
    function.global_type().is_variadic()
        && function
            .blocks()
            .into_iter()
            .flat_map(Bb::instructions)
            .any(|i| matches!(i.opcode(), Some(LLVMOpcode::LLVMCall)) && asks(i))
}

/// A variable argument: its value, or the address and the size of what is copied, and where it is put.
struct Variable<'m> {
    value: Val<'m>,
    copied: Option<u64>,
    at: u64,
}

/// Lays out the variable arguments of a call, if who is called may ask for them.
fn lay_out<'m>(
    module: &'m Module<'_>,
    builder: &Builder<'m>,
    (data, pointer): (LLVMTargetDataRef, u64),
    call: Val<'m>,
    asking: &HashSet<Val<'m>>,
) {
    let ty = unsafe { Ty::new(LLVMGetCalledFunctionType(call.raw())) };
    let Some(callee) = call.callee().map(resolve_alias) else {
        return;
    };
    let known = callee.kind() == LLVMValueKind::LLVMFunctionValueKind;
    let open = call.inline_asm().is_none()
        && callee.inline_asm().is_none()
        && match known {
            true => asking.contains(&callee),
            false => ty.is_variadic(),
        };
    if !open || is_done(call) {
        return;
    }
    let (fixed, args) = (ty.params().len(), call.call_args());
    let own = if known {
        callee.global_type().params().len()
    } else {
        fixed
    };
    // Called as something else: what would be a variable argument has a place of its own.
    if args.len() < own {
        return;
    }
    let Some((places, end)) = places((data, pointer), call, own) else {
        return;
    };
    builder.before(call);
    let area = match places.is_empty() {
        true => builder.zero(builder.ptr_type()),
        false => {
            let bytes = unsafe { Ty::new(LLVMArrayType2(builder.int_type(8).raw(), end)) };
            builder.alloca(bytes)
        }
    };
    for Variable { value, copied, at } in places {
        let place = builder.offset(area, builder.int(64, at));
        match copied {
            Some(bytes) => {
                builder.memcpy(place, value, builder.int(64, bytes));
            }
            None => {
                builder.store(value, place, false);
            }
        }
    }
    let mut given: Vec<_> = args[..own].iter().chain([&area]).map(|a| a.raw()).collect();
    unsafe {
        let mut params: Vec<_> = args[..own].iter().map(|a| a.ty().raw()).collect();
        let shape = LLVMFunctionType(ty.result().raw(), params.as_mut_ptr(), own as u32, 1);
        let new = builder.call_typed(shape, LLVMGetCalledValue(call.raw()), &mut given);
        mark_done(module, new);
        let has_result = call.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind;
        replace(call, has_result.then_some(new));
    }
}

/// Where each argument from `own` on lies: its place, and its size if it is handed over by address; and how many bytes all take.
/// `None`: the size of one is not known.
fn places<'m>(
    (data, pointer): (LLVMTargetDataRef, u64),
    call: Val<'m>,
    own: usize,
) -> Option<(Vec<Variable<'m>>, u64)> {
    let byval = unsafe { LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5) };
    let mut places = Vec::new();
    let mut end = 0u64;
    for (n, arg) in call.call_args().into_iter().enumerate().skip(own) {
        let copied = unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(call.raw(), n as u32 + 1, byval);
            (!attribute.is_null()).then(|| Ty::new(LLVMGetTypeAttributeValue(attribute)))
        };
        let ty = copied.unwrap_or(arg.ty());
        if !ty.is_sized() {
            return None;
        }
        let bytes = unsafe { LLVMABISizeOfType(data, ty.raw()) };
        let wide = matches!(
            ty.kind(),
            LLVMTypeKind::LLVMX86_FP80TypeKind | LLVMTypeKind::LLVMFP128TypeKind
        );
        end = end.next_multiple_of(if wide { 2 * pointer } else { pointer });
        places.push(Variable {
            value: arg,
            copied: copied.map(|_| bytes),
            at: end,
        });
        end += bytes.next_multiple_of(pointer);
    }
    Some((places, end))
}

fn mark_done(module: &Module<'_>, call: Val<'_>) {
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let done = LLVMCreateStringAttribute(
            context,
            DONE.as_ptr().cast(),
            DONE.len() as u32,
            c"".as_ptr(),
            0,
        );
        LLVMAddCallSiteAttribute(call.raw(), llvm_sys::LLVMAttributeFunctionIndex, done);
    }
}

fn is_done(call: Val<'_>) -> bool {
    unsafe {
        !LLVMGetCallSiteStringAttribute(
            call.raw(),
            llvm_sys::LLVMAttributeFunctionIndex,
            DONE.as_ptr().cast(),
            DONE.len() as u32,
        )
        .is_null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn arguments_lie_one_beside_the_other() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
              target triple = \"x86_64-unknown-linux-gnu\"
              declare void @llvm.va_start.p0(ptr)
              declare void @llvm.va_copy.p0(ptr, ptr)
              declare i32 @printf(ptr, ...)
              define void @log(ptr %format, ...) {
                %list = alloca [24 x i8]
                %copy = alloca [24 x i8]
                call void @llvm.va_start.p0(ptr %list)
                call void @llvm.va_copy.p0(ptr %copy, ptr %list)
                ret void
              }
              define void @user(ptr %f) {
                call void (ptr, ...) @log(ptr %f, i32 1, double 2.0, x86_fp80 0xK00000000000000000000)
                call void (ptr, ...) %f(ptr %f)
                %n = call i32 (ptr, ...) @printf(ptr %f, i32 1)
                ret void
              }",
            "t.ll",
        )
        .unwrap();
        for _ in 0..2 {
            lower_varargs(&module);
            module.verify().unwrap();
        }
        let text = module.print_to_string().to_string();
        assert!(!text.contains("call void @llvm.va_"), "{text}");
        assert_eq!(
            text.matches("call ptr @__irkiss_variable_arguments()")
                .count(),
            1
        );
        assert!(text.contains("alloca [32 x i8]"), "{text}");
        assert!(text.contains("@log(ptr %f, ptr %"), "{text}");
        assert!(text.contains("%f(ptr %f, ptr null)"), "{text}");
        assert!(text.contains("@printf(ptr %f, i32 1)"), "{text}");
    }
}
