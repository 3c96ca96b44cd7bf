//! The states set aside at the switch points of a lane become one.
//!
//! The number of the point alone tells them apart, and points are numbered in the order in which they were met: a value that
//! changed k times on the way from the first to the last is a choice between k + 1 values by comparisons of that number, however many
//! points there are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::exec::Executor;
use super::guard::Guard;
use super::lanes::{SWITCH_BITS, SwitchPoint};
use super::memory::{Contents, Memory};
use super::objects::ObjectId;
use super::state::State;
use crate::expr::{ArrayTerm, Node, Term, Terms};

/// Parts of a condition that are looked at to see what it is at one point.
const MAX_PARTS: u32 = 16;

/// One thing per point, from the first number on at which it is that: neighbours differ.
type Runs<T> = Vec<(u32, T)>;

/// What it is at each point, as runs.
fn runs<T>(each: impl Iterator<Item = (u32, T)>, same: impl Fn(&T, &T) -> bool) -> Runs<T> {
    let mut out: Runs<T> = Vec::new();
    for (n, x) in each {
        if out.last().is_none_or(|(_, last)| !same(last, &x)) {
            out.push((n, x));
        }
    }
    out
}

/// `x₁` up to the number where `x₂` begins, and so on.
fn choose<T: Copy>(
    terms: &mut Terms,
    number: Term,
    runs: &[(u32, T)],
    ite: &impl Fn(&mut Terms, Term, T, T) -> T,
) -> T {
    if let [(_, only)] = runs {
        return *only;
    }
    let (before, after) = runs.split_at(runs.len() / 2);
    let from = terms.constant(SWITCH_BITS, u128::from(after[0].0));
    let is_before = terms.ult(number, from);
    let x = choose(terms, number, before, ite);
    let y = choose(terms, number, after, ite);
    ite(terms, is_before, x, y)
}

impl Executor<'_> {
    /// The constant that numbers a point.
    pub(super) fn number_at(&self, point: &SwitchPoint) -> u32 {
        self.terms.as_const(point.number).map_or(0, |n| n as u32)
    }

    /// The condition that the number is one of `some`, where it is known to be one of `all` or beyond all of these.
    pub(super) fn is_among(
        &mut self,
        number: Term,
        some: &BTreeSet<u32>,
        all: &BTreeSet<u32>,
    ) -> Term {
        let mut any = self.terms.fals();
        let mut rest = some.iter().copied().peekable();
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(&next) = rest.peek()
                && all.range(last + 1..next).next().is_none()
            {
                last = next;
                rest.next();
            }
            let here = match first == last {
                true => {
                    let first = self.terms.constant(SWITCH_BITS, u128::from(first));
                    self.terms.eq(number, first)
                }
                false => {
                    let [from, to] =
                        [first, last + 1].map(|n| self.terms.constant(SWITCH_BITS, u128::from(n)));
                    let before = self.terms.ult(number, from);
                    let not_before = self.terms.not(before);
                    let not_after = self.terms.ult(number, to);
                    self.terms.and(not_before, not_after)
                }
            };
            any = self.terms.or(any, here);
        }
        any
    }

    /// What a condition on the number is where it is `point`, if it is on nothing else.
    pub(super) fn holds_at(&self, condition: Term, number: Term, point: Term) -> Option<bool> {
        self.part_holds_at(condition, number, point, &mut 0)
    }

    fn part_holds_at(&self, c: Term, number: Term, point: Term, parts: &mut u32) -> Option<bool> {
        *parts += 1;
        if *parts > MAX_PARTS {
            return None;
        }
        let at = self.terms.as_const(point)?;
        match *self.terms.node(c) {
            Node::Not(x) => self
                .part_holds_at(x, number, point, parts)
                .map(|holds| !holds),
            Node::Eq(x, k) if x == number => Some(self.terms.as_const(k)? == at),
            Node::Eq(k, x) if x == number => Some(self.terms.as_const(k)? == at),
            Node::Ult(x, k) if x == number => Some(at < self.terms.as_const(k)?),
            Node::And(x, y) => match self.part_holds_at(x, number, point, parts) {
                Some(true) => self.part_holds_at(y, number, point, parts),
                known => known,
            },
            _ => None,
        }
    }

    /// One state for those of several points, each under the condition that `number` is that of its point.
    pub(super) fn merge_across(
        &mut self,
        number: Term,
        mut states: Vec<(u32, State)>,
    ) -> Option<State> {
        states.sort_by_key(|(n, _)| *n);
        self.merges += (states.len() as u64).saturating_sub(1);
        // Nothing more will be executed from the state, nor asked.
        if states.len() < 2 || self.is_stopped() {
            return states.pop().map(|(_, s)| s);
        }
        // The latest first: guards of later points extend those of earlier ones.
        let mut guard: Option<Guard> = None;
        for (_, state) in states.iter().rev() {
            guard = Some(match guard {
                Some(later) => Guard::merge(&mut self.terms, &state.guard, &later).guard,
                None => state.guard.clone(),
            });
        }
        let memories: Vec<(u32, &Memory)> = states.iter().map(|(n, s)| (*n, &s.memory)).collect();
        let memory = self.memory_across(number, &memories);
        guard.map(|guard| State { guard, memory })
    }

    fn memory_across(&mut self, number: Term, memories: &[(u32, &Memory)]) -> Memory {
        let mut out = memories[0].1.clone();
        let objects = memories.iter().map(|(_, m)| m.len()).max().unwrap_or(0);
        for n in 0..objects {
            let object = ObjectId(n as u32);
            let here = memories.iter().map(|&(n, m)| (n, m));
            let runs = runs(here, |x, y| match (x.written(object), y.written(object)) {
                (Some(x), Some(y)) => Arc::ptr_eq(x, y) || x == y,
                (x, y) => x.is_none() && y.is_none(),
            });
            if runs.len() > 1 {
                let contents = self.contents_across(number, object, &runs);
                out.set(object, contents);
            }
        }
        self.ghosts_across(number, memories, &mut out);
        let freed: BTreeSet<ObjectId> = memories
            .iter()
            .flat_map(|(_, m)| m.freed.keys().copied())
            .collect();
        for object in freed {
            let no = self.terms.fals();
            let when = memories
                .iter()
                .map(|(n, m)| (*n, m.freed.get(&object).copied().unwrap_or(no)));
            let when = self.value_across(number, when);
            out.freed.insert(object, when);
        }
        let snapshots: Vec<(u32, &Memory)> = memories
            .iter()
            .filter_map(|(n, m)| Some((*n, m.snapshot.as_deref()?)))
            .collect();
        out.snapshot = match snapshots.as_slice() {
            [] => None,
            [(_, first), rest @ ..] if rest.iter().all(|(_, s)| std::ptr::eq(*s, *first)) => {
                memories.iter().find_map(|(_, m)| m.snapshot.clone())
            }
            several => Some(Arc::new(self.memory_across(number, several))),
        };
        out
    }

    fn value_across(&mut self, number: Term, each: impl Iterator<Item = (u32, Term)>) -> Term {
        let runs = runs(each, |x, y| x == y);
        choose(&mut self.terms, number, &runs, &Terms::ite)
    }

    fn contents_across(
        &mut self,
        number: Term,
        object: ObjectId,
        runs: &Runs<&Memory>,
    ) -> Contents {
        let contents = runs.iter().filter_map(|(_, m)| m.written(object));
        let cells = contents.map(|c| match c.as_ref() {
            Contents::Cells(cells) => Some(cells),
            Contents::Array(_) => None,
        });
        let all: Option<Vec<_>> = cells.collect();
        let Some(all) = all else {
            let arrays: Runs<ArrayTerm> = runs
                .iter()
                .map(|(n, m)| (*n, self.as_array(m, object)))
                .collect();
            let ite = |t: &mut Terms, c, x, y| t.array_ite(c, x, y);
            return Contents::Array(choose(&mut self.terms, number, &arrays, &ite));
        };
        // Intervals between the borders of all cells; where a border splits a cell of another point, all are split.
        let borders: BTreeSet<u128> = all
            .iter()
            .copied()
            .flatten()
            .flat_map(|(&offset, &(n, _))| {
                // Places before an object's start are the highest numbers: an end may be 2^64.
                [u128::from(offset), u128::from(offset) + u128::from(n)]
            })
            .collect();
        let borders: Vec<u128> = borders.into_iter().collect();
        let mut merged = BTreeMap::new();
        for pair in borders.windows(2) {
            let (start, bytes) = (pair[0] as u64, (pair[1] - pair[0]) as u32);
            let written = all.iter().any(|cells| {
                cells
                    .range(..=start)
                    .next_back()
                    .is_some_and(|(o, (n, _))| start - o < u64::from(*n))
            });
            if written {
                let values: Runs<Term> = runs
                    .iter()
                    .map(|(n, m)| (*n, self.read_at(m, object, start, bytes)))
                    .collect();
                let value = self.value_across(number, values.into_iter());
                merged.insert(start, (bytes, value));
            }
        }
        Contents::Cells(merged)
    }

    fn ghosts_across(&mut self, number: Term, memories: &[(u32, &Memory)], out: &mut Memory) {
        let keys: BTreeSet<_> = memories
            .iter()
            .flat_map(|(_, m)| m.ghosts.keys().copied())
            .collect();
        let zero = self.terms.constant(64, 0);
        for key in keys {
            let each = memories.iter().map(|(n, m)| (*n, m.ghosts.get(&key)));
            let runs = runs(each, |x, y| match (x, y) {
                (Some(x), Some(y)) => Arc::ptr_eq(x, y) || x == y,
                (x, y) => x.is_none() && y.is_none(),
            });
            if runs.len() == 1 {
                continue;
            }
            let offsets: BTreeSet<u64> = runs
                .iter()
                .filter_map(|(_, cells)| *cells)
                .flat_map(|cells| cells.keys().copied())
                .collect();
            let mut merged = BTreeMap::new();
            for o in offsets {
                let each = runs
                    .iter()
                    .map(|(n, c)| (*n, c.and_then(|c| c.get(&o)).copied().unwrap_or(zero)));
                let value = self.value_across(number, each);
                merged.insert(o, value);
            }
            out.ghosts.insert(key, Arc::new(merged));
        }
    }
}
