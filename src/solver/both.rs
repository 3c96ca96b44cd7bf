//! Two solvers for each question, beside each other: for the campaign that compares them.

use super::{Answer, Solver, SolverStats};
use crate::expr::{Term, Terms};

/// Asks both. One answer *satisfiable*, the other *unsatisfiable* is a bug of one of them, and a panic: wherever a query comes from, it
/// must not be missed.
pub struct Both<A, B> {
    first: A,
    second: B,
}

impl<A: Solver, B: Solver> Both<A, B> {
    /// The first one's models are handed out.
    pub fn new(first: A, second: B) -> Self {
        Both { first, second }
    }
}

impl<A: Solver, B: Solver> Solver for Both<A, B> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        let first = self.first.check(terms, conjuncts);
        let second = self.second.check(terms, conjuncts);
        match (first, second) {
            (Answer::Sat(_), Answer::Unsat) | (Answer::Unsat, Answer::Sat(_)) => {
                panic!("two solvers disagree about a query")
            }
            (Answer::Unknown(_), second) => second,
            (first, _) => first,
        }
    }

    fn stats(&self) -> SolverStats {
        self.first.stats().and(self.second.stats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Assignment;
    use crate::solver::tests::Scripted;

    #[test]
    fn what_one_decides_is_decided() {
        let mut terms = Terms::new();
        let open = Answer::Unknown("hard".into());
        let first = Scripted::new([Answer::Unsat, open.clone()]);
        let mut both = Both::new(first, Scripted::new([open, Answer::Unsat]));
        assert_eq!(both.check(&mut terms, &[]), Answer::Unsat);
        assert_eq!(both.check(&mut terms, &[]), Answer::Unsat);
    }

    #[test]
    #[should_panic(expected = "two solvers disagree")]
    fn a_disagreement_is_a_bug() {
        let second = Scripted::new([Answer::Sat(Assignment::default())]);
        let mut both = Both::new(Scripted::new([Answer::Unsat]), second);
        both.check(&mut Terms::new(), &[]);
    }
}
