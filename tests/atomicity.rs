//! `--property atomicity`: that faults in it are noticed, and that the interpreter refuses what did not happen.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use irkiss::config::Options;
use irkiss::faults::{AtomicityFault, with};
use irkiss::internals::frontend::{Goal, close_in_process};
use irkiss::internals::program::Program;
use irkiss::internals::replay::confirm::{DivergenceKind, confirm};
use irkiss::pipeline::check_closed;
use irkiss::progress::Quiet;
use irkiss::property::{Properties, Property};
use irkiss::trace::schedule::Failure;
use irkiss::verdict::{Finding, Outcome};

/// What is found in a case of `test-bitcode/`, and its program.
fn check(case: &str, fault: Option<AtomicityFault>) -> (Outcome, Program) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("case.bc");
    let mut clang = Command::new("clang-22");
    clang
        .args(["-std=gnu17", "-O2", "-g", "-w", "-Iruntime-stubs/include"])
        .args(["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o"])
        .arg(&file)
        .arg(Path::new("test-bitcode").join(case));
    support::run(&mut clang);
    let options = Options {
        properties: Properties::of(&[Property::Atomicity]),
        ..Options::default()
    };
    let inputs = [file];
    let closed = close_in_process(&inputs, &options, Goal::Sequential).expect("closes");
    let program = closed.concurrent.clone();
    let run = || check_closed(&inputs, closed, &options, &Quiet);
    let outcome = with(fault, run).expect("checked");
    (outcome, program)
}

/// The functions that write on a stale basis.
fn writers(outcome: &Outcome) -> BTreeSet<String> {
    let all = outcome.findings.iter();
    all.map(|f| f.accesses[0].stack[0].function.clone())
        .collect()
}

#[test]
#[cfg_attr(not(feature = "faults"), ignore = "needs --features faults")]
fn faults_are_noticed() {
    let (fails, _) = check("properties/sections_fails.c", None);
    let all = [
        "claim",
        "enter",
        "mark",
        "open_once",
        "raise_level",
        "update",
    ];
    assert_eq!(writers(&fails), all.map(String::from).into());
    assert_eq!(fails.not_replayed, 0);
    let (holds, _) = check("properties/sections_holds.c", None);
    assert!(holds.findings.is_empty() && holds.not_replayed == 0);
    for (fault, missed) in [
        (AtomicityFault::NoData, ["raise_level", "update"].as_slice()),
        (
            AtomicityFault::NoControl,
            &["claim", "enter", "mark", "open_once"],
        ),
    ] {
        let (outcome, _) = check("properties/sections_fails.c", Some(fault));
        let found = writers(&outcome);
        assert!(
            !missed.iter().any(|f| found.contains(*f)),
            "{fault:?}: {found:?}"
        );
    }
    for (fault, told) in [
        (AtomicityFault::NoBits, "mark"),
        (AtomicityFault::NeverAnew, "enter"),
        (AtomicityFault::Compares, "open_once"),
    ] {
        let (outcome, _) = check("properties/sections_holds.c", Some(fault));
        assert!(writers(&outcome).contains(told), "{fault:?}");
    }
}

/// A finding's claim, changed.
fn refused(program: &Program, finding: &Finding, change: &dyn Fn(&mut Finding)) {
    let mut changed = finding.clone();
    change(&mut changed);
    let refused = confirm(program, &changed.schedule).expect_err("it did not happen");
    assert_eq!(refused.kind, DivergenceKind::ClaimFails, "{refused}");
}

#[test]
fn the_interpreter_refuses_what_did_not_happen() {
    let (outcome, program) = check("pthread/net_lost_update.c", None);
    let [finding] = outcome.findings.as_slice() else {
        panic!("{:?}", outcome.findings);
    };
    let [write, between, read] = finding.accesses.as_slice() else {
        panic!("{finding:?}");
    };
    assert_eq!(write.thread, read.thread);
    assert_ne!(write.thread, between.thread);
    assert_eq!((read.kind.name(), write.kind.name()), ("read", "write"));
    assert!(confirm(&program, &finding.schedule).is_ok());
    // Who read was the other thread; what was read is what is written to.
    refused(&program, finding, &|f| {
        if let Failure::Atomicity { read, .. } = &mut f.schedule.failure {
            read.thread = between.thread;
        }
    });
    refused(&program, finding, &|f| {
        if let Failure::Atomicity { read, write } = &mut f.schedule.failure {
            read.site = write.site;
        }
    });
    // Nobody wrote in between.
    let own = |thread| {
        let steps = finding.schedule.steps.iter();
        steps.filter(move |s| s.thread == thread)
    };
    let (first, second) = (own(write.thread), own(between.thread));
    assert!(first.count() > 0 && second.count() > 0);
    refused(&program, finding, &|f| {
        f.schedule.steps.retain(|s| s.thread == write.thread);
    });
}
