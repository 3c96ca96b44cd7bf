//! Which instances a thread executes, which threads it starts, and how often.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{BlockId, FuncId, IdVec, Idx};
use crate::program::{Function, Program, Terminator};

use super::conflicts::Side;
use super::points_to::{InstanceId, Place, PointsTo};
use super::sections::AccessId;

/// Where the threads of a plan come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Birth {
    /// They are there: nobody starts them.
    There,
    /// Another one starts them, which may go on beside them.
    OfAnother,
    /// The second is initialisation, which starts the first.
    OfInitialisation,
}

/// Threads that run beside each other.
pub struct Threads {
    /// One for each, then those that they start.
    pub(super) sides: Vec<Side>,
    /// What each executes; the second: what those that any of them starts execute, too.
    pub(super) executes: Vec<FixedBitSet>,
    /// Where they come from.
    pub(super) birth: Birth,
    /// As [`super::plan::PairPlan::of_two`].
    pub(super) of_two: bool,
}

/// The instances that a thread which enters `roots` may execute.
pub(super) fn closure(points_to: &PointsTo, roots: Vec<InstanceId>) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(points_to.instances().len());
    let mut work = roots;
    while let Some(i) = work.pop() {
        if !seen.put(i.index()) {
            work.extend(points_to.instances()[i].calls.iter().map(|(_, c)| *c));
        }
    }
    seen
}

/// Where threads that run beside those which enter `roots` would execute one of these in the place of a worker. They never do: it is
/// a thread of its own there, and they wait for it.
pub(super) fn drained(
    program: &Program,
    points_to: &PointsTo,
    roots: &[Vec<FuncId>],
) -> Vec<InstanceId> {
    let threads = roots.iter().flatten();
    let entries = threads.filter_map(|f| program.harness.called_by(*f));
    let drains = entries.filter_map(|e| program.harness.entry(e)?.drains);
    let mut all: Vec<InstanceId> = drains
        .flat_map(|f| points_to.instances_of(f))
        .copied()
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The accesses of a thread that starts in `starts` where it does not execute `drained`.
pub(super) fn accesses_without(
    points_to: &PointsTo,
    starts: &[InstanceId],
    drained: &[InstanceId],
) -> FxHashSet<AccessId> {
    let mut seen = FixedBitSet::with_capacity(points_to.instances().len());
    let mut work = starts.to_vec();
    let mut found = FxHashSet::default();
    while let Some(id) = work.pop() {
        if drained.contains(&id) || seen.put(id.index()) {
            continue;
        }
        let instance = &points_to.instances()[id];
        found.extend((0..instance.accesses.len() as u32).map(|n| (id, n)));
        work.extend(instance.calls.iter().map(|(_, callee)| *callee));
    }
    found
}

/// The thread starts in the instances, and in the threads started, directly or not.
pub(super) fn starts(points_to: &PointsTo, instances: &FixedBitSet) -> Vec<(Place, InstanceId)> {
    let mut all = FxHashSet::default();
    let mut seen = instances.clone();
    let mut work: Vec<usize> = instances.ones().collect();
    while let Some(i) = work.pop() {
        for &(place, start) in &points_to.instances()[InstanceId::new(i)].starts {
            all.insert((place, start));
            for further in closure(points_to, vec![start]).ones() {
                if !seen.put(further) {
                    work.push(further);
                }
            }
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_unstable();
    all
}

/// The accesses of `instances` that may be executed after one of the places (thread starts) has been passed.
pub(super) fn after_starts(
    program: &Program,
    points_to: &PointsTo,
    places: &[Place],
    instances: &FixedBitSet,
) -> FxHashSet<AccessId> {
    let mut callers: FxHashMap<InstanceId, Vec<Place>> = FxHashMap::default();
    for i in instances.ones() {
        let id = InstanceId::new(i);
        for (place, callee) in &points_to.instances()[id].calls {
            callers.entry(*callee).or_default().push(*place);
        }
    }
    let mut found = FxHashSet::default();
    let mut seen: FxHashSet<(InstanceId, BlockId, u32)> = FxHashSet::default();
    let mut entered: Vec<InstanceId> = Vec::new();
    let mut work: Vec<(InstanceId, BlockId, u32)> = places
        .iter()
        .filter(|p| instances.contains(p.instance.index()))
        .map(|p| (p.instance, p.block, p.index + 1))
        .collect();
    while let Some((instance, block, from)) = work.pop() {
        if !seen.insert((instance, block, from)) {
            continue;
        }
        let i = &points_to.instances()[instance];
        let within = |p: &Place| p.block == block && p.index >= from;
        for (n, access) in i.accesses.iter().enumerate() {
            if within(&access.place) {
                found.insert((instance, n as u32));
            }
        }
        let callees = i.calls.iter().filter(|(place, _)| within(place));
        entered.extend(callees.map(|(_, callee)| *callee));
        let b = &program.functions[i.function].blocks[block];
        work.extend(b.term.successors().into_iter().map(|s| (instance, s, 0)));
        if matches!(b.term, Terminator::Return(_)) {
            let back = callers.get(&instance).into_iter().flatten();
            work.extend(back.map(|p| (p.instance, p.block, p.index + 1)));
        }
    }
    for i in closure(points_to, entered).ones() {
        let id = InstanceId::new(i);
        let own = 0..points_to.instances()[id].accesses.len() as u32;
        found.extend(own.map(|n| (id, n)));
    }
    found
}

/// Whether a thread that starts in this instance is started at most once in a run from `main`.
pub(super) fn runs_once(
    program: &Program,
    points_to: &PointsTo,
    start: InstanceId,
    main: FuncId,
) -> bool {
    let mut entries: IdVec<InstanceId, Vec<Place>> =
        IdVec::filled(Vec::new(), points_to.instances().len());
    for instance in points_to.instances().iter() {
        for (place, callee) in instance.calls.iter().chain(&instance.starts) {
            entries[*callee].push(*place);
        }
    }
    let mut seen = FxHashSet::default();
    let mut at = start;
    loop {
        let function = points_to.instances()[at].function;
        if function == main {
            return entries[at].len() <= 1;
        }
        match entries[at].as_slice() {
            [place] => {
                let caller = points_to.instances()[place.instance].function;
                if !seen.insert(at) || in_loop(&program.functions[caller], place.block) {
                    return false;
                }
                at = place.instance;
            }
            _ => return false,
        }
    }
}

/// Whether control may come back to a block.
pub(super) fn in_loop(function: &Function, block: BlockId) -> bool {
    let mut seen = FixedBitSet::with_capacity(function.blocks.len());
    let mut work = function.blocks[block].term.successors();
    while let Some(b) = work.pop() {
        if b == block {
            return true;
        }
        if !seen.put(b.index()) {
            work.extend(function.blocks[b].term.successors());
        }
    }
    false
}

/// The functions of the instances.
pub(super) fn functions_of(
    program: &Program,
    points_to: &PointsTo,
    instances: &FixedBitSet,
) -> FixedBitSet {
    let mut functions = FixedBitSet::with_capacity(program.functions.len());
    for i in instances.ones() {
        functions.insert(points_to.instances()[InstanceId::new(i)].function.index());
    }
    functions
}

/// The sites in the bodies of the functions.
pub(super) fn sites_of(program: &Program, functions: &FixedBitSet) -> FixedBitSet {
    let mut sites = FixedBitSet::with_capacity(program.sites.len());
    for f in functions.ones() {
        for block in program.functions[FuncId::new(f)].blocks.iter() {
            let own = block.instrs.iter().filter_map(|i| i.site);
            sites.extend(own.chain(block.term_site).map(Idx::index));
        }
    }
    sites
}
