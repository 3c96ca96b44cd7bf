//! Destructors of classes with virtual functions (C++). Each begins by storing where the virtual functions of its own class are, so that its
//! body calls these. In an object of just that class this stands there already: nothing changes, compilers may leave the store out, and
//! one who calls a virtual function of the object meanwhile sees the same before and after. ThreadSanitizer does not count such a store
//! either (`__tsan_vptr_update`). So it becomes the call of a model that writes only where the pointer changes: the destructor of
//! a base class still races with who calls a virtual function.
//!
//! What it misses: destructors that were inlined into functions of other names; their stores count as writes.

use inkwell::module::Module;
use llvm_sys::core::LLVMInstructionEraseFromParent;

use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::raw::{LLVMOpcode, Val, functions};

/// The model that stores such a pointer.
const SETS: &str = "irkiss_set_virtual_functions";

/// Puts calls of the model in place of these stores.
pub fn keep_virtual_functions(module: &Module<'_>) {
    let mut stores = Vec::new();
    for function in functions(module) {
        if is_destructor(&function.name()) {
            let all = function.blocks().into_iter();
            let all = all.flat_map(|b| b.instructions());
            stores.extend(all.filter(|i| i.opcode() == Some(LLVMOpcode::LLVMStore)));
        }
    }
    let builder = Builder::new(module);
    for store in stores {
        let (Some(value), Some(place)) = (store.operand(0), store.operand(1)) else {
            continue;
        };
        if is_in_vtable(value) {
            builder.before(store);
            builder.call(SETS, builder.void_type(), &[place, value]);
            unsafe { LLVMInstructionEraseFromParent(store.raw()) };
        }
    }
}

/// Whether a name is that of a destructor, as compilers mangle it (Itanium C++ ABI, 5.1.4.3).
fn is_destructor(name: &str) -> bool {
    let ends = ["D0Ev", "D1Ev", "D2Ev"];
    name.starts_with("_ZN") && ends.iter().any(|end| name.ends_with(end))
}

/// Whether a value is a place in the table of a class's virtual functions (5.1.4.1: `_ZTV`), or of one under construction.
fn is_in_vtable(value: Val<'_>) -> bool {
    let of_table = |v: Val<'_>| {
        let name = v.name();
        name.starts_with("_ZTV") || name.starts_with("_ZTC")
    };
    let is_place = value.is_constant() && value.opcode() == Some(LLVMOpcode::LLVMGetElementPtr);
    is_place && value.operand(0).is_some_and(of_table)
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;

    use super::*;
    use crate::frontend::llvm::load::parse;

    #[test]
    fn only_destructors_keep_what_stands_there() {
        let body = |name: &str| {
            format!(
                "define void @{name}(ptr %this) {{\n  \
                 store ptr getelementptr inbounds ({{ [3 x ptr] }}, ptr @_ZTV1A, i32 0, i32 0, i32 2), ptr %this\n  \
                 store ptr null, ptr %this\n  ret void\n}}\n"
            )
        };
        let text = format!(
            "@_ZTV1A = external constant {{ [3 x ptr] }}\n{}{}",
            body("_ZN1AC2Ev"),
            body("_ZN1AD2Ev")
        );
        let context = Context::create();
        let module = parse(&context, text.as_bytes(), "t.ll").unwrap();
        keep_virtual_functions(&module);
        let stores = |name: &str| {
            let function = functions(&module).into_iter().find(|f| f.name() == name);
            let blocks = function.expect("there").blocks().into_iter();
            let all = blocks.flat_map(|b| b.instructions());
            all.filter(|i| i.opcode() == Some(LLVMOpcode::LLVMStore))
                .count()
        };
        assert_eq!((stores("_ZN1AC2Ev"), stores("_ZN1AD2Ev")), (2, 1));
    }
}
