//! Ghost state: which cells a key and an address mean.

use crate::expr::Term;
use crate::index::LocId;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;
use crate::symex::memory::objects::{Initial, ObjectId, Origin};
use crate::symex::memory::pointees::Place;

/// Keys that one that is not constant may be: as many as there are threads whose state is kept.
const MAX_KEYS: u128 = 64;

impl Executor<'_> {
    /// The keys that are meant, the conditions covering all cases that go on. The key of a thread's own state is a choice where
    /// states of several threads have been merged.
    pub(in crate::symex) fn ghost_keys(
        &mut self,
        key: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<Vec<(Term, u32)>> {
        let leaves = self.leaves(key);
        let constants = leaves.constants.iter();
        let mut keys: Vec<(Term, u32)> = constants.map(|(c, k)| (*c, *k as u32)).collect();
        let Some(unknown) = state.guard.and(&mut self.terms, leaves.other) else {
            return Some(keys);
        };
        // A thread's own state, of a thread that is computed: it may be one of few.
        let facts = self.terms.facts(key);
        let (first, last) = (facts.min, facts.max);
        if last - first < MAX_KEYS {
            for k in first..=last {
                if !self.terms.facts(key).admits(k) {
                    continue;
                }
                let constant = self.terms.constant(self.terms.width(key), k);
                let this = self.terms.eq(key, constant);
                let this = self.terms.and(leaves.other, this);
                if !self.terms.is_false(this) {
                    keys.push((this, k as u32));
                }
            }
            return Some(keys);
        }
        let what = "ghost key that is not constant";
        self.end(&unknown, EndKind::Unsupported(what.into()), loc);
        let known = self.terms.not(leaves.other);
        state.guard = state.guard.and(&mut self.terms, known)?;
        Some(keys)
    }

    /// The cells that a ghost address means, the conditions covering all cases that go on.
    pub(in crate::symex) fn ghost_places(
        &mut self,
        address: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<Vec<(Term, ObjectId, u64)>> {
        let mut out = Vec::new();
        let mut unknown = self.terms.fals();
        let mut outside = self.terms.fals();
        let mut targets = self.objects.resolve(&mut self.terms, address);
        for t in targets.clone().iter() {
            if let Place::Unknown(term) = t.place
                && self.bind_pointer(term)
            {
                targets = self.objects.resolve(&mut self.terms, address);
            }
        }
        for t in targets.iter() {
            match t.place {
                Place::Object(object, offset) => {
                    let offsets = self.leaves(offset);
                    for (c, o) in offsets.constants.iter().copied() {
                        let condition = self.terms.and(t.condition, c);
                        out.push((condition, object, o as u64));
                    }
                    let other = self.terms.and(t.condition, offsets.other);
                    let other = self.within_first(object, offset, other, state, loc)?;
                    match self.elements(object, offset, other, &mut out) {
                        // No lock lies outside of its array.
                        Some(beyond) => outside = self.terms.or(outside, beyond),
                        None => unknown = self.terms.or(unknown, other),
                    }
                }
                // A member of a struct at a pointer that is null here: whatever it is, the kernel reads it.
                Place::Invalid(number) if self.leads_nowhere(number) => {
                    outside = self.terms.or(outside, t.condition);
                }
                Place::Invalid(number) => {
                    let numbers = self.objects.intern(Origin::Numbers, None, Initial::Zero);
                    // Null itself, by the pointer that was chosen when it was first read.
                    if self.objects.bound.contains_key(&number) {
                        out.push((t.condition, numbers, 0));
                        continue;
                    }
                    let leaves = self.leaves(number);
                    for (c, n) in leaves.constants.iter().copied() {
                        let condition = self.terms.and(t.condition, c);
                        out.push((condition, numbers, n as u64));
                    }
                    let other = self.terms.and(t.condition, leaves.other);
                    unknown = self.terms.or(unknown, other);
                }
                Place::Unknown(_) => unknown = self.terms.or(unknown, t.condition),
            }
        }
        if let Some(guard) = state.guard.and(&mut self.terms, unknown) {
            self.end(
                &guard,
                EndKind::Unsupported("lock or object state at an address of unknown origin".into()),
                loc,
            );
        }
        let known = self.terms.not(unknown);
        state.guard = state.guard.and(&mut self.terms, known)?;
        let inside = self.terms.not(outside);
        self.only_valid(state, inside, loc)?;
        Some(out)
    }

    /// Where an index goes through an object of unknown size: the executions, of those that `condition` holds in, in which it is one
    /// of the first elements. The others end here.
    fn within_first(
        &mut self,
        object: ObjectId,
        offset: Term,
        condition: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<Term> {
        if self.terms.is_false(condition) || self.objects.get(object).size.is_some() {
            return Some(condition);
        }
        let Some(first) = self.terms.first_elements(offset) else {
            return Some(condition);
        };
        let mut beyond = condition;
        for o in first {
            let constant = self.terms.constant(self.pointer_bits(), u128::from(o));
            let not_here = self.terms.ne(offset, constant);
            beyond = self.terms.and(beyond, not_here);
        }
        if let Some(guard) = state.guard.and(&mut self.terms, beyond) {
            self.end(&guard, EndKind::LengthBound, loc);
        }
        let near = self.terms.not(beyond);
        state.guard = state.guard.and(&mut self.terms, near)?;
        Some(self.terms.and(condition, near))
    }

    /// Adds the elements of an array that an offset with an index may mean where `condition` holds. The condition that it is none
    /// of these; `None` if they are not few.
    fn elements(
        &mut self,
        object: ObjectId,
        offset: Term,
        condition: Term,
        out: &mut Vec<(Term, ObjectId, u64)>,
    ) -> Option<Term> {
        let mut beyond = condition;
        if self.terms.is_false(condition) {
            return Some(beyond);
        }
        let offsets = match self.objects.get(object).size {
            Some(_) => self.possible_offsets(object, offset, 1)?,
            None => self.terms.first_elements(offset)?,
        };
        for o in offsets {
            let constant = self.terms.constant(self.pointer_bits(), u128::from(o));
            let hit = self.terms.eq(offset, constant);
            let here = self.terms.and(condition, hit);
            if !self.terms.is_false(here) {
                out.push((here, object, o));
            }
            let not_hit = self.terms.not(hit);
            beyond = self.terms.and(beyond, not_hit);
        }
        Some(beyond)
    }
}
