//! Stores of later rounds, guessed: what Lal and Reps's transformation (`frontend/sequentialize/lal_reps.rs`) asks for.
//!
//! The copy of an object in a round after the first is an object of its own whose content is arbitrary at first: the guess. At the
//! end each round's copy must be what the next one began with. Ghost state and the life of heap blocks are guessed likewise. In the
//! program's own addresses copies do not occur: a pointer means the same in every round.
//!
//! *Which pointers?* A guessed pointer may lead to what a thread makes that is executed later (it is named in advance). The
//! program is executed again until nothing new is found: a guess is one of the addresses that some round was found to leave in
//! that place, or no address.
//!
//! *Split memory* (STORM §2.1): bytes that no thread writes while there are several have no copies: reads of them are reads of
//! round 0, whatever the round. Which are written is found out in the same way.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::expr::{Node, Term};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::values::hash_of;
use crate::symex::memory::objects::{ObjectId, Origin};
use crate::symex::memory::store::Memory;

/// What earlier executions have found out.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Guesses {
    /// Bytes written while there are several threads, as start and end; `None`: any of the object.
    pub(in crate::symex) written: BTreeMap<ObjectId, Option<BTreeSet<(u64, u64)>>>,
    /// Objects whose ghost state is, and the cells of it that were looked at.
    pub(in crate::symex) ghosts: BTreeMap<ObjectId, BTreeSet<(u32, u64)>>,
    /// Objects that are freed: all that they are has copies.
    pub(in crate::symex) freed: BTreeSet<ObjectId>,
    /// The addresses that rounds leave in a place.
    pub(in crate::symex) addresses: BTreeMap<(ObjectId, u64), BTreeSet<u64>>,
    /// Where each guess stands.
    pub(in crate::symex) places: FxHashMap<Term, (ObjectId, u64)>,
    /// Whether this execution has found more.
    pub(in crate::symex) more: bool,
}

impl Guesses {
    pub(in crate::symex) fn note_written(&mut self, object: ObjectId, range: Option<(u64, u64)>) {
        let known = self.written.get(&object);
        let new = match (known, range) {
            (Some(None), _) => false,
            (Some(Some(ranges)), Some(range)) => !ranges.contains(&range),
            _ => true,
        };
        if new {
            let whole = self
                .written
                .entry(object)
                .or_insert_with(|| Some(BTreeSet::new()));
            match (range, &mut *whole) {
                (Some(range), Some(ranges)) => {
                    ranges.insert(range);
                }
                _ => *whole = None,
            }
            self.more = true;
        }
    }

    /// Whether bytes of an object have copies.
    pub(in crate::symex) fn copied(&self, object: ObjectId, range: Option<(u64, u64)>) -> bool {
        if self.freed.contains(&object) {
            return true;
        }
        match (self.written.get(&object), range) {
            (None, _) => false,
            (Some(Some(ranges)), Some((start, end))) => {
                ranges.iter().any(|(from, to)| start < *to && *from < end)
            }
            _ => true,
        }
    }
}

impl Executor<'_> {
    pub(in crate::symex) fn contexts(&self) -> u32 {
        self.check.rounds.map_or(1, |r| r.contexts)
    }

    /// A guess: what it can be, if it is an address.
    pub(in crate::symex) fn note_guess(&mut self, guess: Term, object: ObjectId, offset: u64) {
        if let Origin::Copy(of, _) = self.objects.get(object).origin {
            let place = (of, offset);
            self.views.guesses.places.insert(guess, place);
            let addresses = self.views.guesses.addresses.get(&place);
            let addresses = addresses.into_iter().flatten().copied().collect();
            self.objects.guessed.insert(guess, addresses);
        }
    }

    /// Whether a number is found where a guess is no address, or a pointer null: executions end where ghost state is looked for there.
    pub(in crate::symex) fn leads_nowhere(&self, number: Term) -> bool {
        let guessed = |t: &Term| self.objects.guessed.contains_key(t);
        let sum = match *self.terms.node(number) {
            Node::Add(a, b) => guessed(&a) || guessed(&b),
            _ => false,
        };
        let no_pointer = self.objects.no_pointers.contains(&number);
        sum || guessed(&number) || no_pointer || self.is_displaced_null(number)
    }

    /// Whether an object has been freed; `None`: certainly not.
    pub(in crate::symex) fn freed(&mut self, memory: &Memory, object: ObjectId) -> Option<Term> {
        if let Some(freed) = memory.freed.get(&object) {
            return Some(*freed);
        }
        match self.objects.get(object).origin {
            Origin::Copy(of, _) if self.views.guesses.freed.contains(&of) => {
                let key = self.object_key(object);
                Some(self.input(key, 1, "guessed life"))
            }
            _ => None,
        }
    }

    /// A cell of ghost state.
    pub(in crate::symex) fn ghost(
        &mut self,
        memory: &Memory,
        (object, key): (ObjectId, u32),
        offset: u64,
    ) -> Term {
        let of = self.objects.original(object);
        if let Some(cells) = self.views.guesses.ghosts.get_mut(&of) {
            cells.insert((key, offset));
        }
        let cells = memory.ghosts.get(&(object, key));
        match cells.and_then(|cells| cells.get(&offset)) {
            Some(value) => *value,
            None => self.initial_ghost(object, key, offset),
        }
    }

    /// What a cell of ghost state is at first.
    pub(in crate::symex) fn initial_ghost(
        &mut self,
        object: ObjectId,
        key: u32,
        offset: u64,
    ) -> Term {
        match self.objects.get(object).origin {
            Origin::Copy(..) => {
                let name = hash_of(&(self.object_key(object), key, offset));
                self.input(name, 64, "guessed ghost")
            }
            _ => self.terms.constant(64, 0),
        }
    }
}
