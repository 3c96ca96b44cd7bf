//! Cuts a conjunction into parts that share no variable.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Answer, Solver, SolverStats};
use crate::expr::{ArrayVar, Assignment, StoreId, Support, Term, Terms, Var};

/// If `vars(A) ∩ vars(B) = ∅` then `⋀ (A ∪ B)` is satisfiable iff `⋀ A` and
/// `⋀ B` are, and models of the two, each cut down to its variables, make one
/// together. Slices are asked about in the order of their oldest conjuncts; an
/// unsatisfiable one ends it, an unknown one does not (a later may be unsatisfiable).
pub struct Independence<S> {
    inner: S,
    store: Option<StoreId>,
    supports: FxHashMap<Term, Arc<Support>>,
    sliced: u64,
}

impl<S: Solver> Independence<S> {
    /// Before `inner`.
    pub fn new(inner: S) -> Self {
        Independence {
            inner,
            store: None,
            supports: FxHashMap::default(),
            sliced: 0,
        }
    }

    fn support(&mut self, terms: &Terms, t: Term) -> Arc<Support> {
        self.supports
            .entry(t)
            .or_insert_with(|| Arc::new(Support::of(terms, &[t])))
            .clone()
    }

    /// The slices, each with its conjuncts' supports.
    fn slices(&mut self, terms: &Terms, conjuncts: &[Term]) -> Vec<Slice> {
        let mut sets = UnionFind::new(conjuncts.len());
        let mut by_var: FxHashMap<Symbol, usize> = FxHashMap::default();
        let mut supports = Vec::with_capacity(conjuncts.len());
        for (n, &c) in conjuncts.iter().enumerate() {
            let support = self.support(terms, c);
            let vars = support.vars.iter().map(|&v| Symbol::Var(v));
            let arrays = support.arrays.iter().map(|&a| Symbol::Array(a));
            for symbol in vars.chain(arrays) {
                let first = *by_var.entry(symbol).or_insert(n);
                sets.union(first, n);
            }
            supports.push(support);
        }
        let mut slices: Vec<Slice> = Vec::new();
        let mut at: FxHashMap<usize, usize> = FxHashMap::default();
        for (n, (&c, support)) in conjuncts.iter().zip(supports).enumerate() {
            let slot = *at.entry(sets.find(n)).or_insert_with(|| {
                slices.push(Slice::default());
                slices.len() - 1
            });
            slices[slot].conjuncts.push(c);
            slices[slot].supports.push(support);
        }
        slices
    }
}

/// A variable of either kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Symbol {
    Var(Var),
    Array(ArrayVar),
}

#[derive(Default)]
struct Slice {
    conjuncts: Vec<Term>,
    supports: Vec<Arc<Support>>,
}

impl Slice {
    /// Adds to `whole` the values that `model` gives to this slice's variables.
    fn merge(&self, model: &Assignment, whole: &mut Assignment) {
        for support in &self.supports {
            for v in &support.vars {
                if let Some(&value) = model.values.get(v) {
                    whole.values.insert(*v, value);
                }
            }
            for a in &support.arrays {
                if let Some(value) = model.arrays.get(a) {
                    whole.arrays.insert(*a, value.clone());
                }
            }
        }
    }
}

impl<S: Solver> Solver for Independence<S> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        if self.store.replace(terms.id()) != Some(terms.id()) {
            self.supports.clear();
        }
        let slices = self.slices(terms, conjuncts);
        if slices.len() < 2 {
            return self.inner.check(terms, conjuncts);
        }
        self.sliced += 1;
        let mut whole = Assignment::default();
        let mut unknown = None;
        for slice in slices {
            match self.inner.check(terms, &slice.conjuncts) {
                Answer::Sat(model) => slice.merge(&model, &mut whole),
                Answer::Unsat => return Answer::Unsat,
                Answer::Unknown(why) => unknown = unknown.or(Some(why)),
            }
        }
        match unknown {
            Some(why) => Answer::Unknown(why),
            None => Answer::Sat(whole),
        }
    }

    fn stats(&self) -> SolverStats {
        let mut stats = self.inner.stats();
        stats.sliced += self.sliced;
        stats
    }
}

/// Disjoint sets of `0..n`; the least member stands for its set.
struct UnionFind(Vec<usize>);

impl UnionFind {
    fn new(n: usize) -> Self {
        UnionFind((0..n).collect())
    }

    fn find(&mut self, mut n: usize) -> usize {
        while self.0[n] != n {
            self.0[n] = self.0[self.0[n]];
            n = self.0[n];
        }
        n
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::tests::Scripted;

    #[test]
    fn what_shares_no_variable_is_asked_apart_and_put_together() {
        let mut t = Terms::new();
        let (x, y, z) = (t.fresh(8, "x"), t.fresh(8, "y"), t.fresh(8, "z"));
        let (xy, three) = (t.ult(x, y), t.constant(8, 3));
        let z3 = t.eq(z, three);
        let (vy, vz) = (t.var_of(y).expect("var"), t.var_of(z).expect("var"));
        let mut first = Assignment::default();
        first.values.insert(vy, 5);
        // What a model says of others' variables is not taken over.
        let mut second = Assignment::default();
        second.values.extend([(vz, 3), (vy, 0)]);
        let script = Scripted::new([Answer::Sat(first), Answer::Sat(second)]);
        let mut solver = Independence::new(script);
        let Answer::Sat(model) = solver.check(&mut t, &[xy, z3]) else {
            panic!("both slices are satisfiable");
        };
        assert_eq!((model.value(vy), model.value(vz)), (5, 3));
        assert_eq!(solver.stats().sliced, 1);
    }

    #[test]
    fn one_unsatisfiable_slice_decides_beside_an_unknown_one() {
        let mut t = Terms::new();
        let (a, b) = (t.fresh(1, "a"), t.fresh(1, "b"));
        let script = Scripted::new([Answer::Unknown("hard".into()), Answer::Unsat]);
        let mut solver = Independence::new(script);
        assert_eq!(solver.check(&mut t, &[a, b]), Answer::Unsat);
    }
}
