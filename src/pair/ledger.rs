//! What is known of the claims of one task: each with its verdict, who decided, why no more is known, and what it rests on.
//!
//! The verdicts of a claim form a lattice: a race found is a race; else no more is known of it than by the run that knows less, since
//! the bounds that a report states are those of all runs. A proof holds for any number of threads and is added last, if there is
//! evidence for it ([`super::evidence`]).

use std::collections::{BTreeMap, BTreeSet};

use super::Shared;
use super::evidence::{self, Reach};
use crate::analysis::fields::FieldId;
use crate::analysis::plan::{PairPlan, Part, PlannedRegion, ProvedRegion};
use crate::assumption::Assumption;
use crate::index::SiteId;
use crate::program::Program;
use crate::region::Region;
use crate::symex::memory::untracked::Left;
use crate::verdict::{Claim, Finding, RegionResult, Tier, Verdict, Verdicts, Why, Within};

/// Counts of runs.
pub(super) const INSTRUCTIONS: &str = "instructions";
pub(super) const TERMS: &str = "terms";

/// What a run of one order came to, or several together.
pub(super) struct Ledger {
    /// Who decides.
    tier: Tier,
    /// Which executions it goes through, if it searches.
    pub within: Option<Within>,
    /// One per claim that was asked for; [`Claim::Threads`] where there is none to carry a reason.
    pub regions: Verdicts,
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
    /// Proofs of which these threads showed no evidence.
    pub unproved: Vec<Unproved>,
}

/// A proof that waits for evidence.
#[derive(Clone, Debug)]
pub struct Unproved {
    /// What is said of the claim once there is some.
    pub proved: RegionResult,
    /// As [`PlannedRegion::part`].
    pub part: Part,
    /// The accesses of either side.
    pub sites: [Vec<SiteId>; 2],
    /// Those of them that write.
    pub writing: [Vec<SiteId>; 2],
}

impl Default for Ledger {
    fn default() -> Self {
        Ledger::by(Tier::Kiss)
    }
}

impl Ledger {
    /// Nothing is known so far.
    pub(super) fn by(tier: Tier) -> Ledger {
        Ledger {
            tier,
            within: None,
            regions: Verdicts::NONE,
            reach: None,
            not_replayed: 0,
            misled: BTreeSet::new(),
            matter: BTreeSet::new(),
            stats: BTreeMap::new(),
            unproved: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, name: &str, n: u64) {
        *self.stats.entry(name.to_string()).or_default() += n;
    }

    /// Notes that a claim is refuted.
    pub(super) fn refuted(&mut self, claim: &Claim) {
        self.regions
            .note(RegionResult::race(claim.clone(), self.tier));
    }

    /// Notes that nothing was found against a claim within the bounds.
    pub(super) fn bounded(&mut self, claim: &Claim) {
        let within = self.within.into_iter().collect();
        let bounded = RegionResult::bounded(claim.clone(), self.tier, within);
        self.regions.note(bounded);
    }

    /// Notes why nothing is known of a claim.
    pub(super) fn leave_open(&mut self, claim: &Claim, why: Why) {
        self.regions.note(RegionResult::unknown(claim.clone(), why));
    }

    /// The first side exchanged for that one.
    pub(super) fn swapped(mut self, outer: usize) -> Ledger {
        self.reach = self.reach.map(|reach| reach.swapped(outer));
        self
    }

    /// Adds what another run came to: the other order, or another analysis.
    pub(super) fn add(&mut self, other: Ledger) {
        self.regions.join(other.regions);
        match (&mut self.reach, other.reach) {
            (Some(own), Some(other)) => own.add(&other),
            (own @ None, other) => *own = other,
            (Some(_), None) => {}
        }
        self.not_replayed += other.not_replayed;
        self.matter.extend(other.matter);
        for (name, n) in other.stats {
            self.count(&name, n);
        }
    }

    /// Adds what a search within other bounds came to. One that a limit cut takes nothing from what another has gone through, and gives way
    /// to it; one that met what is not modelled, or found what it could not confirm, does not.
    pub(super) fn deepen(&mut self, mut other: Ledger) {
        // Where executions end belongs to what was gone through.
        let [own, others] = [&*self, &other].map(|l| l.all_bounded().next().is_some());
        match (own, others) {
            (true, false) => other.forget_endings(),
            (false, true) => self.forget_endings(),
            (true, true) | (false, false) => {}
        }
        let cut = |r: &RegionResult| r.why().is_some_and(Why::is_limit);
        // That the run was stopped says more than that a step had used up what it may cost.
        let stopped = |r: &RegionResult| {
            matches!(r.why(), Some(Why::Stopped(_))) && self.regions.of(r.claim()).is_none_or(cut)
        };
        other
            .regions
            .retain(|r| !cut(r) || stopped(r) || !self.regions.has(r.claim()));
        self.regions
            .retain(|r| !(cut(r) && other.regions.has(r.claim())));
        self.add(other);
    }

    /// Adds what a search beyond the bounds that were asked for came to: whatever it met there takes nothing from what was gone through
    /// within these, but for what it found.
    pub(super) fn beyond(&mut self, asked: Within, mut other: Ledger) {
        let ended = |r: &RegionResult| r.why().is_some_and(|why| !why.is_suspicion());
        let gone_through = |claim: &Claim| {
            let own = self.regions.of(claim);
            own.is_some_and(|r| r.within().iter().any(|w| w.covers(&asked)))
        };
        other
            .regions
            .retain(|r| !(ended(r) && gone_through(r.claim())));
        other.give_way(self, asked);
        self.deepen(other);
    }

    /// Adds what the search within the bounds that were asked for came to.
    pub(super) fn asked_for(&mut self, asked: Within, other: Ledger) {
        self.give_way(&other, asked);
        self.deepen(other);
    }

    /// Where executions of this search end before they are over, and none of another one do that has gone through the same claims within the
    /// bounds that were asked for, that one says what is known.
    fn give_way(&mut self, better: &Ledger, asked: Within) {
        let (Some(own), Some(others)) = (&self.reach, &better.reach) else {
            return;
        };
        let gone_through = |claim: &Claim| {
            let known = better.regions.of(claim);
            known.is_some_and(|r| r.within().iter().any(|w| w.covers(&asked)))
        };
        let all_gone_through = self.all_bounded().all(|r| gone_through(r.claim()));
        if own.ends_elsewhere(others) && all_gone_through {
            self.regions.retain(|r| r.verdict() != Verdict::Bounded);
            self.forget_endings();
        }
    }

    fn all_bounded(&self) -> impl Iterator<Item = &RegionResult> {
        let bounded = |r: &&RegionResult| r.verdict() == Verdict::Bounded;
        self.regions.iter().filter(bounded)
    }

    fn forget_endings(&mut self) {
        if let Some(reach) = &mut self.reach {
            reach.endings.clear();
        }
    }

    /// Instructions and terms that its runs took.
    pub(super) fn size(&self) -> u64 {
        let of = |name| self.stats.get(name).copied().unwrap_or(0);
        of(INSTRUCTIONS) + of(TERMS)
    }

    /// Whether a limit kept it from deciding some claim.
    pub(super) fn is_cut(&self) -> bool {
        let mut whys = self.regions.iter().filter_map(RegionResult::why);
        whys.any(Why::is_limit)
    }

    /// The claims that a finding refutes.
    pub(super) fn raced(&self) -> Vec<Claim> {
        let raced = self.regions.iter();
        let raced = raced.filter(|r| r.verdict() == Verdict::Race);
        raced.map(|r| r.claim().clone()).collect()
    }

    /// A claim refuted by each finding.
    pub(super) fn races(&mut self, findings: &[Finding]) {
        for finding in findings {
            self.refuted(&Claim::Region(Region::new(&finding.location)));
        }
    }

    /// Takes away what is `bounded` without evidence: once, when all runs are over. Of a program, which has no other threads than those that
    /// were executed, it is evidence too that nothing cuts executions and none gets there.
    pub(super) fn ask_for_evidence(
        &mut self,
        reach: Option<&Reach>,
        (program, plan): (&Program, &PairPlan),
        (sides, is_program): (&[&str], bool),
    ) {
        let nothing = Reach::default();
        let reach = reach.unwrap_or(&nothing);
        if is_program && reach.is_complete() {
            return;
        }
        self.regions.take_back(|result| {
            if result.verdict() != Verdict::Bounded {
                return None;
            }
            let region = super::queries::region(plan, result.claim());
            let asked: Vec<[&[SiteId]; 2]> = match (result.claim(), region) {
                (_, Some(region)) => vec![[&region.sites_a, &region.sites_b]],
                // What is freed is used by somebody who gets there.
                (Claim::Freed, None) => plan.used.iter().map(|[a, b]| [&a[..], b]).collect(),
                _ => Vec::new(),
            };
            // A use of what is freed need not write. Of several objects one that both get to is enough.
            let shown = match region {
                Some(_) => evidence::no_conflict,
                None => evidence::not_reached,
            };
            let lacks = |sites: &[&[SiteId]; 2]| shown((program, plan), *sites, reach, sides);
            let all_lack = asked.iter().map(lacks).collect::<Option<Vec<Why>>>();
            let why = all_lack.and_then(|whys| whys.into_iter().next());
            let why = why.or_else(|| {
                let mut each = asked.iter();
                each.find_map(|sites| evidence::hidden((program, plan), *sites, reach, sides))
            });
            why.or_else(|| {
                let whole = result.claim().is_of_threads();
                let cut = whole.then(|| evidence::cut_off((program, plan), reach, sides));
                cut.flatten()
            })
        });
    }

    /// Adds what is proved for any number of threads: each claim of which both sides are shown to get to an access.
    pub(super) fn prove(
        &mut self,
        proofs: Vec<Proof>,
        reach: Option<&Reach>,
        plan: &PairPlan,
        shared: &Shared<'_, '_>,
        (sides, is_program): (&[&str], bool),
    ) {
        let program = &shared.closed.concurrent;
        let nowhere = match (reach, shared.deadline.passed()) {
            (Some(reach), _) => evidence::nowhere(program, plan, reach, sides),
            (None, Some(stopped)) => Some(Why::Stopped(stopped)),
            (None, None) => shared
                .start
                .missing(shared.closed, sides)
                .or_else(|| evidence::nowhere(program, plan, &Reach::default(), sides)),
        };
        let nothing = Reach::default();
        let reach = reach.unwrap_or(&nothing);
        for proof in proofs {
            let of = (program, plan);
            let why = nowhere.clone().or_else(|| {
                let lacking = evidence::no_conflict(of, proof.sites(), reach, sides);
                lacking.filter(|_| !(is_program && reach.is_complete()))
            });
            let mut assumptions = proof.rests_on;
            assumptions.push(Assumption::SequentialConsistency);
            if !shared.options.strict {
                assumptions.extend([Assumption::OneDevice, Assumption::TypedMemory]);
            }
            assumptions.extend(shared.grounds.of(program, plan));
            let claim = Claim::Region(proof.region);
            let proved = RegionResult::proved(claim, proof.by, assumptions);
            let Some(why) = why else {
                self.regions.note(proved);
                continue;
            };
            self.leave_open(proved.claim(), why);
            let [a, b] = &proof.sites;
            let writing = [a, b].map(|s| evidence::writing(program, s));
            self.unproved.push(Unproved {
                proved,
                writing,
                part: proof.part,
                sites: proof.sites,
            });
        }
    }

    /// What every claim of these threads that a search found nothing against rests on, and what one of a kind does.
    pub(super) fn rests_on(&mut self, all: &[Assumption], of_kind: &[(Claim, Assumption)]) {
        self.regions.rest_on(|region| {
            if region.verdict() != Verdict::Bounded {
                return Vec::new();
            }
            let own = of_kind.iter().filter(|(claim, _)| claim == region.claim());
            let own = own.map(|(_, assumption)| assumption);
            all.iter().chain(own).cloned().collect()
        });
    }

    /// Everything unknown, for one reason.
    pub(super) fn unknown(claims: &[Claim], why: &Why) -> Ledger {
        let mut ledger = Ledger::default();
        ledger.all_unknown(claims, why);
        ledger
    }

    /// As [`Ledger::unknown`], beside what has been counted.
    pub(super) fn all_unknown(&mut self, claims: &[Claim], why: &Why) {
        for claim in claims {
            self.leave_open(claim, why.clone());
        }
        if claims.is_empty() {
            self.leave_open(&Claim::Threads, why.clone());
        }
    }
}

/// A region that has been proved free of races for any number of threads.
pub(super) struct Proof {
    /// Its name.
    pub region: Region,
    /// As [`PlannedRegion::part`].
    pub part: Part,
    /// The accesses of either side, none where they are not told apart.
    pub sites: [Vec<SiteId>; 2],
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
            region: region.name,
            part: region.part,
            sites: [region.sites_a, region.sites_b],
            by: Tier::Lockset,
            rests_on,
        }
    }
}

impl Proof {
    /// The accesses of either side.
    pub(super) fn sites(&self) -> [&[SiteId]; 2] {
        [&self.sites[0], &self.sites[1]]
    }

    /// By a net. `locks`: of some accesses locks may have proved it.
    pub(super) fn by_net(region: &PlannedRegion, locks: bool) -> Proof {
        let mut rests_on = vec![Assumption::NetOfAllThreads];
        if locks {
            rests_on.push(Assumption::LocksLive);
        }
        Proof {
            region: region.name.clone(),
            part: region.part,
            sites: [region.sites_a.clone(), region.sites_b.clone()],
            by: Tier::Coverability,
            rests_on,
        }
    }

    /// By the net of a driver.
    pub(super) fn by_driver_net(region: &PlannedRegion, locks: bool) -> Proof {
        let mut proof = Proof::by_net(region, locks);
        proof.rests_on.push(Assumption::TwoFilesOfEachKind);
        proof
    }
}
