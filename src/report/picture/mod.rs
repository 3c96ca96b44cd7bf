//! The interleaving in few steps: what ran before in a sentence, then what decides, each thread in a column over its source.
//!
//! What decides are the accesses to the memory that the finding is about, the locks, what one thread writes and the other reads, and the
//! calls that let another thread start. What is left of the room goes to the last reads and answers that a branch depends on. What a thread
//! executed before it came to the entry point that the finding is about is no part of its column, unless another thread of the finding was
//! already in its own (one closes a file, so that the other can open one). The models and the harness are left out.

mod drawn;

pub(super) use drawn::{number, render, step, title, told};

use std::collections::{BTreeMap, BTreeSet};

use super::interleaving;
use crate::program::Touch;
use crate::verdict::{Access, Does, Event, Finding, Frame, Memory};

/// Rows at most.
const ROWS: usize = 10;
/// Calls that let threads start, of what ran before, that are named.
const NAMED: usize = 3;

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
    /// The last calls of that which let another thread start, in order, each once.
    pub lets: Vec<&'a str>,
    /// Steps of that, and steps left out since.
    pub left_out: usize,
    /// What decides, in order.
    pub rows: Vec<Row<'a>>,
}

/// Of a finding.
pub(super) fn of(finding: &Finding) -> Picture<'_> {
    let begin = begin(finding);
    // Of a thread: where it came to the entry point that the finding is about.
    let came: BTreeMap<u32, usize> = finding
        .accesses
        .iter()
        .filter_map(|a| Some((a.thread, entered(finding, a.thread, &a.entry_point)?)))
        .collect();
    let is_earlier = |n: usize, e: &Event| {
        let not_yet = came.get(&e.thread).is_some_and(|from| n < *from);
        n < begin || (not_yet && !is_beside(finding, e.thread, n))
    };
    let all = finding.events.iter().enumerate();
    let (earlier, events): (Vec<_>, Vec<_>) = all.partition(|(n, e)| is_earlier(*n, e));
    let events: Vec<&Event> = events.into_iter().map(|(_, e)| e).collect();
    let (before, lets) = prepared(earlier.into_iter().map(|(_, e)| e));
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
        lets,
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
        (None, _) if a.kind.is_past() => Some(a.kind.to_string()),
        (None, _) => Some(format!(
            "{} {}",
            interleaving::does(a.kind),
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
    let starts = own.iter().filter_map(|n| started(*n));
    let enters = finding
        .accesses
        .iter()
        .filter_map(|a| entered(finding, a.thread, &a.entry_point));
    let begin = starts.chain(enters).min().unwrap_or(0);
    // One that did nothing else would be without a row.
    begin.min(finding.events.len())
}

/// The last time that a thread comes to an entry point from elsewhere: it may have run before, for a file that is open.
fn entered(finding: &Finding, thread: u32, entry: &str) -> Option<usize> {
    let first_entry = finding.events.iter().find(|e| !e.entry.is_empty());
    if entry.is_empty() || first_entry.is_none_or(|e| e.entry == entry) {
        return None;
    }
    let events = finding.events.iter().enumerate();
    let own = events.filter(|(_, e)| e.thread == thread);
    let (mut last, mut before) = (None, "");
    for (at, event) in own {
        if event.entry == entry && before != entry {
            last = Some(at);
        }
        before = &event.entry;
    }
    last
}

/// Whether another thread of the finding is in its entry point when that one takes its step `n`.
fn is_beside(finding: &Finding, thread: u32, n: usize) -> bool {
    let of_others = |e: &Event| {
        let own = |a: &crate::verdict::Access| a.thread == e.thread && a.entry_point == e.entry;
        e.thread != thread && finding.accesses.iter().any(own)
    };
    finding.events[..n].iter().any(of_others)
}

/// What ran before, and the last calls in it that let another thread start, each once.
fn prepared<'a>(events: impl Iterator<Item = &'a Event>) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut before, mut lets): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for event in events {
        if !event.entry.is_empty() && !before.contains(&event.entry.as_str()) {
            before.push(&event.entry);
        }
        if let Does::Lets { by } = &event.does {
            lets.retain(|known| known != by);
            lets.push(by);
        }
    }
    lets.drain(..lets.len().saturating_sub(NAMED));
    (before, lets)
}

/// The numbers of the steps that decide, among those before the last ones.
fn chosen(finding: &Finding, events: &[&Event], end: usize) -> BTreeSet<usize> {
    let place = finding.location.as_str();
    let hidden = |e: &Event| e.at.line == 0 || e.memory == Memory::Harness;
    let shared = shared(events);
    let decides = deciding(finding, events);
    // A write of a bit-field reads what it stands in: that is part of the write.
    let is_half = |e: &Event| {
        let writes = |a: &&Access| {
            a.thread == e.thread
                && a.touch() != Some(Touch::Reads)
                && a.at().is_some_and(|at| at.line == e.at.line)
        };
        finding.nature.bit_fields && !e.does.writes() && finding.accesses.iter().any(|a| writes(&a))
    };
    // What a thread does again and again on one line is shown the last time.
    let follows = |n: usize| {
        let same = |l: &&Event| {
            let own = events[n];
            (l.thread, &l.at, &l.does) == (own.thread, &own.at, &own.does)
        };
        events[n + 1..end].iter().any(same)
    };
    // The lock that its thread still holds is a part of the evidence.
    let is_held = |n: usize, lock: &str| {
        let holds = |a: &Access| {
            let mut held = a.locks.iter().map(|l| l.trim_end_matches(" (read)"));
            a.thread == events[n].thread && held.any(|l| l == lock)
        };
        finding.accesses.iter().any(holds) && !follows(n)
    };
    let importance = |n: usize| match (&events[n].does, events[n]) {
        (_, e) if hidden(e) => None,
        (does, e) if does.place() == Some(place) && (is_half(e) || follows(n)) => None,
        (does, _) if does.place() == Some(place) => Some(0),
        (Does::Frees(_) | Does::UsesFreed(_) | Does::Fails | Does::Ends, _) => Some(0),
        (Does::Starts { .. }, _) => None,
        (Does::Locks { lock, .. }, _) if is_held(n, lock) => Some(0),
        (Does::Locks { lock, .. } | Does::Unlocks { lock, .. }, _)
            if decides.contains(lock.as_str()) =>
        {
            Some(1)
        }
        (Does::Locks { .. } | Does::Unlocks { .. }, _) => Some(3),
        (does, _) if does.place().is_some_and(|p| shared.contains(p)) => Some(1),
        (Does::Lets { .. }, _) => Some(1),
        (_, e) if e.memory == Memory::Local => None,
        (Does::Asserts, _) => Some(2),
        (Does::Gets { .. }, e) if e.decides => Some(2),
        (does, e) if e.called_at.is_none() && e.decides && !does.writes() => Some(2),
        _ => None,
    };
    let mut ranked: Vec<(u32, usize)> =
        (0..end).filter_map(|n| Some((importance(n)?, n))).collect();
    // The nearest to the end first.
    ranked.sort_by_key(|(rank, n)| (*rank, std::cmp::Reverse(*n)));
    let room = ROWS.saturating_sub(events.len() - end);
    let mut chosen = BTreeSet::new();
    for (_, n) in ranked {
        chosen.insert(n);
        if rows_of(events, &chosen) > room {
            chosen.remove(&n);
            break;
        }
    }
    chosen
}

/// How many rows these steps take: those on one line that follow each other take one.
fn rows_of(events: &[&Event], chosen: &BTreeSet<usize>) -> usize {
    let at = |n: &usize| {
        let event = events[*n];
        let at = event.called_at.as_ref().unwrap_or(&event.at);
        (event.thread, at.file.as_str(), at.line)
    };
    let mut places: Vec<_> = chosen.iter().map(at).collect();
    places.dedup();
    places.len()
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

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

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

    /// Steps of a thread in a function, before those of the sample.
    fn before(mut finding: Finding, steps: &[(u32, &str, Does)]) -> Finding {
        let event = finding.events[0].clone();
        let own = |e: &mut Event| {
            e.entry = if e.thread == 0 {
                "demo_open"
            } else {
                "demo_release"
            }
            .into()
        };
        finding.events.iter_mut().for_each(own);
        let earlier = steps.iter().map(|(thread, entry, does)| Event {
            thread: *thread,
            entry: (*entry).into(),
            does: does.clone(),
            ..event.clone()
        });
        finding.events.splice(0..0, earlier);
        finding
    }

    #[test]
    fn what_a_thread_did_before_its_entry_point_is_no_part_of_its_column() {
        let written = Does::Updates {
            place: "@demo_open_count".into(),
            before: 0,
            after: 1,
        };
        let lets = Does::Lets {
            by: "request_irq".into(),
        };
        let steps = [
            (0, "demo_init", lets.clone()),
            (1, "demo_poll", written.clone()),
        ];
        let finding = before(sample::race(), &steps);
        let picture = of(&finding);
        assert_eq!(picture.before, ["demo_init", "demo_poll"]);
        assert_eq!(picture.lets, ["request_irq"]);
        let does: Vec<&Does> = picture.rows.iter().flat_map(|r| r.steps.clone()).collect();
        assert!(!does.contains(&&written) && !does.contains(&&lets));
    }

    #[test]
    fn what_a_thread_did_beside_another_is_part_of_its_column() {
        let mut finding = before(sample::race(), &[(0, "demo_init", Does::Asserts)]);
        for access in &mut finding.accesses {
            access.entry_point = match access.thread {
                0 => "demo_open".into(),
                _ => "demo_release".into(),
            };
        }
        let place = |value| Does::Writes {
            place: "busy".into(),
            bytes: 4,
            value: Some(value),
            to: None,
        };
        let step = |thread, entry: &str, value| Event {
            thread,
            entry: entry.into(),
            does: place(value),
            ..finding.events[1].clone()
        };
        let (lets_in, comes_in) = (step(0, "demo_open", 0), step(1, "demo_poll", 1));
        finding
            .events
            .splice(1..1, [lets_in.clone(), comes_in.clone()]);
        let picture = of(&finding);
        let does: Vec<&Does> = picture.rows.iter().flat_map(|r| r.steps.clone()).collect();
        assert!(does.contains(&&lets_in.does) && does.contains(&&comes_in.does));
        assert_eq!(picture.before, ["demo_init"]);
    }

    #[test]
    fn a_call_that_lets_others_start_is_a_row() {
        let mut finding = before(sample::race(), &[(0, "demo_init", Does::Asserts)]);
        let lets = Does::Lets {
            by: "napi_enable".into(),
        };
        let call = Event {
            does: lets.clone(),
            ..finding.events[1].clone()
        };
        finding.events.insert(2, call);
        let picture = of(&finding);
        assert!(picture.rows.iter().any(|r| r.steps.contains(&&lets)));
    }

    #[test]
    fn what_nobody_writes_and_no_branch_depends_on_is_left_out() {
        let mut finding = before(sample::race(), &[(0, "demo_init", Does::Asserts)]);
        let read = |decides| Event {
            does: Does::Reads {
                place: format!("struct demo.{decides}"),
                bytes: 8,
                value: Some(1),
                to: None,
            },
            decides,
            ..finding.events[1].clone()
        };
        let (told, not_told) = (read(true), read(false));
        finding
            .events
            .splice(2..2, [told.clone(), not_told.clone()]);
        let picture = of(&finding);
        let shown = |e: &Event| picture.rows.iter().any(|r| r.steps.contains(&&e.does));
        assert!(shown(&told) && !shown(&not_told));
    }
}
