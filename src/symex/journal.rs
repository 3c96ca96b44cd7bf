//! What a concrete run writes down: the interleaving, and every value that came from outside.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::exec::{Executor, Mode, hash_of};
use super::guard::Guard;
use super::objects::{Initial, ObjectId, Origin};
use super::slice::Left;
use super::state::{Exit, State, Value};
use crate::expr::Term;
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Instr, Op, Primitive};
use crate::trace::schedule::{Inputs, LazyCell, LazyValue, Step, ThreadNumber};

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
    names: FxHashMap<ObjectId, String>,
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
pub(super) struct Before {
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
    pub(super) fn writes_journal(&self) -> bool {
        matches!(self.mode, Mode::Concrete(_))
    }

    /// The record so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The running thread's number, where it is constant.
    pub(super) fn thread(&mut self, state: &State) -> ThreadNumber {
        let id = self.marks().self_id;
        self.peek_constant(&state.memory, id, 8).unwrap_or(0) as ThreadNumber
    }

    /// The threads that may be running, each with the path condition under which it is.
    pub(super) fn running(&mut self, state: &State) -> Vec<(ThreadNumber, Guard)> {
        let Some(id) = self.marks().self_id else {
            return vec![(0, state.guard.clone())];
        };
        let object = self.global_object(id);
        let number = self.read_at(&state.memory, object, 0, 8);
        let leaves = self.leaves(number);
        leaves
            .constants
            .iter()
            .filter_map(|(c, n)| {
                let guard = state.guard.and(&mut self.terms, *c)?;
                Some((*n as ThreadNumber, guard))
            })
            .collect()
    }

    pub(super) fn journal_before(&mut self, function: FuncId, instr: &Instr, state: &State) {
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
    pub(super) fn journal_failure(&mut self, state: &State) {
        if self.writes_journal() {
            let round = self.peek_constant(&state.memory, self.marks().until_round, 4);
            let thread = self.peek_constant(&state.memory, self.marks().until_thread, 8);
            self.journal.until = round.zip(thread);
        }
    }

    pub(super) fn journal_point(
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
    pub(super) fn journal_resumed(&self, thread: ThreadNumber, site: Option<usize>) -> Before {
        Before {
            thread,
            site,
            // There are no switches in sections.
            in_section: false,
            access: Some(u128::from(self.journal.first_thread.is_some())),
        }
    }

    pub(super) fn journal_passed(&mut self, before: Before, exits: &[Exit], is_step: bool) {
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

    pub(super) fn journal_snapshot(&mut self) {
        self.journal.probe_start = Some(self.journal.steps.len());
    }

    pub(super) fn journal_rollback(&mut self, state: &State) {
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

    pub(super) fn journal_nondet(&mut self, state: &State, value: Option<u128>) {
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

    pub(super) fn journal_lazy(&mut self, object: ObjectId, state: &State) {
        if self.writes_journal() {
            let thread = self.thread(state);
            let n = self.journal.lazy_made.entry(thread).or_insert(0);
            let name = format!("{thread}.{n}");
            *n += 1;
            self.journal.names.insert(object, name);
        }
    }

    pub(super) fn journal_alloca(&mut self, object: ObjectId, state: &State) {
        if self.writes_journal() {
            let thread = self.thread(state);
            let n = self.journal.allocated.entry(thread).or_insert(0);
            let name = format!("{thread}.{n}");
            *n += 1;
            self.journal.names.insert(object, name);
        }
    }

    fn object_name(&self, object: ObjectId) -> String {
        if let Some(name) = self.journal.names.get(&object) {
            return name.clone();
        }
        match self.objects.get(object).origin {
            Origin::Child(parent, offset) => format!("{}+{offset}", self.object_name(parent)),
            Origin::Indexed(parent, _) => format!("{}+?", self.object_name(parent)),
            Origin::Global(g) => format!("@{}", self.program.globals[g].name),
            Origin::Function(_) | Origin::Instance(_) | Origin::Copy(..) | Origin::Numbers => {
                String::new()
            }
        }
    }

    pub(super) fn journal_cell(
        &mut self,
        object: ObjectId,
        offset: u64,
        bytes: u32,
        value: LazyValue,
    ) {
        let name = self.object_name(object);
        let map = match self.objects.get(object).initial {
            Initial::Lazy => &mut self.journal.inputs.lazy,
            _ => &mut self.journal.inputs.uninitialised,
        };
        map.entry(name)
            .or_default()
            .insert(offset, LazyCell { size: bytes, value });
    }

    /// A number that names an object in every run alike.
    pub(super) fn object_key(&self, object: ObjectId) -> u64 {
        match self.objects.get(object).origin {
            Origin::Child(parent, offset) => hash_of(&(self.object_key(parent), offset)),
            Origin::Indexed(parent, index) => hash_of(&("indexed", self.object_key(parent), index)),
            Origin::Global(g) => hash_of(&("global", g.0)),
            Origin::Function(f) => hash_of(&("function", f.0)),
            Origin::Instance(n) => hash_of(&("instance", n)),
            Origin::Copy(of, round) => hash_of(&("copy", self.object_key(of), round)),
            Origin::Numbers => 0,
        }
    }

    /// The object, if this run has it.
    pub(super) fn object_of_key(&self, key: u64) -> Option<ObjectId> {
        let all = (0..self.objects.len()).map(|n| ObjectId(n as u32));
        all.into_iter().find(|o| self.object_key(*o) == key)
    }

    /// In a concrete run: a cell that leads to another object that is made up.
    pub(super) fn place_cell(
        &mut self,
        (object, offset, bytes): (ObjectId, u64, u32),
        other: ObjectId,
        beyond: u64,
    ) -> Term {
        let name = self.object_name(other);
        let address = self.objects.get(other).base.wrapping_add(beyond);
        self.journal_cell(object, offset, bytes, LazyValue::Place(name, beyond));
        self.terms.constant(bytes * 8, u128::from(address))
    }

    /// In a concrete run: a cell that leads to a global or function. (Its address is another number than in the symbolic run.)
    pub(super) fn symbol_cell(
        &mut self,
        (object, offset, bytes): (ObjectId, u64, u32),
        origin: Origin,
        beyond: u64,
    ) -> Term {
        let (of, name) = match origin {
            Origin::Function(f) => {
                let name = self.program.functions[f].name.clone();
                (self.function_object(f), name)
            }
            Origin::Global(g) => (self.global_object(g), self.program.globals[g].name.clone()),
            _ => unreachable!("only these are symbols"),
        };
        let address = self.objects.get(of).base.wrapping_add(beyond);
        self.journal_cell(object, offset, bytes, LazyValue::Symbol(name, beyond));
        self.terms.constant(bytes * 8, u128::from(address))
    }
}
