//! The two oracles against each other, and every schedule that they give against the replayer, on random programs.
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 120), `IRKISS_SEED` the first seed.

mod support;

use irkiss::config::{Instrument, Options};
use irkiss::faults::{KissFault, with};
use irkiss::internals::program::Program;
use irkiss::internals::replay::confirm::confirm;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::figure4;
use irkiss::oracle::search::{Limits, Outcome};
use irkiss::oracle::sequential;
use support::number;
use support::random::{Cond, Expr, Mode as How, Place, Pointer, Stmt, Tiny, shrink::shrink};
use support::{both_of_ll, program_of_ll};

/// What the oracles say of one program.
struct Answers {
    all: Outcome,
    balanced: Outcome,
    /// MAX = 0, 1, unbounded.
    figures: [Outcome; 3],
}

/// `None`: too large to explore.
fn ask(program: &Program) -> Option<Answers> {
    let limits = Limits {
        states: 60_000,
        ..Limits::default()
    };
    let answers = Answers {
        all: explore::failures(program, Mode::All, &limits),
        balanced: explore::failures(program, Mode::Balanced, &limits),
        figures: [Some(0), Some(1), None].map(|max| figure4::failures(program, max, &limits)),
    };
    let complete = answers.all.complete
        && answers.balanced.complete
        && answers.figures.iter().all(|f| f.complete);
    complete.then_some(answers)
}

/// What is wrong with the answers, if anything is.
fn disagreement(program: &Program, a: &Answers) -> Option<String> {
    let unbounded = &a.figures[2];
    let keys = |o: &Outcome| o.assertions.keys().copied().collect::<Vec<_>>();
    // Theorem 1.
    if keys(unbounded) != keys(&a.balanced) {
        return Some(format!(
            "assertions: figure 4 {:?}, balanced {:?}",
            keys(unbounded),
            keys(&a.balanced)
        ));
    }
    if unbounded.races != a.balanced.races {
        return Some(format!(
            "races: figure 5 {:?}, balanced {:?}",
            unbounded.races, a.balanced.races
        ));
    }
    // More pending threads give more executions; balanced executions are executions.
    let chain = [&a.figures[0], &a.figures[1], &a.figures[2], &a.all];
    for pair in chain.windows(2) {
        let less = pair[0]
            .assertions
            .keys()
            .all(|s| pair[1].assertions.contains_key(s));
        if !less || !pair[0].races.is_subset(&pair[1].races) {
            return Some("a larger bound finds less".to_string());
        }
    }
    for outcome in chain.into_iter().chain([&a.balanced]) {
        if let Some(e) = outcome.errors.iter().next() {
            return Some(format!("error: {e}"));
        }
        if !outcome.races.is_subset(&outcome.candidates) && !outcome.candidates.is_empty() {
            return Some("a race that figure 5 does not flag".to_string());
        }
        let schedules = outcome
            .assertions
            .values()
            .chain(outcome.race_schedules.values());
        for schedule in schedules {
            if let Err(d) = confirm(program, schedule) {
                return Some(format!("does not replay: {d}"));
            }
        }
    }
    None
}

#[test]
fn figures_4_and_5_are_the_balanced_executions() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 120);
    let (mut asked, mut failing, mut unbalanced, mut racy) = (0, 0, 0, 0);
    let mut states = [0; 5];
    let (mut only_more_threads, mut racy_unbalanced, mut stale) = (0, 0, 0);
    for seed in first..first + programs {
        let tiny = Tiny::random(seed);
        let program = program_of_ll(&tiny.to_string());
        let Some(answers) = ask(&program) else {
            continue;
        };
        if let Some(wrong) = disagreement(&program, &answers) {
            let small = shrink(&tiny, &mut |t| {
                let p = program_of_ll(&t.to_string());
                ask(&p).is_some_and(|a| disagreement(&p, &a).is_some())
            });
            let p = program_of_ll(&small.to_string());
            let small_wrong = ask(&p).and_then(|a| disagreement(&p, &a));
            panic!("seed {seed}: {wrong}\nshrunk: {small_wrong:?}\n{small:#?}\n{small}");
        }
        asked += 1;
        let [a, b, c] = &answers.figures;
        for (sum, o) in states
            .iter_mut()
            .zip([&answers.all, &answers.balanced, a, b, c])
        {
            *sum += o.states;
        }
        failing += u64::from(answers.balanced.assertion);
        unbalanced += u64::from(answers.all.assertion && !answers.balanced.assertion);
        racy += u64::from(!answers.balanced.races.is_empty());
        racy_unbalanced += u64::from(answers.all.races != answers.balanced.races);
        only_more_threads +=
            u64::from(answers.figures[2].assertion && !answers.figures[0].assertion);
        stale += u64::from(answers.figures[2].candidates != answers.figures[2].races);
    }
    println!(
        "{asked} of {programs} programs: {failing} fail in a balanced execution, {unbalanced} only in another, \
         {only_more_threads} only with MAX > 0, {racy} race, {racy_unbalanced} with more races unbalanced, {stale} with stale candidates"
    );
    println!("states: all, balanced, MAX 0, 1, unbounded: {states:?}");
    assert!(
        asked * 10 >= programs * 9,
        "too many programs are too large"
    );
    assert!(failing * 5 >= asked, "too few fail");
    assert!(
        unbalanced * 10 >= asked,
        "too few need an unbalanced execution"
    );
}

/// Where the sequential program and figure 4 differ for that MAX, if they do.
fn transformed_wrongly(tiny: &Tiny, max: u32, options: &Options) -> Option<String> {
    let limits = Limits {
        states: 30_000,
        fuel: 20_000,
        ..Limits::default()
    };
    let (concurrent, sequential) = both_of_ll(&tiny.to_string(), options);
    let figure = figure4::failures(&concurrent, Some(max), &limits);
    if !figure.complete {
        return None;
    }
    let run = sequential::failures(&sequential, max, &limits);
    if !run.complete {
        return None;
    }
    if let Some(e) = run.errors.iter().next() {
        return Some(format!("error: {e}"));
    }
    let assertions: Vec<_> = figure.assertions.keys().collect();
    if !run.assertions.iter().eq(assertions.iter().copied()) {
        return Some(format!(
            "MAX {max}: assertions {:?}, figure 4 {assertions:?}",
            run.assertions
        ));
    }
    (run.candidates != figure.candidates).then(|| {
        format!(
            "MAX {max}: races {:?}, figure 5 {:?}",
            run.candidates, figure.candidates
        )
    })
}

/// The transformation and its run time do what figures 4 and 5 say, solver or no solver.
#[test]
fn sequential_programs_do_what_the_figures_say() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 120) / 3;
    let both = [Instrument::Visible, Instrument::Every];
    for seed in first..first + programs {
        let tiny = Tiny::random(seed);
        for max in [0, 1, 2] {
            let options = Options {
                ts: max,
                instrument: both[usize::from(seed % 4 == 0 && max == 0)],
                ..Options::default()
            };
            if let Some(wrong) = transformed_wrongly(&tiny, max, &options) {
                let small = shrink(&tiny, &mut |t| {
                    transformed_wrongly(t, max, &options).is_some()
                });
                let small_wrong = transformed_wrongly(&small, max, &options);
                panic!("seed {seed}: {wrong}\nshrunk: {small_wrong:?}\n{small:#?}\n{small}");
            }
        }
    }
}

/// The comparison would notice: each fault that can be seeded into the transformation shows on some random program.
#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn seeded_faults_are_noticed() {
    let faults = [
        KissFault::NoRaise,
        KissFault::NoPropagation,
        KissFault::NoPointBeforeBlocking,
        KissFault::NoAtomicCheck,
        KissFault::NoResetAfterAsync,
        KissFault::NoArguments,
    ];
    // A point before what blocks for ever matters only where nothing visible stands between it and a write.
    let blocks = Tiny {
        globals: vec![32],
        functions: vec![
            vec![
                Stmt::Async(1, Pointer::Global(0)),
                Stmt::Load(0, Place::Global(0), How::Plain),
                Stmt::Assert(Cond::Eq(0, 0)),
            ],
            vec![
                Stmt::Store(Place::Global(0), Expr::Const(1), How::Plain),
                Stmt::Assume(Cond::Eq(1, 1)),
            ],
        ],
    };
    for fault in faults {
        let options = Options::default();
        let wrong = |tiny: &Tiny, max| {
            with(Some(fault), || transformed_wrongly(tiny, max, &options)).is_some()
        };
        let shows = |tiny: &Tiny| wrong(tiny, 0) || wrong(tiny, 1);
        let noticed = shows(&blocks) || (0..100).any(|seed| shows(&Tiny::random(seed)));
        assert!(noticed, "{fault:?}");
    }
}
