//! Counters that any number of threads raise and lower: readers of a lock, threads behind a gate.
//!
//! A cell that takes too many values is followed in another way, if every write adds a constant to it: a thread's state says how much the thread
//! has added so far, never less than nothing. Then the cell holds what it held in the beginning and what all threads have added, and
//! that it holds no more than a thread's own share means that no other thread has a share: the step that finds this so *empties* the places
//! of all threads with a share ([`super::net::Transition::empties`]). With such a transition for a test for zero, what is reachable is
//! more than without, and still well-structured (Abdulla, Delzanno, Rezine: monotonic abstraction; Dufourd, Finkel, Schnoebelen: reset nets).

use crate::faults::{NetFault, seeded};
use crate::index::ValueId;
use crate::program::IntPredicate;

use super::cells::{CellId, Content};
use super::explore::Explorer;
use super::outcome::Does;
use super::state::{Micro, State};
use super::step::{Then, advance, set};
use super::value::{Val, signed};

/// A thread's share is no larger.
const MAX_SHARE: i64 = 4;

/// The counter that a value is about, as it was in this step.
fn counted(value: &Val) -> Option<CellId> {
    match value {
        Val::Count { cell, .. } => Some(*cell),
        Val::Tuple(items) => items.iter().flatten().find_map(counted),
        _ => None,
    }
}

/// How much a value is more.
fn added(value: &Val) -> Option<i64> {
    match value {
        Val::Count { add, .. } => Some(*add),
        _ => None,
    }
}

impl Explorer<'_> {
    /// A cell takes too many values: from now on it is followed as a counter, if it has not been found to be none.
    pub(super) fn learn_counter(&mut self, cell: CellId) -> bool {
        let cell = &self.cells.table[cell];
        let known = |c: &Content| matches!(c, Content::Is(Val::Int(_)) | Content::Any);
        let same = cell.initial.iter().all(|c| *c == cell.initial[0]);
        let first = matches!(cell.initial[0], Content::Is(Val::Int(n)) if n < 1 << 16);
        let location = cell.location;
        // Threads of which there is one each take few values; those that they do not take are told by the net.
        let many = self.jobs.values().any(|job| !job.once);
        let may = many && first && same && cell.contents.iter().all(known);
        if may && !self.lessons.no_counters.contains(&location) {
            self.again |= self.lessons.counters.insert(location);
            return true;
        }
        false
    }

    /// A cell is no counter.
    fn no_counter(&mut self, cell: CellId) {
        let location = self.cells.table[cell].location;
        self.lessons.counters.remove(&location);
        self.lessons.no_counters.insert(location);
        self.again = true;
    }

    /// What a thread has added to a counter before this step.
    fn share_of(state: &State, cell: CellId) -> i64 {
        state.counts.get(&cell).copied().unwrap_or(0)
    }

    /// An access of a counter.
    pub(super) fn access_counter(
        &mut self,
        m: &Micro,
        cell: CellId,
        result: Option<ValueId>,
        does: &Does<'_>,
    ) -> Then {
        let so_far = m.counts.get(&cell).map_or(0, |(add, _)| *add);
        let old = Val::Count { cell, add: so_far };
        let mut out = Vec::new();
        for (new, told) in self.outcomes(m, does, Some(old)) {
            let mut next = m.clone();
            match new {
                None => {}
                Some(Some(Val::Count { cell: other, add })) if other == cell => {
                    let share = Self::share_of(&m.state, cell) + add;
                    if !(0..=MAX_SHARE).contains(&share) {
                        self.no_counter(cell);
                    }
                    next.counts.entry(cell).or_default().0 = add;
                }
                Some(_) => self.no_counter(cell),
            }
            set(&mut next, result, told);
            advance(&mut next);
            out.push(next);
        }
        Then::Fork(out)
    }

    /// A part of a counter is accessed.
    pub(super) fn not_as_counter(&mut self, cell: CellId) {
        if self.cells.table[cell].counter {
            self.no_counter(cell);
        }
    }

    /// Compares what a counter held with a number: both ways, if that tells whether others have a share.
    pub(super) fn compare_count(
        &self,
        m: &Micro,
        pred: IntPredicate,
        (x, y): (&Val, &Val),
        bits: u32,
        result: Option<ValueId>,
    ) -> Option<Then> {
        use IntPredicate as P;
        let (cell, add, k, pred) = match (x, y) {
            (Val::Count { cell, add }, Val::Int(k)) => (*cell, *add, *k, pred),
            (Val::Int(k), Val::Count { cell, add }) => {
                let turned = match pred {
                    P::Ult => P::Ugt,
                    P::Ule => P::Uge,
                    P::Ugt => P::Ult,
                    P::Uge => P::Ule,
                    P::Slt => P::Sgt,
                    P::Sle => P::Sge,
                    P::Sgt => P::Slt,
                    P::Sge => P::Sle,
                    same => same,
                };
                (*cell, *add, *k, turned)
            }
            _ => return None,
        };
        let Content::Is(Val::Int(first)) = self.cells.table[cell].initial[0] else {
            return None;
        };
        let own = first as i64 + Self::share_of(&m.state, cell) + add;
        let k = signed(k, bits);
        if own < 0 || k < 0 {
            return None;
        }
        // Compared is what the others have added, which is nothing at least.
        let d = k - own;
        let (limit, holds) = match pred {
            P::Eq => (Some(d), true),
            P::Ne => (Some(d), false),
            P::Ule | P::Sle => (Some(d), true),
            P::Ugt | P::Sgt => (Some(d), false),
            P::Ult | P::Slt => (Some(d - 1), true),
            P::Uge | P::Sge => (Some(d - 1), false),
        };
        let ways: Vec<(bool, bool)> = match limit? {
            d if d < 0 => vec![(!holds, false)],
            0 => vec![(holds, true), (!holds, false)],
            _ => vec![(true, false), (false, false)],
        };
        let mut out = Vec::new();
        for (way, alone) in ways {
            let mut next = m.clone();
            if alone {
                next.counts.entry(cell).or_default().1 = true;
            }
            set(&mut next, result, Some(Val::Int(u64::from(way))));
            advance(&mut next);
            out.push(next);
        }
        Some(Then::Fork(out))
    }

    /// The step is over: what it added is the thread's share. What it read and still needs is exactly known if no other thread has a share,
    /// and more otherwise.
    pub(super) fn settle_counts(&self, m: Micro) -> Vec<Micro> {
        let mut read: Vec<CellId> = Vec::new();
        let env = m.state.frames.iter().flat_map(|f| f.env.values());
        for value in env.chain(m.state.memory.values().flatten()) {
            read.extend(counted(value));
        }
        read.sort_unstable();
        read.dedup();
        let mut all = vec![m];
        for cell in read {
            let Content::Is(Val::Int(first)) = self.cells.table[cell].initial[0] else {
                continue;
            };
            let mut further = Vec::new();
            for mut m in all {
                let own = first as i64 + Self::share_of(&m.state, cell);
                let known = m.counts.get(&cell).is_some_and(|(_, alone)| *alone);
                let mut exact = m.clone();
                exact.counts.entry(cell).or_default().1 = true;
                replace(&mut exact, cell, &|add| {
                    u64::try_from(own + add).ok().map(Val::Int)
                });
                further.push(exact);
                if !known {
                    replace(&mut m, cell, &|add| {
                        (own + add >= 0).then_some(Val::NonZero)
                    });
                    further.push(m);
                }
            }
            all = further;
        }
        for m in &mut all {
            for (cell, (add, _)) in m.counts.clone() {
                let before = Self::share_of(&m.state, cell);
                let add = if seeded(NetFault::SharesStay) {
                    add.max(0)
                } else {
                    add
                };
                match before + add {
                    0 => m.state.counts.remove(&cell),
                    n => m.state.counts.insert(cell, n.min(MAX_SHARE)),
                };
            }
        }
        all
    }
}

/// Puts what is known instead of what a counter held.
fn replace(m: &mut Micro, cell: CellId, known: &dyn Fn(i64) -> Option<Val>) {
    for frame in &mut m.state.frames {
        let about: Vec<(ValueId, Option<i64>)> = frame
            .env
            .iter()
            .filter(|(_, v)| counted(v) == Some(cell))
            .map(|(v, value)| (*v, added(value)))
            .collect();
        for (v, add) in about {
            match add.and_then(known) {
                Some(value) => frame.env.insert(v, value),
                None => frame.env.remove(&v),
            };
        }
    }
    let has = |v: &Option<Val>| v.as_ref().and_then(counted) == Some(cell);
    if m.state.memory.values().any(has) {
        let memory = std::sync::Arc::make_mut(&mut m.state.memory);
        for value in memory.values_mut().filter(|v| has(v)) {
            *value = value.as_ref().and_then(added).and_then(known);
        }
    }
}
