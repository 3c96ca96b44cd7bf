//! What terms depend on.

use rustc_hash::FxHashSet;

use super::node::{ArrayNode, ArrayTerm, ArrayVar, Node, Term, Var};
use super::store::Terms;

/// The variables and the array reads inside some terms.
#[derive(Clone, Debug, Default)]
pub struct Support {
    /// Bit-vector variables, sorted.
    pub vars: Vec<Var>,
    /// Array variables, sorted.
    pub arrays: Vec<ArrayVar>,
    /// Every array variable as a term, in the order of `arrays`.
    pub array_terms: Vec<ArrayTerm>,
    /// The indices of the reads, sorted.
    pub indices: Vec<Term>,
}

impl Support {
    /// The support of the terms together.
    pub fn of(terms: &Terms, roots: &[Term]) -> Self {
        Support::within(terms, roots, usize::MAX).unwrap_or_default()
    }

    /// Whether the terms together have fewer than `count` different terms inside.
    pub fn smaller(terms: &Terms, roots: &[Term], count: usize) -> bool {
        Support::within(terms, roots, count).is_some()
    }

    /// The support, unless there are `limit` terms or more.
    fn within(terms: &Terms, roots: &[Term], limit: usize) -> Option<Self> {
        let mut seen: FxHashSet<Term> = roots.iter().copied().collect();
        let mut todo: Vec<Term> = seen.iter().copied().collect();
        let mut seen_arrays: FxHashSet<ArrayTerm> = FxHashSet::default();
        let mut todo_arrays: Vec<ArrayTerm> = Vec::new();
        let mut support = Support::default();
        let mut arrays = Vec::new();
        loop {
            if seen.len() >= limit {
                return None;
            }
            let mut found = Vec::new();
            if let Some(t) = todo.pop() {
                let node = terms.node(t);
                match *node {
                    Node::Var(v) => support.vars.push(v),
                    Node::Select(a, index) => {
                        support.indices.push(index);
                        if seen_arrays.insert(a) {
                            todo_arrays.push(a);
                        }
                    }
                    _ => {}
                }
                node.for_each_operand(|x| found.push(x));
            } else if let Some(a) = todo_arrays.pop() {
                let mut inner = |x: ArrayTerm| {
                    if seen_arrays.insert(x) {
                        todo_arrays.push(x);
                    }
                };
                match *terms.array_node(a) {
                    ArrayNode::Const(byte) => found.push(byte),
                    ArrayNode::Var(v) => arrays.push((v, a)),
                    ArrayNode::Store(rest, index, byte) => {
                        inner(rest);
                        found.extend([index, byte]);
                    }
                    ArrayNode::Ite(c, x, y) => {
                        inner(x);
                        inner(y);
                        found.push(c);
                    }
                }
            } else {
                break;
            }
            todo.extend(found.into_iter().filter(|&x| seen.insert(x)));
        }
        support.vars.sort_unstable();
        support.indices.sort_unstable();
        support.indices.dedup();
        arrays.sort_unstable();
        (support.arrays, support.array_terms) = arrays.into_iter().unzip();
        Some(support)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_inside_arrays_count() {
        let mut t = Terms::new();
        let a = t.array_fresh("a");
        let (i, j) = (t.fresh(64, "i"), t.fresh(64, "j"));
        let (x, c) = (t.fresh(8, "x"), t.fresh(1, "c"));
        let b = t.store(a, i, x);
        let other = t.array_fresh("other");
        let b = t.array_ite(c, b, other);
        let read = t.select(b, j);
        let s = Support::of(&t, &[read]);
        assert_eq!(s.vars.len(), 4);
        assert_eq!(s.arrays.len(), 2);
        assert_eq!(s.indices, [j]);
    }

    #[test]
    fn terms_inside_are_counted_once() {
        let mut t = Terms::new();
        let (x, y) = (t.fresh(8, "x"), t.fresh(8, "y"));
        let less = t.ult(x, y);
        let product = t.mul(x, y);
        let other = t.ult(product, x);
        assert!(Support::smaller(&t, &[less, other], 6));
        assert!(!Support::smaller(&t, &[less, other], 5));
    }
}
