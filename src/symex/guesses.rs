//! Stores of later rounds, guessed: what Lal and Reps's transformation (`frontend/sequentialize/lal_reps.rs`) asks for.
//!
//! The copy of an object in a round after the first is an object of its own whose content is arbitrary at first: the guess. At the
//! end each round's copy must be what the next one began with. Ghost state and the life of heap blocks are guessed likewise. In the
//! program's own addresses copies do not occur: a pointer means the same in every round.
//!
//! *Which pointers?* A guessed pointer may lead to what a thread makes that is executed later (it is named in advance). The
//! program is executed again until nothing new is found: a guess is one of the addresses that some round was found to leave in
//! that place, or no address.
//!
//! *Split memory* (STORM §2.1): bytes that no thread writes while there are several have no copies: reads of them are reads of
//! round 0, whatever the round. Which are written is found out in the same way.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::ends::EndKind;
use super::exec::{Executor, hash_of};
use super::memory::{Contents, Memory};
use super::objects::{Initial, ObjectId, Origin};
use super::state::State;
use super::targets::Place;
use crate::config::RoundsFault;
use crate::expr::{Node, Term};
use crate::index::{FuncId, LocId};

/// Executions before it is given up to find all addresses.
const MAX_PASSES: u32 = 24;
/// An object that is accessed by index is compared byte by byte, up to this size.
const MAX_BYTES: u64 = 256;

/// What is done at an address (`runtime-stubs/sequential/lal_reps.c`).
const READS: u128 = 0;
const WRITES: u128 = 1;
const READS_GHOST: u128 = 2;
const WRITES_GHOST: u128 = 3;
const FREES: u128 = 4;

/// What earlier executions have found out.
#[derive(Clone, Debug, Default)]
pub(super) struct Guesses {
    /// Bytes written while there are several threads, as start and end; `None`: any of the object.
    written: BTreeMap<ObjectId, Option<BTreeSet<(u64, u64)>>>,
    /// Objects whose ghost state is, and the cells of it that were looked at.
    ghosts: BTreeMap<ObjectId, BTreeSet<(u32, u64)>>,
    /// Objects that are freed: all that they are has copies.
    freed: BTreeSet<ObjectId>,
    /// The addresses that rounds leave in a place.
    addresses: BTreeMap<(ObjectId, u64), BTreeSet<u64>>,
    /// Where each guess stands.
    places: FxHashMap<Term, (ObjectId, u64)>,
    /// Whether this execution has found more.
    more: bool,
}

impl Guesses {
    fn note_written(&mut self, object: ObjectId, range: Option<(u64, u64)>) {
        let known = self.written.get(&object);
        let new = match (known, range) {
            (Some(None), _) => false,
            (Some(Some(ranges)), Some(range)) => !ranges.contains(&range),
            _ => true,
        };
        if new {
            let whole = self
                .written
                .entry(object)
                .or_insert_with(|| Some(BTreeSet::new()));
            match (range, &mut *whole) {
                (Some(range), Some(ranges)) => {
                    ranges.insert(range);
                }
                _ => *whole = None,
            }
            self.more = true;
        }
    }

    /// Whether bytes of an object have copies.
    fn copied(&self, object: ObjectId, range: Option<(u64, u64)>) -> bool {
        if self.freed.contains(&object) {
            return true;
        }
        match (self.written.get(&object), range) {
            (None, _) => false,
            (Some(Some(ranges)), Some((start, end))) => {
                ranges.iter().any(|(from, to)| start < *to && *from < end)
            }
            _ => true,
        }
    }
}

impl Executor<'_> {
    /// Whether the program is one that Lal and Reps's transformation has made.
    pub(super) fn is_eager(&self) -> bool {
        self.marks().round.is_some()
    }

    fn contexts(&self) -> u32 {
        self.check.rounds.map_or(1, |r| r.contexts)
    }

    /// Executes the check, again and again until what is guessed can be whatever it has to be.
    pub(super) fn run_eagerly(&mut self, name: &str, main: FuncId, from: State) -> Option<State> {
        let before = (self.failures.len(), self.ends.len());
        for _ in 0..MAX_PASSES {
            self.failures.truncate(before.0);
            self.ends.truncate(before.1);
            self.reached.clear();
            self.guesses.more = false;
            for (guess, place) in &self.guesses.places {
                if let Some(known) = self.objects.guessed.get_mut(guess) {
                    let addresses = self.guesses.addresses.get(place);
                    *known = addresses.into_iter().flatten().copied().collect();
                }
            }
            self.objects.forget_targets();
            let exits = self.run_leveled(main, &[], from.clone(), hash_of(&(name, "run")));
            let settled = !self.guesses.more || self.writes_journal();
            if settled || self.out_of_budget || self.is_stopped() {
                let states = exits.into_iter().map(|e| e.state);
                let left = states.reduce(|a, b| self.merge_states(a, b).0);
                self.keep_consistent(left.as_ref());
                return left;
            }
        }
        let what = "guessed pointers of which no end was found";
        self.end(&from.guard, EndKind::Unsupported(what.into()), None);
        None
    }

    /// How far threads get counts in executions that come to a consistent end.
    fn keep_consistent(&mut self, left: Option<&State>) {
        let end = match left {
            Some(state) => state.guard.term(&mut self.terms),
            None => self.terms.fals(),
        };
        for guards in self.reached.values_mut() {
            let all = std::mem::take(guards);
            guards.extend(all.iter().filter_map(|g| g.and(&mut self.terms, end)));
        }
    }

    /// For a concrete run: the addresses of another run, and what it had copies of.
    pub(super) fn adopt_guesses(&mut self, other: &Executor<'_>) {
        if self.is_eager() {
            self.objects = other.objects.layout();
            self.guesses = other.guesses.clone();
        }
    }

    /// A guess: what it can be, if it is an address.
    pub(super) fn note_guess(&mut self, guess: Term, object: ObjectId, offset: u64) {
        if let Origin::Copy(of, _) = self.objects.get(object).origin {
            let place = (of, offset);
            self.guesses.places.insert(guess, place);
            let addresses = self.guesses.addresses.get(&place);
            let addresses = addresses.into_iter().flatten().copied().collect();
            self.objects.guessed.insert(guess, addresses);
        }
    }

    /// The copy of an object in a round.
    fn copy_of(&mut self, object: ObjectId, round: u32) -> ObjectId {
        if round == 0 {
            return object;
        }
        let size = self.objects.get(object).size;
        let origin = Origin::Copy(object, round);
        self.objects.intern(origin, size, Initial::Arbitrary)
    }

    /// The address in the copy of a round; `what` says what is done there with so many bytes.
    pub(super) fn copy_address(
        &mut self,
        [address, bytes, round, what]: [Term; 4],
        state: &State,
        loc: Option<LocId>,
    ) -> Term {
        let targets = self.bound_targets(address);
        let whats = self.leaves(what);
        let may = |what: u128| whats.constants.iter().any(|(_, w)| *w == what);
        let ghost = may(READS_GHOST) || may(WRITES_GHOST);
        let changes = may(WRITES) || may(WRITES_GHOST) || may(FREES);
        debug_assert!(ghost || changes || may(READS), "an access does something");
        let bytes = self.terms.as_const(bytes).map(|n| n as u64);
        let mut out = None;
        for target in targets.iter().rev() {
            let (object, offset) = match target.place {
                Place::Object(object, offset) => (object, offset),
                // Ghost state of a number (an interrupt line).
                Place::Invalid(number) if ghost && self.terms.as_const(number).is_some() => {
                    let numbers = self.objects.intern(Origin::Numbers, None, Initial::Zero);
                    (numbers, number)
                }
                Place::Invalid(_) | Place::Unknown(_) => {
                    if ghost
                        && let Place::Invalid(number) = target.place
                        && !self.leads_nowhere(number)
                        && let Some(guard) = state.guard.and(&mut self.terms, target.condition)
                    {
                        let what = "ghost state at a number that is not known, in guessed stores";
                        self.end(&guard, EndKind::Unsupported(what.into()), loc);
                    }
                    out = Some(self.either_address(target.condition, address, out));
                    continue;
                }
            };
            let start = self.terms.as_const(offset).map(|o| o as u64);
            let range = start.zip(bytes).map(|(s, n)| (s, s.saturating_add(n)));
            if changes {
                self.note_change(object, range, ghost, may(FREES));
            }
            let copied = match ghost {
                true => self.guesses.ghosts.contains_key(&object),
                false => self.guesses.copied(object, range),
            };
            let rounds = if copied { self.contexts() } else { 1 };
            let mut here = None;
            for j in (0..rounds).rev() {
                let copy = match target.place {
                    Place::Object(..) => self.copy_of(object, j),
                    _ if j == 0 => {
                        let number = self.terms.constant(32, 0);
                        let now = self.terms.eq(round, number);
                        here = Some(self.either_address(now, address, here));
                        continue;
                    }
                    _ => self.copy_of(object, j),
                };
                let base = self.objects.address(&mut self.terms, copy);
                let at = self.terms.add(offset, base);
                let number = self.terms.constant(32, u128::from(j));
                let now = self.terms.eq(round, number);
                here = Some(self.either_address(now, at, here));
            }
            let here = here.unwrap_or(address);
            out = Some(self.either_address(target.condition, here, out));
        }
        out.unwrap_or(address)
    }

    /// Whether a number is found where a guess is no address, or a pointer null: executions end where ghost state is looked for there.
    pub(super) fn leads_nowhere(&self, number: Term) -> bool {
        let guessed = |t: &Term| self.objects.guessed.contains_key(t);
        let sum = match *self.terms.node(number) {
            Node::Add(a, b) => guessed(&a) || guessed(&b),
            _ => false,
        };
        let no_pointer = self.objects.no_pointers.contains(&number);
        sum || guessed(&number) || no_pointer || self.is_displaced_null(number)
    }

    /// The one if the condition holds, else the other, if there is one.
    fn either_address(&mut self, condition: Term, address: Term, other: Option<Term>) -> Term {
        match other {
            Some(other) => self.terms.ite(condition, address, other),
            None => address,
        }
    }

    fn note_change(
        &mut self,
        object: ObjectId,
        range: Option<(u64, u64)>,
        ghost: bool,
        frees: bool,
    ) {
        let fault = match (ghost, frees) {
            (true, _) => self.has(RoundsFault::GuessedLocks),
            (false, frees) => frees && self.has(RoundsFault::GuessedLife),
        };
        if fault {
            return;
        }
        let known = &mut self.guesses;
        if ghost {
            let before = known.ghosts.len();
            known.ghosts.entry(object).or_default();
            known.more |= known.ghosts.len() > before;
        } else if frees {
            known.more |= known.freed.insert(object);
        } else {
            known.note_written(object, range);
        }
    }

    /// Whether an object has been freed; `None`: certainly not.
    pub(super) fn freed(&mut self, memory: &Memory, object: ObjectId) -> Option<Term> {
        if let Some(freed) = memory.freed.get(&object) {
            return Some(*freed);
        }
        match self.objects.get(object).origin {
            Origin::Copy(of, _) if self.guesses.freed.contains(&of) => {
                let key = self.object_key(object);
                Some(self.input(key, 1, "guessed life"))
            }
            _ => None,
        }
    }

    /// A cell of ghost state.
    pub(super) fn ghost(
        &mut self,
        memory: &Memory,
        (object, key): (ObjectId, u32),
        offset: u64,
    ) -> Term {
        let of = self.objects.original(object);
        if let Some(cells) = self.guesses.ghosts.get_mut(&of) {
            cells.insert((key, offset));
        }
        let cells = memory.ghosts.get(&(object, key));
        match cells.and_then(|cells| cells.get(&offset)) {
            Some(value) => *value,
            None => self.initial_ghost(object, key, offset),
        }
    }

    /// What a cell of ghost state is at first.
    pub(super) fn initial_ghost(&mut self, object: ObjectId, key: u32, offset: u64) -> Term {
        match self.objects.get(object).origin {
            Origin::Copy(..) => {
                let name = hash_of(&(self.object_key(object), key, offset));
                self.input(name, 64, "guessed ghost")
            }
            _ => self.terms.constant(64, 0),
        }
    }

    /// What each round leaves is what the next one was guessed to begin with. `None`: it never is.
    pub(super) fn consistent(&mut self, state: &mut State, loc: Option<LocId>) -> Option<()> {
        if self.has(RoundsFault::Uncompared) {
            return Some(());
        }
        let rounds = self.contexts();
        let known = &self.guesses;
        let mut all: BTreeSet<ObjectId> = known.written.keys().copied().collect();
        all.extend(known.ghosts.keys().copied());
        all.extend(known.freed.iter().copied());
        let mut same = Vec::new();
        for object in all {
            let mut later = (1..rounds).map(|j| Origin::Copy(object, j));
            if !later.any(|copy| self.objects.find(copy).is_some()) {
                continue;
            }
            let copies: Vec<ObjectId> = (0..rounds).map(|j| self.copy_of(object, j)).collect();
            if self.guesses.freed.contains(&object) {
                let no = self.terms.fals();
                let nothing = Memory::default();
                for pair in copies.windows(2) {
                    let left = self.freed(&state.memory, pair[0]).unwrap_or(no);
                    let guess = self.freed(&nothing, pair[1]).unwrap_or(no);
                    same.push(self.terms.eq(left, guess));
                }
            }
            let ghosts = self.guesses.ghosts.get(&object).cloned();
            for (key, offset) in ghosts.unwrap_or_default() {
                for pair in copies.windows(2) {
                    let left = self.ghost(&state.memory, (pair[0], key), offset);
                    let guess = self.initial_ghost(pair[1], key, offset);
                    same.push(self.terms.eq(left, guess));
                }
            }
            let Some(cells) = self.cells_of(&copies, &state.memory) else {
                let what = "a large object that is accessed by index, in guessed stores";
                self.end(&state.guard, EndKind::Unsupported(what.into()), loc);
                return None;
            };
            for (start, bytes) in cells {
                let mut guesses = Vec::new();
                let mut left = Vec::new();
                for pair in copies.windows(2) {
                    let value = self.read_at(&state.memory, pair[0], start, bytes);
                    let guess = self.initial(pair[1], start, bytes);
                    same.push(self.terms.eq(value, guess));
                    left.push(value);
                    guesses.push(guess);
                }
                let used = |g: &Term| self.objects.guessed_pointers.contains(g);
                if guesses.iter().any(used) {
                    self.note_addresses((object, start), &left, state, loc);
                }
            }
        }
        for equal in same {
            state.guard = state.guard.and(&mut self.terms, equal)?;
        }
        Some(())
    }

    /// The cells of an object that are read as they were guessed, in some round: whatever else a guess has to be, it can be. `None`:
    /// too many to compare.
    fn cells_of(&self, copies: &[ObjectId], memory: &Memory) -> Option<Vec<(u64, u32)>> {
        let object = copies[0];
        let mut ranges: BTreeSet<(u64, u64)> = BTreeSet::new();
        let mut by_index = false;
        for copy in copies {
            let written = memory.written(*copy).map(AsRef::as_ref);
            by_index |= matches!(written, Some(Contents::Array(_) | Contents::Windows(..)));
            if *copy != object {
                let facts = self.objects.get(*copy);
                by_index |= facts.lazy_array.is_some();
                let cells = facts.lazy_cells.iter();
                ranges.extend(cells.map(|(o, (n, _))| (*o, o + u64::from(*n))));
            }
        }
        if by_index {
            let size = self.objects.get(object).size.filter(|n| *n <= MAX_BYTES)?;
            return Some((0..size).map(|at| (at, 1)).collect());
        }
        let borders: BTreeSet<u64> = ranges.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let borders: Vec<u64> = borders.into_iter().collect();
        let inside = |a: u64, b: u64| ranges.iter().any(|(from, to)| *from <= a && b <= *to);
        let between = borders.windows(2).map(|w| (w[0], w[1]));
        let cells = between.filter(|(a, b)| inside(*a, *b));
        Some(cells.map(|(a, b)| (a, (b - a) as u32)).collect())
    }

    /// What rounds leave in a place, as far as it is an address. One that cannot be named in advance is none that a guess leads to.
    fn note_addresses(
        &mut self,
        place: (ObjectId, u64),
        left: &[Term],
        state: &State,
        loc: Option<LocId>,
    ) {
        if self.has(RoundsFault::GuessedAddresses) {
            return;
        }
        for value in left {
            if self.terms.width(*value) != self.pointer_bits() {
                continue;
            }
            for target in self.bound_targets(*value).iter() {
                let (object, offset) = match target.place {
                    Place::Invalid(_) => continue,
                    Place::Object(object, offset) => (object, self.terms.as_const(offset)),
                    Place::Unknown(_) => (place.0, None),
                };
                let Some(offset) = offset else {
                    if let Some(guard) = state.guard.and(&mut self.terms, target.condition) {
                        let what =
                            "a pointer with an index, or of unknown origin, in guessed stores";
                        self.end(&guard, EndKind::Unsupported(what.into()), loc);
                    }
                    continue;
                };
                let address = self.objects.get(object).base.wrapping_add(offset as u64);
                let known = self.guesses.addresses.entry(place).or_default();
                self.guesses.more |= known.insert(address);
            }
        }
    }
}
