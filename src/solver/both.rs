//! Two solvers for each question, beside each other: for the campaign that compares them.

use super::{Answer, Solver, SolverStats};
use crate::expr::{Term, Terms};

/// Asks both. One answer *satisfiable*, the other *unsatisfiable* is an internal error: `Unknown`, and the disagreement is counted.
pub struct Both<A, B> {
    first: A,
    second: B,
    disagreements: u64,
}

impl<A: Solver, B: Solver> Both<A, B> {
    /// The first one's models are handed out.
    pub fn new(first: A, second: B) -> Self {
        Both {
            first,
            second,
            disagreements: 0,
        }
    }
}

impl<A: Solver, B: Solver> Solver for Both<A, B> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        let first = self.first.check(terms, conjuncts);
        let second = self.second.check(terms, conjuncts);
        match (first, second) {
            (Answer::Sat(_), Answer::Unsat) | (Answer::Unsat, Answer::Sat(_)) => {
                self.disagreements += 1;
                Answer::Unknown("internal error: two solvers disagree about a query".to_owned())
            }
            (Answer::Unknown(_), second) => second,
            (first, _) => first,
        }
    }

    fn stats(&self) -> SolverStats {
        let mut stats = self.first.stats().and(self.second.stats());
        stats.disagreements += self.disagreements;
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Assignment;
    use crate::solver::tests::Scripted;

    #[test]
    fn a_disagreement_is_no_answer() {
        let mut terms = Terms::new();
        let first = Scripted::new([Answer::Unsat, Answer::Unsat]);
        let second = Scripted::new([Answer::Sat(Assignment::default())]);
        let mut both = Both::new(first, second);
        assert!(matches!(both.check(&mut terms, &[]), Answer::Unknown(_)));
        assert_eq!(both.stats().disagreements, 1);
        assert_eq!(both.check(&mut terms, &[]), Answer::Unsat);
    }
}
