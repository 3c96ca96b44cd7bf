//! A forward invariant: which two tokens can be there at once.
//!
//! The relation h² of planning (Haslum, Geffner: Admissible Heuristics for Optimal Planning, AIPS 2000), on markings: the smallest
//! set of pairs of places that holds those of the initial marking, and with the pairs of what a transition takes those of what
//! it leaves. Two tokens in one place are a pair too. What needs a pair that is not in it is covered by no reachable marking.

use std::collections::VecDeque;

use fixedbitset::FixedBitSet;

use crate::faults::{NetFault, seeded};
use crate::index::{IdVec, Idx};

use super::net::{Net, PlaceId, Transition, TransitionId};

/// The pairs of tokens that may be there at once, for any number of tokens.
pub struct Pairs {
    rows: IdVec<PlaceId, FixedBitSet>,
    /// Places that may be marked.
    marked: FixedBitSet,
}

impl Pairs {
    /// Solves for a net.
    pub fn solve(net: &Net) -> Pairs {
        let n = net.places.len();
        let mut pairs = Pairs {
            rows: IdVec::filled(FixedBitSet::with_capacity(n), n),
            marked: FixedBitSet::with_capacity(n),
        };
        let mut start: Vec<(PlaceId, u32)> = net.initial.clone();
        start.extend(net.unbounded.iter().map(|p| (*p, 2)));
        for (k, (p, many)) in start.iter().enumerate() {
            pairs.marked.insert(p.index());
            if *many > 1 {
                pairs.add(*p, *p);
            }
            for (q, _) in &start[..k] {
                pairs.add(*p, *q);
            }
        }
        // What a transition comes to depends on the rows of the places that it takes from; without any, on what is marked.
        let mut taking: IdVec<PlaceId, Vec<TransitionId>> = IdVec::filled(Vec::new(), n);
        let mut sources: Vec<TransitionId> = Vec::new();
        for (id, t) in net.transitions.iter_ids() {
            for (p, _) in &t.pre {
                taking[*p].push(id);
            }
            if t.pre.is_empty() {
                sources.push(id);
            }
        }
        let mut queued = FixedBitSet::with_capacity(net.transitions.len());
        queued.insert_range(..);
        let mut work: VecDeque<TransitionId> = net.transitions.ids().collect();
        while let Some(id) = work.pop_front() {
            queued.set(id.index(), false);
            let changed = pairs.fire(&net.transitions[id]);
            let woken = changed.iter().flat_map(|p| &taking[*p]);
            let woken = woken.chain(sources.iter().filter(|_| !changed.is_empty()));
            for t in woken {
                if !queued.put(t.index()) {
                    work.push_back(*t);
                }
            }
        }
        pairs
    }

    /// Whether the tokens of a bag may be there at once, as far as pairs tell.
    pub fn possible(&self, bag: &[(PlaceId, u32)]) -> bool {
        bag.iter().enumerate().all(|(k, (p, n))| {
            self.marked.contains(p.index())
                && (*n < 2 || self.rows[*p].contains(p.index()))
                && bag[..k]
                    .iter()
                    .all(|(q, _)| self.rows[*p].contains(q.index()))
        })
    }

    /// Whether a transition may ever fire, as far as pairs tell.
    pub fn fires(&self, t: &Transition) -> bool {
        self.possible(&t.pre)
    }

    fn add(&mut self, p: PlaceId, q: PlaceId) -> bool {
        let new = !self.rows[p].put(q.index());
        self.rows[q].insert(p.index());
        new
    }

    /// The places whose rows change.
    fn fire(&mut self, t: &Transition) -> Vec<PlaceId> {
        let mut changed = Vec::new();
        if !self.possible(&t.pre) {
            return changed;
        }
        for (k, (p, n)) in t.post.iter().enumerate() {
            let new = !self.marked.put(p.index());
            let twice = *n > 1 && self.add(*p, *p);
            if new || twice {
                changed.push(*p);
            }
            for (q, _) in &t.post[..k] {
                if self.add(*p, *q) {
                    changed.extend([*p, *q]);
                }
            }
        }
        if seeded(NetFault::NothingStaysBeside) {
            return changed;
        }
        // What may be there beside all that the transition takes stays beside what it gives.
        let mut beside = self.marked.clone();
        for (p, _) in &t.pre {
            beside.intersect_with(&self.rows[*p]);
        }
        for p in &t.empties {
            beside.set(p.index(), false);
        }
        for (p, _) in &t.post {
            if beside.is_subset(&self.rows[*p]) {
                continue;
            }
            changed.push(*p);
            let new: Vec<usize> = beside.difference(&self.rows[*p]).collect();
            for q in new {
                self.add(*p, PlaceId::new(q));
                changed.push(PlaceId::new(q));
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::super::net::bag;
    use super::*;

    #[test]
    fn two_tokens_given_at_once_are_a_pair() {
        let mut net = Net::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| net.places.push(name.to_string()));
        net.initial = bag([a]);
        net.transitions.push(Transition {
            pre: bag([a]),
            post: bag([b, b]),
            ..Transition::default()
        });
        net.transitions.push(Transition {
            pre: bag([b]),
            post: bag([c]),
            ..Transition::default()
        });
        let pairs = Pairs::solve(&net);
        for possible in [bag([b, b]), bag([b, c]), bag([c, c])] {
            assert!(pairs.possible(&possible), "{possible:?}");
        }
        for never in [bag([a, a]), bag([a, b]), bag([a, c])] {
            assert!(!pairs.possible(&never), "{never:?}");
        }
    }
}
