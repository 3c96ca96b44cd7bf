//! The annotated cases against the explicit-state explorer: every interleaving of the closed program, no solver, no
//! sequentialization. What a case says about itself, and what the models make of it, must agree.
//!
//! Drivers are explored pair by pair, as the pipeline does. Left out: runs that expect `unknown`, known gaps (`todo`), uses of freed
//! objects (an error here), the lifecycle scenario, and what rests on the content of objects made up when first used (`lazy`: zero here).

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use irkiss::config::{Marked, Options};
use irkiss::internals::environment::contract::{UNBOUND, needs_device};
use irkiss::internals::environment::entry::{EntryPoint, Phase};
use irkiss::internals::frontend::{Closed, Goal, close_in_process};
use irkiss::internals::program::{FailKind, Program};
use irkiss::internals::replay::confirm::confirm_with;
use irkiss::oracle::explore::{self, Mode};
use irkiss::oracle::search::{Limits, Outcome};
use irkiss::property::{Properties, Property};
use support::annotation::{self, Form, Run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode")
}

/// The closed program of a case.
fn close(case: &Path, form: Form, marked: Marked, triples: bool) -> Closed {
    let properties: &[&str] = if triples { &["triples"] } else { &[] };
    close_for(case, form, marked, properties)
}

/// The same for some properties beyond races and assertions; `triples`: with the scenarios that the rules suggest.
fn close_for(case: &Path, form: Form, marked: Marked, properties: &[&str]) -> Closed {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("case.bc");
    let mut clang = std::process::Command::new("clang-22");
    clang
        .args(["-std=gnu17", "-O2", "-g", "-w", "-Iruntime-stubs/include"])
        .args(["-emit-llvm", "-c", "-o"])
        .arg(&file)
        .arg(case);
    if form == Form::NoPass {
        clang.args(["-Xclang", "-disable-llvm-passes"]);
    }
    support::run(&mut clang);
    let asked = Property::ALL
        .iter()
        .filter(|p| properties.contains(&p.word()));
    let options = Options {
        marked: Some(marked),
        properties: asked.fold(Properties::default(), |set, p| set.and(*p)),
        triples: properties.contains(&"triples"),
        ..Options::default()
    };
    close_in_process(&[file], &options, Goal::Concurrent)
        .unwrap_or_else(|e| panic!("{}: {e}", case.display()))
}

/// The pairs to explore, in both orders: none for a whole program, else all that may overlap; and scenarios.
fn pairs(closed: &Closed) -> Vec<Vec<u32>> {
    let entries: Vec<(u32, &EntryPoint)> = (0..).zip(closed.entries.iter()).collect();
    if entries.is_empty() {
        return vec![Vec::new()];
    }
    let mut pairs = Vec::new();
    for (n, a) in &entries {
        for (m, b) in &entries {
            let thread = |e: &EntryPoint| matches!(e.phase, Phase::Steady | Phase::Exit);
            if thread(a) && thread(b) && EntryPoint::never_overlap(a, b).is_none() {
                pairs.push(vec![*n, *m]);
            }
        }
    }
    // As the harness asks for them (frontend/harness/further.rs).
    pairs.extend(closed.scenarios.iter().map(|s| {
        let number = |n: usize| s.threads[n].0;
        let further = s.threads[2..].iter().map(|e| e.0 + 1);
        [number(0), number(1), 0]
            .into_iter()
            .chain(further)
            .collect()
    }));
    pairs
}

/// The racing lines of the case, of an access in a model the line of the call; `None` stands for lines elsewhere.
fn raced(
    program: &Program,
    name: &str,
    outcome: &Outcome,
    marked: Marked,
) -> BTreeSet<Option<u32>> {
    let mut lines = BTreeSet::new();
    for schedule in outcome.race_schedules.values() {
        let confirmed = confirm_with(program, schedule, marked).expect("the explorer's own race");
        for access in confirmed.accesses {
            let here = access.stack.iter().find(|f| f.file.ends_with(name));
            lines.insert(here.map(|f| f.line));
        }
    }
    lines
}

/// What each pair does: with a device, and where no pair begins with one, without.
fn outcomes(closed: &Closed, mode: Mode, marked: Marked) -> Vec<(Limits, Outcome)> {
    let explored = |mut pair: Vec<u32>, unbound: bool| {
        if unbound {
            pair.resize(UNBOUND, 0);
            pair.push(1);
        }
        let limits = Limits {
            pair,
            marked,
            states: 400_000,
            ..Limits::default()
        };
        let outcome = explore::failures(&closed.concurrent, mode, &limits);
        (limits, outcome)
    };
    let all = |unbound: bool| -> Vec<_> {
        let usable = |n: &u32| {
            let entry = closed.entries.iter_ids().find(|(id, _)| id.0 == *n);
            entry.is_none_or(|(_, e)| !needs_device(&closed.entries, e))
        };
        let pairs = pairs(closed).into_iter();
        pairs
            .filter(|p| !unbound || p.iter().take(2).all(usable))
            .map(|p| explored(p, unbound))
            .collect()
    };
    let bound = all(false);
    let begins = bound.iter().any(|(_, outcome)| outcome.threads > 1);
    if begins || closed.entries.is_empty() {
        bound
    } else {
        all(true)
    }
}

/// What differs from the annotations, a line each. Bounds and properties of a run narrow what it finds; all runs together
/// say what there is to find.
fn check(case: &Path, runs: &[&Run], form: Form, marked: Marked) -> Vec<String> {
    let name = case.file_name().expect("a file").to_string_lossy();
    let triples = runs
        .iter()
        .any(|r| r.options.contains(&"--triples".to_string()));
    let closed = close(case, form, marked, triples);
    let program = &closed.concurrent;
    let union = |pick: fn(&Run) -> &BTreeSet<u32>| -> BTreeSet<u32> {
        runs.iter().flat_map(|r| pick(r)).copied().collect()
    };
    let (race, maybe) = (union(|r| &r.race), union(|r| &r.maybe));
    let mut problems = Vec::new();
    for mode in [Mode::All, Mode::Balanced] {
        let mut problem =
            |text: String| problems.push(format!("{name} ({}, {mode:?}): {text}", form.name()));
        let mut found = BTreeSet::new();
        let mut assertion = false;
        for (limits, outcome) in outcomes(&closed, mode, marked) {
            if !outcome.complete {
                problem(format!(
                    "{:?}: given up after {} states",
                    limits.pair, outcome.states
                ));
            }
            if !outcome.errors.is_empty() {
                problem(format!("{:?}: {:?}", limits.pair, outcome.errors));
            }
            found.extend(raced(program, &name, &outcome, marked));
            assertion |= outcome.assertion;
        }
        for line in &found {
            // What the kernel's own code accesses has no line; its partner has one.
            let marked = |l: &u32| race.contains(l) || maybe.contains(l);
            if !line.as_ref().map_or(!race.is_empty(), marked) {
                problem(format!("line {line:?} races and is not marked"));
            }
        }
        // What a run in rounds is there for, no balanced execution need show.
        let beyond = |r: &&Run| value(r, "--contexts").is_some();
        if mode == Mode::Balanced && runs.iter().any(beyond) {
            continue;
        }
        for line in race.iter().filter(|l| !found.contains(&Some(**l))) {
            problem(format!("line {line} is marked RACE and does not race"));
        }
        if assertion != runs.iter().any(|r| r.expect.assert) {
            problem(format!("an assertion fails: {assertion}"));
        }
    }
    problems
}

fn check_folder(folder: &str) {
    let filter = std::env::var("IRKISS_CASE").unwrap_or_default();
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).expect("the folder of cases") {
        let case = entry.expect("a folder entry").path();
        let name = case.display().to_string();
        if !name.ends_with(".c") || !name.contains(&filter) {
            continue;
        }
        let source = std::fs::read_to_string(&case).expect("readable");
        let runs = annotation::parse(&source).unwrap_or_else(|e| panic!("{name}: {e}"));
        for marked in [Marked::Kcsan, Marked::KcsanDefault, Marked::C11] {
            for form in [Form::NoPass, Form::O2] {
                let reading = |r: &Run| reading(r, folder) == marked;
                let runs: Vec<&Run> = runs
                    .iter()
                    .filter(|r| {
                        reading(r)
                            && r.forms.contains(&form)
                            && !r.expect.unknown
                            && !r.options.iter().any(|o| o == "uaf" || o == "lifecycle")
                            && !r.lazy
                            && r.todo.is_none()
                    })
                    .collect();
                if !runs.is_empty() {
                    problems.extend(check(&case, &runs, form, marked));
                }
            }
        }
    }
    problems.sort();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// An option's value.
fn option<'a>(run: &'a Run, option: &str) -> Option<&'a str> {
    let at = run.options.iter().position(|o| o == option)?;
    run.options.get(at + 1).map(String::as_str)
}

/// What a run by itself is of: an option's number.
fn value(run: &Run, name: &str) -> Option<u32> {
    option(run, name)?.parse().ok()
}

/// How a run reads marked accesses; where it does not say so, as irkiss reads a driver and a program.
fn reading(run: &Run, folder: &str) -> Marked {
    match option(run, "--marked") {
        Some("kcsan") => Marked::Kcsan,
        Some("kcsan-default") => Marked::KcsanDefault,
        Some("c11") => Marked::C11,
        Some(other) => panic!("--marked {other}"),
        None if folder == "drivers" => Marked::Kcsan,
        None => Marked::C11,
    }
}

/// The cases of rounds say of each number what there is to find.
#[test]
fn contexts() {
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(root().join("contexts")).expect("the folder of cases") {
        let case = entry.expect("a folder entry").path();
        let name = case.display().to_string();
        let source = std::fs::read_to_string(&case).expect("readable");
        for run in annotation::parse(&source).unwrap_or_else(|e| panic!("{name}: {e}")) {
            // The explorer has other budgets.
            if run.expect.unknown || run.lazy {
                continue;
            }
            let mode = match (value(&run, "--contexts"), value(&run, "--switches")) {
                (Some(k), Some(n)) => Mode::Switches(k, n),
                (Some(k), None) => Mode::Rounds(k),
                (None, _) => Mode::Balanced,
            };
            let closed = close(&case, Form::NoPass, Marked::Kcsan, false);
            let outcome = explore::failures(&closed.concurrent, mode, &Limits::default());
            let found = (outcome.assertion, !outcome.races.is_empty());
            let expected = (run.expect.assert, run.expect.race);
            if !outcome.complete || !outcome.errors.is_empty() || found != expected {
                problems.push(format!(
                    "{name} ({mode:?}): found {found:?}, expected {expected:?}; {:?}",
                    outcome.errors
                ));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// What models check: every interleaving fails the checks that the lines of the case name, of no kind that none names.
#[test]
fn properties() {
    let filter = std::env::var("IRKISS_CASE").unwrap_or_default();
    let mut problems = Vec::new();
    for entry in std::fs::read_dir(root().join("properties")).expect("the folder of cases") {
        let case = entry.expect("a folder entry").path();
        let name = case.display().to_string();
        if !name.ends_with(".c") || !name.contains(&filter) {
            continue;
        }
        let source = std::fs::read_to_string(&case).expect("readable");
        for run in annotation::parse(&source).unwrap_or_else(|e| panic!("{name}: {e}")) {
            if run.lazy
                || run
                    .options
                    .iter()
                    .any(|o| o == "lifecycle" || o == "contexts")
            {
                continue;
            }
            let properties: Vec<&str> = run.options[1].split(',').collect();
            // No model checks these: tests/atomicity.rs, and the other folders.
            let by_others = |p: &&str| ["atomicity", "assert", "uaf"].contains(p);
            if properties.iter().any(by_others) {
                continue;
            }
            let closed = close_for(&case, Form::NoPass, Marked::Kcsan, &properties);
            let program = &closed.concurrent;
            let mut found = BTreeSet::new();
            for pair in pairs(&closed) {
                let limits = Limits {
                    pair,
                    races: false,
                    states: 2_000_000,
                    ..Limits::default()
                };
                let outcome = explore::failures(program, Mode::All, &limits);
                if !outcome.complete || !outcome.errors.is_empty() {
                    problems.push(format!(
                        "{name} {:?}: {} states, {:?}",
                        limits.pair, outcome.states, outcome.errors
                    ));
                }
                for ((kind, _), schedule) in outcome.checks {
                    // That an interrupted thread has not gone on is for the replay to see.
                    if let Ok(confirmed) = confirm_with(program, &schedule, Marked::Kcsan) {
                        let first = confirmed
                            .accesses
                            .first()
                            .expect("a failing check has a place");
                        let line = first.stack.first().map_or(0, |f| f.line);
                        found.insert((line, kind_name(kind)));
                    }
                }
            }
            // One execution of each check of a model is kept, not each place.
            let wrong: Vec<_> = found.difference(&run.finds).collect();
            let kinds = |of: &BTreeSet<(u32, String)>| -> BTreeSet<String> {
                of.iter().map(|(_, kind)| kind.clone()).collect()
            };
            if !wrong.is_empty() || kinds(&found) != kinds(&run.finds) {
                problems.push(format!("{name}: found {found:?}, marked {:?}", run.finds));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// As reports name it.
fn kind_name(kind: FailKind) -> String {
    let name = match kind {
        FailKind::DoubleAcquire => "double-acquire",
        FailKind::ReleaseNotHeld => "release-not-held",
        FailKind::SleepInAtomic => "sleep-in-atomic",
        FailKind::ReturnWithLockHeld => "return-with-lock-held",
        FailKind::Deadlock | FailKind::WaitForEver => "deadlock",
        FailKind::UseAfterRemoval => "use-after-removal",
        FailKind::Race | FailKind::Assertion | FailKind::UseAfterFree | FailKind::Atomicity => {
            "none of a check"
        }
    };
    name.to_string()
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
fn drivers() {
    check_folder("drivers");
}

/// What the models answer is what glibc answers: cases that say that they also run natively hold there, as they do (above) in the
/// explorer.
#[test]
fn models_answer_like_glibc() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let mut ran = 0;
    for entry in std::fs::read_dir(root().join("pthread")).expect("the folder of cases") {
        let case = entry.expect("an entry").path();
        let is_source = case.extension().is_some_and(|e| e == "c");
        if !is_source
            || !std::fs::read_to_string(&case)
                .expect("readable")
                .contains("runs natively")
        {
            continue;
        }
        support::run(
            std::process::Command::new("clang-22")
                .args(["-w", "-pthread", "-o"])
                .arg(&program)
                .arg(&case)
                .arg("-lm"),
        );
        support::run(&mut std::process::Command::new(&program));
        ran += 1;
    }
    assert!(ran >= 6, "{ran} cases");
}
