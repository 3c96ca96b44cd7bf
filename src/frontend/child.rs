//! The child process: runs the stages where a crash of LLVM does no harm.
//!
//! The parent starts its own executable with the hidden subcommand
//! [`SUBCOMMAND`], or has split it off early ([`process`]), and hands the request over through the child's standard input.
//! The child limits its own memory and CPU time, then works, and sends frames on
//! standard output: what it is about to do (so that a crash can be blamed on a
//! file), and at last the answer. All of it is postcard. A limit that is reached
//! ends the child and is no error of the input: the run ends as at its deadline.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::process::{Resource, Rlimit, Signal, kill_process, setrlimit};
use serde::{Deserialize, Serialize};

use super::llvm::load::version_advice;
use super::process::{self, Process};
use super::{Closed, Goal, close};
use crate::config::Options;
use crate::deadline::{Deadline, Stopped};
use crate::error::{Failure, InputError};
use crate::memory::{self, AtLimit};

/// The hidden subcommand: `irkiss __frontend`.
pub const SUBCOMMAND: &str = "__frontend";

/// Limits of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes in memory.
    pub memory: u64,
    /// CPU time in seconds.
    pub cpu: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory: 4 << 30,
            cpu: 600,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Request {
    inputs: Vec<PathBuf>,
    options: Options,
    goal: Goal,
    limits: Limits,
}

#[derive(Serialize, Deserialize)]
enum Frame {
    /// What is being worked on.
    Stage(String),
    /// The answer; nothing follows.
    Answer(Box<Result<(Closed, String), InputError>>),
}

/// Runs the stages up to `goal` in a child process of this executable. `stage` is told what the child is at.
///
/// # Errors
/// Input that cannot be read, linked or closed; a crash of LLVM; a limit, or the deadline, that came first.
pub fn close_in_child(
    inputs: &[PathBuf],
    options: &Options,
    goal: Goal,
    deadline: Deadline,
    stage: &mut dyn FnMut(&str),
) -> Result<(Closed, String), Failure> {
    let own = std::env::current_exe()
        .map_err(|e| InputError::new("", format!("cannot find this executable: {e}")))?;
    let limits = Limits {
        memory: options.memory.unwrap_or_else(memory::usual_limit),
        ..Limits::default()
    };
    close_in_child_of(&own, inputs, options, goal, limits, deadline, stage)
}

/// As [`close_in_child`], with a child of the given executable (which calls [`child_main`] for [`SUBCOMMAND`]).
///
/// # Errors
/// As [`close_in_child`].
pub fn close_in_child_of(
    executable: &Path,
    inputs: &[PathBuf],
    options: &Options,
    goal: Goal,
    limits: Limits,
    deadline: Deadline,
    stage: &mut dyn FnMut(&str),
) -> Result<(Closed, String), Failure> {
    let request = Request {
        inputs: inputs.to_vec(),
        options: options.clone(),
        goal,
        limits,
    };
    let trouble = |what: String| InputError::new("", format!("frontend process: {what}"));
    let request = postcard::to_stdvec(&request).map_err(|e| trouble(e.to_string()))?;
    let process = match process::waiting(executable) {
        Some(waiting) => waiting,
        None => Process::start(executable, SUBCOMMAND).map_err(|e| trouble(e.to_string()))?,
    };
    let Process {
        mut request_pipe,
        mut frames,
        said,
        pid,
    } = process;
    // A child that dies early does not read its request: what it says, or its death, tells more than the broken pipe.
    let _ = write_block(&mut request_pipe, &request);
    drop(request_pipe);
    // The pipe of a child that is killed ends; not yet waited for, it keeps its number.
    let kill = || {
        let _ = kill_process(pid, Signal::KILL);
    };
    // LLVM may print much before it dies: drained beside the frames, so that it never waits for us.
    let said = std::thread::Builder::new().spawn(move || {
        let mut text = Vec::new();
        let _ = said.take(1 << 16).read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let Ok(said) = said else {
        memory::refused();
        kill();
        let _ = process::wait_for(pid);
        return Err(stopped(Stopped::OutOfMemory, "starting", inputs));
    };
    let mut answer = None;
    let mut last_stage = String::new();
    deadline.watch(kill, || {
        while let Some(block) = read_block(&mut frames) {
            match postcard::from_bytes::<Frame>(&block) {
                Ok(Frame::Stage(what)) => {
                    stage(&what);
                    last_stage = what;
                }
                Ok(Frame::Answer(result)) => {
                    answer = Some(*result);
                    break;
                }
                Err(_) => break,
            }
        }
    });
    let status = process::wait_for(pid).map_err(|e| trouble(e.to_string()))?;
    let said = said.join().unwrap_or_default();
    match answer {
        Some(result) => result.map_err(Failure::Input),
        None => Err(match deadline.passed() {
            Some(why) => stopped(why, &last_stage, inputs),
            None => death(&last_stage, status, &said, limits, inputs),
        }),
    }
}

/// The failure for a child that was ended first.
fn stopped(why: Stopped, stage: &str, inputs: &[PathBuf]) -> Failure {
    let file = inputs.first().cloned().unwrap_or_default();
    let doing = if stage.is_empty() { "starting" } else { stage };
    Failure::Stopped {
        place: file.display().to_string(),
        doing: doing.to_string(),
        why,
    }
}

/// The failure for a child that died.
fn death(
    stage: &str,
    status: ExitStatus,
    said: &str,
    limits: Limits,
    inputs: &[PathBuf],
) -> Failure {
    use std::os::unix::process::ExitStatusExt;
    let file = stage
        .strip_prefix("reading ")
        .map(PathBuf::from)
        .or_else(|| inputs.first().cloned())
        .unwrap_or_default();
    let doing = if stage.is_empty() { "starting" } else { stage };
    let out_of_memory = [
        "out of memory",
        "bad_alloc",
        "memory allocation",
        "length_error",
    ]
    .iter()
    .any(|m| said.contains(m));
    let signal = status.signal().unwrap_or(0);
    if out_of_memory || status.code() == Some(i32::from(MEMORY_REACHED)) {
        return stopped(Stopped::Memory(limits.memory), doing, inputs);
    }
    if signal == XCPU || signal == KILL {
        return stopped(Stopped::CpuTime, doing, inputs);
    }
    let what = if signal != 0 {
        format!("LLVM crashed while {doing} (signal {signal})")
    } else {
        format!("LLVM gave up while {doing}: {}", first_message(said))
    };
    let error = InputError::new(file.display(), what);
    // Who wrote the file says whether it is newer than the reader or damaged.
    let head = std::fs::File::open(&file).ok().and_then(|f| {
        let mut head = Vec::new();
        f.take(4096).read_to_end(&mut head).ok()?;
        Some(head)
    });
    Failure::Input(match head.and_then(|h| version_advice(&h)) {
        Some(advice) if stage.starts_with("reading ") => error.advise(advice),
        _ => error.advise("the file may be damaged; does `llvm-dis` of LLVM 22 read it?"),
    })
}

/// Exit code of a child that has reached its limit of memory.
const MEMORY_REACHED: u8 = 103;

/// Bytes of addresses that a child may have beyond its memory: LLVM's libraries, stacks.
const BEYOND: u64 = 1 << 30;

const KILL: i32 = 9;
const XCPU: i32 = 24;

/// The line of a dying child that says something.
fn first_message(said: &str) -> String {
    said.lines()
        .map(str::trim)
        .find(|l| !l.is_empty() && !l.starts_with("PLEASE") && !l.starts_with("Stack dump"))
        .unwrap_or("no message")
        .to_string()
}

/// The child's side. Answers on standard output; the exit code says only whether there was an answer.
pub fn child_main() -> u8 {
    let Some(request) = read_block(&mut std::io::stdin().lock()) else {
        return 2;
    };
    let Ok(request) = postcard::from_bytes::<Request>(&request) else {
        return 2;
    };
    limit(request.limits);
    memory::before_refusals(AtLimit::Exit(MEMORY_REACHED));
    memory::watch(request.limits.memory, AtLimit::Exit(MEMORY_REACHED));
    let answer = close::close(
        &request.inputs,
        &request.options,
        request.goal,
        &mut |what| send(&Frame::Stage(what.to_string())),
    );
    send(&Frame::Answer(Box::new(answer.map(|p| (p.closed, p.text)))));
    0
}

fn send(frame: &Frame) {
    let Ok(bytes) = postcard::to_stdvec(frame) else {
        return;
    };
    // A parent that has gone needs no answer.
    let mut out = std::io::stdout().lock();
    let _ = write_block(&mut out, &bytes).and_then(|()| out.flush());
}

/// Lowers this process's own limits; a limit that cannot be set (already lower) stays as it is.
fn limit(limits: Limits) {
    let set = |resource, value| {
        let _ = setrlimit(
            resource,
            Rlimit {
                current: Some(value),
                maximum: Some(value),
            },
        );
    };
    set(Resource::As, limits.memory.saturating_add(BEYOND));
    set(Resource::Cpu, limits.cpu);
    // A crash on bad input is an answer, not something to keep a core file of.
    set(Resource::Core, 0);
}

fn write_block(pipe: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    pipe.write_all(&(bytes.len() as u64).to_le_bytes())?;
    pipe.write_all(bytes)
}

/// A block; `None` at the end of the stream or if it is cut short.
fn read_block(pipe: &mut impl Read) -> Option<Vec<u8>> {
    let mut len = [0; 8];
    pipe.read_exact(&mut len).ok()?;
    let len = usize::try_from(u64::from_le_bytes(len)).ok()?;
    let mut bytes = Vec::new();
    // Never trusts the length with memory: what does not come is not reserved.
    pipe.take(len as u64).read_to_end(&mut bytes).ok()?;
    (bytes.len() == len).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cut_short_are_none() {
        let mut out = Vec::new();
        write_block(&mut out, b"hello").unwrap();
        assert_eq!(read_block(&mut out.as_slice()).unwrap(), b"hello");
        assert!(read_block(&mut &out[..9]).is_none());
        assert!(read_block(&mut &out[..3]).is_none());
        assert!(read_block(&mut [0xff; 12].as_slice()).is_none());
    }

    #[test]
    fn a_death_names_the_file_and_what_happened() {
        use std::os::unix::process::ExitStatusExt;
        let died = |signal, said: &str| {
            death(
                "reading x/a.bc",
                ExitStatus::from_raw(signal),
                said,
                Limits::default(),
                &[PathBuf::from("x/a.bc")],
            )
            .to_string()
        };
        assert!(died(11, "").contains("x/a.bc: LLVM crashed"));
        assert!(died(24, "").contains("x/a.bc: stopped while reading x/a.bc (limit on CPU time)"));
        assert!(died(6, "LLVM ERROR: out of memory").contains("memory limit: 4 GiB"));
        assert!(died(i32::from(MEMORY_REACHED) << 8, "").contains("memory limit: 4 GiB"));
        assert!(died(256, "LLVM ERROR: Invalid encoding").contains("Invalid encoding"));
    }
}
