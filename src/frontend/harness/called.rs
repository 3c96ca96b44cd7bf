//! Entry points that a call of the input's calls back before it returns (`calls_back` of `[[effect]]` in rule files): a port that is removed
//! is shut down, a driver that is taken back has its device removed.
//!
//! What undoes something is called where that has been done, and not been undone since: what is ended by it (`[[once]]`), or the probe of
//! its driver. Everything else is called whenever the call says so.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::body::Body;
use super::prologue::RAN;
use super::text::{HarnessError, quoted, type_text};
use super::{Writer, managed, meant, needs, once};
use crate::environment::contract::calls_one_of;
use crate::environment::entry::{
    BitsAt, CalledBack, EntryPoint, EntryPoints, Gated, Parameter, Phase, Registrar,
};
use crate::environment::rules::Effect;
use crate::index::{EntryId, Idx};
use crate::program::{Program, Type};

/// The entry points that some call calls back, each with how it does.
fn all(registrars: &[Registrar]) -> impl Iterator<Item = (EntryId, CalledBack)> {
    let gated = registrars.iter().flat_map(|r| &r.gated);
    gated.flat_map(|g| {
        let called = g.called.into_iter().chain(g.called_at_end);
        called.map(|called| (g.entry, called))
    })
}

pub(super) fn ids(registrars: &[Registrar]) -> BTreeSet<EntryId> {
    all(registrars).map(|(id, _)| id).collect()
}

/// Whether an entry point's code calls one of those functions, also in what its calls call back.
pub(super) fn reaches(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    entry: &EntryPoint,
    names: &[&str],
) -> bool {
    let (mut seen, mut work) = (BTreeSet::new(), vec![entry.function.as_str()]);
    while let Some(function) = work.pop() {
        let Some(f) = program.function_named(function) else {
            continue;
        };
        if calls_one_of(program, f, names) {
            return true;
        }
        let calling = registrars
            .iter()
            .filter(|r| r.gated.iter().any(|g| g.called.is_some()));
        for registrar in calling.filter(|r| calls_one_of(program, f, &[&r.function])) {
            let back = registrar.gated.iter().filter(|g| g.called.is_some());
            for id in back.map(|g| g.entry) {
                if seen.insert(id) {
                    work.push(&entries[id].function);
                }
            }
        }
    }
    false
}

/// The cells that say whether what an entry point undoes has been done, where `[[once]]` says what that is.
fn undone(entries: &EntryPoints, entry: &EntryPoint) -> Vec<String> {
    let same = |e: &EntryPoint| {
        e.registered_by == entry.registered_by && e.until.contains(&entry.function)
    };
    entries
        .iter_ids()
        .filter(|(_, e)| same(e))
        .map(|(id, _)| format!("@__irkiss_ran.{}", id.index()))
        .collect()
}

/// The cell that says whether the driver is bound whose device an entry point removes, or which it detaches.
fn bound(id: EntryId) -> String {
    format!("@__irkiss_bound.{}", id.index())
}

/// The cell that says for which number an entry point was called.
fn with(id: EntryId) -> String {
    format!("@__irkiss_with.{}", id.index())
}

/// Whether an entry point undoes what the probe of its driver has done.
fn unbinds(entries: &EntryPoints, entry: &EntryPoint) -> bool {
    let probes = |e: &EntryPoint| {
        e.phase == Phase::Init
            && e.registered_by.is_some()
            && e.registered_by == entry.registered_by
    };
    undone(entries, entry).is_empty() && entries.iter().any(probes)
}

/// The entry points that undo what the probe of their driver has done, and are called back.
fn unbinding<'a>(
    entries: &'a EntryPoints,
    registrars: &'a [Registrar],
) -> impl Iterator<Item = (EntryId, &'a EntryPoint)> {
    let all = ids(registrars).into_iter();
    all.map(|id| (id, &entries[id]))
        .filter(|(_, e)| unbinds(entries, e))
}

/// Whether a call removes the device of a driver.
pub(super) fn removes(entries: &EntryPoints, registrar: &Registrar) -> bool {
    let mut called = registrar.gated.iter().filter(|g| g.called.is_some());
    called.any(|g| entries[g.entry].removes_device())
}

/// Text that notes that the probe of a driver has succeeded.
pub(super) fn probed(entries: &EntryPoints, registrars: &[Registrar], driver: &str) -> String {
    unbinding(entries, registrars)
        .filter(|(_, e)| e.registered_by.as_deref() == Some(driver))
        .map(|(id, _)| set(&bound(id), 1))
        .collect()
}

/// Text after an entry point's function has returned: the driver that it unbinds is no longer bound.
pub(super) fn unbound(entries: &EntryPoints, registrars: &[Registrar], id: EntryId) -> String {
    match unbinding(entries, registrars).any(|(of, _)| of == id) {
        true => set(&bound(id), 0),
        false => String::new(),
    }
}

fn set(cell: &str, number: u32) -> String {
    format!("  call void @__irkiss_ghost_set(ptr {cell}, i32 {RAN}, i64 {number})\n")
}

/// Whether a call calls something back: what starts with it, or the rest.
pub(super) fn any(registrar: &Registrar, starting: bool) -> bool {
    let starts = |g: &&Gated| g.effects.contains(&Effect::Starts) == starting;
    let mut gated = registrar.gated.iter().filter(starts);
    gated.any(|g| g.called.is_some())
}

/// The part of a model in which the call calls back: what of `registrar` starts with the call, or the rest. A value that says whether one
/// of them has failed, if any is called.
pub(super) fn calls(
    body: &mut Body,
    (program, entries): (&Program, &EntryPoints),
    registrar: &Registrar,
    types: &[String],
    starting: bool,
) -> Option<String> {
    let known = meant::Known::of(entries, registrar);
    let mut failed: Option<String> = None;
    for gated in &registrar.gated {
        let starts = gated.effects.contains(&Effect::Starts);
        let Some(called) = gated.called.filter(|_| starts == starting) else {
            continue;
        };
        let Some(condition) = condition(body, (program, entries), (gated, called), types, &known)
        else {
            continue;
        };
        let (n, k) = (gated.entry.index(), body.next());
        body.line(&format!(
            "%bad{k} = call i1 @__irkiss_called.{n}(i1 {condition})"
        ));
        failed = Some(match failed {
            None => format!("%bad{k}"),
            Some(before) => {
                body.line(&format!("%bad.{k} = or i1 {before}, %bad{k}"));
                format!("%bad.{k}")
            }
        });
    }
    failed
}

/// Whether a call calls back an entry point.
fn condition(
    body: &mut Body,
    (program, entries): (&Program, &EntryPoints),
    (gated, called): (&Gated, CalledBack),
    types: &[String],
    known: &meant::Known,
) -> Option<String> {
    let (meant, k) = meant::meant(body, (program, entries), gated, types, known)?;
    let Some((n, ty)) = called.only_if.and_then(|n| Some((n, types.get(n)?))) else {
        return Some(meant);
    };
    let nothing = if ty == "ptr" { "null" } else { "0" };
    body.line(&format!("%says{k} = icmp ne {ty} %a{n}, {nothing}"));
    body.line(&format!("%calls{k} = and i1 {meant}, %says{k}"));
    Some(format!("%calls{k}"))
}

/// `__irkiss_managed_ended(gate)`: calls back what the end of an entry point does that devres has ended.
pub(super) fn ended(entries: &EntryPoints, registrars: &[Registrar]) -> String {
    let gated = registrars.iter().flat_map(|r| &r.gated);
    let at_end: BTreeSet<EntryId> = gated
        .filter(|g| g.called_at_end.is_some())
        .map(|g| g.entry)
        .collect();
    let managed = managed::gates(entries, registrars);
    let mut text = String::from("define void @__irkiss_managed_ended(ptr %gate) {\n");
    let made = |id: &&EntryId| {
        let mut gated = registrars.iter().flat_map(|r| &r.gated);
        gated.any(|g| g.entry == **id && g.as_made)
    };
    let ended = at_end.intersection(&managed).filter(|id| !made(id));
    for n in ended.map(|id| id.index()) {
        let _ = write!(
            text,
            "  %is{n} = icmp eq ptr %gate, @__irkiss_gate.{n}\n  %bad{n} = call i1 @__irkiss_called.{n}(i1 %is{n})\n"
        );
    }
    text + "  ret void\n}\n"
}

impl Writer<'_> {
    /// The cells, and `__irkiss_called.N(meant)`, which calls entry point N if it is meant: whether that has failed.
    pub(super) fn called_back(&mut self) -> Result<(), HarnessError> {
        for id in unbinding(self.entries, self.registrars).map(|(id, _)| id) {
            let _ = writeln!(self.text, "{} = internal global i8 0", bound(id));
        }
        for id in ids(self.registrars) {
            let _ = writeln!(self.text, "{} = internal global i8 0", with(id));
            let how = all(self.registrars).filter(|(of, _)| *of == id);
            let how: Vec<CalledBack> = how.map(|(_, called)| called).collect();
            self.called_one(id, &how)?;
        }
        Ok(())
    }

    /// Text that notes for which number (of a processor) what starts was called; what is called back at the end is called for the same one.
    fn same_number(&self, id: EntryId, entry: &EntryPoint, args: &str) -> String {
        let Some(first) = self.numbered(id, entry) else {
            return String::new();
        };
        let given = args.split(',').next().unwrap_or_default();
        let Some(value) = given.strip_prefix("i32 ") else {
            return String::new();
        };
        let cell = with(first);
        let wide = format!("  %wide = zext i32 {value} to i64\n  %noted = add i64 %wide, 1\n");
        match first == id {
            true => format!(
                "{wide}  call void @__irkiss_ghost_set(ptr {cell}, i32 {RAN}, i64 %noted)\n"
            ),
            false => format!(
                "{wide}  %with = call i64 @__irkiss_ghost_get(ptr {cell}, i32 {RAN})\n  %none = icmp eq i64 %with, 0\n  \
                 %same = icmp eq i64 %with, %noted\n  %either = or i1 %none, %same\n  \
                 call void @__irkiss_assume(i1 zeroext %either)\n"
            ),
        }
    }

    /// The entry point that a registering call calls for the number that an entry point is called back for: one of the same call.
    fn numbered(&self, id: EntryId, entry: &EntryPoint) -> Option<EntryId> {
        let number = |e: &EntryPoint| e.parameters.first() == Some(&Parameter::Number);
        let gated = self.registrars.iter().flat_map(|r| &r.gated);
        let starting = gated
            .filter(|g| g.called.is_some() && g.effects.contains(&Effect::Starts))
            .map(|g| g.entry);
        let same = |of: &EntryId| {
            let other = &self.entries[*of];
            number(other) && (*of == id || other.registered_by == entry.registered_by)
        };
        let mut starting = starting.filter(same);
        number(entry).then(|| starting.next()).flatten()
    }

    /// Text that goes on where one of the bits is set that the kernel looks at before it calls an entry point.
    fn with_bits(&mut self, entry: &EntryPoint, bits: BitsAt) -> Result<(), HarnessError> {
        let args = self.arguments(entry, None)?;
        let Some(object) = args.split(", ").next().and_then(|a| a.strip_prefix("ptr ")) else {
            return Ok(());
        };
        let wide = bits.bytes * 8;
        self.line(&format!(
            "%status.at = getelementptr i8, ptr {object}, i64 {}",
            bits.offset
        ));
        self.line(&format!("%status = load volatile i{wide}, ptr %status.at"));
        self.line(&format!("%set = and i{wide} %status, {}", bits.bits));
        self.line(&format!("%is.set = icmp ne i{wide} %set, 0"));
        let _ = writeln!(
            self.text,
            "  br i1 %is.set, label %looked, label %no\nlooked:"
        );
        Ok(())
    }

    /// `__irkiss_called.N`, which some calls call in these ways.
    fn called_one(&mut self, id: EntryId, how: &[CalledBack]) -> Result<(), HarnessError> {
        let entry = &self.entries[id];
        self.temporaries = 0;
        self.read.clear();
        let unseen = entry.ends_unseen && undone(self.entries, entry).is_empty();
        let mut cells = undone(self.entries, entry);
        if unbinds(self.entries, entry) {
            cells.push(bound(id));
        }
        let _ = writeln!(
            self.text,
            "define internal i1 @__irkiss_called.{}(i1 %meant) {{\n  br i1 %meant, label %asks, label %no\nasks:",
            id.index()
        );
        let mut done = String::from(if cells.is_empty() { "true" } else { "false" });
        for (k, cell) in cells.iter().enumerate() {
            self.line(&format!(
                "%now{k} = call i64 @__irkiss_ghost_get(ptr {cell}, i32 {RAN})"
            ));
            self.line(&format!("%is{k} = icmp ne i64 %now{k}, 0"));
            self.line(&format!("%done{k} = or i1 {done}, %is{k}"));
            done = format!("%done{k}");
        }
        if unseen {
            done = once::asked(&mut self.text, id);
        }
        let _ = writeln!(self.text, "  br i1 {done}, label %goes, label %no\ngoes:");
        // Where several calls do, and one does not look, it may be called without.
        if let [
            CalledBack {
                only_with: Some(bits),
                ..
            },
            rest @ ..,
        ] = how
            && rest.iter().all(|c| c.only_with == Some(*bits))
        {
            self.with_bits(entry, *bits)?;
        }
        let locked = how.iter().all(|c| c.locked);
        let undone: String = cells.iter().map(|cell| set(cell, 0)).collect();
        self.text.push_str(&undone);
        let unlock = match locked {
            true => self.lock(entry),
            false => String::new(),
        };
        let args = self.arguments(entry, None)?;
        self.text.push_str(&needs::before(entry, &args));
        let number = self.same_number(id, entry, &args);
        self.text.push_str(&number);
        let f = self.function(entry)?;
        let ret = type_text(&f.ret).map_err(HarnessError)?;
        let call = format!("call {ret} @{}({args})", quoted(&f.name));
        let is_number = matches!(f.ret, Type::Int(_));
        self.line(&match is_number {
            true => format!("%result = {call}"),
            false => call,
        });
        if entry.removes_device() {
            self.text.push_str(managed::after(self.entries, entry));
        }
        self.text.push_str(&unlock);
        let failed = match is_number {
            true => {
                self.line(&format!("%failed = icmp ne {ret} %result, 0"));
                "%failed"
            }
            false => "false",
        };
        let _ = writeln!(self.text, "  ret i1 {failed}\nno:\n  ret i1 false\n}}");
        Ok(())
    }
}
