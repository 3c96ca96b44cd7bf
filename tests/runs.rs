//! Concrete runs beside the interpreter that confirms: whatever a run of an entry point does, the interpreter does, step by step, with the
//! same inputs. They share no code.
//!
//! `IRKISS_RUNS` is every how manieth of the driver cases is asked (default 9; 1: all of them).

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use irkiss::config::Options;
use irkiss::deadline::Deadline;
use irkiss::internals::concrete::{Code, Runs};
use irkiss::internals::frontend::{Goal, close_in_process};
use irkiss::internals::program::Program;
use irkiss::internals::replay::input::Recorded;
use irkiss::internals::replay::interp::{Log, Machine};
use irkiss::trace::schedule::Schedule;
use support::{number, run};

/// Instructions of one step.
const FUEL: u64 = 1_000_000;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode/drivers");
    let files = std::fs::read_dir(folder).expect("the cases are there");
    let mut all: Vec<PathBuf> = files
        .map(|f| f.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    all.sort();
    all
}

/// Takes the steps of a run in the interpreter; what it says if it does otherwise.
fn follow(program: &Program, schedule: &Schedule) -> Result<(), String> {
    let machine = Machine::new(program, FUEL);
    let mut source = Recorded::new(&schedule.inputs, &schedule.pair);
    let main = program.harness.main.ok_or("no main")?;
    let mut state = machine
        .initial(main, &mut source)
        .map_err(|e| e.to_string())?;
    let mut log = Log::default();
    machine
        .settle(&mut state, 0, &mut source, &mut log)
        .map_err(|stop| format!("{stop:?}"))?;
    for (n, step) in schedule.steps.iter().enumerate() {
        let next = machine.next_site(&state, step.thread);
        if next != Some(step.site) {
            return Err(format!("step {n}: {:?} instead of {next:?}", step.site));
        }
        machine
            .step(&mut state, step.thread, &mut source, &mut log)
            .map_err(|stop| format!("step {n} of {}: {stop:?}", schedule.steps.len()))?;
    }
    Ok(())
}

#[test]
fn runs_do_what_the_interpreter_does() {
    let stride = number("IRKISS_RUNS", 9) as usize;
    let folder = tempfile::tempdir().expect("temporary folder");
    let (mut followed, mut wrong) = (0, Vec::new());
    for case in cases().iter().step_by(stride) {
        let bitcode = folder.path().join("case.bc");
        run(Command::new("clang-22")
            .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"])
            .args(["-Iruntime-stubs/include", "-emit-llvm", "-c"])
            .arg(case)
            .arg("-o")
            .arg(&bitcode));
        let options = Options::default();
        // What is no driver, or is refused, is asked elsewhere.
        let Ok(closed) = close_in_process(&[bitcode], &options, Goal::Concurrent) else {
            continue;
        };
        let program = &closed.concurrent;
        let Some(code) = Code::of(program) else {
            continue;
        };
        let numbers = vec![u32::MAX, u32::MAX, 0];
        let runs = Runs::new(&code, program, numbers, Deadline::after(None));
        for entry in closed.entries.iter_ids().map(|(id, _)| id) {
            for schedule in runs.of_one(entry) {
                followed += 1;
                if let Err(what) = follow(program, &schedule) {
                    wrong.push(format!("{} {entry}: {what}", case.display()));
                }
            }
        }
    }
    println!("{followed} runs followed");
    assert!(followed > 0, "nothing was run");
    let some = &wrong[..wrong.len().min(20)];
    assert!(wrong.is_empty(), "{} of {followed}: {some:#?}", wrong.len());
}
