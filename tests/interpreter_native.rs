//! The interpreter against the machine: the same C, compiled by the same compiler, run by both.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use irkiss::internals::program::Program;
use irkiss::internals::replay::input::Recorded;
use irkiss::internals::replay::interp::{Log, Machine};
use irkiss::internals::replay::memory::from_bytes;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::search::Limits;
use irkiss::trace::schedule::Inputs;
use support::{program_of_c, run};

const SEEDS: u64 = 40;

/// Compiles for this machine; the lines that the program prints.
fn native(source: &Path, defines: &[String], runs: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let executable = folder.path().join("native");
    run(Command::new("clang-22")
        .args(["-O1", "-w", "-pthread", "-DNATIVE"])
        .args(defines)
        .arg(source)
        .arg("-o")
        .arg(&executable));
    runs.iter()
        .flat_map(|arg| {
            let output = run(Command::new(&executable).arg(arg));
            output.lines().map(str::to_string).collect::<Vec<_>>()
        })
        .collect()
}

fn with_defines(file: &str, defines: &[(&str, String)]) -> Program {
    let mut text: String = defines
        .iter()
        .map(|(name, value)| format!("#define {name} {value}\n"))
        .collect();
    text.push_str(&std::fs::read_to_string(file).expect("there"));
    program_of_c(&text)
}

/// Runs thread 0 to its end and reads `count` words from global `results`.
fn interpreted(program: &Program, count: u64) -> Vec<String> {
    let machine = Machine::new(program, 50_000_000);
    let inputs = Inputs::default();
    let mut source = Recorded::new(&inputs, &[]);
    let mut log = Log::default();
    let entry = program.harness.main.expect("a start");
    let mut state = machine.initial(entry, &mut source).expect("starts");
    machine
        .settle(&mut state, 0, &mut source, &mut log)
        .expect("a prefix");
    while let Some(site) = machine.next_site(&state, 0) {
        machine
            .step(&mut state, 0, &mut source, &mut log)
            .unwrap_or_else(|e| panic!("{}: {e:?}", program.describe_site(site)));
    }
    let results = program.global_named("results").expect("results");
    let base = machine.global_address(results);
    (0..count)
        .map(|n| {
            let bytes = state.memory.read(&machine.image, base + 8 * n, 8);
            from_bytes(&bytes.expect("in bounds"), true).to_string()
        })
        .collect()
}

#[test]
fn sequential_programs_compute_what_the_machine_computes() {
    let file = "tests/native/sequential.c";
    let seeds = [format!("-DSEEDS={SEEDS}")];
    let expected = native(Path::new(file), &seeds, &[String::new()]);
    let program = with_defines(file, &[("SEEDS", SEEDS.to_string())]);
    let found = interpreted(&program, SEEDS);
    assert_eq!(expected.len(), SEEDS as usize);
    assert_eq!(expected, found);
}

/// Every result that the machine shows is one that the explorer reaches; what no interleaving gives, it does not reach.
#[test]
fn thread_programs_do_what_the_machine_does() {
    // Program, a result that is impossible under sequential consistency.
    let programs = [
        (1, 0),
        (2, 3),
        (3, 7),
        (4, 12),
        (5, 0),
        (6, 0),
        (7, 1),
        (8, 1),
    ];
    for (number, impossible) in programs {
        let file = "tests/native/threads.c";
        let runs: Vec<String> = (0..60).map(|n| (n * n * 40).to_string()).collect();
        let seen = native(Path::new(file), &[format!("-DPROGRAM={number}")], &runs);
        let results: BTreeSet<String> = seen.into_iter().collect();
        let possible = |result: &str| {
            let defines = [
                ("PROGRAM", number.to_string()),
                ("EXPECT", result.to_string()),
            ];
            let program = with_defines(file, &defines);
            let limits = Limits {
                races: false,
                ..Limits::default()
            };
            let outcome = explore::failures(&program, Mode::All, &limits);
            assert!(outcome.complete, "program {number}: {outcome:?}");
            assert!(outcome.errors.is_empty(), "program {number}: {outcome:?}");
            outcome.assertion
        };
        assert!(!results.is_empty());
        for result in &results {
            assert!(
                possible(result),
                "program {number}: the machine gives {result}"
            );
        }
        assert!(
            !possible(&impossible.to_string()),
            "program {number}: {impossible}"
        );
    }
}
