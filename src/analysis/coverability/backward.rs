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
    let mut search = Search::new(net, invariant, settings);
    let answer = search.run();
    (answer, search.counts)
}

/// A search that is under way.
struct Search<'n> {
    net: &'n Net,
    invariant: Option<&'n Pairs>,
    settings: &'n Settings,
    /// The transitions that put tokens there.
    giving: IdVec<PlaceId, Vec<TransitionId>>,
    costs: IdVec<PlaceId, u64>,
    /// All markings kept, once.
    nodes: Vec<Node>,
    known: Antichain,
    /// What is to be looked at, by how far it is from the initial marking.
    work: BTreeSet<(u64, usize)>,
    counts: Counts,
}

impl<'n> Search<'n> {
    fn new(net: &'n Net, invariant: Option<&'n Pairs>, settings: &'n Settings) -> Search<'n> {
        let places = net.places.len();
        let mut giving: IdVec<PlaceId, Vec<TransitionId>> = IdVec::filled(Vec::new(), places);
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
        Search {
            net,
            invariant,
            settings,
            giving,
            costs: costs(net),
            nodes: Vec::new(),
            known: Antichain::new(places),
            work: BTreeSet::new(),
            counts: Counts {
                transitions: net.transitions.len() as u64,
                ..Counts::default()
            },
        }
    }

    fn run(&mut self) -> Answer {
        let mut targets = self.net.targets.clone();
        targets.sort();
        targets.dedup();
        let mut fresh: Vec<(Bag, Next, u64)> = targets.into_iter().map(|t| (t, None, 0)).collect();
        loop {
            for (marking, next, round) in fresh.drain(..) {
                if let Some(answer) = self.meet(marking, next, round) {
                    return answer;
                }
            }
            let Some((_, id)) = self.work.pop_first() else {
                return Answer::Safe;
            };
            if !self.nodes[id].alive {
                continue;
            }
            if id % 64 == 0 {
                deadline::worked(64);
                if let Some(stopped) = self.settings.deadline.passed() {
                    return Answer::Unknown(stopped.to_string());
                }
            }
            fresh.extend(self.before(id));
        }
    }

    /// A marking from which a target is covered: keeps it, if no smaller one is known. The answer, if that is one.
    fn meet(&mut self, marking: Bag, next: Next, round: u64) -> Option<Answer> {
        let limit = self.settings.markings;
        self.counts.met += 1;
        if self.counts.met > limit {
            return Some(Answer::Unknown(format!("more than {limit} markings")));
        }
        if self.invariant.is_some_and(|i| !i.possible(&marking)) {
            self.counts.pruned += 1;
            return None;
        }
        let larger = seeded(NetFault::SubsumedByLarger)
            && !self.known.above(&marking, &self.nodes).is_empty();
        if larger || self.known.has_below(&marking, &self.nodes) {
            self.counts.subsumed += 1;
            return None;
        }
        let missing: u64 = marking
            .iter()
            .map(|(p, n)| u64::from(n.saturating_sub(self.net.initially(*p))))
            .sum();
        for old in self.known.above(&marking, &self.nodes) {
            self.nodes[old].alive = false;
            self.counts.subsumed += 1;
            self.counts.kept -= 1;
        }
        let id = self.nodes.len();
        self.known.add(id, &marking);
        self.counts.kept += 1;
        self.counts.rounds = self.counts.rounds.max(round);
        let far: u64 = marking
            .iter()
            .map(|(p, n)| self.costs[*p].saturating_mul(u64::from(*n)))
            .fold(missing, u64::saturating_add);
        self.nodes.push(Node {
            marking,
            next,
            round,
            alive: true,
        });
        if missing == 0 {
            return Some(Answer::Covered(path(&self.nodes, id)));
        }
        self.work.insert((far, id));
        None
    }

    /// The markings from which one step leads to what a node stands for.
    fn before(&self, id: usize) -> Vec<(Bag, Next, u64)> {
        let Node { marking, round, .. } = &self.nodes[id];
        let mut by: Vec<TransitionId> = marking
            .iter()
            .flat_map(|(p, _)| self.giving[*p].iter().copied())
            .collect();
        by.sort_unstable();
        by.dedup();
        let mut fresh = Vec::new();
        for t in by {
            let transition = &self.net.transitions[t];
            let rest = minus(marking, &transition.post);
            // What it empties holds what it gives.
            let held = |(p, _): &(PlaceId, u32)| transition.empties.binary_search(p).is_ok();
            if rest.iter().any(held) {
                continue;
            }
            if seeded(NetFault::GivesEverything) && !rest.is_empty() {
                continue;
            }
            let before = sum(&rest, &transition.pre);
            fresh.push((before, Some((t, id)), round + 1));
        }
        fresh
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
