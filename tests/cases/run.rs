//! Compiles a case, runs irkiss over it, and compares.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::annotation::{Form, Run};

/// Wall-clock limit of one run: far above what any case takes, so that a hang fails and a slow machine does not.
const LIMIT: Duration = Duration::from_secs(1800);

/// The folder of all cases.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode")
}

/// Compiles `case` (relative to [`root`]) into `folder`.
pub fn compile(case: &Path, form: Form, folder: &Path) -> Result<PathBuf, String> {
    let clang =
        PathBuf::from(std::env::var_os("IRKISS_CLANG").unwrap_or_else(|| "clang-22".into()));
    let stem = case
        .with_extension("")
        .display()
        .to_string()
        .replace('/', "-");
    let bitcode = folder.join(format!("{stem}-{}.bc", form.name()));
    let mut command = Command::new(&clang);
    let standard = match case.extension().is_some_and(|e| e == "cpp") {
        true => "-std=gnu++17",
        false => "-std=gnu17",
    };
    command.current_dir(root()).args([
        standard,
        match form {
            Form::NoPass | Form::O2 => "-O2",
            Form::O0 => "-O0",
        },
        "-g",
        "-fno-discard-value-names",
        "-w",
        "-I../runtime-stubs/include",
    ]);
    if form == Form::NoPass {
        command.args(["-Xclang", "-disable-llvm-passes"]);
    }
    let output = command
        .args(["-emit-llvm", "-c", "-o"])
        .arg(&bitcode)
        .arg(case)
        .output()
        .map_err(|e| format!("cannot run {}: {e}", clang.display()))?;
    if output.status.success() {
        Ok(bitcode)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs irkiss; exit code, standard output, standard error.
fn irkiss(run: &Run, format: &str, bitcode: &Path) -> Result<(i32, String, String), String> {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_irkiss"))
        .current_dir(root())
        .timeout(LIMIT)
        .env("NO_COLOR", "1")
        .args(["check", "--format", format])
        .args(&run.options)
        .arg(bitcode)
        .envs(run.emptied.iter().map(|m| ("IRKISS_EMPTY_MODEL", m)))
        .output()
        .map_err(|e| e.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(code) => Ok((code, text(&output.stdout), text(&output.stderr))),
        None => Err(format!(
            "killed ({}), probably after {LIMIT:?}:\n{}",
            output.status,
            text(&output.stderr)
        )),
    }
}

/// What irkiss says of the bitcode of a case: exit code and report. `Err`: it was killed, or said no JSON.
pub fn report(run: &Run, bitcode: &Path) -> Result<(i32, Value), String> {
    let (code, out, errors) = irkiss(run, "json", bitcode)?;
    let report = serde_json::from_str(&out);
    let report = report.map_err(|e| format!("exit {code}, no JSON ({e}):\n{out}{errors}"))?;
    Ok((code, report))
}

/// One run of one case in one form; `Err` says what differs from what the case expects.
pub fn check(case: &Path, run: &Run, form: Form, bitcode: &Path) -> Result<(), String> {
    let (code, report) = report(run, bitcode)?;
    let problems = compare(case, run, code, &report);
    if !problems.is_empty() {
        return Err(problems);
    }
    if run.golden && form == Form::NoPass {
        let (_, human, _) = irkiss(run, "human", bitcode)?;
        golden(case, run, &normalise(&human, bitcode))?;
    }
    Ok(())
}

/// What differs, a line each; empty if nothing does.
fn compare(case: &Path, run: &Run, code: i32, report: &Value) -> String {
    let mut problems = String::new();
    let mut problem = |text: String| {
        let _ = writeln!(problems, "  {text}");
    };
    let verdict = report["verdict"].as_str().unwrap_or("none");
    let expect = &run.expect;
    let bug = expect.race || expect.assert || expect.uaf || expect.finds;
    let (verdicts, want): (&[&str], i32) = if bug {
        (&["bug"], 1)
    } else if run.expect.unknown {
        (&["unknown"], 3)
    } else {
        (&["bounded", "proved"], 0)
    };
    if !verdicts.contains(&verdict) || code != want {
        problem(format!(
            "verdict `{verdict}`, exit {code}; expected {} and {want}{}",
            verdicts.join(" or "),
            reasons(report)
                .iter()
                .map(|r| format!("\n    because: {r}"))
                .collect::<String>()
        ));
    }

    if let Some(by) = &run.by {
        let pairs = array(&report["pairs"]);
        let regions: Vec<_> = pairs.iter().flat_map(|p| array(&p["regions"])).collect();
        let proved = |r: &Value| r["verdict"] == "proved" && r["by"] == by.as_str();
        if regions.is_empty() || !regions.iter().all(|r| proved(r)) {
            problem(format!("not all is proved by {by}: {regions:?}"));
        }
    }
    let mut raced = BTreeSet::new();
    let mut failed = BTreeSet::new();
    let mut freed = BTreeSet::new();
    let mut told = BTreeSet::new();
    for finding in array(&report["findings"]) {
        let mut others = BTreeSet::new();
        let kind = finding["kind"].as_str().unwrap_or_default();
        let lines = match kind {
            "data-race" => &mut raced,
            "assertion" => &mut failed,
            "use-after-free" => &mut freed,
            _ => &mut others,
        };
        if finding["replayed"] != Value::Bool(true) {
            problem("a finding that was not replayed".to_string());
        }
        for access in array(&finding["accesses"]) {
            let file = access["file"].as_str().unwrap_or_default();
            let line = access["line"].as_u64().unwrap_or(0) as u32;
            // The kernel's own function, as an entry point: it is in no file of the case, and one that is made from a rule in none at all.
            let modelled =
                file.contains("runtime-stubs/linux/") || (line == 0 && !file.ends_with(".c"));
            if modelled {
                continue;
            }
            if !Path::new(file).ends_with(case) {
                problem(format!("an access at {file}:{line}, outside the case"));
            }
            lines.insert(line);
        }
        told.extend(others.into_iter().map(|line| (line, kind.to_string())));
    }
    for (line, kind) in told.symmetric_difference(&run.finds) {
        let found = told.contains(&(*line, kind.clone()));
        problem(format!(
            "line {line}: {kind} is {}",
            if found {
                "reported, and not marked FINDS"
            } else {
                "marked FINDS and not reported"
            }
        ));
    }
    for line in raced.difference(&run.race) {
        if !run.maybe.contains(line) {
            problem(format!(
                "line {line} is reported as racing and not marked RACE"
            ));
        }
    }
    for line in run.race.difference(&raced) {
        problem(format!("line {line} is marked RACE and not reported"));
    }
    for line in failed.symmetric_difference(&run.assert) {
        problem(format!(
            "line {line}: the assertion {}",
            if failed.contains(line) {
                "fails, and is not marked"
            } else {
                "is marked ASSERT-FAILS and not reported"
            }
        ));
    }

    for line in freed.symmetric_difference(&run.freed) {
        problem(format!(
            "line {line}: a use of a freed object is {}",
            if freed.contains(line) {
                "reported, and not marked FREED"
            } else {
                "marked and not reported"
            }
        ));
    }

    if let Some(reason) = &run.reason {
        if !reasons(report).iter().any(|r| r.contains(reason)) {
            problem(format!(
                "no reason contains `{reason}`: {:?}",
                reasons(report)
            ));
        }
    }
    if let Some(name) = &run.externals {
        if report["unmodelled"]["externals"][name].as_u64().is_none() {
            problem(format!(
                "`{name}` is not listed among the unmodelled externals"
            ));
        }
    }
    let told = array(&report["suppressed"]);
    let by = |by: &str| told.iter().any(|s| s["by"] == by);
    if run.suppressed.as_deref().is_some_and(|name| !by(name)) {
        problem(format!("not suppressed: {told:?}"));
    }
    problems
}

/// Why something is unknown, wherever the report says so.
fn reasons(report: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for pair in array(&report["pairs"]) {
        all.extend(pair["vacuous"].as_str().map(|r| format!("vacuous: {r}")));
        for region in array(&pair["regions"]) {
            all.extend(region["reason"].as_str().map(str::to_string));
        }
    }
    all
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What is not the same on every machine, in the order in which it is replaced.
fn normalise(text: &str, bitcode: &Path) -> String {
    text.replace(&bitcode.display().to_string(), "CASE.bc")
        .replace(&format!("{}/", root().display()), "")
        .replace(env!("CARGO_MANIFEST_DIR"), "ROOT")
        .replace(
            &format!("irkiss {}", env!("CARGO_PKG_VERSION")),
            "irkiss VERSION",
        )
}

/// Compares with `CASE.txt` (`CASE.N.txt` for the N-th run, from the second on), or writes it if `IRKISS_BLESS` is set.
fn golden(case: &Path, run: &Run, text: &str) -> Result<(), String> {
    let extension = match run.number {
        1 => "txt".to_string(),
        n => format!("{n}.txt"),
    };
    let file = root().join(case).with_extension(extension);
    if std::env::var_os("IRKISS_BLESS").is_some() {
        return std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()));
    }
    let want = std::fs::read_to_string(&file).unwrap_or_default();
    if want == text {
        return Ok(());
    }
    let line = want
        .lines()
        .zip(text.lines())
        .position(|(a, b)| a != b)
        .unwrap_or(want.lines().count().min(text.lines().count()));
    Err(format!(
        "  the report differs from {} at line {} (IRKISS_BLESS=1 accepts it):\n  - {}\n  + {}",
        file.display(),
        line + 1,
        want.lines().nth(line).unwrap_or("<end>"),
        text.lines().nth(line).unwrap_or("<end>")
    ))
}
