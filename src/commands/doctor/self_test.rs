//! A small program with a race is checked, and what is found is run again: every part has to work for that.

use std::path::{Path, PathBuf};
use std::time::Instant;

use irkiss::config::{Backend, Options};
use irkiss::report::{self, doctor::State};
use irkiss::verdict::{FindingKind, Replayed};
use irkiss::{pipeline, progress};

/// Two threads that count without a lock.
const PROGRAM: &str = include_str!("counter.ll");

/// Far more than it takes anywhere.
const SECONDS: u64 = 60;

/// What comes of it.
pub(super) fn run() -> State {
    let begun = Instant::now();
    match tried() {
        Ok(()) => State::Fine(format!(
            "passed: the race of a small program is found and replayed ({:.1} s)",
            begun.elapsed().as_secs_f64()
        )),
        Err((what, advice)) => State::broken(format!("self-test: {what}"), advice),
    }
}

/// What was wrong, and what to do.
type Trouble = (String, &'static str);

const BUG: &str = "this is a bug in irkiss, or a broken installation: report it with this line";

fn tried() -> Result<(), Trouble> {
    let no_folder = |e: &dyn std::fmt::Display| (e.to_string(), "TMPDIR names another folder");
    let folder = tempfile::Builder::new()
        .prefix("irkiss-doctor-")
        .tempdir()
        .map_err(|e| no_folder(&e))?;
    let input = folder.path().join("counter.ll");
    std::fs::write(&input, PROGRAM).map_err(|e| no_folder(&e))?;
    let schedule = folder.path().join("schedule.json");
    let found = found(&input)?;
    std::fs::write(&schedule, found).map_err(|e| no_folder(&e))?;
    let bug = |what: &dyn std::fmt::Display| (what.to_string(), BUG);
    let replayed = pipeline::replay(&schedule, &[input]).map_err(|e| bug(&e))?;
    match replayed.as_slice() {
        [] => Err(bug(&"the race is not in the schedule")),
        all => match all.iter().find_map(refused) {
            Some(reason) => Err(bug(&format!("the race does not replay: {reason}"))),
            None => Ok(()),
        },
    }
}

fn refused(replayed: &Replayed) -> Option<&str> {
    match replayed {
        Replayed::Confirmed(_) => None,
        Replayed::Refuted { reason, .. } => Some(reason),
    }
}

/// The schedules of what is found in the program, as text.
fn found(input: &Path) -> Result<String, Trouble> {
    let files: [PathBuf; 1] = [input.to_path_buf()];
    let options = Options {
        jobs: 1,
        // Both solvers have to work.
        solver: Backend::Both,
        timeout: Some(SECONDS),
        ..Options::default()
    };
    crate::end_at_limits(&options);
    let overdue = |_| {
        irkiss::command::exit(i32::from(crate::FINDINGS));
    };
    let outcome = pipeline::check(&files, &options, &progress::Quiet, &overdue, None)
        .map_err(|e| (e.to_string(), BUG))?;
    let is_race = |f: &irkiss::verdict::Finding| f.kind == FindingKind::DataRace;
    if !outcome.findings.iter().any(is_race) {
        return Err(match &outcome.stopped {
            Some(_) => (
                "stopped before the race of a small program was found".to_string(),
                "give it more memory, or a machine with less to do",
            ),
            None => ("the race of a small program is not found".to_string(), BUG),
        });
    }
    report::schedule::render(&outcome, &files, &options).map_err(|e| (e.to_string(), BUG))
}
