//! Random tiny concurrent programs as LLVM text, and their shrinking.
//!
//! A program has up to four threads (started from each other), two or three
//! shared integers with tiny values, a lock word, heap and stack cells whose
//! addresses travel as thread arguments or through a shared pointer, helper
//! functions (so that RAISE has frames to pop), atomic sections, blocking
//! waits, branches, small loops, `nondet_bool` and assertions. The same seed
//! gives the same program.

pub mod handlers;
pub mod locks;
mod object_text;
pub mod objects;
mod ordered;
pub mod shrink;
pub mod swarm;
mod text;

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
    /// The data of the object that is pointed to: an `i32` behind its lock.
    Member(Pointer),
}

/// An object with a lock at its start and an `i32` behind it, to be pointed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// That element of an array of two.
    Element(usize),
    /// The element that a local is the number of.
    ElementAt(usize),
    /// What that slot of two holds; waits until there is something.
    Slot(usize),
    /// What the slot holds that a local is the number of.
    SlotAt(usize),
    /// A new one.
    New,
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
    /// What was pointed to last (an element of the array, if nothing was).
    Aimed,
}

/// A lock: ghost state at an address, as the models keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latch {
    /// A word of its own, number n of two.
    Word(usize),
    /// The address of data is its lock's address too.
    Of(Pointer),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Waits for a lock; shared or not.
    Take(Latch, bool),
    /// Takes a lock if it is free; 1 or 0 to a local.
    Try(usize, Latch),
    /// Gives a lock back, whoever holds it; shared or not.
    Drop(Latch, bool),
    /// Waits for a lock as a reader who is counted.
    Enter(Latch),
    /// The same if nobody writes; 1 or 0 to a local.
    TryEnter(usize, Latch),
    /// Gives back what the thread has of a lock, as its owner or as a reader who is counted; if it has nothing, nothing.
    Leave(Latch),
    /// Points to an object.
    Aim(Target),
    /// Puts the object that is pointed to into that slot.
    Keep(usize),
    /// The same with a local as the number.
    KeepAt(usize),
    /// Calls the function itself, one level deep; its result to a local.
    Again(usize, Pointer),
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
    /// That often; 0: once or more.
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
