//! The chain from the sequential program to replayed findings, without pairs and reports.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use irkiss::config::{Backend, Explore, Options, RoundsBy};
use irkiss::deadline::Deadline;
use irkiss::faults::{RoundsFault, seeded};
use irkiss::internals::analysis::{PairPlan, PlanOptions, Planner, PointsTo};
use irkiss::internals::expr::Term;
use irkiss::internals::frontend::Closed;
use irkiss::internals::index::{FuncId, Idx, SiteId};
use irkiss::internals::program::{FailKind, Program, SiteKind};
use irkiss::internals::replay::confirm::confirm;
use irkiss::internals::solver;
use irkiss::internals::symex::machine::EndKind;
use irkiss::internals::symex::machine::Executor;
use irkiss::internals::symex::machine::State;
use irkiss::internals::symex::machine::{CheckInputs, Limits, Mode};
use irkiss::internals::symex::paths;
use irkiss::internals::symex::{Checker, Missing, Possible};
use irkiss::internals::symex::{Left, Slicing};
use irkiss::oracle::search::{Outcome, pair_of};
use irkiss::trace::schedule::Failure as Claim;

/// Interleavings asked for, of a pair of accesses whose first do not replay: as `irkiss check` does.
const TRIES: u32 = 3;

/// Failures by kind: sites of assertions, unordered pairs of sites of races.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Assertions that fail.
    pub assertions: BTreeSet<SiteId>,
    /// Races that the interpreter confirmed.
    pub races: BTreeSet<(SiteId, SiteId)>,
    /// Found, but not confirmed.
    pub unconfirmed: BTreeSet<(SiteId, SiteId)>,
}

impl Found {
    /// What an oracle found.
    pub fn of(outcome: &Outcome) -> Found {
        Found {
            assertions: outcome.assertions.keys().copied().collect(),
            races: outcome.races.clone(),
            unconfirmed: BTreeSet::new(),
        }
    }

    /// Whether these are the expected failures: no others, and a race that is not confirmed is told, not absent.
    pub fn tells(&self, expected: &Found) -> bool {
        let told = self.unconfirmed.intersection(&expected.races);
        let races: BTreeSet<_> = self.races.iter().chain(told).copied().collect();
        races == expected.races && self.assertions == expected.assertions
    }
}

/// What symbolic execution finds, at the sites of the plan (without one: at all); every interleaving is replayed. `Err`: what went wrong.
pub fn symbolic(
    closed: &Closed,
    options: &Options,
    plan: Option<&PairPlan>,
) -> Result<Found, String> {
    match search(closed, options, plan, None)? {
        Searched::Found(found) => Ok(found),
        Searched::Misled(_) => Err("misled, with everything tracked".into()),
    }
}

/// The same in rounds, with the fields alone that it takes; and how many searches it took, with how many fields tracked that were not
/// at first.
pub fn sliced(closed: &Closed, options: &Options) -> Result<(Found, usize, usize), String> {
    let program = &closed.concurrent;
    let main = program.function_named("__irkiss_main").ok_or("no main")?;
    let points_to = PointsTo::solve(program, &[main], false);
    let planner = Planner::new(program, &points_to, PlanOptions::default());
    let fields = planner.fields(main, &[]);
    let plan = whole_plan(program, &planner, main);
    let mut tracked = BTreeSet::new();
    let mut followed = BTreeSet::new();
    for searches in 1..100 {
        let Some(slice) = fields.slice(program, &plan, &tracked) else {
            return Ok((symbolic(closed, options, None)?, searches, tracked.len()));
        };
        let mut left = PairPlan {
            enabled: slice.enabled,
            ..plan.clone()
        };
        if seeded(RoundsFault::SectionsUnseen) {
            let begins = program.sites.iter_ids();
            for (site, _) in begins.filter(|(_, s)| s.kind == SiteKind::AtomicBegin) {
                left.enabled.set(site.index(), false);
            }
        }
        let slicing = Slicing {
            untracked: slice.untracked,
            stored: None,
            followed: followed.clone(),
        };
        let misled = match search(closed, options, Some(&left), Some(Arc::new(slicing)))? {
            Searched::Found(found) => return Ok((found, searches, tracked.len())),
            Searched::Misled(misled) => misled,
        };
        let before = tracked.len() + followed.len();
        for left in misled {
            match left {
                Left::Access(site) => tracked.extend(fields.of_site(site)),
                Left::Quiet(function, header) => {
                    followed.insert((function, header));
                }
            }
        }
        if tracked.len() + followed.len() == before {
            return Err("misled by what is tracked".into());
        }
    }
    Err("no end of searches".into())
}

/// Where all is a switch point and checked.
fn whole_plan(program: &Program, planner: &Planner<'_>, main: FuncId) -> PairPlan {
    let mut plan = planner.program(main);
    plan.enabled.grow(program.sites.len());
    plan.enabled.insert_range(..);
    plan.checked.grow(program.sites.len());
    plan.checked.insert_range(..);
    plan
}

/// What may be possible where each thread runs by itself; `None`: that is not known.
pub fn thread_modular(closed: &Closed, options: &Options) -> Result<Option<Found>, String> {
    let program = &closed.concurrent;
    let main = program.function_named("__irkiss_main").ok_or("no main")?;
    let points_to = PointsTo::solve(program, &[main], false);
    let planner = Planner::new(program, &points_to, PlanOptions::default());
    let fields = planner.fields(main, &[]);
    if fields.gap().is_some() {
        return Ok(None);
    }
    let plan = whole_plan(program, &planner, main);
    let [untracked, stored] = fields.thread_modular(program, &plan);
    let slicing = Slicing {
        untracked,
        stored: Some(stored),
        followed: BTreeSet::new(),
    };
    let one = Options {
        contexts: 1,
        ..options.clone()
    };
    let mut checker = finished(closed, &one, Some(&plan), Some(Arc::new(slicing)))?;
    if checker.gap().is_some() {
        return Ok(None);
    }
    let mut found = Found::default();
    for f in checker.failures(|_, _, _| true) {
        if checker.impossible(&[f.guard]) {
            continue;
        }
        match f.kind {
            FailKind::Assertion => found.assertions.insert(f.second),
            _ => found.races.insert(pair_of(f.first, f.second)),
        };
    }
    Ok(Some(found))
}

/// What one search came to.
enum Searched {
    Found(Found),
    Misled(BTreeSet<Left>),
}

/// A finished run.
fn finished<'p>(
    closed: &'p Closed,
    options: &Options,
    plan: Option<&PairPlan>,
    slicing: Option<Arc<Slicing>>,
) -> Result<Checker<'p>, String> {
    let n = closed.concurrent.sites.len();
    let mut all = FixedBitSet::with_capacity(n);
    all.insert_range(..);
    let check = CheckInputs {
        pair: vec![0; 3],
        enabled: plan.map_or_else(|| all.clone(), |p| p.enabled.clone()),
        checked: plan.map_or(all, |p| p.checked.clone()),
        ts_max: options.ts,
        rounds: options.tiers.contexts.then(|| options.rounds()),
        use_after_free: false,
        slicing,
        ..CheckInputs::default()
    };
    let limits = Limits {
        unwind: options.unwind,
        recursion: 3,
        depth: 1_000,
        // Guesses of pointers take several executions.
        instructions: match options.rounds_by {
            RoundsBy::Lazy => 8_000,
            RoundsBy::Eager => 80_000,
        },
        terms: 40_000,
        lookups: u64::MAX,
        deadline: Deadline::NEVER,
        solver: Backend::default(),
    };
    let mut run = Executor::new(&closed.sequential, Mode::Merge, limits, check.clone());
    let lanes = options.explore == Explore::Merge;
    let start = closed.sequential.check_start(false).expect("a start");
    if lanes {
        run.run(start, State::default())?;
    } else {
        paths::run_all(&mut run, start, &State::default())?;
    }
    let script = vec![start];
    Ok(Checker::new(
        run,
        solver::standard(Backend::default(), 0, Deadline::NEVER),
        script,
        check,
        limits,
        lanes,
    ))
}

fn search(
    closed: &Closed,
    options: &Options,
    plan: Option<&PairPlan>,
    slicing: Option<Arc<Slicing>>,
) -> Result<Searched, String> {
    let mut checker = finished(closed, options, plan, slicing)?;
    if let Some(gap) = checker.gap() {
        return Err(match gap {
            Missing::Budget | Missing::End(EndKind::Budget, _) => "budget used up".to_string(),
            Missing::Stopped(stopped) => stopped.to_string(),
            Missing::End(EndKind::Unsupported(what), _)
            | Missing::Open(EndKind::Unsupported(what), _) => what,
            Missing::End(kind, _) | Missing::Open(kind, _) => kind.name().to_string(),
        });
    }
    let mut found = Found::default();
    let mut tries: BTreeMap<(FailKind, SiteId, SiteId), u32> = BTreeMap::new();
    let mut open: BTreeMap<(FailKind, SiteId, SiteId), Term> = checker
        .failures(|_, _, _| true)
        .into_iter()
        .map(|f| ((f.kind, f.first, f.second), f.guard))
        .collect();
    while !open.is_empty() {
        let guards: Vec<Term> = open.values().copied().collect();
        let among: Vec<_> = open.keys().map(|(_, a, b)| (*a, *b)).collect();
        let schedule = match checker.possible(&guards, None, &among) {
            Possible::No => break,
            Possible::Unknown(why) | Possible::Lost(why) => return Err(why),
            Possible::Misled(left) => return Ok(Searched::Misled(left)),
            Possible::Yes(schedule) => schedule,
        };
        let key = match &schedule.failure {
            Claim::Assertion(step) => *open
                .keys()
                .find(|(kind, _, second)| *kind == FailKind::Assertion && *second == step.site)
                .ok_or("another assertion fails")?,
            Claim::Race { first, second } => (FailKind::Race, first.site, second.site),
            Claim::UseAfterFree(_) | Claim::Property(..) | Claim::Atomicity { .. } => {
                return Err("nobody asked for other failures".into());
            }
        };
        let Some(guard) = open.remove(&key) else {
            return Err(format!("{key:?} is not what was asked for"));
        };
        let (kind, first, second) = key;
        if let Err(d) = confirm(&closed.concurrent, &schedule) {
            // An access of an atomic section is checked where the section begins; whether the section can still be
            // entered when the second access is reached is left to the interpreter.
            if kind == FailKind::Race {
                let n = tries.entry(key).or_default();
                *n += 1;
                if *n < TRIES {
                    open.insert(key, checker.otherwise(guard));
                }
                found.unconfirmed.insert(pair_of(first, second));
                continue;
            }
            return Err(format!("does not replay: {d}\n{schedule:#?}"));
        }
        match kind {
            FailKind::Assertion => found.assertions.insert(second),
            _ => found.races.insert(pair_of(first, second)),
        };
    }
    found.unconfirmed = found
        .unconfirmed
        .difference(&found.races)
        .copied()
        .collect();
    Ok(Searched::Found(found))
}
