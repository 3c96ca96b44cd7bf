//! Makes a sequential program of a concurrent one: LLVM IR to LLVM IR.
//!
//! The concurrent program's visible instructions are numbered first ([`number_sites`]); the numbers are metadata and
//! survive. [`sequentialize`] then inserts, at the places that `instrument.rs` finds, what one sequentialization wants
//! there. There is one so far, KISS (`kiss.rs`); a second one implements [`Sequentialization`].

mod edit;
mod faults;
mod instrument;
mod kiss;
mod sites;
#[cfg(test)]
mod tests;
mod visible;

pub use edit::{Editor, Frame};
pub use instrument::Sequentialization;
pub use kiss::{SITE_END, SITE_EVERY, sequentialize};
pub use sites::{RUNTIME_ATTRIBUTE, number_sites};
pub use visible::{Access, Length, Visible};

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
