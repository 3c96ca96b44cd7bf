//! Linking models: the built-in ones and the user's.

use inkwell::context::Context;
use inkwell::module::Module;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;

use super::call_types::fits;
use super::checked;
use super::results;
use crate::assumption::Fixed;
use crate::config::Options;
use crate::error::InputError;
use crate::frontend::decode::{
    ANY_ANSWER_ATTRIBUTE, ASSUMES_ATTRIBUTE, INTERRUPTS_ATTRIBUTE, MODEL_ATTRIBUTE,
    OUTSIDE_ATTRIBUTE,
};
use crate::frontend::llvm::annotations;
use crate::frontend::llvm::load::{adopt_flags, link, parse, parse_lazily, set_target, target_of};
use crate::frontend::llvm::raw::{LLVMValueKind, Val, functions, globals};
use crate::frontend::stubs::{self, Group};

/// How an annotation that names an assumption begins.
const ASSUMES: &str = "irkiss-assumes:";
/// The annotation of a model that gives any answer although the real function's follows from what it is given.
const ANY_ANSWER: &str = "irkiss-any-answer";
/// The note of a model that interrupts its caller.
const INTERRUPTS: &str = "irkiss-interrupts";

/// Prefix of a model that replaces the module's own internal function.
pub const REPLACES: &str = crate::program::MODEL_OF;

/// Marks a function as the tool's own.
pub fn mark_as_model(function: Val<'_>) {
    mark(function, MODEL_ATTRIBUTE);
}

/// Marks a function of which nothing is known.
pub fn mark_as_outside(function: Val<'_>) {
    mark(function, OUTSIDE_ATTRIBUTE);
}

/// Notes that a function fixes something that the one it is a model of does not; once more adds to it.
pub(super) fn mark_assumption(function: Val<'_>, fixed: Fixed) {
    let mut codes = function
        .string_attribute(ASSUMES_ATTRIBUTE)
        .unwrap_or_default();
    if !codes.is_empty() {
        codes.push(',');
    }
    codes.push_str(fixed.code());
    attribute(function, ASSUMES_ATTRIBUTE, &codes);
}

/// Gives a function a string attribute without a value.
pub(super) fn mark(function: Val<'_>, name: &str) {
    attribute(function, name, "");
}

fn attribute(function: Val<'_>, name: &str, value: &str) {
    unsafe {
        let context = LLVMGetModuleContext(LLVMGetGlobalParent(function.raw()));
        let attribute = LLVMCreateStringAttribute(
            context,
            name.as_ptr().cast(),
            name.len() as u32,
            value.as_ptr().cast(),
            value.len() as u32,
        );
        LLVMAddAttributeAtIndex(
            function.raw(),
            llvm_sys::LLVMAttributeFunctionIndex,
            attribute,
        );
    }
}

/// Byte order and pointer size of a module.
fn shape(module: &Module<'_>) -> (bool, u32) {
    use llvm_sys::target::{
        LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout, LLVMPointerSize,
    };
    unsafe {
        let data = LLVMGetModuleDataLayout(module.as_mut_ptr());
        (
            matches!(LLVMByteOrder(data), LLVMByteOrdering::LLVMLittleEndian),
            LLVMPointerSize(data),
        )
    }
}

/// The bitcode of a model group, for the target of `module`.
///
/// # Errors
/// If there are no models for that target.
pub fn group_for(module: &Module<'_>, group: Group) -> Result<Vec<stubs::Stub>, InputError> {
    let (little_endian, pointer_bytes) = shape(module);
    stubs::select(group, &target_of(module).0, little_endian, pointer_bytes)
        .map_err(|e| InputError::new("", e))
}

/// The functions that the built-in models of a group define, by name, and whether they do more than the default does (which has
/// no effect and an arbitrary result; those that do no more are there to say so).
///
/// # Panics
/// If the bitcode that the build made of them is broken.
pub fn model_names(group: Group) -> Vec<(String, bool)> {
    let context = Context::create();
    let mut names = Vec::new();
    for stub in stubs::STUBS
        .iter()
        .filter(|s| s.group == group && s.layout == "x86_64")
    {
        let module = parse(&context, stub.bytes, stub.name).expect("the build made it");
        let defined = functions(&module)
            .into_iter()
            .filter(|f| !f.is_declaration() && f.is_external());
        names.extend(defined.map(|f| (f.name(), !is_default(f))));
    }
    names.sort();
    names
}

/// Whether a function only returns, if anything, an arbitrary value.
pub fn is_default(function: Val<'_>) -> bool {
    use crate::frontend::llvm::raw::LLVMOpcode as Op;
    let blocks = function.blocks();
    let result = function.global_type().result();
    let mut arbitrary = result.kind() == llvm_sys::LLVMTypeKind::LLVMVoidTypeKind;
    let plain = blocks.len() == 1
        && blocks[0]
            .instructions()
            .into_iter()
            .all(|i| match i.opcode() {
                // Parameters are put into locals, and `(void)parameter` reads them there.
                Some(Op::LLVMAlloca | Op::LLVMZExt) => true,
                Some(Op::LLVMLoad | Op::LLVMStore) => {
                    let place = i.operand(u32::from(i.opcode() == Some(Op::LLVMStore)));
                    place.is_some_and(|p| p.opcode() == Some(Op::LLVMAlloca))
                }
                Some(Op::LLVMRet) => i.operand(0).is_none_or(|value| {
                    let callee = value.callee().map(Val::name).unwrap_or_default();
                    arbitrary = callee.starts_with("__irkiss_nondet_");
                    arbitrary
                }),
                Some(Op::LLVMCall) => {
                    let callee = i.callee().map(Val::name).unwrap_or_default();
                    callee.starts_with("llvm.") || callee.starts_with("__irkiss_nondet_")
                }
                _ => false,
            });
    plain && arbitrary
}

/// Links the user's models and those of `group`: what the module needs of them, no more.
///
/// A definition of the module wins over one of a model, a user's model over a built-in one.
///
/// # Errors
/// A user's model that does not compile or fit.
pub fn link_models<'c>(
    context: &'c Context,
    module: &Module<'c>,
    group: Group,
    options: &Options,
) -> Result<(), InputError> {
    let triple = target_of(module).0;
    if group == Group::Linux {
        declare_for_later(module);
        checked::declare(module, options);
    }
    for path in &options.models {
        let name = path.display().to_string();
        let code = stubs::compile_model(path, &triple).map_err(|e| InputError::new(&name, e))?;
        let model = parse(context, &code, &name)?;
        link_as_needed(module, model, &name)?;
    }
    for stub in group_for(module, group)? {
        let name = format!("models of {}", stub.name);
        let model = match std::env::var(EMPTY_MODEL) {
            Ok(emptied) => {
                let model = parse(context, stub.bytes, &name)?;
                empty(&model, &emptied, group);
                model
            }
            Err(_) => parse_lazily(context, stub.bytes, &name)?,
        };
        results::choose_models(module, &model);
        link_as_needed(module, model, &name)?;
    }
    Ok(())
}

/// The kernel's own functions that are entry points count as code of the input: their accesses are what a race is about.
pub fn are_entry_points<'a>(module: &Module<'_>, entries: impl Iterator<Item = &'a str>) {
    for name in entries {
        let Ok(text) = std::ffi::CString::new(name) else {
            continue;
        };
        unsafe {
            let function = LLVMGetNamedFunction(module.as_mut_ptr(), text.as_ptr());
            if !function.is_null() {
                LLVMRemoveStringAttributeAtIndex(
                    function,
                    llvm_sys::LLVMAttributeFunctionIndex,
                    MODEL_ATTRIBUTE.as_ptr().cast(),
                    MODEL_ATTRIBUTE.len() as u32,
                );
            }
        }
    }
}

/// Inline assembly is lowered after linking, and defaults are made then, which call these models: they must be there.
fn declare_for_later(module: &Module<'_>) {
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let pointer = LLVMPointerTypeInContext(context, 0);
        let void = LLVMVoidTypeInContext(context);
        let declare = |name: &std::ffi::CStr, result, mut params: Vec<_>| {
            if LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()).is_null() {
                let count = params.len() as u32;
                let ty = LLVMFunctionType(result, params.as_mut_ptr(), count, 0);
                LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty);
            }
        };
        declare(c"__irkiss_this_cpu", pointer, vec![pointer]);
        declare(c"__irkiss_current", pointer, vec![]);
        declare(c"__irkiss_thread_info", pointer, vec![]);
        declare(c"__irkiss_irq_disable", void, vec![]);
        declare(c"__irkiss_irq_enable", void, vec![]);
        declare(c"_raw_spin_unlock", void, vec![pointer]);
        let word = LLVMIntTypeInContext(context, 8 * shape(module).1);
        declare(c"__irkiss_irq_flags", word, vec![]);
        let number = LLVMIntTypeInContext(context, 64);
        declare(c"__irkiss_outside_reads", void, vec![pointer, number]);
        declare(c"__irkiss_outside_writes", void, vec![pointer, number]);
        let given = vec![pointer, pointer, number, number, number, number];
        declare(c"__irkiss_given", pointer, given);
    }
}

/// Environment variable for tests of the models: the function of that name loses its body and gets the documented default.
/// [`emptied`] makes a report say so.
const EMPTY_MODEL: &str = "IRKISS_EMPTY_MODEL";

/// What a report says of a model that was emptied.
pub fn emptied() -> Option<String> {
    let name = std::env::var(EMPTY_MODEL).ok()?;
    Some(format!(
        "{EMPTY_MODEL}: the model of {name} was emptied; the verdicts say nothing of the input"
    ))
}

fn empty(model: &Module<'_>, name: &str, group: Group) {
    for function in functions(model) {
        if function.name() != name || function.is_declaration() {
            continue;
        }
        unsafe {
            let ty = function.global_type();
            let new = LLVMAddFunction(model.as_mut_ptr(), c"".as_ptr(), ty.raw());
            LLVMReplaceAllUsesWith(function.raw(), new);
            LLVMDeleteFunction(function.raw());
            LLVMSetValueName2(new, name.as_ptr().cast(), name.len());
            // An error code if it is a pointer, as if the input asked for one.
            super::defaults::define(model, Val::new(new), group, true);
            mark_as_outside(Val::new(new));
            LLVMSetLinkage(new, LLVMLinkage::LLVMExternalLinkage);
        }
    }
}

/// Links those definitions of `model` that `module` refers to.
fn link_as_needed<'c>(
    module: &Module<'c>,
    model: Module<'c>,
    name: &str,
) -> Result<(), InputError> {
    set_target(&model, module);
    adopt_flags(&model, module);
    note_assumptions(&model, name)?;
    for function in functions(&model) {
        if function.is_declaration() {
            continue;
        }
        mark_as_model(function);
        let wanted = function
            .name()
            .strip_prefix(REPLACES)
            .is_some_and(|replaced| !own_functions(module, replaced).is_empty());
        if function.is_external() && !wanted {
            // Linked where referred to; gives way to a definition.
            unsafe { LLVMSetLinkage(function.raw(), LLVMLinkage::LLVMLinkOnceAnyLinkage) };
        }
    }
    for global in globals(&model) {
        if !global.is_declaration() && global.is_external() && !global.name().starts_with("llvm.") {
            unsafe { LLVMSetLinkage(global.raw(), LLVMLinkage::LLVMLinkOnceAnyLinkage) };
        }
    }
    link(module, model, name)
}

/// What the annotations of a model's functions say that they fix (`IRKISS_ASSUMES`).
///
/// # Errors
/// A code that is not on the list.
fn note_assumptions(model: &Module<'_>, name: &str) -> Result<(), InputError> {
    for (function, text) in annotations::of_functions(model) {
        if text == ANY_ANSWER {
            mark(function, ANY_ANSWER_ATTRIBUTE);
        } else if text == INTERRUPTS {
            mark(function, INTERRUPTS_ATTRIBUTE);
        }
        let Some(code) = text.strip_prefix(ASSUMES) else {
            continue;
        };
        let fixed = Fixed::by_code(code).ok_or_else(|| {
            let what = format!(
                "{} assumes `{code}`, which is no assumption",
                function.name()
            );
            InputError::new(name, what)
        })?;
        mark_assumption(function, fixed);
    }
    annotations::forget(model);
    Ok(())
}

/// The internal functions `name` of a module: one for each file that included its header.
fn own_functions<'m>(module: &'m Module<'_>, name: &str) -> Vec<Val<'m>> {
    functions(module)
        .into_iter()
        .filter(|f| {
            !f.is_declaration()
                && !f.is_external()
                && f.string_attribute(MODEL_ATTRIBUTE).is_none()
                && is_numbered(&f.name(), name)
        })
        .collect()
}

/// Whether `found` is `name`, or `name.17` as linking makes it.
fn is_numbered(found: &str, name: &str) -> bool {
    match found.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('.')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())),
        None => false,
    }
}

/// Replaces internal functions of the module by the models made for them. Returns notes about those that do not fit.
pub fn replace_by_models(module: &Module<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let models: Vec<(Val<'_>, String)> = functions(module)
        .into_iter()
        .filter_map(|f| {
            let name = f.name().strip_prefix(REPLACES)?.to_string();
            (!f.is_declaration()).then_some((f, name))
        })
        .collect();
    for (model, name) in models {
        for own in own_functions(module, &name) {
            if !fits(own.global_type(), model) {
                notes.push(format!(
                    "the model of {name} was not used: the input's function has another type ({})",
                    own.global_type().print()
                ));
                continue;
            }
            unsafe {
                LLVMReplaceAllUsesWith(own.raw(), model.raw());
                LLVMDeleteFunction(own.raw());
            }
        }
    }
    notes
}

/// Makes a function that the module defines its own, so that a model may replace it.
pub fn make_internal(module: &Module<'_>, name: &str) {
    for function in functions(module) {
        if !function.is_declaration() && function.is_external() && function.name() == name {
            unsafe { LLVMSetLinkage(function.raw(), LLVMLinkage::LLVMInternalLinkage) };
        }
    }
}

/// Whether the module defines a function of that name that others can call.
pub fn defines(module: &Module<'_>, name: &str) -> bool {
    functions(module).into_iter().any(|f| {
        f.kind() == LLVMValueKind::LLVMFunctionValueKind
            && !f.is_declaration()
            && f.is_external()
            && f.name() == name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names() {
        assert!(is_numbered("set_bit", "set_bit"));
        assert!(is_numbered("set_bit.12", "set_bit"));
        assert!(!is_numbered("set_bit.x", "set_bit"));
        assert!(!is_numbered("set_bits", "set_bit"));
    }

    #[test]
    fn models_replace_internal_functions_of_the_same_type() {
        let context = Context::create();
        let module = parse(
            &context,
            b"declare void @ext()
              define internal i32 @a(i32 %x) { ret i32 1 }
              define internal i32 @a.3(i32 %x) { ret i32 1 }
              define internal void @b() { ret void }
              define i32 @user() { call void @b() call void @ext() %r = call i32 @a(i32 5) %s = call i32 @a.3(i32 5) ret i32 %r }",
            "t.ll",
        )
        .unwrap();
        let model = parse(
            &context,
            b"define i32 @irkiss_model__a(i32 %x) { ret i32 2 }
              define i32 @irkiss_model__b() { ret i32 2 }
              define void @ext() { call void @inner() ret void }
              define void @inner() { ret void }
              define void @unused() { ret void }
              define i32 @user() { ret i32 9 }",
            "m.ll",
        )
        .unwrap();
        link_as_needed(&module, model, "m.ll").unwrap();
        let notes = replace_by_models(&module);
        assert_eq!(notes.len(), 1, "{notes:?}");
        let names: Vec<String> = functions(&module).into_iter().map(Val::name).collect();
        assert!(names.contains(&"inner".to_string()) && !names.contains(&"unused".to_string()));
        assert!(!names.contains(&"a".to_string()) && !names.contains(&"a.3".to_string()));
        let text = module.print_to_string().to_string();
        assert_eq!(
            text.matches("call i32 @irkiss_model__a").count(),
            2,
            "{text}"
        );
        assert!(!text.contains("ret i32 9"), "{text}");
        module.verify().unwrap();
    }
}
