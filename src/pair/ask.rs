//! The questions on a finished run: one per region, and how far the two sides got.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::Shared;
use crate::analysis::plan::{PairPlan, PlannedRegion, ProvedRegion};
use crate::expr::Term;
use crate::finding;
use crate::index::{Idx, SiteId};
use crate::program::{FailKind, Program, SiteKind};
use crate::replay::confirm;
use crate::symex::check::{Checker, Possible};
use crate::trace::schedule::{Failure, Schedule};
use crate::verdict::{Finding, FindingKind, RegionResult, Tier, Verdict};

/// Interleavings tried per region, and per pair of accesses, before models that do not replay make it unknown.
const TRIES: usize = 6;
const TRIES_OF_ONE: usize = 3;

/// The region of the assertions.
const ASSERTIONS: &str = "assertions";

/// Why nothing is known where initialisation never succeeds.
pub(super) const NO_START: &str = "vacuous: initialisation never succeeds";

/// The region of what has been freed.
const FREED: &str = "freed objects";

/// What a run of one order came to.
pub(super) struct Answers {
    /// Who gives them.
    tier: Tier,
    /// One per region that was asked for; a region `threads` where there is none to carry a reason.
    pub regions: Vec<RegionResult>,
    /// Sites that the outer thread and the others were shown to get to, if that was asked.
    pub reach: Option<Reach>,
    /// Interleavings that the interpreter did not confirm.
    pub not_replayed: u32,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
}

impl Default for Answers {
    fn default() -> Self {
        Answers::by(Tier::Kiss)
    }
}

impl Answers {
    /// None so far.
    pub(super) fn by(tier: Tier) -> Answers {
        Answers {
            tier,
            regions: Vec::new(),
            reach: None,
            not_replayed: 0,
            stats: BTreeMap::new(),
        }
    }

    pub(super) fn count(&mut self, name: &str, n: u64) {
        *self.stats.entry(name.to_string()).or_default() += n;
    }

    fn region(&mut self, location: &str, verdict: Verdict, reason: Option<String>) {
        let by = (verdict != Verdict::Unknown).then_some(self.tier);
        self.regions.push(RegionResult {
            location: location.to_string(),
            verdict,
            by,
            reason,
            assumptions: Vec::new(),
        });
    }

    /// The two sides exchanged.
    pub(super) fn swapped(mut self) -> Answers {
        self.reach = self.reach.map(|reach| reach.swapped());
        self
    }

    /// Adds what another run came to: the other order, or another analysis. A race in one is a race, and no more is known of a
    /// region than by the run that knows less: the bounds that the report states are those of both.
    pub(super) fn add(&mut self, other: Answers) {
        for region in other.regions {
            let mut own = self.regions.iter_mut();
            match own.find(|r| r.location == region.location) {
                Some(own) if own.verdict < region.verdict => *own = region,
                Some(own) if own.verdict == region.verdict => own.by = region.by,
                Some(_) => {}
                None => self.regions.push(region),
            }
        }
        if let (Some(own), Some(other)) = (&mut self.reach, &other.reach) {
            own.add(other);
        }
        self.not_replayed += other.not_replayed;
        for (name, n) in other.stats {
            self.count(&name, n);
        }
    }

    /// The regions with a race.
    pub(super) fn raced(&self) -> Vec<String> {
        let raced = self.regions.iter().filter(|r| r.verdict == Verdict::Race);
        raced.map(|r| r.location.clone()).collect()
    }

    /// A region for each finding.
    pub(super) fn races(&mut self, findings: &[Finding]) {
        for finding in findings {
            self.region(&finding.location, Verdict::Race, None);
        }
    }

    /// Adds what is proved for any number of threads, if both sides are shown to get somewhere.
    pub(super) fn proved(
        &mut self,
        proofs: Vec<Proof>,
        reach: Option<&Reach>,
        plan: &PairPlan,
        shared: &Shared<'_>,
        sides: [&str; 2],
    ) {
        let program = &shared.closed.concurrent;
        let why = match (reach, shared.deadline.passed()) {
            (Some(reach), _) => no_evidence(program, plan, reach, sides),
            (None, Some(stopped)) => Some(stopped.to_string()),
            (None, None) if shared.start.state.is_none() => Some(NO_START.to_string()),
            (None, None) => no_evidence(program, plan, &Reach::default(), sides),
        };
        for proof in proofs {
            let mut assumptions = proof.rests_on;
            assumptions.push("sequential consistency".to_string());
            if !shared.options.strict {
                assumptions.push("there is one device (--strict does without)".to_string());
                assumptions.push(
                    "pointers lead to memory of their C type, indices into their array (--strict does without)".to_string(),
                );
            }
            let proved = why.is_none();
            self.regions.push(RegionResult {
                location: proof.location,
                verdict: match proved {
                    true => Verdict::Proved,
                    false => Verdict::Unknown,
                },
                by: proved.then_some(proof.by),
                reason: why.clone(),
                assumptions: if proved { assumptions } else { Vec::new() },
            });
        }
        self.regions.sort_by(|x, y| x.location.cmp(&y.location));
    }

    /// Everything unknown, for one reason.
    pub(super) fn unknown(regions: &[String], why: &str) -> Answers {
        let mut answers = Answers::default();
        answers.all_unknown(regions, why);
        answers
    }

    /// As [`Answers::unknown`], beside what has been counted.
    pub(super) fn all_unknown(&mut self, regions: &[String], why: &str) {
        for region in regions {
            self.region(region, Verdict::Unknown, Some(why.to_string()));
        }
        if regions.is_empty() {
            self.region("threads", Verdict::Unknown, Some(why.to_string()));
        }
    }
}

/// A region that has been proved free of races for any number of threads.
pub(super) struct Proof {
    /// Its name.
    pub location: String,
    /// What proves it.
    pub by: Tier,
    /// What the proof rests on, beside what all of them do.
    pub rests_on: Vec<String>,
}

/// What a proof by locks takes for granted.
const LOCKS_LIVE: &str = "no lock is initialised again while it is held";

impl From<ProvedRegion> for Proof {
    fn from(region: ProvedRegion) -> Self {
        let held = format!("both hold {} at every access", region.locks.join(" or "));
        Proof {
            location: region.name,
            by: Tier::Lockset,
            rests_on: vec![held, LOCKS_LIVE.to_string()],
        }
    }
}

impl Proof {
    /// By a net. `locks`: of some accesses locks may have proved it.
    pub(super) fn by_net(location: String, locks: bool) -> Proof {
        let net = "no run of the Petri net of all threads gets to two conflicting accesses at once";
        let mut rests_on = vec![net.to_string()];
        if locks {
            rests_on.push(LOCKS_LIVE.to_string());
        }
        Proof {
            location,
            by: Tier::Coverability,
            rests_on,
        }
    }
}

/// Names of the regions that will be asked for.
pub(super) fn names(shared: &Shared<'_>, plan: &PairPlan) -> Vec<String> {
    let mut names = Vec::new();
    if shared.options.race {
        names.extend(plan.regions.iter().map(|r| r.name.clone()));
    }
    if shared.options.assertions && asserts(&shared.closed.concurrent, plan) {
        names.push(ASSERTIONS.to_string());
    }
    if shared.options.use_after_free && frees(&shared.closed.concurrent, plan) {
        names.push(FREED.to_string());
    }
    names
}

/// Whether a thread of the plan may execute an assertion.
pub(super) fn asserts(program: &Program, plan: &PairPlan) -> bool {
    plan.reachable_a
        .union(&plan.reachable_b)
        .any(|s| program.sites[SiteId::new(s)].kind == SiteKind::Assert)
}

/// Whether a thread of the plan may free an object.
pub(super) fn frees(program: &Program, plan: &PairPlan) -> bool {
    plan.reachable_a
        .union(&plan.reachable_b)
        .any(|s| program.sites[SiteId::new(s)].kind == SiteKind::Free)
}

/// Which sites each of the two sides was shown to get to.
#[derive(Clone, Default)]
pub(super) struct Reach {
    pub a: FixedBitSet,
    pub b: FixedBitSet,
    /// By the thread that starts both, if they are born so.
    pub init: FixedBitSet,
}

impl Reach {
    /// The sides exchanged.
    pub(super) fn swapped(&self) -> Reach {
        Reach {
            a: self.b.clone(),
            b: self.a.clone(),
            init: self.init.clone(),
        }
    }

    /// What another run showed, too.
    pub(super) fn add(&mut self, other: &Reach) {
        self.a.union_with(&other.a);
        self.b.union_with(&other.b);
        self.init.union_with(&other.init);
    }

    /// Whether both sides get to an access of the region. One without candidates has none to get to.
    fn get_to(&self, region: &PlannedRegion) -> bool {
        let got = |sites: &[SiteId], by: &FixedBitSet| {
            let shown = |s: &SiteId| by.contains(s.index()) || self.init.contains(s.index());
            sites.is_empty() || sites.iter().any(shown)
        };
        got(&region.sites_a, &self.a) && got(&region.sites_b, &self.b)
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

/// What was said of a region while it was asked for.
enum Said {
    Race,
    Unknown(String),
    /// Not within the bounds, if nothing was left out.
    No,
}

/// What to ask of a finished run.
pub(super) struct Asking<'a> {
    pub shared: &'a Shared<'a>,
    pub plan: &'a PairPlan,
    /// Names of the two sides, the outer one first.
    pub sides: [&'a str; 2],
    /// Regions that are not asked for.
    pub skip: &'a [String],
    /// What both sides get to by themselves, if that is known.
    pub solo: Option<&'a Reach>,
}

/// Asks everything.
pub(super) fn regions(
    answers: &mut Answers,
    checker: &mut Checker<'_>,
    asking: &Asking<'_>,
    found: &dyn Fn(Finding),
) {
    let Asking {
        shared,
        plan,
        sides,
        skip,
        solo,
    } = *asking;
    let program = &shared.closed.concurrent;
    let failures = checker.failures();
    let mut open: Vec<(String, Said)> = Vec::new();
    for name in names(shared, plan) {
        if skip.contains(&name) {
            continue;
        }
        let region = plan.regions.iter().find(|r| r.name == name);
        let here = failures
            .iter()
            .filter(|(kind, x, y, _)| match region {
                Some(r) => {
                    let (a, b) = (&r.sites_a, &r.sites_b);
                    *kind == FailKind::Race
                        && ((a.contains(x) && b.contains(y)) || (b.contains(x) && a.contains(y)))
                }
                None if name == FREED => *kind == FailKind::UseAfterFree,
                None => *kind == FailKind::Assertion,
            })
            .map(|(_, x, y, g)| (*x, *y, *g))
            .collect();
        let said = ask(
            answers,
            checker,
            shared,
            here,
            region.map(|r| r.name.as_str()),
            found,
        );
        open.push((name, said));
    }
    // The evidence takes time too; without it nothing is more than unknown.
    let mut reached = Reach::default();
    let (mut gaps, mut cut, mut vacuous) = (Vec::new(), false, None);
    if shared.deadline.passed().is_none() {
        gaps = checker.gaps();
        cut = checker.bounds_met();
        // What the sides get to by themselves is mostly enough.
        let enough = |reached: &Reach| {
            let both = |r: &PlannedRegion| reached.get_to(r);
            no_evidence(program, plan, reached, sides).is_none()
                && (!cut || plan.regions.iter().all(both))
        };
        reached = match solo {
            Some(solo) if enough(solo) => solo.clone(),
            Some(solo) => {
                let mut all = reach(checker, program, plan);
                all.a.union_with(&solo.a);
                all.b.union_with(&solo.b);
                all
            }
            None => reach(checker, program, plan),
        };
        vacuous = no_evidence(program, plan, &reached, sides);
    }
    if let Some(stopped) = shared.deadline.passed() {
        gaps = vec![stopped.to_string()];
        vacuous = None;
    }
    for (location, said) in open {
        let region = plan.regions.iter().find(|r| r.name == location);
        let nowhere = || {
            (cut && !reached.get_to(region?)).then(|| {
                "vacuous: the bounds cut every execution that gets to an access".to_string()
            })
        };
        let left_out = || {
            // What cut the executions says more than that they were cut.
            gaps.first()
                .cloned()
                .or_else(|| vacuous.clone())
                .or_else(nowhere)
        };
        match said {
            Said::Race => answers.region(&location, Verdict::Race, None),
            Said::Unknown(why) => answers.region(&location, Verdict::Unknown, Some(why)),
            Said::No => match left_out() {
                Some(why) => answers.region(&location, Verdict::Unknown, Some(why)),
                None => answers.region(&location, Verdict::Bounded, None),
            },
        }
    }
    // A gap makes the pair unknown even where no region is there to show it.
    if answers.regions.is_empty()
        && skip.is_empty()
        && let Some(why) = gaps.into_iter().next().or(vacuous)
    {
        answers.region("threads", Verdict::Unknown, Some(why));
    }
    answers.reach = shared.deadline.passed().is_none().then_some(reached);
}

/// Asks for one region.
fn ask(
    answers: &mut Answers,
    checker: &mut Checker<'_>,
    shared: &Shared<'_>,
    mut candidates: Vec<(SiteId, SiteId, Term)>,
    region: Option<&str>,
    found: &dyn Fn(Finding),
) -> Said {
    let options = shared.options;
    let program = &shared.closed.concurrent;
    // Where a candidate was found and not confirmed, its absence is not known any more.
    let mut unconfirmed: Option<String> = None;
    let mut tries: BTreeMap<(SiteId, SiteId), usize> = BTreeMap::new();
    for _ in 0..TRIES {
        let conditions: Vec<_> = candidates.iter().map(|(_, _, g)| *g).collect();
        let schedule = match checker.possible(&conditions) {
            Possible::No => break,
            Possible::Unknown(why) => {
                let stopped = shared.deadline.passed();
                return Said::Unknown(stopped.map_or(why, |s| s.to_string()));
            }
            Possible::Yes(schedule) => *schedule,
        };
        let claim = schedule.failure.clone();
        match confirm::confirm_with(program, &schedule, options.marked) {
            Ok(confirmed) => {
                let mut finding = finding::make(schedule, confirmed, region, options);
                if finding.kind == FindingKind::DataRace {
                    finding.other_pairs = places(program, &candidates).saturating_sub(1);
                }
                found(finding);
                return Said::Race;
            }
            Err(divergence) => {
                answers.not_replayed += 1;
                dump(&schedule, &divergence.to_string());
                unconfirmed.get_or_insert_with(|| divergence.to_string());
                let key = match claim {
                    Failure::Race { first, second } => (first.site, second.site),
                    Failure::Assertion(step) | Failure::UseAfterFree(step) => {
                        (SiteId(0), step.site)
                    }
                };
                // Another interleaving may replay: of a section that was checked as the first access, it is for the interpreter to
                // say whether it can still be entered when the second access comes.
                let n = tries.entry(key).or_default();
                *n += 1;
                let done = *n == TRIES_OF_ONE;
                for (_, _, guard) in candidates.iter_mut().filter(|(a, b, _)| (*a, *b) == key) {
                    *guard = checker.otherwise(*guard);
                }
                candidates.retain(|(a, b, _)| (*a, *b) != key || !done);
            }
        }
    }
    match unconfirmed {
        None => Said::No,
        Some(why) => Said::Unknown(format!(
            "an interleaving was found that the interpreter does not confirm: {why}"
        )),
    }
}

/// How many pairs of places in the source the candidates are.
fn places(program: &Program, candidates: &[(SiteId, SiteId, Term)]) -> u32 {
    let at = |s: &SiteId| program.source.describe(program.sites[*s].loc);
    let pairs: BTreeSet<[String; 2]> = candidates
        .iter()
        .map(|(x, y, _)| {
            let mut pair = [at(x), at(y)];
            pair.sort();
            pair
        })
        .collect();
    u32::try_from(pairs.len()).unwrap_or(u32::MAX)
}

/// An unconfirmed interleaving is a bug of this program: kept for whoever looks into it.
fn dump(schedule: &Schedule, why: &str) {
    if let Some(folder) = std::env::var_os("IRKISS_DUMP") {
        let folder = std::path::PathBuf::from(folder);
        let text = serde_json::to_string_pretty(schedule).unwrap_or_default();
        let name = format!(
            "unconfirmed-{:016x}.json",
            crate::trace::file::fnv1a(text.as_bytes())
        );
        let _ = std::fs::write(folder.join(name), format!("// {why}\n{text}\n"));
    }
}

/// The sites that each side was shown to get to in a finished run.
pub(super) fn reach(checker: &mut Checker<'_>, program: &Program, plan: &PairPlan) -> Reach {
    let mut threads: Vec<u32> = checker.run().reached.keys().map(|(_, t)| *t).collect();
    threads.sort_unstable();
    threads.dedup();
    let n = program.sites.len();
    let mut reach = Reach {
        a: FixedBitSet::with_capacity(n),
        b: FixedBitSet::with_capacity(n),
        init: FixedBitSet::with_capacity(n),
    };
    for t in threads {
        let sites = checker.reached(t);
        let set = if t == 0 { &mut reach.a } else { &mut reach.b };
        for s in sites {
            set.insert(s.index());
        }
    }
    if plan.born {
        // Thread 0 is neither of the two; which of the others is which differs from run to run.
        reach.init = std::mem::replace(&mut reach.a, reach.b.clone());
    }
    reach
}

/// Why nothing can be said: a side that got nowhere.
pub(super) fn no_evidence(
    program: &Program,
    plan: &PairPlan,
    reach: &Reach,
    [outer, inner]: [&str; 2],
) -> Option<String> {
    let side = |planned: &FixedBitSet, shown: &FixedBitSet, name: &str| {
        let any_user = planned
            .ones()
            .any(|s| !program.sites[SiteId::new(s)].in_model);
        let got = shown
            .intersection(planned)
            .any(|s| !program.sites[SiteId::new(s)].in_model);
        (any_user && !got)
            .then(|| format!("vacuous: {name} is not shown to reach any visible instruction"))
    };
    if plan.reachable_b.is_clear() && reach.b.is_clear() {
        return Some(format!(
            "vacuous: no second thread is started beside {outer}"
        ));
    }
    side(&plan.reachable_a, &reach.a, outer).or_else(|| side(&plan.reachable_b, &reach.b, inner))
}
