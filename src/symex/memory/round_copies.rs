//! The copies of an object in later rounds: which address is meant in a round, and whether what each round leaves is what the next one was
//! guessed to begin with ([`crate::symex::memory::guessed`]).

use std::collections::BTreeSet;

use crate::expr::{Term, Terms};
use crate::faults::{RoundsFault, seeded};
use crate::index::LocId;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::state::State;
use crate::symex::memory::objects::{Initial, ObjectId, Origin};
use crate::symex::memory::pointees::Place;
use crate::symex::memory::store::{Contents, Memory};

/// An object that is accessed by index is compared byte by byte, up to this size.
const MAX_BYTES: u64 = 256;

/// What is done at an address (`runtime-stubs/sequential/lal_reps.c`).
const READS: u128 = 0;

const WRITES: u128 = 1;

const READS_GHOST: u128 = 2;

const WRITES_GHOST: u128 = 3;

const FREES: u128 = 4;

impl Executor<'_> {
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
    pub(in crate::symex) fn copy_address(
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
                    out = Some(self.terms.either_address(target.condition, address, out));
                    continue;
                }
            };
            let start = self.terms.as_const(offset).map(|o| o as u64);
            let range = start.zip(bytes).map(|(s, n)| (s, s.saturating_add(n)));
            if changes {
                self.note_change(object, range, ghost, may(FREES));
            }
            let copied = match ghost {
                true => self.views.guesses.ghosts.contains_key(&object),
                false => self.views.guesses.copied(object, range),
            };
            let rounds = if copied { self.contexts() } else { 1 };
            let mut here = None;
            for j in (0..rounds).rev() {
                let copy = match target.place {
                    Place::Object(..) => self.copy_of(object, j),
                    _ if j == 0 => {
                        let number = self.terms.constant(32, 0);
                        let now = self.terms.eq(round, number);
                        here = Some(self.terms.either_address(now, address, here));
                        continue;
                    }
                    _ => self.copy_of(object, j),
                };
                let base = self.objects.address(&mut self.terms, copy);
                let at = self.terms.add(offset, base);
                let number = self.terms.constant(32, u128::from(j));
                let now = self.terms.eq(round, number);
                here = Some(self.terms.either_address(now, at, here));
            }
            let here = here.unwrap_or(address);
            out = Some(self.terms.either_address(target.condition, here, out));
        }
        out.unwrap_or(address)
    }

    fn note_change(
        &mut self,
        object: ObjectId,
        range: Option<(u64, u64)>,
        ghost: bool,
        frees: bool,
    ) {
        let fault = match (ghost, frees) {
            (true, _) => seeded(RoundsFault::GuessedLocks),
            (false, frees) => frees && seeded(RoundsFault::GuessedLife),
        };
        if fault {
            return;
        }
        let known = &mut self.views.guesses;
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

    /// What each round leaves is what the next one was guessed to begin with. `None`: it never is.
    pub(in crate::symex) fn consistent(
        &mut self,
        state: &mut State,
        loc: Option<LocId>,
    ) -> Option<()> {
        if seeded(RoundsFault::Uncompared) {
            return Some(());
        }
        let rounds = self.contexts();
        let known = &self.views.guesses;
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
            if self.views.guesses.freed.contains(&object) {
                let no = self.terms.fals();
                let nothing = Memory::default();
                for pair in copies.windows(2) {
                    let left = self.freed(&state.memory, pair[0]).unwrap_or(no);
                    let guess = self.freed(&nothing, pair[1]).unwrap_or(no);
                    same.push(self.terms.eq(left, guess));
                }
            }
            let ghosts = self.views.guesses.ghosts.get(&object).cloned();
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
                ranges.extend(cells.map(|(o, (n, _))| (o, o + u64::from(n))));
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
        if seeded(RoundsFault::GuessedAddresses) {
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
                let known = self.views.guesses.addresses.entry(place).or_default();
                self.views.guesses.more |= known.insert(address);
            }
        }
    }
}

impl Terms {
    /// The one if the condition holds, else the other, if there is one.
    fn either_address(&mut self, condition: Term, address: Term, other: Option<Term>) -> Term {
        match other {
            Some(other) => self.ite(condition, address, other),
            None => address,
        }
    }
}
