//! What functions of the environment write in the objects that they are given (`[[writes]]` in rule files), at the beginning of their
//! models. A plain value is a plain write, as in the kernel's source: who reads it beside that races.

use inkwell::module::Module;
use llvm_sys::LLVMAtomicRMWBinOp::{LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpOr};
use llvm_sys::LLVMTypeKind;

use super::models::REPLACES;
use crate::environment::Rules;
use crate::environment::discover::{member_offset, member_place};
use crate::environment::rules::{WritesRule, Written};
use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{Val, functions};
use crate::program::Program;

/// Puts the writes at the beginning of models and defaults. What the input does not have the struct of, it cannot see.
pub fn put_writes(module: &Module<'_>, plain: &Program, rules: &Rules) {
    let builder = Builder::new(module);
    for function in functions(module) {
        let name = function.name();
        let name = name.strip_prefix(REPLACES).unwrap_or(&name);
        let is_model = function.string_attribute(MODEL_ATTRIBUTE).is_some();
        let first = function
            .blocks()
            .first()
            .and_then(|b| b.instructions().first().copied());
        let (true, Some(first)) = (is_model, first) else {
            continue;
        };
        builder.before(first);
        for rule in rules.writes(name) {
            put(&builder, plain, function, rule);
        }
    }
}

fn put<'m>(builder: &Builder<'m>, plain: &Program, function: Val<'m>, rule: &WritesRule) {
    let params = function.params();
    let is_pointer = |v: &&Val<'m>| v.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind;
    let (structure, member) = &rule.member;
    let Some(object) = params.get(rule.object).filter(is_pointer) else {
        return;
    };
    let Some((offset, bytes)) = member_place(plain, structure, member) else {
        return;
    };
    let at = builder.offset(*object, builder.int(64, offset));
    let bits = (bytes * 8) as u32;
    match &rule.value {
        Written::Address(part) => {
            let within = part.member.split_once('.');
            let within = within.and_then(|(s, member)| member_offset(plain, s, member));
            let of = params.get(part.of).filter(is_pointer);
            if let (Some(of), Some(within)) = (of, within) {
                let address = builder.offset(*of, builder.int(64, within));
                builder.store(address, at, false);
            }
        }
        Written::New(structure) => {
            let lazy = [builder.int(64, 0), builder.text(structure)];
            let fresh = builder.call("__irkiss_lazy", builder.ptr_type(), &lazy);
            builder.store(fresh, at, false);
        }
        Written::Argument(n) => {
            let Some(value) = params.get(*n) else { return };
            let of = match value.ty().kind() {
                LLVMTypeKind::LLVMPointerTypeKind => Some(*value),
                _ => builder.convert(*value, builder.int_type(bits), true),
            };
            if let Some(value) = of {
                builder.store(value, at, false);
            }
        }
        Written::Sets(those) => {
            builder.atomic(LLVMAtomicRMWBinOpOr, at, builder.int(bits, *those));
        }
        Written::Clears(those) => {
            builder.atomic(LLVMAtomicRMWBinOpAnd, at, builder.int(bits, !those));
        }
    }
}
