//! What pairs have shown to be reached, for the proofs of others (`pair/elsewhere.rs`).

use super::{At, Phase};
use crate::pair;

pub(super) struct Evidence;

impl Phase for Evidence {
    fn applies(&self, _: &At<'_, '_>) -> bool {
        true
    }

    fn run(&self, at: &At<'_, '_>) {
        let share = |all: &mut [pair::Checked]| pair::share_evidence(all, at.run.tasks, at.shared);
        at.run.results.all_done(share);
    }
}
