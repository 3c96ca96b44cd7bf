//! The `irkiss` command: arguments in, exit code out.

mod cli;
mod commands;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use cli::after::{FailOn, TraceWord};
use cli::{
    CheckArgs, CheckFormat, Color, Command, DoctorArgs, Emit, Format, General, KbuildArgs, ManArgs,
    ReplayArgs, RulesArgs, Stop, SuggestArgs,
};
use commands::after::{Said, trace, width, with_found_config};
use commands::{each, records};
use irkiss::command::{Guards, Open, Rules, SUBCOMMAND, child_main, dot, pnml, split_off};
use irkiss::config::Options;
use irkiss::deadline;
use irkiss::error::{Failure, InputError};
use irkiss::kbuild::line::Line;
use irkiss::kbuild::supervise;
use irkiss::memory::{self, AtLimit, Heap};
use irkiss::progress::{self, Manner, Progress};
use irkiss::sweep::child;
use irkiss::sweep::engine::node;
use irkiss::verdict::{Outcome, Overall, PairResult, Replayed};
use irkiss::{pipeline, report};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU};
use signal_hook::iterator::Signals;

#[global_allocator]
static HEAP: Heap = Heap;

/// Exit codes: see `--help`.
const OK: u8 = 0;
const FINDINGS: u8 = 1;
const INPUT_ERROR: u8 = 2;
const UNKNOWN: u8 = 3;
const INTERNAL_ERROR: u8 = 101;

fn main() -> ExitCode {
    report_panics_on_one_line();
    memory::before_refusals(AtLimit::EndRuns);
    // The process in which LLVM runs; no subcommand for users.
    if std::env::args_os().nth(1).is_some_and(|a| a == SUBCOMMAND) {
        return ExitCode::from(child_main());
    }
    // Those that do a task of a sweep, and a shard on a node.
    for (name, what) in [
        (child::SUBCOMMAND, commands::sweep::task as fn(_) -> _),
        (node::SUBCOMMAND, commands::engine::shard),
    ] {
        if std::env::args_os().nth(1).is_some_and(|a| a == name) {
            let own = || finish(what(std::env::args_os().skip(2)));
            return ExitCode::from(std::panic::catch_unwind(own).unwrap_or_else(|_| broken()));
        }
    }
    ExitCode::from(std::panic::catch_unwind(run).unwrap_or_else(|_| broken()))
}

/// The exit code after a panic: what fails for want of memory is no bug.
fn broken() -> u8 {
    match memory::is_short() {
        true => UNKNOWN,
        false => INTERNAL_ERROR,
    }
}

fn run() -> u8 {
    match std::env::args_os().nth(1) {
        Some(a) if a == "kbuild" => return supervised(),
        Some(a) if a == supervise::SUBCOMMAND => {
            supervise::end_with_parent(rustix::process::Signal::TERM);
            return in_kbuild();
        }
        _ => {}
    }
    let cli = match cli::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(Stop::Version { parts }) => {
            let parts = parts.then(commands::doctor::versions);
            let text = report::doctor::version(parts.as_ref());
            return finish(write_out(None, &text).map(|()| OK));
        }
        Err(Stop::Nothing(help)) => {
            anstream::eprint!("{help}");
            return INPUT_ERROR;
        }
        Err(Stop::Text(text)) => {
            return finish(write_out(None, &text).map(|()| OK));
        }
        Err(Stop::Usage(error)) => return finish(Err(error.into())),
    };
    if let Some(error) = cli::doubt(&cli) {
        return finish(Err(error.into()));
    }
    speak_as(&cli.general);
    finish(match cli.command {
        None => check(&cli.check),
        Some(Command::Check(args)) => check(&args),
        Some(Command::Prove(args)) => args
            .proving()
            .map_err(Into::into)
            .and_then(|args| check(&args)),
        Some(Command::Show(args)) => commands::after::show(&args),
        Some(Command::Why(args)) => commands::after::why(&args),
        Some(Command::Allow(args)) => commands::after::allow_id(&args),
        Some(Command::Baseline(args)) => commands::after::baseline(&args),
        Some(Command::Diff(args)) => commands::after::compare(&args),
        Some(Command::Replay(args)) => replay(&args),
        Some(Command::Suggest(args)) => suggest(&args),
        Some(Command::Rules(args)) => rules(&args),
        Some(Command::Sweep(args)) => commands::sweep::sweep(&args),
        Some(Command::Kbuild(_)) => {
            unreachable!("taken before clap: it does not know what kbuild adds")
        }
        Some(Command::Modules(args)) => commands::modules::check(&args),
        Some(Command::Plugin(args)) => Ok(commands::build::for_plugin(&args)),
        Some(Command::Doctor(args)) => doctor(&args),
        Some(Command::Completions(args)) => write_out(None, &args.script()).map(|()| OK),
        Some(Command::Man(args)) => manual(&args),
    })
}

/// Colours and words, for the whole process.
fn speak_as(general: &General) {
    progress::speak(general.manner());
    match general.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// What ends runs before their time, from here on: signals, and the limit on memory.
fn end_at_limits(options: &Options) {
    end_at_signals();
    end_at_own_limits(options);
}

/// The same but for the user's signals: of a task of a sweep, which is ended as a whole. Half a report is none of it.
fn end_at_own_limits(options: &Options) {
    leave_time_for_a_report();
    end_at(&[SIGXCPU]);
    if let Some(units) = options.work {
        deadline::limit_work(units);
    }
    memory::watch(
        options.memory.unwrap_or_else(memory::usual_limit),
        AtLimit::EndRuns,
    );
}

/// `ulimit -t` without -S sets both limits on CPU time: at the hard one the kernel kills at once. The soft one comes two seconds before.
fn leave_time_for_a_report() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    const SECONDS: u64 = 2;
    let Rlimit { current, maximum } = getrlimit(Resource::Cpu);
    let Some(end) = maximum.filter(|end| *end > SECONDS) else {
        return;
    };
    if current.is_none_or(|soft| soft > end - SECONDS) {
        // What cannot be set stays as it is.
        let _ = setrlimit(
            Resource::Cpu,
            Rlimit {
                current: Some(end - SECONDS),
                maximum,
            },
        );
    }
}

/// Does work that has nothing to report before its end, with progress on the terminal.
fn whole<T>(
    options: &Options,
    work: impl FnOnce(&dyn Progress) -> Result<T, Failure>,
) -> Result<T, Failure> {
    end_at_limits(options);
    with_progress(|p| {
        let overdue = |why| {
            p.hide();
            let failure = Failure::Stopped {
                place: String::new(),
                doing: "at work".to_string(),
                why,
            };
            signal_hook::low_level::exit(i32::from(finish(Err(failure.into()))));
        };
        pipeline::within(options.timeout, &overdue, || work(p))
    })
}

fn check(args: &CheckArgs) -> anyhow::Result<u8> {
    args.expect_effect()?;
    // Before there are threads.
    split_off(child_main);
    let first = args.files.first().map(PathBuf::as_path);
    let options = with_found_config(args.options(), first);
    let said = Said::read(&options, args.told.baseline.as_deref())?;
    if args.emit() == Some(Emit::EntryPoints) {
        let outcome = whole(&options, |p| pipeline::discover(&args.files, &options, p))?;
        let text = match args.format {
            CheckFormat::Json => report::json::render(&outcome),
            _ => report::list::render(&outcome),
        };
        write_out(args.output.as_deref(), &text)?;
        return Ok(OK);
    }
    if let Some(Emit::Program | Emit::Sequential | Emit::Net | Emit::NetDot) = args.emit() {
        let text = whole(&options, |p| match args.emit() {
            Some(Emit::Net) => pipeline::nets(&args.files, &options, p).map(|n| pnml(&n)),
            Some(Emit::NetDot) => pipeline::nets(&args.files, &options, p).map(|n| dot(&n)),
            Some(Emit::Sequential) => pipeline::sequential(&args.files, &options, p),
            _ => pipeline::program(&args.files, &options, p),
        })?;
        write_out(args.output.as_deref(), &text)?;
        return Ok(OK);
    }
    if args.format == CheckFormat::Whoop {
        return whoop(args, &options);
    }
    end_at_limits(&options);
    let outcome: Result<Outcome, Failure> = with_progress(|p| {
        // Called while the work still goes on: it has to be left behind.
        let overdue = |outcome: Outcome| {
            p.hide();
            let code = finish(report(args, &options, &said.applied(&outcome, &args.files)));
            signal_hook::low_level::exit(i32::from(code));
        };
        let queries = match args.emit() {
            Some(Emit::Smt2) => Some(queries_to(args.output.as_deref())?),
            _ => None,
        };
        pipeline::check(&args.files, &options, p, &overdue, queries)
    });
    let outcome = match outcome {
        Err(Failure::Input(error)) if each::can_be_apart(args, &error) => {
            return each::check(args, &error);
        }
        outcome => outcome?,
    };
    report(args, &options, &said.applied(&outcome, &args.files))
}

/// Writes the report; the exit code.
fn report(args: &CheckArgs, options: &Options, outcome: &Outcome) -> anyhow::Result<u8> {
    let code = match args.told.fail_on {
        None if args.exit_zero => OK,
        None | Some(FailOn::Unknown) => code_of(outcome),
        Some(FailOn::Never) => OK,
        Some(FailOn::New | FailOn::Race) => match outcome.findings.is_empty() {
            true => OK,
            false => FINDINGS,
        },
    };
    let object = report::json::render(outcome);
    let kept = args.emit().is_none();
    let narrower = kept && records::keep(&args.files, &object);
    let text = match (args.emit(), args.format) {
        // The queries were written as they were asked.
        (Some(Emit::Smt2), _) => return Ok(code),
        (Some(Emit::Schedule), _) => report::schedule::render(outcome, &args.files, options)?,
        (_, CheckFormat::Json) => object,
        (_, CheckFormat::Of(format)) => {
            let ended = commands::formats::Ended {
                report: object,
                code,
                compared: args.told.baseline.is_some(),
            };
            commands::formats::of_checks(format, &[ended], &args.files)?
        }
        _ => {
            let sources = report::snippet::Disk::beside(&args.files);
            let all = progress::manner() == Manner::Verbose;
            let more = report::More {
                stats: args.stats || all,
                fields: args.fields || all,
                trace: trace(args.told.trace),
                all: all || args.told.trace == TraceWord::Full,
                width: match args.output {
                    Some(_) => 0,
                    None => width(),
                },
                narrower,
            };
            match progress::manner() {
                Manner::Quiet => report::lines::render(outcome, &sources),
                _ => report::human::render(outcome, &sources, more),
            }
        }
    };
    write_out(args.output.as_deref(), &text)?;
    Ok(code)
}

/// Lists potential races; the exit code: none of them is confirmed.
fn whoop(args: &CheckArgs, options: &Options) -> anyhow::Result<u8> {
    end_at_limits(options);
    let (pairs, open) = with_progress(|p| {
        let overdue = |pairs: Vec<PairResult>, open: Open| {
            p.hide();
            let code = finish(listed(args, &pairs, &open));
            signal_hook::low_level::exit(i32::from(code));
        };
        pipeline::potential(&args.files, options, p, &overdue)
    })?;
    listed(args, &pairs, &open)
}

/// Writes the potential races; the exit code.
fn listed(args: &CheckArgs, pairs: &[PairResult], open: &Open) -> anyhow::Result<u8> {
    let sources = report::snippet::Disk::beside(&args.files);
    write_out(
        args.output.as_deref(),
        &report::whoop::render(pairs, open, &sources),
    )?;
    let followed = open.gaps.is_empty() && open.stopped.is_none();
    let unknown = pairs.is_empty() || !open.races.is_empty() || !followed;
    Ok(match unknown && !args.exit_zero {
        true => UNKNOWN,
        false => OK,
    })
}

fn suggest(args: &SuggestArgs) -> anyhow::Result<u8> {
    let options = args.options();
    end_at_limits(&options);
    let guards = with_progress(|p| {
        let overdue = |guards: Guards| {
            p.hide();
            let code = finish(suggested(args, guards));
            signal_hook::low_level::exit(i32::from(code));
        };
        pipeline::suggest(&args.files, &options, args.threshold, p, &overdue)
    })?;
    suggested(args, guards)
}

/// Writes what is suggested; the exit code.
fn suggested(args: &SuggestArgs, guards: Guards) -> anyhow::Result<u8> {
    let text = match args.format {
        Format::Human => {
            report::guards::render(&guards, &report::snippet::Disk::beside(&args.files))
        }
        Format::Json => report::guards::render_json(&guards, &args.files),
    };
    write_out(args.output.as_deref(), &text)?;
    Ok(
        match (guards.suggestions.is_empty(), guards.gap.or(guards.stopped)) {
            _ if args.exit_zero => OK,
            (false, _) => FINDINGS,
            (true, Some(_)) => UNKNOWN,
            (true, None) => OK,
        },
    )
}

/// Where `--emit smt2` writes to.
fn queries_to(file: Option<&Path>) -> Result<pipeline::Queries, InputError> {
    Ok(match file {
        Some(path) => {
            let file =
                std::fs::File::create(path).map_err(|e| InputError::new(path.display(), e))?;
            Arc::new(Mutex::new(std::io::BufWriter::new(file)))
        }
        None => Arc::new(Mutex::new(std::io::stdout())),
    })
}

/// From the first of these signals on the run ends as at its deadline, with a report of what it has found. The second
/// ends the process (not at the soft limit on CPU time, which is told again every second). Where no thread can be started for this, signals end the process as ever.
fn end_at_signals() {
    end_at(&[SIGINT, SIGTERM, SIGHUP]);
}

fn end_at(which: &[i32]) {
    let Ok(mut signals) = Signals::new(which) else {
        return;
    };
    let wait = move || {
        let mut asked = false;
        for signal in signals.forever() {
            match signal {
                SIGXCPU => deadline::cpu_time_used_up(),
                _ if asked => signal_hook::low_level::exit(128 + signal),
                _ => {
                    asked = true;
                    deadline::interrupt();
                }
            }
        }
    };
    let _ = std::thread::Builder::new().spawn(wait);
}

/// `irkiss kbuild`: what is known is told again, and the work is done by another process.
fn supervised() -> u8 {
    let again = || match kbuild_call() {
        Ok((args, line)) => commands::kbuild::again(&args, &line),
        // The other process says what is wrong.
        Err(_) => Ok(None),
    };
    if let Ok(Ok(Some(code))) = std::panic::catch_unwind(again) {
        return code;
    }
    supervise::run(std::env::args_os().skip(2)).unwrap_or_else(|error| {
        eprintln!("irkiss kbuild: {error}");
        kbuild_call().map_or(OK, |(args, line)| {
            commands::kbuild::failed(&args, &line, &error.to_string());
            args.error_exitcode
        })
    })
}

/// A step of a kernel build. What goes wrong is one line; the build goes on, unless it was asked not to.
fn in_kbuild() -> u8 {
    let (args, line) = match kbuild_call() {
        Ok(call) => call,
        Err(Stop::Text(text)) => return finish(write_out(None, &text).map(|()| OK)),
        Err(Stop::Usage(error)) => {
            eprintln!("irkiss kbuild: {error}");
            return OK;
        }
        Err(_) => return OK,
    };
    if line.is_probe() {
        return OK;
    }
    let failed = args.error_exitcode;
    match std::panic::catch_unwind(|| commands::kbuild::check(&args, &line)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            eprintln!("irkiss kbuild: {error}");
            failed
        }
        // The line about it is printed.
        Err(_) => {
            commands::kbuild::failed(&args, &line, "an internal error of irkiss");
            failed
        }
    }
}

/// The options of irkiss in a call by kbuild, and the rest of it.
fn kbuild_call() -> Result<(Box<KbuildArgs>, Line), Stop> {
    let words = || std::env::args_os().skip(2);
    let line = Line::parse(words());
    let own = match &line {
        Ok(line) => line.own.clone(),
        // Somebody asks for help, or calls it by hand.
        Err(_) => words().collect(),
    };
    let command = ["irkiss", "kbuild"].map(Into::into).into_iter();
    match (cli::parse(command.chain(own)).map(|cli| cli.command), line) {
        (Ok(Some(Command::Kbuild(args))), Ok(line)) => Ok((args, line)),
        (Err(Stop::Usage(_)) | Ok(_), Err(error)) => Err(Stop::Usage(error)),
        (Err(stop), _) => Err(stop),
        (Ok(_), Ok(_)) => unreachable!("it is `kbuild` that was parsed"),
    }
}

fn replay(args: &ReplayArgs) -> anyhow::Result<u8> {
    let replayed = whole(&Options::default(), |_| {
        pipeline::replay(&args.schedule, &args.files)
    })?;
    let sources = report::snippet::Disk::beside(&args.files);
    let text = match args.format {
        Format::Human => report::human::render_replayed(&replayed, &sources),
        Format::Json => report::json::render_replayed(&replayed),
    };
    write_out(None, &text)?;
    let refuted = |r: &Replayed| matches!(r, Replayed::Refuted { .. });
    Ok(if args.exit_zero || replayed.is_empty() {
        OK
    } else if replayed.iter().any(refuted) {
        UNKNOWN
    } else {
        FINDINGS
    })
}

fn rules(args: &RulesArgs) -> anyhow::Result<u8> {
    let text = match &args.explain {
        Some(function) => {
            let options = Options {
                config: args.config.clone(),
                ..Options::default()
            };
            let outcome = whole(&options, |p| pipeline::discover(&args.files, &options, p))?;
            report::explain::render(&outcome, &Rules::with(args.config.as_deref())?, function)?
        }
        None => report::explain::all(&Rules::with(args.config.as_deref())?),
    };
    write_out(None, &text)?;
    Ok(OK)
}

fn doctor(args: &DoctorArgs) -> anyhow::Result<u8> {
    let rows = commands::doctor::look(args);
    write_out(None, &report::doctor::render(&rows))?;
    Ok(match report::doctor::all_works(&rows) {
        true => OK,
        false => FINDINGS,
    })
}

/// Writes the page of irkiss, or all of them into a folder.
fn manual(args: &ManArgs) -> anyhow::Result<u8> {
    let pages = ManArgs::pages().map_err(|e| InputError::new("man", e))?;
    match &args.to {
        None => write_out(None, pages.first().map_or("", |p| p.text.as_str()))?,
        Some(folder) => {
            for page in &pages {
                write_out(Some(&folder.join(&page.file)), &page.text)?;
            }
        }
    }
    Ok(OK)
}

fn code_of(outcome: &Outcome) -> u8 {
    match outcome.overall() {
        Overall::Bug => FINDINGS,
        Overall::Unknown => UNKNOWN,
        Overall::Bounded | Overall::Proved => OK,
    }
}

/// Runs `work` with progress on the terminal; the line is gone before anything is printed.
fn with_progress<T>(work: impl FnOnce(&dyn Progress) -> T) -> T {
    let progress = progress::for_stderr();
    work(progress.as_ref())
}

/// Writes to the file (without colour), or to standard output (with colour where it is wanted).
fn write_out(file: Option<&Path>, text: &str) -> anyhow::Result<()> {
    match file {
        Some(path) => {
            let plain = anstream::adapter::strip_str(text).to_string();
            Ok(std::fs::write(path, plain).map_err(|e| InputError::new(path.display(), e))?)
        }
        None => {
            let mut out = anstream::stdout().lock();
            match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                // `irkiss … | head` is no error.
                Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
                other => Ok(other.map_err(|e| InputError::new("standard output", e))?),
            }
        }
    }
}

/// The exit code; an error is told, on one line.
fn finish(result: anyhow::Result<u8>) -> u8 {
    result.unwrap_or_else(|error| {
        anstream::eprintln!("irkiss: error: {error}");
        match error.downcast_ref::<Failure>() {
            Some(Failure::Stopped { .. }) => UNKNOWN,
            _ => INPUT_ERROR,
        }
    })
}

/// A panic is a bug of irkiss: one line that can be reported, and the backtrace only where `RUST_BACKTRACE` asks for it.
fn report_panics_on_one_line() {
    std::panic::set_hook(Box::new(|info| {
        // What fails for want of memory is told as that.
        if memory::is_short() {
            return memory::refused();
        }
        let payload = info.payload();
        let what = payload
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let what = what.lines().collect::<Vec<_>>().join("; ");
        let place = info
            .location()
            .map_or(String::new(), |l| format!(" at {l}"));
        eprintln!(
            "irkiss: internal error: {what}{place} (a bug in irkiss; RUST_BACKTRACE=1 shows where)"
        );
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
            eprintln!("{}", std::backtrace::Backtrace::force_capture());
        }
    }));
}
