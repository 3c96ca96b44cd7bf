//! One solver, and another for what it leaves open.

use super::{Answer, Solver, SolverStats};
use crate::expr::{Term, Terms};

/// The first solver's answer; where that is *unknown*, the second's. Both pay from the same purse.
pub struct Fallback<A, B> {
    first: A,
    second: B,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    /// `first` before `second`.
    pub fn new(first: A, second: B) -> Self {
        Fallback { first, second }
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        match self.first.check(terms, conjuncts) {
            Answer::Unknown(_) => self.second.check(terms, conjuncts),
            answer => answer,
        }
    }

    fn stats(&self) -> SolverStats {
        self.first.stats().and(self.second.stats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::tests::Scripted;

    #[test]
    fn the_second_is_asked_what_the_first_leaves_open() {
        let mut terms = Terms::new();
        let open = || Answer::Unknown("hard".into());
        let first = Scripted::new([Answer::Unsat, open(), open()]);
        let mut both = Fallback::new(first, Scripted::new([Answer::Unsat, open()]));
        assert_eq!(both.check(&mut terms, &[]), Answer::Unsat);
        assert_eq!(both.check(&mut terms, &[]), Answer::Unsat);
        assert_eq!(both.check(&mut terms, &[]), open());
    }
}
