//! Petri nets and coverability questions, as plain data.

use crate::index::{IdVec, define_index};

define_index!(
    /// A place of a net.
    PlaceId,
    "p"
);
define_index!(
    /// A transition of a net.
    TransitionId,
    "t"
);

/// A multiset of places: each with how many tokens, sorted by place, none with 0.
pub type Bag = Vec<(PlaceId, u32)>;

/// What a transition takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Transition {
    /// Tokens that it needs and takes.
    pub pre: Bag,
    /// Tokens that it gives.
    pub post: Bag,
    /// Places that it empties, before it gives: sorted.
    pub empties: Vec<PlaceId>,
}

/// A net with an initial marking and the markings that must not be covered.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// The places, by name.
    pub places: IdVec<PlaceId, String>,
    /// The transitions.
    pub transitions: IdVec<TransitionId, Transition>,
    /// What each transition is, for people; empty or one per transition.
    pub labels: Vec<String>,
    /// Initial tokens.
    pub initial: Bag,
    /// Places that hold any number of tokens in the beginning.
    pub unbounded: Vec<PlaceId>,
    /// The markings asked for: is one of them covered by a reachable marking?
    pub targets: Vec<Bag>,
}

impl Net {
    /// Whether every marking that is initial covers a bag: how many tokens a place has in the beginning at most.
    pub fn initially(&self, place: PlaceId) -> u32 {
        if self.unbounded.contains(&place) {
            return u32::MAX;
        }
        count(&self.initial, place)
    }
}

/// How many tokens a bag has at a place.
pub fn count(bag: &[(PlaceId, u32)], place: PlaceId) -> u32 {
    bag.binary_search_by_key(&place, |(p, _)| *p)
        .map_or(0, |n| bag[n].1)
}

/// The bag of these places, each as often as it is listed.
pub fn bag(places: impl IntoIterator<Item = PlaceId>) -> Bag {
    let mut all: Vec<PlaceId> = places.into_iter().collect();
    all.sort_unstable();
    let mut out: Bag = Vec::new();
    for p in all {
        match out.last_mut() {
            Some((q, n)) if *q == p => *n += 1,
            _ => out.push((p, 1)),
        }
    }
    out
}

/// Whether `small` is covered by `large`.
pub fn covered(small: &[(PlaceId, u32)], large: &[(PlaceId, u32)]) -> bool {
    let mut rest = large.iter();
    'next: for (p, n) in small {
        for (q, m) in rest.by_ref() {
            if q == p {
                if m < n {
                    return false;
                }
                continue 'next;
            }
            if q > p {
                return false;
            }
        }
        return false;
    }
    true
}

/// The sum of two bags.
pub fn sum(a: &[(PlaceId, u32)], b: &[(PlaceId, u32)]) -> Bag {
    let mut out = Bag::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let take_a = j >= b.len() || (i < a.len() && a[i].0 <= b[j].0);
        let take_b = i >= a.len() || (j < b.len() && b[j].0 <= a[i].0);
        let mut n = 0;
        let place = if take_a { a[i].0 } else { b[j].0 };
        if take_a {
            n += a[i].1;
            i += 1;
        }
        if take_b {
            n += b[j].1;
            j += 1;
        }
        out.push((place, n));
    }
    out
}

/// `a` without `b`, as far as it has it.
pub fn minus(a: &[(PlaceId, u32)], b: &[(PlaceId, u32)]) -> Bag {
    a.iter()
        .map(|(p, n)| (*p, n.saturating_sub(count(b, *p))))
        .filter(|(_, n)| *n > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(places: &[u32]) -> Bag {
        bag(places.iter().map(|p| PlaceId(*p)))
    }

    #[test]
    fn bags_are_multisets() {
        let two = of(&[1, 3, 3]);
        assert_eq!(two, vec![(PlaceId(1), 1), (PlaceId(3), 2)]);
        assert!(covered(&of(&[3]), &two) && covered(&of(&[1, 3, 3]), &two));
        assert!(!covered(&of(&[3, 3, 3]), &two) && !covered(&of(&[2]), &two));
        assert!(covered(&of(&[]), &two) && !covered(&of(&[4]), &two));
        assert_eq!(sum(&two, &of(&[0, 3])), of(&[0, 1, 3, 3, 3]));
        assert_eq!(minus(&two, &of(&[3, 4])), of(&[1, 3]));
    }
}
