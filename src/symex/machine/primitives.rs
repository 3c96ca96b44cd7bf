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

/// A primitive that is executed.
struct Step<'a> {
    primitive: Primitive,
    args: &'a [Value],
    at: Access<'a>,
    /// Of its result, in bits; 0: it has none.
    width: u32,
}

impl Step<'_> {
    /// The `n`th argument, if it is a scalar.
    fn arg(&self, n: usize) -> Option<Term> {
        match self.args.get(n) {
            Some(Value::Scalar(t)) => Some(*t),
            _ => None,
        }
    }
}

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
    pub(in crate::symex) fn primitive(
        &mut self,
        primitive: Primitive,
        args: &[Value],
        key: u64,
        instr: &Instr,
        ty: Option<&Type>,
        state: &mut State,
    ) -> Option<Option<Value>> {
        let at = Access { instr, key };
        if STORE.instead(self, &at).is_some() {
            return Some(None);
        }
        let width = ty.map_or(0, |t| self.width_of(t));
        let step = Step {
            primitive,
            args,
            at,
            width,
        };
        let value = match primitive {
            Primitive::Nondet(_) | Primitive::NondetPtr | Primitive::Havoc | Primitive::Choice => {
                return self.arbitrary_value(&step, state);
            }
            Primitive::Assume | Primitive::Assert | Primitive::Fail | Primitive::Note => {
                return self.claim(&step, state).map(|()| None);
            }
            Primitive::GhostGet
            | Primitive::GhostSet
            | Primitive::Snapshot
            | Primitive::Rollback => return self.whole_state(&step, state),
            Primitive::Alloc
            | Primitive::Free
            | Primitive::Leave
            | Primitive::Lazy
            | Primitive::Touch
            | Primitive::Copy
            | Primitive::Overlap
            | Primitive::Consistent => return self.on_objects(&step, state),
            Primitive::Pair
            | Primitive::SiteEnabled
            | Primitive::CheckEnabled
            | Primitive::Watched
            | Primitive::WatchedBits
            | Primitive::TsMax
            | Primitive::PlainRaise
            | Primitive::Contexts => {
                let value = self.of_check(&step)?;
                self.terms.constant(width.max(1), value)
            }
            Primitive::Stop
            | Primitive::Bug
            | Primitive::Unsupported
            | Primitive::Exceeded
            | Primitive::Gap
            | Primitive::Async => return self.path_end(&step, state).map(|()| None),
            // The sequential program has replaced it.
            Primitive::Check => return Some(None),
            // The sequential program has replaced these; in a program that is not sequentialized they mean one thread.
            Primitive::SelfId => self.terms.constant(width.max(1), 0),
            Primitive::AtomicBegin | Primitive::AtomicEnd => return Some(None),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// What may be anything.
    fn arbitrary_value(&mut self, step: &Step<'_>, state: &mut State) -> Option<Option<Value>> {
        let loc = step.at.instr.loc;
        let value = match step.primitive {
            Primitive::Nondet(bits) => {
                let v = self.input(step.at.key, bits, "nondet");
                self.journal_nondet(state, self.terms.as_const(v));
                self.terms.resize(v, step.width)
            }
            Primitive::NondetPtr => {
                let there = self.input(step.at.key, 1, "nondet");
                self.journal_nondet(state, self.terms.as_const(there));
                let object =
                    self.objects
                        .intern(Origin::Instance(step.at.key), None, Initial::Lazy);
                if !self.terms.is_false(there) {
                    self.journal_lazy(object, state);
                }
                let base = self.objects.address(&mut self.terms, object);
                let null = self.terms.constant(self.pointer_bits(), 0);
                self.terms.ite(there, base, null)
            }
            Primitive::Havoc => {
                let (address, size) = (step.arg(0)?, step.arg(1)?);
                let snapshot = state.clone();
                self.fill(state, address, size, loc, |x, bytes, at| {
                    let parts: Vec<Term> = (0..u64::from(bytes))
                        .map(|i| {
                            let byte = x.input(hash_of(&(step.at.key, at + i)), 8, "havoc");
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
            Primitive::Choice => self.choice(step.arg(1)?, step.at.key, step.width),
            _ => unreachable!("another family"),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// What must hold, and what is noted where it does not.
    fn claim(&mut self, step: &Step<'_>, state: &mut State) -> Option<()> {
        let loc = step.at.instr.loc;
        match step.primitive {
            Primitive::Assume => {
                let holds = self.terms.truth(step.arg(0)?);
                state.guard = state.guard.and(&mut self.terms, holds)?;
            }
            Primitive::Assert => {
                let holds = self.terms.truth(step.arg(0)?);
                let fails = self.terms.not(holds);
                if let (Some(guard), Some(site)) =
                    (state.guard.and(&mut self.terms, fails), step.at.instr.site)
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
            }
            Primitive::Fail | Primitive::Note => {
                let (Some(kind), Some(first), Some(second)) =
                    (step.arg(0), step.arg(1), step.arg(2))
                else {
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
                return (step.primitive == Primitive::Note).then_some(());
            }
            _ => unreachable!("another family"),
        }
        Some(())
    }

    /// Ghost state, and the state of memory as a whole.
    fn whole_state(&mut self, step: &Step<'_>, state: &mut State) -> Option<Option<Value>> {
        let value = match step.primitive {
            Primitive::GhostGet => {
                STORE.ghost(self, &step.at, state, [step.arg(0)?, step.arg(1)?])?
            }
            Primitive::GhostSet => {
                let new = self.terms.resize(step.arg(2)?, 64);
                STORE.set_ghost(self, &step.at, state, [step.arg(0)?, step.arg(1)?], new)?;
                return Some(None);
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
            _ => unreachable!("another family"),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// Objects: made, freed, touched, compared.
    fn on_objects(&mut self, step: &Step<'_>, state: &mut State) -> Option<Option<Value>> {
        let loc = step.at.instr.loc;
        let value = match step.primitive {
            Primitive::Alloc => {
                let size = step.arg(0)?;
                let size = self.terms.resize(size, self.pointer_bits());
                let zero = step.arg(1)?;
                let initial = if self.terms.as_const(zero).unwrap_or(0) == 0 {
                    Initial::Arbitrary
                } else {
                    Initial::Zero
                };
                let here = state.guard.term(&mut self.terms);
                let object = self.objects.allocate(
                    &mut self.terms,
                    Origin::Instance(step.at.key),
                    (size, here),
                    initial,
                );
                self.journal_alloca(object, state);
                self.objects.address(&mut self.terms, object)
            }
            Primitive::Free => {
                self.free(step.arg(0)?, state, loc)?;
                return Some(None);
            }
            Primitive::Leave => {
                self.leave(step.arg(0)?, state);
                return Some(None);
            }
            Primitive::Lazy => {
                let size = self
                    .terms
                    .as_const(step.arg(0)?)
                    .map(|n| n as u64)
                    .filter(|n| *n > 0);
                let object =
                    self.objects
                        .intern(Origin::Instance(step.at.key), size, Initial::Lazy);
                self.journal_lazy(object, state);
                self.objects.address(&mut self.terms, object)
            }
            Primitive::Touch => {
                self.touch(state, step.arg(0)?, step.arg(1)?, loc)?;
                return Some(None);
            }
            Primitive::Copy => self.copy_address(
                [step.arg(0)?, step.arg(1)?, step.arg(2)?, step.arg(3)?],
                state,
                loc,
            ),
            Primitive::Consistent => {
                self.consistent(state, loc)?;
                return Some(None);
            }
            Primitive::Overlap => {
                let overlap = self.overlap(
                    (step.arg(0)?, step.arg(1)?),
                    (step.arg(2)?, step.arg(3)?),
                    state,
                );
                self.terms.resize(overlap, step.width.max(1))
            }
            _ => unreachable!("another family"),
        };
        Some(Some(Value::Scalar(value)))
    }

    /// What this run is asked for.
    fn of_check(&self, step: &Step<'_>) -> Option<u128> {
        let value = match step.primitive {
            Primitive::Pair => {
                let n = self.terms.as_const(step.arg(0)?).unwrap_or(0) as usize;
                self.check.pair.get(n).copied().unwrap_or(0).into()
            }
            Primitive::SiteEnabled | Primitive::CheckEnabled => {
                let site = self.terms.as_const(step.arg(0)?)? as usize;
                let set = if step.primitive == Primitive::SiteEnabled {
                    &self.check.enabled
                } else {
                    &self.check.checked
                };
                set.contains(site).into()
            }
            Primitive::Watched => {
                let site = self.terms.as_const(step.arg(0)?)? as u32;
                let parts = self.check.watched.parts.get(&SiteId(site));
                parts.copied().unwrap_or(0).into()
            }
            Primitive::WatchedBits => {
                let site = self.terms.as_const(step.arg(0)?)? as u32;
                let bits = self.check.watched.bits.get(&SiteId(site));
                bits.copied().unwrap_or(0).into()
            }
            Primitive::TsMax => {
                // In rounds no thread runs within another.
                match self.check.rounds {
                    Some(_) => MAX_TS.into(),
                    None => self.check.ts_max.into(),
                }
            }
            Primitive::PlainRaise => self.check.rounds.is_none().into(),
            Primitive::Contexts => self.check.rounds.map_or(1, |r| r.contexts).into(),
            _ => unreachable!("another family"),
        };
        Some(value)
    }

    /// Where the path ends, or is not followed any more.
    fn path_end(&mut self, step: &Step<'_>, state: &mut State) -> Option<()> {
        let loc = step.at.instr.loc;
        match step.primitive {
            Primitive::Stop | Primitive::Bug => None,
            Primitive::Unsupported | Primitive::Exceeded => {
                let what = self.text(step.arg(0));
                self.end(&state.guard, EndKind::Unsupported(what), loc);
                None
            }
            Primitive::Gap => {
                let what = self.text(step.arg(0));
                self.end(&state.guard, EndKind::Unsupported(what), loc);
                Some(())
            }
            Primitive::Async => {
                self.end(
                    &state.guard,
                    EndKind::Unsupported("thread creation outside the sequential program".into()),
                    loc,
                );
                None
            }
            _ => unreachable!("another family"),
        }
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
