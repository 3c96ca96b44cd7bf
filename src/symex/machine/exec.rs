//! The executor: a symbolic run over one program, and what it is made of.
//!
//! States are merged, not enumerated: block instances (see [`crate::symex::machine::cfg`]) are taken in an order in which every join
//! is met after all that flows into it, and what meets there becomes one state. A sequentialized program returns early
//! from everywhere; merging keeps that linear. States that differ in whether `raise` is set stay apart at returns,
//! since they part again at once.
//!
//! Loops are unrolled up to a bound, calls are entered on demand up to a recursion bound; what the bounds cut is
//! recorded with its path condition.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::deadline::Stopped;
use crate::index::FuncId;
use crate::symex::machine::budget::Budget;
use crate::symex::machine::cfg::Cfg;
use crate::symex::machine::feasible::Pruner;
use crate::symex::machine::found::Found;
use crate::symex::machine::quiet::Quiet;
use crate::symex::machine::stack::Stack;
use crate::symex::machine::values::Leaves;
use crate::symex::memory::chosen::Chosen;
use crate::symex::memory::objects::Objects;
use crate::symex::memory::views::Views;
use crate::symex::witness::journal::Journal;

use crate::expr::{Assignment, Term, Terms};
use crate::program::{Program, RuntimeMap};
use crate::symex::machine::mode::{CheckInputs, Limits, Mode};

/// A symbolic run over one program.
#[derive(Clone)]
pub struct Executor<'p> {
    pub(in crate::symex) program: &'p Program,
    /// The term store of this run.
    pub terms: Terms,
    pub(in crate::symex) objects: Objects,
    /// What comes from outside.
    pub(in crate::symex) chosen: Chosen,
    pub(in crate::symex) mode: Mode,
    pub(in crate::symex) budget: Budget,
    pub(in crate::symex) check: CheckInputs,
    /// Where the run is.
    pub(in crate::symex) stack: Stack,
    /// Memory as it is seen otherwise than it is.
    pub(in crate::symex) views: Views,
    /// What has been met on the way.
    pub found: Found,
    pub(in crate::symex) journal: Journal,
    pub(in crate::symex) caches: Caches,
}

/// What is computed once.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Caches {
    pub cfgs: FxHashMap<FuncId, Arc<Result<Cfg, String>>>,
    pub leaf_sets: FxHashMap<Term, Arc<Leaves>>,
    /// Assignments under which scheduled threads have been found able to start.
    pub witnesses: Vec<Assignment>,
    /// Who says whether others can.
    pub pruner: Pruner,
}

impl Caches {
    /// Of a run with these limits.
    fn within(limits: &Limits) -> Caches {
        let mut caches = Caches::default();
        caches.pruner.again(limits);
        caches
    }
}

impl<'p> Executor<'p> {
    /// A run over the sequential program; nothing is executed yet.
    pub fn new(
        program: &'p Program,
        mode: Mode,
        limits: Limits,
        check: CheckInputs,
    ) -> Executor<'p> {
        Executor {
            program,
            terms: Terms::new(),
            objects: Objects::new(program.layout.pointer_bytes * 8),
            chosen: Chosen::default(),
            mode,
            caches: Caches::within(&limits),
            budget: Budget::new(limits),
            check,
            stack: Stack::default(),
            views: Views::default(),
            found: Found::default(),
            journal: Journal::default(),
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The run time of the program.
    pub(in crate::symex) fn marks(&self) -> &'p RuntimeMap {
        &self.program.runtime
    }

    /// Whether a budget ended the run before its end.
    pub fn ran_out(&self) -> bool {
        self.budget.ran_out
    }

    /// Whether the deadline was what ended it.
    pub fn stopped(&self) -> Option<Stopped> {
        self.budget.stopped()
    }

    /// Instructions executed.
    pub fn instructions(&self) -> u64 {
        self.budget.instructions
    }

    /// Conditions on inputs that hold in every execution.
    pub fn axioms(&self) -> &[Term] {
        &self.chosen.axioms
    }

    /// Replaces the inputs of the check: the next run is of another pair.
    pub fn set_check(&mut self, check: CheckInputs) {
        self.views.quiet = Quiet::default();
        self.check = check;
    }

    /// Changes the mode; returns the old one.
    pub fn set_mode(&mut self, mode: Mode) -> Mode {
        std::mem::replace(&mut self.mode, mode)
    }

    /// The variable of an input, by its name.
    pub fn input_var(&self, name: u64) -> Option<Term> {
        self.chosen.inputs.get(&name).copied()
    }

    /// Replaces the bounds.
    pub fn set_limits(&mut self, limits: Limits) {
        self.caches.pruner.again(&limits);
        self.budget.limits = Limits {
            lookups: limits.lookups.saturating_add(self.terms.lookups()),
            ..limits
        };
    }

    pub(in crate::symex) fn cfg(&mut self, f: FuncId) -> Arc<Result<Cfg, String>> {
        let program = self.program;
        self.caches
            .cfgs
            .entry(f)
            .or_insert_with(|| Arc::new(Cfg::new(program, &program.functions[f])))
            .clone()
    }
}
