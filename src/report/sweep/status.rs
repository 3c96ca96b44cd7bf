//! How far a sweep is.

use std::time::Duration;

use serde::Serialize;

use super::{date, duration};
use crate::report::style::{self, paint};

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
    /// The name of the store's content ([`crate::sweep::store::Store::content`]), if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
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
    let nights: Vec<String> = status.nights.iter().map(i64::to_string).collect();
    line!(out, "nights: {}", nights.join(", "));
    if let Some(content) = &status.content {
        line!(out, "content: {content}");
    }
    out
}

/// For scripts.
pub fn json(status: &Status) -> String {
    crate::report::json::text(status)
}
