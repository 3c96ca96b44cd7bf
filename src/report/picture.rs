//! The interleaving in few steps: what ran before in a sentence, then what decides, each thread in a column over its source.
//!
//! What decides are the accesses to the memory that the finding is about, the locks, and what one thread writes and the other reads. What
//! is left of the room goes to the last reads before the end: branches depend on them. The models and the harness are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::snippet::Sources;
use super::style::{FAINT, STRONG, paint};
use super::{count, interleaving};
use crate::bugs::id::base;
use crate::verdict::{Does, Event, Finding, Frame, Memory};

/// Rows at most.
const ROWS: usize = 14;
/// Columns that the text of a thread has at least.
const NARROW: usize = 24;

/// A row: the steps of one thread on one line of the source.
pub(super) struct Row<'a> {
    /// Of the thread that takes them.
    pub thread: u32,
    /// In the driver's own file.
    pub at: &'a Frame,
    /// The function of a header that it stands in, if it does.
    pub within: Option<&'a str>,
    /// What is done.
    pub steps: Vec<&'a Does>,
    /// Whether it is one of the accesses that the finding is about.
    pub last: bool,
    /// What it says instead: that a function is called, or what the thread is about to do.
    pub says: Option<String>,
}

/// The steps that decide.
pub(super) struct Picture<'a> {
    /// What had run before the threads met, in order, each once.
    pub before: Vec<&'a str>,
    /// Steps of that, and steps left out since.
    pub left_out: usize,
    /// What decides, in order.
    pub rows: Vec<Row<'a>>,
}

/// Of a finding.
pub(super) fn of(finding: &Finding) -> Picture<'_> {
    let begin = begin(finding);
    let mut before: Vec<&str> = Vec::new();
    for event in &finding.events[..begin] {
        if !event.entry.is_empty() && before.last() != Some(&event.entry.as_str()) {
            before.push(&event.entry);
        }
    }
    before.dedup();
    let events: Vec<&Event> = finding.events[begin..].iter().collect();
    // The accesses of the finding come last.
    let last = match finding.kind {
        crate::verdict::FindingKind::DataRace => finding.accesses.len().min(events.len()),
        _ => 0,
    };
    let chosen = chosen(finding, &events, events.len() - last);
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut calls = Calls::default();
    for (n, event) in events.iter().enumerate() {
        let is_last = n >= events.len() - last;
        calls.see(event);
        if !is_last && !chosen.contains(&n) {
            continue;
        }
        let at = event.called_at.as_ref().unwrap_or(&event.at);
        if let Some(says) = calls.take(event.thread) {
            rows.push(Row {
                thread: event.thread,
                at,
                within: None,
                steps: Vec::new(),
                last: false,
                says: Some(says),
            });
        }
        match rows.last_mut() {
            Some(row)
                if !is_last
                    && !row.last
                    && row.says.is_none()
                    && row.thread == event.thread
                    && row.at.line == at.line
                    && row.at.file == at.file =>
            {
                row.steps.push(&event.does);
            }
            _ => rows.push(Row {
                thread: event.thread,
                at,
                within: event.called_at.as_ref().map(|_| event.at.function.as_str()),
                steps: vec![&event.does],
                last: is_last,
                says: None,
            }),
        }
    }
    rows.extend(ahead(finding));
    let shown: usize = rows.iter().map(|r| r.steps.len()).sum();
    Picture {
        before,
        left_out: finding.events.len() - shown,
        rows,
    }
}

/// Entry points that a thread executes one after the other.
#[derive(Default)]
struct Calls<'a> {
    /// Of a thread: what it executes, whether it came there from elsewhere, and whether that was told.
    now: BTreeMap<u32, (&'a str, bool)>,
    /// What it has executed before.
    told: BTreeSet<u32>,
}

impl<'a> Calls<'a> {
    fn see(&mut self, event: &'a Event) {
        let (entry, fresh) = self.now.entry(event.thread).or_default();
        if *entry != event.entry {
            *entry = &event.entry;
            *fresh = !event.entry.is_empty();
        }
    }

    /// What to say before the next row of a thread: that it is in another call than in the row before.
    fn take(&mut self, thread: u32) -> Option<String> {
        let (entry, fresh) = self.now.get_mut(&thread)?;
        let begins = std::mem::take(fresh);
        // The first one stands at the head of the column.
        let first = self.told.insert(thread);
        (begins && !first).then(|| format!("{entry}() is called:"))
    }
}

/// What the threads are about to do, where it is no access to memory: the locks that they wait for.
fn ahead(finding: &Finding) -> Vec<Row<'_>> {
    use crate::verdict::FindingKind as K;
    let told = |a: &crate::verdict::Access| match (&a.waits_for, finding.kind) {
        (_, K::DataRace | K::Assertion | K::UseAfterFree | K::Atomicity) => None,
        (Some(lock), _) => Some(format!("waits for {lock}")),
        (None, _) if interleaving::is_past(&a.kind) => Some(a.kind.clone()),
        (None, _) => Some(format!(
            "{} {}",
            interleaving::does(&a.kind),
            finding.location
        )),
    };
    let rows = finding.accesses.iter().filter_map(|a| {
        Some(Row {
            thread: a.thread,
            at: a.at()?,
            within: None,
            steps: Vec::new(),
            last: true,
            says: Some(format!("*** {} ***", told(a)?)),
        })
    });
    rows.collect()
}

/// The first event after which the threads of the finding run: what comes before is preparation.
fn begin(finding: &Finding) -> usize {
    let own: Vec<u32> = finding.accesses.iter().map(|a| a.thread).collect();
    let started = |n: u32| {
        finding.events.iter().position(|e| match &e.does {
            Does::Starts { thread, .. } => *thread == n,
            _ => false,
        })
    };
    let first_entry = finding.events.iter().find(|e| !e.entry.is_empty());
    // The last time that the thread comes to it from elsewhere: it may have run before, for a file that is open.
    let entered = |n: u32, entry: &str| {
        if entry.is_empty() || first_entry.is_none_or(|e| e.entry == entry) {
            return None;
        }
        let events = finding.events.iter().enumerate();
        let own = events.filter(|(_, e)| e.thread == n);
        let (mut last, mut before) = (None, "");
        for (at, event) in own {
            if event.entry == entry && before != entry {
                last = Some(at);
            }
            before = &event.entry;
        }
        last
    };
    let starts = own.iter().filter_map(|n| started(*n));
    let enters = finding
        .accesses
        .iter()
        .filter_map(|a| entered(a.thread, &a.entry_point));
    let begin = starts.chain(enters).min().unwrap_or(0);
    // One that did nothing else would be without a row.
    begin.min(finding.events.len())
}

/// The numbers of the steps that decide, among those before the last ones.
fn chosen(finding: &Finding, events: &[&Event], end: usize) -> BTreeSet<usize> {
    let place = finding.location.as_str();
    let hidden = |e: &Event| e.at.line == 0 || e.memory == Memory::Harness;
    let shared = shared(events);
    let decides = deciding(finding, events);
    let importance = |e: &Event| match &e.does {
        _ if hidden(e) => None,
        does if does.place() == Some(place) => Some(0),
        Does::Frees(_) | Does::UsesFreed(_) | Does::Fails | Does::Ends => Some(0),
        Does::Starts { .. } => None,
        Does::Locks { lock, .. } | Does::Unlocks { lock, .. }
            if decides.contains(lock.as_str()) =>
        {
            Some(1)
        }
        Does::Locks { .. } | Does::Unlocks { .. } => Some(3),
        does if does.place().is_some_and(|p| shared.contains(p)) => Some(1),
        _ if e.memory == Memory::Local => None,
        Does::Asserts | Does::Gets { .. } => Some(2),
        does if e.called_at.is_none() && !does.writes() => Some(2),
        _ => None,
    };
    let mut ranked: Vec<(u32, usize)> = (0..end)
        .filter_map(|n| Some((importance(events[n])?, n)))
        .collect();
    // The nearest to the end first.
    ranked.sort_by_key(|(rank, n)| (*rank, std::cmp::Reverse(*n)));
    let room = ROWS.saturating_sub(events.len() - end);
    let mut lines = BTreeSet::new();
    let mut chosen = BTreeSet::new();
    for (_, n) in ranked {
        let at = events[n].called_at.as_ref().unwrap_or(&events[n].at);
        lines.insert((events[n].thread, &at.file, at.line));
        if lines.len() > room {
            break;
        }
        chosen.insert(n);
    }
    chosen
}

/// The locks that are held at the end, and those that several threads use.
fn deciding<'a>(finding: &'a Finding, events: &[&'a Event]) -> BTreeSet<&'a str> {
    let held = finding.accesses.iter().flat_map(|a| &a.locks);
    let mut all: BTreeSet<&str> = held.map(|l| l.trim_end_matches(" (read)")).collect();
    all.extend(
        finding
            .accesses
            .iter()
            .filter_map(|a| a.waits_for.as_deref()),
    );
    let mut users: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for event in events {
        if let Does::Locks { lock, .. } = &event.does {
            users.entry(lock).or_default().insert(event.thread);
        }
    }
    all.extend(users.iter().filter(|(_, t)| t.len() > 1).map(|(l, _)| *l));
    all
}

/// Memory that one thread writes and another one uses.
fn shared<'a>(events: &[&'a Event]) -> BTreeSet<&'a str> {
    let mut all = BTreeSet::new();
    for writer in events.iter().filter(|e| e.does.writes()) {
        let Some(place) = writer.does.place() else {
            continue;
        };
        // Local variables of two threads may have one name.
        let local = |e: &Event| e.memory == Memory::Local && writer.memory == Memory::Local;
        let used =
            |e: &&Event| e.thread != writer.thread && e.does.place() == Some(place) && !local(e);
        if events.iter().any(used) {
            all.insert(place);
        }
    }
    all
}

/// As text, at most so many columns wide where no word is longer.
pub(super) fn render(finding: &Finding, sources: &dyn Sources, width: usize) -> String {
    let picture = of(finding);
    let mut out = String::new();
    if picture.rows.is_empty() {
        return out;
    }
    let left_out = format!("({} more, --trace full)", count(picture.left_out, "step"));
    match picture.before.as_slice() {
        [] if picture.left_out == 0 => {}
        [] => line!(out, "{}", paint(FAINT, left_out)),
        names => {
            let text = format!("before: {} {left_out}", names.join(", "));
            for piece in interleaving::wrap(&text, width) {
                line!(out, "{}", paint(FAINT, piece));
            }
        }
    }
    let threads: Vec<u32> = interleaving::threads(finding)
        .into_iter()
        .filter(|t| picture.rows.iter().any(|r| r.thread == *t))
        .collect();
    let mut files: Vec<&str> = picture.rows.iter().map(|r| base(&r.at.file)).collect();
    files.dedup();
    let single = files.len() == 1;
    let place = |at: &Frame| match single {
        true => at.line.to_string(),
        false => format!("{}:{}", base(&at.file), at.line),
    };
    if single {
        line!(out, "{}", paint(FAINT, format!("lines of {}:", files[0])));
    }
    let gutter = picture.rows.iter().map(|r| place(r.at).chars().count());
    let gutter = gutter.max().unwrap_or(0) + 2;
    let column = (width.saturating_sub(gutter) / threads.len().max(1)).max(NARROW);
    let mut head = " ".repeat(gutter);
    for thread in &threads {
        let text = interleaving::heading(finding, *thread);
        head.push_str(&format!("{text:column$}"));
    }
    line!(out, "{}", paint(STRONG, head.trim_end()));
    for row in &picture.rows {
        let Ok(nth) = threads.binary_search(&row.thread) else {
            continue;
        };
        for (n, piece) in interleaving::wrap(&text(row, &finding.location, sources), column - 2)
            .iter()
            .enumerate()
        {
            let place = if n == 0 { place(row.at) } else { String::new() };
            let indent = " ".repeat(nth * column);
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

/// What a row says.
pub(super) struct Told {
    /// The line of the source, without what it is indented by; `None` where it cannot be read: then all steps are among the values.
    pub source: Option<String>,
    /// The values that decide.
    pub values: Vec<String>,
}

/// The line of the source, and the values that decide; what was done, where there is no source.
pub(super) fn text(row: &Row<'_>, location: &str, sources: &dyn Sources) -> String {
    if let Some(says) = &row.says {
        return says.clone();
    }
    let Told { source, values } = told(row, location, sources);
    let (mark, close) = if row.last { ("*** ", " ***") } else { ("", "") };
    let Some(source) = source else {
        return format!("{mark}{}{close}", values.join("; "));
    };
    let within = row.within.map_or(String::new(), |f| format!(" in {f}()"));
    match values.is_empty() {
        true => format!("{mark}{source}{within}{close}"),
        false => format!("{mark}{source}{within}  [{}]{close}", values.join(", ")),
    }
}

/// The same in parts.
pub(super) fn told(row: &Row<'_>, location: &str, sources: &dyn Sources) -> Told {
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
    let source = source.trim_end_matches([' ', '{']);
    let mut values: Vec<String> = Vec::new();
    for does in &row.steps {
        let value = match does {
            _ if row.last => match does {
                // A block is named by its beginning: what matters is what they share.
                Does::Reads { .. } => Some(format!("reads {}", last(place))),
                Does::Writes { .. } => Some(format!("writes {}", last(place))),
                other => Some(step(other)),
            },
            Does::Reads {
                place, value, to, ..
            } if is_told(to.as_deref()) => {
                value.map(|v| format!("{} is {}", last(place), number(v, to.as_deref())))
            }
            Does::Writes {
                place, value, to, ..
            } if is_told(to.as_deref()) => {
                value.map(|v| format!("{} becomes {}", last(place), number(v, to.as_deref())))
            }
            // The source names them.
            Does::Locks { lock, .. } | Does::Unlocks { lock, .. }
                if source.contains(last(lock)) =>
            {
                None
            }
            Does::Gets { from, value } => {
                Some(format!("{from}() returns {}", number(*value, None)))
            }
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
pub(super) fn step(does: &Does) -> String {
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

/// The last part of a name.
fn last(place: &str) -> &str {
    match place.contains('(') {
        true => place,
        false => {
            let name = place.rsplit('.').next().unwrap_or(place);
            name.trim_start_matches('@')
        }
    }
}

/// As the source would write it: what an address leads to, else the number.
pub(super) fn number(value: u64, to: Option<&str>) -> String {
    to.map_or_else(|| crate::verdict::number(value), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn numbers_as_the_source_has_them() {
        assert_eq!(number(7, None), "7");
        assert_eq!(number(0x12d8, None), "0x12d8");
        assert_eq!(number(0xffff_fff4, None), "-12");
        assert_eq!(number(u64::MAX - 21, None), "-22");
        assert_eq!(number(68_721_053_696, Some("&urb")), "&urb");
    }

    #[test]
    fn a_picture_has_few_rows_and_ends_with_the_accesses() {
        let mut finding = sample::race();
        let event = finding.events[0].clone();
        let last = finding.events.split_off(1);
        finding.events = (0..200)
            .map(|n| Event {
                at: Frame {
                    line: 100 + n,
                    ..event.at.clone()
                },
                ..event.clone()
            })
            .collect();
        finding.events.extend(last);
        let picture = of(&finding);
        assert!(picture.rows.len() <= ROWS);
        assert!(picture.rows.last().is_some_and(|r| r.last));
        let text = render(&finding, &sample::Source, 75);
        assert!(text.contains("more, --trace full"), "{text}");
    }
}
