//! What is not asked of a pair, since the source says that the race is meant.

use crate::analysis::PairPlan;
use crate::analysis::plan::SilencedRegion;
use crate::program::{Program, Touch};
use crate::verdict::{Frame, Suppressed, SuppressedAccess};

/// What the plan leaves out, in the words of the source.
pub(super) fn of(program: &Program, plan: &PairPlan) -> Vec<Suppressed> {
    let told = |region: &SilencedRegion| {
        let mut accesses: Vec<SuppressedAccess> = region
            .sites
            .iter()
            .map(|site| {
                let site = &program.sites[*site];
                let at = site.loc.map(|loc| &program.source.locations[loc]);
                SuppressedAccess {
                    at: Frame {
                        function: at.map_or(site.function.clone(), |l| l.function.clone()),
                        file: at.map_or(String::new(), |l| program.source.files[l.file].clone()),
                        line: at.map_or(0, |l| l.line),
                        column: at.map_or(0, |l| l.column),
                    },
                    kind: Touch::of(site.kind).unwrap_or(Touch::Writes),
                    silenced: site.silenced.is_some(),
                }
            })
            .collect();
        accesses.sort();
        accesses.dedup();
        Suppressed {
            location: region.name.to_string(),
            by: region.by,
            accesses,
        }
    };
    plan.silenced.iter().map(told).collect()
}
