//! What is noted of stores while threads run by themselves ([`crate::symex::memory::stored`]).

use crate::expr::Term;
use crate::faults::{RoundsFault, seeded};
use crate::symex::machine::exec::Executor;
use crate::symex::memory::objects::ObjectId;

impl Executor<'_> {
    pub(in crate::symex) fn end_store(&mut self) {
        if let Some(stored) = &mut self.views.stored {
            stored.storing = None;
        }
    }

    /// A store; if it is not known by whom, by anybody.
    pub(in crate::symex) fn note_stored(&mut self, object: ObjectId, offset: u64, value: Term) {
        if self.views.stored.is_none() {
            return;
        }
        let always = self.terms.tru();
        let (thread, guard) = self.views.stored().storing.unwrap_or((u64::MAX, always));
        let cell = (object, offset, self.terms.width(value) / 8);
        let noted = self.views.stored().cells.entry(cell).or_default();
        noted.note(value, guard, thread);
    }

    /// The same at an offset that is no constant.
    pub(in crate::symex) fn note_scattered(&mut self, object: ObjectId) {
        if self.views.stored.is_some() {
            self.views.stored().scattered.insert(object);
        }
    }

    pub(in crate::symex) fn sees_locks(&self) -> bool {
        seeded(RoundsFault::LocksInOrder)
    }

    /// Whether it counts that an object has been freed.
    pub(in crate::symex) fn sees_freed(&self) -> bool {
        self.views.stored.is_none() || seeded(RoundsFault::FreedInOrder)
    }
}
