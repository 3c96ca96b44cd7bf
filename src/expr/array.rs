//! Arrays from 64-bit indices to bytes: objects accessed at symbolic offsets.

use std::collections::BTreeMap;

use super::node::{ArrayNode, ArrayTerm, Node, Term};
use super::store::Terms;

/// Where the byte at an index is.
enum Found {
    /// This is it.
    Byte(Term),
    /// It is the array's byte at the index.
    In(ArrayTerm),
}

impl Terms {
    /// The array with one byte everywhere.
    pub fn array_const(&mut self, byte: Term) -> ArrayTerm {
        assert_eq!(self.width(byte), 8, "arrays hold bytes");
        self.intern_array(ArrayNode::Const(byte))
    }

    /// A new array variable.
    pub fn array_fresh(&mut self, name: &str) -> ArrayTerm {
        let v = self.new_array_var(name);
        self.intern_array(ArrayNode::Var(v))
    }

    /// The byte at a 64-bit index.
    pub fn select(&mut self, array: ArrayTerm, index: Term) -> Term {
        assert_eq!(self.width(index), 64, "indices have 64 bits");
        let base = match self.look_up(array, index) {
            Found::Byte(byte) => return byte,
            Found::In(base) => base,
        };
        // Through a join of arrays, if one side has its byte at hand.
        if let ArrayNode::Ite(c, x, y) = *self.array_node(base) {
            let through = self.nested(|s| match (s.look_up(x, index), s.look_up(y, index)) {
                (Found::In(_), Found::In(_)) => None,
                (x, y) => {
                    let (yes, no) = (s.byte(x, index), s.byte(y, index));
                    Some(s.ite(c, yes, no))
                }
            });
            if let Some(byte) = through.flatten() {
                return byte;
            }
        }
        self.intern(Node::Select(base, index), 8)
    }

    /// Whether two terms of one width differ under every assignment, as far as their form tells.
    pub fn never_equal(&self, a: Term, b: Term) -> bool {
        self.decided_eq(a, b) == Some(false)
    }

    fn byte(&mut self, found: Found, index: Term) -> Term {
        match found {
            Found::Byte(byte) => byte,
            Found::In(array) => self.select(array, index),
        }
    }

    /// Goes down stores onto other indices.
    fn look_up(&mut self, array: ArrayTerm, index: Term) -> Found {
        let mut a = array;
        loop {
            match *self.array_node(a) {
                ArrayNode::Const(byte) => return Found::Byte(byte),
                ArrayNode::Var(_) => return Found::In(a),
                ArrayNode::Ite(..) => {
                    let below = self.array_read_at(a, index);
                    if below == a {
                        return Found::In(a);
                    }
                    a = below;
                }
                ArrayNode::Store(rest, at, byte) => {
                    if let Some(below) = self.below_run(a, index) {
                        a = below;
                        continue;
                    }
                    let same = self.eq(at, index);
                    if self.is_true(same) {
                        return Found::Byte(byte);
                    }
                    if !self.is_false(same) {
                        return Found::In(a);
                    }
                    a = rest;
                }
            }
        }
    }

    /// The array without those of the latest stores that are known by their index to be elsewhere; `None`: there are none.
    fn below_run(&self, array: ArrayTerm, index: Term) -> Option<ArrayTerm> {
        let below = match self.as_const(index) {
            Some(index) => self.runs.at(array, index as u64),
            None => {
                let facts = self.facts(index);
                self.runs.before(array, facts.min, facts.max)
            }
        };
        below.filter(|below| *below != array)
    }

    /// The array without the latest stores that are elsewhere than at the index.
    pub fn array_read_at(&self, array: ArrayTerm, index: Term) -> ArrayTerm {
        self.below_joins(array, |mut array| {
            while let ArrayNode::Store(rest, at, _) = *self.array_node(array) {
                array = match self.below_run(array, index) {
                    Some(below) => below,
                    None if self.never_equal(at, index) => rest,
                    None => break,
                };
            }
            array
        })
    }

    /// The array without the latest stores that are `elsewhere`, and joins of arrays that differ in such stores alone.
    pub fn array_below(&self, array: ArrayTerm, elsewhere: impl Fn(Term) -> bool) -> ArrayTerm {
        self.below_joins(array, |mut array| {
            while let ArrayNode::Store(rest, at, _) = *self.array_node(array)
                && elsewhere(at)
            {
                array = rest;
            }
            array
        })
    }

    /// The array below stores, and below joins of arrays that are the same below them.
    fn below_joins(
        &self,
        mut array: ArrayTerm,
        below: impl Fn(ArrayTerm) -> ArrayTerm,
    ) -> ArrayTerm {
        loop {
            array = below(array);
            let ArrayNode::Ite(_, x, y) = *self.array_node(array) else {
                return array;
            };
            let x = below(x);
            if x != below(y) {
                return array;
            }
            array = x;
        }
    }

    /// What the latest stores left that are at constant indices and perhaps at this one, sorted by index; and the array before
    /// these.
    pub fn table_above(&self, mut array: ArrayTerm, index: Term) -> (Vec<(u64, Term)>, ArrayTerm) {
        let mut table = BTreeMap::new();
        while let ArrayNode::Store(rest, at, byte) = *self.array_node(array) {
            let elsewhere = self.never_equal(at, index);
            match self.as_const(at) {
                _ if elsewhere => {}
                Some(k) => {
                    table.entry(k as u64).or_insert(byte);
                }
                None => break,
            }
            array = rest;
        }
        (table.into_iter().collect(), array)
    }

    /// The array with the byte at a 64-bit index replaced.
    pub fn store(&mut self, array: ArrayTerm, index: Term, byte: Term) -> ArrayTerm {
        assert_eq!(self.width(index), 64, "indices have 64 bits");
        assert_eq!(self.width(byte), 8, "arrays hold bytes");
        if *self.node(byte) == Node::Select(array, index) {
            return array;
        }
        match *self.array_node(array) {
            ArrayNode::Store(rest, at, _) if at == index => self.store(rest, index, byte),
            ArrayNode::Const(all) if all == byte => array,
            _ => self.intern_array(ArrayNode::Store(array, index, byte)),
        }
    }

    /// `a` if the Boolean `c` is true, else `b`.
    pub fn array_ite(&mut self, c: Term, a: ArrayTerm, b: ArrayTerm) -> ArrayTerm {
        assert_eq!(self.width(c), 1, "the condition is a Boolean");
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        let (c, a, b) = match *self.node(c) {
            Node::Not(d) => (d, b, a),
            _ => (c, a, b),
        };
        // One store onto the same index on both sides is one store.
        if let (ArrayNode::Store(x, i, p), ArrayNode::Store(y, j, q)) =
            (*self.array_node(a), *self.array_node(b))
        {
            if i == j && x == y {
                let byte = self.ite(c, p, q);
                return self.store(x, i, byte);
            }
        }
        // A store on one side only is a store of what was there on the other.
        match (*self.array_node(a), *self.array_node(b)) {
            (ArrayNode::Store(x, i, p), _) if x == b => {
                let old = self.select(b, i);
                let byte = self.ite(c, p, old);
                self.store(b, i, byte)
            }
            (_, ArrayNode::Store(y, j, q)) if y == a => {
                let old = self.select(a, j);
                let byte = self.ite(c, old, q);
                self.store(a, j, byte)
            }
            _ => self.intern_array(ArrayNode::Ite(c, a, b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn select_sees_through_stores_elsewhere() {
        let mut t = Terms::new();
        let a = t.array_fresh("a");
        let i = t.fresh(64, "i");
        let one = t.constant(64, 1);
        let i1 = t.add(i, one);
        let (x, y) = (t.fresh(8, "x"), t.fresh(8, "y"));
        let b = t.store(a, i, x);
        let b = t.store(b, i1, y);
        assert_eq!(t.select(b, i), x);
        assert_eq!(t.select(b, i1), y);
        let old = t.select(a, i);
        assert_eq!(t.store(a, i, old), a);
    }

    #[test]
    fn select_sees_through_joins_that_differ_elsewhere() {
        let mut t = Terms::new();
        let a = t.array_fresh("a");
        let (i, c, x) = (t.fresh(64, "i"), t.fresh(1, "c"), t.fresh(8, "x"));
        let mut joined = a;
        for n in 1..=4 {
            let mut changed = joined;
            for n in [2 * n, 2 * n + 1] {
                let n = t.constant(64, n);
                let at = t.add(i, n);
                changed = t.store(changed, at, x);
            }
            joined = t.array_ite(c, changed, joined);
        }
        assert_eq!(t.select(joined, i), t.select(a, i));
    }

    #[test]
    fn a_store_under_a_condition_is_a_store() {
        let mut t = Terms::new();
        let a = t.array_fresh("a");
        let (i, x, c) = (t.fresh(64, "i"), t.fresh(8, "x"), t.fresh(1, "c"));
        let b = t.store(a, i, x);
        let merged = t.array_ite(c, b, a);
        let old = t.select(a, i);
        let byte = t.ite(c, x, old);
        assert_eq!(t.select(merged, i), byte);
    }

    #[test]
    fn a_join_of_arrays_is_read_on_both_sides() {
        let mut t = Terms::new();
        let (a, b) = (t.array_fresh("a"), t.array_fresh("b"));
        let (i, x, c) = (t.fresh(64, "i"), t.fresh(8, "x"), t.fresh(1, "c"));
        let stored = t.store(a, i, x);
        let joined = t.array_ite(c, stored, b);
        let other = t.select(b, i);
        assert_eq!(t.select(joined, i), t.ite(c, x, other));
    }
}
