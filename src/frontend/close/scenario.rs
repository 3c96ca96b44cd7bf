//! The scenario and the properties are known when the program is closed: what belongs to others is not even reachable.

use inkwell::module::Module;
use llvm_sys::core::*;

use crate::config::{Options, Scenario};
use crate::frontend::llvm::raw::functions;
use crate::property::Property;

/// Answers `__irkiss_lifecycle()`, `__irkiss_pair(2)`, `__irkiss_property(…)` (enum irkiss_property) and `__irkiss_grace_periods()`
/// (whether the input waits for any) by constants; the passes that follow drop the dead branches.
pub fn settle_scenario(module: &Module<'_>, options: &Options, grace_periods: bool) {
    let lifecycle = options.scenario == Scenario::Lifecycle;
    let properties = [
        options.asks(Property::LockMisuse),
        options.asks(Property::Deadlock),
        options.asks(Property::Removed),
        options.asks(Property::LockMisuse) || options.asks(Property::Deadlock),
        options.asks(Property::Uaf),
        lifecycle,
    ];
    for function in functions(module) {
        for block in function.blocks() {
            for at in block.instructions() {
                let Some(callee) = at.callee() else { continue };
                let number = || at.call_args().first().and_then(|a| a.int_value());
                let answer = match callee.name().as_str() {
                    "__irkiss_lifecycle" => Some(lifecycle),
                    "__irkiss_pair" => (number() == Some(2)).then_some(lifecycle),
                    "__irkiss_grace_periods" => Some(grace_periods),
                    "__irkiss_property" => {
                        let asked = number().and_then(|n| properties.get(n as usize));
                        Some(asked.copied().unwrap_or(false))
                    }
                    _ => None,
                };
                if let Some(answer) = answer {
                    unsafe {
                        let value = LLVMConstInt(at.ty().raw(), u64::from(answer), 0);
                        LLVMReplaceAllUsesWith(at.raw(), value);
                        LLVMInstructionEraseFromParent(at.raw());
                    }
                }
            }
        }
    }
}
