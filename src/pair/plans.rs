//! The plans of pairs, each made once: several tiers go over all pairs before any is searched, and ask for the same.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Task;
use crate::analysis::plan::{PairPlan, PlannedRegion};
use crate::index::EntryId;

/// Bytes that kept plans may take, roughly; what is beyond is made again.
const ROOM: usize = 128 << 20;

/// What a plan is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Of {
    /// Two entry points.
    Two(EntryId, EntryId),
    /// All threads of a program.
    Program,
}

impl Of {
    /// `None`: of something that is asked for once.
    fn task(task: &Task) -> Option<Of> {
        match task.two().filter(|_| task.in_steady()) {
            Some((a, b)) => Some(Of::Two(a, b)),
            None => task.is_program().then_some(Of::Program),
        }
    }
}

/// Plans that were made.
#[derive(Default)]
pub struct Plans(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    plans: FxHashMap<Of, Arc<PairPlan>>,
    bytes: usize,
}

impl Plans {
    /// The plan of a task, which is made if it is not there.
    pub(super) fn of(&self, task: &Task, make: impl FnOnce() -> PairPlan) -> PairPlan {
        let Some(key) = Of::task(task) else {
            return make();
        };
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = kept().plans.get(&key).cloned() {
            return PairPlan::clone(&plan);
        }
        let plan = make();
        let bytes = bytes(&plan);
        let mut kept = kept();
        if kept.bytes + bytes <= ROOM {
            kept.bytes += bytes;
            kept.plans.insert(key, Arc::new(plan.clone()));
        }
        plan
    }
}

/// What a plan takes, roughly.
fn bytes(plan: &PairPlan) -> usize {
    let sets = plan.sides.iter();
    let sets = sets.chain([&plan.checked, &plan.enabled, &plan.functions]);
    let sets: usize = sets.map(|set| set.len() / 8).sum();
    let sites = |r: &PlannedRegion| r.sites_a.len() + r.sites_b.len();
    let regions = plan.regions.iter().map(sites);
    let proved = plan.proved.iter();
    let regions = regions.chain(proved.map(|r| r.sites_a.len() + r.sites_b.len()));
    let regions: usize = regions.map(|sites| 256 + 4 * sites).sum();
    sets + regions + 1024
}
