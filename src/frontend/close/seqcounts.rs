//! Counts of sequence locks (include/linux/seqlock.h), where the compiler has taken the functions apart that models stand for.
//!
//! The writer increments the count plainly, in a region that the kernel tells race detectors to take for atomic
//! (`do_raw_write_seqcount_begin`, `do_raw_write_seqcount_end`: `kcsan_nestable_atomic_begin`), of which nothing is left in a kernel without KCSAN;
//! readers look at it marked, and look again. So races with these writes are meant. Two writers at once are told by what they write besides.

use crate::program::{Op, Program, Silencer};

/// The header, and how the functions in it begin that move the count.
const HEADER: &str = "linux/seqlock.h";
const WRITERS: [&str; 2] = ["do_raw_write_seqcount_", "raw_write_seqcount_"];

/// Notes on writes of such a count that races with them are meant.
pub fn silence(program: &mut Program) {
    let source = &program.source;
    let moves = |loc| {
        let l = &source.locations[loc];
        WRITERS.iter().any(|w| l.function.starts_with(w)) && source.files[l.file].ends_with(HEADER)
    };
    let mut found = Vec::new();
    for function in program.functions.iter().filter(|f| !f.is_model) {
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let (Op::Store { .. }, Some(site), Some(loc)) = (&instr.op, instr.site, instr.loc)
            else {
                continue;
            };
            if moves(loc) {
                found.push(site);
            }
        }
    }
    for site in found {
        program.sites[site]
            .silenced
            .get_or_insert(Silencer::Seqcount);
    }
}
