//! Which bits of a word a program looks at, and which it changes: flags that share a word are different things.

use crate::index::ValueId;
use crate::program::{
    AtomicRmwOp, BinOp, CastKind, Const, Function, Instr, Op, Operand, Terminator, Type, operands,
};

/// How many instructions deep.
const MAX_DEPTH: u32 = 8;

fn ones(bits: u32) -> u64 {
    match bits {
        0 => 0,
        1..=63 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

fn constant(operand: &Operand) -> Option<u64> {
    match operand {
        Operand::Const(Const::Int { value, .. }) => Some(*value as u64),
        _ => None,
    }
}

fn definition(function: &Function, v: ValueId) -> Option<&Instr> {
    let mut all = function.blocks.iter().flat_map(|b| &b.instrs);
    all.find(|i| i.result == Some(v))
}

/// The bits of a value that its function may make something of; all, where it hands the value on.
pub(super) fn tested(function: &Function, v: ValueId) -> u64 {
    looked_at(function, v, 0)
}

fn looked_at(function: &Function, v: ValueId, depth: u32) -> u64 {
    if depth == MAX_DEPTH {
        return u64::MAX;
    }
    let mut all = 0;
    for block in function.blocks.iter() {
        for instr in &block.instrs {
            let mut used = false;
            operands(&instr.op, &mut |o| used |= o.value() == Some(v));
            if used {
                all |= by(function, instr, v, depth);
            }
        }
        let ends = match &block.term {
            Terminator::Branch { cond, .. } => Some(cond),
            Terminator::Switch { value, .. } => Some(value),
            Terminator::Return(value) => value.as_ref(),
            _ => None,
        };
        if ends.and_then(Operand::value) == Some(v) {
            all = u64::MAX;
        }
    }
    all
}

/// The bits of `v` that one instruction makes something of.
fn by(function: &Function, instr: &Instr, v: ValueId, depth: u32) -> u64 {
    let further = || match instr.result {
        Some(result) => looked_at(function, result, depth + 1),
        None => u64::MAX,
    };
    match &instr.op {
        Op::Bin { op, lhs, rhs } => {
            let other = match lhs.value() == Some(v) {
                true => constant(rhs),
                false => constant(lhs),
            };
            match (op, other) {
                (BinOp::And, Some(mask)) => mask & further(),
                (BinOp::Or, Some(mask)) => !mask & further(),
                (BinOp::LShr, Some(n)) if n < 64 && lhs.value() == Some(v) => further() << n,
                (BinOp::Shl, Some(n)) if n < 64 && lhs.value() == Some(v) => further() >> n,
                _ => u64::MAX,
            }
        }
        Op::Cast {
            kind: CastKind::Trunc,
            to: Type::Int(bits),
            ..
        } => ones(*bits) & further(),
        Op::Cast {
            kind: CastKind::ZExt,
            ..
        } => further(),
        _ => u64::MAX,
    }
}

/// The bits that a write may change; `again`: whether a value was read from where it is written to.
pub(super) fn written(function: &Function, op: &Op, again: &dyn Fn(ValueId) -> bool) -> u64 {
    match op {
        Op::Store { value, .. } => changed(function, value, again, 0),
        Op::AtomicRmw { op, value, .. } => match (op, constant(value)) {
            (AtomicRmwOp::Or | AtomicRmwOp::Xor, Some(mask)) => mask,
            (AtomicRmwOp::And, Some(mask)) => !mask,
            _ => u64::MAX,
        },
        _ => u64::MAX,
    }
}

fn changed(
    function: &Function,
    value: &Operand,
    again: &dyn Fn(ValueId) -> bool,
    depth: u32,
) -> u64 {
    let Some(v) = value.value().filter(|_| depth < MAX_DEPTH) else {
        return u64::MAX;
    };
    if again(v) {
        return 0;
    }
    let Some(Op::Bin { op, lhs, rhs }) = definition(function, v).map(|i| &i.op) else {
        return u64::MAX;
    };
    let inner = |o: &Operand| changed(function, o, again, depth + 1);
    match (op, constant(rhs)) {
        (BinOp::Or | BinOp::Xor, Some(mask)) => mask | inner(lhs),
        (BinOp::And, Some(mask)) => !mask | inner(lhs),
        (BinOp::Or, None) => {
            // A field of bits: the others are kept, these are put in.
            let (left, right) = (inner(lhs), inner(rhs));
            match (left == u64::MAX, right == u64::MAX) {
                (false, _) => left | possible(function, rhs, depth + 1),
                (_, false) => right | possible(function, lhs, depth + 1),
                _ => u64::MAX,
            }
        }
        _ => u64::MAX,
    }
}

/// The bits that may be set in a value.
fn possible(function: &Function, value: &Operand, depth: u32) -> u64 {
    if let Some(c) = constant(value) {
        return c;
    }
    let instr = value.value().and_then(|v| definition(function, v));
    let (Some(instr), true) = (instr, depth < MAX_DEPTH) else {
        return u64::MAX;
    };
    let inner = |o: &Operand| possible(function, o, depth + 1);
    match &instr.op {
        Op::Bin {
            op: BinOp::And,
            lhs,
            rhs,
        } => inner(lhs) & inner(rhs),
        Op::Bin {
            op: BinOp::Or,
            lhs,
            rhs,
        } => inner(lhs) | inner(rhs),
        Op::Bin {
            op: BinOp::Shl,
            lhs,
            rhs,
        } => match constant(rhs) {
            Some(n) if n < 64 => inner(lhs) << n,
            _ => u64::MAX,
        },
        Op::Cast {
            kind: CastKind::ZExt,
            value,
            from: Type::Int(bits),
            ..
        } => inner(value) & ones(*bits),
        Op::Select {
            if_true, if_false, ..
        } => inner(if_true) | inner(if_false),
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{function, program};
    use crate::program::Program;

    fn parts(text: &str) -> (u64, u64) {
        let program: Program = program(&format!("@x = global i32 0\n{text}"));
        let f = &program.functions[function(&program, "f")];
        let instrs = || f.blocks.iter().flat_map(|b| &b.instrs);
        let load = instrs().find(|i| matches!(i.op, Op::Load { .. }));
        let load = load.and_then(|i| i.result).expect("a load");
        let store = instrs().find(|i| matches!(i.op, Op::Store { .. } | Op::AtomicRmw { .. }));
        let store = store.expect("a store");
        let loads: Vec<ValueId> = instrs()
            .filter(|i| matches!(i.op, Op::Load { .. }))
            .filter_map(|i| i.result)
            .collect();
        (
            tested(f, load),
            written(f, &store.op, &|v| loads.contains(&v)),
        )
    }

    #[test]
    fn masks_of_flags() {
        let (tested, written) = parts(
            "define i1 @f() {
               %v = load i32, ptr @x
               %a = and i32 %v, 6
               %t = icmp ne i32 %a, 0
               %w = load i32, ptr @x
               %n = or i32 %w, 8
               store i32 %n, ptr @x
               ret i1 %t
             }",
        );
        assert_eq!((tested, written), (6, 8));
    }

    #[test]
    fn a_bit_that_is_shifted_down_and_one_that_is_cleared() {
        let (tested, written) = parts(
            "define i1 @f() {
               %v = load i32, ptr @x
               %a = lshr i32 %v, 4
               %b = and i32 %a, 1
               %t = icmp ne i32 %b, 0
               %w = load i32, ptr @x
               %n = and i32 %w, -17
               store i32 %n, ptr @x
               ret i1 %t
             }",
        );
        assert_eq!(tested, 1 << 4);
        assert_eq!(written & 0xffff_ffff, 1 << 4);
    }

    #[test]
    fn sums_and_what_is_handed_on_are_whole() {
        let (tested, written) = parts(
            "define i32 @f() {
               %v = load i32, ptr @x
               %w = load i32, ptr @x
               %n = add i32 %w, 1
               store i32 %n, ptr @x
               ret i32 %v
             }",
        );
        assert_eq!((tested, written), (u64::MAX, u64::MAX));
    }

    #[test]
    fn a_field_of_bits_is_put_in() {
        let (_, written) = parts(
            "define void @f(i32 %new) {
               %w = load i32, ptr @x
               %kept = and i32 %w, -13
               %two = and i32 %new, 3
               %at = shl i32 %two, 2
               %n = or i32 %kept, %at
               store i32 %n, ptr @x
               ret void
             }",
        );
        assert_eq!(written & 0xffff_ffff, 12);
    }
}
