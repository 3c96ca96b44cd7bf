//! Smaller nets with the same answer: what does not matter for the targets goes before the search.
//!
//! Structural reductions (Berthelot: Transformations and decompositions of nets, 1986), those that keep coverability of the targets in
//! both directions. A place is *asked for* if a target has it.
//!
//! - *Dead* transitions: the pair invariant says that they never fire; places that are never marked go with them.
//! - *Useless* places: no transition and no target needs their tokens.
//! - *Idle* transitions: they take what they give and perhaps more, so that what they lead to is covered already. Of two transitions
//!   one may do what the other does for fewer tokens.
//! - *Series*: a place that is not asked for, is not marked in the beginning, and that some transitions fill with one token: if it is emptied
//!   only by transitions that take that one token alone, each way in goes on with each way out in one step (to stay there is of no use).
//!
//! A firing sequence of the smaller net is one of the net before: each transition knows what it stands for ([`Reduced::steps`]).

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{IdVec, Idx};

use super::net::{Bag, Net, PlaceId, Transition, TransitionId, count, covered, minus, sum};
use super::pairs::Pairs;

/// A series is made of a place only if that makes no more transitions than so many beyond those that go.
const GROWTH: usize = 4;

/// A smaller net.
pub struct Reduced {
    pub net: Net,
    /// What each transition stands for in the net before, in order.
    pub steps: IdVec<TransitionId, Vec<TransitionId>>,
}

/// The net without what the pair invariant excludes, if it is given, and smaller where that changes no answer.
pub fn reduce(net: &Net, pairs: Option<&Pairs>) -> Reduced {
    let mut work = Work::new(net, pairs);
    loop {
        let before = work.live.len();
        work.useless();
        work.idle();
        let merged = work.series();
        if work.live.len() == before && !merged {
            break;
        }
    }
    work.finish(net)
}

struct Work {
    /// Transitions that are left, with what they stand for.
    live: Vec<(Transition, Vec<TransitionId>)>,
    /// Places that are asked for.
    asked: FixedBitSet,
    /// Places that are marked in the beginning.
    marked: FixedBitSet,
    targets: Vec<Bag>,
    places: usize,
}

impl Work {
    fn new(net: &Net, pairs: Option<&Pairs>) -> Work {
        let places = net.places.len();
        let targets: Vec<Bag> = net
            .targets
            .iter()
            .filter(|t| pairs.is_none_or(|p| p.possible(t)))
            .cloned()
            .collect();
        let mut asked = FixedBitSet::with_capacity(places);
        asked.extend(targets.iter().flatten().map(|(p, _)| p.index()));
        let mut marked = FixedBitSet::with_capacity(places);
        marked.extend(net.initial.iter().map(|(p, _)| p.index()));
        marked.extend(net.unbounded.iter().map(|p| p.index()));
        let live = net
            .transitions
            .iter_ids()
            .filter(|(_, t)| pairs.is_none_or(|p| p.fires(t)))
            .map(|(id, t)| (t.clone(), vec![id]))
            .collect();
        Work {
            live,
            asked,
            marked,
            targets,
            places,
        }
    }

    /// Tokens that nobody needs are not given.
    fn useless(&mut self) {
        loop {
            let mut needed = self.asked.clone();
            for (t, _) in &self.live {
                needed.extend(t.pre.iter().map(|(p, _)| p.index()));
            }
            for (t, _) in &mut self.live {
                t.post.retain(|(p, _)| needed.contains(p.index()));
            }
            let before = self.live.len();
            self.live.retain(|(t, _)| !covered(&t.post, &t.pre));
            if self.live.len() == before {
                return;
            }
        }
    }

    /// Transitions of which another does as much for as little.
    fn idle(&mut self) {
        let mut by_effect: FxHashMap<Bag, Vec<usize>> = FxHashMap::default();
        let mut gone = FixedBitSet::with_capacity(self.live.len());
        for (n, (t, _)) in self.live.iter().enumerate() {
            let same = by_effect.entry(minus(&t.post, &t.pre)).or_default();
            // The other needs no more than this one, and leaves no less.
            let less = |m: &usize| {
                let other = &self.live[*m].0;
                covered(&other.pre, &t.pre)
                    && other.empties.iter().all(|p| t.empties.contains(p))
                    && covered(&t.post, &sum(&minus(&t.pre, &other.pre), &other.post))
            };
            if same.iter().any(less) {
                gone.insert(n);
            } else {
                same.push(n);
            }
        }
        let mut n = 0;
        self.live.retain(|_| {
            n += 1;
            !gone.contains(n - 1)
        });
    }

    /// Joins what comes before a place with what comes after it.
    fn series(&mut self) -> bool {
        let mut filling: Vec<Vec<usize>> = vec![Vec::new(); self.places];
        let mut emptying: Vec<Vec<usize>> = vec![Vec::new(); self.places];
        for (n, (t, _)) in self.live.iter().enumerate() {
            for (p, _) in &t.pre {
                emptying[p.index()].push(n);
            }
            for (p, _) in &t.post {
                filling[p.index()].push(n);
            }
        }
        let mut touched: FxHashSet<usize> = FxHashSet::default();
        let mut gone = FixedBitSet::with_capacity(self.live.len());
        let mut new = Vec::new();
        let mut emptied = FixedBitSet::with_capacity(self.places);
        let all = self.live.iter().flat_map(|(t, _)| &t.empties);
        emptied.extend(all.map(|p| p.index()));
        for p in 0..self.places {
            let (before, after) = (&filling[p], &emptying[p]);
            let kept = self.asked.contains(p) || self.marked.contains(p) || emptied.contains(p);
            if kept || after.is_empty() {
                continue;
            }
            let place = PlaceId::new(p);
            let alone = |n: &usize| self.live[*n].0.pre == [(place, 1)];
            let one = |n: &usize| count(&self.live[*n].0.post, place) == 1;
            let again = |n: &usize| count(&self.live[*n].0.post, place) > 0;
            let free = |n: &usize| !touched.contains(n) && self.live[*n].0.empties.is_empty();
            let fits = before.len() * after.len() <= before.len() + after.len() + GROWTH
                && after.iter().all(|n| alone(n) && !again(n) && free(n))
                && before.iter().all(|n| one(n) && free(n));
            if !fits {
                continue;
            }
            touched.extend(before.iter().chain(after));
            gone.extend(before.iter().chain(after).copied());
            for b in before {
                let (first, first_steps) = &self.live[*b];
                let rest = minus(&first.post, &[(place, 1)]);
                for a in after {
                    let (second, second_steps) = &self.live[*a];
                    let joined = Transition {
                        pre: first.pre.clone(),
                        post: sum(&rest, &second.post),
                        empties: Vec::new(),
                    };
                    let steps = first_steps.iter().chain(second_steps).copied().collect();
                    new.push((joined, steps));
                }
            }
        }
        let merged = !gone.is_clear();
        let mut n = 0;
        self.live.retain(|_| {
            n += 1;
            !gone.contains(n - 1)
        });
        self.live.extend(new);
        merged
    }

    /// The net of the places that are left.
    fn finish(self, net: &Net) -> Reduced {
        let mut used = self.asked.clone();
        for (t, _) in &self.live {
            used.extend(t.pre.iter().chain(&t.post).map(|(p, _)| p.index()));
        }
        let mut out = Net::default();
        let mut renamed: FxHashMap<PlaceId, PlaceId> = FxHashMap::default();
        for p in used.ones() {
            let old = PlaceId::new(p);
            renamed.insert(old, out.places.push(net.places[old].clone()));
        }
        let rename = |bag: &Bag| -> Bag {
            let kept = bag.iter();
            kept.filter_map(|(p, n)| Some((*renamed.get(p)?, *n)))
                .collect()
        };
        let mut steps = IdVec::new();
        for (t, of) in &self.live {
            out.transitions.push(Transition {
                pre: rename(&t.pre),
                post: rename(&t.post),
                empties: t
                    .empties
                    .iter()
                    .filter_map(|p| renamed.get(p).copied())
                    .collect(),
            });
            let first = of.first().and_then(|t| net.labels.get(t.index()));
            out.labels.extend(first.cloned());
            steps.push(of.clone());
        }
        out.initial = rename(&net.initial);
        out.unbounded = net
            .unbounded
            .iter()
            .filter_map(|p| renamed.get(p).copied())
            .collect();
        out.targets = self.targets.iter().map(rename).collect();
        Reduced { net: out, steps }
    }
}
