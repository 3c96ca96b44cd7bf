//! Arrays with an element for each thread.
//!
//! Thread-local variables and per-thread state of the models are arrays indexed
//! by the number of the current thread. Where *every* use of such an array is
//! the computation of the own element's address, the element is an object of its
//! own that other threads reach only if its address escapes.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::callgraph::{each_operand, globals_in};
use crate::index::{GlobalId, Idx};
use crate::program::{BinOp, CastKind, Const, Function, Op, Operand, Primitive, Program};

use super::constraints::constant;

/// The arrays whose elements are private to threads, and the size of an element in bytes.
pub(super) fn thread_slots(program: &Program) -> FxHashMap<GlobalId, u64> {
    let mut sizes: FxHashMap<GlobalId, u64> = FxHashMap::default();
    let mut other: FxHashSet<GlobalId> = FxHashSet::default();
    let mut forbid = |c: &Const| {
        let mut used = Vec::new();
        globals_in(c, &mut used);
        other.extend(used);
    };
    for global in program.globals.iter() {
        for cell in global.init.iter().flatten() {
            forbid(&cell.value);
        }
    }
    for function in program.functions.iter() {
        let own = own_numbers(function);
        for block in function.blocks.iter() {
            let mut good: FxHashMap<GlobalId, u32> = FxHashMap::default();
            for instr in &block.instrs {
                let Some((global, size)) = own_element(&instr.op, &own) else {
                    continue;
                };
                if *sizes.entry(global).or_insert(size) == size {
                    *good.entry(global).or_default() += 1;
                }
            }
            each_operand(block, &mut |operand| {
                let Operand::Const(c) = operand else { return };
                if let Const::Addr { global, .. } = c {
                    if let Some(left) = good.get_mut(global).filter(|left| **left > 0) {
                        *left -= 1;
                        return;
                    }
                }
                forbid(c);
            });
        }
    }
    sizes.retain(|g, size| *size > 0 && !other.contains(g));
    sizes
}

/// `&array[own number]` plus a constant: the array and the size of an element.
fn own_element(op: &Op, own: &FixedBitSet) -> Option<(GlobalId, u64)> {
    let Op::Gep { base, scaled, .. } = op else {
        return None;
    };
    let Operand::Const(Const::Addr { global, .. }) = base else {
        return None;
    };
    let mut unknown = scaled.iter().filter(|(i, _)| constant(i).is_none());
    match (unknown.next(), unknown.next()) {
        (Some((Operand::Value(index), size)), None) if own.contains(index.index()) => {
            Some((*global, u64::try_from(*size).ok()?))
        }
        _ => None,
    }
}

/// The values that hold the number of the current thread, of whatever width, or its low bits.
fn own_numbers(function: &Function) -> FixedBitSet {
    let mut own = FixedBitSet::with_capacity(function.values.len());
    // Definitions come before uses in the order of blocks but for phis, which are not followed.
    for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
        let from = |o: &Operand| matches!(o, Operand::Value(v) if own.contains(v.index()));
        let yes = match &instr.op {
            Op::Primitive { primitive, .. } => *primitive == Primitive::SelfId,
            Op::Cast { kind, value, .. } => {
                matches!(kind, CastKind::Trunc | CastKind::ZExt | CastKind::SExt) && from(value)
            }
            // 64 slots: the low six bits and more are the number.
            Op::Bin { op, lhs, rhs } if *op == BinOp::And => {
                from(lhs) && constant(rhs).is_some_and(|m| m & 63 == 63)
            }
            _ => false,
        };
        if let (true, Some(result)) = (yes, instr.result) {
            own.insert(result.index());
        }
    }
    own
}
