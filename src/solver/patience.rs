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

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves the first question open and answers all others.
    struct Once(bool);

    impl Solver for Once {
        fn check(&mut self, _: &mut Terms, _: &[Term]) -> Answer {
            match std::mem::replace(&mut self.0, false) {
                true => Answer::Unknown("hard".into()),
                false => Answer::Unsat,
            }
        }

        fn stats(&self) -> SolverStats {
            SolverStats::default()
        }
    }

    #[test]
    fn after_the_first_open_question_all_are() {
        let mut terms = Terms::new();
        let open = Answer::Unknown("hard".into());
        let mut patient = Patience::new(Once(true));
        assert_eq!(patient.check(&mut terms, &[]), open);
        assert_eq!(patient.check(&mut terms, &[]), open);
        assert_eq!(
            Patience::new(Once(false)).check(&mut terms, &[]),
            Answer::Unsat
        );
    }
}
