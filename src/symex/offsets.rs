//! The values that a symbolic offset can have, read off its term.

use super::exec::Executor;
use super::objects::ObjectId;
use crate::expr::{Node, Term};

/// A symbolic offset with at most this many possible values is treated value by value; with more, the object becomes
/// one array.
const MAX_OFFSETS: u64 = 64;

impl Executor<'_> {
    /// The values that an offset can have, if they are few: leaves of its term, or multiples of its stride in the object.
    pub(super) fn possible_offsets(
        &mut self,
        object: ObjectId,
        offset: Term,
        bytes: u32,
    ) -> Option<Vec<u64>> {
        let mut leaves = Vec::new();
        if self.constant_leaves(offset, &mut leaves, 0) {
            leaves.sort_unstable();
            leaves.dedup();
            let size = self.objects.get(object).size;
            leaves.retain(|o| {
                size.is_none_or(|s| o.checked_add(u64::from(bytes)).is_some_and(|e| e <= s))
            });
            return Some(leaves);
        }
        let size = self.objects.get(object).size?;
        let (stride, rest) = self.stride(offset, 0)?;
        if stride == 0 || size / stride > MAX_OFFSETS {
            return None;
        }
        let first = rest % stride;
        Some(
            (0..)
                .map(|i| first + i * stride)
                .take_while(|o| o + u64::from(bytes) <= size)
                .collect(),
        )
    }

    fn constant_leaves(&self, t: Term, out: &mut Vec<u64>, depth: u32) -> bool {
        if out.len() as u64 > MAX_OFFSETS || depth > 100 {
            return false;
        }
        if let Some(c) = self.terms.as_const(t) {
            out.push(c as u64);
            return true;
        }
        match *self.terms.node(t) {
            Node::Ite(_, a, b) => {
                self.constant_leaves(a, out, depth + 1) && self.constant_leaves(b, out, depth + 1)
            }
            _ => false,
        }
    }

    /// `(s, r)` with the term's value ≡ r modulo s, read off its shape.
    fn stride(&self, t: Term, depth: u32) -> Option<(u64, u64)> {
        if depth > 20 {
            return None;
        }
        if let Some(c) = self.terms.as_const(t) {
            return Some((0, c as u64));
        }
        match *self.terms.node(t) {
            Node::Add(a, b) => {
                let (sa, ra) = self.stride(a, depth + 1)?;
                let (sb, rb) = self.stride(b, depth + 1)?;
                Some((gcd(sa, sb), ra.wrapping_add(rb)))
            }
            Node::Mul(_, b) => self.terms.as_const(b).map(|c| (c as u64, 0)),
            Node::Shl(_, b) => self
                .terms
                .as_const(b)
                .filter(|c| *c < 32)
                .map(|c| (1u64 << c, 0)),
            Node::Zext(a) | Node::Sext(a) => self.stride(a, depth + 1),
            Node::Concat(_, low) => match self.terms.as_const(low) {
                Some(0) => Some((1u64 << self.terms.width(low).min(32), 0)),
                _ => Some((1, 0)),
            },
            _ => Some((1, 0)),
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
