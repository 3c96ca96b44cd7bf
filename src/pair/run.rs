//! One execution of a task, and what it answers.

use std::io::{self, Write};
use std::sync::{Arc, PoisonError};

use fixedbitset::FixedBitSet;

use super::evidence::Reach;
use super::ledger::{INSTRUCTIONS, Ledger, TERMS};
use super::queries::{self, Aim};
use super::start::no_start;
use super::{Queries, Shared, Task};
use crate::analysis::plan::PairPlan;
use crate::config::{Explore, Rounds};
use crate::property::Property;
use crate::solver::{self, Patience, Solver};
use crate::symex::machine::mode::CheckInputs;
use crate::symex::memory::untracked::Slicing;
use crate::symex::schedule::paths;
use crate::symex::witness::checker::Checker;
use crate::verdict::{Claim, Finding, Tier, Why, Within};

/// Where one solver writes its queries to.
struct Sink(Queries);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.flush()
    }
}

/// What a run searches.
#[derive(Clone)]
pub(super) struct Search<'a> {
    /// Who decides.
    pub tier: Tier,
    /// In rounds, with these bounds; none: balanced executions.
    pub rounds: Option<Rounds>,
    /// Regions that are not asked for.
    pub skip: &'a [Claim],
    /// What is not followed.
    pub slicing: Option<Arc<Slicing>>,
    /// How many arguments the program is given beside its name; none: any number.
    pub further_arguments: Option<u8>,
    /// If another search follows: the part of the budget of a query after which it is given up.
    pub share: Option<u64>,
    /// What for.
    pub aim: Aim,
}

impl<'a> Search<'a> {
    /// With everything tracked.
    pub(super) fn of(tier: Tier, rounds: Option<Rounds>, skip: &'a [Claim]) -> Search<'a> {
        Search {
            tier,
            rounds,
            skip,
            slicing: None,
            further_arguments: None,
            share: None,
            aim: Aim::Verdicts,
        }
    }
}

/// One run: of KISS, the first thread of the task outside; or in rounds, the first thread first.
pub(super) fn run(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    isolated: Option<&Reach>,
    search: &Search<'_>,
    found: &dyn Fn(Finding),
) -> Ledger {
    let (tier, skip) = (search.tier, search.skip);
    let Shared {
        closed,
        options,
        deadline,
        ..
    } = *shared;
    let mut asked = queries::claims(shared, plan);
    asked.retain(|claim| !skip.contains(claim));
    if let Some(stopped) = deadline.passed() {
        return Ledger::unknown(&asked, &Why::Stopped(stopped));
    }
    let state = match shared.start.begin(closed, &task.sides()) {
        Ok(state) => state,
        Err(why) => return Ledger::unknown(&asked, &why),
    };
    let inputs = inputs(shared, task, plan, search);
    let Some(function) = closed.sequential.check_start(task.in_steady()) else {
        return Ledger::unknown(&asked, &no_start());
    };
    let (mut run, state, mut script) = match task.in_steady() && options.explore == Explore::Merge {
        true => shared.start.warmed(state, &inputs, shared.limits_before()),
        false => (shared.start.run.clone(), state, Vec::new()),
    };
    script.push(function);
    run.set_check(inputs.clone());
    let limits = shared.limits(run.terms.len());
    run.set_limits(limits);
    let before = (run.instructions(), run.terms.len() as u64);
    let ends = shared.start.ends_before(&run);
    let outcome = match options.explore {
        Explore::Merge => run.run(function, state).map(|_| ()),
        Explore::Paths => paths::run_all(&mut run, function, &state),
    };
    if let Err(why) = outcome {
        return Ledger::unknown(&asked, &Why::NotExecuted(why));
    }
    let mut ledger = Ledger::by(tier);
    ledger.within = Some(within(search.rounds, task.ts(options)));
    ledger.count(INSTRUCTIONS, run.instructions() - before.0);
    ledger.count("states merged", run.found.merges);
    for end in &run.found.ends {
        let place = closed.sequential.source.describe(end.loc);
        ledger.count(&format!("ends: {} at {place}", end.kind.name()), 1);
    }
    // No question would be answered any more.
    if let Some(stopped) = deadline.passed() {
        ledger.all_unknown(&asked, &Why::Stopped(stopped));
        return ledger;
    }
    let lanes = options.explore == Explore::Merge;
    let solver = solver(shared, task, search);
    let mut checker = Checker::new(run, solver, script, inputs, limits, lanes);
    let sides = task.sides();
    let asking = queries::Asking {
        shared,
        plan,
        sides: &sides,
        skip,
        isolated,
        sliced: search.slicing.is_some(),
        aim: search.aim,
        before: ends,
    };
    queries::regions(&mut ledger, &mut checker, &asking, found);
    ledger.count(TERMS, checker.run().terms.len() as u64 - before.1);
    count(&mut ledger, &checker, search);
    ledger
}

/// The executions that a search goes through.
pub(super) fn within(rounds: Option<Rounds>, ts: u32) -> Within {
    match rounds {
        None => Within::Balanced { ts },
        Some(rounds) => Within::Rounds {
            contexts: rounds.contexts,
            switches: rounds.switches,
        },
    }
}

/// What the sequential program is told.
fn inputs(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    search: &Search<'_>,
) -> CheckInputs {
    let options = shared.options;
    CheckInputs {
        pair: shared.start.numbers(task.numbers()),
        enabled: plan.enabled.clone(),
        checked: match options.asks(Property::Race) {
            true => plan.checked.clone(),
            false => FixedBitSet::with_capacity(shared.closed.concurrent.sites.len()),
        },
        ts_max: task.ts(options),
        rounds: search.rounds,
        slicing: search.slicing.clone(),
        further_arguments: search.further_arguments,
        use_after_free: options.asks(Property::Uaf),
        apart: None,
        watched: plan.atomicity.watched.clone(),
    }
}

/// Who answers its questions.
fn solver(shared: &Shared<'_, '_>, task: &Task, search: &Search<'_>) -> Box<dyn Solver> {
    let (backend, rlimit) = (shared.options.solver, shared.options.rlimit);
    let budget = shared.budget(rlimit.div_ceil(search.share.unwrap_or(1)));
    let solver = match shared.queries {
        Some(queries) => {
            let mut sink = Sink(queries.clone());
            let how = match search.rounds {
                Some(_) => "in rounds",
                None => "which may run within it",
            };
            // What cannot be written is told when the solver is dropped.
            let _ = writeln!(sink, "; {}, {how}", task.sides().join(" beside "));
            solver::standard_logged(backend, budget, shared.deadline, Box::new(sink))
        }
        None => solver::standard(backend, budget, shared.deadline),
    };
    match search.share {
        Some(_) => Box::new(Patience::new(solver)),
        None => solver,
    }
}

/// What it has cost.
fn count(ledger: &mut Ledger, checker: &Checker<'_>, search: &Search<'_>) {
    let stats = checker.solver_stats();
    if search.slicing.is_some() {
        let [loops, calls] = checker.run().left_out();
        ledger.count("slicing: loops left out", loops.0);
        ledger.count("slicing: loops", loops.1);
        ledger.count("slicing: functions left out", calls.0);
        ledger.count("slicing: functions", calls.1);
    }
    for (name, n) in [
        ("queries", stats.queries),
        ("queries folded", stats.folded),
        ("queries cached", stats.cached),
        ("queries reused", stats.reused),
        ("queries decided on bits", stats.bits - stats.bits_unknown),
        ("queries left open on bits", stats.bits_unknown),
        ("queries solved by Z3", stats.solved),
        ("queries unknown", stats.unknown),
    ] {
        ledger.count(name, n);
    }
}
