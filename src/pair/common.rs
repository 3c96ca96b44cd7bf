//! Evidence that what is claimed of a pair is about something that both have in common: an object that both access, one of them to write.
//!
//! That accesses are reached ([`super::evidence`]) does not say so, but for variables to which one of them certainly leads: with another object
//! each time there is nothing to be kept apart. It is shown by runs ([`crate::concrete::Runs::common`]), or by each thread executed by itself from the same state
//! (`pair/apart.rs`). Until it is, a claim is held back.

use std::collections::BTreeSet;

use super::ledger::{Proof, Unproved};
use super::{Checked, Pass, Shared, Task};
use crate::analysis::plan::{PairPlan, Part};
use crate::concrete::{LookedFor, Spot};
use crate::environment::earlier::ends_the_use;
use crate::index::SiteId;
use crate::verdict::{Claim, RegionResult, Verdict, Why};

/// A claim that is held back.
#[derive(Clone, Debug)]
pub struct Held {
    /// What is said once something is shown to be in common.
    pub result: RegionResult,
    /// Where it is to be in common.
    pub(super) spot: Spot,
}

/// A region of which something may be claimed, and that may be another object's each time.
pub(super) struct Place {
    pub claim: Claim,
    pub spot: Spot,
}

/// Such a region; `None`: it is a variable's that one of them certainly writes. `sites`: the accesses of either side.
pub(super) fn place(claim: Claim, part: Part, sites: [Vec<SiteId>; 2]) -> Option<Place> {
    let same_bytes = match part {
        Part::Variable => return None,
        // Nothing is claimed of it.
        Part::Anywhere => return None,
        Part::Bytes => true,
        Part::Elements => false,
    };
    let spot = Spot { sites, same_bytes };
    Some(Place { claim, spot })
}

/// These regions of a pair.
pub(super) fn places(plan: &PairPlan, proofs: &[Proof]) -> Vec<Place> {
    let proved = proofs.iter().map(|p| (&p.region, p.part, p.sites.clone()));
    let searched = plan.regions.iter().map(|r| {
        let sites = [r.sites_a.clone(), r.sites_b.clone()];
        (&r.name, r.part, sites)
    });
    let all = proved.chain(searched);
    all.filter_map(|(name, part, sites)| place(Claim::Region(name.clone()), part, sites))
        .collect()
}

/// Holds back what is claimed of regions in which both threads were not seen to access one object.
pub(super) fn hold_back(
    checked: &mut Checked,
    places: &[Place],
    shared: &Shared<'_, '_>,
    task: &Task,
) {
    let (Some((a, b)), true) = (task.two(), task.in_steady()) else {
        return;
    };
    // Else nobody would look further.
    if !shared.puts_together() {
        return;
    }
    let mut claimed: Vec<Held> = Vec::new();
    for region in &checked.pair.regions {
        let of = places.iter().find(|place| place.claim == *region.claim());
        // Where the sides are not told apart, accesses are of both.
        let told = |spot: &Spot| spot.sites.iter().all(|s| !s.is_empty());
        let known = shared.common.contains(region.claim());
        let open = |place: &&Place| region.is_claimed() && !known && told(&place.spot);
        claimed.extend(of.filter(open).map(|place| Held {
            result: region.clone(),
            spot: place.spot.clone(),
        }));
    }
    if claimed.is_empty() {
        return;
    }
    let asked: Vec<&Spot> = claimed.iter().map(|held| &held.spot).collect();
    let looked_for = match shared.pass {
        // What each thread by itself shows comes between the two.
        Pass::Proofs => LookedFor::Known,
        Pass::Search => LookedFor::Further,
    };
    let common = shared
        .runs
        .and_then(|runs| runs.common((a, b), &asked, looked_for));
    let mut common = common.unwrap_or_else(|| vec![false; asked.len()]);
    let entries = &shared.closed.entries;
    let (x, y) = (&entries[a], &entries[b]);
    let of_a_file = ends_the_use(x, y) || ends_the_use(y, x);
    if let (true, Pass::Search, Some(runs)) = (of_a_file, shared.pass, shared.runs)
        && common.iter().any(|shown| !shown)
        && let Some(shown) = runs.common_of_one_file((a, b), &asked)
    {
        let both = common.iter_mut().zip(shown);
        both.for_each(|(common, shown)| *common |= shown);
    }
    let why = match shared.deadline.passed() {
        Some(stopped) => Why::Stopped(stopped),
        None => Why::NothingCommon,
    };
    let all = claimed.into_iter().zip(common);
    let held: Vec<Held> = all
        .filter_map(|(h, common)| (!common).then_some(h))
        .collect();
    let is_held: BTreeSet<&Claim> = held.iter().map(|h| h.result.claim()).collect();
    let regions = &mut checked.pair.regions;
    regions.take_back(|r| is_held.contains(r.claim()).then(|| why.clone()));
    checked.held.extend(held);
}

impl Held {
    /// Where it is to be in common.
    pub(super) fn place(&self) -> Place {
        Place {
            claim: self.result.claim().clone(),
            spot: self.spot.clone(),
        }
    }
}

impl Checked {
    /// What proofs wait for that are not said yet: that both threads are seen to access one object at these places.
    pub fn awaited(&self) -> Vec<(Claim, Spot)> {
        let is_open = |claim: &Claim| {
            let known = self.pair.regions.of(claim);
            known.is_some_and(|r| r.verdict() == Verdict::Unknown)
        };
        let unproved = self.unproved.iter().filter_map(|waiting| {
            let spot = Spot {
                sites: waiting.sites.clone(),
                same_bytes: waiting.part != Part::Elements,
            };
            let told = spot.sites.iter().all(|s| !s.is_empty());
            (told && waiting.part != Part::Anywhere).then(|| (waiting.proved.claim().clone(), spot))
        });
        let proved = |h: &&Held| h.result.verdict() == Verdict::Proved;
        let held = self.held.iter().filter(proved);
        let held = held.map(|h| (h.result.claim().clone(), h.spot.clone()));
        let all = unproved.chain(held);
        all.filter(|(claim, _)| is_open(claim)).collect()
    }

    /// Says again what was held back of these claims, and what was proved of them.
    pub fn restore(&mut self, common: &[Claim]) {
        let is_common = |claim: &Claim| common.contains(claim);
        let proofs = std::mem::take(&mut self.unproved).into_iter();
        let (proofs, left) = proofs.partition(|w| is_common(w.proved.claim()));
        self.unproved = left;
        let held = std::mem::take(&mut self.held).into_iter();
        let (held, left) = held.partition(|h| is_common(h.result.claim()));
        self.held = left;
        let (proofs, held): (Vec<Unproved>, Vec<Held>) = (proofs, held);
        let proofs = proofs.into_iter().map(|waiting| waiting.proved);
        for known in proofs.chain(held.into_iter().map(|h| h.result)) {
            self.pair.regions.settle(&known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deadline::Stopped;
    use crate::verdict::Tier;

    fn held(name: &str) -> Held {
        let claim = Claim::Region(name.into());
        Held {
            result: RegionResult::proved(claim, Tier::Lockset, Vec::new()),
            spot: Spot {
                sites: [vec![SiteId(0)], vec![SiteId(1)]],
                same_bytes: true,
            },
        }
    }

    #[test]
    fn what_is_in_common_is_claimed_again_and_a_race_stays_one() {
        let mut checked = Task::whole_program().unfinished(&[], Stopped::Interrupted);
        for name in ["x", "y", "z"] {
            let claim = Claim::Region(name.into());
            checked.pair.regions.note(match name {
                "z" => RegionResult::race(claim, Tier::Kiss),
                _ => RegionResult::unknown(claim, Why::NothingCommon),
            });
            checked.held.push(held(name));
        }
        checked.restore(&["x", "z"].map(|name| Claim::Region(name.into())));
        let of = |name: &str| {
            let claim = Claim::Region(name.into());
            let known = checked.pair.regions.of(&claim);
            known.map(RegionResult::verdict)
        };
        assert_eq!(of("x"), Some(Verdict::Proved));
        assert_eq!(of("y"), Some(Verdict::Unknown));
        assert_eq!(of("z"), Some(Verdict::Race));
        let left: Vec<String> = checked
            .held
            .iter()
            .map(|h| h.result.claim().to_string())
            .collect();
        assert_eq!(left, ["y"]);
    }
}
