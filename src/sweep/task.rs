//! What is checked by itself, and how that ended.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::reading::Summary;
use super::record::Call;

/// A module, or a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its name, one of its own in a night: `drivers/usb/misc/idmouse`.
    pub name: String,
    /// What it is made of; empty: [`Task::problem`] says why.
    pub files: Vec<Bitcode>,
    /// Why there is nothing to check: a line.
    pub problem: Option<String>,
    /// The call that made it, where a compiler brought it: another call may have another module of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
}

/// A file of bitcode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bitcode {
    /// Where it is; one that irkiss compiled itself lies in the store, and its path is relative to that.
    pub path: PathBuf,
    /// The name of its content.
    pub content: String,
    /// Its length.
    pub bytes: u64,
    /// What the build calls it, where irkiss compiled it: its object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_as: Option<PathBuf>,
}

impl Bitcode {
    /// What people call it.
    pub fn called(&self) -> &Path {
        self.made_as.as_deref().unwrap_or(&self.path)
    }
}

/// What a night has to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// What is checked.
    pub task: Task,
    /// The name of its content; empty where there is nothing to check.
    pub key: String,
    /// Its budget.
    pub level: u32,
}

impl Planned {
    /// Bytes of bitcode.
    pub fn bytes(&self) -> u64 {
        self.task.files.iter().map(|f| f.bytes).sum()
    }
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum Ended {
    /// With a report.
    Reported(Summary),
    /// There is nothing in it that may run beside something else.
    NoEntryPoints,
    /// It cannot be read or worked with: a line.
    Refused {
        /// What is said of it.
        line: String,
    },
    /// The process broke down: a line.
    Crashed {
        /// What is known of it.
        line: String,
    },
    /// It did not end, and was ended.
    Hung {
        /// After so many seconds.
        seconds: u64,
    },
}

impl Ended {
    /// What there is to say of a task without a report.
    pub fn line(&self) -> Option<String> {
        match self {
            Ended::Reported(_) | Ended::NoEntryPoints => None,
            Ended::Refused { line } => Some(line.clone()),
            Ended::Crashed { line } => Some(format!("the check broke down: {line}")),
            Ended::Hung { seconds } => Some(format!(
                "the check did not end and was ended after {seconds} s"
            )),
        }
    }

    /// Whether a larger budget may decide more. What broke down, or could not be read, is tried again with it: the machine may have been
    /// short of memory, a file of rules broken.
    pub fn limited(&self) -> bool {
        match self {
            Ended::Reported(summary) => summary.limited,
            Ended::Hung { .. } | Ended::Crashed { .. } | Ended::Refused { .. } => true,
            Ended::NoEntryPoints => false,
        }
    }
}

/// How a run of a night ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// It has begun, and goes on.
    Begun,
    /// It has begun, and is there no more.
    Killed,
    /// Nothing was left to do.
    Done,
    /// It was asked to end: by a signal.
    Asked,
    /// Its time (`--time`) was over, so many seconds.
    Time(u64),
    /// Those who were to do the rest were lost, time and again.
    Lost,
    /// It could not go on: a line.
    Failed(String),
}

impl RunEnd {
    /// Why a task has not run.
    pub fn line(&self) -> String {
        match self {
            RunEnd::Begun => "did not run yet: the run goes on".to_string(),
            RunEnd::Killed => "did not run: the run was killed".to_string(),
            RunEnd::Done => {
                "did not run: it is in another part, or has changed since the plan".to_string()
            }
            RunEnd::Asked => "did not run: the run was interrupted".to_string(),
            RunEnd::Time(seconds) => {
                let time = humantime::format_duration(std::time::Duration::from_secs(*seconds));
                format!("did not run: the run ended after its time (--time {time})")
            }
            RunEnd::Lost => "did not run: its process or its machine was lost".to_string(),
            RunEnd::Failed(line) => format!("did not run: the run could not go on: {line}"),
        }
    }
}

/// A result, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// How it ended.
    pub ended: Ended,
    /// The report, where there is one (`--format json`).
    pub report: Option<String>,
    /// What a compiler with the plugin would tell of it, of one that a compiler brought.
    pub told: Option<String>,
    /// What it cost.
    pub cost: Cost,
}

/// What a task took. Differs from run to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Milliseconds of the processor.
    pub cpu: u64,
    /// Milliseconds on the clock.
    pub wall: u64,
    /// KiB of memory at most.
    pub memory: u64,
}
