//! The stages, in the order in which data meets them.
//!
//! 1. *close* (child process): read, link, prepare, discover entry points, add models and harness, sequentialize, decode.
//! 2. *points-to* on the concurrent program: once per input; everything after asks it what can alias.
//! 3. *start*: the symbolic state that initialisation leaves: once per input, shared by all pairs.
//! 4. *phases*: what is done about all pairs, one after the other: the list of `phases/`. What one of them asks of a pair is the list of
//!    `pair/tiers/`: a plan of which accesses may race and which switch points matter, then proofs, then searches of the sequential program
//!    from that state, where a region of memory asks whether two conflicting accesses can be enabled at once.
//! 5. *confirm*: every schedule that any of them finds is run in the interpreter of the concurrent program. What it does not confirm is not
//!    reported.
//! 6. *collect* in the order of the pairs, so that the result is the same for any number of jobs.
//!
//! Properties that cost each other too much are checked one after the other, each part through all stages (`parts.rs`).

mod checking;
mod listing;
mod named;
mod parts;
mod phases;
mod tasks;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::analysis::coverability::net::Net;
use crate::analysis::guards::{Gathering, Guards};
use crate::analysis::points_to::PointsTo;
use crate::analysis::{PlanOptions, Planner};
use crate::config::{Options, Scenario};
use crate::deadline::{Deadline, Stopped};
use crate::environment::entry::{EntryPoint, Phase};
use crate::error::{Failure, InputError};
use crate::finding;
use crate::frontend::{self, Closed, Goal};
use crate::index::FuncId;
pub use crate::pair::Queries;
use crate::pair::{self, Nets, Task, starter, wrapper};
use crate::program::{Op, Primitive, Program, print_program};
use crate::progress::{Progress, Quiet};
use crate::property::Property;
use crate::replay::{answers, confirm, rests};
use crate::results::Overdue;
use crate::trace::file::ScheduleFile;
use crate::verdict::{Outcome, PairResult, Replayed};
use checking::{Outlets, check_until};
pub use listing::potential;
use tasks::tasks;

/// How long after the deadline [`check`] waits for work that does not look at the clock.
const GRACE: Duration = Duration::from_secs(1);

/// Checks the input.
///
/// A run that its deadline ends (`--timeout`, an interruption) says so in [`Outcome::stopped`]. Should it not end within
/// a second of it, `overdue` is called once, from another thread, with what has been found until then: for a command
/// that then writes this down and exits.
///
/// `queries`: where every query that decides a verdict is written to as it is asked, with its answer; pairs are then checked
/// one after the other.
///
/// Errors: input that cannot be read, linked or closed; entry points or pairs that it does not have.
pub fn check(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    overdue: &(dyn Fn(Outcome) + Sync),
    queries: Option<Queries>,
) -> Result<Outcome, Failure> {
    parts::check(inputs, options, progress, overdue, queries)
}

/// Checks a program that is closed already. It ends when `--timeout` is over or soon after.
///
/// Errors: entry points or pairs that it does not have.
pub fn check_closed(
    inputs: &[PathBuf],
    closed: Closed,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let deadline = Deadline::after(options.timeout);
    let outlets = Outlets {
        progress,
        overdue: &|_| {},
        end: deadline,
        queries: None,
        again: false,
    };
    check_until(inputs, &closed, options, deadline, &outlets)
}

/// The entry points and pairs of the input, without checking them.
///
/// Errors: as [`check`].
pub fn discover(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let deadline = Deadline::after(options.timeout);
    let closed = close(inputs, options, Goal::EntryPoints, progress, deadline)?;
    let (tasks, mut pairs) = tasks(&closed, options)?;
    pairs.extend(tasks.iter().map(Task::unchecked));
    pairs.sort_by_key(PairResult::place);
    Ok(outcome(inputs, options, &closed, pairs))
}

/// Which lock guards which field, and the places that break the rule (`irkiss suggest`). `threshold`: the share of guarded
/// places, in percent, from which on the others are told. `overdue`: as in [`check`].
///
/// Errors: as [`check`].
pub fn suggest(
    inputs: &[PathBuf],
    options: &Options,
    threshold: u32,
    progress: &dyn Progress,
    overdue: &(dyn Fn(Guards) + Sync),
) -> Result<Guards, Failure> {
    let deadline = Deadline::after(options.timeout);
    let nothing = |stopped: Stopped| Guards {
        stopped: Some(stopped),
        ..Guards::default()
    };
    let closed = match close(inputs, options, Goal::Concurrent, progress, deadline) {
        Ok(closed) => closed,
        Err(failure) => return failure.stopped().map(nothing).ok_or(failure),
    };
    let (tasks, _) = tasks(&closed, options)?;
    let too_late = Overdue::after(GRACE);
    let late = || {
        if let Some(stopped) = too_late.now(deadline) {
            overdue(nothing(stopped));
        }
    };
    deadline.watch(late, || {
        progress.stage("locksets");
        let points_to = match points_to(&closed, options, deadline) {
            Ok(points_to) => points_to,
            Err(stopped) => return Ok(nothing(stopped)),
        };
        let planner = planner(&closed, &points_to, options);
        let guards = gather(&closed, &planner, &tasks, options, threshold);
        Ok(deadline.passed().map_or(guards, nothing))
    })
}

/// The nets of a program with `main` (`--emit net`), one for each region that locks leave open, by its name; of a driver one of all
/// entry points, which asks for all of them.
///
/// Errors: as [`check`], and where there is no net.
pub fn nets(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<(String, Net)>, Failure> {
    let deadline = Deadline::after(options.timeout);
    let closed = close(inputs, options, Goal::Concurrent, progress, deadline)?;
    let points_to = points_to(&closed, options, deadline)
        .map_err(|why| stopped(inputs, "analysing pointers", why))?;
    let planner = planner(&closed, &points_to, options);
    progress.stage("nets");
    if !closed.entries.is_empty() {
        let (tasks, _) = tasks(&closed, options)?;
        let mut options = options.clone();
        options.tiers.driver_nets = true;
        let nets = Nets::prove(&closed, &planner, &tasks, &options, deadline, true);
        if let (Some(why), true) = (&nets.why, nets.kept.is_empty()) {
            return Err(InputError::new("--emit", format!("net: {why}")).into());
        }
        let name = |n: usize| format!("entry points {}", n + 1);
        let kept = nets.kept.into_iter().enumerate();
        return Ok(kept.map(|(n, net)| (name(n), net)).collect());
    }
    let nets = pair::nets(&closed, &planner, options, deadline)
        .map_err(|why| InputError::new("--emit", why))?;
    let nets = nets.into_iter().map(|(of, net)| (of.to_string(), net));
    Ok(nets.collect())
}

fn gather(
    closed: &Closed,
    planner: &Planner<'_>,
    tasks: &[Task],
    options: &Options,
    threshold: u32,
) -> Guards {
    let program = &closed.concurrent;
    let mut gathering = Gathering::new(planner);
    // Of a scenario, what its pairs do.
    for task in tasks.iter().filter(|t| !t.is_scenario()) {
        let threads = pair::threads(program, planner, task);
        gathering.add(&threads, &task.names());
    }
    // Of a program with `main`, what it does before it starts threads.
    let init = match closed.entries.is_empty() {
        true => program.harness.main,
        false => program.harness.init,
    };
    let init: Vec<FuncId> = init.into_iter().collect();
    let mut guards = gathering.finish(&init, threshold);
    let fields = &options.fields;
    if !fields.is_empty() {
        let asked = |location: &str| pair::asked_for(location, fields);
        guards.guarded.retain(|g| asked(&g.location));
        guards.suggestions.retain(|s| asked(&s.location));
    }
    guards
}

/// The concurrent program as text (`--emit=program`).
///
/// Errors: as [`check`].
pub fn program(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<String, Failure> {
    let deadline = Deadline::after(options.timeout);
    let closed = close(inputs, options, Goal::Concurrent, progress, deadline)?;
    Ok(print_program(&closed.concurrent))
}

/// The sequential program as LLVM assembly (`--emit=sequential`).
///
/// Errors: as [`check`].
pub fn sequential(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<String, Failure> {
    progress.stage("reading");
    frontend::emit_sequential_ll(inputs, options)
}

/// Runs the schedules of a schedule file ([`crate::trace::file`]) in the interpreter, under the options that the file
/// carries.
///
/// Errors: as [`check`], and a schedule file that does not fit the input.
pub fn replay(schedule: &Path, inputs: &[PathBuf]) -> Result<Vec<Replayed>, Failure> {
    let file = ScheduleFile::read(schedule)?;
    file.expect_inputs(inputs)?;
    let deadline = Deadline::NEVER;
    // A run of the steady scenario may have looked beside initialisation, too.
    let programs: [OnceCell<Closed>; 4] = Default::default();
    let mut out = Vec::new();
    for named in file.findings {
        let born = named.schedule.is_of_lifecycle();
        let waits = named.schedule.failure.is_deadlock();
        let part = file.options.part_of(waits);
        let scenario = match born {
            true => Scenario::Lifecycle,
            false => part.scenario,
        };
        let options = &Options { scenario, ..part };
        let program = &programs[usize::from(born) + 2 * usize::from(waits)];
        let closed = match program.get() {
            Some(closed) => closed,
            None => {
                let closed = close(inputs, options, Goal::Concurrent, &Quiet, deadline)?;
                program.get_or_init(|| closed)
            }
        };
        let how = (closed.concurrent.marked, file.options.race_check);
        let confirmed = confirm::confirm_by(&closed.concurrent, &named.schedule, how);
        out.push(match confirmed {
            Ok(c) => {
                let state = rests::of(&closed.concurrent, &named.schedule, how);
                let answers = answers::taken(&closed.concurrent, &named.schedule);
                let finding =
                    finding::make(named.schedule, c, (state, &answers), None, &file.options);
                Replayed::Confirmed(Box::new(finding))
            }
            Err(d) => Replayed::Refuted {
                finding: named.message,
                reason: d.to_string(),
            },
        });
    }
    Ok(out)
}

/// Stage 1, in a child process.
fn close(
    inputs: &[PathBuf],
    options: &Options,
    goal: Goal,
    progress: &dyn Progress,
    deadline: Deadline,
) -> Result<Closed, Failure> {
    progress.stage("reading");
    let stage = &mut |what: &str| progress.stage(what);
    frontend::close_in_child(inputs, options, goal, deadline, stage).map(|(closed, _)| closed)
}

/// Which memory pointers may lead to, unless the deadline comes first. That they lead to memory of their C type holds for C alone.
fn points_to(closed: &Closed, options: &Options, deadline: Deadline) -> Result<PointsTo, Stopped> {
    PointsTo::solve_until(
        &closed.concurrent,
        &roots(closed),
        !options.strict && !closed.concurrent.is_cplusplus(),
        deadline,
    )
}

/// The failure of a run that was ended before there was anything to report.
fn stopped(inputs: &[PathBuf], doing: &str, why: Stopped) -> Failure {
    let first = inputs.first().map(|i| i.display().to_string());
    Failure::Stopped {
        place: first.unwrap_or_default(),
        doing: doing.to_string(),
        why,
    }
}

/// Does `work` that has nothing to report before its end. Should it not end within a second of its deadline, `overdue` is called once,
/// from another thread.
pub fn within<R>(
    timeout: Option<u64>,
    overdue: &(dyn Fn(Stopped) + Sync),
    work: impl FnOnce() -> R,
) -> R {
    let deadline = Deadline::after(timeout);
    let too_late = Overdue::after(GRACE);
    let late = || {
        if let Some(why) = too_late.now(deadline) {
            overdue(why);
        }
    };
    deadline.watch(late, work)
}

/// Where threads start, for points-to.
fn roots(closed: &Closed) -> Vec<FuncId> {
    closed.concurrent.harness.main.into_iter().collect()
}

fn planner<'p>(closed: &'p Closed, points_to: &'p PointsTo, options: &Options) -> Planner<'p> {
    let mut plans = PlanOptions::from(options);
    plans.marked = closed.concurrent.marked;
    let planner = Planner::new(&closed.concurrent, points_to, plans);
    match closed.entries.is_empty() {
        true => planner,
        false => {
            let several = tasks::several(closed, &planner);
            planner
                .with_threads(&wrappers(closed), starter(&closed.concurrent))
                .with_exclusions(apart(closed))
                .with_several(&several)
        }
    }
}

/// The functions that call the entry points that run as threads.
fn wrappers(closed: &Closed) -> Vec<FuncId> {
    let threads = closed.entries.iter_ids().filter(|(_, e)| {
        // Of these, initialisation runs before all others.
        !matches!(e.phase, Phase::Init | Phase::Nested)
    });
    threads
        .filter_map(|(id, _)| wrapper(&closed.concurrent, id))
        .collect()
}

/// Those of them that the rules never run beside each other.
fn apart(closed: &Closed) -> Vec<(FuncId, FuncId)> {
    let mut pairs = Vec::new();
    let function = |id| wrapper(&closed.concurrent, id);
    for (i, a) in closed.entries.iter_ids() {
        for (j, b) in closed.entries.iter_ids() {
            if EntryPoint::never_overlap(a, b).is_some() {
                pairs.extend(function(i).zip(function(j)));
            }
        }
    }
    pairs
}

fn outcome(
    inputs: &[PathBuf],
    options: &Options,
    closed: &Closed,
    pairs: Vec<PairResult>,
) -> Outcome {
    let mut usual = Outcome::empty(inputs, options);
    if !options.asks(Property::Bug) && may_get_to_bug(&closed.concurrent) {
        usual.not_asked.push(Property::Bug);
    }
    let sources = sources(&closed.concurrent);
    let mut notes = closed.notes.clone();
    if sources.is_empty() {
        notes.push(NO_LINES.to_string());
    }
    Outcome {
        entries: closed
            .entries
            .iter()
            .filter(|e| !e.another)
            .cloned()
            .collect(),
        pairs,
        sources,
        default_models: closed.default_models.clone(),
        unmodelled_asm: closed.unmodelled_asm.clone(),
        notes,
        ..usual
    }
}

/// What is said of an input without debug information.
const NO_LINES: &str =
    "no debug information: compiled with -g, lines and the names of fields are told";

/// Whether the input has a place where the kernel gives up.
fn may_get_to_bug(program: &Program) -> bool {
    let own = program.functions.iter().filter(|f| !f.is_model);
    let mut instrs = own.flat_map(|f| f.blocks.iter()).flat_map(|b| &b.instrs);
    let bug = Primitive::Bug;
    instrs.any(|i| matches!(&i.op, Op::Primitive { primitive, .. } if *primitive == bug))
}

/// The files of the user's functions, without headers.
fn sources(program: &Program) -> Vec<String> {
    let own = program
        .functions
        .iter()
        .filter(|f| !f.is_model && f.is_defined());
    let files = own.filter_map(|f| Some(&program.source.locations[f.loc?].file));
    let files = files.map(|f| program.source.files[*f].clone());
    let sources = files.filter(|f| !f.is_empty() && !f.ends_with(".h"));
    sources.collect::<BTreeSet<String>>().into_iter().collect()
}

/// The outcome of a run that was ended before anything was checked.
fn nothing(inputs: &[PathBuf], options: &Options, stopped: Stopped) -> Outcome {
    Outcome {
        stopped: Some(stopped),
        ..Outcome::empty(inputs, options)
    }
}
