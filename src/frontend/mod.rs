//! The child process: the only place where LLVM exists.
//!
//! Here bitcode is read, linked, closed with models, instrumented and decoded.
//! What leaves is a [`Closed`] program: owned data.

pub mod decode;
pub mod llvm;
pub mod sequentialize;
pub mod stubs;

use serde::{Deserialize, Serialize};

use crate::environment::entry::EntryPoints;
use crate::program::Program;

/// What the frontend hands over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Closed {
    /// The concurrent program: input, models, harness. Function `__irkiss_main` is where thread 0 starts.
    pub concurrent: Program,
    /// The sequential program that KISS's transformation makes of it. Function `__kiss_main` is the start.
    pub sequential: Program,
    /// The entry points found (empty for a program with `main`).
    pub entries: EntryPoints,
    /// Functions that had no model and got the documented default: name, number of call sites.
    pub default_models: Vec<(String, u32)>,
    /// Inline assembly without a model: text, number of sites.
    pub unmodelled_asm: Vec<(String, u32)>,
    /// Notes for the user (guessed contexts, merged things), a line each.
    pub notes: Vec<String>,
}
