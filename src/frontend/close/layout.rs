//! Sizes and offsets that models ask for, from the debug info of the input, and whether the input stores in a member.
//!
//! `u64 __irkiss_sizeof__STRUCT(void)` and `u64 __irkiss_offsetof__STRUCT__MEMBER(void)`
//! serve models of objects whose layout depends on the kernel's configuration.
//! Where the input does not have the struct, a size is 0 and an offset all ones.
//! `u64 __irkiss_stores__STRUCT__MEMBER(void)` is 1 where the input may store anything but 0 there, and 0 otherwise.

use inkwell::module::Module;

use crate::environment::discover::{member_offset, sets_place, struct_size};
use crate::frontend::llvm::build::{Builder, replace};
use crate::frontend::llvm::raw::{Val, instructions};
use crate::program::Program;

const SIZE: &str = "__irkiss_sizeof__";
const OFFSET: &str = "__irkiss_offsetof__";
const STORES: &str = "__irkiss_stores__";

/// Puts the numbers in the place of the calls, so that what models compute from them are constants for every analysis.
pub fn define_layouts(module: &Module<'_>, plain: &Program) {
    let builder = Builder::new(module);
    for call in instructions(module) {
        let called = call.callee().map(Val::name);
        if let Some(number) = called.and_then(|name| number(plain, &name)) {
            replace(call, Some(builder.int(64, number)));
        }
    }
}

fn number(plain: &Program, name: &str) -> Option<u64> {
    if let Some(structure) = name.strip_prefix(SIZE) {
        return Some(struct_size(plain, structure));
    }
    if let Some((structure, member)) = name.strip_prefix(STORES).and_then(|n| n.split_once("__")) {
        let place = format!("{structure}.{member}");
        return Some(u64::from(sets_place(plain, &place, true)));
    }
    let (structure, member) = name.strip_prefix(OFFSET)?.split_once("__")?;
    Some(member_offset(plain, structure, member).unwrap_or(u64::MAX))
}
