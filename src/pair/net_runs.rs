//! What Petri nets say beside their proofs: how they get to two accesses at once, or why they say nothing.

use std::collections::BTreeMap;

use super::ledger::Ledger;
use crate::analysis::coverability::run::Step;
use crate::config::Options;
use crate::region::Region;
use crate::verdict::{Claim, Verdict};

/// What nets say beside their proofs.
#[derive(Default)]
pub(super) struct Found {
    /// Why regions are not proved, where the net gives a reason of its own.
    pub open: BTreeMap<Region, String>,
    /// How the net gets to them.
    pub runs: BTreeMap<Region, Vec<Step>>,
    /// Counts.
    pub stats: BTreeMap<String, u64>,
}

/// Notes how nets get to what is not proved, and counts what of it no other analysis has found.
pub(super) fn told(ledger: &mut Ledger, runs: &BTreeMap<Region, Vec<Step>>, options: &Options) {
    for (region, run) in runs {
        let claim = Claim::Region(region.clone());
        let Some(region) = ledger.regions.of(&claim) else {
            continue;
        };
        let confirmed = region.verdict() == Verdict::Race;
        if options.runs {
            ledger.regions.show_run(&claim, lines(run));
        }
        let searched = options.tiers.searches();
        ledger.count("net: candidates", 1);
        ledger.count(
            "net: candidates not confirmed",
            u64::from(searched && !confirmed),
        );
    }
}

/// A run of a net, a line for each step of a thread; its last steps are the two accesses.
fn lines(run: &[Step]) -> Vec<String> {
    let line = |step: &Step| match &step.at {
        None => format!("thread {}, {}, begins", step.thread, step.runs),
        Some((place, function)) => {
            format!(
                "thread {}, {}: {place} ({function})",
                step.thread, step.runs
            )
        }
    };
    run.iter().map(line).collect()
}
