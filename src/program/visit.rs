//! Walks over instructions.

use super::instr::{Callee, Op, Operand};
use crate::index::ValueId;

impl Operand {
    /// The SSA name, if it is one.
    pub fn value(&self) -> Option<ValueId> {
        match self {
            Operand::Value(v) => Some(*v),
            Operand::Const(_) => None,
        }
    }
}

/// Calls `visit` on every operand of an instruction; the target of an indirect call is one.
pub fn operands(op: &Op, visit: &mut dyn FnMut(&Operand)) {
    match op {
        Op::Phi(items) => items.iter().for_each(|(_, v)| visit(v)),
        Op::Bin { lhs, rhs, .. }
        | Op::Icmp { lhs, rhs, .. }
        | Op::FloatCompare { lhs, rhs, .. }
        | Op::WithOverflow { lhs, rhs, .. } => {
            visit(lhs);
            visit(rhs);
        }
        Op::Cast { value, .. }
        | Op::CountOnes { value, .. }
        | Op::LeadingZeros { value, .. }
        | Op::TrailingZeros { value, .. }
        | Op::ByteSwap { value, .. }
        | Op::FloatConvert { value, .. } => visit(value),
        Op::Select {
            cond,
            if_true,
            if_false,
        } => {
            visit(cond);
            visit(if_true);
            visit(if_false);
        }
        Op::Gep { base, scaled, .. } => {
            visit(base);
            scaled.iter().for_each(|(v, _)| visit(v));
        }
        Op::Bounds { index, .. } => visit(index),
        Op::Alloca { count, .. } => visit(count),
        Op::Load { ptr, .. } => visit(ptr),
        Op::Store { ptr, value, .. } | Op::AtomicRmw { ptr, value, .. } => {
            visit(ptr);
            visit(value);
        }
        Op::CmpXchg {
            ptr, expected, new, ..
        } => {
            visit(ptr);
            visit(expected);
            visit(new);
        }
        Op::MemCopy { dst, src, len, .. } => {
            visit(dst);
            visit(src);
            visit(len);
        }
        Op::MemSet { dst, byte, len, .. } => {
            visit(dst);
            visit(byte);
            visit(len);
        }
        Op::Call { callee, args, .. } => {
            if let Callee::Indirect(target) = callee {
                visit(target);
            }
            args.iter().for_each(visit);
        }
        Op::Primitive { args, .. } | Op::Float { args, .. } => args.iter().for_each(visit),
        Op::Extract { tuple, .. } => visit(tuple),
        Op::Insert { tuple, value, .. } => {
            visit(tuple);
            visit(value);
        }
        Op::FunnelShift {
            high, low, amount, ..
        } => {
            visit(high);
            visit(low);
            visit(amount);
        }
        Op::Unsupported(_) => {}
    }
}
