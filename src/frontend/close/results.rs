//! Calls of the C library for which there is a model of their own kind.
//!
//! - `irkiss_asked__NAME` stands for calls of NAME whose result the program looks at: there it may fail. Where a program takes
//!   success for granted, so does the model NAME: a failure would only end the execution in an access through null.
//! - `irkiss_constant__NAME` stands for calls with a constant string among the arguments, to whose end they are followed.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use super::error_answers::{Returns, reaches};
use crate::frontend::llvm::raw::{LLVMOpcode, Val, constant_text, functions};

/// Prefix of the model of calls whose result is looked at.
const ASKED: &str = crate::program::ASKED_OF;
/// Prefix of the model of calls with a constant string.
const CONSTANT: &str = "irkiss_constant__";

/// Leads such calls of `module` to the models that `models` has for them.
pub fn choose_models(module: &Module<'_>, models: &Module<'_>) {
    for model in functions(models) {
        if model.is_declaration() {
            continue;
        }
        let name = model.name();
        let (of, prefix): (fn(Val<'_>) -> bool, _) = match &name {
            n if n.starts_with(ASKED) => (is_looked_at, ASKED),
            n if n.starts_with(CONSTANT) => (has_constant, CONSTANT),
            _ => continue,
        };
        let plain = &name[prefix.len()..];
        let Some(function) = functions(module)
            .into_iter()
            .find(|f| f.is_declaration() && f.name() == plain)
        else {
            continue;
        };
        let calls: Vec<Val<'_>> = function
            .users()
            .into_iter()
            .filter(|call| call.callee() == Some(function) && of(*call))
            .collect();
        if calls.is_empty() {
            continue;
        }
        let name = std::ffi::CString::new(name.as_str()).unwrap_or_default();
        unsafe {
            let ty = function.global_type();
            let chosen = LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty.raw());
            for call in calls {
                let callee = LLVMGetNumOperands(call.raw()) as u32 - 1;
                LLVMSetOperand(call.raw(), callee, chosen);
            }
        }
    }
}

/// Whether anything depends on the result: of a pointer, whether it is compared with null, or with all ones,
/// somewhere. An assertion that it is a
/// success says so itself.
fn is_looked_at(call: Val<'_>) -> bool {
    if call.users().into_iter().all(is_asserted) {
        return false;
    }
    call.ty().kind() != LLVMTypeKind::LLVMPointerTypeKind
        || reaches(call, Returns::Follow, &|user| {
            matches!(user.opcode(), Some(LLVMOpcode::LLVMICmp))
                && (0..2).filter_map(|n| user.operand(n)).any(is_failure)
        })
}

/// What an assertion that fails calls.
const FAILS: &[&str] = &[
    "__assert_fail",
    "__assert",
    "reach_error",
    "__VERIFIER_error",
];

/// Whether a comparison of a result only decides whether an assertion fails: the program says itself that it succeeds.
fn is_asserted(compare: Val<'_>) -> bool {
    matches!(compare.opcode(), Some(LLVMOpcode::LLVMICmp))
        && !compare.users().is_empty()
        && compare.users().into_iter().all(|branch| {
            matches!(branch.opcode(), Some(LLVMOpcode::LLVMBr))
                && (0..branch.operand_count())
                    .filter_map(|n| branch.operand(n)?.as_block())
                    .any(|block| {
                        let calls = block.instructions().into_iter().filter_map(Val::callee);
                        calls.take(1).any(|c| FAILS.contains(&c.name().as_str()))
                    })
        })
}

/// Null, or what `mmap` answers instead (`MAP_FAILED`: all ones).
fn is_failure(value: Val<'_>) -> bool {
    let null = unsafe { LLVMIsNull(value.raw()) != 0 };
    let number = || match value.opcode() {
        Some(LLVMOpcode::LLVMIntToPtr) if value.is_constant() => value.operand(0),
        _ => None,
    };
    null || number()
        .and_then(Val::int_value)
        .is_some_and(|n| n == u128::from(u64::MAX) || n == u128::from(u32::MAX))
}

fn has_constant(call: Val<'_>) -> bool {
    call.call_args()
        .into_iter()
        .any(|a| constant_text(a).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn calls_that_are_looked_at_get_the_model_that_may_fail() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"@text = private constant [2 x i8] c\"a\\00\"
              declare ptr @malloc(i64)
              declare i32 @create()
              declare i32 @strcmp(ptr, ptr)
              define ptr @wrapper() { %p = call ptr @malloc(i64 1) ret ptr %p }
              define i1 @looks() { %p = call ptr @wrapper() %n = icmp eq ptr %p, null ret i1 %n }
              define i32 @f(ptr %s) {
                %p = call ptr @malloc(i64 2)
                store i32 1, ptr %p
                %q = call i32 @create()
                %c = call i32 @strcmp(ptr %s, ptr @text)
                %d = call i32 @strcmp(ptr %s, ptr %s)
                ret i32 %c
              }
              define i32 @g() { %r = call i32 @create() ret i32 %r }",
            "t.ll",
        )
        .unwrap();
        let models = parse(
            &context,
            b"define ptr @irkiss_asked__malloc(i64 %n) { ret ptr null }
              define i32 @irkiss_asked__create() { ret i32 1 }
              define i32 @irkiss_asked__unused() { ret i32 1 }
              define i32 @irkiss_constant__strcmp(ptr %a, ptr %b) { ret i32 1 }",
            "m.ll",
        )
        .unwrap();
        choose_models(&module, &models);
        let text = module.print_to_string().to_string();
        let count = |what: &str| text.matches(what).count();
        assert_eq!(count("call ptr @irkiss_asked__malloc(i64 1)"), 1, "{text}");
        assert_eq!(count("call ptr @malloc(i64 2)"), 1, "{text}");
        assert_eq!(count("call i32 @irkiss_asked__create()"), 1, "{text}");
        assert_eq!(count("call i32 @create()"), 1, "{text}");
        assert_eq!(count("call i32 @irkiss_constant__strcmp"), 1, "{text}");
        assert!(!text.contains("irkiss_asked__unused"), "{text}");
        module.verify().unwrap();
    }
}
