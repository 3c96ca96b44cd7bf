//! How far a sweep is.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::{date, duration};
use crate::report::style::{self, paint};
use crate::sweep::engine::Kind;
use crate::sweep::prune::Pruned;
use crate::sweep::store::{Night, Outline};
use crate::sweep::task::RunEnd;

/// Nights that are listed for people.
const MOST: usize = 30;

/// What there is to say of a store.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The last night.
    pub night: i64,
    /// When it was planned, in seconds since 1970.
    pub began: i64,
    /// Its tasks.
    pub tasks: usize,
    /// Those of them that have a result on their level.
    pub done: usize,
    /// Those that have no result at all.
    pub new: usize,
    /// Those that have one with a smaller budget.
    pub deeper: usize,
    /// Those that cannot be checked.
    pub problems: usize,
    /// Seconds of the processor that what is left will take, about.
    pub left: u64,
    /// All nights.
    pub nights: Vec<i64>,
    /// What there is to say of each.
    pub history: Vec<Past>,
    /// Where the work is done, if a cluster does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Away>,
    /// The name of the store's content ([`crate::sweep::store::Store::content`]), if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The work of a night that a cluster does.
#[derive(Clone, Debug, Serialize)]
pub struct Away {
    /// By which engine.
    pub engine: Kind,
    /// What its queue calls it; null: it was not handed in yet.
    pub job: Option<String>,
    /// The shards.
    pub shards: usize,
    /// Those that have all their results.
    pub done: usize,
    /// Where the log of each is, with `N` for its number.
    pub logs: PathBuf,
}

impl Away {
    fn line(&self) -> String {
        let engine = match self.engine {
            Kind::Local => "this machine",
            Kind::Slurm => "Slurm",
            Kind::Hq => "HyperQueue",
        };
        let job = self.job.as_deref();
        let job = job.map_or(" (not handed in)".to_string(), |j| format!(", job {j}"));
        format!(
            "on {engine}{job}: {} of {} done, logs in {}",
            self.done,
            crate::report::count(self.shards, "shard"),
            self.logs.display()
        )
    }
}

/// What there is to say of a night.
#[derive(Clone, Debug, Serialize)]
pub struct Past {
    /// Its number.
    pub night: i64,
    /// When it was planned.
    pub began: String,
    /// Its tasks.
    pub tasks: u64,
    /// Those that were checked.
    pub checked: u64,
    /// What was found in them.
    pub findings: u64,
    /// Which irkiss checked.
    pub engine: String,
    /// How its last run ended; null: it was not run.
    pub run: Option<RunEnd>,
}

impl Past {
    /// Of a night.
    pub fn of(night: &Night, run: Option<RunEnd>, outline: Outline) -> Past {
        Past {
            night: night.number,
            began: date(night.began),
            tasks: outline.tasks,
            checked: outline.checked,
            findings: outline.findings,
            engine: night.engine.clone(),
            run,
        }
    }

    fn line(&self) -> String {
        let count =
            |n: u64, what| crate::report::count(usize::try_from(n).unwrap_or(usize::MAX), what);
        let mut line = format!(
            "{:>4}  {}  {}, {} checked, {}",
            self.night,
            self.began,
            count(self.tasks, "module"),
            self.checked,
            count(self.findings, "finding")
        );
        let why = match &self.run {
            Some(RunEnd::Time(seconds)) => {
                format!(
                    "; ended by --time {}",
                    duration(Duration::from_secs(*seconds))
                )
            }
            Some(RunEnd::Asked) => "; interrupted".to_string(),
            Some(RunEnd::Begun) => "; it runs".to_string(),
            Some(RunEnd::Killed) => "; its run was killed".to_string(),
            Some(RunEnd::Lost) => "; its processes or machines were lost".to_string(),
            Some(RunEnd::Failed(line)) => format!("; could not go on: {line}"),
            Some(RunEnd::Done) | None => String::new(),
        };
        line.push_str(&why);
        line
    }
}

/// What `irkiss sweep prune` has removed, on a line; how many nights are left.
pub fn pruned(pruned: Pruned, left: usize) -> String {
    let count = |n, what| crate::report::count(n, what);
    let Pruned {
        nights,
        results,
        files,
        bytes,
    } = pruned;
    let left = count(left, "night");
    if pruned == Pruned::default() {
        return format!("nothing to remove; {left}\n");
    }
    format!(
        "removed: {}, {}, {} of bitcode ({} KiB); {left} left\n",
        count(nights, "night"),
        count(results, "result"),
        count(files, "file"),
        bytes.div_ceil(1024)
    )
}

/// A night that has just been planned, on a line.
pub fn line(status: &Status) -> String {
    let mut out = format!(
        "night {}: {}, {} done before, {} to do",
        status.night,
        crate::report::count(status.tasks, "module"),
        status.done,
        status.new + status.deeper
    );
    if status.deeper > 0 {
        out.push_str(&format!(
            " ({} of these with a larger budget)",
            status.deeper
        ));
    }
    if status.problems > 0 {
        out.push_str(&format!(", {} that cannot be checked", status.problems));
    }
    if status.left > 0 {
        let left = duration(Duration::from_secs(status.left));
        out.push_str(&format!("; about {left} of the processor"));
    }
    out.push('\n');
    out
}

/// For people.
pub fn render(status: &Status) -> String {
    let mut out = String::new();
    let head = format!("night {} of {}", status.night, date(status.began));
    line!(out, "{}", paint(style::STRONG, head));
    let count = |n, what| crate::report::count(n, what);
    line!(
        out,
        "{}: {} done, {} to do",
        count(status.tasks, "module"),
        status.done,
        status.new + status.deeper
    );
    if status.deeper > 0 {
        line!(
            out,
            "  {} of these with a larger budget than before",
            status.deeper
        );
    }
    if status.problems > 0 {
        line!(
            out,
            "  {} cannot be checked (irkiss sweep report says why)",
            status.problems
        );
    }
    if status.left > 0 {
        let left = duration(Duration::from_secs(status.left));
        line!(out, "what is left takes about {left} of the processor");
    }
    if let Some(away) = &status.elsewhere {
        line!(out, "{}", away.line());
    }
    line!(out, "nights:");
    let more = status.history.len().saturating_sub(MOST);
    if more > 0 {
        line!(out, "  … {more} before (--format json has all)");
    }
    for past in &status.history[more..] {
        line!(out, "{}", past.line());
    }
    if let Some(content) = &status.content {
        line!(out, "content: {content}");
    }
    out
}

/// For scripts.
pub fn json(status: &Status) -> String {
    crate::report::json::text(status)
}
