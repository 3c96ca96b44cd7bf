//! Symbolic execution of the sequential program, by merging.
//!
//! States are merged, paths are not enumerated. [`machine`] executes, [`memory`] says what a pointer can mean and where bytes live,
//! [`schedule`] who runs when, [`witness`] makes answers of a finished run.

pub mod machine;
pub mod memory;
pub mod schedule;
#[cfg(test)]
mod testing;
pub mod witness;
