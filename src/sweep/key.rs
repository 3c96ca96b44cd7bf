//! Names of contents: two tasks of one name have one result.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::contents::Contents;
use super::task::Planned;
use crate::config::Options;
use crate::error::InputError;

/// The content of a file, as 64 hexadecimal digits.
///
/// # Errors
/// It cannot be read.
pub fn of_file(path: &Path) -> Result<String, InputError> {
    let mut hasher = blake3::Hasher::new();
    let file = std::fs::File::open(path).map_err(|e| InputError::new(path.display(), e))?;
    hasher
        .update_reader(file)
        .map_err(|e| InputError::new(path.display(), e))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// The same of a text.
pub fn of_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// What checks: the version and the content of this executable, which holds models and built-in rules.
///
/// # Errors
/// The executable cannot be read.
pub fn of_engine() -> Result<String, InputError> {
    of_engine_in(&Contents::default())
}

/// The same where its content may be known already: it is read once for each process.
///
/// # Errors
/// As [`of_engine`].
pub fn of_engine_in(contents: &Contents) -> Result<String, InputError> {
    static ENGINE: OnceLock<Result<String, InputError>> = OnceLock::new();
    let engine = || {
        let own = executable()?;
        let content = match contents.of_file(&own) {
            Some(content) => content,
            None => of_file(&own)?,
        };
        Ok(format!("{} {}", env!("CARGO_PKG_VERSION"), &content[..16]))
    };
    ENGINE.get_or_init(engine).clone()
}

/// This executable.
///
/// # Errors
/// Nobody knows where it is.
pub fn executable() -> Result<PathBuf, InputError> {
    std::env::current_exe().map_err(|e| InputError::new("this executable", e))
}

/// Options without what does not change a result, but whether there is one: time and memory, how many at once. Files of rules and models
/// count by their content.
///
/// # Errors
/// A file that cannot be read.
pub fn of_options(options: &Options) -> Result<String, InputError> {
    let plain = Options {
        timeout: None,
        memory: None,
        jobs: 1,
        models: Vec::new(),
        config: None,
        ..options.clone()
    };
    let mut text = serde_json::to_string(&plain).expect("options serialise");
    let files: Vec<&PathBuf> = options.config.iter().chain(&options.models).collect();
    for file in files {
        text.push(' ');
        text.push_str(&of_file(file)?);
    }
    Ok(of_text(&text))
}

/// A task: its bitcode, in the order in which it is linked, the options, the engine.
pub fn of_task(bitcode: &[String], options: &str, engine: &str) -> String {
    of_text(&format!(
        "task\n{engine}\n{options}\n{}",
        bitcode.join("\n")
    ))
}

/// Why a task is not what was planned any more: a line. `folder`: that of the store.
pub fn changed(folder: &Path, planned: &Planned) -> Option<String> {
    planned.task.files.iter().find_map(|file| {
        let path = folder.join(&file.path);
        match of_file(&path) {
            Ok(content) if content == file.content => None,
            Ok(_) => Some(format!("{}: has changed since the plan", path.display())),
            Err(error) => Some(error.to_string()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_a_result_changes_the_name() {
        let plain = Options::default();
        let name = |o: &Options| of_options(o).expect("no files");
        let other = Options {
            ts: 2,
            ..plain.clone()
        };
        assert_ne!(name(&plain), name(&other));
        let same = Options {
            timeout: Some(9),
            memory: Some(1),
            jobs: 7,
            ..plain.clone()
        };
        assert_eq!(name(&plain), name(&same));
        let (a, b) = ("a".to_string(), "b".to_string());
        let task = |files: &[String], engine| of_task(files, "o", engine);
        assert_ne!(
            task(&[a.clone(), b.clone()], "1"),
            task(&[b.clone(), a.clone()], "1")
        );
        let one = std::slice::from_ref(&a);
        assert_ne!(task(one, "1"), task(one, "2"));
    }
}
