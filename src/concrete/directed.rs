//! What a run of a program is made to do, so that something freed is used or threads wait for one another: threads are held before a step
//! until nobody else goes on.
//!
//! Who takes locks in a circle, each thread another one, each with what the one before it waits for, and no lock that all of them hold
//! (iGoodlock), is held before the lock that closes it (DeadlockFuzzer: Joshi, Park, Sen and Naik: A randomized dynamic program analysis
//! technique for detecting real deadlocks, PLDI 2009). Who uses what another thread frees later is held before the use, or before the lock
//! under which it is. Beyond these, one thread is held at a time: before it frees, takes a lock or begins a section (one delay: Emmi,
//! Qadeer and Rakamarić: Delay-bounded scheduling, POPL 2011).
//!
//! That a thread waits for ever is its answer to a question that the models ask before each wait. Where a run has come to its end and
//! threads are left that wait, it is made again, and each gives that answer where it was asked last.
//!
//! Deviation from DeadlockFuzzer: no choice is random, and threads and locks have the same names in each run that begins in the same way.

use std::collections::BTreeSet;

use super::inputs::{Key, named};
use super::machine::{Machine, Status};
use super::watch::{Asked, Noted, Taken};
use crate::index::Idx;
use crate::trace::schedule::ThreadNumber;

/// Threads of one circle.
const MOST_IN_CIRCLE: usize = 8;

/// Circles of one run, and ways from lock to lock that are gone to find them.
const MOST_CIRCLES: usize = 200;
const MOST_WAYS: usize = 20_000;

/// A thread is held before so many of its steps have been taken.
pub(super) type Delay = (ThreadNumber, u32);

/// What a run is made to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Directed {
    /// Held until nobody else goes on.
    pub delays: Vec<Delay>,
    /// Questions of one bit of threads, by how many each has asked before, to which the answer is 1.
    pub answers: BTreeSet<(ThreadNumber, u32)>,
}

/// Why a thread is held; the first kinds promise most.
pub(super) const KINDS: usize = 5;

/// Something that may be made to happen in a run.
#[derive(Clone, Debug)]
pub(super) struct Aimed {
    /// Below [`KINDS`].
    pub kind: usize,
    /// The same for what is the same in the source.
    pub name: Key,
    pub delays: Vec<Delay>,
}

/// What may be made to happen in a run of which that was noted.
pub(super) fn aims(noted: &Noted) -> Vec<Aimed> {
    let mut all = circles(&noted.taken);
    all.extend(uses(noted));
    let mut one = |kind: usize, name: Key, delay: Delay| {
        let delays = vec![delay];
        all.push(Aimed { kind, name, delays });
    };
    for freed in &noted.freed {
        one(2, freed.site.index() as u64, (freed.thread, freed.step));
    }
    for taken in &noted.taken {
        one(3, taken.place, (taken.thread, taken.step));
    }
    for begun in &noted.begun {
        one(4, begun.place, (begun.thread, begun.step));
    }
    all
}

/// Who uses what another thread frees later.
fn uses(noted: &Noted) -> Vec<Aimed> {
    let mut all = Vec::new();
    for freed in &noted.freed {
        let used = noted.used.iter();
        let other = used
            .filter(|((thread, _, object), _)| *object == freed.object && *thread != freed.thread);
        for ((thread, site, _), used) in other {
            let name = named(site.index() as u64, freed.site.index() as u64);
            let steps = [Some(used.last), Some(used.first), used.locked];
            for (nth, step) in steps.into_iter().enumerate() {
                let Some(step) = step else { continue };
                let aimed = Aimed {
                    kind: 1,
                    name: named(name, nth as u64),
                    delays: vec![(*thread, step)],
                };
                all.push(aimed);
            }
        }
    }
    all.sort_by(|a, b| (&a.delays, a.name).cmp(&(&b.delays, b.name)));
    all.dedup_by(|a, b| a.delays == b.delays);
    all
}

/// Circles of threads, each of which takes a lock that the next one holds.
fn circles(taken: &[Taken]) -> Vec<Aimed> {
    let nested: Vec<&Taken> = taken.iter().filter(|t| !t.held.is_empty()).collect();
    let mut search = Circles {
        nested: &nested,
        found: Vec::new(),
        ways: 0,
    };
    for first in &nested {
        search.go_on(&mut vec![*first]);
    }
    search.found
}

struct Circles<'a> {
    nested: &'a [&'a Taken],
    found: Vec<Aimed>,
    ways: usize,
}

impl<'a> Circles<'a> {
    fn go_on(&mut self, way: &mut Vec<&'a Taken>) {
        let (Some(first), Some(last)) = (way.first().copied(), way.last().copied()) else {
            return;
        };
        for next in self.nested {
            self.ways += 1;
            if self.ways > MOST_WAYS || self.found.len() >= MOST_CIRCLES {
                return;
            }
            let holds = |t: &Taken, lock: u64| t.held.iter().any(|h| h.lock == lock);
            let apart =
                |t: &&Taken| t.thread != next.thread && !next.held.iter().any(|h| holds(t, h.lock));
            // Of each circle, the thread of the lowest number is the first.
            if next.thread <= first.thread || !holds(next, last.lock) || !way.iter().all(apart) {
                continue;
            }
            way.push(next);
            if holds(first, next.lock) {
                self.found.push(Aimed {
                    kind: 0,
                    name: way.iter().fold(0, |all, t| all ^ named(9, t.place)),
                    delays: way.iter().map(|t| (t.thread, t.step)).collect(),
                });
            } else if way.len() < MOST_IN_CIRCLE {
                self.go_on(way);
            }
            way.pop();
        }
    }
}

impl Machine<'_> {
    /// The questions by whose other answer each thread that is left waits for ever, and a name for where they stand.
    pub(super) fn waiting(&self) -> (BTreeSet<(ThreadNumber, u32)>, Key) {
        let mut name = 0;
        let mut answers = BTreeSet::new();
        for thread in &self.threads {
            if thread.status == Status::Ended {
                continue;
            }
            let here = |asked: &Asked| !asked.answer && asked.step == thread.steps;
            let asked = thread.watched.last.filter(here);
            if let Some(asked) = asked.or(thread.watched.goes_on) {
                answers.insert((thread.number, asked.nth));
                name ^= named(u64::from(asked.at), super::watch::place(thread));
            }
        }
        (answers, name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::watch::Held;
    use super::*;

    fn taken(thread: ThreadNumber, held: &[u64], lock: u64) -> Taken {
        let held = held.iter().map(|lock| Held {
            lock: *lock,
            step: 0,
        });
        Taken {
            thread,
            lock,
            step: thread + 10,
            place: u64::from(thread),
            held: held.collect(),
        }
    }

    #[test]
    fn three_threads_make_a_circle_once() {
        let all = [taken(1, &[1], 2), taken(2, &[2], 3), taken(3, &[3], 1)];
        let found = circles(&all);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].delays, [(1, 11), (2, 12), (3, 13)]);
    }

    #[test]
    fn locks_in_one_order_make_none() {
        assert!(circles(&[taken(1, &[1], 2), taken(2, &[2], 3), taken(3, &[1], 3)]).is_empty());
    }

    #[test]
    fn who_holds_a_lock_in_common_makes_none() {
        assert!(circles(&[taken(1, &[9, 1], 2), taken(2, &[9, 2], 1)]).is_empty());
    }

    #[test]
    fn one_thread_makes_none() {
        assert!(circles(&[taken(1, &[1], 2), taken(1, &[2], 1)]).is_empty());
    }
}
