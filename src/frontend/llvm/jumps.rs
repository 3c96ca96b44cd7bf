//! Jumps other than branches: to computed labels, and past a call that throws.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use super::build::{Builder, replace};
use super::prepare::drop_incoming;
use super::raw::{Bb, LLVMOpcode, LLVMValueKind, Val, functions, instructions};

/// Makes a computed goto a switch: a label's address is its number among those that the function jumps to.
pub fn number_labels(module: &Module<'_>) {
    let builder = Builder::new(module);
    for function in functions(module) {
        let jumps: Vec<Val<'_>> = function
            .blocks()
            .into_iter()
            .flat_map(Bb::instructions)
            .filter(|i| matches!(i.opcode(), Some(LLVMOpcode::LLVMIndirectBr)))
            .collect();
        let mut labels: Vec<Bb<'_>> = Vec::new();
        for jump in &jumps {
            let targets = unsafe { LLVMGetNumSuccessors(jump.raw()) };
            for n in 0..targets {
                let label = unsafe { Bb::new(LLVMGetSuccessor(jump.raw(), n)) };
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
        }
        for jump in jumps {
            switch(module, &builder, function, jump, &labels);
        }
        for (n, label) in labels.iter().enumerate() {
            let number = builder.int(64, n as u64 + 1);
            unsafe {
                let address = LLVMBlockAddress(function.raw(), label.raw());
                let number = LLVMConstIntToPtr(number.raw(), LLVMTypeOf(address));
                LLVMReplaceAllUsesWith(address, number);
            }
        }
    }
}

/// A switch in the place of a computed goto. It has as many edges to each label as the goto had.
fn switch<'m>(
    module: &'m Module<'_>,
    builder: &Builder<'m>,
    function: Val<'m>,
    jump: Val<'m>,
    labels: &[Bb<'m>],
) {
    let Some(address) = jump.operand(0) else {
        return;
    };
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let nowhere = LLVMAppendBasicBlockInContext(context, function.raw(), c"no.label".as_ptr());
        builder.at_end(Bb::new(nowhere));
        builder.unreachable();
        builder.before(jump);
        let word = builder.int_type(64);
        let Some(number) = builder.convert(address, word, false) else {
            return;
        };
        let count = LLVMGetNumSuccessors(jump.raw());
        let new = builder.switch(number, Bb::new(nowhere), count);
        let mut seen: Vec<Bb<'_>> = Vec::new();
        for n in 0..count {
            let label = Bb::new(LLVMGetSuccessor(jump.raw(), n));
            let place = labels.iter().position(|l| *l == label).unwrap_or(0);
            // A second edge to the same label is never taken: its number is none of a label.
            let value = match seen.contains(&label) {
                false => place as u64 + 1,
                true => u64::MAX - u64::from(n),
            };
            seen.push(label);
            LLVMAddCase(new.raw(), builder.int(64, value).raw(), label.raw());
        }
        replace(jump, None);
    }
}

/// Makes calls that may throw plain ones: what is thrown ends its path (models of `__cxa_throw` say so), so nobody catches.
pub fn forget_handlers(module: &Module<'_>) {
    let builder = Builder::new(module);
    for i in instructions(module).collect::<Vec<_>>() {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMInvoke)) {
            continue;
        }
        let Some(callee) = i.callee() else { continue };
        if callee.kind() == LLVMValueKind::LLVMInlineAsmValueKind {
            continue;
        }
        builder.before(i);
        let mut args: Vec<_> = i.call_args().iter().map(|a| a.raw()).collect();
        unsafe {
            let from = Bb::new(LLVMGetInstructionParent(i.raw()));
            let (next, handler) = (
                Bb::new(LLVMGetNormalDest(i.raw())),
                Bb::new(LLVMGetUnwindDest(i.raw())),
            );
            let ty = LLVMGetCalledFunctionType(i.raw());
            let call = builder.call_typed(ty, callee.raw(), &mut args);
            builder.jump(next);
            drop_incoming(&builder, handler, |block| block == from);
            let has_result = i.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind;
            replace(i, has_result.then_some(call));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn labels_are_numbers_and_handlers_are_gone() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"@table = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
              declare i32 @__gxx_personality_v0(...)
              declare i32 @thrower(i32)
              define i32 @f(i32 %n) {
                %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
                %to = load ptr, ptr %p
                indirectbr ptr %to, [label %a, label %b]
              a:
                %x = phi i32 [ 1, %0 ]
                ret i32 %x
              b:
                ret i32 2
              }
              define i32 @g() personality ptr @__gxx_personality_v0 {
                %r = invoke i32 @thrower(i32 1) to label %fine unwind label %bad
              fine:
                ret i32 %r
              bad:
                %l = landingpad { ptr, i32 } cleanup
                resume { ptr, i32 } %l
              }",
            "t.ll",
        )
        .unwrap();
        number_labels(&module);
        forget_handlers(&module);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(
            text.contains("inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)"),
            "{text}"
        );
        assert!(text.contains("i64 2, label %b"), "{text}");
        assert!(
            text.contains("%1 = call i32 @thrower(i32 1)")
                || text.contains("call i32 @thrower(i32 1)"),
            "{text}"
        );
        assert!(!text.contains("invoke"), "{text}");
    }
}
