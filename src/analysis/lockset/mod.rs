//! Locksets: which locks a thread must hold at each access, for any number of threads.
//!
//! Symbolic pairwise lockset analysis (Deligiannis, Donaldson, Rakamarić: Fast and Precise Symbolic Analysis of Concurrency
//! Bugs in Device Drivers, ASE 2015, §III). Each entry point is analysed by itself, with reads of memory arbitrary; a pair of
//! accesses that hold a common lock never race, whatever other threads do. Deviations from the paper:
//!
//! - Locksets are recorded at each access, not at the end of the entry point, so threads that never return count.
//! - Instead of candidates that Houdini refutes, summaries are computed: what a function acquires and what it may release
//!   ([`flow`]). Houdini (Flanagan, Leino: FME 2001) strikes candidates that do not hold until the rest is inductive: the greatest
//!   set of "lock l is held here", for procedures and loops, that each other's truth implies. The forward flow begins with
//!   everything (a place that is not reached yet), and intersects what comes in until nothing changes: the same greatest fixpoint of the
//!   same candidates, for recursion ([`summaries`]) and loops alike, without a prover. It is taken further, since a conjunction
//!   of such candidates decides no `trylock`: states are told apart by what is held, each with what is known of values (after Das,
//!   Lerner, Seigle: ESP, PLDI 2002), and so are the ways out of a function by its result and parameters ([`entered`]).
//! - Z3 is asked only whether a branch can be taken on one of several ways ([`conditions`]), not for the verification conditions.
//! - A summary is made once per function (or call, for models and small helpers) and serves all entry points and pairs.
//! - Instead of a watched offset: an access and a lock are compared as addresses. A lock counts if there is one such object in the
//!   closed program ([`single`]), or if it lies at a constant distance from the accessed location ([`Lock::Beside`]): two
//!   threads at the same location then hold the same lock.
//!
//! What a lock is: ghost state of the key `IRKISS_GHOST_OWNER` (exclusive) or `IRKISS_GHOST_READERS` (shared). A release under the
//! condition that the running thread is the owner, or has read holds (`IRKISS_GHOST_READER`), gives back what it holds. What it misses: locks
//! reached through a pointer that is read twice, unless it leads to a single object; conditions that are kept in memory (whose address
//! somebody has); semaphores; flags that order accesses.
//!
//! A thread that initialises a lock which others may know gives back what it does not hold. Assumed, and said in the report: where
//! another one initialises it (the harness, or the first thread of a program), no thread holds it then.

pub(in crate::analysis) mod completed;
mod conditions;
mod entered;
mod facts;
mod flow;
mod holds;
mod releases;
mod roots;
pub(in crate::analysis) mod single;
mod summaries;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::faults::{LocksetFault, seeded};
use crate::index::Idx;
use crate::program::{Callee, Op, Primitive, Program, Terminator};

use super::callgraph::CallGraph;
use super::points_to::{Access, Address, InstanceId, ObjectId, ObjectKind, Place, PointsTo};
use super::sections::AccessId;
use super::unpublished::Unpublished;
use crate::program::harness_map::Sayings;
use completed::{Arm, Handlers};
use entered::Entered;
use holds::{Hold, Name};
pub use holds::{Mode, Release};
use releases::Releases;
use roots::Roots;
use summaries::Summaries;

/// A lock held at an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lock {
    /// The lock at that address, of which there is one.
    At(Address),
    /// The lock at that distance in bytes from the accessed location.
    Beside(i64),
}

impl Lock {
    /// Its address, where `accessed` is the location that it guards.
    pub fn address(self, accessed: Address) -> Address {
        match self {
            Lock::At(at) => at,
            Lock::Beside(d) => accessed.moved(d, 0),
        }
    }
}

/// Locks held at an access (or what is so of handlers there), sorted.
pub type Held = Vec<(Lock, Mode)>;

/// What is known once for all threads.
pub struct Locksets<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    roots: Roots,
    summaries: Summaries,
}

/// What is known of the threads that start in given instances.
pub struct ThreadLocks {
    entry: FxHashMap<InstanceId, Entered>,
    /// What these threads may release without holding it.
    pub wild: Vec<Arc<Release>>,
    /// What lets handlers start, and where these are said to be over.
    pub handlers: Handlers,
    /// Something that the analysis cannot follow, if there is anything.
    pub gap: Option<String>,
}

impl<'p> Locksets<'p> {
    /// Analyses every function that the points-to analysis reached.
    pub fn solve(program: &'p Program, points_to: &'p PointsTo) -> Locksets<'p> {
        let roots = Roots::new(program, points_to.definitions());
        let single = single::objects(program, points_to);
        let summaries = Summaries::solve(program, points_to, &roots, &single);
        Locksets {
            program,
            points_to,
            roots,
            summaries,
        }
    }

    /// Without locks: nothing is held anywhere.
    pub fn none(program: &'p Program, points_to: &'p PointsTo) -> Locksets<'p> {
        Locksets {
            program,
            points_to,
            roots: Roots::new(program, points_to.definitions()),
            summaries: Summaries::none(points_to),
        }
    }

    /// Questions about conditions that went to the solver, and how many of these ruled a way out.
    pub fn asked(&self) -> [u64; 2] {
        self.summaries.asked
    }

    /// The locks of threads that start in `starts` without holding any.
    pub fn thread(&self, starts: &[InstanceId]) -> ThreadLocks {
        let mut entry: FxHashMap<InstanceId, Entered> = FxHashMap::default();
        let mut work: Vec<InstanceId> = Vec::new();
        for start in starts {
            entry.insert(*start, Entered::bare());
            work.push(*start);
        }
        while let Some(id) = work.pop() {
            let own = entry[&id].clone();
            let instance = &self.points_to.instances()[id];
            for (place, callee) in &instance.calls {
                let at = (place.block, place.index);
                for state in self.states_at(id, at, &own) {
                    let passed = self.passed(id, at, *callee, &state);
                    let changed = match entry.get_mut(callee) {
                        None => {
                            entry.insert(*callee, Entered::one(passed));
                            true
                        }
                        Some(_) if seeded(LocksetFault::FirstCallerOnly) => false,
                        Some(old) => old.add(passed),
                    };
                    if changed {
                        work.push(*callee);
                    }
                }
            }
        }
        let mut wild = Vec::new();
        // Before it starts others, the first thread of a program is alone with the locks that it initialises.
        let first = |id: &InstanceId| {
            let function = self.points_to.instances()[*id].function;
            self.program.harness.main == Some(function)
        };
        let begins_alone = starts.iter().any(first);
        let mut unpublished = Unpublished::new(self.program, self.points_to);
        let mut handlers = Handlers::default();
        let mut gap = None;
        let mut all: Vec<InstanceId> = entry.keys().copied().collect();
        all.sort_unstable();
        for id in all {
            for (at, release) in self.summaries.releases_in(id) {
                let held = self.held_at(id, at, &entry[&id]);
                let release = self.summaries.release(release);
                if release.mode.is_of_handler() {
                    handlers.arms.push(Arm::new((id, at), release, &held));
                    continue;
                }
                let all = seeded(LocksetFault::EveryReleaseIsBalanced);
                let matched = |h: &Hold| {
                    balanced(release, h) && (begins_alone || h.mode != Mode::Initialising)
                };
                let matched = all || held.iter().any(matched);
                let place = Place {
                    instance: id,
                    block: at.0,
                    index: at.1,
                };
                if (release.lost || !matched) && !unpublished.is_there(place, true) {
                    wild.push(release.clone());
                }
            }
            for at in self.summaries.overs_in(id) {
                let held = self.held_at(id, at, &entry[&id]);
                handlers.overs.push(self.over(id, at, &held));
            }
            if gap.is_none() {
                gap = self.gap_in(id);
            }
        }
        ThreadLocks {
            entry,
            wild,
            handlers,
            gap,
        }
    }

    /// The locks that a thread must hold at an access, and what is so of handlers; the objects in one of which a lock lies that it must hold,
    /// where it is not known in which.
    pub fn held(&self, thread: &ThreadLocks, (id, n): AccessId) -> (Held, Vec<ObjectId>) {
        let access = &self.points_to.instances()[id].accesses[n as usize];
        let at = (access.place.block, access.place.index);
        let entry = thread.entry.get(&id);
        let holds = entry.map_or(Vec::new(), |entry| self.held_at(id, at, entry));
        if holds.is_empty() {
            return (Held::new(), Vec::new());
        }
        let place = self.root_of(id, access);
        let exclusive = holds.iter().filter(|h| h.mode == Mode::Exclusive);
        let mut within: Vec<ObjectId> = exclusive
            .filter_map(|h| match (h.name, place) {
                (Name::From(v, _), Some((w, _))) if v == w => None,
                (Name::From(v, _), _) => Some(v),
                (Name::At(_), _) => None,
            })
            .flat_map(|v| self.points_to.value_targets(id, v))
            .map(|target| target.object)
            .collect();
        within.sort_unstable();
        within.dedup();
        let mut held: Held = holds
            .iter()
            .filter(|h| h.mode != Mode::Initialising)
            .filter_map(|h| {
                let mode = match h.mode {
                    Mode::Either => Mode::Shared,
                    mode => mode,
                };
                match (h.name, place) {
                    (Name::At(address), _) => Some((Lock::At(address), mode)),
                    (Name::From(v, o), Some((w, p))) if v == w => Some((Lock::Beside(o - p), mode)),
                    (Name::From(..), _) => None,
                }
            })
            .collect();
        held.sort_unstable();
        held.dedup();
        (held, within)
    }

    /// The value that the accessed address is computed from, and the distance from it.
    fn root_of(&self, id: InstanceId, access: &Access) -> Option<(crate::index::ValueId, i64)> {
        let f = self.points_to.instances()[id].function;
        if let Some(span) = &access.span {
            let (root, bytes) = self.roots.of(self.program, f, &span.base)?;
            return Some((root, bytes.checked_add(span.bytes)?));
        }
        let block = &self.program.functions[f].blocks[access.place.block];
        let pointer = match &block.instrs[access.place.index as usize].op {
            Op::Load { ptr, .. }
            | Op::Store { ptr, .. }
            | Op::AtomicRmw { ptr, .. }
            | Op::CmpXchg { ptr, .. } => ptr,
            Op::MemSet { dst, .. } => dst,
            Op::MemCopy { dst, src, .. } => match access.write {
                true => dst,
                false => src,
            },
            Op::Primitive { args, .. } => args.first()?,
            _ => return None,
        };
        self.roots.of(self.program, f, pointer)
    }

    /// What cannot be followed in an instance.
    fn gap_in(&self, id: InstanceId) -> Option<String> {
        let instance = &self.points_to.instances()[id];
        let function = &self.program.functions[instance.function];
        let source = &self.program.source;
        for (b, block) in function.blocks.iter_ids() {
            for (n, instr) in block.instrs.iter().enumerate() {
                let here = || source.describe(instr.loc);
                match &instr.op {
                    Op::Unsupported(what) => return Some(format!("{what} ({})", here())),
                    Op::Primitive {
                        primitive: Primitive::Unsupported | Primitive::Gap,
                        ..
                    } => return Some(format!("not modelled ({})", here())),
                    Op::Call { callee, .. } => {
                        let known =
                            |p: &super::points_to::Place| p.block == b && p.index == n as u32;
                        if !instance.calls.iter().any(|(p, _)| known(p)) {
                            let place = super::points_to::Place {
                                instance: id,
                                block: b,
                                index: n as u32,
                            };
                            let indirect = matches!(callee, Callee::Indirect(_));
                            // A pointer that can only be null: the call fails.
                            if indirect && !self.points_to.is_lost_call(place) {
                                continue;
                            }
                            let what = match callee {
                                Callee::Direct(f) => {
                                    format!("call of {}", self.program.functions[*f].name)
                                }
                                Callee::Indirect(_) => "call through an unknown pointer".into(),
                            };
                            return Some(format!("{what} ({})", here()));
                        }
                    }
                    _ => {}
                }
            }
            if let Terminator::Unsupported(what) = &block.term {
                return Some(format!("{what} ({})", source.describe(block.term_loc)));
            }
        }
        None
    }
}

/// Whether a release gives back what is held.
fn balanced(release: &Release, held: &Hold) -> bool {
    let mode = match release.mode {
        Mode::Shared => matches!(held.mode, Mode::Shared | Mode::Initialising),
        _ => matches!(held.mode, Mode::Exclusive | Mode::Initialising),
    };
    mode && match held.name {
        Name::At(address) => release.targets.only() == Some(address),
        Name::From(v, o) => release.base == Some((v, o)),
    }
}

/// What keeps a lock that is held from counting.
pub struct Doubts<'a> {
    /// Releases by threads that may not hold what they release.
    wild: Vec<&'a Release>,
    /// What these say of each lock that was asked for.
    released: RefCell<FxHashMap<Address, bool>>,
    /// If given, a lock counts for data in the same object only, or if it is a global variable.
    pub strict: Option<&'a PointsTo>,
    /// If given, a lock in one of these objects counts for data in such objects only.
    pub of_one: Option<&'a FixedBitSet>,
}

impl<'a> Doubts<'a> {
    /// Those of such releases alone. `strict`: see [`Doubts::strict`].
    pub fn of(releases: impl Iterator<Item = &'a Release>, strict: Option<&'a PointsTo>) -> Self {
        let mut seen = FxHashSet::default();
        Doubts {
            wild: releases.filter(|r| seen.insert(*r)).collect(),
            released: RefCell::default(),
            strict,
            of_one: None,
        }
    }

    /// The same, about locks in objects of which there are several.
    pub fn of_several(&self, of_one: &'a FixedBitSet) -> Doubts<'a> {
        Doubts {
            wild: self.wild.clone(),
            released: self.released.clone(),
            strict: self.strict,
            of_one: Some(of_one),
        }
    }

    /// Whether one who may not hold the lock at `at` may release it.
    fn may_release(&self, at: Address) -> bool {
        let look = || {
            let mut wild = self.wild.iter();
            wild.any(|r| r.lost || r.targets.iter().any(|t| t.meets(at)))
        };
        *self.released.borrow_mut().entry(at).or_insert_with(look)
    }
}

/// Whether accesses so many bytes long at places of an array (or at single places) overlap in the same element only.
fn same_element((x, x_len): (Address, u64), (y, y_len): (Address, u64)) -> bool {
    let (x_len, y_len) = (i128::from(x_len), i128::from(y_len));
    let apart = i128::from(x.rem) - i128::from(y.rem);
    let overlaps = |d: i128| -x_len < d && d < y_len;
    let stride = i128::from(x.stride);
    x.stride == y.stride
        && (stride == 0
            || overlaps(apart) && !overlaps(apart + stride) && !overlaps(apart - stride))
}

/// Whether the lock at `at` counts for accesses of `data`, if it is held there.
pub fn usable(at: Address, data: Address, doubts: &Doubts<'_>) -> bool {
    let released = !seeded(LocksetFault::WildReleasesCount) && doubts.may_release(at);
    !released && may_guard(at, data, doubts)
}

/// Whether what holds of the object at `at` may say something of accesses of `data`, which may be another's.
pub fn may_guard(at: Address, data: Address, doubts: &Doubts<'_>) -> bool {
    let elsewhere = doubts.strict.is_some_and(|p| {
        let global = matches!(p.objects()[at.object].kind, ObjectKind::Global(_));
        !global && at.object != data.object
    });
    let of = |o: ObjectId, all: &FixedBitSet| all.contains(o.index());
    let of_one = doubts
        .of_one
        .is_some_and(|all| of(at.object, all) && !of(data.object, all));
    !elsewhere && !of_one
}

/// A lock that keeps two accesses from overlapping, if there is one. `first` and `second` are the accessed locations with
/// their lengths in bytes; they overlap.
pub fn common(
    first: (&Held, Address, u64),
    second: (&Held, Address, u64),
    doubts: &Doubts<'_>,
) -> Option<Lock> {
    let readers = seeded(LocksetFault::ReadersExcludeReaders);
    let any_distance = seeded(LocksetFault::AnyDistance);
    let excludes = |x: Mode, y: Mode| {
        let locks = x.is_lock() && y.is_lock();
        locks && (readers || x == Mode::Exclusive || y == Mode::Exclusive)
    };
    let found = shared_by(first, second, any_distance, &mut |at, x, y| {
        excludes(x, y) && usable(at, first.1, doubts)
    });
    found.map(|(lock, _)| lock)
}

/// What both hold of the same object, with the address of that, where `counts` says so of the two modes.
fn shared_by(
    first: (&Held, Address, u64),
    second: (&Held, Address, u64),
    any_distance: bool,
    counts: &mut dyn FnMut(Address, Mode, Mode) -> bool,
) -> Option<(Lock, Address)> {
    for (lock, mode) in first.0 {
        for (other, other_mode) in second.0 {
            let at = match (lock, other) {
                (Lock::At(x), Lock::At(y)) if x == y => *x,
                (Lock::Beside(d), Lock::Beside(e)) => {
                    let (x, y) = (first.1, second.1);
                    // The same bytes of the same element: then the same lock.
                    let alike = any_distance
                        || x.object == y.object
                            && same_element((x, first.2), (y, second.2))
                            && x.rem.checked_add(*d).is_some()
                            && x.rem.wrapping_add(*d) == y.rem.wrapping_add(*e);
                    if !alike {
                        continue;
                    }
                    x.moved(*d, 0)
                }
                _ => continue,
            };
            if counts(at, *mode, *other_mode) {
                return Some((*lock, at));
            }
        }
    }
    None
}

/// Functions in which, or in whose callees, a lock is acquired or released, or something is said of a handler.
fn touching(program: &Program, graph: &CallGraph, sayings: Sayings) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(program.functions.len());
    for (f, function) in program.functions.iter_ids() {
        let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
        let own = instrs
            .into_iter()
            .any(|i| holds::lock_key(&i.op).is_some() || sayings.said(&i.op).is_some());
        set.set(f.index(), own);
    }
    for component in graph.components() {
        let any = component.iter().any(|f| {
            set.contains(f.index()) || graph.callees[*f].iter().any(|c| set.contains(c.index()))
        });
        for f in component {
            set.set(f.index(), any);
        }
    }
    set
}
