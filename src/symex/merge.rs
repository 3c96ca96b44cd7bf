//! Two states become one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::exec::Executor;
use super::guard::Guard;
use super::memory::{Contents, Memory};
use super::objects::ObjectId;
use super::state::State;
use crate::expr::Term;

impl Executor<'_> {
    /// Merges two states that exclude each other; the second result is true where the first one's values hold.
    pub(super) fn merge_states(&mut self, a: State, b: State) -> (State, Term) {
        self.merges += 1;
        // Nothing more will be executed from the state, nor asked.
        if self.is_stopped() {
            return (b, self.terms.tru());
        }
        let merge = Guard::merge(&mut self.terms, &a.guard, &b.guard);
        let memory = self.merge_memory(merge.selector, &a.memory, &b.memory);
        (
            State {
                guard: merge.guard,
                memory,
            },
            merge.selector,
        )
    }

    /// As [`Self::merge_states`], where it is known what tells the two apart: the first one's values hold where
    /// `selector` does.
    pub(super) fn merge_selected(&mut self, selector: Term, a: State, b: State) -> State {
        self.merges += 1;
        let guard = Guard::merge(&mut self.terms, &a.guard, &b.guard).guard;
        let memory = self.merge_memory(selector, &a.memory, &b.memory);
        State { guard, memory }
    }

    fn merge_memory(&mut self, selector: Term, a: &Memory, b: &Memory) -> Memory {
        let mut out = a.clone();
        for n in 0..a.len().max(b.len()) {
            let object = ObjectId(n as u32);
            let (x, y) = (a.written(object), b.written(object));
            match (x, y) {
                (None, None) => {}
                (Some(x), Some(y)) if Arc::ptr_eq(x, y) || x == y => {}
                _ => {
                    let merged = self.merge_contents(selector, object, a, b);
                    out.set(object, merged);
                }
            }
        }
        self.merge_ghosts(selector, a, b, &mut out);
        let freed: BTreeSet<ObjectId> = a.freed.keys().chain(b.freed.keys()).copied().collect();
        for object in freed {
            let no = self.terms.fals();
            let x = a.freed.get(&object).copied().unwrap_or(no);
            let y = b.freed.get(&object).copied().unwrap_or(no);
            let merged = self.terms.ite(selector, x, y);
            out.freed.insert(object, merged);
        }
        out.snapshot = match (&a.snapshot, &b.snapshot) {
            (Some(x), Some(y)) if !Arc::ptr_eq(x, y) => {
                Some(Arc::new(self.merge_memory(selector, x, y)))
            }
            (Some(x), _) => Some(x.clone()),
            (None, y) => y.clone(),
        };
        out
    }

    fn merge_contents(
        &mut self,
        selector: Term,
        object: ObjectId,
        a: &Memory,
        b: &Memory,
    ) -> Contents {
        let arrays =
            [a, b].map(|m| matches!(m.written(object).map(Arc::as_ref), Some(Contents::Array(_))));
        if arrays[0] || arrays[1] {
            let x = self.as_array(a, object);
            let y = self.as_array(b, object);
            return Contents::Array(self.terms.array_ite(selector, x, y));
        }
        // Intervals between the borders of all cells; where a border splits a cell of the other side, both are split.
        let empty = BTreeMap::new();
        let cells = [a, b].map(|m| match m.written(object).map(Arc::as_ref) {
            Some(Contents::Cells(c)) => c,
            _ => &empty,
        });
        if cells[0].len() == cells[1].len()
            && cells[0]
                .iter()
                .zip(cells[1])
                .all(|((o, (n, _)), (p, (m, _)))| o == p && n == m)
        {
            let merged = cells[0]
                .iter()
                .zip(cells[1])
                .map(|((o, (n, x)), (_, (_, y)))| (*o, (*n, self.terms.ite(selector, *x, *y))))
                .collect();
            return Contents::Cells(merged);
        }
        let mut borders = BTreeSet::new();
        for (&offset, &(n, _)) in cells[0].iter().chain(cells[1]) {
            // Places before an object's start are the highest numbers: an end may be 2^64.
            let end = u128::from(offset) + u128::from(n);
            borders.insert(u128::from(offset));
            borders.insert(end);
        }
        let borders: Vec<u128> = borders.into_iter().collect();
        let mut merged = BTreeMap::new();
        for pair in borders.windows(2) {
            let (start, bytes) = (pair[0] as u64, (pair[1] - pair[0]) as u32);
            let inside = |c: &BTreeMap<u64, (u32, Term)>| {
                c.range(..=start)
                    .next_back()
                    .is_some_and(|(o, (n, _))| start - o < u64::from(*n))
            };
            if !inside(cells[0]) && !inside(cells[1]) {
                continue;
            }
            let x = self.read_at(a, object, start, bytes);
            let y = self.read_at(b, object, start, bytes);
            let value = self.terms.ite(selector, x, y);
            merged.insert(start, (bytes, value));
        }
        Contents::Cells(merged)
    }

    fn merge_ghosts(&mut self, selector: Term, a: &Memory, b: &Memory, out: &mut Memory) {
        let keys: BTreeSet<_> = a.ghosts.keys().chain(b.ghosts.keys()).copied().collect();
        for key in keys {
            let (x, y) = (a.ghosts.get(&key), b.ghosts.get(&key));
            if let (Some(x), Some(y)) = (x, y)
                && (Arc::ptr_eq(x, y) || x == y)
            {
                continue;
            }
            let offsets: BTreeSet<u64> = x
                .into_iter()
                .chain(y)
                .flat_map(|m| m.keys().copied())
                .collect();
            let zero = self.terms.constant(64, 0);
            let mut cells = BTreeMap::new();
            for o in offsets {
                let v = x.and_then(|m| m.get(&o)).copied().unwrap_or(zero);
                let w = y.and_then(|m| m.get(&o)).copied().unwrap_or(zero);
                cells.insert(o, self.terms.ite(selector, v, w));
            }
            out.ghosts.insert(key, Arc::new(cells));
        }
    }
}
