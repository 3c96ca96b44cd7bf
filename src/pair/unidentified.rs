//! What is said of memory where two threads meet only if an object from outside is another's.

use crate::analysis::plan::PairPlan;
use crate::config::Options;
use crate::verdict::{PairResult, RegionResult, Verdict};

use super::asked_for;

/// Whatever was found out of other objects, nothing is known of these.
pub(super) fn told(pair: &mut PairResult, plan: &PairPlan, options: &Options) {
    if plan.unidentified.is_empty() {
        return;
    }
    for meeting in &plan.unidentified {
        if !options.fields.is_empty() && !asked_for(&meeting.name, &options.fields) {
            continue;
        }
        let objects = meeting.objects.join(", ");
        let reason = Some(format!("nothing tells whose object it is: {objects}"));
        pair.nothing_shared = false;
        match pair.regions.iter_mut().find(|r| r.location == meeting.name) {
            Some(region) if region.verdict == Verdict::Race => {}
            Some(region) => {
                region.verdict = Verdict::Unknown;
                region.by = None;
                region.reason = reason;
                region.assumptions.clear();
            }
            None => pair.regions.push(RegionResult {
                location: meeting.name.clone(),
                verdict: Verdict::Unknown,
                by: None,
                reason,
                assumptions: Vec::new(),
                run: Vec::new(),
            }),
        }
    }
    pair.regions.sort_by(|a, b| a.location.cmp(&b.location));
}
