//! What ends when a driver is unbound: memory, interrupts, files and actions of devres (drivers/base/devres.c).
//!
//! What is made is noted in order (`runtime-stubs/linux/managed.c`); it is taken back, the last first, when `remove` has returned. A
//! driver without `remove` is unbound in the call by which module exit takes it back, and so is one with it where module exit goes on after
//! that call, which then has `remove` run first (called.rs). What devres ends may be called back (`close` of an input device). Of a module with several drivers that probe it is
//! not told which device what belongs to: there, all stays.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::body::bits;
use super::probes::probes;
use super::text::quoted;
use super::watch::removes;
use crate::environment::discover::MODULE_EXIT;
use crate::environment::entry::{EntryPoint, EntryPoints, Gated, Kept, Named, Phase, Registrar};
use crate::environment::rules::Effect;
use crate::index::{EntryId, Idx};
use crate::program::Program;

/// `remove` has returned, and all is taken back.
const REMOVED: &str = "  call void @__irkiss_removed()\n  call void @__irkiss_release_managed()\n";

/// Takes all back.
pub const RELEASE: &str = "  call void @__irkiss_release_managed()\n";

/// Whether there is one driver.
fn is_alone(entries: &EntryPoints) -> bool {
    probes(entries).len() <= 1
}

/// Whether the device is unbound when the entry point's function returns.
pub fn unbinds(entries: &EntryPoints, entry: &EntryPoint) -> bool {
    removes(entry) && is_alone(entries)
}

/// What comes after an entry point's function has returned.
pub fn after(entries: &EntryPoints, entry: &EntryPoint) -> &'static str {
    if unbinds(entries, entry) { REMOVED } else { "" }
}

/// Whether a call by which module exit takes a driver back unbinds it: there is no `remove`, in which that is seen.
pub fn unbound_by(entries: &EntryPoints, registrar: &Registrar) -> bool {
    registrar.unbinds && is_alone(entries) && !entries.iter().any(removes)
}

/// What a call does to memory and to what is kept with objects.
pub fn memory(
    entries: &EntryPoints,
    registrar: &Registrar,
    is_pointer: impl Fn(usize) -> bool,
) -> String {
    let mut text = String::new();
    if let Some(kept) = &registrar.keeps {
        text.push_str(&keeps(kept, &is_pointer));
    }
    if unbound_by(entries, registrar) {
        text.push_str(RELEASE);
    }
    if let Some(n) = registrar.frees.filter(|n| is_pointer(*n)) {
        let _ = writeln!(text, "  call void @__irkiss_free_given(ptr %a{n})");
    }
    text
}

/// Keeps the driver's data with its object; an object that is the result stands in `%result`.
fn keeps(kept: &Kept, is_pointer: impl Fn(usize) -> bool) -> String {
    let object = match kept.object {
        Named::Argument(n) if is_pointer(n) => format!("%a{n}"),
        Named::Argument(_) => return String::new(),
        Named::Result => "%result".to_string(),
    };
    let data = kept.data;
    match kept.inside {
        _ if !is_pointer(data) => String::new(),
        None => format!("  call void @__irkiss_keep_handle(ptr {object}, ptr %a{data})\n"),
        Some(offset) => {
            format!("  call void @__irkiss_keep_held(ptr {object}, ptr %a{data}, i64 {offset})\n")
        }
    }
}

/// `__irkiss_made_ended()`: what devres ends by the action that it was given as the object was made. Its gates are closed before anything
/// is called back.
pub(super) fn made_ended(entries: &EntryPoints, registrars: &[Registrar]) -> String {
    let managed = gates(entries, registrars);
    let gated = registrars.iter().flat_map(|r| &r.gated);
    let made: Vec<&Gated> = gated
        .filter(|g| g.as_made && managed.contains(&g.entry))
        .collect();
    let all: BTreeSet<usize> = made.iter().map(|g| g.entry.index()).collect();
    let called = made.iter().filter(|g| g.called_at_end.is_some());
    let called: BTreeSet<usize> = called.map(|g| g.entry.index()).collect();
    let bits = bits(&[Effect::BlocksNew, Effect::Waits]);
    let mut text = String::from("define void @__irkiss_made_ended() {\n");
    for n in all {
        let _ = writeln!(
            text,
            "  call void @__irkiss_gate(ptr @__irkiss_gate.{n}, i32 {bits})"
        );
    }
    for n in called {
        let _ = writeln!(text, "  %bad{n} = call i1 @__irkiss_called.{n}(i1 true)");
    }
    text + "  ret void\n}\n"
}

/// The entry points that end when the driver is unbound: by a call, or, where nothing takes the driver back (it is built in), by whoever
/// unbinds it by its file of sysfs.
pub fn gates(entries: &EntryPoints, registrars: &[Registrar]) -> BTreeSet<EntryId> {
    let unbound =
        registrars.iter().any(|r| r.unbinds) || entries.iter().any(|e| unbinds(entries, e));
    let gated = registrars.iter().flat_map(|r| &r.gated);
    gated
        .filter(|g| g.managed && unbound)
        .map(|g| g.entry)
        .collect()
}

/// `__irkiss_managed_action(function, data)`: calls the function that `devm_add_action` was given.
pub fn actions(program: &Program, entries: &EntryPoints) -> String {
    let mut text = String::from(
        "declare void @__irkiss_removed()\ndeclare void @__irkiss_release_managed()\ndeclare void @__irkiss_unreferenced()\n\
         define void @__irkiss_managed_action(ptr %function, ptr %data) {\n",
    );
    let mut seen: Vec<&str> = Vec::new();
    for entry in entries.iter() {
        let places = std::iter::once(&entry.via).chain(&entry.also);
        let action = places.into_iter().any(|p| p.contains("devm_add_action"));
        let defined = program.function_named(&entry.function).is_some_and(|f| {
            program.functions[f].is_defined() && program.functions[f].params.len() == 1
        });
        if entry.phase != Phase::Nested
            || !action
            || !defined
            || seen.contains(&entry.function.as_str())
        {
            continue;
        }
        let n = seen.len();
        seen.push(&entry.function);
        let name = quoted(&entry.function);
        let _ = write!(
            text,
            "  %c{n} = icmp eq ptr %function, @{name}\n  br i1 %c{n}, label %yes{n}, label %no{n}\nyes{n}:\n  \
             call void @{name}(ptr %data)\n  br label %no{n}\nno{n}:\n"
        );
    }
    text.push_str("  ret void\n}\n");
    text
}

/// What comes before an entry point's function is called: module exit waits for those who hold a reference.
pub fn before(program: &Program, entry: &EntryPoint) -> &'static str {
    let takes = ["__module_get", "try_module_get"];
    let may = takes.iter().any(|f| program.function_named(f).is_some());
    match entry.via == MODULE_EXIT && may {
        true => "  call void @__irkiss_unreferenced()\n",
        false => "",
    }
}

/// The functions that [`actions`] calls.
pub fn called(entries: &EntryPoints) -> impl Iterator<Item = &EntryPoint> {
    entries.iter().filter(|e| {
        let mut places = std::iter::once(&e.via).chain(&e.also);
        e.phase == Phase::Nested && places.any(|p| p.contains("devm_add_action"))
    })
}
