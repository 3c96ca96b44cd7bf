//! The plan of a check: which accesses may race, which switch points matter.

use fixedbitset::FixedBitSet;

use crate::config::{Marked, Options};
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Program, SiteKind};

use super::points_to::PointsTo;

/// What a plan depends on beside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Which accesses are marked.
    pub marked: Marked,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions {
            marked: Marked::Kcsan,
        }
    }
}

impl From<&Options> for PlanOptions {
    fn from(options: &Options) -> Self {
        PlanOptions {
            marked: options.marked,
        }
    }
}

/// Memory that two threads may access in conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRegion {
    /// For people: `@global`, `struct foo.bar`, `heap(kmalloc at nvram.c:12)+8`, `file1->private_data`.
    pub name: String,
    /// Sites of the first thread that may access it and conflict with one of `sites_b`, sorted.
    pub sites_a: Vec<SiteId>,
    /// Sites of the second thread (or of further threads) that may access it and conflict with one of `sites_a`, sorted.
    pub sites_b: Vec<SiteId>,
}

/// What to check for one pair of threads (or one whole program). The bit sets are indexed by [`SiteId`].
#[derive(Clone, Debug)]
pub struct PairPlan {
    /// The regions on which a race is possible: overlapping bytes, at least one write, at least one unmarked access. Sorted by name.
    pub regions: Vec<PlannedRegion>,
    /// Sites whose access may race: figure 5's check is kept. An atomic section's begin stands for the accesses within.
    pub checked: FixedBitSet,
    /// Sites that are kept as switch points.
    pub enabled: FixedBitSet,
    /// Sites that the first thread may execute.
    pub reachable_a: FixedBitSet,
    /// Sites that the second thread, and threads started by either, may execute.
    pub reachable_b: FixedBitSet,
}

/// The plan for two threads that run `roots_a` and `roots_b` beside each other; threads that they start count as further threads.
pub fn plan_pair(
    program: &Program,
    points_to: &PointsTo,
    roots_a: &[FuncId],
    roots_b: &[FuncId],
    options: &PlanOptions,
) -> PairPlan {
    let _ = options;
    let graph = points_to.call_graph();
    let mut others = roots_b.to_vec();
    others.extend(graph.threads_started(roots_a));
    others.extend(graph.threads_started(roots_b));
    let reachable_a = sites_of(program, points_to, roots_a);
    let reachable_b = sites_of(program, points_to, &others);
    let mut enabled = reachable_a.clone();
    enabled.union_with(&reachable_b);
    let mut checked = FixedBitSet::with_capacity(program.sites.len());
    for s in enabled.ones() {
        if matches!(
            program.sites[SiteId::new(s)].kind,
            SiteKind::Read | SiteKind::Write | SiteKind::ReadWrite | SiteKind::AtomicBegin
        ) {
            checked.insert(s);
        }
    }
    let within = |set: &FixedBitSet| set.intersection(&checked).map(SiteId::new).collect();
    let regions = vec![PlannedRegion {
        name: "memory".to_string(),
        sites_a: within(&reachable_a),
        sites_b: within(&reachable_b),
    }];
    PairPlan {
        regions,
        checked,
        enabled,
        reachable_a,
        reachable_b,
    }
}

/// The plan for a whole program that starts at `main`: its threads are `main` and every thread started, each start possibly often.
pub fn plan_program(
    program: &Program,
    points_to: &PointsTo,
    main: FuncId,
    options: &PlanOptions,
) -> PairPlan {
    plan_pair(program, points_to, &[main], &[], options)
}

fn sites_of(program: &Program, points_to: &PointsTo, roots: &[FuncId]) -> FixedBitSet {
    let mut sites = FixedBitSet::with_capacity(program.sites.len());
    for f in points_to.call_graph().reachable(roots).ones() {
        for block in program.functions[FuncId::new(f)].blocks.iter() {
            let own = block.instrs.iter().filter_map(|i| i.site);
            sites.extend(own.chain(block.term_site).map(Idx::index));
        }
    }
    sites
}
