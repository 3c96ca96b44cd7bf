//! Random tiny programs with many locks of one kind: each element of an array has one, each object that is made in a loop, kept in
//! a slot, or handed to a thread or to a function that calls itself.
//!
//! Mostly an object's data is accessed with its own lock held; sometimes with that of another, of what the same index was before,
//! or of what the slot held before. Half of the programs give locks back by one function for readers and writers.

use super::{Cond, Expr, Gen, Latch, Mode, Place, Pointer, Rng, Stmt, Target, Tiny};

/// How a program gives locks back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// By a function for owners and one for readers, whoever calls them.
    Plain,
    /// By one function, which gives back what the caller has.
    Counted,
}

struct Maker {
    base: Gen,
    style: Style,
    /// What is set up, as [`Maker::setup`] numbers it: most of what is pointed to is of that.
    kind: usize,
}

impl Tiny {
    /// The program with objects of that seed.
    pub fn objects(seed: u64) -> Tiny {
        let mut rng = Rng::new(seed ^ 0x0b1e_c700_0000);
        let style = match rng.chance(50) {
            true => Style::Plain,
            false => Style::Counted,
        };
        let threads = 2 + usize::from(rng.chance(8));
        let mut m = Maker {
            base: Gen {
                rng,
                globals: vec![32],
                threads,
                functions: threads + 2,
                me: 0,
            },
            style,
            kind: 0,
        };
        m.kind = m.below(6);
        let mut functions = Vec::new();
        for me in 0..threads {
            m.base.me = me;
            let length = if threads > 2 { 1 } else { 1 + m.below(2) };
            let mut body: Vec<Stmt> = (0..length).flat_map(|_| m.guarded(1)).collect();
            if me == 0 {
                let mut start = m.setup();
                for thread in 1..threads {
                    let run = Stmt::Async(thread, Pointer::Aimed);
                    start.push(match threads == 2 && m.chance(15) {
                        true => Stmt::Loop(2, vec![run]),
                        false => run,
                    });
                }
                if m.chance(60) {
                    start.extend(m.aim());
                }
                body.splice(0..0, start);
            } else if m.chance(55) {
                body.splice(0..0, m.aim());
            }
            functions.push(body);
        }
        m.base.me = threads;
        let worker = m.worker();
        let taker = m.taker();
        functions.extend([worker, taker]);
        Tiny {
            globals: m.base.globals,
            functions,
        }
    }
}

impl Maker {
    fn below(&mut self, n: usize) -> usize {
        self.base.rng.below(n)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.base.rng.chance(percent)
    }

    /// Objects in the slots: one, or one for each made in a loop.
    fn setup(&mut self) -> Vec<Stmt> {
        let mut new = vec![Stmt::Aim(Target::New)];
        if self.chance(30) {
            // Nobody else knows it yet.
            let place = Place::Member(Pointer::Aimed);
            new.push(Stmt::Store(place, Expr::Const(1), Mode::Plain));
        }
        match self.kind {
            0 | 1 => {
                new.extend([Stmt::KeepAt(0), Stmt::Set(0, Expr::Next(0))]);
                vec![Stmt::Set(0, Expr::Const(0)), Stmt::Loop(2, new)]
            }
            2 => {
                new.push(Stmt::Keep(0));
                if self.chance(50) {
                    new.push(Stmt::Keep(1));
                }
                new
            }
            3 | 4 => vec![Stmt::Aim(Target::Element(self.below(2)))],
            _ => new,
        }
    }

    /// Points to something that was set up, maybe by a number that nobody knows.
    fn aim(&mut self) -> Vec<Stmt> {
        let k = self.below(2);
        let kind = if self.chance(85) {
            self.kind
        } else {
            self.below(6)
        };
        match (kind, self.below(3)) {
            (0 | 1, 0) => vec![Stmt::Aim(Target::Slot(k))],
            (0 | 1, _) => vec![Stmt::Set(1, Expr::Nondet), Stmt::Aim(Target::SlotAt(1))],
            (2, 0) => vec![Stmt::Aim(Target::SlotAt(0))],
            (2, _) => vec![Stmt::Aim(Target::Slot(0))],
            (_, 0) => vec![Stmt::Aim(Target::Element(k))],
            (_, _) => vec![Stmt::Set(1, Expr::Nondet), Stmt::Aim(Target::ElementAt(1))],
        }
    }

    fn take(&mut self, latch: Latch, shared: bool) -> Stmt {
        match (self.style, shared) {
            (Style::Counted, true) => Stmt::Enter(latch),
            _ => Stmt::Take(latch, shared),
        }
    }

    fn give(&self, latch: Latch, shared: bool) -> Stmt {
        match self.style {
            Style::Plain => Stmt::Drop(latch, shared),
            Style::Counted => Stmt::Leave(latch),
        }
    }

    fn access(&mut self, place: Place) -> Stmt {
        match self.below(5) {
            0 | 1 => Stmt::Load(1, place, Mode::Plain),
            _ => Stmt::Store(place, Expr::Const(1), Mode::Plain),
        }
    }

    /// Take, access, give back.
    fn guarded(&mut self, depth: usize) -> Vec<Stmt> {
        let object = match self.base.me > 0 && self.chance(45) {
            true => Pointer::Arg,
            false => Pointer::Aimed,
        };
        let latch = match self.below(20) {
            0 => Latch::Word(0),
            1 if self.base.me > 0 => Latch::Of(Pointer::Arg),
            2 => Latch::Of(Pointer::Aimed),
            _ => Latch::Of(object),
        };
        let shared = self.chance(25);
        let mut inner = vec![self.access(Place::Member(object))];
        if shared && self.chance(70) {
            inner = vec![Stmt::Load(1, Place::Member(object), Mode::Plain)];
        }
        match self.below(12) {
            // Something else is pointed to while the lock is held.
            0 => inner.splice(0..0, self.aim()).for_each(drop),
            1 => inner = vec![Stmt::Loop(2, inner)],
            2 if depth > 0 => inner.extend(self.guarded(depth - 1)),
            3 => inner.push(Stmt::Set(0, Expr::Nondet)),
            _ => {}
        }
        let give = self.give(latch, shared);
        let mut body = match self.below(9) {
            0 => {
                let tried = match (self.style, shared) {
                    (Style::Counted, true) => Stmt::TryEnter(0, latch),
                    _ => Stmt::Try(0, latch),
                };
                let give = match self.style {
                    Style::Plain => Stmt::Drop(latch, false),
                    Style::Counted => give,
                };
                inner.push(give);
                let wrong = self.chance(8);
                let cond = if wrong {
                    Cond::Eq(0, 0)
                } else {
                    Cond::Ne(0, 0)
                };
                vec![tried, Stmt::If(cond, inner, Vec::new())]
            }
            1 => {
                // Held as a reader or as the owner.
                let other = self.give(latch, !shared);
                let (one, two) = (self.take(latch, shared), self.take(latch, !shared));
                let mut all = vec![
                    Stmt::Set(0, Expr::Nondet),
                    Stmt::If(Cond::Ne(0, 0), vec![one], vec![two]),
                ];
                all.append(&mut inner);
                all.push(match self.style {
                    Style::Plain => Stmt::If(Cond::Ne(0, 0), vec![give], vec![other]),
                    Style::Counted => give,
                });
                all
            }
            2 => {
                // if (c) lock(); if (c) work; if (c) unlock();
                let cond = Cond::Ne(0, 0);
                let work = if self.chance(85) {
                    cond
                } else {
                    Cond::Eq(1, 1)
                };
                vec![
                    Stmt::Set(0, Expr::Nondet),
                    Stmt::If(cond, vec![self.take(latch, shared)], Vec::new()),
                    Stmt::If(work, inner, Vec::new()),
                    Stmt::If(cond, vec![give], Vec::new()),
                ]
            }
            3 if self.base.me < self.base.threads => {
                vec![Stmt::Call(1, self.base.threads, object)]
            }
            4 if self.base.me < self.base.threads => {
                inner.push(self.give(Latch::Of(object), false));
                vec![
                    Stmt::Call(0, self.base.threads + 1, object),
                    Stmt::If(Cond::Ne(0, 0), inner, Vec::new()),
                ]
            }
            _ => {
                let mut all = vec![self.take(latch, shared)];
                all.append(&mut inner);
                all.push(give);
                all
            }
        };
        if self.chance(4) {
            body.pop();
        }
        if self.chance(3) {
            let stray = self.give(latch, false);
            body.insert(self.below(body.len() + 1), stray);
        }
        if self.chance(3) {
            body.push(self.access(Place::Member(object)));
        }
        body
    }

    /// Works on its argument and calls itself: with the lock given back, with it held (as a reader), or before it is taken.
    fn worker(&mut self) -> Vec<Stmt> {
        let (latch, place) = (Latch::Of(Pointer::Arg), Place::Member(Pointer::Arg));
        let again = Stmt::Again(1, Pointer::Arg);
        let shared = self.chance(40);
        let take = self.take(latch, shared);
        let give = self.give(latch, shared);
        let access = match shared && self.chance(80) {
            true => Stmt::Load(1, place, Mode::Plain),
            false => self.access(place),
        };
        match self.below(6) {
            0 | 1 => vec![take, access, give, again],
            2 => vec![again, take, access, give],
            // Waits for itself for ever unless it is a reader.
            3 => vec![take, access.clone(), again, access, give],
            4 => vec![take, access.clone(), give, again, access],
            _ => vec![take, access, give],
        }
    }

    /// Returns with the lock of its argument, or without.
    fn taker(&mut self) -> Vec<Stmt> {
        let own = Latch::Of(Pointer::Arg);
        let give = self.give(own, false);
        match self.below(3) {
            0 => vec![self.take(own, false), Stmt::Return(Expr::Const(1))],
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
                    vec![give, Stmt::Return(Expr::Const(0))],
                    Vec::new(),
                ),
                Stmt::Return(Expr::Const(2)),
            ],
        }
    }
}
