//! A check within a build, and what the compiler's plugin starts.

use std::io::Write;
use std::path::{Path, PathBuf};

use irkiss::command::NO_ENTRY_POINTS;
use irkiss::config::Options;
use irkiss::deadline::{Deadline, Stopped};
use irkiss::error::{Failure, InputError};
use irkiss::kbuild::supervise;
use irkiss::sweep::budget;
use irkiss::sweep::child::{Answer, Reply};
use irkiss::sweep::record::{Known, Told};
use irkiss::sweep::store::Store;
use irkiss::verdict::Outcome;
use irkiss::{pipeline, progress, report};

use super::after::{Said, with_found_config};
use super::with_whole_paths;
use crate::cli::PluginArgs;
use crate::{INPUT_ERROR, OK, end_at_limits};

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
    let files = [(args.file.clone(), args.source.clone())];
    match check_in_build(&files, &options, &said, &|| {}) {
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
pub enum Worth {
    /// It is the same each time.
    Whole,
    /// A clock ended it, after so many seconds.
    Clock(Option<u64>),
    /// The machine was short of something, or somebody was in a hurry.
    Nothing,
}

impl Worth {
    /// Of a run that something has `stopped`, or nothing.
    pub fn of(stopped: bool, timeout: Option<u64>) -> Worth {
        match Deadline::after(None).passed() {
            _ if !stopped => Worth::Whole,
            Some(Stopped::Work(_)) => Worth::Whole,
            None => Worth::Clock(timeout),
            Some(_) => Worth::Nothing,
        }
    }

    /// Whether somebody was in a hurry, or the machine short of something.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Worth::Nothing)
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
pub fn undecided(outcome: &Outcome, source: &str, object: &str) -> String {
    match is_quiet() && outcome.stopped.is_none() {
        true => String::new(),
        false => report::lines::undecided(outcome, source, Some(object)),
    }
}

fn is_quiet() -> bool {
    std::env::var_os("quiet").is_some_and(|q| q == "silent_")
}

/// Checks files of bitcode, each with the name of what it was made of, within a build. `said` tells the outcome and gives the exit code;
/// `leave` is called before the process is left behind. `None`: no driver or program, or a part of one that registers nothing.
pub fn check_in_build(
    bitcode: &[(PathBuf, String)],
    options: &Options,
    said: &(dyn Fn(&Outcome) -> u8 + Sync),
    leave: &(dyn Fn() + Sync),
) -> anyhow::Result<Option<u8>> {
    let files: Vec<PathBuf> = bitcode.iter().map(|(file, _)| file.clone()).collect();
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
            // The user has never heard of the temporary files.
            for (file, source) in bitcode {
                let temporary = file.display().to_string();
                for text in [&mut error.place, &mut error.what] {
                    *text = text.replace(&temporary, source);
                }
            }
            Err(error.into())
        }
    }
}
