//! Runs that are ended before their time: by `--timeout`, by a signal. What was found by then is reported.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A race that is found at once, and an assertion that keeps the solver busy for hours.
const HARD: &str = r"
#include <pthread.h>
#include <irkiss.h>
static int x;
static void *worker(void *unused)
{
    x = 1;
    return unused;
}
static unsigned long mixed(unsigned long v)
{
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ul;
    v = (v ^ v >> 27) * 0x94d049bb133111ebul;
    return v ^ v >> 31;
}
int main(void)
{
    pthread_t a, b;
    unsigned long p = __VERIFIER_nondet_ulong(), q = __VERIFIER_nondet_ulong();
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    irkiss_assert(p == q || mixed(p) != mixed(q));
    return 0;
}
";

/// More of the solver's units than any machine gets through in a test.
const ENDLESS: &str = "4000000000";

fn compile(folder: &Path) -> String {
    let source = folder.join("hard.c");
    std::fs::write(&source, HARD).expect("written");
    let out = folder.join("hard.bc");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime-stubs/include");
    let status = Command::new("clang-22")
        .args([
            "-g",
            "-O2",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
            "-I",
        ])
        .args([&include, &source])
        .arg("-o")
        .arg(&out)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    out.to_str().expect("UTF-8").to_string()
}

fn irkiss(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_irkiss"));
    command.args(args);
    command
}

/// The race is there, the assertion is unknown because of `stopped`.
fn expect_cut_short(output: &Output, stopped: &str) {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(report["stopped"], stopped, "{stdout}");
    assert_eq!(report["findings"][0]["kind"], "data-race", "{stdout}");
    assert_eq!(output.status.code(), Some(1));
    let regions = report["pairs"][0]["regions"].as_array().expect("regions");
    let assertions = regions.iter().find(|r| r["location"] == "assertions");
    let assertions = assertions.expect("the assertions are asked for");
    assert_eq!(assertions["verdict"], "unknown");
    assert_eq!(assertions["reason"], stopped);
}

#[test]
fn a_timeout_holds_and_loses_no_finding() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = compile(folder.path());
    let seconds = enough_for_the_race(&input);
    let start = Instant::now();
    let args = [
        "--format",
        "json",
        "--timeout",
        &seconds.to_string(),
        "--rlimit",
        ENDLESS,
        &input,
    ];
    let output = irkiss(&args).output().expect("it runs");
    let took = start.elapsed().as_secs();
    expect_cut_short(&output, &format!("timeout: {seconds} s"));
    assert!(took >= seconds && took < 2 * seconds + 2, "{took} s");
}

#[test]
fn a_signal_ends_the_run_with_its_report() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = compile(folder.path());
    let mut child = irkiss(&["--format", "json", "--rlimit", ENDLESS, &input])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    wait_for_handler(&child);
    std::thread::sleep(Duration::from_secs(enough_for_the_race(&input)));
    let start = Instant::now();
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let mut stdout = Vec::new();
    let mut pipe = child.stdout.take().expect("piped");
    pipe.read_to_end(&mut stdout).expect("read");
    let status = child.wait().expect("it ends");
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
    let output = Output {
        status,
        stdout,
        stderr: Vec::new(),
    };
    expect_cut_short(&output, "interrupted");
}

#[test]
fn a_limit_on_cpu_time_ends_the_run_with_its_report() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = compile(folder.path());
    let seconds = enough_for_the_race(&input);
    let exe = env!("CARGO_BIN_EXE_irkiss");
    let line =
        format!("ulimit -S -t {seconds}; exec {exe} --format json --rlimit {ENDLESS} {input}");
    let output = Command::new("sh").args(["-c", &line]).output();
    expect_cut_short(&output.expect("it runs"), "limit on CPU time");
}

/// Seconds in which a run comes to the assertion on this machine, busy as it is.
fn enough_for_the_race(input: &str) -> u64 {
    let start = Instant::now();
    let output = irkiss(&["--property", "race", input])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    4 + 4 * start.elapsed().as_secs()
}

/// Until the process catches SIGINT, which is number 2.
fn wait_for_handler(child: &Child) {
    let path = format!("/proc/{}/status", child.id());
    let caught = || {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
        line.and_then(|l| u64::from_str_radix(l.trim(), 16).ok())
            .is_some_and(|mask| mask & 2 != 0)
    };
    let start = Instant::now();
    while !caught() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "SIGINT is not caught"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_deadline_while_reading_is_no_fault_of_the_input() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = compile(folder.path());
    let output = irkiss(&["--timeout", "0", &input])
        .output()
        .expect("it runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{stdout}");
    assert!(
        stdout.contains("Stopped before the end (timeout: 0 s)"),
        "{stdout}"
    );
    assert!(stdout.contains("nothing was checked"), "{stdout}");
    let args = ["--timeout", "0", "--emit", "program", &input];
    let output = irkiss(&args).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("hard.bc: stopped while"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

/// Of some of the places one cannot say what most of them do.
#[test]
fn suggestions_rest_on_all_places_or_are_not_told() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = compile(folder.path());
    let suggest = |more: &[&str]| {
        let args = [&["suggest"], more, &[&input]].concat();
        let output = irkiss(&args).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).to_string();
        assert!(output.stderr.is_empty(), "{output:?}");
        (text, output.status.code())
    };
    let (text, code) = suggest(&["--timeout", "0"]);
    let stopped = "Stopped before the end (timeout: 0 s): nothing is suggested\n";
    assert_eq!((text.as_str(), code), (stopped, Some(3)));
    let (text, code) = suggest(&["--timeout", "0", "--exit-zero", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["stopped"], "timeout: 0 s", "{text}");
    assert_eq!(report["guarded_by"], serde_json::json!([]), "{text}");
    assert_eq!(code, Some(0));
    let (enough, code) = suggest(&["--timeout", "1000"]);
    assert!(!enough.contains("Stopped"), "{enough}");
    assert_eq!((enough, code), suggest(&[]));
}
