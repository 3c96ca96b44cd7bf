//! A forward invariant: which two tokens can be there at once.
//!
//! The relation h² of planning (Haslum, Geffner: Admissible Heuristics for Optimal Planning, AIPS 2000), on markings: the smallest
//! set of pairs of places that holds those of the initial marking, and with the pairs of what a transition takes those of what
//! it leaves. Two tokens in one place are a pair too. What needs a pair that is not in it is covered by no reachable marking.

use fixedbitset::FixedBitSet;

use crate::index::{IdVec, Idx};

use super::faults::NetFault;
use super::net::{Net, PlaceId, Transition};

/// The pairs of tokens that may be there at once, for any number of tokens.
pub struct Pairs {
    rows: IdVec<PlaceId, FixedBitSet>,
    /// Places that may be marked.
    marked: FixedBitSet,
}

impl Pairs {
    /// Solves for a net.
    pub fn solve(net: &Net, fault: Option<NetFault>) -> Pairs {
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
        let mut changed = true;
        while changed {
            changed = false;
            for t in net.transitions.iter() {
                changed |= pairs.fire(t, fault);
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

    fn fire(&mut self, t: &Transition, fault: Option<NetFault>) -> bool {
        if !self.possible(&t.pre) {
            return false;
        }
        let mut changed = false;
        for (k, (p, n)) in t.post.iter().enumerate() {
            changed |= !self.marked.put(p.index());
            if *n > 1 {
                changed |= self.add(*p, *p);
            }
            for (q, _) in &t.post[..k] {
                changed |= self.add(*p, *q);
            }
        }
        if fault == Some(NetFault::NothingStaysBeside) {
            return changed;
        }
        // What may be there beside all that the transition takes stays beside what it gives.
        let mut beside = self.marked.clone();
        for (p, _) in &t.pre {
            beside.intersect_with(&self.rows[*p]);
        }
        for (p, _) in &t.post {
            if beside.is_subset(&self.rows[*p]) {
                continue;
            }
            changed = true;
            let new: Vec<usize> = beside.difference(&self.rows[*p]).collect();
            for q in new {
                self.add(*p, PlaceId::new(q));
            }
        }
        changed
    }
}
