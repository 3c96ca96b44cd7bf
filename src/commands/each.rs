//! Several files that are no one program: each is checked by itself, by a process of its own, with a report each.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};

use irkiss::command::NOT_LINKED;
use irkiss::error::InputError;

use super::formats::{self, Ended};
use crate::cli::{CheckArgs, CheckFormat};
use crate::{INPUT_ERROR, INTERNAL_ERROR, OK, UNKNOWN, write_out};

/// Whether the files may be checked one by one after that error.
pub fn can_be_apart(args: &CheckArgs, error: &InputError) -> bool {
    let apart = !args.told.link && args.files.len() > 1 && args.emit().is_none();
    apart && error.what.starts_with(NOT_LINKED)
}

/// Checks them, and says why not together; the worst exit code. JSON objects become an array; with `-o FOLDER` each report is a file of that folder.
///
/// # Errors
/// A process cannot be started, or a report cannot be written.
pub fn check(args: &CheckArgs, error: &InputError) -> anyhow::Result<u8> {
    // Whoever meant one program gets less than was asked for.
    let _ = writeln!(
        std::io::stderr(),
        "irkiss: note: {}: {}; each file is checked by itself (--link makes that an error)",
        error.place,
        error.what
    );
    let irkiss = std::env::current_exe()?;
    let words = other_words(args);
    let json = matches!(args.format, CheckFormat::Json | CheckFormat::Of(_));
    let mut reports = Vec::new();
    let mut worst = OK;
    for file in &args.files {
        let told = Command::new(&irkiss)
            .args(&words)
            .arg(file)
            .stderr(Stdio::inherit())
            .output()?;
        let code = told.status.code().and_then(|c| u8::try_from(c).ok());
        let code = code.unwrap_or(INTERNAL_ERROR);
        worst = worse(worst, code);
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let ended = Ended {
            report: text,
            code,
            compared: args.told.baseline.is_some(),
        };
        match &args.output {
            Some(folder) if folder.is_dir() => {
                let ending = match args.format {
                    CheckFormat::Of(format) => format.ending(),
                    CheckFormat::Json => "json",
                    CheckFormat::Human | CheckFormat::Whoop => "txt",
                };
                let path = formats::name_in(folder, file, ending);
                let text = joined(args, vec![ended])?;
                std::fs::write(&path, text).map_err(|e| InputError::new(path.display(), e))?;
            }
            _ if json || args.output.is_some() => reports.push(ended),
            _ => write_out(None, &ended.report)?,
        }
    }
    if !reports.is_empty() {
        let several = args.format == CheckFormat::Json;
        let text = joined(args, reports)?;
        let text = match several {
            true => format!("[\n{text}]\n"),
            false => text,
        };
        write_out(args.output.as_deref(), &text)?;
    }
    std::io::stdout().flush()?;
    Ok(worst)
}

/// The reports as one text. A process that ended without one, and said why, has none.
fn joined(args: &CheckArgs, reports: Vec<Ended>) -> Result<String, InputError> {
    let texts = || {
        reports
            .iter()
            .map(|r| r.report.as_str())
            .collect::<Vec<_>>()
    };
    Ok(match args.format {
        CheckFormat::Json => texts().join(",\n"),
        CheckFormat::Human | CheckFormat::Whoop => texts().join("\n"),
        CheckFormat::Of(format) => {
            let with = |r: &Ended| !r.report.is_empty();
            let reports: Vec<Ended> = reports.into_iter().filter(with).collect();
            formats::of_checks(format, &reports, &args.files)?
        }
    })
}

/// What was said besides the files and where the report goes.
fn other_words(args: &CheckArgs) -> Vec<OsString> {
    let mut files: Vec<&std::ffi::OsStr> = args.files.iter().map(|f| f.as_os_str()).collect();
    let mut words = Vec::new();
    // What others read is made of the objects for scripts.
    let of_others = matches!(args.format, CheckFormat::Of(_));
    if of_others {
        words.extend(["--format", "json"].map(OsString::from));
    }
    let mut all = std::env::args_os().skip(1).peekable();
    // The name of the subcommand stands first.
    if all.peek().is_some_and(|w| w == "check") {
        words.insert(0, all.next().unwrap_or_default());
    }
    while let Some(word) = all.next() {
        let text = word.to_string_lossy();
        if text == "-o" || text == "--output" || (of_others && text == "--format") {
            all.next();
        } else if text.starts_with("--output=")
            || (text.starts_with("-o") && text.len() > 2)
            || (of_others && text.starts_with("--format="))
        {
        } else if let Some(n) = files.iter().position(|f| **f == *word) {
            files.remove(n);
        } else {
            words.push(word);
        }
    }
    words
}

/// A bug of irkiss is worse than a wrong input, that than findings, those than what is not known.
fn worse(a: u8, b: u8) -> u8 {
    let rank = |code: u8| match code {
        OK => 0,
        UNKNOWN => 1,
        INPUT_ERROR => 3,
        INTERNAL_ERROR => 4,
        _ => 2,
    };
    if rank(b) > rank(a) { b } else { a }
}
