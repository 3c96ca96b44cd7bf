//! What objects hold from the start, as a schedule says.

use std::collections::BTreeMap;

use super::{Machine, Object, Source};
use crate::replay::memory::to_bytes;
use crate::replay::state::{PathError, State};
use crate::trace::schedule::{LazyCell, LazyValue, ThreadNumber};

impl Machine<'_> {
    /// Address of the global or function of that name.
    fn symbol(&self, name: &str) -> Option<u64> {
        let global = self.program.global_named(name);
        let global = global.map(|g| self.global_address(g));
        let function = || self.program.function_named(name);
        global.or_else(|| function().map(|f| self.function_address(f)))
    }

    /// Gives a lazy object its initial content. Objects that its pointers lead to are made now; nobody can tell the difference.
    pub(super) fn fill_lazy(
        &self,
        state: &mut State,
        thread: ThreadNumber,
        object: &mut Object,
        source: &dyn Source,
    ) -> Result<(), PathError> {
        let name = object.name.clone();
        let Some(cells) = source.lazy(&name) else {
            return Ok(());
        };
        for (offset, cell) in cells {
            let value = match &cell.value {
                LazyValue::Int(v) => *v,
                LazyValue::Symbol(symbol, beyond) => {
                    let address = self.symbol(symbol).ok_or_else(|| {
                        PathError::Unsupported(format!("no global or function {symbol}"))
                    })?;
                    address.wrapping_add(*beyond)
                }
                LazyValue::Object => {
                    let inner = format!("{name}+{offset}");
                    self.lazy_object(state, thread, 0, inner, source)?
                }
                LazyValue::Place(other, beyond) => {
                    let base = self.lazy_object(state, thread, 0, other.clone(), source)?;
                    base.wrapping_add(*beyond)
                }
            };
            self.put_cell(object, *offset, cell.size, value);
        }
        Ok(())
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
