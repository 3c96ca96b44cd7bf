//! Makes a sequential program of a concurrent one: LLVM IR to LLVM IR.
//!
//! The concurrent program's visible instructions are numbered first ([`number_sites`]); the numbers are metadata and
//! survive. [`sequentialize`] then inserts, at the places that `instrument.rs` finds, what one sequentialization wants
//! there: KISS (`kiss.rs`), or Lal and Reps's (`lal_reps.rs`). Each has a run time in C, which is linked in (`runtime.rs`).

mod edit;
mod faults;
mod instrument;
mod kiss;
mod lal_reps;
mod runtime;
mod sites;
#[cfg(test)]
mod tests;
mod visible;

use inkwell::module::Module;

use super::stubs::Stub;
use crate::config::{Options, RoundsBy};

pub use sites::{SILENCED_METADATA, number_sites, silence};
pub use visible::escapes;

/// Makes the sequential program of `module` in place, with the run time of that name among `runtimes`.
///
/// # Errors
/// If the run time's bitcode is not what it should be, a visible instruction has no number, or LLVM's verifier rejects
/// the result.
pub fn sequentialize(
    module: &Module<'_>,
    options: &Options,
    runtimes: &[Stub],
) -> Result<(), SequentializeError> {
    let name = match options.rounds_by {
        RoundsBy::Lazy => "kiss",
        RoundsBy::Eager => "lal_reps",
    };
    let stub = runtimes.iter().find(|s| s.name == name);
    let stub = stub.ok_or_else(|| SequentializeError::Runtime(format!("no {name}")))?;
    runtime::link(module, stub.bytes)?;
    match options.rounds_by {
        RoundsBy::Lazy => kiss::transform(module, options)?,
        RoundsBy::Eager => lal_reps::transform(module, options)?,
    }
    module
        .verify()
        .map_err(|e| SequentializeError::Invalid(e.to_string()))
}

/// Why a program could not be made sequential.
#[derive(Debug, thiserror::Error)]
pub enum SequentializeError {
    /// The run time's bitcode is not what it should be.
    #[error("run time of the sequential program: {0}")]
    Runtime(String),
    /// Function, instruction.
    #[error("a visible instruction of `{0}` has no site: {1}")]
    Unnumbered(String, String),
    /// LLVM's verifier rejects the result.
    #[error("the sequential program is not valid: {0}")]
    Invalid(String),
}
