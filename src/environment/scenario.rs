//! Scenarios: three or four entry points beside each other, as a user names them or as the rules suggest.
//!
//! Two that the kernel never runs beside each other are in one scenario only where the environment itself keeps them apart: by a
//! kernel lock that the harness takes, or because a handler starts when the one before it has ended.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::contract::{MAX_THREADS, calls_one_of};
use super::discover::MODULE_EXIT;
use super::entry::{EntryPoint, EntryPoints, Parameter, Phase, Start};
use super::rules::{Effect, Rules, nearest};
use crate::config::{Options, Scenario};
use crate::error::InputError;
use crate::index::EntryId;
use crate::program::Program;
use crate::property::Property;

/// Entry points that run beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Together {
    /// What the user calls it; empty for one of the command line.
    pub name: String,
    /// One for each thread; the same one again is a thread more.
    pub threads: Vec<EntryId>,
}

/// The scenarios of a driver that are asked for.
///
/// # Errors
/// What names no entry point of the driver, or entry points that cannot run beside each other.
pub fn scenarios(
    program: &Program,
    entries: &EntryPoints,
    rules: &Rules,
    options: &Options,
) -> Result<Vec<Together>, InputError> {
    let lifecycle = options.scenario == Scenario::Lifecycle;
    let mut all = Vec::new();
    if let Some(names) = &options.pair {
        if names.len() > 2 && !entries.is_empty() {
            let found = together("", names, entries, lifecycle);
            all = found.map_err(|(place, what)| {
                let place = place.map_or("--pair".to_string(), |name| name.to_string());
                InputError::new(place, what)
            })?;
        }
        // Only what was asked for.
        return Ok(all);
    }
    // With `--entry` these alone are looked for.
    let chosen = |name: &String| options.entries.is_empty() || options.entries.contains(name);
    let rules = rules.scenarios().iter();
    for rule in rules.filter(|r| r.threads.iter().all(chosen)) {
        let found = together(&rule.name, &rule.threads, entries, lifecycle);
        let found = found.map_err(|(place, what)| {
            let what = match place {
                Some(name) => format!("scenario `{}`: {name}: {what}", rule.name),
                None => format!("scenario `{}`: {what}", rule.name),
            };
            InputError::new(format!("{}:{}", rule.file, rule.line), what)
        })?;
        all.extend(found);
    }
    let mut suggested = Vec::new();
    if options.asks(Property::Uaf) || options.asks(Property::Removed) {
        suggested.extend(rearmed(program, entries));
    }
    if options.triples {
        suggested.extend(triples(program, entries));
    }
    for threads in suggested {
        let by_name = |e: &EntryId| chosen(&entries[*e].function);
        let one = Together {
            name: String::new(),
            threads,
        };
        if one.threads.iter().all(by_name)
            && apart(&one, entries, lifecycle).is_none()
            && !all.contains(&one)
        {
            all.push(one);
        }
    }
    Ok(all)
}

/// How many threads the largest has; of a pair there are two.
pub fn most_threads(scenarios: &[Together]) -> usize {
    let threads = scenarios.iter().map(|s| s.threads.len());
    threads.max().unwrap_or(0).max(2)
}

/// Every choice of entry points of those names that may run beside each other. The error: which name, if it is about one, and what.
fn together<'n>(
    name: &str,
    names: &'n [String],
    entries: &EntryPoints,
    lifecycle: bool,
) -> Result<Vec<Together>, (Option<&'n str>, String)> {
    if !(2..=MAX_THREADS).contains(&names.len()) {
        let what = format!(
            "two to {MAX_THREADS} entry points run beside each other, not {}",
            names.len()
        );
        return Err((None, what));
    }
    let mut choices: Vec<Vec<EntryId>> = vec![Vec::new()];
    for name in names {
        let named = entries
            .iter_ids()
            .filter(|(_, e)| e.function == *name && !e.another);
        let named: Vec<EntryId> = named.map(|(id, _)| id).collect();
        if named.is_empty() {
            return Err((Some(name), unknown(name, entries)));
        }
        choices = choices
            .iter()
            .flat_map(|before| {
                named.iter().map(|e| {
                    let mut longer = before.clone();
                    longer.push(*e);
                    longer
                })
            })
            .collect();
    }
    let mut why = None;
    let mut all: Vec<Together> = Vec::new();
    for threads in choices {
        let one = Together {
            name: name.to_string(),
            threads,
        };
        match apart(&one, entries, lifecycle) {
            Some(what) => {
                why.get_or_insert(what);
            }
            None => all.push(one),
        }
    }
    match (all.is_empty(), why) {
        (true, Some(what)) => Err((None, what)),
        _ => Ok(all),
    }
}

fn unknown(name: &str, entries: &EntryPoints) -> String {
    let names = || entries.iter().map(|e| e.function.as_str());
    let what = "no entry point of that name";
    match nearest(name, names()) {
        _ if entries.is_empty() => format!("{what}: there are none"),
        Some(near) => format!("{what}; the nearest is `{near}`"),
        None => format!(
            "{what}; there are {}",
            names().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Why two of the threads cannot run beside each other.
fn apart(together: &Together, entries: &EntryPoints, lifecycle: bool) -> Option<String> {
    let threads = &together.threads;
    for (n, a) in threads.iter().enumerate() {
        for b in &threads[n + 1..] {
            let (a, b) = (&entries[*a], &entries[*b]);
            if let Some(reason) = EntryPoint::never_overlap(a, b)
                && !kept_apart(a, b, &reason)
            {
                let (a, b) = (&a.function, &b.function);
                return Some(format!("{a} and {b} never run beside each other: {reason}"));
            }
        }
    }
    // Two files are open: the second of two that close takes the one that all others use.
    let closing: BTreeSet<&str> = closing(threads, entries).into_iter().collect();
    for ops in closing.into_iter().filter(|_| !lifecycle) {
        let of = |e: &&EntryId| {
            let mut parameters = entries[**e].parameters.iter();
            parameters.any(|p| {
                matches!(p, Parameter::Shared(name) if name.strip_prefix(ops).is_some_and(|r| r.starts_with(".file")))
            })
        };
        let close = closing_of(ops, threads, entries);
        if close > 1 && threads.iter().filter(of).count() > 2 {
            return Some(format!(
                "two threads close files of {ops}, and two of these are open: a third has none"
            ));
        }
    }
    None
}

/// The ops objects of which threads close files.
fn closing<'e>(threads: &[EntryId], entries: &'e EntryPoints) -> Vec<&'e str> {
    let parameters = threads.iter().flat_map(|e| &entries[*e].parameters);
    let closes = |p: &'e Parameter| match p {
        Parameter::Shared(name) => name.strip_suffix(".file2"),
        _ => None,
    };
    parameters.filter_map(closes).collect()
}

fn closing_of(ops: &str, threads: &[EntryId], entries: &EntryPoints) -> usize {
    let all = closing(threads, entries);
    all.into_iter().filter(|o| *o == ops).count()
}

/// Whether the environment keeps them apart as they run.
fn kept_apart(a: &EntryPoint, b: &EntryPoint, reason: &str) -> bool {
    let same = a.function == b.function && a.via == b.via && a.registered_by == b.registered_by;
    if same && a.phase != Phase::Init && a.phase != Phase::Nested && a.start != Start::Any {
        return true;
    }
    let takes = |e: &EntryPoint| e.locks.iter().any(|l| l.name == reason && l.throughout);
    takes(a) && takes(b)
}

/// The entry points that may be threads of a scenario that nobody names: those of one object of each kind.
fn threads(entries: &EntryPoints) -> Vec<(EntryId, &EntryPoint)> {
    let is_one = |e: &EntryPoint| !(e.another || matches!(e.phase, Phase::Init | Phase::Nested));
    entries.iter_ids().filter(|(_, e)| is_one(e)).collect()
}

/// Whether the code of an entry point calls one of these functions, directly or not.
fn calls(program: &Program, e: &EntryPoint, names: &[&str]) -> bool {
    let f = program.function_named(&e.function);
    f.is_some_and(|f| !names.is_empty() && calls_one_of(program, f, names))
}

/// The functions that have one of these effects on a handler.
fn changing<'e>(handler: &'e EntryPoint, effects: &[Effect]) -> Vec<&'e str> {
    let changes = handler.changes.iter();
    let those = changes.filter(|c| effects.iter().any(|e| c.effects.contains(e)));
    those.map(|c| c.function.as_str()).collect()
}

/// The functions that take a handler back.
fn taking(handler: &EntryPoint) -> Vec<&str> {
    let effects = [Effect::Disarms, Effect::BlocksNew, Effect::Waits];
    changing(handler, &effects)
}

/// At most so many entry points are looked at that arm one handler again, those first that others call at any time.
const ARMING: usize = 2;

/// Who ends a device and takes a handler back before, the handler, and another entry point that arms it once more in between: then it runs
/// on what is gone. Of two threads neither pair has that.
fn rearmed(program: &Program, entries: &EntryPoints) -> Vec<Vec<EntryId>> {
    let threads = threads(entries);
    let mut all = Vec::new();
    for (h, handler) in threads.iter().filter(|(_, e)| e.start == Start::Armed) {
        let (arming, taking) = (changing(handler, &[Effect::Starts]), taking(handler));
        let arms = |(r, e): &&(EntryId, &EntryPoint)| {
            r != h && e.phase == Phase::Steady && calls(program, e, &arming)
        };
        let mut arming: Vec<EntryId> = threads.iter().filter(arms).map(|(r, _)| *r).collect();
        arming.sort_by_key(|r| entries[*r].start != Start::Any);
        let by_action = an_action_calls(program, entries, &taking);
        let ends = |(_, e): &&(EntryId, &EntryPoint)| {
            let unbinds = || by_action && unbinds(entries, e);
            e.phase == Phase::Exit && (calls(program, e, &taking) || unbinds())
        };
        for (c, _) in threads.iter().filter(ends) {
            for r in arming.iter().take(ARMING) {
                let mut one = vec![*c, *h, *r];
                one.extend(is_alone_in_starting(program, &threads, *h, *r).then_some(*h));
                all.push(one);
            }
        }
    }
    all
}

/// Whether an action that devres calls as the driver is unbound calls one of these functions.
fn an_action_calls(program: &Program, entries: &EntryPoints, names: &[&str]) -> bool {
    entries.iter().any(|e| {
        let mut places = std::iter::once(&e.via).chain(&e.also);
        e.phase == Phase::Nested
            && places.any(|p| p.contains("devm_add_action"))
            && calls(program, e, names)
    })
}

/// Whether devres ends what it has once this has run: who removes the device, or module exit where nobody does.
fn unbinds(entries: &EntryPoints, entry: &EntryPoint) -> bool {
    match entries.iter().any(EntryPoint::removes_device) {
        true => entry.removes_device(),
        false => entry.via == MODULE_EXIT,
    }
}

/// Whether nothing but a handler starts another one: then it has run before that does.
fn is_alone_in_starting(
    program: &Program,
    threads: &[(EntryId, &EntryPoint)],
    handler: EntryId,
    other: EntryId,
) -> bool {
    let of = |id: EntryId| threads.iter().find(|(t, _)| *t == id).map(|(_, e)| *e);
    let Some(started) = of(other).filter(|e| e.start != Start::Any) else {
        return false;
    };
    let starting = changing(started, &[Effect::Starts]);
    let starts = |(t, e): &(EntryId, &EntryPoint)| *t != other && calls(program, e, &starting);
    let mut starting = threads.iter().filter(|t| starts(t)).map(|(t, _)| *t);
    starting.next() == Some(handler) && starting.next().is_none()
}

/// Who takes a handler back, the handler, and another handler that arms it. Where nothing but the handler itself starts that other
/// one, the handler has run before: it is there twice.
fn triples(program: &Program, entries: &EntryPoints) -> Vec<Vec<EntryId>> {
    let calls = |e: &EntryPoint, names: &[&str]| calls(program, e, names);
    let threads = threads(entries);
    let handlers = || threads.iter().filter(|(_, e)| e.start != Start::Any);
    let mut all = Vec::new();
    for (h, handler) in handlers().filter(|(_, e)| e.start == Start::Armed) {
        let arming = changing(handler, &[Effect::Starts]);
        let taking = taking(handler);
        for (r, _) in handlers().filter(|(r, e)| r != h && calls(e, &arming)) {
            let by_handler_alone = is_alone_in_starting(program, &threads, *h, *r);
            for (c, _) in threads
                .iter()
                .filter(|(_, e)| e.start == Start::Any && calls(e, &taking))
            {
                let mut one = vec![*c, *h, *r];
                one.extend(by_handler_alone.then_some(*h));
                all.push(one);
            }
        }
    }
    all
}
