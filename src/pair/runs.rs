//! Races that concrete runs make happen, and what else goes wrong in them, before anything is executed symbolically: the tier `runs`.
//!
//! What is found is replayed as ever; what is not found says nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::caveats::Described;
use super::evidence::Reach;
use super::ledger::Ledger;
use super::open::Open;
use super::{Checked, Shared, Task, queries, query, representative, tiers};
use crate::analysis::plan::{PairPlan, PlannedRegion};
use crate::concrete::{Code, Meeting, Meets, Watch, Whole};
use crate::config::{Options, RaceCheck};
use crate::index::{EntryId, Idx, SiteId};
use crate::program::SiteKind;
use crate::property::Property;
use crate::verdict::{Access, Claim, Finding, Tier, Why};

/// Meetings that are tried of one region, and of one pair of accesses.
const TRIES: usize = 48;
const TRIES_OF_ONE: usize = 3;

/// What runs find of one pair; `None`: it is none that is run. `found`: each finding.
pub fn races(shared: &Shared<'_, '_>, task: &Task, found: &dyn Fn(&Finding)) -> Option<Checked> {
    races_after(shared, task, &[None], &|_| true, found)
}

/// The same of those of its claims, where it begins after each of these in turn: another entry point has run to its end, or (`None`)
/// nothing but initialisation.
pub(super) fn races_after(
    shared: &Shared<'_, '_>,
    task: &Task,
    earlier: &[Option<EntryId>],
    asked: &dyn Fn(&Claim) -> bool,
    found: &dyn Fn(&Finding),
) -> Option<Checked> {
    let options = shared.options;
    let (a, b) = task
        .two()
        .filter(|_| are_made(options) && task.in_steady())?;
    if task.takes_two().is_some() {
        return None;
    }
    if !Described::of(shared, task).fully() || shared.deadline.passed().is_some() {
        return None;
    }
    // Where no initialisation is found symbolically, that of a run will do.
    match shared.start.missing(shared.closed, &task.sides()) {
        None | Some(Why::NoStart) => {}
        Some(_) => return None,
    }
    let ignored = |_: Finding| {};
    let plan = Open::new(shared, task, &ignored).plan;
    let is_asked = |r: &&PlannedRegion| asked(&Claim::Region(r.name.clone()));
    let mut left: Vec<&PlannedRegion> = plan.regions.iter().filter(is_asked).collect();
    let wanted = wanted(shared, &left);
    if wanted.is_clear() {
        return None;
    }
    let runs = shared.runs?;
    let findings = RefCell::new(Vec::new());
    let keep = |finding: Finding| {
        found(&finding);
        findings.borrow_mut().push(finding);
    };
    let mut ledger = Ledger::by(Tier::Runs);
    ledger.count("runs: pairs", 1);
    for earlier in earlier.iter().copied() {
        if left.is_empty() {
            break;
        }
        let Some(mut beside) = runs.beside((a, b), earlier, &wanted) else {
            continue;
        };
        let before = left.len();
        each(
            (shared, &plan),
            &mut left,
            &mut beside,
            (&mut ledger, &keep),
        );
        let late = if earlier.is_some() {
            before - left.len()
        } else {
            0
        };
        ledger.count("runs: races after an earlier call", late as u64);
    }
    let mut checked = task.result(ledger);
    checked.findings = findings.take();
    Some(checked)
}

/// Whether races are looked for in this way: whether a write matters is asked of both threads at once.
pub(super) fn are_made(options: &Options) -> bool {
    options.asks(Property::Race) && options.tiers.runs && options.race_check == RaceCheck::Adjacent
}

/// What runs of a program find, and where its threads get to, whatever the searches would take. `None`: it is none that is run.
pub fn of_program(
    shared: &Shared<'_, '_>,
    task: &Task,
    code: &Code,
    found: &dyn Fn(&Finding),
) -> Option<Checked> {
    let options = shared.options;
    let watch = Watch {
        freed: options.asks(Property::Uaf),
        waits: options.asks(Property::Deadlock),
    };
    let asked = are_made(options) || options.tiers.runs && watch.any();
    if !task.is_program() || !asked || shared.deadline.passed().is_some() {
        return None;
    }
    let ignored = |_: Finding| {};
    let mut open = Open::new(shared, task, &ignored);
    let planned = open.plan.sides.clone();
    tiers::after_locks(&mut open);
    let Open { plan, proofs, .. } = open;
    let program = &shared.closed.concurrent;
    let claims = queries::of_one(options, |kind| queries::any(program, &plan, kind));
    let mut left: Vec<&PlannedRegion> = match are_made(options) {
        true => plan.regions.iter().collect(),
        false => Vec::new(),
    };
    if left.is_empty() && proofs.is_empty() && claims.is_empty() {
        return None;
    }
    let wanted = wanted(shared, &left);
    let numbers = shared.start.numbers(task.numbers());
    let looked_for = (&wanted, watch);
    let mut whole = Whole::new(code, program, numbers, looked_for, shared.deadline)?;
    let findings = RefCell::new(Vec::new());
    let keep = |finding: Finding| {
        found(&finding);
        findings.borrow_mut().push(finding);
    };
    let mut ledger = Ledger::by(Tier::Runs);
    each((shared, &plan), &mut left, &mut whole, (&mut ledger, &keep));
    failures(shared, &whole, &claims, (&mut ledger, &keep));
    for (site, long, n) in whole.ends() {
        let place = program.source.describe(program.sites[site].loc);
        let why = if long { "length" } else { "failure or wait" };
        ledger.count(&format!("runs: end by {why} after {place}"), n);
    }
    let [first, others] = whole.shown();
    let mut checked = task.result(ledger);
    for (n, planned) in planned.iter().enumerate() {
        let shown = if n == 0 { first } else { others };
        if let Some(counts) = checked.pair.reachable_sites.get_mut(n) {
            *counts = Reach::of(shown, planned, program);
        }
        checked.shown.push(shown.clone());
    }
    checked.findings = findings.take();
    Some(checked)
}

/// Tells one run of each thing that goes wrong and is asked for, as far as it is confirmed.
fn failures(
    shared: &Shared<'_, '_>,
    whole: &Whole<'_>,
    claims: &[Claim],
    (ledger, found): (&mut Ledger, &dyn Fn(Finding)),
) {
    // Who closes a circle is one of those in it.
    let mut told: BTreeSet<Vec<String>> = BTreeSet::new();
    for schedules in whole.failures() {
        let kind = schedules.first().map(|s| s.failure.kind());
        let claim = kind.and_then(queries::refuted_by);
        let Some(claim) = claim.filter(|claim| claims.contains(claim)) else {
            continue;
        };
        for schedule in schedules {
            ledger.count("runs: failures tried", 1);
            match query::replay(shared, schedule.clone(), None, false) {
                Ok(finding) => {
                    ledger.refuted(&claim);
                    if told.insert(parties(&finding)) {
                        found(finding);
                    }
                    break;
                }
                Err(why) => {
                    let not = u64::from(matches!(why, Why::NotReplayed(_)));
                    ledger.count("runs: failures that do not replay", not);
                }
            }
        }
    }
}

/// Who takes part in a finding: the same for what is the same but for who comes last.
fn parties(finding: &Finding) -> Vec<String> {
    let one = |a: &Access| {
        let at = a
            .stack
            .iter()
            .map(|f| format!("{}:{}:{}", f.file, f.line, f.column));
        let at: Vec<String> = at.collect();
        format!("{:?} {}", finding.kind, at.join(" "))
    };
    let mut all: Vec<String> = finding.accesses.iter().map(one).collect();
    all.sort();
    all.dedup();
    all
}

/// The accesses of these regions.
fn wanted(shared: &Shared<'_, '_>, regions: &[&PlannedRegion]) -> FixedBitSet {
    let mut wanted = FixedBitSet::with_capacity(shared.closed.concurrent.sites.len());
    let sites = regions
        .iter()
        .flat_map(|r| r.sites_a.iter().chain(&r.sites_b));
    wanted.extend(sites.map(|s| s.index()));
    wanted
}

/// Looks for a race of each region; those that are left have none.
fn each(
    (shared, plan): (&Shared<'_, '_>, &PairPlan),
    left: &mut Vec<&PlannedRegion>,
    threads: &mut dyn Meets,
    (ledger, found): (&mut Ledger, &dyn Fn(Finding)),
) {
    left.retain(|region| {
        if shared.deadline.passed().is_some() {
            return true;
        }
        let mut search = OfRegion {
            shared,
            plan,
            region,
            threads: &mut *threads,
            tried: 0,
            not_replayed: 0,
        };
        let raced = search.race(found);
        let (tried, not_replayed) = (search.tried, search.not_replayed);
        ledger.count("runs: meetings tried", tried);
        ledger.count("runs: meetings that do not replay", not_replayed);
        if raced {
            ledger.count("runs: races", 1);
            ledger.refuted(&Claim::Region(region.name.clone()));
        }
        !raced
    });
}

/// The search for a race of one region.
struct OfRegion<'a, 's, 'p> {
    shared: &'a Shared<'s, 'p>,
    plan: &'a PairPlan,
    region: &'a PlannedRegion,
    threads: &'a mut dyn Meets,
    tried: u64,
    not_replayed: u64,
}

impl OfRegion<'_, '_, '_> {
    /// Whether it races: the worst race by its class, and of these the first in the source, is told, as far as runs come there.
    fn race(&mut self, found: &dyn Fn(Finding)) -> bool {
        let program = &self.shared.closed.concurrent;
        let sites = [&self.region.sites_a[..], &self.region.sites_b];
        // Two places in a function that serves several objects meet at each of these.
        let mut open: BTreeMap<(SiteId, SiteId, u64), Vec<Meeting>> = BTreeMap::new();
        for meeting in self.threads.meetings(sites) {
            let (x, y) = meeting.sites();
            let of_one = open.entry((x, y, meeting.at())).or_default();
            if of_one.len() < TRIES_OF_ONE && self.is_candidate(meeting.sites()) {
                of_one.push(meeting);
            }
        }
        let Some((mut best, sites)) = self.first(open.values().flatten()) else {
            return false;
        };
        // Those that would be told rather.
        let known = representative::rank(program, sites, &best);
        let ranked = open.iter().map(|((x, y, _), meetings)| {
            let rank = representative::rank(program, (*x, *y), &best);
            (rank, meetings)
        });
        let mut ahead: Vec<_> = ranked.filter(|(r, _)| r.is_some() && *r < known).collect();
        ahead.sort_by(|x, y| x.0.cmp(&y.0));
        let ahead: Vec<Meeting> = ahead.into_iter().flat_map(|(_, m)| m.clone()).collect();
        if let Some((finding, _)) = self.first(&ahead) {
            best = finding;
        }
        let pairs = self.pairs();
        best.other_pairs = query::places(program, &pairs).saturating_sub(1);
        best.functions = query::functions(self.shared, &pairs);
        found(best);
        true
    }

    /// The first meeting that comes about and is confirmed as a race of the region.
    fn first<'m>(
        &mut self,
        meetings: impl IntoIterator<Item = &'m Meeting>,
    ) -> Option<(Finding, (SiteId, SiteId))> {
        for meeting in meetings.into_iter().take(TRIES) {
            self.tried += 1;
            let Some(schedule) = self.threads.meet(meeting) else {
                continue;
            };
            let name = Some(self.region.name.name());
            match query::replay(self.shared, schedule, name, false) {
                Ok(finding) if self.is_own(&finding.location) => {
                    return Some((finding, meeting.sites()));
                }
                Ok(_) => {}
                Err(why) => {
                    self.not_replayed += u64::from(matches!(why, Why::NotReplayed(_)));
                }
            }
        }
        None
    }

    /// Whether two accesses are a pair of those of the region, in either order.
    fn is_candidate(&self, (x, y): (SiteId, SiteId)) -> bool {
        let (a, b) = (&self.region.sites_a, &self.region.sites_b);
        let sites = &self.shared.closed.concurrent.sites;
        let writes = |s: SiteId| sites[s].kind != SiteKind::Read;
        a.contains(&x) && b.contains(&y) && (writes(x) || writes(y))
    }

    /// Whether what a race is told to be about is the region, not another one of the pair.
    fn is_own(&self, location: &str) -> bool {
        let mut all = self.plan.regions.iter();
        self.region.name.has(location) || !all.any(|r| r.name.has(location))
    }

    /// All pairs of accesses of the region.
    fn pairs(&self) -> Vec<(SiteId, SiteId)> {
        let (a, b) = (&self.region.sites_a, &self.region.sites_b);
        let all = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
        all.filter(|pair| self.is_candidate(*pair)).collect()
    }
}
