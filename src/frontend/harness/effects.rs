//! Models of functions that register and cancel, made from what the rules say of their effects.
//!
//! Handlers that are armed (timers, work items, requests, interrupts) are the C models' business (`handlers.c`), which get the
//! effects as bits. Every other entry point that a call can take back has a gate: a cell whose ghost state says whether it is
//! blocked and how many activations are in it. Only pairs of which one side may take the other back pass through gates.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use super::gates::gates;
use super::meant::{Known, meant};
use super::record::{declared, first_part, named};
use super::text::{quoted, string_constant};
use super::{called, further, grace, managed, power};
use crate::environment::entry::{
    EntryPoints, Gated, LineNumber, Named, Registrar, Start, Target, When,
};
use crate::environment::rules::{Answer, Effect};
use crate::index::{EntryId, Idx};
use crate::program::{Program, Type};

pub(super) fn bits(effects: &[Effect]) -> u32 {
    effects.iter().map(|e| e.bit()).sum()
}

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

/// The text of one model as it grows.
pub(super) struct Body {
    pub(super) text: String,
    labels: usize,
    /// Whether this is what happens where the call fails: nothing starts.
    pub(super) refuses: bool,
    /// The values that say whether a pointer leads into a global.
    pub(super) inside: BTreeMap<(String, String), String>,
}

impl Body {
    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    /// A call's effects on the object of a handler; the result is whether a start was pending.
    fn cancel(&mut self, object: &str, effects: &[Effect]) -> String {
        let k = self.next();
        let bits = bits(effects);
        self.line(&format!(
            "%p{k} = call zeroext i1 @__irkiss_cancel({object}, i32 {bits})"
        ));
        if effects.contains(&Effect::Waits) {
            self.line(&format!("call void @__irkiss_over({object})"));
        }
        if effects.contains(&Effect::Allows) {
            self.line(&format!("call void @__irkiss_allow({object})"));
        }
        format!("%p{k}")
    }

    /// The same on an interrupt action: that of the device, if one is named, or all of the line.
    fn interrupt(&mut self, slot: &str, line: &str, device: Option<usize>, effects: &[Effect]) {
        let bits = bits(effects);
        self.line(&match device {
            Some(d) => {
                format!("call void @__irkiss_free_irq({slot}, i32 {line}, ptr %a{d}, i32 {bits})")
            }
            None => format!("call void @__irkiss_mask_irq({slot}, i32 {line}, i32 {bits})"),
        });
        if device.is_none() && effects.contains(&Effect::Allows) {
            self.line(&format!(
                "call void @__irkiss_unmask_irq({slot}, i32 {line})"
            ));
        }
    }

    /// A number for names of values and labels.
    pub(super) fn next(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }
}

fn model(
    program: &Program,
    entries: &EntryPoints,
    registrar: &Registrar,
    gates: &[EntryId],
) -> Option<String> {
    let function = declared(program, &registrar.function)?;
    let (types, ret) = first_part(function)?;
    let more = match (function.variadic, types.is_empty()) {
        (false, _) => "",
        (true, true) => "...",
        (true, false) => ", ...",
    };
    let is_pointer = |n: usize| types.get(n).is_some_and(|t| t == "ptr");
    let mut body = Body {
        text: format!(
            "define {ret} @{}({}{more}) {{\n",
            quoted(&registrar.function),
            named(&types)
        ),
        labels: 0,
        refuses: false,
        inside: BTreeMap::new(),
    };
    body.text.push_str(&shown(registrar, &types, &ret));
    let known = Known::of(entries, registrar);
    let failed = match (registrar.answer, &function.ret) {
        (Answer::Error | Answer::NumberOrError, Type::Int(_)) => Some("-16".to_string()),
        (Answer::Object, Type::Ptr) => Some("null".to_string()),
        (Answer::ObjectOrError, Type::Ptr) => Some("inttoptr (i64 -12 to ptr)".to_string()),
        (Answer::Busy, Type::Int(_)) => Some("-1".to_string()),
        _ => None,
    };
    let object = registrar.armed.iter().find_map(|(target, _)| match target {
        Target::Object(n) if is_pointer(*n) => Some(*n),
        _ => None,
    });
    // What is not running is stopped in the same step: it must not begin in between.
    let in_one_step = failed.is_some() && registrar.answer == Answer::Busy && object.is_some();
    if let Some(failed) = failed {
        match (registrar.answer, object) {
            (Answer::Busy, Some(n)) => {
                body.line("call void @__irkiss_atomic_begin()");
                body.line(&format!(
                    "%fails = call zeroext i1 @__irkiss_is_running(ptr %a{n})"
                ));
            }
            _ => body.line("%fails = call zeroext i1 @__irkiss_nondet_bool()"),
        }
        let mut fails = "%fails".to_string();
        if registrar.answer != Answer::Busy && called::any(registrar, true) {
            body.line("br i1 %fails, label %failed, label %tries");
            let _ = writeln!(body.text, "tries:");
            let called = called::calls(&mut body, (program, entries), registrar, &types, true);
            fails = called.unwrap_or_else(|| "false".to_string());
        }
        body.line(&format!("br i1 {fails}, label %failed, label %works"));
        let _ = writeln!(body.text, "failed:");
        let mut refusal = Body {
            text: String::new(),
            labels: 1_000_000,
            refuses: true,
            inside: BTreeMap::new(),
        };
        let starts = |g: &&Gated| g.effects.contains(&Effect::Starts);
        if registrar.answer != Answer::Busy {
            for gated in registrar.gated.iter().filter(starts) {
                gate(&mut refusal, program, entries, gated, &types, gates, &known);
            }
        }
        if in_one_step {
            refusal.line("call void @__irkiss_atomic_end()");
        }
        let _ = write!(body.text, "{}  ret {ret} {failed}\nworks:\n", refusal.text);
    }
    if matches!(registrar.answer, Answer::Object | Answer::ObjectOrError) {
        body.line("%result = call ptr @__irkiss_lazy(i64 0, ptr @__irkiss_name_registered)");
    }
    let mut pending = None;
    for (target, effects) in &registrar.armed {
        let flushes = effects[..] == [Effect::Waits];
        let bits = bits(effects);
        match target {
            Target::Object(n) if is_pointer(*n) => {
                for (id, _) in entries.iter_ids().filter(|(_, e)| {
                    flushes && e.start == Start::Armed && !e.via.starts_with("kthread_")
                }) {
                    body.line(&format!(
                        "call void @__irkiss_flush.{}(ptr %a{n}, ptr null)",
                        id.index()
                    ));
                }
                let object = format!("ptr %a{n}");
                pending = Some(body.cancel(&object, effects));
            }
            Target::Arms {
                object,
                function,
                holds,
            } if is_pointer(*object) => {
                let k = body.next();
                let function = match (function, holds) {
                    (Some(n), _) => format!("%a{n}"),
                    (None, Some(offset)) => {
                        body.line(&format!(
                            "%h{k} = getelementptr i8, ptr %a{object}, i64 {offset}"
                        ));
                        body.line(&format!("%f{k} = load volatile ptr, ptr %h{k}"));
                        format!("%f{k}")
                    }
                    (None, None) => continue,
                };
                body.line(&format!(
                    "%p{k} = call zeroext i1 @__irkiss_arm(ptr %a{object}, ptr {function})"
                ));
                pending = Some(format!("%p{k}"));
            }
            Target::All(about) => {
                for i in about.iter().map(|id| id.index()) {
                    let k = body.next();
                    body.line(&format!(
                        "%o{k} = load volatile ptr, ptr @__irkiss_slot.{i}"
                    ));
                    if flushes {
                        body.line(&format!(
                            "call void @__irkiss_flush.{i}(ptr %o{k}, ptr null)"
                        ));
                    }
                    body.cancel(&format!("ptr %o{k}"), effects);
                }
            }
            Target::Contained(n, inside) if is_pointer(*n) => {
                for id in inside {
                    let i = id.index();
                    if flushes {
                        body.line(&format!(
                            "call void @__irkiss_flush.{i}(ptr null, ptr %a{n})"
                        ));
                    }
                    body.line(&format!(
                        "call void @__irkiss_cancel_contained(ptr @__irkiss_slot.{i}, ptr %a{n}, i32 {bits})"
                    ));
                    if effects.contains(&Effect::Allows) {
                        body.line(&format!(
                            "call void @__irkiss_allow_contained(ptr @__irkiss_slot.{i}, ptr %a{n})"
                        ));
                    }
                }
            }
            Target::Task(n) if is_pointer(*n) => {
                body.line(&format!(
                    "call void @__irkiss_cancel_thread(ptr %a{n}, i32 {bits})"
                ));
            }
            Target::Line(line, device) => {
                let line = match line {
                    LineNumber::Argument(n) if types.get(*n).is_some_and(|t| t == "i32") => {
                        format!("%a{n}")
                    }
                    // Volatile: the kernel's own reading is no party to a race.
                    LineNumber::Held(n, offset) if is_pointer(*n) => {
                        let k = body.next();
                        body.line(&format!(
                            "%held{k} = getelementptr i8, ptr %a{n}, i64 {offset}"
                        ));
                        body.line(&format!("%line{k} = load volatile i32, ptr %held{k}"));
                        format!("%line{k}")
                    }
                    LineNumber::Vector(device, n) if is_pointer(*device) => {
                        let k = body.next();
                        body.line(&format!(
                            "%line{k} = call i32 @__irkiss_vector(ptr %a{device}, i32 %a{n})"
                        ));
                        format!("%line{k}")
                    }
                    LineNumber::Argument(_) | LineNumber::Held(..) | LineNumber::Vector(..) => {
                        continue;
                    }
                };
                let device = device.filter(|n| is_pointer(*n));
                for (id, _) in entries.iter_ids().filter(|(_, e)| e.start == Start::Irq) {
                    let slot = format!("ptr @__irkiss_slot.{}", id.index());
                    body.interrupt(&slot, &line, device, effects);
                }
            }
            _ => {}
        }
    }
    // What changes nothing needs no code.
    let acts = |g: &&Gated| {
        g.effects.contains(&Effect::Starts) || (!g.effects.is_empty() && gates.contains(&g.entry))
    };
    for gated in registrar.gated.iter().filter(acts) {
        gate(&mut body, program, entries, gated, &types, gates, &known);
    }
    called::calls(&mut body, (program, entries), registrar, &types, false);
    if let Some(switched) = power::switched(entries, registrar, &types) {
        body.line(&switched);
    }
    let memory = managed::memory(entries, registrar, is_pointer);
    body.text.push_str(&memory);
    if in_one_step {
        body.line("call void @__irkiss_atomic_end()");
    }
    answer(&mut body, registrar.answer, &function.ret, pending);
    Some(within(body.text, registrar))
}

/// What shows a number of the driver's: called without a name, it is the kernel's own reading and writing of those that were shown.
fn shown(registrar: &Registrar, types: &[String], ret: &str) -> String {
    let Some((shows, written)) = &registrar.shows else {
        return String::new();
    };
    let is = |n: usize, ty: &str| types.get(n).is_some_and(|t| t == ty);
    let pointers = [0, shows.argument, shows.within];
    if !pointers.iter().all(|n| is(*n, "ptr")) || !is(shows.mode, "i16") {
        return String::new();
    }
    let (kind, value, mode, within) = (
        shows.number.name(),
        shows.argument,
        shows.mode,
        shows.within,
    );
    let does = if *written { "written" } else { "shown" };
    let answer = match ret {
        "void" => "ret void",
        _ => "ret ptr null",
    };
    format!(
        "  %itself = icmp eq ptr %a0, null\n  br i1 %itself, label %shown, label %shows\nshown:\n  \
         call void @__irkiss_{does}_{kind}()\n  {answer}\nshows:\n  \
         call void @__irkiss_show_{kind}(ptr %a{value}, i16 zeroext %a{mode}, ptr %a{within})\n"
    )
}

/// The text of a model, within the lock that the call takes.
fn within(text: String, registrar: &Registrar) -> String {
    let Some((acquire, release)) = &registrar.within else {
        return text;
    };
    let taken = text.replacen("{\n", &format!("{{\n  call void @{acquire}()\n"), 1);
    taken.replace("\n  ret ", &format!("\n  call void @{release}()\n  ret "))
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

/// What a call does to one gate, if it is about it.
fn gate(
    body: &mut Body,
    program: &Program,
    entries: &EntryPoints,
    gated: &Gated,
    types: &[String],
    gates: &[EntryId],
    known: &Known,
) {
    let n = gated.entry.index();
    let is_pointer = |a: usize| types.get(a).is_some_and(|t| t == "ptr");
    let Some((mut meant, k)) = meant(body, (program, entries), gated, types, known) else {
        return;
    };
    let starts = gated.effects.contains(&Effect::Starts);
    let within = gated.within.filter(|a| is_pointer(*a) && starts);
    // Nothing is made in what was not made itself (an error pointer).
    if let Some(a) = within {
        body.line(&format!(
            "%made{k} = icmp ult ptr %a{a}, inttoptr (i64 -4095 to ptr)"
        ));
        body.line(&format!("%both{k} = and i1 {meant}, %made{k}"));
        meant = format!("%both{k}");
    }
    body.line(&format!("br i1 {meant}, label %yes{k}, label %no{k}"));
    let _ = writeln!(body.text, "yes{k}:");
    if body.refuses {
        body.line(&format!("call void @__irkiss_refused.{n}()"));
    } else if gated.effects.contains(&Effect::Starts) {
        let object = match gated.object {
            Some(Named::Argument(a)) if is_pointer(a) && gated.member > 0 => {
                let k = body.next();
                body.line(&format!(
                    "%member{k} = getelementptr i8, ptr %a{a}, i64 {}",
                    gated.member
                ));
                format!("%member{k}")
            }
            Some(Named::Argument(a)) if is_pointer(a) => format!("%a{a}"),
            Some(Named::Result) if body.text.contains("%result = ") => "%result".to_string(),
            _ => "null".to_string(),
        };
        body.line(&format!("call void @__irkiss_registered.{n}(ptr {object})"));
        if let Some(a) = within.filter(|_| gates.contains(&gated.entry)) {
            body.line(&format!(
                "call void @__irkiss_put_within(ptr @__irkiss_gate.{n}, ptr %a{a})"
            ));
        }
        if gated.managed && !gated.as_made && gates.contains(&gated.entry) {
            body.line(&format!(
                "call void @__irkiss_manage_gate(ptr @__irkiss_gate.{n})"
            ));
        }
    } else {
        body.line(&format!(
            "call void @__irkiss_gate(ptr @__irkiss_gate.{n}, i32 {})",
            bits(&gated.effects)
        ));
    }
    body.line(&format!("br label %no{k}"));
    let _ = writeln!(body.text, "no{k}:");
}

/// What the call answers where it works.
fn answer(body: &mut Body, answer: Answer, ret: &Type, pending: Option<String>) {
    let line = match (answer, ret) {
        (_, Type::Void) => "ret void".to_string(),
        (Answer::Object | Answer::ObjectOrError, Type::Ptr) => "ret ptr %result".to_string(),
        (Answer::Zero, Type::Ptr) => "ret ptr null".to_string(),
        (Answer::Zero | Answer::Error, Type::Int(bits)) => format!("ret i{bits} 0"),
        (Answer::NumberOrError, Type::Int(32)) => {
            body.line("%any = call i32 @__irkiss_nondet_u32()");
            body.line("%number = lshr i32 %any, 1");
            "ret i32 %number".to_string()
        }
        (Answer::Pending | Answer::Busy, Type::Int(1)) if pending.is_some() => {
            format!("ret i1 {}", pending.unwrap_or_default())
        }
        (Answer::Pending | Answer::Busy, Type::Int(bits)) if pending.is_some() => {
            let p = pending.unwrap_or_default();
            body.line(&format!("%pending = zext i1 {p} to i{bits}"));
            format!("ret i{bits} %pending")
        }
        (_, Type::Ptr) => {
            body.line("%any = call ptr @__irkiss_nondet_ptr()");
            "ret ptr %any".to_string()
        }
        (_, Type::Int(1)) => {
            body.line("%any = call zeroext i1 @__irkiss_nondet_bool()");
            "ret i1 %any".to_string()
        }
        (_, Type::Int(bits)) => {
            let from = super::text::int_bits(*bits);
            let attribute = if from < 32 { "zeroext " } else { "" };
            body.line(&format!(
                "%any = call {attribute}i{from} @__irkiss_nondet_u{from}()"
            ));
            match (*bits).cmp(&from) {
                std::cmp::Ordering::Equal => format!("ret i{bits} %any"),
                std::cmp::Ordering::Less => {
                    body.line(&format!("%narrow = trunc i{from} %any to i{bits}"));
                    format!("ret i{bits} %narrow")
                }
                std::cmp::Ordering::Greater => {
                    body.line(&format!("%wide = zext i{from} %any to i{bits}"));
                    format!("ret i{bits} %wide")
                }
            }
        }
        (_, other) => format!("ret {other} undef"),
    };
    body.line(&line);
    body.text.push_str("}\n");
}
