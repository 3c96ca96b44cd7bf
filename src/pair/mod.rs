//! One pair of threads: from its plan to its verdicts.

mod apart;
mod begun;
mod budget;
mod caveats;
mod common;
mod earlier;
mod elsewhere;
mod ending;
mod entries;
mod evidence;
mod gaps;
mod grounds;
mod isolated;
mod ledger;
#[cfg(test)]
mod ledger_tests;
mod net_runs;
mod open;
mod plans;
mod prologue;
mod queries;
mod query;
mod refinement;
mod refuses;
mod representative;
mod run;
mod runs;
mod single;
mod start;
mod suppressed;
mod task;
mod tiers;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::{Arc, Mutex};

use fixedbitset::FixedBitSet;

use crate::analysis::fields::FieldId;
use crate::analysis::plan::{PairPlan, Planner, Threads};
use crate::concrete::Runs;
use crate::config::{Explore, Options, RaceCheck};
use crate::deadline::{Deadline, Stopped};
use crate::frontend::Closed;
use crate::index::{EntryId, FuncId};
use crate::program::{MadeBy, Program};
use crate::property::Property;
use crate::region::{Region, is_called};
use crate::solver::{self, Budget, SharedBudget, Solver};
use crate::symex::machine::mode::Limits;
use crate::verdict::{Claim, Finding, PairResult};

pub use apart::{Asked, Told, session, sessions};
pub use begun::{Begun, begun};
use budget::MAX_TERMS;
pub use budget::{Share, stack_bytes};
use caveats::Described;
pub use common::Held;
pub use earlier::{Earlier, after_one, common_after_one};
pub use elsewhere::share_evidence;
pub use ending::Endings;
pub use entries::Nets;
pub use grounds::Grounds;
pub use isolated::Isolated;
use open::Open;
pub use plans::Plans;
pub use refinement::{counts as fields_counted, found as fields_found, of_program as fields};
pub use runs::{of_program, races};
pub use start::Start;
pub use task::Task;
use tiers::TIERS;
pub use tiers::nets;

/// Where queries are written to as they are asked, in SMT-LIB 2. Flushed after each pair.
pub type Queries = Arc<Mutex<dyn Write + Send>>;

/// Pairs are gone through twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// What needs no search, of all pairs: no search of one then takes the time of another's proofs.
    Proofs,
    /// All.
    Search,
}

/// What all pairs of an input share.
#[derive(Clone, Copy)]
pub struct Shared<'a, 'p> {
    /// The program.
    pub closed: &'p Closed,
    /// Of the concurrent program.
    pub planner: &'a Planner<'a>,
    /// What it has planned.
    pub plans: &'a Plans,
    /// Where pairs start.
    pub start: &'a Start<'p>,
    /// What each entry point gets to by itself.
    pub isolated: &'a Isolated,
    /// Concrete runs; none: the program is none that is run.
    pub runs: Option<&'a Runs<'p>>,
    /// What nets prove of a driver.
    pub nets: &'a Nets,
    /// What all claims rest on.
    pub grounds: &'a Grounds,
    /// Which entry points are run before a pair, for what earlier calls leave behind.
    pub earlier: &'a Earlier,
    /// What removals do once callbacks may have been taken back.
    pub endings: &'a Endings,
    /// The entry point at hand that begins beside initialisation, if that is what is looked at.
    pub begun: Option<&'a Begun>,
    /// Whether the user puts the threads beside each other.
    pub named: bool,
    /// What is asked for.
    pub options: &'a Options,
    /// When to stop: what is not decided by then is unknown.
    pub deadline: Deadline,
    /// Where queries are written to.
    pub queries: Option<&'a Queries>,
    /// What is decided this time.
    pub pass: Pass,
    /// What one pair may cost.
    pub share: Share,
    /// The claims of the pair at hand that are decided.
    pub settled: &'a [Claim],
    /// Those of which it is known that they are about something that both threads have in common.
    pub common: &'a [Claim],
    /// What runs of a program show that each side gets to; none: it is a driver, or was not run.
    pub shown: &'a [FixedBitSet],
    /// What the queries of the pair at hand are paid from.
    pub purse: Option<&'a SharedBudget>,
}

impl Shared<'_, '_> {
    /// The budget of the queries of the pair at hand, of which one may take `query` units.
    fn budget(&self, query: u64) -> Budget {
        Budget {
            query,
            purse: self.purse.cloned(),
        }
    }

    /// Who answers questions about the pair at hand, of which one may take `query` units.
    fn solver(&self, query: u64) -> Box<dyn Solver> {
        solver::standard(self.options.solver, self.budget(query), self.deadline)
    }

    /// The limits of one of its runs, which begins with so many terms.
    fn limits(&self, terms: usize) -> Limits {
        Limits {
            terms: terms + self.share.terms,
            lookups: self.share.lookups,
            ..limits(self.options, self.deadline)
        }
    }

    /// The same of what runs before a pair, which may cost as much.
    fn limits_before(&self) -> Limits {
        self.limits(self.start.run.terms.len())
    }

    /// Whether threads that were executed one by one are put together (`pair/apart.rs`).
    fn puts_together(&self) -> bool {
        let options = self.options;
        // Fewer switch points and single paths are bounds of their own; whether a write matters is asked of both threads at once.
        options.switch_points == 100
            && options.explore == Explore::Merge
            && options.race_check == RaceCheck::Adjacent
            && self.closed.sequential.runtime.by == Some(MadeBy::Kiss)
            && options.asks(Property::Race)
            && options.tiers.kiss
    }

    /// Whether executions are searched.
    fn searches(&self) -> bool {
        self.options.tiers.searches() && self.pass == Pass::Search
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
    /// Claims of which it is not shown that they are about something in common.
    pub held: Vec<Held>,
    /// What ended the check before its time, if anything did: then the verdicts depend on the machine.
    pub stopped: Option<Stopped>,
}

impl Checked {
    /// Adds what was found before, or by another way, the findings of which come first.
    pub fn add_before(&mut self, early: &Checked) {
        self.add_races(early);
        self.findings.splice(0..0, early.findings.iter().cloned());
        for (name, n) in &early.stats {
            *self.stats.entry(name.clone()).or_default() += n;
        }
    }

    /// Adds the races that were found before the search, which did not ask for them again.
    pub fn add_races(&mut self, early: &Checked) {
        self.pair.regions.refute(&early.pair.regions);
        let sites = self.pair.reachable_sites.iter_mut();
        for (shown, before) in sites.zip(&early.pair.reachable_sites) {
            *shown = (*shown).max(*before);
        }
    }
}

fn limits(options: &Options, deadline: Deadline) -> Limits {
    Limits {
        unwind: options.unwind,
        recursion: options.recursion,
        depth: budget::depth(),
        instructions: options.max_instructions,
        terms: MAX_TERMS,
        lookups: u64::MAX,
        deadline,
        solver: options.solver,
    }
}

/// What is known of two threads without a search. `None`: it was not decided in time, is not about what threads share, or takes an
/// execution of its own to show that they get somewhere.
pub fn proofs(shared: &Shared<'_, '_>, task: &Task) -> Option<Checked> {
    if task.alone || !task.in_steady() || shared.deadline.passed().is_some() {
        return None;
    }
    let mut checked = check(shared, task, &|_| {});
    // The search counts what it meets.
    checked.stats.clear();
    checked.stopped.is_none().then_some(checked)
}

/// What is asked about the threads of a whole program, of which nothing is known yet: it is listed where the time ends before anything is
/// decided. `None`: nothing is asked, or it is a pair of entry points, of which [`proofs`] tells more.
pub fn listed(shared: &Shared<'_, '_>, task: &Task) -> Option<Checked> {
    if !task.is_program() {
        return None;
    }
    let plan = planned(shared, task);
    let mut claims = queries::claims(shared, &plan);
    if shared.options.asks(Property::Race) {
        claims.extend(plan.proved.iter().map(|r| Claim::Region(r.name.clone())));
    }
    let ledger = ledger::Ledger::unknown(&claims, &start::no_start());
    (!claims.is_empty()).then(|| task.result(ledger))
}

/// Checks one pair. Findings are told to `found` as soon as they are confirmed.
pub fn check(shared: &Shared<'_, '_>, task: &Task, found: &dyn Fn(&Finding)) -> Checked {
    let purse = shared.share.rlimit.map(SharedBudget::of);
    let shared = &Shared {
        purse: purse.as_ref(),
        named: shared.named || task.is_named(),
        ..*shared
    };
    if task.alone {
        return single::check(shared, task, found);
    }
    let findings = RefCell::new(Vec::new());
    let described = Described::of(shared, task);
    let keep = |finding: Finding| {
        if let Some(finding) = described.tell(finding) {
            found(&finding);
            findings.borrow_mut().push(finding);
        }
    };
    let mut open = Open::new(shared, task, &keep);
    for tier in TIERS {
        if tier.applies(&open) {
            tier.decide(&mut open);
        }
    }
    open.close(&findings)
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

/// Whether `--field` names a region: as it is written in reports, or without `struct ` or `@`.
pub fn asked_for(name: &str, fields: &[String]) -> bool {
    fields.iter().any(|f| is_called(name, f))
}

/// The regions of memory that the threads of a task share.
pub fn regions(closed: &Closed, planner: &Planner<'_>, task: &Task) -> Vec<Region> {
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
    program.harness.entry(entry)?.wrapper
}

/// The function of the harness that every thread of an entry point starts in.
pub fn starter(program: &Program) -> Option<FuncId> {
    program.harness.starter
}

fn plan(program: &Program, planner: &Planner<'_>, task: &Task) -> PairPlan {
    let threads = threads(program, planner, task);
    match task.late() {
        Some(late) => planner.plan_late(&threads, late),
        None => planner.plan(&threads),
    }
}

/// The plan of a task, which may be known.
fn planned(shared: &Shared<'_, '_>, task: &Task) -> PairPlan {
    let make = || {
        let plan = plan(&shared.closed.concurrent, shared.planner, task);
        match task.has_two() {
            Some(kind) => caveats::of_each_its_own(plan, shared.closed, (task, kind)),
            None => plan,
        }
    };
    shared.plans.of(task, make)
}

/// The threads of a task.
pub fn threads(program: &Program, planner: &Planner<'_>, task: &Task) -> Threads {
    if task.entries().is_empty() {
        let main = program.harness.main.unwrap_or(FuncId(0));
        return planner.program_threads(main);
    }
    let root = |e: &EntryId| -> Vec<FuncId> { wrapper(program, *e).into_iter().collect() };
    let mut roots: Vec<Vec<FuncId>> = task.entries().iter().map(root).collect();
    // An entry point alone.
    roots.resize(roots.len().max(2), Vec::new());
    let main = program.harness.main;
    match (main, starter(program)) {
        (Some(main), Some(starter)) if task.is_lifecycle() => {
            planner.born_threads(main, starter, &roots)
        }
        _ => planner.beside(&roots),
    }
}
