//! Functions of the environment whose models begin with a check: `runtime-stubs/linux/checked.toml`. For `--property lock-misuse`
//! those that may sleep, for `--property removed` those that use the device (runtime-stubs/linux/properties.c). With `--property uaf`
//! defaults use the objects that they are given.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use inkwell::module::Module;
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use serde::Deserialize;

use super::defaults::GIVEN;
use super::models::REPLACES;
use crate::config::Options;
use crate::environment::contract::MAY_SLEEP;
use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::llvm::raw::{Val, functions};
use crate::property::Property;

const USES_DEVICE: &str = "__irkiss_uses_device";
/// The model of a use that is not told more of (runtime-stubs/linux/managed.c).
pub(super) const USED: &str = "__irkiss_used";
const TURNS_OFF: &str = "__irkiss_turns_off";
const CHECKS: [&str; 5] = [MAY_SLEEP[0], MAY_SLEEP[1], USES_DEVICE, TURNS_OFF, USED];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sleep: BTreeSet<String>,
    device_io: BTreeSet<String>,
    turns_off: BTreeSet<String>,
    /// The argument with the flags.
    sleep_by_flags: BTreeMap<String, u32>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        toml::from_str(include_str!("../../../runtime-stubs/linux/checked.toml"))
            .expect("the table of checked functions is tested")
    })
}

/// Declares the checks of the properties that are asked for, so that the models of these are linked.
pub fn declare(module: &Module<'_>, options: &Options) {
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let void = LLVMVoidTypeInContext(context);
        let plain = LLVMFunctionType(void, std::ptr::null_mut(), 0, 0);
        let mut flags = [LLVMIntTypeInContext(context, 32)];
        let by_flags = LLVMFunctionType(void, flags.as_mut_ptr(), 1, 0);
        let mut object = [LLVMPointerTypeInContext(context, 0)];
        let of_object = LLVMFunctionType(void, object.as_mut_ptr(), 1, 0);
        for (asked, name, ty) in [
            (
                options.asks(Property::LockMisuse),
                c"__irkiss_may_sleep",
                plain,
            ),
            (
                options.asks(Property::LockMisuse),
                c"__irkiss_may_sleep_by_flags",
                by_flags,
            ),
            (
                options.asks(Property::Removed),
                c"__irkiss_uses_device",
                plain,
            ),
            (
                options.asks(Property::Removed),
                c"__irkiss_turns_off",
                plain,
            ),
            (options.asks(Property::Uaf), c"__irkiss_used", of_object),
        ] {
            if asked {
                LLVMAddFunction(module.as_mut_ptr(), name.as_ptr(), ty);
            }
        }
    }
}

/// What [`put_checks`] and defaults call is not called by anybody before: it must not go with what nobody needs.
pub fn keep(module: &Module<'_>, linkage: LLVMLinkage) {
    for function in functions(module) {
        let name = function.name();
        if CHECKS.contains(&name.as_str()) || (name == GIVEN && !function.is_declaration()) {
            unsafe { LLVMSetLinkage(function.raw(), linkage) };
        }
    }
}

/// Puts the checks at the beginning of the models (or defaults) of functions in the table.
pub fn put_checks(module: &Module<'_>) {
    keep(module, LLVMLinkage::LLVMLinkOnceAnyLinkage);
    let all = functions(module);
    let named = |name: &str| all.iter().copied().find(|f| f.name() == name);
    let [sleep, by_flags, device, off, _] = CHECKS.map(named);
    for function in &all {
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
        if let Some(check) = device
            && table().device_io.contains(name)
        {
            call(module, first, check, &[]);
        }
        if let Some(check) = off
            && table().turns_off.contains(name)
        {
            call(module, first, check, &[]);
        }
        if let Some(check) = sleep
            && table().sleep.contains(name)
        {
            call(module, first, check, &[]);
        }
        if let Some(check) = by_flags
            && let Some(n) = table().sleep_by_flags.get(name)
            && let Some(flags) = function.params().get(*n as usize)
            && flags.ty().int_bits() == 32
        {
            call(module, first, check, &[*flags]);
        }
    }
}

fn call(module: &Module<'_>, before: Val<'_>, callee: Val<'_>, args: &[Val<'_>]) {
    unsafe {
        let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module.as_mut_ptr()));
        LLVMPositionBuilderBefore(builder, before.raw());
        let mut args: Vec<_> = args.iter().map(|a| a.raw()).collect();
        let ty = callee.global_type().raw();
        LLVMBuildCall2(
            builder,
            ty,
            callee.raw(),
            args.as_mut_ptr(),
            args.len() as u32,
            c"".as_ptr(),
        );
        LLVMDisposeBuilder(builder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::close::models::mark_as_model;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn models_of_what_sleeps_begin_with_a_check() {
        let context = inkwell::context::Context::create();
        let module = parse(
            &context,
            b"define void @__irkiss_may_sleep() { ret void }
              define void @__irkiss_may_sleep_by_flags(i32 %f) { ret void }
              define void @msleep(i32 %ms) { ret void }
              define ptr @irkiss_model__kzalloc(i64 %n, i32 %flags) { ret ptr null }
              define void @mutex_lock(ptr %own) { ret void }
              define void @_raw_spin_lock(ptr %l) { ret void }",
            "t.ll",
        )
        .unwrap();
        for function in functions(&module) {
            // A function of the input of that name is its own affair.
            if function.name() != "mutex_lock" {
                mark_as_model(function);
            }
        }
        put_checks(&module);
        let text = module.print_to_string().to_string();
        assert_eq!(
            text.matches("call void @__irkiss_may_sleep()").count(),
            1,
            "{text}"
        );
        assert_eq!(
            text.matches("call void @__irkiss_may_sleep_by_flags(i32 %flags)")
                .count(),
            1,
            "{text}"
        );
        module.verify().unwrap();
    }
}
