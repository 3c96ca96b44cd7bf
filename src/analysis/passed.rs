//! What a thread may execute once it has passed one of certain calls, itself or in what it calls.
//!
//! Control flow is that of the blocks, in whatever context a function is called; through a pointer any function may be called that its caller
//! calls at all. So it says too much, never too little.

use fixedbitset::FixedBitSet;

use super::callgraph::CallGraph;
use crate::index::{BlockId, FuncId, Idx};
use crate::program::{Callee, Op, Program};

/// The sites that a thread which runs `root` may come to in one of these functions, or once it has returned from it; of `whole`, only after
/// that.
pub fn passed(
    program: &Program,
    graph: &CallGraph,
    root: FuncId,
    is_one: &dyn Fn(FuncId) -> bool,
    whole: Option<FuncId>,
) -> FixedBitSet {
    let within = graph.reachable(&[root]);
    let is_passed = |f: FuncId| is_one(f) || whole == Some(f);
    let passing = callers_of(graph, &within, &is_passed);
    let mut found = FixedBitSet::with_capacity(program.sites.len());
    let mut entered: Vec<FuncId> = within
        .ones()
        .map(FuncId::new)
        .filter(|f| is_one(*f))
        .collect();
    for f in within.ones().map(FuncId::new) {
        if !passing.contains(f.index()) {
            continue;
        }
        let mut work: Vec<(BlockId, usize)> = Vec::new();
        for (block, at) in program.functions[f].blocks.iter_ids() {
            for (n, instr) in at.instrs.iter().enumerate() {
                let passes = |g: FuncId| is_passed(g) || passing.contains(g.index());
                if called(graph, f, &instr.op).into_iter().any(passes) {
                    work.push((block, n + 1));
                }
            }
        }
        let mut seen: Vec<Option<usize>> = vec![None; program.functions[f].blocks.len()];
        while let Some((block, from)) = work.pop() {
            if seen[block.index()].is_some_and(|known| known <= from) {
                continue;
            }
            seen[block.index()] = Some(from);
            let at = &program.functions[f].blocks[block];
            for instr in &at.instrs[from..] {
                found.extend(instr.site.map(Idx::index));
                entered.extend(called(graph, f, &instr.op));
            }
            found.extend(at.term_site.map(Idx::index));
            work.extend(at.term.successors().into_iter().map(|next| (next, 0)));
        }
    }
    for f in graph.reachable(&entered).ones().map(FuncId::new) {
        for at in program.functions[f].blocks.iter() {
            let own = at.instrs.iter().filter_map(|i| i.site);
            found.extend(own.chain(at.term_site).map(Idx::index));
        }
    }
    found
}

/// The functions that an instruction may call.
fn called(graph: &CallGraph, within: FuncId, op: &Op) -> Vec<FuncId> {
    match op {
        Op::Call {
            callee: Callee::Direct(f),
            ..
        } => vec![*f],
        Op::Call { .. } => graph.callees[within].clone(),
        _ => Vec::new(),
    }
}

/// Those of `within` that call one, directly or not.
fn callers_of(
    graph: &CallGraph,
    within: &FixedBitSet,
    is_one: &dyn Fn(FuncId) -> bool,
) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(graph.callees.len());
    loop {
        let new: Vec<usize> = within
            .ones()
            .filter(|f| !found.contains(*f))
            .filter(|f| {
                let mut callees = graph.callees[FuncId::new(*f)].iter();
                callees.any(|g| is_one(*g) || found.contains(g.index()))
            })
            .collect();
        if new.is_empty() {
            return found;
        }
        found.extend(new);
    }
}
