//! Failures of the check, and the ends of paths.

use crate::expr::Term;
use crate::index::{Idx, SiteId};
use crate::program::FailKind;
use crate::symex::machine::ends::{EndKind, Failure};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::{Frame, State};
use crate::symex::machine::values::hash_of;

impl Executor<'_> {
    pub(in crate::symex) fn fail(
        &mut self,
        kind: FailKind,
        first: Term,
        second: Term,
        state: &State,
    ) {
        let mut guard = state.guard.term(&mut self.terms);
        if let Some(none) = self.no_switch() {
            guard = self.terms.and(guard, none);
        }
        let thread = self.thread(state);
        self.journal_failure(state);
        let place = match kind.goes_on() {
            true => self.user_place(),
            false => 0,
        };
        let mut at = self.journal().steps_before_failure();
        // Just before an access: of a section the step has begun.
        let depth = self.peek_constant(&state.memory, self.marks().atomic, 4);
        if kind == FailKind::Atomicity && depth != Some(0) {
            at = at.saturating_sub(1);
        }
        // The running thread's site may be merged too (a probed section): one failure for each.
        let (firsts, seconds) = (self.leaves(first), self.leaves(second));
        let other = self.terms.or(firsts.other, seconds.other);
        if let Some(guard) = state.guard.and(&mut self.terms, other) {
            let what = "failure at a site that is not known";
            self.end(&guard, EndKind::Unsupported(what.into()), None);
        }
        for (condition, site) in seconds.constants.iter().copied() {
            let guard = self.terms.and(guard, condition);
            if !self.terms.is_false(guard) {
                self.found.failures.push(Failure {
                    kind,
                    guard,
                    first,
                    second: SiteId::new(site as usize),
                    thread,
                    place,
                    at,
                });
            }
        }
    }

    /// Names the innermost call of this thread in the user's code, or where there is none all that led here in it. Where the thread was
    /// scheduled is no part of the name: it is executed once for all such points.
    fn user_place(&self) -> u64 {
        let function = |f: &Frame| &self.program.functions[f.function];
        let runtime = |f: &&Frame| self.marks().is_own(f.function);
        let frames = self.stack.frames.iter().rev();
        let own = frames.skip_while(runtime).take_while(|f| !runtime(f));
        let own: Vec<&Frame> = own.collect();
        match own.iter().find(|f| !function(f).is_model) {
            Some(f) => hash_of(&(f.function.index(), f.at.block.index(), f.index)),
            None => {
                let all: Vec<usize> = own.iter().map(|f| f.function.index()).collect();
                hash_of(&all)
            }
        }
    }

    /// The instruction uses a freed object under that condition. What the kernel does around an entry point it does while that is there: it
    /// waits for it, or holds the object.
    pub(in crate::symex) fn use_after_free(&mut self, condition: Term, state: &State) {
        if !self.check.use_after_free {
            return;
        }
        let (Some(site), Some(guard)) =
            (self.stack.site, state.guard.and(&mut self.terms, condition))
        else {
            return;
        };
        let own = &self.program.sites[site].function;
        let own = self.program.function_named(own);
        let calls = self.stack.frames.iter().map(|f| f.function);
        if self.program.harness.is_around(calls.chain(own)) {
            return;
        }
        let state = State {
            guard,
            memory: state.memory.clone(),
        };
        let number = self.terms.constant(32, site.index() as u128);
        let zero = self.terms.constant(32, 0);
        self.fail(FailKind::UseAfterFree, zero, number, &state);
    }
}
