//! Functions of the environment that may answer with an error code instead of a pointer, as far as the input shows it: it asks.

use std::collections::BTreeSet;

use inkwell::module::Module;
use llvm_sys::core::{LLVMGetBasicBlockParent, LLVMGetInstructionParent};

use crate::frontend::llvm::raw::{LLVMOpcode, Val, functions};

/// include/linux/err.h: where they have not been dissolved.
const QUESTIONS: &[&str] = &["IS_ERR", "IS_ERR_OR_NULL", "PTR_ERR", "PTR_ERR_OR_ZERO"];
/// MAX_ERRNO, and what comparisons with it become.
const LIMITS: std::ops::RangeInclusive<i64> = -4098..=-4094;

/// The functions without a body whose result is compared with the error codes in some place.
pub fn asked_for_errors(module: &Module<'_>) -> BTreeSet<String> {
    functions(module)
        .into_iter()
        .filter(|f| f.is_declaration() && f.users().into_iter().any(|call| is_asked(*f, call)))
        .map(Val::name)
        .collect()
}

fn is_asked<'m>(function: Val<'m>, call: Val<'m>) -> bool {
    call.callee() == Some(function)
        && reaches(call, Returns::Stay, &|user| match user.opcode() {
            Some(LLVMOpcode::LLVMICmp) => compares_with_errors(user),
            Some(LLVMOpcode::LLVMCall) => {
                let name = user.callee().map(Val::name).unwrap_or_default();
                QUESTIONS.contains(&name.split('.').next().unwrap_or_default())
            }
            _ => false,
        })
}

/// Whether a value is followed to the callers of a function that returns it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    /// It is not.
    Stay,
    /// It is.
    Follow,
}

/// Whether a value, or what it is put into, gets to an instruction of that kind. Copies of it are followed, and fields that it is
/// stored in, within the function.
pub(super) fn reaches<'m>(value: Val<'m>, returns: Returns, is: &dyn Fn(Val<'m>) -> bool) -> bool {
    let mut seen = vec![value];
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        for user in value.users() {
            if is(user) {
                return true;
            }
            let next = match user.opcode() {
                Some(
                    LLVMOpcode::LLVMPHI
                    | LLVMOpcode::LLVMSelect
                    | LLVMOpcode::LLVMFreeze
                    | LLVMOpcode::LLVMPtrToInt
                    | LLVMOpcode::LLVMAdd,
                ) => vec![user],
                Some(LLVMOpcode::LLVMStore) if user.operand(0) == Some(value) => user
                    .operand(1)
                    .map(|to| read_back(user, to))
                    .unwrap_or_default(),
                Some(LLVMOpcode::LLVMRet) if returns == Returns::Follow => {
                    let function = function_of(user);
                    let calls = function.users().into_iter();
                    calls.filter(|c| c.callee() == Some(function)).collect()
                }
                _ => continue,
            };
            for value in next {
                if !seen.contains(&value) {
                    seen.push(value);
                    work.push(value);
                }
            }
        }
    }
    false
}

fn function_of<'m>(instruction: Val<'m>) -> Val<'m> {
    unsafe {
        Val::new(LLVMGetBasicBlockParent(LLVMGetInstructionParent(
            instruction.raw(),
        )))
    }
}

fn compares_with_errors(compare: Val<'_>) -> bool {
    (0..2).filter_map(|n| compare.operand(n)).any(|side| {
        let number = match side.opcode() {
            Some(LLVMOpcode::LLVMIntToPtr) => side.operand(0),
            _ => Some(side),
        };
        number
            .filter(|n| (32..=64).contains(&n.ty().int_bits()))
            .and_then(|n| Some((n.int_value()?, 64 - n.ty().int_bits())))
            .is_some_and(|(n, shift)| LIMITS.contains(&(((n as i64) << shift) >> shift)))
    })
}

/// The loads of the same function that read what a store has put into a field.
fn read_back<'m>(store: Val<'m>, place: Val<'m>) -> Vec<Val<'m>> {
    let all = function_of(store)
        .blocks()
        .into_iter()
        .flat_map(|b| b.instructions());
    all.filter(|i| {
        matches!(i.opcode(), Some(LLVMOpcode::LLVMLoad))
            && i.operand(0).is_some_and(|from| same_place(from, place))
    })
    .collect()
}

fn same_place(a: Val<'_>, b: Val<'_>) -> bool {
    let is_field = |v: Val<'_>| matches!(v.opcode(), Some(LLVMOpcode::LLVMGetElementPtr));
    a == b
        || is_field(a)
            && is_field(b)
            && a.operand_count() == b.operand_count()
            && (1..a.operand_count()).all(|n| a.operand(n) == b.operand(n))
            && matches!((a.operand(0), b.operand(0)), (Some(a), Some(b)) if same_place(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn who_is_asked() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"declare ptr @compared()
              declare ptr @by_name()
              declare ptr @kept()
              declare ptr @never()
              define internal i1 @IS_ERR.3(ptr %p) { ret i1 false }
              define i1 @f(ptr %o, i1 %b) {
                %a = call ptr @compared()
                %n = call ptr @never()
                %c = select i1 %b, ptr %a, ptr null
                %d = icmp ugt ptr %c, inttoptr (i64 -4096 to ptr)
                %e = call ptr @by_name()
                %g = call i1 @IS_ERR.3(ptr %e)
                %k = call ptr @kept()
                %f1 = getelementptr { i32, ptr }, ptr %o, i32 0, i32 1
                store ptr %k, ptr %f1
                %f2 = getelementptr { i32, ptr }, ptr %o, i32 0, i32 1
                %l = load ptr, ptr %f2
                %m = call i1 @IS_ERR.3(ptr %l)
                %z = icmp eq ptr %n, null
                ret i1 %z
              }",
            "t.ll",
        )
        .unwrap();
        let asked: Vec<String> = asked_for_errors(&module).into_iter().collect();
        assert_eq!(asked, ["by_name", "compared", "kept"]);
    }
}
