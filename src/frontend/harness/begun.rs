//! Which object a thread gets that is born while initialisation runs: one that was registered.
//!
//! The cell of a shared object holds the one that was made last. Where one function makes and registers several, the thread that the first
//! registration bears must not get the second one, which nobody knows yet. So each registration notes what it is about, and such a thread
//! goes on only with that.

use std::fmt::Write as _;

use super::Writer;
use super::text::global_name;
use crate::environment::entry::{EntryPoint, Parameter, SharedObject};
use crate::index::{EntryId, Idx};

/// Ghost key, at an object that a function has made: which shared object it is, by its place in the list and one more.
const KIND: u32 = 512 + 27;

/// Text of what notes the kind of an object that has just been made; it goes on at that label.
pub(super) fn made(
    objects: &[SharedObject],
    object: &SharedObject,
    value: &str,
    next: &str,
) -> String {
    let place = objects.iter().position(|o| o.name == object.name);
    let number = place.map_or(0, |place| place + 1);
    format!(
        "  %life.{next} = call i1 @__irkiss_lifecycle()\n  br i1 %life.{next}, label %kind.{next}, label %{next}\nkind.{next}:\n  \
         call void @__irkiss_ghost_set(ptr {value}, i32 {KIND}, i64 {number})\n  br label %{next}\n"
    )
}

/// Text of `__irkiss_registered.N`, before the threads of the entry point are born.
pub(super) fn registered(id: EntryId) -> String {
    let n = id.index();
    format!(
        "  %life = call i1 @__irkiss_lifecycle()\n  br i1 %life, label %begins, label %begun\nbegins:\n  \
         call void @__irkiss_begins.{n}(ptr %object)\n  br label %begun\nbegun:\n"
    )
}

/// The shared objects that an entry point is given, or whose locks are held around it.
fn given(entry: &EntryPoint) -> Vec<&str> {
    let parameters = entry.parameters.iter().filter_map(|p| match p {
        Parameter::Shared(name) | Parameter::Member(name, _) | Parameter::Either(name, _) => {
            Some(name.as_str())
        }
        _ => None,
    });
    let locks = entry.locks.iter().filter_map(|l| l.object.as_ref());
    let mut all: Vec<&str> = parameters.chain(locks.map(|l| l.shared.as_str())).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Writer<'_> {
    /// The cells of what was registered, and `__irkiss_begins.N(object)`: notes what the entry point is registered for.
    pub(super) fn begun(&mut self) {
        for name in self.shared.clone() {
            if self.made(&name) {
                let cell = global_name("begun", &name);
                let _ = writeln!(self.text, "@{cell} = internal global ptr null");
            }
        }
        for (id, entry) in self.entries.iter_ids() {
            let n = id.index();
            let _ = write!(
                self.text,
                "define internal void @__irkiss_begins.{n}(ptr %object) {{\n  %there = icmp ne ptr %object, null\n  \
                 %at = select i1 %there, ptr %object, ptr @__irkiss_harness_state\n  \
                 %kind = call i64 @__irkiss_ghost_get(ptr %at, i32 {KIND})\n"
            );
            let names = given(entry).into_iter().filter(|name| self.made(name));
            for (k, name) in names.collect::<Vec<_>>().into_iter().enumerate() {
                let (cell, begun) = (global_name("shared", name), global_name("begun", name));
                let place = self.objects.iter().position(|o| o.name == name);
                let number = place.map_or(0, |place| place + 1);
                // Volatile: the kernel's own doings are no party to a race.
                let _ = write!(
                    self.text,
                    "  %is{k} = icmp eq i64 %kind, {number}\n  %last{k} = load volatile ptr, ptr @{cell}\n  \
                     %own{k} = select i1 %is{k}, ptr %object, ptr %last{k}\n  store volatile ptr %own{k}, ptr @{cell}\n  \
                     store volatile ptr %own{k}, ptr @{begun}\n"
                );
            }
            self.text.push_str("  ret void\n}\n");
        }
    }

    /// In the lifecycle: goes on only where that shared object is one that was registered, if any was.
    pub(super) fn is_begun(&mut self, name: &str, object: &str) {
        let [life, last, none, same, either] = [(); 5].map(|()| self.temporary());
        let n = self.temporaries;
        let begun = global_name("begun", name);
        let _ = write!(
            self.text,
            "  {life} = call i1 @__irkiss_lifecycle()\n  br i1 {life}, label %begun{n}, label %given{n}\nbegun{n}:\n  \
             {last} = load volatile ptr, ptr @{begun}\n  {none} = icmp eq ptr {last}, null\n  {same} = icmp eq ptr {last}, {object}\n  \
             {either} = or i1 {none}, {same}\n  call void @__irkiss_assume(i1 zeroext {either})\n  br label %given{n}\ngiven{n}:\n"
        );
    }
}
