//! The primitives, as [`Primitive`] states their meaning.

use std::sync::Arc;

use crate::config::MAX_TS;
use crate::expr::{Term, Terms};
use crate::index::{FuncId, SiteId};
use crate::program::{FailKind, Instr, Primitive, Type};
use crate::symex::machine::ends::{EndKind, Failure};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::{State, Value};
use crate::symex::machine::values::hash_of;
use crate::symex::memory::STORE;
use crate::symex::memory::layers::{Access, Store};
use crate::symex::memory::objects::{Initial, Origin};
use crate::symex::memory::pointees::Place;

impl Executor<'_> {
    /// What is not arbitrary in this run although the program says so: how many arguments it is given.
    pub(in crate::symex) fn given(
        &mut self,
        function: FuncId,
        primitive: Primitive,
        state: &State,
    ) -> Option<Value> {
        let number = self.check.further_arguments.map(u128::from)?;
        let Primitive::Nondet(bits) = primitive else {
            return None;
        };
        (self.program.harness.argument_count == Some(function)).then(|| {
            self.journal_nondet(state, Some(number));
            Value::Scalar(self.terms.constant(bits, number))
        })
    }

    /// Executes a primitive: `None`: the path ends; `Some(None)`: no result.
    #[allow(clippy::too_many_lines, reason = "one arm per primitive")]
    pub(in crate::symex) fn primitive(
        &mut self,
        primitive: Primitive,
        args: &[Value],
        key: u64,
        instr: &Instr,
        ty: Option<&Type>,
        state: &mut State,
    ) -> Option<Option<Value>> {
        let loc = instr.loc;
        let at = Access { instr, key };
        if STORE.instead(self, &at).is_some() {
            return Some(None);
        }
        let arg = |n: usize| match args.get(n) {
            Some(Value::Scalar(t)) => Some(*t),
            _ => None,
        };
        let width = ty.map_or(0, |t| self.width_of(t));
        let value = match primitive {
            Primitive::Nondet(bits) => {
                let v = self.input(key, bits, "nondet");
                self.journal_nondet(state, self.terms.as_const(v));
                self.terms.resize(v, width)
            }
            Primitive::NondetPtr => {
                let there = self.input(key, 1, "nondet");
                self.journal_nondet(state, self.terms.as_const(there));
                let object = self
                    .objects
                    .intern(Origin::Instance(key), None, Initial::Lazy);
                if !self.terms.is_false(there) {
                    self.journal_lazy(object, state);
                }
                let base = self.objects.address(&mut self.terms, object);
                let null = self.terms.constant(self.pointer_bits(), 0);
                self.terms.ite(there, base, null)
            }
            Primitive::Assume => {
                let holds = self.terms.truth(arg(0)?);
                state.guard = state.guard.and(&mut self.terms, holds)?;
                return Some(None);
            }
            Primitive::Assert => {
                let holds = self.terms.truth(arg(0)?);
                let fails = self.terms.not(holds);
                if let (Some(guard), Some(site)) =
                    (state.guard.and(&mut self.terms, fails), instr.site)
                {
                    let first = self.terms.constant(32, 0);
                    let guard = guard.term(&mut self.terms);
                    let thread = self.thread(state);
                    self.found.failures.push(Failure {
                        kind: FailKind::Assertion,
                        guard,
                        first,
                        second: site,
                        thread,
                        place: 0,
                        at: self.journal().steps_before_failure(),
                    });
                }
                state.guard = state.guard.and(&mut self.terms, holds)?;
                return Some(None);
            }
            // The sequential program has replaced it.
            Primitive::Check => return Some(None),
            Primitive::GhostGet => STORE.ghost(self, &at, state, [arg(0)?, arg(1)?])?,
            Primitive::GhostSet => {
                let new = self.terms.resize(arg(2)?, 64);
                STORE.set_ghost(self, &at, state, [arg(0)?, arg(1)?], new)?;
                return Some(None);
            }
            Primitive::Alloc => {
                let size = arg(0)?;
                let size = self.terms.resize(size, self.pointer_bits());
                let zero = arg(1)?;
                let initial = if self.terms.as_const(zero).unwrap_or(0) == 0 {
                    Initial::Arbitrary
                } else {
                    Initial::Zero
                };
                let here = state.guard.term(&mut self.terms);
                let object = self.objects.allocate(
                    &mut self.terms,
                    Origin::Instance(key),
                    (size, here),
                    initial,
                );
                self.journal_alloca(object, state);
                self.objects.address(&mut self.terms, object)
            }
            Primitive::Free => {
                self.free(arg(0)?, state, loc)?;
                return Some(None);
            }
            Primitive::Lazy => {
                let size = self
                    .terms
                    .as_const(arg(0)?)
                    .map(|n| n as u64)
                    .filter(|n| *n > 0);
                let object = self
                    .objects
                    .intern(Origin::Instance(key), size, Initial::Lazy);
                self.journal_lazy(object, state);
                self.objects.address(&mut self.terms, object)
            }
            Primitive::Havoc => {
                let (address, size) = (arg(0)?, arg(1)?);
                let snapshot = state.clone();
                self.fill(state, address, size, loc, |x, bytes, at| {
                    let parts: Vec<Term> = (0..u64::from(bytes))
                        .map(|i| {
                            let byte = x.input(hash_of(&(key, at + i)), 8, "havoc");
                            x.journal_nondet(&snapshot, x.terms.as_const(byte));
                            byte
                        })
                        .collect();
                    crate::symex::memory::store::join(
                        &mut x.terms,
                        x.program.layout.little_endian,
                        &parts,
                    )
                })?;
                return Some(None);
            }
            Primitive::Touch => {
                self.touch(state, arg(0)?, arg(1)?, loc)?;
                return Some(None);
            }
            Primitive::Stop | Primitive::Bug => return None,
            Primitive::Unsupported | Primitive::Exceeded => {
                let what = self.text(arg(0));
                self.end(&state.guard, EndKind::Unsupported(what), loc);
                return None;
            }
            Primitive::Gap => {
                let what = self.text(arg(0));
                self.end(&state.guard, EndKind::Unsupported(what), loc);
                return Some(None);
            }
            Primitive::Pair => {
                let n = self.terms.as_const(arg(0)?).unwrap_or(0) as usize;
                let value = self.check.pair.get(n).copied().unwrap_or(0);
                self.terms.constant(width.max(1), u128::from(value))
            }
            Primitive::Choice => self.choice(arg(1)?, key, width),
            Primitive::SiteEnabled | Primitive::CheckEnabled => {
                let site = self.terms.as_const(arg(0)?)? as usize;
                let set = if primitive == Primitive::SiteEnabled {
                    &self.check.enabled
                } else {
                    &self.check.checked
                };
                let on = set.contains(site);
                self.terms.constant(width.max(1), u128::from(on))
            }
            Primitive::Watched => {
                let site = self.terms.as_const(arg(0)?)? as u32;
                let parts = self.check.watched.parts.get(&SiteId(site));
                let parts = parts.copied().unwrap_or(0);
                self.terms.constant(width.max(1), u128::from(parts))
            }
            Primitive::WatchedBits => {
                let site = self.terms.as_const(arg(0)?)? as u32;
                let bits = self.check.watched.bits.get(&SiteId(site));
                let bits = bits.copied().unwrap_or(0);
                self.terms.constant(width.max(1), u128::from(bits))
            }
            Primitive::TsMax => {
                // In rounds no thread runs within another.
                let max = match self.check.rounds {
                    Some(_) => MAX_TS,
                    None => self.check.ts_max,
                };
                self.terms.constant(width.max(1), u128::from(max))
            }
            Primitive::PlainRaise => {
                let on = self.check.rounds.is_none();
                self.terms.constant(width.max(1), u128::from(on))
            }
            Primitive::Snapshot => {
                self.journal_snapshot();
                state.memory.snapshot = Some(Arc::new(state.memory.clone()));
                return Some(None);
            }
            Primitive::Rollback => {
                self.journal_rollback(state);
                if let Some(saved) = state.memory.snapshot.take() {
                    state.memory = saved.as_ref().clone();
                }
                return Some(None);
            }
            Primitive::Fail | Primitive::Note => {
                let (Some(kind), Some(first), Some(second)) = (arg(0), arg(1), arg(2)) else {
                    return None;
                };
                // Sections with checks of several kinds have been merged.
                let kinds = self.leaves(kind);
                for (condition, number) in kinds.constants.iter().copied() {
                    let kind = FailKind::from_number(number as u64);
                    let guard = state.guard.and(&mut self.terms, condition);
                    if let (Some(kind), Some(guard)) = (kind, guard) {
                        let memory = state.memory.clone();
                        self.fail(kind, first, second, &State { guard, memory });
                    }
                }
                if let Some(guard) = state.guard.and(&mut self.terms, kinds.other) {
                    let what = "failure of a kind that is not known";
                    self.end(&guard, EndKind::Unsupported(what.into()), loc);
                }
                return (primitive == Primitive::Note).then_some(None);
            }
            Primitive::Contexts => {
                let contexts = self.check.rounds.map_or(1, |r| r.contexts);
                self.terms.constant(width.max(1), u128::from(contexts))
            }
            Primitive::Copy => self.copy_address([arg(0)?, arg(1)?, arg(2)?, arg(3)?], state, loc),
            Primitive::Consistent => {
                self.consistent(state, loc)?;
                return Some(None);
            }
            Primitive::Overlap => {
                let overlap = self.overlap((arg(0)?, arg(1)?), (arg(2)?, arg(3)?), state);
                self.terms.resize(overlap, width.max(1))
            }
            // The sequential program has replaced these; in a program that is not sequentialized they mean one thread.
            Primitive::SelfId => self.terms.constant(width.max(1), 0),
            Primitive::AtomicBegin | Primitive::AtomicEnd => return Some(None),
            Primitive::Async => {
                self.end(
                    &state.guard,
                    EndKind::Unsupported("thread creation outside the sequential program".into()),
                    loc,
                );
                return None;
            }
        };
        Some(Some(Value::Scalar(value)))
    }

    /// A number below `alternatives`.
    fn choice(&mut self, alternatives: Term, key: u64, width: u32) -> Term {
        if let Some(n) = self.terms.as_const(alternatives)
            && n <= 2
        {
            if n < 2 {
                return self.terms.constant(width, 0);
            }
            let v = self.input(key, 1, "choice");
            return self.terms.resize(v, width);
        }
        let v = self.input(key, 8, "choice");
        let v = self.terms.resize(v, width);
        let below = self.terms.ult(v, alternatives);
        let zero = self.terms.constant(width, 0);
        // Out of range counts as the first alternative: no constraint is needed.
        self.terms.ite(below, v, zero)
    }

    /// The text of a string constant.
    fn text(&mut self, address: Option<Term>) -> String {
        let Some(address) = address else {
            return "unsupported".into();
        };
        let targets = self.objects.resolve(&mut self.terms, address);
        let Some(Place::Object(object, offset)) = targets.first().map(|t| t.place) else {
            return "unsupported".into();
        };
        let start = self.terms.as_const(offset).unwrap_or(0) as u64;
        let empty = crate::symex::memory::store::Memory::default();
        let mut bytes = Vec::new();
        for i in start..start + 200 {
            let b = self.read_at(&empty, object, i, 1);
            match self.terms.as_const(b) {
                Some(0) | None => break,
                Some(c) => bytes.push(c as u8),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Terms {
    /// C's truth of a scalar.
    fn truth(&mut self, t: Term) -> Term {
        if self.width(t) == 1 {
            return t;
        }
        let zero = self.constant(self.width(t), 0);
        self.ne(t, zero)
    }
}
