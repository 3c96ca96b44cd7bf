//! What objects hold from the start, as a schedule says.

use std::collections::BTreeMap;

use super::{Machine, Object, Source};
use crate::replay::memory::{ObjectKind, to_bytes};
use crate::replay::state::{PathError, State};
use crate::trace::schedule::{LazyCell, LazyValue, ThreadNumber};

/// A lazy object, and what it is still to be given.
struct Filling<'s> {
    object: Object,
    cells: Box<dyn Iterator<Item = (&'s u64, &'s LazyCell)> + 's>,
}

impl<'s> Filling<'s> {
    fn of(object: Object, source: &'s dyn Source) -> Filling<'s> {
        let cells = source.lazy(&object.name).into_iter().flatten();
        Filling {
            cells: Box::new(cells),
            object,
        }
    }
}

impl Machine<'_> {
    /// Address of the global or function of that name.
    fn symbol(&self, name: &str) -> Option<u64> {
        let global = self.program.global_named(name);
        let global = global.map(|g| self.global_address(g));
        let function = || self.program.function_named(name);
        global.or_else(|| function().map(|f| self.function_address(f)))
    }

    /// A lazy object with its initial content; its address. Objects that its pointers lead to are made now, too, and what these lead to;
    /// nobody can tell the difference.
    pub(super) fn new_lazy(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        size: u64,
        name: String,
        source: &dyn Source,
    ) -> Result<u64, PathError> {
        let object = self.empty_lazy(state, thread, size, name)?;
        let base = object.base();
        self.fill(state, thread, object, source)?;
        Ok(base)
    }

    /// Gives an object its initial content, and adds it.
    pub(super) fn fill(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        first: Object,
        source: &dyn Source,
    ) -> Result<(), PathError> {
        // Chains of objects may be long.
        let mut open = vec![Filling::of(first, source)];
        while let Some(Filling { object, cells }) = open.last_mut() {
            let Some((offset, cell)) = cells.next() else {
                if let Some(Filling { object, .. }) = open.pop() {
                    state.memory.add(object);
                }
                continue;
            };
            let (other, beyond) = match &cell.value {
                LazyValue::Int(v) => {
                    self.put_cell(object, *offset, cell.size, *v);
                    continue;
                }
                LazyValue::Symbol(symbol, beyond) => {
                    let address = self.symbol(symbol).ok_or_else(|| {
                        PathError::Unsupported(format!("no global or function {symbol}"))
                    })?;
                    let value = address.wrapping_add(*beyond);
                    self.put_cell(object, *offset, cell.size, value);
                    continue;
                }
                LazyValue::Object => (format!("{}+{offset}", object.name), 0),
                LazyValue::Place(other, beyond) => (other.clone(), *beyond),
            };
            let known = state.memory.lazy_named(&other);
            let new = match known {
                Some(_) => None,
                None => Some(self.empty_lazy(state, thread, 0, other)?),
            };
            let address = known.or_else(|| new.as_ref().map(Object::base));
            let value = address.unwrap_or_default().wrapping_add(beyond);
            self.put_cell(object, *offset, cell.size, value);
            open.extend(new.map(|new| Filling::of(new, source)));
        }
        Ok(())
    }

    /// One that holds nothing yet.
    fn empty_lazy(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        size: u64,
        name: String,
    ) -> Result<Object, PathError> {
        let size = (size != 0).then_some(size);
        let start = self.room(state, thread, size)?;
        let mut object = Object::new(
            start,
            size,
            self.map.half_room,
            ObjectKind::Lazy,
            name.into(),
        );
        (object.made_at, object.made_by) = self.maker(state, thread);
        // What it holds may lead back to it.
        state.memory.add(object.clone());
        Ok(object)
    }

    /// The address of the lazy object of that name, made now if it is not there yet.
    pub(super) fn lazy_object(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        size: u64,
        name: String,
        source: &dyn Source,
    ) -> Result<u64, PathError> {
        match state.memory.lazy_named(&name) {
            Some(base) => Ok(base),
            None => self.new_lazy(state, thread, size, name, source),
        }
    }

    fn put_cell(&self, object: &mut Object, offset: u64, size: u32, value: u64) {
        let little_endian = self.program.layout.little_endian;
        let bytes = to_bytes(u128::from(value), size as usize, little_endian);
        object.initialise(offset as i64, &bytes);
    }

    /// Content of a heap or stack object that the inputs give.
    pub(super) fn fill_uninitialised(&self, object: &mut Object, cells: &BTreeMap<u64, LazyCell>) {
        for (offset, cell) in cells {
            if let LazyValue::Int(value) = &cell.value {
                self.put_cell(object, *offset, cell.size, *value);
            }
        }
    }
}
