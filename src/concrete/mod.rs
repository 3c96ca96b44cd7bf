//! Concrete runs: a driver or a program is run, on inputs that are chosen, before anybody thinks about all of them.
//!
//! A run costs what it executes, and shows what it came to: that initialisation can succeed, that an access is reached, that two threads
//! stand before conflicting accesses of the same bytes. It shows nothing of what it did not come to.
//!
//! A race is made to happen, not waited for (Sen: Race directed random testing of concurrent programs, PLDI 2008): one thread is run up to
//! an access and held there, the other is run up to a conflicting one of the same bytes. What comes of it is a schedule, which the
//! interpreter confirms as any other.
//!
//! Deviation from the paper: which accesses to hold threads at is known from runs of each thread by itself, so nothing is random. What it
//! misses: races of which one access is only reached when the other thread has done something.
//!
//! One file per part: `code` and `compile` (register code), `memory`, `machine` and `run` (threads), `section`, `primitives`, `numbers`,
//! `inputs` (choices), `explore` (which choices), `two`, `meet` and `common` (two threads), `turns` and `whole` (all threads of a program),
//! `watch` and `directed` (beyond races: what is noted of a run of these, and what it is made to do).

mod access;
mod code;
mod common;
mod compile;
mod coverage;
mod directed;
mod explore;
mod inputs;
mod machine;
mod meet;
mod memory;
mod numbers;
mod operands;
mod primitives;
mod run;
mod section;
mod seen;
mod turns;
mod two;
mod watch;
mod whole;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fixedbitset::FixedBitSet;

use crate::deadline::Deadline;
use crate::environment::contract::{EARLIER, SAME_FILE, tell};
use crate::index::{EntryId, Idx, SiteId};
use crate::program::Program;
use crate::trace::schedule::Schedule;
use common::Touched;
pub use common::{LookedFor, Spot};
use explore::{Choices, Exploration, Explored, Limits, Of};
use machine::{Machine, Pause, Until};
pub use meet::{Beside, Meeting, Meets};
use two::Two;
pub use watch::Watch;
pub use whole::Whole;

/// No entry point.
const NOBODY: u32 = u32::MAX;

/// Instructions of initialisation, and of an entry point by itself with what runs before it.
const INIT: Limits = Limits {
    one: 400_000,
    all: 6_000_000,
    in_vain: u64::MAX,
};
const OWN: Limits = Limits {
    one: 60_000,
    all: 1_000_000,
    in_vain: u64::MAX,
};

/// Where another entry point ran before it: there are more of these than of entry points.
const OWN_LATER: Limits = Limits {
    one: 60_000,
    all: 200_000,
    in_vain: u64::MAX,
};

/// A program as register code.
#[derive(Debug)]
pub struct Code(code::Code);

impl Code {
    /// `None`: its addresses, or the order of its bytes, are none that are run here.
    pub fn of(program: &Program) -> Option<Code> {
        compile::compile(program).map(Code)
    }
}

/// What an entry point by itself was made to come to.
#[derive(Debug)]
struct Own {
    explored: Explored,
    shown: FixedBitSet,
    touched: Touched,
}

type Cell = Arc<OnceLock<Option<Arc<Own>>>>;

/// An entry point, and the one that ran before, if one did.
type After = (EntryId, Option<EntryId>);

/// The runs of a driver, each made once.
#[derive(Debug)]
pub struct Runs<'p> {
    program: &'p Program,
    /// Before the threads of a pair; `None`: no run of the initialisation came there.
    start: Option<Machine<'p>>,
    /// What the harness is told beyond the two entry points.
    further: Vec<u32>,
    deadline: Deadline,
    own: Mutex<BTreeMap<After, Cell>>,
    /// What has been asked of two: whether they were seen to have it in common.
    common: Mutex<BTreeMap<(EntryId, EntryId, Spot), bool>>,
}

impl<'p> Runs<'p> {
    /// Runs the initialisation of a driver. `numbers`: what the harness is told, for a pair of nobody.
    pub fn new(
        code: &'p Code,
        program: &'p Program,
        numbers: Vec<u32>,
        deadline: Deadline,
    ) -> Runs<'p> {
        let further = numbers.get(2..).unwrap_or_default().to_vec();
        let mut runs = Runs {
            program,
            start: None,
            further,
            deadline,
            own: Mutex::default(),
            common: Mutex::default(),
        };
        runs.start = runs.initialised(&code.0, numbers);
        runs
    }

    fn initialised(&self, code: &'p code::Code, numbers: Vec<u32>) -> Option<Machine<'p>> {
        let threads = self.program.harness.pair_main?;
        let mut machine = Machine::new(code, self.program)?;
        machine.pair = numbers;
        Exploration::new(&mut machine, INIT, self.deadline, Of::First)
            .come_to_call(threads)
            .then_some(machine)
    }

    /// Whether a run came through initialisation.
    pub fn is_started(&self) -> bool {
        self.start.is_some()
    }

    /// The machine after initialisation, for these two; `earlier`: who is to run before them.
    fn before(&self, a: u32, b: u32, earlier: Option<EntryId>) -> Option<Machine<'p>> {
        let mut machine = self.start.clone()?;
        machine.pair = [a, b]
            .into_iter()
            .chain(self.further.iter().copied())
            .collect();
        if let Some(earlier) = earlier {
            tell(&mut machine.pair, EARLIER, earlier.index() as u32 + 1);
        }
        Some(machine)
    }

    /// The visible instructions that an entry point by itself came to in some run; `None`: it was not run.
    pub fn shown(&self, entry: EntryId) -> Option<FixedBitSet> {
        Some(self.own(entry, None)?.shown.clone())
    }

    /// The runs of an entry point by itself that came to something new, as schedules in which nothing fails: for whoever takes their
    /// steps again.
    pub fn of_one(&self, entry: EntryId) -> Vec<Schedule> {
        let own = self.own(entry, None);
        let machine = self.before(entry.index() as u32, NOBODY, None);
        let (Some(own), Some(mut machine)) = (own, machine) else {
            return Vec::new();
        };
        let from = machine.mark();
        let again = own.explored.runs.iter().map(|choices| {
            machine.rewind(&from);
            machine.before.clone_from(&choices.before);
            machine.scripts = vec![choices.own.clone()];
            machine.fuel = OWN.one;
            let pause = machine.go(0, Until::default());
            let mut steps = machine.steps.clone();
            if pause == Pause::Failed {
                // What follows the last step is a part of it.
                steps.pop();
            }
            Schedule {
                pair: machine.pair.clone(),
                steps,
                inputs: machine.inputs.recorded(),
                ..Schedule::default()
            }
        });
        again.collect()
    }

    fn own(&self, entry: EntryId, earlier: Option<EntryId>) -> Option<Arc<Own>> {
        let cell = {
            let mut all = self.own.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry((entry, earlier)).or_default().clone()
        };
        let own = cell.get_or_init(|| self.alone(entry, earlier).map(Arc::new));
        own.clone()
    }

    fn alone(&self, entry: EntryId, earlier: Option<EntryId>) -> Option<Own> {
        let mut machine = self.before(entry.index() as u32, NOBODY, earlier)?;
        machine.wanted.insert_range(..self.program.sites.len());
        let mut touched = Touched::after(&machine);
        let limits = match earlier {
            None => OWN,
            Some(_) => OWN_LATER,
        };
        let of = Of::First;
        let explored =
            Exploration::new(&mut machine, limits, self.deadline, of).all(|machine, _| {
                touched.note(machine);
                false
            });
        let mut shown = FixedBitSet::with_capacity(self.program.sites.len());
        shown.extend(explored.by_site.keys().map(|site| site.index()));
        Some(Own {
            explored,
            shown,
            touched,
        })
    }

    /// Two entry points beside each other, and the one that runs before them, if one does; `None`: these were not run. `wanted`: the
    /// accesses that may race.
    pub fn beside(
        &self,
        (a, b): (EntryId, EntryId),
        earlier: Option<EntryId>,
        wanted: &FixedBitSet,
    ) -> Option<Beside<'p>> {
        let each = [self.own(a, earlier)?, self.own(b, earlier)?];
        if each.iter().any(|own| own.shown.is_disjoint(wanted)) {
            return None;
        }
        let choices = each.map(|own| own.choices(wanted));
        Some(Beside::new(self.two(a, b, earlier)?, choices, wanted))
    }

    /// Whether two entry points were seen to access the same bytes at such places, one of them to write; `None`: these were not run.
    pub fn common(
        &self,
        (a, b): (EntryId, EntryId),
        asked: &[&Spot],
        looked_for: LookedFor,
    ) -> Option<Vec<bool>> {
        let own = [self.own(a, None)?, self.own(b, None)?];
        if looked_for == LookedFor::Known {
            let meets = |spot: &&Spot| own[0].touched.meets(&own[1].touched, spot);
            return Some(asked.iter().map(meets).collect());
        }
        let known = || self.common.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |spot: &&Spot| (a, b, (*spot).clone());
        let open: Vec<&Spot> = {
            let known = known();
            let open = asked.iter().filter(|spot| !known.contains_key(&key(spot)));
            open.copied().collect()
        };
        if !open.is_empty() {
            let shown = common::common(&mut self.two(a, b, None)?, [&own[0], &own[1]], &open);
            known().extend(open.iter().map(key).zip(shown));
        }
        let known = known();
        let shown = asked
            .iter()
            .map(|spot| known.get(&key(spot)) == Some(&true));
        Some(shown.collect())
    }

    /// The same where another entry point has run before them.
    pub fn common_after(
        &self,
        (a, b): (EntryId, EntryId),
        earlier: EntryId,
        asked: &[&Spot],
    ) -> Option<Vec<bool>> {
        let own = [self.own(a, Some(earlier))?, self.own(b, Some(earlier))?];
        let mut two = self.two(a, b, Some(earlier))?;
        Some(common::common(&mut two, [&own[0], &own[1]], asked))
    }

    /// The same of an operation on a file and its end, for one file: the kernel keeps them apart by when it calls them.
    pub fn common_of_one_file(
        &self,
        (a, b): (EntryId, EntryId),
        asked: &[&Spot],
    ) -> Option<Vec<bool>> {
        let own = [self.own(a, None)?, self.own(b, None)?];
        let mut machine = self.before(a.index() as u32, b.index() as u32, None)?;
        tell(&mut machine.pair, SAME_FILE, 1);
        let mut two = Two::new(machine, self.program.harness.starter?, self.deadline);
        Some(common::common(&mut two, [&own[0], &own[1]], asked))
    }

    fn two(&self, a: EntryId, b: EntryId, earlier: Option<EntryId>) -> Option<Two<'p>> {
        let machine = self.before(a.index() as u32, b.index() as u32, earlier)?;
        let starter = self.program.harness.starter?;
        Some(Two::new(machine, starter, self.deadline))
    }
}

/// Runs of one side that are made again beside the other.
const MOST_CHOICES: usize = 12;

impl Own {
    /// The choices of runs that came to what is wanted.
    fn choices(&self, wanted: &FixedBitSet) -> Vec<Choices> {
        let mut numbers: Vec<usize> = Vec::new();
        for site in wanted.ones().map(SiteId::new) {
            let runs = self.explored.by_site.get(&site).into_iter().flatten();
            for run in runs {
                if !numbers.contains(run) {
                    numbers.push(*run);
                }
            }
        }
        numbers.sort_unstable();
        numbers.truncate(MOST_CHOICES);
        numbers
            .into_iter()
            .map(|n| self.explored.runs[n].clone())
            .collect()
    }
}
