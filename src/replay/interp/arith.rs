//! Instructions without effect: arithmetic, comparison, conversion, address computation, tuples.

use super::super::state::{PathError, Val};
use super::Run;
use crate::program::{BinOp, CastKind, IntPredicate, Op, Operand, Type};

/// The low `bits` bits.
pub(super) fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// The value of `bits` bits as a signed number.
pub(super) fn signed(value: u128, bits: u32) -> i128 {
    if bits == 0 {
        return 0;
    }
    let unused = 128 - bits.min(128);
    ((value << unused) as i128) >> unused
}

fn undefined(what: &str) -> PathError {
    PathError::Undefined(what.to_string())
}

/// `lhs op rhs` on `bits` bits.
pub(super) fn binary(op: BinOp, lhs: u128, rhs: u128, bits: u32) -> Result<u128, PathError> {
    let in_range = rhs < u128::from(bits);
    let value = match op {
        BinOp::Add => lhs.wrapping_add(rhs),
        BinOp::Sub => lhs.wrapping_sub(rhs),
        BinOp::Mul => lhs.wrapping_mul(rhs),
        BinOp::UDiv => lhs
            .checked_div(rhs)
            .ok_or_else(|| undefined("division by zero"))?,
        BinOp::URem => lhs
            .checked_rem(rhs)
            .ok_or_else(|| undefined("division by zero"))?,
        BinOp::SDiv | BinOp::SRem => {
            let (a, b) = (signed(lhs, bits), signed(rhs, bits));
            if b == 0 {
                return Err(undefined("division by zero"));
            }
            if b == -1 && mask(lhs, bits) == 1 << (bits - 1) {
                return Err(undefined("signed division overflows"));
            }
            (if op == BinOp::SDiv { a / b } else { a % b }) as u128
        }
        BinOp::Shl if in_range => lhs << rhs,
        BinOp::LShr if in_range => mask(lhs, bits) >> rhs,
        BinOp::AShr if in_range => (signed(lhs, bits) >> rhs) as u128,
        // Beyond the width: an arbitrary value, so zero.
        BinOp::Shl | BinOp::LShr | BinOp::AShr => 0,
        BinOp::And => lhs & rhs,
        BinOp::Or => lhs | rhs,
        BinOp::Xor => lhs ^ rhs,
    };
    Ok(mask(value, bits))
}

/// `lhs pred rhs` on `bits` bits.
pub(super) fn compare(pred: IntPredicate, lhs: u128, rhs: u128, bits: u32) -> bool {
    let (a, b) = (signed(lhs, bits), signed(rhs, bits));
    match pred {
        IntPredicate::Eq => lhs == rhs,
        IntPredicate::Ne => lhs != rhs,
        IntPredicate::Ugt => lhs > rhs,
        IntPredicate::Uge => lhs >= rhs,
        IntPredicate::Ult => lhs < rhs,
        IntPredicate::Ule => lhs <= rhs,
        IntPredicate::Sgt => a > b,
        IntPredicate::Sge => a >= b,
        IntPredicate::Slt => a < b,
        IntPredicate::Sle => a <= b,
    }
}

/// (wrapped result, overflow) of Add, Sub or Mul.
fn with_overflow(
    op: BinOp,
    is_signed: bool,
    lhs: u128,
    rhs: u128,
    bits: u32,
) -> Result<(u128, bool), PathError> {
    let wrapped = binary(op, lhs, rhs, bits)?;
    let overflow = if is_signed {
        let (a, b) = (signed(lhs, bits), signed(rhs, bits));
        let exact = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mul => a.checked_mul(b),
            _ => return Err(undefined("overflow check of another operator")),
        };
        exact != Some(signed(wrapped, bits))
    } else {
        let exact = match op {
            BinOp::Add => lhs.checked_add(rhs),
            BinOp::Sub => lhs.checked_sub(rhs),
            BinOp::Mul => lhs.checked_mul(rhs),
            _ => return Err(undefined("overflow check of another operator")),
        };
        exact != Some(wrapped)
    };
    Ok((wrapped, overflow))
}

/// `(high:low)` shifted by `amount mod bits`.
fn funnel(high: u128, low: u128, amount: u128, bits: u32, left: bool) -> u128 {
    let n = (amount % u128::from(bits)) as u32;
    match (n, left) {
        (0, true) => high,
        (0, false) => low,
        (n, true) => mask((high << n) | (low >> (bits - n)), bits),
        (n, false) => mask((low >> n) | (high << (bits - n)), bits),
    }
}

impl Run<'_> {
    /// The value of an instruction without effect.
    pub(super) fn pure(&mut self, op: &Op) -> Result<Val, PathError> {
        let scalar = match op {
            Op::Bin { op, lhs, rhs } => {
                binary(*op, self.bits(lhs)?, self.bits(rhs)?, self.width(lhs))?
            }
            Op::Icmp { pred, lhs, rhs } => u128::from(compare(
                *pred,
                self.bits(lhs)?,
                self.bits(rhs)?,
                self.width(lhs),
            )),
            Op::Cast {
                kind,
                value,
                from,
                to,
            } => return self.cast(*kind, value, from, to),
            Op::Select {
                cond,
                if_true,
                if_false,
            } => {
                let chosen = if self.bits(cond)? & 1 == 1 {
                    if_true
                } else {
                    if_false
                };
                return self.value(chosen);
            }
            Op::Gep { .. } => self.address_of(op)?,
            Op::Bounds { index, count } => {
                if self.bits(index)? >= u128::from(*count) {
                    return Err(undefined("an index beyond its array"));
                }
                0
            }
            Op::Extract { .. } | Op::Insert { .. } => return self.of_tuple(op),
            Op::CountOnes { .. }
            | Op::LeadingZeros { .. }
            | Op::TrailingZeros { .. }
            | Op::ByteSwap { .. }
            | Op::FunnelShift { .. } => self.of_bits(op)?,
            Op::WithOverflow {
                op,
                signed,
                lhs,
                rhs,
                bits,
            } => {
                let (value, overflow) =
                    with_overflow(*op, *signed, self.bits(lhs)?, self.bits(rhs)?, *bits)?;
                let items = vec![Val::Bits(value), Val::Bits(u128::from(overflow))];
                return Ok(Val::Tuple(items.into()));
            }
            Op::Phi(_) => return Err(undefined("phi in the entry block")),
            other => match self.float(other)? {
                Some(number) => number,
                None => return Err(PathError::Unsupported(format!("{other:?}"))),
            },
        };
        Ok(Val::Bits(scalar))
    }

    /// An address in an object; the member that is named there is noted.
    fn address_of(&mut self, op: &Op) -> Result<u128, PathError> {
        let Op::Gep {
            base,
            offset,
            scaled,
            field,
        } = op
        else {
            unreachable!("another family");
        };
        let mut address = self.word(base)?.wrapping_add_signed(*offset);
        for (index, scale) in scaled {
            let index = signed(self.bits(index)?, self.width(index)) as i64;
            address = address.wrapping_add_signed(index.wrapping_mul(*scale));
        }
        let address = mask(u128::from(address), self.machine.pointer_bits());
        if self.log.on {
            if let Some(field) = field {
                self.log.fields.insert(address as u64, field.clone());
            }
        }
        Ok(address)
    }

    /// A part of a tuple, or the tuple with another part.
    fn of_tuple(&mut self, op: &Op) -> Result<Val, PathError> {
        match op {
            Op::Extract { tuple, index } => match self.value(tuple)? {
                Val::Tuple(items) => items
                    .get(*index as usize)
                    .cloned()
                    .ok_or_else(|| undefined("tuple element out of range")),
                Val::Bits(_) => Err(undefined("element of a scalar")),
            },
            Op::Insert {
                tuple,
                index,
                value,
            } => {
                let Val::Tuple(items) = self.value(tuple)? else {
                    return Err(undefined("element of a scalar"));
                };
                let mut items = items.to_vec();
                *items
                    .get_mut(*index as usize)
                    .ok_or_else(|| undefined("tuple element out of range"))? = self.value(value)?;
                Ok(Val::Tuple(items.into()))
            }
            _ => unreachable!("another family"),
        }
    }

    /// What is about single bits and bytes.
    fn of_bits(&mut self, op: &Op) -> Result<u128, PathError> {
        Ok(match op {
            Op::CountOnes { value, .. } => u128::from(self.bits(value)?.count_ones()),
            Op::LeadingZeros { value, bits } => {
                u128::from(self.bits(value)?.leading_zeros() - (128 - bits))
            }
            Op::TrailingZeros { value, bits } => {
                u128::from(self.bits(value)?.trailing_zeros().min(*bits))
            }
            Op::ByteSwap { value, bits } => self.bits(value)?.swap_bytes() >> (128 - bits),
            Op::FunnelShift {
                high,
                low,
                amount,
                bits,
                left,
            } => funnel(
                self.bits(high)?,
                self.bits(low)?,
                self.bits(amount)?,
                *bits,
                *left,
            ),
            _ => unreachable!("another family"),
        })
    }

    fn cast(
        &self,
        kind: CastKind,
        value: &Operand,
        from: &Type,
        to: &Type,
    ) -> Result<Val, PathError> {
        if let (CastKind::Bitcast, Type::Tuple(_)) = (kind, to) {
            return self.value(value);
        }
        let (from_bits, to_bits) = (self.scalar_bits(from), self.scalar_bits(to));
        let value = self.bits(value)?;
        let value = match kind {
            CastKind::SExt => signed(value, from_bits) as u128,
            CastKind::Trunc
            | CastKind::ZExt
            | CastKind::PtrToInt
            | CastKind::IntToPtr
            | CastKind::Bitcast => value,
        };
        Ok(Val::Bits(mask(value, to_bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_division_and_shifts_agree_with_the_machine() {
        for a in [-128i8, -127, -3, -1, 0, 1, 5, 127] {
            for b in [-128i8, -2, -1, 1, 2, 7, 127] {
                let bits = |x: i8| u128::from(x as u8);
                match a.checked_div(b) {
                    Some(q) => {
                        assert_eq!(binary(BinOp::SDiv, bits(a), bits(b), 8), Ok(bits(q)));
                        assert_eq!(
                            binary(BinOp::SRem, bits(a), bits(b), 8),
                            Ok(bits(a.wrapping_rem(b)))
                        );
                    }
                    None => assert!(binary(BinOp::SDiv, bits(a), bits(b), 8).is_err()),
                }
                let overflow = a.overflowing_mul(b);
                assert_eq!(
                    with_overflow(BinOp::Mul, true, bits(a), bits(b), 8),
                    Ok((bits(overflow.0), overflow.1))
                );
            }
            assert_eq!(
                binary(BinOp::AShr, u128::from(a as u8), 3, 8),
                Ok(u128::from((a >> 3) as u8))
            );
        }
        assert!(binary(BinOp::UDiv, 1, 0, 32).is_err());
        assert_eq!(binary(BinOp::Shl, 1, 32, 32), Ok(0));
    }

    #[test]
    fn unsigned_overflow() {
        assert_eq!(
            with_overflow(BinOp::Sub, false, 1, 2, 16),
            Ok((0xffff, true))
        );
        assert_eq!(
            with_overflow(BinOp::Add, false, 0xffff, 0, 16),
            Ok((0xffff, false))
        );
        let max = u128::MAX;
        assert_eq!(
            with_overflow(BinOp::Mul, false, max, 2, 128),
            Ok((max - 1, true))
        );
    }

    #[test]
    fn comparisons_look_at_the_sign_bit_of_the_width() {
        assert!(compare(IntPredicate::Slt, 0x80, 0, 8));
        assert!(!compare(IntPredicate::Slt, 0x80, 0, 16));
        assert!(compare(IntPredicate::Ugt, 0x80, 0, 8));
    }

    #[test]
    fn funnel_shift_rotates() {
        for n in 0..20 {
            assert_eq!(
                funnel(0x81, 0x81, n, 8, true),
                u128::from(0x81u8.rotate_left(n as u32))
            );
            assert_eq!(
                funnel(0x81, 0x81, n, 8, false),
                u128::from(0x81u8.rotate_right(n as u32))
            );
        }
    }
}
