//! `irkiss sweep`, and the process that does one task of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use irkiss::command::NO_ENTRY_POINTS;
use irkiss::config::Options;
use irkiss::deadline::Deadline;
use irkiss::error::{Failure, InputError};
use irkiss::report::snippet::{Disk, Sources};
use irkiss::report::sweep::status::Status;
use irkiss::report::sweep::{Picture, html, json, sarif, status, text};
use irkiss::sweep::allowed::Allowed;
use irkiss::sweep::changes::{Changes, Snapshot, between};
use irkiss::sweep::child::{Answer, Reply, Request, end_with_sweep};
use irkiss::sweep::engine::Kind;
use irkiss::sweep::estimate::Estimate;
use irkiss::sweep::merge::{Merged, merge};
use irkiss::sweep::plan::{Wish, plan};
use irkiss::sweep::prune::prune;
use irkiss::sweep::record;
use irkiss::sweep::run::{Orders, Ran, Watch, run};
use irkiss::sweep::store::{Night, Store};
use irkiss::sweep::task::Ended;
use irkiss::verdict::Outcome;
use irkiss::{pipeline, progress, report};

use super::after::today;
use super::{Words, engine, whole, with_whole_paths};
use crate::cli::{
    FailOn, Format, MergeArgs, PlanArgs, PruneArgs, ReportArgs, RunArgs, StatusArgs, Step,
    SweepArgs, SweepFormat,
};
use crate::{FINDINGS, OK, UNKNOWN, end_at_own_limits, end_at_signals, write_out};

/// Does a step; the exit code.
pub fn sweep(args: &SweepArgs) -> anyhow::Result<u8> {
    match &args.step {
        Step::Plan(args) => planned(args),
        Step::Run(args) => ran(args),
        Step::Status(args) => told_status(args),
        Step::Merge(args) => merged(args),
        Step::Report(args) => reported(args),
        Step::Prune(args) => pruned(args),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn planned(args: &PlanArgs) -> anyhow::Result<u8> {
    let mut store = Store::create(&args.store)?;
    let _alone = store.alone()?;
    let options = with_whole_paths(args.options());
    let unusual = !args.has_usual_options();
    if args.build {
        if unusual {
            let what = "the plugin has options of its own";
            return Err(InputError::new("--build", what)
                .advise("set IRKISS_FLAGS for the build")
                .into());
        }
        let night = record::begin(&mut store, &options)?;
        write_out(None, &format!("night {night} begins: a build fills it\n"))?;
        return Ok(OK);
    }
    let jobs = options.jobs;
    if args.inputs.is_empty() && unusual {
        let what = "without inputs, inputs and options are those of the last night";
        return Err(InputError::new("options", what)
            .advise("name the inputs too")
            .into());
    }
    let (inputs, options) = match (args.inputs.is_empty(), store.last_night()?) {
        (false, _) => (args.inputs.iter().map(|i| whole(i)).collect(), options),
        (true, Some(last)) if !last.inputs.is_empty() => (last.inputs, last.options),
        (true, _) => {
            let what = "there is no night yet whose inputs could be taken";
            let error = InputError::new(args.store.display(), what);
            return Err(error.advise("irkiss sweep plan STORE INPUT…").into());
        }
    };
    let wish = Wish {
        inputs,
        options,
        deepest: args.deepest,
        jobs,
    };
    let bar = progress::Steps::new();
    let night = plan(&mut store, &wish, &|what| bar.say(what))?;
    bar.hide();
    let status = status_of(&store, night, false)?;
    write_out(None, &status::line(&status))?;
    Ok(OK)
}

/// What the last night of a store is; without one there is nothing to do.
fn last(store: &Store) -> Result<Night, InputError> {
    store.last_night()?.ok_or_else(|| {
        InputError::new(store.folder().display(), "no night has been planned")
            .advise("irkiss sweep plan STORE INPUT…")
    })
}

fn ran(args: &RunArgs) -> anyhow::Result<u8> {
    let store = Store::open(&args.store)?;
    let night = last(&store)?;
    let wanted = engine::wanted(args)?;
    let usual = match wanted.kind {
        Kind::Local => processors(),
        Kind::Slurm | Kind::Hq => 1,
    };
    let orders = Orders {
        program: match &args.engine.program {
            Some(program) => program.clone(),
            None => std::env::current_exe().map_err(|e| InputError::new("this executable", e))?,
        },
        wanted,
        jobs: args.jobs.map_or(usual, |n| n as usize),
        shard: args.shard,
        time: args.time,
    };
    end_at_signals();
    let bar = Bar(progress::Steps::new());
    let ran = run(&store, night.number, &orders, Deadline::after(None), &bar)?;
    bar.0.hide();
    let Ran {
        done,
        known,
        elsewhere,
        skipped,
        left,
        lost,
    } = ran;
    let mut text = format!(
        "night {}: {done} checked, {known} taken from the store",
        night.number
    );
    if elsewhere > 0 {
        text.push_str(&format!(", {elsewhere} in other parts"));
    }
    if lost > 0 {
        text.push_str(&format!(
            ", {lost} begun in vain (their process or machine was lost)"
        ));
    }
    if left > 0 {
        text.push_str(&format!(", {left} left (irkiss sweep run goes on)"));
    }
    if skipped > 0 {
        text.push_str(&format!(
            ", {skipped} changed since the plan (irkiss sweep plan begins anew)"
        ));
    }
    text.push('\n');
    write_out(None, &text)?;
    Ok(match left + skipped {
        0 => OK,
        _ => UNKNOWN,
    })
}

/// Shows how far a night is.
struct Bar(progress::Steps);

impl Watch for Bar {
    fn begin(&self, tasks: usize, left: Duration) {
        self.0.begin(tasks, left);
    }

    fn ended(&self, name: &str, ended: &Ended, left: Duration) {
        match ended {
            Ended::Reported(summary) if summary.findings > 0 => {
                let races = summary.findings;
                let what = if races == 1 { "finding" } else { "findings" };
                self.0.tell(&format!("{name}: {races} {what}"));
            }
            _ => {
                if let Some(line) = ended.line() {
                    self.0.tell(&format!("{name}: {line}"));
                }
            }
        }
        self.0.step(left);
    }

    fn skipped(&self, name: &str, line: &str) {
        self.0.tell(&format!("{name}: {line}"));
    }

    fn note(&self, line: &str) {
        self.0.tell(line);
    }
}

fn status_of(store: &Store, night: i64, content: bool) -> Result<Status, InputError> {
    let planned_as = store.night_of(night)?;
    let began = planned_as.as_ref().map_or(0, |n| n.began);
    let options = planned_as.map_or_else(Options::default, |n| n.options);
    let mut status = Status {
        night,
        began,
        tasks: 0,
        done: 0,
        new: 0,
        deeper: 0,
        problems: 0,
        left: 0,
        nights: store.nights()?,
        history: Vec::new(),
        elsewhere: engine::elsewhere_of(store),
        content: content.then(|| store.content()).transpose()?,
    };
    let mut guesses = Vec::new();
    for planned in store.tasks(night)? {
        status.tasks += 1;
        if planned.key.is_empty() {
            status.problems += 1;
            continue;
        }
        match store.best(&planned.key, planned.level, night)? {
            Some((level, ..)) if level == planned.level => status.done += 1,
            Some((level, _, cost)) => {
                status.deeper += 1;
                guesses.push(Estimate::guess(&planned, Some((cost, level)), &options));
            }
            None => {
                status.new += 1;
                guesses.push(Estimate::guess(&planned, None, &options));
            }
        }
    }
    status.left = Estimate::default().left(&guesses, 1) as u64;
    Ok(status)
}

fn told_status(args: &StatusArgs) -> anyhow::Result<u8> {
    let store = Store::look(&args.store)?;
    let mut status = status_of(&store, last(&store)?.number, args.content)?;
    for number in status.nights.clone() {
        if let Some(night) = store.night_of(number)? {
            let run = store.last_run(number)?;
            let history = status::Past::of(&night, run, store.outline(number)?);
            status.history.push(history);
        }
    }
    let text = match args.format {
        Format::Human => status::render(&status),
        Format::Json => status::json(&status),
    };
    write_out(None, &text)?;
    Ok(OK)
}

fn merged(args: &MergeArgs) -> anyhow::Result<u8> {
    let mut store = Store::create(&args.store)?;
    let _alone = store.alone()?;
    let mut all = Merged::default();
    for from in &args.from {
        let merged = merge(&mut store, &Store::look(from)?)?;
        all.new += merged.new;
        all.known += merged.known;
    }
    let text = format!("{} results taken over, {} were there\n", all.new, all.known);
    write_out(None, &text)?;
    Ok(OK)
}

fn pruned(args: &PruneArgs) -> anyhow::Result<u8> {
    let mut store = Store::open(&args.store)?;
    let pruned = prune(&mut store, args.keep)?;
    write_out(None, &status::pruned(pruned, store.nights()?.len()))?;
    Ok(OK)
}

fn reported(args: &ReportArgs) -> anyhow::Result<u8> {
    let store = Store::look(&args.store)?;
    let number = match args.night {
        Some(number) => number,
        None => last(&store)?.number,
    };
    let mut now = Snapshot::of(&store, number)?;
    let mut before = match &args.since {
        Some(name) => since(&store, name, &now)?,
        None if args.fail_on == FailOn::New => {
            let error = InputError::new("--fail-on", "new needs another night to compare with");
            return Err(error.advise("add --since last").into());
        }
        None => None,
    };
    let here = std::env::current_dir().unwrap_or_default();
    let sources = Disk::beside(&[]);
    let (line, today) = (|file: &str, line| sources.line(file, line), today());
    let mut said = Allowed::new(&line, &today, &here);
    now.set_aside(&mut said)?;
    if let Some((_, before)) = &mut before {
        before.set_aside(&mut said)?;
    }
    let changes = before.as_ref().map(|(name, b)| (name, between(b, &now)));
    let picture = Picture {
        here: &here,
        now: &now,
        since: changes.as_ref().map(|(name, c)| (name.as_str(), c)),
    };
    let report = match args.format {
        SweepFormat::Human => text::render(picture),
        SweepFormat::Mail => text::mail(picture),
        SweepFormat::Json => json::render(picture),
        SweepFormat::Sarif => sarif::render(picture),
        SweepFormat::Html => html::render(picture),
    };
    write_out(args.output.as_deref(), &report)?;
    Ok(code(args.fail_on, &now, changes.as_ref().map(|(_, c)| c)))
}

fn code(fail_on: FailOn, now: &Snapshot, changes: Option<&Changes<'_>>) -> u8 {
    let found = !now.findings().is_empty();
    let open = now.regions().unknown > 0 || now.tasks.values().any(|t| now.line(t).is_some());
    let fails = match fail_on {
        FailOn::New => changes.is_some_and(|c| !c.new.is_empty()),
        FailOn::Race => found,
        FailOn::Unknown => found || open,
        FailOn::Never => false,
    };
    let nothing = now.tasks.values().all(|t| now.line(t).is_some());
    match (fails, nothing && fail_on != FailOn::Never) {
        (true, _) => FINDINGS,
        // Nothing new where nothing was looked at is no news.
        (false, true) => UNKNOWN,
        (false, false) => OK,
    }
}

/// Another night, and its name: a number, `last`, or a store. It stands for the nights before it too. `None`: this is the first night, which
/// has none before it.
fn since(
    store: &Store,
    name: &str,
    now: &Snapshot,
) -> Result<Option<(String, Snapshot)>, InputError> {
    let number = match name {
        "last" => match store.nights()?.into_iter().rfind(|n| *n < now.night) {
            Some(number) => Some(number),
            None => return Ok(None),
        },
        _ => name.parse().ok(),
    };
    let before = |store: &Store, number: i64, name: String| {
        let mut before = Snapshot::of(store, number)?;
        before.look_back(store, now)?;
        Ok(Some((name, before)))
    };
    if let Some(number) = number {
        return before(store, number, format!("night {number}"));
    }
    let other = Store::look(Path::new(name))?;
    let number = last(&other)?.number;
    before(&other, number, format!("night {number} of {name}"))
}

/// The process that does a task; the exit code.
pub fn task(mut words: Words) -> anyhow::Result<u8> {
    end_with_sweep();
    let (Some(asked), Some(left)) = (words.next(), words.next()) else {
        return Err(InputError::new("", "a request and a place for the reply are needed").into());
    };
    let request = Request::read(Path::new(&asked))?;
    let left = PathBuf::from(left);
    end_at_own_limits(&request.options);
    let answer = |mut outcome: Outcome| {
        outcome.input.clone_from(&request.shown);
        let told = request.source.as_ref().map(|source| {
            let rest = report::lines::undecided(&outcome, source, None);
            report::wire::render(&outcome, &Disk::beside(&[]), &rest)
        });
        Reply {
            told,
            ..Reply::now(Answer::Report(report::json::render(&outcome)))
        }
    };
    let overdue = |outcome: Outcome| {
        // Nobody can be told that it cannot be written: the sweep sees that there is none.
        let _ = answer(outcome).leave(&left);
        irkiss::command::exit(i32::from(OK));
    };
    let checked = pipeline::check(
        &request.files,
        &request.options,
        &progress::Quiet,
        &overdue,
        None,
    );
    let reply = match checked {
        Ok(outcome) => answer(outcome),
        Err(Failure::Input(error)) if error.what == NO_ENTRY_POINTS => {
            let told = request.source.as_ref().map(|_| report::wire::nothing());
            Reply {
                told,
                ..Reply::now(Answer::NoEntryPoints)
            }
        }
        Err(failure) => Reply::now(Answer::Refused(failure.to_string())),
    };
    reply.leave(&left)?;
    Ok(OK)
}
