//! What a build keeps beside its objects, in `.irkiss/`: reports, why there is none, and the bitcode of what is checked with others.
//!
//! Of `drivers/x/y.o` these are `drivers/x/.irkiss/y.json.gz`, `y.note.json` and `y.bc.gz` (its compressed bitcode, with the name of what it was
//! made of as gzip's comment). What cannot be written is not kept: no build fails for it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
pub use irkiss::report::build::Alone;
use irkiss::report::read::Report;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::records;

/// The folder beside the objects.
pub const BUILT: &str = ".irkiss";
/// How names of reports end.
pub const REPORT: &str = ".json.gz";
const NOTE: &str = ".note.json";
const BITCODE: &str = ".bc.gz";
const LOCK: &str = ".lock";

/// Why there is no report of an object, or none of how it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The name of what this depends on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_of: Option<String>,
    /// What is said.
    pub about: About,
}

/// What a note says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// It is no driver, or a part of one that registers nothing.
    NoEntryPoints,
    /// It could not be checked.
    Failed(String),
    /// It is checked with others, as these modules.
    PartOf(Vec<PathBuf>),
    /// Of a module: these parts are not compiled yet, or will be compiled again.
    WaitsFor(Vec<PathBuf>),
}

/// What a build knows of a report beyond its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The name of what the check depends on, if the result is the same each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_of: Option<String>,
    /// Milliseconds that the check took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// Of a module: the object with which the last part came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_with: Option<PathBuf>,
    /// With what else it was checked, or that it was checked without: a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Of one file of a module, without the others: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Alone>,
    /// Of one file of a module that has been checked as one: the module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<PathBuf>,
    /// Of a module: something in it is not decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_open: bool,
}

fn place(object: &Path, ending: &str) -> PathBuf {
    let folder = object.parent().unwrap_or(Path::new("")).join(BUILT);
    let name = object.file_stem().unwrap_or(object.as_os_str());
    folder.join(format!("{}{ending}", name.to_string_lossy()))
}

/// Where the report of an object is kept: `.irkiss/x.json.gz` beside `x.o`.
pub fn report_place(object: &Path) -> PathBuf {
    place(object, REPORT)
}

/// What a build makes where it keeps such a file: `drivers/x/y.o` of `drivers/x/.irkiss/y.json.gz`. `None`: no build keeps it.
pub fn object_of(kept: &Path) -> Option<PathBuf> {
    let folder = kept.parent().filter(|f| f.ends_with(BUILT))?;
    let name = kept.file_name()?.to_string_lossy();
    let endings = [REPORT, NOTE, BITCODE, LOCK];
    let stem = endings.iter().find_map(|e| name.strip_suffix(e))?;
    Some(folder.parent()?.join(format!("{stem}.o")))
}

/// Writes a file: whole, or not at all.
fn write_whole(
    path: &Path,
    write: impl FnOnce(File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let partial = path.with_extension(format!("{}.part", std::process::id()));
    let whole = File::create(&partial)
        .and_then(write)
        .and_then(|()| fs::rename(&partial, path));
    whole.inspect_err(|_| forget(&partial))
}

/// Writes a compressed file: whole, or not at all. `comment`: one that stands in its head; empty: none.
///
/// # Errors
/// It cannot be written.
pub fn write_compressed(path: &Path, comment: &str, content: &[u8]) -> std::io::Result<()> {
    let head = match comment {
        "" => GzBuilder::new(),
        comment => GzBuilder::new().comment(comment),
    };
    write_whole(path, |file| {
        let mut to = head.write(file, Compression::fast());
        to.write_all(content)?;
        to.finish().map(drop)
    })
}

/// The folder of a file, made if it is not there.
fn with_folder(path: PathBuf) -> std::io::Result<PathBuf> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
    Ok(path)
}

fn forget(path: &Path) {
    // Most are not there.
    let _ = fs::remove_file(path);
}

/// Keeps the report of an object, in place of what was said of it before.
pub fn keep_report(object: &Path, report: &str, more: &Kept) {
    let more = serde_json::to_string(more).expect("names and numbers");
    // Both are objects.
    let more = more.trim_start_matches('{').trim_end_matches('}');
    let report = match more {
        "" => report.to_string(),
        more => report.replacen('{', &format!("{{\n  {more},"), 1),
    };
    let path = with_folder(report_place(object));
    let _ = path.and_then(|path| write_compressed(&path, "", report.as_bytes()));
    forget(&place(object, NOTE));
}

/// Keeps a note on an object. One that there is nothing to report takes the place of its report.
pub fn keep_note(object: &Path, about: About, made_of: Option<String>) {
    if matches!(about, About::NoEntryPoints | About::Failed(_)) {
        forget(&report_place(object));
    }
    let note = serde_json::to_string(&Note { made_of, about }).expect("names");
    let path = with_folder(place(object, NOTE));
    let _ = path.and_then(|path| write_whole(&path, |mut file| file.write_all(note.as_bytes())));
}

/// The note on an object.
pub fn note(object: &Path) -> Option<Note> {
    let text = fs::read(place(object, NOTE)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The object is checked as a part of modules, and only so.
pub fn is_part_of(object: &Path, modules: &[PathBuf]) {
    forget(&report_place(object));
    keep_note(object, About::PartOf(modules.to_vec()), None);
}

/// Of an object that is checked as a part of modules there is a report of its own, too.
pub fn is_shown_itself(object: &Path) {
    if report_place(object).is_file() {
        forget(&place(object, NOTE));
    }
}

/// What was waited for is there.
pub fn waits_no_more(object: &Path) {
    if matches!(
        note(object).map(|n| n.about),
        Some(About::WaitsFor(_) | About::Failed(_))
    ) {
        forget(&place(object, NOTE));
    }
}

/// The report of an object with what a build knows of it, if it was made of just that.
pub fn report(object: &Path, made_of: Option<&str>) -> Option<(Report, Kept)> {
    let (report, kept) = records::built(&report_place(object)).ok()?;
    (made_of.is_some() && kept.made_of.as_deref() == made_of).then_some((report, kept))
}

/// When something was last said of an object: by a report, or that there is nothing to report.
pub fn said_at(object: &Path) -> Option<SystemTime> {
    let of = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    of(&report_place(object)).or_else(|| of(&place(object, NOTE)))
}

/// What was said of an object holds now.
pub fn still_holds(object: &Path) {
    for path in [report_place(object), place(object, NOTE)] {
        if let Ok(file) = File::options().append(true).open(path) {
            let _ = file.set_modified(SystemTime::now());
        }
    }
}

/// Whether something is kept of it as of a module of several files.
pub fn is_of_parts(object: &Path) -> bool {
    let report = records::built(&report_place(object));
    let waits = || matches!(note(object), Some(n) if matches!(n.about, About::WaitsFor(_)));
    report.map_or_else(|_| waits(), |(_, more)| more.told_with.is_some())
}

/// With what else an object was checked, or without what, as a sentence.
pub fn remark(object: &Path) -> Option<String> {
    let (_, kept) = records::built(&report_place(object)).ok()?;
    kept.remark
}

/// Keeps bitcode of an object. `made_of`: the name of what it was made of.
pub fn keep_bitcode(object: &Path, made_of: &str, bitcode: &Path) {
    let Ok(content) = fs::read(bitcode) else {
        return;
    };
    let path = with_folder(place(object, BITCODE));
    let _ = path.and_then(|path| write_compressed(&path, made_of, &content));
}

/// Whether bitcode of an object is kept that was made of just that.
pub fn has_bitcode(object: &Path, made_of: &str) -> bool {
    opened(object, made_of).is_some()
}

fn opened(object: &Path, made_of: &str) -> Option<GzDecoder<File>> {
    let file = GzDecoder::new(File::open(place(object, BITCODE)).ok()?);
    let comment = file.header()?.comment()?;
    (comment == made_of.as_bytes()).then_some(file)
}

/// The bitcode of an object, if it was made of just that.
pub fn bitcode(object: &Path, made_of: &str) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    opened(object, made_of)?.read_to_end(&mut content).ok()?;
    Some(content)
}

/// Who checks a module: two parts may be compiled at once, and both be the last.
pub struct Lock {
    /// Whether somebody else has just checked it.
    pub waited: bool,
    _file: Option<File>,
}

impl Lock {
    /// Waits until nobody else checks the module of that object. `None`: somebody else is at it, made of just that.
    pub fn of(object: &Path, made_of: Option<&str>) -> Option<Lock> {
        let path = place(object, LOCK);
        let _ = fs::create_dir_all(path.parent().unwrap_or(Path::new("")));
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false);
        // Where none can be written nothing is kept either.
        let Ok(mut file) = file.open(path) else {
            return Some(Lock {
                waited: false,
                _file: None,
            });
        };
        let waited = flock(&file, FlockOperation::NonBlockingLockExclusive).is_err();
        if waited {
            let mut at = String::new();
            let read = file.read_to_string(&mut at);
            if read.is_ok() && made_of.is_some_and(|name| name == at) {
                return None;
            }
            let _ = flock(&file, FlockOperation::LockExclusive);
        }
        let name = made_of.unwrap_or_default();
        let _ = file.set_len(0);
        let _ = std::io::Seek::rewind(&mut file);
        let _ = file.write_all(name.as_bytes());
        Some(Lock {
            waited,
            _file: Some(file),
        })
    }
}

/// What a build keeps below a folder: objects with reports or notes, in order.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    let is = |file: &&PathBuf| {
        let name = file.to_string_lossy();
        name.ends_with(REPORT) || name.ends_with(NOTE)
    };
    let mut objects: Vec<PathBuf> = files
        .iter()
        .filter(is)
        .filter_map(|f| object_of(f))
        .collect();
    objects.sort();
    objects.dedup();
    objects
}

/// The reports that a build keeps below a folder.
pub fn reports_below(folder: &Path) -> Vec<PathBuf> {
    let objects = below(folder).into_iter();
    let reports = objects.map(|o| report_place(&o));
    reports.filter(|r| r.is_file()).collect()
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|t| t.is_dir()));
        if is_folder {
            collect(&path, into);
        } else if folder.ends_with(BUILT) {
            into.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_takes_the_place_of_a_report_and_bitcode_is_found_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let object = folder.path().join("x.o");
        keep_report(&object, "{\n \"a\": 1\n}\n", &Kept::default());
        assert!(report_place(&object).is_file());
        keep_note(&object, About::WaitsFor(vec!["y.o".into()]), None);
        assert!(report_place(&object).is_file(), "of how it was");
        waits_no_more(&object);
        assert_eq!(note(&object), None);
        keep_note(&object, About::NoEntryPoints, Some("n".to_string()));
        assert!(!report_place(&object).is_file());
        let kept = note(&object).expect("a note");
        assert_eq!(kept.made_of.as_deref(), Some("n"));
        assert_eq!(below(folder.path()), std::slice::from_ref(&object));
        let file = folder.path().join("bitcode");
        std::fs::write(&file, "BC").expect("written");
        keep_bitcode(&object, "of this", &file);
        assert_eq!(bitcode(&object, "of this").as_deref(), Some(&b"BC"[..]));
        assert!(has_bitcode(&object, "of this") && !has_bitcode(&object, "of that"));
    }

    #[test]
    fn one_checks_a_module_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let object = folder.path().join("x.o");
        let first = Lock::of(&object, Some("n"));
        assert!(first.is_some());
        assert!(Lock::of(&object, Some("n")).is_none(), "the same");
        drop(first);
        assert!(Lock::of(&object, Some("n")).is_some());
    }
}
