//! Floating-point arithmetic: IEEE 754, rounded to the nearest, ties to even.
//!
//! Values are bits ([`super::Type::Float`]). Every result that is not a number is the quiet one without a payload and without a sign:
//! which one a machine gives differs, and LLVM leaves it open.

use serde::{Deserialize, Serialize};

/// A binary format that is computed with. Others (x87's, quadruple) are only carried; what is computed in them is arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatFormat {
    /// IEEE's of 16 bits.
    Half,
    /// The upper half of IEEE's of 32 bits.
    BFloat,
    /// IEEE's of 32 bits: `float`.
    Single,
    /// IEEE's of 64 bits: `double`.
    Double,
}

impl FloatFormat {
    /// Bits of the exponent, and of the fraction (without the bit that is not stored).
    pub fn parts(self) -> (u32, u32) {
        match self {
            FloatFormat::Half => (5, 10),
            FloatFormat::BFloat => (8, 7),
            FloatFormat::Single => (8, 23),
            FloatFormat::Double => (11, 52),
        }
    }

    /// Bits in all.
    pub fn bits(self) -> u32 {
        let (exponent, fraction) = self.parts();
        1 + exponent + fraction
    }

    /// What is added to exponents before they are stored.
    pub fn bias(self) -> u32 {
        (1 << (self.parts().0 - 1)) - 1
    }

    /// The bits of positive infinity.
    pub fn infinity(self) -> u128 {
        let (exponent, fraction) = self.parts();
        ((1u128 << exponent) - 1) << fraction
    }

    /// The bits of every result that is not a number.
    pub fn not_a_number(self) -> u128 {
        self.infinity() | 1 << (self.parts().1 - 1)
    }

    /// The bit of the sign.
    pub fn sign(self) -> u128 {
        1 << (self.bits() - 1)
    }

    /// The bits of a power of two that the format has as a normal number.
    pub fn power_of_two(self, exponent: i32) -> u128 {
        let biased = i64::from(exponent) + i64::from(self.bias());
        (biased as u128) << self.parts().1
    }
}

/// What is computed of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Square root, of one operand.
    Sqrt,
    /// The integer next to it towards zero, of one operand.
    Truncate,
}

/// A comparison: it holds where the two are ordered in one of these ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FloatOrder {
    /// The first is less.
    pub less: bool,
    /// They are equal (zeros of both signs are).
    pub equal: bool,
    /// The first is greater.
    pub greater: bool,
    /// One of them is not a number.
    pub unordered: bool,
}

impl FloatOrder {
    /// One of them is not a number.
    pub const UNORDERED: FloatOrder = FloatOrder {
        less: false,
        equal: false,
        greater: false,
        unordered: true,
    };
    /// The first is less.
    pub const LESS: FloatOrder = FloatOrder {
        less: true,
        equal: false,
        greater: false,
        unordered: false,
    };
    /// The first is not greater.
    pub const AT_MOST: FloatOrder = FloatOrder {
        less: true,
        equal: true,
        greater: false,
        unordered: false,
    };
}

/// What a conversion makes numbers of, or from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Number {
    /// A floating-point number.
    Float(FloatFormat),
    /// A signed integer of so many bits, at most 64.
    Signed(u32),
    /// An unsigned one.
    Unsigned(u32),
}

impl Number {
    /// Bits in all.
    pub fn bits(self) -> u32 {
        match self {
            Number::Float(format) => format.bits(),
            Number::Signed(bits) | Number::Unsigned(bits) => bits,
        }
    }
}
