//! `irkiss doctor`: what a first user needs, looked at one by one.

mod kernel;
mod self_test;
mod tools;

use irkiss::command::{solver, version};
use irkiss::memory;
use irkiss::report::doctor::{Row, State, Versions};

use crate::cli::DoctorArgs;

/// Less memory than this ends most checks of drivers.
const LITTLE: u64 = 2 << 30;

/// Looks at everything.
pub fn look(args: &DoctorArgs) -> Vec<Row> {
    let llvm = version::llvm();
    let named = args.kernel.as_deref();
    let mut rows = vec![
        Row::new("irkiss", tools::own()),
        Row::new("LLVM", State::Fine(llvm.clone())),
        Row::new("Z3", z3()),
        Row::new("SAT", State::Fine(solver::sat_version().to_string())),
        Row::new("models", State::Fine(models())),
        Row::new("reads", State::Fine(reads(&llvm))),
        Row::new("memory", ram()),
        Row::new("clang", tools::clang(&llvm, named.is_some())),
        Row::new("make", tools::for_make()),
        Row::new("kernel", kernel::look(named, &llvm)),
        Row::new("plugin", tools::plugins()),
        Row::new("header", tools::header()),
    ];
    if !args.no_self_test {
        rows.push(Row::new("check", self_test::run()));
    }
    rows
}

/// The versions of all that answers may depend on.
pub fn versions() -> Versions {
    Versions {
        llvm: version::llvm(),
        z3: solver::version().to_string(),
        sat: solver::sat_version().to_string(),
        models: version::models_digest(),
    }
}

/// LLVM may bring a Z3 of its own into the process: it is told whose functions are called.
fn z3() -> State {
    let version = solver::version();
    let from = solver::library().map_or(String::new(), |p| format!(", {}", p.display()));
    let text = format!("{version}{from}");
    match version.contains(solver::WANTED) {
        true => State::Fine(text),
        false => State::broken(
            format!("{text}, and {} is wanted", solver::WANTED),
            "LD_LIBRARY_PATH or LD_PRELOAD may name another libz3: unset them, or install the package again",
        ),
    }
}

fn models() -> String {
    format!(
        "{} files for {}, digest {}",
        version::models(),
        version::layouts().join(", "),
        version::models_digest()
    )
}

fn reads(llvm: &str) -> String {
    let major = llvm.split('.').next().unwrap_or_default();
    format!(
        ".bc, .ll and .o with bitcode, made by clang {major} or older; other targets by byte order and pointer size"
    )
}

fn ram() -> State {
    let usable = memory::usual_limit().saturating_mul(2);
    let gib = usable as f64 / f64::from(1 << 30);
    let text = format!("{gib:.1} GiB, of which a check takes half unless --memory says otherwise");
    match usable >= LITTLE {
        true => State::Fine(text),
        false => State::lacking(
            text,
            "large drivers will be unknown for want of memory: 4 GiB are enough for most",
        ),
    }
}
