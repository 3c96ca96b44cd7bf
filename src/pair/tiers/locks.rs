//! What locks prove.

use super::{Open, Stage};
use crate::analysis::plan::PlannedRegion;
use crate::pair::ledger::Proof;
use crate::property::Property;

/// Regions whose accesses hold a common lock ([`crate::analysis::lockset`]).
pub(super) struct Locks;

impl Stage for Locks {
    fn applies(&self, _open: &Open<'_, '_>) -> bool {
        true
    }

    /// Where they could not follow everything, what they would have proved is left to the other analyses: without candidates, but an
    /// execution shows whether the gap can be reached.
    fn decide(&self, open: &mut Open<'_, '_>) {
        let plan = &mut open.plan;
        let proved = std::mem::take(&mut plan.proved);
        if !open.shared.options.asks(Property::Race) {
            return;
        }
        if plan.gap.is_none() {
            open.proofs = proved.into_iter().map(Proof::from).collect();
            return;
        }
        plan.regions
            .extend(proved.into_iter().map(|r| PlannedRegion {
                name: r.name,
                objects: Vec::new(),
                part: r.part,
                sites_a: r.sites_a,
                sites_b: r.sites_b,
                conflict_pairs: Vec::new(),
            }));
        plan.regions.sort_by(|x, y| x.name.cmp(&y.name));
    }
}
