//! Random tiny concurrent programs as LLVM text, and their shrinking.
//!
//! A program has up to four threads (started from each other), two or three
//! shared integers with tiny values, a lock word, heap and stack cells whose
//! addresses travel as thread arguments or through a shared pointer, helper
//! functions (so that RAISE has frames to pop), atomic sections, blocking
//! waits, branches, small loops, `nondet_bool` and assertions. The same seed
//! gives the same program.

use std::fmt::Write;

/// A small generator of random numbers (SplitMix64).
pub struct Rng(u64);

impl Rng {
    /// The sequence of that seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def0)
    }
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A shared or private place in memory, all of `i32` unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Global number n; its width is in [`Tiny::globals`].
    Global(usize),
    /// The second byte of global number n, which is an `i32`.
    Byte(usize),
    /// Where the function's argument points to.
    Arg,
    /// The function's own stack cell.
    Cell,
    /// The function's own heap cell.
    Heap,
}

/// How an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Plain,
    Volatile,
    Atomic,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(u32),
    Local(usize),
    /// Local plus one.
    Next(usize),
    Nondet,
}

/// A condition: local compared with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cond {
    Eq(usize, u32),
    Ne(usize, u32),
    Less(usize, u32),
    Nondet,
}

/// A pointer to an `i32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    Global(usize),
    Arg,
    Cell,
    Heap,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Set(usize, Expr),
    Load(usize, Place, Mode),
    Store(Place, Expr, Mode),
    /// Atomic addition; the old value to a local.
    Add(usize, Place, u32),
    /// Compare-and-exchange; the old value to a local.
    Exchange(usize, Place, u32, u32),
    /// A section; no loops, calls or threads in it.
    Atomic(Vec<Stmt>),
    /// Takes the lock word, waiting while it is set.
    Lock,
    Unlock,
    Assume(Cond),
    Assert(Cond),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    /// That often.
    Loop(u32, Vec<Stmt>),
    /// Starts function n with an argument.
    Async(usize, Pointer),
    /// Calls function n; its result to a local.
    Call(usize, usize, Pointer),
    /// Stores an address in the shared pointer.
    Publish(Pointer),
    /// Follows the shared pointer if it is not null: reads (`None`) or writes.
    Through(usize, Option<u32>),
    Return(Expr),
    Stop,
}

/// A program: function 0 is where it starts, without an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiny {
    /// Widths of the globals in bits: 32 or 8. The first is 32.
    pub globals: Vec<u32>,
    /// Bodies.
    pub functions: Vec<Vec<Stmt>>,
}

/// Locals of each function.
const LOCALS: usize = 2;

struct Gen {
    rng: Rng,
    globals: Vec<u32>,
    /// Functions that are thread starts come first, helpers after them.
    threads: usize,
    functions: usize,
    /// The function being made.
    me: usize,
}

impl Tiny {
    /// The program of that seed.
    pub fn random(seed: u64) -> Tiny {
        let mut rng = Rng::new(seed);
        let mut globals = vec![32];
        for _ in 0..1 + rng.below(2) {
            globals.push(if rng.chance(30) { 8 } else { 32 });
        }
        let threads = 1 + [1, 1, 1, 2, 2, 3][rng.below(6)];
        let helpers = usize::from(rng.chance(35));
        let ping_pong = rng.chance(50);
        let mut g = Gen {
            rng,
            globals,
            threads,
            functions: threads + helpers,
            me: 0,
        };
        let mut functions = Vec::new();
        // Who starts whom: each thread by one before it.
        let mut starts = vec![Vec::new(); g.functions];
        for thread in 1..threads {
            let by = if g.rng.chance(75) {
                0
            } else {
                g.rng.below(thread)
            };
            starts[by].push(thread);
        }
        for (me, to_start) in starts.iter().enumerate() {
            g.me = me;
            let mut body = if ping_pong && me < 2 {
                g.handshake()
            } else {
                let length = if threads > 3 {
                    1 + g.rng.below(3)
                } else {
                    2 + g.rng.below(3)
                };
                g.body(length, 2)
            };
            for thread in to_start {
                let pointer = g.pointer();
                let at = g.rng.below(body.len() / 2 + 1);
                body.insert(at, Stmt::Async(*thread, pointer));
            }
            functions.push(body);
        }
        Tiny {
            globals: g.globals,
            functions,
        }
    }
}

impl Gen {
    fn local(&mut self) -> usize {
        self.rng.below(LOCALS)
    }
    fn small(&mut self) -> u32 {
        [0, 1, 1, 2][self.rng.below(4)]
    }
    fn mode(&mut self) -> Mode {
        [
            Mode::Plain,
            Mode::Plain,
            Mode::Plain,
            Mode::Volatile,
            Mode::Atomic,
        ][self.rng.below(5)]
    }
    fn place(&mut self) -> Place {
        let global = self.rng.below(self.globals.len());
        match self.rng.below(12) {
            0 => Place::Byte(0),
            1 | 2 if self.me > 0 => Place::Arg,
            3 => Place::Cell,
            4 => Place::Heap,
            _ => Place::Global(global),
        }
    }
    fn pointer(&mut self) -> Pointer {
        match self.rng.below(6) {
            0 => Pointer::Cell,
            1 => Pointer::Heap,
            2 if self.me > 0 => Pointer::Arg,
            _ => Pointer::Global(0),
        }
    }
    fn expr(&mut self) -> Expr {
        match self.rng.below(6) {
            0 => Expr::Nondet,
            1 => Expr::Local(self.local()),
            2 => Expr::Next(self.local()),
            _ => Expr::Const(self.small()),
        }
    }
    fn cond(&mut self) -> Cond {
        let (local, value) = (self.local(), self.small());
        match self.rng.below(8) {
            0 => Cond::Nondet,
            1 => Cond::Less(local, value.max(1)),
            2 | 3 => Cond::Ne(local, value),
            _ => Cond::Eq(local, value),
        }
    }

    /// Something that one side does and the other waits for, so that failures need a thread to be left and returned to.
    fn handshake(&mut self) -> Vec<Stmt> {
        let (mine, yours) = (self.me % 2, 1 - self.me % 2);
        let value = 1 + self.small();
        let (mode, other) = (self.mode(), self.mode());
        let store = Stmt::Store(Place::Global(mine), Expr::Const(value), mode);
        let wait = if self.rng.chance(60) {
            Stmt::Atomic(vec![
                Stmt::Load(0, Place::Global(yours), Mode::Plain),
                Stmt::Assume(Cond::Ne(0, 0)),
            ])
        } else {
            Stmt::Load(0, Place::Global(yours), other)
        };
        let mut body = if self.me == 1 {
            let (place, value) = (Place::Global(yours), self.small());
            let assert = if self.rng.chance(75) {
                Cond::Eq(1, 0)
            } else {
                Cond::Ne(1, value)
            };
            let check = [Stmt::Load(1, place, other), Stmt::Assert(assert)];
            if self.rng.chance(50) {
                [store].into_iter().chain(check).collect()
            } else {
                vec![store, wait, check[0].clone(), check[1].clone()]
            }
        } else if matches!(wait, Stmt::Atomic(_)) {
            vec![wait, store]
        } else if self.rng.chance(85) {
            vec![wait, Stmt::If(Cond::Ne(0, 0), vec![store], Vec::new())]
        } else {
            vec![store, wait]
        };
        if self.rng.chance(20) {
            let extra = self.stmt(1);
            let at = self.rng.below(body.len() + 1);
            body.splice(at..at, extra);
        }
        body
    }

    fn body(&mut self, length: usize, depth: usize) -> Vec<Stmt> {
        (0..length).flat_map(|_| self.stmt(depth)).collect()
    }

    /// A statement, or a few that belong together.
    fn stmt(&mut self, depth: usize) -> Vec<Stmt> {
        let (local, place) = (self.local(), self.place());
        match self.rng.below(24) {
            0..=4 => {
                let (value, mode) = (self.expr(), self.mode());
                vec![Stmt::Store(place, value, mode)]
            }
            5..=7 => vec![Stmt::Load(local, place, self.mode())],
            8..=11 => {
                let (mode, value) = (self.mode(), self.small());
                let assert = Stmt::Assert(match self.rng.below(4) {
                    0 => Cond::Eq(local, value),
                    1 => Cond::Less(local, 1 + value),
                    _ => Cond::Ne(local, value.max(1)),
                });
                vec![Stmt::Load(local, place, mode), assert]
            }
            12 => vec![Stmt::Add(local, place, 1)],
            13 => vec![Stmt::Exchange(local, place, self.small(), 1)],
            14 | 15 if depth > 0 => {
                let inner = self.plain(place, local);
                vec![Stmt::Lock, inner, Stmt::Unlock]
            }
            16 => {
                let inner = (0..1 + self.rng.below(2))
                    .map(|_| {
                        let (place, local) = (self.place(), self.local());
                        self.plain(place, local)
                    })
                    .collect();
                vec![Stmt::Atomic(inner)]
            }
            17 => {
                let value = self.small();
                let wait = vec![
                    Stmt::Load(local, place, Mode::Plain),
                    Stmt::Assume(Cond::Eq(local, value)),
                ];
                if self.rng.chance(60) {
                    vec![Stmt::Atomic(wait)]
                } else {
                    wait
                }
            }
            18 | 19 if depth > 0 => {
                let cond = self.cond();
                let (then, other) = (self.body(1, depth - 1), self.rng.below(2));
                let other = self.body(other, depth - 1);
                vec![Stmt::If(cond, then, other)]
            }
            20 if depth > 0 && self.rng.chance(50) => {
                vec![Stmt::Loop(1 + self.rng.below(2) as u32, self.body(1, 0))]
            }
            21 if self.functions > self.threads && self.me < self.threads => {
                let pointer = self.pointer();
                vec![Stmt::Call(local, self.threads, pointer)]
            }
            22 => {
                if self.rng.chance(50) {
                    vec![Stmt::Publish(self.pointer())]
                } else {
                    let value = self.small();
                    vec![Stmt::Through(local, self.rng.chance(50).then_some(value))]
                }
            }
            23 if depth > 0 && self.rng.chance(30) => {
                let end = if self.rng.chance(60) {
                    Stmt::Return(Expr::Const(self.small()))
                } else {
                    Stmt::Stop
                };
                vec![Stmt::If(self.cond(), vec![end], Vec::new())]
            }
            _ => vec![Stmt::Set(local, self.expr())],
        }
    }

    fn plain(&mut self, place: Place, local: usize) -> Stmt {
        if self.rng.chance(50) {
            Stmt::Load(local, place, Mode::Plain)
        } else {
            Stmt::Store(place, self.expr(), Mode::Plain)
        }
    }
}

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

/// LLVM text.
impl std::fmt::Display for Tiny {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(PRELUDE)?;
        for (n, width) in self.globals.iter().enumerate() {
            writeln!(f, "@g{n} = global i{width} 0")?;
        }
        for n in self.used() {
            let mut text = Text {
                tiny: self,
                out: String::new(),
                next: 0,
            };
            text.function(n);
            f.write_str(&text.out)?;
        }
        Ok(())
    }
}

fn walk<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
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

struct Text<'a> {
    tiny: &'a Tiny,
    out: String,
    next: usize,
}

impl Text<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }
    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%t{}", self.next)
    }
    fn value(&mut self, text: &str) -> String {
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
        let head = if called {
            head.replace("void", "i32")
        } else {
            head
        };
        let _ = writeln!(self.out, "{head}\nentry:");
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
            | Stmt::Async(_, Pointer::Cell)
            | Stmt::Call(_, _, Pointer::Cell)
            | Stmt::Publish(Pointer::Cell) => cells.0 = true,
            Stmt::Load(_, Place::Heap, _)
            | Stmt::Store(Place::Heap, ..)
            | Stmt::Add(_, Place::Heap, _)
            | Stmt::Exchange(_, Place::Heap, ..)
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

    fn body(&mut self, body: &[Stmt], returns: bool) {
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
        }
    }

    fn pointer(&self, pointer: Pointer) -> String {
        match pointer {
            Pointer::Global(n) => format!("@g{n}"),
            Pointer::Arg => "%arg".to_string(),
            Pointer::Cell => "%cell".to_string(),
            Pointer::Heap => "%heap".to_string(),
        }
    }

    fn local(&mut self, local: usize) -> String {
        self.value(&format!("load i32, ptr %r{local}"))
    }

    fn set(&mut self, local: usize, value: &str) {
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
                let value = self.value(&format!("call i32 @f{n}(ptr {pointer})"));
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

    fn label(&mut self) -> String {
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
        let again = self.value(&format!("icmp ult i32 {more}, {times}"));
        self.line(&format!("br i1 {again}, label %{label}a, label %{label}b"));
        let _ = writeln!(self.out, "{label}b:");
    }
}

/// All bodies that are one simplification smaller.
fn smaller(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut found = Vec::new();
    for (n, stmt) in body.iter().enumerate() {
        let mut with = |new: Vec<Stmt>| {
            let mut copy = body.to_vec();
            copy.splice(n..=n, new);
            found.push(copy);
        };
        with(Vec::new());
        match stmt {
            Stmt::Atomic(inner) => {
                with(inner.clone());
                for less in smaller(inner) {
                    with(vec![Stmt::Atomic(less)]);
                }
            }
            Stmt::Loop(times, inner) => {
                with(inner.clone());
                for less in smaller(inner) {
                    with(vec![Stmt::Loop(*times, less)]);
                }
            }
            Stmt::If(cond, then, other) => {
                with(then.clone());
                with(other.clone());
                for less in smaller(then) {
                    with(vec![Stmt::If(*cond, less, other.clone())]);
                }
                for less in smaller(other) {
                    with(vec![Stmt::If(*cond, then.clone(), less)]);
                }
            }
            Stmt::Store(place, expr, mode) if *expr != Expr::Const(1) => {
                with(vec![Stmt::Store(*place, Expr::Const(1), *mode)]);
            }
            Stmt::Async(n, pointer) if *pointer != Pointer::Global(0) => {
                with(vec![Stmt::Async(*n, Pointer::Global(0))]);
            }
            _ => {}
        }
    }
    found
}

/// The smallest program that greedy simplification reaches while `bad` holds. `bad(tiny)` must hold.
pub fn shrink(tiny: &Tiny, bad: &mut dyn FnMut(&Tiny) -> bool) -> Tiny {
    let mut best = tiny.clone();
    'again: loop {
        for n in 0..best.functions.len() {
            for body in smaller(&best.functions[n]) {
                let mut next = best.clone();
                next.functions[n] = body;
                if bad(&next) {
                    best = next;
                    continue 'again;
                }
            }
        }
        return best;
    }
}
