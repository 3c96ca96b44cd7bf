//! A model of a symbolic run, in a form in which a concrete run can ask for its inputs by name.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::expr::{ArrayNode, ArrayTerm, Assignment, Evaluator, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::values::hash_of;
use crate::symex::memory::cells::Cells;
use crate::symex::memory::objects::{Initial, ObjectId, Origin};

/// Cells by offset, each with its bytes and value, and the array for the rest.
type InitialContent = (Cells, Option<ArrayTerm>);

/// A model, and what is needed to read it.
pub struct Model {
    values: Assignment,
    /// The variable of each dynamic input.
    pub(in crate::symex) inputs: FxHashMap<u64, Term>,
    /// Initial content of objects, by their keys.
    initial: FxHashMap<u64, InitialContent>,
    /// Variables that were used as pointers to an object of their own.
    bound: FxHashMap<Term, ObjectId>,
    /// Places at an index that hold the address of an object of their own, by the key of the object that they are in.
    indexed: FxHashMap<(u64, u64), u128>,
    /// Variables that were read as pointers and lead to no object of their own: where among globals and functions each leads.
    symbols: FxHashMap<Term, (Origin, u64)>,
    /// The same for other objects that are made up, by their keys.
    places: FxHashMap<Term, (u64, u64)>,
    terms: Terms,
    pointer_bytes: u32,
    /// The numbers of the switch points.
    pub(in crate::symex) switch_points: FxHashMap<u64, u32>,
    /// Whether the symbolic run scheduled in lanes (its switches have names of their own).
    pub(in crate::symex) lanes: bool,
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
        let (names, indexed) = names(run, &values);
        for (n, name) in names.iter().enumerate() {
            let id = ObjectId(n as u32);
            let object = run.objects.get(id);
            if matches!(object.initial, Initial::Lazy | Initial::Arbitrary)
                && let Some(name) = *name
            {
                let array = run.chosen.array_inputs.get(&run.object_key(id)).copied();
                initial.insert(name, (object.lazy_cells.clone(), array));
            }
        }
        let mut symbols = FxHashMap::default();
        let mut places = FxHashMap::default();
        for var in run.chosen.lazy_pointers.iter() {
            let value = run.terms.var_of(*var).map_or(0, |v| values.value(v));
            let leads = run.objects.bound.get(var);
            let own = leads.filter(|o| !matches!(run.objects.get(**o).origin, Origin::Function(_)));
            if value == 0 || own.is_some() {
                continue;
            }
            if let Some(place) = run.objects.symbol_at(value as u64) {
                symbols.insert(*var, place);
            } else if let Some((object, beyond)) = run.objects.lazy_at(value as u64)
                && let Some(name) = names[object.0 as usize]
            {
                places.insert(*var, (name, beyond));
            }
        }
        Model {
            symbols,
            places,
            values,
            inputs: run.chosen.inputs.clone(),
            initial,
            bound: run.objects.bound.clone(),
            indexed,
            terms: run.terms.clone(),
            pointer_bytes: run.program().layout.pointer_bytes,
            switch_points: run.chosen.switch_points.clone(),
            lanes,
        }
    }

    /// The value of a variable of the symbolic run.
    pub(in crate::symex) fn value(&self, var: Term) -> u128 {
        self.terms.var_of(var).map_or(0, |v| self.values.value(v))
    }

    /// The global or function that such a cell of an object leads to, and how far beyond its start, if it is read as a pointer to one.
    pub(in crate::symex) fn symbol(
        &self,
        object: u64,
        offset: u64,
        bytes: u32,
    ) -> Option<(Origin, u64)> {
        let (cells, _) = self.initial.get(&object)?;
        let (_, var) = cells.get(offset).filter(|(n, _)| *n == bytes)?;
        self.symbols.get(var).copied()
    }

    /// The other object that is made up to which such a cell leads, by its key, and how far beyond its start.
    pub(in crate::symex) fn place(
        &self,
        object: u64,
        offset: u64,
        bytes: u32,
    ) -> Option<(u64, u64)> {
        let (cells, _) = self.initial.get(&object)?;
        let (_, var) = cells.get(offset).filter(|(n, _)| *n == bytes)?;
        self.places.get(var).copied()
    }

    /// Initial content of an object, and whether it is the address of an object of its own.
    pub(in crate::symex) fn initial(
        &self,
        object: u64,
        offset: u64,
        bytes: u32,
        little_endian: bool,
    ) -> (u128, bool) {
        let Some((cells, array)) = self.initial.get(&object) else {
            return (0, false);
        };
        if let Some((n, var)) = cells.get(offset)
            && *n == bytes
        {
            let value = self.value(*var);
            return (value, value != 0 && self.bound.contains_key(var));
        }
        if let Some(address) = self.indexed.get(&(object, offset))
            && bytes == self.pointer_bytes
        {
            return (*address, true);
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

    fn byte(&self, cells: &Cells, array: Option<ArrayTerm>, at: u64, little_endian: bool) -> u8 {
        if let Some((start, (n, var))) = cells.range(..=at).next_back()
            && at - start < u64::from(n)
        {
            let from = (at - start) as u32;
            let shift = if little_endian {
                from * 8
            } else {
                (n - 1 - from) * 8
            };
            return (self.value(var) >> shift) as u8;
        }
        match array.map(|a| self.terms.array_node(a)) {
            Some(ArrayNode::Var(v)) => self.values.arrays.get(v).map_or(0, |a| a.byte(at)),
            _ => 0,
        }
    }
}

/// The key of each object in a concrete run, `None` if the assignment has no such object; and the places at an index that hold the
/// address of one.
#[allow(clippy::type_complexity, reason = "two tables")]
fn names(
    run: &Executor<'_>,
    values: &Assignment,
) -> (Vec<Option<u64>>, FxHashMap<(u64, u64), u128>) {
    let mut known = Evaluator::new(values);
    let mut words: FxHashMap<ObjectId, Term> = FxHashMap::default();
    for (word, object) in &run.objects.bound {
        words.insert(*object, *word);
    }
    let mut names: Vec<Option<u64>> = Vec::new();
    let mut indexed = FxHashMap::default();
    for n in 0..run.objects.len() {
        let id = ObjectId(n as u32);
        let object = run.objects.get(id);
        let leads_here = words
            .get(&id)
            .is_none_or(|word| known.eval(&run.terms, *word) == u128::from(object.base));
        // Parents come first.
        let name = match object.origin {
            Origin::Child(..) | Origin::Indexed(..) if !leads_here => None,
            Origin::Child(parent, offset) => {
                names[parent.0 as usize].map(|p| hash_of(&(p, offset)))
            }
            Origin::Indexed(parent, index) => names[parent.0 as usize].and_then(|p| {
                let offset = known.eval(&run.terms, index) as u64;
                let cells = &run.objects.get(parent).lazy_cells;
                if cells
                    .get(offset)
                    .is_some_and(|(_, var)| known.eval(&run.terms, *var) != u128::from(object.base))
                {
                    return None;
                }
                indexed.insert((p, offset), u128::from(object.base));
                Some(hash_of(&(p, offset)))
            }),
            _ => Some(run.object_key(id)),
        };
        names.push(name);
    }
    (names, indexed)
}
