//! What a sweep says: of one night, or of one since another.

pub mod json;
pub mod sarif;
pub mod status;
pub mod text;

use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::sweep::changes::{Changes, Found, Snapshot, State};
use crate::sweep::task::Ended;

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
        let tasks = self.now.tasks.iter();
        tasks
            .filter_map(|(name, state)| Some((name.as_str(), state.line()?)))
            .collect()
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

    /// The tasks in which nothing runs beside something else.
    fn without_entries(&self) -> usize {
        let none = |s: &&State| matches!(s.ended, Some((_, Ended::NoEntryPoints, _)));
        self.now.tasks.values().filter(none).count()
    }
}

/// `2026-03-01T02:00:00Z`.
fn date(seconds: i64) -> String {
    let since = Duration::from_secs(u64::try_from(seconds).unwrap_or(0));
    humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + since).to_string()
}

/// `2h 5m 3s`, of whole seconds.
fn duration(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// The command that checks a finding by itself.
fn command(found: Found<'_>, state: &State, here: &Path) -> String {
    let files: Vec<String> = state
        .planned
        .task
        .files
        .iter()
        .map(|f| quoted(f.path.strip_prefix(here).unwrap_or(&f.path)))
        .collect();
    let mut pair: Vec<&str> = found
        .finding
        .accesses
        .iter()
        .map(|a| a.entry_point.as_str())
        .collect();
    pair.truncate(2);
    // Threads of a program are no pair that could be asked for.
    if state
        .report
        .as_ref()
        .is_none_or(|r| r.entry_points.is_empty())
    {
        pair.clear();
    }
    let pair = match pair.as_slice() {
        [a, b] if !a.is_empty() && !b.is_empty() => format!(" --pair {a},{b}"),
        _ => String::new(),
    };
    format!("irkiss{pair} {}", files.join(" "))
}

fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    shlex::try_quote(&text).map_or(text.clone(), |q| q.into_owned())
}
