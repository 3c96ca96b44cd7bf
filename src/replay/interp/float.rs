//! Floating-point arithmetic, by the machine's own. Formats of 16 bits are computed in `f64`: it has more than twice their precision,
//! so rounding its result once more gives what rounding once would.

use super::super::state::PathError;
use super::Run;
use super::arith::{mask, signed};
use crate::program::{FloatFormat, FloatOp, FloatOrder, Number, Op};

/// The value of `bits`, which `f64` has exactly.
fn read(format: FloatFormat, bits: u128) -> f64 {
    match format {
        FloatFormat::Double => f64::from_bits(bits as u64),
        FloatFormat::Single => f64::from(f32::from_bits(bits as u32)),
        FloatFormat::BFloat => f64::from(f32::from_bits((bits as u32) << 16)),
        FloatFormat::Half => {
            let sign = if bits >> 15 & 1 == 1 { -1.0 } else { 1.0 };
            let (exponent, fraction) = (bits >> 10 & 0x1f, (bits & 0x3ff) as f64);
            sign * match exponent {
                0 => fraction * 2f64.powi(-24),
                0x1f if fraction == 0.0 => f64::INFINITY,
                0x1f => f64::NAN,
                e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
            }
        }
    }
}

/// The bits of the number of the format that is next to `value`.
fn write(format: FloatFormat, value: f64) -> u128 {
    if value.is_nan() {
        return format.not_a_number();
    }
    match format {
        FloatFormat::Double => u128::from(value.to_bits()),
        FloatFormat::Single => u128::from((value as f32).to_bits()),
        FloatFormat::Half | FloatFormat::BFloat => {
            let sign = if value.is_sign_negative() {
                format.sign()
            } else {
                0
            };
            let (size, (_, fraction)) = (value.abs(), format.parts());
            if size.is_infinite() {
                return sign | format.infinity();
            }
            // The distance between neighbours there, and how many of it fit; numbers below the normal ones have that of the least.
            let least = 1 - format.bias() as i32;
            let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(least);
            let steps = (size * 2f64.powi(fraction as i32 - exponent)).round_ties_even() as u128;
            // A carry into the next power of two is one into the exponent.
            let above = ((exponent - least) as u128) << fraction;
            sign | (above + steps).min(format.infinity())
        }
    }
}

/// `op` of numbers of one format.
fn compute(op: FloatOp, format: FloatFormat, x: u128, y: u128) -> u128 {
    if format == FloatFormat::Single {
        let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        let value = match op {
            FloatOp::Add => x + y,
            FloatOp::Sub => x - y,
            FloatOp::Mul => x * y,
            FloatOp::Div => x / y,
            FloatOp::Sqrt => x.sqrt(),
            FloatOp::Truncate => x.trunc(),
        };
        return match value.is_nan() {
            true => format.not_a_number(),
            false => u128::from(value.to_bits()),
        };
    }
    let (x, y) = (read(format, x), read(format, y));
    let value = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Sqrt => x.sqrt(),
        FloatOp::Truncate => x.trunc(),
    };
    write(format, value)
}

fn holds(order: FloatOrder, x: f64, y: f64) -> bool {
    match x.partial_cmp(&y) {
        Some(std::cmp::Ordering::Less) => order.less,
        Some(std::cmp::Ordering::Equal) => order.equal,
        Some(std::cmp::Ordering::Greater) => order.greater,
        None => order.unordered,
    }
}

/// An integer in a format. Of 64 bits not all are in an `f64`: there `f32` and `f64` are converted to at once.
fn of_integer(value: i128, format: FloatFormat) -> u128 {
    match format {
        FloatFormat::Single => u128::from((value as f32).to_bits()),
        FloatFormat::Double => u128::from((value as f64).to_bits()),
        // What an `f64` rounds is beyond the half format, and has its first 53 bits for the other: with the last of them set where
        // others follow, rounding once more gives what rounding once would.
        FloatFormat::Half | FloatFormat::BFloat => {
            let size = value.unsigned_abs();
            let dropped = (128 - size.leading_zeros()).saturating_sub(50);
            let kept = size >> dropped;
            let rest = u128::from(kept << dropped != size);
            let number = (kept | rest) as f64 * 2f64.powi(dropped as i32);
            write(format, if value < 0 { -number } else { number })
        }
    }
}

/// The integer towards zero; one that has not so many bits is the least signed one, which x86 gives.
fn to_integer(value: f64, bits: u32, is_signed: bool) -> u128 {
    let whole = value.trunc();
    let (low, high) = match is_signed {
        true => (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1)),
        false => (0.0, 2f64.powi(bits as i32)),
    };
    match whole >= low && whole < high {
        true => mask(whole as i128 as u128, bits),
        false => 1 << (bits - 1),
    }
}

fn convert(value: u128, from: Number, to: Number) -> u128 {
    match (from, to) {
        (Number::Float(from), Number::Float(to)) => write(to, read(from, value)),
        (Number::Signed(bits), Number::Float(to)) => of_integer(signed(value, bits), to),
        (Number::Unsigned(bits), Number::Float(to)) => of_integer(mask(value, bits) as i128, to),
        (Number::Float(from), Number::Signed(bits)) => to_integer(read(from, value), bits, true),
        (Number::Float(from), Number::Unsigned(bits)) => to_integer(read(from, value), bits, false),
        (_, to) => mask(value, to.bits()),
    }
}

impl Run<'_> {
    /// The value of an operation on floating-point numbers; `None` for others.
    pub(super) fn float(&mut self, op: &Op) -> Result<Option<u128>, PathError> {
        Ok(Some(match op {
            Op::Float { op, format, args } => {
                let x = self.bits(&args[0])?;
                let y = args.get(1).map_or(Ok(0), |y| self.bits(y))?;
                compute(*op, *format, x, y)
            }
            Op::FloatCompare {
                order,
                format,
                lhs,
                rhs,
            } => {
                let (x, y) = (self.bits(lhs)?, self.bits(rhs)?);
                u128::from(holds(*order, read(*format, x), read(*format, y)))
            }
            Op::FloatConvert { value, from, to } => convert(self.bits(value)?, *from, *to),
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_formats_round_to_the_nearest_even() {
        let half = |v: f64| write(FloatFormat::Half, v);
        assert_eq!(half(1.0), 0x3c00);
        assert_eq!(half(-2.0), 0xc000);
        assert_eq!(half(65504.0), 0x7bff);
        assert_eq!(half(65520.0), 0x7c00);
        assert_eq!(half(2f64.powi(-24)), 1);
        assert_eq!(half(2f64.powi(-25)), 0);
        assert_eq!(half(1.5 * 2f64.powi(-24)), 2);
        assert_eq!(half(1.0 + 2f64.powi(-11)), 0x3c00);
        assert_eq!(half(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
        assert_eq!(half(2047.0 * 2f64.powi(-25)), 0x400);
        let bfloat = |v: f64| write(FloatFormat::BFloat, v);
        assert_eq!(bfloat(1.0), 0x3f80);
        assert_eq!(bfloat(f64::from(f32::MAX)), 0x7f80);
        for bits in 0..=0xffffu128 {
            for format in [FloatFormat::Half, FloatFormat::BFloat] {
                let value = read(format, bits);
                if !value.is_nan() {
                    assert_eq!(write(format, value), bits);
                }
            }
        }
    }

    #[test]
    fn integers() {
        assert_eq!(to_integer(-1.9, 32, true), 0xffff_ffff);
        assert_eq!(to_integer(f64::NAN, 32, true), 0x8000_0000);
        assert_eq!(to_integer(255.9, 8, false), 255);
        assert_eq!(to_integer(256.0, 8, false), 0x80);
        assert_eq!(to_integer(-0.5, 8, false), 0);
        assert_eq!(
            of_integer(-3, FloatFormat::Double),
            u128::from((-3f64).to_bits())
        );
        assert_eq!(of_integer(70000, FloatFormat::Half), 0x7c00);
        assert_eq!(
            of_integer((1 << 56) + (1 << 48) + 1, FloatFormat::BFloat),
            0x5b81
        );
    }
}
