//! What a build has kept below a folder: how many files were checked, which have bugs, which are not decided.

use std::path::{Path, PathBuf};

use irkiss::bugs::{self, class::Severity};
use irkiss::error::InputError;
use irkiss::report::count;
use irkiss::report::read::Report;
use irkiss::verdict::Overall;

use super::records;
use crate::{OK, write_out};

/// Tells it; the exit code.
///
/// # Errors
/// There is nothing below the folder.
pub fn show(folder: &Path) -> anyhow::Result<u8> {
    let files = kept(folder);
    if files.is_empty() {
        return Err(
            InputError::new(folder.display(), "no reports of a build below it")
                .advise("make C=2 CHECK=\"irkiss kbuild\" keeps one beside each object")
                .into(),
        );
    }
    let mut text = String::new();
    let (mut with, mut open, mut all, mut harmful, mut damaged) = (0, 0, 0, 0, 0);
    for file in &files {
        let Ok(report) = records::of(file) else {
            damaged += 1;
            continue;
        };
        let (own, bad) = bugs_of(&report);
        all += own;
        harmful += bad;
        open += usize::from(is_open(&report));
        with += usize::from(own > 0);
        if own > 0 {
            let object = report.object.as_deref().unwrap_or_default();
            text += &format!(
                "{:>4}  {}  (irkiss show {object}:1)\n",
                own,
                report.input.join(" ")
            );
        }
    }
    text += &format!(
        "irkiss: {} checked, {with} with findings: {} ({harmful} harmful); {open} not decided in part\n",
        count(files.len() - damaged, "file"),
        count(all, "bug")
    );
    if damaged > 0 {
        text += &format!("{} cannot be read\n", count(damaged, "report"));
    }
    write_out(None, &text)?;
    Ok(OK)
}

/// Bugs of a report, and harmful ones of them.
fn bugs_of(report: &Report) -> (usize, usize) {
    let bugs = bugs::told(&report.findings, &report.sources);
    let harmful = bugs
        .iter()
        .filter(|b| b.class.severity() == Severity::Harmful);
    (bugs.len(), harmful.count())
}

fn is_open(report: &Report) -> bool {
    let mut pairs = report.outcome().pairs.into_iter();
    report.stopped.is_some() || pairs.any(|p| p.overall() == Overall::Unknown)
}

/// The reports that a build keeps below a folder.
pub fn kept(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|t| t.is_dir()));
        if folder.ends_with(records::BUILT) && path.extension().is_some_and(|e| e == "gz") {
            into.push(path);
        } else if is_folder {
            collect(&path, into);
        }
    }
}
