//! The process of a child: started, or split off before it is needed.
//!
//! To start the executable once more means to put LLVM's and Z3's libraries in place once more, a good part of what a small input takes. A
//! process that has just begun has them in place and nothing else: it is copied, and the copy waits for its request. It is used for the first
//! request; where there is none, or it comes from another executable, it ends as its pipe does.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, waitpid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

/// A child, and the pipes to it.
pub(super) struct Process {
    pub request_pipe: File,
    pub frames: File,
    /// What LLVM prints.
    pub said: File,
    pub pid: Pid,
}

impl Process {
    /// Starts an executable with that subcommand.
    pub fn start(executable: &Path, subcommand: &str) -> std::io::Result<Process> {
        let mut child = Command::new(executable)
            .arg(subcommand)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let pid = Pid::from_child(&child);
        let (Some(request), Some(frames), Some(said)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        Ok(Process {
            request_pipe: OwnedFd::from(request).into(),
            frames: OwnedFd::from(frames).into(),
            said: OwnedFd::from(said).into(),
            pid,
        })
    }
}

/// How a child has ended.
pub(super) fn wait_for(pid: Pid) -> std::io::Result<ExitStatus> {
    use std::os::unix::process::ExitStatusExt;
    loop {
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What was split off.
static WAITING: Mutex<Option<Process>> = Mutex::new(None);

unsafe extern "C" {
    /// Of the C library.
    fn fork() -> i32;
}

/// Splits off a child of this executable. For a process that has one thread: in a copy, the others are missing in the midst of whatever
/// they did. In the copy `child` runs, and this does not return.
pub fn split_off(child: fn() -> u8) {
    let Ok(process) = try_split_off(child) else {
        // One is started when it is needed.
        return;
    };
    if let Ok(mut waiting) = WAITING.lock() {
        *waiting = process;
    }
}

fn try_split_off(child: fn() -> u8) -> rustix::io::Result<Option<Process>> {
    if !has_one_thread() {
        return Ok(None);
    }
    let [request, frames, said] = [pipe()?, pipe()?, pipe()?];
    // Whoever splits off has one thread, so that nobody holds a lock in the copy.
    let pid = unsafe { fork() };
    if pid < 0 {
        return Ok(None);
    }
    match Pid::from_raw(pid) {
        // The copy. Its own ends are its standard streams from here on, the parent's are closed.
        None => {
            let own = dup2_stdin(&request.0)
                .and_then(|()| dup2_stdout(&frames.1))
                .and_then(|()| dup2_stderr(&said.1));
            drop((request, frames, said));
            std::process::exit(match own {
                Ok(()) => i32::from(child()),
                Err(_) => 2,
            })
        }
        Some(pid) => Ok(Some(Process {
            request_pipe: File::from(request.1),
            frames: File::from(frames.0),
            said: File::from(said.0),
            pid,
        })),
    }
}

/// Whether the system says that there is no other thread.
fn has_one_thread() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() == 1)
}

/// The ends to read from and to write to; no program that is started gets them.
fn pipe() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    pipe_with(PipeFlags::CLOEXEC)
}

/// The child that waits, for a request to that executable.
pub(super) fn waiting(executable: &Path) -> Option<Process> {
    let own = std::env::current_exe().is_ok_and(|own| own == executable);
    let mut waiting = WAITING.lock().ok()?;
    own.then(|| waiting.take()).flatten()
}
