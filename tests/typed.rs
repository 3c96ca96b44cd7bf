//! Points-to by C types on random programs that keep to them, compiled with debug info: no pointer leads to where the analysis
//! says it cannot, and no race lies where a lock is said to exclude it.
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 20), `IRKISS_SEED` the first seed, `IRKISS_STATES` how large a program may
//! be for the oracle; with `IRKISS_NO_SHRINK` all that is wrong is listed.

mod support;

use std::collections::BTreeMap;

use irkiss::config::Options;
use irkiss::internals::analysis::{PlanOptions, Planner, PointsTo};
use irkiss::internals::frontend::{Goal, close_in_process};
use irkiss::internals::program::Program;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::search::Limits;
use support::number;
use support::traced::{self, Traced};
use support::typed::Typed;

/// Runs of each program.
const RUNS: u64 = 4;

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// Too large for the oracle.
    large: u64,
    racy: u64,
    proofs: u64,
    /// With something that the analysis cannot follow.
    gaps: BTreeMap<String, u64>,
    pointers: u64,
    shared: u64,
    /// Pointers in the text that were reached.
    places: u64,
    /// Targets of all values: by types, and without.
    targets: [u64; 2],
    ended: u64,
    errors: BTreeMap<String, u64>,
    shrinking: bool,
}

/// Targets of all values of all functions.
fn size(program: &Program, points_to: &PointsTo) -> u64 {
    let mut n = 0;
    for (f, function) in program.functions.iter_ids() {
        for v in function.values.ids() {
            let operand = irkiss::internals::program::Operand::Value(v);
            n += points_to.targets(f, &operand).len() as u64;
        }
    }
    n
}

/// What contradicts the analysis, if anything does.
fn contradiction(typed: &Typed, tally: &mut Tally) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let files = match typed.compile(folder.path()) {
        Ok(files) => files,
        Err(_) if tally.shrinking => return None,
        Err(said) => panic!("{said}"),
    };
    let closed = match close_in_process(&files, &Options::default(), Goal::Concurrent) {
        Ok(closed) => closed,
        Err(_) if tally.shrinking => return None,
        Err(e) => panic!("{e}\n{}", typed.units[0]),
    };
    let program = &closed.concurrent;
    let main = program.function_named("__irkiss_main").expect("main");
    tally.programs += 1;
    let solve = |by_types| PointsTo::solve(program, &[main], by_types);
    for by_types in [true, false] {
        let points_to = solve(by_types);
        let kind = if by_types { "typed" } else { "untyped" };
        tally.targets[usize::from(!by_types)] += size(program, &points_to);
        for run in 0..RUNS {
            let Traced {
                pointers,
                shared,
                places,
                ended,
                errors,
            } = match traced::run(program, &points_to, run) {
                Ok(traced) => traced,
                Err(wrong) => return Some(format!("{wrong} ({kind}, run {run})")),
            };
            if by_types {
                tally.pointers += pointers;
                tally.shared += shared;
                tally.ended += ended;
                tally.places += places.len() as u64;
                for e in errors {
                    let kind = e
                        .split_whitespace()
                        .filter(|w| !w.contains(['0', '.', '@']));
                    let kind: Vec<&str> = kind.collect();
                    *tally.errors.entry(kind.join(" ")).or_default() += 1;
                }
            }
        }
        let planner = Planner::new(program, &points_to, PlanOptions::default());
        let plan = planner.program(main);
        if let Some(gap) = plan.gap {
            let what = gap.split(" (").next().unwrap_or_default();
            *tally.gaps.entry(what.to_string()).or_default() += 1;
            continue;
        }
        tally.proofs += plan.proved.len() as u64;
        if !by_types {
            continue;
        }
        let limits = Limits {
            states: number("IRKISS_STATES", 1_000) as usize,
            ..Limits::default()
        };
        let all = explore::failures(program, Mode::All, &limits);
        let expected = |x, y| {
            plan.regions.iter().any(|r| {
                let (a, b) = (&r.sites_a, &r.sites_b);
                (a.contains(x) && b.contains(y)) || (a.contains(y) && b.contains(x))
            })
        };
        if let Some((x, y)) = all.races.iter().find(|(x, y)| !expected(x, y)) {
            let site = |s: &irkiss::internals::index::SiteId| {
                program.source.describe(program.sites[*s].loc)
            };
            let proved: Vec<_> = plan.proved.iter().map(|p| (&p.name, &p.locks)).collect();
            return Some(format!(
                "race: {} and {}, proved: {proved:?}",
                site(x),
                site(y)
            ));
        }
        tally.large += u64::from(!all.complete);
        tally.racy += u64::from(!all.races.is_empty());
    }
    None
}

/// Programs whose pointers once led where nobody said: the seed, and whether of linked files.
const ONCE_WRONG: [(u64, bool); 4] = [
    // A buffer in what was allocated, first addressed as a struct that another slot of an array leads to.
    (20_261_288, false),
    // The types of members in structs that lead back to what contains them.
    (20_262_060, true),
    // What is stored in a place that no struct's name tells the type of.
    (20_271_324, true),
    (20_275_640, false),
];

fn check(linked: bool) {
    let first = number("IRKISS_SEED", 0);
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    let once = ONCE_WRONG.iter().filter(|(_, of)| *of == linked);
    let once = once.map(|(seed, _)| *seed);
    for seed in once.chain(first..first + number("IRKISS_PROGRAMS", 20)) {
        let typed = Typed::random(seed, linked);
        let Some(what) = contradiction(&typed, &mut tally) else {
            continue;
        };
        if std::env::var_os("IRKISS_NO_SHRINK").is_some() {
            println!("seed {seed}: {what}");
            wrong.push(seed);
            continue;
        }
        let mut scratch = Tally {
            shrinking: true,
            ..Tally::default()
        };
        let kind = |what: &str| what.split(':').next().map(str::to_string);
        let small = typed.shrink(&mut |t| {
            contradiction(t, &mut scratch).is_some_and(|w| kind(&w) == kind(&what))
        });
        let again = contradiction(&small, &mut scratch);
        let text: Vec<String> = small.units.iter().map(ToString::to_string).collect();
        panic!(
            "seed {seed}: {what}\nshrunk: {again:?}\n{}",
            text.join("\n----\n")
        );
    }
    println!("{tally:#?}");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(
        tally.programs < 20 || tally.targets[0] < tally.targets[1],
        "types filter nothing"
    );
}

#[test]
fn pointers_lead_where_they_are_said_to() {
    check(false);
}

#[test]
fn pointers_lead_where_they_are_said_to_in_linked_files() {
    check(true);
}
