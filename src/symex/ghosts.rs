//! Ghost state: which cells a key and an address mean.

use super::ends::EndKind;
use super::exec::Executor;
use super::objects::{Initial, ObjectId, Origin, Place};
use super::state::State;
use crate::expr::Term;
use crate::index::LocId;

impl Executor<'_> {
    /// The keys that are meant, the conditions covering all cases that go on. The key of a thread's own state is a choice where
    /// states of several threads have been merged.
    pub(super) fn ghost_keys(
        &mut self,
        key: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<Vec<(Term, u32)>> {
        let leaves = self.leaves(key);
        if let Some(unknown) = state.guard.and(&mut self.terms, leaves.other) {
            let what = "ghost key that is not constant";
            self.end(&unknown, EndKind::Unsupported(what.into()), loc);
            let known = self.terms.not(leaves.other);
            state.guard = state.guard.and(&mut self.terms, known)?;
        }
        let constants = leaves.constants.iter();
        Some(constants.map(|(c, k)| (*c, *k as u32)).collect())
    }

    /// The cells that a ghost address means, the conditions covering all cases that go on.
    pub(super) fn ghost_places(
        &mut self,
        address: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<Vec<(Term, ObjectId, u64)>> {
        let mut out = Vec::new();
        let mut unknown = self.terms.fals();
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
                    unknown = self.terms.or(unknown, other);
                }
                Place::Invalid(number) => {
                    let numbers = self.objects.intern(Origin::Numbers, None, Initial::Zero);
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
        Some(out)
    }
}
