//! Gives up after the first question that the solver behind it leaves open.

use super::{Answer, Solver, SolverStats};
use crate::expr::{Term, Terms};

/// As the solver behind it, until that says *unknown*: from then on everything is, for that reason. For searches that are worth it
/// only as long as they are easy.
pub struct Patience<S> {
    inner: S,
    gone: Option<String>,
}

impl<S: Solver> Patience<S> {
    /// Before `inner`.
    pub fn new(inner: S) -> Self {
        Patience { inner, gone: None }
    }
}

impl<S: Solver> Solver for Patience<S> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        if let Some(why) = &self.gone {
            return Answer::Unknown(why.clone());
        }
        let answer = self.inner.check(terms, conjuncts);
        if let Answer::Unknown(why) = &answer {
            self.gone = Some(why.clone());
        }
        answer
    }

    fn stats(&self) -> SolverStats {
        self.inner.stats()
    }
}
