//! What earlier calls leave behind: a pair that begins after one more entry point has run, to its end.
//!
//! Entry points of a pair begin on the state that initialisation, opening and the rules' own order leave. What another call would have
//! changed by then (a mode, a count, a list) they do not see. So the entry points that write most of what branches of the two depend on
//! ([`crate::analysis::Planner::steers`]) are run before the pair, one at a time, when all pairs have been searched: by runs, and by a
//! search, with a small budget, of what is `bounded`. A race that is found so is one like any other.
//!
//! What it misses: what takes two calls, or another one than these. So that nothing is found here adds nothing to what is said.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::caveats::Described;
use super::ledger::Ledger;
use super::open::Open;
use super::queries::Aim;
use super::runs::races_after;
use super::tiers::{balanced, prepare};
use super::{Checked, Share, Shared, Task, wrapper};
use crate::analysis::sections::AccessId;
use crate::concrete::{LookedFor, Spot};
use crate::config::{Explore, Options};
use crate::environment::earlier::may_come_before;
use crate::index::{EntryId, FuncId};
use crate::solver::SharedBudget;
use crate::verdict::{Claim, Finding, RegionResult, Verdict};

/// So many are run before a pair, by runs and by searches, which cost more.
const TRIED: usize = 2;
const SEARCHED: usize = 2;

/// Instructions and terms of a search, terms that it may ask for, and units of the solver for all searches of a pair.
const INSTRUCTIONS: u64 = 200_000;
const TERMS: usize = 400_000;
const LOOKUPS: u64 = 2_000_000;
const RLIMIT: u64 = 4_000_000;

/// Which entry points change what others do.
#[derive(Default)]
pub struct Earlier(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The reads that branches depend on.
    reads: BTreeMap<EntryId, Arc<BTreeSet<AccessId>>>,
    /// How much one writes of what branches of another one depend on.
    steers: BTreeMap<(EntryId, EntryId), usize>,
}

impl Earlier {
    /// The entry points that are run before those two, those first that change most of what they do.
    pub(super) fn of(&self, shared: &Shared<'_, '_>, task: &Task) -> Vec<EntryId> {
        let (Some((a, b)), true) = (task.two(), task.in_steady()) else {
            return Vec::new();
        };
        if task.takes_two().is_some() {
            return Vec::new();
        }
        let closed = shared.closed;
        let entries = &closed.entries;
        let may = |e: EntryId| {
            let known = closed.concurrent.harness.entry(e);
            let before = |x: EntryId| may_come_before(&entries[e], &entries[x]);
            known.is_some_and(|known| known.earlier) && before(a) && before(b)
        };
        let all = entries.iter_ids().map(|(id, _)| id).filter(|e| may(*e));
        let ranked = all.map(|e| {
            let both = if a == b { vec![a] } else { vec![a, b] };
            let steers: usize = both.iter().map(|x| self.steers(shared, e, *x)).sum();
            (steers, e)
        });
        let mut ranked: Vec<_> = ranked.filter(|(steers, _)| *steers > 0).collect();
        ranked.sort_by_key(|(steers, e)| (std::cmp::Reverse(*steers), *e));
        ranked.truncate(TRIED);
        ranked.into_iter().map(|(_, e)| e).collect()
    }

    fn steers(&self, shared: &Shared<'_, '_>, writer: EntryId, reader: EntryId) -> usize {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(steers) = known().steers.get(&(writer, reader)) {
            return *steers;
        }
        let roots = |e: EntryId| -> Vec<FuncId> {
            wrapper(&shared.closed.concurrent, e).into_iter().collect()
        };
        let reads = known().reads.get(&reader).cloned();
        let reads = reads.unwrap_or_else(|| Arc::new(shared.planner.steering(&roots(reader))));
        let steers = shared
            .planner
            .steers(&roots(writer), &roots(reader), &reads);
        let mut known = known();
        known.reads.insert(reader, reads);
        known.steers.insert((writer, reader), steers);
        steers
    }
}

/// Of which of these both threads of a pair were seen to access one object, one of them to write: beside each other, or where one more entry
/// point has run before. That is the evidence for what locks prove, which holds whatever has run before.
pub fn common_after_one(
    shared: &Shared<'_, '_>,
    task: &Task,
    asked: &[(Claim, Spot)],
) -> Vec<Claim> {
    let (Some(pair), Some(runs), true) = (task.two(), shared.runs, task.in_steady()) else {
        return Vec::new();
    };
    let mut left: Vec<&(Claim, Spot)> = asked.iter().collect();
    let earlier = shared.earlier.of(shared, task).into_iter().map(Some);
    for earlier in std::iter::once(None).chain(earlier) {
        if left.is_empty() || shared.deadline.passed().is_some() {
            break;
        }
        let spots: Vec<&Spot> = left.iter().map(|(_, spot)| spot).collect();
        let shown = match earlier {
            None => runs.common(pair, &spots, LookedFor::Further),
            Some(earlier) => runs.common_after(pair, earlier, &spots),
        };
        let mut shown = shown.unwrap_or_default().into_iter();
        left.retain(|_| shown.next() != Some(true));
    }
    let all = asked.iter().map(|(claim, _)| claim);
    let is_left = |claim: &&Claim| left.iter().any(|(other, _)| other == *claim);
    all.filter(|claim| !is_left(claim)).cloned().collect()
}

/// Looks for what refutes these claims of a pair, of which nothing was found, where one more entry point has run. `None`: nothing is run
/// before it. `found`: each finding.
pub fn after_one(
    shared: &Shared<'_, '_>,
    task: &Task,
    claims: &[RegionResult],
    found: &dyn Fn(&Finding),
) -> Option<Checked> {
    let options = shared.options;
    if !options.deepen || options.explore != Explore::Merge {
        return None;
    }
    let earlier = shared.earlier.of(shared, task);
    if earlier.is_empty() {
        return None;
    }
    let each: Vec<Option<EntryId>> = earlier.iter().copied().map(Some).collect();
    let is_left = |claim: &Claim| claims.iter().any(|r| r.claim() == claim);
    let runs = races_after(shared, task, &each, &is_left, found);
    let raced: Vec<&Claim> = runs.iter().flat_map(|r| r.pair.regions.claims()).collect();
    let bounded = claims.iter().filter(|r| r.verdict() == Verdict::Bounded);
    let bounded = bounded
        .map(RegionResult::claim)
        .filter(|claim| !raced.contains(claim));
    let bounded: Vec<Claim> = bounded.cloned().collect();
    if bounded.is_empty() || !options.tiers.kiss {
        return runs;
    }
    let first = &earlier[..SEARCHED.min(earlier.len())];
    let mut checked = searched(shared, task, first, &bounded, found);
    if let Some(runs) = runs {
        checked.add_before(&runs);
    }
    Some(checked)
}

/// Searches for what refutes these claims, after each of those entry points.
fn searched(
    shared: &Shared<'_, '_>,
    task: &Task,
    earlier: &[EntryId],
    claims: &[Claim],
    found: &dyn Fn(&Finding),
) -> Checked {
    let purse = SharedBudget::of(RLIMIT);
    let options = Options {
        max_instructions: shared.options.max_instructions.min(INSTRUCTIONS),
        ..shared.options.clone()
    };
    let shared = &Shared {
        options: &options,
        purse: Some(&purse),
        share: Share {
            terms: TERMS.min(shared.share.terms),
            lookups: LOOKUPS,
            ..shared.share
        },
        ..*shared
    };
    let findings = RefCell::new(Vec::new());
    let described = Described::of(shared, task);
    let keep = |finding: Finding| {
        if let Some(finding) = described.tell(finding) {
            found(&finding);
            findings.borrow_mut().push(finding);
        }
    };
    let mut all = Ledger::default();
    for e in earlier {
        let task = task.clone().after(*e);
        let mut open = Open::new(shared, &task, &keep);
        prepare(&mut open);
        let asked = open.asked();
        let raced = all.raced();
        let is_open = |claim: &Claim| claims.contains(claim) && !raced.contains(claim);
        let skip: Vec<Claim> = asked.iter().filter(|c| !is_open(c)).cloned().collect();
        if skip.len() >= asked.len() || shared.deadline.passed().is_some() || purse.left() == 0 {
            break;
        }
        all.count("after an earlier call: searches", 1);
        all.add(balanced(&open, shared, (skip, Aim::Races)));
    }
    // Why one of them came to nothing takes nothing from what is known.
    all.regions.retain(|r| r.verdict() == Verdict::Race);
    let mut checked = task.result(all);
    checked.findings = findings.take();
    described.take_back(&mut checked);
    checked
}
