//! Decides what is plain, and splits conjunctions.

use rustc_hash::FxHashSet;

use super::{Answer, Solver, SolverStats};
use crate::expr::{Assignment, Node, Term, Terms};

/// `⋀ cᵢ` with every `x ∧ y` split into `x, y`: false if some conjunct is false or
/// two are complements; satisfied by anything if none is left. Otherwise the
/// next solver gets the distinct conjuncts, oldest first.
pub struct Fold<S> {
    inner: S,
    queries: u64,
    folded: u64,
}

impl<S: Solver> Fold<S> {
    /// Before `inner`.
    pub fn new(inner: S) -> Self {
        Fold {
            inner,
            queries: 0,
            folded: 0,
        }
    }
}

impl<S: Solver> Solver for Fold<S> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        self.queries += 1;
        match split(terms, conjuncts) {
            Some(list) if !list.is_empty() => self.inner.check(terms, &list),
            decided => {
                self.folded += 1;
                match decided {
                    Some(_) => Answer::Sat(Assignment::default()),
                    None => Answer::Unsat,
                }
            }
        }
    }

    fn stats(&self) -> SolverStats {
        let mut stats = self.inner.stats();
        stats.queries += self.queries;
        stats.folded += self.folded;
        stats
    }
}

/// The distinct conjuncts, sorted; `None` if the conjunction is false.
fn split(terms: &Terms, conjuncts: &[Term]) -> Option<Vec<Term>> {
    let mut seen = FxHashSet::default();
    let mut todo = conjuncts.to_vec();
    let mut list = Vec::new();
    while let Some(t) = todo.pop() {
        if terms.is_true(t) || !seen.insert(t) {
            continue;
        }
        if terms.is_false(t) {
            return None;
        }
        match *terms.node(t) {
            Node::And(x, y) => todo.extend([x, y]),
            _ => list.push(t),
        }
    }
    list.sort_unstable();
    let contradictory = list
        .iter()
        .any(|&t| matches!(*terms.node(t), Node::Not(x) if seen.contains(&x)));
    (!contradictory).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_split_and_complements_found() {
        let mut t = Terms::new();
        let (a, b, c) = (t.fresh(1, "a"), t.fresh(1, "b"), t.fresh(1, "c"));
        let ab = t.and(a, b);
        let abc = t.and(ab, c);
        assert_eq!(split(&t, &[abc, b]), Some(vec![a, b, c]));
        let not_ab = t.not(ab);
        assert_eq!(split(&t, &[abc, not_ab]), None);
        let nc = t.not(c);
        assert_eq!(split(&t, &[nc, abc]), None);
        assert_eq!(split(&t, &[t.tru()]), Some(vec![]));
    }
}
