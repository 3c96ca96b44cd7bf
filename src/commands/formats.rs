//! Reports in the forms of others, of a check that has just ended or of what was stored.

use std::path::{Path, PathBuf};

use irkiss::error::InputError;
use irkiss::forms::Form;
use irkiss::report::formats::{self, Told};
use irkiss::report::human::Which;
use irkiss::report::read::Report;
use irkiss::report::snippet::Disk;

/// A check that has ended.
pub struct Ended {
    /// Its report for scripts.
    pub report: String,
    /// Its exit code.
    pub code: u8,
    /// Whether it had a baseline.
    pub compared: bool,
}

/// Of checks of these files.
///
/// # Errors
/// A report is none: not one that this irkiss wrote.
pub fn of_checks(form: Form, all: &[Ended], files: &[PathBuf]) -> Result<String, InputError> {
    let sources = Disk::beside(files);
    let told = all.iter().map(|ended| {
        let report = Report::parse(&ended.report, "the report of a check")?;
        Ok(Told::of(report, &sources).of_run(ended.code, ended.compared))
    });
    let told: Vec<Told> = told.collect::<Result<_, InputError>>()?;
    Ok(formats::render(form, &told, &sources))
}

/// Of reports that were stored; `None`: there is no such bug.
pub fn of_stored(form: Form, reports: Vec<Report>, which: Option<&Which>) -> Option<String> {
    let files: Vec<PathBuf> = reports
        .iter()
        .flat_map(|r| &r.input)
        .map(PathBuf::from)
        .collect();
    let sources = Disk::beside(&files);
    let told = reports.into_iter().map(|report| {
        let told = Told::of(report, &sources);
        match which {
            Some(which) => told.only(which),
            None => Some(told),
        }
    });
    let told: Vec<Told> = told.collect::<Option<_>>()?;
    Some(formats::render(form, &told, &sources))
}

/// The name of the report of a file in a folder.
pub fn name_in(folder: &Path, file: &Path, ending: &str) -> PathBuf {
    let mut path = folder.join(file.file_stem().unwrap_or(file.as_os_str()));
    path.set_extension(ending);
    path
}
