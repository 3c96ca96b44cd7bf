//! What runs in a driver: entry points as kinds of threads, as the rules let the kernel call them.
//!
//! Threads begin in a state that initialisation leaves ([`super::begin`]). An entry point has any number of threads, unless it
//! takes *tokens*: of a slot (who is in it gives the token back at the end: one at a time, or a lock that the kernel holds around all
//! that take it), of a budget (which is used up: what happens once; opening a file gives one, closing it uses it up). A *fact* is what has to have happened before.

use rustc_hash::FxHashMap;

use crate::index::{BlockId, EntryId, FuncId, IdVec, define_index};

use super::super::points_to::{Instance, InstanceId, PointsTo};
use super::super::sections::AccessId;

define_index!(
    /// A token of which there is one, given back.
    SlotId,
    "slot"
);
define_index!(
    /// Tokens that are not given back.
    BudgetId,
    "budget"
);
define_index!(
    /// Something that has happened.
    FactId,
    "fact"
);

/// A function that threads start in.
#[derive(Clone, Debug)]
pub struct Entry {
    /// For people.
    pub name: String,
    /// Where its threads start: one of its copies.
    pub start: InstanceId,
    /// Its number; none for what only runs before others.
    pub number: Option<EntryId>,
    /// Whether it is about a file that was opened later, and not about one that is open in the beginning.
    pub later: bool,
    /// The function of the driver that opens files, if that is what it does.
    pub opens: Option<FuncId>,
    /// Taken while it runs.
    pub slots: Vec<SlotId>,
    /// Used up by it.
    pub budgets: Vec<BudgetId>,
    /// Given back at its end, and if it has opened a file.
    pub returns: Vec<BudgetId>,
    pub opened: Option<BudgetId>,
    /// What must have happened before.
    pub after: Vec<FactId>,
    /// What has happened at its end.
    pub gives: Option<FactId>,
}

/// All of a driver.
#[derive(Clone, Debug)]
pub struct Entries {
    /// What runs before, alone.
    pub init: FuncId,
    /// What runs then.
    pub all: Vec<Entry>,
    /// Names of slots.
    pub slots: IdVec<SlotId, String>,
    /// Names and sizes of budgets.
    pub budgets: IdVec<BudgetId, (String, u32)>,
    /// Names of facts.
    pub facts: IdVec<FactId, String>,
    /// What is a copy of what: the copy that counts for each.
    pub copies: Copies,
}

impl Entries {
    /// Why nothing can be said of these entry points: no thread of one of them is there. `None`: all are.
    pub fn without(&self, pair: &[EntryId]) -> Option<String> {
        let is_there = |e: &EntryId| self.all.iter().any(|entry| entry.number == Some(*e));
        let all = pair.iter().all(is_there);
        (!all).then(|| "the net has no thread of one of the two".to_string())
    }
}

/// Copies of functions, made for different calls, that do the same. Threads are given one of them.
#[derive(Clone, Debug, Default)]
pub struct Copies(FxHashMap<InstanceId, InstanceId>);

impl Copies {
    /// The first of these copies of a function, with what it calls, counts for the others. Where they differ in more than whom
    /// they belong to, `None`.
    pub fn join(&mut self, points_to: &PointsTo, copies: &[InstanceId]) -> Option<InstanceId> {
        let (first, others) = copies.split_first()?;
        let mut same: FxHashMap<InstanceId, InstanceId> = FxHashMap::default();
        for other in others {
            let mut work = vec![(*other, *first)];
            while let Some((x, y)) = work.pop() {
                if x == y {
                    continue;
                }
                match same.insert(x, y) {
                    Some(known) if known == y => continue,
                    Some(_) => return None,
                    None => {}
                }
                let (a, b) = (&points_to.instances()[x], &points_to.instances()[y]);
                let places = |i: &Instance| -> Vec<(BlockId, u32)> {
                    let places = i.accesses.iter().map(|x| x.place);
                    places.map(|p| (p.block, p.index)).collect()
                };
                let calls = |i: &Instance| {
                    let mut all: Vec<_> = i
                        .calls
                        .iter()
                        .chain(&i.starts)
                        .map(|(p, c)| {
                            let f = points_to.instances()[*c].function;
                            ((p.block, p.index, f), *c)
                        })
                        .collect();
                    all.sort_unstable();
                    all
                };
                let (own, theirs) = (calls(a), calls(b));
                let alike = a.function == b.function
                    && places(a) == places(b)
                    && own.iter().map(|(k, _)| k).eq(theirs.iter().map(|(k, _)| k));
                if !alike {
                    return None;
                }
                let pairs = own.into_iter().zip(theirs);
                work.extend(pairs.map(|((_, c), (_, d))| (c, d)));
            }
        }
        self.0.extend(same);
        Some(*first)
    }

    /// The copy of an access that counts.
    pub fn of(&self, (instance, n): AccessId) -> AccessId {
        (self.0.get(&instance).copied().unwrap_or(instance), n)
    }
}
