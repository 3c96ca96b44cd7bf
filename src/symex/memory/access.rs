//! Reading and writing memory in a state.

use crate::expr::Term;
use crate::index::LocId;
use crate::program::Type;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;
use crate::symex::memory::objects::{ObjectId, Origin};
use crate::symex::memory::pointees::Place;

/// A pointer of unknown origin, as a reason for `unknown`.
const UNKNOWN_POINTER: &str = "access through a pointer of unknown origin";

/// An access to the last bytes before an object and the first in it, likewise.
const ACROSS_START: &str = "access across the start of an object of unknown size";

/// Where in one object an access goes.
pub(in crate::symex) struct Way {
    /// When.
    pub condition: Term,
    /// Which object.
    pub object: ObjectId,
    /// Which byte.
    pub offset: Term,
}

impl Executor<'_> {
    /// The ways that an access of `bytes` bytes through `address` can go; the state is restricted to these. `None`: no
    /// way, the path ends here.
    pub(in crate::symex) fn ways(
        &mut self,
        state: &mut State,
        address: Term,
        bytes: u64,
        loc: Option<LocId>,
    ) -> Option<Vec<Way>> {
        let (ways, valid) = self.ways_if_valid(state, address, bytes, loc);
        self.only_valid(state, valid, loc)?;
        Some(ways)
    }

    /// The ways that an access can go, and the condition that it is one of these.
    pub(in crate::symex) fn ways_if_valid(
        &mut self,
        state: &State,
        address: Term,
        bytes: u64,
        loc: Option<LocId>,
    ) -> (Vec<Way>, Term) {
        let targets = self.bound_targets(address);
        let length = self.terms.constant(self.pointer_bits(), u128::from(bytes));
        let mut ways = Vec::new();
        let mut valid = self.terms.fals();
        for t in targets.iter() {
            match t.place {
                Place::Object(object, offset) => {
                    let mut condition = t.condition;
                    let freed = self.freed(&state.memory, object);
                    if let Some(freed) = freed.filter(|_| self.sees_freed()) {
                        let here = self.terms.and(condition, freed);
                        self.use_after_free(here, state);
                        let alive = self.terms.not(freed);
                        condition = self.terms.and(condition, alive);
                    }
                    let inside = self.objects.inside(&mut self.terms, object, offset, length);
                    condition = self.terms.and(condition, inside);
                    if matches!(
                        self.objects.get(self.objects.original(object)).origin,
                        Origin::Function(_) | Origin::Numbers
                    ) {
                        continue;
                    }
                    // Places before the start (container_of) are numbers of their own; nothing lies in both.
                    let first = self.terms.as_const(offset);
                    if first.is_some_and(|o| {
                        let end = o + u128::from(bytes);
                        self.pointer_bits() == 64 && end > 1 << 64
                    }) {
                        if let Some(guard) = state.guard.and(&mut self.terms, condition) {
                            self.end(&guard, EndKind::Unsupported(ACROSS_START.into()), loc);
                        }
                        continue;
                    }
                    if !self.terms.is_false(condition) {
                        valid = self.terms.or(valid, condition);
                        ways.push(Way {
                            condition,
                            object,
                            offset,
                        });
                    }
                }
                Place::Invalid(_) => {}
                Place::Unknown(_) => {
                    if let Some(guard) = state.guard.and(&mut self.terms, t.condition) {
                        self.end(&guard, EndKind::Unsupported(UNKNOWN_POINTER.into()), loc);
                    }
                    let not = self.terms.not(t.condition);
                    valid = self.terms.and(valid, not);
                }
            }
        }
        (ways, valid)
    }

    /// Reads a scalar of a type through an address. `None`: the path ends.
    pub(in crate::symex) fn load(
        &mut self,
        state: &mut State,
        address: Term,
        ty: &Type,
        loc: Option<LocId>,
    ) -> Option<Term> {
        let value = self.load_word(state, address, ty, loc)?;
        if matches!(ty, Type::Ptr) {
            self.chosen.note_pointer(value);
        }
        Some(value)
    }

    /// The same for what need not be a pointer, whatever the type says.
    pub(in crate::symex) fn load_word(
        &mut self,
        state: &mut State,
        address: Term,
        ty: &Type,
        loc: Option<LocId>,
    ) -> Option<Term> {
        let bits = self.width_of(ty);
        let bytes = bits.div_ceil(8);
        let ways = self.ways(state, address, u64::from(bytes), loc)?;
        let mut value = None;
        for way in ways.iter().rev() {
            let here = match ty {
                Type::Ptr => self.read_pointer(&state.memory, way.object, way.offset),
                _ => self.read(&state.memory, way.object, way.offset, bytes),
            };
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(way.condition, here, other),
            });
        }
        let value = value?;
        Some(if bits == bytes * 8 {
            value
        } else {
            self.terms.extract(bits - 1, 0, value)
        })
    }

    /// Writes a scalar through an address. `None`: the path ends.
    pub(in crate::symex) fn store(
        &mut self,
        state: &mut State,
        address: Term,
        value: Term,
        loc: Option<LocId>,
    ) -> Option<()> {
        let bits = self.terms.width(value);
        let bytes = bits.div_ceil(8);
        let value = if bits == bytes * 8 {
            value
        } else {
            self.terms.zext(bytes * 8, value)
        };
        let ways = self.ways(state, address, u64::from(bytes), loc)?;
        let single = ways.len() == 1;
        if bits == self.pointer_bits() {
            self.begin_store(state);
        }
        for way in ways {
            let condition = if single {
                self.terms.tru()
            } else {
                way.condition
            };
            self.write(&mut state.memory, way.object, way.offset, value, condition);
        }
        self.end_store();
        Some(())
    }
}
