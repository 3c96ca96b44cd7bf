//! `BUG()` as an assertion that fails (`--property bug`): the kernel ends the thread there, and nobody means to get there.
//!
//! Those of the input alone: what a model ends by `BUG()` (a panic) is asked for by the input. `WARN()` goes on and is none.

use inkwell::module::Module;

use crate::frontend::decode::MODEL_ATTRIBUTE;
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{Val, functions};

/// The calls that end the thread so; the compiler's traps stand for checks that failed.
const BUG: [&str; 3] = ["__irkiss_bug", "llvm.trap", "llvm.ubsantrap"];

/// The calls of the input that get there.
fn calls<'m>(module: &'m Module<'_>) -> Vec<Val<'m>> {
    let own = |f: &Val<'m>| f.string_attribute(MODEL_ATTRIBUTE).is_none();
    let all = functions(module).into_iter().filter(own);
    let ends = |i: &Val<'m>| {
        let callee = i.callee();
        callee.is_some_and(|callee| BUG.contains(&callee.name().as_str()))
    };
    let blocks = all.flat_map(Val::blocks);
    blocks.flat_map(|b| b.instructions()).filter(ends).collect()
}

/// Puts an assertion that fails before each.
pub fn fail(module: &Module<'_>) {
    let builder = Builder::new(module);
    for call in calls(module) {
        builder.before(call);
        let arguments = [builder.int(1, 0), builder.text("BUG")];
        builder.call("__irkiss_assert", builder.void_type(), &arguments);
    }
}
