//! The harness: LLVM text that calls a driver's entry points as the kernel would.
//!
//! A pure function from the program and its entry points to text; the frontend
//! parses and links it. `__irkiss_main` is where thread 0 starts.
//!
//! - Steady scenario: `__irkiss_harness_init` runs init code, which must
//!   succeed, with arbitrary module parameters, and opens files
//!   nondeterministically; `__irkiss_pair_main` then runs the two entry points
//!   of the pair (up to four of a scenario) beside each other, and before, where one is a handler that is
//!   not armed, an operation that arms it, and what one of them follows (`resume`: `suspend`).
//! - Lifecycle scenario: the pair's threads are born while init code runs,
//!   where the driver registers them (`__irkiss_born`, called by the models);
//!   what no registration started begins after init, if that succeeded. A file
//!   operation is preceded by an open of its own.
//!
//! State of the harness that other threads must not see as memory is ghost
//! state, at the addresses of the cells that hold the shared objects.
//!
//! What it misses: one device, one inode per ops object, two open files; one
//! object per timer, work or interrupt function (the one armed last).

mod another;
mod answers;
mod arguments;
mod begun;
mod body;
mod bracket;
mod called;
mod does;
mod earlier;
mod effects;
mod files;
mod further;
mod gates;
mod grace;
pub mod identity;
mod init;
mod locks;
mod managed;
mod matched;
mod meant;
mod model;
mod needs;
mod next_file;
mod once;
mod parameters;
mod power;
mod probes;
mod prologue;
mod record;
mod registered;
mod registry;
mod sleep;
mod text;
mod told;
mod watch;
mod whole;
mod wrappers;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::environment::contract::OPEN;
use crate::environment::entry::{
    EntryPoint, EntryPoints, Parameter, Phase, Registrar, SharedObject,
};
use crate::environment::identity::Identity;
use crate::environment::rules::Rules;
use crate::index::Idx;
use crate::program::{Function, Program};
use files::FileGroup;
pub use locks::own_locks;
pub use record::{RECORDED, RECORDING};
pub use text::HarnessError;
use text::{declare, global_name, quoted, string_constant};
pub use told::Told;
pub use whole::{Hooks, Idle, idle_models, main_harness};

/// A harness as it is written.
#[derive(Clone, Debug)]
pub struct Harness {
    /// LLVM assembly.
    pub text: String,
    /// What the writer knows of it.
    pub told: Told,
}

/// Ghost keys of the harness, beside [`OPEN`].
const CLAIMED: u32 = 512 + 17;
const INIT_FAILED: u32 = 512 + 18;
const PREPARED: u32 = 512 + 19;

/// The parts of the text that do not depend on the driver.
const PRELUDE: &str = include_str!("prelude.ll");

/// The symbols of the input that the text refers to: functions and globals. Before linking the text, the frontend must make
/// those with internal linkage visible.
pub fn referenced_symbols(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    identity: &Identity,
) -> BTreeSet<String> {
    let mut names = effects::globals(registrars);
    names.extend(matched::symbols(identity));
    names.extend(managed::called(entries).map(|e| e.function.clone()));
    let called = called::ids(registrars);
    let brackets = entries.iter().filter_map(|e| e.within.as_ref());
    let around = brackets.flat_map(|b| b.begins.iter().chain(&b.ends));
    let around: BTreeSet<&String> = around.collect();
    for (_, entry) in entries.iter_ids().filter(|(id, e)| {
        e.phase != Phase::Nested
            || e.is_called_by_others()
            || called.contains(id)
            || around.contains(&e.function)
    }) {
        names.insert(entry.function.clone());
        let objects = entry.parameters.iter().flat_map(|p| match p {
            Parameter::Global(name, _) => vec![name],
            Parameter::OneOf(places) => places.iter().map(|(name, _)| name).collect(),
            _ => Vec::new(),
        });
        names.extend(
            entry
                .registered_by
                .iter()
                .chain(objects)
                .filter(|n| program.global_named(n).is_some())
                .cloned(),
        );
    }
    for group in files::groups(program, entries) {
        names.extend(match group.misc {
            Some(files::Misc::Variable(device)) => Some(device),
            _ => None,
        });
        names.extend(group.is_global.then_some(group.ops));
    }
    names.extend(
        parameters::parameters(program)
            .into_iter()
            .flat_map(parameters::ModuleParameter::variables),
    );
    names
}

/// The harness of a driver. See the module's text; `__irkiss_entry_start` takes an entry point's number as its pointer. With the
/// rules in `watched`, models are told where entry points begin and end, for the properties that they check. Up to `threads` entry
/// points run beside each other, at least two.
///
/// # Errors
/// If an entry point is not a function of the program.
pub fn driver_harness(
    program: &Program,
    entries: &EntryPoints,
    (objects, identity): (&[SharedObject], &Identity),
    registrars: &[Registrar],
    watched: Option<&Rules>,
    threads: usize,
) -> Result<Harness, HarnessError> {
    let mut writer = Writer {
        watched,
        program,
        entries,
        groups: files::groups(program, entries),
        shared: arguments::shared_names(entries, objects),
        objects,
        identity,
        registrars,
        text: further::prelude(PRELUDE, threads),
        temporaries: 0,
        read: Vec::new(),
    };
    writer.cells(identity)?;
    writer.text += &locks::declarations(entries);
    let groups = writer.groups.clone();
    for group in &groups {
        writer.text += &group.functions(program);
    }
    writer.text += &registry::slots(entries);
    writer.text += &registry::urbs(program);
    writer.text += &registry::cdevs(&groups);
    writer.text += &registry::matches(program, entries);
    writer.text += &registry::prepare(&groups);
    writer.text += &parameters::set_parameters(program);
    writer.text += &gates::gate_functions(program, entries, registrars, &groups, threads);
    writer.begun();
    writer.text += &registered::leaves(entries, threads);
    writer.text += &files::keeping(&groups, entries);
    writer.text += &files::before_exit((&groups, program, entries), watched.is_some());
    writer.text += &managed::actions(program, entries);
    writer.text += &called::ended(entries, registrars);
    writer.text += &managed::made_ended(entries, registrars);
    writer.text += &once::cells(entries);
    writer.text += &answers::answered(program, entries);
    writer.text += &effects::models(program, entries, registrars, threads);
    writer.text += &prologue::warm(program, entries, registrars);
    writer.text += &earlier::functions(program, entries, registrars, &groups);
    let made = |name: &str| writer.made(name);
    let noted = record::recordings(program, objects, (registrars, &made));
    writer.text += &noted;
    writer.text += &another::functions();
    writer.text += &identity::functions(entries, identity, objects);
    writer.text += &matched::models(program, identity);
    writer.init()?;
    writer.called_back()?;
    writer.text += &prologue::firsts(entries);
    writer.text += &prologue::settle(entries);
    writer.text += &sleep::functions(entries, threads);
    writer.text += &needs::functions(entries, threads);
    writer.text += &does::declarations(entries);
    let (late, begins_late) = once::functions(program, entries, threads);
    writer.text += &late;
    let opening = writer.next_files(threads);
    let creators = prologue::creators(program, entries);
    let mut firsts = prologue::first_ones(entries);
    firsts.extend(creators);
    for (id, entry) in entries.iter_ids() {
        if is_thread(entry) {
            writer.wrapper(id, entry)?;
        }
        if firsts.contains(&id.index()) {
            writer.runner(id, entry)?;
        }
    }
    writer.entry_start(&[("late", &begins_late), ("next_file", &opening)]);
    Ok(Harness {
        text: writer.text,
        told: Told::of(program, entries, registrars, &groups),
    })
}

/// Whether it may be a thread of a pair: init code runs in thread 0, before.
fn is_thread(entry: &EntryPoint) -> bool {
    !matches!(entry.phase, Phase::Nested | Phase::Init)
}

struct Writer<'a> {
    /// If models are told where entry points begin and end: by these rules.
    watched: Option<&'a Rules>,
    program: &'a Program,
    entries: &'a EntryPoints,
    groups: Vec<FileGroup>,
    shared: Vec<String>,
    objects: &'a [SharedObject],
    identity: &'a Identity,
    registrars: &'a [Registrar],
    text: String,
    temporaries: u32,
    /// The shared objects that the function at hand has read from their cells.
    read: Vec<(String, String)>,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("%t{}", self.temporaries)
    }

    /// Takes the locks that the kernel holds around an entry point; what gives them back is the result.
    fn lock(&mut self, entry: &EntryPoint) -> String {
        let mut after = String::new();
        for lock in &entry.locks {
            let argument = match &lock.object {
                None => String::new(),
                Some(address) => {
                    let object = self.object(&address.shared);
                    let (text, lock) = locks::place(address, &object, &mut || self.temporary());
                    self.text.push_str(&text);
                    lock
                }
            };
            self.line(&format!("call void @{}({argument})", quoted(&lock.acquire)));
            let release = format!("  call void @{}({argument})\n", quoted(&lock.release));
            after.insert_str(0, &release);
        }
        after
    }

    /// Tells the models that an entry point begins here; what tells them of its end is the result. Within the locks that the
    /// kernel holds.
    fn enter(&mut self, entry: &EntryPoint) -> String {
        let (reads, read) = grace::around(entry);
        self.text.push_str(reads);
        let Some(rules) = self.watched else {
            return read.to_string();
        };
        let held = self.temporary();
        let (enter, leave) = watch::around(entry, self.entries, rules, &held);
        self.line(&enter);
        leave + read
    }

    fn function(&self, entry: &EntryPoint) -> Result<&Function, HarnessError> {
        self.program
            .function_named(&entry.function)
            .map(|f| &self.program.functions[f])
            .ok_or_else(|| {
                HarnessError(format!("entry point {}: no such function", entry.function))
            })
    }

    /// Declarations of what is referred to, and cells for shared objects. Those of file groups are theirs.
    fn cells(&mut self, identity: &Identity) -> Result<(), HarnessError> {
        let program = self.program;
        for name in referenced_symbols(program, self.entries, self.registrars, identity) {
            // One of the kernel's own, which a model below defines.
            if effects::defines(program, self.registrars, &name) {
                continue;
            }
            if let Some(f) = program.function_named(&name) {
                let text = declare(&program.functions[f]).map_err(HarnessError)?;
                self.text.push_str(&text);
            } else {
                let _ = writeln!(self.text, "@{} = external global i8", quoted(&name));
            }
        }
        for name in self.shared.clone() {
            if self.groups.iter().any(|g| g.owns(&name)) {
                continue;
            }
            let cell = global_name("shared", &name);
            let _ = writeln!(self.text, "@{cell} = internal global ptr null");
            let text = string_constant(&global_name("name", &name), &name);
            self.text.push_str(&text);
        }
        let text = string_constant("__irkiss_name_private", "private");
        self.text.push_str(&text);
        Ok(())
    }
}
