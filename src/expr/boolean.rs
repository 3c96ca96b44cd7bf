//! Conjunction, and by negation everything Boolean.
//!
//! Booleans are and-inverter graphs: `Not` and `And` (with `Eq` and `Ite`
//! between Booleans as further nodes). A disjunction is a negated conjunction of
//! negations; so one set of rules serves both, and De Morgan's laws cost nothing.
//! A conjunction is a left-leaning chain, a short one sorted by age, newest
//! outermost. What is put to a longer one is put around it, whatever its age: a
//! condition that grows adds one node.
//!
//! The rules look at sets of at most [`MANY`] conjuncts, and of two conditions
//! only at what the one says of the other. Two conditions that
//! meet at a join share the older part of their chains; that part is found by
//! walking down both and is treated as one conjunct.

use super::node::{Node, Term};
use super::store::Terms;
use super::value::mask;

/// Conjuncts of one chain that the rules look at.
const MANY: usize = 16;

/// Conjuncts of a chain that is sorted.
const FEW: usize = 4;

/// Conjunctions that are remembered.
const MAX_KNOWN: usize = 1 << 20;

/// A literal read as a statement on one term and constants.
#[derive(Copy, Clone)]
enum Bound {
    /// The term lies between (inclusive).
    Within(Term, u128, u128),
    /// The term differs.
    Not(Term, u128),
    /// Something else.
    Other,
}

impl Bound {
    /// Whether `self` excludes `other`.
    fn excludes(self, other: Bound) -> bool {
        match (self, other) {
            (Bound::Within(x, a, b), Bound::Within(y, c, d)) => x == y && (b < c || d < a),
            (Bound::Within(x, a, b), Bound::Not(y, k))
            | (Bound::Not(y, k), Bound::Within(x, a, b)) => x == y && a == k && b == k,
            _ => false,
        }
    }

    /// Whether `self` gives `other`.
    fn gives(self, other: Bound) -> bool {
        match (self, other) {
            (Bound::Within(x, a, b), Bound::Within(y, c, d)) => x == y && c <= a && b <= d,
            (Bound::Within(x, a, b), Bound::Not(y, k)) => x == y && !(a..=b).contains(&k),
            _ => false,
        }
    }
}

/// A conjunct with its reading.
#[derive(Copy, Clone)]
struct Literal {
    term: Term,
    /// The term without a negation, and whether there was none.
    inner: Term,
    positive: bool,
    bound: Bound,
}

impl Literal {
    /// Whether the two cannot both hold.
    fn excludes(self, other: Literal) -> bool {
        (self.inner == other.inner && self.positive != other.positive)
            || self.bound.excludes(other.bound)
    }

    /// Whether `other` holds wherever `self` does.
    fn gives(self, other: Literal) -> bool {
        self.term == other.term || self.bound.gives(other.bound)
    }
}

impl Terms {
    /// `a ∧ b` of Booleans.
    pub(super) fn conjoin(&mut self, a: Term, b: Term) -> Term {
        if a == b || self.is_true(b) || self.is_false(a) {
            return a;
        }
        if self.is_true(a) || self.is_false(b) {
            return b;
        }
        if self.complementary(a, b) {
            return self.fals();
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.conjunctions.get(&key) {
            return known;
        }
        let both = self.put_together(a, b);
        if self.conjunctions.len() >= MAX_KNOWN {
            self.conjunctions.clear();
        }
        self.conjunctions.insert(key, both);
        both
    }

    fn put_together(&mut self, a: Term, b: Term) -> Term {
        let shared = self.shared_chain(a, b);
        let mut long = (a, self.conjuncts_down_to(a, shared));
        let mut short = (b, self.conjuncts_down_to(b, shared));
        if long.1.len() < short.1.len() {
            std::mem::swap(&mut long, &mut short);
        }
        let (whole, mut set) = long;
        let mut added = short.1;
        added.retain(|t| !set.contains(t));
        added.sort_unstable();
        let known = set.len();
        set.extend(&added);
        match self.simplify_conjuncts(&mut set, known) {
            None => self.fals(),
            Some(false) if set.len() > FEW => added
                .iter()
                .fold(whole, |t, &c| self.intern(Node::And(t, c), 1)),
            Some(_) => {
                set.sort_unstable();
                self.chain(&set)
            }
        }
    }

    /// The longest common inner part of two chains, if it is more than a literal.
    fn shared_chain(&self, mut a: Term, mut b: Term) -> Option<Term> {
        // Operands are older than the node: the newer of the two cannot be inside the older.
        for _ in 0..2 * MANY {
            if a == b {
                return matches!(self.node(a), Node::And(..)).then_some(a);
            }
            let newer = if a > b { &mut a } else { &mut b };
            match *self.node(*newer) {
                Node::And(inner, _) => *newer = inner,
                _ => return None,
            }
        }
        None
    }

    /// The conjuncts of a chain; what is beyond [`MANY`] or at `stop` is one conjunct.
    fn conjuncts_down_to(&self, mut t: Term, stop: Option<Term>) -> Vec<Term> {
        let mut set = Vec::new();
        while set.len() + 1 < MANY && Some(t) != stop {
            match *self.node(t) {
                Node::And(inner, last) => {
                    set.push(last);
                    t = inner;
                }
                _ => break,
            }
        }
        set.push(t);
        set
    }

    /// The conjuncts of a Boolean, as far as the rules look.
    fn conjuncts(&self, t: Term) -> Vec<Term> {
        self.conjuncts_down_to(t, None)
    }

    /// The chain over a set that is sorted and simplified.
    fn chain(&mut self, set: &[Term]) -> Term {
        let Some((&first, rest)) = set.split_first() else {
            return self.tru();
        };
        rest.iter()
            .fold(first, |t, &c| self.intern(Node::And(t, c), 1))
    }

    fn literal(&self, term: Term) -> Literal {
        let (inner, positive) = match *self.node(term) {
            Node::Not(inner) => (inner, false),
            _ => (term, true),
        };
        let bound = match (*self.node(inner), positive) {
            (Node::Eq(x, k), _) => match (self.as_const(k), positive) {
                (Some(k), true) => Bound::Within(x, k, k),
                (Some(k), false) => Bound::Not(x, k),
                _ => Bound::Other,
            },
            (Node::Ult(x, k), true) => match self.as_const(k) {
                Some(k) if k > 0 => Bound::Within(x, 0, k - 1),
                _ => Bound::Other,
            },
            (Node::Ult(x, k), false) => match self.as_const(k) {
                Some(k) => Bound::Within(x, k, mask(self.width(x))),
                None => Bound::Other,
            },
            _ => Bound::Other,
        };
        Literal {
            term,
            inner,
            positive,
            bound,
        }
    }

    /// Whether the Boolean is decided when all of `context` hold.
    fn decided_by(&self, t: Term, context: &[Literal]) -> Option<bool> {
        let (inner, positive) = match *self.node(t) {
            Node::Not(inner) => (inner, false),
            _ => (t, true),
        };
        let parts: Vec<Literal> = if positive {
            self.conjuncts(inner)
        } else {
            // The negation of a literal reads better as the literal.
            match *self.node(inner) {
                Node::And(..) => self.conjuncts(inner),
                _ => vec![t],
            }
        }
        .into_iter()
        .map(|c| self.literal(c))
        .collect();
        let positive = positive || !matches!(self.node(inner), Node::And(..));
        if parts
            .iter()
            .any(|&p| context.iter().any(|&c| c.excludes(p)))
        {
            return Some(!positive);
        }
        if parts.iter().all(|&p| context.iter().any(|&c| c.gives(p))) {
            return Some(positive);
        }
        None
    }

    /// What the Boolean `d` is wherever `c` holds, if that is plain from their form.
    pub(super) fn decided_given(&self, d: Term, c: Term) -> Option<bool> {
        if d == c {
            return Some(true);
        }
        if self.complementary(c, d) {
            return Some(false);
        }
        let context: Vec<Literal> = self
            .conjuncts(c)
            .into_iter()
            .map(|l| self.literal(l))
            .collect();
        self.decided_by(d, &context)
    }

    /// The Boolean `t` where `c` holds: conjuncts that `c` gives are gone.
    pub(super) fn without_given(&mut self, t: Term, c: Term) -> Term {
        if !matches!(self.node(t), Node::And(..)) {
            return t;
        }
        let context: Vec<Literal> = self
            .conjuncts(c)
            .into_iter()
            .map(|l| self.literal(l))
            .collect();
        let mut parts = self.conjuncts(t);
        let before = parts.len();
        parts.retain(|&p| {
            let p = self.literal(p);
            !context.iter().any(|&l| l.gives(p))
        });
        if parts.len() == before {
            return t;
        }
        parts.sort_unstable();
        self.chain(&parts)
    }

    /// Applies the rules to a set of conjuncts: exclusion, subsumption,
    /// and within each negated conjunction, absorption and unit resolution. The first `known` of them are one condition that
    /// has gone through this: the rules look for what the others change. Whether that is anything; `None` is false.
    fn simplify_conjuncts(&mut self, set: &mut Vec<Term>, mut known: usize) -> Option<bool> {
        let mut literals: Vec<Literal> = set.iter().map(|&t| self.literal(t)).collect();
        let before = literals.len();
        let mut rewritten = false;
        loop {
            Self::prune(&mut literals, &mut known)?;
            match self.reduce_negations(&mut literals, known)? {
                Reduced::Nothing => break,
                Reduced::Some => {
                    rewritten = true;
                    known = 0;
                    literals.sort_unstable_by_key(|l| l.term);
                    literals.dedup_by_key(|l| l.term);
                }
            }
        }
        let changed = rewritten || literals.len() != before;
        if changed {
            *set = literals.into_iter().map(|l| l.term).collect();
        }
        Some(changed)
    }

    /// Drops literals that others give; `None` if two exclude each other.
    fn prune(literals: &mut Vec<Literal>, known: &mut usize) -> Option<()> {
        let mut i = 0;
        while i < literals.len() {
            let mut given = false;
            let others = if i < *known { *known } else { 0 };
            for j in others..literals.len() {
                if i == j {
                    continue;
                }
                if literals[j].excludes(literals[i]) {
                    return None;
                }
                given |= literals[j].gives(literals[i]);
            }
            if given {
                literals.remove(i);
                *known -= usize::from(i < *known);
            } else {
                i += 1;
            }
        }
        Some(())
    }

    /// One round over the negated conjunctions `¬(c₁ ∧ … ∧ cₙ)`, given the other
    /// literals: true if some `cᵢ` is excluded; given `cᵢ` drop out.
    /// Two negated conjunctions with a common part are put together.
    fn reduce_negations(&mut self, literals: &mut Vec<Literal>, known: usize) -> Option<Reduced> {
        for i in 0..literals.len() {
            let Node::Not(inner) = *self.node(literals[i].term) else {
                continue;
            };
            if !matches!(self.node(inner), Node::And(..)) {
                continue;
            }
            let from = if i < known { known } else { 0 };
            let parts = self.conjuncts(inner);
            let mut kept = Vec::with_capacity(parts.len());
            let mut excluded = false;
            for &part in &parts {
                let p = self.literal(part);
                let others = || {
                    let others = literals.iter().enumerate().skip(from);
                    others.filter(|&(j, _)| j != i)
                };
                if others().any(|(_, &l)| l.excludes(p)) {
                    excluded = true;
                    break;
                }
                if !others().any(|(_, &l)| l.gives(p)) {
                    kept.push(part);
                }
            }
            if excluded {
                literals.remove(i);
                return Some(Reduced::Some);
            }
            if kept.len() == parts.len() {
                continue;
            }
            if kept.is_empty() {
                return None;
            }
            // A part of a simplified set is simplified.
            kept.sort_unstable();
            let inner = self.chain(&kept);
            let t = self.not(inner);
            literals.remove(i);
            // ¬¬(x ∧ y) gives conjuncts again.
            for c in self.conjuncts(t) {
                literals.push(self.literal(c));
            }
            return Some(Reduced::Some);
        }
        self.join_negations(literals, known)
    }

    /// `¬(p ∧ x) ∧ ¬(p ∧ ¬x)` is `¬p`; a negation subsumes those of larger sets;
    /// and if nothing else is there, `¬(p ∧ x) ∧ ¬(p ∧ y)` is `¬(p ∧ (x ∨ y))`.
    fn join_negations(&mut self, literals: &mut Vec<Literal>, known: usize) -> Option<Reduced> {
        let negation = |l: &Literal| matches!(self.node(l.term), Node::Not(_));
        if !literals[known..].iter().any(negation) {
            return Some(Reduced::Nothing);
        }
        let negated: Vec<(usize, Vec<Term>)> = literals
            .iter()
            .enumerate()
            .filter_map(|(i, l)| match *self.node(l.term) {
                Node::Not(inner) => {
                    let mut parts = self.conjuncts(inner);
                    parts.sort_unstable();
                    Some((i, parts))
                }
                _ => None,
            })
            .collect();
        for (n, (i, x)) in negated.iter().enumerate() {
            for (j, y) in &negated[n + 1..] {
                if (x.len() == 1 && y.len() == 1) || *j < known {
                    continue;
                }
                let (only_x, common, only_y) = partition(x, y);
                if common.is_empty() {
                    continue;
                }
                if only_x.is_empty() || only_y.is_empty() {
                    literals.remove(if only_x.is_empty() { *j } else { *i });
                    return Some(Reduced::Some);
                }
                let resolve = only_x.len() == 1
                    && only_y.len() == 1
                    && self.complementary(only_x[0], only_y[0]);
                if !resolve && literals.len() > 2 {
                    continue;
                }
                let (i, j) = (*i, *j);
                literals.remove(j);
                literals.remove(i);
                let common = self.chain(&common);
                let joined = if resolve {
                    common
                } else {
                    let (x, y) = (self.chain(&only_x), self.chain(&only_y));
                    let either = self.or(x, y);
                    self.conjoin(common, either)
                };
                let t = self.not(joined);
                if self.is_false(t) {
                    return None;
                }
                for c in self.conjuncts(t) {
                    if !self.is_true(c) {
                        literals.push(self.literal(c));
                    }
                }
                return Some(Reduced::Some);
            }
        }
        Some(Reduced::Nothing)
    }

    /// `a → b`.
    #[cfg(test)]
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let na = self.not(a);
        self.or(na, b)
    }

    /// The conjunction of Booleans; true if there are none.
    pub fn and_all(&mut self, conjuncts: &[Term]) -> Term {
        let mut t = self.tru();
        for &c in conjuncts {
            t = self.and(t, c);
        }
        t
    }

    /// The disjunction of Booleans as it stands, for one question: no rule looks for what they share.
    pub fn any_of(&mut self, disjuncts: &[Term]) -> Term {
        let some = disjuncts.iter().filter(|&&d| !self.is_false(d));
        let some: Vec<Term> = some.copied().collect();
        let mut none: Vec<Term> = some.into_iter().map(|d| self.not(d)).collect();
        none.sort_unstable();
        none.dedup();
        if none.iter().any(|&n| self.is_false(n)) {
            return self.tru();
        }
        let none = self.chain(&none);
        self.not(none)
    }

    /// The disjunction of Booleans; false if there are none.
    pub fn or_all(&mut self, disjuncts: &[Term]) -> Term {
        let mut t = self.fals();
        for &d in disjuncts {
            t = self.or(t, d);
        }
        t
    }
}

/// Whether a round of rules changed anything.
enum Reduced {
    Some,
    Nothing,
}

/// What is only in the first, in both, only in the second of two sorted sets.
fn partition(x: &[Term], y: &[Term]) -> (Vec<Term>, Vec<Term>, Vec<Term>) {
    let (common, only_x): (Vec<_>, Vec<_>) = x.iter().partition(|t| y.binary_search(t).is_ok());
    let only_y = y
        .iter()
        .copied()
        .filter(|t| x.binary_search(t).is_err())
        .collect();
    (only_x, common, only_y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> (Terms, Term, Term, Term) {
        let mut t = Terms::new();
        let (a, b, c) = (t.fresh(1, "a"), t.fresh(1, "b"), t.fresh(1, "c"));
        (t, a, b, c)
    }

    #[test]
    fn conjunction_forgets_order_and_repetition() {
        let (mut t, a, b, c) = three();
        let left = t.and_all(&[a, b, c, a]);
        let right = t.and_all(&[c, b, b, a]);
        assert_eq!(left, right);
    }

    #[test]
    fn the_two_sides_of_a_branch_join_to_its_condition() {
        let (mut t, a, b, c) = three();
        let p = t.and(a, b);
        let nc = t.not(c);
        let (yes, no) = (t.and(p, c), t.and(p, nc));
        assert_eq!(t.or(yes, no), p);
        assert_eq!(t.and(yes, no), t.fals());
    }

    #[test]
    fn joins_below_a_long_condition_are_found() {
        let mut t = Terms::new();
        let mut p = t.tru();
        for n in 0..200 {
            let v = t.fresh(1, &format!("v{n}"));
            p = t.and(p, v);
        }
        let (c, d) = (t.fresh(1, "c"), t.fresh(1, "d"));
        let (nc, nd) = (t.not(c), t.not(d));
        let one = t.and(p, c);
        let two = t.and(p, nc);
        let (two_d, two_nd) = (t.and(two, d), t.and(two, nd));
        let both = t.or(two_d, two_nd);
        assert_eq!(both, two);
        assert_eq!(t.or(one, both), p);
    }

    #[test]
    fn absorption_and_complement() {
        let (mut t, a, b, _) = three();
        let ab = t.or(a, b);
        assert_eq!(t.and(a, ab), a);
        let na = t.not(a);
        let na_and_b = t.and(na, b);
        assert_eq!(t.or(a, na_and_b), ab);
        let a_and_b = t.and(a, b);
        assert_eq!(t.or(a, a_and_b), a);
    }

    #[test]
    fn tags_exclude_each_other() {
        let mut t = Terms::new();
        let x = t.fresh(8, "x");
        let (k1, k2, k9) = (t.constant(8, 1), t.constant(8, 2), t.constant(8, 9));
        let (e1, e2) = (t.eq(x, k1), t.eq(x, k2));
        assert_eq!(t.and(e1, e2), t.fals());
        let n2 = t.not(e2);
        assert_eq!(t.and(e1, n2), e1);
        let below = t.ult(x, k9);
        assert_eq!(t.and(e1, below), e1);
    }
}
