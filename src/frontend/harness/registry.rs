//! How the models find what belongs to the driver: cells by function, by ops object; who is born by which registration.

use std::fmt::Write as _;

use super::files::FileGroup;
use super::text::quoted;
use crate::environment::discover::{member_offset, struct_size};
use crate::environment::entry::{
    Begins, Context, EntryPoint, EntryPoints, Parameter, Phase, Start,
};
use crate::index::Idx;
use crate::program::Program;

/// The cells that hold the objects of handlers, and how the models find them by function.
pub fn slots(entries: &EntryPoints) -> String {
    let mut text = String::new();
    let mut by_function = String::from("define ptr @__irkiss_slot(ptr %function) {\n");
    let mut last = "null".to_string();
    for (id, entry) in entries.iter_ids() {
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
        let _ = writeln!(text, "@__irkiss_slot.{n} = internal global ptr {init}");
        let _ = writeln!(
            by_function,
            "  %c{n} = icmp eq ptr %function, @{}\n  %s{n} = select i1 %c{n}, ptr @__irkiss_slot.{n}, ptr {last}",
            quoted(&entry.function)
        );
        last = format!("%s{n}");
    }
    let _ = writeln!(by_function, "  ret ptr {last}\n}}");
    text.push_str(&by_function);
    text.push_str(&own_objects(entries));
    text.push_str(&sleepers(entries));
    text.push_str(&lines(entries));
    text
}

/// `__irkiss_is_line_idle(cell)`: whether no other handler of its interrupt line runs. The kernel calls the handlers of one line one after
/// the other (kernel/irq/handle.c: handle_irq_event), their threaded functions each in a thread of its own.
fn lines(entries: &EntryPoints) -> String {
    let handler = |e: &EntryPoint| e.start == Start::Irq && e.context == Context::Hardirq;
    let handlers: Vec<usize> = entries
        .iter_ids()
        .filter(|(_, e)| handler(e))
        .map(|(id, _)| id.index())
        .collect();
    let mut text = String::from("define zeroext i1 @__irkiss_is_line_idle(ptr %slot) {\n");
    if handlers.len() < 2 {
        text.push_str("  ret i1 true\n}\n");
        return text;
    }
    text.push_str("  %line = call i32 @__irkiss_irq_number(ptr %slot)\n");
    let (mut busy, mut known) = ("false".to_string(), "false".to_string());
    for n in handlers {
        let _ = write!(
            text,
            "  %own{n} = icmp eq ptr %slot, @__irkiss_slot.{n}\n  \
             %runs{n} = call zeroext i1 @__irkiss_runs_on_line(ptr @__irkiss_slot.{n}, i32 %line)\n  \
             %other{n} = select i1 %own{n}, i1 false, i1 %runs{n}\n  %busy{n} = or i1 {busy}, %other{n}\n  \
             %known{n} = or i1 {known}, %own{n}\n"
        );
        (busy, known) = (format!("%busy{n}"), format!("%known{n}"));
    }
    let _ = write!(
        text,
        "  %both = and i1 {busy}, {known}\n  %idle = xor i1 %both, true\n  ret i1 %idle\n}}\n"
    );
    text
}

/// `__irkiss_begins_woken(function)`: whether it begins when what the registering call returned is woken.
fn sleepers(entries: &EntryPoints) -> String {
    let mut text = String::from("define zeroext i1 @__irkiss_begins_woken(ptr %function) {\n");
    let mut last = "false".to_string();
    for (id, entry) in entries.iter_ids() {
        if entry.begins == Begins::Registered {
            continue;
        }
        let n = id.index();
        let _ = writeln!(
            text,
            "  %c{n} = icmp eq ptr %function, @{}\n  %l{n} = or i1 {last}, %c{n}",
            quoted(&entry.function)
        );
        last = format!("%l{n}");
    }
    let _ = writeln!(text, "  ret i1 {last}\n}}");
    text
}

/// `__irkiss_has_cell(function, object)`: whether that object has a cell of its own, being a global that holds the function.
fn own_objects(entries: &EntryPoints) -> String {
    let mut text =
        String::from("define zeroext i1 @__irkiss_has_cell(ptr %function, ptr %object) {\n");
    let mut last = "false".to_string();
    for (id, entry) in entries.iter_ids() {
        let Some(Parameter::Global(name, offset)) = entry.parameters.first() else {
            continue;
        };
        if entry.start == Start::Any {
            continue;
        }
        let n = id.index();
        let _ = write!(
            text,
            "  %g{n} = getelementptr i8, ptr @{}, i64 {offset}\n  %f{n} = icmp eq ptr %function, @{}\n  \
             %o{n} = icmp eq ptr %object, %g{n}\n  %b{n} = and i1 %f{n}, %o{n}\n  %l{n} = or i1 {last}, %b{n}\n",
            quoted(name),
            quoted(&entry.function)
        );
        last = format!("%l{n}");
    }
    let _ = writeln!(text, "  ret i1 {last}\n}}");
    text
}

/// What the models of USB requests need: the size of one, and its completion.
pub fn urbs(program: &Program) -> String {
    let size = struct_size(program, "urb");
    let mut text = format!("define i64 @__irkiss_urb_size() {{\n  ret i64 {size}\n}}\n");
    text.push_str("define ptr @__irkiss_urb_complete(ptr %urb) {\n");
    match member_offset(program, "urb", "complete") {
        // As the kernel's own code, no party to a race.
        Some(offset) => {
            let _ = write!(
                text,
                "  %at = getelementptr i8, ptr %urb, i64 {offset}\n  %complete = load volatile ptr, ptr %at\n  \
                 ret ptr %complete\n}}\n"
            );
        }
        None => text.push_str("  ret ptr null\n}\n"),
    }
    text
}

/// The cells that hold the cdev of each ops object, and how the models find them.
pub fn cdevs(groups: &[FileGroup]) -> String {
    let mut text = String::new();
    let mut slot = String::from("define ptr @__irkiss_cdev_slot(ptr %fops) {\n");
    let mut ops = String::from("define ptr @__irkiss_cdev_ops(ptr %cdev) {\n");
    let (mut last_slot, mut last_ops) = ("null".to_string(), "null".to_string());
    for group in groups.iter().filter(|g| g.is_global) {
        let (n, name) = (group.number, quoted(&group.ops));
        let _ = writeln!(text, "@__irkiss_cdev.{n} = internal global ptr null");
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
    text.push_str(&slot);
    text.push_str(&ops);
    text
}

/// Whether registering `key` lets an entry point start: by its ops object or by its own address.
pub fn matches(program: &Program, entries: &EntryPoints) -> String {
    let mut text = String::new();
    text.push_str(
            "define internal i1 @__irkiss_matches(i32 %number, ptr %key) {\n  switch i32 %number, label %never [\n",
        );
    let steady: Vec<(usize, &EntryPoint)> = entries
        .iter_ids()
        .filter(|(_, e)| e.phase == Phase::Steady)
        .map(|(id, e)| (id.index(), e))
        .collect();
    for (n, _) in &steady {
        let _ = writeln!(text, "    i32 {n}, label %entry{n}");
    }
    text.push_str("  ]\n");
    for (n, entry) in steady {
        let _ = writeln!(
            text,
            "entry{n}:\n  %f{n} = icmp eq ptr %key, @{}",
            quoted(&entry.function)
        );
        match entry
            .registered_by
            .as_ref()
            .filter(|g| program.global_named(g).is_some())
        {
            Some(ops) => {
                let _ = writeln!(
                    text,
                    "  %o{n} = icmp eq ptr %key, @{}\n  %m{n} = or i1 %f{n}, %o{n}\n  ret i1 %m{n}",
                    quoted(ops)
                );
            }
            None => {
                let _ = writeln!(text, "  ret i1 %f{n}");
            }
        }
    }
    text.push_str("never:\n  ret i1 false\n}\n");
    text
}

/// What has to be in place before the first thread that uses an ops object is born (`key` null: all of them).
pub fn prepare(groups: &[FileGroup]) -> String {
    let mut text = String::new();
    text.push_str(
        "define internal void @__irkiss_prepare(ptr %key) {\n  %all = icmp eq ptr %key, null\n",
    );
    for group in groups {
        let n = group.number;
        let test = if group.is_global {
            format!("  %is{n} = icmp eq ptr %key, @{}\n", quoted(&group.ops))
        } else {
            format!("  %is{n} = icmp ne ptr %key, null\n")
        };
        let _ = write!(
            text,
            "{test}  %do{n} = or i1 %all, %is{n}\n  br i1 %do{n}, label %yes{n}, label %no{n}\nyes{n}:\n  \
                 call void @__irkiss_prepare.{n}()\n  br label %no{n}\nno{n}:\n"
        );
    }
    text.push_str("  ret void\n}\n");
    text
}
