//! CaDiCaL, the SAT solver under the bits. The only file that names it.

use rustsat::solvers::{ControlSignal, Solve, SolveIncremental, SolverResult, Terminate};
use rustsat::types::{self, TernaryVal};
use rustsat_cadical::{CaDiCaL, Limit, Statistic};

use super::gates::Lit;
use crate::deadline::Deadline;

/// Conflicts of the first stretch of a search; each further one may have twice as many.
const FIRST_STRETCH: i32 = 64;

/// Options that are not as the solver would have them.
const OPTIONS: [(&str, i32); 7] = [
    // New variables of its own would take the numbers of gates that are made later.
    ("factor", 0),
    // Most inputs are zero in most executions, and a model of small values is what people can read.
    ("phase", 0),
    // What is eliminated for one query is put back for the next one: that took longer than it saved.
    ("elim", 0),
    ("fastelim", 0),
    // Gates are made once already; looking for equal ones took half of the time of large queries, and no budget counts it.
    ("congruence", 0),
    ("preprocesslight", 0),
    // All zero is what is tried first anyway.
    ("lucky", 0),
];

/// The solver was refused memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfMemory;

/// What a search ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The literals have values now.
    Sat,
    Unsat,
    /// Nothing was found out before the budget was used up or the deadline passed.
    Open,
}

/// Name and version of the solver.
pub(in crate::solver) fn signature() -> &'static str {
    CaDiCaL::<'static, 'static>::default().signature()
}

/// An incremental SAT solver.
pub(super) struct Sat(CaDiCaL<'static, 'static>);

impl Sat {
    /// Without clauses. After `deadline` a search ends soon.
    pub(super) fn new(deadline: Deadline) -> Sat {
        let mut solver = CaDiCaL::default();
        for (option, value) in OPTIONS {
            let set = solver.set_option(option, value);
            debug_assert!(set.is_ok(), "{option}: no option of this version");
        }
        solver.attach_terminator(move || match deadline.passed() {
            Some(_) => ControlSignal::Terminate,
            None => ControlSignal::Continue,
        });
        Sat(solver)
    }

    /// Requires that one of the literals is true.
    pub(super) fn clause(&mut self, literals: &[Lit]) -> Result<(), OutOfMemory> {
        let clause: types::Clause = literals.iter().map(|&l| of(l)).collect();
        self.0.add_clause_ref(&clause).map_err(|_| OutOfMemory)
    }

    /// Whether the clauses and the assumed literals hold together. `may_go_on` is asked between stretches of search, with all ticks
    /// so far, whether there may be another one: ticks count accesses to memory, so the answer is the same on every machine.
    pub(super) fn solve(
        &mut self,
        assumed: &[Lit],
        deadline: Deadline,
        may_go_on: impl Fn(u64) -> bool,
    ) -> Result<Outcome, OutOfMemory> {
        let assumed: Vec<types::Lit> = assumed.iter().map(|&l| of(l)).collect();
        let mut stretch = FIRST_STRETCH;
        loop {
            let set = self.0.set_limit(Limit::Conflicts(stretch));
            debug_assert!(set.is_ok(), "the limit is there in every version");
            match self.0.solve_assumps(&assumed).map_err(|_| OutOfMemory)? {
                SolverResult::Sat => return Ok(Outcome::Sat),
                SolverResult::Unsat => return Ok(Outcome::Unsat),
                SolverResult::Interrupted => {}
            }
            if deadline.passed().is_some() || !may_go_on(self.ticks()) {
                return Ok(Outcome::Open);
            }
            stretch = stretch.saturating_mul(2);
        }
    }

    /// The value of the literal after [`Outcome::Sat`]; one that does not matter is false.
    pub(super) fn holds(&self, literal: Lit) -> bool {
        matches!(self.0.lit_val(of(literal)), Ok(TernaryVal::True))
    }

    /// What all searches took so far.
    pub(super) fn ticks(&self) -> u64 {
        self.0.get_statistic(Statistic::Ticks)
    }
}

fn of(literal: Lit) -> types::Lit {
    types::Lit::from_ipasir(literal.0).expect("a literal is not zero")
}
