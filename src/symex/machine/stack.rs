//! Where a run is: activations, the instruction at work, and what the schedule says of the running thread.

use crate::index::SiteId;
use crate::symex::machine::behind::After;
use crate::symex::machine::state::Frame;
use crate::symex::memory::objects::ObjectId;

/// Where a run is.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Stack {
    /// Activations that wait for a call to return, outermost first.
    pub frames: Vec<Frame>,
    /// Where the activation at work is.
    pub place: Option<After>,
    /// The visible instruction that is being executed.
    pub site: Option<SiteId>,
    /// Whether a thread has been entered.
    pub runs: bool,
    /// What the schedule says of the running thread.
    pub turn: Turn,
    /// For a fault alone: the objects that the thread whose turn it is has put on its stack.
    pub made: Vec<ObjectId>,
}

/// What the schedule says of the running thread.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::symex) struct Turn {
    /// How many threads have been scheduled on the way here.
    pub scheduled: u32,
    /// The input that says at which of the switch points so far the thread is left (0: at none); `None`: it has come to none.
    pub left_at: Option<u64>,
    /// Whether its turn ends where it is left: then it does not come to what follows.
    pub ends: bool,
}
