//! Merged states against runs with definite inputs: for random values of all inputs, the failures whose conditions hold
//! are those that the run with these values ends in, and what that run visits is known as reached.
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 15), `IRKISS_SEED` the first seed.

mod support;

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use irkiss::config::{Backend, Options};
use irkiss::deadline::Deadline;
use irkiss::internals::expr::{Assignment, Evaluator};
use irkiss::internals::frontend::text::close_text;
use irkiss::internals::program::FailKind;
use irkiss::internals::solver;
use irkiss::internals::symex::Checker;
use irkiss::internals::symex::machine::Executor;
use irkiss::internals::symex::machine::State;
use irkiss::internals::symex::machine::{CheckInputs, Limits, Mode};
use support::number;
use support::random::Tiny;
use support::random::shrink::shrink;

/// Runs with definite inputs for each program and MAX.
const RUNS: u32 = 150;

/// A small generator of its own: the values need no quality, just repetition.
struct Values(u64);

impl Values {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[derive(Debug, Default)]
struct Tally {
    runs: u64,
    failing: u64,
    steps: u64,
}

/// What is wrong, if anything is.
fn disagreement(text: &str, max: u32, tally: &mut Tally) -> Option<String> {
    let options = Options {
        unwind: 12,
        ts: max,
        ..Options::default()
    };
    let closed = close_text(text, &options).expect("a valid program");
    let mut all = FixedBitSet::with_capacity(closed.concurrent.sites.len());
    all.insert_range(..);
    let check = CheckInputs {
        pair: vec![0; 3],
        enabled: all.clone(),
        checked: all,
        ts_max: max,
        rounds: None,
        use_after_free: false,
        ..CheckInputs::default()
    };
    let limits = Limits {
        unwind: options.unwind,
        recursion: 3,
        depth: 1_000,
        instructions: 8_000,
        terms: 40_000,
        lookups: u64::MAX,
        deadline: Deadline::NEVER,
        solver: Backend::default(),
    };
    let mut run = Executor::new(&closed.sequential, Mode::Merge, limits, check.clone());
    let start = closed.sequential.runtime.main.expect("a start");
    run.run(start, State::default()).expect("a start");
    if run.ran_out() {
        return None;
    }
    let failures = run.found.failures.clone();
    let script = vec![start];
    let checker = Checker::new(
        run,
        solver::standard(Backend::default(), 0, Deadline::NEVER),
        script,
        check,
        limits,
        true,
    );
    let terms = &checker.run().terms;
    let mut values = Values(u64::from(max) + 1);
    for _ in 0..RUNS {
        let often = values.below(12) + 1;
        let mut assignment = Assignment::default();
        for v in terms.vars() {
            let width = terms.width(terms.var_term(v));
            let value = match terms.var_name(v) {
                "switch" => values.below(20),
                "thread" => values.below(4),
                _ if width == 1 => u64::from(values.below(12) < often),
                _ => values.below(4) & ((1 << width.min(8)) - 1),
            };
            assignment.values.insert(v, u128::from(value));
        }
        let mut evaluator = Evaluator::new(&assignment);
        let axioms = checker.run().axioms();
        if !axioms.iter().all(|a| evaluator.holds(terms, *a)) {
            continue;
        }
        let definite = checker.rerun(assignment.clone()).expect("a start");
        // A switch that is not made is written as 0, whatever number was drawn.
        let made: BTreeSet<_> = definite
            .journal()
            .switches
            .iter()
            .filter_map(|s| terms.var_of(checker.run().input_var(*s)?))
            .collect();
        for v in terms.vars() {
            if terms.var_name(v) == "switch" && !made.contains(&v) {
                assignment.values.insert(v, 0);
            }
        }
        let mut evaluator = Evaluator::new(&assignment);
        let mut expected: BTreeSet<(FailKind, u128, u32)> = BTreeSet::new();
        for f in &definite.found.failures {
            if definite.terms.is_true(f.guard) {
                let first = definite.terms.as_const(f.first).expect("definite");
                expected.insert((f.kind, first, f.second.0));
            }
        }
        let mut found = BTreeSet::new();
        for f in &failures {
            if evaluator.holds(terms, f.guard) {
                found.insert((f.kind, evaluator.eval(terms, f.first), f.second.0));
            }
        }
        tally.runs += 1;
        tally.failing += u64::from(!expected.is_empty());
        if found != expected {
            return Some(format!(
                "MAX {max}: failures {found:?}, expected {expected:?}"
            ));
        }
        for step in &definite.journal().steps {
            tally.steps += 1;
            let guards = checker.run().found.reached.get(&(step.site, step.thread));
            let known = guards.is_some_and(|guards| {
                guards
                    .iter()
                    .any(|g| g.parts().iter().all(|p| evaluator.holds(terms, *p)))
            });
            if !known {
                if std::env::var("DBGM").is_ok() {
                    for v in terms.vars() {
                        println!("{:?} {} = {}", v, terms.var_name(v), assignment.value(v));
                    }
                    println!("steps {:?}", definite.journal().steps);
                    for g in guards.into_iter().flatten() {
                        for p in g.parts() {
                            println!(
                                "part {} {}",
                                evaluator.holds(terms, *p),
                                irkiss::internals::solver::smt2::script(terms, &[*p], "x")
                            );
                        }
                    }
                }
                return Some(format!("MAX {max}: {step:?} is not known as reached"));
            }
        }
    }
    None
}

#[test]
fn merged_states_are_what_definite_runs_do() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 15);
    let mut tally = Tally::default();
    for seed in first..first + programs {
        let tiny = Tiny::random(seed);
        for max in [0, 1, 2] {
            if let Some(wrong) = disagreement(&tiny.to_string(), max, &mut tally) {
                let mut wrong_still =
                    |t: &Tiny| disagreement(&t.to_string(), max, &mut Tally::default()).is_some();
                let small = shrink(&tiny, &mut wrong_still);
                let again = disagreement(&small.to_string(), max, &mut Tally::default());
                panic!("seed {seed}: {wrong}\nshrunk: {again:?}\n{small}");
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.failing * 200 >= tally.runs, "too few fail: {tally:?}");
}
