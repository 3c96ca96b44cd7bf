//! Conditionals: what joins of paths make, hence the most frequent nodes.

use rustc_hash::FxHashMap;

use super::node::{Node, Term};
use super::store::Terms;

/// `Ite` nodes of one tree that a comparison is pushed through.
const MAX_PUSHED: usize = 512;

impl Terms {
    /// `a` if the Boolean `c` is true, else `b`.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        assert_eq!(self.width(c), 1, "the condition is a Boolean");
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        if let Node::Not(d) = *self.node(c) {
            return self.ite_positive(w, d, b, a);
        }
        self.ite_positive(w, c, a, b)
    }

    /// The condition is neither constant nor `Not`.
    fn ite_positive(&mut self, w: u32, c: Term, a: Term, b: Term) -> Term {
        let nc = self.not(c);
        let a = self.assuming(c, a);
        let b = self.assuming(nc, b);
        if a == b {
            return a;
        }
        if w == 1 {
            return self.ite_boolean(c, nc, a, b);
        }
        // One constant or value on both levels: one level.
        if let Node::Ite(d, x, y) = *self.node(b) {
            if x == a {
                let either = self.or(c, d);
                return self.ite_again(either, a, y);
            }
            if y == a {
                // c ∨ ¬d
                let nd = self.not(d);
                let either = self.or(c, nd);
                return self.ite_again(either, a, x);
            }
        }
        if let Node::Ite(d, x, y) = *self.node(a) {
            if y == b {
                let both = self.and(c, d);
                return self.ite_again(both, x, b);
            }
            if x == b {
                let nd = self.not(d);
                let both = self.and(c, nd);
                return self.ite_again(both, y, b);
            }
        }
        self.intern(Node::Ite(c, a, b), w)
    }

    /// After a merge of levels: the rules of constant conditions and negations only.
    fn ite_again(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        let w = self.width(a);
        match *self.node(c) {
            Node::Not(d) => self.intern(Node::Ite(d, b, a), w),
            _ => self.intern(Node::Ite(c, a, b), w),
        }
    }

    fn ite_boolean(&mut self, c: Term, nc: Term, a: Term, b: Term) -> Term {
        if self.is_true(a) || a == c {
            return self.or(c, b);
        }
        if self.is_false(a) || a == nc {
            return self.and(nc, b);
        }
        if self.is_true(b) || b == nc {
            return self.or(nc, a);
        }
        if self.is_false(b) || b == c {
            return self.and(c, a);
        }
        if self.complementary(a, b) {
            return self.eq(c, a);
        }
        // Negations go outside where both sides have one.
        let ((x, nx), (y, ny)) = (self.strip_not(a), self.strip_not(b));
        if nx && ny {
            let t = self.intern(Node::Ite(c, x, y), 1);
            return self.not(t);
        }
        self.intern(Node::Ite(c, a, b), 1)
    }

    /// `t` where the Boolean `c` holds: conditionals at the top that `c` decides
    /// are gone.
    fn assuming(&mut self, c: Term, mut t: Term) -> Term {
        while let Node::Ite(d, x, y) = *self.node(t) {
            match self.decided_given(d, c) {
                Some(true) => t = x,
                Some(false) => t = y,
                None => break,
            }
        }
        if self.width(t) == 1 {
            if let Some(known) = self.decided_given(t, c) {
                return self.bool(known);
            }
            return self.without_given(t, c);
        }
        t
    }

    /// `compare(a, b)` where one operand is an `Ite` tree: the comparison goes to
    /// the leaves if all of these but one are decided, so that no comparison is
    /// copied. `None` if that is not so.
    pub(super) fn push_comparison(
        &mut self,
        a: Term,
        b: Term,
        decided: impl Fn(&Terms, Term, Term) -> Option<bool>,
        compare: impl Fn(&mut Terms, Term, Term) -> Term,
    ) -> Option<Term> {
        for left in [true, false] {
            let (tree, other) = if left { (a, b) } else { (b, a) };
            if !matches!(self.node(tree), Node::Ite(..)) {
                continue;
            }
            let ordered = |leaf: Term| if left { (leaf, other) } else { (other, leaf) };
            let known = |terms: &Terms, leaf: Term| {
                let (x, y) = ordered(leaf);
                decided(terms, x, y)
            };
            if !self.at_most_one_undecided(tree, &known) {
                continue;
            }
            let pushed = self.nested(|s| {
                s.rebuild_tree_until(tree, MAX_PUSHED, known, |terms, leaf| {
                    let (x, y) = ordered(leaf);
                    Some(compare(terms, x, y))
                })
            });
            if let Some(Some(t)) = pushed {
                return Some(t);
            }
        }
        None
    }

    fn at_most_one_undecided(
        &self,
        tree: Term,
        known: &impl Fn(&Terms, Term) -> Option<bool>,
    ) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut todo = vec![tree];
        let mut undecided = 0;
        while let Some(t) = todo.pop() {
            if !seen.insert(t) || known(self, t).is_some() {
                continue;
            }
            match *self.node(t) {
                Node::Ite(_, x, y) if seen.len() <= MAX_PUSHED => todo.extend([x, y]),
                Node::Ite(..) => return false,
                _ => undecided += 1,
            }
            if undecided > 1 {
                return false;
            }
        }
        true
    }

    /// The tree with each leaf replaced; each shared part is built once.
    /// `None` if it has more than `limit` nodes or a leaf has no replacement.
    pub(super) fn rebuild_tree(
        &mut self,
        tree: Term,
        limit: usize,
        leaf: impl Fn(&mut Terms, Term) -> Option<Term>,
    ) -> Option<Term> {
        self.rebuild_tree_until(tree, limit, |_, _| None, leaf)
    }

    /// As [`Terms::rebuild_tree`], with parts that are replaced by a Boolean without being entered.
    fn rebuild_tree_until(
        &mut self,
        tree: Term,
        limit: usize,
        known: impl Fn(&Terms, Term) -> Option<bool>,
        leaf: impl Fn(&mut Terms, Term) -> Option<Term>,
    ) -> Option<Term> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut todo = vec![tree];
        while let Some(&t) = todo.last() {
            if done.contains_key(&t) {
                todo.pop();
                continue;
            }
            if done.len() + todo.len() > 4 * limit {
                return None;
            }
            let new = if let Some(b) = known(self, t) {
                self.bool(b)
            } else if let Node::Ite(c, x, y) = *self.node(t) {
                match (done.get(&x).copied(), done.get(&y).copied()) {
                    (Some(x), Some(y)) => self.ite(c, x, y),
                    (x_done, y_done) => {
                        if x_done.is_none() {
                            todo.push(x);
                        }
                        if y_done.is_none() {
                            todo.push(y);
                        }
                        continue;
                    }
                }
            } else {
                leaf(self, t)?
            };
            done.insert(t, new);
            todo.pop();
        }
        done.get(&tree).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_conditions_are_known() {
        let mut t = Terms::new();
        let (c, d) = (t.fresh(1, "c"), t.fresh(1, "d"));
        let (x, y, z) = (t.fresh(8, "x"), t.fresh(8, "y"), t.fresh(8, "z"));
        let inner = t.ite(c, x, y);
        assert_eq!(t.ite(c, inner, z), t.ite(c, x, z));
        assert_eq!(t.ite(c, z, inner), t.ite(c, z, y));
        let both = t.and(c, d);
        assert_eq!(t.ite(both, inner, z), t.ite(both, x, z));
    }

    #[test]
    fn levels_with_one_value_merge() {
        let mut t = Terms::new();
        let (c, d) = (t.fresh(1, "c"), t.fresh(1, "d"));
        let (x, y) = (t.fresh(8, "x"), t.fresh(8, "y"));
        let inner = t.ite(d, x, y);
        let either = t.or(c, d);
        assert_eq!(t.ite(c, x, inner), t.ite(either, x, y));
        let both = t.and(c, d);
        assert_eq!(t.ite(c, inner, y), t.ite(both, x, y));
        let nc = t.not(c);
        assert_eq!(t.ite(nc, x, y), t.ite(c, y, x));
    }

    #[test]
    fn deep_trees_do_not_overflow_the_stack() {
        let mut t = Terms::new();
        let mut x = t.fresh(32, "x");
        for n in 0..100_000u32 {
            let c = t.fresh(1, "c");
            let k = t.constant(32, u128::from(n % 7));
            x = t.ite(c, k, x);
        }
        let three = t.constant(32, 3);
        let is = t.eq(x, three);
        assert_eq!(t.width(is), 1);
    }
}
