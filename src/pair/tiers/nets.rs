//! What nets prove of a task.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::{Open, Stage};
use crate::analysis::Planner;
use crate::analysis::coverability::net::Net;
use crate::analysis::coverability::{self, Settings};
use crate::analysis::plan::{PairPlan, PlannedRegion};
use crate::config::Options;
use crate::deadline::Deadline;
use crate::frontend::Closed;
use crate::index::{EntryId, Idx, SiteId};
use crate::pair::evidence::{self, Reach};
use crate::pair::ledger::Proof;
use crate::pair::net_runs::Found;
use crate::pair::{Shared, Task, asked_for, isolated, threads};
use crate::property::Property;
use crate::region::Region;
use crate::verdict::Claim;

/// Proves what locks leave open, and takes it out of the plan. What nets prove of a driver is known already
/// ([`crate::pair::Nets`]).
pub(super) struct Nets;

impl Stage for Nets {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let options = open.shared.options;
        let wanted =
            options.tiers.coverability && options.asks(Property::Race) && open.plan.gap.is_none();
        // What is proved of pairs holds for any number of threads: of a scenario only the search is asked.
        let of_them = open.task.two().is_some() || open.task.is_program();
        let one_object = open.task.is_of_one();
        wanted
            && of_them
            && one_object
            && !open.plan.regions.is_empty()
            && !open.task.is_lifecycle()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let (shared, task) = (open.shared, open.task);
        let raced = open.raced();
        let mut decided = match task.two() {
            Some(pair) => of_driver(shared, task, pair, &mut open.plan),
            None => of_program(shared, &mut open.plan, &raced),
        };
        let before = open.ledger.as_ref().and_then(|l| l.reach.as_ref());
        if !is_shown(&decided, shared, task, &open.plan, before) {
            decided.withdraw(&mut open.plan);
        }
        open.proofs.append(&mut decided.proofs);
        open.nets = decided.found;
    }
}

/// What came out.
#[derive(Default)]
struct Decided {
    /// Regions proved: the plan has them no more.
    proofs: Vec<Proof>,
    /// What the plan had of them.
    taken: Vec<PlannedRegion>,
    found: Found,
}

impl Decided {
    /// Gives the plan back what was taken out of it.
    fn withdraw(&mut self, plan: &mut PairPlan) {
        self.proofs.clear();
        plan.regions.append(&mut self.taken);
        plan.regions.sort_by(|x, y| x.name.cmp(&y.name));
    }
}

/// Whether an execution gives the evidence that proofs need; `before`: what one has shown already. Where none does and the search for
/// races may, the search decides.
fn is_shown(
    decided: &Decided,
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    before: Option<&Reach>,
) -> bool {
    if !shared.searches() || decided.proofs.is_empty() {
        return true;
    }
    let program = &shared.closed.concurrent;
    let sides = task.sides();
    let nothing = |reach: &Reach| evidence::nowhere(program, plan, reach, &sides).is_some();
    let alone = shared.isolated.of(shared, task, plan);
    let reach = alone
        .or_else(|| before.cloned())
        .filter(|reach| !nothing(reach))
        .or_else(|| isolated::together(shared, task, plan, &decided.proofs))
        .unwrap_or_default();
    !nothing(&reach)
}

/// What the net of a program proves. Of what has raced only a run of the net is of use, if it is asked for.
fn of_program(shared: &Shared<'_, '_>, plan: &mut PairPlan, raced: &[Claim]) -> Decided {
    let options = shared.options;
    let program = &shared.closed.concurrent;
    let Some(main) = program.harness.main else {
        return Decided::default();
    };
    let points_to = shared.planner.points_to();
    let settings = Settings {
        deadline: shared.deadline,
        ..Settings::default()
    };
    let mut regions = plan.regions.clone();
    regions.retain(|r| options.runs || !raced.contains(&Claim::Region(r.name.clone())));
    if regions.is_empty() {
        return Decided::default();
    }
    with_pairs(&mut regions, shared, &Task::whole_program());
    let found = coverability::prove(program, points_to, main, &regions, &settings);
    drop(regions);
    let proved: BTreeSet<&Region> = found.proved.iter().collect();
    let (taken, left): (Vec<_>, Vec<_>) = std::mem::take(&mut plan.regions)
        .into_iter()
        .partition(|r| proved.contains(&r.name));
    plan.regions = left;
    let by_net = |region: &PlannedRegion| Proof::by_net(region, options.tiers.lockset);
    Decided {
        proofs: taken.iter().map(by_net).collect(),
        taken,
        found: Found {
            open: found.open,
            runs: found.runs,
            stats: found.stats,
        },
    }
}

/// Notes which accesses of the regions conflict with which. There may be very many: nobody else asks for them, and nobody keeps them.
fn with_pairs(regions: &mut [PlannedRegion], shared: &Shared<'_, '_>, task: &Task) {
    let threads = threads(&shared.closed.concurrent, shared.planner, task);
    let known = shared.planner.plan_conflict_pairs(&threads).regions;
    let mut known: BTreeMap<Region, PlannedRegion> =
        known.into_iter().map(|r| (r.name.clone(), r)).collect();
    for region in regions {
        if let Some(own) = known.remove(&region.name) {
            region.conflict_pairs = own.conflict_pairs;
        }
    }
}

/// What the net of a driver proves of a pair.
fn of_driver(
    shared: &Shared<'_, '_>,
    task: &Task,
    pair: (EntryId, EntryId),
    plan: &mut PairPlan,
) -> Decided {
    let proved = shared.nets.of(pair);
    let undecided = shared.nets.undecided(pair);
    let told = shared.nets.why.is_some() || !undecided.is_empty();
    let asked = shared.options.runs || shared.searches();
    if proved.is_empty() && !told && !asked {
        return Decided::default();
    }
    // A net that does not get to what an execution gets to is wrong.
    let reach = shared.isolated.of(shared, task, plan).unwrap_or_default();
    let missed = |r: &PlannedRegion| {
        let missed = |sites: &[SiteId], shown: &FixedBitSet| {
            let mut shown = sites.iter().filter(|s| shown.contains(s.index()));
            shown.any(|s| !shared.nets.reached.contains(s))
        };
        missed(&r.sites_a, &reach.side(0)) || missed(&r.sites_b, &reach.side(1))
    };
    let mut contradicted = 0;
    let (taken, left): (Vec<_>, Vec<_>) =
        std::mem::take(&mut plan.regions)
            .into_iter()
            .partition(|r| {
                let is = proved.contains(&r.name);
                let wrong = is && missed(r);
                contradicted += u64::from(wrong);
                is && !wrong
            });
    plan.regions = left;
    let runs = plan.regions.iter().filter_map(|r| {
        let run = shared.nets.run(pair, &r.name)?;
        Some((r.name.clone(), run.clone()))
    });
    let runs = runs.collect();
    let why = shared.nets.why.iter();
    let open = why.flat_map(|why| plan.regions.iter().map(|r| (r.name.clone(), why.clone())));
    let mut open: BTreeMap<Region, String> = open.collect();
    open.extend(undecided);
    let locks = shared.options.tiers.lockset;
    Decided {
        proofs: taken
            .iter()
            .map(|r| Proof::by_driver_net(r, locks))
            .collect(),
        taken,
        found: Found {
            open,
            runs,
            stats: BTreeMap::from([("net: proofs contradicted".to_string(), contradicted)]),
        },
    }
}

/// The nets of a whole program, by region. `Err`: why there are none.
pub fn nets(
    closed: &Closed,
    planner: &Planner<'_>,
    options: &Options,
    deadline: Deadline,
) -> Result<Vec<(Region, Net)>, String> {
    let program = &closed.concurrent;
    let plan = planner.plan_conflict_pairs(&threads(program, planner, &Task::whole_program()));
    if let Some(gap) = plan.gap {
        return Err(format!("net: not everything can be followed: {gap}"));
    }
    let Some(main) = program.harness.main else {
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
        regions.retain(|r| asked_for(r.name.name(), &options.fields));
    }
    let found = coverability::prove(program, points_to, main, &regions, &settings);
    if let Some(why) = found.open.values().next().filter(|_| found.nets.is_empty()) {
        return Err(format!("net: {why}"));
    }
    Ok(found.nets.into_iter().collect())
}
