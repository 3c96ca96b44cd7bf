//! Which regions what was left out concerns: those with an access that comes after it.

use fixedbitset::FixedBitSet;

use super::evidence::{self, Reach};
use crate::analysis::plan::PlannedRegion;
use crate::index::Idx;
use crate::source::SourceMap;
use crate::symex::witness::checker::Gap;
use crate::verdict::Why;

/// Whether an access of the region may come after what was left out.
fn lies_behind(gap: &Gap, region: &PlannedRegion) -> bool {
    let mut sites = region.sites_a.iter().chain(&region.sites_b);
    match &gap.behind {
        Some(behind) => sites.any(|s| behind.contains(s.index())),
        None => true,
    }
}

/// Accesses of regions that no gap seems to concern: each is to be shown to be got to without it. `None`: there is none.
pub(super) fn besides<'a>(
    gaps: &[Gap],
    asked: impl Iterator<Item = &'a PlannedRegion>,
) -> Option<FixedBitSet> {
    let mut wanted = FixedBitSet::new();
    for region in asked.filter(|r| !gaps.is_empty() && !gaps.iter().any(|g| lies_behind(g, r))) {
        let sites = region.sites_a.iter().chain(&region.sites_b);
        wanted.extend(sites.map(|s| s.index()));
    }
    (!wanted.is_clear()).then_some(wanted)
}

/// Why nothing can be claimed of a region (or of what is no region of memory).
pub(super) fn concerning(
    gaps: &[Gap],
    region: Option<&PlannedRegion>,
    reached: &Reach,
    source: &SourceMap,
) -> Option<Why> {
    let concerns = |gap: &&Gap| match region {
        Some(r) => lies_behind(gap, r) || !reached.get_to_all(r),
        None => true,
    };
    let gap = gaps.iter().find(concerns)?;
    Some(evidence::left_out(&gap.missing, source))
}
