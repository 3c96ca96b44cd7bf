//! A schedule: one interleaving and its inputs, as plain data.
//!
//! It names threads by their number in order of creation and instructions by
//! site, so it can be written to a file, edited, and replayed by an
//! interpreter that knows nothing of how it was found.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::index::SiteId;
use crate::program::FailKind;

/// The place in [`Schedule::pair`] that tells whether it is of the lifecycle.
const LIFECYCLE: usize = 2;

/// Number of a thread, in order of creation; the initial thread is 0.
pub type ThreadNumber = u32;

/// One interleaving of the concurrent program and the inputs under which it is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Entry points of the pair under check ([`crate::program::Primitive::Pair`]); empty for a whole program.
    pub pair: Vec<u32>,
    /// The visible instructions executed, in order.
    pub steps: Vec<Step>,
    /// What the program reads from outside.
    pub inputs: Inputs,
    /// What is claimed of the state after the last step.
    pub failure: Failure,
}

impl Schedule {
    /// Whether its threads are born while initialisation runs (`--scenario lifecycle`).
    pub fn is_of_lifecycle(&self) -> bool {
        self.pair.get(LIFECYCLE) == Some(&1)
    }
}

/// One visible instruction is executed by one thread (which then runs on to just before its next one).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Who runs.
    pub thread: ThreadNumber,
    /// The visible instruction that it executes.
    pub site: SiteId,
}

/// Values from outside. What is not listed is zero (null for pointers).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// Per thread: results of its `Nondet`, `NondetPtr`, and of bytes by `Havoc` (a value each), in order of execution.
    /// For `NondetPtr`: 0 is null, anything else the fresh object.
    pub nondet: BTreeMap<ThreadNumber, Vec<u64>>,
    /// Initial content of lazily initialised objects by object name, then byte offset.
    ///
    /// Names: `"T.N"` is the `N`-th object that thread `T` made with `Lazy` or `NondetPtr` (both counted together from 0);
    /// `"@name"` a global that is defined elsewhere; `"P+OFF"` the object that the pointer at offset OFF of object `P` led
    /// to when first read.
    pub lazy: BTreeMap<String, BTreeMap<u64, LazyCell>>,
    /// Arbitrary initial bytes of heap (`Alloc` without zero) and stack objects are zero on replay unless given here:
    /// thread, its `N`-th `Alloc`/alloca, offset.
    pub uninitialised: BTreeMap<String, BTreeMap<u64, LazyCell>>,
}

/// A scalar in a lazily initialised object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LazyCell {
    /// Bytes.
    pub size: u32,
    /// What is there.
    pub value: LazyValue,
}

/// Content of a [`LazyCell`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LazyValue {
    /// An integer (low 64 bits).
    Int(u64),
    /// The address of the object named after this place.
    Object,
    /// The address of a global or function, and so many bytes beyond: which numbers addresses are is nobody else's business.
    Symbol(String, u64),
    /// The address of another object that is made up, by its name, and so many bytes beyond.
    Place(String, u64),
}

/// The claim about the state after the last step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// `first` and `second` are each about to execute the named access, the bytes overlap, at least one writes, at least
    /// one is unmarked. A site within an atomic section: the thread is at the section's begin, and running the section
    /// alone from here reaches the site and ends.
    Race {
        /// The one.
        first: Step,
        /// The other.
        second: Step,
    },
    /// The thread's next visible instruction is this assertion, and its condition is false.
    Assertion(Step),
    /// The thread's next visible instruction, or one in the section that it begins, accesses or frees an object that has
    /// been freed.
    UseAfterFree(Step),
    /// The thread's next visible instruction begins a section in which this check of a model, of that kind, fails.
    Property(FailKind, Step),
    /// The thread has read what it is about to write at `write`, at the site of `read`; since then another thread has changed it. A
    /// site within an atomic section: the thread is at the section's begin.
    Atomicity {
        /// What it read; the thread is that of `write`.
        read: Step,
        /// What it is about to write.
        write: Step,
    },
}

impl Failure {
    /// Whether threads wait for one another, or for what never comes.
    pub fn is_deadlock(&self) -> bool {
        use FailKind::{Deadlock, WaitForEver};
        matches!(self, Failure::Property(Deadlock | WaitForEver, _))
    }
}

impl Default for Failure {
    fn default() -> Self {
        Failure::Assertion(Step {
            thread: 0,
            site: SiteId(0),
        })
    }
}

impl Failure {
    /// The kind of failure claimed.
    pub fn kind(&self) -> FailKind {
        match self {
            Failure::Race { .. } => FailKind::Race,
            Failure::Assertion(_) => FailKind::Assertion,
            Failure::UseAfterFree(_) => FailKind::UseAfterFree,
            Failure::Property(kind, _) => *kind,
            Failure::Atomicity { .. } => FailKind::Atomicity,
        }
    }
}
