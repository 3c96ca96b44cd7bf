//! Reading and writing memory in a state.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ends::EndKind;
use super::exec::{Executor, Mode, hash_of};
use super::memory::{Contents, Memory, Piece, join, pieces, slice, write_cell};
use super::objects::{Initial, ObjectId, Origin};
use super::state::State;
use super::targets::Place;
use super::windows::{holding, meets};
use crate::expr::{ArrayTerm, Term};
use crate::index::{FuncId, GlobalId, LocId};
use crate::program::{Const, Type};
use crate::trace::schedule::LazyValue;

/// A pointer of unknown origin, as a reason for `unknown`.
const UNKNOWN_POINTER: &str = "access through a pointer of unknown origin";
/// An access to the last bytes before an object and the first in it, likewise.
const ACROSS_START: &str = "access across the start of an object of unknown size";

/// Where in one object an access goes.
pub(super) struct Way {
    /// When.
    pub condition: Term,
    /// Which object.
    pub object: ObjectId,
    /// Which byte.
    pub offset: Term,
}

impl Executor<'_> {
    /// The object of a global.
    pub(super) fn global_object(&mut self, global: GlobalId) -> ObjectId {
        let g = &self.program.globals[global];
        let (size, initial) = match &g.init {
            Some(_) => (Some(g.size), Initial::Global(global)),
            // Defined elsewhere, and of a type that may not be complete here.
            None => (Some(g.size).filter(|n| *n > 0), Initial::Lazy),
        };
        self.objects.intern(Origin::Global(global), size, initial)
    }

    /// The address of a function.
    pub(super) fn function_object(&mut self, f: FuncId) -> ObjectId {
        self.objects
            .intern(Origin::Function(f), Some(1), Initial::Zero)
    }

    /// The ways that an access of `bytes` bytes through `address` can go; the state is restricted to these. `None`: no
    /// way, the path ends here.
    pub(super) fn ways(
        &mut self,
        state: &mut State,
        address: Term,
        bytes: u64,
        loc: Option<LocId>,
    ) -> Option<Vec<Way>> {
        let (ways, valid) = self.ways_if_valid(state, address, bytes, loc);
        self.only_valid(state, valid, loc)?;
        Some(ways)
    }

    /// Executions whose access is not valid end here.
    pub(super) fn only_valid(
        &mut self,
        state: &mut State,
        valid: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        let invalid = self.terms.not(valid);
        if let Some(guard) = state.guard.and(&mut self.terms, invalid) {
            self.end(&guard, EndKind::InvalidAccess, loc);
        }
        state.guard = state.guard.and(&mut self.terms, valid)?;
        Some(())
    }

    /// The ways that an access can go, and the condition that it is one of these.
    pub(super) fn ways_if_valid(
        &mut self,
        state: &State,
        address: Term,
        bytes: u64,
        loc: Option<LocId>,
    ) -> (Vec<Way>, Term) {
        let targets = self.bound_targets(address);
        let length = self.terms.constant(self.pointer_bits(), u128::from(bytes));
        let mut ways = Vec::new();
        let mut valid = self.terms.fals();
        for t in targets.iter() {
            match t.place {
                Place::Object(object, offset) => {
                    let mut condition = t.condition;
                    let freed = self.freed(&state.memory, object);
                    if let Some(freed) = freed.filter(|_| self.sees_freed()) {
                        let here = self.terms.and(condition, freed);
                        self.use_after_free(here, state);
                        let alive = self.terms.not(freed);
                        condition = self.terms.and(condition, alive);
                    }
                    let inside = self.objects.inside(&mut self.terms, object, offset, length);
                    condition = self.terms.and(condition, inside);
                    if matches!(
                        self.objects.get(self.objects.original(object)).origin,
                        Origin::Function(_) | Origin::Numbers
                    ) {
                        continue;
                    }
                    // Places before the start (container_of) are numbers of their own; nothing lies in both.
                    let first = self.terms.as_const(offset);
                    if first.is_some_and(|o| {
                        let end = o + u128::from(bytes);
                        self.pointer_bits() == 64 && end > 1 << 64
                    }) {
                        if let Some(guard) = state.guard.and(&mut self.terms, condition) {
                            self.end(&guard, EndKind::Unsupported(ACROSS_START.into()), loc);
                        }
                        continue;
                    }
                    if !self.terms.is_false(condition) {
                        valid = self.terms.or(valid, condition);
                        ways.push(Way {
                            condition,
                            object,
                            offset,
                        });
                    }
                }
                Place::Invalid(_) => {}
                Place::Unknown(_) => {
                    if let Some(guard) = state.guard.and(&mut self.terms, t.condition) {
                        self.end(&guard, EndKind::Unsupported(UNKNOWN_POINTER.into()), loc);
                    }
                    let not = self.terms.not(t.condition);
                    valid = self.terms.and(valid, not);
                }
            }
        }
        (ways, valid)
    }

    /// Reads a scalar of a type through an address. `None`: the path ends.
    pub(super) fn load(
        &mut self,
        state: &mut State,
        address: Term,
        ty: &Type,
        loc: Option<LocId>,
    ) -> Option<Term> {
        let value = self.load_word(state, address, ty, loc)?;
        if matches!(ty, Type::Ptr)
            && (self.lazy_vars.contains_key(&value) || self.indexed_words.contains_key(&value))
        {
            self.lazy_pointers.insert(value);
        }
        Some(value)
    }

    /// The same for what need not be a pointer, whatever the type says.
    pub(super) fn load_word(
        &mut self,
        state: &mut State,
        address: Term,
        ty: &Type,
        loc: Option<LocId>,
    ) -> Option<Term> {
        let bits = self.width_of(ty);
        let bytes = bits.div_ceil(8);
        let ways = self.ways(state, address, u64::from(bytes), loc)?;
        let mut value = None;
        for way in ways.iter().rev() {
            let here = match ty {
                Type::Ptr => self.read_pointer(&state.memory, way.object, way.offset),
                _ => self.read(&state.memory, way.object, way.offset, bytes),
            };
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(way.condition, here, other),
            });
        }
        let value = value?;
        Some(if bits == bytes * 8 {
            value
        } else {
            self.terms.extract(bits - 1, 0, value)
        })
    }

    /// Writes a scalar through an address. `None`: the path ends.
    pub(super) fn store(
        &mut self,
        state: &mut State,
        address: Term,
        value: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        let bits = self.terms.width(value);
        let bytes = bits.div_ceil(8);
        let value = if bits == bytes * 8 {
            value
        } else {
            self.terms.zext(bytes * 8, value)
        };
        let ways = self.ways(state, address, u64::from(bytes), loc)?;
        let single = ways.len() == 1;
        if bits == self.pointer_bits() {
            self.begin_store(state);
        }
        for way in ways {
            let condition = if single {
                self.terms.tru()
            } else {
                way.condition
            };
            self.write(&mut state.memory, way.object, way.offset, value, condition);
        }
        self.end_store();
        Some(())
    }

    /// Reads a pointer.
    pub(super) fn read_pointer(&mut self, memory: &Memory, object: ObjectId, offset: Term) -> Term {
        let bytes = self.program.layout.pointer_bytes;
        let plain = self.read(memory, object, offset, bytes);
        let written = matches!(
            memory.written(object).map(Arc::as_ref),
            Some(Contents::Array(_) | Contents::Windows(..))
        );
        if !self.in_bytes(plain) || !(written || self.objects.get(object).lazy_array.is_some()) {
            return plain;
        }
        let array = self.array_near(memory, object, offset, bytes);
        let index = self.index64(offset, 0);
        self.word(array, index)
    }

    /// Reads `bytes` bytes at a symbolic offset.
    pub(super) fn read(
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

    pub(super) fn select_bytes(&mut self, array: ArrayTerm, offset: Term, bytes: u32) -> Term {
        let parts: Vec<Term> = (0..bytes)
            .map(|i| {
                let index = self.index64(offset, i);
                self.terms.select(array, index)
            })
            .collect();
        join(&mut self.terms, self.program.layout.little_endian, &parts)
    }

    pub(super) fn index64(&mut self, offset: Term, plus: u32) -> Term {
        let wide = self.terms.zext(64, offset);
        let plus = self.terms.constant(64, u128::from(plus));
        self.terms.add(wide, plus)
    }

    /// Reads `bytes` bytes at a constant offset.
    pub(super) fn read_at(
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
                    if let Some((n, v)) = cells.get(&offset)
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

    /// The content of an object before any write.
    pub(super) fn initial(&mut self, object: ObjectId, offset: u64, bytes: u32) -> Term {
        match self.objects.get(object).initial {
            Initial::Zero => self.terms.constant(bytes * 8, 0),
            Initial::Global(g) => self.global_initial(g, offset, bytes),
            Initial::Arbitrary | Initial::Lazy => self.chosen_initial(object, offset, bytes),
        }
    }

    pub(super) fn global_initial(&mut self, g: GlobalId, offset: u64, bytes: u32) -> Term {
        let program = self.program;
        let cells = program.globals[g].init.as_deref().unwrap_or_default();
        let end = offset + u64::from(bytes);
        let mut covered = BTreeMap::new();
        let first = cells.partition_point(|c| c.offset + u64::from(c.size) <= offset);
        for c in cells[first..].iter().take_while(|c| c.offset < end) {
            let value = match &c.value {
                Const::Unsupported(_, what) => {
                    self.refuse_constant(what);
                    self.terms.constant(c.size * 8, 0)
                }
                scalar => match self.constant(scalar) {
                    super::state::Value::Scalar(v) => self.terms.zext(c.size * 8, v),
                    super::state::Value::Tuple(_) => {
                        self.refuse_constant("aggregate in an initialiser");
                        self.terms.constant(c.size * 8, 0)
                    }
                },
            };
            covered.insert(c.offset, (c.size, value));
        }
        let little = self.program.layout.little_endian;
        let parts: Vec<Term> = pieces(&covered, offset, bytes)
            .into_iter()
            .map(|p| match p {
                Piece::Written {
                    value,
                    of,
                    from,
                    bytes,
                } => slice(&mut self.terms, little, value, of, from, bytes),
                Piece::Gap { bytes, .. } => self.terms.constant(bytes * 8, 0),
            })
            .collect();
        join(&mut self.terms, little, &parts)
    }

    /// Arbitrary initial content: chosen once per place, the same for all states.
    fn chosen_initial(&mut self, object: ObjectId, offset: u64, bytes: u32) -> Term {
        if let Some(array) = self.objects.get(object).lazy_array {
            let at = self.terms.constant(self.pointer_bits(), u128::from(offset));
            return self.select_bytes(array, at, bytes);
        }
        let little = self.program.layout.little_endian;
        let parts: Vec<Term> = pieces(&self.objects.get(object).lazy_cells.clone(), offset, bytes)
            .into_iter()
            .map(|p| match p {
                Piece::Written {
                    value,
                    of,
                    from,
                    bytes,
                } => slice(&mut self.terms, little, value, of, from, bytes),
                Piece::Gap { offset, bytes } => {
                    let value = self.new_lazy_cell(object, offset, bytes);
                    self.objects
                        .get_mut(object)
                        .lazy_cells
                        .insert(offset, (bytes, value));
                    value
                }
            })
            .collect();
        join(&mut self.terms, little, &parts)
    }

    pub(super) fn new_lazy_cell(&mut self, object: ObjectId, offset: u64, bytes: u32) -> Term {
        let key = hash_of(&("cell", self.object_key(object), offset, bytes));
        if let Mode::Concrete(model) = &self.mode {
            let model = model.clone();
            let little = self.program.layout.little_endian;
            if let Some((origin, beyond)) = model.symbol(self.object_key(object), offset, bytes) {
                return self.symbol_cell((object, offset, bytes), origin, beyond);
            }
            if let Some((name, beyond)) = model.place(self.object_key(object), offset, bytes)
                && let Some(other) = self.object_of_key(name)
            {
                return self.place_cell((object, offset, bytes), other, beyond);
            }
            let (value, is_pointer) = model.initial(self.object_key(object), offset, bytes, little);
            // A guess is nothing that comes from outside.
            if matches!(self.objects.get(object).origin, Origin::Copy(..)) {
                return self.terms.constant(bytes * 8, value);
            }
            let term = if is_pointer {
                let child = self
                    .objects
                    .intern(Origin::Child(object, offset), None, Initial::Lazy);
                self.objects.address(&mut self.terms, child)
            } else {
                self.terms.constant(bytes * 8, value)
            };
            let told = match is_pointer {
                true => LazyValue::Object,
                false => LazyValue::Int(value as u64),
            };
            self.journal_cell(object, offset, bytes, told);
            return term;
        }
        if let Some(&var) = self.inputs.get(&key) {
            return var;
        }
        let var = self.terms.fresh(bytes * 8, "initial");
        self.inputs.insert(key, var);
        if self.objects.get(object).initial == Initial::Lazy {
            self.lazy_vars.insert(var, (object, offset));
        }
        self.note_guess(var, object, offset);
        var
    }

    /// Writes at a symbolic offset, where the condition holds.
    pub(super) fn write(
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
    pub(super) fn write_at(
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
