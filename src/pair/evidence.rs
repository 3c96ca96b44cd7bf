//! Evidence that a verdict is about something: where threads were shown to get to, and what hides the rest.
//!
//! Evidence belongs to the region: a claim on a region stands only if on each side an access of it was shown to be reached, in the
//! pair or by the entry point alone. Of what is `bounded` more is asked: where another of its accesses was not shown to be reached
//! and executions of that thread end before they are over (a bound, an access through null, something without a model), that may be
//! why. A proof covers all accesses, whether they are reached or not.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::{Checked, Isolated, Task};
use crate::analysis::plan::{Birth, PairPlan, PlannedRegion};
use crate::expr::Term;
use crate::index::{Idx, LocId, SiteId};
use crate::program::{Program, SiteKind};
use crate::source::SourceMap;
use crate::symex::machine::ends::{End, EndKind};
use crate::symex::witness::checker::{Checker, Missing};
use crate::verdict::{Cut, Ending, Why};

/// Endings of one thread that a reason names, and that are looked for.
const NAMED: usize = 3;
const LOOKED_FOR: usize = 24;

/// Which sites each of the sides was shown to get to.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// In the order of the plan's; none: nothing was shown of any.
    pub sides: Vec<FixedBitSet>,
    /// By the thread that starts them, if they are born so.
    pub init: FixedBitSet,
    /// Where executions of each end before they are over; nothing is known of sides that have none here.
    pub endings: Vec<Vec<Ending>>,
}

impl Reach {
    /// What runs of a program show of each side; nothing is known of where its executions end. `None`: it was not run.
    pub(super) fn by_runs(shown: &[FixedBitSet]) -> Option<Reach> {
        (!shown.is_empty()).then(|| Reach {
            sides: shown.to_vec(),
            ..Reach::default()
        })
    }

    /// The first side exchanged for that one.
    pub(super) fn swapped(&self, outer: usize) -> Reach {
        let mut reach = self.clone();
        if outer < reach.sides.len() {
            reach.sides.swap(0, outer);
        }
        if outer < reach.endings.len() {
            reach.endings.swap(0, outer);
        }
        reach
    }

    /// What another run showed, too.
    pub(super) fn add(&mut self, other: &Reach) {
        let n = self.sides.len().max(other.sides.len());
        self.sides.resize(n, FixedBitSet::new());
        for (own, other) in self.sides.iter_mut().zip(&other.sides) {
            own.union_with(other);
        }
        self.init.union_with(&other.init);
        let n = self.endings.len().max(other.endings.len());
        self.endings.resize(n, Vec::new());
        for (own, other) in self.endings.iter_mut().zip(&other.endings) {
            let new: Vec<Ending> = other.iter().filter(|e| !own.contains(e)).cloned().collect();
            own.extend(new);
        }
    }

    /// What that side was shown to get to; nothing, if nothing was shown.
    pub(super) fn side(&self, n: usize) -> FixedBitSet {
        self.sides.get(n).cloned().unwrap_or_default()
    }

    /// Whether it is known that executions of all sides are over where they end: what was not shown to be reached never is.
    pub(super) fn is_complete(&self) -> bool {
        self.endings.len() == self.sides.len() && self.endings.iter().all(Vec::is_empty)
    }

    /// Whether executions end somewhere where none of the other's do.
    pub(super) fn ends_elsewhere(&self, other: &Reach) -> bool {
        let mut each = self.endings.iter().enumerate();
        each.any(|(n, own)| own.iter().any(|e| !other.endings(n).contains(e)))
    }

    /// Where executions of that side end.
    fn endings(&self, n: usize) -> &[Ending] {
        self.endings.get(n).map_or(&[], Vec::as_slice)
    }

    /// Whether a side was shown to get to a site: that of a pair whose own it is, else any.
    fn shows(&self, plan: &PairPlan, side: usize, site: SiteId) -> bool {
        let n = site.index();
        // What a thread of the pair starts may execute what it never does itself.
        let told = plan.of_two || plan.birth == Birth::OfInitialisation;
        let own = told && plan.sides.get(side).is_some_and(|s| s.contains(n));
        let shown = match own {
            true => self.sides.get(side).is_some_and(|s| s.contains(n)),
            false => self.sides.iter().any(|s| s.contains(n)),
        };
        shown || self.init.contains(n)
    }

    /// Whether every access of the region was shown to be got to, by one of the threads.
    pub(super) fn get_to_all(&self, region: &PlannedRegion) -> bool {
        let by = |s: &SiteId| self.sides.iter().any(|set| set.contains(s.index()));
        let shown = |s: &SiteId| by(s) || self.init.contains(s.index());
        !region.sites_a.is_empty() && region.sites_a.iter().chain(&region.sites_b).all(shown)
    }

    /// Those of the sites that the sides were not shown to get to.
    pub(super) fn lacking(&self, plan: &PairPlan, sites: [&[SiteId]; 2]) -> Vec<SiteId> {
        let each = sites.into_iter().enumerate();
        let lacking = each.flat_map(|(side, sites)| {
            let sites = sites.iter().copied();
            sites.filter(move |s| !self.shows(plan, side, *s))
        });
        lacking.collect()
    }

    /// How many of the planned sites of the user's code were shown to be reached, of how many.
    pub(super) fn of(shown: &FixedBitSet, planned: &FixedBitSet, program: &Program) -> (u32, u32) {
        let user = || {
            planned
                .ones()
                .filter(|s| !program.sites[SiteId::new(*s)].in_model)
        };
        let got = user().filter(|s| shown.contains(*s)).count();
        (got as u32, user().count() as u32)
    }
}

/// Those of the sites that are in the user's code.
pub(super) fn users(program: &Program, sites: impl Iterator<Item = usize>) -> FixedBitSet {
    let mut users = FixedBitSet::with_capacity(program.sites.len());
    users.extend(sites.filter(|s| !program.sites[SiteId::new(*s)].in_model));
    users
}

/// The sites of `among` that each side was shown to get to in a finished run; with `few` by a few executions.
pub(super) fn reach(
    checker: &mut Checker<'_>,
    program: &Program,
    plan: &PairPlan,
    among: &FixedBitSet,
    few: bool,
) -> Reach {
    let mut threads: Vec<u32> = checker
        .run()
        .found
        .reached
        .keys()
        .map(|(_, t)| *t)
        .collect();
    threads.sort_unstable();
    threads.dedup();
    let n = program.sites.len();
    let mut reach = Reach {
        sides: vec![FixedBitSet::with_capacity(n); plan.sides.len()],
        init: FixedBitSet::with_capacity(n),
        endings: Vec::new(),
    };
    for t in threads {
        // What initialisation does in executions in which it starts nobody is beside nobody.
        let sites = match (t, plan.birth) {
            (0, Birth::OfInitialisation) => checker.reached_beside(t, among, few),
            _ => checker.reached(t, among, few),
        };
        // Who is started by one of them counts as the second.
        let side = match t as usize {
            t if t < plan.sides.len() => t,
            _ => 1,
        };
        reach.sides[side].extend(sites.into_iter().map(Idx::index));
    }
    if plan.birth == Birth::There {
        return reach;
    }
    // Thread 0 starts them; which of the others is which differs from run to run.
    let mut any = FixedBitSet::with_capacity(n);
    for side in &reach.sides[1..] {
        any.union_with(side);
    }
    let init = std::mem::replace(&mut reach.sides[0], any.clone());
    match plan.birth {
        Birth::OfInitialisation => reach.sides[1] = init,
        Birth::OfAnother | Birth::There => {
            reach.init = init;
            reach.sides.fill(any);
        }
    }
    reach
}

/// Why nothing can be said: a side that got nowhere.
pub(super) fn nowhere(
    program: &Program,
    plan: &PairPlan,
    reach: &Reach,
    sides: &[&str],
) -> Option<Why> {
    if plan.sides[1..].iter().all(FixedBitSet::is_clear)
        && reach.sides.iter().skip(1).all(FixedBitSet::is_clear)
    {
        let beside = sides[0].to_string();
        return Some(Why::NoThread { beside });
    }
    let user = |s: usize| !program.sites[SiteId::new(s)].in_model;
    let mut each = plan.sides.iter().zip(sides).enumerate();
    each.find_map(|(n, (planned, name))| {
        let got = reach.side(n).intersection(planned).any(user);
        (planned.ones().any(user) && !got).then(|| Why::Nowhere {
            entry: name.to_string(),
            ended: named(reach.endings(n)),
        })
    })
}

/// Why a claim on the accesses of two sides is about nothing: one of the sides is not shown to get to any of its own. A side without
/// accesses has none to get to.
pub(super) fn not_reached(
    (program, plan): (&Program, &PairPlan),
    sites: [&[SiteId]; 2],
    reach: &Reach,
    sides: &[&str],
) -> Option<Why> {
    let mut each = sites.into_iter().zip(sides).enumerate();
    each.find_map(|(n, (sites, name))| {
        let shown = sites.iter().any(|s| reach.shows(plan, n, *s));
        let first = sites.iter().min_by_key(|s| program.sites[**s].in_model)?;
        (!shown).then(|| Why::NotReached {
            entry: name.to_string(),
            access: place(program, *first),
            ended: named(reach.endings(n)),
        })
    })
}

/// Why a proof for the accesses of two sides is about nothing: a side is not shown to get to any of its own, or neither is to one that
/// writes. Two that only read do not conflict, whatever they hold.
pub(super) fn no_conflict(
    (program, plan): (&Program, &PairPlan),
    sites: [&[SiteId]; 2],
    reach: &Reach,
    sides: &[&str],
) -> Option<Why> {
    let of = (program, plan);
    not_reached(of, sites, reach, sides).or_else(|| {
        let written = sites.map(|sites| writing(program, sites));
        let each = written.iter().enumerate();
        let mut all = each.flat_map(|(n, sites)| sites.iter().map(move |s| (n, *s)));
        let shown = all.clone().any(|(n, s)| reach.shows(plan, n, s));
        let (n, first) = all.next().filter(|_| !shown)?;
        Some(Why::NotReached {
            entry: sides.get(n)?.to_string(),
            access: place(program, first),
            ended: named(reach.endings(n)),
        })
    })
}

/// Those of the accesses that write, or take the memory away.
pub(super) fn writing(program: &Program, sites: &[SiteId]) -> Vec<SiteId> {
    let writes = |s: &&SiteId| program.sites[**s].kind != SiteKind::Read;
    sites.iter().filter(writes).copied().collect()
}

/// Why a search of the accesses of two sides does not say that there is nothing: one access was not shown to be reached, and
/// executions of its thread end on the way.
pub(super) fn hidden(
    (program, plan): (&Program, &PairPlan),
    sites: [&[SiteId]; 2],
    reach: &Reach,
    sides: &[&str],
) -> Option<Why> {
    let mut each = sites.into_iter().zip(sides).enumerate();
    each.find_map(|(n, (sites, name))| {
        if reach.endings(n).is_empty() {
            return None;
        }
        let hidden = sites.iter().find(|s| !reach.shows(plan, n, **s))?;
        Some(Why::Hidden {
            entry: name.to_string(),
            access: place(program, *hidden),
            ended: named(reach.endings(n)),
        })
    })
}

/// Why a search does not say that these threads do nothing wrong as a whole (a failing assertion, a lock, a wait for ever): something of
/// the user's code was not shown to be executed, or a function calls itself more often than the search follows, and executions end on
/// the way. What is wrong may come after.
pub(super) fn cut_off(
    (program, plan): (&Program, &PairPlan),
    reach: &Reach,
    sides: &[&str],
) -> Option<Why> {
    let each = plan.sides.iter().zip(sides).enumerate();
    let mut cut = each.filter(|(n, _)| !reach.endings(*n).is_empty());
    cut.find_map(|(n, (planned, name))| {
        let ended = reach.endings(n);
        let mut own = of_source(program, planned);
        let hidden = own.find(|s| !reach.shows(plan, n, *s));
        let recursion = ended.iter().find(|e| e.cut == Cut::Recursion);
        match (hidden, recursion) {
            (Some(site), _) => Some(Why::Hidden {
                entry: name.to_string(),
                access: place(program, site),
                ended: named(ended),
            }),
            (None, Some(recursion)) => Some(Why::Unsupported(recursion.clone())),
            (None, None) => None,
        }
    })
}

/// What stands in the user's source: neither what jumps and exceptions are made of here, which no line has, nor that a loop goes on.
fn of_source<'p>(
    program: &'p Program,
    planned: &FixedBitSet,
) -> impl Iterator<Item = SiteId> + use<'p> {
    let own = users(program, planned.ones());
    let has_line = |s: SiteId| program.sites[s].loc.is_some();
    let lines = own.ones().map(SiteId::new).any(has_line);
    let stands = move |s: &SiteId| {
        let site = &program.sites[*s];
        (!lines || site.loc.is_some()) && site.kind != SiteKind::BackEdge
    };
    own.into_ones().map(SiteId::new).filter(stands)
}

/// Those of the user's sites that the threads were not shown to get to.
pub(super) fn never_shown(program: &Program, plan: &PairPlan, reach: &Reach) -> FixedBitSet {
    let mut lacking = FixedBitSet::with_capacity(program.sites.len());
    for (n, planned) in plan.sides.iter().enumerate() {
        let own = users(program, planned.ones());
        lacking.extend(
            own.ones()
                .filter(|s| !reach.shows(plan, n, SiteId::new(*s))),
        );
    }
    lacking
}

fn named(endings: &[Ending]) -> Vec<Ending> {
    endings.iter().take(NAMED).cloned().collect()
}

/// `file:line (function)` of a site.
fn place(program: &Program, site: SiteId) -> String {
    at(&program.source, program.sites[site].loc)
}

/// `file:line (function)`; empty without debug info.
fn at(source: &SourceMap, loc: Option<LocId>) -> String {
    let Some(id) = loc else {
        return String::new();
    };
    let l = &source.locations[id];
    format!("{}:{} ({})", source.files[l.file], l.line, l.function)
}

/// What an end of an execution is, for a report.
fn cut(kind: &EndKind) -> Cut {
    match kind {
        EndKind::UnwindBound => Cut::Unwind,
        EndKind::RecursionBound => Cut::Recursion,
        EndKind::LengthBound => Cut::Length,
        EndKind::InvalidAccess => Cut::InvalidAccess,
        EndKind::Undefined => Cut::Undefined,
        EndKind::Unsupported(what) => Cut::Unsupported(what.clone()),
        EndKind::Budget => Cut::Budget,
    }
}

/// An end of an execution, for a report.
pub(super) fn ending(source: &SourceMap, kind: &EndKind, loc: Option<LocId>) -> Ending {
    Ending {
        cut: cut(kind),
        at: at(source, loc),
    }
}

/// Why nothing is known where a run has left something out.
pub(super) fn left_out(missing: &Missing, source: &SourceMap) -> Why {
    match missing {
        Missing::Stopped(stopped) => Why::Stopped(*stopped),
        Missing::Budget | Missing::End(EndKind::Budget, _) => Why::Budget,
        Missing::End(kind, loc) => Why::Unsupported(ending(source, kind, *loc)),
        Missing::Open(kind, loc) => {
            let Ending { cut, at } = ending(source, kind, *loc);
            let what = match &cut {
                Cut::Unsupported(what) => what.as_str(),
                other => other.code(),
            };
            Why::Solver(format!(
                "solver: whether an execution comes to {what} ({at}) was not found out within the budget"
            ))
        }
    }
}

/// How many ends of executions a run had met when it came so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// After initialisation.
    pub init: usize,
    /// After what runs before the threads.
    pub threads: usize,
}

/// Where executions of a finished run end before they are over, if that can be: those of the threads first, then those of what runs
/// before them; in either what makes a verdict unknown first, then bounds, then the rest.
pub(super) fn endings(checker: &mut Checker<'_>, before: Before) -> Vec<Ending> {
    let mut by_place: BTreeMap<(bool, u8, Ending), Vec<End>> = BTreeMap::new();
    let source = &checker.run().program().source;
    for (n, end) in checker
        .run()
        .found
        .ends
        .iter()
        .enumerate()
        .skip(before.init)
    {
        let rank = match end.kind {
            EndKind::Unsupported(_) | EndKind::Budget => 0,
            EndKind::UnwindBound | EndKind::RecursionBound | EndKind::LengthBound => 1,
            EndKind::InvalidAccess => 2,
            EndKind::Undefined => 3,
        };
        let ending = ending(source, &end.kind, end.loc);
        by_place
            .entry((n < before.threads, rank, ending))
            .or_default()
            .push(end.clone());
    }
    let mut endings = Vec::new();
    let out_of_budget = checker.run().ran_out() || checker.left_open();
    if out_of_budget {
        endings.push(Ending {
            cut: Cut::Budget,
            at: String::new(),
        });
    }
    for (n, ((.., ending), ends)) in by_place.into_iter().enumerate() {
        // Beyond this it is taken to be possible.
        let ending = match n < LOOKED_FOR {
            true => possible(checker, ending, &ends),
            false => Some(ending),
        };
        if let Some(ending) = ending.filter(|e| !endings.contains(e)) {
            endings.push(ending);
        }
    }
    endings
}

/// An end of executions, if some can come there; where that was not found out, so it is told.
fn possible(checker: &mut Checker<'_>, ending: Ending, ends: &[End]) -> Option<Ending> {
    let guards: Vec<Term> = checker.conditions(ends);
    match checker.can_be(&guards) {
        Some(true) => Some(ending),
        Some(false) => None,
        None => Some(Ending {
            cut: Cut::Budget,
            ..ending
        }),
    }
}

impl Checked {
    /// Where nothing is told of the sites that its threads got to, what is known of each entry point alone.
    pub fn tell_sites(&mut self, task: &Task, known: &[&Isolated]) {
        let sites = self.pair.reachable_sites.iter_mut();
        for (told, entry) in sites.zip(task.entries()) {
            if *told == (0, 0)
                && let Some(counts) = known.iter().find_map(|isolated| isolated.known(*entry))
            {
                *told = counts;
            }
        }
    }
}
