//! Words of which parts are read or written (one cell, of which a part is some bytes), and memory of which nobody knows which part is.

use crate::faults::{NetFault, seeded};
use crate::program::Operand;

use super::super::points_to::ObjectId;
use super::cells::{Content, Location, Touch};
use super::explore::{Explorer, Halt};
use super::state::Micro;
use super::value::{Val, cut};

impl Explorer<'_> {
    /// The word that a piece of memory is accessed as a part of elsewhere, or the piece itself.
    pub(super) fn word(&self, location: Location) -> Location {
        let mut words = self.lessons.words.get(&location.pointer.object).into_iter();
        let words = words.by_ref().flatten();
        let widest = words
            .filter(|w| w.holds(&location))
            .max_by_key(|w| (w.kind, w.pointer.offset));
        widest.copied().unwrap_or(location)
    }

    /// A piece of memory of which there is a part, or the whole, already: from now on the larger one is followed.
    pub(super) fn learn_words(&mut self, location: &Location) {
        let little = self.input.program.layout.little_endian;
        if !little || seeded(NetFault::OverlapsAreApart) {
            return;
        }
        let object = location.pointer.object;
        let cells = self.cells.within(object).iter();
        let known: Vec<Location> = cells.map(|c| self.cells.table[*c].location).collect();
        for other in known {
            let word = match (location.holds(&other), other.holds(location)) {
                (true, false) => *location,
                (false, true) => other,
                _ => continue,
            };
            let words = self.lessons.words.entry(object).or_default();
            if !words.contains(&word) {
                words.push(word);
                self.again = true;
            }
        }
    }

    /// A function that has no model may write into the objects that it is given, and hand them on.
    pub(super) fn written_outside(&mut self, m: &mut Micro, args: &[Operand]) -> Result<(), Halt> {
        self.publish_operands(m, args);
        self.publish_memory(m);
        for arg in args {
            let all: Vec<ObjectId> = match self.exact(m, arg) {
                Ok(pointer) if pointer.is_new() => continue,
                Ok(pointer) => vec![pointer.object],
                Err(all) => all.into_iter().map(|a| a.object).collect(),
            };
            for object in all {
                self.written(m, Touch::all_of(object))?;
            }
        }
        Ok(())
    }
}

/// Some bytes of what a word holds.
pub(super) fn part_of(word: &Content, at: u32, bytes: u32) -> Option<Val> {
    match word {
        Content::Is(Val::Int(v)) if at < 8 => Some(Val::Int(cut(v >> (8 * at), 8 * bytes))),
        _ => None,
    }
}

/// What a word holds when some bytes of it have been written.
pub(super) fn with_part(word: &Content, at: u32, bytes: u32, new: Option<&Val>) -> Option<Val> {
    match (word, new) {
        (Content::Is(Val::Int(v)), Some(Val::Int(new))) if at < 8 => {
            let mask = cut(u64::MAX, 8 * bytes) << (8 * at);
            Some(Val::Int(v & !mask | (new << (8 * at)) & mask))
        }
        _ => None,
    }
}
