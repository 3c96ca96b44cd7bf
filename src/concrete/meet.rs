//! Two threads that are made to meet: one is held before an access, the other run up to a conflicting one.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::explore::{Choices, INSTRUCTIONS_OF_A_UNIT};
use super::inputs::Script;
use super::machine::{Access, Awaited, Machine, Mark, Pause, Until};
use crate::deadline::{self, Deadline};
use crate::index::SiteId;
use crate::trace::schedule::{Failure, Schedule, Step, ThreadNumber};

/// Instructions of one run of a thread.
const FUEL: u64 = 100_000;

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
    from: Mark,
    /// Of each side, the choices of its runs.
    choices: [Vec<Choices>; 2],
    known: [Vec<Known>; 2],
    deadline: Deadline,
}

impl<'p> Beside<'p> {
    pub(super) fn new(
        mut machine: Machine<'p>,
        choices: [Vec<Choices>; 2],
        wanted: &FixedBitSet,
        deadline: Deadline,
    ) -> Beside<'p> {
        machine.wanted = wanted.clone();
        let from = machine.mark();
        let mut beside = Beside {
            machine,
            from,
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
            let own = self.choices[side][choices].own.clone();
            self.again([own.clone(), own]);
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

    /// Before both threads begin, with these choices.
    fn again(&mut self, scripts: [Script; 2]) {
        self.machine.rewind(&self.from);
        self.machine.scripts = scripts.into();
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
        let script = |known: &Known| {
            self.choices[known.access.thread as usize][known.choices]
                .own
                .clone()
        };
        let scripts = match x.thread {
            0 => [script(&held), script(&other)],
            _ => [script(&other), script(&held)],
        };
        self.again(scripts);
        let until = Until {
            steps: Some(x.step),
            ..Until::default()
        };
        if self.go(x.thread, until) != Pause::AtStep {
            return None;
        }
        let awaited = |site, of: Access| Until {
            access: Some(Awaited {
                site,
                at: of.at,
                bytes: of.bytes,
            }),
            ..Until::default()
        };
        if self.go(y.thread, awaited(y.site, x)) != Pause::Met {
            return None;
        }
        // The section in which the held access is can be taken still.
        let next = Until {
            steps: Some(x.step + 1),
            ..awaited(x.site, x)
        };
        if self.go(x.thread, next) != Pause::Met {
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
}
