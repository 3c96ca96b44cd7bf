//! What tests compare irkiss with, on programs small enough to try everything: explicit states, no solver, no merging.
//!
//! * [`explore`] tries every interleaving of a tiny program (all, the balanced ones of KISS, or those of K rounds).
//! * [`figure4`] does what figures 4 and 5 of the KISS paper say, literally.
//! * [`sequential`] runs the *sequential* program on all its paths: the transformation without the symbolic executor.
//! * [`search`] is what these share, [`script`] where their inputs come from.
//!
//! Single instructions are executed by the interpreter of `src/replay/`, which `tests/interpreter_native.rs` compares with native code.
//!
//! Invariant: nothing of irkiss imports this module; it imports nothing that it is compared with.

pub mod explore;
pub mod figure4;
mod script;
pub mod search;
pub mod sequential;
