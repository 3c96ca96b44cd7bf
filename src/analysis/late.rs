//! Which accesses of initialisation conflict with an entry point that it has begun already.
//!
//! Of initialisation only what it may come to beside the entry point counts: sites in a call that registers or starts it, and after such a
//! call ([`super::passed`]). Of the entry point its own accesses count, not those of what runs before it in the same thread. What is left of a
//! plan is what these two share and no common lock keeps apart.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::plan::{Birth, ConflictPair, PairPlan, Planner};
use super::points_to::{Address, InstanceId, ObjectId};
use super::sections::AccessId;
use super::threads::{Threads, closure};
use super::unidentified::Meetings;
use crate::index::{FuncId, Idx, SiteId};
use crate::program::{Callee, Op};

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

    /// Whether the first of these threads hands something to a model that initialisation sets up at one of the sites that count, by a function of
    /// those names. (What the kernel does to a lock is no access: nothing of it is in a plan.)
    pub fn sets_up_late(
        &self,
        (own, init): (FuncId, FuncId),
        counting: &Counting,
        names: &[&str],
    ) -> bool {
        let program = self.program;
        let is_late = |f: FuncId| {
            let within = self.call_graph().reachable(&[f]);
            within.ones().map(FuncId::new).any(|f| {
                let blocks = program.functions[f].blocks.iter();
                let mut sites = blocks.flat_map(|b| &b.instrs).filter_map(|i| i.site);
                sites.any(|s| counting.late.contains(s.index()))
            })
        };
        let sets_up = |f: FuncId| names.contains(&program.functions[f].source_name());
        let late: FxHashSet<ObjectId> = self
            .handed(init, &|f| sets_up(f) && is_late(f))
            .map(|at| at.object)
            .collect();
        let shared = |o: &ObjectId| self.points_to.is_shared(*o) || self.points_to.is_made_up(*o);
        !late.is_empty()
            && self
                .handed(own, &|f| program.functions[f].is_model && !sets_up(f))
                .any(|at| late.contains(&at.object) && shared(&at.object))
    }

    /// What a thread that enters a function hands to some functions as their first argument.
    fn handed<'a>(
        &'a self,
        root: FuncId,
        to: &'a dyn Fn(FuncId) -> bool,
    ) -> impl Iterator<Item = Address> + 'a {
        let entered = self.points_to.instances().iter_ids();
        let entered = entered.filter(move |(_, i)| i.function == root);
        let roots = entered.map(|(id, _)| id).collect();
        let all = closure(self.points_to, roots);
        let all: Vec<InstanceId> = all.ones().map(InstanceId::new).collect();
        all.into_iter().flat_map(move |id| {
            let function = &self.program.functions[self.points_to.instances()[id].function];
            let instrs = function.blocks.iter().flat_map(|b| &b.instrs);
            instrs
                .filter_map(move |i| match &i.op {
                    Op::Call {
                        callee: Callee::Direct(f),
                        args,
                        ..
                    } if to(*f) => args.first(),
                    _ => None,
                })
                .flat_map(move |argument| self.points_to.targets_in(id, argument))
        })
    }

    /// The site of an access, if it has one.
    fn site_of(&self, (instance, n): AccessId) -> Option<SiteId> {
        let at = &self.points_to.instances()[instance];
        let place = at.accesses[n as usize].place;
        let block = &self.program.functions[at.function].blocks[place.block];
        block.instrs[place.index as usize].site
    }
}
