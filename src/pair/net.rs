//! What nets prove of a task.

use std::collections::{BTreeMap, BTreeSet};

use super::ask::Proof;
use super::{Shared, Task};
use crate::analysis::coverability::{self, Settings};
use crate::analysis::plan::PairPlan;

/// What came out.
#[derive(Default)]
pub(super) struct Net {
    /// Regions proved: the plan has them no more.
    pub proofs: Vec<Proof>,
    /// Why others are not, where the net gives a reason of its own.
    pub open: BTreeMap<String, String>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
}

/// Proves what locks leave open, and takes it out of the plan. Drivers are left as they are.
pub(super) fn proofs(shared: &Shared<'_>, task: &Task, plan: &mut PairPlan) -> Net {
    let options = shared.options;
    let wanted = options.tiers.coverability && options.race && plan.gap.is_none();
    if !wanted || task.entries.is_some() || plan.regions.is_empty() {
        return Net::default();
    }
    let program = &shared.closed.concurrent;
    let Some(main) = program.function_named("__irkiss_main") else {
        return Net::default();
    };
    let points_to = shared.planner.points_to();
    let settings = Settings {
        deadline: shared.deadline,
        ..Settings::default()
    };
    let found = coverability::prove(program, points_to, main, &plan.regions, &settings);
    let proved: BTreeSet<&String> = found.proved.iter().collect();
    plan.regions.retain(|r| !proved.contains(&r.name));
    let by_net = |name: String| Proof::by_net(name, options.tiers.lockset);
    Net {
        proofs: found.proved.clone().into_iter().map(by_net).collect(),
        open: found.open,
        stats: found.stats,
    }
}
