//! The value of a term under an assignment.

use std::collections::BTreeMap;

use super::node::{ArrayNode, ArrayTerm, ArrayVar, Node, Term, Var};
use super::store::Terms;
use super::value::{self, mask};

/// The bytes of an array variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayValue {
    /// The byte where `cells` has none.
    pub default: u8,
    /// Bytes by index.
    pub cells: BTreeMap<u64, u8>,
}

impl ArrayValue {
    /// The byte at an index.
    pub fn byte(&self, index: u64) -> u8 {
        self.cells.get(&index).copied().unwrap_or(self.default)
    }
}

/// Values of variables. A missing variable is zero. Ordered, so that whoever
/// lists the values lists them in one order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// Values of bit-vector variables; bits above the width are zero.
    pub values: BTreeMap<Var, u128>,
    /// Values of array variables.
    pub arrays: BTreeMap<ArrayVar, ArrayValue>,
}

impl Assignment {
    /// The value of a variable.
    pub fn value(&self, v: Var) -> u128 {
        self.values.get(&v).copied().unwrap_or(0)
    }
}

/// The value of one term. For many terms under one assignment make an [`Evaluator`].
#[cfg(test)]
pub fn eval(terms: &Terms, assignment: &Assignment, t: Term) -> u128 {
    Evaluator::new(assignment).eval(terms, t)
}

/// Values of terms under one assignment.
pub type Memo = rustc_hash::FxHashMap<Term, u128>;

/// Evaluates terms under one assignment; each term once. The store may grow
/// between calls, but it must stay the same store.
pub struct Evaluator<'a> {
    assignment: &'a Assignment,
    memo: Memo,
}

/// Whether the latest store of an array is onto that constant index.
fn read_after(terms: &Terms, array: ArrayTerm, index: u128) -> bool {
    match *terms.array_node(array) {
        ArrayNode::Store(_, at, _) => terms.as_const(at) == Some(index),
        ArrayNode::Const(_) | ArrayNode::Var(_) | ArrayNode::Ite(..) => false,
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator for the assignment.
    pub fn new(assignment: &'a Assignment) -> Self {
        Evaluator {
            assignment,
            memo: Memo::default(),
        }
    }

    /// An evaluator that knows values already: those of [`Evaluator::into_memo`]
    /// under the same assignment and store.
    pub fn with_memo(assignment: &'a Assignment, memo: Memo) -> Self {
        Evaluator { assignment, memo }
    }

    /// The values found, for a later evaluator.
    pub fn into_memo(self) -> Memo {
        self.memo
    }

    /// The value of the term.
    pub fn eval(&mut self, terms: &Terms, t: Term) -> u128 {
        let mut todo = vec![t];
        while let Some(&t) = todo.last() {
            if self.memo.contains_key(&t) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            if let Some(v) = self.step(terms, t, &mut todo) {
                debug_assert_eq!(v & !mask(terms.width(t)), 0);
                self.memo.insert(t, v);
                todo.truncate(before - 1);
            }
        }
        self.memo[&t]
    }

    /// Whether the Boolean is true.
    pub fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.eval(terms, t) == 1
    }

    /// The value, or else what must be known first goes onto `todo`.
    fn step(&self, terms: &Terms, t: Term, todo: &mut Vec<Term>) -> Option<u128> {
        let w = terms.width(t);
        let node = *terms.node(t);
        // Of a conditional and a select not every operand is needed.
        match node {
            Node::Ite(c, a, b) => {
                let chosen = if self.need(c, todo)? == 1 { a } else { b };
                return self.need(chosen, todo);
            }
            Node::Select(array, index) => {
                let index = self.need(index, todo)?;
                return self.select(terms, array, index, todo);
            }
            _ => {}
        }
        let before = todo.len();
        node.for_each_operand(|x| {
            self.need(x, todo);
        });
        if todo.len() > before {
            return None;
        }
        let v = |x: Term| self.memo[&x];
        let width = |x: Term| terms.width(x);
        let value = match node {
            Node::Const(k) => k,
            Node::Var(x) => self.assignment.value(x) & mask(w),
            Node::Not(a) => !v(a),
            Node::Neg(a) => v(a).wrapping_neg(),
            Node::Add(a, b) => v(a).wrapping_add(v(b)),
            Node::Mul(a, b) => v(a).wrapping_mul(v(b)),
            Node::Udiv(a, b) => value::udiv(w, v(a), v(b)),
            Node::Sdiv(a, b) => value::sdiv(w, v(a), v(b)),
            Node::Urem(a, b) => value::urem(v(a), v(b)),
            Node::Srem(a, b) => value::srem(w, v(a), v(b)),
            Node::Shl(a, b) => value::shl(w, v(a), v(b)),
            Node::Lshr(a, b) => value::lshr(w, v(a), v(b)),
            Node::Ashr(a, b) => value::ashr(w, v(a), v(b)),
            Node::And(a, b) => v(a) & v(b),
            Node::Or(a, b) => v(a) | v(b),
            Node::Xor(a, b) => v(a) ^ v(b),
            Node::Eq(a, b) => u128::from(v(a) == v(b)),
            Node::Ult(a, b) => u128::from(v(a) < v(b)),
            Node::Slt(a, b) => {
                let w = width(a);
                u128::from(value::signed(w, v(a)) < value::signed(w, v(b)))
            }
            Node::Extract(hi, lo, a) => value::extract(hi, lo, v(a)),
            Node::Concat(a, b) => (v(a) << width(b)) | v(b),
            Node::Zext(a) => v(a),
            Node::Sext(a) => value::sext(w, width(a), v(a)),
            Node::Ite(..) | Node::Select(..) => unreachable!("returned above"),
        };
        Some(value & mask(w))
    }

    fn need(&self, t: Term, todo: &mut Vec<Term>) -> Option<u128> {
        let known = self.memo.get(&t).copied();
        if known.is_none() {
            todo.push(t);
        }
        known
    }

    fn select(
        &self,
        terms: &Terms,
        mut array: ArrayTerm,
        index: u128,
        todo: &mut Vec<Term>,
    ) -> Option<u128> {
        loop {
            // Of stores onto constant indices that follow one another, at once the one that is read, or what is before them all.
            if let Some(read) = terms.runs.at(array, index as u64) {
                if read_after(terms, read, index) {
                    let ArrayNode::Store(_, _, byte) = *terms.array_node(read) else {
                        unreachable!("a store");
                    };
                    return self.need(byte, todo);
                }
                array = read;
            }
            match *terms.array_node(array) {
                ArrayNode::Const(byte) => return self.need(byte, todo),
                ArrayNode::Var(x) => {
                    let bytes = self.assignment.arrays.get(&x);
                    return Some(bytes.map_or(0, |b| u128::from(b.byte(index as u64))));
                }
                ArrayNode::Store(rest, at, byte) => match self.memo.get(&at) {
                    Some(&at) if at == index => return self.need(byte, todo),
                    Some(_) => array = rest,
                    None => {
                        // All indices of the chain at once: else a long chain is walked once per store.
                        let mut next = array;
                        while let ArrayNode::Store(rest, at, _) = *terms.array_node(next) {
                            self.need(at, todo);
                            next = rest;
                        }
                        return None;
                    }
                },
                ArrayNode::Ite(c, a, b) => {
                    array = if self.need(c, todo)? == 1 { a } else { b };
                }
            }
        }
    }
}
