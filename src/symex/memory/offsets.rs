//! The values that a symbolic offset can have, read off its term.

use rustc_hash::FxHashMap;

use crate::expr::{Node, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::memory::objects::ObjectId;

/// A symbolic offset with at most this many possible values is treated value by value; with more, the object becomes
/// one array.
const MAX_OFFSETS: u64 = 64;

/// Elements of an array whose length is not known, that are told apart where each has a lock or other state of its own.
const FIRST_ELEMENTS: u64 = 4;

impl Executor<'_> {
    /// The values that an offset can have, if they are few: leaves of its term, or multiples of its stride in the object.
    pub(in crate::symex) fn possible_offsets(
        &mut self,
        object: ObjectId,
        offset: Term,
        bytes: u32,
    ) -> Option<Vec<u64>> {
        let mut leaves = Vec::new();
        if self.terms.constant_leaves(offset, &mut leaves, 0) {
            leaves.sort_unstable();
            leaves.dedup();
            let size = self.objects.get(object).size;
            leaves.retain(|o| {
                size.is_none_or(|s| o.checked_add(u64::from(bytes)).is_some_and(|e| e <= s))
            });
            return Some(leaves);
        }
        let size = self.objects.get(object).size;
        let (stride, rest) = self.terms.stride_of(offset)?;
        if stride == 0 {
            return None;
        }
        let (mut first, mut end) = (remainder(rest, stride), size?);
        if end / stride > MAX_OFFSETS {
            // Too many in the object, but the index may be masked or a remainder.
            let (low, high) = self.terms.range(offset)?;
            let (low, high) = (u64::try_from(low).ok()?, u64::try_from(high).ok()?);
            if high.checked_sub(low)? / stride >= MAX_OFFSETS {
                return None;
            }
            end = end.min(high.checked_add(u64::from(bytes))?);
            first = low.checked_add((first + stride - low % stride) % stride)?;
        }
        Some(
            (0..)
                .map(|i| first + i * stride)
                .take_while(|o| o + u64::from(bytes) <= end)
                .collect(),
        )
    }
}

/// The least and the greatest of some values.
type Range = (u128, u128);

/// Those of terms at their depth below another.
type Ranges = FxHashMap<(Term, u32), Option<Range>>;

/// Strides of terms at their depth below another, and what is left.
type Strides = FxHashMap<(Term, u32), Option<(u64, i64)>>;

pub(in crate::symex) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub(in crate::symex) fn remainder(n: i64, stride: u64) -> u64 {
    i128::from(n).rem_euclid(i128::from(stride)) as u64
}

impl Terms {
    /// Of the offsets that an index with a stride gives, those of the first elements.
    pub(in crate::symex) fn first_elements(&self, offset: Term) -> Option<Vec<u64>> {
        let (stride, rest) = self.stride_of(offset)?;
        // A stride that is no more than a lock has tells nothing.
        if stride < 4 {
            return None;
        }
        let first = remainder(rest, stride);
        Some((0..FIRST_ELEMENTS).map(|i| first + i * stride).collect())
    }

    /// The least and the greatest value that a term can have, read off its shape; the sum of two may not overflow.
    pub(in crate::symex) fn range(&self, t: Term) -> Option<Range> {
        self.range_at(t, 0, &mut Ranges::default())
    }

    /// The same, so far below the term at hand. What terms share is looked at once for each depth.
    fn range_at(&self, t: Term, depth: u32, known: &mut Ranges) -> Option<Range> {
        let bits = self.width(t);
        if depth > 40 || bits > 64 {
            return None;
        }
        if let Some(c) = self.as_const(t) {
            return Some((c, c));
        }
        if !matches!(*self.node(t), Node::Ite(..) | Node::Add(..)) {
            return self.range_by_shape(t, depth, known);
        }
        match known.get(&(t, depth)) {
            Some(range) => *range,
            None => {
                let range = self.range_by_shape(t, depth, known);
                known.insert((t, depth), range);
                range
            }
        }
    }

    fn range_by_shape(&self, t: Term, depth: u32, known: &mut Ranges) -> Option<Range> {
        let bits = self.width(t);
        let all = (0, (1u128 << bits) - 1);
        let mut of = |a: Term| self.range_at(a, depth + 1, known);
        let constant = |b: Term| self.as_const(b);
        let fits = |(low, high): Range| (high <= all.1).then_some((low, high));
        match *self.node(t) {
            Node::Ite(_, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Node::Zext(a) => of(a).or_else(|| Some((0, (1u128 << self.width(a)) - 1))),
            Node::Sext(a) => of(a).filter(|(_, high)| *high < 1 << (self.width(a) - 1)),
            Node::Concat(a, b) if constant(a) == Some(0) => {
                of(b).or_else(|| Some((0, (1u128 << self.width(b)) - 1)))
            }
            Node::Extract(_, 0, a) => of(a).and_then(fits).or(Some(all)),
            Node::And(_, b) => constant(b).map(|c| (0, c)),
            Node::Urem(_, b) => constant(b).filter(|c| *c > 0).map(|c| (0, c - 1)),
            Node::Mul(a, b) => {
                let (c, (low, high)) = (constant(b)?, of(a)?);
                fits((low.checked_mul(c)?, high.checked_mul(c)?))
            }
            Node::Shl(a, b) => {
                let (c, (low, high)) = (constant(b).filter(|c| *c < 64)?, of(a)?);
                fits((low << c, high << c))
            }
            Node::Add(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                fits((a.0 + b.0, a.1 + b.1))
            }
            _ if bits <= 8 => Some(all),
            _ => None,
        }
    }

    fn constant_leaves(&self, t: Term, out: &mut Vec<u64>, depth: u32) -> bool {
        if out.len() as u64 > MAX_OFFSETS || depth > 100 {
            return false;
        }
        if let Some(c) = self.as_const(t) {
            out.push(c as u64);
            return true;
        }
        match *self.node(t) {
            Node::Ite(_, a, b) => {
                self.constant_leaves(a, out, depth + 1) && self.constant_leaves(b, out, depth + 1)
            }
            _ => false,
        }
    }

    /// `(s, r)` with the term's value ≡ r modulo s, read off its shape; s = 0: it is r.
    pub(in crate::symex) fn stride_of(&self, t: Term) -> Option<(u64, i64)> {
        self.stride_at(t, 0, &mut Strides::default())
    }

    /// The same, so far below the term at hand. What terms share is looked at once for each depth.
    fn stride_at(&self, t: Term, depth: u32, known: &mut Strides) -> Option<(u64, i64)> {
        if depth > 20 {
            return None;
        }
        if let Some(c) = self.as_const(t) {
            // Counted down from an index, it is negative.
            let unused = 64u32.saturating_sub(self.width(t));
            return Some((0, ((c as u64) << unused) as i64 >> unused));
        }
        match *self.node(t) {
            Node::Add(a, b) => {
                if let Some(stride) = known.get(&(t, depth)) {
                    return *stride;
                }
                let mut of = |a: Term| self.stride_at(a, depth + 1, known);
                let both = of(a).and_then(|a| of(b).map(|b| (a, b)));
                let stride = both.map(|((sa, ra), (sb, rb))| (gcd(sa, sb), ra.wrapping_add(rb)));
                known.insert((t, depth), stride);
                stride
            }
            Node::Mul(_, b) => self.as_const(b).map(|c| (c as u64, 0)),
            Node::Shl(_, b) => self.as_const(b).filter(|c| *c < 32).map(|c| (1u64 << c, 0)),
            Node::Zext(a) | Node::Sext(a) => self.stride_at(a, depth + 1, known),
            Node::Concat(_, low) => match self.as_const(low) {
                Some(0) => Some((1u64 << self.width(low).min(32), 0)),
                _ => Some((1, 0)),
            },
            _ => Some((1, 0)),
        }
    }
}
