//! Orders. Two nodes, `Ult` and `Slt`; the others are those with operands
//! exchanged or negated. A constant stands on the right where it can.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::{mask, sign_bit, signed};

impl Terms {
    /// Unsigned `a < b`.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let na = self.not(a);
            return self.and(na, b);
        }
        if let Some(known) = self.decided_ult(a, b) {
            return self.bool(known);
        }
        if let Some(pushed) = self.push_comparison(a, b, Terms::decided_ult, Terms::ult) {
            return pushed;
        }
        match (self.as_const(a), self.as_const(b)) {
            (_, Some(1)) => {
                let zero = self.constant(w, 0);
                return self.eq(a, zero);
            }
            (_, Some(k)) if k == mask(w) => return self.ne(a, b),
            (_, Some(k)) => {
                if let Some(t) = self.ult_constant(a, k) {
                    return t;
                }
            }
            (Some(0), _) => return self.ne(b, a),
            // k < x is not x < k + 1; k is no maximum, that was decided above.
            (Some(k), _) => {
                let next = self.constant(w, k + 1);
                let not_above = self.ult(b, next);
                return self.not(not_above);
            }
            _ => {}
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) if self.width(x) == self.width(y) => self.ult(x, y),
            (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => self.ult(x, y),
            _ => self.intern(Node::Ult(a, b), 1),
        }
    }

    /// `a < k` seen through what stands around the interesting part of `a`.
    fn ult_constant(&mut self, a: Term, k: u128) -> Option<Term> {
        match *self.node(a) {
            // k is below 2^width of x, or facts had decided.
            Node::Zext(x) => {
                let k = self.constant(self.width(x), k);
                Some(self.ult(x, k))
            }
            // Zeros below: h.0 < k is h < k rounded up.
            Node::Concat(h, l) if self.as_const(l) == Some(0) => {
                let low = self.width(l);
                let up = ((k - 1) >> low) + 1;
                (up <= mask(self.width(h))).then(|| {
                    let up = self.constant(self.width(h), up);
                    self.ult(h, up)
                })
            }
            // A power of two asks for zeros above.
            Node::Concat(h, l) if k.is_power_of_two() && k.trailing_zeros() == self.width(l) => {
                let zero = self.constant(self.width(h), 0);
                Some(self.eq(h, zero))
            }
            _ => None,
        }
    }

    fn decided_ult(&self, a: Term, b: Term) -> Option<bool> {
        let (x, y) = (self.facts(a), self.facts(b));
        if a == b || x.min >= y.max {
            Some(false)
        } else if x.max < y.min {
            Some(true)
        } else {
            None
        }
    }

    fn decided_slt(&self, a: Term, b: Term) -> Option<bool> {
        if a == b {
            return Some(false);
        }
        let w = self.width(a);
        let (x, y) = (self.facts(a), self.facts(b));
        match (x.negative(w), y.negative(w)) {
            (Some(true), Some(false)) => Some(true),
            (Some(false), Some(true)) => Some(false),
            // The signed order is the unsigned one among equal signs.
            (Some(p), Some(q)) if p == q => self.decided_ult(a, b),
            _ => {
                let least = self.as_const(b) == Some(sign_bit(w));
                let greatest = self.as_const(a) == Some(mask(w) >> 1);
                (least || greatest).then_some(false)
            }
        }
    }

    /// Signed `a < b`.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            // The bit 1 is -1.
            let nb = self.not(b);
            return self.and(a, nb);
        }
        if let Some(known) = self.decided_slt(a, b) {
            return self.bool(known);
        }
        let (x, y) = (self.facts(a).negative(w), self.facts(b).negative(w));
        if x.is_some() && x == y {
            return self.ult(a, b);
        }
        if self.as_const(b) == Some(0) {
            return self.extract(w - 1, w - 1, a);
        }
        if let Some(pushed) = self.push_comparison(a, b, Terms::decided_slt, Terms::slt) {
            return pushed;
        }
        // k < x is not x < k + 1; k is no maximum, that was decided above.
        if let Some(k) = self.as_const(a) {
            let next = self.constant(w, k.wrapping_add(1));
            let not_above = self.slt(b, next);
            return self.not(not_above);
        }
        match (*self.node(a), *self.node(b)) {
            (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => self.slt(x, y),
            (Node::Sext(x), Node::Const(k)) => self.slt_extended(w, x, k),
            _ => self.intern(Node::Slt(a, b), 1),
        }
    }

    /// `sext(x) < k` at width `w`.
    fn slt_extended(&mut self, w: u32, x: Term, k: u128) -> Term {
        let narrow = self.width(x);
        let (k, least) = (signed(w, k), signed(narrow, sign_bit(narrow)));
        if k <= least {
            self.fals()
        } else if k > -(least + 1) {
            self.tru()
        } else {
            let k = self.constant(narrow, k as u128);
            self.slt(x, k)
        }
    }

    /// Unsigned `a ≤ b`.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let above = self.ult(b, a);
        self.not(above)
    }

    /// Unsigned `a > b`.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.ult(b, a)
    }

    /// Unsigned `a ≥ b`.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.ule(b, a)
    }

    /// Signed `a ≤ b`.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let above = self.slt(b, a);
        self.not(above)
    }

    /// Signed `a > b`.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.slt(b, a)
    }

    /// Signed `a ≥ b`.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.sle(b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_decide() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let wide = t.zext(32, x);
        let k = t.constant(32, 256);
        assert_eq!(t.ult(wide, k), t.tru());
        assert_eq!(t.slt(wide, k), t.tru());
        assert_eq!(t.ult(k, wide), t.fals());
        let ten = t.constant(32, 10);
        let ten8 = t.constant(8, 10);
        assert_eq!(t.slt(wide, ten), t.ult(x, ten8));
    }

    #[test]
    fn one_form_for_each_bound() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let (four, five) = (t.constant(8, 4), t.constant(8, 5));
        assert_eq!(t.ule(x, four), t.ult(x, five));
        let below = t.ult(x, five);
        assert_eq!(t.ugt(x, four), t.not(below));
        assert_eq!(t.sle(x, four), t.slt(x, five));
        let (zero, one) = (t.constant(8, 0), t.constant(8, 1));
        assert_eq!(t.ult(x, one), t.eq(x, zero));
        assert_eq!(t.slt(x, zero), t.extract(7, 7, x));
    }
}
