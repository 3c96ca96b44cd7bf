//! The picture of an interleaving: one column per thread, time downwards, as lockdep draws it.

use super::style::{FAINT, STRONG, paint};
use super::top;
use crate::bugs::id::base;
use crate::verdict::{Act, Does, Event, Finding, FindingKind};

/// Widest column before its text wraps.
const COLUMN: usize = 46;
/// Rows shown at the beginning and at the end of a long interleaving.
const HEAD: usize = 20;
const TAIL: usize = 60;

struct Row {
    place: String,
    /// Index of the column.
    column: usize,
    text: String,
}

/// The interleaving of a finding; empty where no event is known.
pub(super) fn render(finding: &Finding) -> String {
    let threads = threads(finding);
    if threads.is_empty() {
        return String::new();
    }
    let rows = rows(finding, &threads);
    let headings: Vec<String> = threads.iter().map(|t| heading(finding, *t)).collect();
    let gutter = rows.iter().map(|r| width(&r.place)).max().unwrap_or(0) + 2;
    let widths: Vec<usize> = (0..threads.len())
        .map(|c| {
            let cells = rows.iter().filter(|r| r.column == c);
            let widest = cells.map(|r| width(&r.text)).max().unwrap_or(0);
            widest.min(COLUMN).max(width(&headings[c])) + 3
        })
        .collect();

    let mut out = String::new();
    let mut across = |cells: &[String]| {
        let mut line = " ".repeat(gutter);
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(&pad(cell, *width));
        }
        out.push_str(&paint(STRONG, line.trim_end()));
        out.push('\n');
    };
    across(&headings);
    across(&vec!["----".to_string(); headings.len()]);

    let left_out = rows.len().saturating_sub(HEAD + TAIL);
    for (n, row) in rows.iter().enumerate() {
        if left_out > 0 && n == HEAD {
            out.push_str(&format!(
                "  … {left_out} rows left out; --format json has all\n"
            ));
        }
        if left_out > 0 && (HEAD..HEAD + left_out).contains(&n) {
            continue;
        }
        let indent: usize = widths[..row.column].iter().sum();
        for (k, piece) in wrap(&row.text, COLUMN).iter().enumerate() {
            let place = if k == 0 { row.place.as_str() } else { "" };
            out.push_str(&paint(FAINT, pad(place, gutter)));
            out.push_str(&" ".repeat(indent));
            out.push_str(piece);
            out.push('\n');
        }
    }
    out
}

/// The threads that do anything, in order of their numbers.
pub(super) fn threads(finding: &Finding) -> Vec<u32> {
    let mut threads: Vec<u32> = finding
        .events
        .iter()
        .map(|e| e.thread)
        .chain(finding.accesses.iter().map(|a| a.thread))
        .collect();
    threads.sort_unstable();
    threads.dedup();
    threads
}

pub(super) fn heading(finding: &Finding, thread: u32) -> String {
    match finding.accesses.iter().find(|a| a.thread == thread) {
        Some(a) if !a.entry_point.is_empty() => format!("CPU{thread}: {}", a.entry_point),
        _ => match started_as(finding, thread) {
            Some(function) => format!("CPU{thread}: {function}"),
            None => match finding
                .events
                .iter()
                .find(|e| e.thread == thread && !e.entry.is_empty())
            {
                Some(event) => format!("CPU{thread}: {}", event.entry),
                None => format!("CPU{thread}"),
            },
        },
    }
}

/// The start function of a thread that has no access of its own in the finding, from the event that starts it.
fn started_as(finding: &Finding, thread: u32) -> Option<&str> {
    finding.events.iter().find_map(|e| match &e.does {
        Does::Starts {
            thread: n,
            function,
        } if *n == thread => function.as_deref(),
        _ => None,
    })
}

fn rows(finding: &Finding, threads: &[u32]) -> Vec<Row> {
    let mut rows = Vec::new();
    // The function that each thread was last seen in: named again only when it changes.
    let mut inside = vec![String::new(); threads.len()];
    for event in &finding.events {
        let Ok(column) = threads.binary_search(&event.thread) else {
            continue;
        };
        if inside[column] != event.at.function {
            inside[column].clone_from(&event.at.function);
            rows.push(Row {
                place: String::new(),
                column,
                text: format!("{}():", event.at.function),
            });
        }
        rows.push(Row {
            place: short_place(event),
            column,
            text: format!("  {}", event.does),
        });
    }
    // The others have happened already.
    let last = match finding.kind {
        FindingKind::Atomicity => 1,
        _ => finding.accesses.len(),
    };
    for access in finding.accesses.iter().take(last) {
        let Ok(column) = threads.binary_search(&access.thread) else {
            continue;
        };
        let text = match finding.kind {
            FindingKind::DataRace | FindingKind::UseAfterFree | FindingKind::Atomicity => {
                format!("*** {} ***", access.kind)
            }
            FindingKind::Assertion => "*** assertion fails ***".to_string(),
            _ => match &access.waits_for {
                Some(lock) => format!("*** waits for {lock} ***"),
                None if access.kind.is_past() => format!("*** {} ***", access.kind),
                None => format!("*** {} {} ***", does(access.kind), finding.location),
            },
        };
        rows.push(Row {
            place: top(access).map_or(String::new(), |f| format!("{}:{}", base(&f.file), f.line)),
            column,
            text,
        });
    }
    rows
}

/// What a thread does to what the finding is about.
pub(super) fn does(act: Act) -> &'static str {
    match act {
        Act::Acquires => "acquires",
        Act::Releases => "releases",
        Act::Sleeps => "may sleep in",
        Act::Returns => "returns with",
        Act::Uses => "uses",
        other => other.name(),
    }
}

fn short_place(event: &Event) -> String {
    if event.at.line == 0 {
        return String::new();
    }
    format!("{}:{}", base(&event.at.file), event.at.line)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn pad(text: &str, to: usize) -> String {
    format!("{text:to$}")
}

/// Breaks at spaces into pieces of at most `limit` characters (a longer word stays whole); later pieces are indented
/// a little more than the first.
pub(super) fn wrap(text: &str, limit: usize) -> Vec<String> {
    if width(text) <= limit {
        return vec![text.to_string()];
    }
    let indent = &text[..text.len() - text.trim_start().len()];
    let mut pieces = Vec::new();
    let mut line = indent.to_string();
    for word in text.split_whitespace() {
        let empty = line.trim().is_empty();
        if !empty && width(&line) + 1 + width(word) > limit {
            pieces.push(std::mem::replace(&mut line, format!("{indent}  {word}")));
        } else {
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    pieces.push(line);
    pieces
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn long_text_wraps_and_loses_nothing() {
        let text = "  one two three four";
        let pieces = wrap(text, 9);
        assert_eq!(pieces, ["  one two", "    three", "    four"]);
        assert_eq!(wrap("unbreakable_word", 4), ["unbreakable_word"]);
    }

    #[test]
    fn every_thread_has_a_heading() {
        let mut finding = sample::race();
        finding.accesses.truncate(1);
        finding.events[0].does = Does::Starts {
            thread: 1,
            function: Some("worker".into()),
        };
        let text = render(&finding);
        let first = text.lines().next().expect("headings");
        assert!(first.contains("CPU0: demo_open") && first.contains("CPU1: worker"));
    }

    #[test]
    fn long_interleavings_keep_both_ends() {
        let mut finding = sample::race();
        let event = finding.events[0].clone();
        finding.events = (0..200)
            .map(|n| Event {
                does: Does::Frees(format!("step {n}")),
                ..event.clone()
            })
            .collect();
        let text = render(&finding);
        assert!(text.contains("step 0\n") && text.contains("step 199\n"));
        assert!(text.contains("rows left out") && !text.contains("step 100\n"));
        assert!(text.lines().count() < HEAD + TAIL + 6);
    }
}
