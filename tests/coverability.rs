//! Nets against the oracle on random programs: no race lies where a net is said to exclude it.
//!
//! `IRKISS_PROGRAMS` is the number of programs (default 60 of each kind), `IRKISS_SEED` the first seed.

mod support;

use inkwell::context::Context;
use irkiss::faults::{NetFault, with};
use irkiss::internals::analysis::coverability::{self, Proofs, Settings};
use irkiss::internals::analysis::{PairPlan, PlanOptions, Planner, PointsTo};
use irkiss::internals::index::SiteId;
use irkiss::internals::program::Program;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::search::Limits;
use support::nets::{counted, directed};
use support::random::Tiny;
use support::random::shrink::shrink;
use support::{concurrent, in_registers, number, parse_ll, program_of_c};

fn program_of(tiny: &Tiny) -> Program {
    program_of_text(&tiny.to_string())
}

fn program_of_text(text: &str) -> Program {
    let context = Context::create();
    concurrent(&parse_ll(&context, &in_registers(text)))
}

/// The plan without what nets prove, and what they prove.
fn plan_of(program: &Program, settings: &Settings) -> (PairPlan, Vec<String>) {
    let (plan, proofs) = decided(program, settings);
    (
        plan,
        proofs.proved.iter().map(ToString::to_string).collect(),
    )
}

fn decided(program: &Program, settings: &Settings) -> (PairPlan, Proofs) {
    let main = program.function_named("__irkiss_main").expect("main");
    let points_to = PointsTo::solve(program, &[main], true);
    let options = PlanOptions {
        lockset: false,
        conflict_pairs: true,
        ..PlanOptions::default()
    };
    let mut plan = Planner::new(program, &points_to, options).program(main);
    if plan.gap.is_some() {
        return (plan, Proofs::default());
    }
    let proofs = coverability::prove(program, &points_to, main, &plan.regions, settings);
    plan.regions.retain(|r| !proofs.proved.contains(&r.name));
    (plan, proofs)
}

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// Not seen as a whole by the oracle.
    cut: u64,
    racy: u64,
    proofs: u64,
    /// Programs in which all that is shared is proved, and those in which something is left although nothing races.
    all_proved: u64,
    unproved: u64,
    gaps: u64,
}

fn limits() -> Limits {
    Limits {
        states: 30_000,
        ..Limits::default()
    }
}

fn expected(plan: &PairPlan, (x, y): &(SiteId, SiteId)) -> bool {
    plan.regions.iter().any(|r| {
        let (a, b) = (&r.sites_a, &r.sites_b);
        (a.contains(x) && b.contains(y)) || (a.contains(y) && b.contains(x))
    })
}

/// The race that lies where a net proves that there is none, if there is one.
fn unsound(tiny: &Tiny, settings: &Settings, tally: &mut Tally) -> Option<String> {
    let (plan, proved) = plan_of(&program_of(tiny), settings);
    tally.programs += 1;
    tally.proofs += proved.len() as u64;
    if plan.gap.is_some() {
        tally.gaps += 1;
        return None;
    }
    let times: &[u32] = if tiny.is_counted() { &[1] } else { &[2, 3] };
    let (mut racy, mut cut) = (false, false);
    for n in times {
        let all = explore::failures(&program_of(&tiny.counted(*n)), Mode::All, &limits());
        if let Some((x, y)) = all.races.iter().find(|race| !expected(&plan, race)) {
            return Some(format!("race of {x} and {y} of {n}, proved: {proved:?}"));
        }
        racy |= !all.races.is_empty();
        cut |= !all.complete;
    }
    tally.cut += u64::from(cut);
    tally.racy += u64::from(racy);
    tally.all_proved += u64::from(!proved.is_empty() && plan.regions.is_empty());
    tally.unproved += u64::from(!racy && !cut && !plan.regions.is_empty());
    None
}

/// `share`: of a hundred programs so many have something proved, at least.
fn against_the_oracle(make: fn(u64) -> Tiny, share: u64) -> Tally {
    let first = number("IRKISS_SEED", 0);
    let settings = Settings::default();
    let mut tally = Tally::default();
    for seed in first..first + number("IRKISS_PROGRAMS", 60) {
        let tiny = make(seed);
        if let Some(wrong) = unsound(&tiny, &settings, &mut tally) {
            let small = shrink(&tiny, &mut |t| {
                unsound(t, &settings, &mut Tally::default()).is_some()
            });
            let again = unsound(&small, &settings, &mut Tally::default());
            let text = in_registers(&small.to_string());
            panic!("seed {seed}: {wrong}\nshrunk: {again:?}\n{small:#?}\n{text}");
        }
    }
    println!("{tally:?}");
    assert!(
        tally.proofs * 100 >= tally.programs * share,
        "too few are proved"
    );
    assert!(tally.racy * 10 >= tally.programs, "too few race");
    tally
}

#[test]
fn no_race_in_programs_of_all_kinds() {
    against_the_oracle(Tiny::random, 30);
}

#[test]
fn no_race_where_locks_order() {
    against_the_oracle(Tiny::locked, 20);
}

#[test]
fn no_race_where_one_lock_of_many_orders() {
    against_the_oracle(Tiny::objects, 4);
}

#[test]
fn no_race_where_flags_and_counts_order() {
    against_the_oracle(Tiny::ordered, 30);
}

#[test]
fn no_race_with_any_number_of_threads() {
    against_the_oracle(Tiny::swarm, 20);
}

/// With these faults built in, something is proved that the oracle refutes. The others show in programs made for them.
#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn seeded_faults_are_noticed() {
    let mut open: Vec<NetFault> = NetFault::ALL.to_vec();
    open.retain(|fault| directed().iter().all(|(f, _)| f != fault));
    let mut noticed = Vec::new();
    for seed in 0..number("IRKISS_FAULT_PROGRAMS", 400) {
        for make in [Tiny::ordered, Tiny::swarm, Tiny::random] {
            let tiny = make(seed);
            let program = program_of(&tiny);
            let sound = plan_of(&program, &Settings::default()).0;
            let mut races: Option<Vec<(SiteId, SiteId)>> = None;
            open.retain(|fault| {
                let (plan, _) = with(Some(*fault), || plan_of(&program, &Settings::default()));
                if plan.regions == sound.regions {
                    return true;
                }
                let races = races.get_or_insert_with(|| {
                    let program = program_of(&tiny.counted(2));
                    let all = explore::failures(&program, Mode::All, &limits());
                    all.races.iter().copied().collect()
                });
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

#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn seeded_faults_show_in_programs_made_for_them() {
    for (fault, text) in directed() {
        let program = program_of_text(&text);
        let all = explore::failures(&program_of_text(&counted(&text)), Mode::All, &limits());
        assert!(!all.races.is_empty(), "{fault:?}: no race");
        let (sound, _) = plan_of(&program, &Settings::default());
        let refuted = |plan: &PairPlan| all.races.iter().any(|race| !expected(plan, race));
        assert!(!refuted(&sound), "{fault:?}: unsound without it");
        let (plan, _) = with(Some(fault), || plan_of(&program, &Settings::default()));
        assert!(refuted(&plan), "{fault:?}: nobody notices");
    }
}

/// Table 1 of the paper: the program, whether it is free of races, and the paper's #Conf, #Subsum and #Iter.
const TABLE_1: &[(&str, &str, bool, [u64; 3])] = &[
    ("Counter", "net_counter_racy", false, [10, 3, 4]),
    ("CounterWithLock", "net_counter_safe", true, [14, 7, 6]),
    (
        "CheckThenAct",
        "net_check_then_act_racy",
        false,
        [20, 12, 5],
    ),
    (
        "CheckThenAct-Lock",
        "net_check_then_act_safe",
        true,
        [13, 4, 4],
    ),
    (
        "Prods/Cons",
        "net_producers_consumers",
        true,
        [310, 645, 19],
    ),
    (
        "Prods/Cons 2",
        "net_producers_consumers_2",
        true,
        [290, 561, 17],
    ),
    ("Lock-ReadWriteOnly", "net_lost_update", true, [25, 13, 8]),
];

/// The seven programs: verdicts as in the paper. Its prototype has neither the invariant nor nets made from bitcode, whose locks have
/// types and lives: what it counts compares with what is counted here without the invariant, on nets made smaller.
#[test]
fn table_1_of_the_paper() {
    println!("| program | safe | paper: #Conf, #Subsum, #Iter | without invariant | with it |");
    println!("|---|---|---|---|---|");
    for (name, file, safe, paper) in TABLE_1 {
        let path = format!("test-bitcode/pthread/{file}.c");
        let program = program_of_c(&std::fs::read_to_string(path).expect("the case"));
        let mut counts = Vec::new();
        for invariant in [false, true] {
            let settings = Settings {
                invariant,
                markings: 64_000,
                ..Settings::default()
            };
            let (plan, proofs) = decided(&program, &settings);
            let count = |what: &str| proofs.stats.get(&format!("net: {what}")).copied();
            let three = ["markings kept", "markings subsumed", "rounds"];
            let text = three
                .map(|what| count(what).unwrap_or(0).to_string())
                .join(", ");
            assert_eq!(plan.gap, None, "{name}");
            if invariant || proofs.open.is_empty() {
                assert_eq!(plan.regions.is_empty(), *safe, "{name}: {proofs:?}");
                counts.push(text);
            } else {
                counts.push("more than 64000 met".to_string());
            }
        }
        let paper = paper.map(|n| n.to_string()).join(", ");
        let safe = if *safe { "yes" } else { "no" };
        println!(
            "| {name} | {safe} | {paper} | {} | {} |",
            counts[0], counts[1]
        );
    }
}
