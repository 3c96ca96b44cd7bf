//! What the run time says of threads: who runs, who waits ([`crate::program::RuntimeMap`]).

use crate::expr::Term;
use crate::index::GlobalId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::state::State;
use crate::symex::memory::store::Memory;
use crate::trace::schedule::ThreadNumber;

/// Threads of one execution, as `kiss.c` has it.
const MAX_THREADS: u64 = 64;

impl Executor<'_> {
    /// Bytes of an element of `ts`: two pointers and a flag.
    fn pending_bytes(&self) -> u64 {
        3 * u64::from(self.program.layout.pointer_bytes)
    }

    /// A number above those of all threads created.
    pub(in crate::symex) fn created(&mut self, state: &State) -> u64 {
        let Some(next) = self.marks().next else {
            return 0;
        };
        let object = self.global_object(next);
        let next = self.read_at(&state.memory, object, 0, 8);
        let most = self.terms.leaves(next).and_then(<[u128]>::last);
        most.map_or(MAX_THREADS, |n| (*n as u64).min(MAX_THREADS))
    }

    /// Whether a thread has been created and not yet scheduled.
    pub(in crate::symex) fn waits(&mut self, state: &State, thread: u64) -> Term {
        let Some(table) = self.marks().pending else {
            return self.terms.fals();
        };
        let object = self.global_object(table);
        let flag = thread * self.pending_bytes() + 2 * u64::from(self.program.layout.pointer_bytes);
        let waits = self.read_at(&state.memory, object, flag, 1);
        let zero = self.terms.constant(8, 0);
        self.terms.ne(waits, zero)
    }

    /// size() > 0
    pub(in crate::symex) fn pending(&mut self, state: &State) -> Term {
        let mut any = self.terms.fals();
        for thread in 1..self.created(state) {
            let waits = self.waits(state, thread);
            any = self.terms.or(any, waits);
        }
        any
    }

    /// The running thread's number, where it is constant.
    pub(in crate::symex) fn thread(&mut self, state: &State) -> ThreadNumber {
        let id = self.marks().self_id;
        self.peek_constant(&state.memory, id, 8).unwrap_or(0) as ThreadNumber
    }

    /// The threads that may be running, each with the path condition under which it is.
    pub(in crate::symex) fn running(&mut self, state: &State) -> Vec<(ThreadNumber, Guard)> {
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

    /// Reads a global of the run time if its value is constant in this state.
    pub(in crate::symex) fn peek_constant(
        &mut self,
        memory: &Memory,
        global: Option<GlobalId>,
        bytes: u32,
    ) -> Option<u128> {
        let object = self.global_object(global?);
        let value = self.read_at(memory, object, 0, bytes);
        self.terms.as_const(value)
    }
}
