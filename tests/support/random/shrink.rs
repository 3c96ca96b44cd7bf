//! Shrinking: a smaller program that is bad in the same way.

use super::{Expr, Pointer, Stmt, Tiny};

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
