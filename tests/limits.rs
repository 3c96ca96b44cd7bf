//! Large inputs, little memory and no time: each run ends with a report or with one line, by itself.
//!
//! `make campaign-large SIZE=200000` tries inputs of that size (the default here is small), each for a minute of CPU time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How an input is large.
#[derive(Clone, Copy, Debug)]
enum Large {
    /// A pointer is copied from object to object with memcpy, the last copy first.
    Copies,
    /// Branches within branches.
    Branches,
    /// Loops within loops.
    Loops,
    /// A struct within a struct.
    Structs,
    /// An initialiser within an initialiser.
    Initialisers,
    /// Constant expressions within one another.
    Constants,
    /// Functions that call one another.
    Calls,
    /// Numbers computed from one another.
    Numbers,
    /// Pointers computed from one another.
    Pointers,
    /// Globals that point to one another.
    List,
}

/// Each, with its usual size, and the largest that LLVM's own reader takes.
const ALL: [(Large, usize, usize); 10] = [
    (Large::Copies, 15_000, usize::MAX),
    (Large::Branches, 5_000, usize::MAX),
    (Large::Loops, 6, 1_000),
    (Large::Structs, 1_000, 5_000),
    (Large::Initialisers, 500, 1_000),
    (Large::Constants, 1_000, 5_000),
    (Large::Calls, 2_000, usize::MAX),
    (Large::Numbers, 5_000, usize::MAX),
    (Large::Pointers, 5_000, usize::MAX),
    (Large::List, 5_000, usize::MAX),
];

/// A program of two threads in LLVM assembly.
fn program(large: Large, n: usize) -> String {
    let mut before = String::new();
    let mut body = String::new();
    macro_rules! put {
        ($to:expr, $($text:tt)*) => {{ let _ = writeln!($to, $($text)*); }};
    }
    match large {
        Large::Copies => {
            put!(
                before,
                "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
            );
            for i in 0..=n {
                put!(before, "@o{i} = global {{ ptr, i64 }} zeroinitializer");
            }
            put!(body, "store ptr @shared, ptr @o0");
            for i in (0..n).rev() {
                let to = i + 1;
                put!(
                    body,
                    "call void @llvm.memcpy.p0.p0.i64(ptr @o{to}, ptr @o{i}, i64 16, i1 false)"
                );
            }
            put!(body, "%q = load ptr, ptr @o{n}");
            put!(body, "store ptr %q, ptr @o0");
        }
        Large::Branches => {
            put!(body, "%x = load i32, ptr @shared\nbr label %b0");
            for i in 0..n {
                let next = i + 1;
                put!(
                    body,
                    "b{i}:\n%c{i} = icmp eq i32 %x, {i}\nbr i1 %c{i}, label %b{next}, label %e{i}"
                );
            }
            put!(body, "b{n}:\nbr label %e{}", n - 1);
            for i in (1..n).rev() {
                put!(body, "e{i}:\nbr label %e{}", i - 1);
            }
            put!(body, "e0:");
        }
        Large::Loops => {
            put!(body, "br label %h0");
            for i in 0..n {
                put!(body, "h{i}:\nbr label %h{}", i + 1);
            }
            put!(body, "h{n}:\nbr label %l{}", n - 1);
            for i in (0..n).rev() {
                let out = match i {
                    0 => "out".to_string(),
                    i => format!("l{}", i - 1),
                };
                put!(
                    body,
                    "l{i}:\n%z{i} = load volatile i32, ptr @shared\n%d{i} = icmp eq i32 %z{i}, {i}"
                );
                put!(body, "br i1 %d{i}, label %h{i}, label %{out}");
            }
            put!(body, "out:");
        }
        Large::Structs => {
            put!(before, "%s0 = type {{ i32 }}");
            for i in 1..=n {
                put!(before, "%s{i} = type {{ %s{} }}", i - 1);
            }
            put!(before, "@deep = global %s{n} zeroinitializer");
            put!(body, "store i32 1, ptr @deep");
        }
        Large::Initialisers => {
            let (mut ty, mut value) = ("i32".to_string(), "1".to_string());
            for _ in 0..n {
                value = format!("{{ {ty} {value} }}");
                ty = format!("{{ {ty} }}");
            }
            put!(before, "@deep = global {ty} {value}");
            put!(body, "store i32 1, ptr @deep");
        }
        Large::Constants => {
            let mut value = "ptrtoint (ptr @shared to i64)".to_string();
            for _ in 0..n {
                value = format!("add (i64 {value}, i64 1)");
            }
            put!(before, "@deep = global i64 {value}");
            put!(body, "store i64 0, ptr @deep");
        }
        Large::Calls => {
            for i in 0..n {
                put!(
                    before,
                    "define void @f{i}() {{ call void @f{}() ret void }}",
                    i + 1
                );
            }
            put!(
                before,
                "define void @f{n}() {{ store i32 2, ptr @shared ret void }}"
            );
            put!(body, "call void @f0()");
        }
        Large::Numbers => {
            put!(body, "%x0 = load i32, ptr @shared");
            for i in 0..n {
                put!(body, "%x{} = mul i32 %x{i}, 3", i + 1);
            }
            put!(body, "store i32 %x{n}, ptr @shared");
        }
        Large::Pointers => {
            put!(before, "@big = global [{} x i8] zeroinitializer", n + 1);
            put!(body, "%p0 = getelementptr i8, ptr @big, i64 0");
            for i in 0..n {
                put!(body, "%p{} = getelementptr i8, ptr %p{i}, i64 1", i + 1);
            }
            put!(body, "store i8 1, ptr %p{n}");
        }
        Large::List => {
            for i in 0..n {
                put!(
                    before,
                    "@n{i} = global {{ ptr, i64 }} {{ ptr @n{}, i64 {i} }}",
                    i + 1
                );
            }
            put!(before, "@n{n} = global {{ ptr, i64 }} zeroinitializer");
            put!(body, "%q = load ptr, ptr @n0\nstore ptr %q, ptr @n1");
        }
    }
    format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n\
         target triple = \"x86_64-unknown-linux-gnu\"\n\
         declare i32 @pthread_create(ptr, ptr, ptr, ptr)\n\
         @shared = global i32 0\n\
         define ptr @other(ptr %x) {{ store i32 1, ptr @shared ret ptr null }}\n\
         {before}define i32 @main() {{\n%t = alloca i64\n\
         %c = call i32 @pthread_create(ptr %t, ptr null, ptr @other, ptr null)\n{body}\
         %v = load i32, ptr @shared\nret i32 %v\n}}\n"
    )
}

fn written(folder: &Path, large: Large, n: usize) -> PathBuf {
    let file = folder.join(format!("{large:?}.ll"));
    std::fs::write(&file, program(large, n)).expect("written");
    file
}

fn small(folder: &Path) -> PathBuf {
    written(folder, Large::Numbers, 1)
}

fn irkiss(args: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_irkiss"));
    command.args(args).arg(file).output().expect("it runs")
}

/// By a shell that limits itself first.
fn limited(limit: &str, args: &str, file: &Path) -> Output {
    let exe = env!("CARGO_BIN_EXE_irkiss");
    let line = format!("{limit}; exec '{exe}' {args} '{}'", file.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env("RUST_BACKTRACE", "1");
    shell.output().expect("a shell")
}

/// A report, or one line that says why there is none.
fn expect_an_end(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(
        matches!(code, Some(0..=3)),
        "{what}: {:?}: {said}",
        output.status
    );
    assert!(said.lines().count() <= 1, "{what}: {said}");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(
        report.contains("Verdict: ") || said.contains("irkiss: error: "),
        "{what}: {report}"
    );
}

#[test]
fn nothing_recurses_as_far_as_the_input_is_large() {
    let size = std::env::var("IRKISS_SIZE").ok();
    let size: Option<usize> = size.map(|s| s.parse().expect("IRKISS_SIZE is a number"));
    let folder = tempfile::tempdir().expect("a folder");
    for (large, usual, most) in ALL {
        let n = size.map_or(usual, |n| n.min(most));
        let output = limited("ulimit -S -t 60", "", &written(folder.path(), large, n));
        println!("{large:?} {n}: {:?}", output.status.code());
        expect_an_end(&output, &format!("{large:?} {n}"));
    }
}

#[test]
fn a_limit_on_memory_ends_the_run_with_its_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = small(folder.path());
    // Less than the process takes before it has read anything.
    let output = irkiss(&["--memory", "1M"], &file);
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(
        report.contains("Stopped before the end (memory limit: 1 MiB)"),
        "{report}"
    );
    assert_eq!(output.status.code(), Some(3), "{report}");
    let output = irkiss(&["--memory", "1M", "--emit", "program"], &file);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("(memory limit: 1 MiB)"), "{said}");
    assert_eq!(
        (output.status.code(), said.lines().count()),
        (Some(3), 1),
        "{said}"
    );
    assert_eq!(irkiss(&["--memory", "64G"], &file).status.code(), Some(1));
    assert_eq!(
        irkiss(&["--memory", "little"], &file).status.code(),
        Some(2)
    );
}

#[test]
fn memory_that_is_refused_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = small(folder.path());
    for kib in (420_000..=800_000).step_by(95_000) {
        let limit = format!("ulimit -v {kib}");
        expect_an_end(&limited(&limit, "", &file), &limit);
    }
}

#[test]
fn no_mode_goes_on_after_its_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = small(folder.path());
    for mode in [
        &["check"][..],
        &["check", "--format", "whoop"],
        &["check", "--emit", "program"],
        &["check", "--emit", "sequential"],
        &["check", "--emit", "net"],
        &["prove"],
        &["suggest"],
    ] {
        let args = [mode, &["--timeout", "0"]].concat();
        let output = irkiss(&args, &file);
        let texts = [&output.stdout, &output.stderr].map(|t| String::from_utf8_lossy(t));
        assert_eq!(output.status.code(), Some(3), "{mode:?}: {texts:?}");
        assert!(
            texts.iter().any(|t| t.contains("timeout: 0 s")),
            "{mode:?}: {texts:?}"
        );
    }
}
