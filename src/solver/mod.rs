//! Satisfiability of terms: one trait, a chain of decorators, at its end a SAT solver on single bits and behind it Z3.
//!
//! Every solver answers one question about a list of Boolean terms
//! `c₁, …, cₙ`: **is there an assignment under which all hold**,
//! `∃ a. a ⊨ c₁ ∧ … ∧ cₙ`? A decorator answers what it can and hands the rest,
//! perhaps changed, to the next; each states the formula that justifies it.
//! [`standard`] is the one place where the chain is put together.
//!
//! Answers depend on the queries asked before and on nothing else: no clock
//! (but for the deadline, which can only turn an answer into `Unknown`), no
//! address, no other solver. One solver per task gives the same answers
//! whatever runs beside it.

mod bits;
mod both;
mod budget;
mod cache;
mod fallback;
mod fold;
mod independence;
mod linked;
mod log;
mod patience;
mod reuse;
pub mod smt2;
mod z3;

use std::io::Write;

use crate::config::Backend;
use crate::deadline::Deadline;
use crate::expr::{Assignment, Term, Terms};

pub use self::z3::Z3;
pub use bits::Bits;
pub use both::Both;
pub use budget::{Budget, SharedBudget};
pub use cache::Cache;
pub use fallback::Fallback;
pub use fold::Fold;
pub use independence::Independence;
pub use linked::{WANTED, library, sat_version, version};
pub use log::Log;
pub use patience::Patience;
pub use reuse::Reuse;

impl Solver for Box<dyn Solver> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        (**self).check(terms, conjuncts)
    }

    fn stats(&self) -> SolverStats {
        (**self).stats()
    }
}

/// What a solver says of a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All conjuncts hold under the assignment; variables that it lacks may be anything (zero, say).
    Sat(Assignment),
    /// No assignment makes all conjuncts hold.
    Unsat,
    /// Not found out, and why: a budget, the deadline, a bug.
    Unknown(String),
}

impl Answer {
    /// The same; where nothing was found out and the deadline has passed, that is the reason: what a query could cost was what the run
    /// may still do.
    fn by(self, deadline: Deadline) -> Answer {
        match (self, deadline.passed()) {
            (Answer::Unknown(_), Some(stopped)) => Answer::Unknown(stopped.to_string()),
            (answer, _) => answer,
        }
    }
}

/// Decides conjunctions. Not `Send`: a solver is made where it works.
pub trait Solver {
    /// `∃ a. a ⊨ ⋀ conjuncts`? The terms are Booleans of the store. The store may
    /// grow. A solver asked about another store than before forgets what it knew.
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer;

    /// What this solver and those behind it did.
    fn stats(&self) -> SolverStats;
}

/// Counts of queries, for `--stats`; none depends on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    /// Questions asked.
    pub queries: u64,
    /// Questions decided by their form alone.
    pub folded: u64,
    /// Questions (or slices) answered from those before.
    pub cached: u64,
    /// Questions (or slices) satisfied by an assignment at hand.
    pub reused: u64,
    /// Questions cut into independent slices.
    pub sliced: u64,
    /// Questions that came to the SAT solver on bits.
    pub bits: u64,
    /// Questions that it left open.
    pub bits_unknown: u64,
    /// Questions that came to Z3.
    pub solved: u64,
    /// Of these, how many a fresh solver was asked: given up by the incremental one, or too large for it.
    pub restarted: u64,
    /// Questions that Z3 left unknown.
    pub unknown: u64,
}

impl SolverStats {
    /// The counts of two solvers together.
    fn and(self, other: SolverStats) -> SolverStats {
        SolverStats {
            queries: self.queries + other.queries,
            folded: self.folded + other.folded,
            cached: self.cached + other.cached,
            reused: self.reused + other.reused,
            sliced: self.sliced + other.sliced,
            bits: self.bits + other.bits,
            bits_unknown: self.bits_unknown + other.bits_unknown,
            solved: self.solved + other.solved,
            restarted: self.restarted + other.restarted,
            unknown: self.unknown + other.unknown,
        }
    }
}

/// The chain that irkiss uses. `budget` bounds each query, or all of them, in Z3's resource units,
/// which are the same on every machine; after `deadline`
/// queries are answered `Unknown`, and one that is under way is broken off.
pub fn standard(
    backend: Backend,
    budget: impl Into<Budget>,
    deadline: Deadline,
) -> Box<dyn Solver> {
    // Splits conjunctions into conjuncts, so that all behind it see lists.
    Box::new(Fold::new(whole(backend, budget.into(), deadline)))
}

/// As [`standard`], for questions of which it is no harm that they stay open: the dearest of the chain is not asked.
pub fn quick(backend: Backend, budget: impl Into<Budget>, deadline: Deadline) -> Box<dyn Solver> {
    let cheaper = match backend {
        Backend::Auto => Backend::Bits,
        chosen => chosen,
    };
    standard(cheaper, budget, deadline)
}

/// As [`standard`]; every query that folding does not decide is also written to
/// `sink` as an SMT-LIB 2 script with its answer.
pub fn standard_logged(
    backend: Backend,
    budget: impl Into<Budget>,
    deadline: Deadline,
    sink: Box<dyn Write>,
) -> Box<dyn Solver> {
    let whole = whole(backend, budget.into(), deadline);
    Box::new(Fold::new(Log::new(whole, sink)))
}

/// As [`quick`] with a SAT solver, for whoever keeps it beside what other threads read.
pub fn kept(budget: impl Into<Budget>, deadline: Deadline) -> Box<dyn Solver + Send> {
    Box::new(Fold::new(before(Bits::new(budget, deadline))))
}

fn whole(backend: Backend, budget: Budget, deadline: Deadline) -> impl Solver {
    before(last(backend, budget, deadline))
}

/// What is asked before the end of the chain.
fn before<S: Solver>(last: S) -> Cache<Reuse<Independence<Cache<Reuse<S>>>>> {
    // Slices recur more often than whole queries, and small ones are more often
    // satisfied by an old model: both stand on each side of slicing.
    let slices = Cache::new(Reuse::new(last));
    Cache::new(Reuse::new(Independence::new(slices)))
}

/// What Z3 may spend on a question that the SAT solver has left open, as a share of its budget: it seldom decides one.
const SHARE_OF_Z3: u64 = 16;

/// The end of the chain.
fn last(backend: Backend, budget: Budget, deadline: Deadline) -> Box<dyn Solver> {
    let bits = |budget: Budget| Bits::new(budget, deadline);
    let z3 = |budget: Budget| Z3::new(budget, deadline);
    match backend {
        Backend::Auto => {
            let rest = Budget {
                query: budget.query.div_ceil(SHARE_OF_Z3),
                purse: budget.purse.clone(),
            };
            Box::new(Fallback::new(bits(budget), z3(rest)))
        }
        Backend::Bits => Box::new(bits(budget)),
        Backend::Z3 => Box::new(z3(budget)),
        Backend::Both => Box::new(Both::new(bits(budget.clone()), z3(budget))),
    }
}

#[cfg(test)]
mod tests;
