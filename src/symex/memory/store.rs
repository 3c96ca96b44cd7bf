//! Memory: per object a map from constant offsets to cells; once a symbolic offset was written, the part of the object where that may be
//! is a byte array, or all of it.
//!
//! A state holds only what was written; everything else is the object's initial content, which is the same for all
//! states. Objects are shared between states until written, so that a join looks only at what differs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expr::{ArrayTerm, Term, Terms};
use crate::symex::memory::cells::Cells;
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::pages::Pages;
use crate::symex::memory::subarrays::Window;

/// What was written to one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// At constant offsets.
    Cells(Cells),
    /// At others, too, that stay in these parts of it, which do not meet and have no cells.
    Windows(Cells, Vec<Window>),
    /// The whole object as bytes.
    Array(ArrayTerm),
}

impl Default for Contents {
    fn default() -> Self {
        Contents::Cells(Cells::new())
    }
}

/// Ghost state by object and key: cells of 8 bytes by offset.
pub type Ghosts = BTreeMap<(ObjectId, u32), Arc<BTreeMap<u64, Term>>>;

/// Memory and ghost state of one state.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    objects: Pages<Arc<Contents>>,
    /// Ghost state by (object, key): cells of 8 bytes.
    pub ghosts: Arc<Ghosts>,
    /// When each object has been freed.
    pub freed: Arc<BTreeMap<ObjectId, Term>>,
    /// What the last snapshot saw.
    pub snapshot: Option<Arc<Memory>>,
}

impl Memory {
    /// What was written to an object; `None`: nothing.
    pub fn written(&self, object: ObjectId) -> Option<&Arc<Contents>> {
        self.objects.get(object.0 as usize)
    }

    /// Replaces what was written to an object.
    pub fn set(&mut self, object: ObjectId, contents: Contents) {
        self.share(object, Arc::new(contents));
    }

    /// Replaces what was written to an object by what another state has written.
    pub fn share(&mut self, object: ObjectId, contents: Arc<Contents>) {
        *self.objects.slot(object.0 as usize) = Some(contents);
    }

    /// Access for writing; a shared object is copied first.
    pub fn contents_mut(&mut self, object: ObjectId) -> &mut Contents {
        let slot = self.objects.slot(object.0 as usize);
        Arc::make_mut(slot.get_or_insert_with(Default::default))
    }

    /// The objects to which these memories may have written something else, in order.
    pub fn differing(memories: &[&Memory]) -> impl Iterator<Item = ObjectId> {
        let objects: Vec<_> = memories.iter().map(|m| &m.objects).collect();
        let differing = Pages::differing(&objects).into_iter();
        differing.map(|n| ObjectId(n as u32))
    }

    /// Whether nothing was ever written.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
}

/// A part of a byte range: written (a slice of a cell) or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes `from..from+bytes` of a cell's value; the cell has `of` bytes.
    Written {
        value: Term,
        of: u32,
        from: u32,
        bytes: u32,
    },
    /// Bytes at `offset` that no cell covers.
    Gap { offset: u64, bytes: u32 },
}

/// Splits a byte range along the cells that cover it, in address order.
pub fn pieces(cells: &Cells, offset: u64, bytes: u32) -> Vec<Piece> {
    // Places before an object's start are the highest numbers: an end may be 2^64.
    let end = u128::from(offset) + u128::from(bytes);
    let mut out = Vec::new();
    let mut at = u128::from(offset);
    let first = cells
        .range(..=offset)
        .next_back()
        .map_or(offset, |(o, _)| o);
    for (start, (size, value)) in cells.range(first..) {
        let start = u128::from(start);
        let stop = start + u128::from(size);
        if start >= end {
            break;
        }
        if stop <= at {
            continue;
        }
        if start > at {
            out.push(Piece::Gap {
                offset: at as u64,
                bytes: (start - at) as u32,
            });
            at = start;
        }
        let upto = stop.min(end);
        out.push(Piece::Written {
            value,
            of: size,
            from: (at - start) as u32,
            bytes: (upto - at) as u32,
        });
        at = upto;
    }
    if at < end {
        out.push(Piece::Gap {
            offset: at as u64,
            bytes: (end - at) as u32,
        });
    }
    out
}

/// Bytes `from..from+bytes` (in memory order) of a value of `of` bytes.
pub fn slice(
    terms: &mut Terms,
    little_endian: bool,
    value: Term,
    of: u32,
    from: u32,
    bytes: u32,
) -> Term {
    if from == 0 && bytes == of {
        return value;
    }
    let low = if little_endian {
        from * 8
    } else {
        (of - from - bytes) * 8
    };
    terms.extract(low + bytes * 8 - 1, low, value)
}

/// Joins values that follow each other in memory into one.
pub fn join(terms: &mut Terms, little_endian: bool, parts: &[Term]) -> Term {
    let mut all = parts[0];
    for &part in &parts[1..] {
        all = if little_endian {
            terms.concat(part, all)
        } else {
            terms.concat(all, part)
        };
    }
    all
}

/// Writes a cell; cells that it covers in part keep their rest.
pub fn write_cell(
    terms: &mut Terms,
    little_endian: bool,
    cells: &mut Cells,
    offset: u64,
    bytes: u32,
    value: Term,
) {
    let end = u128::from(offset) + u128::from(bytes);
    let first = cells
        .range(..=offset)
        .next_back()
        .map_or(offset, |(o, _)| o);
    let overlapped: Vec<(u64, u32, Term)> = cells
        .range(first..)
        .take_while(|(o, _)| u128::from(*o) < end)
        .filter(|(o, (n, _))| *o >= offset || offset - *o < u64::from(*n))
        .map(|(o, (n, v))| (o, n, v))
        .collect();
    for (start, size, old) in overlapped {
        cells.remove(start);
        if start < offset {
            let keep = (offset - start) as u32;
            let v = slice(terms, little_endian, old, size, 0, keep);
            cells.insert(start, (keep, v));
        }
        let stop = u128::from(start) + u128::from(size);
        if stop > end {
            let keep = (stop - end) as u32;
            let v = slice(terms, little_endian, old, size, size - keep, keep);
            cells.insert(end as u64, (keep, v));
        }
    }
    cells.insert(offset, (bytes, value));
}
