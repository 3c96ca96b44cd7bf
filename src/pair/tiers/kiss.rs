//! KISS: balanced executions.
//!
//! What is scheduled runs within what scheduled it. Of a driver's pair (A, B) the first thread executes A, and B may be scheduled before,
//! within and after it, but A never within B. So a pair is run twice, the second time with B outside, for the regions on which the first
//! run found no race. Of a scenario each of its threads is outside once.

use super::{Open, Stage};
use crate::pair::run::{Search, run};
use crate::pair::swapped;
use crate::verdict::Tier;

/// Searches balanced executions, each thread outside once.
pub(super) struct Kiss;

impl Stage for Kiss {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let asked = open.asked().len();
        let left = asked == 0 || open.raced().len() < asked;
        open.shared.options.tiers.kiss && left && open.is_searched()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let (shared, found) = (open.shared, open.found);
        let raced = open.raced();
        let search = Search::of(Tier::Kiss, None, &raced);
        let isolated = open.isolated.as_ref();
        let mut all = run(shared, open.task, &open.plan, isolated, &search, found);
        if let Some(before) = open.ledger.take() {
            all.add(before);
        }
        for outer in open.task.others_outside() {
            let raced = all.raced();
            if raced.len() >= all.regions.len() || shared.deadline.passed().is_some() {
                break;
            }
            let isolated = open
                .isolated
                .as_ref()
                .map(|isolated| isolated.swapped(outer));
            let (task, plan) = (open.task.swapped(outer), swapped(&open.plan, outer));
            let search = Search::of(Tier::Kiss, None, &raced);
            let other = run(shared, &task, &plan, isolated.as_ref(), &search, found);
            all.add(other.swapped(outer));
        }
        open.ledger = Some(all);
    }
}
