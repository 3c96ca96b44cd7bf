//! Which lock guards which field, and the places that break the rule.
//!
//! A field's lock is inferred from how most of its accesses are made (Engler, Chen, Hallem, Chou, Chelf: Bugs as Deviant Behavior,
//! SOSP 2001; §5 ranks by the same statistic). Deviation: only accesses count that another thread's access may meet, of which one
//! writes and one is unmarked; locksets are those that must be held ([`super::lockset`]), not those of one path.
//!
//! A *place* is a line of a function. It is guarded by a lock if whoever comes there holds it: as the owner where it writes, as a
//! reader at least where it reads. Left out of the count is what initialisation does, what is done to an object before others can
//! reach it ([`super::fresh`]), what no conflicting access may run beside, and copies of unknown length that start elsewhere.
//!
//! What it misses: fields that are told apart by more than their name count as one; a lock that no access holds is not thought of.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::deadline::Stopped;
use crate::index::FuncId;
use crate::region::starred;

use super::accesses::{Key, Sites, Table};
use super::conflict_pairs::{self, Cast, End, Line, Told, Words};
use super::fresh::Fresh;
use super::lockset::{Doubts, Mode};
use super::plan::{Planner, Threads};
use super::points_to::{Address, ObjectId, Space};
use super::sections::AccessId;

/// Share of guarded places, in percent, from which on the others are told.
pub const THRESHOLD: u32 = 75;

/// The fraction of places that would hold the same lock by chance, for [`rank`].
const BY_CHANCE: f64 = 0.9;

/// What guards what.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Guards {
    /// Fields whose every place holds one lock, by name.
    pub guarded: Vec<Guarded>,
    /// Fields that most places access with a lock and a few without, the clearest first.
    pub suggestions: Vec<Suggestion>,
    /// Fields with neither.
    pub unguarded: usize,
    /// What the locksets could not follow, if there is anything.
    pub gap: Option<String>,
    /// What ended the analysis before its end, if anything. Then there is nothing else: of some of the places one cannot say what
    /// most of them do.
    #[serde(default)]
    pub stopped: Option<Stopped>,
}

/// A field and its lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarded {
    /// As reports name regions: `struct foo.bar`, `@global`.
    pub location: String,
    /// The locks that every place holds, by name.
    pub locks: Vec<String>,
    /// How many places there are.
    pub places: usize,
    /// What does not count.
    pub left_out: LeftOut,
}

/// A field, the lock that it seems to have, and who does not hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// As [`Guarded::location`].
    pub location: String,
    /// The lock.
    pub lock: String,
    /// Places that hold it.
    pub guarded: usize,
    /// All places.
    pub places: usize,
    /// The others.
    pub exceptions: Vec<Exception>,
    /// What does not count.
    pub left_out: LeftOut,
}

/// A place that does not hold the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exception {
    #[serde(flatten)]
    pub line: Line,
    /// 0 where unknown.
    pub column: u32,
    /// `read`, `write`, `read and write`.
    pub kind: String,
    /// Whether every access there is marked.
    pub marked: bool,
    /// From where it is reached without the lock.
    pub entry_points: Vec<String>,
    /// What is held there by all of these.
    pub locks: Vec<String>,
}

/// Places that access a field and do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Before others can reach the object, or while the driver or the program initialises itself.
    pub initialisation: usize,
    /// No conflicting access may run beside them.
    pub alone: usize,
    /// Copies of an unknown length from or to what lies before: they may reach the field.
    pub unknown_length: usize,
}

/// What one thread does at one line.
#[derive(Clone, Debug)]
struct Use {
    column: u32,
    read: bool,
    write: bool,
    marked: bool,
    /// What is held whenever control comes here.
    locks: BTreeMap<String, Mode>,
}

impl Use {
    fn holds(&self, lock: &str) -> bool {
        match self.locks.get(lock) {
            Some(Mode::Exclusive) => true,
            Some(_) => !self.write,
            None => false,
        }
    }

    fn add(&mut self, other: &Use) {
        self.column = self.column.min(other.column);
        self.read |= other.read;
        self.write |= other.write;
        self.marked &= other.marked;
        self.locks.retain(|name, mode| {
            let held = other.locks.get(name);
            if held.is_some_and(|m| *m != Mode::Exclusive) {
                *mode = Mode::Shared;
            }
            held.is_some()
        });
    }
}

/// A field: its places, and where it lies.
#[derive(Default)]
struct Field {
    /// By line and entry point.
    uses: BTreeMap<(Line, String), Use>,
    initialisation: BTreeSet<Line>,
    alone: BTreeSet<Line>,
    unknown_length: BTreeSet<Line>,
}

impl Field {
    fn add(&mut self, line: (Line, String), new: Use) {
        match self.uses.get_mut(&line) {
            Some(old) => old.add(&new),
            None => {
                self.uses.insert(line, new);
            }
        }
    }
}

/// Collects what the threads of one input do.
pub struct Gathering<'p, 'a> {
    planner: &'a Planner<'p>,
    words: Words<'p>,
    cast: Cast,
    /// Which kinds run beside each other.
    pairs: BTreeSet<(usize, usize)>,
}

impl<'p, 'a> Gathering<'p, 'a> {
    /// Nothing yet.
    pub fn new(planner: &'a Planner<'p>) -> Gathering<'p, 'a> {
        Gathering {
            planner,
            words: Words::new(planner),
            cast: Cast::default(),
            pairs: BTreeSet::new(),
        }
    }

    /// Threads that run beside each other; `names`: the entry points of the first of them.
    pub fn add(&mut self, threads: &Threads, names: &[&str]) {
        self.pairs
            .extend(self.cast.add(&self.words, threads, names));
    }

    /// What guards what. `init`: the functions that run before all threads; `threshold`: as [`THRESHOLD`].
    pub fn finish(self, init: &[FuncId], threshold: u32) -> Guards {
        let Gathering {
            planner,
            words,
            cast,
            pairs,
        } = self;
        let before = planner.alone(init);
        let doubts = planner.doubts(cast.tables.iter().map(|t| &**t));
        let mut sorter = Sorter {
            fresh: Fresh::new(words.program, words.points_to),
            words,
            seen: FxHashMap::default(),
            fields: BTreeMap::new(),
            cores: BTreeMap::new(),
        };
        let mut ends: FxHashMap<Core, FxHashSet<(usize, *const Key)>> = FxHashMap::default();
        let mut what: FxHashMap<(usize, *const Key), End<'_>> = FxHashMap::default();
        for (x, y) in pairs {
            conflict_pairs::each(&cast.tables[x], &cast.tables[y], &mut |conflict| {
                let [(a, sites_a), (b, sites_b)] = conflict.ends;
                // Where the target is not known, nothing can be said of a field.
                if conflict.object.is_none() || !sorter.is_open(sites_a) || !sorter.is_open(sites_b)
                {
                    return;
                }
                let here = ends.entry(conflict.core).or_default();
                here.extend([(x, std::ptr::from_ref(a)), (y, std::ptr::from_ref(b))]);
                what.insert((x, a), (a, sites_a));
                what.insert((y, b), (b, sites_b));
            });
        }
        for (core, ends) in ends {
            let name = sorter.words.namer.bytes(core.0, core.1);
            let field = sorter.cores.entry(core.0.object).or_default();
            field.insert(core, name.clone());
            for (n, key) in ends {
                let end = what[&(n, key)];
                sorter.uses(&name, core, end, &cast.names[n], &doubts);
            }
        }
        for table in &cast.tables {
            sorter.leave_out(table, false);
        }
        if let Some(table) = &before {
            sorter.leave_out(table, true);
        }
        let mut result = Guards {
            gap: cast.tables.iter().find_map(|t| t.gap.clone()),
            ..Guards::default()
        };
        for (location, field) in joined(sorter.fields) {
            judge(location, &field, threshold, &mut result);
        }
        let rank = |s: &Suggestion| rank(s.guarded, s.places);
        result.suggestions.sort_by(|x, y| {
            let by_rank = rank(y).total_cmp(&rank(x));
            by_rank.then_with(|| x.location.cmp(&y.location))
        });
        result
    }
}

/// The bytes that conflicting pairs are about.
type Core = (Address, u64);

/// Sorts accesses into fields and places.
struct Sorter<'p> {
    words: Words<'p>,
    fresh: Fresh<'p>,
    /// Accesses in the user's source that others can see.
    seen: FxHashMap<AccessId, Option<Told>>,
    fields: BTreeMap<String, Field>,
    /// Where fields lie, and their names.
    cores: BTreeMap<ObjectId, BTreeMap<Core, String>>,
}

impl Sorter<'_> {
    /// An access in the user's source, unless nobody else can see it.
    fn told(&mut self, access: AccessId) -> Option<Told> {
        if let Some(seen) = self.seen.get(&access) {
            return seen.clone();
        }
        let told = self.words.told(access);
        let told = told.filter(|_| !self.fresh.is_private(access));
        self.seen.insert(access, told.clone());
        told
    }

    /// Whether others can see one of the accesses.
    fn is_open(&mut self, sites: &Sites) -> bool {
        let mut accesses = sites.accesses.iter();
        accesses.any(|access| self.told(*access).is_some())
    }

    fn uses(&mut self, name: &str, core: Core, end: End<'_>, entry: &str, doubts: &Doubts<'_>) {
        let (key, sites) = end;
        let locks = self.words.locks(key, Some(doubts));
        // A copy of a length that is not constant, which starts elsewhere: whether it reaches the field, nobody knows.
        let vague = key.len == u64::MAX && key.address != core.0;
        for access in sites.accesses.iter() {
            let Some((line, column, (read, write))) = self.told(*access) else {
                continue;
            };
            let field = self.fields.entry(name.to_string()).or_default();
            if vague {
                field.unknown_length.insert(line);
                continue;
            }
            let new = Use {
                column,
                read,
                write,
                marked: !key.unmarked,
                locks: locks.clone(),
            };
            field.add((line, entry.to_string()), new);
        }
    }

    /// Counts what is accessed in other places; `first`: before all threads.
    fn leave_out(&mut self, table: &Table, first: bool) {
        let objects: Vec<ObjectId> = self.cores.keys().copied().collect();
        for object in objects {
            let Some(keys) = table.accesses.get(&Some(object)) else {
                continue;
            };
            for (key, sites) in keys.iter() {
                let reaches = |(address, len): &Core| {
                    key.space == Space::Memory && key.address.overlaps(key.len, *address, *len)
                };
                let cores = self.cores[&object].iter();
                let names: BTreeSet<String> = cores
                    .filter(|(core, _)| reaches(core))
                    .map(|(_, name)| name.clone())
                    .collect();
                if names.is_empty() || key.len == u64::MAX {
                    continue;
                }
                for access in sites.accesses.iter() {
                    let Some((line, ..)) = self.words.told(*access) else {
                        continue;
                    };
                    let private = first || self.told(*access).is_none();
                    for name in &names {
                        let Some(field) = self.fields.get_mut(name) else {
                            continue;
                        };
                        match private {
                            true => field.initialisation.insert(line.clone()),
                            false => field.alone.insert(line.clone()),
                        };
                    }
                }
            }
        }
    }
}

/// How far the share of guarded places lies above chance, in standard deviations (§5.2 of the paper).
fn rank(guarded: usize, places: usize) -> f64 {
    let (guarded, places) = (guarded as f64, places as f64);
    (guarded / places - BY_CHANCE) / (BY_CHANCE * (1.0 - BY_CHANCE) / places).sqrt()
}

/// An element of an array belongs to the array, where that is accessed as one.
fn joined(mut fields: BTreeMap<String, Field>) -> BTreeMap<String, Field> {
    let names: Vec<String> = fields.keys().cloned().collect();
    for name in names {
        let mut whole = starred(&name);
        if whole == name {
            whole.push_str("[*]");
        }
        if !fields.contains_key(&whole) {
            continue;
        }
        let (Some(element), Some(array)) = (fields.remove(&name), fields.get_mut(&whole)) else {
            continue;
        };
        for (line, new) in element.uses {
            array.add(line, new);
        }
        array.initialisation.extend(element.initialisation);
        array.alone.extend(element.alone);
        array.unknown_length.extend(element.unknown_length);
    }
    fields
}

/// The places of a field: by line, what each entry point does there.
fn judge(location: String, field: &Field, threshold: u32, result: &mut Guards) {
    let mut places: BTreeMap<&Line, Vec<(&str, &Use)>> = BTreeMap::new();
    for ((line, entry), what) in &field.uses {
        places.entry(line).or_default().push((entry, what));
    }
    let uncounted = |lines: &BTreeSet<Line>| {
        let mut left = lines.clone();
        left.retain(|l| !places.contains_key(l));
        left.len()
    };
    let left_out = LeftOut {
        initialisation: uncounted(&field.initialisation),
        alone: uncounted(&field.alone),
        unknown_length: uncounted(&field.unknown_length),
    };
    let names: BTreeSet<&String> = field.uses.values().flat_map(|u| u.locks.keys()).collect();
    let holds = |uses: &[(&str, &Use)], lock: &str| uses.iter().all(|(_, u)| u.holds(lock));
    let count = |lock: &str| places.values().filter(|u| holds(u, lock)).count();
    let counted: Vec<(usize, &String)> = names.iter().map(|n| (count(n), *n)).collect();
    let total = places.len();
    if total == 0 {
        return;
    }
    let all: Vec<String> = counted
        .iter()
        .filter(|(n, _)| *n == total)
        .map(|(_, name)| (*name).clone())
        .collect();
    if !all.is_empty() {
        result.guarded.push(Guarded {
            location,
            locks: all,
            places: total,
            left_out,
        });
        return;
    }
    // Of locks held equally often, the one that lies in the same struct.
    let beside = |lock: &str| {
        let prefix = location.rsplit_once('.').map_or("", |(p, _)| p);
        !prefix.is_empty() && lock.starts_with(prefix)
    };
    let best = counted
        .iter()
        .max_by_key(|(n, name)| (*n, beside(name), std::cmp::Reverse(*name)));
    let Some((guarded, lock)) = best.filter(|(n, _)| tells(*n, total, threshold)) else {
        result.unguarded += 1;
        return;
    };
    let exceptions = places
        .iter()
        .filter(|(_, uses)| !holds(uses, lock))
        .map(|(line, uses)| exception(line, uses, lock))
        .collect();
    result.suggestions.push(Suggestion {
        location,
        lock: (*lock).clone(),
        guarded: *guarded,
        places: total,
        exceptions,
        left_out,
    });
}

/// Whether so many guarded places of all say that the others are forgotten: all but one of at least three, or `threshold` percent.
fn tells(guarded: usize, places: usize, threshold: u32) -> bool {
    guarded >= 2 && (guarded + 1 == places || guarded * 100 >= places * threshold as usize)
}

fn exception(line: &Line, uses: &[(&str, &Use)], lock: &str) -> Exception {
    let without = uses.iter().filter(|(_, u)| !u.holds(lock));
    let mut entry_points = Vec::new();
    let mut all: Option<Use> = None;
    for (entry, what) in without {
        entry_points.push((*entry).to_string());
        match &mut all {
            Some(all) => all.add(what),
            None => all = Some((*what).clone()),
        }
    }
    entry_points.sort_unstable();
    entry_points.dedup();
    let all = all.expect("a place without the lock has a use without it");
    Exception {
        line: line.clone(),
        column: all.column,
        kind: match (all.read, all.write) {
            (true, true) => "read and write",
            (false, true) => "write",
            _ => "read",
        }
        .to_string(),
        marked: all.marked,
        entry_points,
        locks: all.locks.into_keys().collect(),
    }
}
