//! The last reports, for `irkiss show` and `irkiss why`: as `--format json` writes them, compressed, in the user's state folder.
//!
//! `$IRKISS_STATE` is the folder; empty: none is kept. Else `$XDG_STATE_HOME/irkiss`, or `~/.local/state/irkiss`. What cannot be written is
//! not kept: no run fails for it.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use irkiss::bugs::{self, id};
use irkiss::error::InputError;
use irkiss::report::read::Report;

use super::kept::{self, About, BUILT, Kept};
use super::{settled, whole};

/// Reports that are kept.
const KEPT: usize = 40;
/// How their names end.
const ENDING: &str = kept::REPORT;
/// The same of a check that says less than another of the same file.
const NARROW: &str = ".narrow.json.gz";

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

/// Keeps the report of these inputs; whether it says less than one that stays beside it.
pub fn keep(inputs: &[PathBuf], report: &str) -> bool {
    // A record is a help: what cannot be kept is not.
    let kept = folder().and_then(|folder| keep_in(&folder, inputs, report).ok());
    kept.unwrap_or(false)
}

fn keep_in(folder: &Path, inputs: &[PathBuf], report: &str) -> std::io::Result<bool> {
    fs::create_dir_all(folder)?;
    let Some(first) = inputs.first() else {
        return Ok(false);
    };
    let name = name_of(&whole(first));
    let (fuller, narrow) = (name.clone() + ENDING, name + NARROW);
    let narrower = is_narrower(&folder.join(&fuller), first, report);
    let name = match narrower {
        true => narrow,
        false => {
            let _ = fs::remove_file(folder.join(narrow));
            fuller
        }
    };
    kept::write_compressed(&folder.join(&name), "", report.as_bytes())?;
    let here = format!("last-{}", name_of(&std::env::current_dir()?));
    fs::write(folder.join(here), name)?;
    forget_the_oldest(folder)?;
    Ok(narrower)
}

/// Whether a report says less of an input than the one that is kept, and the input is still the same.
fn is_narrower(kept: &Path, input: &Path, report: &str) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    if changed(kept).is_none() || changed(input) > changed(kept) {
        return false;
    }
    match (read(kept), Report::parse(report, "this report")) {
        (Ok(kept), Ok(new)) => says_less(&new, &kept),
        _ => false,
    }
}

/// Whether it is of fewer pairs, or looked for less in them, or was ended before its time where the other was not.
fn says_less(new: &Report, known: &Report) -> bool {
    let pairs = |r: &Report| -> BTreeSet<(String, String)> {
        let pairs = r.pairs.iter().map(|p| (p.a.clone(), p.b.clone()));
        pairs.collect()
    };
    let not_asked = |r: &Report| -> BTreeSet<String> { r.not_asked.iter().cloned().collect() };
    let (own, all) = (pairs(new), pairs(known));
    if new.input.len() != known.input.len() || !own.is_subset(&all) {
        return false;
    }
    if own.len() < all.len() {
        return true;
    }
    let (own, all) = (not_asked(new), not_asked(known));
    let ended = new.stopped.is_some() && known.stopped.is_none();
    own.is_superset(&all) && (own.len() > all.len() || ended)
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

/// The report that was written last in this folder; else in one above it; else the only one that a build keeps here; else the last
/// of all, which is told.
///
/// # Errors
/// There is none.
pub fn last() -> Result<Report, InputError> {
    let none = || {
        InputError::new("irkiss", "no report has been kept for this folder")
            .advise("check something first (irkiss FILE), or name a report of --format json")
    };
    let here = std::env::current_dir().map_err(|_| none())?;
    let folder = folder();
    let of = |place: &Path| {
        let name = fs::read_to_string(folder.as_ref()?.join(format!("last-{}", name_of(place))));
        Some(folder.as_ref()?.join(name.ok()?)).filter(|path| path.is_file())
    };
    if let Some(path) = here.ancestors().find_map(of) {
        return read(&path);
    }
    let built = in_folder(&here.join(BUILT));
    if let [one] = built.as_slice() {
        return read(one);
    }
    if let [_, ..] = built.as_slice() {
        let what = format!("a build keeps {} reports here", built.len());
        return Err(InputError::new(BUILT, what).advise("name the object: irkiss show FILE.o:1"));
    }
    let newest = all().into_iter().next().ok_or_else(none)?;
    let report = read(&newest)?;
    tell(&format!(
        "no report of this folder: this is the last one, of {}",
        report.input.join(" ")
    ));
    Ok(report)
}

/// A line beside what is shown.
fn tell(what: &str) {
    eprintln!("irkiss: note: {what}");
}

/// The reports that are kept, the newest first.
fn all() -> Vec<PathBuf> {
    let mut all = folder().map_or(Vec::new(), |folder| in_folder(&folder));
    all.sort_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok());
    all.reverse();
    all
}

/// The reports in a folder, by name.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|e| e.path());
    let mut all: Vec<PathBuf> = paths
        .filter(|p| p.to_string_lossy().ends_with(ENDING))
        .collect();
    all.sort();
    all
}

/// The report that has a bug or a finding of that name: the last one, else any.
///
/// # Errors
/// There is none.
pub fn with_bug(name: &str) -> Result<Report, InputError> {
    let has = |report: &Report| {
        let aside = report.set_aside.iter().map(|s| &s.finding);
        let findings: Vec<_> = report.findings.iter().chain(aside).collect();
        let unit = id::unit(&report.sources);
        findings.iter().any(|f| id::finding(f, unit) == name)
            || bugs::of(findings, &report.sources)
                .iter()
                .any(|b| b.id == name)
    };
    let here = std::env::current_dir().unwrap_or_default();
    let kept = all().into_iter().chain(in_folder(&here.join(BUILT)));
    let mut reports = kept.filter_map(|path| read(&path).ok());
    reports.find(has).ok_or_else(|| {
        InputError::new(name, "no bug of that name in any report that is kept")
            .advise("check the file first, or name a report: irkiss show FILE")
    })
}

/// The report of a file: itself, if it is one; else that of the check of it, of several the one that says most. A file that is not there
/// is one of that name that was checked from elsewhere.
///
/// # Errors
/// There is none.
pub fn of(file: &Path) -> Result<Report, InputError> {
    let is_report =
        file.to_string_lossy().ends_with(".json") || file.to_string_lossy().ends_with(".gz");
    if is_report {
        return read(file);
    }
    if let Some(report) = of_built(file) {
        return report;
    }
    let kept = folder().map(|f| (f.join(name_of(&whole(file)) + ENDING), f));
    if let Some((path, folder)) = kept.filter(|(path, _)| path.is_file()) {
        if folder.join(name_of(&whole(file)) + NARROW).is_file() {
            tell(
                "of two checks that are kept this is the one of more; the later one: irkiss show N",
            );
        }
        return read(&path);
    }
    if !file.exists()
        && let Some(report) = checked_elsewhere(file)
    {
        tell(&format!("this is of {}", report.input.join(" ")));
        return Ok(report);
    }
    let advice = match others().as_slice() {
        [] => "check it first, or name a report of --format json".to_string(),
        names => format!(
            "check it first, or name a report of --format json; the last ones are of {}",
            names.join(", ")
        ),
    };
    Err(InputError::new(file.display(), "no report of it has been kept").advise(advice))
}

/// The files that the last reports are of.
fn others() -> Vec<String> {
    const MOST: usize = 3;
    let reports = all().into_iter().filter_map(|path| read(&path).ok());
    reports.take(MOST).map(|r| r.input.join(" ")).collect()
}

/// The newest report of a file whose path ends like that, or that a build keeps below this folder.
fn checked_elsewhere(file: &Path) -> Option<Report> {
    let is = |report: &Report| {
        let mut inputs = report.input.iter();
        inputs.any(|input| Path::new(input).ends_with(file))
    };
    let kept = all().into_iter().filter_map(|path| read(&path).ok());
    let mut kept = kept.filter(is);
    kept.next().or_else(|| {
        let here = kept::below(Path::new("."));
        let of = |object: &&PathBuf| object.with_extension("").ends_with(file.with_extension(""));
        of_built(here.iter().find(of)?)?.ok()
    })
}

/// A report, compressed or not.
fn read(path: &Path) -> Result<Report, InputError> {
    Ok(built(path)?.0)
}

/// The report that a build keeps in a file, with what it knows of it. What is of one file of a module is without what the module as one
/// decides.
///
/// # Errors
/// There is none.
pub fn built(path: &Path) -> Result<(Report, Kept), InputError> {
    let text = text_of(path)?;
    let mut report = Report::parse(&text, &path.display().to_string())?;
    let Some(object) = kept::object_of(path) else {
        return Ok((report, Kept::default()));
    };
    report.object = Some(object.display().to_string());
    let more: Kept = serde_json::from_str(&text).unwrap_or_default();
    if let Some(module) = &more.module {
        let place = kept::report_place(&beside_part(&object, module));
        if let Ok((whole, _)) = built(&place) {
            settled::leave_out(&mut report.findings, &whole);
        }
    }
    Ok((report, more))
}

fn text_of(path: &Path) -> Result<String, InputError> {
    let failed = |e| InputError::new(path.display(), e);
    let bytes = fs::read(path).map_err(failed)?;
    let mut text = String::new();
    let read = match bytes.starts_with(&[0x1f, 0x8b]) {
        true => GzDecoder::new(bytes.as_slice()).read_to_string(&mut text),
        false => bytes.as_slice().read_to_string(&mut text),
    };
    read.map_err(failed)?;
    Ok(text)
}

/// What a build keeps of an object: its report, or that of the module that it is a part of. `None`: it keeps nothing of it.
fn of_built(object: &Path) -> Option<Result<Report, InputError>> {
    let report = kept::report_place(object);
    let about = kept::note(object).map(|n| n.about);
    let shown = object.display().to_string();
    if let Some(About::WaitsFor(parts)) = &about {
        tell(&format!(
            "{shown}: checked again when all of it is compiled: {}",
            listed(parts)
        ));
    }
    let mut about = about;
    if report.is_file() && !matches!(about, Some(About::PartOf(_))) {
        match built(&report) {
            Ok((report, more)) if report.findings.is_empty() && more.module.is_some() => {
                about = Some(About::PartOf(more.module.into_iter().collect()));
            }
            read => return Some(read.map(|(report, _)| report)),
        }
    }
    let error = |what: &str, advice: &str| Some(Err(InputError::new(&shown, what).advise(advice)));
    match about? {
        About::PartOf(modules) => {
            let module = modules.first()?;
            let module = beside_part(object, module);
            tell(&format!(
                "{shown} is checked with the other files of its module: this is {}",
                module.display()
            ));
            of_built(&module)
        }
        About::NoEntryPoints => error("nothing in it that the kernel calls", ""),
        About::Failed(why) => error(&format!("not checked: {why}"), ""),
        About::WaitsFor(_) => error("not all of its files are compiled", ""),
    }
}

/// The module of a part, by the way that leads to the part from here: both have their names from the folder of the build.
pub fn beside_part(part: &Path, module: &Path) -> PathBuf {
    if module.is_absolute() || kept::report_place(module).is_file() {
        return module.to_path_buf();
    }
    let above = module.parent().unwrap_or(Path::new(""));
    let folders = part.ancestors().skip(1);
    let mut with = folders.filter(|f| f.ends_with(above));
    let name = module.file_name().unwrap_or_default();
    with.next()
        .map_or_else(|| module.to_path_buf(), |folder| folder.join(name))
}

/// Some names, and how many more.
pub fn listed(names: &[PathBuf]) -> String {
    const MOST: usize = 3;
    let mut told: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|n| n.display().to_string())
        .collect();
    if names.len() > MOST {
        told.push(format!("{} more", names.len() - MOST));
    }
    told.join(", ")
}
