//! Calls of models with other types than the model's own.
//!
//! The types of kernel functions differ between versions and configurations of the kernel (`__kvmalloc_node_noprof` has an argument
//! more with CONFIG_SLAB_BUCKETS) and between architectures (`resource_size_t` has 32 bits or 64). Where the model does not look at
//! an argument, its type is of no account, nor whether it is there, as long as it is plain which argument is which. All other calls
//! of the kernel's functions with other types stay, and are unsupported.
//!
//! Programs call functions that they have not declared, or declare with other types (`size_t` of 32 bits), the C library's and their
//! own. There a number is extended or cut, what is missing is arbitrary, and what is too much is not looked at.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{LLVMAddFunction, LLVMGetNumOperands, LLVMSetOperand};

use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Ty, Val, instructions, resolve_alias};

/// Whether a call of a function of type `ty` can be made one of `model`.
pub fn fits(ty: Ty<'_>, model: Val<'_>) -> bool {
    ty == model.global_type() || matching(ty, model).is_some()
}

/// For each parameter of the model, the argument that it gets, or none.
fn matching(ty: Ty<'_>, model: Val<'_>) -> Option<Vec<Option<usize>>> {
    let own = model.global_type();
    if ty.is_variadic() || own.is_variadic() || ty.result() != own.result() {
        return None;
    }
    let (given, params) = (ty.params(), model.params());
    let unused: Vec<bool> = params.iter().map(|p| is_unused(*p)).collect();
    if given.len() == params.len() {
        let same = |n: usize| given[n] == params[n].ty();
        return (0..params.len())
            .all(|n| same(n) || unused[n])
            .then(|| (0..params.len()).map(|n| same(n).then_some(n)).collect());
    }
    // What the model looks at comes first, and is all there: how much more there is does not matter.
    let used = unused.iter().take_while(|u| !**u).count();
    let rest = unused[used..].iter().all(|u| *u);
    if rest && given.len() >= used && given.len() + 1 < params.len() {
        return (0..used)
            .all(|n| given[n] == params[n].ty())
            .then(|| (0..params.len()).map(|n| (n < used).then_some(n)).collect());
    }
    // One that is not there: the others must fit exactly, in one way only.
    let mut found: Option<Vec<Option<usize>>> = None;
    for absent in (0..params.len()).filter(|n| unused[*n] && given.len() + 1 == params.len()) {
        let from = |n: usize| n - usize::from(n > absent);
        let others = || (0..params.len()).filter(|n| *n != absent);
        if !others().all(|n| given[from(n)] == params[n].ty()) {
            continue;
        }
        let way: Vec<_> = (0..params.len())
            .map(|n| (n != absent && !unused[n]).then(|| from(n)))
            .collect();
        match &found {
            Some(other) if *other != way => return None,
            _ => found = Some(way),
        }
    }
    found
}

/// Which calls with other types are made to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitting {
    /// Those of functions of the input, and those of models where it is plain which argument is which.
    Plain,
    /// All.
    Converted,
}

/// Gives such calls the types of who is called.
pub fn fit_calls(module: &Module<'_>, fitting: Fitting) {
    let builder = Builder::new(module);
    for call in instructions(module) {
        if !matches!(call.opcode(), Some(LLVMOpcode::LLVMCall)) {
            continue;
        }
        let Some(model) = call.callee().map(resolve_alias) else {
            continue;
        };
        let ty = called_type(call);
        if model.kind() != LLVMValueKind::LLVMFunctionValueKind
            || model.is_declaration()
            || ty == model.global_type()
        {
            continue;
        }
        let is_model = model.string_attribute(MODEL_ATTRIBUTE).is_some();
        // What a declaration leaves open (`sem_open`, `open`) is as it is given.
        if let Some(args) = (is_model && ty.is_variadic())
            .then(|| given_to(&builder, call, model))
            .flatten()
        {
            builder.before(call);
            let new = builder.call_value(model, &args);
            let has_result = call.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind;
            replace(call, has_result.then_some(new));
            continue;
        }
        if !is_model || (fitting == Fitting::Converted && matching(ty, model).is_none()) {
            convert(&builder, call, model);
            continue;
        }
        let Some(way) = matching(ty, model) else {
            leave_model(module, call, model);
            continue;
        };
        builder.before(call);
        let given = call.call_args();
        let args: Vec<Val<'_>> = model
            .params()
            .iter()
            .zip(way)
            .map(|(p, from)| from.map_or_else(|| builder.zero(p.ty()), |n| given[n]))
            .collect();
        let new = builder.call_value(model, &args);
        let has_result = call.ty().kind() != LLVMTypeKind::LLVMVoidTypeKind;
        replace(call, has_result.then_some(new));
    }
}

/// Calls `function` with its own types: numbers are extended or cut. Calls that cannot be so made stay.
fn convert<'m>(builder: &Builder<'m>, call: Val<'m>, function: Val<'m>) {
    let (own, given) = (function.global_type(), call.call_args());
    let params = own.params();
    let fits = params.len() <= given.len()
        && params.iter().zip(&given).all(|(p, a)| *p == a.ty())
        && own.result() == call.ty()
        && (own.is_variadic() || params.len() == given.len());
    let odd = |ty: Ty<'m>| ty.int_bits() == 0 && ty.address_space() != Some(0);
    // What becomes a value of another kind has no meaning: it is arbitrary, if it is a number.
    let result_fits = call.ty() == own.result()
        || call.ty().kind() == LLVMTypeKind::LLVMVoidTypeKind
        || !(odd(call.ty()) || odd(own.result()));
    if fits || !result_fits {
        return;
    }
    builder.before(call);
    let mut args: Vec<Val<'m>> = Vec::new();
    for (n, p) in params.iter().enumerate() {
        let converted = given.get(n).and_then(|a| builder.convert(*a, *p, false));
        let missing = || match p.int_bits() {
            1..=64 => builder.nondet(p.int_bits()),
            _ => builder.arbitrary(*p),
        };
        args.push(converted.unwrap_or_else(missing));
    }
    if own.is_variadic() {
        args.extend(given.iter().skip(params.len()));
    }
    let new = builder.call_value(function, &args);
    if call.ty().kind() == LLVMTypeKind::LLVMVoidTypeKind {
        return replace(call, None);
    }
    let result = builder.convert(new, call.ty(), false);
    replace(call, Some(result.unwrap_or(new)));
}

/// What a call of a variadic function gives a model that is none: zeros, where it gives less. `None`: it does not fit.
fn given_to<'m>(builder: &Builder<'m>, call: Val<'m>, model: Val<'m>) -> Option<Vec<Val<'m>>> {
    let (given, params) = (call.call_args(), model.params());
    let same = model.global_type().result() == call.ty()
        && !model.global_type().is_variadic()
        && given.len() <= params.len()
        && given.iter().zip(&params).all(|(g, p)| g.ty() == p.ty());
    same.then(|| {
        let given = given
            .iter()
            .copied()
            .map(Some)
            .chain(std::iter::repeat(None));
        let all = params.iter().zip(given);
        all.map(|(p, g)| g.unwrap_or_else(|| builder.zero(p.ty())))
            .collect()
    })
}

/// What is called through a field may differ between kernels beyond what fits: then there is no model of it.
fn leave_model(module: &Module<'_>, call: Val<'_>, model: Val<'_>) {
    let name = model.name();
    if !name.contains('.') {
        return;
    }
    let name = std::ffi::CString::new(name).unwrap_or_default();
    unsafe {
        let other = LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), called_type(call).raw());
        LLVMSetOperand(call.raw(), LLVMGetNumOperands(call.raw()) as u32 - 1, other);
    }
}

fn called_type<'m>(call: Val<'m>) -> Ty<'m> {
    unsafe { Ty::new(llvm_sys::core::LLVMGetCalledFunctionType(call.raw())) }
}

/// Whether nothing depends on a parameter; models come unprepared, so it may have been put into a local.
fn is_unused(parameter: Val<'_>) -> bool {
    parameter.users().into_iter().all(|store| {
        matches!(store.opcode(), Some(LLVMOpcode::LLVMStore))
            && store.operand(0) == Some(parameter)
            && store.operand(1).is_some_and(|local| {
                matches!(local.opcode(), Some(LLVMOpcode::LLVMAlloca))
                    && local.users().into_iter().all(|u| u == store)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::models::mark_as_model;
    use super::*;
    use crate::frontend::llvm::load::parse;
    use crate::frontend::llvm::raw::functions;

    #[test]
    fn arguments_that_the_model_does_not_look_at_may_differ() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"define ptr @create(ptr %owner, i64 %size, ptr %name) {
                %local = alloca i64
                store i64 %size, ptr %local
                ret ptr %name
              }
              define ptr @make(i64 %size, ptr %bucket, i32 %flags, i32 %node) {
                %a = inttoptr i64 %size to ptr
                %b = getelementptr i8, ptr %a, i32 %flags
                ret ptr %b
              }
              define i32 @find(ptr %to, i32 %n, ptr %a, ptr %b, ptr %c) {
                store i32 %n, ptr %to
                ret i32 %n
              }
              define i32 @add(i32 %a, i64 %b) {
                %local = alloca i64
                store i64 %b, ptr %local
                %c = load i64, ptr %local
                %d = trunc i64 %c to i32
                %e = add i32 %a, %d
                ret i32 %e
              }
              define i64 @user(ptr %p, i32 %n) {
                %a = call ptr @create(ptr %p, i32 %n, ptr %p)
                %b = call ptr @create(ptr %p)
                %d = call i64 @add(i32 %n, i64 1)
                %c = call ptr @create(ptr %p, i64 1, ptr %p, i64 %d)
                %f = call ptr @make(i64 5, i32 %n, i32 1)
                %g = call ptr @create(ptr %p, ptr %a)
                %e = call i32 @add(i32 %n, i32 %n)
                %h = call i32 @find(ptr %p, i32 %n, i64 %d)
                %i = call i32 @find(i32 %n, ptr %p, ptr %p)
                ret i64 %d
              }",
            "t.ll",
        )
        .unwrap();
        for name in ["create", "make", "add", "find"] {
            let model = functions(&module).into_iter().find(|f| f.name() == name);
            mark_as_model(model.unwrap());
        }
        fit_calls(&module, Fitting::Plain);
        module.verify().unwrap();
        let text = module.print_to_string().to_string();
        for made in [
            "@create(ptr %p, i64 0, ptr %p)",
            "@make(i64 5, ptr null, i32 %n, i32 0)",
            "@create(ptr null, i64 0, ptr %",
            "@find(ptr %p, i32 %n, ptr null, ptr null, ptr null)",
        ] {
            assert!(text.contains(made), "{made}: {text}");
        }
        // The name, the result and the number are looked at, and which is which must be plain.
        for left in [
            "@create(ptr %p)\n",
            "@create(ptr %p, i64 1, ptr %p, i64 %d)",
            "call i64 @add(i32 %n, i64 1)",
            "call i32 @add(i32 %n, i32 %n)",
            "@find(i32 %n, ptr %p, ptr %p)",
        ] {
            assert!(text.contains(left), "{left}: {text}");
        }
    }
}
