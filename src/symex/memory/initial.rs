//! What objects hold before anything is written.

use crate::expr::Term;
use crate::index::GlobalId;
use crate::program::Const;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::values::hash_of;
use crate::symex::memory::cells::Cells;
use crate::symex::memory::objects::{Initial, ObjectId, Origin};
use crate::symex::memory::store::{Piece, join, pieces, slice};
use crate::trace::schedule::{LazyCell, LazyValue};

impl Executor<'_> {
    /// The content of an object before any write.
    pub(in crate::symex) fn initial(&mut self, object: ObjectId, offset: u64, bytes: u32) -> Term {
        match self.objects.get(object).initial {
            Initial::Zero => self.terms.constant(bytes * 8, 0),
            Initial::Global(g) => self.global_initial(g, offset, bytes),
            Initial::Arbitrary | Initial::Lazy => self.chosen_initial(object, offset, bytes),
        }
    }

    pub(in crate::symex) fn global_initial(
        &mut self,
        g: GlobalId,
        offset: u64,
        bytes: u32,
    ) -> Term {
        let program = self.program;
        let cells = program.globals[g].init.as_deref().unwrap_or_default();
        let end = offset + u64::from(bytes);
        let mut covered = Cells::new();
        let first = cells.partition_point(|c| c.offset + u64::from(c.size) <= offset);
        for c in cells[first..].iter().take_while(|c| c.offset < end) {
            let value = match &c.value {
                Const::Unsupported(_, what) => {
                    self.refuse_constant(what);
                    self.terms.constant(c.size * 8, 0)
                }
                scalar => match self.constant(scalar) {
                    crate::symex::machine::state::Value::Scalar(v) => {
                        self.terms.zext(c.size * 8, v)
                    }
                    crate::symex::machine::state::Value::Tuple(_) => {
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

    pub(in crate::symex) fn new_lazy_cell(
        &mut self,
        object: ObjectId,
        offset: u64,
        bytes: u32,
    ) -> Term {
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
        if let Some(&var) = self.chosen.inputs.get(&key) {
            return var;
        }
        let var = self.terms.fresh(bytes * 8, "initial");
        self.chosen.inputs.insert(key, var);
        if self.objects.get(object).initial == Initial::Lazy {
            self.chosen.lazy_vars.insert(var, (object, offset));
        }
        self.note_guess(var, object, offset);
        var
    }

    fn object_name(&self, object: ObjectId) -> String {
        if let Some(name) = self.journal.names.get(&object) {
            return name.clone();
        }
        match self.objects.get(object).origin {
            Origin::Child(parent, offset) => format!("{}+{offset}", self.object_name(parent)),
            Origin::Indexed(parent, _) => format!("{}+?", self.object_name(parent)),
            Origin::Global(g) => format!("@{}", self.program.globals[g].name),
            Origin::Function(_) | Origin::Instance(_) | Origin::Copy(..) | Origin::Numbers => {
                String::new()
            }
        }
    }

    pub(in crate::symex) fn journal_cell(
        &mut self,
        object: ObjectId,
        offset: u64,
        bytes: u32,
        value: LazyValue,
    ) {
        let name = self.object_name(object);
        let map = match self.objects.get(object).initial {
            Initial::Lazy => &mut self.journal.inputs.lazy,
            _ => &mut self.journal.inputs.uninitialised,
        };
        map.entry(name)
            .or_default()
            .insert(offset, LazyCell { size: bytes, value });
    }

    /// In a concrete run: a cell that leads to another object that is made up.
    pub(in crate::symex) fn place_cell(
        &mut self,
        (object, offset, bytes): (ObjectId, u64, u32),
        other: ObjectId,
        beyond: u64,
    ) -> Term {
        let name = self.object_name(other);
        let address = self.objects.get(other).base.wrapping_add(beyond);
        self.journal_cell(object, offset, bytes, LazyValue::Place(name, beyond));
        self.terms.constant(bytes * 8, u128::from(address))
    }

    /// In a concrete run: a cell that leads to a global or function. (Its address is another number than in the symbolic run.)
    pub(in crate::symex) fn symbol_cell(
        &mut self,
        (object, offset, bytes): (ObjectId, u64, u32),
        origin: Origin,
        beyond: u64,
    ) -> Term {
        let (of, name) = match origin {
            Origin::Function(f) => {
                let name = self.program.functions[f].name.clone();
                (self.function_object(f), name)
            }
            Origin::Global(g) => (self.global_object(g), self.program.globals[g].name.clone()),
            _ => unreachable!("only these are symbols"),
        };
        let address = self.objects.get(of).base.wrapping_add(beyond);
        self.journal_cell(object, offset, bytes, LazyValue::Symbol(name, beyond));
        self.terms.constant(bytes * 8, u128::from(address))
    }
}
