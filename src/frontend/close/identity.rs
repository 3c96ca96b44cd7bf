//! Calls that tell which object is which note it, and calls of functions without a model give the object that was found to be
//! meant ([`crate::environment::identity`]).

use std::collections::BTreeMap;

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;

use super::declared::{Answer, declared};
use super::defaults;
use super::models::{mark_as_model, mark_as_outside};
use crate::environment::identity::{
    ANSWERED, CallPlace, CallValue, GIVES, Identity, Keeper, note_name,
};
use crate::frontend::harness::identity::{KEEP, UNIDENTIFIED, keep_name, known_name};
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Val, functions, resolve_alias};
use crate::frontend::stubs::Group;

/// Puts the notes in, and stands something in for the functions whose results are shared objects. Before anything else is linked:
/// calls are counted as they were where they were found.
pub fn note(module: &Module<'_>, identity: &Identity) {
    let calls = calls(module);
    let builder = Builder::new(module);
    let (ptr, void, word) = (
        builder.ptr_type(),
        builder.void_type(),
        builder.int_type(64),
    );
    for told in &identity.told {
        let Some(call) = calls.get(&told.at).copied() else {
            continue;
        };
        let object = match told.value {
            CallValue::Result => Some(call),
            CallValue::Argument(n) => call.call_args().get(n).copied(),
        };
        let Some(object) = object.filter(|o| o.ty() == ptr) else {
            continue;
        };
        match told.value {
            CallValue::Result => after(&builder, call),
            // What is registered may be used from then on.
            CallValue::Argument(_) => builder.before(call),
        }
        builder.call(&note_name(&told.name), void, &[object]);
    }
    for kept in &identity.kept {
        let Some(call) = calls.get(&kept.at).copied() else {
            continue;
        };
        let Some(data) = call.call_args().get(kept.data).copied() else {
            continue;
        };
        let offset = builder.int(word.int_bits(), kept.offset);
        match &kept.keeper {
            Keeper::Result => {
                after(&builder, call);
                builder.call(KEEP, void, &[call, data, offset]);
            }
            Keeper::Shared(name) => {
                builder.before(call);
                builder.call(&keep_name(name), void, &[data, offset]);
            }
        }
    }
    for answered in &identity.answered {
        let Some(call) = calls.get(&answered.at).copied() else {
            continue;
        };
        let name = format!("{ANSWERED}{}{GIVES}{}", answered.at.callee, answered.name);
        let ty = unsafe { LLVMGetCalledFunctionType(call.raw()) };
        let name = std::ffi::CString::new(name).unwrap_or_default();
        unsafe {
            let known = Val::maybe(LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()));
            let known = known.unwrap_or_else(|| {
                Val::new(LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty))
            });
            if known.global_type().raw() == ty {
                LLVMSetOperand(
                    call.raw(),
                    LLVMGetNumOperands(call.raw()) as u32 - 1,
                    known.raw(),
                );
            }
        }
    }
}

/// Direct calls by place.
fn calls<'m>(module: &'m Module<'_>) -> BTreeMap<CallPlace, Val<'m>> {
    let mut all = BTreeMap::new();
    for function in functions(module) {
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let instructions = function.blocks().into_iter().flat_map(|b| b.instructions());
        for call in instructions.filter(|i| matches!(i.opcode(), Some(LLVMOpcode::LLVMCall))) {
            let Some(callee) = call.callee().map(resolve_alias) else {
                continue;
            };
            if callee.kind() != LLVMValueKind::LLVMFunctionValueKind {
                continue;
            }
            let name = callee.name();
            let number = numbers.entry(name.clone()).or_default();
            let at = CallPlace {
                function: function.name(),
                callee: name,
                number: *number,
            };
            *number += 1;
            all.insert(at, call);
        }
    }
    all
}

fn after<'m>(builder: &Builder<'m>, call: Val<'m>) {
    if let Some(next) = unsafe { Val::maybe(LLVMGetNextInstruction(call.raw())) } {
        builder.before(next);
    }
}

/// Once models are there: what has one is called again, the rest gives the shared object. Returns name and number of call
/// sites of the latter.
pub fn answer(
    module: &Module<'_>,
    asked: &std::collections::BTreeSet<String>,
) -> Vec<(String, u32)> {
    let mut listed = Vec::new();
    for function in functions(module) {
        let full = function.name();
        let parts = full
            .strip_prefix(ANSWERED)
            .and_then(|n| n.rsplit_once(GIVES));
        let Some((name, object)) = parts else {
            continue;
        };
        let original = named(module, name);
        let modelled = original.is_some_and(|f| !f.is_declaration());
        let told = declared(Group::Linux, name).is_some_and(|group| {
            !matches!(
                group.answer,
                Answer::Arbitrary | Answer::Object | Answer::ObjectOrError
            )
        });
        let cell = global(module, &format!("__irkiss_shared.{object}"));
        let (Some(cell), false) = (cell, modelled || told) else {
            if let Some(original) = original {
                unsafe {
                    LLVMReplaceAllUsesWith(function.raw(), original.raw());
                    LLVMDeleteFunction(function.raw());
                }
            }
            continue;
        };
        listed.push((name.to_string(), function.users().len() as u32));
        give(module, function, (cell, object), asked.contains(name));
        if let Some(unused) = original.filter(|f| f.users().is_empty()) {
            unsafe { LLVMDeleteFunction(unused.raw()) };
            unsafe { LLVMSetValueName2(function.raw(), name.as_ptr().cast(), name.len()) };
        }
    }
    listed
}

/// The body that gives the object of that name, in the cell, or null where some caller looks, or an error code where it is asked for.
fn give<'m>(
    module: &'m Module<'_>,
    function: Val<'m>,
    (cell, object): (Val<'m>, &str),
    errors: bool,
) {
    let builder = Builder::new(module);
    let compared = function.users().into_iter().any(|call| {
        call.users().into_iter().any(|user| {
            matches!(user.opcode(), Some(LLVMOpcode::LLVMICmp))
                && (0..2).any(|n| {
                    user.operand(n).is_some_and(|o| {
                        matches!(o.kind(), LLVMValueKind::LLVMConstantPointerNullValueKind)
                    })
                })
        })
    });
    defaults::begin(&builder, module, function);
    mark_as_model(function);
    mark_as_outside(function);
    let result = function.global_type().result();
    if result.kind() != LLVMTypeKind::LLVMPointerTypeKind {
        return builder.unreachable();
    }
    // What tells which object it is may come later, or be given what this gives.
    let mut value = match named(module, &known_name(object)) {
        Some(known) => {
            mark_as_outside(known);
            builder.call_value(known, &[])
        }
        None => builder.load(result, cell, true),
    };
    if compared {
        let there = builder.call("__irkiss_nondet_bool", builder.int_type(1), &[]);
        if let Some(there) = builder.convert(there, builder.int_type(1), false) {
            value = builder.select(there, value, builder.zero(result));
        }
    }
    if errors && let Some((failed, error)) = defaults::error_pointer(&builder, result) {
        value = builder.select(failed, error, value);
    }
    builder.ret(Some(value));
}

fn named<'m>(module: &'m Module<'_>, name: &str) -> Option<Val<'m>> {
    let name = std::ffi::CString::new(name).ok()?;
    unsafe { Val::maybe(LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr())) }
}

fn global<'m>(module: &'m Module<'_>, name: &str) -> Option<Val<'m>> {
    let name = std::ffi::CString::new(name).ok()?;
    unsafe { Val::maybe(LLVMGetNamedGlobal(module.as_mut_ptr(), name.as_ptr())) }
}

/// Objects of which nothing tells whose they are: as what functions give of which nothing is known.
pub fn mark(module: &Module<'_>) {
    for function in functions(module) {
        if function.name().starts_with(UNIDENTIFIED) {
            mark_as_outside(function);
        }
    }
}
