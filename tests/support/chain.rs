//! The chain from the sequential program to replayed findings, without pairs and reports.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use irkiss::analysis::PairPlan;
use irkiss::config::{Explore, Options};
use irkiss::deadline::Deadline;
use irkiss::expr::Term;
use irkiss::frontend::Closed;
use irkiss::index::SiteId;
use irkiss::program::FailKind;
use irkiss::replay::confirm::confirm;
use irkiss::replay::search::{Outcome, pair_of};
use irkiss::solver;
use irkiss::symex::check::{Checker, Possible};
use irkiss::symex::exec::{self, CheckInputs, Executor, Limits};
use irkiss::symex::paths;
use irkiss::symex::state::State;
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
}

/// What symbolic execution finds, at the sites of the plan (without one: at all); every interleaving is replayed. `Err`: what went wrong.
pub fn symbolic(
    closed: &Closed,
    options: &Options,
    plan: Option<&PairPlan>,
) -> Result<Found, String> {
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
        ..CheckInputs::default()
    };
    let limits = Limits {
        unwind: options.unwind,
        recursion: 3,
        instructions: 8_000,
        terms: 40_000,
        deadline: Deadline::NEVER,
    };
    let mut run = Executor::new(&closed.sequential, exec::Mode::Merge, limits, check.clone());
    let lanes = options.explore == Explore::Merge;
    if lanes {
        run.run("__kiss_main", State::default())?;
    } else {
        paths::run_all(&mut run, "__kiss_main", &State::default())?;
    }
    let script = vec!["__kiss_main".to_string()];
    let mut checker = Checker::new(
        run,
        solver::standard(0, Deadline::NEVER),
        script,
        check,
        limits,
        lanes,
    );
    if let Some(gap) = checker.gap() {
        return Err(gap);
    }
    let mut found = Found::default();
    let mut tries: BTreeMap<(FailKind, SiteId, SiteId), u32> = BTreeMap::new();
    let mut open: BTreeMap<(FailKind, SiteId, SiteId), Term> = checker
        .failures()
        .into_iter()
        .map(|f| ((f.kind, f.first, f.second), f.guard))
        .collect();
    while !open.is_empty() {
        let guards: Vec<Term> = open.values().copied().collect();
        let schedule = match checker.possible(&guards, None) {
            Possible::No => break,
            Possible::Unknown(why) | Possible::Lost(why) => return Err(why),
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
    Ok(found)
}
