//! What a sweep says: of one night, or of one since another.

pub mod html;
pub mod json;
pub mod sarif;
pub mod status;
pub mod text;

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::sweep::changes::{Changes, Found, Snapshot, State};
use crate::sweep::history::Last;
use crate::sweep::task::Ended;
use crate::sweep::{budget, words};

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The night.
    pub now: &'a Snapshot,
    /// What has changed since another one: its name, and the changes.
    pub since: Option<(&'a str, &'a Changes<'a>)>,
    /// The folder from which people name files.
    pub here: &'a Path,
}

impl<'a> Picture<'a> {
    /// The tasks that have no report, and why: a line each.
    fn without_report(&self) -> Vec<(&'a str, String)> {
        let now = self.now;
        let line = |state: &State| {
            let line = now.line(state)?;
            Some(match state.last {
                Some(last) => format!(
                    "{line}; night {} checked it last: {}",
                    last.night,
                    found_then(last)
                ),
                None => line,
            })
        };
        let tasks = now.tasks.iter();
        tasks
            .filter_map(|(name, state)| Some((name.as_str(), line(state)?)))
            .collect()
    }

    /// What is different although the code is the same, if that is why a task says something else than before.
    fn other(&self, task: &str) -> Option<&'static str> {
        let (_, changes) = self.since?;
        changes.causes.get(task)?.other()
    }

    /// The tasks of which a larger budget may decide more.
    fn limited(&self) -> usize {
        let limited = |s: &&State| {
            s.ended
                .as_ref()
                .is_some_and(|(_, ended, _)| ended.limited())
        };
        self.now.tasks.values().filter(limited).count()
    }

    /// The tasks that did not get all that was planned for them.
    fn left(&self) -> usize {
        let level = |s: &State| s.ended.as_ref().map(|(level, ..)| *level);
        let left = |s: &&State| !s.planned.key.is_empty() && level(s) != Some(s.planned.level);
        self.now.tasks.values().filter(left).count()
    }

    /// The tasks in which nothing runs beside something else.
    fn without_entries(&self) -> usize {
        let none = |s: &&State| matches!(s.ended, Some((_, Ended::NoEntryPoints, _)));
        self.now.tasks.values().filter(none).count()
    }
}

fn found_then(last: Last) -> String {
    match last.findings {
        0 => "nothing found".to_string(),
        n => super::count(usize::try_from(n).unwrap_or(usize::MAX), "finding"),
    }
}

/// `2026-03-01T02:00:00Z`.
fn date(seconds: i64) -> String {
    let since = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + since).to_string()
}

/// The moment, for a log.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// `2h 5m 3s`, of whole seconds.
fn duration(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// The command that checks a finding by itself, with all that the sweep said to the check.
fn command(found: Found<'_>, night: &Snapshot, state: &State, here: &Path) -> String {
    let files = state.planned.task.files.iter();
    let files: Vec<String> = files
        .map(|f| f.path.strip_prefix(here).unwrap_or(&f.path))
        .map(|f| words::quoted(&f.display().to_string()))
        .collect();
    let level = state
        .ended
        .as_ref()
        .map_or(state.planned.level, |(l, ..)| *l);
    let mut options = budget::at(&night.planned.options, level);
    let accesses = found.finding.accesses.iter();
    let mut pair: Vec<String> = accesses.map(|a| a.entry_point.clone()).collect();
    pair.truncate(2);
    // Threads of a program are no pair that could be asked for; one of a scenario of more has no race without the others.
    let entries = state.report.as_ref().map_or(0, |r| r.entry_points.len());
    let whole = pair.len() == 2 && pair.iter().all(|n| !n.is_empty());
    if entries > 0 && whole && options.pair.is_none() && !options.triples {
        options.pair = Some(pair);
    }
    format!(
        "irkiss {} {}",
        words::of(&options).join(" "),
        files.join(" ")
    )
}
