//! What each entry point gets to by itself: the evidence that a verdict on its pairs is not vacuous. Once per entry point.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fixedbitset::FixedBitSet;

use super::evidence::{self, Before, Reach};
use super::ledger::Proof;
use super::task::NOBODY;
use super::{Pass, Shared, Task, limits, wrapper};
use crate::analysis::PairPlan;
use crate::config::{Rounds, Track};
use crate::environment::entry::EntryPoint;
use crate::index::{EntryId, Idx, SiteId};
use crate::program::SiteKind;
use crate::solver::{self, Budget, SharedBudget, Solver};
use crate::symex::machine::mode::{CheckInputs, Mode};
use crate::symex::witness::checker::Checker;
use crate::verdict::Ending;

/// Budget of a query for a witness. That the rest cannot be reached is of no use: it must not cost what verdicts need.
const WITNESS_RLIMIT: u64 = 2_000_000;

/// The same for all of one entry point, of which many share what there is for all; and before the search, of which there is less.
const WITNESSES: Witnesses = Witnesses {
    all: 24_000_000,
    least: 500_000,
    most: 8_000_000,
};
const EARLY_WITNESSES: Witnesses = Witnesses {
    all: 4_000_000,
    least: 100_000,
    most: 2_000_000,
};

/// What questions for witnesses may cost, in units of the solver.
struct Witnesses {
    /// Of all entry points.
    all: u64,
    /// Of one, at least and at most.
    least: u64,
    most: u64,
}

impl Witnesses {
    /// Of one of so many.
    fn of_one(&self, entries: usize) -> SharedBudget {
        let share = self.all / entries.max(1) as u64;
        SharedBudget::of(share.clamp(self.least, self.most))
    }
}

/// Instructions of an entry point that are executed for nothing but this evidence: its beginning is mostly enough, and what is
/// executed of it costs more the longer it is.
const ENOUGH_INSTRUCTIONS: [u64; 2] = [4_000, 20_000];

/// What an entry point does by itself.
#[derive(Debug)]
struct Alone {
    /// The sites that it was shown to get to.
    shown: FixedBitSet,
    /// Where its executions end before they are over; told where it was not shown to get to some access of shared memory.
    endings: Vec<Ending>,
    /// How many sites of the user's code it was shown to get to, of how many.
    counts: (u32, u32),
}

/// What questions may cost whether threads that are executed together get somewhere: one, and all of a task.
const TOGETHER_QUERY_RLIMIT: u64 = 20_000_000;
const TOGETHER_RLIMIT: u64 = 60_000_000;

/// Instructions of one run in which threads are executed together for nothing but evidence. What it has shown by then counts.
const TOGETHER_INSTRUCTIONS: u64 = 400_000;

/// Rounds of a program in which it is looked for evidence of what is proved.
const EVIDENCE_ROUNDS: u32 = 4;

type Cell = Arc<OnceLock<Option<Arc<Alone>>>>;

/// How it is found out what an entry point does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    /// As cheaply as it can be: by runs, if it is run and they show what is enough.
    Cheap,
    /// By executing it symbolically as well.
    Symbolic,
}

/// What each entry point does from the state that initialisation leaves, with nobody beside it.
#[derive(Default)]
pub struct Isolated(Mutex<BTreeMap<(EntryId, How), Cell>>);

impl Isolated {
    /// Of all sides of a task; `None` for a whole program and in the lifecycle, where threads are born meanwhile.
    pub(super) fn of(
        &self,
        shared: &Shared<'_, '_>,
        task: &Task,
        plan: &PairPlan,
    ) -> Option<Reach> {
        self.sides(shared, task, plan, How::Cheap)
    }

    fn sides(
        &self,
        shared: &Shared<'_, '_>,
        task: &Task,
        plan: &PairPlan,
        how: How,
    ) -> Option<Reach> {
        if !task.in_steady() {
            return None;
        }
        let each = task.entries().iter().zip(&plan.sides);
        let all = each.map(|(entry, own)| self.one(shared, *entry, own, how));
        let all = all.collect::<Option<Vec<_>>>()?;
        Some(Reach {
            sides: all.iter().map(|alone| alone.shown.clone()).collect(),
            endings: all.iter().map(|alone| alone.endings.clone()).collect(),
            ..Reach::default()
        })
    }

    /// How many sites of the user's code an entry point was shown to get to, of how many, if that has been looked at.
    pub fn known(&self, entry: EntryId) -> Option<(u32, u32)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |how| Some(all.get(&(entry, how))?.get()?.as_ref()?.counts);
        of(How::Symbolic).max(of(How::Cheap))
    }

    /// `own`: the sites of the entry point, without what opens its file before.
    fn one(
        &self,
        shared: &Shared<'_, '_>,
        entry: EntryId,
        own: &FixedBitSet,
        how: How,
    ) -> Option<Arc<Alone>> {
        let cell = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry((entry, how)).or_default().clone()
        };
        cell.get_or_init(|| run(shared, entry, own, how).map(Arc::new))
            .clone()
    }
}

/// What the threads of a task get to that are started by one that is executed too: a whole program, or the lifecycle. Without switch
/// points at first: each thread runs as it is started, or when the one that starts it is over. Where that does not show the accesses of
/// what is proved, threads are interrupted, too. `None`: it did not come to its end in time.
pub(super) fn together(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    proofs: &[Proof],
) -> Option<Reach> {
    let nowhere = FixedBitSet::with_capacity(shared.closed.concurrent.sites.len());
    let ts = task.ts(shared.options).max(1);
    let purse = SharedBudget::of(TOGETHER_RLIMIT);
    let run =
        |points: &FixedBitSet, how| execution(shared, task, plan, (proofs, &purse), (points, how));
    let mut all = run(&nowhere, Interrupted::within(0))?;
    all.add(&run(&nowhere, Interrupted::within(ts))?);
    // One that is not executed to its end keeps who started it from going on: it may stay behind in a loop.
    let program = &shared.closed.concurrent;
    if evidence::nowhere(program, plan, &all, &task.sides()).is_some() {
        let mut loops = FixedBitSet::with_capacity(program.sites.len());
        let back = program.sites.iter_ids();
        let back = back.filter(|(_, site)| site.kind == SiteKind::BackEdge);
        loops.extend(back.map(|(site, _)| site.index()));
        if let Some(shown) = run(&loops, Interrupted::within(0)) {
            all.add(&shown);
        }
    }
    let in_rounds = Rounds {
        contexts: EVIDENCE_ROUNDS,
        ..shared.options.rounds()
    };
    for how in [Interrupted::within(ts), Interrupted::rounds(ts, in_rounds)] {
        if !lacking(shared, task, plan, proofs, &all) {
            break;
        }
        all.add(&run(&plan.enabled, how)?);
    }
    Some(all)
}

/// What was shown of a program, and what its proofs need beyond.
pub(super) fn for_proofs(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    proofs: &[Proof],
    mut known: Reach,
) -> Reach {
    if task.is_program()
        && !known.is_complete()
        && lacking(shared, task, plan, proofs, &known)
        && let Some(shown) = together(shared, task, plan, proofs)
    {
        known.add(&shown);
    }
    known
}

/// Whether a proof lacks evidence.
pub(super) fn lacking(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    proofs: &[Proof],
    known: &Reach,
) -> bool {
    let of = (&shared.closed.concurrent, plan);
    let sides = task.sides();
    let lacks = |proof: &Proof| evidence::no_conflict(of, proof.sites(), known, &sides).is_some();
    proofs.iter().any(lacks)
}

/// What two entry points get to beside each other, where that takes the other: a flag that it sets, a wait that it ends. Only what
/// proofs need is looked for, and only where nobody looks further after this.
pub(super) fn beside(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    proofs: &[Proof],
    mut known: Reach,
) -> Reach {
    if shared.pass == Pass::Proofs
        && shared.runs.is_some()
        && lacking(shared, task, plan, proofs, &known)
    {
        // Runs did not come there.
        let all = shared.isolated.sides(shared, task, plan, How::Symbolic);
        return all.unwrap_or(known);
    }
    if shared.pass == Pass::Proofs || !task.in_steady() {
        return known;
    }
    let ts = task.ts(shared.options).max(1);
    for outer in std::iter::once(0).chain(task.others_outside()) {
        if !lacking(shared, task, plan, proofs, &known) || shared.deadline.passed().is_some() {
            break;
        }
        let (task, plan) = (task.swapped(outer), super::swapped(plan, outer));
        let purse = SharedBudget::of(TOGETHER_RLIMIT);
        if let Some(shown) = execution(
            shared,
            &task,
            &plan,
            (proofs, &purse),
            (&plan.enabled, Interrupted::within(ts)),
        ) {
            known.add(&shown.swapped(outer));
        }
    }
    known
}

/// How threads may interrupt one another in a run.
struct Interrupted {
    /// So many may be pending.
    ts: u32,
    /// In rounds; else each within another.
    rounds: Option<Rounds>,
}

impl Interrupted {
    fn within(ts: u32) -> Interrupted {
        Interrupted { ts, rounds: None }
    }

    fn rounds(ts: u32, rounds: Rounds) -> Interrupted {
        Interrupted {
            ts,
            rounds: Some(rounds),
        }
    }
}

/// What the threads of a task get to in one run with these switch points. `None`: it did not come to its end in time.
fn execution(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    (proofs, purse): (&[Proof], &SharedBudget),
    (switch_points, how): (&FixedBitSet, Interrupted),
) -> Option<Reach> {
    let program = &shared.closed.concurrent;
    let budget = Budget {
        query: shared.options.rlimit.min(TOGETHER_QUERY_RLIMIT),
        purse: Some(purse.clone()),
    };
    let solver = solver::standard(shared.options.solver, budget, shared.deadline);
    let most = Some(TOGETHER_INSTRUCTIONS);
    let mut checker = executed(
        shared,
        task,
        switch_points,
        (how.ts, how.rounds),
        (solver, most),
    )?;
    let mut among = evidence::users(program, plan.sides.iter().flat_map(FixedBitSet::ones));
    let sites = proofs.iter().flat_map(|proof| proof.sites.concat());
    among.extend(sites.map(Idx::index));
    let mut shown = evidence::reach(&mut checker, program, plan, &among, false);
    // Without interruptions little is tried.
    if !switch_points.is_clear() {
        let endings = evidence::endings(&mut checker, Before::default());
        shown.endings = vec![endings; plan.sides.len()];
    }
    shared.deadline.passed().is_none().then_some(shown)
}

/// The run itself, balanced or in rounds, in which nothing is checked; it ends after `most` instructions, if that is said.
pub(super) fn executed<'p>(
    shared: &Shared<'_, 'p>,
    task: &Task,
    switch_points: &FixedBitSet,
    (ts_max, rounds): (u32, Option<Rounds>),
    (solver, most): (Box<dyn Solver>, Option<u64>),
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
    let mut own = shared.limits(run.terms.len());
    if let Some(most) = most {
        own.instructions = own.instructions.min(run.instructions() + most);
    }
    run.set_limits(own);
    // Of a driver, initialisation has run.
    let function = shared.closed.sequential.check_start(task.in_steady())?;
    run.run(function, shared.start.state.clone()?).ok()?;
    let limits = limits(shared.options, shared.deadline);
    Some(Checker::new(run, solver, Vec::new(), inputs, limits, true))
}

/// `None`: it did not come to its end in time.
fn run(shared: &Shared<'_, '_>, entry: EntryId, own: &FixedBitSet, how: How) -> Option<Alone> {
    let program = &shared.closed.concurrent;
    let users = evidence::users(program, own.ones());
    let root: Vec<_> = wrapper(program, entry).into_iter().collect();
    let accesses = shared.planner.accesses(&root);
    let by_runs = shared.runs.and_then(|runs| runs.shown(entry));
    let entries = shared.closed.entries.len();
    let wanted = Wanted {
        own,
        users: &users,
        accesses: &accesses,
        shown: by_runs.clone().unwrap_or_default(),
        purse: match shared.pass {
            Pass::Proofs => EARLY_WITNESSES.of_one(entries),
            Pass::Search => WITNESSES.of_one(entries),
        },
    };
    // Before the search, something that runs show is enough, until a proof wants more.
    let enough = |shown: &FixedBitSet| match (shared.pass, how) {
        (Pass::Proofs, How::Cheap) => !shown.is_disjoint(own),
        _ => !accesses.is_clear() && accesses.is_subset(shown),
    };
    let mut alone = match by_runs.as_ref().filter(|shown| enough(shown)) {
        Some(shown) => Alone {
            shown: shown.clone(),
            endings: Vec::new(),
            counts: (0, 0),
        },
        None if shared.searches() => execute(shared, entry, &wanted, None)?,
        // Without a search, that it gets to its accesses is all that is asked for.
        None => beginning(shared, entry, &wanted)?,
    };
    if shared.searches()
        && alone.shown.is_disjoint(&users)
        && !users.is_clear()
        && let Some(more) = within(shared, entry)
    {
        alone.shown.union_with(&more);
    }
    alone.counts = Reach::of(&alone.shown, own, program);
    Some(alone)
}

/// As many instructions of an entry point as it takes to show its accesses, of the numbers that are tried.
fn beginning(shared: &Shared<'_, '_>, entry: EntryId, wanted: &Wanted<'_>) -> Option<Alone> {
    let mut most = ENOUGH_INSTRUCTIONS.to_vec();
    if !shared.options.tiers.searches() {
        // Nobody looks further after this.
        most.push(shared.options.max_instructions);
    }
    let mut known: Option<Alone> = None;
    for most in most {
        // Proofs hold whatever has run before: what it gets to from where the initialisation leaves off will do.
        for from in [From::Before, From::Init] {
            let alone = execute(shared, entry, wanted, Some((most, from)))?;
            let all = match known.take() {
                None => alone,
                Some(mut all) => {
                    all.shown.union_with(&alone.shown);
                    all.endings = alone.endings;
                    all
                }
            };
            // Before the search, which looks further, its beginning is enough.
            let enough = shared.pass == Pass::Proofs || wanted.accesses.is_subset(&all.shown);
            if enough && !all.shown.is_clear() {
                return Some(all);
            }
            known = Some(all);
        }
    }
    known
}

/// What an execution is to show.
struct Wanted<'a> {
    /// All sites of the entry point.
    own: &'a FixedBitSet,
    /// Those in the user's code.
    users: &'a FixedBitSet,
    /// Those that access shared memory.
    accesses: &'a FixedBitSet,
    /// What is known already: runs came there.
    shown: FixedBitSet,
    /// What all questions are paid from.
    purse: SharedBudget,
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
        let plan = super::planned(shared, &task);
        let ts = task.ts(shared.options).max(1);
        let Some(reach) = execution(
            shared,
            &task,
            &plan,
            (&[], &SharedBudget::of(TOGETHER_RLIMIT)),
            (&plan.enabled, Interrupted::within(ts)),
        ) else {
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
    wanted: &Wanted<'_>,
    most: Option<(u64, From)>,
) -> Option<Alone> {
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
    let before_own = shared.start.ends_before(&run);
    run.set_check(inputs.clone());
    run.set_mode(Mode::Merge);
    let mut limits = shared.limits(run.terms.len());
    if let Some((most, _)) = most {
        limits.instructions = limits.instructions.min(run.instructions() + most);
    }
    run.set_limits(limits);
    let check = shared.closed.sequential.check_start(true);
    let harness = &shared.closed.sequential.harness;
    let functions = match most {
        None => [check, None],
        Some((_, From::Before)) => [harness.warm_up, check],
        Some((_, From::Init)) => [harness.entry(entry).and_then(|e| e.wrapper), None],
    };
    let mut functions = functions.into_iter().flatten().peekable();
    functions.peek()?;
    let mut state = state;
    for function in functions {
        let Some(from) = state.take() else { break };
        run.found.reached.clear();
        state = run.run(function, from).ok()?;
    }
    let budget = Budget {
        query: shared.options.rlimit.min(WITNESS_RLIMIT),
        purse: Some(wanted.purse.clone()),
    };
    let solver = solver::quick(shared.options.solver, budget, shared.deadline);
    let mut checker = Checker::new(run, solver, Vec::new(), inputs, limits, true);
    if let Some(model) = &shared.start.model {
        checker.suggest(model.clone(), before);
    }
    let shown = shown(shared, &mut checker, wanted, most.is_some());
    let endings = match wanted.accesses.is_subset(&shown) || shared.pass == Pass::Proofs {
        true => Vec::new(),
        false => evidence::endings(&mut checker, before_own),
    };
    shared.deadline.passed().is_none().then_some(Alone {
        shown,
        endings,
        counts: (0, 0),
    })
}

/// What an execution is shown to get to, of what is wanted and not known. `beginning`: it is not the whole one.
fn shown(
    shared: &Shared<'_, '_>,
    checker: &mut Checker<'_>,
    wanted: &Wanted<'_>,
    beginning: bool,
) -> FixedBitSet {
    let mut set = wanted.shown.clone();
    set.grow(shared.closed.concurrent.sites.len());
    let add =
        |set: &mut FixedBitSet, shown: Vec<SiteId>| set.extend(shown.into_iter().map(Idx::index));
    let lacking = |set: &FixedBitSet, of: &FixedBitSet| {
        let lacking = of.difference(set).collect::<FixedBitSet>();
        (!lacking.is_clear()).then_some(lacking)
    };
    if set.is_disjoint(wanted.users) {
        add(&mut set, checker.witness(0, wanted.own));
    }
    // Of a search that leaves fields out, nothing else shows that it gets to what models access.
    let few = match shared.options.track {
        Track::All => wanted.users,
        _ => wanted.own,
    };
    if !beginning && let Some(few) = lacking(&set, few) {
        add(&mut set, checker.reached(0, &few, true));
    }
    if let Some(lacking) = lacking(&set, wanted.accesses) {
        add(&mut set, checker.reached(0, &lacking, beginning));
    }
    set
}
