//! The annotated cases of `test-bitcode/`: each is compiled with clang 22, checked by the `irkiss` program, and its verdict and
//! racing lines are compared with what it says about itself ([`annotation`]). A test is one run of a case in one form.
//!
//! `IRKISS_CASE=text cargo test --test cases` runs only cases whose path contains the text, of which there must be some;
//! `IRKISS_FORM=o0` compiles all in that form (`make campaign-o0`);
//! `IRKISS_BLESS=1` writes the golden reports anew; `IRKISS_SLOW=1` includes the runs that take minutes.

#[path = "../support/annotation.rs"]
mod annotation;
mod run;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use annotation::{Form, Run, parse};
use libtest_mimic::{Arguments, Failed, Trial};

/// The folders of cases; whether there racy ones come with safe ones.
const FOLDERS: [(&str, bool); 6] = [
    ("kiss", true),
    ("pthread", true),
    ("language", true),
    ("contexts", false),
    ("drivers", true),
    ("properties", true),
];

fn main() -> ExitCode {
    let filter = std::env::var("IRKISS_CASE").unwrap_or_default();
    let mut trials = Vec::new();
    for (folder, twins) in FOLDERS {
        if twins && filter.is_empty() {
            let name = format!("{folder}: racy and safe cases come in twins");
            trials.push(Trial::test(name, move || twins_of(folder)));
        }
        for case in cases(folder) {
            if case.display().to_string().contains(&filter) {
                trials.extend(trials_of(&case));
            }
        }
    }
    if trials.is_empty() {
        eprintln!("IRKISS_CASE={filter}: no case's path contains this");
        return ExitCode::FAILURE;
    }
    let arguments = Arguments::from_args();
    if let Some(text) = &arguments.filter
        && !trials.iter().any(|t| t.name().contains(text.as_str()))
    {
        eprintln!("{text}: no test's name contains this");
        return ExitCode::FAILURE;
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The files in C and C++ of a folder below `test-bitcode/`, sorted, relative to it.
fn cases(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(run::root().join(folder))
        .expect("the folder of cases")
        .map(|entry| Path::new(folder).join(entry.expect("a folder entry").file_name()))
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp"))
        .collect();
    found.sort();
    found
}

fn read(case: &Path) -> Result<Vec<Run>, String> {
    let source = std::fs::read_to_string(run::root().join(case)).map_err(|e| e.to_string())?;
    parse(&source).map_err(|e| format!("{}: {e}", case.display()))
}

/// A test for each run and form of a case; one that fails where the case cannot be read.
fn trials_of(case: &Path) -> Vec<Trial> {
    let runs = match read(case) {
        Ok(runs) => runs,
        Err(text) => {
            let name = case.display().to_string();
            return vec![Trial::test(name, move || Err(text.into()))];
        }
    };
    let mut trials = Vec::new();
    // What several runs check is compiled once.
    let compiled: [Arc<Compiled>; 3] = Default::default();
    for run in runs {
        let slow = run.slow && std::env::var_os("IRKISS_SLOW").is_none();
        for form in forms(&run) {
            let (case, run) = (case.to_path_buf(), run.clone());
            let compiled = compiled[form as usize].clone();
            let name = format!("{} {} {}", case.display(), run.number, form.name());
            let trial = Trial::test(name, move || one(&case, &run, (form, &compiled)));
            trials.push(trial.with_ignored_flag(slow));
        }
    }
    trials
}

/// The forms of a run, or the one that is asked for.
fn forms(run: &Run) -> Vec<Form> {
    match std::env::var("IRKISS_FORM") {
        Ok(name) => vec![Form::named(&name).expect("IRKISS_FORM is nopass, o2 or o0")],
        Err(_) => run.forms.clone(),
    }
}

/// The bitcode of a case in one form, in a folder that goes with the last run.
#[derive(Default)]
struct Compiled(OnceLock<Result<(tempfile::TempDir, PathBuf), String>>);

impl Compiled {
    fn bitcode(&self, case: &Path, form: Form) -> Result<&Path, String> {
        let compiled = self.0.get_or_init(|| {
            let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
            let bitcode = run::compile(case, form, folder.path())?;
            Ok((folder, bitcode))
        });
        match compiled {
            Ok((_, bitcode)) => Ok(bitcode),
            Err(text) => Err(text.clone()),
        }
    }
}

fn one(case: &Path, run: &Run, (form, compiled): (Form, &Compiled)) -> Result<(), Failed> {
    let bitcode = compiled.bitcode(case, form);
    let result = bitcode.and_then(|bitcode| run::check(case, run, form, bitcode));
    match (result, &run.todo) {
        (Ok(()), None) | (Err(_), Some(_)) => Ok(()),
        (Err(text), None) => Err(format!("options: {}\n{text}", run.options.join(" ")).into()),
        (Ok(()), Some(gap)) => Err(format!("passes, but is marked `todo: {gap}`").into()),
    }
}

/// A verdict of "nothing" is worth little without a twin in which there is something, and the other way round.
fn twins_of(folder: &str) -> Result<(), Failed> {
    let (racy, safe) = match folder {
        "properties" => ("_fails", "_holds"),
        _ => ("racy", "safe"),
    };
    let mut wrong = Vec::new();
    for case in cases(folder) {
        let name = case.display().to_string();
        for (a, b) in [(racy, safe), (safe, racy)] {
            if !name.contains(a) {
                continue;
            }
            if !run::root().join(name.replace(a, b)).exists() {
                wrong.push(format!("{name} has no twin {}", name.replace(a, b)));
            }
            let bug = |r: &Run| {
                let e = &r.expect;
                e.race || e.assert || e.uaf || e.finds
            };
            if !read(&case)?.iter().all(|r| bug(r) == (a == racy)) {
                wrong.push(format!("{name} expects what its name does not say"));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}
