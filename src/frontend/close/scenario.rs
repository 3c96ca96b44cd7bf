//! The scenario is known when the program is closed: what belongs to the other one is not even reachable.

use inkwell::module::Module;
use llvm_sys::core::*;

use crate::config::{Options, Scenario};
use crate::frontend::llvm::raw::functions;

/// Answers `__irkiss_lifecycle()` and `__irkiss_pair(2)` by constants; the passes that follow drop the dead branches.
pub fn settle_scenario(module: &Module<'_>, options: &Options) {
    let lifecycle = u64::from(options.scenario == Scenario::Lifecycle);
    for function in functions(module) {
        for block in function.blocks() {
            for at in block.instructions() {
                let Some(callee) = at.callee() else { continue };
                let asks = match callee.name().as_str() {
                    "__irkiss_lifecycle" => true,
                    "__irkiss_pair" => {
                        at.call_args().first().and_then(|a| a.int_value()) == Some(2)
                    }
                    _ => false,
                };
                if asks {
                    unsafe {
                        let value = LLVMConstInt(at.ty().raw(), lifecycle, 0);
                        LLVMReplaceAllUsesWith(at.raw(), value);
                        LLVMInstructionEraseFromParent(at.raw());
                    }
                }
            }
        }
    }
}
