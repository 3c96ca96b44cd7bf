//! The questions on a finished run: one per claim, and how far the two sides got.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::Shared;
use super::evidence::{self, Before, Reach, nowhere, reach, users};
use super::gaps;
use super::ledger::Ledger;
use super::query::{self, Questions, Said};
use crate::analysis::plan::{PairPlan, PlannedRegion};
use crate::config::Options;
use crate::index::{Idx, SiteId};
use crate::program::{FailKind, Program, SiteKind};
use crate::property::Property;
use crate::source::SourceMap;
use crate::symex::witness::checker::{Checker, Gap, Missing};
use crate::verdict::{Claim, Finding, FindingKind, Why};

/// The properties that checks of models are about.
const CHECKED: &[Property] = &[Property::LockMisuse, Property::Deadlock, Property::Removed];

/// The claims of the checks of models that are asked for.
pub(super) fn checked(options: &Options) -> impl Iterator<Item = Claim> {
    let asked = CHECKED.iter().filter(|p| options.asks(**p));
    asked.filter_map(|p| Claim::of(*p))
}

/// Whether only executions show anything of a claim.
pub(super) fn is_searched_for(claim: &Claim) -> bool {
    match claim {
        Claim::LockUse | Claim::Deadlocks | Claim::Removed => true,
        Claim::Region(_) | Claim::Assertions | Claim::Freed | Claim::Atomicity | Claim::Threads => {
            false
        }
    }
}

/// The claims that are asked for of one thread already, where there are sites of their kind.
pub(super) fn of_one(options: &Options, any: impl Fn(SiteKind) -> bool) -> Vec<Claim> {
    let mut claims = Vec::new();
    if options.asks(Property::Assert) && any(SiteKind::Assert) {
        claims.push(Claim::Assertions);
    }
    if options.asks(Property::Uaf) && any(SiteKind::Free) {
        claims.push(Claim::Freed);
    }
    if any(SiteKind::Check) {
        claims.extend(checked(options));
    }
    claims
}

/// The claim that a failure refutes; none for races, of which each region is a claim of its own.
pub(super) fn refuted_by(kind: FailKind) -> Option<Claim> {
    Claim::of(FindingKind::of(kind).property())
}

/// The claims that will be asked for.
pub(super) fn claims(shared: &Shared<'_, '_>, plan: &PairPlan) -> Vec<Claim> {
    let mut claims = Vec::new();
    if shared.options.asks(Property::Race) {
        claims.extend(plan.regions.iter().map(|r| Claim::Region(r.name.clone())));
    }
    claims.extend(of_one(shared.options, |kind| {
        any(&shared.closed.concurrent, plan, kind)
    }));
    if !plan.atomicity.pairs.is_empty() {
        claims.push(Claim::Atomicity);
    }
    claims
}

/// The region that a claim is about, if the plan has it.
pub(super) fn region<'a>(plan: &'a PairPlan, claim: &Claim) -> Option<&'a PlannedRegion> {
    let region = claim.region()?;
    plan.regions.iter().find(|r| r.name == *region)
}

/// Whether a thread of the plan may come to a site of that kind.
pub(super) fn any(program: &Program, plan: &PairPlan, kind: SiteKind) -> bool {
    let mut sites = plan.sides.iter().flat_map(FixedBitSet::ones);
    sites.any(|s| program.sites[SiteId::new(s)].kind == kind)
}

/// What a search is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// Whatever can be said of each claim, with the evidence that it needs.
    Verdicts,
    /// What refutes claims: that nothing is found says nothing.
    Races,
}

/// What to ask of a finished run.
pub(super) struct Asking<'a, 'p> {
    pub shared: &'a Shared<'a, 'p>,
    pub plan: &'a PairPlan,
    /// Names of the sides, the outer one first.
    pub sides: &'a [&'a str],
    /// Claims that are not asked for.
    pub skip: &'a [Claim],
    /// What both sides get to by themselves, if that is known.
    pub isolated: Option<&'a Reach>,
    /// Whether some fields were not tracked: what such a run gets to is no evidence.
    pub sliced: bool,
    /// What for.
    pub aim: Aim,
    /// The ends of executions before the threads began.
    pub before: Before,
}

/// Asks everything.
pub(super) fn regions(
    ledger: &mut Ledger,
    checker: &mut Checker<'_>,
    asking: &Asking<'_, '_>,
    found: &dyn Fn(Finding),
) {
    let Asking {
        shared, plan, skip, ..
    } = *asking;
    let asked = questions(checker, asking);
    let of_plan = |place: &str| plan.regions.iter().any(|r| r.name.has(place));
    let not = &mut ledger.not_replayed;
    let open = query::all(not, checker, shared, asked, &of_plan, found);
    if asking.aim == Aim::Races {
        let races = open
            .into_iter()
            .filter(|(_, said)| matches!(said, Said::Race));
        races.for_each(|(claim, _)| ledger.refuted(&claim));
        return;
    }
    // The evidence takes time too: what it is not needed for is not asked. Without it nothing is more than unknown.
    let mut shown = match shared.deadline.passed() {
        Some(_) => Shown::default(),
        None => look(checker, asking, &open),
    };
    // It may have passed meanwhile.
    if let Some(stopped) = shared.deadline.passed() {
        shown.gaps = vec![Gap::everywhere(Missing::Stopped(stopped))];
        shown.vacuous = None;
        shown.reached = asking.isolated.cloned().unwrap_or_default();
    }
    let source = &checker.run().program().source;
    for (claim, said) in open {
        settle(ledger, plan, &shown, source, (claim, said));
    }
    let Shown {
        gaps,
        vacuous,
        reached,
    } = shown;
    // A gap makes the pair unknown even where no claim is there to show it.
    let gap = gaps
        .first()
        .map(|gap| evidence::left_out(&gap.missing, source));
    let untold = ledger.regions.is_empty()
        || shared.options.asks(Property::Race) && is_alone(vacuous.as_ref());
    if untold
        && skip.is_empty()
        && let Some(why) = gap.or(vacuous)
    {
        ledger.leave_open(&Claim::Threads, why);
    }
    ledger.reach = shared.deadline.passed().is_none().then_some(reached);
}

/// The claims that are asked for, each with the failures that would refute it.
fn questions(checker: &mut Checker<'_>, asking: &Asking<'_, '_>) -> Vec<(Claim, Questions)> {
    let Asking {
        shared, plan, skip, ..
    } = *asking;
    let mut open = claims(shared, plan);
    open.retain(|claim| !skip.contains(claim));
    let races = Races::of(open.iter().filter_map(|claim| region(plan, claim)));
    let wanted = |kind: FailKind, first, second| kind != FailKind::Race || races.has(first, second);
    let failures = checker.failures(wanted);
    let mut asked: Vec<(Claim, Questions)> = Vec::new();
    for claim in open {
        let region = region(plan, &claim);
        let here = failures.iter().filter(|f| match region {
            Some(r) => f.kind == FailKind::Race && is_of(r, f.first, f.second),
            None if claim == Claim::Atomicity => {
                f.kind == FailKind::Atomicity && plan.atomicity.pairs.contains(&(f.first, f.second))
            }
            None => refuted_by(f.kind).as_ref() == Some(&claim),
        });
        // Of what models check, each check is a question of its own: one of each is told.
        let mut questions = Questions::new();
        for f in here {
            let check = (f.kind, f.second, f.place);
            let check = f.kind.goes_on().then_some(check);
            let candidate = (f.first, f.second, f.guard);
            questions.entry(check).or_default().push(candidate);
        }
        asked.push((claim, questions));
    }
    asked
}

/// Whether two accesses are one of each side of a region.
fn is_of(region: &PlannedRegion, x: SiteId, y: SiteId) -> bool {
    let (a, b) = (&region.sites_a, &region.sites_b);
    let has = |sites: &[SiteId], site: SiteId| sites.binary_search(&site).is_ok();
    (has(a, x) && has(b, y)) || (has(b, x) && has(a, y))
}

/// The pairs of accesses of some regions, of which most that two threads make are none.
struct Races<'a> {
    regions: Vec<&'a PlannedRegion>,
    /// The regions in which an access is, by their places.
    of: FxHashMap<SiteId, Vec<usize>>,
}

impl<'a> Races<'a> {
    fn of(regions: impl Iterator<Item = &'a PlannedRegion>) -> Races<'a> {
        let regions: Vec<&PlannedRegion> = regions.collect();
        let mut of: FxHashMap<SiteId, Vec<usize>> = FxHashMap::default();
        for (n, region) in regions.iter().enumerate() {
            for site in region.sites_a.iter().chain(&region.sites_b) {
                of.entry(*site).or_default().push(n);
            }
        }
        Races { regions, of }
    }

    fn has(&self, x: SiteId, y: SiteId) -> bool {
        let of = self.of.get(&x).into_iter().flatten();
        of.into_iter().any(|n| is_of(self.regions[*n], x, y))
    }
}

/// What the answer says of the claim.
fn settle(
    ledger: &mut Ledger,
    plan: &PairPlan,
    shown: &Shown,
    source: &SourceMap,
    (claim, said): (Claim, Said),
) {
    match said {
        Said::Race => ledger.refuted(&claim),
        Said::Unknown(why) => ledger.leave_open(&claim, why),
        Said::Misled(sites) => {
            ledger.misled.extend(sites);
            ledger.leave_open(&claim, Why::NotFollowed);
        }
        // What cut the executions says more than that they were cut. Whether the accesses were got to is judged when all runs are
        // over.
        Said::No => {
            let region = region(plan, &claim);
            let gap = gaps::concerning(&shown.gaps, region, &shown.reached, source);
            // That main starts nobody says nothing against what one thread can do wrong.
            let alone = is_of_one(&claim) && is_alone(shown.vacuous.as_ref());
            match gap.or_else(|| shown.vacuous.clone().filter(|_| !alone)) {
                Some(why) => ledger.leave_open(&claim, why),
                None => ledger.bounded(&claim),
            }
        }
    }
}

/// Whether one thread can do wrong what the claim is about: those of [`of_one`].
fn is_of_one(claim: &Claim) -> bool {
    match claim {
        Claim::Assertions | Claim::Freed => true,
        Claim::LockUse | Claim::Deadlocks | Claim::Removed => true,
        Claim::Region(_) | Claim::Atomicity | Claim::Threads => false,
    }
}

/// Whether it is known that no second thread is started.
fn is_alone(why: Option<&Why>) -> bool {
    matches!(why, Some(Why::NoThread { .. }))
}

/// What a finished run shows of its threads.
#[derive(Default)]
struct Shown {
    /// What was left out.
    gaps: Vec<Gap>,
    /// Why nothing can be said of any claim.
    vacuous: Option<Why>,
    /// Where they get to.
    reached: Reach,
}

/// Looks where the threads get to, as far as the claims need that of which nothing was found.
fn look(checker: &mut Checker<'_>, asking: &Asking<'_, '_>, open: &[(Claim, Said)]) -> Shown {
    let Asking {
        shared,
        plan,
        sides,
        skip,
        isolated,
        sliced,
        ..
    } = *asking;
    let program = &shared.closed.concurrent;
    let nothing_found = |said: &Said| matches!(said, Said::No);
    let mut gaps = Vec::new();
    let nothing_asked = open.is_empty() && skip.is_empty();
    if nothing_asked || open.iter().any(|(_, said)| nothing_found(said)) {
        gaps = checker.gaps();
    }
    let mut reached = isolated.cloned().unwrap_or_default();
    let user = users(program, plan.sides.iter().flat_map(FixedBitSet::ones));
    if isolated.is_none() && !sliced {
        reached = reach(checker, program, plan, &user, true);
    }
    if !sliced && nowhere(program, plan, &reached, sides).is_some() {
        reached.add(&reach(checker, program, plan, &user, false));
    }
    let vacuous = nowhere(program, plan, &reached, sides);
    let mut wanted = FixedBitSet::with_capacity(program.sites.len());
    let bounded = || {
        let bounded = open.iter().filter(|(_, said)| nothing_found(said));
        bounded.filter_map(|(claim, _)| region(plan, claim))
    };
    let whole = |(claim, said): &(Claim, Said)| claim.is_of_threads() && nothing_found(said);
    let of_threads = vacuous.is_none() && !sliced && open.iter().any(whole);
    if vacuous.is_none() && !sliced {
        if gaps.is_empty() {
            for region in bounded() {
                let lacking = reached.lacking(plan, [&region.sites_a, &region.sites_b]);
                wanted.extend(lacking.into_iter().map(Idx::index));
            }
            if of_threads {
                wanted.union_with(&evidence::never_shown(program, plan, &reached));
            }
        } else if let Some(besides) = gaps::besides(&gaps, bounded()) {
            wanted.union_with(&besides);
        }
    }
    if !wanted.is_clear() {
        reached.add(&reach(checker, program, plan, &wanted, false));
    }
    if (of_threads || !wanted.is_clear()) && reached.endings.is_empty() {
        let endings = evidence::endings(checker, asking.before);
        reached.endings = vec![endings; plan.sides.len()];
    }
    Shown {
        gaps,
        vacuous,
        reached,
    }
}
