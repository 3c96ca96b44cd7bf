//! Candidates for `--property atomicity`: a thread reads in one critical section and writes in a later one, on the basis of what it
//! read, what others write meanwhile.
//!
//! The unserialisable interleaving read, remote write, write of Lu, Tucek, Qin, Zhou: AVIO (ASPLOS 2006), restricted to accesses
//! of the same bytes that are free of races: each is made under one and the same lock, or each is marked. docs/properties.md has the
//! definition and what it misses. Here it is decided which (read, write) are asked for, and what part each site has in the run time's
//! watch (`runtime-stubs/sequential/kiss.c`); an execution shows whether the order can happen.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::faults::{AtomicityFault, seeded};
use crate::index::{FuncId, SiteId};
use crate::program::{Instr, Op, operands};

use super::accesses::{Key, Keys, Sites};
use super::bits;
use super::conflicts::{Side, meet};
use super::dependence::{Dependence, Sources};
use super::lockset::{self, Doubts, Mode};
use super::plan::{Planner, Threads};
use super::points_to::{Place, Space};
use super::regions::Namer;
use super::sections::AccessId;
use super::threads::closure;

/// Parts of a site (kiss.c).
const READS: u32 = 1;
const DECIDES_ANEW: u32 = 2;
const ACTS: u32 = 4;
const INTERFERES: u32 = 8;

/// Structs that link others. Their words change relative to what stands there by then, whatever was seen on the way to them.
const LINKS: [&str; 8] = [
    "list_head",
    "hlist_head",
    "hlist_node",
    "hlist_bl_head",
    "hlist_bl_node",
    "llist_head",
    "llist_node",
    "rb_node",
];

/// What the run time is told of sites.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// The parts that a site has: bits.
    pub parts: FxHashMap<SiteId, u32>,
    /// Of a read, the bits of the value that matter.
    pub bits: FxHashMap<SiteId, u64>,
}

/// What is to be asked.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// A read, and a write that depends on it.
    pub pairs: BTreeSet<(SiteId, SiteId)>,
    /// How executions are watched.
    pub watched: Arc<Watched>,
}

/// Keys with their sites.
type Accesses<'a> = Vec<(&'a Key, &'a Sites)>;

impl Planner<'_> {
    /// The candidates among these threads.
    pub fn candidates(&self, threads: &Threads) -> Candidates {
        let dependence = Dependence::new(self.program, self.points_to);
        let doubts = self.doubts(threads.sides.iter().map(|s| &*s.table));
        let mut search = Search {
            planner: self,
            dependence,
            doubts,
            pairs: BTreeSet::new(),
            watched: Watched::default(),
        };
        for (n, own) in threads.sides.iter().enumerate() {
            let others: Vec<&Side> = threads
                .sides
                .iter()
                .enumerate()
                .filter(|(m, side)| *m != n || side.many)
                .map(|(_, side)| side)
                .collect();
            search.side(own, &others);
        }
        Candidates {
            pairs: search.pairs,
            watched: Arc::new(search.watched),
        }
    }
}

struct Search<'a, 'p> {
    planner: &'a Planner<'p>,
    dependence: Dependence<'p>,
    doubts: Doubts<'a>,
    pairs: BTreeSet<(SiteId, SiteId)>,
    watched: Watched,
}

impl Search<'_, '_> {
    fn side(&mut self, own: &Side, others: &[&Side]) {
        let within = closure(self.planner.points_to, own.starts.clone());
        let mut sources: FxHashMap<AccessId, Sources> = FxHashMap::default();
        for (object, keys) in &own.table.accesses {
            if object.is_none() {
                continue;
            }
            let word =
                |k: &Key| k.space == Space::Memory && k.visible && matches!(k.len, 1 | 2 | 4 | 8);
            let remote: Accesses<'_> = others
                .iter()
                .filter_map(|side| side.table.accesses.get(object))
                .flat_map(Keys::iter)
                .filter(|(k, _)| k.space == Space::Memory && k.write)
                .collect();
            if remote.is_empty() {
                continue;
            }
            let namer = Namer::new(self.planner.program, self.planner.points_to);
            let links = |k: &Key| namer.holder(k.address).is_some_and(|s| LINKS.contains(&s));
            let writes: Accesses<'_> = keys
                .iter()
                .filter(|(k, _)| k.write && word(k) && !links(k))
                .collect();
            let reads: Accesses<'_> = keys.iter().filter(|(k, _)| !k.write && word(k)).collect();
            for (w, write_sites) in &writes {
                let same: Accesses<'_> = reads
                    .iter()
                    .filter(|(r, _)| r.address == w.address && r.len == w.len)
                    .copied()
                    .collect();
                let remote: Accesses<'_> =
                    remote.iter().filter(|(u, _)| meet(u, w)).copied().collect();
                let guarded: Accesses<'_> = same
                    .iter()
                    .filter(|(r, _)| !remote.is_empty() && self.is_free_of_races(r, w, &remote))
                    .copied()
                    .collect();
                if guarded.is_empty() {
                    continue;
                }
                for write in write_sites.accesses.iter() {
                    if !self.may_act(*write) {
                        continue;
                    }
                    let of = sources.entry(*write).or_insert_with(|| {
                        let (place, instr) = at(self.planner, *write);
                        let value = match &instr.op {
                            Op::Store { value, .. } | Op::AtomicRmw { value, .. } => Some(value),
                            _ => None,
                        };
                        self.dependence.of(place, value, &within)
                    });
                    if self.acts(*write, of, &guarded, &same) {
                        let interferes = keys.iter().filter(|(k, _)| k.write && meet(k, w));
                        for (_, sites) in interferes.chain(remote.iter().copied()) {
                            for access in sites.accesses.iter() {
                                add(self.planner, &mut self.watched, *access, INTERFERES);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether nobody writes there but under a lock that both accesses are made under, or all accesses are marked.
    fn is_free_of_races(&self, read: &Key, write: &Key, remote: &Accesses<'_>) -> bool {
        if !read.unmarked && !write.unmarked {
            return remote.iter().all(|(u, _)| !u.unmarked);
        }
        let held = read.held.iter().filter(|(lock, mode)| {
            let own = |(other, m): &(lockset::Lock, Mode)| other == lock && *m == Mode::Exclusive;
            *mode != Mode::Initialising && write.held.iter().any(own)
        });
        let all: lockset::Held = held.map(|(lock, _)| (*lock, Mode::Shared)).collect();
        all.iter().any(|lock| {
            let this: lockset::Held = vec![*lock];
            remote.iter().all(|(u, _)| {
                let theirs = (&u.held, u.address, u.len);
                lockset::common((&this, read.address, read.len), theirs, &self.doubts).is_some()
            })
        })
    }

    /// Whether it writes whatever is there: not what compares first, or looks at what was there.
    fn may_act(&self, write: AccessId) -> bool {
        let (place, instr) = at(self.planner, write);
        match &instr.op {
            Op::AtomicRmw { .. } if seeded(AtomicityFault::Compares) => true,
            Op::Store { .. } => true,
            Op::AtomicRmw { .. } => {
                let Some(result) = instr.result else {
                    return true;
                };
                let function = self.function(place);
                let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
                let mut used = false;
                for i in instrs {
                    operands(&i.op, &mut |o| used |= o.value() == Some(result));
                }
                let returned = function.blocks.iter().any(|b| match &b.term {
                    crate::program::Terminator::Return(Some(v)) => v.value() == Some(result),
                    _ => false,
                });
                !used && !returned
            }
            _ => false,
        }
    }

    fn function(&self, place: Place) -> &crate::program::Function {
        let f: FuncId = self.planner.points_to.instances()[place.instance].function;
        &self.planner.program.functions[f]
    }

    /// Takes down the reads that the write depends on; whether there is any.
    fn acts(
        &mut self,
        write: AccessId,
        of: &Sources,
        guarded: &Accesses<'_>,
        same: &Accesses<'_>,
    ) -> bool {
        let planner = self.planner;
        let (write_place, instr) = at(planner, write);
        let Some(write_site) = instr.site else {
            return false;
        };
        let all = |accesses: &Accesses<'_>| -> BTreeSet<AccessId> {
            let each = accesses.iter().flat_map(|(_, s)| s.accesses.iter());
            each.copied().collect()
        };
        let (guarded, same) = (all(guarded), all(same));
        let again: BTreeSet<_> = same
            .iter()
            .map(|a| at(planner, *a))
            .filter(|(place, _)| place.instance == write_place.instance)
            .filter_map(|(_, i)| i.result)
            .collect();
        let changed = bits::written(self.function(write_place), &instr.op, &|v| {
            again.contains(&v)
        });
        let (mut any, mut by_data) = (false, BTreeSet::new());
        for access in guarded {
            let (place, instr) = at(planner, access);
            let data = of.data.contains(&place) && !seeded(AtomicityFault::NoData);
            let control = of.control.contains(&place) && !seeded(AtomicityFault::NoControl);
            if !(data || control) || !matches!(instr.op, Op::Load { .. }) {
                continue;
            }
            let (Some(site), Some(value)) = (instr.site, instr.result) else {
                continue;
            };
            let tested = match seeded(AtomicityFault::NoBits) {
                true => u64::MAX,
                false => bits::tested(self.function(place), value),
            };
            if tested & changed == 0 {
                continue;
            }
            any = true;
            if data {
                by_data.insert(place);
            }
            self.pairs.insert((site, write_site));
            *self.watched.bits.entry(site).or_default() |= tested;
            add(planner, &mut self.watched, access, READS);
        }
        if any {
            let never = seeded(AtomicityFault::NeverAnew);
            add(planner, &mut self.watched, write, ACTS);
            for access in same {
                let (place, _) = at(planner, access);
                // To be written back with a bit more is no new decision.
                let with_other = by_data.iter().any(|p| *p != place);
                let anew = of.control.contains(&place) || with_other && of.data.contains(&place);
                if anew && !never {
                    add(planner, &mut self.watched, access, DECIDES_ANEW);
                }
            }
        }
        any
    }
}

/// An access: where it is, and the instruction.
fn at<'p>(planner: &Planner<'p>, (instance, n): AccessId) -> (Place, &'p Instr) {
    let i = &planner.points_to.instances()[instance];
    let place = i.accesses[n as usize].place;
    let block = &planner.program.functions[i.function].blocks[place.block];
    (place, &block.instrs[place.index as usize])
}

fn add(planner: &Planner<'_>, watched: &mut Watched, access: AccessId, part: u32) {
    if let Some(site) = at(planner, access).1.site {
        *watched.parts.entry(site).or_default() |= part;
    }
}
