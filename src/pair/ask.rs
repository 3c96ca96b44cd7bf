//! The questions on a finished run: one per region, and how far the two sides got.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::Shared;
use super::gaps;
use super::question::{self, Questions, Said};
use crate::analysis::fields::FieldId;
use crate::analysis::plan::{PairPlan, PlannedRegion, ProvedRegion};
use crate::assumption::Assumption;
use crate::config::Options;
use crate::index::{Idx, SiteId};
use crate::program::{FailKind, Program, SiteKind};
use crate::symex::check::{Checker, Gap};
use crate::symex::slice::Left;
use crate::verdict::{Finding, RegionResult, Tier, Verdict};

/// Why nothing is known of a region that no execution within the bounds gets to.
pub(super) const BEYOND: &str = "vacuous: the bounds cut every execution that gets to an access";

/// The region of the assertions.
const ASSERTIONS: &str = "assertions";

/// Why nothing is known of what only executions show.
pub(super) const NOT_SEARCHED: &str = "executions are not searched (--tier)";

/// The region of what has been freed.
const FREED: &str = "freed objects";

/// The regions of the checks that models make.
const LOCK_USE: &str = "use of locks";
const DEADLOCKS: &str = "deadlocks";
const REMOVED: &str = "after removal";
/// The region of what is overwritten between two critical sections.
const ATOMICITY: &str = "atomicity";
pub(super) const CHECKED: [&str; 3] = [LOCK_USE, DEADLOCKS, REMOVED];

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
    /// What is to be followed, for more to be known.
    pub misled: BTreeSet<Left>,
    /// Fields that were found to matter.
    pub matter: BTreeSet<FieldId>,
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
            misled: BTreeSet::new(),
            matter: BTreeSet::new(),
            stats: BTreeMap::new(),
        }
    }

    pub(super) fn count(&mut self, name: &str, n: u64) {
        *self.stats.entry(name.to_string()).or_default() += n;
    }

    pub(super) fn region(&mut self, location: &str, verdict: Verdict, reason: Option<String>) {
        let by = (verdict != Verdict::Unknown).then_some(self.tier);
        self.regions.push(RegionResult {
            location: location.to_string(),
            verdict,
            by,
            reason,
            assumptions: Vec::new(),
            run: Vec::new(),
        });
    }

    /// The first side exchanged for that one.
    pub(super) fn swapped(mut self, outer: usize) -> Answers {
        self.reach = self.reach.map(|reach| reach.swapped(outer));
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
        self.matter.extend(other.matter);
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
        shared: &Shared<'_, '_>,
        sides: &[&str],
    ) {
        let program = &shared.closed.concurrent;
        let why = match (reach, shared.deadline.passed()) {
            (Some(reach), _) => no_evidence(program, plan, reach, sides),
            (None, Some(stopped)) => Some(stopped.to_string()),
            (None, None) => shared
                .start
                .missing(shared.closed, sides)
                .or_else(|| no_evidence(program, plan, &Reach::default(), sides)),
        };
        for proof in proofs {
            let mut assumptions = proof.rests_on;
            assumptions.push(Assumption::SequentialConsistency);
            if !shared.options.strict {
                assumptions.extend([Assumption::OneDevice, Assumption::TypedMemory]);
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
                run: Vec::new(),
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
            self.region(UNNAMED, Verdict::Unknown, Some(why.to_string()));
        }
    }
}

/// What stands for all regions where their names are not known.
pub const UNNAMED: &str = "threads";

/// A region that has been proved free of races for any number of threads.
pub(super) struct Proof {
    /// Its name.
    pub location: String,
    /// What proves it.
    pub by: Tier,
    /// What the proof rests on, beside what all of them do.
    pub rests_on: Vec<Assumption>,
}

impl From<ProvedRegion> for Proof {
    fn from(region: ProvedRegion) -> Self {
        let mut rests_on = Vec::new();
        let by_locks = !region.locks.is_empty();
        if by_locks {
            rests_on.extend([Assumption::BothHold(region.locks), Assumption::LocksLive]);
        }
        if !region.over.is_empty() {
            rests_on.push(Assumption::Over(region.over, by_locks));
        }
        Proof {
            location: region.name,
            by: Tier::Lockset,
            rests_on,
        }
    }
}

impl Proof {
    /// By a net. `locks`: of some accesses locks may have proved it.
    pub(super) fn by_net(location: String, locks: bool) -> Proof {
        let mut rests_on = vec![Assumption::NetOfAllThreads];
        if locks {
            rests_on.push(Assumption::LocksLive);
        }
        Proof {
            location,
            by: Tier::Coverability,
            rests_on,
        }
    }

    /// By the net of a driver.
    pub(super) fn by_driver_net(location: String, locks: bool) -> Proof {
        let mut proof = Proof::by_net(location, locks);
        proof.rests_on.extend([
            Assumption::RulesOfEntryPoints,
            Assumption::TwoFilesOfEachKind,
        ]);
        proof
    }
}

/// The regions of checks of models that are asked for.
pub(super) fn checked(options: &Options) -> impl Iterator<Item = &'static str> {
    let all = [
        (options.lock_misuse, LOCK_USE),
        (options.deadlock, DEADLOCKS),
        (options.removed, REMOVED),
    ];
    all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name)
}

/// Names of the regions that are asked for of one thread already, where there are sites of their kind.
pub(super) fn of_one(options: &Options, any: impl Fn(SiteKind) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    if options.assertions && any(SiteKind::Assert) {
        names.push(ASSERTIONS.to_string());
    }
    if options.use_after_free && any(SiteKind::Free) {
        names.push(FREED.to_string());
    }
    if any(SiteKind::Check) {
        names.extend(checked(options).map(str::to_string));
    }
    names
}

/// Whether a failure belongs to such a region.
pub(super) fn is_about(region: &str, kind: FailKind) -> bool {
    match kind {
        FailKind::Race | FailKind::Atomicity => false,
        FailKind::Assertion => region == ASSERTIONS,
        FailKind::UseAfterFree => region == FREED,
        FailKind::Deadlock => region == DEADLOCKS,
        FailKind::UseAfterRemoval => region == REMOVED,
        FailKind::DoubleAcquire
        | FailKind::ReleaseNotHeld
        | FailKind::SleepInAtomic
        | FailKind::ReturnWithLockHeld => region == LOCK_USE,
    }
}

/// Names of the regions that will be asked for.
pub(super) fn names(shared: &Shared<'_, '_>, plan: &PairPlan) -> Vec<String> {
    let mut names = Vec::new();
    if shared.options.race {
        names.extend(plan.regions.iter().map(|r| r.name.clone()));
    }
    names.extend(of_one(shared.options, |kind| {
        any(&shared.closed.concurrent, plan, kind)
    }));
    if !plan.atomicity.pairs.is_empty() {
        names.push(ATOMICITY.to_string());
    }
    names
}

/// Whether a thread of the plan may come to a site of that kind.
pub(super) fn any(program: &Program, plan: &PairPlan, kind: SiteKind) -> bool {
    let mut sites = plan.sides.iter().flat_map(FixedBitSet::ones);
    sites.any(|s| program.sites[SiteId::new(s)].kind == kind)
}

/// Which sites each of the sides was shown to get to.
#[derive(Clone, Default)]
pub(super) struct Reach {
    /// In the order of the plan's; none: nothing was shown of any.
    pub sides: Vec<FixedBitSet>,
    /// By the thread that starts them, if they are born so.
    pub init: FixedBitSet,
}

impl Reach {
    /// The first side exchanged for that one.
    pub(super) fn swapped(&self, outer: usize) -> Reach {
        let mut reach = self.clone();
        if outer < reach.sides.len() {
            reach.sides.swap(0, outer);
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
    }

    /// What that side was shown to get to; nothing, if nothing was shown.
    pub(super) fn side(&self, n: usize) -> FixedBitSet {
        self.sides.get(n).cloned().unwrap_or_default()
    }

    /// Whether both sides get to an access of the region. One without candidates has none to get to.
    pub(super) fn get_to(&self, region: &PlannedRegion) -> bool {
        let got = |sites: &[SiteId], by: &[FixedBitSet]| {
            let by = |s: &SiteId| by.iter().any(|set| set.contains(s.index()));
            let shown = |s: &SiteId| by(s) || self.init.contains(s.index());
            sites.is_empty() || sites.iter().any(shown)
        };
        // Of more than two threads, a region's sites are those of any two.
        let (a, b) = match &self.sides[..] {
            [a, b] => (std::slice::from_ref(a), std::slice::from_ref(b)),
            all => (all, all),
        };
        got(&region.sites_a, a) && got(&region.sites_b, b)
    }

    /// Whether every access of the region was shown to be got to, by one of the threads.
    pub fn get_to_all(&self, region: &PlannedRegion) -> bool {
        let by = |s: &SiteId| self.sides.iter().any(|set| set.contains(s.index()));
        let shown = |s: &SiteId| by(s) || self.init.contains(s.index());
        !region.sites_a.is_empty() && region.sites_a.iter().chain(&region.sites_b).all(shown)
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

/// What to ask of a finished run.
pub(super) struct Asking<'a, 'p> {
    pub shared: &'a Shared<'a, 'p>,
    pub plan: &'a PairPlan,
    /// Names of the sides, the outer one first.
    pub sides: &'a [&'a str],
    /// Regions that are not asked for.
    pub skip: &'a [String],
    /// What both sides get to by themselves, if that is known.
    pub solo: Option<&'a Reach>,
    /// Whether some fields were not tracked: what such a run gets to is no evidence.
    pub sliced: bool,
}

/// Asks everything.
pub(super) fn regions(
    answers: &mut Answers,
    checker: &mut Checker<'_>,
    asking: &Asking<'_, '_>,
    found: &dyn Fn(Finding),
) {
    let Asking {
        shared,
        plan,
        sides,
        skip,
        solo,
        sliced,
    } = *asking;
    let program = &shared.closed.concurrent;
    let failures = checker.failures();
    let mut asked: Vec<(String, Questions)> = Vec::new();
    for name in names(shared, plan) {
        if skip.contains(&name) {
            continue;
        }
        let region = plan.regions.iter().find(|r| r.name == name);
        let here = failures.iter().filter(|f| match region {
            Some(r) => {
                let (a, b) = (&r.sites_a, &r.sites_b);
                let (x, y) = (&f.first, &f.second);
                f.kind == FailKind::Race
                    && ((a.contains(x) && b.contains(y)) || (b.contains(x) && a.contains(y)))
            }
            None if name == ATOMICITY => {
                f.kind == FailKind::Atomicity && plan.atomicity.pairs.contains(&(f.first, f.second))
            }
            None => is_about(&name, f.kind),
        });
        // Of what models check, each check is a question of its own: one of each is told.
        let mut questions = Questions::new();
        for f in here {
            let check = (f.kind, f.second, f.place);
            let check = f.kind.goes_on().then_some(check);
            let candidate = (f.first, f.second, f.guard);
            questions.entry(check).or_default().push(candidate);
        }
        asked.push((name, questions));
    }
    let of_plan = |name: &str| plan.regions.iter().any(|r| r.name == name);
    let not = &mut answers.not_replayed;
    let open = question::all(not, checker, shared, asked, &of_plan, found);
    // The evidence takes time too: what it is not needed for is not asked. Without it nothing is more than unknown.
    let mut reached = solo.cloned().unwrap_or_default();
    let (mut gaps, mut cut, mut vacuous) = (Vec::new(), false, None);
    let bounded = |name: &String, said: &Said| match said {
        Said::No => plan.regions.iter().find(|r| r.name == *name),
        _ => None,
    };
    if shared.deadline.passed().is_none() {
        let nothing_asked = open.is_empty() && skip.is_empty();
        if nothing_asked || open.iter().any(|(_, said)| matches!(said, Said::No)) {
            gaps = checker.gaps();
        }
        let user = users(program, plan.sides.iter().flat_map(FixedBitSet::ones));
        if solo.is_none() && !sliced {
            reached = reach(checker, program, plan, &user, true);
        }
        if !sliced && no_evidence(program, plan, &reached, sides).is_some() {
            reached.add(&reach(checker, program, plan, &user, false));
        }
        vacuous = no_evidence(program, plan, &reached, sides);
        let lacking = |reached: &Reach| {
            let mut wanted = FixedBitSet::with_capacity(program.sites.len());
            for region in open.iter().filter_map(|(name, said)| bounded(name, said)) {
                if !reached.get_to(region) {
                    let sites = region.sites_a.iter().chain(&region.sites_b);
                    wanted.extend(sites.map(|s| s.index()));
                }
            }
            (!wanted.is_clear()).then_some(wanted)
        };
        if gaps.is_empty()
            && vacuous.is_none()
            && let Some(wanted) = lacking(&reached)
        {
            cut = checker.bounds_met();
            if cut && !sliced {
                reached.add(&reach(checker, program, plan, &wanted, false));
            }
        }
        if !sliced {
            let asked = open.iter().filter_map(|(name, said)| bounded(name, said));
            if let Some(wanted) = gaps::besides(&gaps, asked) {
                reached.add(&reach(checker, program, plan, &wanted, false));
            }
        }
    }
    if let Some(stopped) = shared.deadline.passed() {
        gaps = vec![Gap::everywhere(stopped.to_string())];
        vacuous = None;
    }
    for (location, said) in open {
        let region = plan.regions.iter().find(|r| r.name == location);
        let nowhere = || (cut && !reached.get_to(region?)).then(|| BEYOND.to_string());
        let left_out = || {
            // What cut the executions says more than that they were cut.
            let gap = gaps::concerning(&gaps, region, &reached);
            gap.or_else(|| vacuous.clone()).or_else(nowhere)
        };
        match said {
            Said::Race => answers.region(&location, Verdict::Race, None),
            Said::Unknown(why) => answers.region(&location, Verdict::Unknown, Some(why)),
            Said::Misled(sites) => {
                answers.misled.extend(sites);
                let why = "it depends on what is not followed".to_string();
                answers.region(&location, Verdict::Unknown, Some(why));
            }
            Said::No => match left_out() {
                Some(why) => answers.region(&location, Verdict::Unknown, Some(why)),
                None => answers.region(&location, Verdict::Bounded, None),
            },
        }
    }
    // A gap makes the pair unknown even where no region is there to show it.
    if answers.regions.is_empty()
        && skip.is_empty()
        && let Some(why) = gaps.into_iter().next().map(|gap| gap.why).or(vacuous)
    {
        answers.region("threads", Verdict::Unknown, Some(why));
    }
    answers.reach = shared.deadline.passed().is_none().then_some(reached);
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
    let mut threads: Vec<u32> = checker.run().reached.keys().map(|(_, t)| *t).collect();
    threads.sort_unstable();
    threads.dedup();
    let n = program.sites.len();
    let mut reach = Reach {
        sides: vec![FixedBitSet::with_capacity(n); plan.sides.len()],
        init: FixedBitSet::with_capacity(n),
    };
    for t in threads {
        let sites = checker.reached(t, among, few);
        // Who is started by one of them counts as the second.
        let side = match t as usize {
            t if t < plan.sides.len() => t,
            _ => 1,
        };
        reach.sides[side].extend(sites.into_iter().map(Idx::index));
    }
    if plan.born {
        // Thread 0 is none of them; which of the others is which differs from run to run.
        let mut any = FixedBitSet::with_capacity(n);
        for side in &reach.sides[1..] {
            any.union_with(side);
        }
        reach.init = std::mem::replace(&mut reach.sides[0], any.clone());
        reach.sides.fill(any);
    }
    reach
}

/// Why nothing can be said: a side that got nowhere.
pub(super) fn no_evidence(
    program: &Program,
    plan: &PairPlan,
    reach: &Reach,
    sides: &[&str],
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
    if plan.sides[1..].iter().all(FixedBitSet::is_clear)
        && reach.sides.iter().skip(1).all(FixedBitSet::is_clear)
    {
        return Some(format!(
            "vacuous: no second thread is started beside {}",
            sides[0]
        ));
    }
    let mut each = plan.sides.iter().zip(sides).enumerate();
    each.find_map(|(n, (planned, name))| side(planned, &reach.side(n), name))
}
