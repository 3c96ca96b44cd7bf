//! Locals that may be read before they are set.
//!
//! Where a local is set on one way only, `mem2reg` takes what is undefined on the other for the same value. But it may be any: so each
//! local is first set to one arbitrary value, of which nothing is left where it is not read.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use super::build::{Builder, replace};
use super::raw::{Bb, LLVMOpcode, Ty, Val, functions};

/// Sets each local number that registers can hold. What was put there, for [`forget`].
pub fn set_locals<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    let builder = Builder::new(module);
    let mut set = Vec::new();
    for i in functions(module)
        .into_iter()
        .flat_map(Val::blocks)
        .flat_map(Bb::instructions)
    {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMAlloca)) || !is_plain(i) {
            continue;
        }
        let ty = unsafe { Ty::new(LLVMGetAllocatedType(i.raw())) };
        let next = unsafe { Val::maybe(LLVMGetNextInstruction(i.raw())) };
        let Some(next) = next else { continue };
        builder.before(next);
        let value = builder.arbitrary(ty);
        builder.store(value, i, false);
        set.push(value);
    }
    set
}

/// Removes what nothing reads, and what did not become a register.
pub fn forget(set: Vec<Val<'_>>) {
    for value in set {
        for user in value.users() {
            if matches!(user.opcode(), Some(LLVMOpcode::LLVMStore))
                && user.operand(0) == Some(value)
            {
                replace(user, None);
            }
        }
        if value.users().is_empty() {
            replace(value, None);
        }
    }
}

/// Whether a local is one number that is only read and written as such: then it becomes a register.
fn is_plain(local: Val<'_>) -> bool {
    let ty = unsafe { Ty::new(LLVMGetAllocatedType(local.raw())) };
    let number = ty.int_bits() > 0
        || matches!(
            ty.kind(),
            LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind
        );
    let single = local.operand(0).and_then(|n| n.int_value()) == Some(1);
    let plain = |user: Val<'_>| match user.opcode() {
        Some(LLVMOpcode::LLVMLoad) => {
            user.ty() == ty && unsafe { LLVMGetVolatile(user.raw()) == 0 }
        }
        Some(LLVMOpcode::LLVMStore) => {
            user.operand(0).is_some_and(|v| v != local && v.ty() == ty)
                && unsafe { LLVMGetVolatile(user.raw()) == 0 }
        }
        _ => user
            .intrinsic_name()
            .is_some_and(|name| name.starts_with("llvm.lifetime.")),
    };
    let users = local.users();
    let read = users
        .iter()
        .any(|u| matches!(u.opcode(), Some(LLVMOpcode::LLVMLoad)));
    number && single && read && users.into_iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::super::prepare::prepare;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn a_local_that_one_way_sets_is_any_on_the_other() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"define i32 @f(i1 %c) {
                %x = alloca i32
                %y = alloca i32
                store i32 2, ptr %y
                br i1 %c, label %set, label %end
              set:
                store i32 1, ptr %x
                br label %end
              end:
                %v = load i32, ptr %x
                %w = load i32, ptr %y
                %s = add i32 %v, %w
                ret i32 %s
              }",
            "t.ll",
        )
        .unwrap();
        prepare(&module).unwrap();
        let text = module.print_to_string().to_string();
        assert_eq!(text.matches("freeze").count(), 1, "{text}");
        assert!(text.contains("phi i32"), "{text}");
        assert!(!text.contains("alloca"), "{text}");
    }
}
