//! A night for scripts: one object. More names may come, none goes.

use serde::Serialize;

use super::{Picture, date};
use crate::sweep::changes::{Changes, Found};
use crate::sweep::reading::{Counts, Finding};
use crate::sweep::task::{Ended, RunEnd};
use crate::sweep::{budget, words};
use crate::verdict::Overall;

#[derive(Serialize)]
struct Report<'a> {
    irkiss: &'static str,
    night: i64,
    began: String,
    /// Which irkiss checked, with which options on the first level.
    engine: &'a str,
    options: String,
    /// How its last run ended; null: it was not run.
    run: Option<&'a RunEnd>,
    /// Modules that did not get all that was planned for them.
    left: usize,
    since: Option<&'a str>,
    regions: Counts,
    /// With `since`.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<ChangesOut<'a>>,
    findings: Vec<FoundOut<'a>>,
    /// Findings that are not told, since the source or a configuration allows them.
    allowed: usize,
    tasks: Vec<TaskOut<'a>>,
}

#[derive(Serialize)]
struct ChangesOut<'a> {
    new: Vec<&'a str>,
    fixed: Vec<FoundOut<'a>>,
    /// Findings that this night neither found nor showed to be gone.
    carried: Vec<FoundOut<'a>>,
    no_longer_decided: Vec<LostOut<'a>>,
    added: &'a [&'a str],
    gone: &'a [&'a str],
    /// Modules that the other night did not check.
    checked_again: Vec<AgainOut<'a>>,
    /// In what this night was checked otherwise than the other one.
    checked_otherwise: &'a [String],
    /// Modules whose code is as it was, and what is not.
    same_code: Vec<SameOut<'a>>,
}

#[derive(Serialize)]
struct AgainOut<'a> {
    task: &'a str,
    /// The night that checked it last.
    last: i64,
}

#[derive(Serialize)]
struct SameOut<'a> {
    task: &'a str,
    other: &'static str,
}

#[derive(Serialize)]
struct LostOut<'a> {
    task: &'a str,
    /// 0: the task has no report any more.
    regions: usize,
    example: &'a str,
}

#[derive(Serialize)]
struct FoundOut<'a> {
    task: &'a str,
    #[serde(flatten)]
    finding: &'a Finding,
}

#[derive(Serialize)]
struct TaskOut<'a> {
    name: &'a str,
    /// The name of its content.
    key: &'a str,
    /// The budget of its result; null: it has none yet.
    level: Option<u32>,
    verdict: Option<Overall>,
    /// What ended it before its time.
    stopped: Option<&'a str>,
    regions: Counts,
    /// Why there is no report.
    problem: Option<String>,
    /// Of one that was not checked: the last night that did, and how much it found.
    last_checked: Option<i64>,
    last_findings: Option<u64>,
    /// Milliseconds of the processor.
    cpu: Option<u64>,
    /// KiB at most.
    memory: Option<u64>,
}

/// The object, indented, with a line feed at the end.
pub fn render(picture: Picture<'_>) -> String {
    let now = picture.now;
    let tasks = now.tasks.iter().map(|(name, state)| {
        let summary = match &state.ended {
            Some((_, Ended::Reported(summary), _)) => Some(summary),
            _ => None,
        };
        TaskOut {
            name,
            key: &state.planned.key,
            level: state.ended.as_ref().map(|(level, ..)| *level),
            verdict: summary.map(|s| s.verdict),
            stopped: summary.and_then(|s| s.stopped.as_deref()),
            regions: state.regions(),
            problem: now.line(state),
            last_checked: state.last.map(|l| l.night),
            last_findings: state.last.map(|l| l.findings),
            cpu: state.ended.as_ref().map(|(.., cost)| cost.cpu),
            memory: state.ended.as_ref().map(|(.., cost)| cost.memory),
        }
    });
    crate::report::json::text(&Report {
        irkiss: env!("CARGO_PKG_VERSION"),
        night: now.night,
        began: date(now.planned.began),
        engine: &now.planned.engine,
        options: words::of(&budget::at(&now.planned.options, 0)).join(" "),
        run: now.run.as_ref(),
        left: picture.left(),
        since: picture.since.map(|(name, _)| name),
        regions: now.regions(),
        changes: picture.since.map(|(_, c)| changes(c)),
        findings: now.findings().into_iter().map(found).collect(),
        allowed: now.allowed,
        tasks: tasks.collect(),
    })
}

fn found(found: Found<'_>) -> FoundOut<'_> {
    FoundOut {
        task: found.task,
        finding: found.finding,
    }
}

fn changes<'a>(changes: &'a Changes<'a>) -> ChangesOut<'a> {
    let lost = changes.lost.iter().map(|l| LostOut {
        task: &l.task,
        regions: l.regions,
        example: &l.example,
    });
    ChangesOut {
        new: changes
            .new
            .iter()
            .map(|f| f.finding.fingerprint.as_str())
            .collect(),
        fixed: changes.fixed.iter().copied().map(found).collect(),
        carried: changes.carried.iter().copied().map(found).collect(),
        no_longer_decided: lost.collect(),
        added: &changes.added,
        gone: &changes.gone,
        checked_again: changes
            .back
            .iter()
            .map(|(task, last)| AgainOut { task, last: *last })
            .collect(),
        checked_otherwise: &changes.otherwise,
        same_code: changes
            .causes
            .iter()
            .filter_map(|(task, cause)| {
                let other = cause.other()?;
                Some(SameOut { task, other })
            })
            .collect(),
    }
}
