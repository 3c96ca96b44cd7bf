//! Which accesses of different threads may conflict, and the regions where they do.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Reduction;
use crate::index::{Idx, SiteId};
use crate::program::{Program, Silencer};
use crate::region::Region;

use super::accesses::{Key, Keys, Sites, Table};
use super::grouped::{add_regions, join_elements};
use super::lockset::completed::{self, Standing};
use super::lockset::{self, Doubts};
use super::of_one::Own;
use super::plan::{PlanOptions, PlannedRegion, ProvedRegion, SilencedRegion};
use super::points_to::{Address, InstanceId, ObjectId, ObjectKind, PointsTo, Space};
use super::regions::Namer;
use super::unknown_origin;

/// A table, and how many such threads there may be.
#[derive(Clone)]
pub(super) struct Side {
    /// What it does.
    pub table: Arc<Table>,
    /// Whether there may be several such threads.
    pub many: bool,
    /// Where they start.
    pub starts: Vec<InstanceId>,
}

/// Tables by where threads start and what they do not execute.
pub(super) type Tables = FxHashMap<(Vec<InstanceId>, Vec<InstanceId>), Arc<Table>>;

/// The result of [`conflicts`].
pub(super) struct Conflicts {
    pub regions: Vec<PlannedRegion>,
    pub proved: Vec<ProvedRegion>,
    /// See [`super::plan::PairPlan::of_one`].
    pub of_one: Vec<(Region, String)>,
    pub silenced: Vec<SilencedRegion>,
    pub used: Vec<[Vec<SiteId>; 2]>,
    pub gap: Option<String>,
    pub checked: FixedBitSet,
    pub enabled: FixedBitSet,
}

/// A possible race within one object.
pub(super) struct Race<'k> {
    pub core: (Address, u64),
    pub first: &'k Sites,
    pub second: &'k Sites,
    /// Which of the two are not marked.
    pub unmarked: [bool; 2],
}

/// Why two accesses do not race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Reason {
    /// Whether a handler is over, of which the object is at `at`; otherwise it is the lock there.
    over: bool,
    at: Address,
    /// The kind of objects of one of which that lock is alone, while what it guards is nobody's own: a place in [`Apart::several`].
    of_one: Option<usize>,
}

/// What may keep accesses apart.
struct Apart<'a> {
    doubts: &'a Doubts<'a>,
    by_locks: bool,
    /// Of what there may be several, each with the doubts about locks of one of them.
    several: Vec<(&'a Own, Doubts<'a>)>,
}

impl Apart<'_> {
    /// The lock that keeps two accesses apart.
    fn lock(&self, a: &Key, b: &Key) -> Option<Reason> {
        let ends = [a, b].map(|k| (&k.held, k.address, k.len));
        let lock = lockset::common(ends[0], ends[1], self.doubts)?;
        let at = lock.address(a.address);
        let mut several = self.several.iter();
        let of_one = several.position(|(own, of_all)| {
            own.guards_only_its_own(at, a.address)
                && lockset::common(ends[0], ends[1], of_all).is_none()
        });
        Some(Reason {
            over: false,
            at,
            of_one,
        })
    }

    /// The kind of objects in one of which both hold a lock, if they do not hold one that keeps them apart: one object is searched, and in that
    /// it may be the same.
    fn by_its_own(&self, a: &Key, b: &Key) -> Option<usize> {
        let mut several = self.several.iter();
        several.position(|(own, _)| {
            let mut both = [a, b].into_iter();
            both.all(|k| own.may_guard_only_its_own(&k.within, k.address))
        })
    }
}

/// What is found out about the pairs of accesses within one object.
#[derive(Default)]
struct Found<'k> {
    races: Vec<Race<'k>>,
    /// Pairs that would race, and why they do not.
    excluded: Vec<(Race<'k>, Reason)>,
    /// Pairs that would race, but the source says that this is meant.
    silenced: Vec<(Race<'k>, Silencer)>,
    /// Bytes of races that a lock of one of several objects may keep from being found, and the kind of these: a place in [`Apart::several`].
    by_its_own: BTreeSet<((Address, u64), usize)>,
    used: [BTreeSet<SiteId>; 2],
}

/// What may race between these threads, and what does not.
pub(super) fn conflicts(
    program: &Program,
    points_to: &PointsTo,
    sides: &[Side],
    (doubts, several): (&Doubts<'_>, &[Own]),
    standing: &mut [Standing<'_>],
    options: &PlanOptions,
) -> Conflicts {
    let sites = program.sites.len();
    let mut result = Conflicts {
        regions: Vec::new(),
        proved: Vec::new(),
        of_one: Vec::new(),
        silenced: Vec::new(),
        used: Vec::new(),
        gap: sides.iter().find_map(|s| s.table.gap.clone()),
        checked: FixedBitSet::with_capacity(sites),
        enabled: FixedBitSet::with_capacity(sites),
    };
    let apart = Apart {
        doubts,
        by_locks: options.lockset,
        several: several.iter().map(|s| (s, s.doubts(doubts))).collect(),
    };
    let mut told = Told::default();
    let namer = Namer::new(program, points_to);
    let mut protected = FixedBitSet::with_capacity(sites);
    let beside = pairs(sides);
    for object in in_common(sides) {
        let mut found = Found::default();
        for &[n, m] in &beside {
            let keys = [n, m].map(|n| sides[n].table.accesses.get(&object));
            if let [Some(first), Some(second)] = keys
                && (first.writes || second.writes)
            {
                compare(
                    [first, second],
                    ([n, m], &mut *standing),
                    &apart,
                    &mut result,
                    &mut protected,
                    &mut found,
                );
            }
        }
        if is_constant(program, points_to, object) {
            found.races.clear();
            found.excluded.clear();
        }
        let used = std::mem::take(&mut found.used);
        result.used.push(used.map(Vec::from_iter));
        check(&found.races, &mut result.checked);
        told.add(&namer, object, found, several, options.conflict_pairs);
    }
    // Nobody but its threads makes the pointers of a program.
    if program.harness.init.is_none() {
        let beyond = unknown_origin::races(program, points_to, sides, &mut result.enabled);
        for (object, races) in beyond {
            check(&races, &mut result.checked);
            let found = Found {
                races,
                ..Found::default()
            };
            told.add(&namer, Some(object), found, several, options.conflict_pairs);
        }
    }
    match options.reduction {
        Reduction::All => {}
        // Only where nothing is left to ask for.
        Reduction::EntryPointPair if told.regions.is_empty() => protected.clear(),
        Reduction::EntryPointPair => {}
        Reduction::MemoryRegion => protected.clear(),
    }
    result.enabled.union_with(&protected);
    told.finish(&mut result);
    result
}

/// The sides that may run beside each other.
fn pairs(sides: &[Side]) -> Vec<[usize; 2]> {
    let all = sides.iter().enumerate();
    all.flat_map(|(n, first)| {
        let from = if first.many { n } else { n + 1 };
        (from..sides.len()).map(move |m| [n, m])
    })
    .collect()
}

/// Nobody writes what is constant; what is said of it may change.
fn is_constant(program: &Program, points_to: &PointsTo, object: Option<ObjectId>) -> bool {
    match object.map(|o| points_to.objects()[o].kind) {
        Some(ObjectKind::Global(g)) => program.globals[g].constant,
        _ => false,
    }
}

/// Has the accesses of possible races checked.
fn check(races: &[Race<'_>], checked: &mut FixedBitSet) {
    let both = races.iter().flat_map(|r| [r.first, r.second]);
    for sites in each_once(both.collect()) {
        let all = sites.own.iter().chain(&sites.begins);
        checked.extend(all.map(|s| s.index()));
    }
}

/// The objects that two of the threads may access, sorted.
fn in_common(sides: &[Side]) -> Vec<Option<ObjectId>> {
    let mut objects = Vec::new();
    for (n, side) in sides.iter().enumerate() {
        // The later ones have met them already.
        let later = &sides[n + 1..];
        let met = |object: &&Option<ObjectId>| {
            let mut others = later.iter();
            side.many || others.any(|other| other.table.accesses.contains_key(object))
        };
        match (side.many, later) {
            // The one that accesses fewer is gone through.
            (false, [other]) => {
                let (few, many) = match other.table.accesses.len() < side.table.accesses.len() {
                    true => (other, side),
                    false => (side, other),
                };
                let few = few.table.accesses.keys();
                objects.extend(few.filter(|o| many.table.accesses.contains_key(o)));
            }
            _ => objects.extend(side.table.accesses.keys().filter(|o| met(o))),
        }
    }
    objects.sort_unstable();
    objects.dedup();
    objects
}

/// Each of them once, in any order.
pub(super) fn each_once(mut all: Vec<&Sites>) -> Vec<&Sites> {
    all.sort_unstable_by_key(|sites| std::ptr::from_ref(*sites));
    all.dedup_by_key(|sites| std::ptr::from_ref(*sites));
    all
}

/// Regions, by name: what may race there, and what does not.
#[derive(Default)]
struct Told {
    regions: BTreeMap<Region, PlannedRegion>,
    excluded: BTreeMap<Region, PlannedRegion>,
    /// Why they are excluded: locks, and handlers that are over.
    reasons: BTreeMap<Region, [BTreeSet<String>; 2]>,
    /// What locks of one object guard that is nobody's own, each with the kind of object.
    of_one: BTreeSet<(Region, String)>,
    silenced: BTreeMap<Silencer, BTreeMap<Region, PlannedRegion>>,
}

impl Told {
    /// Adds what is found of an object. `each`: with the pairs of accesses.
    fn add(
        &mut self,
        namer: &Namer,
        object: Option<ObjectId>,
        found: Found<'_>,
        several: &[Own],
        each: bool,
    ) {
        add_regions(namer, object, &found.races, each, &mut self.regions);
        let mut by_silencer: BTreeMap<Silencer, Vec<Race<'_>>> = BTreeMap::new();
        for (race, by) in found.silenced {
            by_silencer.entry(by).or_default().push(race);
        }
        for (by, races) in by_silencer {
            let own = self.silenced.entry(by).or_default();
            add_regions(namer, object, &races, false, own);
        }
        for ((address, len), kind) in found.by_its_own {
            let region = Region::new(namer.bytes(address, len)).starred();
            self.of_one.insert((region, several[kind].name.clone()));
        }
        let mut by_reason: BTreeMap<Reason, Vec<Race<'_>>> = BTreeMap::new();
        let candidates: FxHashSet<(Address, u64)> = found.races.iter().map(|r| r.core).collect();
        // What overlaps a candidate is not proved: a member, where all of the struct is read.
        let overlaps = |(own, len): (Address, u64)| {
            let mut all = candidates.iter();
            all.any(|(other, other_len)| own.overlaps(len, *other, *other_len))
        };
        let mut known: FxHashMap<(Address, u64), bool> = FxHashMap::default();
        for (race, reason) in found.excluded {
            let (core, of_one) = (race.core, reason.of_one);
            let known = known.entry(core).or_insert_with(|| overlaps(core));
            match (*known, of_one) {
                (false, _) => by_reason.entry(reason).or_default().push(race),
                (true, Some(kind)) => {
                    let region = Region::new(namer.bytes(core.0, core.1)).starred();
                    self.of_one.insert((region, several[kind].name.clone()));
                }
                (true, None) => {}
            }
        }
        for (reason, races) in by_reason {
            let mut own = BTreeMap::new();
            add_regions(namer, object, &races, false, &mut own);
            for (name, region) in own {
                if let Some(kind) = reason.of_one {
                    let kind = several[kind].name.clone();
                    self.of_one.insert((name.starred(), kind));
                }
                let (over, at) = (reason.over, reason.at);
                let all = self.reasons.entry(name.clone()).or_default();
                all[usize::from(over)].insert(match over {
                    true => namer.handler(at),
                    false => namer.lock(at),
                });
                match self.excluded.entry(name) {
                    Entry::Vacant(place) => drop(place.insert(region)),
                    Entry::Occupied(mut known) => {
                        known.get_mut().sites_a.extend(region.sites_a);
                        known.get_mut().sites_b.extend(region.sites_b);
                    }
                }
            }
        }
    }

    /// Sorts it into the result.
    fn finish(mut self, result: &mut Conflicts) {
        let mut regions = self.regions;
        join_elements(&mut regions);
        join_elements(&mut self.excluded);
        // Nor what a candidate's name stands for.
        let candidate = |region: &Region| {
            let whole = region.starred();
            regions.keys().any(|r| r == region || r.starred() == whole)
        };
        let excluded = self.excluded.into_values();
        for r in excluded.filter(|r| !candidate(&r.name)) {
            let [locks, over] = self.reasons.remove(&r.name).unwrap_or_default();
            result.proved.push(ProvedRegion {
                name: r.name,
                part: r.part,
                sites_a: sorted(r.sites_a),
                sites_b: sorted(r.sites_b),
                locks: locks.into_iter().collect(),
                over: over.into_iter().collect(),
            });
        }
        for (by, mut regions) in self.silenced {
            join_elements(&mut regions);
            result.silenced.extend(regions.into_values().map(|mut r| {
                r.sites_a.append(&mut r.sites_b);
                SilencedRegion {
                    name: r.name,
                    by,
                    sites: sorted(r.sites_a),
                }
            }));
        }
        result.of_one = self.of_one.into_iter().collect();
        result.regions = regions.into_values().collect();
        for region in &mut result.regions {
            for list in [&mut region.sites_a, &mut region.sites_b] {
                *list = sorted(std::mem::take(list));
            }
            region.conflict_pairs.sort_unstable();
            region.conflict_pairs.dedup();
        }
    }
}

/// Sorted, each once.
fn sorted(mut sites: Vec<SiteId>) -> Vec<SiteId> {
    sites.sort_unstable();
    sites.dedup();
    sites
}

/// Every pair of accesses of two threads: may they race, is a switch before them of any use?
///
/// A switch point before an access may go if each access that conflicts with it holds a common lock: the thread has
/// had the lock since its last switch point, so the access commutes with whatever others can do until the next.
fn compare<'k>(
    [first, second]: [&'k Keys; 2],
    (sides, standing): ([usize; 2], &mut [Standing<'_>]),
    apart: &Apart<'_>,
    result: &mut Conflicts,
    protected: &mut FixedBitSet,
    found: &mut Found<'k>,
) {
    // Whether the sites of a key are switch points already: where nothing keeps it apart from others, and where something does.
    let mut points_b = vec![[false; 2]; second.len()];
    for (a, sites_a) in first.iter() {
        let mut points_a = [false; 2];
        for n in second.near(a) {
            let (b, sites_b) = second.get(n);
            if !(a.write || b.write) || !meet(a, b) {
                continue;
            }
            let memory = a.space == Space::Memory && b.space == Space::Memory;
            match (a.space, b.space) {
                (Space::Memory, Space::Life) => found.used[0].extend(&sites_a.own),
                (Space::Life, Space::Memory) => found.used[1].extend(&sites_b.own),
                _ => {}
            }
            let completed = |at| Reason {
                over: true,
                at,
                of_one: None,
            };
            let reason = match memory && apart.by_locks {
                true => apart
                    .lock(a, b)
                    .or_else(|| over([a, b], (sides, &mut *standing), apart.doubts).map(completed)),
                false => None,
            };
            let which = usize::from(reason.is_some());
            for (sites, known) in [(sites_a, &mut points_a), (sites_b, &mut points_b[n])] {
                if std::mem::replace(&mut known[which], true) {
                    continue;
                }
                let all = sites.outside.iter().chain(&sites.begins);
                let points = match reason {
                    Some(_) => &mut *protected,
                    None => &mut result.enabled,
                };
                points.extend(all.map(|s| s.index()));
            }
            let by = a.silenced.or(b.silenced);
            if memory && (a.unmarked || b.unmarked) && a.visible && !a.own && !b.own {
                let race = Race {
                    core: core(a, b),
                    first: sites_a,
                    second: sites_b,
                    unmarked: [a.unmarked, b.unmarked],
                };
                match (by, reason) {
                    (Some(Silencer::Kernel | Silencer::Once), _) => {}
                    (Some(by), None) => found.silenced.push((race, by)),
                    // Nothing is proved of what nobody asks for.
                    (Some(_), Some(_)) => {}
                    (None, None) => {
                        let kind = apart.by_its_own(a, b);
                        found.by_its_own.extend(kind.map(|kind| (race.core, kind)));
                        found.races.push(race);
                    }
                    (None, Some(reason)) => found.excluded.push((race, reason)),
                }
            }
        }
    }
}

/// The object of a handler that one of the two makes, and that is over where the other one is made.
pub(super) fn over(
    [a, b]: [&Key; 2],
    (sides, standing): ([usize; 2], &mut [Standing<'_>]),
    doubts: &Doubts<'_>,
) -> Option<Address> {
    if a.handlers.is_empty() || b.handlers.is_empty() {
        return None;
    }
    let ends = [a, b].map(|k| (&k.handlers, k.address, k.len));
    completed::keeps_apart(ends[0], ends[1], &mut |end, at| {
        lockset::may_guard(at, a.address, doubts) && standing[sides[end]].stands(at)
    })
}

/// Whether two accesses of the same object may touch the same state.
pub(super) fn meet(a: &Key, b: &Key) -> bool {
    match (a.space, b.space) {
        (Space::Ghost(k), Space::Ghost(l)) => {
            (k.is_none() || l.is_none() || k == l) && a.address.meets(b.address)
        }
        (Space::Ghost(_), _) | (_, Space::Ghost(_)) => false,
        (Space::Life, _) | (_, Space::Life) => true,
        (Space::Memory, Space::Memory) => a.address.overlaps(a.len, b.address, b.len),
    }
}

/// The bytes that a conflict is named after: the smaller of two ranges, a constant offset before a stride.
pub(super) fn core(a: &Key, b: &Key) -> (Address, u64) {
    let rank = |k: &Key| (k.address.stride != 0, k.len, k.address);
    let smaller = if rank(a) <= rank(b) { a } else { b };
    (smaller.address, smaller.len)
}

/// The uses of what the other side frees, for each object of which there are some; not those of which nothing is known but that the
/// kernel is given it.
pub(super) fn uses(program: &Program, found: Vec<[Vec<SiteId>; 2]>) -> Vec<[Vec<SiteId>; 2]> {
    let told = |s: &SiteId| program.sites[*s].silenced != Some(Silencer::Kernel);
    let each = found.into_iter();
    each.map(|sides| sides.map(|sites| sites.into_iter().filter(told).collect::<Vec<_>>()))
        .filter(|sides| sides.iter().any(|s| !s.is_empty()))
        .collect()
}
