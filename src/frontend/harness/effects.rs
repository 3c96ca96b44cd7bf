//! Models of functions that register and cancel, made from what the rules say of their effects.
//!
//! Handlers that are armed (timers, work items, requests, interrupts) are the C models' business (`handlers.c`), which get the
//! effects as bits. Every other entry point that a call can take back has a gate: a cell whose ghost state says whether it is
//! blocked and how many activations are in it. Only pairs of which one side may take the other back pass through gates.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use super::gates::gates;
use super::model::model;
use super::record::{declared, first_part};
use super::text::string_constant;
use super::{further, grace};
use crate::environment::entry::{EntryPoints, Registrar, Start, When};
use crate::environment::rules::Effect;
use crate::index::{EntryId, Idx};
use crate::program::Program;

/// The globals that the models name.
pub fn globals(registrars: &[Registrar]) -> BTreeSet<String> {
    let gated = registrars.iter().flat_map(|r| &r.gated);
    gated
        .flat_map(|g| match &g.when {
            When::Object(_, globals) | When::Registers { globals, .. } => globals.clone(),
            When::Always | When::Function(_) | When::Within(_) => Vec::new(),
        })
        .collect()
}

/// Whether one of the models is that of a function.
pub(super) fn defines(program: &Program, registrars: &[Registrar], function: &str) -> bool {
    let mut all = registrars.iter().filter(|r| r.function == function);
    all.any(|r| declared(program, &r.function).is_some_and(|f| first_part(f).is_some()))
}

/// The functions that wait for handlers ([`flush`]), each with the one whom it looks for among the threads.
pub(super) fn flush_questions(entries: &EntryPoints) -> Vec<(String, Vec<usize>)> {
    let all = entries.iter_ids().map(|(id, _)| id.index());
    all.map(|n| (format!("flush.{n}"), vec![n])).collect()
}

/// The models.
pub fn models(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    threads: usize,
) -> String {
    let mut text = string_constant("__irkiss_name_registered", "registered");
    text.push_str(&locks(registrars));
    let flushed: HashSet<EntryId> = registrars
        .iter()
        .flat_map(|r| &r.armed)
        .filter(|(_, effects)| effects[..] == [Effect::Waits])
        .flat_map(|_| {
            entries
                .iter_ids()
                .filter(|(_, e)| e.start == Start::Armed)
                .map(|(id, _)| id)
        })
        .chain(grace::callbacks(entries))
        .collect();
    text.push_str(&grace::over(entries));
    let mut flushed: Vec<EntryId> = flushed.into_iter().collect();
    flushed.sort();
    for id in &flushed {
        flush(&mut text, id.index(), threads);
    }
    let gates = gates(entries, registrars);
    for registrar in registrars {
        // What cannot be handed on as text keeps the default model.
        if let Some(model) = model(program, entries, registrar, &gates) {
            text.push_str(&model);
        }
    }
    text
}

/// `__irkiss_flush.N(object, container)`: if the object of handler N is meant, and pending, and N is no thread of the pair,
/// runs the handler; a thread of the pair is waited for.
fn flush(text: &mut String, n: usize, threads: usize) {
    let (found, thread) = further::is_thread(&[n], threads);
    let _ = write!(
        text,
        "define internal void @__irkiss_flush.{n}(ptr %object, ptr %container) {{\n  \
         %meant = call zeroext i1 @__irkiss_is_pending(ptr @__irkiss_slot.{n}, ptr %object, ptr %container)\n  \
         br i1 %meant, label %who, label %done\nwho:\n{found}  br i1 {thread}, label %done, label %run\nrun:\n  \
         call void @__irkiss_stand_in(i1 zeroext true)\n  call void @__irkiss_entry_{n}()\n  \
         call void @__irkiss_stand_in(i1 zeroext false)\n  br label %done\ndone:\n  ret void\n}}\n"
    );
}

/// Declarations of what takes these locks.
fn locks(registrars: &[Registrar]) -> String {
    let within = registrars.iter().filter_map(|r| r.within.as_ref());
    let names: BTreeSet<&String> = within.flat_map(|(a, r)| [a, r]).collect();
    names
        .into_iter()
        .map(|name| format!("declare void @{name}()\n"))
        .collect()
}
