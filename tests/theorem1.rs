//! The whole chain against the oracles: what symbolic execution of the sequential program finds is what figure 4 and
//! figure 5, executed literally, find; with unbounded `ts` it is what balanced executions can do (Theorem 1).
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 40), `IRKISS_SEED` the first seed.

mod support;

use std::collections::BTreeSet;

use irkiss::config::{Explore, Instrument, Options};
use irkiss::internals::frontend::text::close_text;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::figure4;
use irkiss::oracle::search;
use support::chain::{Found, symbolic};
use support::number;
use support::random::Tiny;
use support::random::shrink::shrink;

/// MAX where it does not bound.
const UNBOUNDED: u32 = 60;

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
        let result = symbolic(&closed, &options, None);
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
        // The interleavings that the solver gives for a race may all be ones that do not replay (a section that cannot be entered
        // any more), where another would: it is told as not confirmed, not as absent.
        let told = found.unconfirmed.intersection(&expected.races).copied();
        let told: Vec<_> = told.collect();
        tally.missed += u64::from(!told.is_empty());
        found.races.extend(told);
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
            None,
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
        match symbolic(&closed, &every, None) {
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
    /// Candidates that did not replay.
    unconfirmed: u64,
    /// Runs in which one of these is a race.
    missed: u64,
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
        tally.missed * 1000 <= tally.runs,
        "too many races are not confirmed: {tally:?}"
    );
    assert!(
        tally.balanced * 5 >= tally.programs,
        "too few programs fail: {tally:?}"
    );
}
