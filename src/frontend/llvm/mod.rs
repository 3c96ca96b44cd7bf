//! LLVM modules: reading, preparing, and looking at them.

pub mod debug_info;
pub mod raw;
