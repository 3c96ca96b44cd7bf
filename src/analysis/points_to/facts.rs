//! Facts about the values of one function that its constraints depend on.

use std::rc::Rc;

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::index::{FuncId, Idx};
use crate::program::operands;
use crate::program::{BinOp, CastKind, Const, Function, Op, Operand};

use super::solver::Solver;

/// Sets of values of one function.
pub(super) struct Facts {
    /// Integers that become pointers in the function: loads of these from lazily initialised memory give objects.
    pub pointer_ints: FixedBitSet,
    /// Numbers that are pointers with some bits changed (a mark in the last bit, two pointers in one number), wherever they are used.
    pub marked: FixedBitSet,
    /// Values that may be computed from themselves, by moves, copies and phis: a pointer that a loop advances.
    pub cyclic: FixedBitSet,
}

impl Solver<'_> {
    /// The facts of a function, computed once.
    pub fn facts(&mut self, id: FuncId) -> Rc<Facts> {
        let program = self.program;
        let make = || {
            let function = &program.functions[id];
            Rc::new(Facts {
                pointer_ints: pointer_ints(function),
                marked: marked(function),
                cyclic: cyclic(function),
            })
        };
        self.facts.entry(id).or_insert_with(make).clone()
    }
}

/// Whether the result may be one of the operands, possibly moved.
fn passes_on(op: &Op) -> bool {
    matches!(
        op,
        Op::Phi(_)
            | Op::Bin { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Gep { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
    )
}

fn pointer_ints(function: &Function) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(function.values.len());
    loop {
        let before = set.count_ones(..);
        for b in function.blocks.ids().rev() {
            for instr in function.blocks[b].instrs.iter().rev() {
                let used = instr.result.is_some_and(|r| set.contains(r.index()));
                let seed = matches!(
                    instr.op,
                    Op::Cast {
                        kind: CastKind::IntToPtr,
                        ..
                    }
                );
                if seed || (used && passes_on(&instr.op)) {
                    operands(&instr.op, &mut |o| {
                        if let Operand::Value(v) = o {
                            set.insert(v.index());
                        }
                    });
                }
            }
        }
        if set.count_ones(..) == before {
            return set;
        }
    }
}

/// Of differences, products and shifts nobody makes a pointer again.
fn keeps_pointer(op: &Op) -> bool {
    match op {
        Op::Phi(_) | Op::Select { .. } | Op::Extract { .. } | Op::Insert { .. } => true,
        Op::Cast { kind, .. } => *kind != CastKind::Trunc,
        Op::Bin { op, .. } => matches!(op, BinOp::Or | BinOp::Xor | BinOp::And | BinOp::Add),
        _ => false,
    }
}

fn marked(function: &Function) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(function.values.len());
    loop {
        let before = set.count_ones(..);
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            let Some(result) = instr.result else { continue };
            let mut derived = matches!(
                instr.op,
                Op::Cast {
                    kind: CastKind::PtrToInt,
                    ..
                }
            );
            if keeps_pointer(&instr.op) {
                let number = matches!(instr.op, Op::Bin { .. });
                operands(&instr.op, &mut |o| {
                    derived |= match o {
                        Operand::Value(v) => set.contains(v.index()),
                        Operand::Const(Const::Addr { .. }) => number,
                        Operand::Const(_) => false,
                    };
                });
            }
            if derived {
                set.insert(result.index());
            }
        }
        if set.count_ones(..) == before {
            return set;
        }
    }
}

fn cyclic(function: &Function) -> FixedBitSet {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in 0..function.values.len() {
        graph.add_node(());
    }
    for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
        if let (Some(result), true) = (instr.result, passes_on(&instr.op)) {
            operands(&instr.op, &mut |o| {
                if let Operand::Value(v) = o {
                    let (from, to) = (NodeIndex::new(v.index()), NodeIndex::new(result.index()));
                    graph.add_edge(from, to, ());
                }
            });
        }
    }
    let mut set = FixedBitSet::with_capacity(function.values.len());
    for component in kosaraju_scc(&graph) {
        if component.len() > 1 {
            set.extend(component.into_iter().map(NodeIndex::index));
        }
    }
    set
}
