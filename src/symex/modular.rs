//! Each thread by itself, whatever the others do and in whatever order: what is impossible so is impossible in any number of rounds.
//!
//! The threads run once each, in the order of their numbers, and a read of what some thread writes does not depend on that order. A
//! number is arbitrary, as in [`super::slice`]. A pointer (and whatever else is always followed) is one of the values that any of the
//! threads ever stores there, or what was there before; where a thread stores what one before it should have been offered, all
//! run again with what is known by then. Of locks the ghost state is arbitrary: nobody waits for one. What else the models note of an
//! object (that a timer is armed, say) is like a pointer, or arbitrary where too much is noted. Nobody's object has been freed.
//!
//! What a thread before it in the order has stored is offered under the condition that it has come to that store: where it stops at its
//! access of a race, what it would have done later has not happened.
//!
//! For a race it is enough that one thread gets to its access and another, later in the order, to its own: both are there at once in
//! this order if they are in any. What another thread does to the one that comes first is among what its reads may give.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ends::EndKind;
use super::exec::{Executor, hash_of};
use super::guard::Guard;
use super::memory::Memory;
use super::objects::ObjectId;
use super::state::State;
use super::targets::Place;
use crate::config::{Rounds, RoundsFault};
use crate::expr::Term;
use crate::index::{FuncId, Idx, LocId};
use crate::program::{Instr, Type};

/// How often the threads run before it is given up that nobody stores anything new.
const PASSES: usize = 4;

/// Values of one cell that a read may choose from.
const MAX_VALUES: usize = 64;

/// A cell: object, offset, bytes.
type Cell = (ObjectId, u64, u32);

/// A cell of ghost state: object, key, offset.
type GhostCell = (ObjectId, u32, u64);

/// Keys of ghost state that say more than who holds a lock: those of the models of each API (`IRKISS_GHOST_PTHREAD`,
/// `IRKISS_GHOST_LINUX` of runtime-stubs/include/irkiss_internal.h).
const OWN_KEYS: std::ops::Range<u32> = 256..768;

/// More values of one cell of ghost state make it arbitrary.
const MAX_NOTED: usize = 8;

/// What has been stored in one cell.
#[derive(Clone, Debug, Default)]
struct Noted {
    /// In any pass: the value, and the last thread that stored it.
    ever: Vec<(Term, u64)>,
    /// In this pass: the value, under which condition, and by which thread.
    now: Vec<(Term, Term, u64)>,
    /// How many values there were to choose from when a thread read the cell, at the least.
    offered: BTreeMap<u64, usize>,
}

impl Noted {
    fn note(&mut self, value: Term, condition: Term, thread: u64) {
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
    fn grown(&self) -> bool {
        let offered = self.offered.iter();
        offered.clone().any(|(t, n)| self.anyway(*t).count() > *n)
    }

    fn next_pass(&mut self) {
        self.now.clear();
        self.offered.clear();
    }
}

/// What threads have stored, and what was offered to those that read it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    /// What was there before.
    start: Memory,
    /// In memory.
    cells: BTreeMap<Cell, Noted>,
    /// Who stores now, and under which condition.
    storing: Option<(u64, Term)>,
    /// In ghost state.
    ghosts: BTreeMap<GhostCell, Noted>,
    /// Cells of ghost state that are arbitrary.
    any_cells: BTreeSet<GhostCell>,
    /// Keys that were written where it is not known.
    any_keys: BTreeSet<u32>,
    /// Whether one more key is.
    more_keys: bool,
    /// Objects that were written at an offset that is no constant.
    scattered: BTreeSet<ObjectId>,
    /// Objects that were read at an offset that is no constant.
    read_anywhere: BTreeSet<ObjectId>,
    /// Whether some read could not be given all that it may see.
    misses: bool,
}

impl Stored {
    /// Whether some read has not been offered all that was stored there.
    fn grown(&self) -> bool {
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
    fn next_pass(&mut self, settle: bool) {
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

impl Executor<'_> {
    /// Whether threads run by themselves. (In a concrete run they do what they do.)
    pub(super) fn is_modular(&self) -> bool {
        let slicing = self.check.slicing.as_ref();
        slicing.is_some_and(|s| s.stored.is_some()) && !self.writes_journal()
    }

    /// Executes `main` and all threads that are started, once each, until nobody stores anything new.
    pub(super) fn run_modular(
        &mut self,
        main: FuncId,
        from: State,
        bounds: Rounds,
    ) -> Option<State> {
        self.stored = Stored {
            start: from.memory.clone(),
            ..Stored::default()
        };
        let before = (self.failures.len(), self.ends.len(), self.reached.clone());
        for pass in 0..PASSES {
            self.failures.truncate(before.0);
            self.ends.truncate(before.1);
            self.reached.clone_from(&before.2);
            self.stored.next_pass(pass > 1);
            let left = self.run_rounds(main, from.clone(), bounds);
            let done = !self.stored.grown();
            if self.out_of_budget || done {
                if done && (self.stored.misses || self.stored.mixed()) {
                    break;
                }
                return left;
            }
        }
        self.end(&Guard::always(), EndKind::Unsupported(MANY.into()), None);
        None
    }

    /// What is stored from now on is stored by the running thread, in that state.
    pub(super) fn begin_store(&mut self, state: &State) {
        if self.in_rounds && self.is_modular() {
            let thread = u64::from(self.thread(state));
            let guard = state.guard.term(&mut self.terms);
            self.stored.storing = Some((thread, guard));
        }
    }

    pub(super) fn end_store(&mut self) {
        self.stored.storing = None;
    }

    /// A store; if it is not known by whom, by anybody.
    pub(super) fn note_stored(&mut self, object: ObjectId, offset: u64, value: Term) {
        if !self.in_rounds || !self.is_modular() {
            return;
        }
        let always = self.terms.tru();
        let (thread, guard) = self.stored.storing.unwrap_or((u64::MAX, always));
        let cell = (object, offset, self.terms.width(value) / 8);
        let noted = self.stored.cells.entry(cell).or_default();
        noted.note(value, guard, thread);
    }

    /// The same at an offset that is no constant.
    pub(super) fn note_scattered(&mut self, object: ObjectId) {
        if self.in_rounds && self.is_modular() {
            self.stored.scattered.insert(object);
        }
    }

    /// Reads a scalar that other threads may write meanwhile. `None`: the path ends.
    pub(super) fn load_shared(
        &mut self,
        instr: &Instr,
        key: u64,
        state: &mut State,
        (address, ty): (Term, &Type),
        loc: Option<LocId>,
    ) -> Option<Term> {
        if !self.reads_stored(instr) || !self.is_modular() {
            return self.load(state, address, ty, loc);
        }
        if !matches!(ty, Type::Ptr) {
            let width = self.width_of(ty).max(1);
            return Some(self.input(key, width, super::slice::KIND));
        }
        let bytes = self.program.layout.pointer_bytes;
        let ways = self.ways(state, address, u64::from(bytes), loc)?;
        let mut value = None;
        for way in ways.iter().rev() {
            let here = self.read_pointer(&state.memory, way.object, way.offset);
            let here = match self.terms.as_const(way.offset) {
                Some(offset) => {
                    let cell = (way.object, offset as u64, bytes);
                    let thread = u64::from(self.thread(state));
                    self.any_of_stored(cell, here, key, thread)
                }
                None => {
                    self.stored.read_anywhere.insert(way.object);
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

    /// What is copied from where others write is not followed.
    pub(super) fn refuse_shared_copy(&mut self, instr: &Instr, state: &State) {
        if self.is_modular() && self.reads_stored(instr) {
            let what = "copy of pointers that others may write meanwhile";
            self.end(&state.guard, EndKind::Unsupported(what.into()), instr.loc);
        }
    }

    fn reads_stored(&self, instr: &Instr) -> bool {
        let slicing = self.check.slicing.as_ref();
        let stored = slicing.and_then(|s| s.stored.as_ref());
        let both = stored.zip(instr.site);
        both.is_some_and(|(s, site)| s.contains(site.index()))
    }

    /// Any value that a cell may hold at some time; `here`: in this order it is that.
    fn any_of_stored(&mut self, cell: Cell, here: Term, key: u64, thread: u64) -> Term {
        let start = self.stored.start.clone();
        let before = self.read_at(&start, cell.0, cell.1, cell.2);
        let noted = self.stored.cells.entry(cell).or_default();
        noted.offer(thread);
        let mut values = offered(noted, before, thread);
        if self.has(RoundsFault::OwnValues) {
            values.clear();
        }
        if values.len() >= MAX_VALUES {
            self.stored.misses = true;
            return here;
        }
        for v in values.iter().map(|(v, _)| *v).chain([here]) {
            if self.lazy_vars.contains_key(&v) || self.indexed_words.contains_key(&v) {
                self.lazy_pointers.insert(v);
            }
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
        let which = self.input(name, 8, super::slice::KIND);
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
    pub(super) fn any_ghost(
        &mut self,
        (address, ghost_key): (Term, Term),
        state: &State,
        key: u64,
    ) -> Option<Term> {
        if !self.is_modular() || self.sees_locks() {
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
            let start = self.stored.start.clone();
            let before = self.ghost(&start, (object, ghost_key), offset);
            let noted = self.stored.ghosts.entry(cell).or_default();
            noted.offer(thread);
            let values = offered(noted, before, thread);
            let wide = self.stored.any_cells.contains(&cell)
                || self.stored.any_keys.contains(&ghost_key)
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
    pub(super) fn note_ghost(
        &mut self,
        (address, ghost_key): (Term, Term),
        value: Term,
        state: &mut State,
    ) -> bool {
        if !self.is_modular() || self.sees_locks() {
            return false;
        }
        let Some(ghost_key) = self.own_key(ghost_key) else {
            // One that is not known may be any.
            if self.terms.as_const(ghost_key).is_none() {
                self.stored.write_anywhere(OWN_KEYS);
            }
            return true;
        };
        let Some(places) = self.plain_places(address) else {
            self.stored.write_anywhere(ghost_key..ghost_key + 1);
            return true;
        };
        let thread = u64::from(self.thread(state));
        for (condition, object, offset) in places {
            let old = self.ghost(&state.memory, (object, ghost_key), offset);
            let new = self.terms.ite(condition, value, old);
            let cells = state.memory.ghosts.entry((object, ghost_key)).or_default();
            Arc::make_mut(cells).insert(offset, new);
            if self.in_rounds {
                let guard = state.guard.term(&mut self.terms);
                let guard = self.terms.and(guard, condition);
                let cell = (object, ghost_key, offset);
                let noted = self.stored.ghosts.entry(cell).or_default();
                noted.note(value, guard, thread);
            }
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

    pub(super) fn sees_locks(&self) -> bool {
        self.has(RoundsFault::LocksInOrder)
    }

    /// Whether it counts that an object has been freed.
    pub(super) fn sees_freed(&self) -> bool {
        !self.is_modular() || self.has(RoundsFault::FreedInOrder)
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

/// Why nothing is known so.
const MANY: &str = "threads store more than can be told apart in what each of them reads";
