//! An activation of a function at work.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::index::FuncId;
use crate::program::Function;
use crate::symex::machine::cfg::{Cfg, Instance, LoopEntry};
use crate::symex::machine::guard::Guard;
use crate::symex::machine::state::{Exit, Flow, Value};

/// An activation being executed.
pub(in crate::symex) struct Activation<'a> {
    pub f: FuncId,
    pub function: &'a Function,
    pub cfg: &'a Cfg,
    pub context: u64,
    pub pending: BTreeMap<Instance, Vec<Flow>>,
    /// For each loop entered, the iterations that count against the bound: it was open whether it goes on, or nothing
    /// new was seen.
    pub decided: FxHashMap<LoopEntry, BTreeSet<Vec<u32>>>,
    /// For each loop entered, what the conditions of its exits have rested on, with the first iteration that showed it.
    pub shown: FxHashMap<LoopEntry, FxHashMap<Vec<Option<Value>>, Vec<u32>>>,
    /// For each loop entered, the iterations in which a counter will end it soon: those do not count.
    pub counted: FxHashMap<LoopEntry, BTreeSet<Vec<u32>>>,
    /// For each loop entered, the path condition when it went round last, and how often it was another than before.
    pub grown: FxHashMap<LoopEntry, (Guard, u32)>,
    pub exits: Vec<Exit>,
}
