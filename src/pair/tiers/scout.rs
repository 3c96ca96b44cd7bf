//! A cheap search before the one whose bounds the report states: what it finds is found, what it does not find says nothing.
//!
//! Where no started thread waits, executions are few, however many threads there are; two of them are enough for most races.

use super::{Open, Stage};
use crate::config::{Explore, Options};
use crate::pair::Shared;
use crate::pair::ledger::Ledger;
use crate::pair::run::{Search, run};
use crate::property::Property;
use crate::verdict::{Tier, Verdict};

/// Instructions that it may take.
const INSTRUCTIONS: u64 = 200_000;

/// The part of the budget of a query that it has.
const SHARE: u64 = 8;

/// Searches a program in which no started thread waits, unless that is what is searched anyway.
pub(super) struct Scout;

impl Stage for Scout {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let options = open.shared.options;
        let other = open.task.is_program() && open.task.ts(options) > 0;
        // Fewer switch points are a bound of their own.
        let all = options.switch_points == 100 && options.explore == Explore::Merge;
        let races = options.asks(Property::Race) && !open.plan.regions.is_empty();
        options.tiers.kiss && other && all && races && open.is_searched()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let options = open.shared.options;
        let cheap = Options {
            ts: 0,
            max_instructions: options.max_instructions.min(INSTRUCTIONS),
            ..options.clone()
        };
        let shared = &Shared {
            options: &cheap,
            ..*open.shared
        };
        let isolated = open.isolated.as_ref();
        let asked = open.asked();
        let mut all: Option<Ledger> = None;
        // Most programs do something without arguments, too: what there is to read of them need not be thought of then.
        let takes_arguments = shared.closed.concurrent.harness.argument_count.is_some();
        let none = takes_arguments.then_some(Some(0));
        for further_arguments in none.into_iter().chain([None]) {
            let found = all.as_ref().map(Ledger::raced).unwrap_or_default();
            // What is found without arguments nobody is asked for again.
            if all.is_some() && asked.iter().all(|claim| found.contains(claim)) {
                break;
            }
            let search = Search {
                share: Some(SHARE),
                further_arguments,
                ..Search::of(Tier::Kiss, None, &found)
            };
            let mut ledger = run(shared, open.task, &open.plan, isolated, &search, open.found);
            ledger.regions.retain(|r| r.verdict() == Verdict::Race);
            ledger.not_replayed = 0;
            // Where executions without arguments end, others may go on.
            if let (Some(_), Some(reach)) = (further_arguments, &mut ledger.reach) {
                reach.endings.clear();
            }
            match &mut all {
                Some(all) => all.add(ledger),
                None => all = Some(ledger),
            }
        }
        open.ledger = all;
    }
}
