//! Shared objects that the driver's own calls tell: functions between the driver and the environment that note them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::another;
use super::begun;
use super::text::{global_name, is_valid, quoted, type_text};
use crate::environment::entry::{Led, Registrar, SharedObject, Source};
use crate::environment::rules::{Answer, Effect};
use crate::program::{Function, Program, Type};

/// Prefix of the function that notes and calls on; the frontend redirects the driver's calls to it.
pub const RECORDING: &str = "__irkiss_recording.";
/// Prefix of the name under which it calls the function itself.
pub const RECORDED: &str = "__irkiss_recorded.";

/// Who registers, and whether initialisation makes a shared object.
pub type Registering<'a> = (&'a [Registrar], &'a dyn Fn(&str) -> bool);

/// The functions; nothing for functions that cannot be handed on as text (variadic ones, aggregates).
pub fn recordings(
    program: &Program,
    objects: &[SharedObject],
    registering: Registering<'_>,
) -> String {
    let mut text = String::new();
    let mut by_function: BTreeMap<&str, Vec<(&SharedObject, &Source)>> = BTreeMap::new();
    let mut given: BTreeSet<&str> = BTreeSet::new();
    // What is another one is told by the calls of the first.
    for object in objects.iter().filter(|o| o.another_of.is_none()) {
        for source in &object.sources {
            match source {
                Source::Given(f, _) | Source::Returned(f) => {
                    by_function.entry(f).or_default().push((object, source));
                }
                Source::Told(_) => {}
                Source::Gives(f) => {
                    if given.insert(f)
                        && let Some(function) = declared(program, f)
                    {
                        gives(&mut text, function, &object.name);
                    }
                }
            }
        }
    }
    for (name, noted) in by_function {
        if let Some(function) = declared(program, name)
            && !given.contains(name)
        {
            // What cannot be written as text is not recorded: the object stays a lazy one.
            if let Some(wrapper) = wrapper(function, &noted, objects, registering) {
                text.push_str(&wrapper);
            }
        }
    }
    text
}

/// Sets the pointers of an object that the kernel has set before the driver sees it: to those objects that are there before.
pub fn pointers(object: &SharedObject, there: &dyn Fn(&str) -> bool) -> String {
    set_in(object, there, "")
}

/// The same in an object that initialisation has turned out to have made ([`led`]).
pub fn pointers_again(object: &SharedObject) -> String {
    set_in(object, &|_| true, ".again")
}

fn set_in(object: &SharedObject, there: &dyn Fn(&str) -> bool, which: &str) -> String {
    let mut text = String::new();
    let set = object.set.iter().enumerate();
    for (n, (offset, other, inner)) in set.filter(|(_, (_, other, _))| there(other)) {
        let (from, to) = (
            global_name("shared", &object.name),
            global_name("shared", other),
        );
        let t = quoted(&format!("{}{which}.{n}", object.name));
        let t = t.trim_matches('"');
        let _ = write!(
            text,
            "  %\"{t}.o\" = load volatile ptr, ptr @{from}\n  %\"{t}.p\" = getelementptr i8, ptr %\"{t}.o\", i64 {offset}\n  \
             %\"{t}.b\" = load volatile ptr, ptr @{to}\n  %\"{t}.t\" = getelementptr i8, ptr %\"{t}.b\", i64 {inner}\n  \
             store ptr %\"{t}.t\", ptr %\"{t}.p\"\n"
        );
    }
    text
}

/// Sets what the kernel copies into an object once initialisation is through, where both objects are there.
pub fn copies(object: &SharedObject) -> String {
    let mut text = String::new();
    for (n, (offset, other, value)) in object.copied.iter().enumerate() {
        let (to, from) = (
            global_name("shared", &object.name),
            global_name("shared", other),
        );
        let t = quoted(&format!("{}.copy.{n}", object.name));
        let t = t.trim_matches('"');
        let read = match value {
            Some(at) => format!(
                "  %\"{t}.a\" = getelementptr i8, ptr %\"{t}.f\", i64 {at}\n  %\"{t}.v\" = load volatile ptr, ptr %\"{t}.a\"\n"
            ),
            None => format!("  %\"{t}.v\" = getelementptr i8, ptr %\"{t}.f\", i64 0\n"),
        };
        let _ = write!(
            text,
            "  %\"{t}.o\" = load volatile ptr, ptr @{to}\n  %\"{t}.f\" = load volatile ptr, ptr @{from}\n  \
             %\"{t}.x\" = icmp ne ptr %\"{t}.o\", null\n  %\"{t}.y\" = icmp ne ptr %\"{t}.f\", null\n  \
             %\"{t}.z\" = and i1 %\"{t}.x\", %\"{t}.y\"\n  br i1 %\"{t}.z\", label %\"{t}.do\", label %\"{t}.done\"\n\"{t}.do\":\n{read}  \
             %\"{t}.p\" = getelementptr i8, ptr %\"{t}.o\", i64 {offset}\n  store ptr %\"{t}.v\", ptr %\"{t}.p\"\n  \
             br label %\"{t}.done\"\n\"{t}.done\":\n"
        );
    }
    text
}

/// Once initialisation is through: the object is what a pointer in another one leads to, if that is there and leads anywhere but to its own
/// place (an empty list).
pub fn led(object: &SharedObject) -> String {
    let Some(Led { by, offset, inner }) = &object.led else {
        return String::new();
    };
    let (cell, from) = (
        global_name("shared", &object.name),
        global_name("shared", by),
    );
    let t = quoted(&format!("{}.led", object.name));
    let t = t.trim_matches('"');
    format!(
        "  %\"{t}.o\" = load volatile ptr, ptr @{from}\n  %\"{t}.x\" = icmp ne ptr %\"{t}.o\", null\n  \
         br i1 %\"{t}.x\", label %\"{t}.there\", label %\"{t}.done\"\n\"{t}.there\":\n  \
         %\"{t}.p\" = getelementptr i8, ptr %\"{t}.o\", i64 {offset}\n  %\"{t}.v\" = load volatile ptr, ptr %\"{t}.p\"\n  \
         %\"{t}.y\" = icmp ne ptr %\"{t}.v\", null\n  %\"{t}.z\" = icmp ne ptr %\"{t}.v\", %\"{t}.p\"\n  \
         %\"{t}.leads\" = and i1 %\"{t}.y\", %\"{t}.z\"\n  \
         br i1 %\"{t}.leads\", label %\"{t}.is\", label %\"{t}.done\"\n\"{t}.is\":\n  \
         %\"{t}.t\" = getelementptr i8, ptr %\"{t}.v\", i64 -{inner}\n  store volatile ptr %\"{t}.t\", ptr @{cell}\n  \
         br label %\"{t}.done\"\n\"{t}.done\":\n"
    )
}

/// A function of the environment.
pub fn declared<'a>(program: &'a Program, name: &str) -> Option<&'a Function> {
    program
        .function_named(name)
        .map(|f| &program.functions[f])
        .filter(|f| !f.is_defined())
}

/// Types of the parameters and of the result, as text; `None` where they cannot be handed on as text.
pub fn signature(function: &Function) -> Option<(Vec<String>, String)> {
    if function.variadic {
        return None;
    }
    first_part(function)
}

/// The same, of a variadic function without what comes after the parameters that it names.
pub fn first_part(function: &Function) -> Option<(Vec<String>, String)> {
    let mut types = Vec::new();
    for p in &function.params {
        let ty = &function.values[*p].ty;
        if matches!(ty, Type::Tuple(_)) {
            return None;
        }
        types.push(type_text(ty).ok()?);
    }
    Some((types, type_text(&function.ret).ok()?))
}

/// The parameters `%a0`, `%a1`, … with their types.
pub fn named(types: &[String]) -> String {
    let list: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(n, t)| format!("{t} %a{n}"))
        .collect();
    list.join(", ")
}

/// Pointers of other objects to one that is noted follow it.
fn follow(objects: &[SharedObject], noted: &SharedObject, pointer: &str, k: &str) -> String {
    let mut text = String::new();
    let firsts = objects.iter().enumerate();
    for (m, object) in firsts.filter(|(_, o)| o.another_of.is_none()) {
        let cell = global_name("shared", &object.name);
        let set = object.set.iter().enumerate();
        for (n, (offset, _, inner)) in set.filter(|(_, (_, other, _))| *other == noted.name) {
            let t = format!("{k}.{m}.{n}");
            let _ = write!(
                text,
                "  %o{t} = load volatile ptr, ptr @{cell}\n  %x{t} = icmp ne ptr %o{t}, null\n  \
                 br i1 %x{t}, label %set{t}, label %go{t}\nset{t}:\n  %p{t} = getelementptr i8, ptr %o{t}, i64 {offset}\n  \
                 %t{t} = getelementptr i8, ptr {pointer}, i64 {inner}\n  store volatile ptr %t{t}, ptr %p{t}\n  \
                 br label %go{t}\ngo{t}:\n"
            );
        }
    }
    text
}

/// Its own pointers lead to the objects that are there by then.
fn follows(noted: &SharedObject, pointer: &str, k: &str) -> String {
    let mut text = String::new();
    for (n, (offset, other, inner)) in noted.set.iter().enumerate() {
        let (cell, t) = (global_name("shared", other), format!("{k}.own.{n}"));
        let _ = write!(
            text,
            "  %o{t} = load volatile ptr, ptr @{cell}\n  %x{t} = icmp ne ptr %o{t}, null\n  \
             br i1 %x{t}, label %set{t}, label %go{t}\nset{t}:\n  %p{t} = getelementptr i8, ptr {pointer}, i64 {offset}\n  \
             %t{t} = getelementptr i8, ptr %o{t}, i64 {inner}\n  store volatile ptr %t{t}, ptr %p{t}\n  \
             br label %go{t}\ngo{t}:\n"
        );
    }
    text
}

fn wrapper(
    function: &Function,
    noted: &[(&SharedObject, &Source)],
    objects: &[SharedObject],
    registering: Registering<'_>,
) -> Option<String> {
    let (types, ret) = signature(function)?;
    let own = quoted(&format!("{RECORDING}{}", function.name));
    let on = quoted(&format!("{RECORDED}{}", function.name));
    let mut text = format!(
        "declare {ret} @{on}({})\ndefine {ret} @{own}({}) {{\n",
        types.join(", "),
        named(&types)
    );
    // Volatile: the kernel keeps such pointers under locks of its own. What is made beside the threads of a pair is another one.
    text.push_str("  %sets.up = call zeroext i1 @__irkiss_sets_up()\n");
    for (k, (object, source)) in noted.iter().enumerate() {
        if let Source::Given(_, n) = source
            && types.get(*n).is_some_and(|t| t == "ptr")
        {
            let cell = global_name("shared", &object.name);
            let pointer = format!("%a{n}");
            let place = format!("g{k}");
            let follow =
                follow(objects, object, &pointer, &place) + &follows(object, &pointer, &place);
            let _ = write!(
                text,
                "  br i1 %sets.up, label %give{k}, label %given{k}\ngive{k}:\n{}  store volatile ptr %a{n}, ptr @{cell}\n{follow}  \
                 br label %given{k}\ngiven{k}:\n",
                another::precede(objects, &object.name, &pointer)
            );
        }
    }
    let result = if ret == "void" { "" } else { "%r = " };
    let _ = writeln!(text, "  {result}call {ret} @{on}({})", named(&types));
    for (k, (object, source)) in noted.iter().enumerate() {
        if matches!(source, Source::Returned(_)) && ret == "ptr" {
            let cell = global_name("shared", &object.name);
            let names = ["i", "d", "w"].map(|name| format!("%{name}{k}"));
            let valid = is_valid("%r", names.each_ref().map(String::as_str));
            let _ = write!(
                text,
                "  {valid}\n  %v{k} = and i1 %w{k}, %sets.up\n  br i1 %v{k}, label %note{k}, label %next{k}\nnote{k}:\n{}  \
                 store volatile ptr %r, ptr @{cell}\n{}{}next{k}:\n",
                another::precede(objects, &object.name, "%r"),
                follow(objects, object, "%r", &format!("r{k}"))
                    + &follows(object, "%r", &format!("r{k}")),
                begun::made(objects, object, "%r", &format!("next{k}"))
            );
        }
    }
    for (k, (object, source)) in noted.iter().enumerate() {
        if matches!(source, Source::Given(_, n) if types.get(*n).is_some_and(|t| t == "ptr")) {
            text.push_str(&refused(function, object, k, registering));
        }
    }
    let _ = match ret.as_str() {
        "void" => writeln!(text, "  ret void\n}}"),
        _ => writeln!(text, "  ret {ret} %r\n}}"),
    };
    Some(text)
}

/// Text after a call that registers an object: where it was refused, nobody runs anything with that object, which the driver may have freed. Of
/// one that was there before, or that the harness makes up, nothing is changed.
fn refused(
    function: &Function,
    object: &SharedObject,
    k: usize,
    (registrars, made): Registering<'_>,
) -> String {
    let refuses = |r: &Registrar| {
        let starts = r.gated.iter().any(|g| g.effects.contains(&Effect::Starts));
        r.function == function.name && r.answer == Answer::Error && starts
    };
    let Type::Int(bits) = function.ret else {
        return String::new();
    };
    if !object.set.is_empty() || !made(&object.name) || !registrars.iter().any(refuses) {
        return String::new();
    }
    let cell = global_name("shared", &object.name);
    format!(
        "  %refused{k} = icmp slt i{bits} %r, 0\n  %lost{k} = and i1 %refused{k}, %sets.up\n  \
         br i1 %lost{k}, label %lose{k}, label %kept{k}\nlose{k}:\n  store volatile ptr null, ptr @{cell}\n  \
         br label %kept{k}\nkept{k}:\n"
    )
}

/// The model of a function that gives the driver the object, or null.
fn gives(text: &mut String, function: &Function, object: &str) {
    let Some((types, ret)) = signature(function) else {
        return;
    };
    if ret != "ptr" {
        return;
    }
    let cell = global_name("shared", object);
    let _ = write!(
        text,
        "define ptr @{}({}) {{\n  %there = call zeroext i1 @__irkiss_nondet_bool()\n  \
         %object = load volatile ptr, ptr @{cell}\n  %r = select i1 %there, ptr %object, ptr null\n  ret ptr %r\n}}\n",
        quoted(&function.name),
        named(&types)
    );
}
