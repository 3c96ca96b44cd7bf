//! Backward reachability over minimal markings: is a target covered by a reachable marking?
//!
//! Abdulla, Haziza, Kindahl: Model Checking Race-Freeness, §5, figure 4. A marking stands for all that cover it; the markings from
//! which a target can be covered are found backward, smallest ones only. Deviations:
//!
//! - markings that a forward invariant excludes ([`Pairs`]) are dropped: nothing reachable covers them, so no reachable run to a
//!   target goes through what they stand for;
//! - which markings are covered by a new one, and whether one covers an old one, is looked up by place ([`Antichain`]), not by
//!   a walk over all;
//! - markings that seem near to the initial one come first ([`costs`]), so that a way from there is met early;
//! - the search ends without an answer when it has met `limit` markings.

use std::collections::{BTreeSet, VecDeque};

use crate::deadline;
use crate::faults::{NetFault, seeded};
use crate::index::{IdVec, Idx};

use super::Settings;
use super::net::{Bag, Net, PlaceId, TransitionId, covered, minus, sum};
use super::pairs::Pairs;

/// What the search did. The first three are the columns of the paper's table 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Minimal markings kept at the end.
    pub kept: u64,
    /// Markings dropped because a smaller one was known, or later met.
    pub subsumed: u64,
    /// The longest way from a marking met to a target, in steps.
    pub rounds: u64,
    /// Markings that an invariant excludes.
    pub pruned: u64,
    /// Markings met in all.
    pub met: u64,
    /// Transitions of the net.
    pub transitions: u64,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No reachable marking covers a target.
    Safe,
    /// The transitions that cover a target, in order, from the initial marking.
    Covered(Vec<TransitionId>),
    /// The search met too many markings, or had no time.
    Unknown(String),
}

/// The transition that leads towards a target, and the node that it leads to.
type Next = Option<(TransitionId, usize)>;

struct Node {
    marking: Bag,
    next: Next,
    round: u64,
    alive: bool,
}

/// Searches from the targets of the net.
pub fn search(net: &Net, invariant: Option<&Pairs>, settings: &Settings) -> (Answer, Counts) {
    let limit = settings.markings;
    let mut counts = Counts {
        transitions: net.transitions.len() as u64,
        ..Counts::default()
    };
    let mut giving: IdVec<PlaceId, Vec<TransitionId>> = IdVec::filled(Vec::new(), net.places.len());
    for (id, t) in net.transitions.iter_ids() {
        if invariant.is_some_and(|i| !i.fires(t)) {
            continue;
        }
        for (p, n) in &t.post {
            // What only gives back what it takes leads to nothing smaller.
            if super::net::count(&t.pre, *p) < *n {
                giving[*p].push(id);
            }
        }
    }
    let costs = costs(net);
    let mut nodes: Vec<Node> = Vec::new();
    let mut known = Antichain::new(net.places.len());
    let mut work: BTreeSet<(u64, usize)> = BTreeSet::new();
    let mut targets = net.targets.clone();
    targets.sort();
    targets.dedup();
    let mut fresh: Vec<(Bag, Next, u64)> = targets.into_iter().map(|t| (t, None, 0)).collect();
    loop {
        for (marking, next, round) in fresh.drain(..) {
            counts.met += 1;
            if counts.met > limit {
                let why = format!("more than {limit} markings");
                return (Answer::Unknown(why), counts);
            }
            if invariant.is_some_and(|i| !i.possible(&marking)) {
                counts.pruned += 1;
                continue;
            }
            let larger =
                seeded(NetFault::SubsumedByLarger) && !known.above(&marking, &nodes).is_empty();
            if larger || known.has_below(&marking, &nodes) {
                counts.subsumed += 1;
                continue;
            }
            let missing: u64 = marking
                .iter()
                .map(|(p, n)| u64::from(n.saturating_sub(net.initially(*p))))
                .sum();
            for old in known.above(&marking, &nodes) {
                nodes[old].alive = false;
                counts.subsumed += 1;
                counts.kept -= 1;
            }
            let id = nodes.len();
            known.add(id, &marking);
            counts.kept += 1;
            counts.rounds = counts.rounds.max(round);
            nodes.push(Node {
                marking,
                next,
                round,
                alive: true,
            });
            if missing == 0 {
                return (Answer::Covered(path(&nodes, id)), counts);
            }
            let far: u64 = nodes[id]
                .marking
                .iter()
                .map(|(p, n)| costs[*p].saturating_mul(u64::from(*n)))
                .fold(missing, u64::saturating_add);
            work.insert((far, id));
        }
        let Some((_, id)) = work.pop_first() else {
            return (Answer::Safe, counts);
        };
        if !nodes[id].alive {
            continue;
        }
        if id % 64 == 0 {
            deadline::worked(64);
            if let Some(stopped) = settings.deadline.passed() {
                return (Answer::Unknown(stopped.to_string()), counts);
            }
        }
        let (marking, round) = (nodes[id].marking.clone(), nodes[id].round + 1);
        let mut by: Vec<TransitionId> = marking
            .iter()
            .flat_map(|(p, _)| giving[*p].iter().copied())
            .collect();
        by.sort_unstable();
        by.dedup();
        for t in by {
            let transition = &net.transitions[t];
            let rest = minus(&marking, &transition.post);
            // What it empties holds what it gives.
            let held = |(p, _): &(PlaceId, u32)| transition.empties.binary_search(p).is_ok();
            if rest.iter().any(held) {
                continue;
            }
            if seeded(NetFault::GivesEverything) && !rest.is_empty() {
                continue;
            }
            let before = sum(&rest, &transition.pre);
            fresh.push((before, Some((t, id)), round));
        }
    }
}

/// How many steps it takes at least to mark each place, if transitions took nothing (h-add of planning: Bonet, Geffner, 2001).
fn costs(net: &Net) -> IdVec<PlaceId, u64> {
    let far = u64::MAX >> 16;
    let mut costs = IdVec::filled(far, net.places.len());
    let mut taking: IdVec<PlaceId, Vec<TransitionId>> = IdVec::filled(Vec::new(), net.places.len());
    let mut work: VecDeque<TransitionId> = net.transitions.ids().collect();
    for p in net
        .initial
        .iter()
        .map(|(p, _)| p)
        .chain(net.unbounded.iter())
    {
        costs[*p] = 0;
    }
    for (id, t) in net.transitions.iter_ids() {
        for (p, _) in &t.pre {
            taking[*p].push(id);
        }
    }
    while let Some(id) = work.pop_front() {
        let t = &net.transitions[id];
        let pre = t.pre.iter().map(|(p, _)| costs[*p]);
        let cost = pre.fold(1, u64::saturating_add).min(far);
        for (p, _) in &t.post {
            if cost < costs[*p] {
                costs[*p] = cost;
                work.extend(&taking[*p]);
            }
        }
    }
    costs
}

/// The transitions from a node to a target.
fn path(nodes: &[Node], from: usize) -> Vec<TransitionId> {
    let mut out = Vec::new();
    let mut at = from;
    while let Some((t, next)) = nodes[at].next {
        out.push(t);
        at = next;
    }
    out
}

/// The minimal markings, by place.
struct Antichain {
    /// Nodes whose marking has tokens there.
    holding: IdVec<PlaceId, Vec<usize>>,
    /// Nodes whose first place it is: a smaller marking's places are all among a larger one's.
    first: IdVec<PlaceId, Vec<usize>>,
}

impl Antichain {
    fn new(places: usize) -> Antichain {
        Antichain {
            holding: IdVec::filled(Vec::new(), places),
            first: IdVec::filled(Vec::new(), places),
        }
    }

    fn add(&mut self, id: usize, marking: &Bag) {
        for (p, _) in marking {
            self.holding[*p].push(id);
        }
        // The rarest place sorts the markings out best.
        let rarest = marking
            .iter()
            .map(|(p, _)| *p)
            .min_by_key(|p| (self.first[*p].len(), p.index()));
        if let Some(p) = rarest {
            self.first[p].push(id);
        }
    }

    /// Whether a known marking is covered by this one.
    fn has_below(&mut self, marking: &Bag, nodes: &[Node]) -> bool {
        for (p, _) in marking {
            self.first[*p].retain(|id| nodes[*id].alive);
            let below = |id: &usize| covered(&nodes[*id].marking, marking);
            if self.first[*p].iter().any(below) {
                return true;
            }
        }
        false
    }

    /// The known markings that cover this one.
    fn above(&mut self, marking: &Bag, nodes: &[Node]) -> Vec<usize> {
        let rarest = marking
            .iter()
            .map(|(p, _)| *p)
            .min_by_key(|p| self.holding[*p].len());
        let Some(p) = rarest else { return Vec::new() };
        self.holding[p].retain(|id| nodes[*id].alive);
        self.holding[p]
            .iter()
            .copied()
            .filter(|id| covered(marking, &nodes[*id].marking))
            .collect()
    }
}
