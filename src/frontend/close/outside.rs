//! Calls that lead out of the input call functions without a body, named after the field that the pointer comes from: models
//! may define them (`tty_operations.write`), the others get the documented default. Other calls through fields are marked with the
//! functions of the input that stand there.

use std::collections::BTreeMap;

use inkwell::module::Module;
use llvm_sys::LLVMIntPredicate;
use llvm_sys::core::*;

use crate::environment::entry::{FieldCalls, OutsideCall};
use crate::frontend::decode::OWN_METADATA;
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{
    Bb, LLVMOpcode, LLVMValueKind, Val, functions, metadata_kind, resolve_alias,
};

/// What models call to name a field.
const OWN: &str = "__irkiss_own__";

/// Redirects and marks them. A pointer to a function of the input that may stand there leads to that function still.
pub fn redirect(module: &Module<'_>, calls: &[FieldCalls]) {
    let builder = Builder::new(module);
    let kind = metadata_kind(module, OWN_METADATA);
    for function in functions(module) {
        let name = function.name();
        let Some(found) = calls.iter().find(|o| o.function == name) else {
            continue;
        };
        let calls: Vec<Val<'_>> = function
            .blocks()
            .into_iter()
            .flat_map(|b| b.instructions())
            .filter(|i| is_indirect(*i))
            .collect();
        // They are counted in the same way where they are found.
        if calls.len() != found.indirect {
            continue;
        }
        for call in &found.outside {
            redirect_call(module, &builder, calls[call.number], call);
        }
        for (number, own) in &found.own {
            mark(module, calls[*number], kind, own);
        }
    }
}

/// Models say which field they call through: `__irkiss_own__STRUCT__FIELD(pointer)` is that pointer, and what is called through it
/// directly is marked.
pub fn mark_models(module: &Module<'_>, fields: &BTreeMap<String, Vec<String>>) {
    let kind = metadata_kind(module, OWN_METADATA);
    let all = functions(module).into_iter().flat_map(Val::blocks);
    let instructions: Vec<Val<'_>> = all.flat_map(Bb::instructions).collect();
    for told in &instructions {
        let name = told.callee().map(Val::name).unwrap_or_default();
        let Some(field) = name.strip_prefix(OWN) else {
            continue;
        };
        let own = fields.get(&field.replacen("__", ".", 1));
        let calls = instructions.iter().filter(|i| i.callee() == Some(*told));
        for (call, own) in calls.zip(own.into_iter().cycle()) {
            mark(module, *call, kind, own);
        }
        replace(*told, told.call_args().first().copied());
    }
}

/// Tells a call the functions of the input that it may lead to.
fn mark(module: &Module<'_>, call: Val<'_>, kind: u32, own: &[String]) {
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let functions = own.iter().filter_map(|name| {
            let name = std::ffi::CString::new(name.as_str()).ok()?;
            Val::maybe(LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()))
        });
        let mut operands: Vec<_> = functions.map(|f| LLVMValueAsMetadata(f.raw())).collect();
        let node = LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
        LLVMSetMetadata(call.raw(), kind, LLVMMetadataAsValue(context, node));
    }
}

fn is_indirect(instruction: Val<'_>) -> bool {
    matches!(instruction.opcode(), Some(LLVMOpcode::LLVMCall))
        && instruction.callee().is_some_and(|callee| {
            callee.inline_asm().is_none()
                && resolve_alias(callee).kind() != LLVMValueKind::LLVMFunctionValueKind
        })
}

fn redirect_call<'m>(
    module: &'m Module<'_>,
    builder: &Builder<'m>,
    call: Val<'m>,
    outside: &OutsideCall,
) {
    let Some(pointer) = call.callee() else { return };
    let ty = unsafe { LLVMGetCalledFunctionType(call.raw()) };
    let name = std::ffi::CString::new(outside.place.as_str()).unwrap_or_default();
    let mut target = unsafe {
        let known = Val::maybe(LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()));
        match known.filter(|f| f.global_type().raw() == ty) {
            Some(known) => known,
            // LLVM numbers functions of one name: those of another type have no model.
            None => Val::new(LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty)),
        }
    };
    builder.before(call);
    for own in &outside.own {
        let own = std::ffi::CString::new(own.as_str()).unwrap_or_default();
        let own = unsafe { Val::maybe(LLVMGetNamedFunction(module.as_mut_ptr(), own.as_ptr())) };
        if let Some(own) = own {
            let is_own = builder.compare(LLVMIntPredicate::LLVMIntEQ, pointer, own);
            target = builder.select(is_own, own, target);
        }
    }
    unsafe {
        let last = LLVMGetNumOperands(call.raw()) as u32 - 1;
        LLVMSetOperand(call.raw(), last, target.raw());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn calls_through_others_pointers_call_named_functions() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"declare void @ext()
              define internal i32 @own(i32 %x) { ret i32 %x }
              define i32 @f(ptr %p, ptr %q) {
                call void @ext()
                %a = call i32 %p(i32 1)
                %b = call i32 %q(i32 2)
                call void asm \"nop\", \"\"()
                %c = call i64 %p(i64 3)
                %s = add i32 %a, %b
                ret i32 %s
              }
              define i32 @g(ptr %p) {
                %a = call i32 %p(i32 1)
                ret i32 %a
              }",
            "t.ll",
        )
        .unwrap();
        let call = |number, own: &[&str]| OutsideCall {
            number,
            place: "ops.write".to_string(),
            own: own.iter().map(|o| o.to_string()).collect(),
        };
        let found = |function: &str, indirect, outside| FieldCalls {
            function: function.to_string(),
            indirect,
            outside,
            own: Vec::new(),
        };
        redirect(
            &module,
            &[
                found("f", 3, vec![call(0, &[]), call(1, &["own"]), call(2, &[])]),
                // Counted otherwise: left alone.
                found("g", 2, vec![call(0, &[])]),
            ],
        );
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(text.contains("call i32 @ops.write(i32 1)"), "{text}");
        assert!(text.contains("icmp eq ptr %q, @own"), "{text}");
        assert!(text.contains("ptr @own, ptr @ops.write"), "{text}");
        // Another type: another function.
        assert!(text.contains("call i64 @ops.write.1(i64 3)"), "{text}");
        assert!(text.contains("call i32 %p(i32 1)"), "{text}");
    }
}
