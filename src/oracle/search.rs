//! What the exhaustive explorers share: all ways to take a step, the way back to the start, limits and results.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::script::Script;
use crate::config::Marked;
use crate::index::SiteId;
use crate::program::FailKind;
use crate::replay::interp::{AccessRecord, Log, Machine, Visible};
use crate::replay::state::{NO_START, PathError, State, Stop};
use crate::trace::schedule::{Failure, Inputs, Schedule, Step, ThreadNumber};

/// What bounds an exploration.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The values that an input may have; cut to its width.
    pub domain: Vec<u64>,
    /// States after which the exploration gives up ([`Outcome::complete`] is then false).
    pub states: usize,
    /// Instructions in one step.
    pub fuel: u64,
    /// Entry points of the pair under check.
    pub pair: Vec<u32>,
    /// Which accesses are marked.
    pub marked: Marked,
    /// Whether to look for races; assertions are always looked for.
    pub races: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            domain: vec![0, 1],
            states: 200_000,
            fuel: 10_000,
            pair: Vec::new(),
            marked: Marked::Kcsan,
            races: true,
        }
    }
}

/// Two sites, the smaller first.
pub type SitePair = (SiteId, SiteId);

/// The unordered pair.
pub fn pair_of(a: SiteId, b: SiteId) -> SitePair {
    (a.min(b), a.max(b))
}

/// What an exploration found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Whether some assertion can fail.
    pub assertion: bool,
    /// The assertions that can fail, each with an execution.
    pub assertions: BTreeMap<SiteId, Schedule>,
    /// The checks of models that can fail, by kind, each with an execution.
    pub checks: BTreeMap<(FailKind, SiteId), Schedule>,
    /// The pairs of sites that race in a reachable state.
    pub races: BTreeSet<SitePair>,
    /// An execution for each race.
    pub race_schedules: BTreeMap<SitePair, Schedule>,
    /// Figure 5 only: pairs whose two checks conflict, although the first access need not be enabled any more when the
    /// second is reached (an atomic section that was entered in between). A superset of `races`.
    pub candidates: BTreeSet<SitePair>,
    /// Whether everything was explored. If not, what was found still holds.
    pub complete: bool,
    /// Number of distinct states.
    pub states: usize,
    /// The most threads that a state had, ended ones counted. With one no interleaving was tried.
    pub threads: usize,
    /// Why paths ended early, without repetition.
    pub errors: BTreeSet<String>,
}

/// How one way to take a step ends.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// The state after it.
    After(State),
    /// It cannot be taken now.
    Blocked,
    /// The assertion fails.
    AssertionFailed(Option<SiteId>),
    /// The path ends.
    Error(PathError),
}

/// One way to take a step.
#[derive(Clone, Debug)]
pub struct Way {
    /// How it ends.
    pub attempt: Attempt,
    /// The accesses of its visible part, if that runs to its end (a failed assertion there or not).
    pub accesses: Vec<AccessRecord>,
    /// The checks of models that failed in it, if it can be taken.
    pub failed: Vec<(FailKind, SiteId)>,
    /// The inputs read.
    pub used: Vec<(ThreadNumber, u64)>,
}

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole step, and the prefixes of new threads.
    Step,
    /// Only the visible instruction (or section).
    Visible,
    /// Only the invisible instructions before the next visible one.
    Settle,
    /// Like `Settle`, for thread 0 at the start and all that it creates.
    Start,
}

/// All ways in which `thread` can do that, one for each combination of inputs.
pub fn ways(
    machine: &Machine<'_>,
    state: &State,
    thread: ThreadNumber,
    part: Part,
    limits: &Limits,
) -> Vec<Way> {
    let mut found = Vec::new();
    let mut todo = vec![Vec::new()];
    while let Some(given) = todo.pop() {
        let mut script = Script::new(&limits.domain, &limits.pair, given.clone());
        let mut next = state.clone();
        let mut log = Log {
            on: limits.races,
            ..Log::default()
        };
        let threads = state.threads.len();
        let mut accesses = Vec::new();
        let mut act = || -> Result<(), Stop> {
            if matches!(part, Part::Step | Part::Visible) {
                let visible = machine.execute(&mut next, thread, &mut script, &mut log);
                // A section that ends with a failed assertion can be entered all the same.
                if matches!(visible, Ok(Visible::Done) | Err(Stop::AssertionFailed(_))) {
                    accesses = log.accesses().cloned().collect();
                }
                visible?;
            }
            if part != Part::Visible {
                machine.settle(&mut next, thread, &mut script, &mut log)?;
            }
            if matches!(part, Part::Step | Part::Start) {
                machine.settle_new(&mut next, threads, &mut script)?;
            }
            Ok(())
        };
        let attempt = match act() {
            Ok(()) => Attempt::After(next),
            Err(Stop::Blocked) => Attempt::Blocked,
            Err(Stop::AssertionFailed(site)) => Attempt::AssertionFailed(site),
            Err(Stop::Error(e)) => Attempt::Error(e),
            Err(Stop::Claimed(..)) => {
                Attempt::Error(PathError::Unsupported("not a concurrent program".into()))
            }
            Err(Stop::NeedChoice(values)) => {
                todo.extend(values.into_iter().rev().map(|v| {
                    let mut longer = given.clone();
                    longer.push(v);
                    longer
                }));
                continue;
            }
        };
        let failed = match &attempt {
            Attempt::After(_) => log.failed.iter().map(|(k, s, _)| (*k, *s)).collect(),
            _ => Vec::new(),
        };
        found.push(Way {
            attempt,
            accesses,
            failed,
            used: script.used,
        });
    }
    found
}

/// How a state was reached: a list back to the start.
#[derive(Debug)]
pub struct Path {
    before: Option<Rc<Path>>,
    step: Option<Step>,
    used: Vec<(ThreadNumber, u64)>,
}

/// By a loop: a path is as long as the execution, and the stack is not.
impl Drop for Path {
    fn drop(&mut self) {
        let mut at = self.before.take();
        while let Some(mut path) = at.and_then(Rc::into_inner) {
            at = path.before.take();
        }
    }
}

impl Path {
    /// The path that goes one step further (`None`: inputs were read, but no visible step taken).
    pub fn extend(
        before: Option<&Rc<Path>>,
        step: Option<Step>,
        used: Vec<(ThreadNumber, u64)>,
    ) -> Rc<Path> {
        Rc::new(Path {
            before: before.cloned(),
            step,
            used,
        })
    }

    /// The execution that the path is; `more`: inputs read by what fails.
    pub fn schedule(
        self: &Rc<Path>,
        failure: Failure,
        more: &[(ThreadNumber, u64)],
        pair: &[u32],
    ) -> Schedule {
        let mut nodes = Vec::new();
        let mut at = Some(self);
        while let Some(node) = at {
            nodes.push(node);
            at = node.before.as_ref();
        }
        let mut inputs = Inputs::default();
        let mut steps = Vec::new();
        for node in nodes.into_iter().rev() {
            steps.extend(node.step);
            for (thread, value) in &node.used {
                inputs.nondet.entry(*thread).or_default().push(*value);
            }
        }
        for (thread, value) in more {
            inputs.nondet.entry(*thread).or_default().push(*value);
        }
        Schedule {
            pair: pair.to_vec(),
            steps,
            inputs,
            failure,
        }
    }
}

impl Outcome {
    /// Notes a failing assertion.
    pub fn assertion_fails(&mut self, site: SiteId, schedule: impl FnOnce() -> Schedule) {
        self.assertion = true;
        self.assertions.entry(site).or_insert_with(schedule);
    }
    /// Notes the checks of models that a way to take a step fails.
    pub fn checks_fail(&mut self, path: &Rc<Path>, step: Step, way: &Way, pair: &[u32]) {
        for (kind, site) in &way.failed {
            let thread = step.thread;
            let failure = Failure::Property(
                *kind,
                Step {
                    thread,
                    site: *site,
                },
            );
            self.checks
                .entry((*kind, *site))
                .or_insert_with(|| path.schedule(failure, &way.used, pair));
        }
    }
    /// Notes a race.
    pub fn race(&mut self, pair: SitePair, schedule: impl FnOnce() -> Schedule) {
        if self.races.insert(pair) {
            self.race_schedules.insert(pair, schedule());
        }
    }
}

/// The states before the first visible step, each with its path; none (and an incomplete outcome) without one where thread 0 starts.
pub fn start(
    machine: &Machine<'_>,
    limits: &Limits,
    outcome: &mut Outcome,
) -> Vec<(State, Rc<Path>)> {
    let Some(entry) = machine.program.harness.main else {
        outcome.errors.insert(NO_START.to_string());
        return Vec::new();
    };
    let mut script = Script::new(&limits.domain, &limits.pair, Vec::new());
    let state = match machine.initial(entry, &mut script) {
        Ok(state) => state,
        Err(e) => {
            outcome.errors.insert(e.to_string());
            return Vec::new();
        }
    };
    let mut states = Vec::new();
    for way in ways(machine, &state, 0, Part::Start, limits) {
        match way.attempt {
            Attempt::After(state) => states.push((state, Path::extend(None, None, way.used))),
            Attempt::Error(e) => {
                outcome.errors.insert(e.to_string());
            }
            Attempt::Blocked | Attempt::AssertionFailed(_) => {
                outcome
                    .errors
                    .insert("visible instruction without a site".into());
            }
        }
    }
    outcome.complete = !states.is_empty();
    states
}
