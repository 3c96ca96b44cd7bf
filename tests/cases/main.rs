//! The annotated cases of `test-bitcode/`: each is compiled with clang 22, checked by the `irkiss` program, and its verdict and
//! racing lines are compared with what it says about itself ([`annotation`]).
//!
//! `IRKISS_CASE=text cargo test --test cases` runs only cases whose path contains the text; `IRKISS_BLESS=1` writes the
//! golden reports anew; `IRKISS_SLOW=1` includes the runs that take minutes.

#[path = "../support/annotation.rs"]
mod annotation;
mod run;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use annotation::{Form, Run, parse};

/// The C files of a folder below `test-bitcode/`, sorted, relative to it.
fn cases(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(run::root().join(folder))
        .expect("the folder of cases")
        .map(|entry| Path::new(folder).join(entry.expect("a folder entry").file_name()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    found.sort();
    found
}

fn read(case: &Path) -> Vec<Run> {
    let source = std::fs::read_to_string(run::root().join(case)).expect("the case is readable");
    parse(&source).unwrap_or_else(|e| panic!("{}: {e}", case.display()))
}

/// All runs of all cases of a folder, two at a time; panics with the list of all that differ.
fn check_folder(folder: &str) {
    let filter = std::env::var("IRKISS_CASE").unwrap_or_default();
    let mut jobs: Vec<(PathBuf, Run, Form)> = Vec::new();
    for case in cases(folder) {
        if !case.display().to_string().contains(&filter) {
            continue;
        }
        for run in read(&case) {
            if run.slow && std::env::var_os("IRKISS_SLOW").is_none() {
                continue;
            }
            for form in run.forms.clone() {
                jobs.push((case.clone(), run.clone(), form));
            }
        }
    }
    let scratch = tempfile::tempdir().expect("a folder for bitcode");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((case, run, form)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Each job has a folder of its own: two runs of a case must not write one file at once.
                    let folder = scratch
                        .path()
                        .join(format!("{}-{}", run.number, form.name()));
                    let result = std::fs::create_dir_all(&folder)
                        .map_err(|e| e.to_string())
                        .and_then(|()| run::compile(case, *form, &folder))
                        .and_then(|bitcode| run::check(case, run, *form, &bitcode));
                    let failure = match (result, &run.todo) {
                        (Ok(()), None) | (Err(_), Some(_)) => continue,
                        (Err(text), None) => text,
                        (Ok(()), Some(gap)) => format!("  passes, but is marked `todo: {gap}`"),
                    };
                    failures.lock().expect("no worker panics").push(format!(
                        "{} ({}, {}):\n{failure}",
                        case.display(),
                        run.options.join(" "),
                        form.name()
                    ));
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no worker panics");
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} of {} runs differ:\n{}",
        failures.len(),
        jobs.len(),
        failures.join("\n")
    );
}

#[test]
fn kiss() {
    check_folder("kiss");
}

#[test]
fn pthread() {
    check_folder("pthread");
}

#[test]
fn language() {
    check_folder("language");
}

#[test]
fn contexts() {
    check_folder("contexts");
}

#[test]
fn drivers() {
    check_folder("drivers");
}

#[test]
fn properties() {
    check_folder("properties");
}

/// A verdict of "nothing" is worth little without a twin in which there is something, and the other way round.
#[test]
fn racy_and_safe_cases_come_in_twins() {
    for folder in ["kiss", "pthread", "language", "drivers", "properties"] {
        let (racy, safe) = match folder {
            "properties" => ("_fails", "_holds"),
            _ => ("racy", "safe"),
        };
        for case in cases(folder) {
            let name = case.display().to_string();
            for (a, b) in [(racy, safe), (safe, racy)] {
                if name.contains(a) {
                    let twin = run::root().join(name.replace(a, b));
                    assert!(twin.exists(), "{name} has no twin {}", twin.display());
                    let bug = |r: &Run| {
                        let e = &r.expect;
                        e.race || e.assert || e.uaf || e.finds
                    };
                    assert!(read(&case).iter().all(|r| bug(r) == (a == racy)), "{name}");
                }
            }
        }
    }
}
