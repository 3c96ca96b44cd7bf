//! What is in an object at constant offsets, in chunks that copies share.
//!
//! Each branch copies what it writes to. Copied cell by cell, an object that a loop has filled (a table, an array of descriptors) costs as
//! much at each branch as filling it did; so a copy shares all chunks, a write copies one, and a join looks only at those that differ.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::expr::Term;

/// Bytes of an object whose cells are in one chunk, as a power of two.
const CHUNK_BITS: u32 = 9;

/// A cell: bytes, value.
type Cell = (u32, Term);

/// The cells that begin in one chunk, by offset.
type Chunk = BTreeMap<u64, Cell>;

/// Disjoint cells by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// None of them is empty.
    chunks: BTreeMap<u64, Arc<Chunk>>,
}

fn chunk_of(offset: u64) -> u64 {
    offset >> CHUNK_BITS
}

impl Cells {
    /// There is none.
    pub fn new() -> Cells {
        Cells::default()
    }

    /// The cell that begins there.
    pub fn get(&self, offset: u64) -> Option<&Cell> {
        self.chunks.get(&chunk_of(offset))?.get(&offset)
    }

    /// Puts a cell there, in the place of one that begins there.
    pub fn insert(&mut self, offset: u64, cell: Cell) {
        let chunk = self.chunks.entry(chunk_of(offset)).or_default();
        Arc::make_mut(chunk).insert(offset, cell);
    }

    /// Takes away the cell that begins there.
    pub fn remove(&mut self, offset: u64) {
        let at = chunk_of(offset);
        let Some(chunk) = self.chunks.get_mut(&at) else {
            return;
        };
        if chunk.contains_key(&offset) {
            Arc::make_mut(chunk).remove(&offset);
            if chunk.is_empty() {
                self.chunks.remove(&at);
            }
        }
    }

    /// Takes away those that do not begin where they may.
    pub fn retain(&mut self, mut stays: impl FnMut(u64) -> bool) {
        let gone: Vec<u64> = self.offsets().filter(|offset| !stays(*offset)).collect();
        for offset in gone {
            self.remove(offset);
        }
    }

    /// Those that begin in a range that is not empty, in order.
    pub fn range(
        &self,
        range: impl RangeBounds<u64>,
    ) -> impl DoubleEndedIterator<Item = (u64, Cell)> {
        let (from, to) = (range.start_bound().cloned(), range.end_bound().cloned());
        let chunks = self
            .chunks
            .range((from.map(chunk_of).closed(), to.map(chunk_of).closed()));
        chunks.flat_map(move |(_, chunk)| chunk.range((from, to)).map(|(at, cell)| (*at, *cell)))
    }

    /// All, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, Cell)> {
        let chunks = self.chunks.values();
        chunks.flat_map(|chunk| chunk.iter().map(|(at, cell)| (*at, *cell)))
    }

    /// Where they begin, in order.
    pub fn offsets(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.iter().map(|(at, _)| at)
    }

    /// The chunks that are the same in each of these, and what each has beside them.
    pub fn in_common(all: &[&Cells]) -> (Cells, Vec<Cells>) {
        let mut rest: Vec<Cells> = all.iter().copied().cloned().collect();
        let Some((first, others)) = all.split_first() else {
            return (Cells::new(), rest);
        };
        let is_common = |at: &u64, chunk: &Arc<Chunk>| {
            let mut others = others.iter().map(|cells| cells.chunks.get(at));
            others.all(|other| other.is_some_and(|other| Arc::ptr_eq(other, chunk)))
        };
        let common = first
            .chunks
            .iter()
            .filter(|(at, chunk)| is_common(at, chunk));
        let chunks: BTreeMap<u64, Arc<Chunk>> =
            common.map(|(at, chunk)| (*at, chunk.clone())).collect();
        for own in &mut rest {
            own.chunks.retain(|at, _| !chunks.contains_key(at));
        }
        (Cells { chunks }, rest)
    }
}

/// A bound on chunks that leaves out none of which a part is within a bound on offsets.
trait Closed {
    fn closed(self) -> Self;
}

impl Closed for Bound<u64> {
    fn closed(self) -> Self {
        match self {
            Bound::Included(at) | Bound::Excluded(at) => Bound::Included(at),
            Bound::Unbounded => Bound::Unbounded,
        }
    }
}

impl FromIterator<(u64, Cell)> for Cells {
    fn from_iter<T: IntoIterator<Item = (u64, Cell)>>(all: T) -> Cells {
        let mut cells = Cells::new();
        for (offset, cell) in all {
            cells.insert(offset, cell);
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Terms;

    fn cells(offsets: &[u64]) -> Cells {
        let term = Terms::new().fals();
        offsets.iter().map(|at| (*at, (4, term))).collect()
    }

    fn offsets(cells: impl Iterator<Item = (u64, Cell)>) -> Vec<u64> {
        cells.map(|(at, _)| at).collect()
    }

    #[test]
    fn ranges_go_over_chunks() {
        let all = cells(&[0, 508, 512, 4096, u64::MAX - 3]);
        assert_eq!(offsets(all.range(4..=4096)), [508, 512, 4096]);
        assert_eq!(offsets(all.range(..512)), [0, 508]);
        assert_eq!(offsets(all.range(513..)), [4096, u64::MAX - 3]);
        assert_eq!(all.range(..=5000).next_back().map(|(at, _)| at), Some(4096));
        // Of a chunk that begins below the bound and has nothing there.
        assert_eq!(all.range(..=511).next_back().map(|(at, _)| at), Some(508));
        assert!(all.range(600..1000).next().is_none());
    }

    #[test]
    fn what_is_taken_away_leaves_nothing_behind() {
        let mut all = cells(&[0, 4, 600]);
        all.remove(600);
        all.remove(601);
        assert_eq!(all, cells(&[0, 4]));
        all.retain(|at| at != 0);
        assert_eq!(all, cells(&[4]));
        all.remove(4);
        assert_eq!(all, Cells::new());
    }

    #[test]
    fn copies_share_what_neither_changes() {
        let one = cells(&[0, 1000, 2000]);
        let mut other = one.clone();
        other.insert(1004, (4, Terms::new().tru()));
        let (common, rest) = Cells::in_common(&[&one, &other]);
        assert_eq!(common, cells(&[0, 2000]));
        assert_eq!(rest[0], cells(&[1000]));
        assert_eq!(offsets(rest[1].iter()), [1000, 1004]);
        assert!(one.get(1004).is_none());
    }
}
