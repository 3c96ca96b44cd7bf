//! Random tiny programs full of locks: mostly kept to, sometimes forgotten.
//!
//! Each shared variable has a lock that most accesses hold: waited for, tried, taken under a condition, for reading, by a
//! helper that keeps it or tries it, at the address that an argument leads to. Some accesses hold another lock or none,
//! some paths forget to give back, some give back what they do not hold.

use super::{Cond, Expr, Gen, LOCALS, Latch, Mode, Place, Pointer, Rng, Stmt, Tiny};

/// A variable and its lock.
type Guarded = (Place, Latch);

impl Tiny {
    /// The program with locks of that seed.
    pub fn locked(seed: u64) -> Tiny {
        let mut rng = Rng::new(seed ^ 0x10c4_0000_0000);
        let threads = 2 + usize::from(rng.chance(15));
        let mut maker = Gen {
            rng,
            globals: vec![32, 32],
            threads,
            functions: threads + 2,
            me: 0,
        };
        let mut functions = Vec::new();
        for me in 0..threads {
            maker.me = me;
            let length = if threads > 2 {
                1
            } else {
                1 + maker.rng.below(2)
            };
            let mut body: Vec<Stmt> = (0..length).flat_map(|_| maker.guarded(2)).collect();
            if maker.rng.chance(10) {
                body.extend(maker.stmt(1));
            }
            if me == 0 {
                for thread in 1..threads {
                    let pointer = [
                        Pointer::Global(0),
                        Pointer::Global(1),
                        Pointer::Heap,
                        Pointer::Heap,
                    ][maker.rng.below(4)];
                    let mut start = vec![Stmt::Async(thread, pointer)];
                    if threads == 2 && maker.rng.chance(12) {
                        start = vec![Stmt::Loop(2, start)];
                    }
                    body.splice(0..0, start);
                }
            }
            functions.push(body);
        }
        // A helper that works on what it is given, and one that returns with the lock of its argument or without.
        maker.me = threads;
        let own = Latch::Of(Pointer::Arg);
        let work = vec![
            Stmt::Take(own, false),
            maker.access(Place::Arg, 1),
            Stmt::Drop(own, false),
        ];
        let taken = match maker.rng.below(3) {
            0 => vec![Stmt::Take(own, false), Stmt::Return(Expr::Const(1))],
            1 => vec![Stmt::Try(0, own), Stmt::Return(Expr::Local(0))],
            _ => vec![
                Stmt::Try(0, own),
                Stmt::If(
                    Cond::Eq(0, 0),
                    vec![Stmt::Return(Expr::Const(0))],
                    Vec::new(),
                ),
                Stmt::If(
                    Cond::Nondet,
                    vec![Stmt::Drop(own, false), Stmt::Return(Expr::Const(0))],
                    Vec::new(),
                ),
                Stmt::Return(Expr::Const(2)),
            ],
        };
        functions.extend([work, taken]);
        Tiny {
            globals: maker.globals,
            functions,
        }
    }
}

impl Gen {
    /// A variable and what guards it, mostly.
    fn variable(&mut self) -> Guarded {
        let (place, latch) = match self.rng.below(8) {
            0 | 1 if self.me > 0 => (Place::Arg, Latch::Of(Pointer::Arg)),
            2 if self.me == 0 => (Place::Heap, Latch::Of(Pointer::Heap)),
            3 | 4 => (Place::Global(1), Latch::Of(Pointer::Global(1))),
            _ => (Place::Global(0), Latch::Word(0)),
        };
        match self.rng.below(25) {
            0 => (place, Latch::Word(1)),
            1 => (place, Latch::Of(Pointer::Global(0))),
            _ => (place, latch),
        }
    }

    fn access(&mut self, place: Place, local: usize) -> Stmt {
        match self.rng.below(10) {
            0..=4 => Stmt::Store(
                place,
                Expr::Const(1 + self.rng.below(2) as u32),
                Mode::Plain,
            ),
            5..=8 => Stmt::Load(local, place, Mode::Plain),
            _ => {
                let value = self.expr();
                Stmt::Store(place, value, Mode::Plain)
            }
        }
    }

    /// What is done with the lock held: local 0 is mostly left alone.
    fn inner(&mut self, place: Place, depth: usize) -> Vec<Stmt> {
        let local = if self.rng.chance(85) { 1 } else { 0 };
        let mut body = vec![self.access(place, local)];
        match self.rng.below(8) {
            0 => body.extend([
                Stmt::Load(1, place, Mode::Plain),
                Stmt::Assert(Cond::Less(1, 2)),
            ]),
            1 if depth > 0 => body.extend(self.guarded(depth - 1)),
            2 => body.push(Stmt::Set(self.rng.below(LOCALS), Expr::Nondet)),
            3 => body = vec![Stmt::Loop(2, body)],
            _ => {}
        }
        body
    }

    /// A few statements that belong together: take, access, give back.
    fn guarded(&mut self, depth: usize) -> Vec<Stmt> {
        let (place, latch) = self.variable();
        let inner = self.inner(place, depth);
        let give = Stmt::Drop(latch, false);
        let forgets = self.rng.chance(4);
        let stray = self.rng.chance(3);
        let helper = match latch {
            Latch::Of(pointer) => Some(pointer),
            Latch::Word(_) => None,
        };
        let taken = |take: Vec<Stmt>, cond: Cond, mut inner: Vec<Stmt>, give: Stmt| {
            inner.push(give);
            let mut all = take;
            all.push(Stmt::If(cond, inner, Vec::new()));
            all
        };
        let mut body = match self.rng.below(13) {
            0 => taken(vec![Stmt::Try(0, latch)], Cond::Ne(0, 0), inner, give),
            1 => taken(vec![Stmt::Try(0, latch)], Cond::Eq(0, 1), inner, give),
            2 => {
                let failed = Stmt::If(
                    Cond::Eq(0, 0),
                    vec![Stmt::Return(Expr::Const(0))],
                    Vec::new(),
                );
                let mut all = vec![Stmt::Try(0, latch), failed];
                all.extend(inner);
                all.push(give);
                all
            }
            3 => {
                // if (c) lock(); if (c) work; if (c) unlock();
                let cond = [Cond::Ne(0, 0), Cond::Eq(0, 1)][self.rng.below(2)];
                let guard = if self.rng.chance(85) {
                    cond
                } else {
                    Cond::Eq(1, 1)
                };
                vec![
                    Stmt::Set(0, Expr::Nondet),
                    Stmt::If(cond, vec![Stmt::Take(latch, false)], Vec::new()),
                    Stmt::If(guard, inner, Vec::new()),
                    Stmt::If(cond, vec![give], Vec::new()),
                ]
            }
            4 => {
                let mut all = vec![Stmt::Take(latch, true)];
                let reads = self.rng.chance(80);
                let what = Stmt::Load(1, place, Mode::Plain);
                all.extend(if reads { vec![what] } else { inner });
                all.push(Stmt::Drop(latch, true));
                all
            }
            5 => {
                // An error path that gives back by itself.
                let mut all = vec![Stmt::Take(latch, false)];
                let early = if self.rng.chance(90) {
                    vec![give.clone(), Stmt::Return(Expr::Const(1))]
                } else {
                    vec![give.clone()]
                };
                all.push(Stmt::If(Cond::Nondet, early, Vec::new()));
                all.extend(inner);
                all.push(give);
                all
            }
            6 | 7 if self.me < self.threads && helper.is_some() => {
                let pointer = helper.unwrap_or(Pointer::Arg);
                if self.rng.chance(40) {
                    vec![Stmt::Call(1, self.threads, pointer)]
                } else {
                    let call = vec![Stmt::Call(0, self.threads + 1, pointer)];
                    taken(call, Cond::Ne(0, 0), inner, give)
                }
            }
            _ => {
                let mut all = vec![Stmt::Take(latch, false)];
                all.extend(inner);
                all.push(give);
                all
            }
        };
        if forgets {
            body.pop();
        }
        if stray {
            body.insert(self.rng.below(body.len() + 1), Stmt::Drop(latch, false));
        }
        if self.rng.chance(4) {
            body.push(self.access(place, 1));
        }
        body
    }
}
