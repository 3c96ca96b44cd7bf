//! The multiset `ts` of threads created and not yet scheduled, as `kiss.c` keeps it: by thread number, with a flag.

use super::exec::Executor;
use super::state::State;
use crate::expr::Term;

/// Threads of one execution, as `kiss.c` has it.
const MAX_THREADS: u64 = 64;

impl Executor<'_> {
    /// Bytes of an element of `ts`: two pointers and a flag.
    fn pending_bytes(&self) -> u64 {
        3 * u64::from(self.program.layout.pointer_bytes)
    }

    /// A number above those of all threads created.
    pub(super) fn created(&mut self, state: &State) -> u64 {
        let Some(next) = self.marks().next else {
            return 0;
        };
        let object = self.global_object(next);
        let next = self.read_at(&state.memory, object, 0, 8);
        let most = self.terms.leaves(next).and_then(<[u128]>::last);
        most.map_or(MAX_THREADS, |n| (*n as u64).min(MAX_THREADS))
    }

    /// Whether a thread has been created and not yet scheduled.
    pub(super) fn waits(&mut self, state: &State, thread: u64) -> Term {
        let Some(table) = self.marks().pending else {
            return self.terms.fals();
        };
        let object = self.global_object(table);
        let flag = thread * self.pending_bytes() + 2 * u64::from(self.program.layout.pointer_bytes);
        let waits = self.read_at(&state.memory, object, flag, 1);
        let zero = self.terms.constant(8, 0);
        self.terms.ne(waits, zero)
    }

    /// Whether as many threads have been scheduled on the way here as can have been created: then none is pending,
    /// even where merging hides it.
    pub(super) fn all_scheduled(&mut self, state: &State) -> bool {
        // The first thread is not created.
        let created = self.created(state).saturating_sub(1);
        u64::from(self.scheduled()) >= created
    }

    /// size() > 0
    pub(super) fn pending(&mut self, state: &State) -> Term {
        let mut any = self.terms.fals();
        for thread in 1..self.created(state) {
            let waits = self.waits(state, thread);
            any = self.terms.or(any, waits);
        }
        any
    }
}
