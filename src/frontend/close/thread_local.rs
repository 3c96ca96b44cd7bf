//! Thread-local variables: arrays indexed by the thread's number.

use inkwell::module::Module;
use llvm_sys::core::*;

use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Ty, Val, globals, instructions};

/// Threads that have a copy of their own; thread 64 shares with thread 0 and so on.
const SLOTS: u64 = 64;

/// Replaces every thread-local variable by an array of [`SLOTS`] copies.
pub fn lower_thread_locals(module: &Module<'_>) {
    let builder = Builder::new(module);
    for global in globals(module) {
        if unsafe { LLVMIsThreadLocal(global.raw()) } == 0 {
            continue;
        }
        let array = make_array(module, global);
        let element = global.global_type();
        for i in instructions(module) {
            lower_uses(&builder, i, global, array, element);
        }
        unsafe {
            // Initialisers that name a thread-local variable do not pass the verifier; nothing is left to use it.
            if LLVMGetFirstUse(global.raw()).is_null() {
                LLVMDeleteGlobal(global.raw());
            } else {
                LLVMReplaceAllUsesWith(global.raw(), array.raw());
                LLVMDeleteGlobal(global.raw());
            }
        }
    }
}

fn make_array<'m>(module: &'m Module<'_>, global: Val<'m>) -> Val<'m> {
    let element = global.global_type();
    unsafe {
        let ty = LLVMArrayType2(element.raw(), SLOTS);
        let name = global.name();
        LLVMSetValueName2(global.raw(), c"".as_ptr(), 0);
        let name = std::ffi::CString::new(name).unwrap_or_default();
        let array = LLVMAddGlobal(module.as_mut_ptr(), ty, name.as_ptr());
        LLVMSetLinkage(array, LLVMGetLinkage(global.raw()));
        LLVMSetAlignment(array, LLVMGetAlignment(global.raw()));
        if let Some(init) = Val::maybe(LLVMGetInitializer(global.raw())) {
            let mut copies = vec![init.raw(); SLOTS as usize];
            LLVMSetInitializer(
                array,
                LLVMConstArray2(element.raw(), copies.as_mut_ptr(), SLOTS),
            );
        }
        Val::new(array)
    }
}

/// Replaces uses of `global` in `i`: by `llvm.threadlocal.address`, directly (bitcode of LLVM before 15), or within a
/// constant expression.
fn lower_uses<'m>(
    builder: &Builder<'m>,
    i: Val<'m>,
    global: Val<'m>,
    array: Val<'m>,
    element: Ty<'m>,
) {
    let is_address = i
        .intrinsic_name()
        .is_some_and(|n| n.starts_with("llvm.threadlocal.address"));
    if is_address && i.operand(0) == Some(global) {
        builder.before(i);
        let own = own_copy(builder, array, element);
        return replace(i, Some(own));
    }
    for n in 0..i.operand_count() {
        let Some(operand) = i.operand(n) else {
            continue;
        };
        if !mentions(operand, global) {
            continue;
        }
        unsafe {
            if matches!(i.opcode(), Some(LLVMOpcode::LLVMPHI)) {
                let from = LLVMGetIncomingBlock(i.raw(), n);
                builder.before(Val::new(LLVMGetBasicBlockTerminator(from)));
            } else {
                builder.before(i);
            }
        }
        let own = own_copy(builder, array, element);
        let new = builder.rebuild(operand, global, own).unwrap_or_else(|| {
            builder.unsupported("address of a thread-local variable in an unusual expression");
            builder.poison(operand.ty())
        });
        unsafe { LLVMSetOperand(i.raw(), n, new.raw()) };
    }
}

fn own_copy<'m>(builder: &Builder<'m>, array: Val<'m>, element: Ty<'m>) -> Val<'m> {
    let me = builder.call("__irkiss_self", builder.int_type(64), &[]);
    let slot = builder.binary(LLVMOpcode::LLVMAnd, me, builder.int(64, SLOTS - 1));
    builder.element(element, array, slot)
}

fn mentions(value: Val<'_>, global: Val<'_>) -> bool {
    value == global
        || value.kind() == LLVMValueKind::LLVMConstantExprValueKind
            && (0..value.operand_count())
                .filter_map(|n| value.operand(n))
                .any(|v| mentions(v, global))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn each_thread_has_its_copy() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"@t = thread_local global { i32, i32 } { i32 7, i32 8 }
              declare ptr @llvm.threadlocal.address.p0(ptr)
              define i32 @new() {
                %p = call ptr @llvm.threadlocal.address.p0(ptr @t)
                %v = load i32, ptr %p
                ret i32 %v
              }
              define i32 @old() {
                %v = load i32, ptr getelementptr ({ i32, i32 }, ptr @t, i64 0, i32 1)
                store i32 3, ptr @t
                ret i32 %v
              }",
            "t.ll",
        )
        .unwrap();
        lower_thread_locals(&module);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(
            text.contains("@t = global [64 x { i32, i32 }] [{ i32, i32 } { i32 7, i32 8 }"),
            "{text}"
        );
        assert_eq!(text.matches("call i64 @__irkiss_self").count(), 3, "{text}");
        assert!(!text.contains("call void @__irkiss_unsupported"), "{text}");
    }
}
