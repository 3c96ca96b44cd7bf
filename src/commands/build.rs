//! Steps of a build: what kbuild calls, and what the compiler's plugin starts.

use std::io::Write;
use std::path::{Path, PathBuf};

use irkiss::command::NO_ENTRY_POINTS;
use irkiss::config::Options;
use irkiss::deadline::{Deadline, Stopped};
use irkiss::error::{Failure, InputError};
use irkiss::kbuild::compile::Bitcode;
use irkiss::kbuild::line::Line;
use irkiss::kbuild::supervise;
use irkiss::sweep::budget;
use irkiss::sweep::child::{Answer, Reply};
use irkiss::sweep::record::{Known, Told};
use irkiss::sweep::store::Store;
use irkiss::verdict::Outcome;
use irkiss::{pipeline, progress, report};

use super::after::{Said, with_found_config};
use super::{fresh, records, with_whole_paths};
use crate::cli::{KbuildArgs, PluginArgs};
use crate::{INPUT_ERROR, OK, end_at_limits};

/// Tells again what was found in the file of a call by kbuild, if all that the check depends on is as it was; the exit code. This takes neither
/// a compiler nor another process.
pub fn kbuild_again(args: &KbuildArgs, line: &Line) -> anyhow::Result<Option<u8>> {
    let options = with_found_config(args.options(), Some(&line.source));
    let object = line.object();
    let made_of = fresh::name(line, &object, &options, args.baseline.as_deref());
    let Some(report) = records::beside_of(&object, made_of.as_deref()) else {
        return Ok(None);
    };
    // What the user says is asked again: a day may have passed.
    let user = Said::read(&options, args.baseline.as_deref())?;
    let outcome = user.applied(&report.outcome(), &[]);
    let source = line.source.display().to_string();
    Ok(Some(told(&outcome, &object, &source, args)))
}

/// Compiles and checks the file of a call by kbuild; the exit code.
pub fn kbuild(args: &KbuildArgs, line: &Line) -> anyhow::Result<u8> {
    let options = with_found_config(args.options(), Some(&line.source));
    let user = Said::read(&options, args.baseline.as_deref())?;
    let source = line.source.display().to_string();
    let object = line.object();
    let made_of = fresh::name(line, &object, &options, args.baseline.as_deref());
    end_at_limits(&options);
    let bitcode = Bitcode::of(line)?;
    let said = |outcome: &Outcome| {
        let mut outcome = user.applied(outcome, &[]);
        outcome.input = vec![source.clone()];
        // A clock may end it elsewhere another time.
        let worth = Worth::of(outcome.stopped.is_some(), options.timeout);
        let whole = matches!(worth, Worth::Whole);
        let made_of = made_of.as_deref().filter(|_| whole);
        records::keep_beside(&object, &report::json::render(&outcome), made_of);
        told(&outcome, &object, &source, args)
    };
    let file = bitcode.file.clone();
    check_in_build(&file, &source, &options, &said, &|| bitcode.remove()).map(|c| c.unwrap_or(OK))
}

/// Tells what was found in the file of an object; the exit code.
fn told(outcome: &Outcome, object: &Path, source: &str, args: &KbuildArgs) -> u8 {
    let shown = object.display().to_string();
    let sources = report::snippet::Disk::beside(&[]);
    let mut text = report::lines::render_for(outcome, &sources, &shown);
    text.push_str(&undecided(outcome, source, &shown));
    // One write: other files are checked beside this one. Nobody is left to be told where it fails.
    let _ = std::io::stderr().write_all(text.as_bytes());
    match outcome.findings.is_empty() {
        true => OK,
        false => args.error_exitcode,
    }
}

/// Checks the module that the compiler's plugin hands over. The plugin reads the answer, whatever the exit code is.
pub fn for_plugin(args: &PluginArgs) -> u8 {
    supervise::end_with_parent(rustix::process::Signal::TERM);
    let kept = args.store.as_ref().map(|folder| Kept::begin(folder, args));
    if let Some(Ok(Kept {
        told: Some(text), ..
    })) = &kept
    {
        tell(&heard(text));
        return OK;
    }
    let options = match args.store {
        // A result of the first level of a sweep, which the next nights go on from.
        Some(_) => budget::at(&args.options(), 0),
        None => args.options(),
    };
    let options = with_found_config(options, Some(Path::new(&args.source)));
    let user = match Said::read(&options, None) {
        Ok(user) => user,
        Err(error) => {
            tell(&report::wire::trouble(&error.to_string()));
            return INPUT_ERROR;
        }
    };
    end_at_limits(&options);
    // One write. Whoever would read it may be gone.
    let answer = |text: String, result: Answer, worth: Worth| {
        let kept = match &kept {
            Some(Ok(kept)) => kept.end(result, &text, worth),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(()),
        };
        let mut all = kept.map_or_else(
            |e| report::wire::complaint(&e.to_string()),
            |()| String::new(),
        );
        all.push_str(&heard(&text));
        tell(&all);
    };
    let said = |outcome: &Outcome| {
        let outcome = &user.applied(outcome, &[]);
        let sources = report::snippet::Disk::beside(&[]);
        let rest = report::lines::undecided(outcome, &args.source, None);
        let mut kept = outcome.clone();
        kept.input = vec![args.source.clone()];
        let result = Answer::Report(report::json::render(&kept));
        let text = report::wire::render(outcome, &sources, &rest);
        let stopped = outcome.stopped.is_some();
        answer(text, result, Worth::of(stopped, options.timeout));
        OK
    };
    match check_in_build(&args.file, &args.source, &options, &said, &|| {}) {
        Ok(Some(code)) => code,
        Ok(None) => {
            answer(report::wire::nothing(), Answer::NoEntryPoints, Worth::Whole);
            OK
        }
        Err(error) => {
            let line = error.to_string();
            let stopped = matches!(error.downcast_ref(), Some(Failure::Stopped { .. }));
            let worth = Worth::of(stopped, options.timeout);
            answer(report::wire::trouble(&line), Answer::Refused(line), worth);
            INPUT_ERROR
        }
    }
}
/// Writes it for the plugin.
fn tell(text: &str) {
    let mut out = std::io::stdout().lock();
    // Nobody is left to be told where it fails.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// What of it is heard: `make -s` asks for warnings alone.
fn heard(text: &str) -> String {
    match is_quiet() {
        true => report::wire::without_said(text),
        false => text.to_string(),
    }
}

/// What a result is worth another time.
#[derive(Clone, Copy, Debug)]
enum Worth {
    /// It is the same each time.
    Whole,
    /// A clock ended it, after so many seconds.
    Clock(Option<u64>),
    /// The machine was short of something, or somebody was in a hurry.
    Nothing,
}

impl Worth {
    /// Of a run that something has `stopped`, or nothing.
    fn of(stopped: bool, timeout: Option<u64>) -> Worth {
        match Deadline::after(None).passed() {
            _ if !stopped => Worth::Whole,
            Some(Stopped::Work(_)) => Worth::Whole,
            None => Worth::Clock(timeout),
            Some(_) => Worth::Nothing,
        }
    }
}

/// A module in a store, and what was told of it before.
struct Kept {
    folder: PathBuf,
    night: i64,
    known: Known,
    told: Option<String>,
}

impl Kept {
    /// Puts it there, as one that is to be checked. Where it was, what was told then is told again.
    fn begin(folder: &Path, args: &PluginArgs) -> Result<Kept, InputError> {
        let mut store = Store::create(folder)?;
        let options = with_whole_paths(args.options());
        let words = words_of(args.compiler);
        let known = Known::of(&mut store, &args.source, &words, &args.file, &options)?;
        let night = known.put(&mut store)?;
        let told = known.told(&store, options.timeout)?;
        Ok(Kept {
            folder: folder.to_path_buf(),
            night,
            known,
            told,
        })
    }

    /// Adds what came of it. What a clock has cut short is left for a sweep to do again.
    fn end(&self, result: Answer, text: &str, worth: Worth) -> Result<(), InputError> {
        let store = Store::open(&self.folder)?;
        let done = Reply::now(result).done();
        let told = |seconds| Told {
            text: text.to_string(),
            seconds,
        };
        let (done, told) = match worth {
            Worth::Whole => (Some(&done), Some(told(None))),
            Worth::Clock(seconds) => (None, seconds.map(|s| told(Some(s)))),
            Worth::Nothing => (None, None),
        };
        self.known.keep(&store, self.night, done, told.as_ref())
    }
}

/// What was said to the program that calls, which waits for this one.
fn words_of(process: Option<u32>) -> Vec<String> {
    let line = process.and_then(|p| std::fs::read(format!("/proc/{p}/cmdline")).ok());
    let line = line.unwrap_or_default();
    let words = line.split(|b| *b == 0).filter(|w| !w.is_empty());
    words
        .map(|w| String::from_utf8_lossy(w).into_owned())
        .collect()
}

/// A line about what was not decided. `make -s` asks for warnings alone: that a check ended before its time is one.
fn undecided(outcome: &Outcome, source: &str, object: &str) -> String {
    match is_quiet() && outcome.stopped.is_none() {
        true => String::new(),
        false => report::lines::undecided(outcome, source, Some(object)),
    }
}

fn is_quiet() -> bool {
    std::env::var_os("quiet").is_some_and(|q| q == "silent_")
}

/// Checks bitcode that was made of `source` within a build. `said` tells the outcome and gives the exit code; `leave` is called before
/// the process is left behind. `None`: no driver or program, or a part of one that registers nothing.
fn check_in_build(
    bitcode: &Path,
    source: &str,
    options: &Options,
    said: &(dyn Fn(&Outcome) -> u8 + Sync),
    leave: &(dyn Fn() + Sync),
) -> anyhow::Result<Option<u8>> {
    let files = [bitcode.to_path_buf()];
    let overdue = |outcome: Outcome| {
        let code = said(&outcome);
        leave();
        signal_hook::low_level::exit(i32::from(code));
    };
    match pipeline::check(&files, options, &progress::Quiet, &overdue, None) {
        Ok(outcome) => Ok(Some(said(&outcome))),
        Err(Failure::Input(error)) if error.what == NO_ENTRY_POINTS => Ok(None),
        Err(failure @ Failure::Stopped { .. }) => Err(failure.into()),
        Err(Failure::Input(mut error)) => {
            // The user has never heard of the temporary file.
            let temporary = bitcode.display().to_string();
            for text in [&mut error.place, &mut error.what] {
                *text = text.replace(&temporary, source);
            }
            Err(error.into())
        }
    }
}
