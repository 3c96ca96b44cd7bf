//! What one thread does to shared memory, access by access: the tables that pairs of threads are compared by.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Marked;
use crate::index::{BlockId, Idx, SiteId};
use crate::program::{AccessMode, Instr, Op, Program, Silencer, Site};

use super::lockset::completed::Handlers;
use super::lockset::{Held, Locksets, Release};
use super::plan::PlanOptions;
use super::points_to::{Address, InstanceId, ObjectId, PointsTo, Space};
use super::sections::{AccessId, Sections};
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
    pub handlers: Held,
}

/// The sites of the accesses of one key.
#[derive(Default)]
pub(super) struct Sites {
    /// The accesses.
    pub accesses: BTreeSet<AccessId>,
    /// Sites of the accesses themselves.
    pub own: BTreeSet<SiteId>,
    /// Of these, the ones executed outside of atomic sections: switch points of their own.
    pub outside: BTreeSet<SiteId>,
    /// Begins of the sections around the others.
    pub begins: BTreeSet<SiteId>,
}

/// Keys of one object and one thread.
pub(super) type Keys = BTreeMap<Key, Sites>;

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
                let instr = instr_of(program, points_to, id);
                let site = instr.site.map(|s| &program.sites[s]);
                // It may touch whatever a lock protects.
                if lost && access.space == Space::Memory && thread.gap.is_none() {
                    let place = program.source.describe(instr.loc);
                    thread.gap = Some(format!(
                        "access through a pointer of unknown origin ({place})"
                    ));
                }
                let anywhere = Key {
                    space: access.space,
                    address: Address::anywhere(ObjectId(0)),
                    len: access.len,
                    write: access.write,
                    unmarked: !is_marked(&instr.op, site, options.marked),
                    silenced: site.and_then(|s| s.silenced),
                    visible: true,
                    held,
                    handlers,
                };
                let known = reached.iter().filter(shared).map(|address| {
                    let key = Key {
                        address: *address,
                        len: points_to.length(program, access, *address),
                        visible: points_to.is_user_visible(address.object),
                        ..anywhere.clone()
                    };
                    (Some(address.object), key)
                });
                let lost = lost.then(|| (None, anywhere.clone()));
                let keys: Vec<_> = lost.into_iter().chain(known).collect();
                add(&mut map, &keys, points_to.sections(), (id, instr.site));
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

/// The instruction of an access.
fn instr_of<'p>(program: &'p Program, points_to: &PointsTo, (at, n): AccessId) -> &'p Instr {
    let instance = &points_to.instances()[at];
    let place = instance.accesses[n as usize].place;
    let block = &program.functions[instance.function].blocks[place.block];
    &block.instrs[place.index as usize]
}

/// Adds an access, under these keys of objects: by itself, and as a part of the sections around it. What is made in a section is marked.
fn add(
    map: &mut FxHashMap<Option<ObjectId>, Keys>,
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
