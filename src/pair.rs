//! One pair of threads: from its plan to its verdicts.
//!
//! KISS's executions are balanced: what is scheduled runs within what scheduled it. Of a driver's pair (A, B) the first
//! thread executes A, and B may be scheduled before, within and after it, but A never within B. So a pair is run twice,
//! the second time with B outside, for the regions on which the first run found no race. Of a scenario each of its threads is outside
//! once.

mod alone;
mod ask;
mod entries;
mod evidence;
mod gaps;
mod grounds;
mod hint;
mod ledger;
#[cfg(test)]
mod ledger_tests;
mod net;
mod question;
mod scout;
mod share;
mod sliced;
mod solo;
mod start;
mod suppressed;
mod switch_points;
mod task;
mod unidentified;
mod warm;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use fixedbitset::FixedBitSet;

use crate::analysis::fields::{FieldId, is_called};
use crate::analysis::plan::{PairPlan, PlannedRegion, Planner, ProvedRegion, Threads};
use crate::config::{Explore, Options, Rounds};
use crate::deadline::{Deadline, Stopped};
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId, Idx, SiteId};
use crate::program::{Program, SiteKind};
use crate::solver::{self, Budget, Patience, Purse};
use crate::symex::check::Checker;
use crate::symex::exec::{CheckInputs, Limits};
use crate::symex::paths;
use crate::symex::slice::Slicing;
use crate::verdict::{Candidate, Claim, Finding, PairResult, Tier, Why};

pub use entries::Nets;
use evidence::Reach;
pub use evidence::share_evidence;
pub use grounds::Grounds;
use ledger::{Ledger, Proof};
pub use net::nets;
use share::MAX_TERMS;
pub use share::{Share, stack_bytes};
pub use sliced::{counts as fields_counted, found as fields_found, of_program as fields};
pub use solo::Solo;
pub use start::Start;
pub use task::Task;

/// The count of places at which threads may switch, for `--stats`.
const SWITCH_POINTS: &str = "switch points";

/// Where queries are written to as they are asked, in SMT-LIB 2. Flushed after each pair.
pub type Queries = Arc<Mutex<dyn Write + Send>>;

/// The same for one solver.
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
struct Search<'a> {
    /// Who ledger.
    tier: Tier,
    /// In rounds, with these bounds; none: balanced executions.
    rounds: Option<Rounds>,
    /// Regions that are not asked for.
    skip: &'a [Claim],
    /// What is not followed.
    slicing: Option<Arc<Slicing>>,
    /// If another search follows: the part of the budget of a query after which it is given up.
    share: Option<u64>,
}

impl<'a> Search<'a> {
    /// With everything tracked.
    fn of(tier: Tier, rounds: Option<Rounds>, skip: &'a [Claim]) -> Search<'a> {
        Search {
            tier,
            rounds,
            skip,
            slicing: None,
            share: None,
        }
    }
}

/// What all pairs of an input share.
#[derive(Clone, Copy)]
pub struct Shared<'a, 'p> {
    /// The program.
    pub closed: &'p Closed,
    /// Of the concurrent program.
    pub planner: &'a Planner<'a>,
    /// Where pairs start.
    pub start: &'a Start<'p>,
    /// What each entry point gets to by itself.
    pub solo: &'a Solo,
    /// What nets prove of a driver.
    pub nets: &'a Nets,
    /// What all claims rest on.
    pub grounds: &'a Grounds,
    /// What is asked for.
    pub options: &'a Options,
    /// When to stop: what is not decided by then is unknown.
    pub deadline: Deadline,
    /// Where queries are written to.
    pub queries: Option<&'a Queries>,
    /// Whether to decide only what needs no search.
    pub early: bool,
    /// What one pair may cost.
    pub share: Share,
    /// What the queries of the pair at hand are paid from.
    pub purse: Option<&'a Purse>,
}

impl Shared<'_, '_> {
    /// The budget of the queries of the pair at hand, of which one may take `query` units.
    fn budget(&self, query: u64) -> Budget {
        Budget {
            query,
            purse: self.purse.cloned(),
        }
    }

    /// The limits of one of its runs, which begins with so many terms.
    fn limits(&self, terms: usize) -> Limits {
        Limits {
            terms: terms + self.share.terms,
            ..limits(self.options, self.deadline)
        }
    }

    /// The same of what runs before a pair, which may cost as much.
    fn limits_before(&self) -> Limits {
        self.limits(self.start.run.terms.len())
    }

    /// Whether executions are searched.
    fn searches(&self) -> bool {
        self.options.tiers.searches() && !self.early
    }
}

/// Result of one task.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Verdicts.
    pub pair: PairResult,
    /// Confirmed findings.
    pub findings: Vec<Finding>,
    /// Interleavings that the interpreter did not confirm.
    pub not_replayed: u32,
    /// Fields that were found to matter (`--track auto`).
    pub matter: BTreeSet<FieldId>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
    /// What each of its threads was shown to get to.
    pub shown: Vec<FixedBitSet>,
    /// Proofs that wait for evidence from other pairs.
    pub unproved: Vec<ledger::Unproved>,
    /// What ended the check before its time, if anything did: then the verdicts depend on the machine.
    pub stopped: Option<Stopped>,
}

fn limits(options: &Options, deadline: Deadline) -> Limits {
    Limits {
        unwind: options.unwind,
        recursion: options.recursion,
        depth: share::depth(),
        instructions: options.max_instructions,
        terms: MAX_TERMS,
        deadline,
    }
}

/// What is known of two threads without a search. `None`: it was not decided in time, is not about what threads share, or takes an
/// execution of its own to show that they get somewhere.
pub fn early(shared: &Shared<'_, '_>, task: &Task) -> Option<Checked> {
    if task.alone || !task.in_steady() || shared.deadline.passed().is_some() {
        return None;
    }
    let mut checked = check(shared, task, &|_| {});
    // The search counts what it meets.
    checked.stats.clear();
    checked.stopped.is_none().then_some(checked)
}

/// Checks one pair. Findings are told to `found` as soon as they are confirmed.
pub fn check(shared: &Shared<'_, '_>, task: &Task, found: &dyn Fn(&Finding)) -> Checked {
    let purse = shared.share.rlimit.map(Purse::of);
    let shared = &Shared {
        purse: purse.as_ref(),
        ..*shared
    };
    if task.alone {
        return alone::check(shared, task, found);
    }
    let program = &shared.closed.concurrent;
    let options = shared.options;
    let mut plan = plan(program, shared.planner, task);
    if options.atomicity && options.tiers.searches() {
        let threads = threads(program, shared.planner, task);
        plan.atomicity = shared.planner.candidates(&threads);
    }
    let nothing_shared = ask::claims(shared, &plan).is_empty() && plan.proved.is_empty();
    let nothing_shared = nothing_shared && plan.silenced.is_empty();
    if !options.fields.is_empty() {
        plan.regions.retain(|r| asked_for(&r.name, &options.fields));
        plan.proved.retain(|r| asked_for(&r.name, &options.fields));
        plan.silenced
            .retain(|r| asked_for(&r.name, &options.fields));
    }
    let locks: Vec<Proof> = proofs(&mut plan, options)
        .into_iter()
        .map(Proof::from)
        .collect();
    let mut net = net::proofs(shared, task, &mut plan);
    let sides = task.sides();
    net.expect_evidence(shared, task, &mut plan);
    let by_net = !net.proofs.is_empty();
    let proofs: Vec<Proof> = locks.into_iter().chain(net.proofs).collect();
    if options.use_after_free && ask::any(program, &plan, SiteKind::Free) {
        // Any access may be the one that comes too late.
        plan.enabled.union_with(&plan.reachable());
    }
    if options.deadlock {
        // An interrupt may come anywhere while a lock is held: before each section is often enough, since handlers that could wait
        // for the lock do nothing else with what it protects.
        let all = plan.reachable();
        let begins = |s: &usize| program.sites[SiteId::new(*s)].kind == SiteKind::AtomicBegin;
        let begins: FixedBitSet = all.ones().filter(begins).collect();
        plan.enabled.union_with(&begins);
    }
    if options.switch_points < 100 {
        switch_points::thin(&mut plan.enabled, options.switch_points);
    }
    let points = plan.enabled.count_ones(..) as u64;
    let asked = ask::claims(shared, &plan);
    let solo = shared.solo.of(shared, task, &plan);
    let counted = |reach: &Reach| -> Vec<(u32, u32)> {
        let sides = reach.sides.iter().zip(&plan.sides);
        sides
            .map(|(shown, planned)| Reach::of(shown, planned, program))
            .collect()
    };
    // Nothing left to ask: locks decided it, or nothing is shared and nothing asserted; or nobody is to be asked.
    let decided = asked.is_empty() && (!task.is_program() || !proofs.is_empty());
    let searched = shared.searches();
    if decided || !searched {
        // What is handed over is not got to alone.
        let alone = solo
            .filter(|solo| !by_net || evidence::nowhere(program, &plan, solo, &sides).is_none());
        let solo = alone.or_else(|| solo::together(shared, task, &plan, &proofs));
        let solo = solo.map(|known| solo::beside(shared, task, &plan, &proofs, known));
        let mut ledger = match searched {
            true => Ledger::default(),
            false => Ledger::unknown(&asked, &Why::Candidate(candidate(&plan, options))),
        };
        for region in &mut ledger.regions {
            if ask::is_searched_for(&region.claim) {
                region.why = Some(Why::NotSearched);
            }
            let open = region.claim.region().and_then(|name| net.open.get(name));
            if let Some(why) = open {
                region.why = Some(Why::Candidate(Candidate::NoNet(why.clone())));
            }
        }
        if !searched && asked.is_empty() {
            ledger.regions.clear();
        }
        ledger.prove(
            proofs,
            solo.as_ref(),
            &plan,
            shared,
            (&sides, task.is_program()),
        );
        net::told(&mut ledger, &net.runs, options);
        let grounds = shared.grounds.of(program, &plan);
        ledger.rests_on(&grounds);
        let mut checked = task.result(ledger);
        checked.stats.insert(SWITCH_POINTS.to_string(), points);
        checked.stats.extend(net.stats);
        checked.pair.nothing_shared = nothing_shared;
        if checked.pair.regions.is_empty() {
            checked.pair.assumptions = grounds;
        }
        checked.pair.suppressed = suppressed::of(program, &plan);
        checked.pair.reachable_sites = solo.as_ref().map_or_else(|| task.none_reached(), counted);
        checked.shown = solo.map(|reach| reach.sides).unwrap_or_default();
        unidentified::told(&mut checked, &plan, shared);
        checked.stopped = shared.deadline.passed();
        return checked;
    }
    let findings = RefCell::new(Vec::new());
    let keep = |finding: Finding| {
        found(&finding);
        findings.borrow_mut().push(finding);
    };
    let mut ledger: Option<Ledger> = None;
    if options.tiers.kiss {
        let within = |task: &Task, plan: &PairPlan, solo: Option<&Reach>, skip: &[Claim]| {
            let search = Search::of(Tier::Kiss, None, skip);
            run(shared, task, plan, solo, &search, &keep)
        };
        let rest = |raced: &[Claim]| within(task, &plan, solo.as_ref(), raced);
        let mut first = scout::before(shared, task, &plan, solo.as_ref(), &keep, &rest);
        for outer in task.others_outside() {
            let raced = first.raced();
            if raced.len() >= first.regions.len() || shared.deadline.passed().is_some() {
                break;
            }
            let solo = solo.as_ref().map(|solo| solo.swapped(outer));
            let plan = swapped(&plan, outer);
            let other = within(&task.swapped(outer), &plan, solo.as_ref(), &raced);
            first.add(other.swapped(outer));
        }
        ledger = Some(first);
    }
    if options.tiers.contexts {
        let raced = ledger.as_ref().map(Ledger::raced).unwrap_or_default();
        let in_rounds = || sliced::rounds(shared, task, &plan, solo.as_ref(), &raced, &keep);
        match &mut ledger {
            None => ledger = Some(in_rounds()),
            Some(ledger) if raced.len() < ledger.regions.len() => {
                ledger.add(in_rounds());
            }
            Some(_) => {}
        }
    }
    let mut ledger = ledger.unwrap_or_default();
    hint::confirm(shared, task, &plan, &net.runs, &mut ledger, &keep);
    let reach = ledger.reach.take().or(solo);
    let reach = reach.map(|known| solo::for_proofs(shared, task, &plan, &proofs, known));
    let named = (&sides[..], task.is_program());
    ledger.ask_for_evidence(reach.as_ref(), (program, &plan), named);
    ledger.prove(
        proofs,
        reach.as_ref(),
        &plan,
        shared,
        (&sides, task.is_program()),
    );
    net::told(&mut ledger, &net.runs, options);
    ledger.rests_on(&shared.grounds.of(program, &plan));
    let mut checked = task.result(ledger);
    checked.stats.insert(SWITCH_POINTS.to_string(), points);
    checked.stats.extend(net.stats);
    checked.pair.reachable_sites = reach.as_ref().map_or_else(|| task.none_reached(), counted);
    checked.shown = reach.map(|reach| reach.sides).unwrap_or_default();
    checked.findings = findings.into_inner();
    checked.pair.suppressed = suppressed::of(program, &plan);
    unidentified::told(&mut checked, &plan, shared);
    checked.stopped = shared.deadline.passed();
    checked
}

/// Why a region is open where nothing is executed.
fn candidate(plan: &PairPlan, options: &Options) -> Candidate {
    match &plan.gap {
        Some(gap) => Candidate::Gap(gap.clone()),
        None if !options.tiers.lockset => Candidate::Net,
        None => Candidate::NoLock,
    }
}

/// What locks prove. Where they could not follow everything, what they would have proved is left to the other analyses: without
/// candidates, but an execution shows whether the gap can be reached.
fn proofs(plan: &mut PairPlan, options: &Options) -> Vec<ProvedRegion> {
    let proved = std::mem::take(&mut plan.proved);
    if !options.race {
        return Vec::new();
    }
    if plan.gap.is_none() {
        return proved;
    }
    plan.regions
        .extend(proved.into_iter().map(|r| PlannedRegion {
            name: r.name,
            objects: Vec::new(),
            sites_a: r.sites_a,
            sites_b: r.sites_b,
            contests: Vec::new(),
        }));
    plan.regions.sort_by(|x, y| x.name.cmp(&y.name));
    Vec::new()
}

/// The same plan with another thread outside.
fn swapped(plan: &PairPlan, outer: usize) -> PairPlan {
    let mut plan = plan.clone();
    plan.sides.swap(0, outer);
    // Of more than two threads, these are of any two.
    if plan.sides.len() == 2 {
        for region in &mut plan.regions {
            std::mem::swap(&mut region.sites_a, &mut region.sites_b);
        }
    }
    plan
}

/// One run: of KISS, the first thread of the task outside; or in rounds, the first thread first.
fn run(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    solo: Option<&Reach>,
    search: &Search<'_>,
    found: &dyn Fn(Finding),
) -> Ledger {
    let (tier, rounds, skip) = (search.tier, search.rounds, search.skip);
    let Shared {
        closed,
        options,
        deadline,
        ..
    } = *shared;
    let mut asked = ask::claims(shared, plan);
    asked.retain(|claim| !skip.contains(claim));
    if let Some(stopped) = deadline.passed() {
        return Ledger::unknown(&asked, &Why::Stopped(stopped));
    }
    let state = match shared.start.begin(closed, &task.sides()) {
        Ok(state) => state,
        Err(why) => return Ledger::unknown(&asked, &why),
    };
    let inputs = CheckInputs {
        pair: shared.start.numbers(task.numbers()),
        enabled: plan.enabled.clone(),
        checked: if options.race {
            plan.checked.clone()
        } else {
            FixedBitSet::with_capacity(closed.concurrent.sites.len())
        },
        ts_max: task.ts(options),
        rounds,
        slicing: search.slicing.clone(),
        use_after_free: options.use_after_free,
        watched: plan.atomicity.watched.clone(),
    };
    let function = closed.sequential.check_start(task.in_steady());
    let (mut run, state, mut script) = match task.in_steady() && options.explore == Explore::Merge {
        true => shared.start.warmed(state, &inputs, shared.limits_before()),
        false => (shared.start.run.clone(), state, Vec::new()),
    };
    script.push(function.clone());
    run.set_check(inputs.clone());
    let limits = shared.limits(run.terms.len());
    run.set_limits(limits);
    let before = (run.instructions, run.terms.len() as u64);
    let ends = shared.start.ends_before(&run);
    let outcome = match options.explore {
        Explore::Merge => run.run(&function, state).map(|_| ()),
        Explore::Paths => paths::run_all(&mut run, &function, &state),
    };
    if let Err(why) = outcome {
        return Ledger::unknown(&asked, &Why::NotExecuted(why));
    }
    let mut ledger = Ledger::by(tier);
    ledger.count("instructions", run.instructions - before.0);
    ledger.count("states merged", run.merges);
    for end in &run.ends {
        let place = closed.sequential.source.describe(end.loc);
        ledger.count(&format!("ends: {} at {place}", end.kind.name()), 1);
    }
    // No question would be answered any more.
    if let Some(stopped) = deadline.passed() {
        ledger.all_unknown(&asked, &Why::Stopped(stopped));
        return ledger;
    }
    let lanes = options.explore == Explore::Merge;
    let rlimit = options.rlimit.div_ceil(search.share.unwrap_or(1));
    let mut solver = match shared.queries {
        Some(queries) => {
            let mut sink = Sink(queries.clone());
            // What cannot be written is told when the solver is dropped.
            let _ = writeln!(
                sink,
                "; {}, {}",
                task.sides().join(" beside "),
                match rounds {
                    Some(_) => "in rounds",
                    None => "which may run within it",
                }
            );
            solver::standard_logged(shared.budget(rlimit), deadline, Box::new(sink))
        }
        None => solver::standard(shared.budget(rlimit), deadline),
    };
    if search.share.is_some() {
        solver = Box::new(Patience::new(solver));
    }
    let mut checker = Checker::new(run, solver, script, inputs, limits, lanes);
    let sides = task.sides();
    let asking = ask::Asking {
        shared,
        plan,
        sides: &sides,
        skip,
        solo,
        sliced: search.slicing.is_some(),
        before: ends,
    };
    ask::regions(&mut ledger, &mut checker, &asking, found);
    let stats = checker.solver_stats();
    if search.slicing.is_some() {
        let [loops, calls] = checker.run().left_out();
        ledger.count("slicing: loops left out", loops.0);
        ledger.count("slicing: loops", loops.1);
        ledger.count("slicing: functions left out", calls.0);
        ledger.count("slicing: functions", calls.1);
    }
    ledger.count("terms", checker.run().terms.len() as u64 - before.1);
    for (name, n) in [
        ("queries", stats.queries),
        ("queries folded", stats.folded),
        ("queries cached", stats.cached),
        ("queries reused", stats.reused),
        ("queries solved by Z3", stats.solved),
        ("queries unknown", stats.unknown),
    ] {
        ledger.count(name, n);
    }
    ledger
}

/// Whether `--field` names a region: as it is written in reports, or without `struct ` or `@`.
pub fn asked_for(region: &str, fields: &[String]) -> bool {
    fields.iter().any(|f| is_called(region, f))
}

/// The regions of memory that the threads of a task share.
pub fn regions(closed: &Closed, planner: &Planner<'_>, task: &Task) -> Vec<String> {
    let plan = plan(&closed.concurrent, planner, task);
    let proved = plan.proved.into_iter().map(|r| r.name);
    plan.regions
        .into_iter()
        .map(|r| r.name)
        .chain(proved)
        .collect()
}

/// The function of the harness that calls an entry point.
pub fn wrapper(program: &Program, entry: EntryId) -> Option<FuncId> {
    program.function_named(&format!("__irkiss_entry_{}", entry.index()))
}

/// The function of the harness that every thread of an entry point starts in.
pub fn starter(program: &Program) -> Option<FuncId> {
    program.function_named("__irkiss_entry_start")
}

fn plan(program: &Program, planner: &Planner<'_>, task: &Task) -> PairPlan {
    planner.plan(&threads(program, planner, task))
}

/// The threads of a task.
pub fn threads(program: &Program, planner: &Planner<'_>, task: &Task) -> Threads {
    if task.entries().is_empty() {
        let main = program.function_named("__irkiss_main").unwrap_or(FuncId(0));
        return planner.program_threads(main);
    }
    let root = |e: &EntryId| -> Vec<FuncId> { wrapper(program, *e).into_iter().collect() };
    let mut roots: Vec<Vec<FuncId>> = task.entries().iter().map(root).collect();
    // An entry point alone.
    roots.resize(roots.len().max(2), Vec::new());
    let main = program.function_named("__irkiss_main");
    match (main, starter(program)) {
        (Some(main), Some(starter)) if task.is_lifecycle() => {
            planner.born_threads(main, starter, &roots)
        }
        _ => planner.beside(&roots),
    }
}
