//! Why executions end: every end of a path has a class.

use crate::expr::Term;
use crate::index::{LocId, SiteId};
use crate::program::FailKind;
use crate::symex::machine::behind::After;
use crate::symex::machine::guard::Guard;

/// Why a path ended other than by returning.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EndKind {
    /// A loop's back edge was taken as often as `--unwind` allows.
    UnwindBound,
    /// A function called itself more often than `--recursion` allows.
    RecursionBound,
    /// A copy or fill of a length that is not constant was longer than what is modelled.
    LengthBound,
    /// An access through null, an error pointer, to freed memory or beyond an object: the thread dies here.
    InvalidAccess,
    /// Control reached what the compiler promised to be unreachable, or divided by zero.
    Undefined,
    /// Something that is not modelled; the text says what. Executions may go on all the same, as if it were nothing.
    Unsupported(String),
    /// The instruction budget was used up.
    Budget,
}

impl EndKind {
    /// Whether a verdict that met such an end is `unknown`: something was left out that no stated bound covers.
    pub fn makes_unknown(&self) -> bool {
        matches!(self, EndKind::Unsupported(_) | EndKind::Budget)
    }

    /// Whether a bound that the report states was met.
    pub fn is_bound(&self) -> bool {
        matches!(
            self,
            EndKind::UnwindBound | EndKind::RecursionBound | EndKind::LengthBound
        )
    }

    /// Name for `--stats`.
    pub fn name(&self) -> &'static str {
        match self {
            EndKind::UnwindBound => "unwind bound",
            EndKind::RecursionBound => "recursion bound",
            EndKind::LengthBound => "length bound",
            EndKind::InvalidAccess => "invalid access",
            EndKind::Undefined => "undefined behaviour",
            EndKind::Unsupported(_) => "unsupported",
            EndKind::Budget => "budget",
        }
    }
}

/// An end and when it is reached.
#[derive(Clone, Debug)]
pub struct End {
    /// Why.
    pub kind: EndKind,
    /// Path condition.
    pub guard: Guard,
    /// Where.
    pub loc: Option<LocId>,
    /// Of what makes verdicts unknown: where the thread would have gone on, in each of its activations.
    pub goes_on: Vec<After>,
}

/// A failure of the check and when it is reached.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What fails.
    pub kind: FailKind,
    /// Path condition.
    pub guard: Term,
    /// Site of the stopped thread's access, for races: a term, since the stop sites of the first thread are merged.
    pub first: Term,
    /// Site of the running thread.
    pub second: SiteId,
    /// Number of the running thread (in a concrete run).
    pub thread: u32,
    /// Of a check that executions go on after: names the call in the user's code that it is in; else 0.
    pub place: u64,
    /// How many visible instructions were executed before (in a concrete run).
    pub at: usize,
}
