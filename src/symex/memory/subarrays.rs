//! Arrays in objects: where an index is not constant but its range is known, the part of the object that it stays in becomes an array
//! of bytes, and the rest remains cells. The private data of a driver holds its rings among everything else.
//!
//! The array of a window is that of the whole object, as far as it is read: its bytes are at their offsets in the object, and what it
//! holds outside the window says nothing.

use std::sync::Arc;

use crate::expr::{ArrayTerm, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::memory::cells::Cells;
use crate::symex::memory::objects::{Initial, ObjectId};
use crate::symex::memory::store::{Contents, Memory, slice};

/// Where the windows are that several contents have in common, and of each content the cells beside them and its arrays.
pub(in crate::symex) type InCommon = (Vec<Range>, Vec<(Cells, Vec<ArrayTerm>)>);

/// The first byte, and the one after the last.
type Range = (u64, u64);

/// A window is not larger than this.
const MAX_BYTES: u64 = 1 << 16;

/// A part of an object that is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first byte.
    pub start: u64,
    /// The one after its last.
    pub end: u64,
    /// Its bytes.
    pub array: ArrayTerm,
}

impl Window {
    /// Whether all of these bytes are in it.
    pub fn holds(&self, (from, to): (u64, u64)) -> bool {
        self.start <= from && to <= self.end
    }

    /// Whether one of them is.
    pub fn meets(&self, (from, to): (u64, u64)) -> bool {
        self.start < to && from < self.end
    }
}

/// Whether one of these bytes is in a window.
pub(in crate::symex) fn meets(windows: &[Window], offset: u64, bytes: u32) -> bool {
    let range = (offset, offset.saturating_add(bytes.into()));
    windows.iter().any(|w| w.meets(range))
}

/// The window that all of these bytes are in.
pub(in crate::symex) fn holding(windows: &[Window], offset: u64, bytes: u32) -> Option<usize> {
    let range = (offset, offset.saturating_add(bytes.into()));
    windows.iter().position(|w| w.holds(range))
}

/// The cells that have one of these bytes.
fn cells_in(cells: &Cells, (from, to): (u64, u64)) -> impl Iterator<Item = (u64, u32, Term)> {
    // Cells have 16 bytes at most.
    let near = cells.range(from.saturating_sub(16)..to);
    near.map(|(start, (bytes, value))| (start, bytes, value))
        .filter(move |(start, bytes, _)| start.saturating_add(u64::from(*bytes)) > from)
}

impl Executor<'_> {
    /// An array that holds what an object does, at the places where an access may be.
    pub(in crate::symex) fn array_near(
        &mut self,
        memory: &Memory,
        object: ObjectId,
        offset: Term,
        bytes: u32,
    ) -> ArrayTerm {
        if let Some(Contents::Windows(cells, windows)) = memory.written(object).map(Arc::as_ref)
            && let Some(range) = self.terms.bytes_of(offset, bytes)
        {
            if let Some(window) = windows.iter().find(|w| w.holds(range)) {
                return window.array;
            }
            if !windows.iter().any(|w| w.meets(range)) {
                return self.array_of(object, cells, range);
            }
        }
        self.as_array(memory, object)
    }

    /// The initial content, and of the cells those that have bytes in the range.
    pub(in crate::symex) fn array_of(
        &mut self,
        object: ObjectId,
        cells: &Cells,
        range: (u64, u64),
    ) -> ArrayTerm {
        let mut array = self.initial_array(object);
        for (start, _, value) in cells_in(cells, range) {
            let at = self.terms.constant(self.pointer_bits(), u128::from(start));
            array = self.store_bytes(array, at, value);
        }
        array
    }

    /// The content of an object with a window around a write, and which that is. `None`: the whole object is to be an array.
    pub(in crate::symex) fn with_window(
        &mut self,
        memory: &Memory,
        object: ObjectId,
        offset: Term,
        bytes: u32,
    ) -> Option<(Cells, Vec<Window>, usize)> {
        let range = self.terms.bytes_of(offset, bytes)?;
        let (mut cells, mut windows) = match memory.written(object).map(Arc::as_ref) {
            None => (Cells::new(), Vec::new()),
            Some(Contents::Cells(cells)) => (cells.clone(), Vec::new()),
            Some(Contents::Windows(cells, windows)) => (cells.clone(), windows.clone()),
            Some(Contents::Array(_)) => return None,
        };
        if let Some(n) = windows.iter().position(|w| w.holds(range)) {
            return Some((cells, windows, n));
        }
        let size = self.objects.get(object).size;
        // Whole elements: other fields of the same are accessed, too.
        let around = self
            .terms
            .stride_of(offset)
            .map_or(0, |(s, _)| s.saturating_sub(1));
        let mut start = range.0.saturating_sub(around);
        let mut end = range.1.checked_add(around)?;
        end = size.map_or(end, |size| end.min(size.max(range.1)));
        for (first, bytes, _) in cells_in(&cells, (start, end)).collect::<Vec<_>>() {
            start = start.min(first);
            end = end.max(first + u64::from(bytes));
        }
        let range = (start, end);
        if end - start > MAX_BYTES
            || size.is_some_and(|size| end - start >= size)
            || windows.iter().any(|w| w.meets(range))
        {
            return None;
        }
        let array = self.array_of(object, &cells, range);
        cells.retain(|at| !(start..end).contains(&at));
        let n = windows.partition_point(|w| w.start < start);
        windows.insert(n, Window { start, end, array });
        Some((cells, windows, n))
    }

    /// The windows that several contents of one object come to have in common, or `None` if they do not fit each other. Of each content
    /// the cells beside them, and its arrays, window by window.
    pub(in crate::symex) fn windows_of(
        &mut self,
        object: ObjectId,
        contents: &[(&Cells, &[Window])],
    ) -> Option<InCommon> {
        let all = contents.iter().flat_map(|(_, w)| w.iter());
        let mut ranges: Vec<(u64, u64)> = all.map(|w| (w.start, w.end)).collect();
        ranges.sort_unstable();
        ranges.dedup();
        if ranges.windows(2).any(|pair| pair[1].0 < pair[0].1) {
            return None;
        }
        let mut each = Vec::new();
        for (cells, windows) in contents {
            let mut beside = (*cells).clone();
            let mut arrays = Vec::new();
            for &(start, end) in &ranges {
                let own = windows.iter().find(|w| w.start == start);
                if let Some(window) = own {
                    arrays.push(window.array);
                    continue;
                }
                let within = |(first, bytes, _): (u64, u32, Term)| {
                    first >= start && first + u64::from(bytes) <= end
                };
                if !cells_in(cells, (start, end)).all(within) {
                    return None;
                }
                arrays.push(self.array_of(object, cells, (start, end)));
                beside.retain(|at| !(start..end).contains(&at));
            }
            each.push((beside, arrays));
        }
        Some((ranges, each))
    }

    pub(in crate::symex) fn store_bytes(
        &mut self,
        mut array: ArrayTerm,
        offset: Term,
        value: Term,
    ) -> ArrayTerm {
        let bytes = self.terms.width(value) / 8;
        for i in 0..bytes {
            let byte = slice(
                &mut self.terms,
                self.program.layout.little_endian,
                value,
                bytes,
                i,
                1,
            );
            let index = self.terms.index64(offset, i);
            array = self.terms.store(array, index, byte);
        }
        array
    }

    /// The whole object as an array.
    pub(in crate::symex) fn as_array(&mut self, memory: &Memory, object: ObjectId) -> ArrayTerm {
        let (cells, windows) = match memory.written(object).map(Arc::as_ref) {
            Some(Contents::Array(array)) => return *array,
            Some(Contents::Cells(cells)) => (cells.clone(), Vec::new()),
            Some(Contents::Windows(cells, windows)) => (cells.clone(), windows.clone()),
            None => Default::default(),
        };
        let mut array = self.array_of(object, &cells, (0, u64::MAX));
        for window in windows {
            for offset in window.start..window.end {
                let at = self.terms.constant(64, u128::from(offset));
                let byte = self.terms.select(window.array, at);
                array = self.terms.store(array, at, byte);
            }
        }
        array
    }

    pub(in crate::symex) fn initial_array(&mut self, object: ObjectId) -> ArrayTerm {
        if let Some(array) = self.objects.get(object).lazy_array {
            return array;
        }
        let mut array = match self.objects.get(object).initial {
            Initial::Zero | Initial::Global(_) => {
                let zero = self.terms.constant(8, 0);
                self.terms.array_const(zero)
            }
            Initial::Arbitrary | Initial::Lazy => {
                let key = self.object_key(object);
                match self.chosen.array_inputs.get(&key) {
                    Some(array) => *array,
                    None => {
                        let array = self.terms.array_fresh("initial");
                        self.chosen.array_inputs.insert(key, array);
                        self.chosen.array_objects.insert(array, object);
                        array
                    }
                }
            }
        };
        let cells: Vec<(u64, Term)> = match self.objects.get(object).initial {
            Initial::Global(g) => {
                let program = self.program;
                let init = program.globals[g].init.as_deref().unwrap_or_default();
                init.iter()
                    .map(|c| (c.offset, self.global_initial(g, c.offset, c.size)))
                    .collect()
            }
            _ => self
                .objects
                .get(object)
                .lazy_cells
                .iter()
                .map(|(o, (_, v))| (o, v))
                .collect(),
        };
        for (offset, value) in cells {
            let at = self.terms.constant(self.pointer_bits(), u128::from(offset));
            array = self.store_bytes(array, at, value);
        }
        self.objects.get_mut(object).lazy_array = Some(array);
        array
    }
}

impl Terms {
    /// The bytes in which an access is, if they are known and not many.
    fn bytes_of(&self, offset: Term, bytes: u32) -> Option<(u64, u64)> {
        let facts = self.facts(offset);
        let from = u64::try_from(facts.min).ok()?;
        let to = u64::try_from(facts.max).ok()?.checked_add(bytes.into())?;
        (to - from <= MAX_BYTES).then_some((from, to))
    }
}
