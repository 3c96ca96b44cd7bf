//! Concrete runs beside the interpreter that confirms: whatever a run of an entry point or of a program does, the interpreter does, step by step, with the
//! same inputs. They share no code.
//!
//! `IRKISS_RUNS` is every how manieth of the cases is asked (default 9; 1: all of them).

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use irkiss::config::Options;
use irkiss::deadline::Deadline;
use irkiss::internals::concrete::{Code, Runs, Watch, Whole};
use irkiss::internals::frontend::{Closed, Goal, close_in_process};
use irkiss::internals::program::Program;
use irkiss::internals::replay::input::Recorded;
use irkiss::internals::replay::interp::{Log, Machine};
use irkiss::property::{Properties, Property};
use irkiss::trace::schedule::Schedule;
use support::{number, run};

/// Instructions of one step.
const FUEL: u64 = 1_000_000;

/// Steps of a run of a program that are followed: the interpreter is slow.
const MOST_STEPS: usize = 4_000;

fn cases(folder: &str) -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode");
    let folder = all.join(folder);
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

/// The program of a case; `None`: it is refused, which is asked elsewhere.
fn closed(case: &Path, folder: &Path, options: &Options) -> Option<Closed> {
    let bitcode = folder.join("case.bc");
    run(Command::new("clang-22")
        .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"])
        .args(["-Iruntime-stubs/include", "-emit-llvm", "-c"])
        .arg(case)
        .arg("-o")
        .arg(&bitcode));
    close_in_process(&[bitcode], options, Goal::Concurrent).ok()
}

/// What was followed, and what was done otherwise.
#[derive(Default)]
struct Followed {
    runs: usize,
    wrong: Vec<String>,
}

impl Followed {
    fn add(&mut self, case: &Path, program: &Program, schedules: &[Schedule]) {
        for schedule in schedules {
            self.runs += 1;
            if let Err(what) = follow(program, schedule) {
                self.wrong.push(format!("{}: {what}", case.display()));
            }
        }
    }

    fn expect_all(&self) {
        println!("{} runs followed", self.runs);
        assert!(self.runs > 0, "nothing was run");
        let some = &self.wrong[..self.wrong.len().min(20)];
        assert!(
            some.is_empty(),
            "{} of {}: {some:#?}",
            self.wrong.len(),
            self.runs
        );
    }
}

#[test]
fn runs_do_what_the_interpreter_does() {
    let stride = number("IRKISS_RUNS", 9) as usize;
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut followed = Followed::default();
    for case in cases("drivers").iter().step_by(stride) {
        let Some(closed) = closed(case, folder.path(), &Options::default()) else {
            continue;
        };
        let program = &closed.concurrent;
        let Some(code) = Code::of(program) else {
            continue;
        };
        let numbers = vec![u32::MAX, u32::MAX, 0];
        let runs = Runs::new(&code, program, numbers, Deadline::after(None));
        for entry in closed.entries.iter_ids().map(|(id, _)| id) {
            followed.add(case, program, &runs.of_one(entry));
        }
    }
    followed.expect_all();
}

/// Runs the programs of some cases, and follows.
fn follow_programs(cases: &[PathBuf], options: &Options, watch: Watch) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut followed = Followed::default();
    for case in cases {
        let Some(closed) = closed(case, folder.path(), options) else {
            continue;
        };
        let program = &closed.concurrent;
        let code = Code::of(program).filter(|_| closed.entries.is_empty());
        let Some(code) = code else { continue };
        let all = (0..program.sites.len()).collect();
        let looked_for = (&all, watch);
        let whole = Whole::new(
            &code,
            program,
            vec![0; 3],
            looked_for,
            Deadline::after(None),
        );
        if let Some(mut whole) = whole {
            let mut schedules = whole.schedules();
            schedules.extend(whole.failures().flatten().cloned());
            for schedule in &mut schedules {
                schedule.steps.truncate(MOST_STEPS);
            }
            followed.add(case, program, &schedules);
        }
    }
    followed.expect_all();
}

fn every(folder: &str) -> Vec<PathBuf> {
    let stride = number("IRKISS_RUNS", 9) as usize;
    cases(folder).into_iter().step_by(stride).collect()
}

#[test]
fn runs_of_programs_do_what_the_interpreter_does() {
    follow_programs(&every("pthread"), &Options::default(), Watch::default());
}

#[test]
fn runs_that_are_directed_do_what_the_interpreter_does() {
    let options = Options {
        properties: Properties::default()
            .and(Property::Uaf)
            .and(Property::Deadlock),
        ..Options::default()
    };
    let watch = Watch {
        freed: true,
        waits: true,
    };
    let waits = |case: &PathBuf| {
        let name = case.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("wait_"))
    };
    let mut all = every("pthread");
    let stride = number("IRKISS_RUNS", 9) as usize;
    all.extend(
        cases("properties")
            .into_iter()
            .filter(waits)
            .step_by(stride),
    );
    follow_programs(&all, &options, watch);
}
