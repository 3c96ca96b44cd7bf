//! Three and four entry points beside each other, as users ask for them: reports, schedules, errors.
//! (What they find and do not find: test-bitcode/drivers/beside_*.c.)

use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

const NAME: &str = "armed again";

/// A folder with the bitcode of a case.
fn demo(case: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let status = std::process::Command::new("clang-22")
        .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"])
        .args(["-emit-llvm", "-c", "-I"])
        .arg(root.join("runtime-stubs/include"))
        .arg(root.join("test-bitcode").join(case))
        .arg("-o")
        .arg(folder.path().join("demo.bc"))
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    folder
}

/// Exit code, standard output, standard error of a run in the folder.
fn irkiss(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("irkiss")
        .expect("the command is built")
        .current_dir(folder.path())
        .args(args)
        .output()
        .expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

fn scenario(folder: &TempDir, threads: &str) {
    let text = format!("[[scenario]]\nname = \"{NAME}\"\nthreads = {threads}\n");
    std::fs::write(folder.path().join("rules.toml"), text).expect("written");
}

const THREADS: &str = "[\"poll_exit\", \"poll_expired\", \"poll_report\"]";

#[test]
fn a_scenario_is_searched_besides_the_pairs_and_replayed() {
    let folder = demo("drivers/beside_racy.c");
    scenario(&folder, THREADS);
    let with = |more: &[&'static str]| [&["--config", "rules.toml"], more, &["demo.bc"]].concat();

    let (code, report, _) = irkiss(&folder, &with(&[]));
    assert_eq!(code, 1, "{report}");
    let label = format!("poll_exit × poll_expired × poll_report ({NAME})");
    assert!(report.contains(&label), "{report}");
    assert!(report.contains("poll_expired × poll_exit"), "{report}");
    assert!(report.contains("CPU1: poll_expired"), "{report}");
    assert!(report.contains("CPU2: poll_report"), "{report}");
    assert!(report.contains("scenarios of 3 threads: ts=2"), "{report}");

    let (_, list, _) = irkiss(&folder, &with(&["--list-entry-points"]));
    assert!(list.contains(&label), "{list}");

    let (_, json, _) = irkiss(&folder, &with(&["--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let pairs = json["pairs"].as_array().expect("a list");
    let (more, two): (Vec<_>, Vec<_>) = pairs.iter().partition(|p| p["further"].is_array());
    let [one] = more[..] else { panic!("{pairs:?}") };
    assert_eq!(one["scenario"], NAME);
    assert_eq!(one["further"], serde_json::json!(["poll_report"]));
    assert_eq!(one["regions"][0]["verdict"], "race");
    assert!(two.iter().all(|p| p["scenario"].is_null()), "{two:?}");
    let raced = |p: &&serde_json::Value| p["regions"][0]["verdict"] == "race";
    assert!(!two.iter().any(raced), "{two:?}");

    let saved = ["--emit", "schedule", "-o", "s.json"];
    assert_eq!(irkiss(&folder, &with(&saved)).0, 1);
    let (code, replayed, _) = irkiss(&folder, &["replay", "s.json", "demo.bc"]);
    assert_eq!(code, 1);
    assert!(replayed.contains("confirmed"), "{replayed}");
    // Of a thread that is not there, no step can be taken.
    let file = folder.path().join("s.json");
    let text = std::fs::read_to_string(&file).expect("written");
    let mut schedule: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let pair = &mut schedule["findings"][0]["schedule"]["pair"];
    let numbers = pair.as_array_mut().expect("a list");
    assert_eq!(numbers.len(), 4);
    numbers.pop();
    std::fs::write(&file, schedule.to_string()).expect("written");
    let (code, replayed, _) = irkiss(&folder, &["replay", "s.json", "demo.bc"]);
    assert_eq!(code, 3, "{replayed}");

    let (code, text, _) = irkiss(&folder, &with(&["--emit", "sequential"]));
    assert_eq!(code, 0);
    let third = "call i32 @__irkiss_pair(i32 3)";
    assert!(text.contains(third), "the third thread is started");
    let (_, text, _) = irkiss(&folder, &["--emit", "sequential", "demo.bc"]);
    assert!(!text.contains(third), "of pairs there is none");
}

#[test]
fn only_what_is_asked_for_is_searched() {
    let folder = demo("drivers/beside_safe.c");
    scenario(&folder, THREADS);
    let count = |args: &[&str]| {
        let args = [
            args,
            &["--config", "rules.toml", "--list-entry-points", "demo.bc"],
        ]
        .concat();
        let (code, list, error) = irkiss(&folder, &args);
        assert_eq!(code, 0, "{error}");
        list.matches(NAME).count()
    };
    assert_eq!(count(&[]), 1);
    assert_eq!(count(&["--pair", "poll_exit,poll_expired"]), 0);
    assert_eq!(
        count(&["--entry", "poll_exit", "--entry", "poll_expired"]),
        0
    );
    let all = [
        "--entry",
        "poll_exit",
        "--entry",
        "poll_expired",
        "--entry",
        "poll_report",
    ];
    assert_eq!(count(&all), 1);
    let pairs = |args: &[&str]| {
        let (_, list, _) = irkiss(
            &folder,
            &[args, &["--list-entry-points", "demo.bc"]].concat(),
        );
        list.matches(" × poll_expired × ").count()
    };
    assert_eq!(pairs(&[]), 0, "not by default");
    assert_eq!(pairs(&["--triples"]), 1);
}

#[test]
fn what_is_no_scenario_is_one_line() {
    let folder = demo("drivers/beside_safe.c");
    let expect = |args: &[&str], told: &str| {
        let (code, out, error) = irkiss(&folder, &[args, &["demo.bc"]].concat());
        assert_eq!(code, 2, "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(told), "{args:?}: {error}");
        assert!(out.is_empty());
    };
    for (pair, told) in [
        ("poll_exit", "give two entry points"),
        ("poll_exit,,poll_report", "give two entry points"),
        ("a,b,c,d,e", "or up to 4"),
        (
            "poll_exit,poll_expired,poll_reporter",
            "poll_reporter: no entry point of that name; the nearest is `poll_report`",
        ),
        (
            "poll_exit,poll_write,poll_report",
            "--pair: poll_exit and poll_write never run beside each other: module reference",
        ),
        ("poll_init,poll_expired,poll_report", "initialisation"),
        ("poll_exit,poll_exit,poll_report", "not reentrant"),
    ] {
        expect(&["--pair", pair], told);
    }
    let three = "poll_exit,poll_expired,poll_report";
    expect(
        &["--format", "whoop", "--pair", three],
        "--pair: more than two entry points",
    );
    expect(&["--triples", "--pair", three], "--triples");
    for (threads, told) in [
        (
            "[\"poll_exit\"]",
            "rules.toml:1: scenario `armed again`: two to 4 entry points run beside each other, not 1",
        ),
        (
            "[\"poll_exit\", \"poll_expird\"]",
            "rules.toml:1: scenario `armed again`: poll_expird: no entry point of that name; the nearest is `poll_expired`",
        ),
        ("[\"a\", \"b\", \"c\", \"d\", \"e\"]", "not 5"),
        ("\"poll_exit\"", "rules.toml:3: "),
        (
            "[\"poll_exit\", \"poll_write\"]",
            "poll_exit and poll_write never run beside each other: module reference",
        ),
        (
            "[]\nthread = []",
            "unknown key `thread`; the nearest is `threads`",
        ),
    ] {
        scenario(&folder, threads);
        expect(&["--config", "rules.toml"], told);
    }
}

#[test]
fn handlers_take_turns_with_themselves() {
    let folder = demo("drivers/beside_safe.c");
    let pair = "poll_exit,poll_expired,poll_report,poll_expired";
    let (code, report, error) = irkiss(&folder, &["--pair", pair, "demo.bc"]);
    assert_eq!(code, 0, "{report}{error}");
}
