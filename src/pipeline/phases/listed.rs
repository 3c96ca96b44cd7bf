//! What is asked, before anything is known of it: it is listed where the time ends first.

use super::beside::candidates;
use super::{At, Phase};
use crate::pair;

pub(super) struct Listed;

impl Phase for Listed {
    fn applies(&self, _: &At<'_, '_>) -> bool {
        true
    }

    fn run(&self, at: &At<'_, '_>) {
        // Of pairs of entry points, the proofs tell more.
        if let [task] = at.run.tasks
            && let Some(open) = pair::listed(at.shared, task)
        {
            at.run.results.proofs(0, open);
        }
        if at.outlets.again {
            let shared = at.shared;
            let all = candidates(shared.closed, shared.planner, shared.options);
            at.run.beside.open(&all);
        }
    }
}
