//! What the writer of the harness knows of it, as the engine needs it: which function is what, and what runs before which entry point.
//!
//! The frontend fills it where names still mean something (`frontend/harness/told.rs`). A program that has no harness has an empty map.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::index::{EntryId, FuncId, GlobalId, IdVec, Idx, define_index};

define_index!(
    /// Entry points before which the same may run, and which nothing that runs before their pair tells apart.
    AlikeId,
    "alike"
);

impl AlikeId {
    /// Of those before which nothing runs and after which nothing looks.
    pub const NOTHING_BEFORE: AlikeId = AlikeId(0);
}

/// The parts of a harness.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct HarnessMap {
    /// Where thread 0 starts: initialisation and the threads, or the user's `main`.
    pub main: Option<FuncId>,
    /// Initialises a driver.
    pub init: Option<FuncId>,
    /// Runs the threads of a pair or scenario, after initialisation.
    pub pair_main: Option<FuncId>,
    /// Runs what comes before a pair; after it, [`HarnessMap::pair_main`] leaves that out.
    pub warm_up: Option<FuncId>,
    /// Runs the entry point that ran earlier, if the check names one: a part of [`HarnessMap::warm_up`].
    pub earlier: Option<FuncId>,
    /// Where every thread of an entry point starts; its parameter is the number of the entry point.
    pub starter: Option<FuncId>,
    /// The parts that belong to entry points.
    pub entries: IdVec<EntryId, EntryMap>,
    /// The cells that hold the addresses of the objects that entry points share, by their names.
    pub shared: BTreeMap<String, GlobalId>,
    /// Functions that give the file that an entry point is about.
    pub files: BTreeSet<FuncId>,
    /// Functions that take or give back the locks that the kernel holds around entry points.
    pub locks: BTreeSet<FuncId>,
    /// Functions of the models that say of an object that its handler runs, has run, or neither runs nor can start.
    pub says: Sayings,
    /// Chooses how many arguments a program is given: its one arbitrary number is how many beside its name.
    pub argument_count: Option<FuncId>,
    /// The object beside which the models keep threads' own ghost state.
    pub thread_state: Option<GlobalId>,
    /// Functions that are the harness's or the models' alone: no user's code is called so.
    pub own: BTreeSet<FuncId>,
    /// Variables that are the harness's or the models' alone.
    pub own_globals: BTreeSet<GlobalId>,
}

/// See [`HarnessMap::says`].
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Sayings {
    /// The handler runs from here on.
    pub runs: Option<FuncId>,
    /// It has run.
    pub ran: Option<FuncId>,
    /// It neither runs nor can start.
    pub over: Option<FuncId>,
}

/// The parts of the harness that belong to one entry point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntryMap {
    /// Builds the arguments and calls it; `None`: it is no thread.
    pub wrapper: Option<FuncId>,
    /// Runs it if it has not run, for those that come after it.
    pub first: Option<FuncId>,
    /// Runs it in the place of a worker, for who waits for it; never where it is a thread of the pair.
    pub drains: Option<FuncId>,
    /// The cell that holds the object that it was armed with.
    pub slot: Option<GlobalId>,
    /// Of these one runs, or none, before it: what may arm a handler. Sorted.
    pub before: Vec<EntryId>,
    /// Whether it may be the one that ran earlier.
    pub earlier: bool,
    /// Whom it is like, as far as what runs before a pair can tell.
    pub alike: AlikeId,
}

impl HarnessMap {
    /// What is known of an entry point; `None`: it is none of the harness's.
    pub fn entry(&self, entry: EntryId) -> Option<&EntryMap> {
        (entry.index() < self.entries.len()).then(|| &self.entries[entry])
    }

    /// The entry point that a function of the harness calls.
    pub fn called_by(&self, wrapper: FuncId) -> Option<EntryId> {
        let mut all = self.entries.iter_ids();
        all.find(|(_, e)| e.wrapper == Some(wrapper))
            .map(|(id, _)| id)
    }

    /// Whether what the innermost of these calls (the outermost comes first) does is the kernel's around an entry point: what the harness
    /// does itself before and after it, and the locks that it holds meanwhile.
    pub fn is_around(&self, calls: impl DoubleEndedIterator<Item = FuncId>) -> bool {
        let mut called = None;
        for function in calls.rev() {
            if self.called_by(function).is_some() {
                return called.is_none_or(|f| self.locks.contains(&f));
            }
            called = Some(function);
        }
        false
    }

    /// The entry point whose object a global holds.
    pub fn slot_of(&self, global: GlobalId) -> Option<EntryId> {
        let mut all = self.entries.iter_ids();
        all.find(|(_, e)| e.slot == Some(global)).map(|(id, _)| id)
    }

    /// Whom the entry point of that number is like; a number of nobody's is like one before which nothing runs.
    pub fn alike(&self, number: u32) -> AlikeId {
        let entry = self.entry(EntryId(number));
        entry.map_or(AlikeId::NOTHING_BEFORE, |e| e.alike)
    }
}
