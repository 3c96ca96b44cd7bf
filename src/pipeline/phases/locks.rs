//! What locks and nets decide of all pairs, so that no search of one takes another's time. Of one pair alone, its own takes nobody's.

use rayon::prelude::*;

use super::{At, Phase};
use crate::pair::{self, Pass, Shared};

pub(super) struct Locks;

impl Phase for Locks {
    fn applies(&self, at: &At<'_, '_>) -> bool {
        let tiers = at.shared.options.tiers;
        at.run.tasks.len() > 1 && tiers.searches() && tiers.lockset
    }

    fn run(&self, at: &At<'_, '_>) {
        at.progress().stage("locksets");
        let shared = Shared {
            isolated: &at.run.early,
            pass: Pass::Proofs,
            ..*at.shared
        };
        at.pool.install(|| {
            at.run.tasks.par_iter().enumerate().for_each(|(n, task)| {
                if let Some(result) = pair::proofs(&shared, task) {
                    at.run.results.proofs(n, result);
                }
            });
        });
    }
}
