//! The last reports, for `irkiss show` and `irkiss why`: as `--format json` writes them, compressed, in the user's state folder.
//!
//! `$IRKISS_STATE` is the folder; empty: none is kept. Else `$XDG_STATE_HOME/irkiss`, or `~/.local/state/irkiss`. What cannot be written is
//! not kept: no run fails for it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use irkiss::error::InputError;
use irkiss::report::read::Report;

use super::whole;

/// Reports that are kept.
const KEPT: usize = 40;
/// How their names end.
const ENDING: &str = ".json.gz";

fn folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    match std::env::var_os("IRKISS_STATE") {
        Some(path) if path.is_empty() => None,
        Some(path) => Some(path.into()),
        None => of("XDG_STATE_HOME")
            .map(PathBuf::from)
            .or_else(|| of("HOME").map(|home| Path::new(&home).join(".local/state")))
            .map(|state| state.join("irkiss")),
    }
}

fn name_of(path: &Path) -> String {
    blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex()[..24].to_string()
}

/// Keeps the report of these inputs.
pub fn keep(inputs: &[PathBuf], report: &str) {
    let Some(folder) = folder() else { return };
    // A record is a help: what cannot be kept is not.
    let _ = keep_in(&folder, inputs, report);
}

fn keep_in(folder: &Path, inputs: &[PathBuf], report: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let Some(first) = inputs.first() else {
        return Ok(());
    };
    let name = name_of(&whole(first)) + ENDING;
    write(&folder.join(&name), report)?;
    let here = format!("last-{}", name_of(&std::env::current_dir()?));
    fs::write(folder.join(here), name)?;
    forget_the_oldest(folder)
}

/// Writes a compressed report: whole or not at all.
fn write(path: &Path, report: &str) -> std::io::Result<()> {
    let partial = path.with_extension(format!("{}.part", std::process::id()));
    let mut to = GzEncoder::new(fs::File::create(&partial)?, Compression::fast());
    to.write_all(report.as_bytes())?;
    to.finish()?;
    fs::rename(partial, path)
}

fn forget_the_oldest(folder: &Path) -> std::io::Result<()> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        kept.push((entry.metadata()?.modified()?, entry.path()));
    }
    // A report, and where it was last asked for.
    kept.sort();
    let over = kept.len().saturating_sub(2 * KEPT);
    for (_, path) in kept.into_iter().take(over) {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// The report that was written last in this folder.
///
/// # Errors
/// There is none.
pub fn last() -> Result<Report, InputError> {
    let none = || {
        InputError::new("irkiss", "no report has been kept for this folder")
            .advise("check something first (irkiss FILE), or name a report of --format json")
    };
    let folder = folder().ok_or_else(none)?;
    let here = std::env::current_dir().map_err(|_| none())?;
    let name = fs::read_to_string(folder.join(format!("last-{}", name_of(&here))));
    read(&folder.join(name.map_err(|_| none())?))
}

/// The report of a file: itself, if it is one; else that of the check of it.
///
/// # Errors
/// There is none.
pub fn of(file: &Path) -> Result<Report, InputError> {
    let is_report =
        file.to_string_lossy().ends_with(".json") || file.to_string_lossy().ends_with(".gz");
    if is_report {
        return read(file);
    }
    let beside = beside(file);
    if beside.is_file() {
        return read(&beside);
    }
    let kept = folder().map(|f| f.join(name_of(&whole(file)) + ENDING));
    match kept.filter(|path| path.is_file()) {
        Some(path) => read(&path),
        None => Err(
            InputError::new(file.display(), "no report of it has been kept")
                .advise("check it first, or name a report of --format json"),
        ),
    }
}

/// Where a build keeps the report of an object: `.irkiss/x.json.gz` beside `x.o`.
pub fn beside(object: &Path) -> PathBuf {
    let folder = object.parent().unwrap_or(Path::new("")).join(".irkiss");
    let name = object.file_stem().unwrap_or(object.as_os_str());
    folder.join(format!("{}{ENDING}", name.to_string_lossy()))
}

/// Keeps the report of an object beside it. `made_of`: the name of what the check depends on, if that is known.
pub fn keep_beside(object: &Path, report: &str, made_of: Option<&str>) {
    let report = match made_of {
        // A report is an object: it begins with a brace.
        Some(name) => report.replacen('{', &format!("{{\n  \"made_of\": \"{name}\","), 1),
        None => report.to_string(),
    };
    let path = beside(object);
    let kept = path.parent().map(fs::create_dir_all);
    if matches!(kept, Some(Ok(()))) {
        let _ = write(&path, &report);
    }
}

/// The report that a build keeps of an object, if it was made of just that.
pub fn beside_of(object: &Path, made_of: Option<&str>) -> Option<Report> {
    let report = read(&beside(object)).ok()?;
    (Some(report.made_of.as_str()) == made_of).then_some(report)
}

/// A report, compressed or not.
fn read(path: &Path) -> Result<Report, InputError> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|e| InputError::new(&name, e))?;
    let mut text = String::new();
    let read = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
        false => bytes.as_slice().read_to_string(&mut text),
    };
    read.map_err(|e| InputError::new(&name, e))?;
    Report::parse(&text, &name)
}
