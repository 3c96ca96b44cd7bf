//! Reading and writing an object in a state.

use std::sync::Arc;

use crate::expr::{ArrayTerm, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::store::{Contents, Memory, Piece, join, pieces, slice, write_cell};
use crate::symex::memory::subarrays::{holding, meets};

impl Executor<'_> {
    /// Reads a pointer.
    pub(in crate::symex) fn read_pointer(
        &mut self,
        memory: &Memory,
        object: ObjectId,
        offset: Term,
    ) -> Term {
        let bytes = self.program.layout.pointer_bytes;
        let plain = self.read(memory, object, offset, bytes);
        let written = matches!(
            memory.written(object).map(Arc::as_ref),
            Some(Contents::Array(_) | Contents::Windows(..))
        );
        if !self.terms.in_bytes(plain)
            || !(written || self.objects.get(object).lazy_array.is_some())
        {
            return plain;
        }
        let array = self.array_near(memory, object, offset, bytes);
        let index = self.terms.index64(offset, 0);
        self.word(array, index)
    }

    /// Reads `bytes` bytes at a symbolic offset.
    pub(in crate::symex) fn read(
        &mut self,
        memory: &Memory,
        object: ObjectId,
        offset: Term,
        bytes: u32,
    ) -> Term {
        if let Some(o) = self.terms.as_const(offset) {
            return self.read_at(memory, object, o as u64, bytes);
        }
        if let Some(offsets) = self.possible_offsets(object, offset, bytes) {
            let mut value = None;
            for o in offsets {
                let here = self.read_at(memory, object, o, bytes);
                let constant = self.terms.constant(self.pointer_bits(), u128::from(o));
                let hit = self.terms.eq(offset, constant);
                value = Some(match value {
                    None => here,
                    Some(other) => self.terms.ite(hit, here, other),
                });
            }
            if let Some(value) = value {
                return value;
            }
        }
        let array = self.array_near(memory, object, offset, bytes);
        self.select_bytes(array, offset, bytes)
    }

    pub(in crate::symex) fn select_bytes(
        &mut self,
        array: ArrayTerm,
        offset: Term,
        bytes: u32,
    ) -> Term {
        let parts: Vec<Term> = (0..bytes)
            .map(|i| {
                let index = self.terms.index64(offset, i);
                self.terms.select(array, index)
            })
            .collect();
        join(&mut self.terms, self.program.layout.little_endian, &parts)
    }

    /// Reads `bytes` bytes at a constant offset.
    pub(in crate::symex) fn read_at(
        &mut self,
        memory: &Memory,
        object: ObjectId,
        offset: u64,
        bytes: u32,
    ) -> Term {
        match memory.written(object).cloned() {
            None => self.initial(object, offset, bytes),
            Some(contents) => match contents.as_ref() {
                Contents::Windows(_, windows) if meets(windows, offset, bytes) => {
                    let at = self.terms.constant(self.pointer_bits(), u128::from(offset));
                    if let Some(n) = holding(windows, offset, bytes) {
                        return self.select_bytes(windows[n].array, at, bytes);
                    }
                    let each = (0..u64::from(bytes))
                        .map(|i| self.read_at(memory, object, offset.wrapping_add(i), 1));
                    let parts: Vec<Term> = each.collect();
                    join(&mut self.terms, self.program.layout.little_endian, &parts)
                }
                Contents::Cells(cells) | Contents::Windows(cells, _) => {
                    if let Some((n, v)) = cells.get(offset)
                        && *n == bytes
                    {
                        return *v;
                    }
                    let little = self.program.layout.little_endian;
                    let parts: Vec<Term> = pieces(cells, offset, bytes)
                        .into_iter()
                        .map(|p| match p {
                            Piece::Written {
                                value,
                                of,
                                from,
                                bytes,
                            } => slice(&mut self.terms, little, value, of, from, bytes),
                            Piece::Gap { offset, bytes } => self.initial(object, offset, bytes),
                        })
                        .collect();
                    join(&mut self.terms, little, &parts)
                }
                Contents::Array(array) => {
                    let at = self.terms.constant(self.pointer_bits(), u128::from(offset));
                    self.select_bytes(*array, at, bytes)
                }
            },
        }
    }

    /// Writes at a symbolic offset, where the condition holds.
    pub(in crate::symex) fn write(
        &mut self,
        memory: &mut Memory,
        object: ObjectId,
        offset: Term,
        value: Term,
        condition: Term,
    ) {
        let bytes = self.terms.width(value) / 8;
        if let Some(o) = self.terms.as_const(offset) {
            return self.write_at(memory, object, o as u64, value, condition);
        }
        self.note_scattered(object);
        if let Some(offsets) = self.possible_offsets(object, offset, bytes) {
            for o in offsets {
                let constant = self.terms.constant(self.pointer_bits(), u128::from(o));
                let hit = self.terms.eq(offset, constant);
                let condition = self.terms.and(condition, hit);
                if !self.terms.is_false(condition) {
                    self.write_at(memory, object, o, value, condition);
                }
            }
            return;
        }
        if let Some((cells, mut windows, n)) = self.with_window(memory, object, offset, bytes) {
            let old = windows[n].array;
            let new = self.store_bytes(old, offset, value);
            windows[n].array = self.terms.array_ite(condition, new, old);
            memory.set(object, Contents::Windows(cells, windows));
            return;
        }
        let old = self.as_array(memory, object);
        let new = self.store_bytes(old, offset, value);
        let array = self.terms.array_ite(condition, new, old);
        memory.set(object, Contents::Array(array));
    }

    /// Writes at a constant offset, where the condition holds.
    pub(in crate::symex) fn write_at(
        &mut self,
        memory: &mut Memory,
        object: ObjectId,
        offset: u64,
        value: Term,
        condition: Term,
    ) {
        let bytes = self.terms.width(value) / 8;
        self.note_stored(object, offset, value);
        let value = if self.terms.is_true(condition) {
            value
        } else {
            let old = match bytes == self.program.layout.pointer_bytes {
                true => {
                    let at = self.terms.constant(self.pointer_bits(), u128::from(offset));
                    self.read_pointer(memory, object, at)
                }
                false => self.read_at(memory, object, offset, bytes),
            };
            self.terms.ite(condition, value, old)
        };
        let at = self.terms.constant(self.pointer_bits(), u128::from(offset));
        let array = match memory.written(object).map(Arc::as_ref) {
            Some(Contents::Array(array)) => Some(*array),
            Some(Contents::Windows(cells, windows)) if meets(windows, offset, bytes) => {
                if let Some(n) = holding(windows, offset, bytes) {
                    let (cells, mut windows) = (cells.clone(), windows.clone());
                    windows[n].array = self.store_bytes(windows[n].array, at, value);
                    memory.set(object, Contents::Windows(cells, windows));
                    return;
                }
                Some(self.as_array(memory, object))
            }
            _ => None,
        };
        if let Some(array) = array {
            let array = self.store_bytes(array, at, value);
            memory.set(object, Contents::Array(array));
            return;
        }
        let little = self.program.layout.little_endian;
        if let Contents::Cells(cells) | Contents::Windows(cells, _) = memory.contents_mut(object) {
            write_cell(&mut self.terms, little, cells, offset, bytes, value);
        }
    }
}

impl Terms {
    pub(in crate::symex) fn index64(&mut self, offset: Term, plus: u32) -> Term {
        let wide = self.zext(64, offset);
        let plus = self.constant(64, u128::from(plus));
        self.add(wide, plus)
    }
}
