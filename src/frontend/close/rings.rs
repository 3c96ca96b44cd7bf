//! Rings between one reader and one writer, who need no lock (lib/kfifo.c; include/linux/kfifo.h: "if only one concurrent reader and one
//! concurrent writer, you don't need extra locking"): each reads the other's index, plainly, while the other one moves it.
//!
//! So races with reads of an index are meant. That two move one index is not: two writers, or two readers, race by their writes.

use crate::environment::discover::Definitions;
use crate::index::SiteId;
use crate::program::{Op, Program, Silencer};

/// The struct whose indices these are, and the same as its model spells it.
const RINGS: [&str; 2] = ["__kfifo", "irkiss___kfifo"];

/// The indices.
const INDICES: [&str; 2] = ["in", "out"];

/// Notes on reads of such an index that races with them are meant. In the model, whose writes are marked, so are the reads of the other
/// one's index, and those alone.
pub fn silence(program: &mut Program) {
    let known = |structure: &str| RINGS.contains(&structure);
    if !program.debug_types.iter().any(|t| known(&t.name)) {
        return;
    }
    let mut found: Vec<SiteId> = Vec::new();
    for function in program.functions.iter().filter(|f| f.is_defined()) {
        let definitions = Definitions::new(function);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let (Op::Load { ptr, .. }, Some(site)) = (&instr.op, instr.site) else {
                continue;
            };
            let place = definitions.place(program, ptr);
            let is_index =
                place.is_some_and(|p| known(&p.structure) && INDICES.contains(&p.field.as_str()));
            if is_index && (!function.is_model || program.sites[site].marked) {
                found.push(site);
            }
        }
    }
    for site in found {
        program.sites[site].silenced.get_or_insert(Silencer::Kfifo);
    }
}
