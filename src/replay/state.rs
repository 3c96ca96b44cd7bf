//! What changes while a program runs: threads, their frames, memory and ghost state.
//!
//! A clone is cheap (shared until written), and two states are equal exactly
//! when the same things can happen from both.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::memory::{Memory, MemoryError};
use crate::index::{BlockId, FuncId, SiteId};
use crate::trace::schedule::ThreadNumber;

/// A concrete value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Val {
    /// A scalar: an integer, an address, the bits of a float. Bits above the width are zero.
    Bits(u128),
    /// A flattened aggregate.
    Tuple(Rc<[Val]>),
}

impl Val {
    /// The scalar; 0 for a tuple, which no verified program uses as one.
    pub fn bits(&self) -> u128 {
        match self {
            Val::Bits(b) => *b,
            Val::Tuple(_) => 0,
        }
    }
}

/// A function activation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function.
    pub function: FuncId,
    /// The block that it is in.
    pub block: BlockId,
    /// The next instruction in the block; past the last: the terminator. While a call runs: the call.
    pub index: usize,
    /// Its SSA values; those not computed yet are zero.
    pub values: Vec<Val>,
}

/// Whether a thread can go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It has a next instruction.
    Running,
    /// It returned from its start function, or was stopped.
    Ended,
    /// Its invisible prefix could not be executed.
    Failed(PathError),
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// The function that it started with.
    pub start: FuncId,
    /// Activations, outermost first; empty when it has ended.
    pub frames: Vec<Frame>,
    /// How it is.
    pub status: Status,
    /// Depth of nested atomic sections.
    pub atomic: u32,
    /// Where its next object goes.
    pub next_address: u64,
    /// Heap and stack objects made so far.
    pub allocated: u32,
    /// Lazy objects made so far.
    pub lazy: u32,
}

/// The whole state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Objects.
    pub memory: Memory,
    /// Ghost state by address and key; entries that are 0 are absent.
    pub ghost: Rc<BTreeMap<(u64, u32), u64>>,
    /// Threads by number.
    pub threads: Vec<Rc<Thread>>,
    /// What `__irkiss_snapshot` remembers (sequential program only).
    pub snapshot: Option<Rc<Snapshot>>,
}

/// Memory and ghost state as they were.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// Objects.
    pub memory: Memory,
    /// Ghost state.
    pub ghost: Rc<BTreeMap<(u64, u32), u64>>,
}

impl State {
    /// The thread of that number.
    pub fn thread(&self, thread: ThreadNumber) -> &Thread {
        &self.threads[thread as usize]
    }
    /// The same, to change it.
    pub fn thread_mut(&mut self, thread: ThreadNumber) -> &mut Thread {
        Rc::make_mut(&mut self.threads[thread as usize])
    }
    /// Ends a thread where it is.
    pub fn end_thread(&mut self, thread: ThreadNumber) {
        let t = self.thread_mut(thread);
        t.frames.clear();
        t.atomic = 0;
        t.status = Status::Ended;
    }
    /// Whether the thread exists and can go on.
    pub fn is_running(&self, thread: ThreadNumber) -> bool {
        self.threads
            .get(thread as usize)
            .is_some_and(|t| t.status == Status::Running)
    }
}

/// What is said of a program in which thread 0 starts nowhere.
pub const NO_START: &str = "no function where thread 0 starts";

/// Why a path cannot be followed further; none of these is a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathError {
    /// An access that is none.
    Memory(MemoryError),
    /// A construct without a meaning here.
    Unsupported(String),
    /// Undefined behaviour other than of memory: division by zero, `unreachable`.
    Undefined(String),
    /// Too many instructions, frames or bytes.
    Budget(String),
}

impl std::fmt::Display for PathError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PathError::Memory(e) => write!(f, "memory error: {e}"),
            PathError::Unsupported(what) => write!(f, "unsupported: {what}"),
            PathError::Undefined(what) => write!(f, "undefined behaviour: {what}"),
            PathError::Budget(what) => write!(f, "budget: {what}"),
        }
    }
}

impl From<MemoryError> for PathError {
    fn from(e: MemoryError) -> PathError {
        PathError::Memory(e)
    }
}

/// Why an instruction was not executed. The state is then to be thrown away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An `assume` is false: the thread cannot take this step now.
    Blocked,
    /// An `assert` is false.
    AssertionFailed(Option<SiteId>),
    /// `__irkiss_fail` (sequential program): kind, first and second site.
    Claimed(u64, SiteId, SiteId),
    /// An input is wanted that its source does not have; these are the alternatives.
    NeedChoice(Vec<u64>),
    /// The path ends.
    Error(PathError),
}

impl<E: Into<PathError>> From<E> for Stop {
    fn from(e: E) -> Stop {
        Stop::Error(e.into())
    }
}
