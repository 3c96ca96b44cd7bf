//! The command as users and scripts meet it: exit codes, one-line errors, help.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn irkiss(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("irkiss")
        .expect("the command is built")
        .args(args)
        .output()
        .expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn usage_errors_are_one_line_and_exit_2() {
    for args in [
        &["--nonsense", "a.bc"][..],
        &["--pair", "one", "a.bc"],
        &["replay"],
        &["no-such-file.bc"],
        &["replay", "no-such-schedule.json", "no-such-file.bc"],
    ] {
        let output = irkiss(args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
        assert!(stderr.starts_with("irkiss: error: "), "{stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn help_explains_verdicts_and_exit_codes() {
    for help in ["--help", "--help-all"] {
        explained(&irkiss(&[help]));
    }
    let nothing = irkiss(&[]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(nothing.stdout.is_empty());
    assert!(text(&nothing.stderr).contains("Usage: irkiss"));
}

fn explained(output: &std::process::Output) {
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    for word in ["Exit codes:", "bounded", "unknown", "Examples:", "replay"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(
        !help.contains("__frontend"),
        "internal commands stay hidden"
    );
    assert!(!help.contains('\u{1b}'), "no colour where nobody sees it");
}

#[test]
fn version_and_doctor() {
    let version = text(&irkiss(&["--version"]).stdout);
    assert_eq!(
        version.trim(),
        concat!("irkiss ", env!("CARGO_PKG_VERSION"))
    );
    let doctor = irkiss(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0));
    let parts = text(&doctor.stdout);
    for part in ["irkiss", "LLVM     22.", "Z3", "5.4", "x86_64"] {
        assert!(parts.contains(part), "{part}: {parts}");
    }
}

/// Compiles a case of `test-bitcode/` into the folder, with debug info.
fn bitcode(case: &str, folder: &Path) -> PathBuf {
    bitcode_with(&["-g"], case, folder)
}

fn bitcode_with(options: &[&str], case: &str, folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = folder.join("case.bc");
    let status = std::process::Command::new("clang-22")
        .args(options)
        .args(["-O2", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"])
        .arg("-I")
        .arg(root.join("runtime-stubs/include"))
        .arg(root.join("test-bitcode").join(case))
        .arg("-o")
        .arg(&out)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    out
}

#[test]
fn a_race_from_bitcode_to_replay() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode("language/two_writers.c", folder.path());
    let input = input.to_str().expect("UTF-8");

    let human = irkiss(&["--property", "race", input]);
    let report = text(&human.stdout);
    assert_eq!(human.status.code(), Some(1), "{}", text(&human.stderr));
    let first = report.lines().next().expect("a finding");
    assert!(
        first.contains("two_writers.c:14:7: warning: ") && first.ends_with(" [irkiss-data-race]"),
        "{first}"
    );
    assert!(report.contains("x = 1; // RACE"), "both sources are shown");
    assert!(report.contains("CPU1: worker") && report.contains("CPU2: worker"));
    assert!(
        human.stderr.is_empty(),
        "no progress where there is no terminal"
    );

    let zero = irkiss(&["--property", "race", "--exit-zero", input]);
    assert_eq!(zero.status.code(), Some(0));

    let json = |jobs| {
        let output = irkiss(&[
            "--format",
            "json",
            "--property",
            "race",
            "--jobs",
            jobs,
            input,
        ]);
        text(&output.stdout)
    };
    let one = json("1");
    assert_eq!(one, json("2"), "the number of jobs changes nothing");
    let value: serde_json::Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(value["verdict"], "bug");
    assert_eq!(value["findings"][0]["accesses"][0]["line"], 14);

    let schedule = folder.path().join("s.json");
    let schedule = schedule.to_str().expect("UTF-8");
    irkiss(&[
        "--emit",
        "schedule",
        "--property",
        "race",
        "-o",
        schedule,
        input,
    ]);
    let again = irkiss(&["replay", schedule, input]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains("confirmed"));

    // Another last step: the claim does not hold there.
    let saved = std::fs::read_to_string(schedule).expect("written");
    let mut file: serde_json::Value = serde_json::from_str(&saved).expect("JSON");
    let steps = &mut file["findings"][0]["schedule"]["steps"];
    steps.as_array_mut().expect("steps").pop().expect("a step");
    std::fs::write(schedule, file.to_string()).expect("written");
    let perturbed = irkiss(&["replay", schedule, input]);
    assert_eq!(perturbed.status.code(), Some(3));
    assert!(text(&perturbed.stdout).contains("not confirmed"));
}

#[test]
fn what_is_not_modelled_is_unknown_and_said() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let asm = bitcode("language/inline_asm.c", folder.path());
    let output = irkiss(&[asm.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("frobnicate"));

    let external = bitcode("language/unknown_external.c", folder.path());
    let output = irkiss(&["--format", "json", external.to_str().expect("UTF-8")]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["unmodelled"]["externals"]["measure"], 2);
}

#[test]
fn what_is_no_bitcode_is_an_error_of_the_input() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("bad.bc");
    for bytes in [
        &b""[..],
        b"BC\xc0\xde",
        b"\x7fELF and no more",
        b"int main;",
    ] {
        std::fs::write(&path, bytes).expect("written");
        let output = irkiss(&[path.to_str().expect("UTF-8")]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{bytes:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("bad.bc"), "{stderr}");
    }
}

/// Writes LLVM assembly into the folder.
/// `-ffat-lto-objects` and `-fembed-bitcode` put it into sections of their own.
#[test]
fn bitcode_is_found_in_objects() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode/pthread/mutex_racy.c");
    for options in [&["-flto", "-ffat-lto-objects"][..], &["-fembed-bitcode"]] {
        let object = folder.path().join("case.o");
        let compiled = std::process::Command::new("clang-22")
            .args(["-g", "-O1", "-c"])
            .args(options)
            .arg(&source)
            .arg("-o")
            .arg(&object)
            .status();
        assert!(compiled.expect("clang-22 runs").success());
        let output = irkiss(&[object.to_str().expect("UTF-8")]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{options:?}: {said}");
    }
}

/// Input is read more than once: what can be read once is refused, not taken for empty.
#[test]
fn a_pipe_is_no_input() {
    let mut command = Command::cargo_bin("irkiss").expect("the command is built");
    let output = command.arg("/dev/stdin").write_stdin("x").output();
    let said = text(&output.expect("it runs").stderr);
    assert!(said.contains("write it to a file"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

fn assembly(text: &str, folder: &Path) -> String {
    let path = folder.join("case.ll");
    std::fs::write(&path, text).expect("written");
    path.to_str().expect("UTF-8").to_string()
}

/// The error of a run that must end in one.
fn error_of(input: &str) -> String {
    let output = irkiss(&[input]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(output.stdout.is_empty());
    stderr
}

#[test]
fn an_architecture_without_models_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = "target datalayout = \"e-m:e-p:16:16-i32:16-i64:16-f32:16-f64:16-a:8-n8:16-S16\"
        target triple = \"msp430-none-elf\"
        define i16 @main() { ret i16 0 }";
    let error = error_of(&assembly(source, folder.path()));
    assert!(
        error.contains("case.ll: ") && error.contains("2-byte pointers"),
        "{error}"
    );
}

#[test]
fn a_file_without_entry_points_is_told_what_was_looked_for() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = "target triple = \"x86_64-linux-gnu\"
        define void @f() { ret void }";
    let error = error_of(&assembly(source, folder.path()));
    for word in [
        "`main`",
        "operations structs",
        "registering",
        "init",
        "--entry",
    ] {
        assert!(error.contains(word), "{word}: {error}");
    }
}

#[test]
fn fields_are_chosen_and_counted() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode("drivers/two_orders_racy.c", folder.path());
    let input = input.to_str().expect("UTF-8");
    let all = text(&irkiss(&["--fields", input]).stdout);
    let line = all.lines().find(|l| l.starts_with("Fields: "));
    let line = line.unwrap_or_else(|| panic!("no table in {all}"));
    assert!(
        !line.starts_with("Fields: 0") && !line.contains("races: 0"),
        "{line}"
    );
    let row = all
        .lines()
        .skip_while(|l| !l.ends_with("unknown  field"))
        .nth(1);
    let field = row.and_then(|r| r.rsplit("  ").next()).expect("a field");
    let one = text(&irkiss(&["--fields", "--field", field, input]).stdout);
    assert!(one.contains("\nFields: 1; "), "{one}");
    let none = irkiss(&["--field", "no_such_field", input]);
    let stderr = text(&none.stderr);
    assert_eq!(none.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("no_such_field") && stderr.contains(field),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn what_has_no_effect_is_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode("language/two_writers.c", folder.path());
    let input = input.to_str().expect("UTF-8");
    for args in [
        &["--switches", "2"][..],
        &["--contexts", "2", "--tier", "kiss"],
        &["--explore", "paths", "--contexts", "2"],
        &["--switch-points", "50", "--tier", "lockset"],
        &["--switch-points", "101"],
        &["--format", "sarifs"],
        &["--property", "livelock"],
        &["--ts", "64"],
        // The input is a program with `main`.
        &["--pair", "worker,worker"],
        &["--scenario", "lifecycle"],
    ] {
        let mut all = args.to_vec();
        all.push(input);
        let output = irkiss(&all);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(
            stderr.contains(args[0]) || stderr.contains("irkiss.toml: "),
            "{args:?}: {stderr}"
        );
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn switch_points_that_are_left_out_are_told() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode("language/message_racy.c", folder.path());
    let input = input.to_str().expect("UTF-8");
    for tier in ["kiss", "contexts"] {
        let told = |percent: &str| {
            // Its flag is volatile, which marks it for the kernel.
            let options = [
                "--marked",
                "kcsan",
                "--tier",
                tier,
                "--switch-points",
                percent,
            ];
            let human = irkiss(&[&options[..], &[input]].concat());
            let json = irkiss(&[&options[..], &["--format", "json", input]].concat());
            let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
            (human.status.code(), text(&human.stdout), json)
        };
        let (code, human, json) = told("0");
        assert_eq!(code, Some(0), "{human}");
        let line = "threads are interrupted at 0 of a hundred switch points";
        assert!(human.contains(line), "{human}");
        assert_eq!(json["verdict"], "bounded", "the race needs a switch point");
        assert_eq!(json["bounds"]["switch_points"], 0);
        assert_eq!(json["stats"]["switch points"], 0);
        let (code, human, json) = told("100");
        assert_eq!(code, Some(1), "{human}");
        assert!(!human.contains("of a hundred switch points"), "{human}");
        assert!(json["bounds"]["switch_points"].is_null(), "all of them");
        assert_ne!(json["stats"]["switch points"], 0);
    }
}

#[test]
fn what_slicing_came_to_is_counted_once() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode("contexts/slice_guard_holds.c", folder.path());
    let input = input.to_str().expect("UTF-8");
    // Given; found; searches.
    for (track, counts) in [
        ("none", [0, 1, 2]),
        ("auto", [0, 1, 2]),
        ("ready", [1, 0, 1]),
        ("data", [1, 1, 2]),
    ] {
        let options = ["--tier", "contexts", "--track", track, "--stats"];
        let json = irkiss(&[&options[..], &["--format", "json", input]].concat());
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
        let count = |name: &str| json["stats"][format!("slicing: {name}")].clone();
        assert_eq!(count("fields in all"), 4);
        let names = ["fields named", "fields found to matter", "searches"];
        assert_eq!(names.map(count), counts, "{track}: {json}");
        let human = text(&irkiss(&[&options[..], &[input]].concat()).stdout);
        assert!(human.contains(" slicing: fields named"), "{human}");
        let note = human.contains("fields found to matter: @ready");
        assert_eq!(note, counts[1] == 1, "{human}");
    }
}

#[test]
fn queries_are_written_with_their_answers() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode("language/message_racy.c", folder.path());
    let input = input.to_str().expect("UTF-8");
    let shown = irkiss(&["--emit", "smt2", "--jobs", "2", input]);
    assert_eq!(shown.status.code(), Some(1), "{}", text(&shown.stderr));
    let shown = text(&shown.stdout);
    assert!(shown.starts_with("; main beside threads"), "{shown}");
    let queries = shown.matches("(check-sat)").count();
    assert!(queries > 0 && shown.matches("; query ").count() == queries);
    let answers = shown.matches("(set-info :status sat)").count()
        + shown.matches("(set-info :status unsat)").count();
    assert_eq!(answers, queries);
    let stats = irkiss(&["--format", "json", input]);
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).expect("JSON");
    let count = |name: &str| stats["stats"][name].as_u64().expect("a count");
    let asked = count("queries") - count("queries folded");
    assert_eq!(
        queries as u64, asked,
        "every query that folding does not decide"
    );

    let file = folder.path().join("q.smt2");
    let file = file.to_str().expect("UTF-8");
    let output = irkiss(&["--emit", "smt2", "-o", file, input]);
    assert!(output.stdout.is_empty());
    assert_eq!(std::fs::read_to_string(file).expect("written"), shown);
}

#[test]
fn a_finding_says_how_many_pairs_of_accesses_are_left() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = folder.path().join("more.c");
    let program = "#include <irkiss.h>
        int x;
        static void one(void *unused) { x = 1;
            x = 2; }
        static void other(void *unused) { x = 3; }
        int main(void) { irkiss_async(one, 0); irkiss_async(other, 0); return 0; }";
    std::fs::write(&source, program).expect("written");
    let input = bitcode(source.to_str().expect("UTF-8"), folder.path());
    let output = irkiss(&["--format", "json", input.to_str().expect("UTF-8")]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        value["findings"].as_array().map(Vec::len),
        Some(1),
        "{value}"
    );
    assert_eq!(value["findings"][0]["other_pairs"], 1, "{value}");
}

#[test]
fn a_race_is_one_of_the_memory_that_it_is_on() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = folder.path().join("shared.c");
    let program = "#include <irkiss.h>
        struct counter { int n; } loose, kept;
        static _Atomic int begun;
        static void __attribute__((noinline)) add(struct counter *c) { c->n++; }
        static void one(void *unused) { add(&kept); begun = 1; add(&loose); }
        static void other(void *unused) { irkiss_assume(begun == 1); add(&kept); add(&loose); }
        int main(void) { irkiss_async(one, 0); irkiss_async(other, 0); return 0; }";
    std::fs::write(&source, program).expect("written");
    let input = bitcode(source.to_str().expect("UTF-8"), folder.path());
    let options = ["--tier", "kiss", "--format", "json"];
    let output = irkiss(&[&options[..], &[input.to_str().expect("UTF-8")]].concat());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let regions = value["pairs"][0]["regions"].as_array().expect("regions");
    let verdict = |name: &str| {
        let region = regions.iter().find(|r| r["location"] == name);
        region.map_or("", |r| r["verdict"].as_str().unwrap_or_default())
    };
    assert_eq!(verdict("@loose"), "race", "{value}");
    assert!(
        ["bounded", "unknown"].contains(&verdict("@kept")),
        "{value}"
    );
}

#[test]
fn without_debug_info_functions_stand_for_lines() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = bitcode_with(&[], "language/two_writers.c", folder.path());
    let output = irkiss(&[input.to_str().expect("UTF-8")]);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let first = report.lines().next().expect("a finding");
    assert!(
        first.contains("case.bc:0:0: warning: data race on x"),
        "{first}"
    );
    assert!(!report.contains(".c:"), "no line is made up: {report}");
    assert!(report.contains("compiled with -g"), "{report}");
}

/// Without debug information nothing tells what a driver's pointers lead to: what is not found says nothing.
#[test]
fn drivers_without_debug_information_are_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut told = 0;
    for name in [
        "hid_stopped_safe",
        "items_safe",
        "interrupt_safe",
        "exclusive_safe",
    ] {
        let bitcode = folder.path().join(name).with_extension("bc");
        let status = std::process::Command::new("clang-22")
            .args([
                "-O2",
                "-Xclang",
                "-disable-llvm-passes",
                "-w",
                "-emit-llvm",
                "-c",
            ])
            .arg("-I")
            .arg(root.join("runtime-stubs/include"))
            .arg(
                root.join("test-bitcode/drivers")
                    .join(name)
                    .with_extension("c"),
            )
            .arg("-o")
            .arg(&bitcode)
            .status();
        assert!(status.expect("clang-22 runs").success());
        let output = irkiss(&["--format", "json", &bitcode.display().to_string()]);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(3), "{name}: {err}");
        let report: serde_json::Value = serde_json::from_str(&out).expect("an object");
        let pairs = report["pairs"].as_array().expect("a list").iter();
        let beside: Vec<_> = pairs.filter(|p| p["serialized_by"].is_null()).collect();
        let regions = || {
            beside
                .iter()
                .flat_map(|p| p["regions"].as_array().expect("a list"))
        };
        told += regions()
            .filter(|r| r["why"]["code"] == "no-debug-info")
            .count();
        assert!(
            regions().all(|r| r["verdict"] == "unknown"),
            "{name}: {out}"
        );
        assert!(
            beside.iter().all(|p| p["nothing_shared"] == false),
            "{name}"
        );
    }
    assert!(told > 2, "{told}");
}
