//! Which lock guards which field, who breaks the rule, and potential races in WHOOP's form: as users ask for them.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// A program of `tests/guards/` compiled with the definitions.
struct Input {
    _folder: tempfile::TempDir,
    file: String,
    source: String,
}

impl Input {
    fn new(name: &str, definitions: &[&str]) -> Input {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("input.bc");
        let source = root.join("tests/guards").join(name);
        let status = std::process::Command::new("clang-22")
            .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"])
            .args(["-w", "-emit-llvm", "-c"])
            .args(definitions.iter().map(|d| format!("-D{d}")))
            .arg("-I")
            .arg(root.join("test-bitcode/drivers"))
            .arg(&source)
            .arg("-o")
            .arg(&file)
            .status()
            .expect("clang-22 runs");
        assert!(status.success());
        Input {
            file: file.to_str().expect("UTF-8").to_string(),
            _folder: folder,
            source: std::fs::read_to_string(source).expect("readable"),
        }
    }

    fn run(&self, args: &[&str]) -> (String, Option<i32>) {
        let output = Command::cargo_bin("irkiss")
            .expect("the command is built")
            .args(args)
            .arg(&self.file)
            .output()
            .expect("it runs");
        assert!(output.stderr.is_empty(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (text, output.status.code())
    }

    fn suggest(&self, more: &[&str]) -> (Value, Option<i32>) {
        let args = [&["suggest", "--format", "json"], more].concat();
        let (text, code) = self.run(&args);
        (serde_json::from_str(&text).expect("JSON"), code)
    }

    /// The line that carries the mark.
    fn line(&self, mark: &str) -> u64 {
        let mark = format!("// LINE {mark}");
        let at = self.source.lines().position(|l| l.ends_with(&mark));
        at.expect("marked") as u64 + 1
    }
}

/// `struct foo.bar: struct foo.lock 4/5`, for each suggestion.
fn suggested(value: &Value) -> Vec<String> {
    let all = value["suggestions"].as_array().expect("a list");
    all.iter()
        .map(|s| {
            let text = |key: &str| s[key].as_str().expect("text").to_string();
            format!(
                "{}: {} {}/{}",
                text("location"),
                text("lock"),
                s["guarded"],
                s["places"]
            )
        })
        .collect()
}

/// `struct foo.bar: struct foo.lock 4`, for each field.
fn guarded(list: &Value) -> Vec<String> {
    let all = list.as_array().expect("a list");
    all.iter()
        .map(|g| {
            let locks: Vec<&str> = g["locks"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let location = g["location"].as_str().expect("text");
            format!("{location}: {} {}", locks.join(","), g["places"])
        })
        .collect()
}

#[test]
fn fields_that_are_guarded_everywhere() {
    let input = Input::new("device.c", &[]);
    let (value, code) = input.suggest(&[]);
    assert_eq!(suggested(&value), [] as [&str; 0]);
    assert_eq!(code, Some(0));
    // `calm` is written by nobody once it is known.
    let fields = [
        "struct foo.bar: struct foo.lock 3",
        "struct foo.baz: struct foo.lock 2",
        "struct foo.twice: struct foo.lock 3",
    ];
    assert_eq!(guarded(&value["guarded_by"]), fields);
    assert_eq!(value["guarded_by"][0]["left_out"]["initialisation"], 1);
    assert_eq!(value["unguarded"], 0);

    let report =
        |args: &[&str]| input.run(&[&["--tier", "lockset", "--guarded-by"], args].concat());
    let (json, code) = report(&["--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(guarded(&json["guarded_by"]), fields);
    assert_eq!(code, Some(0));
    let (human, _) = report(&[]);
    let line = "  struct foo.bar    struct foo.lock  (3 places; not counted: 1 in initialisation)";
    assert!(human.contains(line), "{human}");
    let (plain, _) = input.run(&["--tier", "lockset", "--format", "json"]);
    assert!(!plain.contains("guarded_by"), "only on request");
    let (none, code) = input.run(&["suggest"]);
    assert!(
        none.starts_with("Nothing to suggest; 3 fields guarded"),
        "{none}"
    );
    assert_eq!(code, Some(0));
}

#[test]
fn one_place_of_many_forgets_the_lock() {
    let input = Input::new("device.c", &["FORGETS"]);
    let (value, code) = input.suggest(&[]);
    // Its line holds the lock when it is called from elsewhere.
    assert_eq!(suggested(&value), ["struct foo.bar: struct foo.lock 2/3"]);
    assert_eq!(code, Some(1));
    let exceptions = value["suggestions"][0]["exceptions"].as_array();
    let exception = &exceptions.expect("a list")[0];
    assert_eq!(exception["line"], input.line("reset"));
    assert_eq!(exception["function"], "reset");
    assert_eq!(exception["kind"], "write");
    assert_eq!(exception["marked"], false);
    assert_eq!(exception["entry_points"], serde_json::json!(["foo_llseek"]));
    assert_eq!(exception["locks"], serde_json::json!([]));
    assert_eq!(value["suggestions"][0]["left_out"]["initialisation"], 1);

    let (human, _) = input.run(&["suggest"]);
    let first = human.lines().next().expect("a suggestion");
    assert!(
        first.starts_with("struct foo.bar: guarded by struct foo.lock in 2 of 3 places; not at ")
            && first.ends_with("in reset (write)"),
        "{first}"
    );
    assert!(human.contains("from foo_llseek; no lock held"), "{human}");
    assert!(human.contains("f->bar = 0; // LINE reset"), "{human}");
    let (_, code) = input.run(&["suggest", "--exit-zero"]);
    assert_eq!(code, Some(0));
    let (other, code) = input.suggest(&["--field", "foo.baz"]);
    assert_eq!((suggested(&other).len(), code), (0, Some(0)));
    assert_eq!(guarded(&other["guarded_by"]).len(), 1);
}

#[test]
fn a_marked_access_is_told_as_such() {
    let input = Input::new("device.c", &["READER"]);
    let (value, code) = input.suggest(&[]);
    assert_eq!(suggested(&value), ["struct foo.bar: struct foo.lock 3/4"]);
    assert_eq!(code, Some(1));
    let exception = &value["suggestions"][0]["exceptions"][0];
    assert_eq!(exception["line"], input.line("reader"));
    assert_eq!(exception["kind"], "read");
    assert_eq!(exception["marked"], true);
}

#[test]
fn another_lock_is_not_the_lock() {
    let input = Input::new("device.c", &["OTHER"]);
    let (value, _) = input.suggest(&[]);
    assert_eq!(
        suggested(&value),
        [
            "struct foo.bar: struct foo.lock 2/3",
            "struct foo.twice: struct foo.lock 2/3"
        ]
    );
    let held = &value["suggestions"][0]["exceptions"][0]["locks"];
    assert_eq!(*held, serde_json::json!(["@other"]));
}

#[test]
fn the_threshold_is_what_is_asked_for() {
    let input = Input::new("device.c", &["FORGETS_TWICE"]);
    // 3 of 5.
    let (value, code) = input.suggest(&[]);
    assert_eq!((suggested(&value).len(), code), (0, Some(0)));
    assert_eq!(value["unguarded"], 1);
    let (value, code) = input.suggest(&["--threshold", "60"]);
    assert_eq!(suggested(&value), ["struct foo.twice: struct foo.lock 3/5"]);
    assert_eq!(code, Some(1));
    let (value, _) = input.suggest(&["--threshold", "61"]);
    assert_eq!(suggested(&value).len(), 0);
}

#[test]
fn readers_guard_reads_alone() {
    let safe = Input::new("table.c", &[]);
    let (value, _) = safe.suggest(&[]);
    assert_eq!(suggested(&value), [] as [&str; 0]);
    assert_eq!(
        guarded(&value["guarded_by"]),
        [
            "@config: @config_lock 2",
            "@slots[*].count: @slots[*].lock 1"
        ]
    );
    let wrong = Input::new("table.c", &["WRONG"]);
    let (value, code) = wrong.suggest(&[]);
    assert_eq!(suggested(&value), ["@config: @config_lock 2/3"]);
    assert_eq!(code, Some(1));
    let exception = &value["suggestions"][0]["exceptions"][0];
    assert_eq!(exception["line"], wrong.line("lose"));
    assert_eq!(exception["locks"], serde_json::json!(["@config_lock"]));
}

#[test]
fn potential_races_as_whoop_lists_them() {
    let input = Input::new("device.c", &["FORGETS"]);
    let (text, code) = input.run(&["--format", "whoop"]);
    assert_eq!(code, Some(3), "nothing is confirmed: {text}");
    let line = input.line("reset");
    let write = format!("device.c:{line}:12 in reset; locks held: none");
    assert!(text.contains(&write), "{text}");
    let blocks: Vec<&str> = text
        .lines()
        .filter(|l| l.contains(": potential "))
        .collect();
    assert!(
        blocks
            .iter()
            .all(|l| l.contains("race (not confirmed) on struct foo.bar")),
        "{text}"
    );
    assert!(text.contains("read-write race") && text.contains("write-write race"));
    // foo_llseek beside foo_read, foo_write, foo_ioctl and itself.
    let summary = "4 potential races (4 pairs of entry points); none is confirmed";
    assert!(text.contains(summary), "{text}");
    assert!(text.contains("  read by entry point foo_read, "), "{text}");
    assert!(text.contains("; locks held: struct foo.lock"), "{text}");

    let safe = Input::new("device.c", &[]);
    let (text, code) = safe.run(&["--format", "whoop"]);
    assert!(text.starts_with("0 potential races"), "{text}");
    assert_eq!(code, Some(0));
    let (_, code) = input.run(&["--format", "whoop", "--exit-zero"]);
    assert_eq!(code, Some(0));
    let (text, _) = input.run(&["--format", "whoop", "--pair", "foo_read,foo_llseek"]);
    assert!(text.contains("1 potential race (1 pair"), "{text}");
}

#[test]
fn options_that_would_say_nothing_are_refused() {
    let input = Input::new("device.c", &[]);
    for args in [
        &["--format", "whoop", "--tier", "kiss"][..],
        &["--guarded-by", "--tier", "kiss"],
        &["--format", "whoop", "--stats"],
        &["--format", "whoop", "--emit", "program"],
        &["--format", "whoop", "--guarded-by"],
        &["--guarded-by", "--list-entry-points"],
        &["suggest", "--threshold", "50"],
        &["suggest", "--format", "whoop"],
    ] {
        let output = Command::cargo_bin("irkiss")
            .expect("the command is built")
            .args(args)
            .arg(&input.file)
            .output()
            .expect("it runs");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    }
}
