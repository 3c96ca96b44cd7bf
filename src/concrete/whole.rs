//! Runs of a whole program: its threads take turns, in a few orders, and are then made to meet where two of them access the same bytes.
//!
//! Each run on inputs that lead somewhere new is made again in each order, and its accesses are kept. Of two that conflict, the thread of
//! the earlier one is held before it, and the others go on until one of them is about to make the later one (RaceFuzzer: Sen, PLDI 2008).
//!
//! Where uses after free or deadlocks are looked for, runs are made again in which threads are held elsewhere ([`super::directed`]).
//!
//! Deviation from the paper: no choice is random; the held thread is never let go. What it misses: races of which one access comes about
//! in none of these orders, and those of which the others need the held thread to get to the second access.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Code;
use super::directed::{self, Aimed, Directed};
use super::explore::{Choices, Exploration, INSTRUCTIONS_OF_A_UNIT, Limits, Of};
use super::inputs::{Key, named};
use super::machine::{Awaited, Machine, Mark, Pause};
use super::meet::{Known, Meeting, Meets, about, met};
use super::turns::{Order, Paused, Stops};
use super::watch::Watch;
use crate::deadline::{self, Deadline};
use crate::index::{Idx, SiteId};
use crate::program::Program;
use crate::trace::schedule::{Failure, Schedule, ThreadNumber};

/// Instructions of one run, of all that look for inputs, and of those that in turn come to no new place.
const EXPLORED: Limits = Limits {
    one: 4_000_000,
    all: 60_000_000,
    in_vain: 40_000_000,
};

/// Instructions of all runs in which threads are made to meet.
const MEETING: u64 = 40_000_000;

/// Runs on different inputs that are made again in each order.
const MOST_CHOICES: usize = 8;

/// Threads of a run to which what other runs came to is added: two of a kind, and the one that makes them.
const ENOUGH_THREADS: usize = 3;

/// Accesses of one run that are remembered, those of one place, and those of one pair of places and of the same bytes
/// that may be made to meet.
const MOST_ACCESSES: usize = 20_000;
const OF_ONE_PLACE: usize = 4;
const OF_ONE_PAIR: usize = 3;

/// Runs in which the same goes wrong, of which one is to be confirmed.
const OF_ONE_FAILURE: usize = 3;

/// Instructions of all runs that are directed, runs that aim at the same, and those that are remembered of one kind.
const DIRECTED: u64 = 60_000_000;
const OF_ONE_AIM: usize = 4;
const MOST_AIMS: usize = 4_000;

/// The orders; the first one is that in which it is looked for inputs.
const ORDERS: [Order; 3] = [
    Order {
        steps: 256,
        newest: false,
    },
    Order {
        steps: 16,
        newest: true,
    },
    Order {
        steps: 5,
        newest: false,
    },
];

/// A run, by what makes it.
#[derive(Clone, Debug)]
struct Made {
    order: Order,
    choices: Choices,
    directed: Directed,
}

/// What goes wrong, where, and within which calls.
type Wrong = (u32, SiteId, Key);

/// What runs show that go wrong, or that are to be made again.
#[derive(Debug, Default)]
struct Shown {
    /// Runs in which something goes wrong, of each such thing the first ones.
    failures: BTreeMap<Wrong, Vec<Schedule>>,
    /// Runs at the end of which threads wait, as they are made again so that these do so for ever; by where they wait, how often.
    waits: VecDeque<Made>,
    waited: FxHashMap<Key, usize>,
}

/// A program before its first instruction, and what its runs came to.
#[derive(Debug)]
pub struct Whole<'p> {
    machine: Machine<'p>,
    from: Mark,
    runs: Vec<Made>,
    /// Of each run its accesses, in their order.
    known: Vec<Vec<Known>>,
    /// The visible instructions that runs came to: of the first thread, and of others.
    shown: [FixedBitSet; 2],
    /// Where runs end before all threads have ended, by the last visible instruction, and whether for their length; how many do.
    ends: BTreeMap<(SiteId, bool), u64>,
    wrong: Shown,
    /// What runs may be aimed at, by kind, each with the number of the run.
    aims: [VecDeque<(usize, Aimed)>; directed::KINDS],
    aimed: FxHashMap<Key, usize>,
    /// Instructions that are left for meetings.
    left: u64,
    deadline: Deadline,
}

impl<'p> Whole<'p> {
    /// Runs a program. `numbers`: what the harness is told; `wanted`: the accesses that may race; `watch`: what else is looked for.
    /// `None`: it is none that is run.
    pub fn new(
        code: &'p Code,
        program: &'p Program,
        numbers: Vec<u32>,
        (wanted, watch): (&FixedBitSet, Watch),
        deadline: Deadline,
    ) -> Option<Whole<'p>> {
        let mut machine = Machine::new(&code.0, program)?;
        machine.pair = numbers;
        machine.watch = watch;
        let from = machine.mark();
        let mut whole = Whole {
            machine,
            from,
            runs: Vec::new(),
            known: Vec::new(),
            shown: [0, 1].map(|_| FixedBitSet::with_capacity(program.sites.len())),
            ends: BTreeMap::new(),
            wrong: Shown::default(),
            aims: Default::default(),
            aimed: FxHashMap::default(),
            left: MEETING,
            deadline,
        };
        whole.explore(wanted);
        whole.direct();
        Some(whole)
    }

    /// The visible instructions that some run came to: by the first thread, and by the others.
    pub fn shown(&self) -> &[FixedBitSet; 2] {
        &self.shown
    }

    /// Where runs end before all threads have ended: after which visible instruction, whether for their length, and how many do.
    pub fn ends(&self) -> impl Iterator<Item = (SiteId, bool, u64)> {
        self.ends.iter().map(|((site, long), n)| (*site, *long, *n))
    }

    /// Runs in which something other than a race goes wrong: of each such thing the first ones.
    pub fn failures(&self) -> impl Iterator<Item = &[Schedule]> {
        self.wrong.failures.values().map(Vec::as_slice)
    }

    /// The runs that were kept, as schedules in which nothing fails: for whoever takes their steps again.
    pub fn schedules(&mut self) -> Vec<Schedule> {
        let mut all = Vec::new();
        for made in self.runs.clone() {
            self.begin(&made);
            let paused = self.turns(made.order, Stops::default(), EXPLORED.one);
            let mut steps = self.machine.steps.clone();
            if matches!(paused.pause, Pause::Failed | Pause::Fuel) {
                // What follows the last step is a part of it.
                steps.pop();
            }
            all.push(Schedule {
                pair: self.machine.pair.clone(),
                steps,
                inputs: self.machine.inputs.recorded(),
                ..Schedule::default()
            });
        }
        all
    }

    fn explore(&mut self, wanted: &FixedBitSet) {
        let of = Of::All(ORDERS[0]);
        let (shown, ends) = (&mut self.shown, &mut self.ends);
        let wrong = &mut self.wrong;
        // The first run with as many threads as it takes for two beside the one that makes them.
        let mut several = (0, Choices::default());
        let note = |machine: &Machine<'p>, pause: Pause| {
            note(shown, machine);
            wrong.note(machine, pause, (ORDERS[0], &machine.choices()));
            let threads = machine.threads.len().min(ENOUGH_THREADS);
            if threads > several.0 {
                several = (threads, machine.choices());
            }
            let last = machine.steps.last().map(|step| step.site);
            if let (Some(last), false) = (last, pause == Pause::Ended) {
                *ends.entry((last, pause == Pause::Fuel)).or_default() += 1;
            }
            false
        };
        let explored = Exploration::new(&mut self.machine, EXPLORED, self.deadline, of).all(note);
        let mut numbers: Vec<usize> = Vec::new();
        for (site, runs) in &explored.by_site {
            if wanted.contains(site.index()) || self.machine.watch.any() {
                numbers.extend(runs);
            }
        }
        // Those first that come to most of what may race.
        let mut often: FxHashMap<usize, usize> = FxHashMap::default();
        numbers
            .iter()
            .for_each(|n| *often.entry(*n).or_default() += 1);
        let mut numbers: Vec<usize> = often.keys().copied().collect();
        numbers.sort_by_key(|n| (std::cmp::Reverse(often[n]), *n));
        numbers.truncate(MOST_CHOICES);
        self.machine.wanted = wanted.clone();
        let alone: Vec<Choices> = numbers.iter().map(|n| explored.runs[*n].clone()).collect();
        let mut each: Vec<Choices> = Vec::new();
        for run in &alone {
            each.extend([several.1.with_more(run), run.clone()]);
        }
        // What took a choice each is there at once where nothing contradicts it.
        each.extend(alone.into_iter().reduce(|all, run| all.with_more(&run)));
        for choices in each {
            for order in ORDERS {
                if self.deadline.passed().is_some() {
                    return;
                }
                let choices = choices.clone();
                let directed = Directed::default();
                let made = Made {
                    order,
                    choices,
                    directed,
                };
                self.begin(&made);
                let paused = self.turns(order, Stops::default(), EXPLORED.one);
                note_accesses(&mut self.known, self.runs.len(), &self.machine);
                note_steps(&mut self.shown, &self.machine);
                self.wrong
                    .note(&self.machine, paused.pause, (order, &made.choices));
                self.note_aims();
                self.runs.push(made);
            }
        }
    }

    fn begin(&mut self, made: &Made) {
        self.machine.rewind(&self.from);
        self.machine.before = Arc::clone(&made.choices.before);
        self.machine.scripts = vec![made.choices.own.clone()];
        self.machine.directed = made.directed.clone();
    }

    /// Remembers what the run at hand may be made to do.
    fn note_aims(&mut self) {
        if !self.machine.watch.any() {
            return;
        }
        let number = self.runs.len();
        for aimed in directed::aims(&self.machine.noted) {
            let often = self.aimed.entry(named(aimed.kind as u64, aimed.name));
            let often = often.or_default();
            let all = &mut self.aims[aimed.kind];
            if *often < OF_ONE_AIM && all.len() < MOST_AIMS {
                *often += 1;
                all.push_back((number, aimed));
            }
        }
    }

    /// Makes runs that are aimed at something, a kind after the other, and those in which threads wait for ever.
    fn direct(&mut self) {
        let mut left = DIRECTED;
        loop {
            let before = left;
            for kind in 0..directed::KINDS {
                while let Some(made) = self.wrong.waits.pop_front() {
                    self.again(&made, &mut left);
                }
                let Some((run, aimed)) = self.aims[kind].pop_front() else {
                    continue;
                };
                let mut made = self.runs[run].clone();
                made.directed.delays = aimed.delays;
                self.again(&made, &mut left);
            }
            if left == before {
                return;
            }
        }
    }

    /// Makes a run, if there is a budget for it, and keeps what goes wrong in it.
    fn again(&mut self, made: &Made, left: &mut u64) {
        if *left == 0 || self.deadline.passed().is_some() {
            return;
        }
        let fuel = (*left).min(EXPLORED.one);
        self.begin(made);
        let paused = self.turns(made.order, Stops::default(), fuel);
        *left -= (fuel - self.machine.fuel).max(1).min(*left);
        note_steps(&mut self.shown, &self.machine);
        self.wrong
            .note(&self.machine, paused.pause, (made.order, &made.choices));
    }

    fn turns(&mut self, order: Order, stops: Stops, fuel: u64) -> Paused {
        self.machine.fuel = fuel;
        let paused = self.machine.turns(order, stops);
        deadline::worked((fuel - self.machine.fuel) / INSTRUCTIONS_OF_A_UNIT);
        paused
    }

    /// Holds one thread before its access, and runs the others up to the other one.
    fn held(&mut self, held: &Known, other: &Known) -> Option<Schedule> {
        let (x, y) = (held.access, other.access);
        let made = self.runs[held.choices].clone();
        self.begin(&made);
        let fuel = self.left.min(EXPLORED.one);
        let before = Stops {
            before: Some((x.thread, x.step)),
            ..Stops::default()
        };
        let paused = self.turns(made.order, before, fuel);
        let left = self.machine.fuel;
        self.left -= fuel - left;
        if paused.pause != Pause::AtStep {
            return None;
        }
        let place = about(&mut self.machine, x.thread, x.site)?;
        let beside = Stops {
            held: Some(x.thread),
            before: None,
            access: Some(Awaited {
                site: y.site,
                ..place
            }),
        };
        let paused = self.turns(made.order, beside, left);
        self.left -= left - self.machine.fuel;
        if paused.pause != Pause::Met {
            return None;
        }
        met(
            &mut self.machine,
            (x.thread, x.site),
            (paused.thread, y.site),
        )
    }
}

impl Meets for Whole<'_> {
    fn meetings(&self, sites: [&[SiteId]; 2]) -> Vec<Meeting> {
        let mut meetings = Vec::new();
        let mut pairs: FxHashMap<(SiteId, SiteId, u64), usize> = FxHashMap::default();
        for known in &self.known {
            let of = |side: usize| {
                let own = known.iter().enumerate();
                own.filter(move |(_, k)| sites[side].contains(&k.access.site))
            };
            for (n, first) in of(0) {
                for (m, second) in of(1) {
                    let may = match n < m {
                        true => may_meet(first, second),
                        false => may_meet(second, first),
                    };
                    let meeting = Meeting::of(*first, *second);
                    let (x, y) = meeting.sites();
                    let pair = pairs.entry((x, y, meeting.at())).or_default();
                    if may && *pair < OF_ONE_PAIR {
                        *pair += 1;
                        meetings.push(meeting);
                    }
                }
            }
        }
        meetings
    }

    fn meet(&mut self, meeting: &Meeting) -> Option<Schedule> {
        if self.left == 0 || self.deadline.passed().is_some() {
            return None;
        }
        let [first, second] = meeting.both();
        let (earlier, later) = match first.nth < second.nth {
            true => (first, second),
            false => (second, first),
        };
        self.held(&earlier, &later)
            .or_else(|| self.held(&later, &earlier))
    }
}

/// Whether an access and a later one of the same run may be made to meet, as far as the run tells.
fn may_meet(earlier: &Known, later: &Known) -> bool {
    let (x, y) = (&earlier.access, &later.access);
    let awaited = Awaited {
        site: x.site,
        at: x.at,
        bytes: x.bytes,
    };
    // Threads that the first one has not made yet it does not make while it is held.
    let made = x.thread != 0 || y.thread < x.threads;
    x.thread != y.thread
        && made
        && (x.write || y.write)
        && !(x.in_section && y.in_section)
        && awaited.overlaps(y.at, y.bytes)
}

/// The accesses of a run, of each place and thread the first ones.
fn note_accesses(known: &mut Vec<Vec<Known>>, run: usize, machine: &Machine<'_>) {
    let mut often: FxHashMap<(SiteId, ThreadNumber, u64, bool), usize> = FxHashMap::default();
    let mut own = Vec::new();
    for (nth, access) in machine.seen.accesses.iter().enumerate() {
        let place = (access.site, access.thread, access.at, access.write);
        let times = often.entry(place).or_default();
        *times += 1;
        if *times <= OF_ONE_PLACE && own.len() < MOST_ACCESSES {
            own.push(Known {
                access: *access,
                choices: run,
                nth,
            });
        }
    }
    known.push(own);
}

impl Shown {
    /// What goes wrong in the run at hand, as far as there are not enough runs in which it does, and whether threads wait at its end.
    fn note(&mut self, machine: &Machine<'_>, pause: Pause, (order, choices): (Order, &Choices)) {
        for failed in &machine.noted.failed {
            let site = match failed.failure {
                Failure::Assertion(step)
                | Failure::UseAfterFree(step)
                | Failure::Property(_, step) => step.site,
                Failure::Race { .. } | Failure::Atomicity { .. } => continue,
            };
            let wrong = (failed.failure.kind() as u32, site, failed.place);
            let known = self.failures.entry(wrong).or_default();
            let steps = machine.steps.get(..failed.steps);
            if let (Some(steps), true) = (steps, known.len() < OF_ONE_FAILURE) {
                known.push(Schedule {
                    pair: machine.pair.clone(),
                    steps: steps.to_vec(),
                    inputs: machine.inputs.recorded(),
                    failure: failed.failure.clone(),
                });
            }
        }
        let is_over = !matches!(pause, Pause::Blocked | Pause::Fuel);
        if !machine.watch.waits || is_over || !machine.directed.answers.is_empty() {
            return;
        }
        let (answers, name) = machine.waiting();
        let often = self.waited.entry(name).or_default();
        if !answers.is_empty() && *often < OF_ONE_FAILURE {
            *often += 1;
            let delays = machine.directed.delays.clone();
            self.waits.push_back(Made {
                order,
                choices: choices.clone(),
                directed: Directed { delays, answers },
            });
        }
    }
}

/// What the run at hand came to, where it came to something new.
fn note(shown: &mut [FixedBitSet; 2], machine: &Machine<'_>) {
    let known = |site: &SiteId| shown.iter().any(|own| own.contains(site.index()));
    if !machine.seen.sites.iter().all(known) {
        note_steps(shown, machine);
    }
}

/// What the run at hand came to.
fn note_steps(shown: &mut [FixedBitSet; 2], machine: &Machine<'_>) {
    let mut seen: FxHashSet<(bool, SiteId)> = FxHashSet::default();
    for step in &machine.steps {
        if seen.insert((step.thread > 0, step.site)) {
            shown[usize::from(step.thread > 0)].insert(step.site.index());
        }
    }
}
