//! KISS: balanced executions.
//!
//! What is scheduled runs within what scheduled it. Of a driver's pair (A, B) the first thread executes A, and B may be scheduled before,
//! within and after it, but A never within B. So a pair is run twice, the second time with B outside, for the regions on which the first
//! run found no race. Of a scenario each of its threads is outside once.

use super::{Open, Stage, deeper};
use crate::pair::ledger::Ledger;
use crate::pair::queries::Aim;
use crate::pair::run::{Search, run};
use crate::pair::{Shared, swapped};
use crate::verdict::{Claim, Tier, Within};

/// Searches balanced executions, each thread outside once.
pub(super) struct Kiss;

impl Stage for Kiss {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let asked = open.asked().len();
        let left = asked == 0 || open.raced().len() < asked;
        open.shared.options.tiers.kiss && left && open.is_searched()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let all = deeper::first(open);
        let ts = open.task.ts(open.shared.options);
        match &mut open.ledger {
            None => open.ledger = Some(all),
            Some(known) => known.asked_for(Within::Balanced { ts }, all),
        }
    }
}

/// Searches them, under these options, for claims other than these.
pub(in crate::pair) fn balanced(
    open: &Open<'_, '_>,
    shared: &Shared<'_, '_>,
    (skip, aim): (Vec<Claim>, Aim),
) -> Ledger {
    let found = open.found;
    let search = Search {
        aim,
        ..Search::of(Tier::Kiss, None, &skip)
    };
    let isolated = open.isolated.as_ref();
    let mut all = run(shared, open.task, &open.plan, isolated, &search, found);
    for outer in open.task.others_outside() {
        let mut skip = skip.clone();
        skip.extend(all.raced());
        if skip.len() >= open.asked().len() || shared.deadline.passed().is_some() {
            break;
        }
        let isolated = open
            .isolated
            .as_ref()
            .map(|isolated| isolated.swapped(outer));
        let (task, plan) = (open.task.swapped(outer), swapped(&open.plan, outer));
        let search = Search {
            aim,
            ..Search::of(Tier::Kiss, None, &skip)
        };
        let other = run(shared, &task, &plan, isolated.as_ref(), &search, found);
        all.add(other.swapped(outer));
    }
    all
}
