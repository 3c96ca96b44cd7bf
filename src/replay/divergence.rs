//! Why a schedule does not hold, and where it goes wrong.

use super::state::PathError;
use crate::index::SiteId;

/// Why a schedule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The step at which it went wrong; the number of steps: the claim at the end is false.
    pub at_step: usize,
    /// In what way.
    pub kind: DivergenceKind,
    /// For people.
    pub message: String,
}

/// The ways in which a schedule does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DivergenceKind {
    /// The thread was never created.
    NoSuchThread,
    /// The thread has ended.
    ThreadEnded,
    /// The thread is at another visible instruction.
    OtherSite {
        /// Where it is.
        found: SiteId,
    },
    /// The thread cannot take the step: its condition is false.
    Blocked,
    /// An assertion failed although the schedule goes on.
    AssertionFailed,
    /// The interpreter could not go on (memory error, unsupported construct, undefined behaviour, budget).
    Path(PathError),
    /// The claim about the final state is false.
    ClaimFails,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {}: {}", self.at_step, self.message)
    }
}

impl std::error::Error for Divergence {}
