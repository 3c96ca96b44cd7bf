//! The child process: the only place where LLVM exists.
//!
//! Here bitcode is read, linked, closed with models, instrumented and decoded.
//! What leaves is a [`Closed`] program: owned data.

pub mod child;
mod close;
pub mod decode;
pub mod harness;
pub mod llvm;
pub mod process;
pub mod sequentialize;
pub mod stubs;
pub mod text;
pub mod version;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::Options;
use crate::deadline::Deadline;
use crate::environment::entry::EntryPoints;
use crate::environment::identity::Choice;
use crate::environment::scenario::Together;
use crate::error::{Failure, InputError};
use crate::program::Program;

pub use child::close_in_child;
pub use close::models::model_names;
pub use llvm::load::NOT_LINKED;

/// How far the frontend goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    /// Entry points only; `concurrent` is the input as it is.
    EntryPoints,
    /// The concurrent program; `sequential` is empty.
    Concurrent,
    /// Both programs.
    Sequential,
    /// Both programs, and the sequential module as LLVM assembly.
    SequentialText,
}

/// Closes the input in this process, up to `goal`: for the child, and for tests. LLVM may crash on malformed input; see
/// [`close_in_child`].
///
/// # Errors
/// Input that cannot be read, linked or closed.
pub fn close_in_process(
    inputs: &[PathBuf],
    options: &Options,
    goal: Goal,
) -> Result<Closed, InputError> {
    close::close(inputs, options, goal, &mut |_| {}).map(|product| product.closed)
}

/// The sequential program as LLVM assembly (`--emit=sequential`), made in a child process.
///
/// # Errors
/// As [`close_in_child`].
pub fn emit_sequential_ll(inputs: &[PathBuf], options: &Options) -> Result<String, Failure> {
    let deadline = Deadline::after(options.timeout);
    close_in_child(inputs, options, Goal::SequentialText, deadline, &mut |_| {})
        .map(|(_, text)| text)
}

/// What the error says of an input in which there is nothing to check: no `main` and no entry point.
pub const NO_ENTRY_POINTS: &str = "neither `main` nor an entry point found; looked for operations structs, functions handed to \
     registering calls or stored in typed fields, and init and exit functions";

/// What the frontend hands over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Closed {
    /// The concurrent program: input, models, harness. Function `__irkiss_main` is where thread 0 starts.
    pub concurrent: Program,
    /// The sequential program that KISS's transformation makes of it, or Lal and Reps's ([`crate::config::RoundsBy`]).
    /// [`Program::check_start`] is the start.
    pub sequential: Program,
    /// The entry points found (empty for a program with `main`).
    pub entries: EntryPoints,
    /// Three or four of them that are to run beside each other.
    pub scenarios: Vec<Together>,
    /// Fields that are to be one map of memory.
    pub merged: Vec<Vec<String>>,
    /// Functions that had no model and got the documented default: name, number of call sites.
    pub default_models: Vec<(String, u32)>,
    /// Whose the objects are taken to be that come from outside: of functions without a model, and of parameters that no rule tells.
    #[serde(default)]
    pub identity: Vec<Choice>,
    /// The functions that the input calls and that take something back which needs not be armed, or unbind a driver.
    #[serde(default)]
    pub takes_back: Vec<String>,
    /// Inline assembly without a model: text, number of sites.
    pub unmodelled_asm: Vec<(String, u32)>,
    /// Notes for the user (guessed contexts, merged things), a line each.
    pub notes: Vec<String>,
}
