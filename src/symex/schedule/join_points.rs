//! The states set aside at the switch points of a lane become one.
//!
//! The number of the point alone tells them apart, and points are numbered in the order in which they were met: a value that
//! changed k times on the way from the first to the last is a choice between k + 1 values by comparisons of that number, however many
//! points there are.

use std::collections::BTreeSet;

use crate::expr::{Node, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::merge::By;
use crate::symex::machine::state::State;
use crate::symex::machine::values::SWITCH_BITS;
use crate::symex::memory::store::Memory;
use crate::symex::schedule::levels::SwitchPoint;

/// Parts of a condition that are looked at to see what it is at one point.
const MAX_PARTS: u32 = 16;

impl Executor<'_> {
    /// One state for those of several points, each under the condition that `number` is that of its point.
    pub(in crate::symex) fn merge_across(
        &mut self,
        number: Term,
        mut states: Vec<(u32, State)>,
    ) -> Option<State> {
        states.sort_by_key(|(n, _)| *n);
        self.found.merges += (states.len() as u64).saturating_sub(1);
        // Nothing more will be executed from the state, nor asked.
        if states.len() < 2 || self.budget.is_stopped() {
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
        let memory = self.merge_memories(By::Number(number), &memories);
        guard.map(|guard| State { guard, memory })
    }
}

impl Terms {
    /// The constant that numbers a point.
    pub(in crate::symex) fn number_at(&self, point: &SwitchPoint) -> u32 {
        self.as_const(point.number).map_or(0, |n| n as u32)
    }

    /// The condition that the number is one of `some`, where it is known to be one of `all` or beyond all of these.
    pub(in crate::symex) fn is_among(
        &mut self,
        number: Term,
        some: &BTreeSet<u32>,
        all: &BTreeSet<u32>,
    ) -> Term {
        let mut any = self.fals();
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
                    let first = self.constant(SWITCH_BITS, u128::from(first));
                    self.eq(number, first)
                }
                false => {
                    let [from, to] =
                        [first, last + 1].map(|n| self.constant(SWITCH_BITS, u128::from(n)));
                    let before = self.ult(number, from);
                    let not_before = self.not(before);
                    let not_after = self.ult(number, to);
                    self.and(not_before, not_after)
                }
            };
            any = self.or(any, here);
        }
        any
    }

    /// What a condition on the number is where it is `point`, if it is on nothing else.
    pub(in crate::symex) fn holds_at(
        &self,
        condition: Term,
        number: Term,
        point: Term,
    ) -> Option<bool> {
        self.part_holds_at(condition, number, point, &mut 0)
    }

    fn part_holds_at(&self, c: Term, number: Term, point: Term, parts: &mut u32) -> Option<bool> {
        *parts += 1;
        if *parts > MAX_PARTS {
            return None;
        }
        let at = self.as_const(point)?;
        match *self.node(c) {
            Node::Not(x) => self
                .part_holds_at(x, number, point, parts)
                .map(|holds| !holds),
            Node::Eq(x, k) if x == number => Some(self.as_const(k)? == at),
            Node::Eq(k, x) if x == number => Some(self.as_const(k)? == at),
            Node::Ult(x, k) if x == number => Some(at < self.as_const(k)?),
            Node::And(x, y) => match self.part_holds_at(x, number, point, parts) {
                Some(true) => self.part_holds_at(y, number, point, parts),
                known => known,
            },
            _ => None,
        }
    }
}
