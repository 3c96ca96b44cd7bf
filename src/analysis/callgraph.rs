//! The call graph: who may call whom, and who may start which thread.

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use crate::index::{FuncId, GlobalId, IdVec, Idx};
use crate::program::{Block, Const, Operand, Program, Terminator, operands};

/// Who may call whom.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// Callees of each function, sorted, without repetition.
    pub callees: IdVec<FuncId, Vec<FuncId>>,
    /// Start functions of the threads that each function itself may create, sorted.
    pub starts: IdVec<FuncId, Vec<FuncId>>,
}

impl CallGraph {
    /// A graph without edges.
    pub fn empty(program: &Program) -> CallGraph {
        CallGraph {
            callees: IdVec::filled(Vec::new(), program.functions.len()),
            starts: IdVec::filled(Vec::new(), program.functions.len()),
        }
    }

    /// The functions that call one.
    pub fn callers(&self, of: FuncId) -> impl Iterator<Item = FuncId> {
        let all = self.callees.iter_ids();
        all.filter(move |(_, callees)| callees.binary_search(&of).is_ok())
            .map(|(f, _)| f)
    }

    /// Sorts the edges and drops repetitions.
    pub(crate) fn normalise(&mut self) {
        for list in self.callees.iter_mut().chain(self.starts.iter_mut()) {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// The functions that a thread which runs one of `roots` may execute, indexed by [`FuncId`]; the roots included.
    pub fn reachable(&self, roots: &[FuncId]) -> FixedBitSet {
        let mut seen = FixedBitSet::with_capacity(self.callees.len());
        let mut work: Vec<FuncId> = roots.to_vec();
        while let Some(f) = work.pop() {
            if !seen.put(f.index()) {
                work.extend(&self.callees[f]);
            }
        }
        seen
    }

    /// The start functions of the threads that code reachable from `roots` creates, directly or through other threads.
    #[cfg(test)]
    pub fn threads_started(&self, roots: &[FuncId]) -> Vec<FuncId> {
        let mut found: Vec<FuncId> = Vec::new();
        let mut work = vec![roots.to_vec()];
        while let Some(group) = work.pop() {
            for f in self.reachable(&group).ones() {
                for start in &self.starts[FuncId::new(f)] {
                    if !found.contains(start) {
                        found.push(*start);
                        work.push(vec![*start]);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The strongly connected components (Tarjan 1972), callees before callers.
    pub fn components(&self) -> Vec<Vec<FuncId>> {
        let mut graph: DiGraph<FuncId, ()> = DiGraph::new();
        let nodes: Vec<_> = self.callees.ids().map(|f| graph.add_node(f)).collect();
        for (f, callees) in self.callees.iter_ids() {
            for callee in callees {
                graph.add_edge(nodes[f.index()], nodes[callee.index()], ());
            }
        }
        kosaraju_scc(&graph)
            .into_iter()
            .map(|c| c.into_iter().map(|n| graph[n]).collect())
            .collect()
    }

    /// The functions that may call themselves, directly or through others.
    pub fn recursive(&self) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.callees.len());
        for component in self.components() {
            if component.len() > 1 || self.callees[component[0]].contains(&component[0]) {
                set.extend(component.iter().map(|f| f.index()));
            }
        }
        set
    }
}

/// The globals whose address a constant holds.
pub fn globals_in(value: &Const, out: &mut Vec<GlobalId>) {
    match value {
        Const::Addr { global, .. } => out.push(*global),
        Const::Tuple(items) => items.iter().for_each(|c| globals_in(c, out)),
        _ => {}
    }
}

/// Calls `visit` on every operand of the block's instructions and of its terminator.
pub fn each_operand(block: &Block, visit: &mut dyn FnMut(&Operand)) {
    for instr in &block.instrs {
        operands(&instr.op, visit);
    }
    match &block.term {
        Terminator::Branch { cond, .. } => visit(cond),
        Terminator::Switch { value, .. } => visit(value),
        Terminator::Return(Some(value)) => visit(value),
        Terminator::Jump(_)
        | Terminator::Return(None)
        | Terminator::Unreachable
        | Terminator::Unsupported(_) => {}
    }
}
