//! Gates: cells that say whether an entry point is blocked, and how many activations are in it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::body::{OBJECT, bits};
use super::files::FileGroup;
use super::registered::{REGISTRATION, refusable};
use super::{begun, called, further, managed};
use crate::environment::contract::calls_one_of;
use crate::environment::entry::{EntryPoint, EntryPoints, Phase, Registrar, Start};
use crate::environment::rules::Effect;
use crate::index::{EntryId, Idx};
use crate::program::Program;

/// The effects that a gate is for.
const TAKES_BACK: [Effect; 2] = [Effect::BlocksNew, Effect::Waits];

/// The entry points with a gate: those that some call may take back.
pub fn gates(entries: &EntryPoints, registrars: &[Registrar]) -> Vec<EntryId> {
    let found: BTreeSet<EntryId> = registrars
        .iter()
        .flat_map(|r| &r.gated)
        .filter(|g| g.effects.iter().any(|e| TAKES_BACK.contains(e)))
        .map(|g| g.entry)
        .collect();
    let managed = managed::gates(entries, registrars);
    found.union(&managed).copied().collect()
}

/// Whether a gate is closed at first: until a call allows what registration has blocked.
pub fn starts_closed(registrars: &[Registrar], entry: EntryId) -> bool {
    registrars.iter().flat_map(|r| &r.gated).any(|g| {
        g.entry == entry
            && g.effects.contains(&Effect::Starts)
            && g.effects.contains(&Effect::BlocksNew)
    })
}

/// Closes the gates of what begins closed and is registered by entry points themselves: nobody passes before they have done so.
pub(super) fn close_at_first(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
) -> String {
    let mut text = String::new();
    for id in gates(entries, registrars) {
        let registers = |r: &&Registrar| {
            let mut gated = r.gated.iter().filter(|g| g.entry == id);
            gated.any(|g| g.effects.contains(&Effect::Starts))
        };
        let names: Vec<&str> = registrars
            .iter()
            .filter(registers)
            .map(|r| r.function.as_str())
            .collect();
        let calls = |e: &EntryPoint| {
            let function = program.function_named(&e.function);
            e.phase != Phase::Nested && function.is_some_and(|f| calls_one_of(program, f, &names))
        };
        if starts_closed(registrars, id) && entries.iter().any(calls) {
            let bits = bits(&[Effect::BlocksNew]);
            let _ = writeln!(
                text,
                "  call void @__irkiss_gate(ptr @__irkiss_gate.{}, i32 {bits})",
                id.index()
            );
        }
    }
    text
}

/// The entry points of which one is a thread where a gate counts; `None`: it counts for all.
fn gate_takers(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    gate: EntryId,
) -> Option<Vec<usize>> {
    // One that is closed at first is a gate for all.
    if starts_closed(registrars, gate) {
        return None;
    }
    let callers = takers(program, entries, registrars, gate);
    Some(callers.iter().map(|c| c.index()).collect())
}

/// The functions of the gates that ask who the threads are, and for whom.
pub(super) fn gate_questions(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
) -> Vec<(String, Vec<usize>)> {
    let gates = gates(entries, registrars).into_iter();
    let asks = gates.filter_map(|id| {
        let callers = gate_takers(program, entries, registrars, id)?;
        Some((format!("gated.{}", id.index()), callers))
    });
    asks.collect()
}

/// Cells and functions of the gates: `__irkiss_gated.N` (whether the pair at hand is one that passes through it),
/// `__irkiss_registered.N`, `__irkiss_refused.N`.
pub fn gate_functions(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    groups: &[FileGroup],
    threads: usize,
) -> String {
    let mut text = String::new();
    let gates = gates(entries, registrars);
    for id in &gates {
        let n = id.index();
        let callers = gate_takers(program, entries, registrars, *id);
        let _ = write!(
            text,
            "@__irkiss_gate.{n} = internal global i8 0\n\
             define internal i1 @__irkiss_gated.{n}() {{\n  %life = call i1 @__irkiss_lifecycle()\n  \
             br i1 %life, label %yes, label %steady\nyes:\n  ret i1 true\nsteady:\n"
        );
        let (found, last) = match callers {
            None => (String::new(), "true".to_string()),
            Some(callers) => further::is_thread(&callers, threads),
        };
        text.push_str(&found);
        let _ = writeln!(text, "  ret i1 {last}\n}}");
    }
    let started: BTreeSet<EntryId> = registrars
        .iter()
        .flat_map(|r| &r.gated)
        .filter(|g| g.effects.contains(&Effect::Starts))
        .map(|g| g.entry)
        .collect();
    let refused = refusable(registrars);
    for n in refused.iter().map(|id| id.index()) {
        let _ = write!(
            text,
            "@__irkiss_registration.{n} = internal global i8 0\n\
             define internal void @__irkiss_refused.{n}() {{\n  \
             %now = call i64 @__irkiss_ghost_get(ptr @__irkiss_registration.{n}, i32 {REGISTRATION})\n  \
             %first = icmp eq i64 %now, 0\n  br i1 %first, label %set, label %done\nset:\n  \
             call void @__irkiss_ghost_set(ptr @__irkiss_registration.{n}, i32 {REGISTRATION}, i64 1)\n  br label %done\n\
             done:\n  ret void\n}}\n"
        );
    }
    for id in started {
        let n = id.index();
        let _ = writeln!(
            text,
            "define internal void @__irkiss_registered.{n}(ptr %object) {{"
        );
        if refused.contains(&id) {
            let _ = writeln!(
                text,
                "  call void @__irkiss_ghost_set(ptr @__irkiss_registration.{n}, i32 {REGISTRATION}, i64 2)"
            );
        }
        if gates.contains(&id) {
            let effects = match starts_closed(registrars, id) {
                true => bits(&[Effect::BlocksNew]),
                false => bits(&[Effect::Allows]),
            };
            let _ = write!(
                text,
                "  %number = ptrtoint ptr %object to i64\n  \
                 call void @__irkiss_ghost_set(ptr @__irkiss_gate.{n}, i32 {OBJECT}, i64 %number)\n  \
                 call void @__irkiss_gate(ptr @__irkiss_gate.{n}, i32 {effects})\n"
            );
        }
        if let Some(group) = groups.iter().find(|g| g.has(&entries[id])) {
            let _ = writeln!(text, "  call void @__irkiss_prepare.{}()", group.number);
        }
        if entries[id].phase == Phase::Steady {
            text.push_str(&begun::registered(id));
            let _ = writeln!(text, "  call void @__irkiss_born_entry(i32 {n})");
        }
        text.push_str("  ret void\n}\n");
    }
    text
}

/// The entry points whose code may take an entry point back, or allow it.
fn takers(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    id: EntryId,
) -> Vec<EntryId> {
    let names: Vec<&str> = registrars
        .iter()
        .filter(|r| r.gated.iter().any(|g| g.entry == id))
        .map(|r| r.function.as_str())
        .collect();
    let unbinding: Vec<&str> = registrars
        .iter()
        .filter(|r| managed::unbound_by(entries, r) || called::removes(entries, r))
        .map(|r| r.function.as_str())
        .collect();
    let mut actions = managed::called(entries);
    let by_action = actions.any(|a| called::reaches(program, entries, registrars, a, &names));
    let is_managed = by_action || managed::gates(entries, registrars).contains(&id);
    entries
        .iter_ids()
        .filter(|(_, e)| e.phase != Phase::Nested)
        .filter(|(_, e)| {
            let calls = |names: &[&str]| called::reaches(program, entries, registrars, e, names);
            calls(&names) || (is_managed && (managed::unbinds(entries, e) || calls(&unbinding)))
        })
        .map(|(id, _)| id)
        .collect()
}

/// Whether the entry point has a gate.
pub fn has_gate(entries: &EntryPoints, registrars: &[Registrar], id: EntryId) -> bool {
    entries[id].start == Start::Any && gates(entries, registrars).contains(&id)
}
