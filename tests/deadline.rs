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
    // However busy the machine is: with more and more time until it is enough for the race.
    for seconds in (2..12).map(|n| 1 << n) {
        let start = Instant::now();
        let time = seconds.to_string();
        let args = [
            "--format",
            "json",
            "--timeout",
            &time,
            "--rlimit",
            ENDLESS,
            &input,
        ];
        let output = irkiss(&args).output().expect("it runs");
        assert!(start.elapsed().as_secs() >= seconds);
        if output.status.code() == Some(1) {
            return expect_cut_short(&output, &format!("timeout: {seconds} s"));
        }
        assert_eq!(output.status.code(), Some(3));
    }
    panic!("there is no time in which the race is found");
}

#[test]
fn a_signal_ends_the_run_with_its_report() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = compile(folder.path());
    let mut child = irkiss(&["--format", "json", "--rlimit", ENDLESS, &input])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    wait_for_cpu_time(&child, enough_for_the_race(&input));
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let mut stdout = Vec::new();
    let mut pipe = child.stdout.take().expect("piped");
    pipe.read_to_end(&mut stdout).expect("read");
    let status = child.wait().expect("it ends");
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

/// Seconds of CPU time in which a run comes to the assertion on this machine.
fn enough_for_the_race(input: &str) -> u64 {
    let mut child = irkiss(&["--property", "race", input])
        .stdout(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut seconds = 0;
    while child.try_wait().expect("it runs").is_none() {
        seconds = cpu_time(&child).unwrap_or(seconds);
        std::thread::sleep(Duration::from_millis(20));
    }
    4 + 4 * seconds
}

/// Seconds of CPU time that a process has had, rounded up; none once it has ended.
fn cpu_time(child: &Child) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // After the name, which stands in parentheses: fields 3 and on; 14 and 15 are user and system time in ticks.
    let rest = stat.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    let ticks = next()? + next()?;
    Some(ticks.div_ceil(100))
}

/// Until the process has had so much CPU time.
fn wait_for_cpu_time(child: &Child, seconds: u64) {
    while cpu_time(child).is_some_and(|had| had < seconds) {
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
    assert_eq!(output.status.code(), Some(3));
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
