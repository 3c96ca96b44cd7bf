//! Memory as instructions see it: one store, and decorators around it. Each sees some accesses otherwise and hands on the rest;
//! [`super::STORE`] says in which order they stand.

use std::sync::Arc;

use crate::expr::Term;
use crate::program::{Instr, Type};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;

/// An access of one executed instruction.
pub(in crate::symex) struct Access<'a> {
    /// The instruction.
    pub instr: &'a Instr,
    /// Names its execution.
    pub key: u64,
}

/// Where instructions read and write. `None` of what may fail: the path ends there.
pub(in crate::symex) trait Store {
    /// What an access comes to that is not executed at all (of an exchange: what is read); `None`: it is executed.
    fn instead(&self, run: &mut Executor<'_>, at: &Access<'_>) -> Option<Option<Term>>;

    /// Reads a scalar.
    fn load(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        ty: &Type,
    ) -> Option<Term>;

    /// Writes a scalar.
    fn store(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        value: Term,
    ) -> Option<()>;

    /// Copies bytes: where to, where from, how many.
    fn copy(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        operands: [Term; 3],
    ) -> Option<()>;

    /// Reads ghost state: at which address, under which key.
    fn ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        cell: [Term; 2],
    ) -> Option<Term>;

    /// Writes ghost state.
    fn set_ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        cell: [Term; 2],
        value: Term,
    ) -> Option<()>;
}

/// Memory as the state has it.
#[derive(Clone, Copy, Debug)]
pub(in crate::symex) struct Plain;

impl Store for Plain {
    fn instead(&self, _: &mut Executor<'_>, _: &Access<'_>) -> Option<Option<Term>> {
        None
    }

    fn load(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        ty: &Type,
    ) -> Option<Term> {
        run.load(state, address, ty, at.instr.loc)
    }

    fn store(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        value: Term,
    ) -> Option<()> {
        run.store(state, address, value, at.instr.loc)
    }

    fn copy(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        [dst, src, len]: [Term; 3],
    ) -> Option<()> {
        run.copy(state, dst, src, len, at.instr.loc)
    }

    fn ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        [address, key]: [Term; 2],
    ) -> Option<Term> {
        let keys = run.ghost_keys(key, state, at.instr.loc)?;
        let places = run.ghost_places(address, state, at.instr.loc)?;
        let mut value = run.terms.constant(64, 0);
        for (this, key) in keys {
            for &(condition, object, offset) in &places {
                let here = run.ghost(&state.memory, (object, key), offset);
                let condition = run.terms.and(this, condition);
                value = run.terms.ite(condition, here, value);
            }
        }
        Some(value)
    }

    fn set_ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        [address, key]: [Term; 2],
        new: Term,
    ) -> Option<()> {
        let keys = run.ghost_keys(key, state, at.instr.loc)?;
        let places = run.ghost_places(address, state, at.instr.loc)?;
        let single = places.len() == 1 && keys.len() == 1;
        for (this, key) in keys {
            for &(condition, object, offset) in &places {
                let old = run.ghost(&state.memory, (object, key), offset);
                let ghosts = Arc::make_mut(&mut state.memory.ghosts);
                let cells = ghosts.entry((object, key)).or_default();
                let value = if single {
                    new
                } else {
                    let condition = run.terms.and(this, condition);
                    run.terms.ite(condition, new, old)
                };
                Arc::make_mut(cells).insert(offset, value);
            }
        }
        Some(())
    }
}
