//! Evidence from other pairs: where an entry point gets to beside one, it gets to beside another.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::{Checked, Shared, Task, common};
use crate::index::{EntryId, Idx, SiteId};

/// Proofs hold beside any number of threads, so an access counts as reached that its entry point gets to in any pair. `tasks`: of the
/// results, in their order.
pub fn share_evidence(results: &mut [Checked], tasks: &[Task], shared: &Shared<'_, '_>) {
    let mut shown: BTreeMap<EntryId, FixedBitSet> = BTreeMap::new();
    if results.iter().all(|r| r.unproved.is_empty()) {
        return;
    }
    for (result, task) in results.iter().zip(tasks) {
        for (entry, sites) in task.entries().iter().zip(&result.shown) {
            shown.entry(*entry).or_default().union_with(sites);
        }
    }
    for (result, task) in results.iter_mut().zip(tasks) {
        let Some((a, b)) = task.two() else { continue };
        let mut proved = Vec::new();
        for waiting in std::mem::take(&mut result.unproved) {
            let got = |entry: EntryId, site: &SiteId| {
                let of = shown.get(&entry);
                of.is_some_and(|of| of.contains(site.index()))
            };
            let some = |sites: &[SiteId], entry| sites.iter().any(|s| got(entry, s));
            let mut sides = waiting.sites.iter().zip([a, b]);
            let mut written = waiting.writing.iter().zip([a, b]);
            let reads_only = waiting.writing.iter().all(Vec::is_empty);
            let evidence = sides.all(|(sites, entry)| sites.is_empty() || some(sites, entry))
                && (reads_only || written.any(|(sites, entry)| some(sites, entry)));
            if evidence && result.pair.regions.settle(&waiting.proved) {
                let claim = waiting.proved.claim().clone();
                proved.extend(common::place(claim, waiting.part, waiting.sites));
            } else {
                result.unproved.push(waiting);
            }
        }
        common::hold_back(result, &proved, shared, task);
    }
}
