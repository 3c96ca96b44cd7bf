//! Entry points: which functions of an input the kernel calls from outside (WHOOP §III-B; KISS §6).
//!
//! Found by constant ops structs, by arguments of registering calls (also
//! through functions that hand an argument on), by stores of function pointers
//! into typed fields, and by the module's init and exit in both forms. What a
//! place means is told by [`Rules`]; a place that no rule knows gives an entry
//! point with the default context and a note.
//!
//! What it misses: functions whose address is stored where debug info and IR
//! types say nothing, and tables that only other modules use. `--entry` names such functions.

mod alike;
mod also_held;
mod another;
mod armed;
mod asked;
mod bracket;
mod creators;
mod effects;
mod ends;
mod exclusions;
mod find;
mod fitting;
mod flow;
mod given;
pub mod grace;
mod identity;
mod in_memory;
mod its;
mod leads;
mod lent;
mod library;
mod lines;
mod loading;
mod lock_place;
mod locks;
mod maker;
mod matched;
mod needs;
mod objects;
mod opened;
mod ops_with;
mod outside;
mod paths;
mod pinned;
mod power;
mod readers;
mod served;
mod set_up;
mod several;
mod shown;
mod soft_timers;
mod tables;
mod types;
mod unseen;
mod woken;

use std::collections::BTreeSet;

use super::entry::{EntryPoint, EntryPoints, Fields, Phase, Registrar, SharedObject};
use super::identity::Identity;
use super::rules::Rules;
use crate::index::{FuncId, GlobalId};
use crate::program::Program;
use maker::Maker;

pub use another::another;
pub use creators::creators;
pub use library::library;
pub use locks::sets_place;
pub use objects::{BUS_DEVICE, MISC, MISC_FOPS, is_put_into};
pub use served::{called_from_outside, name_one};
pub use types::{
    Definitions, Target, global_type, member_offset, member_place, place_at, pointee, struct_named,
    struct_size,
};

/// What discovery found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// The entry points: init first, exit last.
    pub entries: EntryPoints,
    /// Shared objects of the entry points that come from somewhere.
    pub objects: Vec<SharedObject>,
    /// Functions that register and cancel, whose models are made from rules.
    pub registrars: Vec<Registrar>,
    /// The functions that stand in fields, and what is called through these.
    pub fields: Fields,
    /// Whose the objects are that come from outside.
    pub identity: Identity,
    /// Lines for the user: guessed contexts, tables left out.
    pub notes: Vec<String>,
}

/// `--entry` names something that cannot be an entry point.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// No such function.
    #[error("--entry {0}: no such function")]
    NoSuchFunction(String),
    /// Declared, but defined elsewhere.
    #[error("--entry {0}: the function has no body")]
    NoBody(String),
}

/// A function found at a place.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    function: FuncId,
    /// `struct.field` or `function#argument`.
    via: String,
    /// The object that holds the pointer: global, offset of the innermost struct.
    holder: Option<(GlobalId, i64)>,
    /// The call that it is registered by.
    call: Option<String>,
    /// Why only the input's own code calls it, if that is so.
    own: Option<String>,
}

/// Finds the entry points of a driver. `only` (`--entry`): these functions, and what initialises.
///
/// # Errors
/// If `only` names a function that is not there or has no body.
pub fn discover(
    program: &Program,
    rules: &Rules,
    only: &[String],
) -> Result<Discovery, DiscoverError> {
    check_asked_for(program, only)?;
    let rules = &*rules.of_input(
        |f| objects::is_called(program, f),
        |place, bits| given::may_give(program, place, bits),
    );
    let mut search = find::Search::new(program, rules);
    search.run();
    let mut made = Maker::new(program, rules, &search.uses);
    let module = find::module_functions(program);
    made.all(&search, &module, only);
    let (mut entries, mut notes, apart) = (made.entries, made.notes, made.apart);
    if !only.is_empty() {
        bracket::find(program, rules, &mut entries);
        keep(&mut entries, only);
    }
    entries.sort_by_key(|e| match e.phase {
        Phase::Init => 0,
        Phase::Steady => 1,
        Phase::Exit => 2,
        Phase::Nested => 3,
    });
    let identity = identity::find(program, rules, &mut entries);
    its::settle(&mut entries);
    pinned::exclude_exit(&mut entries, module.built_in);
    settle((program, rules), &search, &apart, &mut entries);
    let mut objects = objects::sources(program, rules, &entries, &identity);
    another::find(program, &identity, &mut entries, &mut objects);
    woken::find(program, rules, &mut entries);
    if only.is_empty() {
        notes.extend(served::not_looked_at(program, &entries));
    }
    let mut entries: EntryPoints = entries.into_iter().collect();
    let fields = outside::fields(&search);
    let called = (&search.uses, &fields.calls[..]);
    let mut registrars = effects::registrars(program, rules, called, &mut entries);
    ends::find(program, rules, &mut entries);
    alike::join(program, &search.uses, &mut entries, &mut registrars);
    Ok(Discovery {
        entries,
        objects,
        registrars,
        fields,
        identity,
        notes,
    })
}

/// Keeps the entry points that are asked for and what initialises, and, as no threads of their own, what the kernel calls around these.
fn keep(entries: &mut Vec<EntryPoint>, only: &[String]) {
    let asked = |e: &EntryPoint| only.contains(&e.function) || e.phase == Phase::Init;
    let brackets = entries.iter().filter(|e| asked(e)).flat_map(|e| &e.within);
    let around = brackets.flat_map(|b| b.begins.iter().chain(&b.ends));
    let around: BTreeSet<String> = around.cloned().collect();
    entries.retain(|e| asked(e) || around.contains(&e.function));
    for entry in entries.iter_mut().filter(|e| !asked(e)) {
        entry.phase = Phase::Nested;
        entry.why = "the kernel calls it around another one".to_string();
    }
}

/// Whether these can be entry points.
fn check_asked_for(program: &Program, only: &[String]) -> Result<(), DiscoverError> {
    for name in only {
        match program.function_named(name) {
            None => return Err(DiscoverError::NoSuchFunction(name.clone())),
            Some(f) if !program.functions[f].is_defined() => {
                return Err(DiscoverError::NoBody(name.clone()));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// What else is to be known of the entry points: what keeps them from each other, under which locks and how often each is called.
fn settle(
    (program, rules): (&Program, &Rules),
    search: &find::Search<'_>,
    apart: &[exclusions::Apart],
    entries: &mut [EntryPoint],
) {
    exclusions::order(program, rules, entries);
    exclusions::follow(rules, entries);
    exclusions::once(rules, entries);
    unseen::find(rules, entries);
    exclusions::sleep(program, rules, entries);
    exclusions::resolve(entries, apart);
    exclusions::calls(search, rules, entries);
    exclusions::alone(entries);
    paths::either(program, entries);
    paths::served(program, rules, entries);
    bracket::find(program, rules, entries);
    ops_with::apply(search, rules, entries);
    also_held::apply(program, rules, entries);
    readers::keep_apart(search, rules, entries);
    objects::place_devices(program, rules, entries);
    power::find(program, rules, entries);
    needs::find(program, rules, entries);
    several::find(program, rules, entries);
    armed::find(program, entries);
    lines::find(program, entries);
    soft_timers::find(program, entries);
    several::own_ops(search, rules, entries);
    several::clients(program, rules, entries);
    asked::keep_apart(program, rules, entries);
    locks::resolve(program, rules, entries);
    grace::find(program, rules, entries);
}

/// `via` of the module's exit function.
pub const MODULE_EXIT: &str = "module_exit";
/// `via` of the module's init function.
pub const MODULE_INIT: &str = "module_init";
