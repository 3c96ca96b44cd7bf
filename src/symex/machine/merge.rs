//! Several states become one where paths join (Kuznetsov, Kinder, Bucur and Candea: Efficient state merging in symbolic execution,
//! PLDI 2012); here always, not where an estimate favours it: what differs is selected by the condition of its path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::expr::{ArrayTerm, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::state::{Flow, State};
use crate::symex::machine::values::SWITCH_BITS;
use crate::symex::memory::cells::Cells;
use crate::symex::memory::objects::ObjectId;
use crate::symex::memory::store::{Contents, Memory};
use crate::symex::memory::subarrays::Window;

/// What tells merged states apart.
#[derive(Clone, Copy)]
pub(in crate::symex) enum By {
    /// A number; each state has its own.
    Number(Term),
    /// A condition: it holds in the first of two.
    Condition(Term),
}

/// One thing per state, from the first number on at which it is that: neighbours differ.
type Runs<T> = Vec<(u32, T)>;

impl Executor<'_> {
    /// Merges two states that exclude each other; the second result is true where the first one's values hold.
    pub(in crate::symex) fn merge_states(&mut self, a: State, b: State) -> (State, Term) {
        self.found.merges += 1;
        // Nothing more will be executed from the state, nor asked.
        if self.budget.is_stopped() {
            return (b, self.terms.tru());
        }
        let merge = Guard::merge(&mut self.terms, &a.guard, &b.guard);
        let memory = self.merge_two(merge.selector, &a.memory, &b.memory);
        (
            State {
                guard: merge.guard,
                memory,
            },
            merge.selector,
        )
    }

    /// As [`Self::merge_states`], where it is known what tells the two apart: the first one's values hold where
    /// `selector` does.
    pub(in crate::symex) fn merge_selected(&mut self, selector: Term, a: State, b: State) -> State {
        self.found.merges += 1;
        let guard = Guard::merge(&mut self.terms, &a.guard, &b.guard).guard;
        let memory = self.merge_two(selector, &a.memory, &b.memory);
        State { guard, memory }
    }

    fn merge_two(&mut self, selector: Term, a: &Memory, b: &Memory) -> Memory {
        self.merge_memories(By::Condition(selector), &[(0, a), (1, b)])
    }

    /// One memory of several, of which the one holds that `by` says.
    pub(in crate::symex) fn merge_memories(
        &mut self,
        by: By,
        memories: &[(u32, &Memory)],
    ) -> Memory {
        let mut out = memories[0].1.clone();
        let all: Vec<&Memory> = memories.iter().map(|(_, m)| *m).collect();
        for object in Memory::differing(&all) {
            let here = memories.iter().copied();
            let runs = runs(here, |x, y| match (x.written(object), y.written(object)) {
                (Some(x), Some(y)) => Arc::ptr_eq(x, y) || x == y,
                (x, y) => x.is_none() && y.is_none(),
            });
            if runs.len() > 1 {
                let contents = self.merge_contents(by, object, &runs);
                out.set(object, contents);
            }
        }
        if !all.iter().all(|m| Arc::ptr_eq(&m.ghosts, &out.ghosts)) {
            self.merge_ghosts(by, memories, &mut out);
        }
        let other = all.iter().any(|m| !Arc::ptr_eq(&m.freed, &out.freed));
        let freed = all.iter().filter(|_| other);
        let freed: BTreeSet<ObjectId> = freed.flat_map(|m| m.freed.keys().copied()).collect();
        for object in freed {
            let no = self.terms.fals();
            let each: Vec<(u32, Term)> = memories
                .iter()
                .map(|(n, m)| (*n, self.freed(m, object).unwrap_or(no)))
                .collect();
            let when = self.terms.merge_values(by, each.into_iter());
            Arc::make_mut(&mut out.freed).insert(object, when);
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
            several => Some(Arc::new(self.merge_memories(by, several))),
        };
        out
    }

    fn merge_contents(&mut self, by: By, object: ObjectId, runs: &Runs<&Memory>) -> Contents {
        let empty = Cells::new();
        let contents = runs.iter().map(|(_, m)| m.written(object));
        let parts = contents.map(|c| match c.map(Arc::as_ref) {
            Some(Contents::Cells(cells)) => Some((cells, &[][..])),
            Some(Contents::Windows(cells, windows)) => Some((cells, &windows[..])),
            Some(Contents::Array(_)) => None,
            None => Some((&empty, &[][..])),
        });
        let parts: Option<Vec<(&Cells, &[Window])>> = parts.collect();
        let parts = parts.and_then(|parts| self.windows_of(object, &parts));
        let Some((ranges, parts)) = parts else {
            let arrays: Runs<ArrayTerm> = runs
                .iter()
                .map(|(n, m)| (*n, self.as_array(m, object)))
                .collect();
            let ite = |t: &mut Terms, c, x, y| t.array_ite(c, x, y);
            return Contents::Array(choose(&mut self.terms, by, &arrays, &ite));
        };
        let all: Vec<&Cells> = parts.iter().map(|(cells, _)| cells).collect();
        let (mut merged, all) = Cells::in_common(&all);
        for (start, bytes) in pieces(&all) {
            let values: Runs<Term> = runs
                .iter()
                .zip(&all)
                .map(|((n, m), cells)| match cells.get(start) {
                    Some(&(length, value)) if length == bytes => (*n, value),
                    _ => (*n, self.read_at(m, object, start, bytes)),
                })
                .collect();
            let value = self.terms.merge_values(by, values.into_iter());
            merged.insert(start, (bytes, value));
        }
        if ranges.is_empty() {
            return Contents::Cells(merged);
        }
        let windows = ranges.iter().enumerate().map(|(n, &(start, end))| {
            let arrays = runs.iter().zip(&parts);
            let arrays: Runs<ArrayTerm> = arrays.map(|((k, _), (_, a))| (*k, a[n])).collect();
            let ite = |t: &mut Terms, c, x, y| t.array_ite(c, x, y);
            let array = choose(&mut self.terms, by, &arrays, &ite);
            Window { start, end, array }
        });
        let windows = windows.collect();
        Contents::Windows(merged, windows)
    }

    fn merge_ghosts(&mut self, by: By, memories: &[(u32, &Memory)], out: &mut Memory) {
        let keys: BTreeSet<_> = memories
            .iter()
            .flat_map(|(_, m)| m.ghosts.keys().copied())
            .collect();
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
                let first = self.initial_ghost(key.0, key.1, o);
                let each = runs
                    .iter()
                    .map(|(n, c)| (*n, c.and_then(|c| c.get(&o)).copied().unwrap_or(first)));
                let value = self.terms.merge_values(by, each);
                merged.insert(o, value);
            }
            Arc::make_mut(&mut out.ghosts).insert(key, Arc::new(merged));
        }
    }

    /// Merges flows that meet, the latest first: later ones carry the negations of what made the earlier ones leave.
    pub(in crate::symex) fn merge_flows(&mut self, mut flows: Vec<Flow>) -> Option<Flow> {
        let mut all = flows.pop()?;
        while let Some(flow) = flows.pop() {
            let (state, selector) = self.merge_states(flow.state, all.state);
            let locals = self.terms.merge_locals(selector, &flow.locals, &all.locals);
            all = Flow { state, locals };
        }
        Some(all)
    }
}

/// What it is in each state, as runs.
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
    by: By,
    runs: &[(u32, T)],
    ite: &impl Fn(&mut Terms, Term, T, T) -> T,
) -> T {
    if let [(_, only)] = runs {
        return *only;
    }
    let (before, after) = runs.split_at(runs.len() / 2);
    let x = choose(terms, by, before, ite);
    let y = choose(terms, by, after, ite);
    let is_before = match by {
        By::Condition(holds) => holds,
        By::Number(number) => {
            let from = terms.constant(SWITCH_BITS, u128::from(after[0].0));
            terms.ult(number, from)
        }
    };
    ite(terms, is_before, x, y)
}

/// The intervals between the borders of all cells that are in one of them, as start and length: where a border splits a
/// cell of another state, all are split.
fn pieces(all: &[Cells]) -> Vec<(u64, u32)> {
    let layout = |cells: &Cells| cells.iter().map(|(o, (n, _))| (o, n)).collect::<Vec<_>>();
    let first = layout(&all[0]);
    if all[1..].iter().all(|cells| layout(cells) == first) {
        return first;
    }
    let borders: BTreeSet<u128> = all
        .iter()
        .flat_map(Cells::iter)
        .flat_map(|(offset, (n, _))| {
            // Places before an object's start are the highest numbers: an end may be 2^64.
            [u128::from(offset), u128::from(offset) + u128::from(n)]
        })
        .collect();
    let borders: Vec<u128> = borders.into_iter().collect();
    let between = borders
        .windows(2)
        .map(|pair| (pair[0] as u64, (pair[1] - pair[0]) as u32));
    between
        .filter(|(start, _)| {
            all.iter().any(|cells| {
                let before = cells.range(..=*start).next_back();
                before.is_some_and(|(o, (n, _))| start - o < u64::from(n))
            })
        })
        .collect()
}

impl Terms {
    fn merge_values(&mut self, by: By, each: impl Iterator<Item = (u32, Term)>) -> Term {
        let runs = runs(each, |x, y| x == y);
        choose(self, by, &runs, &Terms::ite)
    }
}
