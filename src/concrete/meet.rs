//! Two threads that are made to meet: one is held before an access, the other run up to a conflicting one.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::explore::{Choices, INSTRUCTIONS_OF_A_UNIT};
use super::machine::{Awaited, Machine, Pause, Until};
use super::seen::Access;
use super::two::{FUEL, Two};
use crate::deadline;
use crate::index::SiteId;
use crate::trace::schedule::{Failure, Schedule, Step, ThreadNumber};

/// Accesses of one side that are remembered.
const MOST_ACCESSES: usize = 4_000;

/// An access in a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub access: Access,
    /// The number of the choices of that run: of one side by itself, or of a program.
    pub choices: usize,
    /// Its place among the accesses of the run.
    pub nth: usize,
}

/// Two accesses of the same bytes at which the threads may be made to meet.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    first: Known,
    second: Known,
}

impl Meeting {
    /// Of two accesses.
    pub(super) fn of(first: Known, second: Known) -> Meeting {
        Meeting { first, second }
    }

    /// Both.
    pub(super) fn both(&self) -> [Known; 2] {
        [self.first, self.second]
    }

    /// The first byte that the first of them is about.
    pub fn at(&self) -> u64 {
        self.first.access.at
    }

    /// Where they stand: of the first thread, and of the second.
    pub fn sites(&self) -> (SiteId, SiteId) {
        (self.first.access.site, self.second.access.site)
    }
}

/// Threads that can be made to meet.
pub trait Meets {
    /// Where two may meet, of such places: those of the first thread, and of the second.
    fn meetings(&self, sites: [&[SiteId]; 2]) -> Vec<Meeting>;

    /// Makes them meet, whichever is held first. `None`: they did not.
    fn meet(&mut self, meeting: &Meeting) -> Option<Schedule>;
}

/// Two threads before they begin, and what each comes to by itself.
#[derive(Debug)]
pub struct Beside<'p> {
    two: Two<'p>,
    /// Of each side, the choices of its runs.
    choices: [Vec<Choices>; 2],
    known: [Vec<Known>; 2],
}

impl<'p> Beside<'p> {
    pub(super) fn new(
        mut two: Two<'p>,
        choices: [Vec<Choices>; 2],
        wanted: &FixedBitSet,
    ) -> Beside<'p> {
        two.machine.wanted = wanted.clone();
        let mut beside = Beside {
            two,
            choices,
            known: [Vec::new(), Vec::new()],
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
            if self.two.deadline.passed().is_some() || known.len() >= MOST_ACCESSES {
                break;
            }
            let own = self.choices[side][choices].clone();
            let both = match side {
                0 => [own, Choices::default()],
                _ => [Choices::default(), own],
            };
            if !self.two.begin(both) {
                continue;
            }
            self.two.go(side as ThreadNumber, Until::default());
            for (nth, access) in self.two.machine.seen.accesses.iter().enumerate() {
                let place = (access.site, access.at, access.write);
                if access.thread == side as ThreadNumber && there.insert(place) {
                    known.push(Known {
                        access: *access,
                        choices,
                        nth,
                    });
                }
            }
        }
        known
    }

    /// Holds one thread before its access, and runs the other up to its own.
    fn held(&mut self, held: Known, other: Known) -> Option<Schedule> {
        let (x, y) = (held.access, other.access);
        let of = |known: &Known| self.choices[known.access.thread as usize][known.choices].clone();
        let both = match x.thread {
            0 => [of(&held), of(&other)],
            _ => [of(&other), of(&held)],
        };
        if !self.two.begin(both) {
            return None;
        }
        let until = Until {
            steps: Some(x.step),
            ..Until::default()
        };
        if self.two.go(x.thread, until) != Pause::AtStep {
            return None;
        }
        let held = about(&mut self.two.machine, x.thread, x.site)?;
        let until = Until {
            access: Some(Awaited {
                site: y.site,
                ..held
            }),
            ..Until::default()
        };
        if self.two.go(y.thread, until) != Pause::Met {
            return None;
        }
        met(
            &mut self.two.machine,
            (x.thread, x.site),
            (y.thread, y.site),
        )
    }
}

impl Meets for Beside<'_> {
    fn meetings(&self, sites: [&[SiteId]; 2]) -> Vec<Meeting> {
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

    fn meet(&mut self, meeting: &Meeting) -> Option<Schedule> {
        let Meeting { first, second } = *meeting;
        self.held(first, second)
            .or_else(|| self.held(second, first))
    }
}

/// The schedule in which two threads stand before two accesses, if either can still come first: a section that is begun by one may keep
/// the other out.
pub(super) fn met(
    machine: &mut Machine<'_>,
    x: (ThreadNumber, SiteId),
    y: (ThreadNumber, SiteId),
) -> Option<Schedule> {
    let held = about(machine, x.0, x.1)?;
    let other = about(machine, y.0, y.1)?;
    if !held.overlaps(other.at, other.bytes) {
        return None;
    }
    let step = |(thread, site): (ThreadNumber, SiteId)| Step { thread, site };
    // What others did after that has no part in it.
    let mut steps = machine.steps.clone();
    let last = steps
        .iter()
        .rposition(|s| s.thread == x.0 || s.thread == y.0);
    steps.truncate(last.map_or(0, |n| n + 1));
    Some(Schedule {
        pair: machine.pair.clone(),
        steps,
        inputs: machine.inputs.recorded(),
        failure: Failure::Race {
            first: step(x),
            second: step(y),
        },
    })
}

/// The bytes that a thread would access at a place in the step that it is about to take. `None`: it cannot take it, or does not come
/// there in it.
pub(super) fn about(
    machine: &mut Machine<'_>,
    thread: ThreadNumber,
    site: SiteId,
) -> Option<Awaited> {
    let mark = machine.mark();
    let step = machine.threads[thread as usize].steps;
    machine.seen.accesses.clear();
    let until = Until {
        steps: Some(step + 1),
        ..Until::default()
    };
    machine.fuel = FUEL;
    let pause = machine.go(thread, until);
    deadline::worked((FUEL - machine.fuel) / INSTRUCTIONS_OF_A_UNIT);
    let mut accesses = machine.seen.accesses.iter();
    let access = accesses.find(|a| a.site == site && a.step == step);
    let awaited = access.map(|a| Awaited {
        site,
        at: a.at,
        bytes: a.bytes,
    });
    machine.rewind(&mark);
    awaited.filter(|_| pause != Pause::Blocked)
}
