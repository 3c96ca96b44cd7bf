//! Updates that set and clear constant bits, and leave the others as they are: two that are the same undo nothing of each other, in
//! whatever order their parts come.

use std::collections::HashSet;

use super::nature::{instructions, is_in, same_place};
use crate::index::ValueId;
use crate::program::{BinOp, CastKind, Const, Function, Op, Operand, Type};

/// What an update does: `(old & !cleared) | set`; no bit is in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    set: u128,
    cleared: u128,
}

/// Nothing.
const NONE: Bits = Bits { set: 0, cleared: 0 };

/// Of a store: if what it writes is made in this way of what is read there.
pub(super) fn of_store(function: &Function, ptr: &Operand, value: &Operand) -> Option<Bits> {
    let (bits, from) = made(function, value)?;
    let instr = instructions(function).find(|i| i.result == Some(from))?;
    let there = matches!(&instr.op, Op::Load { ptr: at, .. } if same_place(function, ptr, at));
    there.then_some(bits)
}

/// Of a load: if all that is made of it (`made_of_it`) and written there is made in this way, each the same.
pub(super) fn of_load(
    function: &Function,
    ptr: &Operand,
    result: ValueId,
    made_of_it: &HashSet<ValueId>,
) -> Option<Bits> {
    let mut found = None;
    for instr in instructions(function) {
        let Op::Store { ptr: to, value, .. } = &instr.op else {
            continue;
        };
        if !same_place(function, ptr, to) || !is_in(value, made_of_it) {
            continue;
        }
        let (bits, from) = made(function, value)?;
        if from != result || found.is_some_and(|other| other != bits) {
            return None;
        }
        found = Some(bits);
    }
    found
}

/// What is done with which loaded value. What is stored has as many bits as what is loaded; none are lost on the way.
fn made(function: &Function, value: &Operand) -> Option<(Bits, ValueId)> {
    let mut steps: Vec<(BinOp, u128)> = Vec::new();
    let mut narrowest = u32::MAX;
    let mut value = value;
    let (from, width) = loop {
        let Operand::Value(v) = value else {
            return None;
        };
        let made = instructions(function).find(|i| i.result == Some(*v))?;
        match &made.op {
            Op::Bin {
                op: op @ (BinOp::And | BinOp::Or),
                lhs,
                rhs,
            } => {
                let (of, mask) = with_constant(lhs, rhs)?;
                steps.push((*op, mask));
                value = of;
            }
            Op::Cast {
                kind: CastKind::Trunc | CastKind::ZExt | CastKind::SExt,
                value: of,
                from: Type::Int(from),
                to: Type::Int(to),
            } => {
                narrowest = narrowest.min(*from).min(*to);
                value = of;
            }
            Op::Load {
                ty: Type::Int(width),
                ..
            } => break (*v, *width),
            _ => return None,
        }
    };
    let all = (1u128 << width.min(127)) - 1;
    let bits = steps.into_iter().rev().fold(NONE, |bits, step| match step {
        (BinOp::Or, mask) => Bits {
            set: bits.set | mask & all,
            cleared: bits.cleared & !mask,
        },
        (_, mask) => Bits {
            set: bits.set & mask,
            cleared: bits.cleared | !mask & all,
        },
    });
    (narrowest >= width && width < 128 && bits != NONE).then_some((bits, from))
}

/// A value and a constant.
fn with_constant<'f>(lhs: &'f Operand, rhs: &'f Operand) -> Option<(&'f Operand, u128)> {
    match (lhs, rhs) {
        (of, Operand::Const(Const::Int { value, .. }))
        | (Operand::Const(Const::Int { value, .. }), of) => Some((of, *value)),
        _ => None,
    }
}
