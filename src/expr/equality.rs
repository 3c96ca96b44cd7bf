//! Equality. Pointers and tags are `Ite` trees over constants: comparing one
//! with a constant must give the condition of the path to that constant, and
//! comparing two with nothing in common must give false.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::{self, mask};

/// Constants that two trees share, up to which their equality is spelt out.
const FEW_COMMON: usize = 8;

impl Terms {
    /// `a = b`, a Boolean.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if let Some(known) = self.decided_eq(a, b) {
            return self.bool(known);
        }
        if w == 1 {
            return self.equivalent(a, b);
        }
        let (a, b) = self.constant_right(a, b);
        match self.as_const(b) {
            Some(k) => self.eq_constant(w, a, k),
            None => self.eq_symbolic(w, a, b),
        }
    }

    /// `a = b` as one node, however large the tree `a` is: no rule takes it to the leaves.
    pub fn is_leaf(&mut self, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        match self.decided_eq(a, b) {
            Some(known) => self.bool(known),
            None => self.intern(Node::Eq(a, b), 1),
        }
    }

    /// `a ≠ b`, a Boolean.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// What facts, form and leaves say of `a = b`.
    pub(super) fn decided_eq(&self, a: Term, b: Term) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if !x.overlaps(y) || self.complementary(a, b) {
            return Some(false);
        }
        if x.value().is_some() && x.value() == y.value() {
            return Some(true);
        }
        if let (Some(x), Some(y)) = (self.leaves(a), self.leaves(b)) {
            if !intersect(x, y) {
                return Some(false);
            }
        }
        let ((p, k), (q, l)) = (self.split_sum(a), self.split_sum(b));
        match (p?, q?) {
            // The same term with different constants added.
            (p, q) if p == q => (k != l).then_some(false),
            (p, q) if k == l => self.differ_inside(p, q).then_some(false),
            _ => None,
        }
    }

    /// Whether two terms differ since what they are made of does, in the same way: indices of a ring.
    fn differ_inside(&self, a: Term, b: Term) -> bool {
        let differ = |x, y| self.decided_eq(x, y) == Some(false);
        match (*self.node(a), *self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) | (Node::Sext(x), Node::Sext(y)) => {
                self.width(x) == self.width(y) && differ(x, y)
            }
            (Node::Mul(x, k), Node::Mul(y, l)) if k == l => {
                let most = mask(self.width(a));
                let fits = |x: Term, k| match self.facts(x).max.checked_mul(k) {
                    Some(product) => product <= most,
                    None => false,
                };
                let constant = self.as_const(k).filter(|k| *k > 0);
                constant.is_some_and(|k| fits(x, k) && fits(y, k)) && differ(x, y)
            }
            // The low bits of sums that differ in them.
            (Node::Extract(top, 0, x), Node::Extract(_, 0, y))
                if self.width(x) == self.width(y) =>
            {
                let ((p, k), (q, l)) = (self.split_sum(x), self.split_sum(y));
                p.is_some() && p == q && (k ^ l) & mask(top + 1) != 0
            }
            _ => false,
        }
    }

    /// Equality of Booleans.
    fn equivalent(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            if self.is_true(y) {
                return x;
            }
            if self.is_false(y) {
                return self.not(x);
            }
        }
        // Negations go outside.
        let (x, not_x) = self.strip_not(a);
        let (y, not_y) = self.strip_not(b);
        let (x, y) = self.constant_right(x, y);
        let same = self.intern(Node::Eq(x, y), 1);
        if not_x != not_y { self.not(same) } else { same }
    }

    /// The term without an outer negation, and whether there was one.
    pub(super) fn strip_not(&self, t: Term) -> (Term, bool) {
        match *self.node(t) {
            Node::Not(x) => (x, true),
            _ => (t, false),
        }
    }

    /// `a = k` for a term that is no constant and that facts admit to be `k`.
    fn eq_constant(&mut self, mut w: u32, mut a: Term, mut k: u128) -> Term {
        // Peel off what can be undone on the constant.
        loop {
            if !self.facts(a).admits(k) {
                return self.fals();
            }
            if w == 1 {
                return if k == 1 { a } else { self.not(a) };
            }
            (a, k) = match *self.node(a) {
                Node::Const(v) => return self.bool(v == k),
                Node::Not(x) => (x, !k & mask(w)),
                Node::Neg(x) => (x, k.wrapping_neg() & mask(w)),
                Node::Add(x, l) if self.as_const(l).is_some() => {
                    let l = self.as_const(l).unwrap_or(0);
                    (x, k.wrapping_sub(l) & mask(w))
                }
                Node::Xor(x, l) => match self.as_const(l) {
                    Some(l) => (x, k ^ l),
                    None if k == 0 => return self.eq(x, l),
                    None => break,
                },
                Node::Zext(x) | Node::Sext(x) => {
                    // A k that is no extension of anything is excluded by the check of
                    // the sign bits here and by facts for zeros.
                    let narrow = self.width(x);
                    let low = k & mask(narrow);
                    if matches!(self.node(a), Node::Sext(_)) && value::sext(w, narrow, low) != k {
                        return self.fals();
                    }
                    w = narrow;
                    (x, low)
                }
                Node::Add(x, y) if k == 0 => {
                    let ny = self.neg(y);
                    return self.eq_interned(x, ny);
                }
                Node::And(_, m) if self.as_const(m).is_some_and(u128::is_power_of_two) => {
                    // One bit asked for: k is 0 or the bit, facts say.
                    let Node::And(x, m) = *self.node(a) else {
                        break;
                    };
                    let at = self.as_const(m).unwrap_or(1).trailing_zeros();
                    w = 1;
                    (self.extract(at, at, x), u128::from(k != 0))
                }
                _ => break,
            };
        }
        let constant = self.constant(w, k);
        if let Node::Concat(h, l) = *self.node(a) {
            let low = self.width(l);
            let (kh, kl) = (
                self.constant(w - low, k >> low),
                self.constant(low, k & mask(low)),
            );
            if let Some(both) = self.nested(|s| {
                let (h, l) = (s.eq(h, kh), s.eq(l, kl));
                s.and(h, l)
            }) {
                return both;
            }
        }
        if let Some(pushed) = self.push_comparison(a, constant, Terms::decided_eq, Terms::eq) {
            return pushed;
        }
        self.intern(Node::Eq(a, constant), 1)
    }

    /// `x = y` of sums, as it stands up to order.
    fn eq_interned(&mut self, x: Term, y: Term) -> Term {
        if let Some(known) = self.decided_eq(x, y) {
            return self.bool(known);
        }
        let (x, y) = self.constant_right(x, y);
        self.intern(Node::Eq(x, y), 1)
    }

    /// `a = b` of which neither is a constant.
    fn eq_symbolic(&mut self, w: u32, a: Term, b: Term) -> Term {
        if let Some(t) = self.nested(|s| s.eq_by_form(w, a, b)).flatten() {
            return t;
        }
        if let Some(t) = self.eq_by_common_leaves(a, b) {
            return t;
        }
        if let Some(pushed) = self.push_comparison(a, b, Terms::decided_eq, Terms::eq) {
            return pushed;
        }
        self.intern(Node::Eq(a, b), 1)
    }

    fn eq_by_form(&mut self, w: u32, a: Term, b: Term) -> Option<Term> {
        match (*self.node(a), *self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) => {
                // The wider one's upper part must be zero too.
                let to = self.width(x).max(self.width(y));
                let (x, y) = (self.zext(to, x), self.zext(to, y));
                (to < w).then(|| self.eq(x, y))
            }
            (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => Some(self.eq(x, y)),
            (Node::Not(x), Node::Not(y)) | (Node::Neg(x), Node::Neg(y)) => Some(self.eq(x, y)),
            (Node::Concat(h, l), Node::Concat(i, m)) if self.width(l) == self.width(m) => {
                let (high, low) = (self.eq(h, i), self.eq(l, m));
                Some(self.and(high, low))
            }
            (Node::Ite(c, x, y), Node::Ite(d, p, q)) if c == d => {
                let (yes, no) = (self.eq(x, p), self.eq(y, q));
                Some(self.ite(c, yes, no))
            }
            _ => self.eq_of_sums(w, a, b),
        }
    }

    /// Constants to the right side, common summands away.
    fn eq_of_sums(&mut self, w: u32, a: Term, b: Term) -> Option<Term> {
        let ((p, k), (q, l)) = (self.split_sum(a), self.split_sum(b));
        let (p, q) = (p?, q?);
        if p == q {
            return Some(self.bool(k == l));
        }
        for (sum, other, ks, ko) in [(p, q, k, l), (q, p, l, k)] {
            let Node::Add(x, y) = *self.node(sum) else {
                continue;
            };
            for (same, rest) in [(x, y), (y, x)] {
                // same + rest + ks = other + ko
                if same == other {
                    let difference = self.constant(w, ko.wrapping_sub(ks));
                    return Some(self.eq(rest, difference));
                }
                if let Node::Add(u, v) = *self.node(other) {
                    for (common, left) in [(u, v), (v, u)] {
                        if common == same {
                            let (ks, ko) = (self.constant(w, ks), self.constant(w, ko));
                            let (x, y) = (self.add(rest, ks), self.add(left, ko));
                            return Some(self.eq(x, y));
                        }
                    }
                }
            }
        }
        if k == 0 {
            return None;
        }
        // p + k = q + l: all of the constant to the newer side, one form for all.
        let difference = self.constant(w, l.wrapping_sub(k));
        let right = self.add(q, difference);
        Some(self.eq(p, right))
    }

    /// Two trees over constants: some common constant is both.
    fn eq_by_common_leaves(&mut self, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (self.leaves(a)?, self.leaves(b)?);
        let common: Vec<u128> = x
            .iter()
            .copied()
            .filter(|v| y.binary_search(v).is_ok())
            .collect();
        if common.len() > FEW_COMMON {
            return None;
        }
        let w = self.width(a);
        self.nested(|s| {
            let mut t = s.fals();
            for v in common {
                let v = s.constant(w, v);
                let (is_a, is_b) = (s.eq(a, v), s.eq(b, v));
                let both = s.and(is_a, is_b);
                t = s.or(t, both);
            }
            t
        })
    }
}

/// Whether two sorted lists have a common element.
fn intersect(x: &[u128], y: &[u128]) -> bool {
    let (short, long) = if x.len() < y.len() { (x, y) } else { (y, x) };
    short.iter().any(|v| long.binary_search(v).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_of_a_tree_is_the_condition_of_its_path() {
        let mut t = Terms::new();
        let (c, d) = (t.fresh(1, "c"), t.fresh(1, "d"));
        let ks: Vec<Term> = (1..=3).map(|k| t.constant(64, k)).collect();
        let inner = t.ite(d, ks[1], ks[2]);
        let tree = t.ite(c, ks[0], inner);
        assert_eq!(t.eq(tree, ks[0]), c);
        let nc = t.not(c);
        let expected = t.and(nc, d);
        assert_eq!(t.eq(tree, ks[1]), expected);
        let nine = t.constant(64, 9);
        assert_eq!(t.eq(tree, nine), t.fals());
        let other = t.ite(d, nine, ks[0]);
        let nd = t.not(d);
        let both = t.and(c, nd);
        assert_eq!(t.eq(tree, other), both);
    }

    #[test]
    fn one_symbolic_leaf_is_compared_alone() {
        let mut t = Terms::new();
        let (c, x) = (t.fresh(1, "c"), t.fresh(32, "x"));
        let (zero, five) = (t.constant(32, 0), t.constant(32, 5));
        let tree = t.ite(c, zero, x);
        let x5 = t.eq(x, five);
        let nc = t.not(c);
        let expected = t.and(nc, x5);
        assert_eq!(t.eq(tree, five), expected);
    }

    #[test]
    fn places_in_a_ring_differ() {
        let mut t = Terms::new();
        let start = t.fresh(32, "start");
        let mut place = |plus: u128, at: u128| {
            let (plus, ring) = (t.constant(32, plus), t.constant(32, 256));
            let sum = t.add(start, plus);
            let entry = t.urem(sum, ring);
            let (entry, size, at) = (t.zext(64, entry), t.constant(64, 24), t.constant(64, at));
            let bytes = t.mul(entry, size);
            t.add(bytes, at)
        };
        let places = [place(1, 8), place(2, 8), place(257, 8), place(2, 32)];
        assert!(t.never_equal(places[0], places[1]));
        // Once round.
        assert!(!t.never_equal(places[0], places[2]));
        // The one before, and the field that lies a whole entry behind.
        assert!(!t.never_equal(places[0], places[3]));
    }

    #[test]
    fn sums_lose_what_they_share() {
        let mut t = Terms::new();
        let (p, i) = (t.fresh(64, "p"), t.fresh(64, "i"));
        let (eight, sixteen) = (t.constant(64, 8), t.constant(64, 16));
        let (p8, p16) = (t.add(p, eight), t.add(p, sixteen));
        assert_eq!(t.eq(p8, p16), t.fals());
        let pi = t.add(p, i);
        assert_eq!(t.eq(pi, p8), t.eq(i, eight));
        let back = t.sub(p8, p);
        assert_eq!(t.as_const(back), Some(8));
    }
}
