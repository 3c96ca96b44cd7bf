//! Which accesses of initialisation conflict with an entry point that it has begun already.
//!
//! Of initialisation only what it may come to beside the entry point counts: sites in a call that registers or starts it, and after such a
//! call ([`super::passed`]). Of the entry point its own accesses count, not those of what runs before it in the same thread. What is left of a
//! plan is what these two share and no common lock keeps apart.

use fixedbitset::FixedBitSet;

use super::plan::{Birth, ConflictPair, PairPlan, Planner};
use super::sections::AccessId;
use super::threads::Threads;
use super::unidentified::Meetings;
use crate::index::{Idx, SiteId};

/// The sites that count.
#[derive(Clone, Debug)]
pub struct Counting {
    /// Of the entry point.
    pub own: FixedBitSet,
    /// Of initialisation.
    pub late: FixedBitSet,
}

impl Planner<'_> {
    /// The plan for an entry point, which is the first of these threads, and initialisation.
    pub fn plan_late(&self, threads: &Threads, Counting { own, late }: &Counting) -> PairPlan {
        let mut plan = self.plan_conflict_pairs(threads);
        let site = |access: &AccessId| self.site_of(*access);
        let is_late = |s: &SiteId| late.contains(s.index());
        let is_own = |s: &SiteId| own.contains(s.index());
        let counts = |pair: &ConflictPair| {
            let mut firsts = pair.first.accesses.iter().filter_map(site);
            let mut seconds = pair.second.accesses.iter().filter_map(site);
            firsts.any(|s| is_own(&s)) && seconds.any(|s| is_late(&s))
        };
        for region in &mut plan.regions {
            region.conflict_pairs.retain(counts);
            let pairs = &region.conflict_pairs;
            let firsts = pairs.iter().flat_map(|p| p.first.accesses.iter());
            let mut ours: Vec<SiteId> = firsts.filter_map(site).filter(is_own).collect();
            let seconds = pairs.iter().flat_map(|p| p.second.accesses.iter());
            let mut others: Vec<SiteId> = seconds.filter_map(site).filter(is_late).collect();
            for sites in [&mut ours, &mut others] {
                sites.sort_unstable();
                sites.dedup();
            }
            (region.sites_a, region.sites_b) = (ours, others);
            region.conflict_pairs.clear();
        }
        plan.regions
            .retain(|r| !r.sites_a.is_empty() && !r.sites_b.is_empty());
        // Nothing else is claimed of the two.
        plan.proved.clear();
        plan.silenced.clear();
        plan.unidentified = Meetings::default();
        plan.of_one.clear();
        // Before, there is nobody beside initialisation.
        let mut points = late.clone();
        if let Some(own) = plan.sides.first() {
            points.union_with(own);
        }
        plan.enabled.intersect_with(&points);
        plan.sides.truncate(1);
        plan.sides.push(late.clone());
        plan.birth = Birth::OfInitialisation;
        plan
    }

    /// The site of an access, if it has one.
    fn site_of(&self, (instance, n): AccessId) -> Option<SiteId> {
        let at = &self.points_to.instances()[instance];
        let place = at.accesses[n as usize].place;
        let block = &self.program.functions[at.function].blocks[place.block];
        block.instrs[place.index as usize].site
    }
}
