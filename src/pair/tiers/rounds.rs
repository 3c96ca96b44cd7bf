//! Executions in rounds (`--contexts`).

use super::{Open, Stage};
use crate::pair::refinement;

/// Searches executions in which threads take turns in the order of their numbers, with as few fields as it takes
/// ([`crate::pair::refinement`]).
pub(super) struct InRounds;

impl Stage for InRounds {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let ledger = open.ledger.as_ref();
        let left = ledger.is_none_or(|ledger| ledger.raced().len() < ledger.regions.len());
        open.shared.options.tiers.contexts && left && open.is_searched()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let raced = open.raced();
        let isolated = open.isolated.as_ref();
        let found = refinement::rounds(
            open.shared,
            open.task,
            &open.plan,
            isolated,
            &raced,
            open.found,
        );
        match &mut open.ledger {
            None => open.ledger = Some(found),
            Some(ledger) => ledger.add(found),
        }
    }
}
