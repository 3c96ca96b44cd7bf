//! Runs of nets as hints: what a net gets to and no search has found is asked for once more, in executions in rounds in which threads
//! switch where they do in the run, and as often.
//!
//! A run abstracts from data, so it may not be one of the program. But it says where switches are worth trying, and these are few: such a
//! query reaches further than the bounds of the other searches, and costs less than these. Nothing is concluded from its failing.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::{Open, Stage};
use crate::analysis::coverability::run::Step;
use crate::config::Rounds;
use crate::index::Idx;
use crate::pair::queries;
use crate::pair::run::{Search, run};
use crate::verdict::{Claim, Tier};

/// Candidates of one task that are asked for so.
const MAX_CANDIDATES: usize = 8;
/// The most rounds: a run that needs more is not tried.
const MAX_ROUNDS: u32 = 8;
/// Threads in a run that is tried.
const MAX_THREADS: usize = 6;

/// Asks for the candidates that the searches have not confirmed.
pub(super) struct Hints;

impl Stage for Hints {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        !open.nets.runs.is_empty() && open.is_searched()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let (shared, plan) = (open.shared, &open.plan);
        let raced = open.raced();
        let ledger = open.ledger.get_or_insert_default();
        let runs = open.nets.runs.iter();
        let claims = runs.map(|(name, steps)| (Claim::Region(name.clone()), steps));
        let left = claims.filter(|(claim, _)| !raced.contains(claim));
        for (claim, steps) in left.take(MAX_CANDIDATES) {
            if shared.deadline.passed().is_some() {
                return;
            }
            let Some(region) = queries::region(plan, &claim) else {
                continue;
            };
            let Some(hint) = hint(steps) else { continue };
            let mut narrow = plan.clone();
            narrow.regions = vec![region.clone()];
            narrow.enabled = only(&plan.reachable(), &hint.switches);
            let accesses = region.sites_a.iter().chain(&region.sites_b);
            narrow.checked = only(&plan.checked, &accesses.map(|s| s.index()).collect());
            let mut skip = queries::claims(shared, &narrow);
            skip.retain(|c| *c != claim);
            let rounds = Rounds {
                contexts: hint.rounds,
                switches: None,
            };
            let search = Search::of(Tier::Coverability, Some(rounds), &skip);
            let mut told = run(shared, open.task, &narrow, None, &search, open.found);
            let confirmed = told.raced().contains(&claim);
            // That there is none where threads switch here alone says nothing.
            told.regions.retain(|r| confirmed && *r.claim() == claim);
            told.reach = None;
            told.count("net: candidates asked again", 1);
            told.count("net: candidates confirmed by their run", confirmed.into());
            ledger.add(told);
        }
    }
}

/// Those of a set.
fn only(all: &FixedBitSet, wanted: &BTreeSet<usize>) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(all.len());
    set.extend(all.ones().filter(|s| wanted.contains(s)));
    set
}

/// What a run says of how to search.
struct Hint {
    /// The sites before which a thread waits while others go on.
    switches: BTreeSet<usize>,
    /// Rounds that are enough, whatever the order of the threads within one.
    rounds: u32,
}

fn hint(steps: &[Step]) -> Option<Hint> {
    let mut switches = BTreeSet::new();
    // When each thread made its last step, and the turns that threads have taken.
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    let mut turns = 0u32;
    let mut moved = None;
    for (n, step) in steps.iter().enumerate() {
        let waited = last.get(&step.thread).is_none_or(|l| l + 1 != n);
        switches.extend(step.site.filter(|_| waited).map(|s| s.index()));
        last.insert(step.thread, n);
        if moved != Some(step.thread) && step.at.is_some() {
            turns += 1;
            moved = Some(step.thread);
        }
    }
    // Of two threads a round has room for one turn of each, but for the first.
    let rounds = match last.len() {
        0..=2 => turns / 2 + 1,
        _ => turns,
    };
    let fits = rounds <= MAX_ROUNDS && last.len() <= MAX_THREADS;
    fits.then_some(Hint { switches, rounds })
}
