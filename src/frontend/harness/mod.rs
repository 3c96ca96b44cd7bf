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
mod locks;
mod managed;
mod matched;
mod meant;
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

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::environment::contract::OPEN;
use crate::environment::entry::{
    EntryPoint, EntryPoints, Parameter, Phase, Registrar, SharedObject, Start,
};
use crate::environment::identity::Identity;
use crate::environment::rules::Rules;
use crate::index::{EntryId, Idx};
use crate::program::{Function, Program, Type};
use files::FileGroup;
pub use locks::own_locks;
pub use record::{RECORDED, RECORDING};
pub use text::HarnessError;
use text::{declare, global_name, quoted, string_constant, type_text};
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
    for (_, entry) in entries.iter_ids().filter(|(id, e)| {
        e.phase != Phase::Nested || e.is_called_by_others() || called.contains(id)
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

    /// Shared objects, init code, open files.
    fn init(&mut self) -> Result<(), HarnessError> {
        self.text
            .push_str("define void @__irkiss_harness_init() {\nentry:\n");
        self.line("%life = call i1 @__irkiss_lifecycle()");
        self.line("call void @__irkiss_set_parameters()");
        let closed = gates::close_at_first(self.program, self.entries, self.registrars);
        self.text.push_str(&closed);
        for group in self.groups.clone() {
            self.line(&format!(
                "call void @__irkiss_make_inode.{}()",
                group.number
            ));
        }
        for name in self.shared.clone() {
            if self.groups.iter().any(|g| g.owns(&name)) {
                continue;
            }
            if self.made(&name) {
                continue;
            }
            let object = self.temporary();
            self.line(&format!(
                "{object} = call ptr @__irkiss_lazy(i64 0, ptr @{})",
                global_name("name", &name)
            ));
            self.no_data_yet(&name, &object);
            // To what the driver makes it leads when that is there (record.rs); before, nowhere.
            let own = self.objects.iter().filter(|o| o.name == name);
            for (offset, other, _) in own.flat_map(|o| &o.set) {
                if self.made(other) {
                    let pointer = self.temporary();
                    self.line(&format!(
                        "{pointer} = getelementptr i8, ptr {object}, i64 {offset}"
                    ));
                    self.line(&format!("store ptr null, ptr {pointer}"));
                }
            }
            self.line(&format!(
                "store ptr {object}, ptr @{}",
                global_name("shared", &name)
            ));
        }
        for object in self.objects {
            let pointers = record::pointers(object, &|other| !self.made(other));
            self.text.push_str(&pointers);
        }
        self.prepare_its();
        let mut bound = probes::Bound::new(self.entries);
        for entry in self.initial(&bound) {
            self.read.clear();
            self.begin_probe(&mut bound, entry);
            let unlock = self.lock(entry);
            let args = self.arguments(entry, None)?;
            self.text.push_str(&power::begins(entry, &args));
            let f = self.function(entry)?;
            let ret = f.ret.clone();
            let call = format!(
                "call {} @{}({args})",
                type_text(&ret).map_err(HarnessError)?,
                quoted(&f.name)
            );
            let leave = self.enter(entry);
            self.probed(entry, &call, (&leave, &unlock));
        }
        self.end_probes(&bound);
        self.text
            .push_str("  br i1 %life, label %done, label %open\nopen:\n");
        for n in prologue::creators(self.program, self.entries) {
            let _ = write!(
                self.text,
                "  %c{n} = call zeroext i1 @__irkiss_nondet_bool()\n  br i1 %c{n}, label %create{n}, label %created{n}\n\
                 create{n}:\n  call void @__irkiss_run_{n}()\n  br label %created{n}\ncreated{n}:\n"
            );
        }
        for object in self.objects {
            self.text.push_str(&record::led(object));
            if object.led.is_some() {
                let set = record::pointers_again(object);
                self.text.push_str(&set);
            }
        }
        for object in self.objects {
            let copies = another::pointers(object) + &record::copies(object);
            self.text.push_str(&copies);
        }
        for group in self.groups.clone() {
            let n = group.number;
            self.line(&format!("call void @__irkiss_open_files.{n}()"));
        }
        self.text
            .push_str("  br label %done\ndone:\n  ret void\n}\n");
        Ok(())
    }

    /// `__irkiss_entry_K`: builds the arguments and calls the function.
    fn wrapper(&mut self, id: EntryId, entry: &EntryPoint) -> Result<(), HarnessError> {
        let n = id.index();
        let gate = gates::has_gate(self.entries, self.registrars, id);
        self.temporaries = 0;
        self.read.clear();
        let _ = writeln!(self.text, "define void @__irkiss_entry_{n}() {{");
        let refused = registered::unless_refused(self.program, self.entries, self.registrars, id);
        self.text.push_str(&refused);
        let mut before = prologue::calls_before(self.entries, entry);
        if !entry.follows.is_empty() {
            let _ = writeln!(before, "  call void @__irkiss_settle(i32 {n})");
        }
        if !before.is_empty() {
            // In the lifecycle scenario nobody else has run them.
            let _ = write!(
                self.text,
                "  %life = call i1 @__irkiss_lifecycle()\n  br i1 %life, label %before, label %go\nbefore:\n{before}  \
                 br label %go\ngo:\n"
            );
        }
        // Before the gate: who waits for a lock is not yet what cancelling waits for.
        let unlock = self.lock(entry);
        if gate {
            let _ = write!(
                self.text,
                "  %gated = call i1 @__irkiss_gated.{n}()\n  br i1 %gated, label %enter, label %entered\nenter:\n  \
                 call void @__irkiss_gate_enter(ptr @__irkiss_gate.{n})\n  br label %entered\nentered:\n"
            );
        }
        let slot = format!("@__irkiss_slot.{n}");
        // Whose state says whether it runs: the object's, or the cell's.
        let whose = |kind| match kind {
            "handler" | "rcu" => "%object",
            _ => slot.as_str(),
        };
        let begin = match entry.start {
            Start::Any => None,
            Start::Irq => Some("irq"),
            Start::Armed if prologue::again(entry) => Some("again"),
            Start::Armed if prologue::is_thread(entry) => Some("once"),
            Start::Armed if entry.after_grace => Some("rcu"),
            Start::Armed => Some("handler"),
        };
        if let Some(kind) = begin {
            self.line(&format!(
                "%object = call ptr @__irkiss_{kind}_begin(ptr {slot})"
            ));
            self.line(&format!("call void @__irkiss_runs(ptr {})", whose(kind)));
        }
        let args = self.arguments(entry, begin.map(|_| ("%object", slot.as_str())))?;
        let f = self.function(entry)?;
        let result = if f.ret == Type::Void {
            ""
        } else {
            "%result = "
        };
        let ret = type_text(&f.ret).map_err(HarnessError)?;
        let number = matches!(f.ret, Type::Int(_)).then_some((ret.as_str(), "%result"));
        let name = quoted(&f.name);
        self.text.push_str(&needs::before(entry, &args));
        self.text.push_str(&needs::while_frozen(id, entry, &args));
        let leave = self.enter(entry);
        let around = self.bracket(entry, &args)?;
        let (asleep, awake, args) =
            sleep::around(self.entries, id, entry, &around.arguments, number);
        let call = format!("call {ret} @{name}({args})");
        self.text.push_str(&around.before);
        self.text.push_str(&once::before(id, entry));
        let begun = once::while_begun(self.entries, (id, entry));
        self.text.push_str(&begun);
        self.text.push_str(managed::before(self.program, entry));
        let (does, done) = does::around(entry, &args);
        self.text.push_str(&does);
        self.text.push_str(&asleep);
        self.line(&format!("{result}{call}"));
        self.text.push_str(&(awake + &done));
        self.text.push_str(managed::after(self.entries, entry));
        let unbound = called::unbound(self.entries, self.registrars, id);
        self.text.push_str(&unbound);
        self.text.push_str(&around.after);
        self.text.push_str(&leave);
        let opened = once::after(self.entries, (id, entry), number);
        self.text.push_str(&opened);
        if let Some(kind) = begin {
            self.line(&format!("call void @__irkiss_ran(ptr {})", whose(kind)));
        }
        match begin {
            Some("handler" | "rcu") => self.line("call void @__irkiss_handler_end(ptr %object)"),
            Some("irq") => self.line(&format!("call void @__irkiss_irq_end(ptr {slot})")),
            Some(_) => self.line(&format!("call void @__irkiss_once_end(ptr {slot})")),
            None => {}
        }
        if gate {
            let _ = write!(
                self.text,
                "  br i1 %gated, label %leave, label %left\nleave:\n  \
                 call void @__irkiss_gate_leave(ptr @__irkiss_gate.{n})\n  br label %left\nleft:\n"
            );
        }
        self.text += &(unlock + grace::at_end(self.entries, entry));
        self.line("ret void");
        self.text.push_str("}\n");
        Ok(())
    }

    /// `__irkiss_run_K`: calls the function and goes on only where it succeeds.
    fn runner(&mut self, id: EntryId, entry: &EntryPoint) -> Result<(), HarnessError> {
        let n = id.index();
        self.temporaries = 0;
        self.read.clear();
        let _ = writeln!(
            self.text,
            "define internal void @__irkiss_run_{n}() {{\n{}  call void @__irkiss_settle(i32 {n})",
            prologue::calls_before(self.entries, entry)
        );
        let may = registered::only_unrefused(self.program, self.entries, self.registrars, id);
        self.text.push_str(&may);
        let unlock = self.lock(entry);
        let args = self.arguments(entry, None)?;
        self.text.push_str(&needs::before(entry, &args));
        let f = self.function(entry)?;
        let ret = type_text(&f.ret).map_err(HarnessError)?;
        let is_number = matches!(f.ret, Type::Int(_));
        let number = is_number.then_some((ret.as_str(), "%result"));
        let name = quoted(&f.name);
        let around = self.bracket(entry, &args)?;
        let (asleep, awake, args) =
            sleep::around(self.entries, id, entry, &around.arguments, number);
        let call = format!("call {ret} @{name}({args})");
        let (does, done) = does::around(entry, &args);
        self.text.push_str(&around.before);
        let begun = once::while_begun(self.entries, (id, entry));
        for text in [begun, does, asleep] {
            self.text.push_str(&text);
        }
        let result = if ret == "void" { "" } else { "%result = " };
        self.line(&format!("{result}{call}"));
        for text in [awake, done, around.after, unlock] {
            self.text.push_str(&text);
        }
        if is_number {
            self.line(&format!("%ok = icmp eq {ret} %result, 0"));
            self.line("call void @__irkiss_assume(i1 zeroext %ok)");
        }
        self.text.push_str(&once::lets(self.entries, entry));
        self.line("ret void");
        self.text.push_str("}\n");
        Ok(())
    }

    /// Where threads start; some begin with what may arm them, or open their file.
    fn entry_start(&mut self, first: &[(&str, &[usize])]) {
        self.text.push_str(
            "define void @__irkiss_entry_start(ptr %n) {\n  %wide = ptrtoint ptr %n to i64\n  switch i64 %wide, label %none [\n",
        );
        let threads: Vec<usize> = self
            .entries
            .iter_ids()
            .filter(|(_, e)| is_thread(e))
            .map(|(id, _)| id.index())
            .collect();
        for n in &threads {
            let _ = writeln!(self.text, "    i64 {n}, label %entry{n}");
        }
        self.text.push_str("  ]\n");
        for n in threads {
            let own = first.iter().filter(|(_, of)| of.contains(&n));
            let before: String = own
                .map(|(what, _)| format!("  call void @__irkiss_{what}.{n}()\n"))
                .collect();
            let _ = writeln!(
                self.text,
                "entry{n}:\n{before}  call void @__irkiss_entry_{n}()\n  ret void"
            );
        }
        self.text.push_str("none:\n  ret void\n}\n");
    }
}
