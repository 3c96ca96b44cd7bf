//! Sets of addresses.

use super::address::AddressId;
use crate::index::Idx;

/// A set of addresses: words of sixty-four each, sorted, those without any left out. What goes through memory together is interned
/// together, so most words are well filled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    // invariant: sorted by their number, no bits of any are 0
    words: Vec<(u32, u64)>,
}

/// The word and the bit of an address.
fn place(id: AddressId) -> (u32, u64) {
    let n = id.index();
    (u32::try_from(n / 64).unwrap_or(u32::MAX), 1 << (n % 64))
}

impl Set {
    /// How many there are.
    pub fn len(&self) -> usize {
        let bits = self
            .words
            .iter()
            .map(|(_, bits)| bits.count_ones() as usize);
        bits.sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn contains(&self, id: AddressId) -> bool {
        let (word, bit) = place(id);
        let at = self.words.binary_search_by_key(&word, |(n, _)| *n);
        at.is_ok_and(|at| self.words[at].1 & bit != 0)
    }

    /// Adds one.
    pub fn insert(&mut self, id: AddressId) {
        let (word, bit) = place(id);
        match self.words.binary_search_by_key(&word, |(n, _)| *n) {
            Ok(at) => self.words[at].1 |= bit,
            Err(at) => self.words.insert(at, (word, bit)),
        }
    }

    /// All, sorted.
    pub fn iter(&self) -> impl Iterator<Item = AddressId> + '_ {
        self.words.iter().flat_map(|(word, bits)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(AddressId::new(*word as usize * 64 + bit as usize))
            })
        })
    }

    /// Adds all of another set, and gives back those that are new.
    pub fn extend(&mut self, more: &Set) -> Set {
        let new = more.without(self);
        self.join(&new);
        new
    }

    /// Adds all of another set.
    pub fn join(&mut self, more: &Set) {
        if self.words.is_empty() {
            self.words.clone_from(&more.words);
            return;
        }
        // A few are put in, many are gone through together.
        if more.words.len() * 16 < self.words.len() {
            for &(word, bits) in &more.words {
                match self.words.binary_search_by_key(&word, |(n, _)| *n) {
                    Ok(at) => self.words[at].1 |= bits,
                    Err(at) => self.words.insert(at, (word, bits)),
                }
            }
            return;
        }
        let mut all = Vec::with_capacity(self.words.len() + more.words.len());
        let (mut own, mut others) = (&self.words[..], &more.words[..]);
        while let (Some(&(x, a)), Some(&(y, b))) = (own.first(), others.first()) {
            all.push(match x.cmp(&y) {
                std::cmp::Ordering::Less => (x, a),
                std::cmp::Ordering::Greater => (y, b),
                std::cmp::Ordering::Equal => (x, a | b),
            });
            own = &own[usize::from(x <= y)..];
            others = &others[usize::from(y <= x)..];
        }
        all.extend_from_slice(own);
        all.extend_from_slice(others);
        self.words = all;
    }

    /// Those that are not in another set.
    pub fn without(&self, other: &Set) -> Set {
        self.each(other, |own, other| own & !other)
    }

    /// Those that are in another set, too.
    pub fn within(&self, other: &Set) -> Set {
        self.each(other, |own, other| own & other)
    }

    /// The words of both, put together.
    fn each(&self, other: &Set, both: impl Fn(u64, u64) -> u64) -> Set {
        let few = self.words.len() * 16 < other.words.len();
        let mut rest = &other.words[..];
        let words = self.words.iter().filter_map(|&(word, bits)| {
            let skipped = match few {
                true => rest.partition_point(|(n, _)| *n < word),
                false => rest.iter().take_while(|(n, _)| *n < word).count(),
            };
            rest = &rest[skipped..];
            let there = rest.first().filter(|(n, _)| *n == word);
            let left = both(bits, there.map_or(0, |(_, bits)| *bits));
            (left != 0).then_some((word, left))
        });
        Set {
            words: words.collect(),
        }
    }
}

impl FromIterator<AddressId> for Set {
    fn from_iter<I: IntoIterator<Item = AddressId>>(all: I) -> Set {
        let mut words: Vec<(u32, u64)> = all.into_iter().map(place).collect();
        words.sort_unstable();
        words.dedup_by(|more, kept| {
            let same = more.0 == kept.0;
            if same {
                kept.1 |= more.1;
            }
            same
        });
        Set { words }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn numbers(seed: u64, n: usize) -> BTreeSet<usize> {
        let mut x = seed;
        let next = |_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 33) as usize % 700
        };
        (0..n).map(next).collect()
    }

    fn set(all: &BTreeSet<usize>) -> Set {
        all.iter().map(|n| AddressId::new(*n)).collect()
    }

    fn back(set: &Set) -> BTreeSet<usize> {
        set.iter().map(Idx::index).collect()
    }

    #[test]
    fn they_are_as_sets_of_numbers_are() {
        for seed in 0..60 {
            let (n, m) = (seed as usize * 7 % 90, seed as usize * 13 % 300);
            let (x, y) = (numbers(seed, n), numbers(seed + 100, m));
            let (a, b) = (set(&x), set(&y));
            assert_eq!(back(&a), x);
            assert_eq!(a.len(), x.len());
            assert_eq!(back(&a.without(&b)), &x - &y);
            assert_eq!(back(&a.within(&b)), &x & &y);
            let mut all = a.clone();
            assert_eq!(back(&all.extend(&b)), &y - &x);
            assert_eq!(back(&all), &x | &y);
            let mut one_by_one = a;
            y.iter().for_each(|n| one_by_one.insert(AddressId::new(*n)));
            assert_eq!(one_by_one, all);
            assert!((0..700).all(|n| all.contains(AddressId::new(n)) == back(&all).contains(&n)));
        }
    }
}
