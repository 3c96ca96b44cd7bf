//! Whether a condition can hold, where a wrong yes would cost much.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::config::Backend;
use crate::deadline::RLIMIT_OF_A_UNIT;
use crate::expr::{Evaluator, Term, Terms};
use crate::solver::{self, Answer, Budget, SharedBudget, Solver};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::mode::Limits;

/// Assignments tried before the solver is asked whether a thread can start.
const WITNESSES: usize = 4;

/// Budget of a question whether a scheduled thread can start, in the solver's units.
const PRUNING_BUDGET: u64 = 300_000;

/// Who answers these questions for one run, and keeps what it has learnt of the run's terms. All questions together may cost what the
/// instructions may. A copy of a run begins anew.
pub(in crate::symex) struct Pruner {
    purse: SharedBudget,
    solver: Mutex<Option<Box<dyn Solver + Send>>>,
}

impl Default for Pruner {
    fn default() -> Self {
        Pruner {
            purse: SharedBudget::of(0),
            solver: Mutex::new(None),
        }
    }
}

impl Clone for Pruner {
    fn clone(&self) -> Self {
        Pruner {
            purse: SharedBudget::of(self.purse.left()),
            solver: Mutex::new(None),
        }
    }
}

impl fmt::Debug for Pruner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pruner")
    }
}

impl Pruner {
    /// The next run has these limits.
    pub fn again(&mut self, limits: &Limits) {
        let units = limits.instructions.saturating_mul(RLIMIT_OF_A_UNIT);
        self.purse.fill(units);
    }

    /// Whether nothing more may be asked.
    fn is_spent(&self) -> bool {
        self.purse.left() == 0
    }

    fn ask(&self, limits: &Limits, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        let budget = Budget {
            query: PRUNING_BUDGET,
            purse: Some(self.purse.clone()),
        };
        if let Backend::Z3 | Backend::Both = limits.solver {
            let mut other = solver::standard(limits.solver, budget, limits.deadline);
            return other.check(terms, conjuncts);
        }
        let mut kept = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        let solver = kept.get_or_insert_with(|| solver::kept(budget, limits.deadline));
        solver.check(terms, conjuncts)
    }
}

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
        let pruner = &self.caches.pruner;
        let answer = pruner.ask(&self.budget.limits, &mut self.terms, &conjuncts);
        if pruner.is_spent() {
            self.budget.end();
        }
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
