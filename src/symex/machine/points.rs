//! The calls that stand before visible instructions.

use crate::index::{FuncId, Idx, SiteId};
use crate::program::SiteKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::Schedule;

impl Executor<'_> {
    /// A thread has come to a visible instruction. Its site, the last of the arguments, if it is one of the program's.
    pub(in crate::symex) fn note_reached(
        &mut self,
        args: &[Value],
        state: &State,
    ) -> Option<usize> {
        let site = match args.last() {
            Some(Value::Scalar(t)) => self.terms.as_const(*t).map(|n| n as usize),
            _ => None,
        };
        let n = site.filter(|n| *n < self.program.sites.len())?;
        if !matches!(self.mode, Mode::Concrete(_)) {
            // A turn that ends before this point does not come to it: what bounds the turns would count it wrongly.
            let none = match self.stack.turn.ends {
                true => self.no_switch(),
                false => None,
            };
            for (thread, guard) in self.running(state) {
                let guard = match none {
                    None => Some(guard),
                    Some(none) => guard.and(&mut self.terms, none),
                };
                let Some(guard) = guard else { continue };
                let list = self
                    .found
                    .reached
                    .entry((SiteId::new(n), thread))
                    .or_default();
                if list.last() != Some(&guard) {
                    list.push(guard);
                }
            }
        }
        Some(n)
    }

    /// A call that stands before a visible instruction: told to the journal and counted as reached; short where the
    /// check has nothing to decide there.
    pub(in crate::symex) fn visible_point(
        &mut self,
        schedule: &mut dyn Schedule,
        f: FuncId,
        args: &[Value],
        state: State,
        context: u64,
    ) -> Vec<Exit> {
        let marks = self.marks();
        let site = self.note_reached(args, &state);
        let depth = self.peek_constant(&state.memory, marks.atomic, 4);
        self.note_access(f, (args, site), &state, depth);
        let probe = self.peek_constant(&state.memory, marks.probe, 1);
        let begin = Some(f) == marks.atomic_begin;
        let silent = match (depth, site) {
            _ if begin => false,
            (Some(d), _) if d > 0 => probe == Some(0),
            (Some(_), Some(n)) => {
                !self.check.enabled.contains(n) && !self.check.checked.contains(n)
            }
            _ => false,
        };
        let before = self.journal_point(&state, site, depth);
        let exits = if silent {
            let no = Value::Scalar(self.terms.fals());
            vec![Exit {
                state,
                value: Some(no),
            }]
        } else {
            self.call_function(schedule, f, args, Some(state), context)
        };
        if let Some(before) = before {
            self.journal_passed(before, &exits, self.is_step(f, site));
        }
        exits
    }

    /// Whether passing the call is a step of the thread: an access is one when it is executed.
    pub(in crate::symex) fn is_step(&self, f: FuncId, site: Option<usize>) -> bool {
        match site.map(|n| self.program.sites[SiteId::new(n)].kind) {
            Some(SiteKind::AtomicBegin) => Some(f) == self.marks().atomic_begin,
            Some(SiteKind::Read | SiteKind::Write | SiteKind::ReadWrite) | None => false,
            Some(_) => true,
        }
    }
}
