//! One finding for people: the warning line, both accesses with their source, the report in KCSAN's shape.

use super::snippet::{self, Sources};
use super::style::{FAINT, NOTE, STRONG, WARNING, paint};
use super::{Trace, capital, count, fingerprint, interleaving, picture, place, top, wording};
use crate::bugs::{self, Bug, class};
use crate::environment::entry::EntryPoint;
use crate::verdict::{Access, Act, Content, ContentValue, Does, Finding, FindingKind, StateKind};

/// The line that opens and closes a kernel report.
const RULER: &str = "==================================================================";

/// How a finding is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    /// The bugs that it stands for, its own first; empty where nobody has asked.
    pub told: &'a [&'a Bug<'a>],
    /// Who calls what.
    pub entries: &'a [EntryPoint],
    /// How much of the interleaving.
    pub trace: Trace,
    /// Columns.
    pub width: usize,
}

/// The whole text of a finding.
pub(super) fn render(finding: &Finding, shown: Shown<'_>, sources: &dyn Sources) -> String {
    let mut out = String::new();
    let first = finding.accesses.first();
    line!(
        out,
        "{} {} {} [{}]",
        paint(STRONG, format!("{}:", place(first.and_then(top)))),
        paint(WARNING, "warning:"),
        paint(STRONG, finding.message.replace('\n', " ")),
        wording::kind(finding.kind).rule,
    );
    for (n, access) in finding.accesses.iter().enumerate() {
        if n > 0 {
            line!(
                out,
                "{} {} {}",
                paint(STRONG, format!("{}:", place(top(access)))),
                paint(NOTE, "note:"),
                headline(access, &finding.location)
            );
        }
        if let Some(frame) = top(access) {
            out.push_str(&snippet::render(sources, frame, &label(access)));
        }
    }
    line!(out, "{RULER}");
    block(&mut out, finding, shown, sources);
    if finding.other_pairs > 0 {
        line!(
            out,
            "\nOther pairs of accesses to {} that are not excluded: {} (one is shown for each pair of threads)",
            finding.location,
            finding.other_pairs
        );
    }
    if !shown.told.is_empty() {
        others(&mut out, shown.told, shown.width);
    }
    line!(out, "{RULER}");
    out
}

/// Which other places and pairs of threads belong to the bug.
fn others(out: &mut String, all: &[&Bug<'_>], width: usize) {
    let mut told = |heading: &str, all: &[String]| {
        const MOST: usize = 12;
        if all.is_empty() {
            return;
        }
        let mut text = format!("{heading} {}", all[..all.len().min(MOST)].join(", "));
        if all.len() > MOST {
            text += &format!(" and {} more (--format json lists them)", all.len() - MOST);
        }
        line!(out);
        for piece in interleaving::wrap(&text, width) {
            line!(out, "{piece}");
        }
    };
    let own = all[0].shown();
    let named = |b: &&Bug<'_>| format!("{} (id {})", b.places[0], b.id);
    let others: Vec<String> = all[1..].iter().map(named).collect();
    told(&format!("{}:", capital(&all[0].in_common())), &others);
    let mut pairs = all[0].pairs();
    pairs.retain(|p| *p != bugs::pair_of(own));
    told("The same in:", &pairs);
}

/// Of what is used after its end: who freed it, as KASAN tells.
fn freed(out: &mut String, finding: &Finding) {
    let mut events = finding.events.iter().rev();
    let free = events.find(|e| matches!(e.does, Does::Frees(_)));
    if let (FindingKind::UseAfterFree, Some(event)) = (finding.kind, free) {
        let by = match event.entry.as_str() {
            "" => format!("thread {}", event.thread),
            entry => format!("thread {} ({entry})", event.thread),
        };
        line!(out, "\nfreed by {by}:");
        line!(out, " {:<32} {}", event.at.function, place(Some(&event.at)));
    }
}

/// Who calls an entry point, as far as that is known: `usb_driver.resume, process`.
pub(super) fn caller(access: &Access, entries: &[EntryPoint]) -> Option<String> {
    let mut entries = entries.iter();
    let entry = entries.find(|e| e.function == access.entry_point)?;
    let context = super::list::context(entry.context);
    Some(format!("{}, {context}", entry.via))
}

fn block(out: &mut String, finding: &Finding, shown: Shown<'_>, sources: &dyn Sources) {
    let functions: Vec<&str> = finding
        .accesses
        .iter()
        .filter_map(|a| top(a).map(|f| f.function.as_str()))
        .collect();
    let what = wording::kind(finding.kind).headline;
    line!(out, "BUG: irkiss: {what} in {}", functions.join(" / "));
    accesses(out, finding, shown.entries);
    freed(out, finding);
    let picture = match shown.trace {
        Trace::Full => interleaving::render(finding),
        Trace::Short => picture::render(finding, sources, shown.width),
    };
    if !picture.is_empty() {
        let title = match shown.trace {
            Trace::Short => picture::title(finding),
            Trace::Full => {
                let switches = count(finding.switches as usize, "context switch");
                format!("Interleaving ({switches}):")
            }
        };
        line!(out, "\n{title}\n");
        out.push_str(&picture);
    }
    line!(out);
    rests_on(out, finding, shown);
}

/// The accesses, each with its stack, the locks held and the value.
fn accesses(out: &mut String, finding: &Finding, entries: &[EntryPoint]) {
    for access in &finding.accesses {
        let caller = caller(access, entries);
        let caller = caller.map_or(String::new(), |c| format!(" – {c}"));
        line!(out, "\n{}{caller}:", headline(access, &finding.location));
        for frame in &access.stack {
            line!(out, " {:<32} {}", frame.function, place(Some(frame)));
        }
        if access.locks.is_empty() {
            line!(out, " locks held: none");
        } else if access.acquired.len() == access.locks.len() {
            for (lock, at) in access.locks.iter().zip(&access.acquired) {
                line!(
                    out,
                    " holds {lock}, acquired in {} at {}",
                    at.function,
                    place(Some(at))
                );
            }
        } else {
            line!(out, " locks held: {}", access.locks.join(", "));
        }
        if let Some(value) = access.value {
            line!(out, " value before: {value:#x}");
        }
    }
}

/// What kind of bug it is, and what it rests on.
fn rests_on(out: &mut String, finding: &Finding, shown: Shown<'_>) {
    let class = shown
        .told
        .first()
        .map_or_else(|| class::of(finding), |b| b.class);
    let mut wrapped = |text: &str| {
        for piece in interleaving::wrap(text, shown.width) {
            line!(out, "{piece}");
        }
    };
    let (code, severity) = (class.code(), class.severity().code());
    wrapped(&format!("class: {code} ({severity}): {}", class.effect()));
    wrapped(&format!("state: {}", state(&finding.state)));
    let needs = contents(finding);
    if !needs.is_empty() {
        wrapped(&format!("it needs: {}", needs.join("; ")));
    }
    for (heading, items) in [
        ("assumptions", &finding.assumptions),
        ("may be benign", &finding.benign_hints),
    ] {
        if !items.is_empty() {
            wrapped(&format!("{heading}:"));
        }
        items.iter().for_each(|item| wrapped(&format!(" - {item}")));
    }
    let name = match shown.told.first() {
        Some(bug) => format!("id {}", bug.id),
        None => format!("fingerprint {}", fingerprint::of(finding)),
    };
    line!(
        out,
        "{}",
        paint(FAINT, format!("replayed by the interpreter; {name}"))
    );
}

/// The contents of objects from outside that it rests on, in words.
pub(super) fn contents(finding: &Finding) -> Vec<String> {
    // That pointers of the kernel's lead to objects is told in number: JSON names them.
    let (pointers, others): (Vec<&Content>, Vec<&Content>) = finding
        .state
        .contents()
        .iter()
        .partition(|c| c.value == ContentValue::Object);
    let text = others.into_iter().map(|c| match c.value {
        ContentValue::Number(n) => format!("{} = {}", c.place, picture::number(n, None)),
        _ => c.to_string(),
    });
    let leads = match pointers.as_slice() {
        [] => None,
        [one] => Some(one.to_string()),
        more => Some(format!("{} lead to objects", count(more.len(), "pointer"))),
    };
    text.chain(leads).collect()
}

/// Where it starts from, in words.
pub(super) fn state(state: &StateKind) -> &'static str {
    match state {
        StateKind::Reached => "reached: executed from the program's start or module_init",
        StateKind::Tried => {
            "reached: it also happens with the other contents of objects from outside that were tried"
        }
        StateKind::Assumed(Some(_)) => {
            "assumed: it needs these contents of objects that the kernel hands in; with others that were tried it does not happen this way"
        }
        StateKind::Assumed(None) => {
            "assumed: it needs objects that the kernel hands in to have the contents that the schedule lists"
        }
    }
}

/// `write to @count of 4 bytes by thread 1 (entry)`, as KCSAN words it.
pub(super) fn headline(access: &Access, location: &str) -> String {
    let marked = if access.marked { " (marked)" } else { "" };
    let who = if access.entry_point.is_empty() {
        format!("thread {}", access.thread)
    } else {
        format!("thread {} ({})", access.thread, access.entry_point)
    };
    if access.kind == Act::Fails {
        return format!("assertion that fails, by {who}");
    }
    if let Some(lock) = &access.waits_for {
        return format!("waits for {lock}: {who}");
    }
    if access.kind.is_past() {
        return format!("{}: {who}", access.kind);
    }
    if access.kind.is_ahead() {
        let does = interleaving::does(access.kind);
        return format!("{does} {location}: {who}");
    }
    format!(
        "{}{marked} to {location} of {} by {who}",
        access.kind,
        count(access.bytes as usize, "byte")
    )
}

/// What the access is, and what its thread holds.
pub(super) fn label(access: &Access) -> String {
    if access.kind == Act::Fails {
        return "fails".to_string();
    }
    if let Some(lock) = &access.waits_for {
        return format!("waits for {lock}");
    }
    if access.kind.is_past() || access.kind.is_ahead() {
        return access.kind.to_string();
    }
    let marked = if access.marked { "marked" } else { "unmarked" };
    let locks = if access.locks.is_empty() {
        "no lock held".to_string()
    } else {
        format!("holds {}", access.locks.join(", "))
    };
    format!("{marked} {}, {locks}", access.kind)
}
