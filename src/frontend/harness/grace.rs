//! Entry points that are readers of RCU from beginning to end, and callbacks that run once a grace period is over
//! (`environment/discover/grace.rs`): whoever has asked for one may run it, held up until then (`runtime-stubs/linux/rcu.c`).

use std::fmt::Write as _;

use super::is_thread;
use crate::environment::entry::{EntryPoint, EntryPoints};
use crate::index::{EntryId, Idx};

/// What comes before and after the function of an entry point.
pub fn around(entry: &EntryPoint) -> (&'static str, &'static str) {
    match entry.reader {
        true => (
            "  call void @__irkiss_reader_begin()\n",
            "  call void @__irkiss_reader_end()\n",
        ),
        false => ("", ""),
    }
}

/// The callbacks that whoever has asked for them may run.
pub fn callbacks(entries: &EntryPoints) -> impl Iterator<Item = EntryId> {
    let all = entries.iter_ids();
    all.filter(|(_, e)| e.after_grace && is_thread(e))
        .map(|(id, _)| id)
}

/// Text at the end of an entry point, when nothing is held any more: what it has asked for while it was a reader.
pub fn at_end(entries: &EntryPoints, entry: &EntryPoint) -> &'static str {
    match entry.after_grace || callbacks(entries).next().is_none() {
        true => "",
        false => "  call void @__irkiss_entry_over()\n",
    }
}

/// Text of `__irkiss_grace_over`, if there is anything to run: models have one that does nothing.
pub fn over(entries: &EntryPoints) -> String {
    if callbacks(entries).next().is_none() {
        return String::new();
    }
    let mut text = String::from("define void @__irkiss_grace_over(ptr %head) {\n");
    for id in callbacks(entries) {
        let n = id.index();
        let _ = writeln!(text, "  call void @__irkiss_flush.{n}(ptr %head, ptr null)");
    }
    text.push_str("  ret void\n}\n");
    text
}
