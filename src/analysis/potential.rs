//! Potential races in WHOOP's form (Deligiannis, Donaldson, Rakamarić, ASE 2015, §III): for a pair of entry points, every pair of
//! accesses to the same memory that no common lock keeps apart. Nothing here is confirmed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::deadline::{self, Deadline, Stopped};
use crate::program::Touch;

use super::conflict_pairs::{self, Cast, ConflictPair, End, Line, Words};
use super::conflicts::{Side, over};
use super::lockset::{self, Release};
use super::plan::{Planner, Threads};

/// A pair of accesses that locks do not keep apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Potential {
    /// As reports name regions: `struct foo.bar`, `@global`.
    pub location: String,
    /// The two, a read first.
    pub accesses: [Point; 2],
}

/// One of the accesses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Point {
    /// What it does.
    pub kind: Touch,
    /// Whether it is marked.
    pub marked: bool,
    /// The entry point, or the function that a further thread runs.
    pub entry_point: String,
    #[serde(flatten)]
    pub line: Line,
    /// 0 where unknown.
    pub column: u32,
    /// The locks held, by name.
    pub locks: Vec<String>,
}

/// What locks leave open of an input.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Open {
    /// In order, each once.
    pub races: Vec<Potential>,
    /// What the locksets could not follow: then they exclude nothing of the threads that may run it. Sorted.
    pub gaps: Vec<String>,
    /// What ended the listing before its time, if anything did: then there may be more.
    pub stopped: Option<String>,
}

impl Open {
    /// Of a run that was ended before anything was listed.
    pub fn stopped(why: Stopped) -> Open {
        Open {
            stopped: Some(why.to_string()),
            ..Open::default()
        }
    }
}

/// What a listing has found, for those who cannot wait for its end.
#[derive(Default)]
pub struct Found {
    races: Mutex<BTreeSet<Potential>>,
    gaps: Mutex<BTreeSet<String>>,
}

impl Found {
    /// All of it; `stopped`: what ended the listing, if anything did.
    pub fn open(&self, stopped: Option<Stopped>) -> Open {
        Open {
            races: lock(&self.races).iter().cloned().collect(),
            gaps: lock(&self.gaps).iter().cloned().collect(),
            stopped: stopped.map(|why| why.to_string()),
        }
    }
}

/// What a panicking thread left is whole: entries are put in at once.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Contests between two looks at the clock.
const STEPS: u32 = 64;

/// Collects the potential races of one input.
pub struct Listing<'p, 'a> {
    planner: &'a Planner<'p>,
    words: Words<'p>,
    cast: Cast,
    found: &'a Found,
    deadline: Deadline,
    /// Pairs of kinds of threads, and the releases that took locks away from them.
    done: FxHashSet<(usize, usize, Vec<Arc<Release>>)>,
}

impl<'p, 'a> Listing<'p, 'a> {
    /// Adds to what is found, until the deadline.
    pub fn new(planner: &'a Planner<'p>, found: &'a Found, deadline: Deadline) -> Listing<'p, 'a> {
        Listing {
            planner,
            words: Words::new(planner),
            cast: Cast::default(),
            found,
            deadline,
            done: FxHashSet::default(),
        }
    }

    /// Threads that run beside each other; `names`: the entry points of the first of them.
    ///
    /// # Errors
    /// The deadline, if it comes first.
    pub fn add(&mut self, threads: &Threads, names: &[&str]) -> Result<(), Stopped> {
        let pairs = self.cast.add(&self.words, threads, names);
        let tables = || threads.sides.iter().map(|s| &*s.table);
        let released: Vec<Arc<Release>> = tables().flat_map(|t| t.wild.clone()).collect();
        let doubts = self.planner.doubts(tables());
        let gap = threads.sides.iter().find_map(|s| s.table.gap.clone());
        let followed = gap.is_none();
        lock(&self.found.gaps).extend(gap);
        let any = self.planner.any();
        let mut standing = self.planner.standing(&threads.sides, &any);
        for (x, y) in pairs {
            if !self.done.insert((x, y, released.clone())) {
                continue;
            }
            let tables = [x, y].map(|n| self.cast.tables[n].clone());
            let sides = tables.each_ref().map(|table| {
                let own = |s: &Side| Arc::ptr_eq(&s.table, table);
                threads.sides.iter().position(own).unwrap_or_default()
            });
            let mut steps = 0u32;
            let mut stopped = None;
            conflict_pairs::each(&tables[0], &tables[1], &mut |conflict| {
                steps = steps.wrapping_add(1);
                if stopped.is_none() && steps % STEPS == 1 {
                    deadline::worked(u64::from(STEPS));
                    stopped = self.deadline.passed();
                }
                if stopped.is_some() {
                    return;
                }
                let [(a, _), (b, _)] = conflict.ends;
                let [one, two] = [a, b].map(|k| (&k.held, k.address, k.len));
                let locked = || lockset::common(one, two, &doubts).is_some();
                let mut over = || over([a, b], (sides, &mut standing), &doubts).is_some();
                if !followed || !locked() && !over() {
                    self.note(conflict, [x, y]);
                }
            });
            if let Some(why) = stopped {
                return Err(why);
            }
        }
        Ok(())
    }

    fn note(&mut self, conflict: ConflictPair<'_>, sides: [usize; 2]) {
        let (address, len) = conflict.core;
        let location = match conflict.object {
            Some(_) => self.words.namer.bytes(address, len),
            None => "unknown memory".to_string(),
        };
        let names = sides.map(|n| self.cast.names[n].clone());
        let [first, second] = conflict.ends;
        let first = points(&mut self.words, first, &names[0]);
        let second = points(&mut self.words, second, &names[1]);
        for a in &first {
            for b in &second {
                let mut accesses = [a.clone(), b.clone()];
                accesses
                    .sort_by(|x, y| (x.kind != Touch::Reads, x).cmp(&(y.kind != Touch::Reads, y)));
                lock(&self.found.races).insert(Potential {
                    location: location.clone(),
                    accesses,
                });
            }
        }
    }
}

fn points(words: &mut Words<'_>, (key, sites): End<'_>, entry: &str) -> BTreeSet<Point> {
    let locks: Vec<String> = words.locks(key, None).into_keys().collect();
    let told: Vec<_> = sites
        .accesses
        .iter()
        .filter_map(|a| words.told(*a))
        .collect();
    told.into_iter()
        .map(|(line, column, (reads, writes))| Point {
            kind: Touch::seen(reads, writes),
            marked: !key.unmarked,
            entry_point: entry.to_string(),
            line,
            column,
            locks: locks.clone(),
        })
        .collect()
}
