//! What a build has kept below a folder: how many files were checked, which have bugs, which are not decided.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use irkiss::error::InputError;
use irkiss::report::build::{Beside, Summary};

use super::after::width;
use super::kept::{self, About};
use super::records;
use crate::{OK, write_out};

/// Tells it; the exit code.
///
/// # Errors
/// There is nothing below the folder.
pub fn show(folder: &Path, output: Option<&Path>) -> anyhow::Result<u8> {
    let columns = if output.is_some() { 0 } else { width() };
    write_out(output, &summary(folder)?.render(columns))?;
    Ok(OK)
}

/// What a build has kept below a folder.
///
/// # Errors
/// There is nothing.
pub fn summary(folder: &Path) -> Result<Summary, InputError> {
    let objects = kept::below(folder);
    if objects.is_empty() {
        return Err(
            InputError::new(folder.display(), "no reports of a build below it")
                .advise("make C=2 CHECK=\"irkiss kbuild\" keeps one beside each object"),
        );
    }
    let mut summary = Summary::of(&folder.display().to_string());
    let compiled = compiled_again(&objects);
    for object in &objects {
        add(&mut summary, object, compiled.get(object));
    }
    Ok(summary)
}

/// `compiled`: what of it was compiled after it was checked.
fn add(summary: &mut Summary, object: &Path, compiled: Option<&PathBuf>) {
    let shown = object.display().to_string();
    let note = kept::note(object).map(|n| n.about);
    let report = kept::report_place(object);
    // Of a part its module stands there.
    if matches!(note, Some(About::PartOf(_))) {
        return;
    }
    if report.is_file() {
        match records::built(&report) {
            // What its module leaves open stands there.
            Ok((report, more)) if more.module.is_some() && report.findings.is_empty() => {}
            Ok((report, more)) => {
                let beside = Beside {
                    seconds: more
                        .took_ms
                        .map(|ms| Duration::from_millis(ms).as_secs_f64()),
                    alone: more.alone,
                };
                summary.add(&shown, &report, beside);
            }
            Err(error) => summary.add_not_checked(&shown, &error.to_string()),
        }
    }
    match note {
        Some(About::NoEntryPoints) => summary.add_empty(),
        Some(About::Failed(why)) => return summary.add_not_checked(&shown, &why),
        Some(About::WaitsFor(parts)) => {
            let parts = records::listed(&parts);
            return summary.add_not_checked(&shown, &format!("as it is now: waits for {parts}"));
        }
        Some(About::PartOf(_)) | None => {}
    }
    if let Some(part) = compiled {
        let why = format!("as it is now: {} was compiled later", part.display());
        summary.add_not_checked(&shown, &why);
    }
}

/// What was compiled after it was checked, each with the object that was.
fn compiled_again(objects: &[PathBuf]) -> BTreeMap<PathBuf, PathBuf> {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    let modules_of = |object: &PathBuf| -> Option<Vec<PathBuf>> {
        let About::PartOf(modules) = kept::note(object)?.about else {
            return None;
        };
        let modules = modules.iter().map(|m| records::beside_part(object, m));
        Some(modules.collect())
    };
    let linked: BTreeSet<PathBuf> = objects.iter().filter_map(modules_of).flatten().collect();
    let mut later = BTreeMap::new();
    for object in objects {
        let Some(compiled) = changed(object) else {
            continue;
        };
        // What links a module makes its object after the check.
        if linked.contains(object) || kept::is_of_parts(object) {
            continue;
        }
        let checked = modules_of(object).unwrap_or_else(|| vec![object.clone()]);
        for checked in checked {
            let said: Option<SystemTime> = kept::said_at(&checked);
            if said.is_some_and(|said| said < compiled) {
                later.insert(checked, object.clone());
            }
        }
    }
    later
}
