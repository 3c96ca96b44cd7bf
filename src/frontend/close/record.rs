//! Calls by which the driver tells which object is which go through the harness, which notes the object.

use inkwell::module::Module;
use llvm_sys::core::{LLVMDeleteFunction, LLVMReplaceAllUsesWith};

use crate::environment::harness::{RECORDED, RECORDING};
use crate::frontend::llvm::raw::{Val, functions};

/// Makes every use of `F` one of `__irkiss_recording.F`, and that function's call of `__irkiss_recorded.F` one of `F`.
pub fn redirect(module: &Module<'_>) {
    let all = functions(module);
    let named = |name: &str| all.iter().copied().find(|f| f.name() == name);
    let recording: Vec<(Val<'_>, String)> = all
        .iter()
        .filter_map(|f| Some((*f, f.name().strip_prefix(RECORDING)?.to_string())))
        .collect();
    for (wrapper, name) in recording {
        let (Some(original), Some(place)) = (named(&name), named(&format!("{RECORDED}{name}")))
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
