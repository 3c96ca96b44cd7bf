//! Tries assignments at hand before searching for one.

use std::collections::VecDeque;

use super::{Answer, Solver, SolverStats};
use crate::expr::{Assignment, Evaluator, Memo, StoreId, Term, Terms};

/// Models that are kept.
const MAX_MODELS: usize = 8;

/// Values of terms remembered per model.
const MAX_MEMO: usize = 1 << 20;

/// If a known assignment `a` has `a ⊨ ⋀ cᵢ`, the answer is that assignment:
/// evaluation is cheaper than search. The assignments are the latest models, newest
/// first, and the one that is zero everywhere.
pub struct Reuse<S> {
    inner: S,
    store: Option<StoreId>,
    /// Newest first, with the values of terms found before.
    models: VecDeque<(Assignment, Memo)>,
    zero: Memo,
    hits: u64,
}

impl<S: Solver> Reuse<S> {
    /// Before `inner`.
    pub fn new(inner: S) -> Self {
        Reuse {
            inner,
            store: None,
            models: VecDeque::new(),
            zero: Memo::default(),
            hits: 0,
        }
    }
}

impl<S: Solver> Solver for Reuse<S> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        if self.store.replace(terms.id()) != Some(terms.id()) {
            self.models.clear();
            self.zero.clear();
        }
        for (model, memo) in &mut self.models {
            if satisfies(terms, model, memo, conjuncts) {
                self.hits += 1;
                return Answer::Sat(model.clone());
            }
        }
        let zero = Assignment::default();
        if satisfies(terms, &zero, &mut self.zero, conjuncts) {
            self.hits += 1;
            return Answer::Sat(zero);
        }
        let answer = self.inner.check(terms, conjuncts);
        if let Answer::Sat(model) = &answer {
            self.models.truncate(MAX_MODELS - 1);
            self.models.push_front((model.clone(), Memo::default()));
        }
        answer
    }

    fn stats(&self) -> SolverStats {
        let mut stats = self.inner.stats();
        stats.reused += self.hits;
        stats
    }
}

fn satisfies(terms: &Terms, model: &Assignment, memo: &mut Memo, conjuncts: &[Term]) -> bool {
    if memo.len() > MAX_MEMO {
        memo.clear();
    }
    let mut evaluator = Evaluator::with_memo(model, std::mem::take(memo));
    // Newest first: path conditions grow at the end, and fail there.
    let all = conjuncts.iter().rev().all(|&c| evaluator.holds(terms, c));
    *memo = evaluator.into_memo();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::tests::Scripted;

    #[test]
    fn a_model_answers_what_it_satisfies() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let (three, nine) = (t.constant(8, 3), t.constant(8, 9));
        let is_three = t.eq(x, three);
        let small = t.ult(x, nine);
        let big = t.not(small);
        let mut model = Assignment::default();
        model.values.insert(t.var_of(x).expect("a variable"), 3);
        let mut reuse = Reuse::new(Scripted::new([Answer::Sat(model.clone())]));
        // Zero everywhere is tried without being asked for.
        assert_eq!(
            reuse.check(&mut t, &[small]),
            Answer::Sat(Assignment::default())
        );
        assert_eq!(reuse.check(&mut t, &[is_three]), Answer::Sat(model.clone()));
        assert_eq!(reuse.check(&mut t, &[small, is_three]), Answer::Sat(model));
        assert_eq!(reuse.stats().reused, 2);
        assert!(matches!(reuse.check(&mut t, &[big]), Answer::Unknown(_)));
    }
}
