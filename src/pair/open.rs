//! The pair at hand: what is still open, and what the tiers so far have found out.

use std::cell::RefCell;

use super::caveats::Closing;
use super::evidence::{self, Reach};
use super::ledger::{Ledger, Proof};
use super::queries;
use super::{
    Checked, Shared, Task, asked_for, caveats, common, isolated, net_runs, planned, suppressed,
    threads,
};
use crate::analysis::plan::PairPlan;
use crate::property::Property;
use crate::region::Region;
use crate::verdict::{Claim, Finding, Tier};

/// The count of places at which threads may switch, for `--stats`.
const SWITCH_POINTS: &str = "switch points";

/// What is known of a task while it is checked.
pub(super) struct Open<'a, 'p> {
    pub shared: &'a Shared<'a, 'p>,
    pub task: &'a Task,
    /// The regions that are left, and where threads switch.
    pub plan: PairPlan,
    /// What is proved for any number of threads, if evidence is found for it.
    pub proofs: Vec<Proof>,
    /// What nets say beside their proofs.
    pub nets: net_runs::Found,
    /// What the threads get to by themselves, if that could be found out.
    pub isolated: Option<Reach>,
    /// What the searches came to; none before the first one.
    pub ledger: Option<Ledger>,
    /// Told each finding as soon as it is confirmed.
    pub found: &'a dyn Fn(Finding),
    nothing_shared: bool,
}

impl<'a, 'p> Open<'a, 'p> {
    /// Everything is open.
    pub(super) fn new(
        shared: &'a Shared<'a, 'p>,
        task: &'a Task,
        found: &'a dyn Fn(Finding),
    ) -> Open<'a, 'p> {
        let program = &shared.closed.concurrent;
        let options = shared.options;
        let mut plan = planned(shared, task);
        if options.asks(Property::Atomicity) && options.tiers.searches() {
            let threads = threads(program, shared.planner, task);
            plan.atomicity = shared.planner.candidates(&threads);
        }
        let nothing_shared = queries::claims(shared, &plan).is_empty()
            && plan.proved.is_empty()
            && plan.silenced.is_empty();
        if !options.fields.is_empty() {
            let asked = |region: &Region| asked_for(region.name(), &options.fields);
            plan.regions.retain(|r| asked(&r.name));
            plan.proved.retain(|r| asked(&r.name));
            plan.silenced.retain(|r| asked(&r.name));
        }
        plan.regions
            .retain(|r| !shared.settled.contains(&Claim::Region(r.name.clone())));
        Open {
            shared,
            task,
            plan,
            proofs: Vec::new(),
            nets: net_runs::Found::default(),
            isolated: None,
            ledger: None,
            found,
            nothing_shared,
        }
    }

    /// The claims that proofs leave open.
    pub(super) fn asked(&self) -> Vec<Claim> {
        queries::claims(self.shared, &self.plan)
    }

    /// Those of them that a finding refutes.
    pub(super) fn raced(&self) -> Vec<Claim> {
        self.ledger.as_ref().map(Ledger::raced).unwrap_or_default()
    }

    /// Whether a search is to be made: somebody is asked, and something is left to ask. A program in which nothing is left, and nothing
    /// proved or found by runs, is executed nevertheless, for nothing else would look whether it can be.
    pub(super) fn is_searched(&self) -> bool {
        let shown = !self.shared.shown.is_empty() && !self.shared.settled.is_empty();
        let program = self.task.is_program() && self.proofs.is_empty() && !shown;
        let one = self.task.takes_two().is_none();
        self.shared.searches() && one && (program || !self.asked().is_empty())
    }

    /// What the threads were shown to get to, and what proofs need beyond.
    fn reach(&mut self) -> Option<Reach> {
        let (shared, task, plan, proofs) = (self.shared, self.task, &self.plan, &self.proofs);
        let alone = self.isolated.take();
        let by_runs = Reach::by_runs(shared.shown);
        if self.is_searched() {
            let shown = self.ledger.as_mut().and_then(|l| l.reach.take());
            let mut known = shown.or(alone).or_else(|| by_runs.clone())?;
            if let Some(by_runs) = &by_runs {
                known.add(by_runs);
            }
            return Some(isolated::for_proofs(shared, task, plan, proofs, known));
        }
        // What is handed over is not got to alone.
        let by_net = proofs.iter().any(|p| p.by == Tier::Coverability);
        let nowhere = |reach: &Reach| {
            evidence::nowhere(&shared.closed.concurrent, plan, reach, &task.sides()).is_some()
        };
        // What runs of a program show is enough where it shows everything that is proved.
        let enough = |reach: &Reach| {
            !nowhere(reach) && !isolated::lacking(shared, task, plan, proofs, reach)
        };
        let mut known = alone
            .filter(|reach| !by_net || !nowhere(reach))
            .or_else(|| by_runs.clone().filter(enough))
            .or_else(|| isolated::together(shared, task, plan, proofs));
        if let (Some(known), Some(by_runs)) = (&mut known, &by_runs) {
            known.add(by_runs);
        }
        let known = known.or(by_runs)?;
        Some(isolated::beside(shared, task, plan, proofs, known))
    }

    /// The verdicts: evidence is asked for, and what they rest on is listed.
    pub(super) fn close(mut self, findings: &RefCell<Vec<Finding>>) -> Checked {
        let searched = self.is_searched();
        // Runs show what is reached, not what ends executions on the way to the rest: without a search that tells, nothing is bounded.
        let by_search = self.isolated.is_some()
            || self
                .ledger
                .as_ref()
                .is_some_and(|ledger| ledger.reach.is_some());
        let reach = self.reach();
        let of_bounds = reach.as_ref().filter(|_| by_search || !searched);
        let Open {
            shared, task, plan, ..
        } = self;
        let program = &shared.closed.concurrent;
        let mut ledger = self.ledger.unwrap_or_default();
        let sides = task.sides();
        let named = (&sides[..], task.is_program());
        let places = common::places(&plan, &self.proofs);
        ledger.ask_for_evidence(of_bounds, (program, &plan), named);
        ledger.prove(self.proofs, reach.as_ref(), &plan, shared, named);
        net_runs::told(&mut ledger, &self.nets.runs, shared.options);
        let grounds = &shared.grounds;
        let of_kind = shared.grounds.of_kind(task, shared.options);
        ledger.rests_on(&grounds.of_search(program, &plan), &of_kind);
        let mut checked = task.result(ledger);
        let points = plan.enabled.count_ones(..) as u64;
        checked.stats.insert(SWITCH_POINTS.to_string(), points);
        checked.stats.extend(self.nets.stats);
        checked.pair.nothing_shared = self.nothing_shared && !searched;
        if checked.pair.regions.is_empty() {
            checked.pair.assumptions = grounds.of(program, &plan);
        }
        checked.pair.suppressed = suppressed::of(program, &plan);
        if let Some(reach) = reach {
            let both = reach.sides.iter().zip(&plan.sides);
            checked.pair.reachable_sites = both
                .map(|(shown, planned)| Reach::of(shown, planned, program))
                .collect();
            checked.shown = reach.sides;
        }
        checked.findings = findings.take();
        let closing = Closing {
            shared,
            task,
            plan: &plan,
            places: &places,
        };
        caveats::tell(&mut checked, &closing);
        checked.stopped = shared.deadline.passed();
        checked
    }
}
