//! A crash must not break the build: the work is done in a process that may die.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use rustix::process::{Signal, set_parent_process_death_signal};

use super::compile::clean_up_after;
use super::line::Line;
use crate::error::InputError;

/// The hidden subcommand of the process that does the work: `irkiss __kbuild`, with the words of `irkiss kbuild`.
pub const SUBCOMMAND: &str = "__kbuild";

/// Runs this executable for the same words; its exit code.
///
/// # Errors
/// It cannot be started; a signal ended it, which stands for a bug of irkiss or for a lack of memory.
pub fn run(words: impl IntoIterator<Item = OsString>) -> Result<u8, InputError> {
    let words: Vec<OsString> = words.into_iter().collect();
    let own = std::env::current_exe().map_err(|e| InputError::new("this executable", e))?;
    let failed = |e| InputError::new("cannot start a process", e);
    let mut child = Command::new(own)
        .arg(SUBCOMMAND)
        .args(&words)
        .spawn()
        .map_err(failed)?;
    let status = child.wait().map_err(failed)?;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ok(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, signal) => {
            clean_up_after(child.id());
            let source =
                Line::parse(words).map_or(String::new(), |l| l.source.display().to_string());
            let signal = signal.map_or(String::new(), |n| format!(" by signal {n}"));
            Err(
                InputError::new(source, format!("the check was ended{signal}"))
                    .advise("a crash of irkiss, or too little memory"),
            )
        }
    }
}

/// For the process that does the work: it ends when the one that waits for it does, by that signal.
pub fn end_with_parent(by: Signal) {
    // Where it cannot be asked for, `--timeout` ends it.
    let _ = set_parent_process_death_signal(Some(by));
}
