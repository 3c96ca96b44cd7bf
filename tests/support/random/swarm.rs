//! Random tiny programs that start some of their threads any number of times.

use super::{Rng, Stmt, Tiny};

impl Tiny {
    /// The program of that seed; a third of its thread starts are in loops that go round once or more.
    pub fn swarm(seed: u64) -> Tiny {
        let mut rng = Rng::new(seed ^ 0x5a3a_0000_0000);
        let mut tiny = match rng.below(3) {
            0 => Tiny::random(seed),
            1 => Tiny::locked(seed),
            _ => Tiny::ordered(seed),
        };
        for stmt in tiny.functions.iter_mut().flatten() {
            if matches!(stmt, Stmt::Async(..)) && rng.chance(34) {
                *stmt = Stmt::Loop(0, vec![stmt.clone()]);
            }
        }
        tiny
    }

    /// The same with loops that go round exactly `times` times for those that go round once or more.
    pub fn counted(&self, times: u32) -> Tiny {
        let mut tiny = self.clone();
        for body in &mut tiny.functions {
            count(body, times);
        }
        tiny
    }

    /// Whether it has such loops.
    pub fn is_counted(&self) -> bool {
        self.counted(1) == *self
    }
}

fn count(body: &mut [Stmt], times: u32) {
    for stmt in body {
        match stmt {
            Stmt::Loop(n, inner) => {
                if *n == 0 {
                    *n = times;
                }
                count(inner, times);
            }
            Stmt::Atomic(inner) => count(inner, times),
            Stmt::If(_, then, other) => {
                count(then, times);
                count(other, times);
            }
            _ => {}
        }
    }
}
