//! The parts of terms in an order in which each comes after its operands: for translations, which must not recurse, since
//! terms may be as deep as executions are long.

use rustc_hash::FxHashSet;

use super::node::{ArrayNode, ArrayTerm, Node, Term};
use super::store::Terms;

/// A part of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// A term.
    Term(Term),
    /// An array that is read.
    Array(ArrayTerm),
}

/// What the terms are made of, operands first, each part once; without what is `known` already and what only that needs.
pub fn operands_first(terms: &Terms, roots: &[Term], known: impl Fn(Part) -> bool) -> Vec<Part> {
    let mut order = Vec::new();
    let mut met: FxHashSet<Part> = FxHashSet::default();
    let roots = roots.iter().rev().map(|&t| (Part::Term(t), false));
    let mut todo: Vec<(Part, bool)> = roots.collect();
    while let Some((part, operands_done)) = todo.pop() {
        if operands_done {
            order.push(part);
            continue;
        }
        if known(part) || !met.insert(part) {
            continue;
        }
        todo.push((part, true));
        let mut need = |x: Part| todo.push((x, false));
        match part {
            Part::Term(t) => {
                let node = terms.node(t);
                if let Node::Select(a, _) = *node {
                    need(Part::Array(a));
                }
                node.for_each_operand(|x| need(Part::Term(x)));
            }
            Part::Array(a) => match *terms.array_node(a) {
                ArrayNode::Const(byte) => need(Part::Term(byte)),
                ArrayNode::Var(_) => {}
                ArrayNode::Store(rest, index, byte) => {
                    need(Part::Array(rest));
                    need(Part::Term(index));
                    need(Part::Term(byte));
                }
                ArrayNode::Ite(c, x, y) => {
                    need(Part::Term(c));
                    need(Part::Array(x));
                    need(Part::Array(y));
                }
            },
        }
    }
    order
}
