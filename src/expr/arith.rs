//! Sums, products, quotients. Sums keep one constant, on the right and on top;
//! so `p + 4 + 8` and `p + 12` are one term.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::{self, mask, sign_bit};

impl Terms {
    /// `a + b` modulo 2^width.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            return self.xor(a, b);
        }
        let (x, k) = self.split_sum(a);
        let (y, l) = self.split_sum(b);
        let k = k.wrapping_add(l) & mask(w);
        let rest = match (x, y) {
            (None, None) => return self.constant(w, k),
            (Some(x), None) => x,
            (None, Some(y)) => y,
            (Some(x), Some(y)) => match self.add_symbolic(w, x, y) {
                Some(sum) => sum,
                None => return self.constant(w, k),
            },
        };
        self.add_constant(w, rest, k)
    }

    /// The summands of a term: what is no constant, and the constant.
    pub(super) fn split_sum(&self, t: Term) -> (Option<Term>, u128) {
        match *self.node(t) {
            Node::Const(k) => (None, k),
            Node::Add(x, k) => match *self.node(k) {
                Node::Const(k) => (Some(x), k),
                _ => (Some(t), 0),
            },
            _ => (Some(t), 0),
        }
    }

    fn add_constant(&mut self, w: u32, t: Term, k: u128) -> Term {
        if k == 0 {
            return t;
        }
        let (x, l) = self.split_sum(t);
        let k = k.wrapping_add(l) & mask(w);
        let Some(x) = x else {
            return self.constant(w, k);
        };
        if k == 0 {
            return x;
        }
        if let Some(mapped) = self.map_leaves(x, w, |v| v.wrapping_add(k) & mask(w)) {
            return mapped;
        }
        let k = self.constant(w, k);
        self.intern(Node::Add(x, k), w)
    }

    /// The sum of two terms of which neither has a constant; `None` is zero.
    fn add_symbolic(&mut self, w: u32, x: Term, y: Term) -> Option<Term> {
        for (x, y) in [(x, y), (y, x)] {
            if *self.node(x) == Node::Neg(y) {
                return None;
            }
            // (p - q) + q, as address arithmetic makes it
            if let Node::Add(p, q) = *self.node(x) {
                if *self.node(q) == Node::Neg(y) || *self.node(y) == Node::Neg(q) {
                    return Some(p);
                }
                if *self.node(p) == Node::Neg(y) || *self.node(y) == Node::Neg(p) {
                    return Some(q);
                }
            }
        }
        if x == y {
            let two = self.constant(w, 2);
            return Some(self.mul(x, two));
        }
        let (x, y) = if x < y { (x, y) } else { (y, x) };
        Some(self.intern(Node::Add(x, y), w))
    }

    /// `-a` modulo 2^width.
    pub fn neg(&mut self, a: Term) -> Term {
        let w = self.width(a);
        if w == 1 {
            return a;
        }
        match *self.node(a) {
            Node::Const(v) => self.constant(w, v.wrapping_neg()),
            Node::Neg(x) => x,
            Node::Add(x, k) if self.as_const(k).is_some() => {
                let (x, k) = (self.neg(x), self.neg(k));
                self.add(x, k)
            }
            _ => match self.map_leaves(a, w, |v| v.wrapping_neg() & mask(w)) {
                Some(mapped) => mapped,
                None => self.intern(Node::Neg(a), w),
            },
        }
    }

    /// `a - b` modulo 2^width.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if a == b {
            return self.constant(w, 0);
        }
        let b = self.neg(b);
        self.add(a, b)
    }

    /// `a * b` modulo 2^width.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            return self.and(a, b);
        }
        let (a, b) = self.constant_right(a, b);
        let Some(k) = self.as_const(b) else {
            return self.intern(Node::Mul(a, b), w);
        };
        match (k, *self.node(a)) {
            (0, _) => b,
            (1, _) => a,
            (_, Node::Const(v)) => self.constant(w, v.wrapping_mul(k)),
            _ if k == mask(w) => self.neg(a),
            (_, Node::Mul(x, l)) if self.as_const(l).is_some() => {
                let l = self.mul(l, b);
                self.mul(x, l)
            }
            // (x + l) * k: the constant of an index becomes one of the address
            (_, Node::Add(x, l)) if self.as_const(l).is_some() => {
                let (x, l) = (self.mul(x, b), self.mul(l, b));
                self.add(x, l)
            }
            _ => match self.map_leaves(a, w, |v| v.wrapping_mul(k) & mask(w)) {
                Some(mapped) => mapped,
                None => self.intern(Node::Mul(a, b), w),
            },
        }
    }

    /// Unsigned `a / b`; all ones if `b` is zero.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let nb = self.not(b);
            return self.or(a, nb);
        }
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.constant(w, value::udiv(w, x, y)),
            (_, Some(1)) => a,
            (_, Some(0)) => self.constant(w, mask(w)),
            (_, Some(k)) if k.is_power_of_two() => {
                let by = self.constant(w, u128::from(k.trailing_zeros()));
                self.lshr(a, by)
            }
            (_, Some(k)) => match self.map_leaves(a, w, |v| value::udiv(w, v, k)) {
                Some(mapped) => mapped,
                None => self.intern(Node::Udiv(a, b), w),
            },
            _ => self.intern(Node::Udiv(a, b), w),
        }
    }

    /// Unsigned `a mod b`; `a` if `b` is zero.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let nb = self.not(b);
            return self.and(a, nb);
        }
        if self.facts(a).max < self.facts(b).min {
            return a;
        }
        match (self.as_const(a), self.as_const(b)) {
            (Some(x), Some(y)) => self.constant(w, value::urem(x, y)),
            (_, Some(0)) => a,
            (_, Some(k)) if k.is_power_of_two() => {
                let low = self.constant(w, k - 1);
                self.and(a, low)
            }
            (_, Some(k)) => match self.map_leaves(a, w, |v| value::urem(v, k)) {
                Some(mapped) => mapped,
                None => self.intern(Node::Urem(a, b), w),
            },
            _ => self.intern(Node::Urem(a, b), w),
        }
    }

    /// Signed `a / b`, rounded to zero; 1 or -1 if `b` is zero.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            // -1 / 0 = 1 and -1 / -1 = 1 are the bit 1, 0 / 0 = -1 too.
            let nb = self.not(b);
            return self.or(a, nb);
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(w, value::sdiv(w, x, y));
        }
        if self.as_const(b) == Some(1) {
            return a;
        }
        if self.both_non_negative(w, a, b) && self.facts(b).min > 0 {
            return self.udiv(a, b);
        }
        self.intern(Node::Sdiv(a, b), w)
    }

    /// Signed remainder with the sign of `a`; `a` if `b` is zero.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let nb = self.not(b);
            return self.and(a, nb);
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(w, value::srem(w, x, y));
        }
        if matches!(self.as_const(b), Some(1)) || self.as_const(b) == Some(mask(w)) {
            return self.constant(w, 0);
        }
        if self.both_non_negative(w, a, b) {
            return self.urem(a, b);
        }
        self.intern(Node::Srem(a, b), w)
    }

    fn both_non_negative(&self, w: u32, a: Term, b: Term) -> bool {
        self.facts(a).zeros & self.facts(b).zeros & sign_bit(w) != 0
    }

    /// Operands of a commutative node: a constant right, else the older term left.
    pub(super) fn constant_right(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ if a <= b => (a, b),
            _ => (b, a),
        }
    }
}
