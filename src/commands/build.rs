//! Steps of a build: what kbuild calls, and what the compiler's plugin starts.

use std::io::Write;
use std::path::Path;

use irkiss::command::NO_ENTRY_POINTS;
use irkiss::config::Options;
use irkiss::deadline::{Deadline, Stopped};
use irkiss::error::{Failure, InputError};
use irkiss::kbuild::compile::Bitcode;
use irkiss::kbuild::line::Line;
use irkiss::kbuild::supervise;
use irkiss::sweep::child::{Answer, Reply};
use irkiss::sweep::record::Known;
use irkiss::sweep::store::Store;
use irkiss::sweep::{budget, key};
use irkiss::verdict::Outcome;
use irkiss::{pipeline, progress, report};

use crate::cli::{KbuildArgs, PluginArgs};
use crate::{INPUT_ERROR, OK, end_at_limits};

/// Compiles and checks the file of a call by kbuild; the exit code.
pub fn kbuild(args: &KbuildArgs, line: &Line) -> anyhow::Result<u8> {
    let options = args.options();
    let source = line.source.display().to_string();
    end_at_limits(&options);
    let bitcode = Bitcode::of(line)?;
    let said = |outcome: &Outcome| {
        let mut text = report::lines::render(outcome, &report::snippet::Disk::beside(&[]));
        text.push_str(&undecided(outcome, &source));
        // One write: other files are checked beside this one. Nobody is left to be told where it fails.
        let _ = std::io::stderr().write_all(text.as_bytes());
        if outcome.findings.is_empty() {
            OK
        } else {
            args.error_exitcode
        }
    };
    let file = bitcode.file.clone();
    check_in_build(&file, &source, &options, &said, &|| bitcode.remove()).map(|c| c.unwrap_or(OK))
}

/// Checks the module that the compiler's plugin hands over. The plugin reads the answer, whatever the exit code is.
pub fn for_plugin(args: &PluginArgs) -> u8 {
    supervise::end_with_parent(rustix::process::Signal::TERM);
    let options = match args.store {
        // A result of the first level of a sweep, which the next nights go on from.
        Some(_) => budget::at(&args.options(), 0),
        None => args.options(),
    };
    end_at_limits(&options);
    // One write. Whoever would read it may be gone.
    let answer = |text: &str, result: Answer, whole: bool| {
        let kept = match &args.store {
            Some(folder) => keep(folder, args, result, whole),
            None => Ok(()),
        };
        let mut all = kept.map_or_else(
            |e| report::wire::complaint(&e.to_string()),
            |()| String::new(),
        );
        all.push_str(text);
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(all.as_bytes()).and_then(|()| out.flush());
    };
    let said = |outcome: &Outcome| {
        let sources = report::snippet::Disk::beside(&[]);
        let rest = undecided(outcome, &args.source);
        let mut kept = outcome.clone();
        kept.input = vec![args.source.clone()];
        let whole = outcome.stopped.is_none() || ended_by_work();
        let result = Answer::Report(report::json::render(&kept));
        answer(
            &report::wire::render(outcome, &sources, &rest),
            result,
            whole,
        );
        OK
    };
    match check_in_build(&args.file, &args.source, &options, &said, &|| {}) {
        Ok(Some(code)) => code,
        Ok(None) => {
            answer(&report::wire::nothing(), Answer::NoEntryPoints, true);
            OK
        }
        Err(error) => {
            let line = error.to_string();
            answer(
                &report::wire::trouble(&line),
                Answer::Refused(line.clone()),
                true,
            );
            INPUT_ERROR
        }
    }
}

/// Whether a limit ended the run that ends it alike each time.
fn ended_by_work() -> bool {
    matches!(Deadline::after(None).passed(), Some(Stopped::Work(_)))
}

/// Puts the bitcode and what came of it into a store. What a clock has cut short (not `whole`) is left for a sweep to do again.
fn keep(folder: &Path, args: &PluginArgs, result: Answer, whole: bool) -> Result<(), InputError> {
    let mut store = Store::create(folder)?;
    // Two folders may have a file of one name; programs have no name when they are linked.
    let name = match Path::new(&args.source) {
        source if source.is_file() => std::path::absolute(source)
            .map_or_else(|_| args.source.clone(), |p| p.display().to_string()),
        _ => format!("{} {}", args.source, &key::of_file(&args.file)?[..12]),
    };
    let known = Known::of(&store, &name, &args.file, &args.options())?;
    let done = Reply::now(result).done();
    known.keep(&mut store, whole.then_some(&done))
}

/// A line about what was not decided; `make -s` asks for warnings alone.
fn undecided(outcome: &Outcome, source: &str) -> String {
    match std::env::var_os("quiet").is_some_and(|q| q == "silent_") {
        true => String::new(),
        false => report::lines::undecided(outcome, source),
    }
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
