//! A tiny program as LLVM text.

use std::fmt::Write;

use super::object_text::{OBJECTS, uses_objects};
use super::{Cond, Expr, LOCALS, Latch, Mode, Place, Pointer, Stmt, Tiny};

/// Declarations of the primitives that programs use, and the two helpers that every program has.
const PRELUDE: &str = "
declare i64 @__irkiss_async(ptr, ptr)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare void @__irkiss_assume(i1)
declare void @__irkiss_assert(i1, ptr)
declare i1 @__irkiss_nondet_bool()
declare ptr @__irkiss_alloc(i64, i1)
declare void @__irkiss_stop()
@lock = global i32 0
@shared = global ptr null
";

/// Locks as the models have them: keys 1 (owner) and 3 (readers) of the ghost state. Only in programs that use them.
const LOCKS: &str = "
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)
declare i64 @__irkiss_self()
@m0 = global i32 0
@m1 = global i32 0
attributes #0 = { \"irkiss-model\" }
define void @take(ptr %l) #0 {
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %free = icmp eq i64 %owner, 0
  call void @__irkiss_assume(i1 %free)
  %readers = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
  %none = icmp eq i64 %readers, 0
  call void @__irkiss_assume(i1 %none)
  %self = call i64 @__irkiss_self()
  %me = add i64 %self, 1
  call void @__irkiss_ghost_set(ptr %l, i32 1, i64 %me)
  call void @__irkiss_atomic_end()
  ret void
}
define void @take_shared(ptr %l) #0 {
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %free = icmp eq i64 %owner, 0
  call void @__irkiss_assume(i1 %free)
  %readers = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
  %more = add i64 %readers, 1
  call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %more)
  call void @__irkiss_atomic_end()
  ret void
}
define i32 @try(ptr %l) #0 {
entry:
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %readers = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
  %both = or i64 %owner, %readers
  %free = icmp eq i64 %both, 0
  br i1 %free, label %yes, label %out
yes:
  %self = call i64 @__irkiss_self()
  %me = add i64 %self, 1
  call void @__irkiss_ghost_set(ptr %l, i32 1, i64 %me)
  br label %out
out:
  %taken = phi i32 [ 0, %entry ], [ 1, %yes ]
  call void @__irkiss_atomic_end()
  ret i32 %taken
}
define void @drop(ptr %l) #0 {
  call void @__irkiss_atomic_begin()
  call void @__irkiss_ghost_set(ptr %l, i32 1, i64 0)
  call void @__irkiss_atomic_end()
  ret void
}
define void @drop_shared(ptr %l) #0 {
  call void @__irkiss_atomic_begin()
  %readers = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
  %some = icmp ne i64 %readers, 0
  call void @__irkiss_assume(i1 %some)
  %less = add i64 %readers, -1
  call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %less)
  call void @__irkiss_atomic_end()
  ret void
}
";

/// LLVM text.
impl std::fmt::Display for Tiny {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(PRELUDE)?;
        let mut locks = false;
        for body in &self.functions {
            walk(body, &mut |s| {
                locks |= matches!(s, Stmt::Take(..) | Stmt::Try(..) | Stmt::Drop(..));
            });
        }
        let objects = self.has_objects();
        if locks || objects {
            f.write_str(LOCKS)?;
        }
        if objects {
            f.write_str(OBJECTS)?;
        }
        for (n, width) in self.globals.iter().enumerate() {
            writeln!(f, "@g{n} = global i{width} 0")?;
        }
        for n in self.used() {
            let mut text = Text {
                tiny: self,
                out: String::new(),
                next: 0,
                me: n,
            };
            text.function(n);
            f.write_str(&text.out)?;
        }
        Ok(())
    }
}

fn suffix(shared: bool) -> &'static str {
    if shared { "_shared" } else { "" }
}

pub(super) fn walk<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in body {
        visit(stmt);
        match stmt {
            Stmt::Atomic(inner) | Stmt::Loop(_, inner) => walk(inner, visit),
            Stmt::If(_, then, other) => {
                walk(then, visit);
                walk(other, visit);
            }
            _ => {}
        }
    }
}

impl Tiny {
    /// The functions that can be reached, ascending.
    fn used(&self) -> Vec<usize> {
        let mut used = vec![0];
        let mut at = 0;
        while at < used.len() {
            walk(&self.functions[used[at]], &mut |s| {
                if let Stmt::Async(n, _) | Stmt::Call(_, n, _) = s {
                    if !used.contains(n) {
                        used.push(*n);
                    }
                }
            });
            at += 1;
        }
        used.sort_unstable();
        used
    }
}

pub(super) struct Text<'a> {
    tiny: &'a Tiny,
    pub(super) out: String,
    next: usize,
    /// The function that is being written.
    me: usize,
}

impl Text<'_> {
    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }
    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%t{}", self.next)
    }
    pub(super) fn value(&mut self, text: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {text}"));
        name
    }

    fn function(&mut self, n: usize) {
        let head = if n == 0 {
            "define void @__irkiss_main() {".to_string()
        } else {
            format!("define void @f{n}(ptr %arg) {{")
        };
        let body = &self.tiny.functions[n];
        let called = self.tiny.functions.iter().any(|b| {
            let mut found = false;
            walk(b, &mut |s| {
                found |= matches!(s, Stmt::Call(_, m, _) if *m == n)
            });
            found
        });
        let mut head = if called {
            head.replace("void", "i32")
        } else {
            head
        };
        if self.tiny.calls_itself(n) {
            head = head.replace("%arg", "%arg, i32 %depth");
        }
        let _ = writeln!(self.out, "{head}\nentry:");
        if uses_objects(body) {
            self.line("%q = alloca ptr");
            self.line("store ptr @array, ptr %q");
        }
        for local in 0..LOCALS {
            self.line(&format!("%r{local} = alloca i32"));
            self.line(&format!("store i32 0, ptr %r{local}"));
        }
        let mut cells = (false, false);
        walk(body, &mut |s| match s {
            Stmt::Load(_, Place::Cell, _)
            | Stmt::Store(Place::Cell, ..)
            | Stmt::Add(_, Place::Cell, _)
            | Stmt::Exchange(_, Place::Cell, ..)
            | Stmt::Take(Latch::Of(Pointer::Cell), _)
            | Stmt::Try(_, Latch::Of(Pointer::Cell))
            | Stmt::Drop(Latch::Of(Pointer::Cell), _)
            | Stmt::Async(_, Pointer::Cell)
            | Stmt::Call(_, _, Pointer::Cell)
            | Stmt::Publish(Pointer::Cell) => cells.0 = true,
            Stmt::Load(_, Place::Heap, _)
            | Stmt::Store(Place::Heap, ..)
            | Stmt::Add(_, Place::Heap, _)
            | Stmt::Exchange(_, Place::Heap, ..)
            | Stmt::Take(Latch::Of(Pointer::Heap), _)
            | Stmt::Try(_, Latch::Of(Pointer::Heap))
            | Stmt::Drop(Latch::Of(Pointer::Heap), _)
            | Stmt::Async(_, Pointer::Heap)
            | Stmt::Call(_, _, Pointer::Heap)
            | Stmt::Publish(Pointer::Heap) => cells.1 = true,
            _ => {}
        });
        if cells.0 {
            self.line("%cell = alloca i32");
            self.line("store i32 0, ptr %cell");
        }
        if cells.1 {
            self.line("%heap = call ptr @__irkiss_alloc(i64 4, i1 true)");
        }
        self.body(body, called);
        self.line(if called { "ret i32 0" } else { "ret void" });
        self.out.push_str("}\n");
    }

    pub(super) fn body(&mut self, body: &[Stmt], returns: bool) {
        for stmt in body {
            self.stmt(stmt, returns);
        }
    }

    fn place(&mut self, place: Place) -> (String, u32) {
        match place {
            Place::Global(n) => (format!("@g{n}"), self.tiny.globals[n]),
            Place::Byte(n) => (format!("getelementptr (i8, ptr @g{n}, i64 1)"), 8),
            Place::Arg => ("%arg".to_string(), 32),
            Place::Cell => ("%cell".to_string(), 32),
            Place::Heap => ("%heap".to_string(), 32),
            Place::Member(pointer) => {
                let object = self.pointer(pointer);
                let data = format!("getelementptr i8, ptr {object}, i64 4");
                (self.value(&data), 32)
            }
        }
    }

    pub(super) fn pointer(&mut self, pointer: Pointer) -> String {
        match pointer {
            Pointer::Aimed => self.value("load ptr, ptr %q"),
            Pointer::Global(n) => format!("@g{n}"),
            Pointer::Arg => "%arg".to_string(),
            Pointer::Cell => "%cell".to_string(),
            Pointer::Heap => "%heap".to_string(),
        }
    }

    pub(super) fn latch(&mut self, latch: Latch) -> String {
        match latch {
            Latch::Word(n) => format!("@m{n}"),
            Latch::Of(pointer) => self.pointer(pointer),
        }
    }

    pub(super) fn local(&mut self, local: usize) -> String {
        self.value(&format!("load i32, ptr %r{local}"))
    }

    pub(super) fn set(&mut self, local: usize, value: &str) {
        self.line(&format!("store i32 {value}, ptr %r{local}"));
    }

    fn widen(&mut self, value: String, width: u32) -> String {
        if width == 32 {
            value
        } else {
            self.value(&format!("zext i{width} {value} to i32"))
        }
    }

    fn expr(&mut self, expr: Expr) -> String {
        match expr {
            Expr::Const(n) => n.to_string(),
            Expr::Local(n) => self.local(n),
            Expr::Next(n) => {
                let value = self.local(n);
                self.value(&format!("add i32 {value}, 1"))
            }
            Expr::Nondet => {
                let bit = self.value("call i1 @__irkiss_nondet_bool()");
                self.value(&format!("zext i1 {bit} to i32"))
            }
        }
    }

    fn cond(&mut self, cond: Cond) -> String {
        let (predicate, local, value) = match cond {
            Cond::Eq(local, value) => ("eq", local, value),
            Cond::Ne(local, value) => ("ne", local, value),
            Cond::Less(local, value) => ("ult", local, value),
            Cond::Nondet => return self.value("call i1 @__irkiss_nondet_bool()"),
        };
        let local = self.local(local);
        self.value(&format!("icmp {predicate} i32 {local}, {value}"))
    }

    fn load(&mut self, local: usize, place: Place, mode: Mode) {
        let (pointer, width) = self.place(place);
        let value = self.value(&match mode {
            Mode::Plain => format!("load i{width}, ptr {pointer}"),
            Mode::Volatile => format!("load volatile i{width}, ptr {pointer}"),
            Mode::Atomic => {
                format!(
                    "load atomic i{width}, ptr {pointer} seq_cst, align {}",
                    width / 8
                )
            }
        });
        let value = self.widen(value, width);
        self.set(local, &value);
    }

    fn store(&mut self, place: Place, expr: Expr, mode: Mode) {
        let value = self.expr(expr);
        let (pointer, width) = self.place(place);
        let value = if width == 32 {
            value
        } else {
            self.value(&format!("trunc i32 {value} to i{width}"))
        };
        self.line(&match mode {
            Mode::Plain => format!("store i{width} {value}, ptr {pointer}"),
            Mode::Volatile => format!("store volatile i{width} {value}, ptr {pointer}"),
            Mode::Atomic => format!(
                "store atomic i{width} {value}, ptr {pointer} seq_cst, align {}",
                width / 8
            ),
        });
    }

    fn stmt(&mut self, stmt: &Stmt, returns: bool) {
        match stmt {
            Stmt::Set(local, expr) => {
                let value = self.expr(*expr);
                self.set(*local, &value);
            }
            Stmt::Load(local, place, mode) => self.load(*local, *place, *mode),
            Stmt::Store(place, expr, mode) => self.store(*place, *expr, *mode),
            Stmt::Add(local, place, n) => {
                let (pointer, width) = self.place(*place);
                let old = self.value(&format!(
                    "atomicrmw add ptr {pointer}, i{width} {n} seq_cst"
                ));
                let old = self.widen(old, width);
                self.set(*local, &old);
            }
            Stmt::Exchange(local, place, expected, new) => {
                let (pointer, width) = self.place(*place);
                let pair = self.value(&format!(
                    "cmpxchg ptr {pointer}, i{width} {expected}, i{width} {new} seq_cst seq_cst"
                ));
                let old = self.value(&format!("extractvalue {{ i{width}, i1 }} {pair}, 0"));
                let old = self.widen(old, width);
                self.set(*local, &old);
            }
            Stmt::Atomic(inner) => {
                self.line("call void @__irkiss_atomic_begin()");
                self.body(inner, returns);
                self.line("call void @__irkiss_atomic_end()");
            }
            Stmt::Take(latch, shared) => {
                let (latch, how) = (self.latch(*latch), suffix(*shared));
                self.line(&format!("call void @take{how}(ptr {latch})"));
            }
            Stmt::Drop(latch, shared) => {
                let (latch, how) = (self.latch(*latch), suffix(*shared));
                self.line(&format!("call void @drop{how}(ptr {latch})"));
            }
            Stmt::Try(local, latch) => {
                let latch = self.latch(*latch);
                let value = self.value(&format!("call i32 @try(ptr {latch})"));
                self.set(*local, &value);
            }
            Stmt::Lock => {
                self.line("call void @__irkiss_atomic_begin()");
                let value = self.value("load i32, ptr @lock");
                let free = self.value(&format!("icmp eq i32 {value}, 0"));
                self.line(&format!("call void @__irkiss_assume(i1 {free})"));
                self.line("store i32 1, ptr @lock");
                self.line("call void @__irkiss_atomic_end()");
            }
            Stmt::Unlock => {
                self.line("call void @__irkiss_atomic_begin()");
                self.line("store i32 0, ptr @lock");
                self.line("call void @__irkiss_atomic_end()");
            }
            Stmt::Assume(cond) => {
                let cond = self.cond(*cond);
                self.line(&format!("call void @__irkiss_assume(i1 {cond})"));
            }
            Stmt::Assert(cond) => {
                let cond = self.cond(*cond);
                self.line(&format!("call void @__irkiss_assert(i1 {cond}, ptr null)"));
            }
            Stmt::If(cond, then, other) => {
                let cond = self.cond(*cond);
                self.branch(&cond, then, other, returns);
            }
            Stmt::Loop(times, body) => self.repeat(*times, body, returns),
            Stmt::Async(n, pointer) => {
                let pointer = self.pointer(*pointer);
                self.value(&format!(
                    "call i64 @__irkiss_async(ptr @f{n}, ptr {pointer})"
                ));
            }
            Stmt::Call(local, n, pointer) => {
                let pointer = self.pointer(*pointer);
                let depth = match self.tiny.calls_itself(*n) {
                    true => ", i32 1",
                    false => "",
                };
                let value = self.value(&format!("call i32 @f{n}(ptr {pointer}{depth})"));
                self.set(*local, &value);
            }
            Stmt::Publish(pointer) => {
                let pointer = self.pointer(*pointer);
                self.line(&format!(
                    "store atomic ptr {pointer}, ptr @shared seq_cst, align 8"
                ));
            }
            Stmt::Through(local, write) => {
                let pointer = self.value("load atomic ptr, ptr @shared seq_cst, align 8");
                let there = self.value(&format!("icmp ne ptr {pointer}, null"));
                let label = self.label();
                self.line(&format!("br i1 {there}, label %{label}a, label %{label}b"));
                let _ = writeln!(self.out, "{label}a:");
                match write {
                    Some(value) => self.line(&format!("store i32 {value}, ptr {pointer}")),
                    None => {
                        let value = self.value(&format!("load i32, ptr {pointer}"));
                        self.set(*local, &value);
                    }
                }
                self.line(&format!("br label %{label}b"));
                let _ = writeln!(self.out, "{label}b:");
            }
            Stmt::Enter(_)
            | Stmt::TryEnter(..)
            | Stmt::Leave(_)
            | Stmt::Aim(_)
            | Stmt::Keep(_)
            | Stmt::KeepAt(_)
            | Stmt::Again(..) => self.object(self.me, stmt),
            Stmt::Return(expr) => {
                let value = self.expr(*expr);
                self.line(&if returns {
                    format!("ret i32 {value}")
                } else {
                    "ret void".into()
                });
                self.dead();
            }
            Stmt::Stop => {
                self.line("call void @__irkiss_stop()");
                self.line("unreachable");
                self.dead();
            }
        }
    }

    pub(super) fn block(&mut self, label: &str) {
        let _ = writeln!(self.out, "{label}:");
    }

    pub(super) fn label(&mut self) -> String {
        self.next += 1;
        format!("b{}", self.next)
    }

    /// A block that nothing leads to, for what follows a return.
    fn dead(&mut self) {
        let label = self.label();
        let _ = writeln!(self.out, "{label}:");
    }

    fn branch(&mut self, cond: &str, then: &[Stmt], other: &[Stmt], returns: bool) {
        let label = self.label();
        self.line(&format!("br i1 {cond}, label %{label}a, label %{label}b"));
        let _ = writeln!(self.out, "{label}a:");
        self.body(then, returns);
        self.line(&format!("br label %{label}c"));
        let _ = writeln!(self.out, "{label}b:");
        self.body(other, returns);
        self.line(&format!("br label %{label}c"));
        let _ = writeln!(self.out, "{label}c:");
    }

    fn repeat(&mut self, times: u32, body: &[Stmt], returns: bool) {
        let label = self.label();
        // The counter is a stack cell like the locals; the back edge is a visible point.
        self.line(&format!("%{label}n = alloca i32"));
        self.line(&format!("store i32 0, ptr %{label}n"));
        self.line(&format!("br label %{label}a"));
        let _ = writeln!(self.out, "{label}a:");
        self.body(body, returns);
        let count = self.value(&format!("load i32, ptr %{label}n"));
        let more = self.value(&format!("add i32 {count}, 1"));
        self.line(&format!("store i32 {more}, ptr %{label}n"));
        let again = match times {
            0 => self.value("call i1 @__irkiss_nondet_bool()"),
            _ => self.value(&format!("icmp ult i32 {more}, {times}")),
        };
        self.line(&format!("br i1 {again}, label %{label}a, label %{label}b"));
        let _ = writeln!(self.out, "{label}b:");
    }
}
