//! Two threads that are made to meet: one is held before an access, the other run up to a conflicting one.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::explore::{Choices, INSTRUCTIONS_OF_A_UNIT};
use super::machine::{Awaited, Machine, Mark, Pause, Until};
use super::seen::Access;
use crate::deadline::{self, Deadline};
use crate::index::{FuncId, SiteId};
use crate::trace::schedule::{Failure, Schedule, Step, ThreadNumber};

/// Instructions of one run of a thread.
const FUEL: u64 = 60_000;

/// Accesses of one side that are remembered.
const MOST_ACCESSES: usize = 4_000;

/// An access in a run of one side by itself, and the choices of that run.
#[derive(Clone, Copy, Debug)]
struct Known {
    access: Access,
    choices: usize,
}

/// Two accesses of the same bytes at which the threads may be made to meet.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    first: Known,
    second: Known,
}

impl Meeting {
    /// Where they stand: of the first thread, and of the second.
    pub fn sites(&self) -> (SiteId, SiteId) {
        (self.first.access.site, self.second.access.site)
    }
}

/// Two threads before they begin, and what each comes to by itself.
#[derive(Debug)]
pub struct Beside<'p> {
    machine: Machine<'p>,
    /// After initialisation.
    from: Mark,
    /// The function in which the own code of threads begins.
    starter: FuncId,
    /// Of each side, the choices of its runs.
    choices: [Vec<Choices>; 2],
    known: [Vec<Known>; 2],
    deadline: Deadline,
}

impl<'p> Beside<'p> {
    pub(super) fn new(
        (mut machine, starter): (Machine<'p>, FuncId),
        choices: [Vec<Choices>; 2],
        wanted: &FixedBitSet,
        deadline: Deadline,
    ) -> Beside<'p> {
        machine.wanted = wanted.clone();
        let from = machine.mark();
        let mut beside = Beside {
            machine,
            from,
            starter,
            choices,
            known: [Vec::new(), Vec::new()],
            deadline,
        };
        for side in 0..2 {
            beside.known[side] = beside.alone(side);
        }
        beside
    }

    /// The accesses of one side, run by itself: of each place and address the first of a run.
    fn alone(&mut self, side: usize) -> Vec<Known> {
        let mut known = Vec::new();
        let mut there: FxHashSet<(SiteId, u64, bool)> = FxHashSet::default();
        for choices in 0..self.choices[side].len() {
            if self.deadline.passed().is_some() || known.len() >= MOST_ACCESSES {
                break;
            }
            let own = self.choices[side][choices].clone();
            let both = match side {
                0 => [own, Choices::default()],
                _ => [Choices::default(), own],
            };
            if !self.begin(both) {
                continue;
            }
            self.go(side as ThreadNumber, Until::default());
            for access in &self.machine.seen.accesses {
                let place = (access.site, access.at, access.write);
                if access.thread == side as ThreadNumber && there.insert(place) {
                    known.push(Known {
                        access: *access,
                        choices,
                    });
                }
            }
        }
        known
    }

    /// Brings both threads to where their own code begins, with these choices. `false`: they do not come there.
    fn begin(&mut self, [first, second]: [Choices; 2]) -> bool {
        let machine = &mut self.machine;
        machine.rewind(&self.from);
        let mut before = first.before;
        let both = Arc::make_mut(&mut before);
        for (key, value) in second.before.iter() {
            both.entry(*key).or_insert(*value);
        }
        machine.before = before;
        machine.scripts = vec![first.own, second.own];
        let until = Until {
            call: Some(self.starter),
            ..Until::default()
        };
        self.go(0, until) == Pause::AtCall && self.machine.threads.len() == 2
    }

    fn go(&mut self, thread: ThreadNumber, until: Until) -> Pause {
        self.machine.fuel = FUEL;
        let pause = self.machine.go(thread, until);
        deadline::worked((FUEL - self.machine.fuel) / INSTRUCTIONS_OF_A_UNIT);
        pause
    }

    /// Where the two may meet, of such places: those of the first thread, and of the second.
    pub fn meetings(&self, sites: [&[SiteId]; 2]) -> Vec<Meeting> {
        let of = |side: usize| {
            let known = self.known[side].iter();
            known.filter(move |k| sites[side].contains(&k.access.site))
        };
        let mut meetings = Vec::new();
        for first in of(0) {
            for second in of(1) {
                let (x, y) = (&first.access, &second.access);
                let awaited = Awaited {
                    site: x.site,
                    at: x.at,
                    bytes: x.bytes,
                };
                if (x.write || y.write)
                    && !(x.in_section && y.in_section)
                    && awaited.overlaps(y.at, y.bytes)
                {
                    meetings.push(Meeting {
                        first: *first,
                        second: *second,
                    });
                }
            }
        }
        meetings
    }

    /// Makes them meet, whichever is held first. `None`: they did not.
    pub fn meet(&mut self, meeting: &Meeting) -> Option<Schedule> {
        let Meeting { first, second } = *meeting;
        self.held(first, second)
            .or_else(|| self.held(second, first))
    }

    /// Holds one thread before its access, and runs the other up to its own.
    fn held(&mut self, held: Known, other: Known) -> Option<Schedule> {
        let (x, y) = (held.access, other.access);
        let of = |known: &Known| self.choices[known.access.thread as usize][known.choices].clone();
        let both = match x.thread {
            0 => [of(&held), of(&other)],
            _ => [of(&other), of(&held)],
        };
        if !self.begin(both) {
            return None;
        }
        let until = Until {
            steps: Some(x.step),
            ..Until::default()
        };
        if self.go(x.thread, until) != Pause::AtStep {
            return None;
        }
        let held = self.about(x.thread, x.site)?;
        let until = Until {
            access: Some(Awaited {
                site: y.site,
                ..held
            }),
            ..Until::default()
        };
        if self.go(y.thread, until) != Pause::Met {
            return None;
        }
        // Either may still come first: a section that is begun by one may keep the other out.
        let held = self.about(x.thread, x.site)?;
        let other = self.about(y.thread, y.site)?;
        if !held.overlaps(other.at, other.bytes) {
            return None;
        }
        let step = |of: Access| Step {
            thread: of.thread,
            site: of.site,
        };
        Some(Schedule {
            pair: self.machine.pair.clone(),
            steps: self.machine.steps.clone(),
            inputs: self.machine.inputs.recorded(),
            failure: Failure::Race {
                first: step(x),
                second: step(y),
            },
        })
    }

    /// The bytes that a thread would access at a place in the step that it is about to take. `None`: it cannot take it, or does not come
    /// there in it.
    fn about(&mut self, thread: ThreadNumber, site: SiteId) -> Option<Awaited> {
        let mark = self.machine.mark();
        let step = self.machine.threads[thread as usize].steps;
        self.machine.seen.accesses.clear();
        let until = Until {
            steps: Some(step + 1),
            ..Until::default()
        };
        let pause = self.go(thread, until);
        let mut accesses = self.machine.seen.accesses.iter();
        let access = accesses.find(|a| a.site == site && a.step == step);
        let awaited = access.map(|a| Awaited {
            site,
            at: a.at,
            bytes: a.bytes,
        });
        self.machine.rewind(&mark);
        awaited.filter(|_| pause != Pause::Blocked)
    }
}
