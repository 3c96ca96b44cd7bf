//! Bitwise operations and shifts. Booleans go to `boolean`.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::mask;

impl Terms {
    /// Bitwise complement; negation of a Boolean.
    pub fn not(&mut self, a: Term) -> Term {
        let w = self.width(a);
        match *self.node(a) {
            Node::Const(v) => self.constant(w, !v),
            Node::Not(x) => x,
            _ if w == 1 => self.intern(Node::Not(a), 1),
            _ => match self.map_leaves(a, w, |v| !v & mask(w)) {
                Some(mapped) => mapped,
                None => self.intern(Node::Not(a), w),
            },
        }
    }

    /// Bitwise and; conjunction of Booleans.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            return self.conjoin(a, b);
        }
        if a == b {
            return a;
        }
        if self.complementary(a, b) {
            return self.constant(w, 0);
        }
        let (a, b) = self.constant_right(a, b);
        let Some(k) = self.as_const(b) else {
            return self.intern(Node::And(a, b), w);
        };
        // What the mask clears is clear already.
        if !k & !self.facts(a).zeros & mask(w) == 0 {
            return a;
        }
        if let Node::And(x, l) = *self.node(a) {
            if self.as_const(l).is_some() {
                let l = self.and(l, b);
                return self.and(x, l);
            }
        }
        // A mask of low bits is a truncation.
        if k != 0 && (k + 1).is_power_of_two() {
            let low = self.extract(k.trailing_ones() - 1, 0, a);
            return self.zext(w, low);
        }
        match self.map_leaves(a, w, |v| v & k) {
            Some(mapped) => mapped,
            None => self.intern(Node::And(a, b), w),
        }
    }

    /// Bitwise or; disjunction of Booleans.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let (na, nb) = (self.not(a), self.not(b));
            let neither = self.conjoin(na, nb);
            return self.not(neither);
        }
        if a == b {
            return a;
        }
        if self.complementary(a, b) {
            return self.constant(w, mask(w));
        }
        let (a, b) = self.constant_right(a, b);
        let Some(k) = self.as_const(b) else {
            return self.or_symbolic(w, a, b);
        };
        // What the constant sets is set already.
        if k & !self.facts(a).ones == 0 {
            return a;
        }
        if let Node::Or(x, l) = *self.node(a) {
            if self.as_const(l).is_some() {
                let l = self.or(l, b);
                return self.or(x, l);
            }
        }
        match self.map_leaves(a, w, |v| v | k) {
            Some(mapped) => mapped,
            None => self.intern(Node::Or(a, b), w),
        }
    }

    /// `(x << n) | y` with `y` below `2^n` is a concatenation: bytes put together.
    fn or_symbolic(&mut self, w: u32, a: Term, b: Term) -> Term {
        for (high, low) in [(a, b), (b, a)] {
            let Node::Mul(_, k) = *self.node(high) else {
                continue;
            };
            let Some(k) = self.as_const(k).filter(|k| k.is_power_of_two()) else {
                continue;
            };
            if self.facts(low).max < k {
                let at = k.trailing_zeros();
                let high = self.extract(w - 1, at, high);
                let low = self.extract(at - 1, 0, low);
                return self.concat(high, low);
            }
        }
        self.intern(Node::Or(a, b), w)
    }

    /// Bitwise exclusive or; inequality of Booleans.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let same = self.eq(a, b);
            return self.not(same);
        }
        if a == b {
            return self.constant(w, 0);
        }
        if self.complementary(a, b) {
            return self.constant(w, mask(w));
        }
        let (a, b) = self.constant_right(a, b);
        let Some(k) = self.as_const(b) else {
            return self.intern(Node::Xor(a, b), w);
        };
        if k == 0 {
            return a;
        }
        if k == mask(w) {
            return self.not(a);
        }
        if let Node::Xor(x, l) = *self.node(a) {
            if self.as_const(l).is_some() {
                let l = self.xor(l, b);
                return self.xor(x, l);
            }
        }
        match self.map_leaves(a, w, |v| v ^ k) {
            Some(mapped) => mapped,
            None => self.intern(Node::Xor(a, b), w),
        }
    }

    /// Whether one term is the complement of the other by its form.
    pub(super) fn complementary(&self, a: Term, b: Term) -> bool {
        *self.node(a) == Node::Not(b) || *self.node(b) == Node::Not(a)
    }

    /// `a << b`; zero if `b` is at least the width.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let nb = self.not(b);
            return self.and(a, nb);
        }
        match self.as_const(b) {
            Some(k) if k >= u128::from(w) => self.constant(w, 0),
            // As a product it takes part in the rules of sums.
            Some(k) => {
                let factor = self.constant(w, 1 << k);
                self.mul(a, factor)
            }
            None => self.intern(Node::Shl(a, b), w),
        }
    }

    /// `a >> b` with zeros from the left; zero if `b` is at least the width.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            let nb = self.not(b);
            return self.and(a, nb);
        }
        match self.as_const(b) {
            Some(k) if k >= u128::from(w) => self.constant(w, 0),
            Some(k) => {
                let high = self.extract(w - 1, k as u32, a);
                self.zext(w, high)
            }
            None => self.intern(Node::Lshr(a, b), w),
        }
    }

    /// `a >> b` with the sign from the left.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if w == 1 {
            return a;
        }
        if self.facts(a).negative(w) == Some(false) {
            return self.lshr(a, b);
        }
        match self.as_const(b) {
            Some(k) => {
                let k = k.min(u128::from(w - 1)) as u32;
                let high = self.extract(w - 1, k, a);
                self.sext(w, high)
            }
            None => match self.as_const(a) {
                Some(v) if v == mask(w) => a,
                _ => self.intern(Node::Ashr(a, b), w),
            },
        }
    }

    /// `f` of a term of which only constants can come: an `Ite` tree over few
    /// constants. The result has width `w`. `None` if the term is no such tree.
    pub(super) fn map_leaves(&mut self, t: Term, w: u32, f: impl Fn(u128) -> u128) -> Option<Term> {
        const FEW: usize = 16;
        if self.leaves(t)?.len() > FEW {
            return None;
        }
        self.rebuild_tree(t, FEW * 4, |terms, leaf| {
            let v = terms.as_const(leaf)?;
            Some(terms.constant(w, f(v)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::value;
    use super::*;

    #[test]
    fn bytes_put_together_are_a_concatenation() {
        let mut t = Terms::new();
        let (x, y) = (t.fresh(8, "x"), t.fresh(8, "y"));
        let (zx, zy) = (t.zext(16, x), t.zext(16, y));
        let eight = t.constant(16, 8);
        let high = t.shl(zx, eight);
        let word = t.or(high, zy);
        assert_eq!(word, t.concat(x, y));
        assert_eq!(t.extract(15, 8, word), x);
    }

    #[test]
    fn unused_mask_disappears() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let wide = t.zext(32, x);
        let m = t.constant(32, 0xffff);
        assert_eq!(t.and(wide, m), wide);
        let big = t.constant(32, 0xff00);
        let masked = t.and(wide, big);
        assert_eq!(t.as_const(masked), Some(0));
    }

    #[test]
    fn shifts_by_the_width_or_more() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let nine = t.constant(8, 9);
        let (l, r) = (t.shl(x, nine), t.lshr(x, nine));
        assert_eq!((t.as_const(l), t.as_const(r)), (Some(0), Some(0)));
        let a = t.ashr(x, nine);
        let sign = t.extract(7, 7, x);
        assert_eq!(a, t.sext(8, sign));
        assert_eq!(value::ashr(8, 0x80, 200), 0xff);
    }
}
