//! Arithmetic on registers.

use super::code::{Bits, Format, Inst, Kind};
use super::machine::{Pause, Register};
use super::operands::low;
use super::run::Running;
use crate::program::{AtomicRmwOp, BinOp, FloatOp, FloatOrder, IntPredicate};

/// The value of `bits` bits as a signed number.
pub(super) fn signed(value: u64, bits: u32) -> i64 {
    match bits {
        0 => 0,
        bits => {
            let unused = 64 - bits.min(64);
            ((value << unused) as i64) >> unused
        }
    }
}

/// `a op b` on `bits` bits; `None`: it has no value.
pub(super) fn binary(op: BinOp, a: u64, b: u64, bits: u32) -> Option<u64> {
    let in_range = b < u64::from(bits);
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SDiv | BinOp::SRem => {
            let (x, y) = (signed(a, bits), signed(b, bits));
            // What overflows in fewer bits does not in 64.
            if y == -1 && low(a, bits) == 1 << (bits - 1) {
                return None;
            }
            match op {
                BinOp::SDiv => x.checked_div(y)? as u64,
                _ => x.checked_rem(y)? as u64,
            }
        }
        BinOp::Shl if in_range => a << b,
        BinOp::LShr if in_range => low(a, bits) >> b,
        BinOp::AShr if in_range => (signed(a, bits) >> b) as u64,
        // Beyond the width: an arbitrary value, so zero.
        BinOp::Shl | BinOp::LShr | BinOp::AShr => 0,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    Some(low(value, bits))
}

/// `a pred b` on `bits` bits.
pub(super) fn compare(pred: IntPredicate, a: u64, b: u64, bits: u32) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match pred {
        IntPredicate::Eq => a == b,
        IntPredicate::Ne => a != b,
        IntPredicate::Ugt => a > b,
        IntPredicate::Uge => a >= b,
        IntPredicate::Ult => a < b,
        IntPredicate::Ule => a <= b,
        IntPredicate::Sgt => x > y,
        IntPredicate::Sge => x >= y,
        IntPredicate::Slt => x < y,
        IntPredicate::Sle => x <= y,
    }
}

/// The wrapped result of Add, Sub or Mul, and whether it was wrapped.
pub(super) fn with_overflow(
    op: BinOp,
    is_signed: bool,
    a: u64,
    b: u64,
    bits: u32,
) -> Option<(u64, bool)> {
    let wrapped = binary(op, a, b, bits)?;
    let over = if is_signed {
        let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
        let exact = match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            BinOp::Mul => x * y,
            _ => return None,
        };
        exact != i128::from(signed(wrapped, bits))
    } else {
        let (x, y) = (u128::from(a), u128::from(b));
        let exact = match op {
            BinOp::Add => x.checked_add(y),
            BinOp::Sub => x.checked_sub(y),
            BinOp::Mul => x.checked_mul(y),
            _ => return None,
        };
        exact != Some(u128::from(wrapped))
    };
    Some((wrapped, over))
}

/// The new value of an atomic read-modify-write.
pub(super) fn modify(op: AtomicRmwOp, old: u64, value: u64, bits: u32) -> u64 {
    let pick = |pred| match compare(pred, old, value, bits) {
        true => old,
        false => value,
    };
    let new = match op {
        AtomicRmwOp::Xchg => value,
        AtomicRmwOp::Add => old.wrapping_add(value),
        AtomicRmwOp::Sub => old.wrapping_sub(value),
        AtomicRmwOp::And => old & value,
        AtomicRmwOp::Nand => !(old & value),
        AtomicRmwOp::Or => old | value,
        AtomicRmwOp::Xor => old ^ value,
        AtomicRmwOp::Max => pick(IntPredicate::Sgt),
        AtomicRmwOp::Min => pick(IntPredicate::Slt),
        AtomicRmwOp::UMax => pick(IntPredicate::Ugt),
        AtomicRmwOp::UMin => pick(IntPredicate::Ult),
    };
    low(new, bits)
}

/// What an instruction of one result computes, and where it goes; `None`: it is another kind of instruction.
pub(super) fn simple(
    run: &mut Running<'_, '_>,
    inst: &Inst,
) -> Result<Option<(u32, Register)>, Pause> {
    let of = |dst: &u32, value: u64, from: Register| Ok(Some((*dst, Register { value, ..from })));
    match inst {
        Inst::Bin {
            op,
            bits,
            dst,
            a,
            b,
        } => {
            let (a, b) = (run.register(*a), run.register(*b));
            let value = binary(*op, a.value, b.value, u32::from(*bits)).ok_or(Pause::Failed)?;
            if *op == BinOp::And {
                run.machine.masked(a, b);
            }
            of(dst, value, either(a, b))
        }
        Inst::Mask { bits, dst, a } => {
            let a = run.register(*a);
            of(dst, low(a.value, u32::from(*bits)), a)
        }
        Inst::SignExtend { from, to, dst, a } => {
            let a = run.register(*a);
            let value = signed(a.value, u32::from(*from)) as u64;
            of(dst, low(value, u32::from(*to)), a)
        }
        Inst::Move { dst, a } => Ok(Some((*dst, run.register(*a)))),
        Inst::Address {
            dst,
            base,
            offset,
            scaled,
        } => {
            let base = run.register(*base);
            let mut value = base.value.wrapping_add_signed(*offset);
            for (index, bits, scale) in scaled {
                let index = signed(run.value(*index), u32::from(*bits));
                value = value.wrapping_add_signed(index.wrapping_mul(*scale));
            }
            of(dst, value, base)
        }
        Inst::Bits { op, bits, dst, a } => {
            let a = run.register(*a);
            of(dst, of_bits(*op, a.value, u32::from(*bits)), a)
        }
        Inst::Funnel {
            bits,
            left,
            dst,
            high,
            low: below,
            amount,
        } => {
            let (high, below) = (run.register(*high), run.register(*below));
            let amount = run.value(*amount);
            let value = funnel(high.value, below.value, amount, u32::from(*bits), *left);
            of(dst, value, either(high, below))
        }
        Inst::Float { .. } | Inst::FloatCompare { .. } | Inst::Convert { .. } => floats(run, inst),
        _ => Ok(None),
    }
}

/// The same of floating-point numbers.
fn floats(run: &Running<'_, '_>, inst: &Inst) -> Result<Option<(u32, Register)>, Pause> {
    let of = |dst: &u32, value: u64, from: Register| Ok(Some((*dst, Register { value, ..from })));
    match inst {
        Inst::Float {
            op,
            format,
            dst,
            a,
            b,
        } => {
            let (a, b) = (run.register(*a), run.register(*b));
            of(dst, float(*op, *format, a.value, b.value), either(a, b))
        }
        Inst::FloatCompare {
            order,
            format,
            dst,
            a,
            b,
        } => {
            let (a, b) = (run.register(*a), run.register(*b));
            let value = u64::from(ordered(*order, *format, a.value, b.value));
            of(dst, value, either(a, b))
        }
        Inst::Convert { from, to, dst, a } => {
            let a = run.register(*a);
            of(dst, convert(*from, *to, a.value), a)
        }
        _ => Ok(None),
    }
}

/// The register that came from an input, the first of two.
fn either(a: Register, b: Register) -> Register {
    if a.taint != 0 { a } else { b }
}

fn of_bits(op: Bits, value: u64, bits: u32) -> u64 {
    match op {
        Bits::CountOnes => u64::from(value.count_ones()),
        Bits::LeadingZeros => u64::from(value.leading_zeros() - (64 - bits)),
        Bits::TrailingZeros => u64::from(value.trailing_zeros().min(bits)),
        Bits::ByteSwap => value.swap_bytes() >> (64 - bits),
    }
}

/// `(high:low)` shifted by `amount mod bits`.
fn funnel(high: u64, below: u64, amount: u64, bits: u32, left: bool) -> u64 {
    let n = (amount % u64::from(bits)) as u32;
    match (n, left) {
        (0, true) => high,
        (0, false) => below,
        (n, true) => low((high << n) | (below >> (bits - n)), bits),
        (n, false) => low((below >> n) | (high << (bits - n)), bits),
    }
}

fn double(format: Format, bits: u64) -> f64 {
    match format {
        Format::Single => f64::from(f32::from_bits(bits as u32)),
        Format::Double => f64::from_bits(bits),
    }
}

/// The bits of a number; of what is none, those of the quiet one without a payload.
fn bits_of(format: Format, value: f64) -> u64 {
    match format {
        Format::Single if value.is_nan() => 0x7fc0_0000,
        Format::Single => u64::from((value as f32).to_bits()),
        Format::Double if value.is_nan() => 0x7ff8_0000_0000_0000,
        Format::Double => value.to_bits(),
    }
}

/// Twice the precision rounded once more is what one rounding gives.
fn float(op: FloatOp, format: Format, a: u64, b: u64) -> u64 {
    let (x, y) = (double(format, a), double(format, b));
    let value = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Sqrt => x.sqrt(),
        FloatOp::Truncate => x.trunc(),
    };
    bits_of(format, value)
}

fn ordered(order: FloatOrder, format: Format, a: u64, b: u64) -> bool {
    match double(format, a).partial_cmp(&double(format, b)) {
        Some(std::cmp::Ordering::Less) => order.less,
        Some(std::cmp::Ordering::Equal) => order.equal,
        Some(std::cmp::Ordering::Greater) => order.greater,
        None => order.unordered,
    }
}

/// A number as another kind of number; an integer that the number does not fit is the least signed one.
fn convert(from: Kind, to: Kind, value: u64) -> u64 {
    let number = match from {
        Kind::Float(format) => double(format, value),
        Kind::Signed(bits) => {
            let value = signed(value, u32::from(bits));
            match to {
                Kind::Float(Format::Single) => return u64::from((value as f32).to_bits()),
                _ => value as f64,
            }
        }
        Kind::Unsigned(bits) => {
            let value = low(value, u32::from(bits));
            match to {
                Kind::Float(Format::Single) => return u64::from((value as f32).to_bits()),
                _ => value as f64,
            }
        }
    };
    match to {
        Kind::Float(format) => bits_of(format, number),
        Kind::Signed(bits) => {
            let least = 1u64 << (bits - 1);
            let limit = 2f64.powi(i32::from(bits) - 1);
            let fits = number > -limit - 1.0 && number < limit;
            if fits {
                low(number.trunc() as i64 as u64, u32::from(bits))
            } else {
                least
            }
        }
        Kind::Unsigned(bits) => {
            let least = 1u64 << (bits - 1);
            let fits = number > -1.0 && number < 2f64.powi(i32::from(bits));
            if fits {
                low(number.trunc() as u64, u32::from(bits))
            } else {
                least
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_the_width() {
        assert_eq!(binary(BinOp::Add, 0xff, 1, 8), Some(0));
        assert_eq!(binary(BinOp::SDiv, 0x80, 0xff, 8), None);
        assert_eq!(binary(BinOp::SDiv, 0xfa, 2, 8), Some(0xfd));
        assert_eq!(binary(BinOp::UDiv, 1, 0, 32), None);
        assert_eq!(binary(BinOp::Shl, 1, 32, 32), Some(0));
        assert_eq!(binary(BinOp::AShr, 0x80, 3, 8), Some(0xf0));
        assert!(compare(IntPredicate::Slt, 0xff, 0, 8));
        assert!(!compare(IntPredicate::Ult, 0xff, 0, 8));
    }

    #[test]
    fn what_wraps_is_told() {
        assert_eq!(
            with_overflow(BinOp::Sub, false, 1, 2, 16),
            Some((0xffff, true))
        );
        assert_eq!(
            with_overflow(BinOp::Mul, true, 0x40, 2, 8),
            Some((0x80, true))
        );
        assert_eq!(
            with_overflow(BinOp::Mul, false, u64::MAX, 2, 64),
            Some((u64::MAX - 1, true))
        );
    }

    #[test]
    fn numbers_that_do_not_fit_are_the_least() {
        let double = Kind::Float(Format::Double);
        assert_eq!(convert(double, Kind::Signed(32), 3.9f64.to_bits()), 3);
        assert_eq!(
            convert(double, Kind::Signed(32), 3e10f64.to_bits()),
            0x8000_0000
        );
        assert_eq!(convert(Kind::Signed(8), double, 0xff), (-1f64).to_bits());
    }
}
