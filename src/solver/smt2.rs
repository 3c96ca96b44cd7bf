//! Queries as SMT-LIB 2 scripts, for other solvers and for reading. Every term
//! that is no constant and no variable gets a definition of its own, operands
//! first: scripts are flat, however deep the terms are.

use std::fmt::Write;

use crate::expr::{ArrayNode, ArrayTerm, Node, Part, Support, Term, Terms, operands_first};

/// A script that asks whether all conjuncts can hold. `status` is what
/// is expected: `sat`, `unsat` or `unknown`.
pub fn script(terms: &Terms, conjuncts: &[Term], status: &str) -> String {
    let support = Support::of(terms, conjuncts);
    let logic = if support.indices.is_empty() {
        "QF_BV"
    } else {
        "QF_ABV"
    };
    let mut out = format!("(set-info :status {status})\n(set-logic {logic})\n");
    for &v in &support.vars {
        let t = terms.var_term(v);
        line(
            &mut out,
            format_args!(
                "(declare-const {} {}) ; {}",
                name(terms, t),
                sort(terms.width(t)),
                comment(terms.var_name(v)),
            ),
        );
    }
    for (&v, &a) in support.arrays.iter().zip(&support.array_terms) {
        line(
            &mut out,
            format_args!(
                "(declare-const a{} {ARRAY}) ; {}",
                a.index(),
                comment(terms.array_var_name(v)),
            ),
        );
    }
    for part in operands_first(terms, conjuncts, |_| false) {
        match part {
            Part::Term(t) => define(terms, &mut out, t),
            Part::Array(a) => define_array(terms, &mut out, a),
        }
    }
    for &c in conjuncts {
        line(&mut out, format_args!("(assert {})", name(terms, c)));
    }
    out.push_str("(check-sat)\n");
    out
}

const ARRAY: &str = "(Array (_ BitVec 64) (_ BitVec 8))";

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{text}");
}

fn comment(name: &str) -> String {
    name.replace(|c: char| c.is_control(), " ")
}

fn sort(width: u32) -> String {
    match width {
        1 => "Bool".to_owned(),
        w => format!("(_ BitVec {w})"),
    }
}

/// How a term is referred to.
fn name(terms: &Terms, t: Term) -> String {
    match (terms.as_const(t), terms.width(t)) {
        (Some(v), 1) => (v == 1).to_string(),
        (Some(v), w) if w % 4 == 0 => format!("#x{v:0n$x}", n = w as usize / 4),
        (Some(v), w) => format!("#b{v:0n$b}", n = w as usize),
        (None, _) if terms.var_of(t).is_some() => format!("x{}", t.index()),
        (None, _) => format!("t{}", t.index()),
    }
}

/// As a bit-vector, also if it is a Boolean.
fn vector(terms: &Terms, t: Term) -> String {
    match terms.width(t) {
        1 => format!("(ite {} #b1 #b0)", name(terms, t)),
        _ => name(terms, t),
    }
}

fn define(terms: &Terms, out: &mut String, t: Term) {
    let w = terms.width(t);
    let n = |x: Term| name(terms, x);
    let boolean = w == 1;
    let body = match *terms.node(t) {
        Node::Const(_) | Node::Var(_) => return,
        Node::Not(a) if boolean => format!("(not {})", n(a)),
        Node::Not(a) => format!("(bvnot {})", n(a)),
        Node::Neg(a) => format!("(bvneg {})", n(a)),
        Node::Add(a, b) => format!("(bvadd {} {})", n(a), n(b)),
        Node::Mul(a, b) => format!("(bvmul {} {})", n(a), n(b)),
        Node::Udiv(a, b) => format!("(bvudiv {} {})", n(a), n(b)),
        Node::Sdiv(a, b) => format!("(bvsdiv {} {})", n(a), n(b)),
        Node::Urem(a, b) => format!("(bvurem {} {})", n(a), n(b)),
        Node::Srem(a, b) => format!("(bvsrem {} {})", n(a), n(b)),
        Node::Shl(a, b) => format!("(bvshl {} {})", n(a), n(b)),
        Node::Lshr(a, b) => format!("(bvlshr {} {})", n(a), n(b)),
        Node::Ashr(a, b) => format!("(bvashr {} {})", n(a), n(b)),
        Node::And(a, b) if boolean => format!("(and {} {})", n(a), n(b)),
        Node::And(a, b) => format!("(bvand {} {})", n(a), n(b)),
        Node::Or(a, b) => format!("(bvor {} {})", n(a), n(b)),
        Node::Xor(a, b) => format!("(bvxor {} {})", n(a), n(b)),
        Node::Eq(a, b) => format!("(= {} {})", n(a), n(b)),
        Node::Ult(a, b) => format!("(bvult {} {})", n(a), n(b)),
        Node::Slt(a, b) => format!("(bvslt {} {})", n(a), n(b)),
        Node::Ite(c, a, b) => format!("(ite {} {} {})", n(c), n(a), n(b)),
        Node::Extract(hi, lo, a) if boolean => {
            format!("(= ((_ extract {hi} {lo}) {}) #b1)", n(a))
        }
        Node::Extract(hi, lo, a) => format!("((_ extract {hi} {lo}) {})", n(a)),
        Node::Concat(a, b) => format!("(concat {} {})", vector(terms, a), vector(terms, b)),
        Node::Zext(a) => format!("((_ zero_extend {}) {})", w - terms.width(a), n(a)),
        Node::Sext(a) => format!("((_ sign_extend {}) {})", w - terms.width(a), n(a)),
        Node::Select(a, index) => format!("(select a{} {})", a.index(), n(index)),
    };
    line(
        out,
        format_args!("(define-fun t{} () {} {body})", t.index(), sort(w)),
    );
}

fn define_array(terms: &Terms, out: &mut String, a: ArrayTerm) {
    let n = |x: Term| name(terms, x);
    let body = match *terms.array_node(a) {
        ArrayNode::Var(_) => return,
        ArrayNode::Const(byte) => format!("((as const {ARRAY}) {})", n(byte)),
        ArrayNode::Store(rest, index, byte) => {
            format!("(store a{} {} {})", rest.index(), n(index), n(byte))
        }
        ArrayNode::Ite(c, x, y) => format!("(ite {} a{} a{})", n(c), x.index(), y.index()),
    };
    line(
        out,
        format_args!("(define-fun a{} () {ARRAY} {body})", a.index()),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_script() {
        let mut t = Terms::new();
        let (x, c) = (t.fresh(8, "x"), t.fresh(1, "c\n"));
        let (three, five) = (t.constant(8, 3), t.constant(6, 5));
        let sum = t.add(x, three);
        let low = t.extract(5, 0, sum);
        let is = t.eq(low, five);
        let both = t.and(is, c);
        let text = script(&t, &[both], "sat");
        let expected = "\
(set-info :status sat)
(set-logic QF_BV)
(declare-const x2 (_ BitVec 8)) ; x
(declare-const x3 Bool) ; c 
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("(bvadd x2 #x03)"), "{text}");
        assert!(text.contains("#b000101"), "{text}");
        assert!(text.ends_with("(check-sat)\n"), "{text}");
    }
}
