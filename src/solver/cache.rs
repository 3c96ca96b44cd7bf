//! Answers from earlier answers.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Answer, Solver, SolverStats};
use crate::expr::{StoreId, Term, Terms};

/// Unsatisfiable sets that supersets are looked up in.
const MAX_UNSAT: usize = 64;

/// The same set of conjuncts has the same answer. And if `⋀ U` is
/// unsatisfiable and `U ⊆ C`, so is `⋀ C`.
///
/// The other direction, a model of a superset, is [`super::Reuse`]'s.
pub struct Cache<S> {
    inner: S,
    store: Option<StoreId>,
    answers: FxHashMap<Box<[Term]>, Answer>,
    /// The latest unsatisfiable sets, each sorted.
    unsat: VecDeque<Box<[Term]>>,
    hits: u64,
}

impl<S: Solver> Cache<S> {
    /// Before `inner`.
    pub fn new(inner: S) -> Self {
        Cache {
            inner,
            store: None,
            answers: FxHashMap::default(),
            unsat: VecDeque::new(),
            hits: 0,
        }
    }
}

impl<S: Solver> Solver for Cache<S> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        if self.store.replace(terms.id()) != Some(terms.id()) {
            self.answers.clear();
            self.unsat.clear();
        }
        let mut key = conjuncts.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(answer) = self.answers.get(&key[..]) {
            self.hits += 1;
            return answer.clone();
        }
        if self.unsat.iter().any(|u| is_subset(u, &key)) {
            self.hits += 1;
            return Answer::Unsat;
        }
        let answer = self.inner.check(terms, &key);
        if answer == Answer::Unsat {
            if self.unsat.len() == MAX_UNSAT {
                self.unsat.pop_front();
            }
            self.unsat.push_back(key.clone().into());
        }
        self.answers.insert(key.into(), answer.clone());
        answer
    }

    fn stats(&self) -> SolverStats {
        let mut stats = self.inner.stats();
        stats.cached += self.hits;
        stats
    }
}

/// Whether every element of the first sorted list is in the second.
fn is_subset(small: &[Term], large: &[Term]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large;
    small.iter().all(|t| match rest.binary_search(t) {
        Ok(at) => {
            rest = &rest[at + 1..];
            true
        }
        Err(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::tests::Scripted;

    #[test]
    fn each_set_is_asked_once_and_supersets_of_unsat_never() {
        let mut t = Terms::new();
        let (a, b, c) = (t.fresh(1, "a"), t.fresh(1, "b"), t.fresh(1, "c"));
        let mut cache = Cache::new(Scripted::new([Answer::Unsat]));
        assert_eq!(cache.check(&mut t, &[a, c]), Answer::Unsat);
        assert_eq!(cache.check(&mut t, &[c, a]), Answer::Unsat);
        assert_eq!(cache.check(&mut t, &[c, b, a]), Answer::Unsat);
        assert_eq!(cache.stats().cached, 2);
        // A clone gives its own meaning to new numbers: nothing carries over.
        let mut other = t.clone();
        let answer = cache.check(&mut other, &[a, c]);
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    }
}
