//! What comes from outside: inputs, and what was made up of them, the same for all states of a run.

use crate::symex::memory::objects::ObjectId;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{ArrayTerm, Term};

/// What a run has chosen.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Chosen {
    /// The variable of each dynamic input.
    pub inputs: FxHashMap<u64, Term>,
    /// The array variable of each object whose initial content is one.
    pub array_inputs: FxHashMap<u64, ArrayTerm>,
    /// Lazily chosen pointers: the variable, its object and offset.
    pub lazy_vars: FxHashMap<Term, (ObjectId, u64)>,
    /// Those of them that were read as pointers.
    pub lazy_pointers: FxHashSet<Term>,
    /// Words of lazy objects at an index, as they were initially: the object and the index.
    pub indexed_words: FxHashMap<Term, (ObjectId, Term)>,
    /// The places in each lazy object that were used as pointers, and the objects that they lead to.
    pub bound_places: FxHashMap<ObjectId, Vec<(Term, ObjectId)>>,
    /// The objects of array variables.
    pub array_objects: FxHashMap<ArrayTerm, ObjectId>,
    /// Words that a number was written over in part, each with a variable for it.
    pub mixed_words: FxHashMap<Term, Term>,
    /// Pointers in arrays.
    pub words: FxHashMap<(ArrayTerm, Term), Term>,
    /// Arrays in which a read of one of these elements has too many words to choose from.
    pub crowded: FxHashSet<(ArrayTerm, Option<(u64, i64)>)>,
    /// Conditions on inputs that hold in every execution.
    pub axioms: Vec<Term>,
    /// The number of each call of `schedule()` at which a switch can be made, from 1.
    pub switch_points: FxHashMap<u64, u32>,
}

impl Chosen {
    /// A word of a lazy object that is read as a pointer is noted as one.
    pub fn note_pointer(&mut self, word: Term) {
        if self.lazy_vars.contains_key(&word) || self.indexed_words.contains_key(&word) {
            self.lazy_pointers.insert(word);
        }
    }

    /// The number of a switch point.
    pub fn number_of_point(&mut self, context: u64) -> u32 {
        let next = self.switch_points.len() as u32 + 1;
        *self.switch_points.entry(context).or_insert(next)
    }
}
