//! Whether two threads have anything in common: runs in which both access one object, and one of them writes.
//!
//! Locks keep such accesses apart in time, the state of a device keeps them apart in its life, neither does in place. So what is shown here
//! is the evidence that a proof, or a search that found nothing, is about something: with another object each time there would be nothing
//! to be kept apart.
//!
//! What each thread by itself comes to, of what initialisation has left, shows most. Else known runs of each are put one after the other;
//! then it is looked for further ones of the second from where the first has left off, since it may need what the first has done
//! ([`super::explore`]).
//!
//! What it misses: objects that both access only where they take turns, or for inputs that no run had.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Own;
use super::explore::{Choices, Exploration, Limits, Of};
use super::inputs::Script;
use super::machine::{Awaited, Machine, Pause, Until};
use super::memory::{self, Lasting};
use super::seen::Access;
use super::two::Two;
use crate::index::{Idx, SiteId};
use crate::trace::schedule::ThreadNumber;

/// Known runs that are put one after the other for one region, and for all of a pair.
const RUNS_OF_ONE: usize = 12;
const RUNS: usize = 120;

/// Instructions of the second thread where it is looked for further runs, and how many runs of the first there are before it.
const FURTHER: Limits = Limits {
    one: 16_000,
    all: 30_000,
    in_vain: u64::MAX,
};
const BEGINNINGS: usize = 3;

/// Steps of a thread after which the other one is run.
const INTERRUPTED: u32 = 12;

/// A region: the accesses of either thread, and whether they are to be of the same bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub sites: [Vec<SiteId>; 2],
    pub same_bytes: bool,
}

/// How it is looked for what two threads have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookedFor {
    /// In the runs of each by itself.
    Known,
    /// In further runs, of both.
    Further,
}

/// Objects that are kept of one site.
const OBJECTS_OF_SITE: usize = 12;

/// An access of what was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touch {
    object: Lasting,
    at: i64,
    bytes: u64,
    write: bool,
}

impl Touch {
    fn meets(&self, other: &Touch, same_bytes: bool) -> bool {
        let ends = |touch: &Touch| touch.at.saturating_add_unsigned(touch.bytes);
        self.object == other.object
            && (self.write || other.write)
            && (!same_bytes || self.at < ends(other) && other.at < ends(self))
    }
}

/// What a thread by itself accesses of what was there before it.
#[derive(Debug)]
pub(super) struct Touched {
    /// Objects that were there.
    before: usize,
    /// By site.
    by_site: FxHashMap<SiteId, Vec<Touch>>,
}

impl Touched {
    /// Nothing yet.
    pub(super) fn after(machine: &Machine<'_>) -> Touched {
        Touched {
            before: machine.memory.objects(),
            by_site: FxHashMap::default(),
        }
    }

    /// What a run accessed.
    pub(super) fn note(&mut self, machine: &Machine<'_>) {
        for access in &machine.seen.accesses {
            let Some(object) = machine.memory.lasting(access.at, self.before) else {
                continue;
            };
            let known = self.by_site.entry(access.site).or_default();
            let touch = Touch {
                object,
                at: memory::offset(access.at),
                bytes: access.bytes,
                write: access.write,
            };
            if known.len() < OBJECTS_OF_SITE && !known.contains(&touch) {
                known.push(touch);
            }
        }
    }

    fn at<'a>(&'a self, sites: &'a [SiteId]) -> impl Iterator<Item = Touch> + 'a {
        let known = sites.iter().filter_map(|site| self.by_site.get(site));
        known.flatten().copied()
    }

    /// Whether both access one object, one of them to write.
    pub(super) fn meets(&self, other: &Touched, spot: &Spot) -> bool {
        let [own, others] = &spot.sites;
        let meets = |x: Touch| other.at(others).any(|y| x.meets(&y, spot.same_bytes));
        self.at(own).any(meets)
    }
}

/// Of each of these regions: whether both threads were seen to access one object, one of them to write. `own`: what each thread comes to
/// by itself.
pub(super) fn common(two: &mut Two<'_>, own: [&Own; 2], asked: &[&Spot]) -> Vec<bool> {
    let all = asked.iter().flat_map(|spot| spot.sites.concat());
    two.machine.wanted.extend(all.map(Idx::index));
    let mut search = Search {
        two,
        own,
        asked,
        shown: asked
            .iter()
            .map(|spot| own[0].touched.meets(&own[1].touched, spot))
            .collect(),
    };
    if search.is_over() {
        return search.shown;
    }
    search.known();
    search.within();
    search.further();
    search.shown
}

struct Search<'a, 'p> {
    two: &'a mut Two<'p>,
    own: [&'a Own; 2],
    asked: &'a [&'a Spot],
    shown: Vec<bool>,
}

impl Search<'_, '_> {
    fn is_over(&self) -> bool {
        self.two.deadline.passed().is_some() || self.shown.iter().all(|shown| *shown)
    }

    /// Runs that are known of each thread, one after the other.
    fn known(&mut self) {
        let mut made: FxHashSet<[usize; 3]> = FxHashSet::default();
        for n in 0..self.asked.len() {
            let mut left = RUNS_OF_ONE;
            for [x, y, first] in pairs(self.own, self.asked[n]) {
                if self.shown[n] || left == 0 || made.len() >= RUNS || self.is_over() {
                    break;
                }
                if !made.insert([x, y, first]) {
                    continue;
                }
                left -= 1;
                let choices = [&self.own[0].explored.runs[x], &self.own[1].explored.runs[y]];
                if !self.two.begin(choices.map(Clone::clone)) {
                    continue;
                }
                for thread in [first, 1 - first] {
                    self.two.go(thread as ThreadNumber, Until::default());
                }
                let accesses = &self.two.machine.seen.accesses;
                note(&mut self.shown, self.asked, accesses, &[]);
            }
        }
    }

    /// One thread interrupted by the other one at some of its steps: the other may need what the first takes back before it ends.
    fn within(&mut self) {
        for first in [0, 1] {
            for x in self.beginnings(first) {
                let Some(y) = self.beginnings(1 - first).into_iter().next() else {
                    return;
                };
                let choices = |side: usize| {
                    let run = if side == first { x } else { y };
                    self.own[side].explored.runs[run].clone()
                };
                let both = [choices(0), choices(1)];
                for steps in 1..=INTERRUPTED {
                    if self.is_over() {
                        return;
                    }
                    let until = Until {
                        steps: Some(steps),
                        ..Until::default()
                    };
                    if !self.two.begin(both.clone())
                        || self.two.go(first as ThreadNumber, until) != Pause::AtStep
                    {
                        break;
                    }
                    for thread in [1 - first, first] {
                        self.two.go(thread as ThreadNumber, Until::default());
                    }
                    let accesses = &self.two.machine.seen.accesses;
                    note(&mut self.shown, self.asked, accesses, &[]);
                }
            }
        }
    }

    /// One thread as it is known, the other one led on from there.
    fn further(&mut self) {
        for first in [0, 1] {
            for run in self.beginnings(first) {
                if self.is_over() {
                    return;
                }
                let nothing = Choices::default();
                let known = self.own[first].explored.runs[run].clone();
                let script = known.own.clone();
                let both = match first {
                    0 => [known, nothing],
                    _ => [nothing, known],
                };
                if self.two.begin(both) {
                    self.two.go(first as ThreadNumber, Until::default());
                    self.after(1 - first, script);
                }
            }
        }
    }

    /// Runs of one thread after the other one.
    fn after(&mut self, thread: usize, other: Script) {
        let before = std::mem::take(&mut self.two.machine.seen.accesses);
        let (shown, asked) = (&mut self.shown, self.asked);
        let all_shown = |machine: &Machine<'_>, _| {
            note(shown, asked, &machine.seen.accesses, &before);
            shown.iter().all(|shown| *shown)
        };
        let deadline = self.two.deadline;
        let of = Of::After(thread as ThreadNumber, other);
        Exploration::new(&mut self.two.machine, FURTHER, deadline, of).all(all_shown);
    }

    /// Runs of a thread that come to most of what is not shown yet; its first run, where none does.
    fn beginnings(&self, side: usize) -> Vec<usize> {
        let runs = &self.own[side].explored.runs;
        let mut sites: Vec<SiteId> = Vec::new();
        for (sides, _) in self
            .asked
            .iter()
            .zip(&self.shown)
            .filter(|(_, shown)| !**shown)
        {
            sites.extend(&sides.sites[side]);
        }
        let mut counts = vec![0; runs.len()];
        for site in sites {
            let there = self.own[side]
                .explored
                .by_site
                .get(&site)
                .into_iter()
                .flatten();
            there.for_each(|run| counts[*run] += 1);
        }
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|run| std::cmp::Reverse(counts[*run]));
        let some = order
            .iter()
            .take(BEGINNINGS)
            .filter(|run| counts[**run] > 0);
        let best: Vec<usize> = some.copied().collect();
        match best.is_empty() {
            true => order.into_iter().take(1).collect(),
            false => best,
        }
    }
}

/// The runs of either thread that come to accesses of a region, each beside each: their numbers, and which thread goes first.
fn pairs(own: [&Own; 2], spot: &Spot) -> Vec<[usize; 3]> {
    let of = |side: usize| -> Vec<usize> {
        let known = |site: &SiteId| own[side].explored.by_site.get(site);
        let runs = spot.sites[side].iter().filter_map(known).flatten();
        let mut runs: Vec<usize> = runs.copied().collect();
        runs.sort_unstable();
        runs.dedup();
        runs
    };
    let (a, b) = (of(0), of(1));
    let mut all: Vec<[usize; 3]> = Vec::new();
    for (n, x) in a.iter().enumerate() {
        all.extend(b.iter().enumerate().map(|(m, y)| [n + m, *x, *y]));
    }
    // Of each thread another one as soon as may be.
    all.sort_unstable();
    let each = all.into_iter();
    each.flat_map(|[_, x, y]| [[x, y, 0], [x, y, 1]]).collect()
}

/// Notes the regions of which both have accessed one object, and one has written it, in two parts of a run.
fn note(shown: &mut [bool], asked: &[&Spot], accesses: &[Access], before: &[Access]) {
    let all = || accesses.iter().chain(before);
    for (shown, spot) in shown.iter_mut().zip(asked).filter(|(shown, _)| !**shown) {
        let of = |side: usize| {
            let own =
                move |a: &&Access| a.thread as usize == side && spot.sites[side].contains(&a.site);
            all().filter(own)
        };
        let meets = |x: &Access| {
            let bytes = Awaited {
                site: x.site,
                at: x.at,
                bytes: x.bytes,
            };
            let same = |y: &Access| match spot.same_bytes {
                true => bytes.overlaps(y.at, y.bytes),
                false => memory::same_object(x.at, y.at),
            };
            of(1).any(|y| (x.write || y.write) && same(y))
        };
        *shown = of(0).any(meets);
    }
}
