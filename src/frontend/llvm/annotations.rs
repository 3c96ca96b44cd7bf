//! `__attribute__((annotate("text")))` of functions, which clang collects in `llvm.global.annotations`.

use inkwell::module::Module;
use llvm_sys::core::*;

use super::raw::{Val, constant_text, globals};

/// The table of annotations.
const TABLE: &str = "llvm.global.annotations";

/// The functions that carry an annotation, with its text, in the order of the table: once for each annotation.
pub fn of_functions<'m>(module: &'m Module<'_>) -> Vec<(Val<'m>, String)> {
    let initializer = |g: Val<'m>| unsafe { Val::maybe(LLVMGetInitializer(g.raw())) };
    let Some(entries) = table(module).and_then(initializer) else {
        return Vec::new();
    };
    let entry = |n| {
        let entry: Val<'m> = entries.operand(n)?;
        let function = entry.operand(0)?;
        let text = constant_text(entry.operand(1)?)?;
        (!function.is_declaration()).then_some((function, text))
    };
    (0..entries.operand_count()).filter_map(entry).collect()
}

/// Removes the table, which would keep every function in it alive.
pub fn forget(module: &Module<'_>) {
    if let Some(table) = table(module) {
        unsafe { LLVMDeleteGlobal(table.raw()) };
    }
}

fn table<'m>(module: &'m Module<'_>) -> Option<Val<'m>> {
    globals(module).into_iter().find(|g| g.name() == TABLE)
}
