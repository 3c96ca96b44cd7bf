//! Locksets against the oracle on random programs: no race lies where a lock is said to exclude it, and no verdict changes
//! when switch points go that locks make useless.
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 300), `IRKISS_SEED` the first seed.

mod support;

use inkwell::context::Context;
use irkiss::config::{Options, Reduction};
use irkiss::faults::{LocksetFault, with};
use irkiss::internals::analysis::{PairPlan, PlanOptions, Planner, PointsTo};
use irkiss::internals::frontend::text::close_text;
use irkiss::internals::index::SiteId;
use irkiss::internals::program::Program;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::search::Limits;
use support::chain::{Found, symbolic};
use support::random::Tiny;
use support::random::handlers::handlers;
use support::random::shrink::shrink;
use support::{concurrent, in_registers, number, parse_ll};

fn plan_of(program: &Program, options: PlanOptions) -> PairPlan {
    let main = program.function_named("__irkiss_main").expect("main");
    let points_to = PointsTo::solve(program, &[main], true);
    Planner::new(program, &points_to, options).program(main)
}

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// Too large for the oracle.
    skipped: u64,
    racy: u64,
    /// Programs with a region proved, programs in which nothing is left to check although something is shared.
    with_proof: u64,
    all_proved: u64,
    proofs: u64,
    /// Free of races, but not proved.
    unproved: u64,
    /// Switch points with all, and without those that locks make useless.
    points: [usize; 2],
    /// Runs of the chain that were compared.
    compared: u64,
    over_budget: u64,
    failing: u64,
}

fn limits() -> Limits {
    Limits {
        states: 40_000,
        ..Limits::default()
    }
}

/// Whether a race lies in a region that the plan has.
fn expected(plan: &PairPlan, (x, y): &(SiteId, SiteId)) -> bool {
    plan.regions.iter().any(|r| {
        let (a, b) = (&r.sites_a, &r.sites_b);
        (a.contains(x) && b.contains(y)) || (a.contains(y) && b.contains(x))
    })
}

/// The race that lies where the plan has none, if there is one.
fn unsound(text: &str, tally: &mut Tally) -> Option<String> {
    let context = Context::create();
    let program = concurrent(&parse_ll(&context, text));
    let plan = plan_of(&program, PlanOptions::default());
    if let Some(gap) = plan.gap {
        return Some(format!("gap: {gap}"));
    }
    let all = explore::failures(&program, Mode::All, &limits());
    // What was found of a program that is too large holds all the same.
    if let Some((x, y)) = all.races.iter().find(|race| !expected(&plan, race)) {
        let proved: Vec<_> = plan.proved.iter().map(|p| (&p.name, &p.locks)).collect();
        return Some(format!("race of {x} and {y}, proved: {proved:?}"));
    }
    if !all.complete {
        tally.skipped += 1;
        return None;
    }
    tally.programs += 1;
    tally.racy += u64::from(!all.races.is_empty());
    tally.proofs += plan.proved.len() as u64;
    tally.with_proof += u64::from(!plan.proved.is_empty());
    tally.all_proved += u64::from(!plan.proved.is_empty() && plan.regions.is_empty());
    tally.unproved += u64::from(all.races.is_empty() && !plan.regions.is_empty());
    None
}

/// Every program of `make`, by seed, and what came out in all.
fn against_the_oracle(programs: u64, make: fn(u64) -> Tiny) -> Tally {
    let first = number("IRKISS_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + programs {
        let tiny = make(seed);
        let text = in_registers(&tiny.to_string());
        if let Some(wrong) = unsound(&text, &mut tally) {
            let small = shrink(&tiny, &mut |t| {
                unsound(&in_registers(&t.to_string()), &mut Tally::default()).is_some()
            });
            let text = in_registers(&small.to_string());
            let again = unsound(&text, &mut Tally::default());
            panic!("seed {seed}: {wrong}\nshrunk: {again:?}\n{small:#?}\n{text}");
        }
    }
    println!("{tally:?}");
    assert!(tally.programs * 5 >= programs * 4, "too many are too large");
    assert!(
        tally.proofs > 0 && tally.all_proved * 5 >= tally.programs,
        "too few are proved"
    );
    assert!(tally.racy * 10 >= tally.programs, "too few race");
    tally
}

#[test]
fn no_race_where_a_lock_is_said_to_exclude_it() {
    against_the_oracle(number("IRKISS_PROGRAMS", 300), |seed| match seed % 8 {
        0 => Tiny::random(seed),
        _ => Tiny::locked(seed),
    });
}

/// Arrays and objects made in loops, each with its lock; functions that call themselves; one function that gives back either side.
#[test]
fn no_race_where_one_lock_of_many_is_said_to_exclude_it() {
    against_the_oracle(number("IRKISS_PROGRAMS", 300), Tiny::objects);
}

/// Handlers that are said to be over where a thread has waited for them.
#[test]
fn no_race_beside_a_handler_that_is_said_to_be_over() {
    let (first, programs) = (number("IRKISS_SEED", 0), number("IRKISS_PROGRAMS", 300));
    let mut tally = Tally::default();
    let mut over = 0;
    let mut faults = match cfg!(feature = "faults") {
        true => vec![LocksetFault::ArmedByNobody, LocksetFault::AnyOrder],
        false => Vec::new(),
    };
    for seed in first..first + programs.max(300) {
        let text = handlers(seed);
        if let Some(wrong) = unsound(&text, &mut tally) {
            panic!("seed {seed}: {wrong}\n{text}");
        }
        let context = Context::create();
        let program = concurrent(&parse_ll(&context, &text));
        let plan = plan_of(&program, PlanOptions::default());
        over += plan.proved.iter().filter(|r| !r.over.is_empty()).count();
        faults.retain(|fault| {
            let broken = with(Some(*fault), || plan_of(&program, PlanOptions::default()));
            let differs = broken.regions != plan.regions;
            let races = || explore::failures(&program, Mode::All, &limits()).races;
            !differs || races().iter().all(|race| expected(&broken, race))
        });
    }
    println!("{tally:?}, {over} proofs by handlers that are over");
    assert!(over * 20 >= tally.programs as usize, "too few are proved");
    assert!(tally.racy * 10 >= tally.programs, "too few race");
    assert!(faults.is_empty(), "nobody notices {faults:?}");
}

/// With these faults built in, the locksets prove something that the oracle refutes. What shows in few programs only, or needs larger
/// functions, shows in src/analysis/lockset/tests/faults.rs.
#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn seeded_faults_are_noticed() {
    let mut open = vec![
        LocksetFault::ReleaseKillsNothing,
        LocksetFault::CalleeReleasesNothing,
        LocksetFault::NoIntersection,
        LocksetFault::TriedIsTaken,
        LocksetFault::ReadersExcludeReaders,
        LocksetFault::ReadersOwn,
        LocksetFault::NotTheOwnerOwns,
        LocksetFault::WildReleasesCount,
        LocksetFault::EveryReleaseIsBalanced,
        LocksetFault::LoopMakesOne,
        LocksetFault::ElementsShareOneLock,
    ];
    let mut noticed = Vec::new();
    for seed in 0..600 {
        for make in [Tiny::locked, Tiny::objects] {
            let context = Context::create();
            let text = in_registers(&make(seed).to_string());
            let program = concurrent(&parse_ll(&context, &text));
            let main = program.function_named("__irkiss_main").expect("main");
            let points_to = PointsTo::solve(&program, &[main], true);
            let plan = || Planner::new(&program, &points_to, PlanOptions::default()).program(main);
            let sound = plan();
            let mut races = None;
            open.retain(|fault| {
                let plan = with(Some(*fault), plan);
                if plan.regions == sound.regions {
                    return true;
                }
                let races = races
                    .get_or_insert_with(|| explore::failures(&program, Mode::All, &limits()).races);
                let missed = races.iter().any(|race| !expected(&plan, race));
                if missed {
                    noticed.push((*fault, seed));
                }
                !missed
            });
        }
        if open.is_empty() {
            break;
        }
    }
    println!("{noticed:?}");
    assert!(open.is_empty(), "nobody notices {open:?}");
}

/// What the chain finds with fewer switch points is what it finds with all.
fn changed(text: &str, tally: &mut Tally) -> Option<String> {
    let options = Options {
        unwind: 4,
        ..Options::default()
    };
    let closed = close_text(text, &options).expect("a valid program");
    let mut answers: Vec<(Reduction, Found)> = Vec::new();
    let mut points = Vec::new();
    for reduction in [
        Reduction::All,
        Reduction::EntryPointPair,
        Reduction::MemoryRegion,
    ] {
        let plan = plan_of(
            &closed.concurrent,
            PlanOptions {
                reduction,
                ..PlanOptions::default()
            },
        );
        points.push(plan.enabled.count_ones(..));
        match symbolic(&closed, &options, Some(&plan)) {
            Ok(found) => answers.push((reduction, found)),
            Err(why) if why.starts_with("budget") => {
                tally.over_budget += 1;
                return None;
            }
            Err(why) => return Some(format!("{reduction:?}: {why}")),
        }
    }
    tally.compared += 1;
    tally.failing += u64::from(!answers[0].1.assertions.is_empty());
    tally.racy += u64::from(!answers[0].1.races.is_empty());
    tally.points[0] += points[0];
    tally.points[1] += points[2];
    let (_, all) = &answers[0];
    answers
        .iter()
        .find(|(_, found)| found != all)
        .map(|(reduction, found)| format!("{reduction:?}: {found:?}, with all points {all:?}"))
}

#[test]
fn fewer_switch_points_change_no_verdict() {
    let first = number("IRKISS_SEED", 0);
    let programs = number("IRKISS_PROGRAMS", 300) / 5;
    let mut tally = Tally::default();
    for seed in first..first + programs {
        let tiny = Tiny::locked(seed);
        let text = in_registers(&tiny.to_string());
        if let Some(wrong) = changed(&text, &mut tally) {
            let small = shrink(&tiny, &mut |t| {
                changed(&in_registers(&t.to_string()), &mut Tally::default()).is_some()
            });
            let text = in_registers(&small.to_string());
            let again = changed(&text, &mut Tally::default());
            panic!("seed {seed}: {wrong}\nshrunk: {again:?}\n{small:#?}\n{text}");
        }
    }
    println!("{tally:?}");
    assert!(tally.compared * 2 >= programs, "too few are compared");
    assert!(tally.points[1] < tally.points[0], "no switch point went");
    assert!(tally.failing > 0 && tally.racy > 0, "nothing fails");
}
