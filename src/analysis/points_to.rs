//! Points-to: which memory a pointer may lead to.

use crate::index::FuncId;
use crate::program::Program;

use super::callgraph::CallGraph;

/// The result of points-to analysis.
#[derive(Clone, Debug)]
pub struct PointsTo {
    graph: CallGraph,
}

impl PointsTo {
    /// Analyses all code reachable from `roots` (calls and thread starts).
    pub fn solve(program: &Program, roots: &[FuncId]) -> PointsTo {
        let _ = roots;
        PointsTo {
            graph: CallGraph::conservative(program),
        }
    }
    /// The call graph with indirect calls resolved.
    pub fn call_graph(&self) -> &CallGraph {
        &self.graph
    }
}
