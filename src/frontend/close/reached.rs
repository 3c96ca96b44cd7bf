//! Functions that must not be reached, by SV-COMP's names, where the program itself gives them a body that does nothing about it:
//! calling one is the error all the same.

use inkwell::module::Module;
use llvm_sys::core::*;

use crate::frontend::llvm::raw::{Val, functions};

/// Their names.
const ERRORS: &[&str] = &["reach_error", "__VERIFIER_error"];
/// What a body calls that says by itself that something is wrong.
const SAYS_SO: &[&str] = &[
    "__assert_fail",
    "__assert",
    "__VERIFIER_assert",
    "__irkiss_assert",
    "reach_error",
    "__VERIFIER_error",
];

/// Takes the bodies of such functions away: then they are the models'.
pub fn forget_empty_errors(module: &Module<'_>) {
    for function in functions(module) {
        let name = function.name();
        if !ERRORS.contains(&name.as_str()) || function.is_declaration() || says_so(function) {
            continue;
        }
        unsafe {
            let ty = function.global_type();
            let new = LLVMAddFunction(module.as_mut_ptr(), c"".as_ptr(), ty.raw());
            LLVMReplaceAllUsesWith(function.raw(), new);
            LLVMDeleteFunction(function.raw());
            LLVMSetValueName2(new, name.as_ptr().cast(), name.len());
        }
    }
}

fn says_so(function: Val<'_>) -> bool {
    let all = function.blocks().into_iter().flat_map(|b| b.instructions());
    all.filter_map(Val::callee)
        .any(|callee| SAYS_SO.contains(&callee.name().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn an_empty_body_is_none() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"declare void @__assert_fail()
              define void @reach_error() { ret void }
              define internal void @__VERIFIER_error() { call void @__assert_fail() unreachable }
              define void @f() { call void @reach_error() call void @__VERIFIER_error() ret void }",
            "t.ll",
        )
        .unwrap();
        forget_empty_errors(&module);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(text.contains("declare void @reach_error"), "{text}");
        assert!(
            text.contains("define internal void @__VERIFIER_error"),
            "{text}"
        );
    }
}
