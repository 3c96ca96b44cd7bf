//! A model of a symbolic run, in a form in which a concrete run can ask for its inputs by name.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;

use super::exec::Executor;
use super::objects::{Initial, ObjectId, Origin};
use crate::expr::{ArrayNode, ArrayTerm, Assignment, Term, Terms};

/// Cells by offset, each with its bytes and value, and the array for the rest.
type InitialContent = (BTreeMap<u64, (u32, Term)>, Option<ArrayTerm>);

/// A model, and what is needed to read it.
pub struct Model {
    values: Assignment,
    /// The variable of each dynamic input.
    pub(super) inputs: FxHashMap<u64, Term>,
    /// Initial content of objects, by their keys.
    initial: FxHashMap<u64, InitialContent>,
    /// Variables that were used as pointers to an object of their own.
    bound: FxHashMap<Term, ObjectId>,
    /// Variables that were read as pointers and lead to no object of their own: where among globals and functions each leads.
    symbols: FxHashMap<Term, (Origin, u64)>,
    terms: Terms,
    /// The numbers of the switch points.
    pub(super) switch_points: FxHashMap<u64, u32>,
    /// Whether the symbolic run scheduled in lanes (its switches have names of their own).
    pub(super) lanes: bool,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({} inputs)", self.inputs.len())
    }
}

impl Model {
    /// The model that an assignment to the variables of a run is.
    pub fn new(run: &Executor<'_>, values: Assignment, lanes: bool) -> Model {
        let mut initial = FxHashMap::default();
        for n in 0..run.objects.len() {
            let id = ObjectId(n as u32);
            let object = run.objects.get(id);
            if matches!(object.initial, Initial::Lazy | Initial::Arbitrary) {
                let key = run.object_key(id);
                initial.insert(
                    key,
                    (
                        object.lazy_cells.clone(),
                        run.array_inputs.get(&key).copied(),
                    ),
                );
            }
        }
        let mut symbols = FxHashMap::default();
        for var in run.lazy_pointers.iter() {
            let value = run.terms.var_of(*var).map_or(0, |v| values.value(v));
            if let Some(place) = run.objects.symbol_at(value as u64)
                && !run.objects.bound.contains_key(var)
            {
                symbols.insert(*var, place);
            }
        }
        Model {
            symbols,
            values,
            inputs: run.inputs.clone(),
            initial,
            bound: run.objects.bound.clone(),
            terms: run.terms.clone(),
            switch_points: run.switch_points.clone(),
            lanes,
        }
    }

    /// The value of a variable of the symbolic run.
    pub(super) fn value(&self, var: Term) -> u128 {
        self.terms.var_of(var).map_or(0, |v| self.values.value(v))
    }

    /// The global or function that such a cell of an object leads to, and how far beyond its start, if it is read as a pointer to one.
    pub(super) fn symbol(&self, object: u64, offset: u64, bytes: u32) -> Option<(Origin, u64)> {
        let (cells, _) = self.initial.get(&object)?;
        let (_, var) = cells.get(&offset).filter(|(n, _)| *n == bytes)?;
        self.symbols.get(var).copied()
    }

    /// Initial content of an object, and whether it is the address of an object of its own.
    pub(super) fn initial(
        &self,
        object: u64,
        offset: u64,
        bytes: u32,
        little_endian: bool,
    ) -> (u128, bool) {
        let Some((cells, array)) = self.initial.get(&object) else {
            return (0, false);
        };
        if let Some((n, var)) = cells.get(&offset)
            && *n == bytes
        {
            let value = self.value(*var);
            return (value, value != 0 && self.bound.contains_key(var));
        }
        let mut value = 0u128;
        for i in 0..bytes {
            let byte = u128::from(self.byte(cells, *array, offset + u64::from(i), little_endian));
            let shift = if little_endian {
                i * 8
            } else {
                (bytes - 1 - i) * 8
            };
            value |= byte << shift;
        }
        (value, false)
    }

    fn byte(
        &self,
        cells: &BTreeMap<u64, (u32, Term)>,
        array: Option<ArrayTerm>,
        at: u64,
        little_endian: bool,
    ) -> u8 {
        if let Some((start, (n, var))) = cells.range(..=at).next_back()
            && at - start < u64::from(*n)
        {
            let from = (at - start) as u32;
            let shift = if little_endian {
                from * 8
            } else {
                (n - 1 - from) * 8
            };
            return (self.value(*var) >> shift) as u8;
        }
        match array.map(|a| self.terms.array_node(a)) {
            Some(ArrayNode::Var(v)) => self.values.arrays.get(v).map_or(0, |a| a.byte(at)),
            _ => 0,
        }
    }
}
