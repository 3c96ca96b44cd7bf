//! Collapses cycles of copy edges into one node: all its members have the same set.
//!
//! All strongly connected components at once (Tarjan 1972, iterative), as in the waves of Pereira and Berlin (CGO 2009); the
//! components in their order are what the worklist goes by. The lazy search of Hardekopf and Lin (PLDI 2007), from each edge that joins
//! two equal sets, goes through the same graph too often where it is large.

use crate::index::{IdVec, Idx};

use super::sets::Set;
use super::solver::{NodeId, Solver};

/// No number yet.
const UNSEEN: u32 = u32::MAX;

/// A search for strongly connected components.
struct Search {
    /// When a node was entered.
    number: IdVec<NodeId, u32>,
    low: IdVec<NodeId, u32>,
    on_stack: fixedbitset::FixedBitSet,
    stack: Vec<NodeId>,
    next: u32,
    /// Each with its first node first; edges lead from later ones to earlier ones.
    found: Vec<Vec<NodeId>>,
}

impl Search {
    fn enter(&mut self, node: NodeId) {
        self.number[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack.insert(node.index());
    }

    fn leave(&mut self, node: NodeId) {
        if self.low[node] != self.number[node] {
            return;
        }
        let at = self.stack.iter().rposition(|n| *n == node).unwrap_or(0);
        let component: Vec<NodeId> = self.stack.drain(at..).collect();
        for n in &component {
            self.on_stack.set(n.index(), false);
        }
        self.found.push(component);
    }
}

impl Solver<'_> {
    /// Looks for all cycles, and makes each one node.
    pub fn collapse_cycles(&mut self) {
        self.tidy_edges();
        let components = self.components();
        let firsts: Vec<NodeId> = components.iter().map(|c| c[0]).collect();
        for component in components {
            if component.len() > 1 {
                self.unite(&component);
            }
        }
        self.worklist.order(self.nodes.len(), &firsts);
    }

    /// Copy edges lead to representatives, once to each.
    fn tidy_edges(&mut self) {
        for n in 0..self.nodes.len() {
            let node = NodeId::new(n);
            if self.parents[node] != node {
                continue;
            }
            let mut copies = std::mem::take(&mut self.nodes[node].copies);
            for to in &mut copies {
                *to = self.find(*to);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|to| *to != node);
            self.nodes[node].copies = copies;
        }
    }

    /// Strongly connected components of the copy edges.
    fn components(&self) -> Vec<Vec<NodeId>> {
        let nodes = self.nodes.len();
        let mut search = Search {
            number: IdVec::filled(UNSEEN, nodes),
            low: IdVec::filled(UNSEEN, nodes),
            on_stack: fixedbitset::FixedBitSet::with_capacity(nodes),
            stack: Vec::new(),
            next: 0,
            found: Vec::new(),
        };
        let mut frames: Vec<(NodeId, usize)> = Vec::new();
        for n in 0..nodes {
            let root = NodeId::new(n);
            if self.parents[root] != root || search.number[root] != UNSEEN {
                continue;
            }
            search.enter(root);
            frames.push((root, 0));
            while let Some((node, next)) = frames.last_mut() {
                let node = *node;
                if let Some(&to) = self.nodes[node].copies.get(*next) {
                    *next += 1;
                    if search.number[to] == UNSEEN {
                        search.enter(to);
                        frames.push((to, 0));
                    } else if search.on_stack.contains(to.index()) {
                        search.low[node] = search.low[node].min(search.number[to]);
                    }
                    continue;
                }
                frames.pop();
                if let Some((parent, _)) = frames.last() {
                    search.low[*parent] = search.low[*parent].min(search.low[node]);
                }
                search.leave(node);
            }
        }
        search.found
    }

    /// Makes representatives one; the first of them stays.
    fn unite(&mut self, all: &[NodeId]) {
        let first = all[0];
        let mut old = Vec::with_capacity(all.len());
        for node in all {
            self.parents[*node] = first;
            old.push(std::mem::take(&mut self.nodes[*node]));
        }
        let mut set = Set::default();
        old.iter().for_each(|n| set.join(&n.set));
        // What one of them has seen and another has not is pending for the uses of both.
        let mut seen: Option<Set> = None;
        for n in &old {
            let own = n.set.without(&n.pending);
            seen = Some(match seen {
                None => own,
                Some(all) => all.within(&own),
            });
        }
        let pending = set.without(&seen.unwrap_or_default());
        let queued = old[0].queued;
        let node = &mut self.nodes[first];
        node.set = set;
        node.pending = pending;
        node.queued = queued;
        for n in old {
            node.uses.extend(n.uses);
            node.copies.extend(n.copies);
        }
        if !node.pending.is_empty() {
            self.enqueue(first);
        }
    }
}
