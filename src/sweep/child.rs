//! A task in a process of its own: what it does to memory, to the clock or to itself is its own affair.
//!
//! The process gets a [`Request`] by a file and leaves a [`Reply`] in another: what it says on standard error is for the case that it
//! leaves none.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::reading::Report;
use super::task::{Cost, Done, Ended};
use crate::config::Options;
use crate::error::InputError;
use crate::kbuild::supervise::end_with_parent;

/// The hidden subcommand of the process: `irkiss __task REQUEST REPLY`.
pub const SUBCOMMAND: &str = "__task";

/// Seconds beyond its own limit (`--timeout`) that a task has to end by itself.
const GRACE: u64 = if cfg!(test) { 0 } else { 60 };

/// How long after a task that broke down the sweep may be asked to end, or be ended itself, by whoever ended the task: a queue that ends
/// a job ends its processes one by one, and so does a machine that goes down.
const SETTLE: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 700 });

/// How often a task is looked at.
const TICK: Duration = Duration::from_millis(10);

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Bitcode; several files are linked.
    pub files: Vec<PathBuf>,
    /// What reports call them.
    pub shown: Vec<String>,
    /// What people call the files.
    pub called: Vec<String>,
    /// With which options.
    pub options: Options,
    /// Of a module that a compiler brought: what it calls it.
    pub source: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    /// What is known.
    pub answer: Answer,
    /// What a compiler with the plugin would tell of it ([`Request::source`]).
    pub told: Option<String>,
    /// What it cost.
    pub cost: Cost,
}

/// What is known of a task.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// A report (`--format json`).
    Report(String),
    /// There is no entry point.
    NoEntryPoints,
    /// An error of the input, as a line.
    Refused(String),
}

impl Request {
    /// Reads it, in the process that does it.
    ///
    /// # Errors
    /// There is none.
    pub fn read(path: &Path) -> Result<Request, InputError> {
        let text = std::fs::read(path).map_err(|e| InputError::new(path.display(), e))?;
        serde_json::from_slice(&text).map_err(|e| InputError::new(path.display(), e))
    }

    /// A line with the names that people know: what irkiss compiled itself lies under the name of its content.
    fn in_words(&self, line: &str) -> String {
        let names = self.files.iter().zip(&self.called);
        names.fold(line.to_string(), |line, (file, called)| {
            line.replace(&file.display().to_string(), called)
        })
    }
}

impl Reply {
    /// As it is kept.
    pub fn done(self) -> Done {
        Done {
            told: self.told,
            ..answered(self.answer, self.cost)
        }
    }

    /// Of this process, so far.
    pub fn now(answer: Answer) -> Reply {
        Reply {
            answer,
            told: None,
            cost: Cost {
                cpu: cpu_of("/proc/self/stat").unwrap_or_default(),
                wall: 0,
                memory: peak_of("/proc/self/status").unwrap_or_default(),
            },
        }
    }

    /// Leaves it; whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn leave(&self, path: &Path) -> Result<(), InputError> {
        let failed = |e| InputError::new(path.display(), e);
        let text = serde_json::to_vec(self).expect("a reply serialises");
        let draft = path.with_extension("draft");
        std::fs::write(&draft, text).map_err(failed)?;
        std::fs::rename(&draft, path).map_err(failed)
    }
}

/// For the process of a task: it ends when the sweep does, however that ends. At once: the next sweep has the same desk.
pub fn end_with_sweep() {
    end_with_parent(Signal::KILL);
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> InputError + '_ {
    move |e| InputError::new(path.display(), e)
}

/// Does a task: `program __task`. `desk`: the name of files beside which nobody else works. `None`: `asked_to_end` said so.
///
/// # Errors
/// The files cannot be written, or the process not be started.
pub fn run(
    program: &Path,
    request: &Request,
    desk: &Path,
    asked_to_end: &dyn Fn() -> bool,
) -> Result<Option<Done>, InputError> {
    let [asked, reply, said] = ["request", "reply", "said"].map(|e| desk.with_extension(e));
    for old in [&reply, &said] {
        let _ = std::fs::remove_file(old);
    }
    let text = serde_json::to_vec(request).expect("a request serialises");
    std::fs::write(&asked, text).map_err(failed(&asked))?;
    let errors = std::fs::File::create(&said).map_err(failed(&said))?;
    let began = Instant::now();
    let child = Command::new(program)
        .arg(SUBCOMMAND)
        .args([&asked, &reply])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .process_group(0)
        .spawn()
        .map_err(failed(program))?;
    let limit = request
        .options
        .timeout
        .map(|s| Duration::from_secs(s.saturating_add(GRACE)));
    let mut process = Process { child, cpu: 0 };
    let end = process.wait(limit, asked_to_end).map_err(failed(program))?;
    let mut cost = Cost {
        cpu: process.cpu,
        wall: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        memory: 0,
    };
    let left = std::fs::read(&reply).ok();
    let last_words = std::fs::read_to_string(&said).unwrap_or_default();
    for file in [&asked, &reply, &said] {
        let _ = std::fs::remove_file(file);
    }
    let status = match end {
        End::Asked => return Ok(None),
        End::Overdue(seconds) => return Ok(Some(done(Ended::Hung { seconds }, cost))),
        End::Itself(status) => status,
    };
    let reply: Option<Reply> = left.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let broke_down = reply
        .as_ref()
        .is_none_or(|r| matches!(r.answer, Answer::Refused(_)));
    if broke_down && asked_within(SETTLE, asked_to_end) {
        return Ok(None);
    }
    Ok(Some(match reply {
        Some(reply) => {
            (cost.cpu, cost.memory) = (reply.cost.cpu, reply.cost.memory);
            let answer = match reply.answer {
                Answer::Refused(line) => Answer::Refused(request.in_words(&line)),
                other => other,
            };
            Done {
                told: reply.told,
                ..answered(answer, cost)
            }
        }
        None => {
            let line = request.in_words(&broken(status, &last_words));
            done(Ended::Crashed { line }, cost)
        }
    }))
}

/// Whether the sweep is asked to end within that time.
fn asked_within(time: Duration, asked_to_end: &dyn Fn() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if asked_to_end() {
            return true;
        }
        if began.elapsed() >= time {
            return false;
        }
        std::thread::sleep(TICK);
    }
}

fn done(ended: Ended, cost: Cost) -> Done {
    Done {
        ended,
        report: None,
        told: None,
        cost,
    }
}

fn answered(answer: Answer, cost: Cost) -> Done {
    match answer {
        Answer::NoEntryPoints => done(Ended::NoEntryPoints, cost),
        Answer::Refused(line) => done(Ended::Refused { line }, cost),
        Answer::Report(report) => match Report::parse(&report) {
            Ok(read) => Done {
                ended: Ended::Reported(read.summary()),
                report: Some(report),
                told: None,
                cost,
            },
            Err(error) => done(
                Ended::Crashed {
                    line: error.to_string(),
                },
                cost,
            ),
        },
    }
}

/// Why there is no reply: the last line that was said, or the signal.
fn broken(status: ExitStatus, said: &str) -> String {
    let own = |l: &&str| l.starts_with("irkiss: ");
    let line = said.lines().rfind(own).or_else(|| said.lines().next_back());
    let how = match (status.signal(), status.code()) {
        (Some(9), _) => "killed (by signal 9: too little memory?)".to_string(),
        (Some(signal), _) => format!("ended by signal {signal}"),
        (None, code) => format!("exit code {}", code.unwrap_or_default()),
    };
    match line {
        Some(line) => format!("{how}: {}", line.strip_prefix("irkiss: ").unwrap_or(line)),
        None => how,
    }
}

/// How a process ended.
enum End {
    /// By itself.
    Itself(ExitStatus),
    /// It was ended after so many seconds.
    Overdue(u64),
    /// It was ended since the sweep ends.
    Asked,
}

struct Process {
    child: Child,
    /// Milliseconds of the processor, as last seen.
    cpu: u64,
}

impl Process {
    fn wait(
        &mut self,
        limit: Option<Duration>,
        asked_to_end: &dyn Fn() -> bool,
    ) -> std::io::Result<End> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(End::Itself(status));
            }
            if asked_to_end() {
                self.end()?;
                return Ok(End::Asked);
            }
            if limit.is_some_and(|l| began.elapsed() >= l) {
                self.cpu = cpu_of(&format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
                self.end()?;
                return Ok(End::Overdue(began.elapsed().as_secs()));
            }
            std::thread::sleep(TICK);
        }
    }

    /// Ends it and what it has started.
    fn end(&mut self) -> std::io::Result<()> {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.child.kill()?;
        self.child.wait().map(|_| ())
    }
}

/// Milliseconds of the processor that a process and those it has waited for have taken.
fn cpu_of(stat: &str) -> Option<u64> {
    let text = std::fs::read_to_string(stat).ok()?;
    // The name in parentheses may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields
        .get(11..15)?
        .iter()
        .filter_map(|f| f.parse::<u64>().ok())
        .sum();
    Some(ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second().max(1))
}

/// KiB of memory that a process had at most.
fn peak_of(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that does that for a request, and how it ends.
    fn ended(script: &str, timeout: Option<u64>) -> Option<Done> {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("executable");
        let request = Request {
            files: Vec::new(),
            shown: Vec::new(),
            called: Vec::new(),
            options: Options {
                timeout,
                ..Options::default()
            },
            source: None,
        };
        run(&program, &request, &folder.path().join("desk"), &|| false).expect("it starts")
    }

    fn line(script: &str) -> String {
        let done = ended(script, None).expect("nobody ends it");
        done.ended.line().unwrap_or_default()
    }

    #[test]
    fn what_breaks_down_is_a_line() {
        let died = line("echo irkiss: internal error: x >&2; kill -SEGV $$");
        assert_eq!(
            died,
            "the check broke down: ended by signal 11: internal error: x"
        );
        let silent = line("kill -9 $$");
        assert!(silent.contains("too little memory?"), "{silent}");
        assert_eq!(line("exit 7"), "the check broke down: exit code 7");
        // Half a reply is none.
        assert_eq!(
            line("echo '{\"answer\"' > $3"),
            "the check broke down: exit code 0"
        );
    }

    #[test]
    fn what_is_left_counts() {
        let reply = serde_json::to_string(&Reply {
            answer: Answer::Refused("x.bc: no".to_string()),
            told: None,
            cost: Cost {
                cpu: 5,
                wall: 0,
                memory: 7,
            },
        });
        let done = ended(&format!("echo '{}' > $3", reply.expect("serialises")), None);
        let done = done.expect("nobody ends it");
        assert_eq!(done.ended.line().as_deref(), Some("x.bc: no"));
        assert_eq!((done.cost.cpu, done.cost.memory), (5, 7));
    }

    #[test]
    fn what_does_not_end_is_ended_with_all_that_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let left = folder.path().join("left");
        let script = format!(
            "(sleep 1000; touch {}) & echo $! > {0}.pid; wait",
            left.display()
        );
        let done = ended(&script, Some(1)).expect("nobody asks it to end");
        assert!(matches!(done.ended, Ended::Hung { .. }), "{done:?}");
        assert!(done.ended.limited());
        let pid = std::fs::read_to_string(format!("{}.pid", left.display())).expect("it began");
        // It goes when its turn comes: gone, or dead and not yet waited for. One that is not ended sleeps for far longer.
        let is_gone = || match std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) {
            Err(_) => true,
            Ok(stat) => stat.contains(" Z ") || stat.contains(" X "),
        };
        let mut looks = 0..6000;
        assert!(looks.any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            is_gone()
        }));
    }

    #[test]
    fn this_process_has_taken_something() {
        assert!(cpu_of("/proc/self/stat").is_some());
        assert!(peak_of("/proc/self/status").is_some_and(|k| k > 100));
    }
}
