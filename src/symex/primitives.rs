//! The primitives, as [`Primitive`] states their meaning.

use std::sync::Arc;

use super::ends::{EndKind, Failure};
use super::exec::{Executor, Leaves, hash_of};
use super::objects::{Initial, Origin};
use super::state::{Frame, State, Value};
use super::targets::Place;
use crate::config::MAX_TS;
use crate::expr::Term;
use crate::index::{Idx, LocId, SiteId};
use crate::program::{FailKind, Instr, Primitive, Type};

impl Executor<'_> {
    /// Executes a primitive: `None`: the path ends; `Some(None)`: no result.
    #[allow(clippy::too_many_lines, reason = "one arm per primitive")]
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        args: &[Value],
        key: u64,
        instr: &Instr,
        ty: Option<&Type>,
        state: &mut State,
    ) -> Option<Option<Value>> {
        let loc = instr.loc;
        if self.untracked(instr, key).is_some() {
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
                self.resize(v, width)
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
                let holds = self.truth(arg(0)?);
                state.guard = state.guard.and(&mut self.terms, holds)?;
                return Some(None);
            }
            Primitive::Assert => {
                let holds = self.truth(arg(0)?);
                let fails = self.terms.not(holds);
                if let (Some(guard), Some(site)) =
                    (state.guard.and(&mut self.terms, fails), instr.site)
                {
                    let first = self.terms.constant(32, 0);
                    let guard = guard.term(&mut self.terms);
                    let thread = self.thread(state);
                    self.failures.push(Failure {
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
            Primitive::GhostGet => {
                if let Some(any) = self.any_ghost((arg(0)?, arg(1)?), state, key) {
                    return Some(Some(Value::Scalar(any)));
                }
                let keys = self.ghost_keys(arg(1)?, state, loc)?;
                let places = self.ghost_places(arg(0)?, state, loc)?;
                let mut value = self.terms.constant(64, 0);
                for (this, key) in keys {
                    for &(condition, object, offset) in &places {
                        let here = self.ghost(&state.memory, (object, key), offset);
                        let condition = self.terms.and(this, condition);
                        value = self.terms.ite(condition, here, value);
                    }
                }
                value
            }
            Primitive::GhostSet => {
                let new = self.resize(arg(2)?, 64);
                if self.note_ghost((arg(0)?, arg(1)?), new, state) {
                    return Some(None);
                }
                let keys = self.ghost_keys(arg(1)?, state, loc)?;
                let places = self.ghost_places(arg(0)?, state, loc)?;
                let single = places.len() == 1 && keys.len() == 1;
                for (this, key) in keys {
                    for &(condition, object, offset) in &places {
                        let old = self.ghost(&state.memory, (object, key), offset);
                        let cells = state.memory.ghosts.entry((object, key)).or_default();
                        let value = if single {
                            new
                        } else {
                            let condition = self.terms.and(this, condition);
                            self.terms.ite(condition, new, old)
                        };
                        Arc::make_mut(cells).insert(offset, value);
                    }
                }
                return Some(None);
            }
            Primitive::Alloc => {
                let size = arg(0)?;
                let size = self.resize(size, self.pointer_bits());
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
                    super::memory::join(&mut x.terms, x.program.layout.little_endian, &parts)
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
                self.resize(overlap, width.max(1))
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

    /// C's truth of a scalar.
    fn truth(&mut self, t: Term) -> Term {
        if self.terms.width(t) == 1 {
            return t;
        }
        let zero = self.terms.constant(self.terms.width(t), 0);
        self.terms.ne(t, zero)
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
            return self.resize(v, width);
        }
        let v = self.input(key, 8, "choice");
        let v = self.resize(v, width);
        let below = self.terms.ult(v, alternatives);
        let zero = self.terms.constant(width, 0);
        // Out of range counts as the first alternative: no constraint is needed.
        self.terms.ite(below, v, zero)
    }

    fn fail(&mut self, kind: FailKind, first: Term, second: Term, state: &State) {
        let mut guard = state.guard.term(&mut self.terms);
        if let Some(none) = self.no_switch() {
            guard = self.terms.and(guard, none);
        }
        let thread = self.thread(state);
        self.journal_failure(state);
        let place = match kind.goes_on() {
            true => self.user_place(),
            false => 0,
        };
        let mut at = self.journal().steps_before_failure();
        // Just before an access: of a section the step has begun.
        let depth = self.peek_constant(&state.memory, self.marks().atomic, 4);
        if kind == FailKind::Atomicity && depth != Some(0) {
            at = at.saturating_sub(1);
        }
        // The running thread's site may be merged too (a probed section): one failure for each.
        let (firsts, seconds) = (self.leaves(first), self.leaves(second));
        let other = self.terms.or(firsts.other, seconds.other);
        if let Some(guard) = state.guard.and(&mut self.terms, other) {
            let what = "failure at a site that is not known";
            self.end(&guard, EndKind::Unsupported(what.into()), None);
        }
        for (condition, site) in seconds.constants.iter().copied() {
            let guard = self.terms.and(guard, condition);
            if !self.terms.is_false(guard) {
                self.failures.push(Failure {
                    kind,
                    guard,
                    first,
                    second: SiteId::new(site as usize),
                    thread,
                    place,
                    at,
                });
            }
        }
    }

    /// Names the innermost call of this thread in the user's code, or where there is none all that led here in it. Where the thread was
    /// scheduled is no part of the name: it is executed once for all such points.
    fn user_place(&self) -> u64 {
        let function = |f: &Frame| &self.program.functions[f.function];
        let runtime = |f: &&Frame| self.marks().is_own(f.function);
        let frames = self.frames.iter().rev();
        let own = frames.skip_while(runtime).take_while(|f| !runtime(f));
        let own: Vec<&Frame> = own.collect();
        match own.iter().find(|f| !function(f).is_model) {
            Some(f) => hash_of(&(f.function.index(), f.at.block.index(), f.index)),
            None => {
                let all: Vec<usize> = own.iter().map(|f| f.function.index()).collect();
                hash_of(&all)
            }
        }
    }

    /// The constants that a term can be, with their conditions, and when it is something else.
    pub fn leaves(&mut self, t: Term) -> Arc<Leaves> {
        if let Some(known) = self.leaf_sets.get(&t) {
            return known.clone();
        }
        let (yes, no) = (self.terms.tru(), self.terms.fals());
        let out = if let Some(c) = self.terms.as_const(t) {
            Leaves {
                constants: vec![(yes, c)],
                other: no,
            }
        } else if let crate::expr::Node::Ite(c, a, b) = *self.terms.node(t) {
            let not = self.terms.not(c);
            let sides = [(c, self.leaves(a)), (not, self.leaves(b))];
            let mut constants: Vec<(Term, u128)> = Vec::new();
            let mut other = no;
            for (side, leaves) in sides {
                for (condition, constant) in &leaves.constants {
                    let condition = self.terms.and(side, *condition);
                    match constants.iter_mut().find(|(_, k)| k == constant) {
                        Some((old, _)) => *old = self.terms.or(*old, condition),
                        None => constants.push((condition, *constant)),
                    }
                }
                let here = self.terms.and(side, leaves.other);
                other = self.terms.or(other, here);
            }
            Leaves { constants, other }
        } else {
            Leaves {
                constants: Vec::new(),
                other: yes,
            }
        };
        let shared = Arc::new(out);
        self.leaf_sets.insert(t, shared.clone());
        shared
    }

    /// The instruction uses a freed object under that condition.
    pub(super) fn use_after_free(&mut self, condition: Term, state: &State) {
        if !self.check.use_after_free {
            return;
        }
        let (Some(site), Some(guard)) = (self.site, state.guard.and(&mut self.terms, condition))
        else {
            return;
        };
        let state = State {
            guard,
            memory: state.memory.clone(),
        };
        let number = self.terms.constant(32, site.index() as u128);
        let zero = self.terms.constant(32, 0);
        self.fail(FailKind::UseAfterFree, zero, number, &state);
    }

    /// Ends the life of a heap block or of an object that the kernel hands in. Executions end here in which there is none, or it has
    /// ended before.
    fn free(&mut self, address: Term, state: &mut State, loc: Option<LocId>) -> Option<()> {
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
                    state.memory.freed.insert(object, now);
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

    /// Whether `[a, a+an)` and `[b, b+bn)` share a byte, and both can be accessed: who accesses what is not there dies.
    fn overlap(&mut self, (a, an): (Term, Term), (b, bn): (Term, Term), state: &State) -> Term {
        let xs = self.bound_targets(a);
        let ys = self.bound_targets(b);
        let bits = self.pointer_bits();
        let (an, bn) = (self.resize(an, bits), self.resize(bn, bits));
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
        let empty = super::memory::Memory::default();
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
