//! Collapses cycles of copy edges into one node: all its members have the same set.
//!
//! Hardekopf and Lin (PLDI 2007), lazy cycle detection: where an edge joins two
//! equal sets, a search from its target looks for a cycle.

use rustc_hash::{FxHashMap, FxHashSet};

use super::sets::{difference, merge};
use super::solver::{NodeId, Solver};

impl Solver<'_> {
    pub fn collapse_suspects(&mut self) {
        while let Some(start) = self.suspects.pop() {
            let start = self.find(start);
            for component in self.components_from(start) {
                for &other in &component[1..] {
                    self.union(component[0], other);
                }
            }
        }
    }

    /// Strongly connected components of more than one node that copy edges lead to from `start` (Tarjan 1972, iterative).
    fn components_from(&mut self, start: NodeId) -> Vec<Vec<NodeId>> {
        struct Frame {
            node: NodeId,
            next: usize,
        }
        let mut found = Vec::new();
        let mut number: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut low: FxHashMap<NodeId, u32> = FxHashMap::default();
        let mut on_stack: FxHashSet<NodeId> = FxHashSet::default();
        let mut stack = Vec::new();
        let mut frames = Vec::new();
        let mut enter = vec![start];
        loop {
            if let Some(node) = enter.pop() {
                let n = number.len() as u32;
                number.insert(node, n);
                low.insert(node, n);
                stack.push(node);
                on_stack.insert(node);
                frames.push(Frame { node, next: 0 });
            }
            let Some(frame) = frames.last_mut() else {
                break;
            };
            let node = frame.node;
            if let Some(&to) = self.nodes[node].copies.get(frame.next) {
                frame.next += 1;
                let to = self.find(to);
                if !number.contains_key(&to) {
                    enter.push(to);
                } else if on_stack.contains(&to) {
                    let l = low[&node].min(number[&to]);
                    low.insert(node, l);
                }
                continue;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                let l = low[&parent.node].min(low[&node]);
                low.insert(parent.node, l);
            }
            if low[&node] == number[&node] {
                let at = stack.iter().rposition(|n| *n == node).unwrap_or(0);
                let component: Vec<NodeId> = stack.drain(at..).collect();
                for n in &component {
                    on_stack.remove(n);
                }
                if component.len() > 1 {
                    found.push(component);
                }
            }
        }
        found
    }

    fn union(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        self.parents[b] = a;
        let old = std::mem::take(&mut self.nodes[b]);
        let node = &mut self.nodes[a];
        // What one of the two has seen and the other has not is pending for the uses of both.
        let unseen = merge(
            &difference(&old.set, &node.set),
            &difference(&node.set, &old.set),
        );
        node.pending = merge(&merge(&node.pending, &old.pending), &unseen);
        node.set = merge(&node.set, &old.set);
        node.uses.extend(old.uses);
        node.copies.extend(old.copies);
        if !node.pending.is_empty() {
            self.enqueue(a);
        }
    }
}
