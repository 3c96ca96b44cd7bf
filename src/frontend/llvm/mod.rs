//! LLVM modules: reading, preparing, and looking at them.

pub mod debug_info;
pub mod identification;
pub mod load;
pub mod raw;
