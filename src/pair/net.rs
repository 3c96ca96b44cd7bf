//! What nets prove of a task.

use std::collections::{BTreeMap, BTreeSet};

use super::ask::Proof;
use super::{Shared, Task};
use crate::analysis::Planner;
use crate::analysis::coverability::net::Net;
use crate::analysis::coverability::{self, Settings};
use crate::analysis::plan::{PairPlan, PlannedRegion};
use crate::config::Options;
use crate::deadline::Deadline;
use crate::frontend::Closed;

/// What came out.
#[derive(Default)]
pub(super) struct Decided {
    /// Regions proved: the plan has them no more.
    pub proofs: Vec<Proof>,
    /// What the plan had of them.
    taken: Vec<PlannedRegion>,
    /// Why others are not, where the net gives a reason of its own.
    pub open: BTreeMap<String, String>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
}

impl Decided {
    /// Gives the plan back what was taken out of it.
    pub(super) fn withdraw(&mut self, plan: &mut PairPlan) {
        self.proofs.clear();
        plan.regions.append(&mut self.taken);
        plan.regions.sort_by(|x, y| x.name.cmp(&y.name));
    }
}

/// Proves what locks leave open, and takes it out of the plan. Drivers are left as they are.
pub(super) fn proofs(shared: &Shared<'_>, task: &Task, plan: &mut PairPlan) -> Decided {
    let options = shared.options;
    let wanted = options.tiers.coverability && options.race && plan.gap.is_none();
    if !wanted || task.entries.is_some() || plan.regions.is_empty() {
        return Decided::default();
    }
    let program = &shared.closed.concurrent;
    let Some(main) = program.function_named("__irkiss_main") else {
        return Decided::default();
    };
    let points_to = shared.planner.points_to();
    let settings = Settings {
        deadline: shared.deadline,
        ..Settings::default()
    };
    let found = coverability::prove(program, points_to, main, &plan.regions, &settings);
    let proved: BTreeSet<&String> = found.proved.iter().collect();
    let (taken, left) = std::mem::take(&mut plan.regions)
        .into_iter()
        .partition(|r| proved.contains(&r.name));
    plan.regions = left;
    let by_net = |name: String| Proof::by_net(name, options.tiers.lockset);
    Decided {
        proofs: found.proved.clone().into_iter().map(by_net).collect(),
        taken,
        open: found.open,
        stats: found.stats,
    }
}

/// The nets of a whole program, by region. `Err`: why there are none.
pub fn nets(
    closed: &Closed,
    planner: &Planner<'_>,
    options: &Options,
    deadline: Deadline,
) -> Result<Vec<(String, Net)>, String> {
    let program = &closed.concurrent;
    let plan = super::plan(program, planner, &Task::whole_program());
    if let Some(gap) = plan.gap {
        return Err(format!("net: not everything can be followed: {gap}"));
    }
    let Some(main) = program.function_named("__irkiss_main") else {
        return Err("net: there is no `main`".to_string());
    };
    let settings = Settings {
        deadline,
        keep: true,
        ..Settings::default()
    };
    let points_to = planner.points_to();
    let mut regions = plan.regions;
    if !options.fields.is_empty() {
        regions.retain(|r| super::asked_for(&r.name, &options.fields));
    }
    let found = coverability::prove(program, points_to, main, &regions, &settings);
    if let Some(why) = found.open.values().next().filter(|_| found.nets.is_empty()) {
        return Err(format!("net: {why}"));
    }
    Ok(found.nets.into_iter().collect())
}
