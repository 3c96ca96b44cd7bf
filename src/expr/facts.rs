//! Known bits and unsigned intervals: what holds of a term in every assignment.
//!
//! Two domains side by side, each tightened by the other: the *known bits* of
//! LLVM's `KnownBits` (zeros and ones) and one unsigned interval without wrap.
//! Computed once, when a term is made, from the facts of its operands.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::{self, mask, sign_bit};

/// What is known of the value of a term.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Bits that are 0.
    pub zeros: u128,
    /// Bits that are 1. Disjoint from `zeros`.
    pub ones: u128,
    /// The least value.
    pub min: u128,
    /// The greatest value.
    pub max: u128,
}

impl Facts {
    fn any(w: u32) -> Self {
        Facts {
            zeros: !mask(w),
            ones: 0,
            min: 0,
            max: mask(w),
        }
    }

    fn exactly(v: u128) -> Self {
        Facts {
            zeros: !v,
            ones: v,
            min: v,
            max: v,
        }
    }

    fn range(w: u32, min: u128, max: u128) -> Self {
        Facts {
            min,
            max,
            ..Facts::any(w)
        }
        .tightened()
    }

    fn bits(w: u32, zeros: u128, ones: u128) -> Self {
        Facts {
            zeros: zeros | !mask(w),
            ones: ones & mask(w),
            ..Facts::any(w)
        }
        .tightened()
    }

    /// The value if there is only one.
    pub fn value(&self) -> Option<u128> {
        (self.min == self.max).then_some(self.min)
    }

    /// Whether the value can be `v`.
    pub fn admits(&self, v: u128) -> bool {
        (self.min..=self.max).contains(&v) && v & self.zeros == 0 && !v & self.ones == 0
    }

    /// Whether two terms with these facts can have one value.
    pub fn overlaps(&self, other: &Facts) -> bool {
        self.min <= other.max
            && other.min <= self.max
            && self.ones & other.zeros == 0
            && self.zeros & other.ones == 0
    }

    /// The sign at width `w`, if known.
    pub fn negative(&self, w: u32) -> Option<bool> {
        let s = sign_bit(w);
        if self.ones & s != 0 {
            Some(true)
        } else if self.zeros & s != 0 {
            Some(false)
        } else {
            None
        }
    }

    /// Both domains hold: each improves the other.
    fn tightened(mut self) -> Self {
        self.min = self.min.max(self.ones);
        self.max = self.max.min(!self.zeros);
        // The leading bits on which the bounds agree are known.
        let differ = self.min ^ self.max;
        let agree = if differ == 0 {
            u128::MAX
        } else {
            !(u128::MAX >> differ.leading_zeros())
        };
        self.ones |= self.min & agree;
        self.zeros |= !self.min & agree;
        self
    }

    fn both(self, other: Facts) -> Self {
        Facts {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            min: self.min.max(other.min),
            max: self.max.min(other.max),
        }
        .tightened()
    }

    fn either(self, other: Facts) -> Self {
        Facts {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
        .tightened()
    }

    /// The facts of a node from those of its operands.
    pub(super) fn of(terms: &Terms, node: &Node, w: u32) -> Facts {
        let f = |t: Term| *terms.facts(t);
        match *node {
            Node::Const(v) => Facts::exactly(v),
            Node::Var(_) | Node::Select(..) => Facts::any(w),
            Node::Not(a) => not(w, f(a)),
            Node::Neg(a) => neg(w, f(a)),
            Node::Add(a, b) => add(w, f(a), f(b)),
            Node::Mul(a, b) => mul(w, f(a), f(b)),
            Node::Udiv(a, b) => {
                let (a, b) = (f(a), f(b));
                match a.max.checked_div(b.min) {
                    Some(max) => Facts::range(w, a.min / b.max, max),
                    None => Facts::any(w),
                }
            }
            Node::Urem(a, b) => {
                let (a, b) = (f(a), f(b));
                if b.min > 0 {
                    Facts::range(w, 0, a.max.min(b.max - 1))
                } else {
                    Facts::range(w, 0, a.max)
                }
            }
            Node::Sdiv(..) | Node::Srem(..) => Facts::any(w),
            Node::Shl(a, b) => {
                let low = f(a).zeros.trailing_ones().min(w);
                let least = f(b).min.min(u128::from(w)) as u32;
                Facts::bits(w, low_mask((low + least).min(w)), 0)
            }
            Node::Lshr(a, b) => {
                let least = f(b).min;
                Facts::range(w, 0, value::lshr(w, f(a).max, least))
            }
            Node::Ashr(a, b) => match f(a).negative(w) {
                Some(false) => Facts::range(w, 0, value::lshr(w, f(a).max, f(b).min)),
                Some(true) => Facts::bits(w, 0, sign_bit(w)),
                None => Facts::any(w),
            },
            Node::And(a, b) => and(w, f(a), f(b)),
            Node::Or(a, b) => or(w, f(a), f(b)),
            Node::Xor(a, b) => xor(w, f(a), f(b)),
            // Comparisons that facts decide are constants before a node is made.
            Node::Eq(..) | Node::Ult(..) | Node::Slt(..) => Facts::any(1),
            Node::Ite(_, a, b) => f(a).either(f(b)),
            Node::Extract(hi, lo, a) => extract(w, (hi, lo), f(a)),
            Node::Concat(a, b) => concat(terms.width(b), f(a), f(b)),
            Node::Zext(a) => f(a),
            Node::Sext(a) => sext(w, terms.width(a), f(a)),
        }
    }
}

/// The value of `n` ones, `n` from 0 on.
fn low_mask(n: u32) -> u128 {
    if n == 0 { 0 } else { mask(n) }
}

fn add(w: u32, a: Facts, b: Facts) -> Facts {
    // Trailing bits that both sides know.
    let known = (a.zeros | a.ones)
        .trailing_ones()
        .min((b.zeros | b.ones).trailing_ones())
        .min(w);
    let low = low_mask(known);
    let sum = a.ones.wrapping_add(b.ones) & low;
    let bits = Facts::bits(w, !sum & low, sum);
    let wraps = |x: u128, y: u128| x.checked_add(y).is_none_or(|s| s > mask(w));
    let sum = |x: u128, y: u128| x.wrapping_add(y) & mask(w);
    // Neither end wraps, or both do.
    if wraps(a.min, b.min) == wraps(a.max, b.max) {
        bits.both(Facts::range(w, sum(a.min, b.min), sum(a.max, b.max)))
    } else {
        bits
    }
}

fn not(w: u32, a: Facts) -> Facts {
    let m = mask(w);
    Facts {
        zeros: a.ones | !m,
        ones: a.zeros & m,
        min: m - a.max,
        max: m - a.min,
    }
}

fn neg(w: u32, a: Facts) -> Facts {
    // The trailing zeros stay; without 0 the interval is mirrored.
    let low = a.zeros.trailing_ones().min(w);
    let bits = Facts::bits(w, low_mask(low), 0);
    if a.min > 0 {
        let top = mask(w);
        bits.both(Facts::range(w, top - a.max + 1, top - a.min + 1))
    } else {
        bits
    }
}

fn mul(w: u32, a: Facts, b: Facts) -> Facts {
    let low = (a.zeros.trailing_ones() + b.zeros.trailing_ones()).min(w);
    let bits = Facts::bits(w, low_mask(low), 0);
    match (a.min.checked_mul(b.min), a.max.checked_mul(b.max)) {
        (Some(min), Some(max)) if max <= mask(w) => bits.both(Facts::range(w, min, max)),
        _ => bits,
    }
}

fn and(w: u32, a: Facts, b: Facts) -> Facts {
    Facts::bits(w, a.zeros | b.zeros, a.ones & b.ones).both(Facts::range(w, 0, a.max.min(b.max)))
}

fn or(w: u32, a: Facts, b: Facts) -> Facts {
    Facts::bits(w, a.zeros & b.zeros, a.ones | b.ones).both(Facts::range(
        w,
        a.min.max(b.min),
        mask(w),
    ))
}

fn xor(w: u32, a: Facts, b: Facts) -> Facts {
    Facts::bits(
        w,
        (a.zeros & b.zeros) | (a.ones & b.ones),
        (a.zeros & b.ones) | (a.ones & b.zeros),
    )
}

fn extract(w: u32, (hi, lo): (u32, u32), a: Facts) -> Facts {
    let bits = Facts::bits(w, a.zeros >> lo, a.ones >> lo);
    // The interval survives if what stands above `hi` is the same at both ends.
    if hi == 127 || a.min >> (hi + 1) == a.max >> (hi + 1) {
        bits.both(Facts::range(
            w,
            value::extract(hi, lo, a.min),
            value::extract(hi, lo, a.max),
        ))
    } else {
        bits
    }
}

/// `low`: the width of `b`.
fn concat(low: u32, a: Facts, b: Facts) -> Facts {
    Facts {
        zeros: (a.zeros << low) | (b.zeros & mask(low)),
        ones: (a.ones << low) | b.ones,
        min: (a.min << low) | b.min,
        max: (a.max << low) | b.max,
    }
    .tightened()
}

fn sext(w: u32, from: u32, a: Facts) -> Facts {
    let high = mask(w) & !mask(from);
    match a.negative(from) {
        Some(false) => a,
        Some(true) => Facts {
            zeros: a.zeros & !high,
            ones: a.ones | high,
            min: a.min | high,
            max: a.max | high,
        },
        None => Facts::bits(w, a.zeros & mask(from), a.ones),
    }
}
