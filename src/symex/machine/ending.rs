//! Where paths end before their time, and where their threads would have gone on.

use crate::expr::Term;
use crate::index::LocId;
use crate::symex::machine::behind::After;
use crate::symex::machine::ends::{End, EndKind};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::state::State;

impl Executor<'_> {
    /// Records the end of a path.
    pub(in crate::symex) fn end(&mut self, guard: &Guard, kind: EndKind, loc: Option<LocId>) {
        let goes_on = match kind.makes_unknown() {
            true => self.goes_on(),
            false => Vec::new(),
        };
        self.found.ends.push(End {
            kind,
            guard: guard.clone(),
            loc: self.user_loc().or(loc),
            goes_on,
        });
    }

    /// The user's line that called the model at work; `None` where none is, or nobody of theirs has called it.
    fn user_loc(&self) -> Option<LocId> {
        let function = |f| &self.program.functions[f];
        let at_work = self.stack.place?.function;
        if !function(at_work).is_model || self.marks().is_own(at_work) {
            return None;
        }
        let callers = self.stack.frames.iter().rev();
        let mut callers = callers.take_while(|f| !self.marks().is_own(f.function));
        let user = callers.find(|f| !function(f.function).is_model)?;
        let block = &function(user.function).blocks[user.at.block];
        block.instrs.get(user.index)?.loc
    }

    /// Executions whose access is not valid end here.
    pub(in crate::symex) fn only_valid(
        &mut self,
        state: &mut State,
        valid: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        let invalid = self.terms.not(valid);
        if let Some(guard) = state.guard.and(&mut self.terms, invalid) {
            self.end(&guard, EndKind::InvalidAccess, loc);
        }
        state.guard = state.guard.and(&mut self.terms, valid)?;
        Some(())
    }

    /// A constant that cannot be expressed was met: whatever rests on its value is not known.
    pub(in crate::symex) fn refuse_constant(&mut self, what: &str) {
        let kind = EndKind::Unsupported(format!("constant: {what}"));
        if !self.found.ends.iter().any(|e| e.kind == kind) {
            self.end(&Guard::always(), kind, None);
        }
    }

    /// Where the running thread goes on: in the activation at work, and in those that wait for it.
    pub(in crate::symex) fn goes_on(&self) -> Vec<After> {
        let waiting = self.stack.frames.iter().rev().map(|frame| After {
            function: frame.function,
            block: frame.at.block,
            index: frame.index,
        });
        let own = waiting.take_while(|at| Some(at.function) != self.marks().run);
        let all = self.stack.place.into_iter().chain(own);
        all.filter(|at| !self.marks().is_own(at.function)).collect()
    }
}
