//! What is left where nobody searches.

use super::{Open, Stage};
use crate::pair::ledger::Ledger;
use crate::pair::queries;
use crate::verdict::{Candidate, Why};

/// Says what kept each claim from being proved.
pub(super) struct Candidates;

impl Stage for Candidates {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        let searched = open.shared.searches() && open.task.takes_two().is_none();
        !searched && !open.asked().is_empty()
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        if let Some(object) = open.task.takes_two() {
            let why = Why::OneOfSeveral(object.to_string());
            open.ledger = Some(Ledger::unknown(&open.asked(), &why));
            return;
        }
        let candidate = match &open.plan.gap {
            Some(gap) => Candidate::Gap(gap.clone()),
            None if !open.shared.options.tiers.lockset => Candidate::Net,
            None => Candidate::NoLock,
        };
        let mut ledger = Ledger::unknown(&open.asked(), &Why::Candidate(candidate));
        ledger.regions.explain(|claim, _| {
            if queries::is_searched_for(claim) {
                return Some(Why::NotSearched);
            }
            let no_net = open.nets.open.get(claim.region()?)?;
            Some(Why::Candidate(Candidate::NoNet(no_net.clone())))
        });
        open.ledger = Some(ledger);
    }
}
