//! What comes of one access of memory or ghost state, by where it goes.

use std::sync::Arc;

use crate::faults::{NetFault, seeded};
use crate::program::Instr;

use super::cells::{CellId, Content, Kind, Location};
use super::explore::{At, Explorer, Halt};
use super::memory::Target;
use super::outcome::Does;
use super::state::Micro;
use super::step::{Then, advance, set};
use super::value::{Val, Who};
use super::words::{part_of, with_part};

/// An access: whose, of which instruction, and what it does.
pub(super) struct Access<'a> {
    pub at: At,
    pub instr: &'a Instr,
    pub does: &'a Does<'a>,
}

impl Access<'_> {
    /// Goes on behind it, with what is known of its result.
    fn done(&self, mut m: Micro, result: Option<Val>) -> Micro {
        set(&mut m, self.instr.result, result);
        advance(&mut m);
        m
    }

    fn reads(&self) -> bool {
        matches!(self.does, Does::Read)
    }
}

/// Part of a cell: so many bytes from the first, how many.
#[derive(Clone, Copy)]
struct Part {
    cell: CellId,
    from: u32,
    bytes: u32,
}

impl Explorer<'_> {
    /// What comes of an access that goes there.
    pub(super) fn access(
        &mut self,
        access: &Access<'_>,
        m: &mut Micro,
        target: Target,
    ) -> Result<Then, Halt> {
        let result = access.instr.result;
        match target {
            Target::Somewhere(touches) => {
                if !access.reads() {
                    for touch in touches {
                        self.written(m, touch)?;
                    }
                }
                set(m, result, None);
                Ok(Then::Next)
            }
            Target::Untracked(location) => {
                if !access.reads()
                    && let Some(cell) = self.cells.write_untracked(location)
                {
                    self.ban(cell);
                }
                set(m, result, None);
                Ok(Then::Next)
            }
            Target::Counter(cell) => Ok(self.access_counter(m, cell, result, access.does)),
            Target::Part(cell, ..) if self.cells.table[cell].counter => {
                self.not_as_counter(cell);
                set(m, result, None);
                Ok(Then::Next)
            }
            Target::Part(cell, from, bytes) => {
                let part = Part { cell, from, bytes };
                match self.is_fixed(cell) {
                    true => Ok(self.access_part_of_fixed(access, m, part)),
                    false => self.access_part(access, m, part),
                }
            }
            Target::Fixed(cell) => Ok(self.access_fixed(access, m, cell)),
            Target::Own(location) => Ok(self.access_own(access, m, location)),
            Target::Cell(cell) => self.access_cell(access, m, cell),
        }
    }

    fn access_part_of_fixed(&mut self, access: &Access<'_>, m: &Micro, part: Part) -> Then {
        let Part { cell, from, bytes } = part;
        self.note_tested(m, cell, access.instr);
        let now = self.cells.table[cell].initial[0].clone();
        let old = part_of(&now, from, bytes);
        let mut out = Vec::new();
        for (new, result) in self.outcomes(m, access.does, old.clone()) {
            if let Some(new) = new {
                self.cells.table[cell].changes |= new.is_none() || new != old;
            }
            out.push(access.done(m.clone(), result));
        }
        Then::Fork(out)
    }

    fn access_fixed(&mut self, access: &Access<'_>, m: &Micro, cell: CellId) -> Then {
        self.note_tested(m, cell, access.instr);
        let now = self.cells.table[cell].initial[0].clone();
        let old = match &now {
            Content::Is(v) => Some(v.clone()),
            Content::Of(..) | Content::Any => None,
        };
        let mut out = Vec::new();
        for (new, result) in self.outcomes(m, access.does, old) {
            if let Some(new) = new {
                let same = matches!((&new, &now), (Some(v), Content::Is(w)) if v == w);
                self.cells.table[cell].changes |= !same;
            }
            out.push(access.done(m.clone(), result));
        }
        Then::Fork(out)
    }

    /// Of state of the running thread alone.
    fn access_own(&mut self, access: &Access<'_>, m: &mut Micro, location: Location) -> Then {
        self.publish_overlapping(m, &location);
        let old = match self.alone {
            true => self.held(m, &location),
            false => self.own_content(m, &location),
        };
        let mut out = Vec::new();
        for (new, result) in self.outcomes(m, access.does, old) {
            let mut next = m.clone();
            if let (true, Some(new)) = (self.alone, &new) {
                self.hold(&mut next, location, new.clone());
            } else if let Some(new) = new {
                let memory = Arc::make_mut(&mut next.state.memory);
                memory.retain(|l, _| *l == location || !l.overlaps(&location));
                memory.insert(location, new);
            }
            out.push(access.done(next, result));
        }
        Then::Fork(out)
    }

    fn access_part(&mut self, access: &Access<'_>, m: &Micro, part: Part) -> Result<Then, Halt> {
        let Part { cell, from, bytes } = part;
        self.note_tested(m, cell, access.instr);
        let Some((_, now)) = m.cells.get(&cell).cloned() else {
            return Ok(self.look(access.at, m, cell));
        };
        let mut out = Vec::new();
        for (new, result) in self.outcomes(m, access.does, part_of(&now, from, bytes)) {
            let mut next = m.clone();
            if let Some(new) = new {
                let word = with_part(&now, from, bytes, new.as_ref());
                self.write(access.at, &mut next, cell, &now, word)?;
            }
            out.push(access.done(next, result));
        }
        Ok(Then::Fork(out))
    }

    fn access_cell(&mut self, access: &Access<'_>, m: &Micro, cell: CellId) -> Result<Then, Halt> {
        self.note_tested(m, cell, access.instr);
        let Some((_, now)) = m.cells.get(&cell).cloned() else {
            return Ok(self.look(access.at, m, cell));
        };
        let mut out = Vec::new();
        for seen in self.seen(access.at, m, cell, &now) {
            for (new, result) in self.outcomes(m, access.does, seen) {
                let mut next = m.clone();
                if let Some(new) = new {
                    self.write(access.at, &mut next, cell, &now, new)?;
                }
                out.push(access.done(next, result));
            }
        }
        Ok(Then::Fork(out))
    }

    /// Whether a condition may depend on what an instruction of a driver reads.
    fn note_tested(&mut self, m: &Micro, cell: CellId, instr: &Instr) {
        if self.input.entries.is_none() || self.cells.table[cell].tested {
            return;
        }
        if let (Some(frame), Some(v)) = (m.state.frames.last(), instr.result) {
            let f = self.input.points_to.instances()[frame.instance].function;
            let tested = self.bodies.is_tested(self.input.program, f, v);
            self.cells.table[cell].tested |= tested;
        }
    }

    /// The step meets a cell for the first time: every content that it may have.
    fn look(&mut self, at: At, m: &Micro, cell: CellId) -> Then {
        let own = self.owner(at.job);
        let table = &mut self.cells.table[cell];
        let reader = (at.job, at.state);
        if !table.readers.contains(&reader) {
            table.readers.push(reader);
        }
        let mine = table.owned && m.state.mine.contains(&cell);
        let mut out = Vec::new();
        for content in &table.contents {
            // Nobody has written over this thread's number: who does breaks the net.
            if mine && !matches!(content, Content::Of(job, _) if *job == own) {
                continue;
            }
            let mut next = m.clone();
            next.cells.insert(cell, (content.clone(), content.clone()));
            next.again = true;
            out.push(next);
        }
        Then::Fork(out)
    }

    /// The values that a content may be to the running thread.
    fn seen(&self, at: At, m: &Micro, cell: CellId, content: &Content) -> Vec<Option<Val>> {
        match content {
            Content::Any => vec![None],
            Content::Is(v) => vec![Some(v.clone())],
            Content::Of(job, add) => {
                let other = Some(Val::Other { add: *add });
                let me = Some(Val::Id {
                    who: Who::Me,
                    add: *add,
                });
                let owned = self.cells.table[cell].owned;
                match *job == self.owner(at.job) {
                    true if !owned => vec![me, other],
                    true if m.state.mine.contains(&cell) => vec![me],
                    _ => vec![other],
                }
            }
        }
    }

    fn write(
        &mut self,
        at: At,
        m: &mut Micro,
        cell: CellId,
        now: &Content,
        value: Option<Val>,
    ) -> Result<(), Halt> {
        let owned = self.cells.table[cell].owned;
        if owned && matches!(now, Content::Of(..)) && !m.state.mine.contains(&cell) {
            // Somebody's number is written over who does not know of it.
            m.breaks = Some(cell);
            return Ok(());
        }
        if !seeded(NetFault::OwnerForEver) {
            m.state.mine.remove(&cell);
        }
        let content = match value {
            Some(Val::Id {
                who: Who::Me, add, ..
            }) => {
                if owned {
                    m.state.mine.insert(cell);
                }
                Content::Of(self.owner(at.job), add)
            }
            Some(v) if self.is_for_all(&v) => Content::Is(v),
            _ => Content::Any,
        };
        let number = matches!(content, Content::Is(Val::Int(_)));
        let (content, new) = self.cells.content(cell, content);
        let many = number && content == Content::Any && self.learn_counter(cell);
        let location = self.cells.table[cell].location;
        let counter = many || self.lessons.counters.contains(&location);
        if content != *now {
            self.cells.table[cell].changes = true;
        }
        if content == Content::Any && matches!(location.kind, Kind::Memory(_)) && !counter {
            // Data, not state that orders threads.
            self.ban(location);
        }
        if content == Content::Any {
            m.state.mine.remove(&cell);
        }
        if new {
            self.wake(cell);
        }
        if let Some(entry) = m.cells.get_mut(&cell) {
            if !seeded(NetFault::WritesChangeNothing) {
                entry.1 = content;
            }
        }
        Ok(())
    }
}
