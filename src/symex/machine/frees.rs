//! Ends of lives, and whether two accesses share a byte.

use std::sync::Arc;

use crate::expr::Term;
use crate::index::LocId;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;
use crate::symex::memory::objects::Origin;
use crate::symex::memory::pointees::Place;

impl Executor<'_> {
    /// Ends the life of a heap block or of an object that the kernel hands in. Executions end here in which there is none, or it has
    /// ended before.
    pub(in crate::symex) fn free(
        &mut self,
        address: Term,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<()> {
        let zero = self.terms.constant(self.pointer_bits(), 0);
        let null = self.terms.eq(address, zero);
        if self.terms.is_true(null) {
            return Some(());
        }
        let mut unknown = self.terms.fals();
        let mut valid = null;
        for t in self.bound_targets(address).iter() {
            match t.place {
                Place::Object(object, offset) => {
                    let origin = self.objects.get(self.objects.original(object)).origin;
                    if matches!(origin, Origin::Global(_) | Origin::Function(_)) {
                        continue;
                    }
                    let whole = self.terms.eq(offset, zero);
                    let here = self.terms.and(t.condition, whole);
                    let no = self.terms.fals();
                    let old = self.freed(&state.memory, object);
                    let old = old.filter(|_| self.sees_freed()).unwrap_or(no);
                    let again = self.terms.and(here, old);
                    self.use_after_free(again, state);
                    let now = self.terms.or(old, here);
                    Arc::make_mut(&mut state.memory.freed).insert(object, now);
                    let alive = self.terms.not(old);
                    let first = self.terms.and(here, alive);
                    valid = self.terms.or(valid, first);
                }
                Place::Invalid(_) => {}
                Place::Unknown(_) => unknown = self.terms.or(unknown, t.condition),
            }
        }
        let not_null = self.terms.not(null);
        let unknown = self.terms.and(unknown, not_null);
        if let Some(guard) = state.guard.and(&mut self.terms, unknown) {
            let what = "free of a pointer of unknown origin";
            self.end(&guard, EndKind::Unsupported(what.into()), loc);
        }
        let known = self.terms.not(unknown);
        state.guard = state.guard.and(&mut self.terms, known)?;
        self.only_valid(state, valid, loc)
    }

    /// Ends the life of a local variable, if it has not ended.
    pub(in crate::symex) fn leave(&mut self, address: Term, state: &mut State) {
        for t in self.bound_targets(address).iter() {
            let Place::Object(object, _) = t.place else {
                continue;
            };
            let old = self.freed(&state.memory, object);
            let now = match old.filter(|_| self.sees_freed()) {
                Some(old) => self.terms.or(old, t.condition),
                None => t.condition,
            };
            Arc::make_mut(&mut state.memory.freed).insert(object, now);
        }
    }

    /// Whether `[a, a+an)` and `[b, b+bn)` share a byte, and both can be accessed: who accesses what is not there dies.
    pub(in crate::symex) fn overlap(
        &mut self,
        (a, an): (Term, Term),
        (b, bn): (Term, Term),
        state: &State,
    ) -> Term {
        let xs = self.bound_targets(a);
        let ys = self.bound_targets(b);
        let bits = self.pointer_bits();
        let (an, bn) = (self.terms.resize(an, bits), self.terms.resize(bn, bits));
        let mut any = self.terms.fals();
        for x in xs.iter() {
            for y in ys.iter() {
                let (Place::Object(p, i), Place::Object(q, j)) = (x.place, y.place) else {
                    continue;
                };
                if p != q {
                    continue;
                }
                let i_end = self.terms.add(i, an);
                let j_end = self.terms.add(j, bn);
                let before = self.terms.ult(i, j_end);
                let after = self.terms.ult(j, i_end);
                let there = [
                    self.objects.inside(&mut self.terms, p, i, an),
                    self.objects.inside(&mut self.terms, p, j, bn),
                ];
                let alive = match self.freed(&state.memory, p) {
                    Some(freed) if self.sees_freed() => self.terms.not(freed),
                    _ => self.terms.tru(),
                };
                let all = [
                    x.condition,
                    y.condition,
                    before,
                    after,
                    there[0],
                    there[1],
                    alive,
                ];
                let here = self.terms.and_all(&all);
                any = self.terms.or(any, here);
            }
        }
        any
    }
}
