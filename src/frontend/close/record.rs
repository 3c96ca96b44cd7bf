//! Calls by which the driver tells which object is which go through the harness, which notes the object.

use std::collections::BTreeMap;

use inkwell::module::Module;
use llvm_sys::core::{LLVMDeleteFunction, LLVMReplaceAllUsesWith};

use crate::frontend::harness::{RECORDED, RECORDING};
use crate::frontend::llvm::raw::{Val, functions};

/// Makes every use of `F` one of `__irkiss_recording.F`, and that function's call of `__irkiss_recorded.F` one of `F`.
pub fn redirect(module: &Module<'_>) {
    // By name once: what has been deleted must not be asked for its name.
    let all: BTreeMap<String, Val<'_>> = functions(module)
        .into_iter()
        .map(|f| (f.name(), f))
        .collect();
    for (recording, wrapper) in &all {
        let Some(name) = recording.strip_prefix(RECORDING) else {
            continue;
        };
        let named = |name: &str| all.get(name).copied();
        let (Some(original), Some(place)) = (named(name), named(&format!("{RECORDED}{name}")))
        else {
            continue;
        };
        unsafe {
            LLVMReplaceAllUsesWith(original.raw(), wrapper.raw());
            LLVMReplaceAllUsesWith(place.raw(), original.raw());
            LLVMDeleteFunction(place.raw());
        }
    }
}
