//! Objects that come from outside: cells that the input's own calls fill, and objects of which nothing tells whose they are.

use std::fmt::Write as _;

use super::another;
use super::text::{global_name, is_valid, quoted, string_constant};
use crate::environment::entry::{EntryPoint, EntryPoints, Parameter, SharedObject};
use crate::environment::identity::{Identity, Keeper, note_name};

/// Prefix of the functions that give an entry point an object of which nothing tells whose it is.
pub const UNIDENTIFIED: &str = "__irkiss_unidentified.";

/// Where they are put, so that no analysis takes them for out of others' reach.
const PUBLISHED: &str = "__irkiss_published";

/// Notes what a registering call hands over in the object that it returns: pointer, data, where in bytes.
pub const KEEP: &str = "__irkiss_keep";

/// The same of the shared object of that name, while the harness sets up: a call beside the threads of a pair registers another.
pub fn keep_name(name: &str) -> String {
    format!("{KEEP}.{name}")
}

/// The function that gives the shared object of that name: where nobody has noted one yet, one that comes from outside, which is it from
/// then on if the harness sets up.
pub fn known_name(name: &str) -> String {
    format!("__irkiss_known.{name}")
}

fn own_name(entry: &EntryPoint, n: usize) -> String {
    quoted(&format!("{UNIDENTIFIED}{}.{n}", entry.function))
}

/// The call that gives an activation such an object.
pub(super) fn call(entry: &EntryPoint, n: usize) -> String {
    format!("call ptr @{}()", own_name(entry, n))
}

/// Their functions, and those that note objects while the harness sets up: what is made beside the threads of a pair is another
/// one.
pub(super) fn functions(
    entries: &EntryPoints,
    identity: &Identity,
    objects: &[SharedObject],
) -> String {
    // Others may have what nobody tells whose it is: it is not the activation's own.
    let mut text = format!("@{PUBLISHED} = internal global ptr null\n");
    text.push_str(&unidentified(entries));
    // Volatile, for the kernel keeps such pointers under locks of its own.
    let valid = format!("  {}\n", is_valid("%object", ["%i", "%d", "%v"]));
    let _ = write!(
        text,
        "define void @{KEEP}(ptr %object, ptr %data, i64 %offset) {{\n{valid}  br i1 %v, label %keep, label %done\nkeep:\n  \
         %p = getelementptr i8, ptr %object, i64 %offset\n  store volatile ptr %data, ptr %p\n  br label %done\n\
         done:\n  ret void\n}}\n"
    );
    let mut names: Vec<&String> = identity.names().collect();
    names.sort();
    names.dedup();
    for name in names {
        text.push_str(&noted(objects, name, &valid));
    }
    let mut keepers: Vec<&String> = Vec::new();
    for kept in &identity.kept {
        if let Keeper::Shared(name) = &kept.keeper
            && !keepers.contains(&name)
        {
            keepers.push(name);
        }
    }
    for name in keepers {
        text.push_str(&keeps(objects, name));
    }
    text
}

/// The functions that give entry points objects of which nothing tells whose they are.
fn unidentified(entries: &EntryPoints) -> String {
    let mut text = String::new();
    let mut done: Vec<String> = Vec::new();
    for entry in entries.iter() {
        for (n, parameter) in entry.parameters.iter().enumerate() {
            let Parameter::Unidentified(_) = parameter else {
                continue;
            };
            let own = own_name(entry, n);
            if done.contains(&own) {
                continue;
            }
            let name = global_name("name", &format!("{}.{n}", entry.function));
            text.push_str(&string_constant(
                &name,
                &format!("parameter {n} of {}", entry.via),
            ));
            let _ = write!(
                text,
                "define internal ptr @{own}() {{\n  %r = call ptr @__irkiss_lazy(i64 0, ptr @{name})\n  \
                 store volatile ptr %r, ptr @{PUBLISHED}\n  ret ptr %r\n}}\n"
            );
            done.push(own);
        }
    }
    text
}

/// What notes the shared object of that name, and what gives it.
fn noted(objects: &[SharedObject], name: &str, valid: &str) -> String {
    let (note, cell) = (quoted(&note_name(name)), global_name("shared", name));
    let mut text = format!(
        "define void @{note}(ptr %object) {{\n{valid}  %s = call zeroext i1 @__irkiss_sets_up()\n  %n = and i1 %v, %s\n  \
         br i1 %n, label %note, label %done\nnote:\n{}  store volatile ptr %object, ptr @{cell}\n  br label %done\n\
         done:\n  ret void\n}}\n",
        another::precede(objects, name, "%object")
    );
    let known = quoted(&known_name(name));
    let constant = global_name("name", &known_name(name));
    text.push_str(&string_constant(&constant, name));
    let _ = write!(
        text,
        "define ptr @{known}() {{\n  %known = load volatile ptr, ptr @{cell}\n  %none = icmp eq ptr %known, null\n  \
         br i1 %none, label %new, label %old\nold:\n  ret ptr %known\nnew:\n  \
         %fresh = call ptr @__irkiss_lazy(i64 0, ptr @{constant})\n  store volatile ptr %fresh, ptr @{PUBLISHED}\n  \
         call void @{note}(ptr %fresh)\n  ret ptr %fresh\n}}\n"
    );
    text
}

/// What notes data in the shared object of that name, while the harness sets up.
fn keeps(objects: &[SharedObject], name: &str) -> String {
    let (keep, cell) = (quoted(&keep_name(name)), global_name("shared", name));
    format!(
        "define void @{keep}(ptr %data, i64 %offset) {{\n  %s = call zeroext i1 @__irkiss_sets_up()\n  \
         br i1 %s, label %note, label %done\nnote:\n  %object = load volatile ptr, ptr @{cell}\n{}  \
         call void @{KEEP}(ptr %object, ptr %data, i64 %offset)\n  br label %done\ndone:\n  ret void\n}}\n",
        another::hand_over(objects, name)
    )
}
