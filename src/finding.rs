//! From a confirmed schedule to a finding: what a reader is told, all of it as the interpreter saw it.

use crate::bugs::class::{self, Part, Severity};
use crate::config::Options;
use crate::program::Touch;
use crate::replay::bit_fields::BitField;
use crate::replay::confirm::Confirmed;
use crate::trace::schedule::Schedule;
use crate::verdict::{Access, Does, Finding, FindingKind, StateKind};

/// Puts a finding together.
pub fn make(
    schedule: Schedule,
    mut confirmed: Confirmed,
    (state, answers): (StateKind, &[String]),
    region: Option<&str>,
    options: &Options,
) -> Finding {
    let kind = FindingKind::of(schedule.failure.kind());
    let location = if confirmed.location.is_empty() {
        // A lock that was initialised again while it was held is none that is held.
        let unnamed = match kind {
            FindingKind::ReturnWithLockHeld => "a lock",
            _ => "assertions",
        };
        region.unwrap_or(unnamed).to_string()
    } else {
        confirmed.location.clone()
    };
    if kind == FindingKind::DataRace {
        in_order(&mut confirmed);
    }
    let mut rests_on = assumptions(&schedule, &confirmed, &state, options);
    rests_on.extend(possible_writes(&confirmed.accesses));
    if !answers.is_empty() {
        rests_on.push(format!(
            "what {} answers is not followed: it was chosen",
            answers.join(", ")
        ));
    }
    Finding {
        kind,
        message: message(kind, &location, &confirmed.accesses) + &beside(&confirmed.bit_fields),
        location,
        benign_hints: hints(kind, &confirmed),
        nature: confirmed.nature,
        accesses: confirmed.accesses,
        also: Vec::new(),
        other_pairs: 0,
        functions: Vec::new(),
        switches: confirmed.switches,
        assumptions: rests_on,
        state,
        events: confirmed.events,
        schedule,
    }
}

/// The two accesses of a race, in an order that does not depend on which thread the search let run first: writes first, then by place.
fn in_order(confirmed: &mut Confirmed) {
    let key = |a: &Access| {
        let at = a.at().cloned().unwrap_or_default();
        let place = (at.file, at.line, at.column, at.function);
        (
            a.touch() == Some(Touch::Reads),
            place,
            a.entry_point.clone(),
        )
    };
    if let [a, b] = confirmed.accesses.as_slice()
        && key(b) < key(a)
    {
        confirmed.accesses.reverse();
        confirmed.nature.updates.reverse();
    }
}

fn message(kind: FindingKind, location: &str, accesses: &[Access]) -> String {
    let function = |a: &Access| {
        let name = a.at().map_or(&a.entry_point, |f| &f.function);
        match a.within() {
            Some(helper) => format!("{name} ({})", helper.function),
            None => name.clone(),
        }
    };
    match (kind, accesses) {
        (FindingKind::DataRace, [first, second]) => format!(
            "data race on {location}: {} in {} and {} in {}",
            describe(first),
            function(first),
            describe(second),
            function(second)
        ),
        (FindingKind::DataRace, _) => format!("data race on {location}"),
        (FindingKind::Assertion, [a, ..]) => format!("assertion can fail in {}", function(a)),
        (FindingKind::Assertion, []) => "assertion can fail".to_string(),
        (FindingKind::UseAfterFree, [a, ..]) if a.touch() == Some(Touch::Frees) => {
            format!("double free of {location} in {}", function(a))
        }
        (FindingKind::UseAfterFree, [a, ..]) => {
            format!(
                "use after free of {location}: {} in {}",
                describe(a),
                function(a)
            )
        }
        (FindingKind::UseAfterFree, []) => format!("use after free of {location}"),
        (FindingKind::DoubleAcquire, [a, ..]) => format!(
            "{} acquires {location}, which it has acquired already",
            function(a)
        ),
        (FindingKind::ReleaseNotHeld, [a, ..]) => {
            format!(
                "{} releases {location}, which it does not hold",
                function(a)
            )
        }
        (FindingKind::SleepInAtomic, [a, ..]) => {
            let holds = match a.acquired.as_slice() {
                [] => format!(" {}", a.locks.join(", ")),
                _ => format!(", holding {}", a.locks.join(", ")),
            };
            format!("{} calls {location}, which may sleep{holds}", function(a))
        }
        (FindingKind::ReturnWithLockHeld, [a, ..]) => {
            format!("{} returns with {location} held", a.entry_point)
        }
        (FindingKind::UseAfterRemoval, [a, rest @ ..]) => {
            let after = rest.first().map_or("the removal", |b| &b.entry_point);
            format!("{} uses {location} after {after} has returned", function(a))
        }
        (FindingKind::Atomicity, [write, between, read]) => format!(
            "{} writes {location} on the basis of what {} read before {} overwrote it",
            function(write),
            function(read),
            function(between)
        ),
        (FindingKind::Atomicity, _) => format!("atomicity violation on {location}"),
        (FindingKind::Deadlock, parties) => {
            let party = |a: &Access| party(a, &function(a));
            let parties: Vec<String> = parties.iter().map(party).collect();
            format!("deadlock: {}", parties.join("; "))
        }
        (
            FindingKind::DoubleAcquire
            | FindingKind::ReleaseNotHeld
            | FindingKind::SleepInAtomic
            | FindingKind::ReturnWithLockHeld
            | FindingKind::UseAfterRemoval,
            [],
        ) => location.to_string(),
    }
}

/// One that takes part in a deadlock: that function.
fn party(a: &Access, function: &str) -> String {
    let locks = a.locks.join(", ");
    match (&a.waits_for, a.locks.is_empty()) {
        (Some(lock), true) => format!("{function} waits for {lock}"),
        (Some(lock), false) => format!("{function} waits for {lock}, holding {locks}"),
        (None, _) => format!("it has interrupted {function}, which holds {locks}"),
    }
}

/// That a bit-field is not written alone; empty where there is none.
fn beside(bit_fields: &[BitField]) -> String {
    let told = |f: &BitField| format!("{}:{}", f.name, f.bits);
    match bit_fields {
        [] => String::new(),
        [one] => format!(
            "; bit-field {}: a write of it rewrites the bits beside it",
            told(one)
        ),
        all => {
            let all: Vec<String> = all.iter().map(told).collect();
            format!(
                "; bit-fields {}: a write of one rewrites the others",
                all.join(", ")
            )
        }
    }
}

/// `1 byte`, `4 bytes`.
fn bytes(a: &Access) -> String {
    let plural = if a.bytes == 1 { "" } else { "s" };
    format!("{} byte{plural}", a.bytes)
}

fn describe(a: &Access) -> String {
    let text = format!(
        "{}{} of {}",
        if a.marked { "marked " } else { "" },
        a.kind,
        bytes(a)
    );
    match &a.if_by {
        Some(function) => format!("possible {text} by {function}, which has no model,"),
        None => text,
    }
}

/// What may make a race benign: facts of the two accesses, no judgement. None of what its class calls harmful: of a mixture, a lost
/// update or a pointer to nowhere they say nothing.
fn hints(kind: FindingKind, confirmed: &Confirmed) -> Vec<String> {
    let mut out = Vec::new();
    let [a, b] = confirmed.accesses.as_slice() else {
        return out;
    };
    let part = |access: &Access| {
        Some(Part {
            touch: access.touch()?,
            marked: access.marked,
        })
    };
    let parts: Vec<Part> = [a, b].into_iter().filter_map(part).collect();
    let class = class::of_accesses(&parts, &confirmed.nature);
    if kind != FindingKind::DataRace || class.severity() == Severity::Harmful {
        return out;
    }
    for (one, other) in [(a, b), (b, a)] {
        let word = matches!(one.bytes, 1 | 2 | 4 | 8);
        if one.touch() == Some(Touch::Reads)
            && word
            && one.locks.is_empty()
            && !other.locks.is_empty()
            && other.touch() != Some(Touch::Reads)
        {
            out.push(format!(
                "the read is a single load of {} outside any lock, the write is made under {}: it sees the value \
                 before or after, and no mixture; whether that is enough depends on what else is read, or done, with it",
                bytes(one),
                other.locks.join(", ")
            ));
        }
    }
    if a.marked != b.marked {
        out.push("one of the two accesses is marked: marking the other too would make the pair well defined".to_string());
    }
    out
}

/// That functions without a model write what their types allow.
fn possible_writes(accesses: &[Access]) -> Vec<String> {
    let mut functions: Vec<&str> = accesses.iter().filter_map(|a| a.if_by.as_deref()).collect();
    functions.sort_unstable();
    functions.dedup();
    let told = functions.iter().map(|name| {
        format!(
            "{name}, of which nothing is known, writes where its argument leads, which is not const"
        )
    });
    told.collect()
}

/// Answers that are named of all that were chosen.
const NAMED: usize = 3;

/// What the outside was chosen to be: the last answers on which branches of the two threads depend, by name, and how many values in all.
fn chosen(schedule: &Schedule, confirmed: &Confirmed) -> Option<String> {
    let all: usize = schedule.inputs.nondet.values().map(Vec::len).sum();
    let own = |entry: &str| confirmed.accesses.iter().any(|a| a.entry_point == entry);
    let mut named: Vec<String> = Vec::new();
    for event in confirmed.events.iter().rev() {
        if let (Does::Gets { .. }, true) = (&event.does, event.decides && own(&event.entry)) {
            let text = event.does.to_string();
            if named.len() < NAMED && !named.contains(&text) {
                named.push(text);
            }
        }
    }
    named.reverse();
    match (all, named.as_slice()) {
        (0, _) => None,
        (_, []) => Some(format!(
            "{all} values from outside (results of models, user data) are chosen: --emit schedule lists them"
        )),
        _ => Some(format!(
            "chosen: {}; of {all} values from outside in all, which --emit schedule lists",
            named.join(", ")
        )),
    }
}

fn assumptions(
    schedule: &Schedule,
    confirmed: &Confirmed,
    state: &StateKind,
    options: &Options,
) -> Vec<String> {
    let mut out = vec!["sequential consistency".to_string()];
    let taken = confirmed.fixed.iter().filter(|f| f.is_taken());
    out.extend(taken.map(|f| f.text().to_string()));
    out.extend(chosen(schedule, confirmed));
    if *state == StateKind::Assumed(None) {
        let objects = schedule.inputs.lazy.len();
        out.push(format!(
            "{objects} objects that the kernel hands in have the content that the schedule lists"
        ));
    }
    if options.marked == Some(crate::config::Marked::C11) {
        out.push("only atomic accesses count as marked (--marked c11)".to_string());
    }
    if options.race_check == crate::config::RaceCheck::Value {
        out.push("accesses whose order does not show are no race (--race-check value)".to_string());
    }
    out
}
