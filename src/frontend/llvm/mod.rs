//! LLVM modules: reading, preparing, and looking at them.

pub mod annotations;
pub mod asm;
pub mod build;
pub mod debug_info;
pub mod fixed_addresses;
pub mod identification;
pub mod jumps;
pub mod load;
pub mod longjmp;
pub mod prepare;
pub mod raw;
pub mod reducible;
mod relative;
pub mod speculated_loads;
pub mod unset;
pub mod varargs;

#[cfg(test)]
mod prepare_tests;
