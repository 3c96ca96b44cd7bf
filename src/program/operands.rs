//! What an instruction uses.

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

impl Op {
    /// All operands, in no particular order.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Op::Phi(incoming) => incoming.iter().map(|(_, o)| o).collect(),
            Op::Bin { lhs, rhs, .. }
            | Op::Icmp { lhs, rhs, .. }
            | Op::WithOverflow { lhs, rhs, .. } => vec![lhs, rhs],
            Op::Cast { value, .. }
            | Op::CountOnes { value, .. }
            | Op::LeadingZeros { value, .. }
            | Op::TrailingZeros { value, .. }
            | Op::ByteSwap { value, .. } => vec![value],
            Op::Select {
                cond,
                if_true,
                if_false,
            } => vec![cond, if_true, if_false],
            Op::Gep { base, scaled, .. } => std::iter::once(base)
                .chain(scaled.iter().map(|(o, _)| o))
                .collect(),
            Op::Alloca { count, .. } => vec![count],
            Op::Load { ptr, .. } => vec![ptr],
            Op::Store { ptr, value, .. } | Op::AtomicRmw { ptr, value, .. } => vec![ptr, value],
            Op::CmpXchg {
                ptr, expected, new, ..
            } => vec![ptr, expected, new],
            Op::MemCopy { dst, src, len, .. } => vec![dst, src, len],
            Op::MemSet { dst, byte, len, .. } => vec![dst, byte, len],
            Op::Call { callee, args, .. } => {
                let through = match callee {
                    Callee::Direct(_) => None,
                    Callee::Indirect(o) => Some(o),
                };
                args.iter().chain(through).collect()
            }
            Op::Primitive { args, .. } => args.iter().collect(),
            Op::Extract { tuple, .. } => vec![tuple],
            Op::Insert { tuple, value, .. } => vec![tuple, value],
            Op::FunnelShift {
                high, low, amount, ..
            } => vec![high, low, amount],
            Op::Unsupported(_) => Vec::new(),
        }
    }
}
