//! Floating-point arithmetic in terms of bit-vectors: what a machine does, gate by gate.
//!
//! Numbers are taken apart into sign, exponent and an integer, the result is computed exactly as far as a rounding can see (the lowest
//! bit stands for all below it that are set), and is rounded once. Of constants all of it folds to a constant.

use crate::expr::{Term, Terms};
use crate::program::{FloatFormat, FloatOp, FloatOrder, Number};

/// Bits in which exponents are computed: more than any sum of exponents, widths and biases here takes.
const EXPONENT: u32 = 14;

/// A number that is `integer · 2^exponent`, not rounded yet.
struct Exact {
    negative: Term,
    /// Signed, of [`EXPONENT`] bits.
    exponent: Term,
    /// At least three bits more than the format has.
    integer: Term,
}

/// A number taken apart.
struct Parts {
    negative: Term,
    /// Of the last bit of the integer: signed, of [`EXPONENT`] bits.
    exponent: Term,
    /// The fraction, with the bit that is not stored.
    integer: Term,
    /// Without the sign.
    size: Term,
    is_nan: Term,
    is_infinite: Term,
    is_zero: Term,
}

/// Arithmetic of one format.
struct Maker<'t> {
    t: &'t mut Terms,
    format: FloatFormat,
    exponent: u32,
    fraction: u32,
}

/// `op` of numbers of one format; the second is not looked at where there is one operand.
pub(in crate::symex) fn compute(
    t: &mut Terms,
    op: FloatOp,
    format: FloatFormat,
    x: Term,
    y: Term,
) -> Term {
    let mut m = Maker::new(t, format);
    match op {
        FloatOp::Add => m.add(x, y),
        FloatOp::Sub => {
            let sign = m.t.constant(format.bits(), format.sign());
            let y = m.t.xor(y, sign);
            m.add(x, y)
        }
        FloatOp::Mul => m.mul(x, y),
        FloatOp::Div => m.div(x, y),
        FloatOp::Sqrt => m.sqrt(x),
        FloatOp::Truncate => m.truncate(x),
    }
}

/// Whether the two are ordered so.
pub(in crate::symex) fn compare(
    t: &mut Terms,
    order: FloatOrder,
    format: FloatFormat,
    x: Term,
    y: Term,
) -> Term {
    let mut m = Maker::new(t, format);
    let (x, y) = (m.parts(x), m.parts(y));
    let t = m.t;
    let unordered = t.or(x.is_nan, y.is_nan);
    let zeros = t.and(x.is_zero, y.is_zero);
    let same_sign = t.eq(x.negative, y.negative);
    let same_size = t.eq(x.size, y.size);
    let same = t.and(same_sign, same_size);
    let equal = t.or(zeros, same);
    let (below, above) = (t.ult(x.size, y.size), t.ult(y.size, x.size));
    let of_same_sign = t.ite(x.negative, above, below);
    let different = t.not(equal);
    let less = t.ite(same_sign, of_same_sign, x.negative);
    let less = t.and(less, different);
    let greater = {
        let other = t.or(less, equal);
        t.not(other)
    };
    let mut ordered = t.fals();
    for (wanted, holds) in [
        (order.less, less),
        (order.equal, equal),
        (order.greater, greater),
    ] {
        if wanted {
            ordered = t.or(ordered, holds);
        }
    }
    let otherwise = t.bool(order.unordered);
    t.ite(unordered, otherwise, ordered)
}

/// A conversion; of two integers none.
pub(in crate::symex) fn convert(t: &mut Terms, value: Term, from: Number, to: Number) -> Term {
    match (from, to) {
        (Number::Float(from), Number::Float(to)) => between(t, value, from, to),
        (Number::Signed(_), Number::Float(to)) => of_integer(t, value, true, to),
        (Number::Unsigned(_), Number::Float(to)) => of_integer(t, value, false, to),
        (Number::Float(from), Number::Signed(bits)) => to_integer(t, value, from, bits, true),
        (Number::Float(from), Number::Unsigned(bits)) => to_integer(t, value, from, bits, false),
        _ => value,
    }
}

fn between(t: &mut Terms, value: Term, from: FloatFormat, to: FloatFormat) -> Term {
    let parts = Maker::new(t, from).parts(value);
    let mut m = Maker::new(t, to);
    let width = (from.parts().1 + 1).max(m.fraction + 4);
    let (integer, exponent) = m.widen(parts.integer, parts.exponent, width);
    let rounded = m.round(&Exact {
        negative: parts.negative,
        exponent,
        integer,
    });
    let infinite = m.signed_constant(parts.negative, to.infinity());
    let result = m.t.ite(parts.is_infinite, infinite, rounded);
    m.unless_nan(parts.is_nan, result)
}

fn of_integer(t: &mut Terms, value: Term, is_signed: bool, to: FloatFormat) -> Term {
    let bits = t.width(value);
    let negative = match is_signed {
        true => t.extract(bits - 1, bits - 1, value),
        false => t.fals(),
    };
    let minus = t.neg(value);
    let size = t.ite(negative, minus, value);
    let mut m = Maker::new(t, to);
    let zero = m.number(0);
    let (integer, exponent) = m.widen(size, zero, bits.max(m.fraction + 4));
    m.round(&Exact {
        negative,
        exponent,
        integer,
    })
}

fn to_integer(t: &mut Terms, value: Term, from: FloatFormat, bits: u32, is_signed: bool) -> Term {
    let mut m = Maker::new(t, from);
    let x = m.parts(value);
    // Wide enough for each: what is shifted out to the left is beyond the integer anyway.
    let width = bits.max(m.fraction + 1) + 1;
    let integer = m.t.zext(width, x.integer);
    let (left, right) = (m.distance(x.exponent, width), {
        let back = m.t.neg(x.exponent);
        m.distance(back, width)
    });
    let zero = m.number(0);
    let up = m.t.sge(x.exponent, zero);
    let (shl, shr) = (m.t.shl(integer, left), m.t.lshr(integer, right));
    let size = m.t.ite(up, shl, shr);
    // The highest bit of a number that is shifted left is known: it must stay within.
    let most = m.number(i64::from(bits) - i64::from(m.fraction) - 1);
    let lost = m.t.sgt(x.exponent, most);
    let limit = m.t.constant(width, 1u128 << (bits - u32::from(is_signed)));
    let below = m.t.ult(size, limit);
    let fits = match is_signed {
        true => {
            let least = m.t.eq(size, limit);
            let least = m.t.and(x.negative, least);
            m.t.or(below, least)
        }
        false => {
            let none = m.t.constant(width, 0);
            let none = m.t.eq(size, none);
            let positive = m.t.not(x.negative);
            let sign = m.t.or(positive, none);
            m.t.and(below, sign)
        }
    };
    let odd = m.t.or(x.is_nan, x.is_infinite);
    let odd = m.t.or(odd, lost);
    let normal = m.t.not(odd);
    let fits = m.t.and(fits, normal);
    let size = m.t.extract(bits - 1, 0, size);
    let minus = m.t.neg(size);
    let result = m.t.ite(x.negative, minus, size);
    let beyond = m.t.constant(bits, 1u128 << (bits - 1));
    m.t.ite(fits, result, beyond)
}

impl<'t> Maker<'t> {
    fn new(t: &'t mut Terms, format: FloatFormat) -> Maker<'t> {
        let (exponent, fraction) = format.parts();
        Maker {
            t,
            format,
            exponent,
            fraction,
        }
    }

    /// A number for computing exponents.
    fn number(&mut self, n: i64) -> Term {
        self.t.constant(EXPONENT, n as u128)
    }

    fn plus(&mut self, x: Term, n: i64) -> Term {
        let n = self.number(n);
        self.t.add(x, n)
    }

    /// The exponent as a distance to shift a vector of `width` bits by, if it is not negative: all of it, if it is more.
    fn distance(&mut self, exponent: Term, width: u32) -> Term {
        let all = self.number(i64::from(width));
        let more = self.t.ugt(exponent, all);
        let distance = self.t.ite(more, all, exponent);
        match width > EXPONENT {
            true => self.t.zext(width, distance),
            false => self.t.extract(width - 1, 0, distance),
        }
    }

    /// More bits below the integer's.
    fn widen(&mut self, integer: Term, exponent: Term, width: u32) -> (Term, Term) {
        let more = width - self.t.width(integer);
        if more == 0 {
            return (integer, exponent);
        }
        let zeros = self.t.constant(more, 0);
        let integer = self.t.concat(integer, zeros);
        (integer, self.plus(exponent, -i64::from(more)))
    }

    fn parts(&mut self, x: Term) -> Parts {
        let (e, f) = (self.exponent, self.fraction);
        let bias = i64::from(self.format.bias());
        let t = &mut *self.t;
        let negative = t.extract(e + f, e + f, x);
        let size = t.extract(e + f - 1, 0, x);
        let field = t.extract(e + f - 1, f, x);
        let rest = t.extract(f - 1, 0, x);
        let none = t.constant(e, 0);
        let one = t.constant(e, 1);
        let is_small = t.eq(field, none);
        let hidden = t.not(is_small);
        let integer = t.concat(hidden, rest);
        let shown = t.ite(is_small, one, field);
        let shown = t.zext(EXPONENT, shown);
        let infinity = t.constant(e + f, self.format.infinity());
        let zero = t.constant(e + f, 0);
        let (is_nan, is_infinite) = (t.ugt(size, infinity), t.eq(size, infinity));
        let is_zero = t.eq(size, zero);
        let exponent = self.plus(shown, -bias - i64::from(f));
        Parts {
            negative,
            exponent,
            integer,
            size,
            is_nan,
            is_infinite,
            is_zero,
        }
    }

    /// A constant of the format with that sign.
    fn signed_constant(&mut self, negative: Term, size: u128) -> Term {
        let size = self.t.constant(self.format.bits() - 1, size);
        self.t.concat(negative, size)
    }

    fn unless_nan(&mut self, is_nan: Term, result: Term) -> Term {
        let nan = self
            .t
            .constant(self.format.bits(), self.format.not_a_number());
        self.t.ite(is_nan, nan, result)
    }

    /// Shifts left until the highest bit is set (if one is); how far comes off the exponent.
    fn normalise(&mut self, mut integer: Term, mut exponent: Term) -> (Term, Term) {
        let width = self.t.width(integer);
        let mut step = width.next_power_of_two() / 2;
        while step > 0 {
            if step < width {
                let t = &mut *self.t;
                let top = t.extract(width - 1, width - step, integer);
                let none = t.constant(step, 0);
                let empty = t.eq(top, none);
                let by = t.constant(width, u128::from(step));
                let shifted = t.shl(integer, by);
                integer = t.ite(empty, shifted, integer);
                let less = self.plus(exponent, -i64::from(step));
                exponent = self.t.ite(empty, less, exponent);
            }
            step /= 2;
        }
        (integer, exponent)
    }

    /// Shifts right; the last bit is set if one that is shifted out is.
    fn shift_sticky(&mut self, integer: Term, by: Term) -> Term {
        let t = &mut *self.t;
        let shifted = t.lshr(integer, by);
        let back = t.shl(shifted, by);
        let lost = t.ne(back, integer);
        let width = t.width(integer);
        let lost = t.zext(width, lost);
        t.or(shifted, lost)
    }

    /// The number of the format that is next; of two the even one.
    fn round(&mut self, x: &Exact) -> Term {
        let (e, f) = (self.exponent, self.fraction);
        let width = self.t.width(x.integer);
        let (integer, exponent) = self.normalise(x.integer, x.exponent);
        // As the format stores it, if the highest bit is the one that is not stored.
        let field = self.plus(exponent, i64::from(width - 1 + self.format.bias()));
        let one = self.number(1);
        let is_small = self.t.slt(field, one);
        let missing = self.t.sub(one, field);
        let none = self.number(0);
        let missing = self.t.ite(is_small, missing, none);
        let missing = self.distance(missing, width);
        let integer = self.shift_sticky(integer, missing);
        let t = &mut *self.t;
        let kept = t.extract(width - 1, width - 1 - f, integer);
        let half = t.extract(width - 2 - f, width - 2 - f, integer);
        let rest = t.extract(width - 3 - f, 0, integer);
        let nothing = t.constant(width - 2 - f, 0);
        let more = t.ne(rest, nothing);
        let odd = t.extract(0, 0, kept);
        let up = t.or(more, odd);
        let up = t.and(half, up);
        // The bit that is not stored is added to the exponent, as is what rounding up carries.
        let packed = e + f + 2;
        let above = self.plus(field, -1);
        let above = self.t.ite(is_small, none, above);
        let largest = self.number((1 << e) - 1);
        let too_large = self.t.sge(above, largest);
        let above = self.t.ite(too_large, largest, above);
        let t = &mut *self.t;
        let above = t.extract(e + 1, 0, above);
        let zeros = t.constant(f, 0);
        let above = t.concat(above, zeros);
        let kept = t.zext(packed, kept);
        let up = t.zext(packed, up);
        let sum = t.add(above, kept);
        let sum = t.add(sum, up);
        let infinity = t.constant(packed, self.format.infinity());
        let over = t.ugt(sum, infinity);
        let sum = t.ite(over, infinity, sum);
        let sum = t.extract(e + f - 1, 0, sum);
        let nothing = t.constant(width, 0);
        let is_zero = t.eq(x.integer, nothing);
        let zero = t.constant(e + f, 0);
        let size = t.ite(is_zero, zero, sum);
        t.concat(x.negative, size)
    }

    fn add(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = (self.parts(x), self.parts(y));
        let t = &mut *self.t;
        let swap = t.ult(x.size, y.size);
        let mut choose = |a: Term, b: Term| (t.ite(swap, b, a), t.ite(swap, a, b));
        let (large, small) = choose(x.integer, y.integer);
        let (exponent, lower) = choose(x.exponent, y.exponent);
        let (sign, _) = choose(x.negative, y.negative);
        // Two bits for rounding and one for all below them; one above for the carry.
        let width = self.fraction + 1 + 3;
        let (large, exponent) = self.widen(large, exponent, width);
        let (small, lower) = self.widen(small, lower, width);
        let apart = self.t.sub(exponent, lower);
        let apart = self.distance(apart, width);
        let small = self.shift_sticky(small, apart);
        let t = &mut *self.t;
        let (large, small) = (t.zext(width + 1, large), t.zext(width + 1, small));
        let (sum, difference) = (t.add(large, small), t.sub(large, small));
        let unlike = t.ne(x.negative, y.negative);
        let integer = t.ite(unlike, difference, sum);
        let none = t.constant(width + 1, 0);
        let nothing = t.eq(integer, none);
        let both = t.and(x.negative, y.negative);
        let negative = t.ite(nothing, both, sign);
        let result = self.round(&Exact {
            negative,
            exponent,
            integer,
        });
        let any_infinite = self.t.or(x.is_infinite, y.is_infinite);
        let infinite = self.signed_constant(sign, self.format.infinity());
        let result = self.t.ite(any_infinite, infinite, result);
        let t = &mut *self.t;
        let both_infinite = t.and(x.is_infinite, y.is_infinite);
        let cancelled = t.and(both_infinite, unlike);
        let nan = t.or(x.is_nan, y.is_nan);
        let nan = t.or(nan, cancelled);
        self.unless_nan(nan, result)
    }

    fn mul(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = (self.parts(x), self.parts(y));
        let width = 2 * (self.fraction + 1);
        let t = &mut *self.t;
        let (a, b) = (t.zext(width, x.integer), t.zext(width, y.integer));
        let integer = t.mul(a, b);
        let exponent = t.add(x.exponent, y.exponent);
        let negative = t.xor(x.negative, y.negative);
        let width = width.max(self.fraction + 4);
        let (integer, exponent) = self.widen(integer, exponent, width);
        let result = self.round(&Exact {
            negative,
            exponent,
            integer,
        });
        let infinite = self.t.or(x.is_infinite, y.is_infinite);
        let infinity = self.signed_constant(negative, self.format.infinity());
        let result = self.t.ite(infinite, infinity, result);
        let t = &mut *self.t;
        let (a, b) = (
            t.and(x.is_infinite, y.is_zero),
            t.and(x.is_zero, y.is_infinite),
        );
        let nan = t.or_all(&[x.is_nan, y.is_nan, a, b]);
        self.unless_nan(nan, result)
    }

    fn div(&mut self, x: Term, y: Term) -> Term {
        let (x, y) = (self.parts(x), self.parts(y));
        let precision = self.fraction + 1;
        let (a, upper) = self.normalise(x.integer, x.exponent);
        let width = 2 * precision + 2;
        let (a, exponent) = self.widen(a, upper, width);
        let t = &mut *self.t;
        let b = t.zext(width, y.integer);
        let quotient = t.udiv(a, b);
        let remainder = t.urem(a, b);
        let nothing = t.constant(width, 0);
        let rest = t.ne(remainder, nothing);
        let rest = t.zext(width, rest);
        let integer = t.or(quotient, rest);
        let exponent = t.sub(exponent, y.exponent);
        let negative = t.xor(x.negative, y.negative);
        let result = self.round(&Exact {
            negative,
            exponent,
            integer,
        });
        let infinity = self.signed_constant(negative, self.format.infinity());
        let zero = self.signed_constant(negative, 0);
        let t = &mut *self.t;
        let large = t.or(x.is_infinite, y.is_zero);
        let result = t.ite(large, infinity, result);
        let small = t.or(y.is_infinite, x.is_zero);
        let result = t.ite(small, zero, result);
        let (zeros, infinities) = (
            t.and(x.is_zero, y.is_zero),
            t.and(x.is_infinite, y.is_infinite),
        );
        let nan = t.or_all(&[x.is_nan, y.is_nan, zeros, infinities]);
        self.unless_nan(nan, result)
    }

    /// Bit by bit from the highest.
    fn sqrt(&mut self, x: Term) -> Term {
        let parts = self.parts(x);
        let result_bits = self.fraction + 4;
        let (integer, exponent) = self.normalise(parts.integer, parts.exponent);
        // An even exponent, and twice as many bits as the root has.
        let width = 2 * result_bits;
        let (integer, exponent) = {
            let integer = self.t.zext(self.fraction + 3, integer);
            self.widen(integer, exponent, width)
        };
        let t = &mut *self.t;
        let is_odd = t.extract(0, 0, exponent);
        let one = t.constant(width, 1);
        let doubled = t.shl(integer, one);
        let integer = t.ite(is_odd, doubled, integer);
        let lower = self.plus(exponent, -1);
        let t = &mut *self.t;
        let exponent = t.ite(is_odd, lower, exponent);
        let one = t.constant(EXPONENT, 1);
        let exponent = t.ashr(exponent, one);
        let (mut rest, mut root) = (integer, t.constant(width, 0));
        for bit in (0..result_bits).rev() {
            // (root + 2^bit)² - root² = root·2^(bit+1) + 2^(2·bit); the root is kept shifted by bit + 1.
            let square = t.constant(width, 1 << (2 * bit));
            let taken = t.or(root, square);
            let fits = t.uge(rest, taken);
            let left = t.sub(rest, taken);
            rest = t.ite(fits, left, rest);
            let half = t.constant(width, 1);
            let shifted = t.lshr(root, half);
            let with = t.or(shifted, square);
            root = t.ite(fits, with, shifted);
        }
        let nothing = t.constant(width, 0);
        let inexact = t.ne(rest, nothing);
        let inexact = t.zext(width, inexact);
        let integer = t.or(root, inexact);
        let integer = t.extract(result_bits - 1, 0, integer);
        let negative = t.fals();
        let result = self.round(&Exact {
            negative,
            exponent,
            integer,
        });
        let t = &mut *self.t;
        let itself = {
            let positive = t.not(parts.negative);
            let infinite = t.and(parts.is_infinite, positive);
            t.or(parts.is_zero, infinite)
        };
        let result = t.ite(itself, x, result);
        let not_zero = t.not(parts.is_zero);
        let below = t.and(parts.negative, not_zero);
        let nan = t.or(parts.is_nan, below);
        self.unless_nan(nan, result)
    }

    fn truncate(&mut self, x: Term) -> Term {
        let parts = self.parts(x);
        let bits = self.format.bits();
        // So many of the last bits are no integer's: all of them, the one that is not stored too, make it zero.
        let after = self.t.neg(parts.exponent);
        let by = self.distance(after, bits);
        let t = &mut *self.t;
        let cut = t.lshr(x, by);
        let cut = t.shl(cut, by);
        let zero = self.signed_constant(parts.negative, 0);
        let none = self.number(0);
        let all = self.number(i64::from(self.fraction));
        let t = &mut *self.t;
        let whole = t.sle(after, none);
        let below_one = t.sgt(after, all);
        let result = t.ite(below_one, zero, cut);
        let result = t.ite(whole, x, result);
        self.unless_nan(parts.is_nan, result)
    }
}

#[cfg(test)]
mod tests;
