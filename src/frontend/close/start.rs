//! What the environment writes as text is linked: the functions that checks start from, and the locks that the user names.

use inkwell::module::Module;
use llvm_sys::core::{LLVMGetNamedFunction, LLVMGetNamedGlobal, LLVMSetLinkage};

use super::steps::Closing;
use super::{hooks, identity, models, record};
use crate::error::InputError;
use crate::frontend::harness::{self, Harness, Told};
use crate::frontend::llvm::load;
use crate::frontend::llvm::load::{link, parse};
use crate::frontend::llvm::raw::{Val, functions};
use crate::frontend::stubs::Group;
use crate::property::Property;

/// Links the start functions (`__irkiss_main`, and for a driver those that the checks start from). What their writer knows of them.
pub(super) fn link_harness(closing: &Closing<'_, '_>) -> Result<Told, InputError> {
    let Closing {
        context,
        module,
        plain,
        discovery,
        rules,
        options,
        group,
        whole,
        threads,
        place,
        ..
    } = *closing;
    let harness = if whole {
        harness::main_harness(plain, &hooks::hooks(module)).map(|text| Harness {
            text,
            told: Told::default(),
        })
    } else {
        let (entries, registrars) = (&discovery.entries, &discovery.registrars);
        let identity = &discovery.identity;
        for name in harness::referenced_symbols(plain, entries, registrars, identity) {
            make_visible(module, &name);
        }
        harness::driver_harness(
            plain,
            &discovery.entries,
            (&discovery.objects, &discovery.identity),
            &discovery.registrars,
            (options.asks(Property::LockMisuse)
                || options.asks(Property::Deadlock)
                || options.asks(Property::Removed))
            .then_some(rules),
            threads,
        )
    };
    let Harness { mut text, told } = harness.map_err(|e| InputError::new(place, e))?;
    if !whole && group == Group::Pthread {
        text.push_str(&harness::idle_models(&hooks::hooks(module).idle));
    }
    let own = parse(context, text.as_bytes(), "harness.ll")?;
    load::set_target(&own, module);
    for function in functions(&own) {
        if !function.is_declaration() {
            models::mark_as_model(function);
        }
    }
    link(module, own, "harness.ll")?;
    identity::mark(module);
    record::redirect(module);
    Ok(told)
}

/// Links models of the lock functions that the user names.
pub(super) fn link_own_locks(closing: &Closing<'_, '_>) -> Result<(), InputError> {
    let (context, module, rules) = (closing.context, closing.module, closing.rules);
    let text = harness::own_locks(closing.plain, rules.locks());
    if text.is_empty() {
        return Ok(());
    }
    let own = parse(context, text.as_bytes(), "locks.ll")?;
    load::set_target(&own, module);
    for function in functions(&own) {
        if !function.is_declaration() {
            models::mark_as_model(function);
        }
    }
    for name in rules.locks().acquire.iter().chain(&rules.locks().release) {
        models::make_internal(module, name);
    }
    link(module, own, "locks.ll")
}

/// An internal symbol that the harness names must be found by the linker.
fn make_visible(module: &Module<'_>, name: &str) {
    let Ok(name) = std::ffi::CString::new(name) else {
        return;
    };
    unsafe {
        for found in [
            LLVMGetNamedFunction(module.as_mut_ptr(), name.as_ptr()),
            LLVMGetNamedGlobal(module.as_mut_ptr(), name.as_ptr()),
        ] {
            if let Some(symbol) = Val::maybe(found)
                && !symbol.is_external()
            {
                LLVMSetLinkage(symbol.raw(), llvm_sys::LLVMLinkage::LLVMExternalLinkage);
            }
        }
    }
}
