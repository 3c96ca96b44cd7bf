//! What each entry point gets to by itself: the evidence that a verdict on its pairs is not vacuous. Once per entry point.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fixedbitset::FixedBitSet;

use super::alone::NOBODY;
use super::ask::{self, Reach};
use super::{Shared, Task, limits, warm};
use crate::analysis::PairPlan;
use crate::config::{Rounds, Track};
use crate::environment::entry::EntryPoint;
use crate::index::{EntryId, Idx};
use crate::program::SiteKind;
use crate::solver::{self, Budget, Purse};
use crate::symex::check::Checker;
use crate::symex::exec::{CheckInputs, Mode};

/// Budget of a query for a witness. That the rest cannot be reached is of no use: it must not cost what verdicts need.
const WITNESS_RLIMIT: u64 = 2_000_000;

/// The same for all of one entry point.
const WITNESSES_RLIMIT: u64 = 8_000_000;

/// Instructions of an entry point that are executed for nothing but this evidence: its beginning is mostly enough, and what is
/// executed of it costs more the longer it is.
const ENOUGH_INSTRUCTIONS: [u64; 2] = [4_000, 20_000];

type Shown = Arc<OnceLock<Option<FixedBitSet>>>;

/// The sites that each entry point was shown to get to from the state that initialisation leaves, with nobody beside it.
#[derive(Default)]
pub struct Solo(Mutex<BTreeMap<EntryId, Shown>>);

impl Solo {
    /// Of all sides of a task; `None` for a whole program and in the lifecycle, where threads are born meanwhile.
    pub(super) fn of(
        &self,
        shared: &Shared<'_, '_>,
        task: &Task,
        plan: &PairPlan,
    ) -> Option<Reach> {
        if !task.in_steady() {
            return None;
        }
        let each = task.entries().iter().zip(&plan.sides);
        let sides = each.map(|(entry, own)| self.one(shared, *entry, own));
        Some(Reach {
            sides: sides.collect::<Option<Vec<_>>>()?,
            ..Reach::default()
        })
    }

    /// `own`: the sites of the entry point, without what opens its file before.
    fn one(
        &self,
        shared: &Shared<'_, '_>,
        entry: EntryId,
        own: &FixedBitSet,
    ) -> Option<FixedBitSet> {
        let cell = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(entry).or_default().clone()
        };
        cell.get_or_init(|| run(shared, entry, own)).clone()
    }
}

/// What the threads of a task get to that are started by one that is executed too: a whole program, or the lifecycle. Without switch
/// points: each thread runs as it is started, or when the one that starts it is over. `None`: it did not come to its end in time.
pub(super) fn together(shared: &Shared<'_, '_>, task: &Task, plan: &PairPlan) -> Option<Reach> {
    let mut all: Option<Reach> = None;
    let nowhere = FixedBitSet::with_capacity(shared.closed.concurrent.sites.len());
    for ts_max in [0, task.ts(shared.options).max(1)] {
        let shown = execution(shared, task, plan, &nowhere, ts_max)?;
        match &mut all {
            None => all = Some(shown),
            Some(all) => all.add(&shown),
        }
    }
    // One that is not executed to its end keeps who started it from going on: it may stay behind in a loop.
    let program = &shared.closed.concurrent;
    let lacking = |reach: &Reach| ask::no_evidence(program, plan, reach, &task.sides()).is_some();
    if let Some(all) = all.as_mut().filter(|all| lacking(all)) {
        let mut loops = FixedBitSet::with_capacity(program.sites.len());
        let back = program.sites.iter_ids();
        let back = back.filter(|(_, site)| site.kind == SiteKind::BackEdge);
        loops.extend(back.map(|(site, _)| site.index()));
        if let Some(shown) = execution(shared, task, plan, &loops, 0) {
            all.add(&shown);
        }
    }
    all
}

/// What the threads of a task get to in one run with these switch points. `None`: it did not come to its end in time.
fn execution(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    switch_points: &FixedBitSet,
    ts_max: u32,
) -> Option<Reach> {
    let program = &shared.closed.concurrent;
    let mut checker = executed(shared, task, switch_points, (ts_max, None))?;
    let user = ask::users(program, plan.sides.iter().flat_map(FixedBitSet::ones));
    let shown = ask::reach(&mut checker, program, plan, &user, false);
    shared.deadline.passed().is_none().then_some(shown)
}

/// The run itself, balanced or in rounds, in which nothing is checked.
pub(super) fn executed<'p>(
    shared: &Shared<'_, 'p>,
    task: &Task,
    switch_points: &FixedBitSet,
    (ts_max, rounds): (u32, Option<Rounds>),
) -> Option<Checker<'p>> {
    let program = &shared.closed.concurrent;
    let inputs = CheckInputs {
        pair: shared.start.numbers(task.numbers()),
        enabled: switch_points.clone(),
        checked: FixedBitSet::with_capacity(program.sites.len()),
        ts_max,
        rounds,
        use_after_free: false,
        ..CheckInputs::default()
    };
    let mut run = shared.start.run.clone();
    run.set_check(inputs.clone());
    run.set_mode(Mode::Merge);
    run.set_limits(shared.limits(run.terms.len()));
    // Of a driver, initialisation has run.
    let function = shared.closed.sequential.check_start(task.in_steady());
    run.run(&function, shared.start.state.clone()?).ok()?;
    let solver = solver::standard(shared.budget(shared.options.rlimit), shared.deadline);
    let limits = limits(shared.options, shared.deadline);
    Some(Checker::new(run, solver, Vec::new(), inputs, limits, true))
}

/// `None`: it did not come to its end in time.
fn run(shared: &Shared<'_, '_>, entry: EntryId, own: &FixedBitSet) -> Option<FixedBitSet> {
    // Without a search, that it gets somewhere is all that is asked for.
    if shared.searches() {
        let mut shown = execute(shared, entry, own, None)?;
        let users = ask::users(&shared.closed.concurrent, own.ones());
        if shown.is_disjoint(&users)
            && !users.is_clear()
            && let Some(more) = within(shared, entry)
        {
            shown.union_with(&more);
        }
        return Some(shown);
    }
    let mut shown = None;
    for most in ENOUGH_INSTRUCTIONS {
        // Proofs hold whatever has run before: that it gets somewhere from where the initialisation leaves off will do.
        for from in [From::Before, From::Init] {
            shown = execute(shared, entry, own, Some((most, from)));
            if shown.as_ref().is_none_or(|s| s.count_ones(..) > 0) {
                return shown;
            }
        }
    }
    shown
}

/// What a handler gets to within an entry point that allows it and takes that back before it is over (a request that is submitted
/// and killed).
fn within(shared: &Shared<'_, '_>, entry: EntryId) -> Option<FixedBitSet> {
    let entries = &shared.closed.entries;
    for outer in shared.start.before(entry) {
        let (a, b) = (&entries[outer], &entries[entry]);
        if EntryPoint::never_overlap(a, b).is_some() {
            continue;
        }
        let task = Task::pair(outer, a, entry, b, false);
        let plan = super::plan(&shared.closed.concurrent, shared.planner, &task);
        let ts = task.ts(shared.options).max(1);
        let Some(reach) = execution(shared, &task, &plan, &plan.enabled, ts) else {
            continue;
        };
        let shown = reach.side(1);
        if shown.ones().next().is_some() {
            return Some(shown);
        }
    }
    None
}

/// Where an execution begins.
#[derive(Clone, Copy, PartialEq)]
enum From {
    /// With what runs before the entry point.
    Before,
    /// With the entry point.
    Init,
}

/// One execution without switch points, of so many instructions.
fn execute(
    shared: &Shared<'_, '_>,
    entry: EntryId,
    own: &FixedBitSet,
    most: Option<(u64, From)>,
) -> Option<FixedBitSet> {
    let name = shared.closed.entries[entry].function.as_str();
    let state = shared.start.begin(shared.closed, &[name]).ok()?;
    let sites = shared.closed.concurrent.sites.len();
    let inputs = CheckInputs {
        pair: shared.start.numbers(vec![entry.index() as u32, NOBODY, 0]),
        enabled: FixedBitSet::with_capacity(sites),
        checked: FixedBitSet::with_capacity(sites),
        ts_max: shared.options.ts,
        rounds: None,
        use_after_free: false,
        ..CheckInputs::default()
    };
    let before = shared.start.run.terms.vars().count();
    let (mut run, state) = match most {
        None => {
            let (run, state, _) = shared.start.warmed(state, &inputs, shared.limits_before());
            (run, Some(state))
        }
        Some(_) => (shared.start.run.clone(), Some(state)),
    };
    run.set_check(inputs.clone());
    run.set_mode(Mode::Merge);
    let mut limits = shared.limits(run.terms.len());
    if let Some((most, _)) = most {
        limits.instructions = limits.instructions.min(run.instructions + most);
    }
    run.set_limits(limits);
    let check = shared.closed.sequential.check_start(true);
    let wrapper = format!("__irkiss_entry_{}", entry.index());
    let functions = match most {
        None => vec![check.as_str()],
        Some((_, From::Before)) => vec![warm::FUNCTION, check.as_str()],
        Some((_, From::Init)) => vec![wrapper.as_str()],
    };
    let mut state = state;
    for function in functions {
        let Some(from) = state.take() else { break };
        run.reached.clear();
        state = run.run(function, from).ok()?;
    }
    let budget = Budget {
        query: shared.options.rlimit.min(WITNESS_RLIMIT),
        purse: Some(Purse::of(WITNESSES_RLIMIT)),
    };
    let solver = solver::standard(budget, shared.deadline);
    let mut checker = Checker::new(run, solver, Vec::new(), inputs, limits, true);
    if let Some(model) = &shared.start.model {
        checker.suggest(model.clone(), before);
    }
    let mut shown = checker.witness(0, own);
    if most.is_none() {
        // Of a search that leaves fields out, nothing else shows that it gets to what models access.
        let own = match shared.options.track {
            Track::All => ask::users(&shared.closed.concurrent, own.ones()),
            _ => own.clone(),
        };
        shown.extend(checker.reached(0, &own, true));
    }
    if shared.deadline.passed().is_some() {
        return None;
    }
    let mut set = FixedBitSet::with_capacity(sites);
    set.extend(shown.into_iter().map(Idx::index));
    Some(set)
}
