//! What an earlier call leaves behind: the check may name an entry point that runs, to its end, before all that comes before a pair.
//!
//! Operations are on the file that they share, or on the other one where only that is open: of a driver that lets in one at a time, the
//! file that is closed in the pair is the one that was written to before. Points-to does not look at these functions: all that they
//! call, threads execute as well, and the file is lent for the time of the call only.

use std::fmt::Write as _;

use super::files::FileGroup;
use super::{OPEN, prologue};
use crate::environment::contract::EARLIER;
use crate::environment::earlier::is_repeatable;
use crate::environment::entry::{EntryPoints, Registrar};
use crate::index::Idx;
use crate::program::Program;

/// `__irkiss_earlier`: runs the entry point that the check names, if it names one.
pub fn functions(
    program: &Program,
    entries: &EntryPoints,
    registrars: &[Registrar],
    groups: &[FileGroup],
) -> String {
    let warmed = prologue::before_each(program, entries, registrars);
    let (mut lending, mut cases, mut text) = (String::new(), String::new(), String::new());
    for group in groups {
        lending.push_str(&lend(group));
    }
    for (id, entry) in entries.iter_ids() {
        let n = id.index();
        if !is_repeatable(entries, entry) {
            continue;
        }
        let warm = match warmed.contains_key(&n) {
            true => format!("  call void @__irkiss_warm_first(i32 {n})\n"),
            false => String::new(),
        };
        let group = groups.iter().find(|g| g.has(entry)).map(|g| g.number);
        let [lend, take_back] = ["lend", "take_back"].map(|what| match group {
            Some(group) => format!("  call void @__irkiss_{what}.{group}()\n"),
            None => String::new(),
        });
        let _ = writeln!(cases, "    i32 {}, label %run{n}", n + 1);
        let _ = write!(
            text,
            "run{n}:\n{warm}{lend}  call void @__irkiss_entry_{n}()\n{take_back}  br label %done\n"
        );
    }
    format!(
        "{lending}define internal void @__irkiss_earlier() {{\n  %number = call i32 @__irkiss_pair(i32 {EARLIER})\n  \
         switch i32 %number, label %done [\n{cases}  ]\n{text}done:\n  ret void\n}}\n"
    )
}

/// `__irkiss_lend.N`: where of two files only the second is open, it is what operations are on; `__irkiss_take_back.N`: no longer.
fn lend(group: &FileGroup) -> String {
    let n = group.number;
    let [_, file1, file2] = group.cells();
    format!(
        "@__irkiss_lent.{n} = internal global ptr null\n\
         define internal void @__irkiss_lend.{n}() {{\n  %first = call i64 @__irkiss_ghost_get(ptr @{file1}, i32 {OPEN})\n  \
         %second = call i64 @__irkiss_ghost_get(ptr @{file2}, i32 {OPEN})\n  %closed = icmp eq i64 %first, 0\n  \
         %open = icmp ne i64 %second, 0\n  %needed = and i1 %closed, %open\n  br i1 %needed, label %lend, label %done\nlend:\n  \
         %own = load ptr, ptr @{file1}\n  store ptr %own, ptr @__irkiss_lent.{n}\n  %other = load ptr, ptr @{file2}\n  \
         store ptr %other, ptr @{file1}\n  call void @__irkiss_ghost_set(ptr @{file1}, i32 {OPEN}, i64 1)\n  br label %done\n\
         done:\n  ret void\n}}\n\
         define internal void @__irkiss_take_back.{n}() {{\n  %own = load ptr, ptr @__irkiss_lent.{n}\n  \
         %lent = icmp ne ptr %own, null\n  br i1 %lent, label %back, label %done\nback:\n  store ptr %own, ptr @{file1}\n  \
         store ptr null, ptr @__irkiss_lent.{n}\n  call void @__irkiss_ghost_set(ptr @{file1}, i32 {OPEN}, i64 0)\n  \
         br label %done\ndone:\n  ret void\n}}\n"
    )
}
