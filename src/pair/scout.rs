//! A cheap search before the one whose bounds the report states: what it finds is found, what it does not find says nothing.
//!
//! Where no started thread waits, executions are few, however many threads there are; two of them are enough for most races.

use super::ask;
use super::evidence::Reach;
use super::ledger::Ledger;
use super::{Search, Shared, Task, run};
use crate::analysis::plan::PairPlan;
use crate::config::{Explore, Options};
use crate::verdict::{Claim, Finding, Tier, Verdict};

/// Instructions that it may take.
const INSTRUCTIONS: u64 = 200_000;

/// The part of the budget of a query that it has.
const SHARE: u64 = 8;

/// What the search `rest` says, which is not asked for regions of which a race was found before.
pub(super) fn before(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    solo: Option<&Reach>,
    found: &dyn Fn(Finding),
    rest: &dyn Fn(&[Claim]) -> Ledger,
) -> Ledger {
    let first = races(shared, task, plan, solo, found);
    let raced = first.raced();
    if !raced.is_empty() && raced.len() == ask::claims(shared, plan).len() {
        return first;
    }
    let mut all = rest(&raced);
    all.add(first);
    all
}

/// The races of a program in which no started thread waits; nothing, if that is what is searched anyway.
fn races(
    shared: &Shared<'_, '_>,
    task: &Task,
    plan: &PairPlan,
    solo: Option<&Reach>,
    found: &dyn Fn(Finding),
) -> Ledger {
    let options = shared.options;
    let other = task.is_program() && task.ts(options) > 0 && options.explore == Explore::Merge;
    // Fewer switch points are a bound of their own.
    let all = options.switch_points == 100;
    if !other || !all || !options.race || plan.regions.is_empty() {
        return Ledger::default();
    }
    let cheap = Options {
        ts: 0,
        max_instructions: options.max_instructions.min(INSTRUCTIONS),
        ..options.clone()
    };
    let shared = &Shared {
        options: &cheap,
        ..*shared
    };
    let search = Search {
        share: Some(SHARE),
        ..Search::of(Tier::Kiss, None, &[])
    };
    let mut ledger = run(shared, task, plan, solo, &search, found);
    ledger.regions.retain(|r| r.verdict == Verdict::Race);
    ledger.not_replayed = 0;
    ledger
}
