//! Several files that are no one program: each is checked by itself, by a process of its own, with a report each.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};

use irkiss::command::NOT_LINKED;
use irkiss::error::InputError;

use crate::cli::{CheckArgs, CheckFormat};
use crate::{INPUT_ERROR, INTERNAL_ERROR, OK, UNKNOWN, write_out};

/// Whether the files may be checked one by one after that error.
pub fn can_be_apart(args: &CheckArgs, error: &InputError) -> bool {
    let apart = !args.told.link && args.files.len() > 1 && args.emit().is_none();
    apart && error.what.starts_with(NOT_LINKED)
}

/// Checks them; the worst exit code. JSON objects become an array; with `-o FOLDER` each report is a file of that folder.
///
/// # Errors
/// A process cannot be started, or a report cannot be written.
pub fn check(args: &CheckArgs) -> anyhow::Result<u8> {
    let irkiss = std::env::current_exe()?;
    let words = other_words(args);
    let json = args.format == CheckFormat::Json;
    let mut reports = Vec::new();
    let mut worst = OK;
    for file in &args.files {
        let told = Command::new(&irkiss)
            .args(&words)
            .arg(file)
            .stderr(Stdio::inherit())
            .output()?;
        let code = told.status.code().and_then(|c| u8::try_from(c).ok());
        worst = worse(worst, code.unwrap_or(INTERNAL_ERROR));
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        match &args.output {
            Some(folder) if folder.is_dir() => {
                let name = file.file_stem().unwrap_or(file.as_os_str());
                let mut path = folder.join(name);
                path.set_extension(if json { "json" } else { "txt" });
                std::fs::write(&path, text).map_err(|e| InputError::new(path.display(), e))?;
            }
            _ if json || args.output.is_some() => reports.push(text),
            _ => write_out(None, &text)?,
        }
    }
    let all = match json {
        true => format!("[\n{}]\n", reports.join(",\n")),
        false => reports.join("\n"),
    };
    if !reports.is_empty() {
        write_out(args.output.as_deref(), &all)?;
    }
    std::io::stdout().flush()?;
    Ok(worst)
}

/// What was said besides the files and where the report goes.
fn other_words(args: &CheckArgs) -> Vec<OsString> {
    let mut files: Vec<&std::ffi::OsStr> = args.files.iter().map(|f| f.as_os_str()).collect();
    let mut words = Vec::new();
    let mut all = std::env::args_os().skip(1);
    while let Some(word) = all.next() {
        let text = word.to_string_lossy();
        if text == "-o" || text == "--output" {
            all.next();
        } else if text.starts_with("--output=") || (text.starts_with("-o") && text.len() > 2) {
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
