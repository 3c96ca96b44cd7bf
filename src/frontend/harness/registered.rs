//! Whether what registers an entry point was called, and has worked: where it was refused, nobody runs the entry point.

use std::collections::BTreeSet;

use super::further;
use crate::environment::contract::calls_one_of;
use crate::environment::discover::{self, MODULE_EXIT};
use crate::environment::entry::{EntryPoint, EntryPoints, Gated, Phase, Registrar, When};
use crate::environment::rules::{Answer, Effect};
use crate::index::{EntryId, FuncId, Idx};
use crate::program::Program;

/// The ghost key of what became of an entry point's registration, at its `__irkiss_registration.N`: 0 none, 1 refused, 2 done.
pub const REGISTRATION: u32 = 512 + 19;

/// The entry points that a call registers, or refuses to.
pub fn refusable(registrars: &[Registrar]) -> BTreeSet<EntryId> {
    let answers = [
        Answer::Error,
        Answer::NumberOrError,
        Answer::Object,
        Answer::ObjectOrError,
    ];
    registrars
        .iter()
        .filter(|r| answers.contains(&r.answer) || r.shows.is_some())
        .flat_map(|r| &r.gated)
        .filter(|g| g.effects.contains(&Effect::Starts))
        .map(|g| g.entry)
        .collect()
}

/// What begins an entry point that nobody runs where its registration was refused, and none came after; or where initialisation, which
/// alone registers it, has not done so.
pub fn unless_refused(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    id: EntryId,
) -> String {
    match refused(program, entries, registrars, id) {
        Some(refused) => format!(
            "{refused}  br i1 %refused, label %never, label %may\nnever:\n  ret void\nmay:\n"
        ),
        None => String::new(),
    }
}

/// The same of what runs an entry point before others: executions go on only where somebody may run it.
pub fn only_unrefused(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    id: EntryId,
) -> String {
    match refused(program, entries, registrars, id) {
        Some(refused) => format!(
            "{refused}  %may = xor i1 %refused, true\n  call void @__irkiss_assume(i1 zeroext %may)\n"
        ),
        None => String::new(),
    }
}

/// Text of a value, `%refused`, that says whether nobody runs an entry point, since nothing has registered it; `None`: it may always run.
fn refused(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    id: EntryId,
) -> Option<String> {
    let n = id.index();
    if !refusable(registrars).contains(&id) {
        return None;
    }
    let refused = match who_registers(program, entries, registrars, id) {
        Registers::Initialisation => "  %refused = icmp ne i64 %registration, 2\n",
        // Beside module exit, by what is there: who registered it may have had a reference, and taken it back. What it did while a
        // file is open that keeps the module, closing that file may have undone.
        Registers::Others => {
            "  %leaves = call i1 @__irkiss_leaves()\n  %absent = icmp ne i64 %registration, 2\n  \
             %kept = call i1 @__irkiss_file_keeps()\n  %ended = or i1 %absent, %kept\n  %gone = and i1 %leaves, %ended\n  %not = icmp eq i64 %registration, 1\n  %refused = or i1 %gone, %not\n"
        }
        Registers::Unclear => "  %refused = icmp eq i64 %registration, 1\n",
    };
    Some(format!(
        "  %registration = call i64 @__irkiss_ghost_get(ptr @__irkiss_registration.{n}, i32 {REGISTRATION})\n{refused}"
    ))
}

/// The function that asks whether module exit is one of the threads, and who that is.
pub(super) fn exit_question(entries: &EntryPoints) -> (String, Vec<usize>) {
    let exits = entries
        .iter_ids()
        .filter(|(_, e)| e.via == MODULE_EXIT)
        .map(|(id, _)| id.index());
    ("leaves".to_string(), exits.collect())
}

/// `__irkiss_leaves()`: whether module exit is one of the threads.
pub fn leaves(entries: &EntryPoints, threads: usize) -> String {
    let (_, exits) = exit_question(entries);
    let (text, is) = further::is_thread(&exits, threads);
    format!("define internal i1 @__irkiss_leaves() {{\n{text}  ret i1 {is}\n}}\n")
}

/// Who registers an entry point.
#[derive(PartialEq, Eq)]
enum Registers {
    /// Initialisation alone: where it has not, nobody has.
    Initialisation,
    /// Entry points, too.
    Others,
    /// Nothing is known for certain.
    Unclear,
}

/// A value, as text, that is not 0 unless one of the drivers of a module was registered; `None` if it may be registered all the same.
pub fn is_registered(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    driver: &str,
    name: &str,
) -> Option<String> {
    let known = refusable(registrars);
    let by = |id: &EntryId| entries[*id].registered_by.as_deref() == Some(driver);
    let id = known
        .into_iter()
        .filter(by)
        .find(|id| initialisation_alone(program, entries, registrars, *id))?;
    Some(format!(
        "  {name}.state = call i64 @__irkiss_ghost_get(ptr @__irkiss_registration.{}, i32 {REGISTRATION})\n  \
         {name} = icmp eq i64 {name}.state, 2\n",
        id.index()
    ))
}

/// Whether only initialisation registers an entry point.
fn initialisation_alone(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    id: EntryId,
) -> bool {
    who_registers(program, entries, registrars, id) == Registers::Initialisation
}

/// Who registers an entry point, by calls that tell which one it is.
fn who_registers(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    id: EntryId,
) -> Registers {
    let mut names: Vec<&str> = Vec::new();
    let mut leads = vec![entries[id].function.as_str()];
    for registrar in registrars {
        let starts = |g: &&Gated| g.entry == id && g.effects.contains(&Effect::Starts);
        for gated in registrar.gated.iter().filter(starts) {
            match &gated.when {
                When::Registers { globals, holds, .. }
                    if !globals.is_empty() || holds.is_some() =>
                {
                    leads.extend(globals.iter().map(String::as_str));
                }
                // Any such call may be the one.
                When::Always => {}
                _ => return Registers::Unclear,
            }
            names.push(registrar.function.as_str());
        }
    }
    let functions = |of: &dyn Fn(&EntryPoint) -> bool| -> Vec<FuncId> {
        let chosen = entries.iter().filter(|e| of(e));
        chosen
            .filter_map(|e| program.function_named(&e.function))
            .collect()
    };
    let initial = functions(&|e| e.phase == Phase::Init);
    // Another module may ask for it.
    let mut later = functions(&|e| matches!(e.phase, Phase::Steady | Phase::Exit));
    let outside = discover::called_from_outside(program).into_iter();
    later.extend(outside.filter(|f| !initial.contains(f)));
    later.retain(|f| calls_one_of(program, *f, &names));
    // What stands for the call itself is named by it.
    let itself = names.contains(&entries[id].function.as_str());
    // What none of those who register hands on, somebody else registers.
    let own: Vec<FuncId> = initial.into_iter().chain(later.iter().copied()).collect();
    let own = [set_up_for(program, entries, &own), own].concat();
    if !itself && !discover::name_one(program, &own, &leads) {
        return Registers::Unclear;
    }
    match later.is_empty() {
        false => Registers::Others,
        true => Registers::Initialisation,
    }
}

/// The functions that set up what others register: the kernel calls them back while those make it (`setup` of `alloc_netdev_mqs`), or before
/// it calls those, out of the same ops object (`setup` and `newlink` of `rtnl_link_ops`).
fn set_up_for(program: &Program, entries: &EntryPoints, own: &[FuncId]) -> Vec<FuncId> {
    let function = |e: &EntryPoint| program.function_named(&e.function);
    let registers = |e: &EntryPoint| function(e).is_some_and(|f| own.contains(&f));
    let beside = |e: &EntryPoint| {
        let same = |other: &EntryPoint| other.registered_by == e.registered_by && registers(other);
        e.registered_by.is_some() && entries.iter().any(same)
    };
    let nested = |e: &EntryPoint| {
        e.phase == Phase::Nested && discover::name_one(program, own, &[e.function.as_str()])
    };
    let chosen = entries.iter().filter(|e| nested(e) || beside(e));
    chosen.filter_map(function).collect()
}
