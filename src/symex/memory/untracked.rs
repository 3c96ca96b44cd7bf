//! Accesses to fields that are not tracked ([`crate::analysis::fields`]): a read gives an arbitrary value, another each time, whatever
//! the address.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use crate::expr::Term;
use crate::faults::{RoundsFault, seeded};
use crate::index::{BlockId, FuncId, Idx, SiteId};
use crate::program::{Instr, Op, Type};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::state::State;
use crate::symex::machine::values::input_name;
use crate::symex::memory::layers::{Access, Store};
use crate::symex::witness::journal::Untracked;

/// What of a program is not followed.
#[derive(Clone, Debug, Default)]
pub struct Slicing {
    /// Accesses to fields that are not tracked.
    pub untracked: FixedBitSet,
    /// If each thread is to run by itself ([`crate::symex::memory::stored`]): accesses whose reads give anything that any thread
    /// stores there.
    pub stored: Option<FixedBitSet>,
    /// Functions and loops (by header) that change nothing that is tracked, and are followed all the same.
    pub followed: BTreeSet<(FuncId, Option<BlockId>)>,
}

/// What an execution rests on that is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// A read of a field.
    Access(SiteId),
    /// What a loop (by its header) or a call comes to.
    Quiet(FuncId, Option<BlockId>),
}

/// The kind of the inputs that stand for what is read.
pub(in crate::symex) const KIND: &str = "untracked";

/// Accesses to fields that are not tracked are not executed: a read gives an arbitrary value, another each time. In a concrete run they
/// are, and it is noted what was read.
#[derive(Clone, Copy, Debug)]
pub(in crate::symex) struct Unfollowed<S>(pub S);

impl<S: Store> Store for Unfollowed<S> {
    fn instead(&self, run: &mut Executor<'_>, at: &Access<'_>) -> Option<Option<Term>> {
        let here = run.untracked(at.instr, at.key);
        here.or_else(|| self.0.instead(run, at))
    }

    fn load(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        ty: &Type,
    ) -> Option<Term> {
        let read = self.0.load(run, at, state, address, ty)?;
        run.journal_read(at.instr, at.key, read);
        Some(read)
    }

    fn store(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        value: Term,
    ) -> Option<()> {
        self.0.store(run, at, state, address, value)
    }

    fn copy(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        operands: [Term; 3],
    ) -> Option<()> {
        self.0.copy(run, at, state, operands)
    }

    fn ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        cell: [Term; 2],
    ) -> Option<Term> {
        self.0.ghost(run, at, state, cell)
    }

    fn set_ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        cell: [Term; 2],
        value: Term,
    ) -> Option<()> {
        self.0.set_ghost(run, at, state, cell, value)
    }
}

impl Executor<'_> {
    /// What an access to a field that is not tracked comes to (of an exchange: what is read); `None`: it is none.
    fn untracked(&mut self, instr: &Instr, key: u64) -> Option<Option<Term>> {
        let site = instr.site?;
        let slicing = self.check.slicing.as_ref()?;
        if self.writes_journal() || !slicing.untracked.contains(site.index()) {
            return None;
        }
        let ty = match &instr.op {
            Op::Load { ty, .. } | Op::AtomicRmw { ty, .. } | Op::CmpXchg { ty, .. } => ty,
            _ => return Some(None),
        };
        let width = self.width_of(ty).max(1);
        if seeded(RoundsFault::ReadsZero) {
            return Some(Some(self.terms.constant(width, 0)));
        }
        Some(Some(self.input(key, width, KIND)))
    }

    /// In a concrete run: what was read where the symbolic run had an arbitrary value.
    fn journal_read(&mut self, instr: &Instr, key: u64, read: Term) {
        let (Mode::Concrete(model), Some(slicing)) = (&self.mode, &self.check.slicing) else {
            return;
        };
        let Some(site) = instr.site.filter(|s| slicing.untracked.contains(s.index())) else {
            return;
        };
        let Some(var) = model.inputs.get(&input_name(key, KIND)).copied() else {
            return;
        };
        let same = self.terms.as_const(read) == Some(model.value(var));
        let what = Left::Access(site);
        self.journal.untracked.push(Untracked { var, what, same });
    }

    /// In a concrete run: the symbolic run had an arbitrary value for something that is not one read.
    pub(in crate::symex) fn journal_left(&mut self, key: u64, what: Left) {
        let Mode::Concrete(model) = &self.mode else {
            return;
        };
        if let Some(var) = model.inputs.get(&input_name(key, KIND)).copied() {
            let same = false;
            self.journal.untracked.push(Untracked { var, what, same });
        }
    }
}
