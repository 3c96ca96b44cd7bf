//! Whether a condition can hold, where a wrong yes would cost much.

use crate::expr::Evaluator;
use crate::solver::{self, Answer};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::mode::Limits;

/// Assignments tried before the solver is asked whether a thread can start.
const WITNESSES: usize = 4;

/// Budget of a question whether a scheduled thread can start, in the solver's units.
const PRUNING_BUDGET: u64 = 300_000;

impl Executor<'_> {
    /// Whether a condition can hold. Asked where a wrong yes would start a thread for nothing, and, since such a thread
    /// may start others, without end: beyond the first scheduled thread. Everything else is left to the questions at
    /// the end of the run.
    pub(in crate::symex) fn feasible(&mut self, guard: &Guard) -> bool {
        if self.stack.turn.scheduled < 2 {
            return true;
        }
        let mut conjuncts = self.chosen.axioms.clone();
        conjuncts.extend(guard.parts());
        // What showed that one thread can start often shows it of the next.
        let known = self.caches.witnesses.iter().rev().any(|w| {
            let mut evaluator = Evaluator::new(w);
            conjuncts.iter().all(|c| evaluator.holds(&self.terms, *c))
        });
        if known {
            return true;
        }
        let Limits {
            solver, deadline, ..
        } = self.budget.limits;
        let answer =
            solver::standard(solver, PRUNING_BUDGET, deadline).check(&mut self.terms, &conjuncts);
        match answer {
            Answer::Sat(model) => {
                if self.caches.witnesses.len() == WITNESSES {
                    self.caches.witnesses.remove(0);
                }
                self.caches.witnesses.push(model);
                true
            }
            Answer::Unsat => false,
            Answer::Unknown(_) => true,
        }
    }
}
