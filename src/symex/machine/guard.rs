//! Path conditions that remember how they came about.
//!
//! A guard is a conjunction, in the order in which its parts were met. Two states that meet at a join usually share a
//! long prefix and differ from one decision on: that decision alone selects between their values, and the prefix is
//! kept as it is. This keeps merged terms small. (Path conditions as King: Symbolic execution and program testing, CACM 1976, has them; the
//! order is for merging, see [`crate::symex::machine::merge`].)

use crate::expr::{Term, Terms};

/// A conjunction of conditions, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    parts: Vec<Term>,
}

/// How to tell two merged states apart.
pub struct Merge {
    /// The guard of the merged state.
    pub guard: Guard,
    /// True where the first state's values hold (given that one of the two does).
    pub selector: Term,
}

impl Guard {
    /// The guard that always holds.
    pub fn always() -> Guard {
        Guard::default()
    }

    /// The guard with one more condition; `None` if that cannot hold.
    pub fn and(&self, terms: &mut Terms, condition: Term) -> Option<Guard> {
        if terms.is_true(condition) || self.parts.contains(&condition) {
            return Some(self.clone());
        }
        if terms.is_false(condition) {
            return None;
        }
        let negated = terms.not(condition);
        if self.parts.contains(&negated) {
            return None;
        }
        let mut parts = self.parts.clone();
        parts.push(condition);
        Some(Guard { parts })
    }

    /// The guard as one term.
    pub fn term(&self, terms: &mut Terms) -> Term {
        terms.and_all(&self.parts)
    }

    /// Its parts.
    pub fn parts(&self) -> &[Term] {
        &self.parts
    }

    /// The guard of a state that is one of two (which exclude each other).
    pub fn merge(terms: &mut Terms, a: &Guard, b: &Guard) -> Merge {
        let shared = a
            .parts
            .iter()
            .zip(&b.parts)
            .take_while(|(x, y)| x == y)
            .count();
        let (ra, rb) = (&a.parts[shared..], &b.parts[shared..]);
        let mut parts = a.parts[..shared].to_vec();
        if ra.is_empty() || rb.is_empty() {
            // One implies the other: only possible if the longer one excludes itself; keep the longer one's condition.
            let (rest, flip) = if ra.is_empty() {
                (rb, true)
            } else {
                (ra, false)
            };
            let all = terms.and_all(rest);
            let selector = if flip { terms.not(all) } else { all };
            return Merge {
                guard: Guard { parts },
                selector,
            };
        }
        let not_b = terms.not(rb[0]);
        let term_a = terms.and_all(ra);
        let term_b = terms.and_all(rb);
        let selector = if ra[0] == not_b { ra[0] } else { term_a };
        let either = if ra[0] == not_b && ra.len() == 1 {
            // c ∨ (¬c ∧ y) is c ∨ y
            let y = terms.and_all(&rb[1..]);
            terms.or(ra[0], y)
        } else if ra[0] == not_b && rb.len() == 1 {
            let x = terms.and_all(&ra[1..]);
            terms.or(rb[0], x)
        } else {
            terms.or(term_a, term_b)
        };
        if !terms.is_true(either) {
            parts.push(either);
        }
        Merge {
            guard: Guard { parts },
            selector,
        }
    }
}
