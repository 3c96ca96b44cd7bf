//! Functions without a definition and without a model get a documented default.
//!
//! The default returns an arbitrary value (for a pointer: null or a fresh object,
//! or an error code if the input asks for one, [`super::error_answers`]) and touches no
//! memory but the numbers that it is given the address of ([`super::buffers`]; in programs, [`super::unknown`]). One that is declared not to return ends its thread.
//! One that the compiler was to prove unreachable (`__attribute__((error))`) is
//! unsupported. The report lists each with its number of call sites, except those
//! that the table of declared functions says more about ([`declared`]).

use std::collections::BTreeSet;

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::{LLVMIntPredicate, LLVMTypeKind};

use super::buffers::Buffers;
use super::checked::USED;
use super::declared::{Answer, declared};
use super::given::beyond_parameters;
use super::models::{mark, mark_as_model, mark_as_outside, mark_assumption};
use super::unknown::Outside;
use crate::environment::identity::makes_new;
use crate::frontend::decode::ANY_ANSWER_ATTRIBUTE;
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::debug_info::{DebugInfo, Md, tag};
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, Ty, Val, functions, metadata_kind};
use crate::frontend::llvm::varargs::ARGUMENTS;
use crate::frontend::stubs::Group;
use crate::program::{Primitive, is_runtime};

/// Gives a body to every function that is used and has none; those of `asked` may answer with an error code. Returns name and
/// number of call sites, by name.
pub fn define_defaults(
    module: &Module<'_>,
    group: Group,
    asked: &BTreeSet<String>,
) -> Vec<(String, u32)> {
    let mut defaults = Vec::new();
    for function in functions(module) {
        let name = function.name();
        let ours = name.starts_with("llvm.")
            || name == ARGUMENTS
            || is_runtime(&name)
            || Primitive::by_name(&name).is_some();
        if !function.is_declaration()
            || ours
            || unsafe { LLVMGetFirstUse(function.raw()).is_null() }
        {
            continue;
        }
        if declared(group, &name).is_none_or(|group| group.listed) {
            defaults.push((name.clone(), call_sites(function)));
            mark_as_outside(function);
        }
        define(module, function, group, asked.contains(&name));
    }
    defaults.sort();
    defaults
}

fn call_sites(function: Val<'_>) -> u32 {
    let mut calls = 0;
    unsafe {
        let mut at = LLVMGetFirstUse(function.raw());
        while !at.is_null() {
            let user = Val::new(LLVMGetUser(at));
            // A call of it, or of it or another: see `outside`.
            let chosen = matches!(user.opcode(), Some(LLVMOpcode::LLVMSelect));
            calls += u32::from(user.callee() == Some(function) || chosen);
            at = LLVMGetNextUse(at);
        }
    }
    calls
}

/// Gives a function its default body; a pointer that it returns may be an error code if `errors`.
pub(super) fn define<'m>(module: &'m Module<'_>, function: Val<'m>, group: Group, errors: bool) {
    let name = function.name();
    let declared = declared(group, &name);
    // What a program gives it may be used; the kernel is told by rules what it does.
    let outside = (group == Group::Pthread).then(|| match declared {
        None => Outside::of(module, function),
        Some(_) => Outside::reads(module, function),
    });
    if group == Group::Pthread && declared.is_none() && function.global_type().is_variadic() {
        beyond_parameters(module, function);
    }
    let builder = Builder::new(module);
    let result = function.global_type().result();
    let info = DebugInfo::new(module);
    let buffers = (group == Group::Linux).then(|| Buffers::of(&info, function, declared.is_some()));
    let signed = gives_signed(&info, function);
    let objects = objects(&info, function);
    begin(&builder, module, function);
    mark_as_model(function);
    if function.string_attribute("dontcall-error").is_some() {
        builder.unsupported(&format!(
            "call of {name}, which the compiler was to prove unreachable"
        ));
        return builder.unreachable();
    }
    if is_noreturn(function) && may_throw(module, function) {
        builder.unsupported(&format!("{name}, which may throw a C++ exception"));
        return builder.unreachable();
    }
    if is_noreturn(function) {
        builder.call("__irkiss_stop", builder.void_type(), &[]);
        return builder.unreachable();
    }
    if let Some(outside) = outside {
        outside.build(&builder, function);
    }
    if let Some(buffers) = buffers {
        buffers.build(&builder, function);
    }
    // Only there if somebody asks whether objects are.
    if group == Group::Linux && has_function(module, USED) {
        for object in objects {
            builder.call(USED, builder.void_type(), &[object]);
        }
    }
    // What answers nothing may fix something, too.
    if let Some(fixed) = declared.and_then(|group| group.assumes) {
        mark_assumption(function, fixed);
    }
    if result.kind() == LLVMTypeKind::LLVMVoidTypeKind {
        return builder.ret(None);
    }
    let answer = declared.map_or(Answer::Arbitrary, |group| group.answer);
    if declared.is_some_and(|group| group.any_answer) {
        mark(function, ANY_ANSWER_ATTRIBUTE);
    }
    let value = answered(&builder, function, result, answer)
        .or_else(|| same(&builder, module, function, &name, answer))
        .or_else(|| number(&builder, result, signed))
        .or_else(|| arbitrary(&builder, result));
    let error =
        || error_pointer(&builder, result).filter(|_| errors && answer == Answer::Arbitrary);
    match value.map(|value| match error() {
        Some((failed, error)) => builder.select(failed, error, value),
        None => value,
    }) {
        Some(value) => builder.ret(Some(value)),
        None => {
            builder.unsupported(&format!("result of {name}, of type {}", result.print()));
            builder.unreachable();
        }
    }
}

/// Makes a declaration a definition of this module's own, whose body the builder is to write.
pub(super) fn begin<'m>(builder: &Builder<'m>, module: &'m Module<'_>, function: Val<'m>) {
    unsafe {
        // The debug info of a declaration does not fit a definition.
        LLVMGlobalClearMetadata(function.raw());
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let block = Bb::new(LLVMAppendBasicBlockInContext(
            context,
            function.raw(),
            c"entry".as_ptr(),
        ));
        // Weak linkage of a mere declaration has another meaning on a definition.
        LLVMSetLinkage(function.raw(), llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        LLVMSetVisibility(
            function.raw(),
            llvm_sys::LLVMVisibility::LLVMDefaultVisibility,
        );
        // Debug info of a declaration does not fit a definition.
        LLVMGlobalEraseMetadata(function.raw(), metadata_kind(module, "dbg"));
        builder.at_end(block);
    }
}

/// The parameters that lead to structs, by debug info.
fn objects<'m>(info: &DebugInfo<'m>, function: Val<'m>) -> Vec<Val<'m>> {
    let plain = |mut ty: Md<'m>| {
        while let (tag::TYPEDEF | tag::CONST, Some(base)) = (ty.tag(), ty.base_type()) {
            ty = base;
        }
        ty
    };
    let is_object = |ty: Md<'m>| {
        let leads = Some(plain(ty)).filter(|t| t.tag() == tag::POINTER);
        leads
            .and_then(Md::base_type)
            .is_some_and(|t| plain(t).tag() == tag::STRUCTURE)
    };
    let subprogram = info.function(function);
    let signature = subprogram.and_then(Md::subprogram_type).map(Md::signature);
    let types = signature.unwrap_or_default().into_iter().skip(1);
    let each = function.params().into_iter().zip(types);
    each.filter(|(p, ty)| {
        p.ty().kind() == LLVMTypeKind::LLVMPointerTypeKind && ty.is_some_and(is_object)
    })
    .map(|(p, _)| p)
    .collect()
}

/// Whether the result is a signed number, by debug info.
fn gives_signed<'m>(info: &DebugInfo<'m>, function: Val<'m>) -> bool {
    let subprogram = info.function(function);
    let signature = subprogram.and_then(Md::subprogram_type).map(Md::signature);
    let mut ty = signature.and_then(|s| s.into_iter().next()).flatten();
    // Through typedefs and qualifiers.
    while let Some(base) = ty.and_then(Md::base_type) {
        ty = Some(base);
    }
    ty.is_some_and(|t| matches!(t.type_name().as_str(), "int" | "long" | "long int"))
}

/// A number that is an error code if it is negative: -4095 to -1 (include/linux/err.h).
fn number<'m>(builder: &Builder<'m>, result: Ty<'m>, signed: bool) -> Option<Val<'m>> {
    let is_int = result.kind() == LLVMTypeKind::LLVMIntegerTypeKind;
    if !signed || !is_int || !matches!(result.int_bits(), 32 | 64) {
        return None;
    }
    let bits = result.int_bits();
    let value = builder.nondet(bits);
    let below = builder.compare(LLVMIntPredicate::LLVMIntSLT, value, builder.int(bits, 0));
    let code = builder.binary(LLVMOpcode::LLVMOr, value, builder.int(bits, !ERRORS));
    Some(builder.select(below, code, value))
}

/// A pointer to one object for the same arguments, or null; what the function makes anew is another one each time.
fn same<'m>(
    builder: &Builder<'m>,
    module: &'m Module<'_>,
    function: Val<'m>,
    name: &str,
    answer: Answer,
) -> Option<Val<'m>> {
    let result = function.global_type().result();
    let args = function.params();
    let helper = has_function(module, GIVEN);
    if answer != Answer::Arbitrary
        || result.kind() != LLVMTypeKind::LLVMPointerTypeKind
        || !(1..=4).contains(&args.len())
        || function.global_type().is_variadic()
        || makes_new(name)
        || !helper
    {
        return None;
    }
    let word = builder.int_type(64);
    let mut of = Vec::new();
    for arg in &args {
        of.push(builder.convert(*arg, word, false)?);
    }
    of.resize(4, builder.int(64, 0));
    let lazy = [builder.int(64, 0), builder.text(name)];
    let fresh = builder.call("__irkiss_lazy", builder.ptr_type(), &lazy);
    let mut all = vec![builder.table(&format!("{GIVEN}.{name}"), 2, 4), fresh];
    all.extend(of);
    let object = builder.call(GIVEN, builder.ptr_type(), &all);
    let there = builder.call("__irkiss_nondet_bool", builder.int_type(1), &[]);
    let there = builder.convert(there, builder.int_type(1), false)?;
    Some(builder.select(there, object, builder.zero(result)))
}

fn has_function(module: &Module<'_>, name: &str) -> bool {
    let name = std::ffi::CString::new(name).unwrap_or_default();
    unsafe { !LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()).is_null() }
}

fn is_noreturn(function: Val<'_>) -> bool {
    has_attribute(function, c"noreturn")
}

/// Whether a function may leave its caller by an exception: nothing says that it does not, in a program that has handlers.
fn may_throw(module: &Module<'_>, function: Val<'_>) -> bool {
    let has_handlers = |f: Val<'_>| unsafe { LLVMHasPersonalityFn(f.raw()) != 0 };
    !has_attribute(function, c"nounwind") && functions(module).into_iter().any(has_handlers)
}

fn has_attribute(function: Val<'_>, name: &std::ffi::CStr) -> bool {
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(name.as_ptr(), name.to_bytes().len());
        !LLVMGetEnumAttributeAtIndex(function.raw(), llvm_sys::LLVMAttributeFunctionIndex, kind)
            .is_null()
    }
}

/// Of files that no model knows; those that one knows come after (`runtime-stubs/pthread/pipes.c`).
const LAST_DESCRIPTOR: u64 = 511;

/// The answer that the table tells, where it fits the type of the result.
fn answered<'m>(
    builder: &Builder<'m>,
    function: Val<'m>,
    result: Ty<'m>,
    answer: Answer,
) -> Option<Val<'m>> {
    let object = || {
        let args = [builder.int(64, 0), builder.text(&function.name())];
        builder.call("__irkiss_lazy", builder.ptr_type(), &args)
    };
    let flag = || {
        let flag = builder.call("__irkiss_nondet_bool", builder.int_type(1), &[]);
        builder.convert(flag, builder.int_type(1), false)
    };
    let is_int = result.kind() == LLVMTypeKind::LLVMIntegerTypeKind && result.int_bits() <= 64;
    let is_ptr = result.kind() == LLVMTypeKind::LLVMPointerTypeKind;
    match answer {
        Answer::Zero => Some(builder.zero(result)),
        Answer::Flag if is_int => builder.convert(flag()?, result, false),
        Answer::ZeroOrError if is_int && result.int_bits() >= 16 => {
            let number = builder.nondet(result.int_bits());
            let codes = builder.int(result.int_bits(), !ERRORS);
            let error = builder.binary(LLVMOpcode::LLVMOr, number, codes);
            Some(builder.select(flag()?, error, builder.zero(result)))
        }
        Answer::NonNegative if is_int => {
            let number = builder.nondet(result.int_bits());
            let one = builder.int(result.int_bits(), 1);
            Some(builder.binary(LLVMOpcode::LLVMLShr, number, one))
        }
        Answer::Descriptor if is_int && result.int_bits() >= 16 => {
            let number = builder.nondet(result.int_bits());
            let most = builder.int(result.int_bits(), LAST_DESCRIPTOR);
            let number = builder.binary(LLVMOpcode::LLVMAnd, number, most);
            let failed = builder.int(result.int_bits(), u64::MAX);
            Some(builder.select(flag()?, failed, number))
        }
        Answer::Object if is_ptr => Some(object()),
        Answer::ObjectOrError if is_ptr => {
            let (failed, error) = error_pointer(builder, result)?;
            Some(builder.select(failed, error, object()))
        }
        Answer::FirstArgument => {
            let first = function.params().first().copied()?;
            (first.ty() == result).then_some(first)
        }
        _ => None,
    }
}

/// The model that gives one object for the same arguments.
pub(super) const GIVEN: &str = "__irkiss_given";

/// Error codes are 1 to 4095; those in use are below this.
const ERRORS: u64 = 0x7ff;

/// Whether it failed, and the pointer that says so.
pub(super) fn error_pointer<'m>(
    builder: &Builder<'m>,
    result: Ty<'m>,
) -> Option<(Val<'m>, Val<'m>)> {
    const ENOMEM: u64 = 12;
    if result.kind() != LLVMTypeKind::LLVMPointerTypeKind {
        return None;
    }
    let failed = builder.call("__irkiss_nondet_bool", builder.int_type(1), &[]);
    let failed = builder.convert(failed, builder.int_type(1), false)?;
    let error = builder.convert(builder.int(64, ENOMEM.wrapping_neg()), result, false)?;
    Some((failed, error))
}

/// An arbitrary value of a type.
fn arbitrary<'m>(builder: &Builder<'m>, ty: Ty<'m>) -> Option<Val<'m>> {
    match ty.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind if ty.int_bits() == 1 => {
            let byte = builder.call("__irkiss_nondet_bool", builder.int_type(1), &[]);
            builder.convert(byte, ty, false)
        }
        LLVMTypeKind::LLVMIntegerTypeKind if ty.int_bits() <= 64 => {
            Some(builder.nondet(ty.int_bits()))
        }
        LLVMTypeKind::LLVMPointerTypeKind => Some(builder.call("__irkiss_nondet_ptr", ty, &[])),
        LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => {
            Some(builder.arbitrary(ty))
        }
        LLVMTypeKind::LLVMStructTypeKind => {
            let mut whole = builder.poison(ty);
            for (n, field) in ty.fields().into_iter().enumerate() {
                whole = builder.insert(whole, arbitrary(builder, field)?, n as u32);
            }
            Some(whole)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn undefined_functions_get_bodies_and_are_counted() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"declare ptr @get(i32, ...)
              declare i128 @wide()
              declare { i32, ptr } @pair()
              declare !dbg !5 void @die() noreturn
              declare void @never() #0
              declare void @unused()
              declare void @__irkiss_stop()
              define void @f() {
                call ptr (i32, ...) @get(i32 1, i32 2)
                call ptr (i32, ...) @get(i32 1)
                call i128 @wide()
                call { i32, ptr } @pair()
                call void @die()
                call void @never()
                ret void
              }
              attributes #0 = { \"dontcall-error\"=\"x\" }
              !llvm.module.flags = !{!0}
              !0 = !{i32 2, !\"Debug Info Version\", i32 3}
              !1 = !DIFile(filename: \"a.c\", directory: \"\")
              !5 = !DISubprogram(name: \"die\", file: !1, spFlags: 0)",
            "t.ll",
        )
        .unwrap();
        let asked = BTreeSet::from(["get".to_string()]);
        let defaults = define_defaults(&module, Group::Linux, &asked);
        let names: Vec<(&str, u32)> = defaults.iter().map(|(n, c)| (n.as_str(), *c)).collect();
        assert_eq!(
            names,
            [
                ("die", 1),
                ("get", 2),
                ("never", 1),
                ("pair", 1),
                ("wide", 1)
            ]
        );
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        assert!(text.contains("call ptr @__irkiss_nondet_ptr"), "{text}");
        assert!(text.contains("ptr inttoptr (i64 -12 to ptr)"), "{text}");
        assert_eq!(text.matches("call void @__irkiss_unsupported").count(), 2);
        assert_eq!(text.matches("call void @__irkiss_stop").count(), 1);
    }
}
