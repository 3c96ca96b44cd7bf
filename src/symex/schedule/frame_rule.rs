//! What a scheduled thread leaves as it was.
//!
//! A scheduled thread runs on the state merged over all switch points. Where the first thread is resumed, only one of
//! these points counts: what the scheduled thread did not change is there what it was at that point, not a choice
//! between the values that it had at all of them. (The frame rule, and the reason why terms do not grow with every
//! switch.)

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expr::{Node, Term, Terms};
use crate::symex::memory::cells::Cells;
use crate::symex::memory::store::{Contents, Memory};

/// Choices followed from one value.
const MAX_CHOICES: u32 = 64;

/// The states around a scheduled thread.
pub(in crate::symex) struct Around<'a> {
    /// On which it ran, merged over all points.
    pub merged: &'a Memory,
    /// What it left.
    pub left: &'a Memory,
    /// Whether threads take turns.
    pub in_turns: bool,
}

impl Terms {
    /// The memory at a point whose own memory was `own`, after the scheduled thread; there, `number == point`.
    pub(in crate::symex) fn memory_at_point(
        &mut self,
        around: &Around<'_>,
        own: &Memory,
        number: Term,
        point: Term,
    ) -> Memory {
        let (merged, left) = (around.merged, around.left);
        let mut out = left.clone();
        for object in Memory::differing(&[merged, left, own]) {
            let (before, after) = (merged.written(object), left.written(object));
            let same = match (before, after) {
                (Some(x), Some(y)) => Arc::ptr_eq(x, y) || x == y,
                (x, y) => x.is_none() && y.is_none(),
            };
            let mine = own.written(object);
            if same {
                if let Some(mine) = mine {
                    out.share(object, mine.clone());
                }
                continue;
            }
            let (after, windows) = match after.map(Arc::as_ref) {
                Some(Contents::Cells(after)) => (after, None),
                Some(Contents::Windows(after, windows)) => (after, Some(windows)),
                _ => continue,
            };
            let none = Cells::new();
            let cells = |c: Option<&Arc<Contents>>| match c.map(Arc::as_ref) {
                Some(Contents::Cells(c) | Contents::Windows(c, _)) => c.clone(),
                _ => none.clone(),
            };
            let (before, mine) = (cells(before), cells(mine));
            let mut restored = after.clone();
            for (offset, (bytes, value)) in after.iter() {
                let unchanged = before.get(offset) == Some(&(bytes, value));
                let there = match mine.get(offset) {
                    Some((n, own)) if unchanged && *n == bytes => *own,
                    _ => self.at_point(around.in_turns, value, number, point, &mut 0),
                };
                if there != value {
                    restored.insert(offset, (bytes, there));
                }
            }
            let restored = match windows {
                None => Contents::Cells(restored),
                Some(windows) => Contents::Windows(restored, windows.clone()),
            };
            out.set(object, restored);
        }
        let ghosts: Vec<_> = out.ghosts.keys().copied().collect();
        for key in ghosts {
            let Some(after) = left.ghosts.get(&key) else {
                continue;
            };
            let mine = own.ghosts.get(&key);
            let before = merged.ghosts.get(&key);
            let mut restored = BTreeMap::new();
            for (offset, value) in after.iter() {
                let unchanged = before.and_then(|c| c.get(offset)) == Some(value);
                let value = match mine.and_then(|c| c.get(offset)) {
                    Some(own) if unchanged => *own,
                    _ => self.at_point(around.in_turns, *value, number, point, &mut 0),
                };
                restored.insert(*offset, value);
            }
            Arc::make_mut(&mut out.ghosts).insert(key, Arc::new(restored));
        }
        for (object, freed) in Arc::make_mut(&mut out.freed) {
            *freed = match own.freed.get(object) {
                Some(own) if merged.freed.get(object) == Some(freed) => *own,
                _ => self.at_point(around.in_turns, *freed, number, point, &mut 0),
            };
        }
        out
    }

    /// A value where `number == point`: choices by the number are made. In rounds, only as far as that takes no new terms: they would be
    /// copied for every point and every round.
    fn at_point(
        &mut self,
        in_turns: bool,
        value: Term,
        number: Term,
        point: Term,
        choices: &mut u32,
    ) -> Term {
        if in_turns {
            return self.part_at_point(value, number, point);
        }
        let Node::Ite(c, a, b) = *self.node(value) else {
            return value;
        };
        *choices += 1;
        if *choices > MAX_CHOICES {
            return value;
        }
        if let Some(holds) = self.holds_at(c, number, point) {
            let way = if holds { a } else { b };
            return self.at_point(in_turns, way, number, point, choices);
        }
        let x = self.at_point(in_turns, a, number, point, choices);
        let y = self.at_point(in_turns, b, number, point, choices);
        match (x, y) == (a, b) {
            true => value,
            false => self.ite(c, x, y),
        }
    }

    /// The part of a value that it is where `number == point`.
    fn part_at_point(&self, mut value: Term, number: Term, point: Term) -> Term {
        while let Node::Ite(c, a, b) = *self.node(value) {
            match self.holds_at(c, number, point) {
                Some(true) => value = a,
                Some(false) => value = b,
                None => break,
            }
        }
        value
    }
}
