//! Damaged bitcode against the command: copies of a file with flipped bits, or cut short. Every run must end by itself, in
//! one of the exit codes of `--help`, and an error must be one line. What the answer is does not matter here: a copy may
//! be another valid program.
//!
//! `cargo test` runs a few copies of a small driver; `make campaign-malformed FILE=x.bc N=2000` runs many of any file:
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `IRKISS_CAMPAIGN_FILE` | the bitcode | a driver of `test-bitcode/` |
//! | `IRKISS_CAMPAIGN_COPIES` | how many copies | 60 |
//! | `IRKISS_CAMPAIGN_OPTIONS` | options of irkiss, separated by spaces | none |
//! | `IRKISS_CAMPAIGN_SECONDS` | time for one run, after which it counts as hanging | 120 |
//! | `IRKISS` | the command to run | the one built with this test |
//!
//! Copy `n` of a file is the same on every machine. Copies that irkiss fails on are kept in `target/malformed/`.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Code(i32),
    Signal(i32),
    /// Still running when its time was over.
    Hung,
}

/// A generator whose numbers depend on the seed alone (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    /// A stream of its own for each copy, so that the order of the runs does not matter.
    fn for_copy(number: usize) -> Self {
        let mut random =
            Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95));
        for _ in 0..8 {
            random.below(2);
        }
        random
    }
    /// A number from 0 to `bound` - 1.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        usize::try_from(bits % bound as u64).expect("less than a usize")
    }
}

/// Copy `number`: every fourth is cut short, the others have one to eight bits flipped.
fn damaged(bytes: &[u8], number: usize) -> Vec<u8> {
    let mut random = Random::for_copy(number);
    let mut copy = bytes.to_vec();
    if number % 4 == 3 {
        copy.truncate(random.below(bytes.len()));
    } else {
        for _ in 0..=random.below(8) {
            let at = random.below(copy.len() * 8);
            copy[at / 8] ^= 1 << (at % 8);
        }
    }
    copy
}

/// What all runs have in common.
struct Campaign {
    command: PathBuf,
    options: Vec<String>,
    limit: Duration,
    folder: PathBuf,
    bytes: Vec<u8>,
}

impl Campaign {
    /// Runs one copy; the second part says what is wrong with the run, if anything is.
    fn run(&self, number: usize) -> (End, Option<String>) {
        let place = |suffix: &str| self.folder.join(format!("{number}.{suffix}"));
        let (input, out, err) = (place("bc"), place("out"), place("err"));
        std::fs::write(&input, damaged(&self.bytes, number)).expect("written");
        // Files, not pipes: nobody waits for whom.
        let mut child = Command::new(&self.command)
            .args(["--jobs", "1"])
            .args(&self.options)
            .arg(&input)
            .stdin(Stdio::null())
            .stdout(File::create(&out).expect("created"))
            .stderr(File::create(&err).expect("created"))
            .process_group(0)
            .spawn()
            .expect("irkiss starts");
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child of ours") {
                break Some(status);
            }
            if started.elapsed() > self.limit {
                // The whole group: irkiss has a child process of its own.
                let group = rustix::process::Pid::from_child(&child);
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                let _ = child.wait();
                break None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let read = |path: &Path| {
            String::from_utf8_lossy(&std::fs::read(path).expect("written")).into_owned()
        };
        let (end, problem) = judge(status, &read(&out), &read(&err));
        if problem.is_none() {
            for file in [input, out, err] {
                std::fs::remove_file(file).expect("removed");
            }
        }
        (end, problem)
    }
}

/// What the end of a run is called, and what is wrong with it.
fn judge(status: Option<ExitStatus>, out: &str, err: &str) -> (End, Option<String>) {
    let end = match status {
        None => End::Hung,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        },
    };
    let problem = match end {
        End::Code(0 | 1 | 3) => None,
        End::Code(2) => {
            let one_line = err.lines().count() == 1 && err.starts_with("irkiss: error: ");
            (!one_line || !out.is_empty()).then(|| format!("no one-line error: {}", err.trim_end()))
        }
        other => Some(format!("{other:?}: {}", err.trim_end())),
    };
    (end, problem)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

fn number(name: &str, default: usize) -> usize {
    variable(name).map_or(default, |v| {
        v.parse()
            .unwrap_or_else(|_| panic!("{name}={v} is no number"))
    })
}

/// A small driver with a race, as bitcode.
fn small_driver(folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = folder.join("racy_misc.bc");
    let status = Command::new("clang-22")
        .args([
            "-g",
            "-O2",
            "-Xclang",
            "-disable-llvm-passes",
            "-emit-llvm",
            "-c",
        ])
        .arg("-I")
        .arg(root.join("runtime-stubs/include"))
        .arg(root.join("test-bitcode/drivers/racy_misc.c"))
        .arg("-o")
        .arg(&out)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    out
}

#[test]
fn damaged_bitcode_ends_in_an_answer_or_a_one_line_error() {
    let temporary = tempfile::tempdir().expect("temporary folder");
    let file = match variable("IRKISS_CAMPAIGN_FILE") {
        Some(file) => PathBuf::from(file),
        None => small_driver(temporary.path()),
    };
    let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("malformed");
    std::fs::create_dir_all(&folder).expect("a folder for what fails");
    let folder = folder.join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).expect("a folder for what fails");
    let campaign = Campaign {
        command: variable("IRKISS")
            .map_or_else(|| env!("CARGO_BIN_EXE_irkiss").into(), PathBuf::from),
        options: variable("IRKISS_CAMPAIGN_OPTIONS")
            .map(|o| o.split_whitespace().map(str::to_string).collect())
            .unwrap_or_default(),
        limit: Duration::from_secs(number("IRKISS_CAMPAIGN_SECONDS", 120) as u64),
        folder: folder.clone(),
        bytes,
    };
    let copies = number("IRKISS_CAMPAIGN_COPIES", 60);
    let next = AtomicUsize::new(0);
    let counts = Mutex::new(BTreeMap::<End, usize>::new());
    let problems = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= copies {
                        break;
                    }
                    let (end, problem) = campaign.run(n);
                    *counts.lock().expect("no panic").entry(end).or_default() += 1;
                    if let Some(problem) = problem {
                        problems
                            .lock()
                            .expect("no panic")
                            .push(format!("copy {n}: {problem}"));
                    }
                }
            });
        }
    });
    // Removed only where empty: what failed stays.
    let _ = std::fs::remove_dir(&folder);
    println!("{copies} damaged copies of {}", file.display());
    for (end, count) in counts.into_inner().expect("no panic") {
        println!("{count:8} {end:?}");
    }
    let problems = problems.into_inner().expect("no panic");
    assert!(
        problems.is_empty(),
        "{} of {copies} runs failed; the copies are in {}\n{}",
        problems.len(),
        folder.display(),
        problems.join("\n")
    );
}

#[test]
fn the_copies_are_damaged_and_the_same_every_time() {
    let bytes: Vec<u8> = (0..200).collect();
    for n in 0..40 {
        let copy = damaged(&bytes, n);
        assert_eq!(copy, damaged(&bytes, n));
        if n % 4 == 3 {
            assert!(copy.len() < bytes.len() && bytes.starts_with(&copy));
        } else {
            let flipped: u32 = copy
                .iter()
                .zip(&bytes)
                .map(|(a, b)| (a ^ b).count_ones())
                .sum();
            assert!(copy.len() == bytes.len() && flipped <= 8, "{n}: {flipped}");
        }
    }
    assert_ne!(damaged(&bytes, 0), damaged(&bytes, 1));
}

#[test]
fn ends_that_are_wrong_are_told() {
    let wrong =
        |raw, out: &str, err: &str| judge(Some(ExitStatus::from_raw(raw)), out, err).1.is_some();
    let code = |code: i32| code << 8;
    for right in [0, 1, 3] {
        assert!(!wrong(code(right), "report", ""));
    }
    assert!(!wrong(code(2), "", "irkiss: error: a.bc: empty\n"));
    assert!(wrong(code(2), "", ""));
    assert!(wrong(code(2), "", "irkiss: error: a.bc: empty\nand more\n"));
    assert!(wrong(code(2), "report", "irkiss: error: a.bc: empty\n"));
    assert!(wrong(code(101), "", "irkiss: internal error: no\n"));
    assert!(wrong(11, "", ""));
    assert_eq!(judge(None, "", "").0, End::Hung);
    assert!(judge(None, "", "").1.is_some());
}
