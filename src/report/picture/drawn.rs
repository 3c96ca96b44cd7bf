//! A picture as text: one column for each thread, one row for each step where it fits.

use super::super::snippet::Sources;
use super::super::style::{FAINT, STRONG, paint};
use super::super::{count, interleaving};
use super::{Picture, Row, of};
use crate::bugs::id::base;
use crate::verdict::{Does, Finding, Frame};

/// Columns that stand between the beginnings of two threads' texts: at least, at most.
const STEP: (usize, usize) = (16, 32);
/// Columns that a line of the source is never cut below.
const SOURCE: usize = 18;

/// The file that all rows are of, if it is one.
fn file<'a>(picture: &Picture<'a>) -> Option<&'a str> {
    let mut files: Vec<&str> = picture.rows.iter().map(|r| base(&r.at.file)).collect();
    files.dedup();
    match files.as_slice() {
        [one] if !one.is_empty() => Some(one),
        _ => None,
    }
}

/// What stands above it: how often the threads switch, and the file that the numbers of lines are of.
pub(in crate::report) fn title(finding: &Finding) -> String {
    let switches = count(finding.switches as usize, "context switch");
    match file(&of(finding)) {
        Some(file) => format!("Interleaving ({switches}; lines of {file}):"),
        None => format!("Interleaving ({switches}):"),
    }
}

/// What ran before, in a sentence; empty where nothing did, and no step is left out.
fn before(picture: &Picture<'_>) -> String {
    let left_out = format!("({} more, --trace full)", count(picture.left_out, "step"));
    let lets = match picture.lets.as_slice() {
        [] => String::new(),
        names => format!("; it called {}", names.join(", ")),
    };
    match picture.before.as_slice() {
        [] if picture.left_out == 0 => String::new(),
        [] => left_out,
        names => format!("before: {}{lets} {left_out}", names.join(", ")),
    }
}

/// As text, at most so many columns wide where no word is longer. A thread's rows may run below the columns of later ones.
pub(in crate::report) fn render(finding: &Finding, sources: &dyn Sources, width: usize) -> String {
    let picture = of(finding);
    let mut out = String::new();
    if picture.rows.is_empty() {
        return out;
    }
    let before = before(&picture);
    for piece in interleaving::wrap(&before, width) {
        if !piece.is_empty() {
            line!(out, "{}", paint(FAINT, piece));
        }
    }
    let threads: Vec<u32> = interleaving::threads(finding)
        .into_iter()
        .filter(|t| picture.rows.iter().any(|r| r.thread == *t))
        .collect();
    let single = file(&picture).is_some();
    let place = |at: &Frame| match (at.line, single) {
        (0, _) => String::new(),
        (line, true) => line.to_string(),
        (line, false) => format!("{}:{line}", base(&at.file)),
    };
    let gutter = picture.rows.iter().map(|r| place(r.at).chars().count());
    let gutter = gutter.max().unwrap_or(0) + 2;
    let headings: Vec<String> = threads
        .iter()
        .map(|t| interleaving::heading(finding, *t))
        .collect();
    let others = &headings[..headings.len().saturating_sub(1)];
    let widest = others.iter().map(|h| h.chars().count() + 2).max();
    let even = width.saturating_sub(gutter) / threads.len().max(1);
    let step = widest
        .unwrap_or(0)
        .clamp(STEP.0, STEP.1.min(even).max(STEP.0));
    let mut head = " ".repeat(gutter);
    for (n, heading) in headings.iter().enumerate() {
        let room = width.saturating_sub(heading.chars().count());
        let from = (gutter + n * step).min(room);
        // One that is longer than its column begins a line of its own.
        if head.trim_end().chars().count() + 1 > from && n > 0 {
            line!(out, "{}", paint(STRONG, head.trim_end()));
            head = String::new();
        }
        head = format!("{head:from$}{heading}");
    }
    line!(out, "{}", paint(STRONG, head.trim_end()));
    for row in &picture.rows {
        let Ok(nth) = threads.binary_search(&row.thread) else {
            continue;
        };
        let room = width.saturating_sub(gutter + nth * step).max(SOURCE);
        let pieces = match row.last {
            true => interleaving::wrap(&text(row, &finding.location, sources), room),
            false => fitted(row, &finding.location, sources, room),
        };
        for (n, piece) in pieces.iter().enumerate() {
            let place = if n == 0 { place(row.at) } else { String::new() };
            let indent = " ".repeat(nth * step);
            let piece = match row.last {
                true => paint(STRONG, piece),
                false => piece.clone(),
            };
            line!(
                out,
                "{}{indent}{piece}",
                paint(FAINT, format!("{place:gutter$}"))
            );
        }
    }
    out
}

/// A step in one row, if that is possible; else the values stand below the line of the source, of which what is too long is cut: its number
/// says where the rest is.
fn fitted(row: &Row<'_>, location: &str, sources: &dyn Sources, room: usize) -> Vec<String> {
    let whole = text(row, location, sources);
    let Told { source, values } = told(row, location, sources);
    let Some(source) = source.filter(|_| whole.chars().count() > room) else {
        return interleaving::wrap(&whole, room);
    };
    let line = match source.chars().count() > room {
        true => {
            let cut: String = source.chars().take(room.saturating_sub(2)).collect();
            format!("{} …", cut.trim_end())
        }
        false => source,
    };
    let below = join("", row.within, &values);
    let indent = "  ";
    let below = interleaving::wrap(below.trim_start(), room.saturating_sub(indent.len()));
    let below = below.into_iter().filter(|piece| !piece.is_empty());
    std::iter::once(line)
        .chain(below.map(|piece| format!("{indent}{piece}")))
        .collect()
}

/// A line of the source without the remarks behind it.
fn without_remarks(line: &str) -> &str {
    let ends = ["/*", "//"]
        .into_iter()
        .filter_map(|start| line.find(start));
    // In a string such a thing is none.
    let end = ends.min().filter(|at| !line[..*at].contains('"'));
    match end.map(|at| line[..at].trim_end()) {
        Some(code) if !code.is_empty() => code,
        _ => line,
    }
}

/// A line of the source, the helper that it stands in, and the values.
fn join(source: &str, within: Option<&str>, values: &[String]) -> String {
    let within = within.map_or(String::new(), |f| format!(" in {f}()"));
    match values.is_empty() {
        true => format!("{source}{within}"),
        false => format!("{source}{within}  [{}]", values.join(", ")),
    }
}

/// What a row says.
pub(in crate::report) struct Told {
    /// The line of the source, without what it is indented by; `None` where it cannot be read: then all steps are among the values.
    pub source: Option<String>,
    /// The values that decide.
    pub values: Vec<String>,
}

/// The line of the source, and the values that decide; what was done, where there is no source.
pub(in crate::report) fn text(row: &Row<'_>, location: &str, sources: &dyn Sources) -> String {
    if let Some(says) = &row.says {
        return says.clone();
    }
    let Told { source, values } = told(row, location, sources);
    let mark = if row.last { "*** " } else { "" };
    let Some(source) = source else {
        let function = match (row.at.line, row.at.function.as_str()) {
            (0, name) if !name.is_empty() => format!("{name}(): "),
            _ => String::new(),
        };
        return format!("{mark}{function}{}", values.join("; "));
    };
    let values: Vec<String> = match row.last {
        true => values.iter().map(|v| brief(v, &source, location)).collect(),
        false => values,
    };
    format!("{mark}{}", join(&source, row.within, &values))
}

/// The same in parts.
pub(in crate::report) fn told(row: &Row<'_>, location: &str, sources: &dyn Sources) -> Told {
    if let Some(says) = &row.says {
        return Told {
            source: None,
            values: vec![says.clone()],
        };
    }
    let place = location;
    let source = sources.line(&row.at.file, row.at.line);
    let source = source.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    let Some(source) = source.filter(|l| !l.is_empty()) else {
        return Told {
            source: None,
            values: row.steps.iter().map(|s| step(s)).collect(),
        };
    };
    let source = without_remarks(source.trim_end_matches([' ', '{']));
    let masked = has_mask(source);
    let number = |value: u64, to: Option<&str>| match to {
        None if masked && value > 9 && value < 1024 => format!("{value:#x}"),
        _ => number(value, to),
    };
    let mut values: Vec<String> = Vec::new();
    for does in &row.steps {
        let value = match does {
            _ if row.last => match does {
                // A block is named by its beginning: what matters is what they share.
                Does::Reads { .. } => Some(format!("reads {}", last(place))),
                Does::Writes { .. } => Some(format!("writes {}", last(place))),
                Does::Updates { before, after, .. } => Some(updates(&last(place), *before, *after)),
                other => Some(step(other)),
            },
            does if does.place().is_some_and(is_nameless) => None,
            Does::Reads {
                place, value, to, ..
            } if is_told(to.as_deref()) => {
                value.map(|v| format!("{} is {}", last(place), number(v, to.as_deref())))
            }
            Does::Writes {
                place, value, to, ..
            } if is_told(to.as_deref()) => value
                .map(|v| number(v, to.as_deref()))
                .filter(|v| !source.ends_with(&format!("= {v};")))
                .map(|v| format!("{} becomes {v}", last(place))),
            Does::Updates {
                place,
                before,
                after,
            } => Some(updates(&last(place), *before, *after)),
            // The source names them.
            Does::Locks { lock, .. } | Does::Unlocks { lock, .. }
                if source.contains(&last(lock)) =>
            {
                None
            }
            Does::Gets { from, value } if source.contains(&format!("{from}(")) => {
                Some(format!("returns {}", number(*value, None)))
            }
            Does::Gets { from, value } => {
                Some(format!("{from}() returns {}", number(*value, None)))
            }
            Does::Lets { .. } => Some("others may start".to_string()),
            Does::Asserts | Does::Ends | Does::Reads { .. } | Does::Writes { .. } => None,
            other => Some(step(other)),
        };
        let Some(value) = value else { continue };
        // Of a loop, the last round.
        let what = |v: &String| v.split(' ').take(2).map(str::to_string).collect::<Vec<_>>();
        values.retain(|v| what(v) != what(&value));
        values.push(value);
    }
    Told {
        source: Some(source.to_string()),
        values,
    }
}

/// Whether it matters where an address leads: to a function. That it leads to an object is what one expects.
fn is_told(to: Option<&str>) -> bool {
    to.is_none_or(|name| !name.starts_with('&'))
}

/// In words, with values as the source would write them.
pub(in crate::report) fn step(does: &Does) -> String {
    match does {
        Does::Reads {
            place,
            value: Some(v),
            to,
            ..
        } => {
            format!("reads {} from {place}", number(*v, to.as_deref()))
        }
        Does::Writes {
            place,
            value: Some(v),
            to,
            ..
        } => {
            format!("writes {} to {place}", number(*v, to.as_deref()))
        }
        other => other.to_string(),
    }
}

/// What is done to memory, which is named where the source does not name it.
fn brief(value: &str, source: &str, location: &str) -> String {
    let name = last(location);
    match value.strip_suffix(&format!(" {name}")) {
        Some(verb) if source.contains(&name) => verb.to_string(),
        _ => value.to_string(),
    }
}

/// What an atomic update does: bits that are set or cleared are told as such.
fn updates(place: &str, before: u64, after: u64) -> String {
    match (after & !before, before & !after) {
        (0, 0) => format!("{place} stays {}", number(after, None)),
        (set, 0) if set.is_power_of_two() && set > 1 => format!("sets {set:#x} in {place}"),
        (0, cleared) if cleared.is_power_of_two() && cleared > 1 => {
            format!("clears {cleared:#x} in {place}")
        }
        _ => format!(
            "{place} goes from {} to {}",
            number(before, None),
            number(after, None)
        ),
    }
}

/// Whether a line of a source works with single bits: then their numbers are read in hexadecimal.
fn has_mask(source: &str) -> bool {
    let words = source.replace("&&", " ").replace("||", " ");
    let operators = [" & ", " | ", " &= ", " |= ", " << ", "& ~", "_bit("];
    operators.iter().any(|o| words.contains(o))
}

/// Memory that the source has no name for.
fn is_nameless(place: &str) -> bool {
    ["object ", "result(", "heap(", "0x"]
        .iter()
        .any(|s| place.starts_with(s))
}

/// The last part of a name; of memory that is named by who allocated it, without the place.
fn last(place: &str) -> String {
    match place.split_once(" at ") {
        Some((by, at)) if by.contains('(') => {
            let rest = at.split_once(')').map_or("", |(_, rest)| rest);
            format!("{by}){rest}")
        }
        _ if place.contains('(') => place.to_string(),
        _ => {
            let name = place.rsplit('.').next().unwrap_or(place);
            let name = name.trim_start_matches('@').trim_start_matches("struct ");
            name.to_string()
        }
    }
}

/// As the source would write it: what an address leads to, else the number.
pub(in crate::report) fn number(value: u64, to: Option<&str>) -> String {
    to.map_or_else(|| crate::verdict::number(value), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_the_source_has_them() {
        assert_eq!(number(7, None), "7");
        assert_eq!(number(750, None), "750");
        assert_eq!(number(528, None), "0x210");
        assert_eq!(number(0x12d8, None), "0x12d8");
        assert_eq!(number(0xffff_fff4, None), "-12");
        assert_eq!(number(u64::MAX - 21, None), "-22");
        assert_eq!(number(68_721_053_696, Some("&urb")), "&urb");
    }

    #[test]
    fn bits_are_set_and_cleared() {
        assert_eq!(updates("flags", 0x10, 0x210), "sets 0x200 in flags");
        assert_eq!(updates("flags", 0x210, 0x10), "clears 0x200 in flags");
        assert_eq!(updates("users", 3, 4), "users goes from 3 to 4");
        assert!(has_mask("if (x & FLAG)") && !has_mask("if (a && b)"));
    }
}
