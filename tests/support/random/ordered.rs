//! Random tiny programs whose accesses are ordered by flags, counters and the ends of threads, mostly.
//!
//! Global 0 is data, 1 and 2 are what orders: flags that are set and waited for, in a section or by a loop that looks again; counts that are
//! posted and taken; tokens handed on by compare-and-exchange. Some accesses come too early, some waits are forgotten.

use super::{Cond, Expr, Gen, Mode, Place, Pointer, Rng, Stmt, Tiny};

const DATA: Place = Place::Global(0);

impl Tiny {
    /// The program of that seed.
    pub fn ordered(seed: u64) -> Tiny {
        let mut rng = Rng::new(seed ^ 0x0dde_0000_0000);
        let threads = 2 + usize::from(rng.chance(30));
        let mut maker = Gen {
            rng,
            globals: vec![32, 32, 32],
            threads,
            functions: threads,
            me: 0,
        };
        let mut functions = Vec::new();
        for me in 0..threads {
            maker.me = me;
            let mut body = Vec::new();
            let before = maker.rng.below(2);
            for _ in 0..before {
                body.extend(maker.turn());
            }
            if me == 0 {
                let early = maker.rng.chance(40);
                if early {
                    body.push(maker.datum());
                }
                for thread in 1..threads {
                    body.push(Stmt::Async(thread, Pointer::Global(0)));
                }
            }
            for _ in 0..1 + maker.rng.below(2) {
                body.extend(maker.turn());
            }
            functions.push(body);
        }
        Tiny {
            globals: maker.globals,
            functions,
        }
    }
}

impl Gen {
    fn datum(&mut self) -> Stmt {
        match self.rng.chance(60) {
            true => Stmt::Store(DATA, Expr::Const(1), Mode::Plain),
            false => Stmt::Load(1, DATA, Mode::Plain),
        }
    }

    fn signal(&mut self) -> Place {
        Place::Global(1 + self.rng.below(2))
    }

    /// Waits until a signal is (or is not) a value; perhaps changes it in the same step.
    fn wait(&mut self, signal: Place, value: u32) -> Vec<Stmt> {
        let mode = [Mode::Volatile, Mode::Atomic][self.rng.below(2)];
        match self.rng.below(6) {
            0 | 1 => vec![Stmt::Atomic(vec![
                Stmt::Load(0, signal, Mode::Plain),
                Stmt::Assume(Cond::Eq(0, value)),
            ])],
            2 => vec![Stmt::Atomic(vec![
                Stmt::Load(0, signal, Mode::Plain),
                Stmt::Assume(Cond::Ne(0, 0)),
                Stmt::Store(signal, Expr::Const(0), Mode::Plain),
            ])],
            3 => vec![
                Stmt::Exchange(0, signal, value, value + 1),
                Stmt::Assume(Cond::Eq(0, value)),
            ],
            4 => vec![
                Stmt::Load(0, signal, mode),
                Stmt::Assume(Cond::Eq(0, value)),
            ],
            // Looks once: what follows is done only if it is so.
            _ => {
                let inner = self.datum();
                vec![
                    Stmt::Load(0, signal, mode),
                    Stmt::If(Cond::Eq(0, value), vec![inner], Vec::new()),
                    Stmt::Assume(Cond::Eq(0, value)),
                ]
            }
        }
    }

    fn set(&mut self, signal: Place, value: u32) -> Stmt {
        match self.rng.below(4) {
            0 => Stmt::Store(signal, Expr::Const(value), Mode::Volatile),
            1 => Stmt::Store(signal, Expr::Const(value), Mode::Atomic),
            2 => Stmt::Add(0, signal, 1),
            _ => Stmt::Atomic(vec![Stmt::Store(signal, Expr::Const(value), Mode::Plain)]),
        }
    }

    /// Some of: wait, access, set.
    fn turn(&mut self) -> Vec<Stmt> {
        let (first, second) = (self.signal(), self.signal());
        let value = u32::from(self.rng.chance(75));
        let mut body = Vec::new();
        if self.rng.chance(if self.me == 0 { 60 } else { 75 }) {
            body.extend(self.wait(first, value));
        }
        if self.rng.chance(85) {
            body.push(self.datum());
        }
        if self.rng.chance(80) {
            let value = [1, 1, 1, 0, 2][self.rng.below(5)];
            let set = self.set(second, value);
            body.push(set);
        }
        if self.rng.chance(6) {
            body.push(self.datum());
        }
        body
    }
}
