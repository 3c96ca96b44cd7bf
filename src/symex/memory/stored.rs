//! What threads have stored, for those that run by themselves ([`crate::symex::schedule::thread_modular`]): each read gives any of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::expr::Term;
use crate::faults::{RoundsFault, seeded};
use crate::index::Idx;
use crate::program::{Instr, Type};
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;
use crate::symex::machine::values::hash_of;
use crate::symex::memory::layers::{Access, Store};
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::pointees::Place;
use crate::symex::memory::store::Memory;

/// Values of one cell that a read may choose from.
const MAX_VALUES: usize = 64;

/// A cell: object, offset, bytes.
pub(in crate::symex) type Cell = (ObjectId, u64, u32);

/// A cell of ghost state: object, key, offset.
pub(in crate::symex) type GhostCell = (ObjectId, u32, u64);

/// Keys of ghost state that say more than who holds a lock: those of the models of each API (`IRKISS_GHOST_PTHREAD`,
/// `IRKISS_GHOST_LINUX` of runtime-stubs/include/irkiss_internal.h).
const OWN_KEYS: std::ops::Range<u32> = 256..768;

/// More values of one cell of ghost state make it arbitrary.
const MAX_NOTED: usize = 8;

/// What has been stored in one cell.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Noted {
    /// In any pass: the value, and the last thread that stored it.
    ever: Vec<(Term, u64)>,
    /// In this pass: the value, under which condition, and by which thread.
    now: Vec<(Term, Term, u64)>,
    /// How many values there were to choose from when a thread read the cell, at the least.
    offered: BTreeMap<u64, usize>,
}

impl Noted {
    pub(in crate::symex) fn note(&mut self, value: Term, condition: Term, thread: u64) {
        match self.ever.iter_mut().find(|(v, _)| *v == value) {
            Some((_, last)) => *last = thread.max(*last),
            None => self.ever.push((value, thread)),
        }
        self.now.push((value, condition, thread));
    }

    /// Values that a thread may read whatever those before it in the order have done: of those after it. (Its own are there.)
    fn anyway(&self, thread: u64) -> impl Iterator<Item = Term> {
        let ever = self.ever.iter();
        ever.filter(move |(_, last)| *last > thread)
            .map(|(v, _)| *v)
    }

    /// What those before it have stored, and under which condition.
    fn earlier(&self, thread: u64) -> impl Iterator<Item = (Term, Term)> {
        let now = self.now.iter();
        now.filter(move |(.., by)| *by < thread)
            .map(|(v, c, _)| (*v, *c))
    }

    fn offer(&mut self, thread: u64) {
        let n = self.anyway(thread).count();
        let least = self.offered.entry(thread).or_insert(n);
        *least = n.min(*least);
    }

    /// Whether some read has not been offered all that was stored there.
    pub(in crate::symex) fn grown(&self) -> bool {
        let offered = self.offered.iter();
        offered.clone().any(|(t, n)| self.anyway(*t).count() > *n)
    }

    pub(in crate::symex) fn next_pass(&mut self) {
        self.now.clear();
        self.offered.clear();
    }
}

/// What threads have stored, and what was offered to those that read it.
#[derive(Clone, Debug, Default)]
pub(in crate::symex) struct Stored {
    /// What was there before.
    pub(in crate::symex) start: Memory,
    /// In memory.
    pub(in crate::symex) cells: BTreeMap<Cell, Noted>,
    /// Who stores now, and under which condition.
    pub(in crate::symex) storing: Option<(u64, Term)>,
    /// In ghost state.
    pub(in crate::symex) ghosts: BTreeMap<GhostCell, Noted>,
    /// Cells of ghost state that are arbitrary.
    pub(in crate::symex) any_cells: BTreeSet<GhostCell>,
    /// Keys that were written where it is not known.
    pub(in crate::symex) any_keys: BTreeSet<u32>,
    /// Whether one more key is.
    pub(in crate::symex) more_keys: bool,
    /// Objects that were written at an offset that is no constant.
    pub(in crate::symex) scattered: BTreeSet<ObjectId>,
    /// Objects that were read at an offset that is no constant.
    pub(in crate::symex) read_anywhere: BTreeSet<ObjectId>,
    /// Whether some read could not be given all that it may see.
    pub(in crate::symex) misses: bool,
}

impl Stored {
    /// Nobody has stored anything; `start`: what was there before.
    pub(in crate::symex) fn from(start: Memory) -> Stored {
        Stored {
            start,
            ..Stored::default()
        }
    }

    /// Whether some read could not be given all that it may see, or cannot be told from what was stored.
    pub(in crate::symex) fn misses(&self) -> bool {
        self.misses || self.mixed()
    }

    /// Whether some read has not been offered all that was stored there.
    pub(in crate::symex) fn grown(&self) -> bool {
        let ghosts = self.ghosts.iter();
        let mut ghosts = ghosts.filter(|(cell, _)| !self.any_cells.contains(cell));
        self.more_keys
            || self.cells.values().any(Noted::grown)
            || ghosts.any(|(_, noted)| noted.grown())
    }

    /// A write under these keys, of it is not known which cells.
    fn write_anywhere(&mut self, keys: std::ops::Range<u32>) {
        let before = self.any_keys.len();
        self.any_keys.extend(keys);
        self.more_keys |= self.any_keys.len() > before;
    }

    /// All threads run again. `settle`: ghost state that still grows is arbitrary from now on.
    pub(in crate::symex) fn next_pass(&mut self, settle: bool) {
        for (cell, noted) in &mut self.ghosts {
            if settle && noted.grown() {
                self.any_cells.insert(*cell);
            }
            noted.next_pass();
        }
        self.cells.values_mut().for_each(Noted::next_pass);
        self.read_anywhere.clear();
        self.more_keys = false;
    }

    /// Whether what was read cannot be told from what was stored, cell by cell.
    fn mixed(&self) -> bool {
        let written = |cell: &&Cell| !self.cells[*cell].ever.is_empty();
        let of = |object: ObjectId| {
            let cells = self.cells.range((object, 0, 0)..);
            let own = cells.map(|(c, _)| c).take_while(move |c| c.0 == object);
            own.filter(written)
        };
        let apart = |(_, o, n): &Cell, (_, p, m): &Cell| {
            let end = |o: &u64, n: &u32| u128::from(*o) + u128::from(*n);
            end(o, n) <= u128::from(*p) || end(p, m) <= u128::from(*o)
        };
        let split = |cell: &Cell| of(cell.0).any(|other| other != cell && !apart(cell, other));
        let scattered = |cell: &Cell| self.scattered.contains(&cell.0);
        let anywhere =
            |object: &ObjectId| self.scattered.contains(object) || of(*object).next().is_some();
        let mut read = self.cells.iter().filter(|(_, n)| !n.offered.is_empty());
        read.any(|(c, _)| split(c) || scattered(c)) || self.read_anywhere.iter().any(anywhere)
    }
}

/// While threads run by themselves, a read gives any of what others have stored there; otherwise nothing is seen otherwise.
#[derive(Clone, Copy, Debug)]
pub(in crate::symex) struct OfOthers<S>(pub S);

impl<S: Store> Store for OfOthers<S> {
    fn instead(&self, run: &mut Executor<'_>, at: &Access<'_>) -> Option<Option<Term>> {
        self.0.instead(run, at)
    }

    fn load(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        ty: &Type,
    ) -> Option<Term> {
        if !run.reads_stored(at.instr) || run.views.stored.is_none() {
            return self.0.load(run, at, state, address, ty);
        }
        if !matches!(ty, Type::Ptr) {
            let width = run.width_of(ty).max(1);
            return Some(run.input(at.key, width, crate::symex::memory::untracked::KIND));
        }
        run.load_pointer_of_others(at, state, address)
    }

    fn store(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
        value: Term,
    ) -> Option<()> {
        self.0.store(run, at, state, address, value)
    }

    /// What is copied from where others write is not followed.
    fn copy(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        operands: [Term; 3],
    ) -> Option<()> {
        if run.views.stored.is_some() && run.reads_stored(at.instr) {
            let what = "copy of pointers that others may write meanwhile";
            run.end(
                &state.guard,
                EndKind::Unsupported(what.into()),
                at.instr.loc,
            );
        }
        self.0.copy(run, at, state, operands)
    }

    fn ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        [address, key]: [Term; 2],
    ) -> Option<Term> {
        match run.any_ghost((address, key), state, at.key) {
            Some(any) => Some(any),
            None => self.0.ghost(run, at, state, [address, key]),
        }
    }

    fn set_ghost(
        &self,
        run: &mut Executor<'_>,
        at: &Access<'_>,
        state: &mut State,
        [address, key]: [Term; 2],
        value: Term,
    ) -> Option<()> {
        match run.note_ghost((address, key), value, state) {
            true => Some(()),
            false => self.0.set_ghost(run, at, state, [address, key], value),
        }
    }
}

impl Executor<'_> {
    /// What is stored from now on is stored by the running thread, in that state.
    pub(in crate::symex) fn begin_store(&mut self, state: &State) {
        if self.views.stored.is_some() {
            let thread = u64::from(self.thread(state));
            let guard = state.guard.term(&mut self.terms);
            self.views.stored().storing = Some((thread, guard));
        }
    }

    /// Reads a pointer that other threads may write meanwhile. `None`: the path ends.
    fn load_pointer_of_others(
        &mut self,
        at: &Access<'_>,
        state: &mut State,
        address: Term,
    ) -> Option<Term> {
        let bytes = self.program.layout.pointer_bytes;
        let ways = self.ways(state, address, u64::from(bytes), at.instr.loc)?;
        let mut value = None;
        for way in ways.iter().rev() {
            let here = self.read_pointer(&state.memory, way.object, way.offset);
            let here = match self.terms.as_const(way.offset) {
                Some(offset) => {
                    let cell = (way.object, offset as u64, bytes);
                    let thread = u64::from(self.thread(state));
                    self.any_of_stored(cell, here, at.key, thread)
                }
                None => {
                    self.views.stored().read_anywhere.insert(way.object);
                    here
                }
            };
            value = Some(match value {
                None => here,
                Some(other) => self.terms.ite(way.condition, here, other),
            });
        }
        value
    }

    fn reads_stored(&self, instr: &Instr) -> bool {
        let slicing = self.check.slicing.as_ref();
        let stored = slicing.and_then(|s| s.stored.as_ref());
        let both = stored.zip(instr.site);
        both.is_some_and(|(s, site)| s.contains(site.index()))
    }

    /// Any value that a cell may hold at some time; `here`: in this order it is that.
    fn any_of_stored(&mut self, cell: Cell, here: Term, key: u64, thread: u64) -> Term {
        let start = self.views.stored().start.clone();
        let before = self.read_at(&start, cell.0, cell.1, cell.2);
        let noted = self.views.stored().cells.entry(cell).or_default();
        noted.offer(thread);
        let mut values = offered(noted, before, thread);
        if seeded(RoundsFault::OwnValues) {
            values.clear();
        }
        if values.len() >= MAX_VALUES {
            self.views.stored().misses = true;
            return here;
        }
        for v in values.iter().map(|(v, _)| *v).chain([here]) {
            self.chosen.note_pointer(v);
        }
        let name = hash_of(&(key, cell.0.0, cell.1));
        self.one_of(values, here, name)
    }

    /// One of these, each under its condition, or what it is in this order.
    fn one_of(&mut self, values: Vec<(Term, Option<Term>)>, here: Term, name: u64) -> Term {
        let others: Vec<_> = values.into_iter().filter(|(v, _)| *v != here).collect();
        if others.is_empty() {
            return here;
        }
        let which = self.input(name, 8, crate::symex::memory::untracked::KIND);
        let mut value = here;
        for (n, (v, condition)) in (1..).zip(others) {
            let number = self.terms.constant(8, n);
            let mut this = self.terms.eq(which, number);
            if let Some(condition) = condition {
                this = self.terms.and(this, condition);
            }
            value = self.terms.ite(this, v, value);
        }
        value
    }

    /// What a read of ghost state gives, if threads run by themselves.
    fn any_ghost(
        &mut self,
        (address, ghost_key): (Term, Term),
        state: &State,
        key: u64,
    ) -> Option<Term> {
        if self.views.stored.is_none() || self.sees_locks() {
            return None;
        }
        let any = |x: &mut Self| Some(x.input(key, 64, "ghost"));
        let Some(ghost_key) = self.own_key(ghost_key) else {
            return any(self);
        };
        let Some(places) = self.plain_places(address) else {
            return any(self);
        };
        let thread = u64::from(self.thread(state));
        let mut value = self.terms.constant(64, 0);
        for (condition, object, offset) in places {
            let cell = (object, ghost_key, offset);
            let here = self.ghost(&state.memory, (object, ghost_key), offset);
            let start = self.views.stored().start.clone();
            let before = self.ghost(&start, (object, ghost_key), offset);
            let noted = self.views.stored().ghosts.entry(cell).or_default();
            noted.offer(thread);
            let values = offered(noted, before, thread);
            let wide = self.views.stored().any_cells.contains(&cell)
                || self.views.stored().any_keys.contains(&ghost_key)
                || values.len() > MAX_NOTED;
            let name = hash_of(&(key, object.0, offset));
            let here = match wide {
                true => self.input(name, 64, "ghost"),
                false => self.one_of(values, here, name),
            };
            value = self.terms.ite(condition, here, value);
        }
        Some(value)
    }

    /// A write of ghost state; whether that is all that comes of it.
    fn note_ghost(
        &mut self,
        (address, ghost_key): (Term, Term),
        value: Term,
        state: &mut State,
    ) -> bool {
        if self.views.stored.is_none() || self.sees_locks() {
            return false;
        }
        let Some(ghost_key) = self.own_key(ghost_key) else {
            // One that is not known may be any.
            if self.terms.as_const(ghost_key).is_none() {
                self.views.stored().write_anywhere(OWN_KEYS);
            }
            return true;
        };
        let Some(places) = self.plain_places(address) else {
            self.views.stored().write_anywhere(ghost_key..ghost_key + 1);
            return true;
        };
        let thread = u64::from(self.thread(state));
        for (condition, object, offset) in places {
            let old = self.ghost(&state.memory, (object, ghost_key), offset);
            let new = self.terms.ite(condition, value, old);
            let ghosts = Arc::make_mut(&mut state.memory.ghosts);
            let cells = ghosts.entry((object, ghost_key)).or_default();
            Arc::make_mut(cells).insert(offset, new);
            let guard = state.guard.term(&mut self.terms);
            let guard = self.terms.and(guard, condition);
            let cell = (object, ghost_key, offset);
            let noted = self.views.stored().ghosts.entry(cell).or_default();
            noted.note(value, guard, thread);
        }
        true
    }

    fn own_key(&self, key: Term) -> Option<u32> {
        let key = u32::try_from(self.terms.as_const(key)?).ok()?;
        OWN_KEYS.contains(&key).then_some(key)
    }

    /// The cells that a ghost address means, each with its condition; `None`: they are not all known.
    fn plain_places(&mut self, address: Term) -> Option<Vec<(Term, ObjectId, u64)>> {
        let targets = self.bound_targets(address);
        let mut places = Vec::new();
        for t in targets.iter() {
            let Place::Object(object, offset) = t.place else {
                return None;
            };
            let offset = self.terms.as_const(offset)?;
            places.push((t.condition, object, offset as u64));
        }
        Some(places)
    }
}

/// What a thread may read in a cell beside what is there in this order.
fn offered(noted: &Noted, before: Term, thread: u64) -> Vec<(Term, Option<Term>)> {
    let mut values: Vec<(Term, Option<Term>)> = vec![(before, None)];
    let known = |values: &[(Term, Option<Term>)], v: Term| {
        values.iter().any(|(w, c)| *w == v && c.is_none())
    };
    for v in noted.anyway(thread) {
        if !known(&values, v) {
            values.push((v, None));
        }
    }
    for (v, condition) in noted.earlier(thread) {
        if !known(&values, v) && !values.contains(&(v, Some(condition))) {
            values.push((v, Some(condition)));
        }
    }
    values
}
