//! Instances of functions: which calls get a copy of the callee of their own.
//!
//! Models (`kmalloc`, `copy_from_user`, `mutex_lock`) and small helpers
//! (`dev_get_drvdata`, `container_of` in a function) are called from everywhere
//! with different objects. One set of values for all calls would mix these
//! objects up, so such functions are analysed once per call site, as if they
//! were inlined. It is also what tells heap objects of different `kmalloc`
//! calls apart. All other functions have one instance.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::analysis::callgraph::CallGraph;
use crate::index::{FuncId, IdVec, Idx, define_index};
use crate::program::{Callee, Op, Program};

use super::elements::Span;
use super::objects::Place;
use super::solver::NodeId;

define_index!(
    /// A function as analysed for one call site, or for all.
    InstanceId,
    "inst"
);

/// A function as analysed for one call site, or for all.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The function.
    pub function: FuncId,
    /// The call (or thread start) that the instance belongs to; `None`: all calls.
    pub site: Option<Place>,
    /// Instances that it calls, each with the place of the call.
    pub calls: Vec<(Place, InstanceId)>,
    /// Instances that threads created by it start in, each with the place of the `Async`.
    pub starts: Vec<(Place, InstanceId)>,
    /// What it does to memory.
    pub accesses: Vec<Access>,
    /// Node of value 0; the others follow.
    pub(super) base: NodeId,
    /// Node of the returned value.
    pub(super) ret: NodeId,
}

/// What an access reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Memory.
    Memory,
    /// Ghost state of that key (`None`: the key is not constant).
    Ghost(Option<u32>),
    /// The life of the object: `Free`.
    Life,
}

/// One access by one instance.
#[derive(Clone, Debug)]
pub struct Access {
    /// The instruction.
    pub place: Place,
    /// Memory or ghost state.
    pub space: Space,
    /// Whether it writes (a read-modify-write reads and writes).
    pub write: bool,
    /// Bytes; `u64::MAX` where not constant.
    pub len: u64,
    /// The pointer.
    pub(super) pointer: Option<NodeId>,
    /// The array that it may access any part of, if it is known to stay in one: then the pointer and the length are the array's.
    pub span: Option<Span>,
}

/// Instructions that the copies made for helper calls may have in all.
const BUDGET: u64 = 300_000;

/// The functions that get an instance per call site: not recursive, and small enough.
///
/// The limits are halved until the copies fit the budget, so that the result depends on the program alone.
pub(super) fn helpers(program: &Program) -> FixedBitSet {
    let direct = direct_calls(program);
    let mut graph = CallGraph::empty(program);
    for (f, callees) in direct.iter_ids() {
        graph.callees[f] = callees.clone();
    }
    graph.normalise();
    let recursive = graph.recursive();
    let order: Vec<FuncId> = graph.components().into_iter().flatten().collect();
    let served = served(program, &direct);
    let (mut model_limit, mut user_limit) = (1_500u64, 100u64);
    loop {
        let mut set = FixedBitSet::with_capacity(program.functions.len());
        let mut cost: FxHashMap<FuncId, u64> = FxHashMap::default();
        let mut total = 0;
        for &f in &order {
            let function = &program.functions[f];
            let own: usize = function.blocks.iter().map(|b| b.instrs.len() + 1).sum();
            let copies: u64 = direct[f]
                .iter()
                .filter(|c| set.contains(c.index()))
                .map(|c| cost[c])
                .sum();
            let all = own as u64 + copies;
            cost.insert(f, all);
            let limit = match function.is_model || served.contains(f.index()) {
                true => model_limit,
                false => user_limit,
            };
            if function.is_defined() && !recursive.contains(f.index()) && all <= limit {
                set.insert(f.index());
            } else {
                total += all;
            }
        }
        if total <= BUDGET || user_limit == 0 {
            return set;
        }
        model_limit /= 2;
        user_limit /= 2;
    }
}

/// Functions of the input that only the models (the harness) call, in several places.
fn served(program: &Program, direct: &IdVec<FuncId, Vec<FuncId>>) -> FixedBitSet {
    let mut calls = vec![(0, 0); program.functions.len()];
    for (f, callees) in direct.iter_ids() {
        for callee in callees {
            let (models, others) = &mut calls[callee.index()];
            match program.functions[f].is_model {
                true => *models += 1,
                false => *others += 1,
            }
        }
    }
    let of_input = |f: FuncId| !program.functions[f].is_model;
    let several = |f: &FuncId| matches!(calls[f.index()], (2.., 0)) && of_input(*f);
    let all = program.functions.ids().filter(several);
    all.map(Idx::index).collect()
}

/// Direct callees of each function, one entry for each call.
fn direct_calls(program: &Program) -> IdVec<FuncId, Vec<FuncId>> {
    program
        .functions
        .iter()
        .map(|function| {
            let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
            instrs
                .filter_map(|i| match &i.op {
                    Op::Call {
                        callee: Callee::Direct(f),
                        ..
                    } => Some(*f),
                    _ => None,
                })
                .collect()
        })
        .collect()
}
