//! Taking bits out and putting them together. Memory is bytes: a word that is
//! stored and loaded again must come back as the word.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::{self, mask};

impl Terms {
    /// Bits `hi..=lo`.
    pub fn extract(&mut self, hi: u32, lo: u32, t: Term) -> Term {
        let (mut hi, mut lo, mut t) = (hi, lo, t);
        assert!(
            lo <= hi && hi < self.width(t),
            "bits {hi}..={lo} of {} bits",
            self.width(t)
        );
        let w = hi - lo + 1;
        // Go to where the bits come from.
        loop {
            if w == self.width(t) {
                return t;
            }
            match *self.node(t) {
                Node::Const(v) => return self.constant(w, value::extract(hi, lo, v)),
                Node::Extract(_, at, x) => (hi, lo, t) = (hi + at, lo + at, x),
                Node::Concat(h, l) => {
                    let low = self.width(l);
                    if hi < low {
                        t = l;
                    } else if lo >= low {
                        (hi, lo, t) = (hi - low, lo - low, h);
                    } else {
                        // Both sides: at most 128 levels, each makes the term narrower.
                        let high = self.extract(hi - low, 0, h);
                        let low = self.extract(low - 1, lo, l);
                        return self.concat(high, low);
                    }
                }
                Node::Zext(x) => {
                    let from = self.width(x);
                    if lo >= from {
                        return self.constant(w, 0);
                    }
                    if hi >= from {
                        let low = self.extract(from - 1, lo, x);
                        return self.zext(w, low);
                    }
                    t = x;
                }
                Node::Sext(x) => {
                    let from = self.width(x);
                    if hi >= from {
                        let lo = lo.min(from - 1);
                        let low = self.extract(from - 1, lo, x);
                        return self.sext(w, low);
                    }
                    t = x;
                }
                _ => break,
            }
        }
        if let Some(t) = self.extract_through(hi, lo, t) {
            return t;
        }
        self.intern(Node::Extract(hi, lo, t), w)
    }

    /// Extraction goes inside operations where that makes the whole smaller.
    fn extract_through(&mut self, hi: u32, lo: u32, t: Term) -> Option<Term> {
        let w = hi - lo + 1;
        if let Some(mapped) = self.map_leaves(t, w, |v| value::extract(hi, lo, v)) {
            return Some(mapped);
        }
        match *self.node(t) {
            // Bit by bit operations with a constant keep the constant short.
            Node::And(x, k) | Node::Or(x, k) | Node::Xor(x, k) if self.as_const(k).is_some() => {
                let node = *self.node(t);
                self.nested(|s| {
                    let (x, k) = (s.extract(hi, lo, x), s.extract(hi, lo, k));
                    match node {
                        Node::And(..) => s.and(x, k),
                        Node::Or(..) => s.or(x, k),
                        _ => s.xor(x, k),
                    }
                })
            }
            Node::Not(x) => self.nested(|s| {
                let x = s.extract(hi, lo, x);
                s.not(x)
            }),
            // The low bits of a sum or product are those of the low bits of its operands.
            Node::Add(x, y) if lo == 0 && w > 1 && self.narrowable(hi, x, y) => self.nested(|s| {
                let (x, y) = (s.extract(hi, 0, x), s.extract(hi, 0, y));
                s.add(x, y)
            }),
            Node::Mul(x, y) if lo == 0 && w > 1 && self.narrowable(hi, x, y) => self.nested(|s| {
                let (x, y) = (s.extract(hi, 0, x), s.extract(hi, 0, y));
                s.mul(x, y)
            }),
            // x * 2^n is x above n zeros.
            Node::Mul(x, k) => {
                let k = self.as_const(k).filter(|k| k.is_power_of_two())?;
                let n = k.trailing_zeros();
                if lo >= n {
                    self.nested(|s| s.extract(hi - n, lo - n, x))
                } else if hi >= n {
                    self.nested(|s| {
                        let high = s.extract(hi - n, 0, x);
                        let low = s.constant(n - lo, 0);
                        s.concat(high, low)
                    })
                } else {
                    None
                }
            }
            Node::Ite(c, x, y) => {
                if !self.extracts_freely(hi, lo, x) || !self.extracts_freely(hi, lo, y) {
                    return None;
                }
                self.nested(|s| {
                    let (x, y) = (s.extract(hi, lo, x), s.extract(hi, lo, y));
                    s.ite(c, x, y)
                })
            }
            _ => None,
        }
    }

    /// Whether cutting off the bits above `hi` is free for both operands.
    fn narrowable(&self, hi: u32, x: Term, y: Term) -> bool {
        self.extracts_freely(hi, 0, x) && self.extracts_freely(hi, 0, y)
    }

    /// Whether extraction gives something no larger than the term itself.
    fn extracts_freely(&self, hi: u32, lo: u32, t: Term) -> bool {
        match *self.node(t) {
            Node::Const(_) | Node::Extract(..) => true,
            Node::Zext(x) | Node::Sext(x) => {
                hi + 1 == self.width(x) && lo == 0 || lo >= self.width(x)
            }
            Node::Concat(_, l) => hi < self.width(l) || lo >= self.width(l),
            _ => false,
        }
    }

    /// The bits of `high` above those of `low`; at most 128 together.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (wh, wl) = (self.width(high), self.width(low));
        let w = wh + wl;
        assert!(w <= 128, "concatenation of {wh} and {wl} bits");
        // To the right: a.(b.c)
        if let Node::Concat(a, b) = *self.node(high) {
            let rest = self.concat(b, low);
            return self.concat(a, rest);
        }
        match (self.as_const(high), self.as_const(low)) {
            (Some(h), Some(l)) => return self.constant(w, (h << wl) | l),
            (Some(0), None) => return self.zext(w, low),
            _ => {}
        }
        if let Node::Zext(x) = *self.node(high) {
            let inner = self.concat(x, low);
            return self.zext(w, inner);
        }
        let (next, rest) = match *self.node(low) {
            Node::Concat(b, c) => (b, Some(c)),
            _ => (low, None),
        };
        if let Some(joined) = self.join_pieces(high, next) {
            return match rest {
                Some(rest) => self.concat(joined, rest),
                None => joined,
            };
        }
        if let Some(t) = self.concat_ites(w, high, low) {
            return t;
        }
        self.intern(Node::Concat(high, low), w)
    }

    /// Neighbouring pieces of one term, or two constants, as one piece.
    fn join_pieces(&mut self, high: Term, low: Term) -> Option<Term> {
        match (*self.node(high), *self.node(low)) {
            (Node::Extract(hi, mid, x), Node::Extract(below, lo, y))
                if x == y && mid == below + 1 =>
            {
                Some(self.extract(hi, lo, x))
            }
            // The low piece may be the whole of what the term extends.
            (Node::Const(h), Node::Const(l)) => {
                let wl = self.width(low);
                let w = self.width(high) + wl;
                Some(self.constant(w, (h << wl) | l))
            }
            _ => None,
        }
    }

    /// Pieces chosen by one condition are chosen together: words that were
    /// merged byte by byte.
    fn concat_ites(&mut self, w: u32, high: Term, low: Term) -> Option<Term> {
        if let (Node::Ite(c, x, y), Node::Ite(d, p, q)) = (*self.node(high), *self.node(low)) {
            if c == d {
                return self.nested(|s| {
                    let (yes, no) = (s.concat(x, p), s.concat(y, q));
                    s.ite(c, yes, no)
                });
            }
        }
        let wl = self.width(low);
        if let Some(l) = self.as_const(low) {
            return self.map_leaves(high, w, |v| (v << wl) | l);
        }
        let h = self.as_const(high)?;
        self.map_leaves(low, w, |v| (h << wl) | v)
    }

    /// The term with zeros above, `width` bits wide.
    pub fn zext(&mut self, width: u32, t: Term) -> Term {
        let from = self.width(t);
        assert!(from <= width && width <= 128, "zext of {from} to {width}");
        if from == width {
            return t;
        }
        if from == 1 {
            let (zero, one) = (self.constant(width, 0), self.constant(width, 1));
            return self.ite(t, one, zero);
        }
        match *self.node(t) {
            Node::Const(v) => self.constant(width, v),
            Node::Zext(x) => self.zext(width, x),
            _ => match self.map_leaves(t, width, |v| v) {
                Some(mapped) => mapped,
                None => self.intern(Node::Zext(t), width),
            },
        }
    }

    /// The term with its sign above, `width` bits wide.
    pub fn sext(&mut self, width: u32, t: Term) -> Term {
        let from = self.width(t);
        assert!(from <= width && width <= 128, "sext of {from} to {width}");
        if from == width {
            return t;
        }
        if from == 1 {
            let (zero, ones) = (self.constant(width, 0), self.constant(width, mask(width)));
            return self.ite(t, ones, zero);
        }
        if self.facts(t).negative(from) == Some(false) {
            return self.zext(width, t);
        }
        match *self.node(t) {
            Node::Const(v) => self.constant(width, value::sext(width, from, v)),
            Node::Sext(x) => self.sext(width, x),
            _ => match self.map_leaves(t, width, |v| value::sext(width, from, v)) {
                Some(mapped) => mapped,
                None => self.intern(Node::Sext(t), width),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(t: &mut Terms, x: Term) -> Vec<Term> {
        (0..t.width(x) / 8)
            .map(|n| t.extract(8 * n + 7, 8 * n, x))
            .collect()
    }

    fn load(t: &mut Terms, bytes: &[Term]) -> Term {
        let mut word = bytes[0];
        for &b in &bytes[1..] {
            word = t.concat(b, word);
        }
        word
    }

    #[test]
    fn a_word_comes_back_from_its_bytes() {
        let mut t = Terms::new();
        let x = t.fresh(64, "x");
        let cells = bytes(&mut t, x);
        assert_eq!(load(&mut t, &cells), x);
        let half = load(&mut t, &cells[..4]);
        assert_eq!(half, t.extract(31, 0, x));
    }

    #[test]
    fn words_merged_byte_by_byte_are_merged_words() {
        let mut t = Terms::new();
        let (x, y, c) = (t.fresh(32, "x"), t.fresh(32, "y"), t.fresh(1, "c"));
        let (xs, ys) = (bytes(&mut t, x), bytes(&mut t, y));
        let cells: Vec<Term> = xs.iter().zip(&ys).map(|(&a, &b)| t.ite(c, a, b)).collect();
        assert_eq!(load(&mut t, &cells), t.ite(c, x, y));
    }

    #[test]
    fn extension_and_truncation_cancel() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let wide = t.sext(32, x);
        assert_eq!(t.extract(7, 0, wide), x);
        let wider = t.sext(64, wide);
        assert_eq!(wider, t.sext(64, x));
        let z = t.zext(32, x);
        let top = t.extract(31, 8, z);
        assert_eq!(t.as_const(top), Some(0));
    }
}
