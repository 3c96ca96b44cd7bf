//! The plan of a check: which accesses may race, which switch points matter.
//!
//! Two accesses of different threads *conflict* if they may overlap and at
//! least one writes. A switch point before an access that conflicts with none
//! may go: the access commutes with everything that other threads do. Being
//! marked or in an atomic section takes the race *check* away and never the
//! switch point. An atomic section is one step; its begin carries the switch
//! point and the check for all that is within. Ghost state counts like memory
//! (locks live there), and so does the end of an object's life, which conflicts
//! with every access of the object but is no data race.
//!
//! Synchronisation is always kept: assume, thread start, stop, back edge, and
//! the begin of a section that may block or that starts a thread.
//!
//! What it misses: see [`super::points_to`]. An access whose pointer has no known
//! target conflicts only with others of that kind.

use fixedbitset::FixedBitSet;

use crate::config::{Marked, Options};
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Program, SiteKind};

use super::conflicts::{Side, conflicts};
use super::points_to::{InstanceId, Place, PointsTo};
use super::threads::{after_starts, closure, runs_once, starts};

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
    /// The objects that it lies in, for people, sorted.
    pub objects: Vec<String>,
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
    /// Sites whose access may race: figure 5's check is kept. For an access in an atomic section also the section's begin.
    pub checked: FixedBitSet,
    /// Sites that are kept as switch points.
    pub enabled: FixedBitSet,
    /// Sites that the first thread may execute.
    pub reachable_a: FixedBitSet,
    /// Sites that the second thread, and threads started by either, may execute.
    pub reachable_b: FixedBitSet,
    /// Whether both threads are started by a third, which may go on beside them.
    pub born: bool,
}

/// The plan for two threads that run `roots_a` and `roots_b` beside each other; threads that they start count as further
/// threads, each possibly started often.
///
/// Roots that the points-to analysis did not reach execute nothing.
pub fn plan_pair(
    program: &Program,
    points_to: &PointsTo,
    roots_a: &[FuncId],
    roots_b: &[FuncId],
    options: &PlanOptions,
) -> PairPlan {
    let instances_of = |roots: &[FuncId]| {
        let all = roots.iter().flat_map(|f| points_to.instances_of(*f));
        closure(points_to, all.copied().collect())
    };
    let a = instances_of(roots_a);
    let b = instances_of(roots_b);
    let mut both = a.clone();
    both.union_with(&b);
    let mut sides = vec![Side::whole(a.clone(), false), Side::whole(b.clone(), false)];
    let mut second = b;
    for (_, start) in starts(points_to, &both) {
        let further = closure(points_to, vec![start]);
        second.union_with(&further);
        sides.push(Side::whole(further, true));
    }
    plan(program, points_to, &sides, &a, &second, options)
}

/// The plan for two threads that are born while initialisation runs: that is a thread beside them. `starter` starts the
/// threads of all entry points, of which only those two count here.
pub fn plan_born(
    program: &Program,
    points_to: &PointsTo,
    init: FuncId,
    starter: FuncId,
    [roots_a, roots_b]: [&[FuncId]; 2],
    options: &PlanOptions,
) -> PairPlan {
    let instances_of = |roots: &[FuncId]| {
        let all = roots.iter().flat_map(|f| points_to.instances_of(*f));
        closure(points_to, all.copied().collect())
    };
    let a = instances_of(roots_a);
    let b = instances_of(roots_b);
    let init = instances_of(&[init]);
    let mut all = a.clone();
    all.union_with(&b);
    all.union_with(&init);
    let mut sides = vec![
        Side::whole(a.clone(), false),
        Side::whole(b.clone(), false),
        Side::whole(init, false),
    ];
    let mut second = b;
    for (_, start) in starts(points_to, &all) {
        if points_to.instances()[start].function == starter {
            continue;
        }
        let further = closure(points_to, vec![start]);
        second.union_with(&further);
        sides.push(Side::whole(further, true));
    }
    let mut plan = plan(program, points_to, &sides, &a, &second, options);
    plan.born = true;
    plan
}

/// The plan for a whole program that starts at `main`: its threads are `main` and every thread started, each start
/// possibly often unless it is passed once only. What `main` does before it starts a thread conflicts with nothing.
pub fn plan_program(
    program: &Program,
    points_to: &PointsTo,
    main: FuncId,
    options: &PlanOptions,
) -> PairPlan {
    let a = closure(points_to, points_to.instances_of(main).to_vec());
    let found = starts(points_to, &a);
    let places: Vec<Place> = found.iter().map(|(place, _)| *place).collect();
    let later = after_starts(program, points_to, &places, &a);
    let mut sides = vec![Side {
        instances: a.clone(),
        only: Some(later),
        many: false,
    }];
    let mut second = FixedBitSet::with_capacity(points_to.instances().len());
    let mut instances: Vec<InstanceId> = found.iter().map(|(_, start)| *start).collect();
    instances.sort_unstable();
    instances.dedup();
    for start in instances {
        let further = closure(points_to, vec![start]);
        second.union_with(&further);
        let many = !runs_once(program, points_to, start, main);
        sides.push(Side::whole(further, many));
    }
    plan(program, points_to, &sides, &a, &second, options)
}

fn plan(
    program: &Program,
    points_to: &PointsTo,
    sides: &[Side],
    a: &FixedBitSet,
    b: &FixedBitSet,
    options: &PlanOptions,
) -> PairPlan {
    let reachable_a = sites_of(program, points_to, a);
    let reachable_b = sites_of(program, points_to, b);
    let found = conflicts(program, points_to, sides, options);
    let mut enabled = found.enabled;
    for s in reachable_a.union(&reachable_b) {
        let keep = match program.sites[SiteId::new(s)].kind {
            SiteKind::Assume | SiteKind::Async | SiteKind::Stop | SiteKind::BackEdge => true,
            SiteKind::Read
            | SiteKind::Write
            | SiteKind::ReadWrite
            | SiteKind::AtomicBegin
            | SiteKind::Assert
            | SiteKind::Free => false,
        };
        if keep {
            enabled.insert(s);
        }
    }
    for section in &points_to.sections().all {
        let instance = section.place.instance.index();
        let reached = a.contains(instance) || b.contains(instance);
        if let (true, true, Some(site)) = (reached, section.blocking, section.site) {
            enabled.insert(site.index());
        }
    }
    PairPlan {
        regions: found.regions,
        checked: found.checked,
        enabled,
        reachable_a,
        reachable_b,
        born: false,
    }
}

/// The sites in the bodies of the instances.
fn sites_of(program: &Program, points_to: &PointsTo, instances: &FixedBitSet) -> FixedBitSet {
    let mut sites = FixedBitSet::with_capacity(program.sites.len());
    let mut functions = FixedBitSet::with_capacity(program.functions.len());
    for i in instances.ones() {
        functions.insert(points_to.instances()[InstanceId::new(i)].function.index());
    }
    for f in functions.ones() {
        for block in program.functions[FuncId::new(f)].blocks.iter() {
            let own = block.instrs.iter().filter_map(|i| i.site);
            sites.extend(own.chain(block.term_site).map(Idx::index));
        }
    }
    sites
}
