//! What a run may still cost.

use crate::deadline::{self, Stopped};
use crate::expr::Terms;
use crate::symex::machine::mode::Limits;

/// How often the clock is looked at: in instructions.
const LOOK: u64 = 256;

/// How often work is counted: in instructions.
const COUNT: u64 = 16;

/// What a run has cost, and may.
#[derive(Clone, Debug)]
pub(in crate::symex) struct Budget {
    /// Its bounds.
    pub limits: Limits,
    /// Instructions executed.
    pub instructions: u64,
    /// Whether a budget ended the run before its end.
    pub ran_out: bool,
    stopped: Option<Stopped>,
}

impl Budget {
    /// Nothing has been spent.
    pub fn new(limits: Limits) -> Budget {
        Budget {
            limits,
            instructions: 0,
            ran_out: false,
            stopped: None,
        }
    }

    /// Something else is executed, within its own bounds.
    pub fn again(&mut self, limits: Limits) {
        self.limits = limits;
        self.ran_out = false;
    }

    /// Nothing more may be executed.
    pub fn end(&mut self) {
        self.limits.instructions = self.instructions;
    }

    /// One more instruction, with that store of terms; `false`: it is one too many.
    pub fn spend(&mut self, terms: &Terms) -> bool {
        self.instructions += 1;
        if self.instructions % COUNT == 0 {
            deadline::worked(COUNT);
        }
        let look = self.instructions % LOOK == 0;
        let over = self.instructions > self.limits.instructions
            || terms.len() > self.limits.terms
            || terms.lookups() > self.limits.lookups
            || self.stopped.is_some()
            || (look && self.is_stopped());
        self.ran_out |= over;
        !over
    }

    /// Whether the deadline has passed: the run then goes nowhere, and what it has found of a state is of no use.
    pub fn is_stopped(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.limits.deadline.passed();
        }
        self.stopped.is_some()
    }

    /// Whether the deadline was what ended it.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}
