//! Which values of a function are still needed: what is known of the others is forgotten, so that states are alike that behave alike.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::super::threads::in_loop;
use crate::index::{BlockId, FuncId, IdVec, Idx, ValueId};
use crate::program::{Function, Op, Operand, Primitive, Program, Terminator, operands};

/// Facts of one function, made when it is first needed.
pub struct Body {
    /// Values needed at the end of each block, by what follows it.
    out: IdVec<BlockId, FixedBitSet>,
    /// Where each value is defined.
    definitions: FxHashMap<ValueId, (BlockId, u32)>,
    /// Values on which it depends where control goes, here or where they are returned to.
    tested: FixedBitSet,
}

/// The bodies met so far.
#[derive(Default)]
pub struct Bodies {
    known: FxHashMap<FuncId, Body>,
    at: FxHashMap<(FuncId, BlockId, u32), FixedBitSet>,
    loops: FxHashMap<(FuncId, BlockId), bool>,
}

impl Bodies {
    /// The values needed just before an instruction (or the terminator).
    pub fn live(
        &mut self,
        program: &Program,
        f: FuncId,
        block: BlockId,
        index: u32,
    ) -> &FixedBitSet {
        let known = &mut self.known;
        self.at.entry((f, block, index)).or_insert_with(|| {
            let function = &program.functions[f];
            let body = known.entry(f).or_insert_with(|| Body::new(function));
            let mut live = body.out[block].clone();
            backward(function, block, index, &mut live);
            live
        })
    }

    /// Whether control may come back to a block.
    pub fn in_loop(&mut self, program: &Program, f: FuncId, block: BlockId) -> bool {
        let known = self.loops.entry((f, block));
        *known.or_insert_with(|| in_loop(&program.functions[f], block))
    }

    /// Whether a condition may depend on a value.
    pub fn is_tested(&mut self, program: &Program, f: FuncId, v: ValueId) -> bool {
        let function = &program.functions[f];
        let body = self.known.entry(f).or_insert_with(|| Body::new(function));
        body.tested.contains(v.index())
    }

    /// The instruction that defines a value.
    pub fn definition(
        &mut self,
        program: &Program,
        f: FuncId,
        v: ValueId,
    ) -> Option<(BlockId, u32)> {
        let function = &program.functions[f];
        let body = self.known.entry(f).or_insert_with(|| Body::new(function));
        body.definitions.get(&v).copied()
    }
}

fn need(live: &mut FixedBitSet, operand: &Operand) {
    if let Operand::Value(v) = operand {
        live.insert(v.index());
    }
}

/// From the end of a block back to before the instruction `from`; phis define and need nothing here.
fn backward(function: &Function, block: BlockId, from: u32, live: &mut FixedBitSet) {
    let b = &function.blocks[block];
    match &b.term {
        Terminator::Branch { cond, .. } => need(live, cond),
        Terminator::Switch { value, .. } => need(live, value),
        Terminator::Return(Some(value)) => need(live, value),
        _ => {}
    }
    for instr in b.instrs.iter().skip(from as usize).rev() {
        if matches!(instr.op, Op::Phi(_)) {
            continue;
        }
        if let Some(v) = instr.result {
            live.set(v.index(), false);
        }
        operands(&instr.op, &mut |o| need(live, o));
    }
}

impl Body {
    fn new(function: &Function) -> Body {
        let values = function.values.len();
        let mut definitions = FxHashMap::default();
        for (b, block) in function.blocks.iter_ids() {
            for (n, instr) in block.instrs.iter().enumerate() {
                definitions.extend(instr.result.map(|v| (v, (b, n as u32))));
            }
        }
        let empty = FixedBitSet::with_capacity(values);
        let mut out = IdVec::filled(empty, function.blocks.len());
        let mut changed = true;
        while changed {
            changed = false;
            for b in function.blocks.ids().rev() {
                let mut live = FixedBitSet::with_capacity(values);
                for next in function.blocks[b].term.successors() {
                    let mut within = out[next].clone();
                    backward(function, next, 0, &mut within);
                    for instr in &function.blocks[next].instrs {
                        let Op::Phi(incoming) = &instr.op else { break };
                        if let Some(v) = instr.result {
                            within.set(v.index(), false);
                        }
                        for (from, o) in incoming {
                            if *from == b {
                                need(&mut live, o);
                            }
                        }
                    }
                    live.union_with(&within);
                }
                if live != out[b] {
                    out[b] = live;
                    changed = true;
                }
            }
        }
        let tested = tested(function, &definitions);
        Body {
            out,
            definitions,
            tested,
        }
    }
}

/// The values on which conditions depend, through arithmetic and phis.
fn tested(function: &Function, definitions: &FxHashMap<ValueId, (BlockId, u32)>) -> FixedBitSet {
    let mut tested = FixedBitSet::with_capacity(function.values.len());
    for block in function.blocks.iter() {
        match &block.term {
            Terminator::Branch { cond, .. } => need(&mut tested, cond),
            Terminator::Switch { value, .. } => need(&mut tested, value),
            Terminator::Return(Some(value)) => need(&mut tested, value),
            _ => {}
        }
        for instr in &block.instrs {
            match &instr.op {
                Op::Select { cond, .. } => need(&mut tested, cond),
                Op::Primitive { primitive, args } if *primitive == Primitive::Assume => {
                    args.iter().for_each(|a| need(&mut tested, a));
                }
                _ => {}
            }
        }
    }
    let mut work: Vec<usize> = tested.ones().collect();
    while let Some(v) = work.pop() {
        let Some((b, n)) = definitions.get(&ValueId::new(v)) else {
            continue;
        };
        let op = &function.blocks[*b].instrs[*n as usize].op;
        if matches!(
            op,
            Op::Icmp { .. }
                | Op::Bin { .. }
                | Op::Cast { .. }
                | Op::Select { .. }
                | Op::Phi(_)
                | Op::Extract { .. }
                | Op::Insert { .. }
        ) {
            operands(op, &mut |o| {
                if let Operand::Value(v) = o
                    && !tested.put(v.index())
                {
                    work.push(v.index());
                }
            });
        }
    }
    tested
}
