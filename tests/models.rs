//! A model that is emptied must be missed: for each model of the kernel's and pthread's functions, a case of `test-bitcode/`
//! that fails without it.
//!
//! `data/model-cases.txt` has the case of each, or why no verdict can miss it. `make campaign-models` finds them anew: it empties
//! each model in turn (`IRKISS_EMPTY_MODEL`, `src/frontend/close/models.rs`) and runs the cases that link it until one fails. Here,
//! a sample of the table is run, and the table must name every model there is.

#[path = "support/annotation.rs"]
mod annotation;
#[path = "cases/run.rs"]
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use annotation::{Form, Run, parse};
use irkiss::config::Options;
use irkiss::deadline::Deadline;
use irkiss::internals::frontend::child::{Limits, close_in_child_of};
use irkiss::internals::frontend::stubs::Group;
use irkiss::internals::frontend::{Goal, model_names};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/model-cases.txt");
/// How many of the table's lines make one that is run each time.
const SAMPLE: usize = 16;
/// How many models have a reason instead of a case; to be lowered, never raised.
const REASONS: usize = 350;

/// A run of a case, compiled.
struct Job {
    case: PathBuf,
    run: Run,
    form: Form,
    bitcode: PathBuf,
}

impl Job {
    fn name(&self) -> String {
        format!(
            "{} {} {}",
            self.case.display(),
            self.run.number,
            self.form.name()
        )
    }
    /// Whether the case fails with that model emptied.
    fn misses(&self, model: &str) -> bool {
        let mut run = self.run.clone();
        run.emptied = Some(model.to_string());
        run::check(&self.case, &run, self.form, &self.bitcode).is_err()
    }
}

/// All runs of all cases, compiled into `folder`; those that a name is given for.
fn jobs(folder: &Path, wanted: Option<&BTreeSet<String>>) -> Vec<Job> {
    let mut jobs = Vec::new();
    for group in ["kiss", "pthread", "language", "drivers", "properties"] {
        let mut cases: Vec<PathBuf> = std::fs::read_dir(run::root().join(group))
            .expect("the folder of cases")
            .map(|e| Path::new(group).join(e.expect("an entry").file_name()))
            .filter(|p| p.extension().is_some_and(|e| e == "c"))
            .collect();
        cases.sort();
        for case in cases {
            let source = std::fs::read_to_string(run::root().join(&case)).expect("readable");
            for run in parse(&source).expect("annotated") {
                if run.slow || run.todo.is_some() {
                    continue;
                }
                for form in run.forms.clone() {
                    let mut job = Job {
                        case: case.clone(),
                        run: run.clone(),
                        form,
                        bitcode: PathBuf::new(),
                    };
                    if wanted.is_some_and(|w| !w.contains(&job.name())) {
                        continue;
                    }
                    job.bitcode = run::compile(&case, form, folder).expect("it compiles");
                    jobs.push(job);
                }
            }
        }
    }
    jobs
}

/// What the table says of a model: the case that misses it, or why there is none.
type Answer = Result<String, String>;

fn table() -> BTreeMap<String, Answer> {
    std::fs::read_to_string(TABLE)
        .unwrap_or_default()
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(' '))
        .map(|(model, case)| {
            let answer = match case.strip_prefix('-') {
                Some(reason) => Err(reason.trim().to_string()),
                None => Ok(case.to_string()),
            };
            (model.to_string(), answer)
        })
        .collect()
}

fn all_models() -> Vec<String> {
    let mut all = model_names(Group::Linux);
    all.extend(model_names(Group::Pthread));
    // A model that does no more than the default is not missed.
    let names = all
        .into_iter()
        .filter_map(|(name, does)| does.then_some(name));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn shown(answer: &Answer) -> String {
    match answer {
        Ok(case) => case.clone(),
        Err(reason) => format!("- {reason}").trim_end().to_string(),
    }
}

/// The options of a run that decide which models are linked.
fn rules_of(run: &Run) -> Options {
    let named = run.options.iter().skip_while(|o| *o != "--config").nth(1);
    Options {
        config: named.map(|file| run::root().join(file)),
        ..Options::default()
    }
}

/// In parallel, for each of `count`.
fn for_each(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get().min(4));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= count {
                        break;
                    }
                    work(n);
                }
            });
        }
    });
}

#[test]
fn every_model_has_a_case_or_a_reason() {
    let table = table();
    let models = all_models();
    let gone: Vec<_> = table.keys().filter(|m| !models.contains(m)).collect();
    assert!(
        gone.is_empty(),
        "`make campaign-models` writes the table anew; no model any more: {gone:?}"
    );
    let says_nothing = |m: &&String| table.get(*m).is_none_or(|a| *a == Err(String::new()));
    let uncovered: Vec<_> = models.iter().filter(says_nothing).collect();
    assert!(
        uncovered.is_empty(),
        "without a case: write one, then `make campaign-models MODELS=-`; {uncovered:?}"
    );
    let reasons: Vec<_> = table.iter().filter(|(_, a)| a.is_err()).collect();
    assert_eq!(reasons.len(), REASONS, "{reasons:?}");
}

#[test]
fn a_model_that_is_emptied_is_missed() {
    let sample: Vec<(String, String)> = table()
        .into_iter()
        .filter_map(|(model, case)| Some((model, case.ok()?)))
        .step_by(SAMPLE)
        .collect();
    let wanted = sample.iter().map(|(_, case)| case.clone()).collect();
    let scratch = tempfile::tempdir().expect("a folder for bitcode");
    let jobs = jobs(scratch.path(), Some(&wanted));
    let survived = Mutex::new(Vec::new());
    for_each(sample.len(), |n| {
        let (model, case) = &sample[n];
        if !jobs.iter().any(|j| j.name() == *case && j.misses(model)) {
            survived.lock().expect("no panics").push(&sample[n]);
        }
    });
    let survived = survived.into_inner().expect("no panics");
    assert!(survived.is_empty(), "not missed: {survived:?}");
}

/// Which runs link a model, by its name. Models that are linked for nothing else than a declaration are gone by then.
fn linked(jobs: &[Job]) -> BTreeMap<String, Vec<usize>> {
    let linked = Mutex::new(BTreeMap::<String, Vec<usize>>::new());
    for_each(jobs.len(), |n| {
        // What fails as it is would seem to miss every model.
        let Job {
            case,
            run,
            form,
            bitcode,
        } = &jobs[n];
        run::check(case, run, *form, bitcode).unwrap_or_else(|e| panic!("{}: {e}", jobs[n].name()));
        let answer = close_in_child_of(
            Path::new(env!("CARGO_BIN_EXE_irkiss")),
            std::slice::from_ref(&jobs[n].bitcode),
            &rules_of(&jobs[n].run),
            Goal::Concurrent,
            Limits::default(),
            Deadline::after(None),
            &mut |_| {},
        );
        let Ok((closed, _)) = answer else { return };
        let mut linked = linked.lock().expect("no panics");
        for function in closed
            .concurrent
            .functions
            .iter()
            .filter(|f| f.is_defined())
        {
            linked.entry(function.name.clone()).or_default().push(n);
        }
    });
    let mut linked = linked.into_inner().expect("no panics");
    linked.values_mut().for_each(|l| l.sort_unstable());
    linked
}

/// `make campaign-honest`: empties each model in turn and runs the racy cases that link it. What the user is told: no race may become
/// `bounded` or `proved` without the function's name among what the verdict rests on. `IRKISS_CAMPAIGN_HONEST=text`: only models whose
/// name contains the text; `IRKISS_CAMPAIGN_CASES=n`: at most so many cases of each, evenly spread.
#[test]
fn honest() {
    let Ok(filter) = std::env::var("IRKISS_CAMPAIGN_HONEST") else {
        return;
    };
    let scratch = tempfile::tempdir().expect("a folder for bitcode");
    let mut jobs = jobs(scratch.path(), None);
    jobs.retain(|j| j.run.expect.race && !j.run.expect.unknown);
    let linked = linked(&jobs);
    let models = all_models();
    assert!(
        models.iter().any(|m| m.contains(&filter)),
        "no model is called so"
    );
    let most = std::env::var("IRKISS_CAMPAIGN_CASES").ok();
    let most = most.and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let (runs, silent) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    for_each(models.len(), |n| {
        let model = &models[n];
        if !model.contains(&filter) {
            return;
        }
        let called = model.trim_start_matches("irkiss_model__");
        let users = linked.get(model).map_or(&[][..], Vec::as_slice);
        for job in users.iter().step_by(users.len().div_ceil(most).max(1)) {
            let job = &jobs[*job];
            let mut run = job.run.clone();
            run.emptied = Some(model.clone());
            runs.fetch_add(1, Ordering::Relaxed);
            let Ok((_, report)) = run::report(&run, &job.bitcode) else {
                continue;
            };
            let claims = ["bounded", "proved"].contains(&report["verdict"].as_str().unwrap_or(""));
            if claims && !rests_on(&report, called) {
                println!(
                    "{model}: {} says {} and not why",
                    job.name(),
                    report["verdict"]
                );
                silent
                    .lock()
                    .expect("no panics")
                    .push((model.clone(), job.name()));
            }
        }
    });
    let silent = silent.into_inner().expect("no panics");
    println!(
        "{} runs with a model emptied, {} silent",
        runs.into_inner(),
        silent.len()
    );
    assert!(silent.is_empty(), "silent: {silent:?}");
}

/// Whether what a report says rests on that function among those without a model.
fn rests_on(report: &serde_json::Value, function: &str) -> bool {
    let pairs = report["pairs"].as_array().into_iter().flatten();
    let claims = pairs.flat_map(|p| {
        let regions = p["regions"].as_array().into_iter().flatten();
        regions.chain(std::iter::once(p))
    });
    let mut assumptions = claims.flat_map(|c| c["assumptions"].as_array().into_iter().flatten());
    assumptions.any(|a| {
        let text = a.as_str().unwrap_or_default();
        let names = text
            .strip_prefix("unmodelled-calls:")
            .and_then(|t| t.rsplit_once(": "));
        names.is_some_and(|(_, names)| names.split(", ").any(|name| name == function))
    })
}

/// `make campaign-models`: writes the table. `IRKISS_CAMPAIGN_MODELS=text` only those whose name contains the text, `-` those
/// without a case.
#[test]
fn campaign() {
    let Ok(filter) = std::env::var("IRKISS_CAMPAIGN_MODELS") else {
        return;
    };
    let scratch = tempfile::tempdir().expect("a folder for bitcode");
    let jobs = jobs(scratch.path(), None);
    let linked = linked(&jobs);
    let old = table();
    let models = all_models();
    let named = |m: &String| filter == "-" || m.contains(&filter);
    assert!(models.iter().any(named), "no model is called so");
    let found = Mutex::new(BTreeMap::<String, Answer>::new());
    for_each(models.len(), |n| {
        let model = &models[n];
        let before = old.get(model).cloned().unwrap_or(Err(String::new()));
        let wanted = match filter.as_str() {
            "-" => before.is_err(),
            text => model.contains(text),
        };
        let answer = if wanted {
            let users = linked.get(model).map_or(&[][..], Vec::as_slice);
            // The case of the last time first.
            let (first, rest): (Vec<usize>, Vec<usize>) =
                users.iter().partition(|u| Ok(jobs[**u].name()) == before);
            first
                .into_iter()
                .chain(rest)
                .find(|u| jobs[*u].misses(model))
                .map(|u| jobs[u].name())
                .ok_or_else(|| before.err().unwrap_or_default())
        } else {
            before
        };
        println!("{model} {}", shown(&answer));
        found
            .lock()
            .expect("no panics")
            .insert(model.clone(), answer);
    });
    let mut text = String::from(
        "# Each model and a run of a case that fails if it is emptied: case, number of its run, form; or - and why none can.\n\
         # Written by `make campaign-models`; the reasons by hand.\n",
    );
    for (model, case) in found.into_inner().expect("no panics") {
        let _ = writeln!(text, "{model} {}", shown(&case));
    }
    std::fs::write(TABLE, text).expect("the table is written");
}
