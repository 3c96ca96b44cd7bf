//! Entry points that were compiled without debug information (`-g`): nothing tells what their pointers lead to, so the environment gives
//! them objects of its own, and what they share is not seen.
//!
//! What was found is a finding all the same: it replays. What was not found says nothing.

use super::{Checked, Closing};
use crate::verdict::{Claim, RegionResult, Why};

/// Takes back what is claimed of such a task.
pub(super) fn told(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    let Closing { shared, task, .. } = *closing;
    let program = &shared.closed.concurrent;
    let entries = task.entries().iter().map(|e| &shared.closed.entries[*e]);
    // What a function of the kernel's own is given, its rule says.
    let own = entries.filter(|e| !e.kernels_own);
    let mut functions = own.filter_map(|e| program.function_named(&e.function));
    if functions.all(|f| program.functions[f].loc.is_some()) {
        return;
    }
    let why = Why::NoDebugInfo;
    let pair = &mut checked.pair;
    let claimed = |r: &RegionResult| r.is_claimed().then(|| why.clone());
    pair.regions.take_back(claimed);
    if pair.nothing_shared || pair.regions.is_empty() {
        pair.nothing_shared = false;
        pair.assumptions.clear();
        let nothing = RegionResult::unknown(Claim::Threads, why);
        pair.regions.note(nothing);
    }
}
