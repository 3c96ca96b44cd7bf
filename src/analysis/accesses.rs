//! What one thread does to shared memory, access by access: the tables that pairs of threads are compared by.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Marked;
use crate::index::{BlockId, Idx, SiteId};
use crate::program::{AccessMode, Instr, Op, Program, Silencer, Site};

use super::lockset::completed::Handlers;
use super::lockset::{Held, Locksets, Release, ThreadLocks};
use super::plan::PlanOptions;
use super::points_to::{Access, Address, InstanceId, ObjectId, ObjectKind, PointsTo, Space};
use super::sections::{AccessId, Sections};
use super::threads::closure;
use super::unidentified::Members;
use super::unpublished::Unpublished;

/// What one thread (or one kind of thread) does to shared memory. Made once per thread function; pairs only intersect them.
pub(super) struct Table {
    pub accesses: FxHashMap<Option<ObjectId>, Keys>,
    /// The same of objects from outside that the thread is given as its own, and of what pointers in these lead to where nobody here
    /// sets them: nothing tells whose that is.
    pub as_own: FxHashMap<ObjectId, Keys>,
    /// Locks that it may release without holding them.
    pub wild: Vec<Arc<Release>>,
    /// What it does to handlers.
    pub handlers: Handlers,
    /// What the locksets could not follow.
    pub gap: Option<String>,
    /// The same accesses by the names of members, once somebody asks.
    pub members: OnceLock<Members>,
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
    /// In an object that the thread has made, and that nobody else can reach yet.
    pub own: bool,
    /// Locks that the thread must hold.
    pub held: Held,
    /// Objects in one of which a lock lies that the thread must hold, where it is not known in which. Sorted.
    pub within: Vec<ObjectId>,
    /// What is so of handlers there.
    pub handlers: Held,
}

/// The sites of the accesses of one key, sorted: each pair of threads goes through them.
pub(super) struct Sites {
    /// The accesses; every conflict of theirs lists them.
    pub accesses: Arc<[AccessId]>,
    /// Sites of the accesses themselves.
    pub own: Box<[SiteId]>,
    /// Of these, the ones executed outside of atomic sections: switch points of their own.
    pub outside: Box<[SiteId]>,
    /// Begins of the sections around the others.
    pub begins: Box<[SiteId]>,
}

/// The same, as they are collected.
#[derive(Default)]
struct CollectedSites {
    accesses: BTreeSet<AccessId>,
    own: BTreeSet<SiteId>,
    outside: BTreeSet<SiteId>,
    begins: BTreeSet<SiteId>,
}

impl From<CollectedSites> for Sites {
    fn from(all: CollectedSites) -> Sites {
        Sites {
            accesses: all.accesses.into_iter().collect(),
            own: all.own.into_iter().collect(),
            outside: all.outside.into_iter().collect(),
            begins: all.begins.into_iter().collect(),
        }
    }
}

/// Keys of one object and one thread.
pub(super) struct Keys {
    /// Sorted.
    all: Vec<(Key, Sites)>,
    /// So many of them, the first, are of memory at one offset each, in the order of these.
    fixed: usize,
    /// The most bytes that one of those is of.
    longest: u64,
    /// Whether any of them writes.
    pub writes: bool,
}

/// Keys as they are collected.
type Collected = FxHashMap<Option<ObjectId>, BTreeMap<Key, CollectedSites>>;

impl Keys {
    fn of(keys: BTreeMap<Key, CollectedSites>) -> Keys {
        let all = keys.into_iter().map(|(key, sites)| (key, sites.into()));
        let all: Vec<(Key, Sites)> = all.collect();
        let is_fixed = |key: &Key| key.space == Space::Memory && key.address.offset().is_some();
        let fixed = all.partition_point(|(key, _)| is_fixed(key));
        let longest = all[..fixed].iter().map(|(key, _)| key.len).max();
        Keys {
            fixed,
            longest: longest.unwrap_or(0),
            writes: all.iter().any(|(key, _)| key.write),
            all,
        }
    }

    /// All, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Sites)> {
        self.all.iter().map(|(key, sites)| (key, sites))
    }

    /// The same, without their sites.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.all.iter().map(|(key, _)| key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The key of that number, and its sites.
    pub fn get(&self, n: usize) -> (&Key, &Sites) {
        let (key, sites) = &self.all[n];
        (key, sites)
    }

    /// The numbers of all that may touch the same state as a key of the same object, and of some others.
    pub fn near(&self, key: &Key) -> impl Iterator<Item = usize> + use<> {
        let fixed = &self.all[..self.fixed];
        let near = match (key.space, key.address.offset()) {
            (Space::Memory, Some(at)) => {
                let (at, end) = (i128::from(at), i128::from(at) + i128::from(key.len));
                let longest = i128::from(self.longest);
                let starts = |k: &Key| i128::from(k.address.rem);
                let from = fixed.partition_point(|(k, _)| starts(k) + longest <= at);
                from..fixed.partition_point(|(k, _)| starts(k) < end).max(from)
            }
            (Space::Ghost(_), _) => 0..0,
            (Space::Memory | Space::Life, _) => 0..self.fixed,
        };
        near.chain(self.fixed..self.all.len())
    }
}

impl Table {
    /// The key of that number of an object that it accesses.
    pub fn key(&self, object: ObjectId, n: usize) -> &Key {
        let shared = self.accesses.get(&Some(object));
        shared.unwrap_or_else(|| &self.as_own[&object]).get(n).0
    }

    /// The sites that access memory; some several times.
    pub fn sites(&self) -> impl Iterator<Item = SiteId> + '_ {
        let keys = self.accesses.values().flat_map(Keys::iter);
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
        let mut collecting = Collecting {
            program,
            points_to,
            locksets,
            marked: options.marked,
            thread: locksets.thread(starts),
            unpublished: Unpublished::new(program, points_to),
            found: Collected::default(),
        };
        for i in closure(points_to, starts.to_vec()).ones() {
            let instance = InstanceId::new(i);
            let accesses = &points_to.instances()[instance].accesses;
            for (n, access) in accesses.iter().enumerate() {
                let id = (instance, n as u32);
                if only.is_none_or(|only| only.contains(&id)) {
                    collecting.add(id, access);
                }
            }
        }
        let Collecting {
            mut thread,
            found: map,
            ..
        } = collecting;
        let counts = |(id, at): (InstanceId, (BlockId, u32))| {
            only.is_none_or(|only| {
                let accesses = points_to.instances()[id].accesses.iter().enumerate();
                let mut here = accesses.filter(|(_, a)| (a.place.block, a.place.index) == at);
                here.any(|(n, _)| only.contains(&(id, n as u32)))
            })
        };
        thread.handlers.arms.retain(|arm| counts(arm.place));
        let mut table = Table {
            accesses: FxHashMap::default(),
            as_own: FxHashMap::default(),
            members: OnceLock::new(),
            wild: thread.wild,
            handlers: thread.handlers,
            gap: thread.gap,
        };
        for (object, keys) in map {
            let keys = Keys::of(keys);
            match object {
                Some(own) if !points_to.is_shared(own) => table.as_own.insert(own, keys),
                _ => table.accesses.insert(object, keys),
            };
        }
        table
    }
}

/// The accesses of a kind of thread, as they are collected.
struct Collecting<'a, 'p> {
    program: &'a Program,
    points_to: &'a PointsTo,
    locksets: &'a Locksets<'p>,
    marked: Marked,
    thread: ThreadLocks,
    unpublished: Unpublished<'a>,
    found: Collected,
}

impl Collecting<'_, '_> {
    /// Adds an access, if what it reaches counts.
    fn add(&mut self, id: AccessId, access: &Access) {
        let reached = self.points_to.reached(access);
        let lost = reached.is_empty() && self.points_to.is_lost(access);
        let shared = |a: &&Address| self.points_to.is_shared(a.object);
        let counts = |a: &&Address| shared(a) || self.points_to.is_made_up(a.object);
        if !lost && reached.iter().find(counts).is_none() {
            return;
        }
        let (all, within) = match access.space {
            Space::Memory => self.locksets.held(&self.thread, id),
            Space::Ghost(_) | Space::Life => (Held::new(), Vec::new()),
        };
        let all = all.into_iter();
        let (handlers, held) = all.partition(|(_, mode)| mode.is_of_handler());
        let instr = instr_of(self.program, self.points_to, id);
        let site = instr.site.map(|s| &self.program.sites[s]);
        // It may touch whatever a lock protects.
        if lost && access.space == Space::Memory && self.thread.gap.is_none() {
            let place = self.program.source.describe(instr.loc);
            self.thread.gap = Some(format!(
                "access through a pointer of unknown origin ({place})"
            ));
        }
        let anywhere = Key {
            space: access.space,
            address: Address::anywhere(ObjectId(0)),
            len: access.len,
            write: access.write,
            unmarked: !is_marked(&instr.op, site, self.marked),
            silenced: site.and_then(|s| s.silenced),
            visible: true,
            own: false,
            held,
            within,
            handlers,
        };
        let made =
            |a: &Address| matches!(self.points_to.objects()[a.object].kind, ObjectKind::Heap(_));
        let own = access.space == Space::Memory
            && !lost
            && reached.iter().all(made)
            && self.unpublished.is_there(access.place, access.write);
        let known = reached.iter().filter(counts).map(|address| {
            let key = Key {
                address: *address,
                len: self.points_to.length(self.program, access, *address),
                visible: self.points_to.is_user_visible(address.object),
                own,
                ..anywhere.clone()
            };
            (Some(address.object), key)
        });
        let lost = lost.then(|| (None, anywhere.clone()));
        let keys: Vec<_> = lost.into_iter().chain(known).collect();
        add(
            &mut self.found,
            &keys,
            self.points_to.sections(),
            (id, instr.site),
        );
    }
}

/// The instruction of an access.
fn instr_of<'p>(program: &'p Program, points_to: &PointsTo, (at, n): AccessId) -> &'p Instr {
    let instance = &points_to.instances()[at];
    let place = instance.accesses[n as usize].place;
    let block = &program.functions[instance.function].blocks[place.block];
    &block.instrs[place.index as usize]
}

/// Adds an access, under these keys of objects: by itself, and as a part of the sections around it. What is made in a section is marked.
fn add(
    map: &mut Collected,
    keys: &[(Option<ObjectId>, Key)],
    sections: &Sections,
    (id, site): (AccessId, Option<SiteId>),
) {
    if sections.outside[id.0].contains(id.1 as usize) {
        for (object, key) in keys {
            let sites = map.entry(*object).or_default().entry(key.clone());
            let sites = sites.or_default();
            sites.accesses.insert(id);
            sites.own.extend(site);
            sites.outside.extend(site);
        }
    }
    let Some(around) = sections.around.get(&id) else {
        return;
    };
    for (object, key) in keys {
        let key = Key {
            unmarked: false,
            ..key.clone()
        };
        let sites = map.entry(*object).or_default().entry(key).or_default();
        sites.accesses.insert(id);
        sites.own.extend(site);
        let begins = around.iter();
        let begins = begins.filter_map(|s| sections.all[*s as usize].site);
        sites.begins.extend(begins);
    }
}

/// Whether an instruction's access is marked under that reading; `site` is what the table of sites says.
fn is_marked(op: &Op, site: Option<&Site>, reading: Marked) -> bool {
    let site = site.is_some_and(|s| s.marked);
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
