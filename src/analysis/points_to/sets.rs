//! Sorted lists as sets.

use super::address::AddressId;

/// The elements of `a` that are not in `b`; both sorted.
pub(super) fn difference(a: &[AddressId], b: &[AddressId]) -> Vec<AddressId> {
    if a.len() * 16 < b.len() {
        return a
            .iter()
            .copied()
            .filter(|x| b.binary_search(x).is_err())
            .collect();
    }
    let mut out = Vec::new();
    let mut rest = b.iter().peekable();
    for &x in a {
        while rest.peek().is_some_and(|y| **y < x) {
            rest.next();
        }
        if rest.peek() != Some(&&x) {
            out.push(x);
        }
    }
    out
}

/// The union of two sorted lists.
pub(super) fn merge(a: &[AddressId], b: &[AddressId]) -> Vec<AddressId> {
    if a.is_empty() {
        return b.to_vec();
    }
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                out.push(a[i]);
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// The union of sorted lists.
pub(super) fn union<'a>(all: impl Iterator<Item = &'a [AddressId]>) -> Vec<AddressId> {
    let mut out: Vec<AddressId> = all.flatten().copied().collect();
    // Sorted runs, which this sort merges.
    out.sort();
    out.dedup();
    out
}
