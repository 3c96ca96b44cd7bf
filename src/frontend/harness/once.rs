//! What does not run again, once it has run, before something else has (`[[once]]` in rule files): what opens a device that is closed.
//!
//! Whether it has run is ghost state, at the cell that says so to what comes after it (prologue.rs).
//!
//! A handler that needs it (an interrupt that it requests schedules the poll that it enables) runs beside the rest of it. Nothing can arm
//! such a handler before the pair: so the thread of the handler begins with an interrupt that may arm it.

use std::fmt::Write as _;

use super::further;
use super::prologue::{RAN, TRIED};
use crate::environment::contract::calls_one_of;
use crate::environment::entry::{EntryPoint, EntryPoints, Phase, Start};
use crate::environment::rules::Effect;
use crate::index::{EntryId, Idx};
use crate::program::Program;

/// What is known of what the input has no function to begin: nothing, that it has begun, that it has not.
const BEGUN: u32 = 1;
const NOT_BEGUN: u32 = 2;

/// The cell that says whether what an entry point ends has begun, where the input has no function to begin it.
fn cell(id: EntryId) -> String {
    format!("@__irkiss_unseen.{}", id.index())
}

/// Those cells.
pub fn cells(entries: &EntryPoints) -> String {
    let unseen = entries.iter_ids().filter(|(_, e)| e.ends_unseen);
    let ending = entries.iter_ids().filter(|(_, e)| !e.ends.is_empty());
    let cells = unseen.map(|(id, _)| cell(id));
    cells
        .chain(ending.map(|(id, _)| ended(id)))
        .map(|cell| format!("{cell} = internal global i8 0\n"))
        .collect()
}

/// The cell that says whether an entry point has begun after which others do not.
fn ended(id: EntryId) -> String {
    format!("@__irkiss_ended.{}", id.index())
}

/// Text before the call of an entry point that does not begin any more once another one has, or after which others do not.
fn unless_ended(entries: &EntryPoints, (id, entry): (EntryId, &EntryPoint)) -> String {
    let mut text = String::new();
    let ends = |e: &EntryPoint| {
        let same = e.registered_by == entry.registered_by && e.another == entry.another;
        same && e.ends.contains(&entry.function)
    };
    let ending = entries.iter_ids().filter(|(_, e)| ends(e));
    for (n, (of, _)) in ending.enumerate() {
        let _ = write!(
            text,
            "  %over.{n} = call i64 @__irkiss_ghost_get(ptr {}, i32 {RAN})\n  %goes.on.{n} = icmp eq i64 %over.{n}, 0\n  \
             call void @__irkiss_assume(i1 zeroext %goes.on.{n})\n",
            ended(of)
        );
    }
    if !entry.ends.is_empty() {
        let _ = writeln!(
            text,
            "  call void @__irkiss_ghost_set(ptr {}, i32 {RAN}, i64 1)",
            ended(id)
        );
    }
    text
}

/// Text that asks whether what an entry point ends, unseen, has begun, and notes that it has ended; the value that says so.
pub fn asked(text: &mut String, id: EntryId) -> String {
    let cell = cell(id);
    let _ = write!(
        text,
        "  %known = call i64 @__irkiss_ghost_get(ptr {cell}, i32 {RAN})\n  %begun = icmp eq i64 %known, {BEGUN}\n  \
         %unknown = icmp eq i64 %known, 0\n  %chosen = call zeroext i1 @__irkiss_nondet_bool()\n  \
         %may = and i1 %unknown, %chosen\n  %ends = or i1 %begun, %may\n  \
         call void @__irkiss_ghost_set(ptr {cell}, i32 {RAN}, i64 {NOT_BEGUN})\n"
    );
    "%ends".to_string()
}

/// Text before the call of an entry point that runs only while something has begun that is not seen, or that ends it; or not once something
/// has.
pub fn while_begun(entries: &EntryPoints, (id, entry): (EntryId, &EntryPoint)) -> String {
    let mut text = unless_ended(entries, (id, entry));
    let other = |e: &EntryPoint| e.ends_unseen && entry.while_begun.contains(&e.function);
    let cells = entries
        .iter_ids()
        .filter(|(i, e)| other(e) || (*i == id && e.ends_unseen));
    for (n, (of, _)) in cells.enumerate() {
        // Who ends it leaves open whether it begins anew.
        let next = if of == id { 0 } else { BEGUN };
        let cell = cell(of);
        let _ = write!(
            text,
            "  %known.{n} = call i64 @__irkiss_ghost_get(ptr {cell}, i32 {RAN})\n  \
             %maybe.{n} = icmp ne i64 %known.{n}, {NOT_BEGUN}\n  call void @__irkiss_assume(i1 zeroext %maybe.{n})\n  \
             call void @__irkiss_ghost_set(ptr {cell}, i32 {RAN}, i64 {next})\n"
        );
    }
    text
}

/// Text of a wrapper before the call of an entry point, within the locks that are held: nobody runs it where it has run.
pub fn before(id: EntryId, entry: &EntryPoint) -> String {
    if entry.until.is_empty() {
        return String::new();
    }
    format!(
        "  %ran = call i64 @__irkiss_ghost_get(ptr @__irkiss_ran.{n}, i32 {RAN})\n  %closed = icmp eq i64 %ran, 0\n  \
         call void @__irkiss_assume(i1 zeroext %closed)\n",
        n = id.index()
    )
}

/// Text of a wrapper after the call of an entry point: it has run, if it succeeded, and what it lets run again may. `result` is what it
/// answers, if it is a number.
pub fn after(
    entries: &EntryPoints,
    (id, entry): (EntryId, &EntryPoint),
    result: Option<(&str, &str)>,
) -> String {
    let mut text = String::new();
    if !entry.until.is_empty() {
        let n = id.index();
        let done = match result {
            Some((ty, value)) => format!(
                "  %opened = icmp eq {ty} {value}, 0\n  %has_run = zext i1 %opened to i64\n"
            ),
            None => "  %has_run = zext i1 true to i64\n".to_string(),
        };
        let _ = writeln!(
            text,
            "{done}  call void @__irkiss_ghost_set(ptr @__irkiss_ran.{n}, i32 {RAN}, i64 %has_run)"
        );
    }
    text + &lets(entries, entry)
}

/// Text after the call of an entry point: what it lets run again may.
pub fn lets(entries: &EntryPoints, entry: &EntryPoint) -> String {
    let same = |e: &EntryPoint| {
        e.registered_by == entry.registered_by && e.until.contains(&entry.function)
    };
    entries
        .iter_ids()
        .filter(|(_, e)| same(e))
        .map(|(id, _)| {
            format!(
                "  call void @__irkiss_ghost_set(ptr @__irkiss_ran.{}, i32 {RAN}, i64 0)\n",
                id.index()
            )
        })
        .collect()
}

/// A handler, and what needs to have run for it, which does not run again.
struct Late {
    handler: usize,
    /// What it needs.
    needs: Vec<usize>,
    /// Interrupts that may arm it.
    by: Vec<usize>,
}

/// The functions that do something to an entry point.
fn that(entry: &EntryPoint, effect: Effect) -> Vec<&str> {
    let changes = entry.changes.iter();
    let such = changes.filter(|c| c.effects.contains(&effect));
    such.map(|c| c.function.as_str()).collect()
}

fn all(program: &Program, entries: &EntryPoints) -> Vec<Late> {
    let calls = |e: &EntryPoint, names: &[&str]| {
        let function = program.function_named(&e.function);
        function.is_some_and(|f| calls_one_of(program, f, names))
    };
    let once: Vec<(EntryId, &EntryPoint)> = entries
        .iter_ids()
        .filter(|(_, e)| !e.until.is_empty())
        .collect();
    let late = |(id, handler): (EntryId, &EntryPoint)| {
        let by = entries.iter_ids().filter(|(_, k)| {
            k.start == Start::Irq
                && k.phase == Phase::Steady
                && calls(k, &that(handler, Effect::Starts))
        });
        let by: Vec<(EntryId, &EntryPoint)> = by.take(TRIED).collect();
        let allows = that(handler, Effect::Allows);
        let needed = once.iter().filter(|(_, e)| {
            calls(e, &allows) || by.iter().any(|(_, k)| calls(e, &that(k, Effect::Starts)))
        });
        Late {
            handler: id.index(),
            needs: needed.map(|(id, _)| id.index()).collect(),
            by: by.into_iter().map(|(id, _)| id.index()).collect(),
        }
    };
    let armed = entries
        .iter_ids()
        .filter(|(_, e)| e.start == Start::Armed && e.phase == Phase::Steady && !once.is_empty());
    armed
        .map(late)
        .filter(|l| !l.needs.is_empty() && !l.by.is_empty())
        .collect()
}

/// The functions that ask whether what a handler needs is a thread, and for whom they look.
pub(super) fn questions(program: &Program, entries: &EntryPoints) -> Vec<(String, Vec<usize>)> {
    let all = all(program, entries).into_iter();
    all.map(|l| (format!("late.{}", l.handler), l.needs))
        .collect()
}

/// `__irkiss_late.N`: beside what handler N needs, runs an interrupt that may arm it, or none. What calls it, by the handler's number.
pub fn functions(program: &Program, entries: &EntryPoints, threads: usize) -> (String, Vec<usize>) {
    let mut text = String::new();
    let all = all(program, entries);
    for late in &all {
        let n = late.handler;
        let (found, last) = further::is_thread(&late.needs, threads);
        let _ = write!(
            text,
            "define internal void @__irkiss_late.{n}() {{\n  %life = call i1 @__irkiss_lifecycle()\n  \
             br i1 %life, label %done, label %steady\nsteady:\n{found}  br i1 {last}, label %ask, label %done\nask:\n  \
             %armed = call zeroext i1 @__irkiss_is_armed(ptr @__irkiss_slot.{n})\n  br i1 %armed, label %done, label %try0\n"
        );
        for (k, interrupt) in late.by.iter().enumerate() {
            let next = match k + 1 {
                next if next < late.by.len() => format!("try{next}"),
                _ => "done".to_string(),
            };
            let _ = write!(
                text,
                "try{k}:\n  %do{k} = call zeroext i1 @__irkiss_nondet_bool()\n  br i1 %do{k}, label %run{k}, label %{next}\n\
                 run{k}:\n  call void @__irkiss_entry_{interrupt}()\n  br label %done\n"
            );
        }
        text.push_str("done:\n  ret void\n}\n");
    }
    (text, all.iter().map(|l| l.handler).collect())
}
