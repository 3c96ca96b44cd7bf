//! Which accesses of different threads may conflict, and the regions where they do.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::{Marked, Reduction};
use crate::index::{BlockId, Idx, SiteId};
use crate::program::{AccessMode, Op, Program, Silencer};

use super::lockset::completed::{self, Handlers, Standing};
use super::lockset::{self, Doubts, Held, Locksets, Release};
use super::plan::{ConflictPair, Party, PlanOptions, PlannedRegion, ProvedRegion, SilencedRegion};
use super::points_to::{Address, InstanceId, ObjectId, ObjectKind, PointsTo, Space};
use super::regions::{Namer, starred};
use super::sections::AccessId;
use super::threads::closure;

/// What one thread (or one kind of thread) does to shared memory. Made once per thread function; pairs only intersect them.
pub(super) struct Table {
    pub accesses: FxHashMap<Option<ObjectId>, Keys>,
    /// Locks that it may release without holding them.
    pub wild: Vec<Release>,
    /// What it does to handlers.
    pub handlers: Handlers,
    /// What the locksets could not follow.
    pub gap: Option<String>,
}

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

/// The result of [`conflicts`].
pub(super) struct Conflicts {
    pub regions: Vec<PlannedRegion>,
    pub proved: Vec<ProvedRegion>,
    pub silenced: Vec<SilencedRegion>,
    pub used: Vec<[Vec<SiteId>; 2]>,
    pub gap: Option<String>,
    pub checked: FixedBitSet,
    pub enabled: FixedBitSet,
}

/// What matters of an access for conflicts; accesses alike in all of it are treated together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub space: Space,
    pub address: Address,
    pub len: u64,
    pub write: bool,
    pub unmarked: bool,
    /// Who says that races with it are meant, if anybody does.
    pub silenced: Option<Silencer>,
    /// In memory that the user's code sees.
    pub visible: bool,
    /// Locks that the thread must hold.
    pub held: Held,
    /// What is so of handlers there.
    handlers: Held,
}

/// The sites of the accesses of one key.
#[derive(Default)]
pub(super) struct Sites {
    /// The accesses.
    pub accesses: BTreeSet<AccessId>,
    /// Sites of the accesses themselves.
    own: BTreeSet<SiteId>,
    /// Of these, the ones executed outside of atomic sections: switch points of their own.
    outside: BTreeSet<SiteId>,
    /// Begins of the sections around the others.
    begins: BTreeSet<SiteId>,
}

/// Keys of one object and one thread.
pub(super) type Keys = BTreeMap<Key, Sites>;

/// A possible race within one object.
struct Race<'k> {
    core: (Address, u64),
    first: &'k Sites,
    second: &'k Sites,
    /// Which of the two are not marked.
    unmarked: [bool; 2],
}

/// What is found out about the pairs of accesses within one object.
#[derive(Default)]
struct Found<'k> {
    races: Vec<Race<'k>>,
    /// Pairs that would race, but for a lock, or (`true`) since a handler is over.
    excluded: Vec<(Race<'k>, (bool, Address))>,
    /// Pairs that would race, but the source says that this is meant.
    silenced: Vec<(Race<'k>, Silencer)>,
    used: [BTreeSet<SiteId>; 2],
}

/// What may race between these threads, and what does not.
pub(super) fn conflicts(
    program: &Program,
    points_to: &PointsTo,
    sides: &[Side],
    doubts: &Doubts<'_>,
    standing: &mut [Standing<'_>],
    options: &PlanOptions,
) -> Conflicts {
    let mut objects: BTreeSet<Option<ObjectId>> = BTreeSet::new();
    for side in sides {
        objects.extend(side.table.accesses.keys());
    }
    let sites = program.sites.len();
    let mut result = Conflicts {
        regions: Vec::new(),
        proved: Vec::new(),
        silenced: Vec::new(),
        used: Vec::new(),
        gap: sides.iter().find_map(|s| s.table.gap.clone()),
        checked: FixedBitSet::with_capacity(sites),
        enabled: FixedBitSet::with_capacity(sites),
    };
    let mut regions: BTreeMap<String, PlannedRegion> = BTreeMap::new();
    let mut excluded: BTreeMap<String, PlannedRegion> = BTreeMap::new();
    let mut reasons: BTreeMap<String, [BTreeSet<String>; 2]> = BTreeMap::new();
    let mut silenced: BTreeMap<Silencer, BTreeMap<String, PlannedRegion>> = BTreeMap::new();
    let namer = Namer::new(program, points_to);
    let mut protected = FixedBitSet::with_capacity(sites);
    // Nobody writes what is constant; what is said of it may change.
    let constant = |o: &Option<ObjectId>| match o.map(|o| points_to.objects()[o].kind) {
        Some(ObjectKind::Global(g)) => program.globals[g].constant,
        _ => false,
    };
    for object in objects {
        let mut found = Found::default();
        for (n, first) in sides.iter().enumerate() {
            let Some(first_keys) = first.table.accesses.get(&object) else {
                continue;
            };
            let from = if first.many { n } else { n + 1 };
            for (m, second) in sides.iter().enumerate().skip(from) {
                if let Some(second_keys) = second.table.accesses.get(&object) {
                    compare(
                        [first_keys, second_keys],
                        ([n, m], &mut *standing),
                        (doubts, options.lockset),
                        &mut result,
                        &mut protected,
                        &mut found,
                    );
                }
            }
        }
        if constant(&object) {
            found.races.clear();
            found.excluded.clear();
        }
        result.used.push(found.used.map(Vec::from_iter));
        for race in &found.races {
            for sites in [race.first, race.second] {
                let all = sites.own.iter().chain(&sites.begins);
                result.checked.extend(all.map(|s| s.index()));
            }
        }
        let each = options.conflict_pairs;
        add_regions(&namer, object, &found.races, each, &mut regions);
        let mut by_silencer: BTreeMap<Silencer, Vec<Race<'_>>> = BTreeMap::new();
        for (race, by) in found.silenced {
            by_silencer.entry(by).or_default().push(race);
        }
        for (by, races) in by_silencer {
            let own = silenced.entry(by).or_default();
            add_regions(&namer, object, &races, false, own);
        }
        let mut by_reason: BTreeMap<(bool, Address), Vec<Race<'_>>> = BTreeMap::new();
        let candidates: Vec<(Address, u64)> = found.races.iter().map(|r| r.core).collect();
        for (race, reason) in found.excluded {
            // What overlaps a candidate is not proved: a member, where all of the struct is read.
            let (own, len) = race.core;
            let mut all = candidates.iter();
            if all.any(|(other, other_len)| own.overlaps(len, *other, *other_len)) {
                continue;
            }
            by_reason.entry(reason).or_default().push(race);
        }
        for ((over, at), races) in by_reason {
            let mut own = BTreeMap::new();
            add_regions(&namer, object, &races, false, &mut own);
            for (name, region) in own {
                let all = reasons.entry(name.clone()).or_default();
                all[usize::from(over)].insert(match over {
                    true => namer.handler(at),
                    false => namer.lock(at),
                });
                match excluded.entry(name) {
                    Entry::Vacant(place) => drop(place.insert(region)),
                    Entry::Occupied(mut known) => {
                        known.get_mut().sites_a.extend(region.sites_a);
                        known.get_mut().sites_b.extend(region.sites_b);
                    }
                }
            }
        }
    }
    match options.reduction {
        Reduction::All => {}
        // Only where nothing is left to ask for.
        Reduction::EntryPointPair if regions.is_empty() => protected.clear(),
        Reduction::EntryPointPair => {}
        Reduction::MemoryRegion => protected.clear(),
    }
    result.enabled.union_with(&protected);
    join_elements(&mut regions);
    join_elements(&mut excluded);
    // Nor what a candidate's name stands for.
    let candidate = |name: &str| {
        let whole = starred(name);
        regions.keys().any(|r| r == name || starred(r) == whole)
    };
    result.proved = excluded
        .into_values()
        .filter(|r| !candidate(&r.name))
        .map(|r| {
            let [locks, over] = reasons.remove(&r.name).unwrap_or_default();
            ProvedRegion {
                name: r.name,
                sites_a: sorted(r.sites_a),
                sites_b: sorted(r.sites_b),
                locks: locks.into_iter().collect(),
                over: over.into_iter().collect(),
            }
        })
        .collect();
    for (by, mut regions) in silenced {
        join_elements(&mut regions);
        result.silenced.extend(regions.into_values().map(|mut r| {
            r.sites_a.append(&mut r.sites_b);
            r.sites_a.sort_unstable();
            r.sites_a.dedup();
            SilencedRegion {
                name: r.name,
                by,
                sites: r.sites_a,
            }
        }));
    }
    result.regions = regions.into_values().collect();
    for region in &mut result.regions {
        for list in [&mut region.sites_a, &mut region.sites_b] {
            *list = sorted(std::mem::take(list));
        }
        region.conflict_pairs.sort_unstable();
        region.conflict_pairs.dedup();
    }
    result
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
    (doubts, by_locks): (&Doubts<'_>, bool),
    result: &mut Conflicts,
    protected: &mut FixedBitSet,
    found: &mut Found<'k>,
) {
    for (a, sites_a) in first {
        for (b, sites_b) in second {
            if !(a.write || b.write) || !meet(a, b) {
                continue;
            }
            let memory = a.space == Space::Memory && b.space == Space::Memory;
            match (a.space, b.space) {
                (Space::Memory, Space::Life) => found.used[0].extend(&sites_a.own),
                (Space::Life, Space::Memory) => found.used[1].extend(&sites_b.own),
                _ => {}
            }
            let reason = match memory && by_locks {
                true => lockset::common(
                    (&a.held, a.address, a.len),
                    (&b.held, b.address, b.len),
                    doubts,
                )
                .map(|lock| (false, lock.address(a.address)))
                .or_else(|| Some((true, over([a, b], (sides, &mut *standing), doubts)?))),
                false => None,
            };
            for sites in [sites_a, sites_b] {
                let all = sites.outside.iter().chain(&sites.begins);
                let points = match reason {
                    Some(_) => &mut *protected,
                    None => &mut result.enabled,
                };
                points.extend(all.map(|s| s.index()));
            }
            let by = a.silenced.or(b.silenced);
            if memory && (a.unmarked || b.unmarked) && a.visible {
                let race = Race {
                    core: core(a, b),
                    first: sites_a,
                    second: sites_b,
                    unmarked: [a.unmarked, b.unmarked],
                };
                match (by, reason) {
                    (Some(Silencer::Kernel), _) => {}
                    (Some(by), None) => found.silenced.push((race, by)),
                    // Nothing is proved of what nobody asks for.
                    (Some(_), Some(_)) => {}
                    (None, None) => found.races.push(race),
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

impl Table {
    /// The sites that access memory; some several times.
    pub fn sites(&self) -> impl Iterator<Item = SiteId> + '_ {
        let keys = self.accesses.values().flatten();
        let memory = keys.filter(|(key, _)| key.space == Space::Memory);
        memory.flat_map(|(_, sites)| sites.own.iter().copied())
    }

    /// The accesses of threads that start in `starts`, by object (`None`: pointers without a known target); with `only`,
    /// these alone.
    pub fn new(
        program: &Program,
        points_to: &PointsTo,
        locksets: &Locksets<'_>,
        starts: &[InstanceId],
        only: Option<&FxHashSet<AccessId>>,
        options: &PlanOptions,
    ) -> Table {
        let mut map: FxHashMap<Option<ObjectId>, Keys> = FxHashMap::default();
        let sections = points_to.sections();
        let mut thread = locksets.thread(starts);
        for i in closure(points_to, starts.to_vec()).ones() {
            let instance = InstanceId::new(i);
            let accesses = &points_to.instances()[instance].accesses;
            for (n, access) in accesses.iter().enumerate() {
                let id = (instance, n as u32);
                if only.is_some_and(|only| !only.contains(&id)) {
                    continue;
                }
                let reached = points_to.reached(access);
                let lost = reached.is_empty() && points_to.is_lost(access);
                let shared = |a: &&Address| points_to.is_shared(a.object);
                if !lost && reached.iter().find(shared).is_none() {
                    continue;
                }
                let (handlers, held) = match access.space {
                    Space::Memory => {
                        let all = locksets.held(&thread, id).into_iter();
                        all.partition(|(_, mode)| mode.is_of_handler())
                    }
                    Space::Ghost(_) | Space::Life => (Held::new(), Held::new()),
                };
                let function = points_to.instances()[instance].function;
                let block = &program.functions[function].blocks[access.place.block];
                let instr = &block.instrs[access.place.index as usize];
                let site = instr.site.map(|s| &program.sites[s]);
                let marked = site.is_some_and(|s| s.marked);
                let silenced = site.and_then(|s| s.silenced);
                // It may touch whatever a lock protects.
                if lost && access.space == Space::Memory && thread.gap.is_none() {
                    let place = program.source.describe(instr.loc);
                    thread.gap = Some(format!(
                        "access through a pointer of unknown origin ({place})"
                    ));
                }
                let unmarked_op = !is_marked(&instr.op, marked, options.marked);
                let outside = sections.outside[instance].contains(n);
                let around = sections.around.get(&id);
                for is_outside in [true, false] {
                    if if is_outside {
                        !outside
                    } else {
                        around.is_none()
                    } {
                        continue;
                    }
                    let mut note = |object: Option<ObjectId>, address: Address, visible: bool| {
                        let key = Key {
                            space: access.space,
                            address,
                            len: match object {
                                Some(_) => points_to.length(program, access, address),
                                None => access.len,
                            },
                            write: access.write,
                            unmarked: is_outside && unmarked_op,
                            silenced,
                            visible,
                            held: held.clone(),
                            handlers: handlers.clone(),
                        };
                        let sites = map.entry(object).or_default().entry(key).or_default();
                        sites.accesses.insert(id);
                        sites.own.extend(instr.site);
                        if is_outside {
                            sites.outside.extend(instr.site);
                        } else {
                            let begins = around.into_iter().flatten();
                            let begins = begins.filter_map(|s| sections.all[*s as usize].site);
                            sites.begins.extend(begins);
                        }
                    };
                    if lost {
                        note(None, Address::anywhere(ObjectId(0)), true);
                    }
                    for address in reached.iter().filter(shared) {
                        let visible = points_to.is_user_visible(address.object);
                        note(Some(address.object), *address, visible);
                    }
                }
            }
        }
        let counts = |(id, at): (InstanceId, (BlockId, u32))| {
            only.is_none_or(|only| {
                let accesses = points_to.instances()[id].accesses.iter().enumerate();
                let mut here = accesses.filter(|(_, a)| (a.place.block, a.place.index) == at);
                here.any(|(n, _)| only.contains(&(id, n as u32)))
            })
        };
        thread.handlers.arms.retain(|arm| counts(arm.place));
        Table {
            accesses: map,
            wild: thread.wild,
            handlers: thread.handlers,
            gap: thread.gap,
        }
    }
}

/// Whether an instruction's access is marked under that reading; `site` is what the table of sites says.
fn is_marked(op: &Op, site: bool, reading: Marked) -> bool {
    let mode = match op {
        Op::AtomicRmw { .. } | Op::CmpXchg { .. } => return true,
        Op::Load { mode, .. } | Op::Store { mode, .. } => *mode,
        Op::MemCopy { volatile, .. } | Op::MemSet { volatile, .. } => AccessMode {
            volatile: *volatile,
            atomic: false,
        },
        _ => AccessMode {
            volatile: false,
            atomic: false,
        },
    };
    match reading {
        Marked::Kcsan | Marked::KcsanDefault => site || mode.marked(),
        Marked::C11 => mode.atomic || (site && !mode.volatile),
    }
}

/// Groups the races of one object into regions: overlapping cores are one region. `conflict_pairs`: these too.
fn add_regions(
    namer: &Namer,
    object: Option<ObjectId>,
    races: &[Race],
    conflict_pairs: bool,
    regions: &mut BTreeMap<String, PlannedRegion>,
) {
    let mut cores: Vec<(Address, u64)> = races.iter().map(|r| r.core).collect();
    cores.sort_unstable();
    cores.dedup();
    // Constant ranges first, in order of offset: neighbours that overlap join.
    let mut ranges: Vec<(i64, i128)> = Vec::new();
    for (address, len) in &cores {
        let Some(start) = address.offset() else {
            continue;
        };
        let end = i128::from(start) + i128::from(*len);
        match ranges.last_mut() {
            Some((_, last)) if i128::from(start) < *last => *last = end.max(*last),
            _ => ranges.push((start, end)),
        }
    }
    for race in races {
        let (address, len) = race.core;
        let (place, len) = match address.offset() {
            Some(offset) => {
                let n = ranges.partition_point(|(start, _)| *start <= offset);
                let (start, end) = ranges[n.saturating_sub(1)];
                let len = u64::try_from(end - i128::from(start)).unwrap_or(u64::MAX);
                (Address::at(address.object, start), len)
            }
            None => (address, len),
        };
        let (name, of) = match object {
            Some(o) => (namer.bytes(place, len), namer.object(o)),
            None => ("unknown memory".to_string(), "unknown".to_string()),
        };
        let region = regions
            .entry(name.clone())
            .or_insert_with(|| PlannedRegion {
                name,
                objects: Vec::new(),
                sites_a: Vec::new(),
                sites_b: Vec::new(),
                conflict_pairs: Vec::new(),
            });
        if !region.objects.contains(&of) {
            region.objects.push(of);
            region.objects.sort();
        }
        region.sites_a.extend(&race.first.own);
        region.sites_b.extend(&race.second.own);
        if conflict_pairs {
            let side = |sites: &Sites, unmarked| Party {
                accesses: sites.accesses.iter().copied().collect(),
                unmarked,
            };
            region.conflict_pairs.push(ConflictPair {
                first: side(race.first, race.unmarked[0]),
                second: side(race.second, race.unmarked[1]),
            });
        }
    }
}

/// Joins `x[0]` and `x` into `x[*]`, where there is one: an element is part of the array.
fn join_elements(regions: &mut BTreeMap<String, PlannedRegion>) {
    let single: Vec<String> = regions.keys().cloned().collect();
    for name in single {
        let mut array = starred(&name);
        if array == name {
            array.push_str("[*]");
        }
        if !regions.contains_key(&array) {
            continue;
        }
        let Some(element) = regions.remove(&name) else {
            continue;
        };
        if let Some(whole) = regions.get_mut(&array) {
            whole.sites_a.extend(element.sites_a);
            whole.sites_b.extend(element.sites_b);
            whole.conflict_pairs.extend(element.conflict_pairs);
            whole.objects.extend(element.objects);
            whole.objects.sort();
            whole.objects.dedup();
        }
    }
}
