//! What a concrete run writes down: the interleaving, and every value that came from outside.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::expr::Term;
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Instr, Op, Primitive};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::untracked::Left;
use crate::trace::schedule::{Inputs, Step, ThreadNumber};

/// The record of a concrete run.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Visible instructions executed, in order.
    pub steps: Vec<Step>,
    /// The round of each, where threads are executed one after the other (Lal and Reps).
    rounds: Vec<u128>,
    /// When what fails does, likewise: round and thread.
    until: Option<(u128, u128)>,
    /// Values from outside.
    pub inputs: Inputs,
    /// The thread whose access was written down first (figure 5's `access`).
    pub first_thread: Option<ThreadNumber>,
    /// The inputs by which switches were made.
    pub switches: Vec<u64>,
    /// The inputs that say who runs when, and their values.
    pub decisions: BTreeMap<u64, u128>,
    /// What the symbolic run did not follow, in order.
    pub untracked: Vec<Untracked>,
    /// Length of `steps` when the section that is being probed began.
    probe_start: Option<usize>,
    pub(in crate::symex) names: FxHashMap<ObjectId, String>,
    lazy_made: FxHashMap<ThreadNumber, u32>,
    allocated: FxHashMap<ThreadNumber, u32>,
}

/// Something that the symbolic run did not follow.
#[derive(Clone, Copy, Debug)]
pub struct Untracked {
    /// The variable that stood for it.
    pub var: Term,
    /// What it was.
    pub what: Left,
    /// Whether it was as the variable says.
    pub same: bool,
}

/// What was known when a point was entered.
pub(in crate::symex) struct Before {
    thread: ThreadNumber,
    site: Option<usize>,
    in_section: bool,
    access: Option<u128>,
}

impl Journal {
    /// The number of steps before a failure that happens now: those of a section that was only probed are left out.
    pub fn steps_before_failure(&self) -> usize {
        self.probe_start.unwrap_or(self.steps.len())
    }

    /// The steps before a failure, in the order in which they happen: `at` of them have been written down before it.
    pub fn steps_before(&self, at: usize) -> Vec<Step> {
        let Some(until) = self.until else {
            return self.steps[..at].to_vec();
        };
        let when = |(step, round): &(Step, u128)| (*round, u128::from(step.thread));
        let mut steps: Vec<(Step, u128)> = self
            .steps
            .iter()
            .copied()
            .zip(self.rounds.iter().copied())
            .filter(|step| when(step) <= until)
            .collect();
        steps.sort_by_key(when);
        steps.into_iter().map(|(step, _)| step).collect()
    }
}

impl Executor<'_> {
    /// The record so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(in crate::symex) fn journal_before(
        &mut self,
        function: FuncId,
        instr: &Instr,
        state: &State,
    ) {
        if !self.writes_journal() || self.marks().is_own(function) {
            return;
        }
        let is_access = matches!(
            instr.op,
            Op::Load { .. }
                | Op::Store { .. }
                | Op::AtomicRmw { .. }
                | Op::CmpXchg { .. }
                | Op::MemCopy { .. }
                | Op::MemSet { .. }
                | Op::Primitive {
                    primitive: Primitive::Havoc | Primitive::Touch,
                    ..
                }
        );
        if let (Some(site), true) = (instr.site, is_access) {
            let depth = self.peek_constant(&state.memory, self.marks().atomic, 4);
            if depth == Some(0) {
                let thread = self.thread(state);
                self.push_step(Step { thread, site }, state);
            }
        }
    }

    fn push_step(&mut self, step: Step, state: &State) {
        self.journal.steps.push(step);
        if let Some(round) = self.peek_constant(&state.memory, self.marks().round, 4) {
            self.journal.rounds.push(round);
        }
    }

    /// What is told at the end has happened before.
    pub(in crate::symex) fn journal_failure(&mut self, state: &State) {
        if self.writes_journal() {
            let round = self.peek_constant(&state.memory, self.marks().until_round, 4);
            let thread = self.peek_constant(&state.memory, self.marks().until_thread, 8);
            self.journal.until = round.zip(thread);
        }
    }

    pub(in crate::symex) fn journal_point(
        &mut self,
        state: &State,
        site: Option<usize>,
        depth: Option<u128>,
    ) -> Option<Before> {
        if !self.writes_journal() {
            return None;
        }
        let thread = self.thread(state);
        let access = self.peek_constant(&state.memory, self.marks().access_kind, 4);
        Some(Before {
            thread,
            site,
            in_section: depth != Some(0),
            access,
        })
    }

    /// A point within which the thread had stopped, and at which it goes on.
    pub(in crate::symex) fn journal_resumed(
        &self,
        thread: ThreadNumber,
        site: Option<usize>,
    ) -> Before {
        Before {
            thread,
            site,
            // There are no switches in sections.
            in_section: false,
            access: Some(u128::from(self.journal.first_thread.is_some())),
        }
    }

    pub(in crate::symex) fn journal_passed(
        &mut self,
        before: Before,
        exits: &[Exit],
        is_step: bool,
    ) {
        let [exit] = exits else { return };
        let raised = match &exit.value {
            Some(Value::Scalar(t)) => !self.terms.is_false(*t),
            _ => false,
        };
        let access = self.peek_constant(&exit.state.memory, self.marks().access_kind, 4);
        if before.access == Some(0) && access != Some(0) && self.journal.first_thread.is_none() {
            self.journal.first_thread = Some(before.thread);
        }
        if let (Some(n), true, false, false) = (before.site, is_step, raised, before.in_section) {
            let step = Step {
                thread: before.thread,
                site: SiteId::new(n),
            };
            self.push_step(step, &exit.state);
        }
    }

    pub(in crate::symex) fn journal_snapshot(&mut self) {
        self.journal.probe_start = Some(self.journal.steps.len());
    }

    pub(in crate::symex) fn journal_rollback(&mut self, state: &State) {
        if !self.writes_journal() {
            return;
        }
        if let Some(n) = self.journal.probe_start.take() {
            self.journal.steps.truncate(n);
            self.journal.rounds.truncate(n);
        }
        let thread = self.thread(state);
        self.journal.first_thread.get_or_insert(thread);
    }

    pub(in crate::symex) fn journal_nondet(&mut self, state: &State, value: Option<u128>) {
        if self.writes_journal() {
            let thread = self.thread(state);
            self.journal
                .inputs
                .nondet
                .entry(thread)
                .or_default()
                .push(value.unwrap_or(0) as u64);
        }
    }

    pub(in crate::symex) fn journal_lazy(&mut self, object: ObjectId, state: &State) {
        if self.writes_journal() {
            let thread = self.thread(state);
            let n = self.journal.lazy_made.entry(thread).or_insert(0);
            let name = format!("{thread}.{n}");
            *n += 1;
            self.journal.names.insert(object, name);
        }
    }

    pub(in crate::symex) fn journal_alloca(&mut self, object: ObjectId, state: &State) {
        if self.writes_journal() {
            let thread = self.thread(state);
            let n = self.journal.allocated.entry(thread).or_insert(0);
            let name = format!("{thread}.{n}");
            *n += 1;
            self.journal.names.insert(object, name);
        }
    }
}
