//! Addresses put together from bytes of which some are choices: the choice is one of whole addresses.

use crate::expr::{Node, Term, Terms};

/// Conditions that the bytes of one address choose by.
const MAX_CONDITIONS: usize = 8;

/// If bytes of the term are choices: a condition of one, and the term where it holds and where it does not.
pub fn lift(terms: &mut Terms, t: Term) -> Option<(Term, Term, Term)> {
    let mut conditions = Vec::new();
    gather(terms, t, &mut conditions);
    let condition = *conditions.first()?;
    if conditions.len() > MAX_CONDITIONS {
        return None;
    }
    let yes = assume(terms, t, condition, true);
    let no = assume(terms, t, condition, false);
    Some((condition, yes, no))
}

fn gather(terms: &Terms, t: Term, conditions: &mut Vec<Term>) {
    match *terms.node(t) {
        Node::Concat(a, b) => {
            gather(terms, a, conditions);
            gather(terms, b, conditions);
        }
        Node::Zext(a) | Node::Extract(_, _, a) => gather(terms, a, conditions),
        Node::Ite(c, ..) if !conditions.contains(&c) => conditions.push(c),
        _ => {}
    }
}

fn assume(terms: &mut Terms, t: Term, condition: Term, holds: bool) -> Term {
    match *terms.node(t) {
        Node::Concat(a, b) => {
            let a = assume(terms, a, condition, holds);
            let b = assume(terms, b, condition, holds);
            terms.concat(a, b)
        }
        Node::Zext(a) => {
            let width = terms.width(t);
            let a = assume(terms, a, condition, holds);
            terms.zext(width, a)
        }
        Node::Extract(high, low, a) => {
            let a = assume(terms, a, condition, holds);
            terms.extract(high, low, a)
        }
        Node::Ite(c, a, b) if c == condition => {
            let side = if holds { a } else { b };
            assume(terms, side, condition, holds)
        }
        _ => t,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_bytes_is_one_of_addresses() {
        let mut t = Terms::new();
        let (c, x) = (t.fresh(1, "c"), t.fresh(16, "x"));
        let (high, low, zero) = (t.extract(15, 8, x), t.extract(7, 0, x), t.constant(8, 0));
        let (a, b) = (t.ite(c, high, zero), t.ite(c, low, zero));
        let both = t.concat(a, b);
        if let Some((condition, yes, no)) = lift(&mut t, both) {
            assert_eq!((condition, yes), (c, x));
            assert_eq!(t.as_const(no), Some(0));
        } else {
            assert!(matches!(t.node(both), Node::Ite(..)));
        }
        assert!(lift(&mut t, x).is_none());
    }
}
