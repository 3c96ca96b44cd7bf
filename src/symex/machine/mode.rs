//! How conditions and inputs are treated, what bounds a run, what it is told.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::config::{Backend, Rounds};
use crate::deadline::Deadline;
use crate::symex::memory::untracked::Slicing;
use crate::symex::witness::model::Model;
use crate::trace::schedule::ThreadNumber;

/// How conditions that are not constant are treated.
#[derive(Clone, Debug)]
pub enum Mode {
    /// Both ways, merged at joins; scheduled threads in lanes.
    Merge,
    /// One way, as the decisions say; unseen decisions are added.
    Path(Decisions),
    /// There are none: a model gives every input its value.
    Concrete(Arc<Model>),
}

/// The decisions of one path, in order.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Taken (`true`: the condition holds), and whether the other way has been tried or is impossible.
    pub taken: Vec<(bool, bool)>,
    /// How many have been used on this run.
    pub used: usize,
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Times that a back edge is taken in one activation.
    pub unwind: u32,
    /// Activations of one function on the stack beyond the first.
    pub recursion: u32,
    /// Activations on the stack in all.
    pub depth: usize,
    /// Instructions executed in all.
    pub instructions: u64,
    /// Terms in the store: what memory a run may take.
    pub terms: usize,
    /// Terms asked for in this run, new or not: what building them may take.
    pub lookups: u64,
    /// Wall-clock end.
    pub deadline: Deadline,
    /// Who is asked whether a scheduled thread can start.
    pub solver: Backend,
}

/// The inputs of a check: what the sequential program asks for by primitives.
#[derive(Clone, Debug, Default)]
pub struct CheckInputs {
    /// Entry points of the pair, the scenario, further entry points.
    pub pair: Vec<u32>,
    /// Switch points.
    pub enabled: FixedBitSet,
    /// Sites whose access is checked.
    pub checked: FixedBitSet,
    /// MAX.
    pub ts_max: u32,
    /// Rounds instead of KISS's stack discipline.
    pub rounds: Option<Rounds>,
    /// What is not followed.
    pub slicing: Option<Arc<Slicing>>,
    /// Whether the use of a freed object is a failure (otherwise the thread just dies there).
    pub use_after_free: bool,
    /// How many arguments a program is given beside its name; none: any number.
    pub further_arguments: Option<u8>,
    /// The one thread that is executed, if it is one alone: what it accesses is written down.
    pub apart: Option<ThreadNumber>,
    /// What is watched for broken atomicity.
    pub watched: std::sync::Arc<crate::analysis::atomicity::Watched>,
}
