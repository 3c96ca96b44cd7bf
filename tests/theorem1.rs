//! The whole chain against the oracles: what symbolic execution of the sequential program finds is what figure 4 and
//! figure 5, executed literally, find; with unbounded `ts` it is what balanced executions can do (Theorem 1).
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 40), `IRKISS_SEED` the first seed.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use irkiss::config::{Explore, Instrument, Options};
use irkiss::deadline::Deadline;
use irkiss::expr::Term;
use irkiss::frontend::Closed;
use irkiss::frontend::text::close_text;
use irkiss::index::SiteId;
use irkiss::program::FailKind;
use irkiss::replay::confirm::confirm;
use irkiss::replay::explore::{self, Mode};
use irkiss::replay::figure4;
use irkiss::replay::search::{self, Outcome, pair_of};
use irkiss::solver;
use irkiss::symex::check::{Checker, Possible};
use irkiss::symex::exec::{self, CheckInputs, Executor, Limits};
use irkiss::symex::paths;
use irkiss::symex::state::State;
use irkiss::trace::schedule::Failure as Claim;
use support::random::Tiny;
use support::random::shrink::shrink;

/// MAX where it does not bound.
const UNBOUNDED: u32 = 60;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

/// Failures by kind: sites of assertions, unordered pairs of sites of races.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    assertions: BTreeSet<SiteId>,
    races: BTreeSet<(SiteId, SiteId)>,
    /// Found, but not confirmed.
    unconfirmed: BTreeSet<(SiteId, SiteId)>,
}

impl Found {
    fn of(outcome: &Outcome) -> Found {
        Found {
            assertions: outcome.assertions.keys().copied().collect(),
            races: outcome.races.clone(),
            unconfirmed: BTreeSet::new(),
        }
    }
}

/// What symbolic execution finds; every interleaving is replayed. `Err`: what went wrong.
fn symbolic(closed: &Closed, options: &Options) -> Result<Found, String> {
    let n = closed.concurrent.sites.len();
    let mut all = FixedBitSet::with_capacity(n);
    all.insert_range(..);
    let check = CheckInputs {
        pair: [0; 3],
        enabled: all.clone(),
        checked: all,
        ts_max: options.ts,
        use_after_free: false,
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
    if let Some(gap) = checker.gaps().into_iter().next() {
        return Err(gap);
    }
    let mut found = Found::default();
    let mut open: BTreeMap<(FailKind, SiteId, SiteId), Term> = checker
        .failures()
        .into_iter()
        .map(|(kind, first, second, guard)| ((kind, first, second), guard))
        .collect();
    while !open.is_empty() {
        let guards: Vec<Term> = open.values().copied().collect();
        let schedule = match checker.possible(&guards) {
            Possible::No => break,
            Possible::Unknown(why) => return Err(why),
            Possible::Yes(schedule) => schedule,
        };
        let key = match &schedule.failure {
            Claim::Assertion(step) => *open
                .keys()
                .find(|(kind, _, second)| *kind == FailKind::Assertion && *second == step.site)
                .ok_or("another assertion fails")?,
            Claim::Race { first, second } => (FailKind::Race, first.site, second.site),
            Claim::UseAfterFree(_) => return Err("nobody asked for uses of freed objects".into()),
        };
        if open.remove(&key).is_none() {
            return Err(format!("{key:?} is not what was asked for"));
        }
        let (kind, first, second) = key;
        if let Err(d) = confirm(&closed.concurrent, &schedule) {
            // An access of an atomic section is checked where the section begins; whether the section can still be
            // entered when the second access is reached is left to the interpreter.
            if kind == FailKind::Race {
                found.unconfirmed.insert(pair_of(first, second));
                continue;
            }
            return Err(format!("does not replay: {d}\n{schedule:#?}"));
        }
        match kind {
            FailKind::Assertion => found.assertions.insert(second),
            FailKind::Race | FailKind::UseAfterFree => found.races.insert(pair_of(first, second)),
        };
    }
    Ok(found)
}

/// What is wrong with a program's answers, if anything is; `None` also for programs too large for the oracles.
fn disagreement(text: &str, tally: &mut Tally) -> Option<String> {
    let options = Options {
        unwind: 12,
        ..Options::default()
    };
    let closed = close_text(text, &options).expect("a valid program");
    let limits = search::Limits {
        states: 40_000,
        ..search::Limits::default()
    };
    let all = explore::failures(&closed.concurrent, Mode::All, &limits);
    let balanced = explore::failures(&closed.concurrent, Mode::Balanced, &limits);
    let figures = [Some(0), Some(1), Some(2), None]
        .map(|max| figure4::failures(&closed.concurrent, max, &limits));
    if !all.complete || !balanced.complete || figures.iter().any(|f| !f.complete) {
        tally.skipped += 1;
        return None;
    }
    tally.programs += 1;
    let failing = !balanced.assertions.is_empty();
    tally.balanced += u64::from(failing);
    tally.unbalanced += u64::from(!failing && !all.assertions.is_empty());
    let mut before = BTreeSet::new();
    // Unbounded: more than any of these programs creates. Theorem 1 says what to expect then.
    let bounds = [
        (0, &figures[0]),
        (1, &figures[1]),
        (2, &figures[2]),
        (UNBOUNDED, &figures[3]),
    ];
    if Found::of(&figures[3]) != Found::of(&balanced) {
        return Some("figure 4 without a bound is not the balanced executions".to_string());
    }
    for (max, expected) in bounds {
        let options = Options {
            ts: max,
            ..options.clone()
        };
        let start = std::time::Instant::now();
        let result = symbolic(&closed, &options);
        if std::env::var_os("IRKISS_VERBOSE").is_some() && start.elapsed().as_millis() > 500 {
            eprintln!("MAX {max}: {:?}", start.elapsed());
        }
        let mut found = match result {
            Ok(found) => found,
            Err(why) if why.starts_with("budget") => {
                tally.over_budget += 1;
                continue;
            }
            Err(why) => return Some(format!("MAX {max}: {why}")),
        };
        tally.runs += 1;
        tally.unconfirmed += found.unconfirmed.len() as u64;
        if !found.unconfirmed.is_subset(&expected.candidates) {
            return Some(format!("MAX {max}: unconfirmed {:?}", found.unconfirmed));
        }
        found.unconfirmed.clear();
        let expected = Found::of(expected);
        if found != expected {
            return Some(format!("MAX {max}: found {found:?}, expected {expected:?}"));
        }
        if !before.is_subset(&found.assertions) {
            return Some(format!("MAX {max} finds less than a smaller one"));
        }
        before = found.assertions;
    }
    if tally.programs % 8 == 0 {
        let base = Options {
            ts: 1,
            ..options.clone()
        };
        let expected = Found::of(&figures[1]);
        let paths = symbolic(
            &closed,
            &Options {
                explore: Explore::Paths,
                ..base.clone()
            },
        );
        match paths {
            Ok(found) if found != expected => {
                return Some(format!("paths: {found:?}, expected {expected:?}"));
            }
            Err(why) if !why.starts_with("more than") && !why.starts_with("budget") => {
                return Some(format!("paths: {why}"));
            }
            Ok(_) => tally.paths += 1,
            Err(_) => {}
        }
        let every = Options {
            instrument: Instrument::Every,
            ..base
        };
        let closed = close_text(text, &every).expect("a valid program");
        match symbolic(&closed, &every) {
            Ok(found) if found != expected => {
                return Some(format!("every: {found:?}, expected {expected:?}"));
            }
            Err(why) if !why.starts_with("budget") => return Some(format!("every: {why}")),
            Err(_) => {}
            Ok(_) => tally.every += 1,
        }
    }
    None
}

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    skipped: u64,
    runs: u64,
    over_budget: u64,
    unconfirmed: u64,
    balanced: u64,
    unbalanced: u64,
    paths: u64,
    every: u64,
}

#[test]
fn symbolic_execution_finds_what_the_figures_find() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 40);
    let mut tally = Tally::default();
    for seed in first..first + programs {
        let tiny = Tiny::random(seed);
        if std::env::var_os("IRKISS_VERBOSE").is_some() {
            eprintln!("seed {seed}: {tally:?}");
        }
        if let Some(wrong) = disagreement(&tiny.to_string(), &mut tally) {
            if std::env::var_os("IRKISS_NO_SHRINK").is_some() {
                panic!("seed {seed}: {wrong}\n{tiny}");
            }
            let mut scratch = Tally {
                programs: 6,
                ..Tally::default()
            };
            let small = shrink(&tiny, &mut |t| {
                scratch.programs = 7;
                disagreement(&t.to_string(), &mut scratch).is_some()
            });
            scratch.programs = 7;
            let again = disagreement(&small.to_string(), &mut scratch);
            panic!("seed {seed}: {wrong}\nshrunk: {again:?}\n{small}");
        }
    }
    println!("{tally:?}");
    assert!(
        tally.balanced * 5 >= tally.programs,
        "too few programs fail: {tally:?}"
    );
}
