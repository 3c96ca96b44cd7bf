//! Files that are opened while another is being closed.
//!
//! Files are open before threads begin. Where a driver lets in one at a time, the next can be opened only when the one before is
//! closed: as soon as `release` says so, and that may be before its last access (fs/file_table.c: __fput calls it without a lock
//! that open takes). So beside an entry point that closes a file, what needs a file that is not open yet opens it for itself.
//!
//! What it misses: `open` is called once for it; a third file.

use std::fmt::Write as _;

use super::files::FileGroup;
use super::text::global_name;
use super::{CLAIMED, OPEN, Writer, further, is_thread};
use crate::environment::entry::{EntryPoint, EntryPoints, Parameter};
use crate::index::Idx;

/// An entry point that may open its file itself.
struct Next<'e> {
    entry: usize,
    group: &'e FileGroup,
    /// The entry points that close files of the group.
    closers: Vec<usize>,
}

fn all<'e>(entries: &EntryPoints, groups: &'e [FileGroup]) -> Vec<Next<'e>> {
    let takes = |entry: &EntryPoint, group: &FileGroup, file: &str| {
        let named = |p: &Parameter| matches!(p, Parameter::Shared(n) if n.strip_prefix(&group.ops) == Some(file));
        is_thread(entry) && entry.parameters.iter().any(named)
    };
    let mut found = Vec::new();
    for group in groups.iter().filter(|g| g.open.is_some()) {
        let closers = entries.iter_ids();
        let closers = closers.filter(|(_, e)| takes(e, group, ".file2"));
        let closers: Vec<usize> = closers.map(|(id, _)| id.index()).collect();
        let users = entries
            .iter_ids()
            .filter(|(_, e)| takes(e, group, ".file1") || takes(e, group, ".file2"));
        found.extend(users.filter(|_| !closers.is_empty()).map(|(id, _)| Next {
            entry: id.index(),
            group,
            closers: closers.clone(),
        }));
    }
    found
}

fn name(entry: usize) -> String {
    format!("next_file.{entry}")
}

/// The functions that ask whether a file is being closed, and by whom.
pub(super) fn questions(entries: &EntryPoints, groups: &[FileGroup]) -> Vec<(String, Vec<usize>)> {
    let all = all(entries, groups).into_iter();
    all.map(|n| (name(n.entry), n.closers)).collect()
}

impl Writer<'_> {
    /// `__irkiss_next_file.N`, with which entry point N begins: opens the file that it needs, where one of the same kind is being
    /// closed and this one is not open. Whose threads begin so, by their numbers.
    pub(super) fn next_files(&mut self, threads: usize) -> Vec<usize> {
        let groups = self.groups.clone();
        let all = all(self.entries, &groups);
        for group in groups
            .iter()
            .filter(|g| all.iter().any(|n| n.group.number == g.number))
        {
            self.open_next(group);
        }
        for next in &all {
            // What is asked is asked when the thread has its turn, not when it is made: a step of its own.
            let (found, last) = further::is_thread(&next.closers, threads);
            let n = next.group.number;
            let [inode, file] = ["inode", "file1"]
                .map(|x| global_name("shared", &format!("{}.{x}", next.group.ops)));
            let _ = write!(
                self.text,
                "define internal void @__irkiss_{}() {{\n  %life = call i1 @__irkiss_lifecycle()\n  \
                 br i1 %life, label %done, label %steady\nsteady:\n{found}  br i1 {last}, label %beside, label %done\nbeside:\n  \
                 call void @__irkiss_atomic_begin()\n  \
                 %claimed = call i64 @__irkiss_ghost_get(ptr @{inode}, i32 {CLAIMED})\n  \
                 %opened = call i64 @__irkiss_ghost_get(ptr @{file}, i32 {OPEN})\n  call void @__irkiss_atomic_end()\n  \
                 %closes = icmp ne i64 %claimed, 0\n  %closed = icmp eq i64 %opened, 0\n  %needed = and i1 %closes, %closed\n  \
                 br i1 %needed, label %open, label %done\nopen:\n  call void @__irkiss_open_next.{n}()\n  br label %done\n\
                 done:\n  ret void\n}}\n",
                name(next.entry)
            );
        }
        all.iter().map(|n| n.entry).collect()
    }

    /// `__irkiss_open_next.N`: opens the file that operations share, as the kernel does it.
    fn open_next(&mut self, group: &FileGroup) {
        let n = group.number;
        let file = global_name("shared", &format!("{}.file1", group.ops));
        self.temporaries = 0;
        self.read.clear();
        let _ = writeln!(
            self.text,
            "define internal void @__irkiss_open_next.{n}() {{"
        );
        let opens = self.entries.iter().find(|e| group.opens(e)).cloned();
        let unlock = opens.map_or(String::new(), |e| self.lock(&e));
        let _ = write!(
            self.text,
            "  %file = load ptr, ptr @{file}\n  %ok = call i1 @__irkiss_do_open.{n}(ptr %file)\n{unlock}  \
             call void @__irkiss_assume(i1 zeroext %ok)\n  call void @__irkiss_ghost_set(ptr @{file}, i32 {OPEN}, i64 1)\n  \
             ret void\n}}\n"
        );
    }
}
