//! Entry points beside the initialisation that begins them: the input is closed a second time, for the lifecycle scenario, and only what is
//! left of the tables of accesses is searched there (`pair/begun.rs`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::super::checking::Outlets;
use super::super::{close, planner, points_to};
use super::{At, Phase};
use crate::config::{Options, Scenario};
use crate::deadline::Deadline;
use crate::frontend::{Closed, Goal};
use crate::pair::{
    self, Begun, Checked, Earlier, Endings, Grounds, Isolated, Nets, Pass, Plans, Shared, Start,
};
use crate::property::{Properties, Property};
use crate::report;
use crate::verdict::Finding;

pub(in super::super) struct BesideInitialisation;

impl Phase for BesideInitialisation {
    fn applies(&self, _: &At<'_, '_>) -> bool {
        true
    }

    fn run(&self, at: &At<'_, '_>) {
        at.run.beside.search(at);
    }
}

/// All of them together may cost one of so many parts of what all pairs may.
const PART: usize = 4;

/// What is known of them so far; of some it turns out that there is nothing to say.
#[derive(Default)]
pub(in super::super) struct Beside(Mutex<Vec<Option<Checked>>>);

impl Beside {
    /// What is known so far.
    pub(in super::super) fn so_far(&self) -> Vec<Checked> {
        self.all().iter().flatten().cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Option<Checked>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That something may be wrong, of all that there are.
    pub(super) fn open(&self, all: &[Begun]) {
        *self.all() = all.iter().map(|b| Some(b.open(&[]))).collect();
    }

    /// Nothing more is found out.
    fn left(&self, deadline: Deadline) {
        for open in self.all().iter_mut().flatten() {
            open.stopped = deadline.passed();
        }
    }

    /// Searches them.
    fn search(&self, at: &At<'_, '_>) {
        let (inputs, outlets) = (at.run.inputs, at.outlets);
        let (options, deadline) = (at.shared.options, at.shared.deadline);
        if self.all().is_empty() || deadline.passed().is_some() {
            return self.left(deadline);
        }
        outlets.progress.stage("beside initialisation");
        let options = &Options {
            scenario: Scenario::Lifecycle,
            ..options.clone()
        };
        let goal = Goal::Sequential;
        let Ok(closed) = close(inputs, options, goal, outlets.progress, deadline) else {
            return self.left(deadline);
        };
        let Ok(points_to) = points_to(&closed, options, deadline) else {
            return self.left(deadline);
        };
        let planner = planner(&closed, &points_to, options);
        let all = pair::begun(&closed, &planner, options, true);
        self.open(&all);
        // Nothing but these is looked for.
        let searched = Properties::of(&[Property::Race, Property::Uaf]);
        let options = &Options {
            properties: options.properties.among(searched),
            deepen: false,
            ..options.clone()
        };
        let grounds = Grounds::new(&closed, &planner, options);
        let shared = Shared {
            closed: &closed,
            planner: &planner,
            plans: &Plans::default(),
            start: &Start::run(&closed, options, deadline),
            isolated: &Isolated::default(),
            runs: None,
            nets: &Nets::default(),
            grounds: &grounds,
            earlier: &Earlier::default(),
            endings: &Endings::default(),
            begun: None,
            named: false,
            options,
            deadline,
            queries: outlets.queries.as_ref(),
            pass: Pass::Search,
            share: pair::Share::of(PART * all.len(), options),
            settled: &[],
            common: &[],
            shown: &[],
            purse: None,
        };
        at.pool.install(|| {
            all.par_iter()
                .enumerate()
                .for_each(|(n, begun)| self.one(&shared, (n, begun), outlets));
        });
    }

    /// Searches one.
    fn one(&self, shared: &Shared<'_, '_>, (n, begun): (usize, &Begun), outlets: &Outlets<'_>) {
        let findings: Mutex<Vec<Finding>> = Mutex::default();
        let found = |finding: &Finding| {
            outlets.progress.finding(&report::at_once(finding));
            let mut findings = findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.push(finding.clone());
            self.all()[n] = Some(begun.open(&findings));
        };
        let shared = Shared {
            begun: Some(begun),
            ..*shared
        };
        let checked = pair::check(&shared, &begun.task, &found);
        self.all()[n] = begun.told(checked);
    }
}

/// Those of a run, if it is to look for them.
pub(super) fn candidates(
    closed: &Closed,
    planner: &crate::analysis::Planner<'_>,
    options: &Options,
) -> Vec<Begun> {
    let asked = (options.asks(Property::Race) || options.asks(Property::Uaf))
        && options.scenario == Scenario::Steady
        && options.tiers.searches()
        && options.tiers.kiss
        && options.pair.is_none();
    match asked {
        true => pair::begun(closed, planner, options, false),
        false => Vec::new(),
    }
}
