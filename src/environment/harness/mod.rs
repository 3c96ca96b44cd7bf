//! The harness: LLVM text that calls a driver's entry points as the kernel would.
//!
//! A pure function from the program and its entry points to text; the frontend
//! parses and links it. `__irkiss_main` is where thread 0 starts.
//!
//! - Steady scenario: `__irkiss_harness_init` runs init code, which must
//!   succeed, and opens files nondeterministically; `__irkiss_pair_main` then
//!   runs the two entry points of the pair beside each other.
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

mod files;
mod text;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::entry::{EntryPoint, EntryPoints, Parameter, Phase, Start};
use crate::index::Idx;
use crate::program::{Function, Program, Type};
use files::FileGroup;
use text::{declare, global_name, int_bits, quoted, string_constant, type_text};

/// Why there can be no harness; one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HarnessError(String);

/// Ghost keys of the harness (`IRKISS_GHOST_LINUX` and up are the kernel models' and ours).
const OPEN: u32 = 512 + 16;
const CLAIMED: u32 = 512 + 17;
const INIT_FAILED: u32 = 512 + 18;
const PREPARED: u32 = 512 + 19;

/// The parts of the text that do not depend on the driver.
const PRELUDE: &str = "\
declare ptr @__irkiss_lazy(i64, ptr)
declare zeroext i1 @__irkiss_nondet_bool()
declare zeroext i8 @__irkiss_nondet_u8()
declare zeroext i16 @__irkiss_nondet_u16()
declare i32 @__irkiss_nondet_u32()
declare i64 @__irkiss_nondet_u64()
declare void @__irkiss_assume(i1 zeroext)
declare i64 @__irkiss_async(ptr, ptr)
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)
declare i32 @__irkiss_pair(i32)
declare void @__irkiss_unsupported(ptr)
declare ptr @__irkiss_handler_begin(ptr)
declare void @__irkiss_handler_end(ptr)
declare ptr @__irkiss_irq_begin(ptr)
declare void @__irkiss_irq_end(ptr)
declare i32 @__irkiss_irq_number(ptr)
declare ptr @__irkiss_once_begin(ptr)
declare void @__irkiss_free_irq(ptr, i32, ptr)
declare void @__irkiss_mask_irq(ptr, i32, i32, i32)

@__irkiss_harness_state = internal global [4 x i8] zeroinitializer

define void @__irkiss_main() {
  call void @__irkiss_harness_init()
  call void @__irkiss_pair_main()
  ret void
}

define internal i1 @__irkiss_lifecycle() {
  %scenario = call i32 @__irkiss_pair(i32 2)
  %is = icmp eq i32 %scenario, 1
  ret i1 %is
}

define internal void @__irkiss_start(i32 %number) {
  %wide = zext i32 %number to i64
  %arg = inttoptr i64 %wide to ptr
  %thread = call i64 @__irkiss_async(ptr @__irkiss_entry_start, ptr %arg)
  ret void
}

define void @__irkiss_pair_main() {
  %life = call i1 @__irkiss_lifecycle()
  br i1 %life, label %lifecycle, label %steady

steady:
  %a = call i32 @__irkiss_pair(i32 0)
  %b = call i32 @__irkiss_pair(i32 1)
  call void @__irkiss_start(i32 %b)
  %wide = zext i32 %a to i64
  %arg = inttoptr i64 %wide to ptr
  call void @__irkiss_entry_start(ptr %arg)
  ret void

lifecycle:
  %failed = call i64 @__irkiss_ghost_get(ptr @__irkiss_harness_state, i32 530)
  %stop = icmp ne i64 %failed, 0
  br i1 %stop, label %done, label %go

go:
  call void @__irkiss_prepare(ptr null)
  call void @__irkiss_start_late(i32 0)
  call void @__irkiss_start_late(i32 1)
  br label %done

done:
  ret void
}

define internal void @__irkiss_start_late(i32 %n) {
  %cell = getelementptr i8, ptr @__irkiss_harness_state, i32 %n
  %born = call i64 @__irkiss_ghost_get(ptr %cell, i32 517)
  %is = icmp ne i64 %born, 0
  br i1 %is, label %done, label %start

start:
  call void @__irkiss_ghost_set(ptr %cell, i32 517, i64 1)
  %number = call i32 @__irkiss_pair(i32 %n)
  call void @__irkiss_start(i32 %number)
  br label %done

done:
  ret void
}

define internal void @__irkiss_born_as(i32 %n, ptr %key) {
  %number = call i32 @__irkiss_pair(i32 %n)
  %match = call i1 @__irkiss_matches(i32 %number, ptr %key)
  br i1 %match, label %start, label %done

start:
  call void @__irkiss_start_late(i32 %n)
  br label %done

done:
  ret void
}

define void @__irkiss_born(ptr %key) {
  %life = call i1 @__irkiss_lifecycle()
  br i1 %life, label %lifecycle, label %done

lifecycle:
  call void @__irkiss_prepare(ptr %key)
  call void @__irkiss_born_as(i32 0, ptr %key)
  call void @__irkiss_born_as(i32 1, ptr %key)
  br label %done

done:
  ret void
}
";

/// The symbols of the input that the text refers to: functions and globals. Before linking the text, the frontend must make
/// those with internal linkage visible.
pub fn referenced_symbols(program: &Program, entries: &EntryPoints) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in entries.iter() {
        names.insert(entry.function.clone());
        let objects = entry.parameters.iter().filter_map(|p| match p {
            Parameter::Global(name, _) => Some(name),
            _ => None,
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
    names.extend(
        files::groups(program, entries)
            .into_iter()
            .filter_map(|g| g.misc),
    );
    names
}

/// The harness of a driver. See the module's text; `__irkiss_entry_start` takes an entry point's number as its pointer.
///
/// # Errors
/// If an entry point is not a function of the program.
pub fn driver_harness(program: &Program, entries: &EntryPoints) -> Result<String, HarnessError> {
    let mut writer = Writer {
        program,
        entries,
        groups: files::groups(program, entries),
        shared: shared_names(entries),
        text: String::from(PRELUDE),
        temporaries: 0,
    };
    writer.cells()?;
    let groups = writer.groups.clone();
    for group in &groups {
        writer.text.push_str(&group.functions(program));
    }
    writer.slots();
    writer.cdevs();
    writer.matches();
    writer.prepare();
    writer.init()?;
    for (id, entry) in entries.iter_ids() {
        writer.wrapper(id.index(), entry)?;
    }
    writer.entry_start();
    Ok(writer.text)
}

/// The start of a program with `main`: argc is 1, argv an array of arbitrary content.
///
/// # Errors
/// If there is no `main` with a body, or it takes something else.
pub fn main_harness(program: &Program) -> Result<String, HarnessError> {
    let main = program
        .function_named("main")
        .map(|f| &program.functions[f])
        .filter(|f| f.is_defined())
        .ok_or_else(|| HarnessError("no function `main`".to_string()))?;
    let mut args = Vec::new();
    for param in &main.params {
        args.push(match main.values[*param].ty {
            Type::Int(bits) => format!("i{bits} 1"),
            Type::Ptr => "ptr %argv".to_string(),
            ref other => return Err(HarnessError(format!("main takes {other}"))),
        });
    }
    let mut text = String::from("declare ptr @__irkiss_lazy(i64, ptr)\n");
    text.push_str(&declare(main).map_err(HarnessError)?);
    text.push_str(&string_constant("__irkiss_name_argv", "argv"));
    let ret = type_text(&main.ret).map_err(HarnessError)?;
    let _ = write!(
        text,
        "define void @__irkiss_main() {{\n  %argv = call ptr @__irkiss_lazy(i64 0, ptr @__irkiss_name_argv)\n  \
         {}call {ret} @main({})\n  ret void\n}}\n",
        if main.ret == Type::Void { "" } else { "%r = " },
        args.join(", ")
    );
    Ok(text)
}

/// The names of shared objects, in order of first use.
fn shared_names(entries: &EntryPoints) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in entries.iter() {
        for parameter in &entry.parameters {
            if let Parameter::Shared(name) = parameter
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
    }
    names
}

struct Writer<'a> {
    program: &'a Program,
    entries: &'a EntryPoints,
    groups: Vec<FileGroup>,
    shared: Vec<String>,
    text: String,
    temporaries: u32,
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

    fn function(&self, entry: &EntryPoint) -> Result<&Function, HarnessError> {
        self.program
            .function_named(&entry.function)
            .map(|f| &self.program.functions[f])
            .ok_or_else(|| {
                HarnessError(format!("entry point {}: no such function", entry.function))
            })
    }

    /// Declarations of what is referred to, and cells for shared objects. Those of file groups are theirs.
    fn cells(&mut self) -> Result<(), HarnessError> {
        let program = self.program;
        for name in referenced_symbols(program, self.entries) {
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

    /// The cells that hold the objects of handlers, and how the models find them by function.
    fn slots(&mut self) {
        let mut by_function = String::from("define ptr @__irkiss_slot(ptr %function) {\n");
        let mut irqs = Vec::new();
        let mut last = "null".to_string();
        for (id, entry) in self.entries.iter_ids() {
            let n = id.index();
            if entry.start == Start::Any {
                continue;
            }
            let init = match entry.parameters.first() {
                Some(Parameter::Global(name, 0)) => format!("@{}", quoted(name)),
                Some(Parameter::Global(name, offset)) => {
                    format!("getelementptr (i8, ptr @{}, i64 {offset})", quoted(name))
                }
                _ => "null".to_string(),
            };
            let _ = writeln!(self.text, "@__irkiss_slot.{n} = internal global ptr {init}");
            let _ = writeln!(
                by_function,
                "  %c{n} = icmp eq ptr %function, @{}\n  %s{n} = select i1 %c{n}, ptr @__irkiss_slot.{n}, ptr {last}",
                quoted(&entry.function)
            );
            last = format!("%s{n}");
            if entry.start == Start::Irq {
                irqs.push(n);
            }
        }
        let _ = writeln!(by_function, "  ret ptr {last}\n}}");
        self.text.push_str(&by_function);
        for (signature, call) in [
            (
                "__irkiss_free_irqs(i32 %irq, ptr %device)",
                "__irkiss_free_irq(ptr SLOT, i32 %irq, ptr %device)",
            ),
            (
                "__irkiss_mask_irqs(i32 %irq, i32 %step, i32 %wait)",
                "__irkiss_mask_irq(ptr SLOT, i32 %irq, i32 %step, i32 %wait)",
            ),
        ] {
            let _ = writeln!(self.text, "define void @{signature} {{");
            for n in &irqs {
                let call = call.replace("SLOT", &format!("@__irkiss_slot.{n}"));
                let _ = writeln!(self.text, "  call void @{call}");
            }
            self.text.push_str("  ret void\n}\n");
        }
    }

    /// The cells that hold the cdev of each ops object, and how the models find them.
    fn cdevs(&mut self) {
        let mut slot = String::from("define ptr @__irkiss_cdev_slot(ptr %fops) {\n");
        let mut ops = String::from("define ptr @__irkiss_cdev_ops(ptr %cdev) {\n");
        let (mut last_slot, mut last_ops) = ("null".to_string(), "null".to_string());
        for group in self.groups.iter().filter(|g| g.is_global) {
            let (n, name) = (group.number, quoted(&group.ops));
            let _ = writeln!(self.text, "@__irkiss_cdev.{n} = internal global ptr null");
            let _ = writeln!(
                slot,
                "  %c{n} = icmp eq ptr %fops, @{name}\n  %s{n} = select i1 %c{n}, ptr @__irkiss_cdev.{n}, ptr {last_slot}"
            );
            let _ = writeln!(
                ops,
                "  %v{n} = load ptr, ptr @__irkiss_cdev.{n}\n  %c{n} = icmp eq ptr %cdev, %v{n}\n  \
                 %o{n} = select i1 %c{n}, ptr @{name}, ptr {last_ops}"
            );
            last_slot = format!("%s{n}");
            last_ops = format!("%o{n}");
        }
        let _ = writeln!(slot, "  ret ptr {last_slot}\n}}");
        let _ = writeln!(ops, "  ret ptr {last_ops}\n}}");
        self.text.push_str(&slot);
        self.text.push_str(&ops);
    }

    /// Whether registering `key` lets an entry point start: by its ops object or by its own address.
    fn matches(&mut self) {
        self.text.push_str(
            "define internal i1 @__irkiss_matches(i32 %number, ptr %key) {\n  switch i32 %number, label %never [\n",
        );
        let steady: Vec<(usize, &EntryPoint)> = self
            .entries
            .iter_ids()
            .filter(|(_, e)| e.phase == Phase::Steady)
            .map(|(id, e)| (id.index(), e))
            .collect();
        for (n, _) in &steady {
            let _ = writeln!(self.text, "    i32 {n}, label %entry{n}");
        }
        self.text.push_str("  ]\n");
        for (n, entry) in steady {
            let _ = writeln!(
                self.text,
                "entry{n}:\n  %f{n} = icmp eq ptr %key, @{}",
                quoted(&entry.function)
            );
            match entry
                .registered_by
                .as_ref()
                .filter(|g| self.program.global_named(g).is_some())
            {
                Some(ops) => {
                    let _ = writeln!(
                        self.text,
                        "  %o{n} = icmp eq ptr %key, @{}\n  %m{n} = or i1 %f{n}, %o{n}\n  ret i1 %m{n}",
                        quoted(ops)
                    );
                }
                None => {
                    let _ = writeln!(self.text, "  ret i1 %f{n}");
                }
            }
        }
        self.text.push_str("never:\n  ret i1 false\n}\n");
    }

    /// What has to be in place before the first thread that uses an ops object is born (`key` null: all of them).
    fn prepare(&mut self) {
        self.text.push_str(
            "define internal void @__irkiss_prepare(ptr %key) {\n  %all = icmp eq ptr %key, null\n",
        );
        for group in self.groups.clone() {
            let n = group.number;
            let test = if group.is_global {
                format!("  %is{n} = icmp eq ptr %key, @{}\n", quoted(&group.ops))
            } else {
                format!("  %is{n} = icmp ne ptr %key, null\n")
            };
            let _ = write!(
                self.text,
                "{test}  %do{n} = or i1 %all, %is{n}\n  br i1 %do{n}, label %yes{n}, label %no{n}\nyes{n}:\n  \
                 call void @__irkiss_prepare.{n}()\n  br label %no{n}\nno{n}:\n"
            );
        }
        self.text.push_str("  ret void\n}\n");
    }

    /// Shared objects, init code, open files.
    fn init(&mut self) -> Result<(), HarnessError> {
        self.text
            .push_str("define void @__irkiss_harness_init() {\nentry:\n");
        self.line("%life = call i1 @__irkiss_lifecycle()");
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
            let object = self.temporary();
            self.line(&format!(
                "{object} = call ptr @__irkiss_lazy(i64 0, ptr @{})",
                global_name("name", &name)
            ));
            self.line(&format!(
                "store ptr {object}, ptr @{}",
                global_name("shared", &name)
            ));
        }
        for entry in self.entries.iter().filter(|e| e.phase == Phase::Init) {
            let args = self.arguments(entry, None)?;
            let f = self.function(entry)?;
            let ret = f.ret.clone();
            let call = format!(
                "call {} @{}({args})",
                type_text(&ret).map_err(HarnessError)?,
                quoted(&f.name)
            );
            let Type::Int(bits) = ret else {
                self.line(&call);
                continue;
            };
            let (result, ok) = (self.temporary(), self.temporary());
            self.line(&format!("{result} = {call}"));
            self.line(&format!("{ok} = icmp eq i{bits} {result}, 0"));
            // In the lifecycle scenario threads run already: a failed init is a state like any other.
            let n = self.temporaries;
            self.text.push_str(&format!(
                "  br i1 %life, label %life{n}, label %steady{n}\nsteady{n}:\n  call void @__irkiss_assume(i1 zeroext {ok})\n  \
                 br label %next{n}\nlife{n}:\n  br i1 {ok}, label %next{n}, label %failed{n}\nfailed{n}:\n  \
                 call void @__irkiss_ghost_set(ptr @__irkiss_harness_state, i32 {INIT_FAILED}, i64 1)\n  ret void\nnext{n}:\n"
            ));
        }
        self.text
            .push_str("  br i1 %life, label %done, label %open\nopen:\n");
        for group in self.groups.clone() {
            let n = group.number;
            self.line(&format!("call void @__irkiss_open_files.{n}()"));
        }
        self.text
            .push_str("  br label %done\ndone:\n  ret void\n}\n");
        Ok(())
    }

    /// The arguments of a call of an entry point, as text; what they need is computed before.
    fn arguments(
        &mut self,
        entry: &EntryPoint,
        object: Option<(&str, &str)>,
    ) -> Result<String, HarnessError> {
        let types: Vec<Type> = {
            let f = self.function(entry)?;
            f.params.iter().map(|p| f.values[*p].ty.clone()).collect()
        };
        let group = self.groups.iter().find(|g| g.has(entry)).cloned();
        let mut args = Vec::new();
        for (n, ty) in types.iter().enumerate() {
            let parameter = entry.parameters.get(n).unwrap_or(&Parameter::Number);
            let value = match (parameter, ty) {
                (Parameter::Registered(..) | Parameter::Global(..), Type::Ptr)
                    if object.is_some() =>
                {
                    object.map_or_else(String::new, |(o, _)| o.to_string())
                }
                (Parameter::Registered(..), Type::Int(bits)) if object.is_some() => {
                    let t = self.temporary();
                    let o = object.map_or("null", |(o, _)| o);
                    self.line(&format!("{t} = ptrtoint ptr {o} to i{bits}"));
                    t
                }
                (Parameter::Number, Type::Int(32)) if n == 0 && entry.start == Start::Irq => {
                    let t = self.temporary();
                    let slot = object.map_or("null", |(_, s)| s);
                    self.line(&format!("{t} = call i32 @__irkiss_irq_number(ptr {slot})"));
                    t
                }
                (Parameter::Constant(0), Type::Ptr) => "null".to_string(),
                (Parameter::Constant(c), Type::Int(_)) => c.to_string(),
                (Parameter::Global(name, offset), Type::Ptr) => {
                    let t = self.temporary();
                    self.line(&format!(
                        "{t} = getelementptr i8, ptr @{}, i64 {offset}",
                        quoted(name)
                    ));
                    t
                }
                (Parameter::Shared(name), Type::Ptr) => {
                    let t = self.temporary();
                    match &group {
                        Some(g) if g.owns(name) => {
                            let call = g.object_call(name);
                            self.line(&format!("{t} = {call}"));
                        }
                        _ => self.line(&format!(
                            "{t} = load ptr, ptr @{}",
                            global_name("shared", name)
                        )),
                    }
                    t
                }
                (Parameter::Private(_), Type::Ptr)
                    if group.as_ref().is_some_and(|g| g.opens(entry)) =>
                {
                    let t = self.temporary();
                    let number = group.as_ref().map_or(0, |g| g.number);
                    self.line(&format!("{t} = call ptr @__irkiss_new_file.{number}()"));
                    t
                }
                (parameter, Type::Ptr) => {
                    let size = match parameter {
                        Parameter::Private(size) => *size,
                        _ => 0,
                    };
                    let t = self.temporary();
                    self.line(&format!(
                        "{t} = call ptr @__irkiss_lazy(i64 {size}, ptr @__irkiss_name_private)"
                    ));
                    t
                }
                (_, Type::Int(bits)) => self.number(*bits),
                (_, other) => {
                    let text = type_text(other).map_err(HarnessError)?;
                    args.push(format!("{text} undef"));
                    continue;
                }
            };
            args.push(format!("{} {value}", type_text(ty).map_err(HarnessError)?));
        }
        Ok(args.join(", "))
    }

    /// An arbitrary integer of that width.
    fn number(&mut self, bits: u32) -> String {
        let from = int_bits(bits);
        let wide = self.temporary();
        let attribute = if from < 32 { "zeroext " } else { "" };
        self.line(&format!(
            "{wide} = call {attribute}i{from} @__irkiss_nondet_u{from}()"
        ));
        if from == bits {
            return wide;
        }
        let t = self.temporary();
        let how = if bits < from { "trunc" } else { "zext" };
        self.line(&format!("{t} = {how} i{from} {wide} to i{bits}"));
        t
    }

    /// `__irkiss_entry_K`: builds the arguments and calls the function.
    fn wrapper(&mut self, n: usize, entry: &EntryPoint) -> Result<(), HarnessError> {
        self.temporaries = 0;
        let _ = writeln!(self.text, "define void @__irkiss_entry_{n}() {{");
        let slot = format!("@__irkiss_slot.{n}");
        let once = entry.via.starts_with("kthread_");
        let begin = match entry.start {
            Start::Any => None,
            Start::Irq => Some("irq"),
            Start::Armed if once => Some("once"),
            Start::Armed => Some("handler"),
        };
        if let Some(kind) = begin {
            self.line(&format!(
                "%object = call ptr @__irkiss_{kind}_begin(ptr {slot})"
            ));
        }
        let args = self.arguments(entry, begin.map(|_| ("%object", slot.as_str())))?;
        let f = self.function(entry)?;
        let call = format!(
            "call {} @{}({args})",
            type_text(&f.ret).map_err(HarnessError)?,
            quoted(&f.name)
        );
        let result = if f.ret == Type::Void {
            ""
        } else {
            "%result = "
        };
        self.line(&format!("{result}{call}"));
        match begin {
            Some("handler") => self.line("call void @__irkiss_handler_end(ptr %object)"),
            Some("irq" | "once") => {
                self.line(&format!("call void @__irkiss_irq_end(ptr {slot})"));
            }
            _ => {}
        }
        self.line("ret void");
        self.text.push_str("}\n");
        Ok(())
    }

    fn entry_start(&mut self) {
        self.text.push_str(
            "define void @__irkiss_entry_start(ptr %n) {\n  %wide = ptrtoint ptr %n to i64\n  switch i64 %wide, label %none [\n",
        );
        for id in self.entries.ids() {
            let _ = writeln!(
                self.text,
                "    i64 {}, label %entry{}",
                id.index(),
                id.index()
            );
        }
        self.text.push_str("  ]\n");
        for id in self.entries.ids() {
            let n = id.index();
            let _ = writeln!(
                self.text,
                "entry{n}:\n  call void @__irkiss_entry_{n}()\n  ret void"
            );
        }
        self.text.push_str("none:\n  ret void\n}\n");
    }
}
