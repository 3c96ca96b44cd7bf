//! Files: one group per ops object (struct file_operations, struct proc_ops).

use std::fmt::Write as _;

use super::text::{global_name, quoted, string_constant};
use super::{CLAIMED, OPEN, PREPARED};
use crate::environment::contract::SAME_FILE;
use crate::environment::discover::{MISC, MISC_FOPS, MODULE_EXIT, is_put_into, member_offset};
use crate::environment::entry::{EntryPoint, EntryPoints, Parameter};
use crate::index::{EntryId, GlobalId, Idx};
use crate::program::{Const, Program};

/// `IRKISS_REMOVED` (runtime-stubs/include/irkiss_internal.h).
const AFTER_REMOVAL: u32 = 2;

/// Which miscdevice has some ops object.
#[derive(Clone, Debug)]
pub enum Misc {
    /// A variable: its linker name.
    Variable(String),
    /// What `misc_register` was given: the object of the rules of that name.
    Registered,
}

/// The file operations of one ops object.
#[derive(Clone, Debug)]
pub struct FileGroup {
    /// Number of the group, in the names of its functions.
    pub number: usize,
    /// Linker name of the ops object.
    pub ops: String,
    /// The open function.
    pub open: Option<(String, String)>,
    /// The miscdevice that names the ops object.
    pub misc: Option<Misc>,
    /// Whether the ops object is a global of the input.
    pub is_global: bool,
    /// The entry points that close files, by number.
    pub closing: Vec<usize>,
}

/// The groups of all entry points that take an inode or a file.
pub fn groups(program: &Program, entries: &EntryPoints) -> Vec<FileGroup> {
    let mut groups: Vec<FileGroup> = Vec::new();
    for (id, entry) in entries.iter_ids() {
        let Some(ops) = entry.registered_by.as_ref() else {
            continue;
        };
        let is_file = entry.via.starts_with("file_operations.")
            || entry.via.starts_with("proc_ops.")
            || entry
                .parameters
                .iter()
                .any(|p| matches!(p, Parameter::Shared(n) if names(ops).contains(n)));
        if !is_file {
            continue;
        }
        let number = groups.len();
        let group = match groups.iter_mut().find(|g| g.ops == *ops) {
            Some(group) => group,
            None => {
                groups.push(FileGroup {
                    number,
                    ops: ops.clone(),
                    open: None,
                    misc: misc_device(program, ops),
                    is_global: program.global_named(ops).is_some(),
                    closing: Vec::new(),
                });
                &mut groups[number]
            }
        };
        let closed = format!("{ops}.file2");
        let closes = |p: &Parameter| matches!(p, Parameter::Shared(name) if *name == closed);
        if entry.parameters.iter().any(closes) {
            group.closing.push(id.index());
        }
        if entry.opens_file() {
            let ret = program
                .function_named(&entry.function)
                .map_or("i32".to_string(), |f| program.functions[f].ret.to_string());
            group.open = Some((entry.function.clone(), ret));
        }
    }
    groups
}

fn names(ops: &str) -> [String; 3] {
    ["inode", "file1", "file2"].map(|n| format!("{ops}.{n}"))
}

/// The miscdevice whose initialiser names the ops object (struct miscdevice: minor, name, fops), or the one in whose field code
/// puts it.
fn misc_device(program: &Program, ops: &str) -> Option<Misc> {
    let global = program.global_named(ops)?;
    let variable = misc_variable(program, global).map(Misc::Variable);
    variable.or_else(|| is_put_into(program, global, MISC_FOPS).then_some(Misc::Registered))
}

fn misc_variable(program: &Program, ops: GlobalId) -> Option<String> {
    let fops = u64::from(program.layout.pointer_bytes) * 2;
    program
        .globals
        .iter()
        .find(|g| {
            g.struct_name.as_deref() == Some("miscdevice")
                && g.init.iter().flatten().any(|c| {
                    c.offset == fops
                        && matches!(c.value, Const::Addr { global, .. } if global == ops)
                })
        })
        .map(|g| g.name.clone())
}

/// Who opens a file or closes it is alone with it: its descriptor is not installed before open returns (fs/open.c: do_sys_openat2), and
/// release is called when the last reference is gone (fs/file_table.c: __fput). No other operation on it is under way.
pub fn alone_with(file: &str) -> String {
    format!("  call void @__irkiss_runs(ptr {file})\n  call void @__irkiss_over(ptr {file})\n")
}

/// `__irkiss_file_keeps()`: whether a file is open that keeps the module. Before module exit it was closed.
pub fn keeping(groups: &[FileGroup], entries: &EntryPoints) -> String {
    let mut text = String::from("define internal i1 @__irkiss_file_keeps() {\n");
    let mut last = "false".to_string();
    for group in groups.iter().filter(|g| g.keeps_module(entries)) {
        for (k, name) in names(&group.ops).iter().enumerate().skip(1) {
            let (n, cell) = (group.number, global_name("shared", name));
            let _ = write!(
                text,
                "  %o{n}.{k} = call i64 @__irkiss_ghost_get(ptr @{cell}, i32 {OPEN})\n  \
                 %i{n}.{k} = icmp ne i64 %o{n}.{k}, 0\n  %l{n}.{k} = or i1 {last}, %i{n}.{k}\n"
            );
            last = format!("%l{n}.{k}");
        }
    }
    let _ = writeln!(text, "  ret i1 {last}\n}}");
    text
}

/// `__irkiss_close_files()`: closes what is open and keeps the module, if anybody looks for what goes on after removal. Module exit begins with
/// it: whoever has such a file closes it before. That it was open stays known: what was done while it was may have been undone.
pub fn before_exit(
    (groups, program, entries): (&[FileGroup], &Program, &EntryPoints),
    is_watched: bool,
) -> String {
    if !is_watched {
        return String::new();
    }
    let mut text = format!(
        "define internal void @__irkiss_close_files() {{\n  %asked = call zeroext i1 @__irkiss_property(i32 {AFTER_REMOVAL})\n  \
         br i1 %asked, label %all, label %done\nall:\n"
    );
    let keeping = groups.iter().filter(|g| g.keeps_module(entries));
    for (group, call) in keeping.filter_map(|g| Some((g, g.closed(program, entries)?))) {
        for (k, name) in names(&group.ops).iter().enumerate().skip(1) {
            let (n, cell) = (group.number, global_name("shared", name));
            let call = call.replace("%file", &format!("%f{n}.{k}"));
            let call = call.replace("%inode", &format!("%n{n}.{k}"));
            let _ = write!(
                text,
                "  %o{n}.{k} = call i64 @__irkiss_ghost_get(ptr @{cell}, i32 {OPEN})\n  %i{n}.{k} = icmp eq i64 %o{n}.{k}, 1\n  \
                 br i1 %i{n}.{k}, label %open{n}.{k}, label %closed{n}.{k}\nopen{n}.{k}:\n  \
                 call void @__irkiss_ghost_set(ptr @{cell}, i32 {OPEN}, i64 2)\n  %f{n}.{k} = load ptr, ptr @{cell}\n  \
                 %n{n}.{k} = call ptr @__irkiss_inode.{n}()\n  {call}\n  br label %closed{n}.{k}\nclosed{n}.{k}:\n"
            );
        }
    }
    text + "  br label %done\ndone:\n  ret void\n}\n"
}

impl FileGroup {
    /// Whether an open file of it keeps the module.
    fn keeps_module(&self, entries: &EntryPoints) -> bool {
        let mut exits = entries.iter().filter(|e| e.via == MODULE_EXIT);
        exits.all(|exit| {
            let mut own = entries.iter().filter(|e| self.has(e));
            own.all(|e| EntryPoint::never_overlap(e, exit).is_some())
        })
    }

    /// The call that closes `%file`, of `%inode`; `None`: none is known.
    fn closed(&self, program: &Program, entries: &EntryPoints) -> Option<String> {
        let [inode, _, file] = names(&self.ops);
        let entry = &entries[EntryId::new(*self.closing.first()?)];
        let given = entry.parameters.iter().map(|p| match p {
            Parameter::Shared(name) if *name == inode => Some("ptr %inode"),
            Parameter::Shared(name) if *name == file => Some("ptr %file"),
            _ => None,
        });
        let given: Vec<&str> = given.collect::<Option<_>>()?;
        let ret = &program.functions[program.function_named(&entry.function)?].ret;
        let name = quoted(&entry.function);
        Some(format!("call {ret} @{name}({})", given.join(", ")))
    }

    /// What an activation tells the analysis of locks of the object of that name (`t`): that an operation on the file is under way,
    /// or that there is no other.
    pub fn under_way(&self, name: &str, t: &str) -> String {
        match name.strip_prefix(&self.ops) {
            Some(".file1") => format!("  call void @__irkiss_runs(ptr {t})\n"),
            Some(".file2") => alone_with(t),
            _ => String::new(),
        }
    }

    /// Whether the shared object of that name is one of the group's.
    pub fn owns(&self, name: &str) -> bool {
        names(&self.ops).iter().any(|n| n == name)
    }

    /// Whether it is the group of that entry point.
    pub fn has(&self, entry: &EntryPoint) -> bool {
        entry.registered_by.as_deref() == Some(self.ops.as_str())
    }

    /// Whether that entry point opens files of the group.
    pub fn opens(&self, entry: &EntryPoint) -> bool {
        self.has(entry) && entry.opens_file()
    }

    /// The call that gives an activation the shared object of that name.
    pub fn object_call(&self, name: &str) -> String {
        let n = self.number;
        match name.strip_prefix(&self.ops) {
            Some(".file1") => format!("call ptr @__irkiss_file.{n}()"),
            Some(".file2") => format!("call ptr @__irkiss_closing_file.{n}()"),
            _ => format!("call ptr @__irkiss_inode.{n}()"),
        }
    }

    /// The group's cells and functions.
    ///
    /// - `__irkiss_make_inode.N`, `__irkiss_prepare.N`: the inode, and its `i_cdev` (fs/char_dev.c: chrdev_open).
    /// - `__irkiss_new_file.N`: a file that is being opened: fresh, of the group's inode; a miscdevice's has its device in
    ///   `private_data` (drivers/char/misc.c: misc_open).
    /// - `__irkiss_open_files.N`: opens either of two files, or not.
    /// - `__irkiss_file.N`: an open file for an operation: in the steady scenario file 1, which operations share, or, where it runs before a
    ///   pair of which one closes a file, either; in the lifecycle one that the activation opens itself.
    /// - `__irkiss_closing_file.N`: an open file for release: file 2, and file 1 for the second of two releases (then no
    ///   other operation runs).
    pub fn functions(&self, program: &Program) -> String {
        [
            self.declared(),
            self.inode(program),
            self.new_file(program),
            self.opening(),
            self.given(),
        ]
        .concat()
    }

    /// The cells, and the names of what stands in them.
    fn declared(&self) -> String {
        let [inode, file1, file2] = self.cells();
        let mut text = String::new();
        for (cell, name) in [(&inode, "inode"), (&file1, "file1"), (&file2, "file2")] {
            let full = format!("{}.{name}", self.ops);
            let _ = writeln!(text, "@{cell} = internal global ptr null");
            text.push_str(&string_constant(&global_name("name", &full), &full));
        }
        text + &string_constant(&self.new_file_name(), "file")
    }

    fn new_file_name(&self) -> String {
        global_name("name", &format!("{}.new", self.ops))
    }

    /// What makes the inode, gives it and prepares it: made before init code runs; what i_cdev points to is known when the driver has
    /// added its cdev.
    fn inode(&self, program: &Program) -> String {
        let n = self.number;
        let [inode, ..] = self.cells();
        let inode_name = global_name("name", &format!("{}.inode", self.ops));
        let mut text = format!(
            "define internal void @__irkiss_make_inode.{n}() {{\n  %new = call ptr @__irkiss_lazy(i64 0, ptr @{inode_name})\n  \
             store ptr %new, ptr @{inode}\n  ret void\n}}\n\
             define internal ptr @__irkiss_inode.{n}() {{\n  %inode = load ptr, ptr @{inode}\n  ret ptr %inode\n}}\n\
             define internal void @__irkiss_prepare.{n}() {{\n"
        );
        let i_cdev = member_offset(program, "inode", "i_cdev");
        if let Some(offset) = i_cdev.filter(|_| self.is_global && self.misc.is_none()) {
            // Once: afterwards clients read it.
            let _ = write!(
                text,
                "  %was = call i64 @__irkiss_ghost_get(ptr @{inode}, i32 {PREPARED})\n  %again = icmp ne i64 %was, 0\n  \
                 br i1 %again, label %done, label %first\nfirst:\n  \
                 call void @__irkiss_ghost_set(ptr @{inode}, i32 {PREPARED}, i64 1)\n  \
                 %cdev = load ptr, ptr @__irkiss_cdev.{n}\n  %inode = load ptr, ptr @{inode}\n  \
                 %field = getelementptr i8, ptr %inode, i64 {offset}\n  store ptr %cdev, ptr %field\n  br label %done\ndone:\n"
            );
        }
        text + "  ret void\n}\n"
    }

    /// What makes a file that is being opened.
    fn new_file(&self, program: &Program) -> String {
        let n = self.number;
        let mut text = format!(
            "define internal ptr @__irkiss_new_file.{n}() {{\n  %file = call ptr @__irkiss_lazy(i64 0, ptr @{})\n",
            self.new_file_name()
        );
        // A file is made without (fs/file_table.c: alloc_empty_file); a miscdevice's has its device there (misc_open).
        if let Some(offset) = member_offset(program, "file", "private_data") {
            let private = match &self.misc {
                None => "null".to_string(),
                Some(Misc::Variable(device)) => format!("@{}", quoted(device)),
                // The kernel's own reading is no party to a race.
                Some(Misc::Registered) => {
                    let cell = global_name("shared", MISC);
                    let _ = writeln!(text, "  %device = load volatile ptr, ptr @{cell}");
                    "%device".to_string()
                }
            };
            let _ = write!(
                text,
                "  %private = getelementptr i8, ptr %file, i64 {offset}\n  store ptr {private}, ptr %private\n"
            );
        }
        if let Some(offset) = member_offset(program, "file", "f_inode") {
            let _ = write!(
                text,
                "  %inode = call ptr @__irkiss_inode.{n}()\n  %f_inode = getelementptr i8, ptr %file, i64 {offset}\n  \
                 store ptr %inode, ptr %f_inode\n"
            );
        }
        text + "  ret ptr %file\n}\n"
    }

    /// What opens a file, or may: whether that succeeded.
    fn opening(&self) -> String {
        let n = self.number;
        let [_, file1, file2] = self.cells();
        let mut text = format!("define internal i1 @__irkiss_do_open.{n}(ptr %file) {{\n");
        match &self.open {
            Some((function, ret)) => {
                let _ = write!(
                    text,
                    "  %inode = call ptr @__irkiss_inode.{n}()\n  %r = call {ret} @{}(ptr %inode, ptr %file)\n  \
                     %ok = icmp eq {ret} %r, 0\n  ret i1 %ok\n}}\n",
                    quoted(function)
                );
            }
            None => text.push_str("  ret i1 true\n}\n"),
        }

        let _ = write!(
            text,
            "define internal void @__irkiss_maybe_open.{n}(ptr %cell) {{\n  %file = call ptr @__irkiss_new_file.{n}()\n  \
             store ptr %file, ptr %cell\n  %open = call zeroext i1 @__irkiss_nondet_bool()\n  \
             br i1 %open, label %do, label %done\ndo:\n  %ok = call i1 @__irkiss_do_open.{n}(ptr %file)\n  \
             call void @__irkiss_assume(i1 zeroext %ok)\n  call void @__irkiss_ghost_set(ptr %cell, i32 {OPEN}, i64 1)\n  \
             br label %done\ndone:\n  ret void\n}}\n\
             define internal void @__irkiss_open_files.{n}() {{\n  call void @__irkiss_prepare.{n}()\n  \
             call void @__irkiss_maybe_open.{n}(ptr @{file1})\n  call void @__irkiss_maybe_open.{n}(ptr @{file2})\n  ret void\n}}\n"
        );
        text
    }

    /// What gives operations an open file; a client of the lifecycle scenario opens for itself.
    fn given(&self) -> String {
        let n = self.number;
        let [inode, file1, file2] = self.cells();
        let either = self.before_closing(&file2);
        format!(
            "define internal ptr @__irkiss_client.{n}() {{\n  %file = call ptr @__irkiss_new_file.{n}()\n  \
             %ok = call i1 @__irkiss_do_open.{n}(ptr %file)\n  call void @__irkiss_assume(i1 zeroext %ok)\n  ret ptr %file\n}}\n\
             define internal ptr @__irkiss_opened.{n}(ptr %cell) {{\n  %is = call i64 @__irkiss_ghost_get(ptr %cell, i32 {OPEN})\n  \
             %ok = icmp ne i64 %is, 0\n  call void @__irkiss_assume(i1 zeroext %ok)\n  %file = load ptr, ptr %cell\n  \
             ret ptr %file\n}}\n\
             define internal ptr @__irkiss_file.{n}() {{\n  %life = call i1 @__irkiss_lifecycle()\n  \
             br i1 %life, label %client, label %shared\nclient:\n  %own = call ptr @__irkiss_client.{n}()\n  ret ptr %own\n\
             shared:\n{either}  %file = call ptr @__irkiss_opened.{n}(ptr @{file1})\n  ret ptr %file\n}}\n\
             define internal ptr @__irkiss_closing_file.{n}() {{\n  %life = call i1 @__irkiss_lifecycle()\n  \
             br i1 %life, label %client, label %shared\nclient:\n  %own = call ptr @__irkiss_client.{n}()\n  ret ptr %own\n\
             shared:\n  %claimed = call i64 @__irkiss_ghost_get(ptr @{inode}, i32 {CLAIMED})\n  \
             call void @__irkiss_ghost_set(ptr @{inode}, i32 {CLAIMED}, i64 1)\n  %first = icmp eq i64 %claimed, 0\n  \
             %number = call i32 @__irkiss_pair(i32 {SAME_FILE})\n  %same = icmp ne i32 %number, 0\n  \
             %other = select i1 %first, ptr @{file2}, ptr @{file1}\n  %cell = select i1 %same, ptr @{file1}, ptr %other\n  \
             %file = call ptr @__irkiss_opened.{n}(ptr %cell)\n  ret ptr %file\n}}\n"
        )
    }

    /// Text of `__irkiss_file.N`: what runs before a pair of which one closes a file may be about that file.
    fn before_closing(&self, file2: &str) -> String {
        let n = self.number;
        let (Some(_), mut text) = (self.closing.first(), String::new()) else {
            return String::new();
        };
        let mut closes = "false".to_string();
        for k in &self.closing {
            let _ = write!(
                text,
                "  %c{k} = call i1 @__irkiss_in_pair(i32 {k})\n  %closes{k} = or i1 {closes}, %c{k}\n"
            );
            closes = format!("%closes{k}");
        }
        let _ = write!(
            text,
            "  %before = call i1 @__irkiss_runs_before()\n  %may = and i1 %before, {closes}\n  \
             br i1 %may, label %choose, label %one\nchoose:\n  %other = call zeroext i1 @__irkiss_nondet_bool()\n  \
             br i1 %other, label %two, label %one\ntwo:\n  %second = call ptr @__irkiss_opened.{n}(ptr @{file2})\n  \
             ret ptr %second\none:\n"
        );
        text
    }

    /// The cells of the inode, of file 1 and of file 2.
    pub(super) fn cells(&self) -> [String; 3] {
        names(&self.ops).map(|x| global_name("shared", &x))
    }

    /// The functions that give an entry point its file.
    pub(super) fn givers(&self) -> [String; 2] {
        let n = self.number;
        [format!("file.{n}"), format!("closing_file.{n}")]
    }
}
