//! Two objects of a kind: the one that was registered last, and the one before.
//!
//! The cell of a shared object holds the one that the driver's calls have told last. What it held before goes into the cell of the other one
//! (`environment/discover/another.rs`), so that an entry point of one may be run beside one of the other. An object that the harness makes up,
//! and into which a registration puts the driver's data, is there once for each registration.

use super::text::global_name;
use crate::environment::entry::SharedObject;

const MOVES_ON: &str = "__irkiss_moves_on";
const HANDS_OVER: &str = "__irkiss_hands_over";
const LEADS_TO: &str = "__irkiss_leads_to";

/// Ghost key, at a member of a made-up object: a registration has put data there.
const KEPT: u32 = 512 + 28;

/// The other one of two, if there is one.
fn other<'a>(objects: &'a [SharedObject], name: &str) -> Option<&'a SharedObject> {
    objects
        .iter()
        .find(|o| o.another_of.as_deref() == Some(name))
}

/// Text before `object` is put into the cell of the shared object of that name: what is there is the one before.
pub(super) fn precede(objects: &[SharedObject], name: &str, object: &str) -> String {
    let Some(other) = other(objects, name) else {
        return String::new();
    };
    let (cell, before) = (
        global_name("shared", name),
        global_name("shared", &other.name),
    );
    format!("  call void @{MOVES_ON}(ptr {object}, ptr @{cell}, ptr @{before})\n")
}

/// Text before data is put into `%object`, a made-up one, at `%offset`: what a registration put there is another object's.
pub(super) fn hand_over(objects: &[SharedObject], name: &str) -> String {
    let Some(other) = other(objects, name) else {
        return String::new();
    };
    let (cell, text) = (
        global_name("shared", &other.name),
        global_name("name", &other.name),
    );
    format!("  call void @{HANDS_OVER}(ptr %object, i64 %offset, ptr @{cell}, ptr @{text})\n")
}

/// Once initialisation is through, the pointers that the kernel has set in the other one of two, to what is there.
pub(super) fn pointers(object: &SharedObject) -> String {
    if object.another_of.is_none() {
        return String::new();
    }
    let from = global_name("shared", &object.name);
    let set = object.set.iter();
    let each = set.map(|(offset, other, inner)| {
        let to = global_name("shared", other);
        format!("  call void @{LEADS_TO}(ptr @{from}, i64 {offset}, ptr @{to}, i64 {inner})\n")
    });
    each.collect()
}

/// The functions that these texts call. Volatile, for the kernel keeps such pointers under locks of its own.
pub(super) fn functions() -> String {
    format!(
        "define internal void @{MOVES_ON}(ptr %object, ptr %cell, ptr %before) {{\n  %last = load volatile ptr, ptr %cell\n  \
         %none = icmp eq ptr %last, null\n  %same = icmp eq ptr %last, %object\n  %stays = or i1 %none, %same\n  \
         br i1 %stays, label %done, label %moves\nmoves:\n  store volatile ptr %last, ptr %before\n  br label %done\n\
         done:\n  ret void\n}}\n\
         define internal void @{HANDS_OVER}(ptr %object, i64 %offset, ptr %cell, ptr %name) {{\n  \
         %at = getelementptr i8, ptr %object, i64 %offset\n  \
         %was = call i64 @__irkiss_ghost_get(ptr %at, i32 {KEPT})\n  %first = icmp eq i64 %was, 0\n  \
         br i1 %first, label %new, label %again\nnew:\n  call void @__irkiss_ghost_set(ptr %at, i32 {KEPT}, i64 1)\n  ret void\n\
         again:\n  %there = load volatile ptr, ptr %cell\n  %none = icmp eq ptr %there, null\n  \
         br i1 %none, label %make, label %move\nmake:\n  %made = call ptr @__irkiss_lazy(i64 0, ptr %name)\n  \
         store volatile ptr %made, ptr %cell\n  br label %move\nmove:\n  \
         %other = phi ptr [ %there, %again ], [ %made, %make ]\n  %to = getelementptr i8, ptr %other, i64 %offset\n  \
         %data = load volatile ptr, ptr %at\n  store volatile ptr %data, ptr %to\n  ret void\n}}\n\
         define internal void @{LEADS_TO}(ptr %from, i64 %offset, ptr %to, i64 %inner) {{\n  \
         %object = load volatile ptr, ptr %from\n  %other = load volatile ptr, ptr %to\n  \
         %a = icmp ne ptr %object, null\n  %b = icmp ne ptr %other, null\n  %there = and i1 %a, %b\n  \
         br i1 %there, label %set, label %done\nset:\n  %at = getelementptr i8, ptr %object, i64 %offset\n  \
         %target = getelementptr i8, ptr %other, i64 %inner\n  store ptr %target, ptr %at\n  br label %done\n\
         done:\n  ret void\n}}\n"
    )
}
