//! What one thread is at between two steps, and its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use crate::index::{BlockId, ValueId, define_index};

use super::super::points_to::{InstanceId, ObjectId, Place};
use super::super::sections::AccessId;
use super::cells::{CellId, Content, Location, Touch};
use super::value::{JobId, Val};

define_index!(
    /// A state of a thread of one job.
    StateId,
    "s"
);

/// One activation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub instance: InstanceId,
    /// The next instruction; of a caller, the call.
    pub block: BlockId,
    pub index: u32,
    /// What is known of its values.
    pub env: Env,
}

/// What is known of values. States share that of callers, which stays as it is meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Env(Arc<BTreeMap<ValueId, Val>>);

impl Deref for Env {
    type Target = BTreeMap<ValueId, Val>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Env {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl FromIterator<(ValueId, Val)> for Env {
    fn from_iter<I: IntoIterator<Item = (ValueId, Val)>>(all: I) -> Self {
        Env(Arc::new(all.into_iter().collect()))
    }
}

impl Frame {
    pub fn place(&self) -> Place {
        Place {
            instance: self.instance,
            block: self.block,
            index: self.index,
        }
    }
}

/// A thread's own state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Activations, the innermost last.
    pub frames: Vec<Frame>,
    /// Memory and ghost state that no other thread uses; `None`: nothing is known any more.
    pub memory: Arc<BTreeMap<Location, Option<Val>>>,
    /// Cells that hold this thread's own number.
    pub mine: BTreeSet<CellId>,
    /// Objects that it has made and that nobody else can find ([`super::unpublished`]).
    pub unpublished: BTreeSet<ObjectId>,
    /// What it has added to counters.
    pub counts: BTreeMap<CellId, i64>,
    /// It may have opened a file.
    pub opened: bool,
    /// It has just been started.
    pub fresh: bool,
}

impl State {
    /// Where the next step begins.
    pub fn place(&self) -> Option<Place> {
        self.frames.last().map(Frame::place)
    }
}

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub from: StateId,
    /// None: the thread ends.
    pub to: Option<StateId>,
    /// Cells that it reads or writes: before and after.
    pub cells: Vec<(CellId, Content, Content)>,
    /// Counters to which no other thread may have added anything.
    pub alone: Vec<CellId>,
    /// The thread ends, and may have opened a file.
    pub opened: bool,
    /// Threads that it starts.
    pub starts: Vec<JobId>,
    /// Accesses asked for that it makes within a section.
    pub accesses: Vec<AccessId>,
    /// It writes into a cell that holds another thread's number.
    pub breaks: Option<CellId>,
}

/// A state in the middle of a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Micro {
    pub state: State,
    /// Whether the first instruction of the step has been executed.
    pub begun: bool,
    /// Whether it executes an instruction again, knowing more.
    pub again: bool,
    /// Whether others may have run since: an instruction with a site has been executed.
    pub passed: bool,
    /// It is about a file that was opened later: of what the files hold that are open in the beginning nothing is true of it.
    pub later: bool,
    /// Nesting of atomic sections.
    pub depth: u32,
    pub cells: BTreeMap<CellId, (Content, Content)>,
    /// What is added to counters, and whether other threads may have added something before.
    pub counts: BTreeMap<CellId, (i64, bool)>,
    pub starts: Vec<JobId>,
    pub accesses: BTreeSet<AccessId>,
    pub breaks: Option<CellId>,
    /// While nobody else runs: what was written in ways that no location of [`State::memory`] tells, in order.
    pub covers: Vec<Cover>,
}

/// A write to a part of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cover {
    pub touch: Touch,
    /// Zeroes, exactly there; otherwise perhaps something, perhaps there.
    pub zero: bool,
}

/// States in the middle of steps that were met. Each is hashed once: there are many, and they are large.
#[derive(Default)]
pub struct Seen {
    all: HashTable<(u64, Micro)>,
}

impl Seen {
    /// Keeps it; whether it had not been met.
    pub fn is_new(&mut self, micro: &Micro) -> bool {
        let hash = FxBuildHasher.hash_one(micro);
        let same = |(other, m): &(u64, Micro)| *other == hash && m == micro;
        match self.all.entry(hash, same, |(hash, _)| *hash) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert((hash, micro.clone()));
                true
            }
        }
    }
}
