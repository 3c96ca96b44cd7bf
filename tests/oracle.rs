//! The annotated cases against the explicit-state explorer: every interleaving of the program and its models, no solver, no
//! sequentialization. What a case says about itself, and what the models of POSIX and C11 threads make of it, must agree.
//!
//! Left out: drivers (they need a harness), runs that expect `unknown`, and [`NEEDS_CLOSING`].

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use irkiss::config::Marked;
use irkiss::frontend::llvm::prepare::prepare;
use irkiss::frontend::stubs::{Group, select};
use irkiss::program::Program;
use irkiss::replay::explore::{self, Mode};
use irkiss::replay::search::Limits;
use support::annotation;

/// Cases with what only the frontend's closing stage removes: thread-local variables, functions without a model.
const NEEDS_CLOSING: &[&str] = &["thread_local", "unknown_external"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode")
}

/// The concurrent program of a case.
fn program(case: &Path) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("case.bc");
    support::run(
        std::process::Command::new("clang-22")
            .args([
                "-std=gnu17",
                "-O2",
                "-Xclang",
                "-disable-llvm-passes",
                "-g",
                "-w",
            ])
            .args(["-Iruntime-stubs/include", "-emit-llvm", "-c", "-o"])
            .arg(&file)
            .arg(case),
    );
    let context = Context::create();
    let parse = |bytes: &[u8]| {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, "bitcode");
        Module::parse_bitcode_from_buffer(&buffer, &context).expect("bitcode")
    };
    let module = parse(&std::fs::read(&file).expect("written"));
    let start = "declare i32 @main()
        define void @__irkiss_main() { %r = call i32 @main() ret void }";
    let harness = support::parse_ll(&context, start);
    harness.set_triple(&module.get_triple());
    module.link_in_module(harness).expect("links");
    for stub in select(Group::Pthread, "x86_64-linux-gnu", true, 8).expect("a layout") {
        let model = parse(stub.bytes);
        model.set_triple(&module.get_triple());
        module.link_in_module(model).expect("links");
    }
    prepare(&module).expect("valid");
    support::concurrent(&module)
}

/// What differs from the annotations, a line each.
fn check(case: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(case).expect("readable");
    let runs = annotation::parse(&source).expect("annotated");
    let program = program(case);
    let mut problems = Vec::new();
    let marked = |options: &[String]| match options.iter().any(|o| o == "c11") {
        true => Marked::C11,
        false => Marked::Kcsan,
    };
    let name = case.file_name().expect("a file").to_string_lossy();
    // Bounds and properties of a run narrow what it finds; the file as a whole says what there is to find.
    for reading in [Marked::Kcsan, Marked::C11] {
        let runs: Vec<_> = runs
            .iter()
            .filter(|r| marked(&r.options) == reading && !r.expect.unknown)
            .collect();
        if runs.is_empty() {
            continue;
        }
        let union = |pick: fn(&annotation::Run) -> &BTreeSet<u32>| -> BTreeSet<u32> {
            runs.iter().flat_map(|r| pick(r)).copied().collect()
        };
        let (race, maybe) = (union(|r| &r.race), union(|r| &r.maybe));
        for mode in [Mode::All, Mode::Balanced] {
            let limits = Limits {
                marked: reading,
                states: 400_000,
                ..Limits::default()
            };
            let outcome = explore::failures(&program, mode, &limits);
            let mut problem = |text: String| problems.push(format!("{name} ({mode:?}): {text}"));
            if !outcome.complete {
                problem(format!("given up after {} states", outcome.states));
            }
            if !outcome.errors.is_empty() {
                problem(format!("{:?}", outcome.errors));
            }
            let line = |site| {
                let loc = program.sites[site].loc?;
                let location = &program.source.locations[loc];
                let file = &program.source.files[location.file];
                file.ends_with(&*name).then_some(location.line)
            };
            let raced: BTreeSet<Option<u32>> = outcome
                .races
                .iter()
                .flat_map(|(a, b)| [line(*a), line(*b)])
                .collect();
            for l in &raced {
                if !l.is_some_and(|l| race.contains(&l) || maybe.contains(&l)) {
                    problem(format!("line {l:?} races and is not marked"));
                }
            }
            for l in &race {
                if !raced.contains(&Some(*l)) {
                    problem(format!("line {l} is marked RACE and does not race"));
                }
            }
            if outcome.assertion != runs.iter().any(|r| r.expect.assert) {
                problem(format!("an assertion fails: {}", outcome.assertion));
            }
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
        let left_out = NEEDS_CLOSING.iter().any(|n| name.contains(n));
        if name.ends_with(".c") && name.contains(&filter) && !left_out {
            problems.extend(check(&case));
        }
    }
    problems.sort();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
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

/// What the models answer is what glibc answers: `return_codes.c` holds natively, as it does (above) in the explorer.
#[test]
fn models_answer_like_glibc() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("return_codes");
    support::run(
        std::process::Command::new("clang-22")
            .args(["-w", "-pthread", "-o"])
            .arg(&program)
            .arg(root().join("pthread/return_codes.c")),
    );
    support::run(&mut std::process::Command::new(&program));
}
