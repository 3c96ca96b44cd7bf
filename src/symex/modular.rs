//! Each thread by itself, whatever the others do and in whatever order: what is impossible so is impossible in any number of rounds.
//!
//! The threads run once each, in the order of their numbers, and a read of what some thread writes does not depend on that order. A
//! number is arbitrary, as in [`super::slice`]. A pointer (and whatever else is always followed) is one of the values that any of the
//! threads ever stores there, or what was there before; where a thread stores what one before it should have been offered, all
//! run again with what is known by then. Ghost state is arbitrary: nobody waits for a lock. Nobody's object has been freed.
//!
//! For a race it is enough that one thread gets to its access and another, later in the order, to its own: both are there at once in
//! this order if they are in any. What another thread does to the one that comes first is among what its reads may give.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::EndKind;
use super::exec::{Executor, hash_of};
use super::guard::Guard;
use super::memory::Memory;
use super::objects::ObjectId;
use super::state::State;
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

/// What threads have stored, and what was offered to those that read it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    /// What was there before.
    start: Memory,
    /// What any thread has stored in a cell.
    values: BTreeMap<Cell, Vec<Term>>,
    /// Objects that were written at an offset that is no constant.
    scattered: BTreeSet<ObjectId>,
    /// Cells that were read, and how many stored values there were to choose from.
    read: BTreeMap<Cell, usize>,
    /// Objects that were read at an offset that is no constant.
    read_anywhere: BTreeSet<ObjectId>,
    /// Whether some read could not be given all that it may see.
    misses: bool,
}

impl Stored {
    /// Whether some read has not been offered all that was stored there.
    fn grown(&self) -> bool {
        self.read.iter().any(|(cell, n)| self.count(cell) > *n)
    }

    fn count(&self, cell: &Cell) -> usize {
        self.values.get(cell).map_or(0, Vec::len)
    }

    /// Whether what was read cannot be told from what was stored, cell by cell.
    fn mixed(&self) -> bool {
        let of = |object: ObjectId| {
            let cells = self.values.range((object, 0, 0)..);
            cells.map(|(c, _)| *c).take_while(move |c| c.0 == object)
        };
        let apart = |(_, o, n): &Cell, (_, p, m): &Cell| {
            let end = |o: &u64, n: &u32| u128::from(*o) + u128::from(*n);
            end(o, n) <= u128::from(*p) || end(p, m) <= u128::from(*o)
        };
        let split = |cell: &Cell| of(cell.0).any(|other| other != *cell && !apart(cell, &other));
        let scattered = |cell: &Cell| self.scattered.contains(&cell.0);
        let anywhere =
            |object: &ObjectId| self.scattered.contains(object) || of(*object).next().is_some();
        self.read.keys().any(|c| split(c) || scattered(c))
            || self.read_anywhere.iter().any(anywhere)
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
        for _ in 0..PASSES {
            self.failures.truncate(before.0);
            self.ends.truncate(before.1);
            self.reached.clone_from(&before.2);
            self.stored.read.clear();
            self.stored.read_anywhere.clear();
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

    /// A store by whomever.
    pub(super) fn note_stored(&mut self, object: ObjectId, offset: u64, value: Term) {
        if !self.in_rounds || !self.is_modular() {
            return;
        }
        let cell = (object, offset, self.terms.width(value) / 8);
        let known = self.stored.values.entry(cell).or_default();
        if !known.contains(&value) {
            known.push(value);
        }
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
                    self.any_of_stored(cell, here, key)
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
    fn any_of_stored(&mut self, cell: Cell, here: Term, key: u64) -> Term {
        let offered = self.stored.count(&cell);
        let least = self.stored.read.entry(cell).or_insert(offered);
        *least = (*least).min(offered);
        let start = self.stored.start.clone();
        let before = self.read_at(&start, cell.0, cell.1, cell.2);
        let mut values = vec![here];
        let stored = self.stored.values.get(&cell);
        for v in std::iter::once(before).chain(stored.into_iter().flatten().copied()) {
            if !values.contains(&v) {
                values.push(v);
            }
        }
        if self.has(RoundsFault::OwnValues) {
            values.truncate(1);
        }
        if values.len() > MAX_VALUES {
            self.stored.misses = true;
            return here;
        }
        for v in &values {
            if self.lazy_vars.contains_key(v) || self.indexed_words.contains_key(v) {
                self.lazy_pointers.insert(*v);
            }
        }
        if values.len() == 1 {
            return here;
        }
        let which = self.input(hash_of(&(key, cell.0.0, cell.1)), 8, super::slice::KIND);
        let mut value = here;
        for (n, v) in values.into_iter().enumerate().skip(1) {
            let number = self.terms.constant(8, n as u128);
            let this = self.terms.eq(which, number);
            value = self.terms.ite(this, v, value);
        }
        value
    }

    /// What a read of ghost state gives: anything, if threads run by themselves.
    pub(super) fn any_ghost(&mut self, key: u64) -> Option<Term> {
        let any = self.is_modular() && !self.sees_locks();
        any.then(|| self.input(key, 64, "ghost"))
    }

    pub(super) fn sees_locks(&self) -> bool {
        self.has(RoundsFault::LocksInOrder)
    }

    /// Whether it counts that an object has been freed.
    pub(super) fn sees_freed(&self) -> bool {
        !self.is_modular() || self.has(RoundsFault::FreedInOrder)
    }
}

/// Why nothing is known so.
const MANY: &str = "threads store more than can be told apart in what each of them reads";
