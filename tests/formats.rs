//! What others read: each form of a report of real cases, by the rules of those who read it, and JSON by the schema that documents it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Forms of reports that are made of the one for scripts.
const FORMS: [&str; 6] = ["lines", "mail", "html", "sarif", "junit", "gitlab"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What is printed, and the exit code. No report is kept for later.
fn irkiss(arguments: &[&str], within: &Path) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_irkiss"))
        .current_dir(within)
        .env("IRKISS_STATE", "")
        .args(arguments)
        .output()
        .expect("irkiss runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().expect("no signal");
    assert!([0, 1, 3].contains(&code), "{arguments:?}: {errors}");
    (String::from_utf8(output.stdout).expect("text"), code)
}

/// Compiles a case into the folder.
fn bitcode(case: &str, folder: &Path) -> PathBuf {
    let source = root().join("test-bitcode").join(case);
    let out = folder.join(source.with_extension("bc").file_name().expect("a name"));
    let status = Command::new("clang-22")
        .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes", "-w"])
        .args(["-fno-discard-value-names", "-emit-llvm", "-c"])
        .arg("-I")
        .arg(root().join("runtime-stubs/include"))
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .status();
    assert!(status.expect("clang-22 runs").success(), "{case}");
    out
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn schema(file: &str) -> Value {
    let text = std::fs::read_to_string(root().join(file)).expect("the schema");
    parsed(&text)
}

/// What a document breaks of a schema.
fn errors(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    validator
        .iter_errors(document)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect()
}

/// The schema, if nothing might stand in a report that it does not name. What others add to is left as it is.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(all) => {
            let names = all.get("properties").is_some_and(Value::is_object);
            if names && all.get("type").is_some_and(|t| t == "object") {
                all.insert("unevaluatedProperties".into(), Value::Bool(false));
            }
            for (name, inner) in all.iter_mut() {
                strict(inner);
                if name.ends_with("-fields")
                    && let Value::Object(inner) = inner
                {
                    inner.remove("unevaluatedProperties");
                }
            }
            let alone = all.len() == 1 && all.contains_key("$ref");
            if alone && all["$ref"].as_str().is_some_and(|r| r.ends_with("-fields")) {
                all.insert("unevaluatedProperties".into(), Value::Bool(false));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(strict),
        _ => {}
    }
}

/// A folder with a racy case, a safe one, one of which something is meant, and one that is not decided.
struct Cases {
    folder: tempfile::TempDir,
}

const RACY: &str = "two_writers.bc";

impl Cases {
    fn new() -> Cases {
        let folder = tempfile::tempdir().expect("a folder");
        for case in [
            "language/two_writers.c",
            "language/atomic_section_safe.c",
            "drivers/data_race_safe.c",
            "drivers/racy_misc.c",
        ] {
            bitcode(case, folder.path());
        }
        Cases { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, arguments: &[&str]) -> (String, i32) {
        irkiss(arguments, self.path())
    }
}

/// The options of a check of each kind, and the verdict.
const KINDS: [(&[&str], &str); 6] = [
    (&[RACY], "bug"),
    (&["racy_misc.bc"], "bug"),
    (&["atomic_section_safe.bc"], "bounded"),
    (&["--tier", "lockset", RACY], "unknown"),
    (&["--timeout", "0", "racy_misc.bc"], "unknown"),
    (&["--guarded-by", "data_race_safe.bc"], "bounded"),
];

#[test]
fn reports_for_scripts_are_as_documented() {
    let cases = Cases::new();
    let schema = schema("docs/report.schema.json");
    let mut strict_schema = schema.clone();
    strict(&mut strict_schema);
    let mut reports: Vec<Value> = Vec::new();
    for (arguments, verdict) in KINDS {
        let all = [&["--format", "json"], arguments].concat();
        let report = parsed(&cases.run(&all).0);
        if !arguments.contains(&"--timeout") {
            assert_eq!(report["verdict"], verdict, "{arguments:?}");
        }
        reports.push(report);
    }
    let id = reports[0]["bugs"][0]["id"].as_str().expect("a name");
    let allow = format!("[[allow]]\nid = \"{id}\"\nreason = \"a test\"\n");
    std::fs::write(cases.path().join("irkiss.toml"), allow).expect("written");
    let allowed = parsed(&cases.run(&["--format", "json", RACY]).0);
    assert_eq!(allowed["suppressed"][0]["by"], "allow");
    reports.push(allowed);
    let golden = root().join("src/report/golden/race.json");
    reports.push(parsed(&std::fs::read_to_string(golden).expect("a report")));
    for report in &reports {
        let all = errors(&strict_schema, report);
        assert!(all.is_empty(), "{}: {}", report["input"], all.join("\n"));
    }
    assert!(
        reports
            .iter()
            .any(|r| r["suppressed"][0]["by"] == "data_race")
    );
    // It tells what is none.
    let mut other = reports[0].clone();
    other["findings"][0]["kind"] = "data race".into();
    assert!(!errors(&schema, &other).is_empty());
    other = reports[0].clone();
    other["findings"][0]["new_name"] = 1.into();
    assert!(errors(&schema, &other).is_empty());
    assert!(!errors(&strict_schema, &other).is_empty());
}

#[test]
fn sarif_is_valid_and_the_same_when_it_is_shown_again() {
    let cases = Cases::new();
    let schema = schema("tests/data/sarif/sarif-schema-2.1.0.json");
    for (arguments, _) in KINDS {
        // Not what only reports for people and scripts have.
        let arguments: Vec<&str> = arguments
            .iter()
            .copied()
            .filter(|a| *a != "--guarded-by")
            .collect();
        let log = |format: &str| cases.run(&[&["--format", format], arguments.as_slice()].concat());
        let (text, code) = log("sarif");
        let parsed = parsed(&text);
        let all = errors(&schema, &parsed);
        assert!(all.is_empty(), "{arguments:?}: {}", all.join("\n"));
        let run = &parsed["runs"][0];
        assert_eq!(run["invocations"][0]["exitCode"], code);
        if !arguments.contains(&"--timeout") {
            let json = cases.path().join("r.json");
            std::fs::write(&json, log("json").0).expect("written");
            let again = cases.run(&["show", "--format", "sarif", "r.json"]).0;
            assert!(text == again, "{arguments:?}: what is shown again differs");
        }
    }
}

#[test]
fn every_form_of_a_race() {
    let cases = Cases::new();
    let form = |name: &str| {
        let (text, code) = cases.run(&["--format", name, RACY]);
        assert_eq!(code, 1, "{name}");
        assert_eq!(
            text,
            cases.run(&["--format", name, RACY]).0,
            "{name}: twice"
        );
        assert!(text.ends_with('\n') && !text.contains('\u{1b}'), "{name}");
        text
    };
    let lines = form("lines");
    let first = lines.lines().next().expect("a line");
    assert!(
        first.contains("two_writers.c:14:7: warning: data race"),
        "{first}"
    );
    let issues = parsed(&form("gitlab"));
    assert_eq!(issues[0]["location"]["lines"]["begin"], 14);
    assert_eq!(issues[0]["check_name"], "irkiss-data-race");
    let xml = form("junit");
    // It is benign: both write the same.
    well_formed(&xml);
    assert!(
        xml.contains("skipped=\"1\"") && xml.contains("line=\"14\""),
        "{xml}"
    );
    let mail = form("mail");
    assert!(
        mail.starts_with("Subject: [irkiss] data-race in worker"),
        "{mail}"
    );
    let (_, body) = mail.split_once("\n\n").expect("a head");
    let long = body.lines().filter(|l| l.split_whitespace().count() > 1);
    assert_eq!(long.filter(|l| l.chars().count() > 75).count(), 0, "{mail}");
    let page = form("html");
    assert!(page.contains("x = 1; &#x2f;&#x2f; RACE") && page.contains("CPU1: worker"));
    for word in ["http:", "https:", "src=", "@import", "<link"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.len() < 200_000, "{}", page.len());
    // One bug of it, and what has no room for it.
    let second = Command::new(env!("CARGO_BIN_EXE_irkiss"))
        .current_dir(cases.path())
        .args(["--format", "sarif", "--fields", RACY])
        .output();
    assert_eq!(second.expect("irkiss runs").status.code(), Some(2));
}

#[test]
fn several_files_are_one_report() {
    let cases = Cases::new();
    let both = |format: &str| {
        cases
            .run(&["--format", format, RACY, "atomic_section_safe.bc"])
            .0
    };
    let log = parsed(&both("sarif"));
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(2));
    let xml = both("junit");
    well_formed(&xml);
    assert_eq!(xml.matches("<testsuite ").count(), 2);
    assert_eq!(parsed(&both("gitlab")).as_array().map(Vec::len), Some(1));
    assert!(both("html").contains("2 reports"));
}

#[test]
fn nothing_found_is_a_report_in_every_form() {
    let cases = Cases::new();
    for form in FORMS {
        let (text, code) = cases.run(&["--format", form, "atomic_section_safe.bc"]);
        assert_eq!(code, 0, "{form}");
        assert_eq!(form == "lines", text.is_empty(), "{form}: {text}");
        match form {
            "junit" => well_formed(&text),
            "gitlab" => assert_eq!(text, "[]\n"),
            _ => {}
        }
    }
}

#[test]
fn a_night_is_a_page_and_a_valid_log() {
    let cases = Cases::new();
    let there = |arguments: &[&str]| cases.run(&[&["sweep"], arguments].concat()).0;
    there(&[
        "plan",
        "store",
        RACY,
        "atomic_section_safe.bc",
        "--work",
        "20M",
    ]);
    there(&["run", "store"]);
    let log = parsed(&there(&["report", "store", "--format", "sarif"]));
    let all = errors(&schema("tests/data/sarif/sarif-schema-2.1.0.json"), &log);
    assert!(all.is_empty(), "{}", all.join("\n"));
    let page = there(&["report", "store", "--format", "html"]);
    assert_eq!(page.matches("<details class=\"module\"").count(), 2);
    assert!(page.contains("data-kind=\"found\"") && page.contains("Night 1"));
}

/// Whether elements are closed in the order of their opening, and nothing else begins with `<`.
fn well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let rest = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    for part in rest.expect("a declaration").split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{part}");
        let name = tag.split_whitespace().next().unwrap_or_default();
        match (name.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name), "{part}"),
            (None, true) => {}
            (None, false) => open.push(name),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{part}");
    }
    assert!(open.is_empty(), "{open:?}");
}
