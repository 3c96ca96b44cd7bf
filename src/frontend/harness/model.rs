//! One model: the text of a function that registers or cancels, made from what the rules say of its effects.

use std::fmt::Write as _;

use super::body::{Body, bits};
use super::meant::{Known, meant};
use super::record::{declared, first_part, named};
use super::text::quoted;
use super::{called, managed, power};
use crate::environment::entry::{EntryPoints, Gated, LineNumber, Named, Registrar, Start, Target};
use crate::environment::rules::{Answer, Effect};
use crate::index::{EntryId, Idx};
use crate::program::{Function, Program, Type};

/// The model of a function; `None`: its type cannot be handed on as text.
pub(super) fn model(
    program: &Program,
    entries: &EntryPoints,
    registrar: &Registrar,
    gates: &[EntryId],
) -> Option<String> {
    let function = declared(program, &registrar.function)?;
    let (types, ret) = first_part(function)?;
    let called = Called {
        program,
        entries,
        registrar,
        gates,
        known: Known::of(entries, registrar),
        function,
        types,
        ret,
    };
    Some(called.text())
}

/// A call that a model stands for: what is called, and what the input has that it may be about.
struct Called<'a> {
    program: &'a Program,
    entries: &'a EntryPoints,
    registrar: &'a Registrar,
    /// The entry points that have a gate.
    gates: &'a [EntryId],
    known: Known,
    function: &'a Function,
    /// The types of its parameters, and of what it answers.
    types: Vec<String>,
    ret: String,
}

impl Called<'_> {
    /// All of the model.
    fn text(&self) -> String {
        let registrar = self.registrar;
        let mut body = Body::new(self.head());
        body.text
            .push_str(&shown(registrar, &self.types, &self.ret));
        let failed = self.failed();
        if let Some(failed) = failed {
            self.may_fail(&mut body, failed);
        }
        if matches!(registrar.answer, Answer::Object | Answer::ObjectOrError) {
            body.line("%result = call ptr @__irkiss_lazy(i64 0, ptr @__irkiss_name_registered)");
        }
        let mut pending = None;
        for (target, effects) in &registrar.armed {
            pending = self.armed(&mut body, target, effects).or(pending);
        }
        // What changes nothing needs no code.
        let acts = |g: &&Gated| {
            g.effects.contains(&Effect::Starts)
                || (!g.effects.is_empty() && self.gates.contains(&g.entry))
        };
        for gated in registrar.gated.iter().filter(acts) {
            self.gate(&mut body, gated);
        }
        called::calls(
            &mut body,
            (self.program, self.entries),
            registrar,
            &self.types,
            false,
        );
        if let Some(switched) = power::switched(self.entries, registrar, &self.types) {
            body.line(&switched);
        }
        let memory = managed::memory(self.entries, registrar, |n| self.is_pointer(n));
        body.text.push_str(&memory);
        if self.in_one_step() {
            body.line("call void @__irkiss_atomic_end()");
        }
        answer(&mut body, registrar.answer, &self.function.ret, pending);
        within(body.text, registrar)
    }

    /// The first line.
    fn head(&self) -> String {
        let more = match (self.function.variadic, self.types.is_empty()) {
            (false, _) => "",
            (true, true) => "...",
            (true, false) => ", ...",
        };
        format!(
            "define {} @{}({}{more}) {{\n",
            self.ret,
            quoted(&self.registrar.function),
            named(&self.types)
        )
    }

    fn is_pointer(&self, n: usize) -> bool {
        self.types.get(n).is_some_and(|t| t == "ptr")
    }

    /// What it answers where it fails, if it may.
    fn failed(&self) -> Option<&'static str> {
        match (self.registrar.answer, &self.function.ret) {
            (Answer::Error | Answer::NumberOrError, Type::Int(_)) => Some("-16"),
            (Answer::Object, Type::Ptr) => Some("null"),
            (Answer::ObjectOrError, Type::Ptr) => Some("inttoptr (i64 -12 to ptr)"),
            (Answer::Busy, Type::Int(_)) => Some("-1"),
            _ => None,
        }
    }

    /// The argument that is the object of a handler.
    fn object(&self) -> Option<usize> {
        let mut armed = self.registrar.armed.iter();
        armed.find_map(|(target, _)| match target {
            Target::Object(n) if self.is_pointer(*n) => Some(*n),
            _ => None,
        })
    }

    /// What is not running is stopped in the same step: it must not begin in between.
    fn in_one_step(&self) -> bool {
        let busy = self.registrar.answer == Answer::Busy;
        self.failed().is_some() && busy && self.object().is_some()
    }

    /// Whether the call works, and what happens where it does not.
    fn may_fail(&self, body: &mut Body, failed: &str) {
        let registrar = self.registrar;
        match (registrar.answer, self.object()) {
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
            let input = (self.program, self.entries);
            let called = called::calls(body, input, registrar, &self.types, true);
            fails = called.unwrap_or_else(|| "false".to_string());
        }
        body.line(&format!("br i1 {fails}, label %failed, label %works"));
        let _ = writeln!(body.text, "failed:");
        let mut refusal = Body::of_refusal();
        let starts = |g: &&Gated| g.effects.contains(&Effect::Starts);
        if registrar.answer != Answer::Busy {
            for gated in registrar.gated.iter().filter(starts) {
                self.gate(&mut refusal, gated);
            }
        }
        if self.in_one_step() {
            refusal.line("call void @__irkiss_atomic_end()");
        }
        let (text, ret) = (refusal.text, &self.ret);
        let _ = write!(body.text, "{text}  ret {ret} {failed}\nworks:\n");
    }

    /// What a call does to handlers that are armed; the result is whether a start was pending.
    fn armed(&self, body: &mut Body, target: &Target, effects: &[Effect]) -> Option<String> {
        let flushes = *effects == [Effect::Waits];
        let bits = bits(effects);
        match target {
            Target::Object(n) if self.is_pointer(*n) => {
                for (id, _) in self.entries.iter_ids().filter(|(_, e)| {
                    flushes && e.start == Start::Armed && !e.via.starts_with("kthread_")
                }) {
                    body.line(&format!(
                        "call void @__irkiss_flush.{}(ptr %a{n}, ptr null)",
                        id.index()
                    ));
                }
                return Some(body.cancel(&format!("ptr %a{n}"), effects));
            }
            Target::Arms {
                object,
                function,
                holds,
            } if self.is_pointer(*object) => return arm(body, *object, (*function, *holds)),
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
            Target::Contained(n, inside) if self.is_pointer(*n) => {
                for id in inside {
                    contained(body, id.index(), *n, effects);
                }
            }
            Target::Task(n) if self.is_pointer(*n) => {
                body.line(&format!(
                    "call void @__irkiss_cancel_thread(ptr %a{n}, i32 {bits})"
                ));
            }
            Target::Line(line, device) => {
                let line = self.line_number(body, line)?;
                let device = device.filter(|n| self.is_pointer(*n));
                let entries = self.entries.iter_ids();
                for (id, _) in entries.filter(|(_, e)| e.start == Start::Irq) {
                    let slot = format!("ptr @__irkiss_slot.{}", id.index());
                    body.interrupt(&slot, &line, device, effects);
                }
            }
            _ => {}
        }
        None
    }

    /// The number of an interrupt line; `None`: no argument has the type of one.
    fn line_number(&self, body: &mut Body, line: &LineNumber) -> Option<String> {
        match line {
            LineNumber::Argument(n) if self.types.get(*n).is_some_and(|t| t == "i32") => {
                Some(format!("%a{n}"))
            }
            // Volatile: the kernel's own reading is no party to a race.
            LineNumber::Held(n, offset) if self.is_pointer(*n) => {
                let k = body.next();
                body.line(&format!(
                    "%held{k} = getelementptr i8, ptr %a{n}, i64 {offset}"
                ));
                body.line(&format!("%line{k} = load volatile i32, ptr %held{k}"));
                Some(format!("%line{k}"))
            }
            LineNumber::Vector(device, n) if self.is_pointer(*device) => {
                let k = body.next();
                body.line(&format!(
                    "%line{k} = call i32 @__irkiss_vector(ptr %a{device}, i32 %a{n})"
                ));
                Some(format!("%line{k}"))
            }
            LineNumber::Argument(_) | LineNumber::Held(..) | LineNumber::Vector(..) => None,
        }
    }

    /// What a call does to one gate, if it is about it.
    fn gate(&self, body: &mut Body, gated: &Gated) {
        let n = gated.entry.index();
        let input = (self.program, self.entries);
        let Some((mut meant, k)) = meant(body, input, gated, &self.types, &self.known) else {
            return;
        };
        let starts = gated.effects.contains(&Effect::Starts);
        let within = gated.within.filter(|a| self.is_pointer(*a) && starts);
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
        } else if starts {
            self.registers(body, gated, within);
        } else {
            body.line(&format!(
                "call void @__irkiss_gate(ptr @__irkiss_gate.{n}, i32 {})",
                bits(&gated.effects)
            ));
        }
        body.line(&format!("br label %no{k}"));
        let _ = writeln!(body.text, "no{k}:");
    }

    /// What a call that makes an entry point possible does; `within`: the argument that it is made in.
    fn registers(&self, body: &mut Body, gated: &Gated, within: Option<usize>) {
        let n = gated.entry.index();
        let object = match gated.object {
            Some(Named::Argument(a)) if self.is_pointer(a) && gated.member > 0 => {
                let k = body.next();
                body.line(&format!(
                    "%member{k} = getelementptr i8, ptr %a{a}, i64 {}",
                    gated.member
                ));
                format!("%member{k}")
            }
            Some(Named::Argument(a)) if self.is_pointer(a) => format!("%a{a}"),
            Some(Named::Result) if body.text.contains("%result = ") => "%result".to_string(),
            _ => "null".to_string(),
        };
        body.line(&format!("call void @__irkiss_registered.{n}(ptr {object})"));
        let has_gate = self.gates.contains(&gated.entry);
        if let Some(a) = within.filter(|_| has_gate) {
            body.line(&format!(
                "call void @__irkiss_put_within(ptr @__irkiss_gate.{n}, ptr %a{a})"
            ));
        }
        if gated.managed && !gated.as_made && has_gate {
            body.line(&format!(
                "call void @__irkiss_manage_gate(ptr @__irkiss_gate.{n})"
            ));
        }
    }
}

/// Arms the handler of an object: the function that an argument is, or that stands in the object; the result is whether a start was
/// pending.
fn arm(
    body: &mut Body,
    object: usize,
    (function, holds): (Option<usize>, Option<u64>),
) -> Option<String> {
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
        (None, None) => return None,
    };
    body.line(&format!(
        "%p{k} = call zeroext i1 @__irkiss_arm(ptr %a{object}, ptr {function})"
    ));
    Some(format!("%p{k}"))
}

/// What a call does to handler `i`, whose object lies in that argument.
fn contained(body: &mut Body, i: usize, argument: usize, effects: &[Effect]) {
    if *effects == [Effect::Waits] {
        body.line(&format!(
            "call void @__irkiss_flush.{i}(ptr null, ptr %a{argument})"
        ));
    }
    body.line(&format!(
        "call void @__irkiss_cancel_contained(ptr @__irkiss_slot.{i}, ptr %a{argument}, i32 {})",
        bits(effects)
    ));
    if effects.contains(&Effect::Allows) {
        body.line(&format!(
            "call void @__irkiss_allow_contained(ptr @__irkiss_slot.{i}, ptr %a{argument})"
        ));
    }
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
