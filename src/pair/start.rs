//! The state that initialisation leaves: where all pairs start.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::evidence::Before;
use super::prologue::Prologue;
use super::refuses;
use super::task::NOBODY;
use super::{limits, stack_bytes};
use crate::config::{Options, Scenario};
use crate::deadline::Deadline;
use crate::environment::contract::{UNBOUND, needs_device, tell};
use crate::environment::entry::EntryPoint;
use crate::expr::Assignment;
use crate::faults;
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId};
use crate::memory;
use crate::property::Property;
use crate::solver::{self, Answer};
use crate::symex::machine::ends::{End, EndKind, Failure};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::{CheckInputs, Limits, Mode};
use crate::symex::machine::state::State;
use crate::symex::witness::checker::Script;
use crate::verdict::Why;

/// Bounds on loops for an initialisation that `--unwind` cuts off.
const INIT_UNWIND: [u32; 2] = [16, 128];

/// The part of what is left of all that is limited that each of them may take.
const INIT_PART: (u32, u32) = (1, 4);

/// Budget of the question whether initialisation can come to its end at all. Where it is not answered, the evidence that entry
/// points get somewhere answers it: it must not cost what that needs.
const END_RLIMIT: u64 = 4_000_000;

/// Ends of an initialisation that never succeeds that the report names.
const LOST: usize = 8;

/// The numbers of a task, and whether no device is bound.
fn numbered(mut numbers: Vec<u32>, unbound: bool) -> Vec<u32> {
    if unbound {
        tell(&mut numbers, UNBOUND, 1);
    }
    numbers
}

/// Why a program that is not sequentialized is not executed.
pub(super) fn no_start() -> Why {
    Why::NotExecuted("the program is not sequentialized".to_string())
}

/// Why pairs start without a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftOut {
    /// No probe succeeds within the bounds.
    WithinBounds,
    /// No probe ever does: they return errors alone.
    Refuses,
}

/// The state that initialisation leaves, shared by all pairs.
pub struct Start<'p> {
    pub(super) run: Executor<'p>,
    pub(super) state: Option<State>,
    /// Inputs by which initialisation comes to that state.
    pub(super) model: Option<Assignment>,
    init: Option<FuncId>,
    /// The probes that are left out: with none of them initialisation succeeds.
    unbound: Vec<String>,
    /// Why they are.
    left_out: LeftOut,
    /// The bound on loops with which initialisation was tried as well, and cut off by what that may cost.
    cut_off: Option<u32>,
    /// What went wrong on the way.
    pub(super) failures: Vec<Failure>,
    /// Where the attempt with a device ended, for the report: its guards are terms of another run.
    refused: Vec<End>,
    prologue: Prologue<'p>,
}

impl<'p> Start<'p> {
    /// Runs the initialisation of a driver; for a whole program there is none.
    ///
    /// Where the bound on loops is all that keeps it from succeeding (a table that is filled, ports that are registered one by
    /// one), it is run again with larger bounds: `--unwind` bounds what pairs do, and a pair without a start tells nothing. Where no
    /// probe can succeed, the module without a device is where pairs start.
    pub fn run(closed: &'p Closed, options: &Options, deadline: Deadline) -> Start<'p> {
        let program = &closed.sequential;
        // In the lifecycle threads are born meanwhile: it belongs to the pair.
        let wanted = !closed.entries.is_empty() && options.scenario == Scenario::Steady;
        let init = program.harness.init.filter(|_| wanted);
        let probing = refuses::probes(&closed.entries).next().is_some();
        let left_out = match refuses::no_probe_succeeds(&closed.concurrent, &closed.entries) {
            true => LeftOut::Refuses,
            false => LeftOut::WithinBounds,
        };
        let start = match left_out {
            // More rounds change nothing.
            LeftOut::Refuses => {
                Start::within(closed, options, limits(options, deadline), init, false)
            }
            LeftOut::WithinBounds => Start::with(closed, options, deadline, init, false),
        };
        if start.state.is_some() || start.run.stopped().is_some() || init.is_none() || !probing {
            return start;
        }
        let mut without = Start::with(closed, options, deadline, init, true);
        if without.state.is_none() {
            return start;
        }
        let probes = refuses::probes(&closed.entries);
        without.unbound = probes.map(|e| e.function.clone()).collect();
        without.left_out = left_out;
        without.cut_off = start.cut_off;
        if left_out == LeftOut::WithinBounds {
            without.refused = start.run.found.ends;
        }
        without
    }

    /// With the bounds that it takes; with a device, or without. What larger bounds take is a part of what is left: an attempt that they
    /// make too long is none, and the one before stands.
    fn with(
        closed: &'p Closed,
        options: &Options,
        deadline: Deadline,
        init: Option<FuncId>,
        unbound: bool,
    ) -> Start<'p> {
        let usual = limits(options, deadline);
        let mut start = Start::within(closed, options, usual, init, unbound);
        for unwind in INIT_UNWIND {
            let cut = |end: &End| end.kind == EndKind::UnwindBound;
            if start.state.is_some()
                || unwind <= options.unwind
                || start.run.stopped().is_some()
                || !start.run.found.ends.iter().any(cut)
            {
                break;
            }
            let larger = Limits {
                unwind,
                deadline: deadline.part(INIT_PART),
                ..usual
            };
            let mut attempt = Start::within(closed, options, larger, init, unbound);
            if attempt.run.stopped().is_some() && deadline.passed().is_none() {
                start.cut_off = Some(unwind);
                break;
            }
            attempt.run.set_limits(usual);
            start = attempt;
        }
        start
    }

    /// Within those limits.
    fn within(
        closed: &'p Closed,
        options: &Options,
        limits: Limits,
        init: Option<FuncId>,
        unbound: bool,
    ) -> Start<'p> {
        let deadline = limits.deadline;
        let mut start = Start::attempt(closed, options, limits, init, unbound);
        start.drop_impossible(options, deadline);
        start
    }

    /// A state that no execution leaves is none: what is left where a bound cuts the only way to success.
    fn drop_impossible(&mut self, options: &Options, deadline: Deadline) {
        let Some(state) = self.state.as_ref().filter(|_| self.init.is_some()) else {
            return;
        };
        let guard = state.guard.term(&mut self.run.terms);
        let mut conjuncts = self.run.axioms().to_vec();
        conjuncts.push(guard);
        let mut solver = solver::standard(options.solver, options.rlimit.min(END_RLIMIT), deadline);
        match solver.check(&mut self.run.terms, &conjuncts) {
            Answer::Unsat => self.state = None,
            Answer::Sat(model) => self.model = Some(model),
            Answer::Unknown(_) => {}
        }
    }

    fn attempt(
        closed: &'p Closed,
        options: &Options,
        limits: Limits,
        init: Option<FuncId>,
        unbound: bool,
    ) -> Start<'p> {
        let program = &closed.sequential;
        let sites = program.sites.len();
        let check = CheckInputs {
            pair: numbered(vec![0; 3], unbound),
            enabled: FixedBitSet::with_capacity(sites),
            checked: FixedBitSet::with_capacity(sites),
            ts_max: options.ts,
            rounds: None,
            use_after_free: options.asks(Property::Uaf),
            ..CheckInputs::default()
        };
        let mut run = Executor::new(program, Mode::Merge, limits, check);
        let mut state = Some(State::default());
        let mut failures = Vec::new();
        if let Some(init) = init {
            let outcome = std::thread::scope(|scope| {
                let run = &mut run;
                let here = faults::Here::now();
                std::thread::Builder::new()
                    .stack_size(stack_bytes())
                    .spawn_scoped(scope, move || {
                        here.stay();
                        run.run(init, State::default())
                    })
                    .map(|t| t.join())
            });
            state = match outcome {
                Ok(Ok(Ok(state))) => state,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Ok(Ok(Err(_))) => None,
                // There is no memory for a thread.
                Err(_) => {
                    memory::refused();
                    None
                }
            };
            run.found.reached.clear();
            failures = std::mem::take(&mut run.found.failures);
        }
        Start {
            run,
            state,
            model: None,
            init,
            unbound: Vec::new(),
            left_out: LeftOut::WithinBounds,
            cut_off: None,
            failures,
            refused: Vec::new(),
            prologue: Prologue::new(program),
        }
    }

    /// What the harness is told in an execution of those numbers that begins here.
    pub(super) fn numbers(&self, numbers: Vec<u32>) -> Vec<u32> {
        numbered(numbers, !self.unbound.is_empty())
    }

    /// The same of two threads that are nobody's.
    pub fn of_nobody(&self) -> Vec<u32> {
        self.numbers(vec![NOBODY, NOBODY, 0])
    }

    /// Why nothing is known of what those entry points do, if there is no state that they begin in.
    pub(super) fn missing(&self, closed: &Closed, names: &[&str]) -> Option<Why> {
        if self.state.is_none() {
            return Some(Why::NoStart);
        }
        let needs = |e: &&EntryPoint| {
            names.contains(&e.function.as_str()) && needs_device(&closed.entries, e)
        };
        let all = closed.entries.iter();
        let entry = all.filter(|_| !self.unbound.is_empty()).find(needs)?;
        Some(Why::NoDevice {
            entry: entry.function.clone(),
        })
    }

    /// The state that those entry points begin in, or why there is none.
    pub(super) fn begin(&self, closed: &Closed, names: &[&str]) -> Result<State, Why> {
        let missing = self.missing(closed, names);
        let state = self.state.clone().ok_or(Why::NoStart);
        missing.map_or(state, Err)
    }

    /// The run and the state in which a pair begins whose threads start after the initialisation, and the functions that come to it.
    /// What runs before the pair has run then, if there is such a state and it is within the limits.
    pub(super) fn warmed(
        &self,
        state: State,
        check: &CheckInputs,
        limits: Limits,
    ) -> (Executor<'p>, State, Script) {
        let harness = &self.run.program().harness;
        let mut script: Script = harness.init.into_iter().collect();
        match self.prologue.begin((&self.run, &state), check, limits) {
            Some((run, state)) => {
                script.extend(harness.warm_up);
                (run, state, script)
            }
            None => (self.run.clone(), state, script),
        }
    }

    /// What tells the states apart that pairs with these numbers begin in.
    pub(super) fn begins(&self, numbers: &[u32]) -> Vec<u32> {
        self.prologue.begins(numbers)
    }

    /// The ends of executions in a run that begins here, as far as it has come.
    pub(super) fn ends_before(&self, run: &Executor<'p>) -> Before {
        Before {
            init: self.run.found.ends.len(),
            threads: run.found.ends.len(),
        }
    }

    /// The entry points of which one runs, or none, before that one: what may arm a handler.
    pub(super) fn before(&self, entry: EntryId) -> Vec<EntryId> {
        let known = self.run.program().harness.entry(entry);
        known.map_or(Vec::new(), |e| e.before.clone())
    }

    /// Counts for `--stats`.
    pub fn stats(&self) -> BTreeMap<String, u64> {
        BTreeMap::from([
            ("init instructions".to_string(), self.run.instructions()),
            ("init terms".to_string(), self.run.terms.len() as u64),
        ])
        .into_iter()
        .chain(self.prologue.stats())
        .collect()
    }

    /// Lines for the user.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = match (self.state.is_some(), self.unbound.is_empty()) {
            _ if self.init.is_none() || self.run.stopped().is_some() => return Vec::new(),
            (true, true) => return Vec::new(),
            (true, false) => vec![format!(
                "no device is bound: {} {}; pairs start from the module without a device",
                self.unbound.join(", "),
                match self.left_out {
                    LeftOut::WithinBounds => "never succeeds within the bounds",
                    LeftOut::Refuses => "returns nothing but errors",
                }
            )],
            (false, _) => vec!["initialisation never succeeds within the bounds: nothing can be said of what runs after it".into()],
        };
        notes.extend(self.cut_off.map(|unwind| {
            format!(
                "initialisation with up to {unwind} rounds of each loop took more than a quarter of what is left for everything (--timeout, --work give it more)"
            )
        }));
        notes.extend(self.lost().into_iter().take(LOST));
        notes
    }

    /// Where executions of the initialisation ended before it was through, in the order of the run.
    fn lost(&self) -> Vec<String> {
        let source = &self.run.program().source;
        let mut lost = Vec::new();
        for end in self.refused.iter().chain(&self.run.found.ends) {
            let what = match &end.kind {
                EndKind::Unsupported(what) => format!("not modelled: {what}"),
                kind => kind.name().to_string(),
            };
            let line = format!(
                "initialisation ended: {what} at {}",
                source.describe(end.loc)
            );
            if !lost.contains(&line) {
                lost.push(line);
            }
        }
        lost
    }
}
