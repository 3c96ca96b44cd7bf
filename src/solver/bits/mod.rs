//! Terms at the level of bits, asked of an incremental SAT solver.
//!
//! Each term becomes a circuit once per store of terms ([`circuit`], [`words`], [`gates`]); a query assumes the literals of its
//! conjuncts ([`sat`]), so nothing is translated twice and what is learnt for one query serves the next (Eén and Sörensson 2003,
//! temporal induction by incremental SAT). Queries of a symbolic execution share almost all of their terms.
//!
//! Budgets are in Z3's resource units, see [`super::Budget`]: clauses and the SAT solver's ticks, which count accesses to memory, are
//! converted. Both are the same on every machine.
//!
//! What it does not do: word-level reasoning beyond what the constructors of terms did. Products of two variables of 64 bits and long
//! chains of symbolic indices are where it gives up; the budget or the size of the circuit says so.
//!
//! A model is evaluated before it is handed out: the evaluator shares no code with the circuits.

mod circuit;
mod gates;
mod sat;

pub(super) use sat::signature;
mod words;

use self::circuit::{Circuit, TooLarge};
use self::gates::Gates;
use self::sat::{OutOfMemory, Outcome, Sat};
use super::{Answer, Budget, Solver, SolverStats};
use crate::deadline::{Deadline, Stopped};
use crate::expr::{Evaluator, StoreId, Term, Terms};
use crate::memory;

/// Clauses in one SAT solver, at most: beyond, a new one begins with the query at hand.
const MAX_CLAUSES: u64 = 6_000_000;

/// Clauses that cost one unit of the budget, as measured over the queries of six drivers: Z3 takes 0.45 µs for a unit, a clause 0.25 µs.
const CLAUSES_OF_A_UNIT: u64 = 2;

/// Ticks of the SAT solver that cost one unit, likewise: 0.06 µs for a tick.
const TICKS_OF_A_UNIT: u64 = 8;

/// The SAT solver behind the trait.
pub struct Bits {
    budget: Budget,
    deadline: Deadline,
    session: Option<Session>,
    stats: SolverStats,
}

impl Bits {
    /// After `deadline`, and when the budget of all queries is used up, every answer is `Unknown`.
    pub fn new(budget: impl Into<Budget>, deadline: Deadline) -> Self {
        Bits {
            budget: budget.into(),
            deadline,
            session: None,
            stats: SolverStats::default(),
        }
    }

    /// The answer, by a session that is kept if it may go on.
    fn decide(&mut self, terms: &Terms, conjuncts: &[Term], units: u64) -> Answer {
        let kept = self.session.take().filter(|s| s.store == terms.id());
        let is_new = kept.is_none();
        let mut answer = self.ask(kept, terms, conjuncts, units);
        if answer == Err(End::TooLarge) && !is_new {
            // What other queries left behind is in the way.
            answer = self.ask(None, terms, conjuncts, units);
        }
        answer.unwrap_or_else(|end| end.answer(self.deadline))
    }

    /// Asks a session, a new one if there is none, and pays for it.
    fn ask(
        &mut self,
        session: Option<Session>,
        terms: &Terms,
        conjuncts: &[Term],
        units: u64,
    ) -> Result<Answer, End> {
        let mut session = session.unwrap_or_else(|| Session::new(terms.id(), self.deadline));
        let before = session.cost();
        let answer = session.decide(terms, conjuncts, units, self.deadline);
        self.budget.spend(session.cost().saturating_sub(before));
        if answer.is_ok() {
            self.session = Some(session);
        }
        answer
    }
}

impl Solver for Bits {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        let units = match self.budget.of_next() {
            Ok(units) => units,
            Err(why) => return Answer::Unknown(why),
        };
        self.stats.bits += 1;
        if let Some(stopped) = self.deadline.passed() {
            return Answer::Unknown(stopped.to_string());
        }
        let shared: &Terms = terms;
        let decided = memory::or_out_of_memory(|| self.decide(shared, conjuncts, units));
        let answer = decided.unwrap_or_else(|()| End::OutOfMemory.answer(self.deadline));
        self.stats.bits_unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        answer.by(self.deadline)
    }

    fn stats(&self) -> SolverStats {
        self.stats
    }
}

/// Why a session gave no answer and must not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The circuit would be too large.
    TooLarge,
    /// A clause may be missing.
    OutOfMemory,
}

impl End {
    fn answer(self, deadline: Deadline) -> Answer {
        Answer::Unknown(match self {
            End::TooLarge => "solver: a query too large for single bits".to_owned(),
            End::OutOfMemory => {
                memory::refused();
                let stopped = deadline.passed().unwrap_or(Stopped::OutOfMemory);
                stopped.to_string()
            }
        })
    }
}

impl From<OutOfMemory> for End {
    fn from(OutOfMemory: OutOfMemory) -> End {
        End::OutOfMemory
    }
}

/// The circuits of one store of terms, in one SAT solver.
struct Session {
    store: StoreId,
    circuit: Circuit,
}

impl Session {
    fn new(store: StoreId, deadline: Deadline) -> Session {
        Session {
            store,
            circuit: Circuit::new(Gates::new(Sat::new(deadline))),
        }
    }

    /// Units that all its queries took.
    fn cost(&self) -> u64 {
        cost(self.circuit.gates.clauses(), self.circuit.gates.sat.ticks())
    }

    fn decide(
        &mut self,
        terms: &Terms,
        conjuncts: &[Term],
        units: u64,
        deadline: Deadline,
    ) -> Result<Answer, End> {
        let before = self.cost();
        let used_up = || Answer::Unknown("solver: budget of a query used up (--rlimit)".to_owned());
        let affordable = match units {
            0 => MAX_CLAUSES,
            units => self.circuit.gates.clauses() + units.saturating_mul(CLAUSES_OF_A_UNIT),
        };
        let mut assumed = Vec::with_capacity(conjuncts.len());
        for &c in conjuncts {
            let made = self.circuit.literal(terms, c, affordable.min(MAX_CLAUSES));
            match made {
                Ok(literal) => assumed.push(literal),
                Err(TooLarge) if self.circuit.gates.clauses() < MAX_CLAUSES => return Ok(used_up()),
                Err(TooLarge) => return Err(End::TooLarge),
            }
        }
        // The latest first: it is mostly what is asked, and a search ends at the first that is impossible.
        assumed.reverse();
        self.circuit.gates.complete()?;
        let clauses = self.circuit.gates.clauses();
        let end = before.saturating_add(units);
        let may_go_on = |ticks| units == 0 || cost(clauses, ticks) < end;
        let outcome = self
            .circuit
            .gates
            .sat
            .solve(&assumed, deadline, may_go_on)?;
        Ok(match outcome {
            Outcome::Unsat => Answer::Unsat,
            Outcome::Open => used_up(),
            Outcome::Sat => {
                let assignment = self.circuit.assignment(terms, conjuncts);
                let mut evaluator = Evaluator::new(&assignment);
                let holds = conjuncts.iter().all(|&c| evaluator.holds(terms, c));
                debug_assert!(holds, "the circuit and the evaluator disagree");
                match holds {
                    true => Answer::Sat(assignment),
                    false => Answer::Unknown(
                        "internal error: the solver's model does not satisfy the query".to_owned(),
                    ),
                }
            }
        })
    }
}

/// Units that so many clauses and ticks cost.
fn cost(clauses: u64, ticks: u64) -> u64 {
    clauses / CLAUSES_OF_A_UNIT + ticks / TICKS_OF_A_UNIT
}
