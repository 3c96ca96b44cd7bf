//! Which set is propagated next.
//!
//! In the topological order of the copy edges, as far as it is known, so that what flows into a set is there before it is handed on
//! (Pereira and Berlin, *Wave Propagation and Deep Propagation for Pointer Analysis*, CGO 2009). Deviation: that order is found anew only
//! when propagation has cost as much as finding it does, and edges that appear meanwhile do not change it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::index::IdVec;

use super::solver::NodeId;

/// Rank of a set that is newer than the order: after all others.
const LAST: u32 = u32::MAX;

/// The sets that have something to hand on.
#[derive(Debug, Default)]
pub(super) struct Worklist {
    /// Of this wave, the first of the order on top.
    now: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// Of the next: those that the wave has passed.
    next: Vec<NodeId>,
    at: u32,
    ranks: IdVec<NodeId, u32>,
}

impl Worklist {
    /// Adds a set that is not there.
    pub fn push(&mut self, node: NodeId) {
        let rank = self.ranks.get(node).copied().unwrap_or(LAST);
        if rank >= self.at {
            self.now.push(Reverse((rank, node)));
        } else {
            self.next.push(node);
        }
    }

    /// Takes the next one.
    pub fn pop(&mut self) -> Option<NodeId> {
        if self.now.is_empty() {
            self.at = 0;
            for node in std::mem::take(&mut self.next) {
                self.push(node);
            }
        }
        let Reverse((rank, node)) = self.now.pop()?;
        self.at = rank;
        Some(node)
    }

    /// The order from now on: `components` with edges from later ones to earlier ones only.
    pub fn order(&mut self, nodes: usize, components: &[NodeId]) {
        self.ranks = IdVec::filled(LAST, nodes);
        for (rank, node) in components.iter().rev().enumerate() {
            self.ranks[*node] = u32::try_from(rank).unwrap_or(LAST);
        }
        self.at = 0;
        let all = std::mem::take(&mut self.now).into_iter();
        let mut all: Vec<NodeId> = all.map(|Reverse((_, node))| node).collect();
        all.append(&mut self.next);
        for node in all {
            self.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Idx;

    fn popped(list: &mut Worklist) -> Vec<usize> {
        std::iter::from_fn(|| list.pop())
            .map(|n| n.index())
            .collect()
    }

    #[test]
    fn sets_come_in_the_order_of_the_edges_and_what_is_passed_comes_in_the_next_wave() {
        let mut list = Worklist::default();
        let nodes: Vec<NodeId> = (0..4).map(NodeId::new).collect();
        for node in &nodes {
            list.push(*node);
        }
        // Edges 1 -> 3 -> 0.
        list.order(3, &[nodes[0], nodes[2], nodes[1]]);
        assert_eq!(list.pop(), Some(nodes[1]));
        assert_eq!(list.pop(), Some(nodes[2]));
        list.push(nodes[1]);
        assert_eq!(popped(&mut list), [0, 3, 1]);
    }
}
