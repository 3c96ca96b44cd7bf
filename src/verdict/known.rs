//! What is known of each claim of a pair, and the only place in which it changes.
//!
//! The verdicts of a claim form a lattice (DESIGN: meaning of the words): of two analyses that are asked the same, a race that one found
//! is a race; else no more is known than by the one that knows less. A proof holds for any number of threads, so it takes the place of what
//! is unknown. A result cannot be put together in any other way than here: what is unknown has a reason, who decided is told of what is
//! decided alone, executions that were gone through of what is bounded alone.

use std::collections::BTreeMap;
use std::collections::btree_map;

use super::within::widest;
use super::{Claim, Tier, Verdict, Why, Within};
use crate::assumption::Assumption;

/// What is known of one claim.
#[derive(Clone, Debug)]
pub struct RegionResult {
    claim: Claim,
    known: Known,
    assumptions: Vec<Assumption>,
    run: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    Proved(Tier),
    /// Nothing in these executions.
    Bounded(Tier, Vec<Within>),
    Unknown(Why),
    Race(Tier),
}

impl RegionResult {
    fn new(claim: Claim, known: Known) -> RegionResult {
        RegionResult {
            claim,
            known,
            assumptions: Vec::new(),
            run: Vec::new(),
        }
    }

    /// It holds for any number of threads, if those assumptions do.
    pub fn proved(claim: Claim, by: Tier, rests_on: Vec<Assumption>) -> RegionResult {
        RegionResult {
            assumptions: rests_on,
            ..RegionResult::new(claim, Known::Proved(by))
        }
    }

    /// Nothing was found in these executions, all of which were gone through.
    pub fn bounded(claim: Claim, by: Tier, within: Vec<Within>) -> RegionResult {
        RegionResult::new(claim, Known::Bounded(by, within))
    }

    /// Nothing is known.
    pub fn unknown(claim: Claim, why: Why) -> RegionResult {
        RegionResult::new(claim, Known::Unknown(why))
    }

    /// It does not hold: there is a finding that has been replayed.
    pub fn race(claim: Claim, by: Tier) -> RegionResult {
        RegionResult::new(claim, Known::Race(by))
    }

    /// What the verdict is about.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// What is known, in a word.
    pub fn verdict(&self) -> Verdict {
        match self.known {
            Known::Proved(_) => Verdict::Proved,
            Known::Bounded(..) => Verdict::Bounded,
            Known::Unknown(_) => Verdict::Unknown,
            Known::Race(_) => Verdict::Race,
        }
    }

    /// Who decided; none for `unknown`.
    pub fn by(&self) -> Option<Tier> {
        match self.known {
            Known::Proved(by) | Known::Bounded(by, _) | Known::Race(by) => Some(by),
            Known::Unknown(_) => None,
        }
    }

    /// Of `bounded`: the executions that were gone through; otherwise none.
    pub fn within(&self) -> &[Within] {
        match &self.known {
            Known::Bounded(_, within) => within,
            Known::Proved(_) | Known::Unknown(_) | Known::Race(_) => &[],
        }
    }

    /// Why it is unknown; none if it is not.
    pub fn why(&self) -> Option<&Why> {
        match &self.known {
            Known::Unknown(why) => Some(why),
            Known::Proved(_) | Known::Bounded(..) | Known::Race(_) => None,
        }
    }

    /// What the verdict rests on. Nothing, if it is a race (its finding says so) or unknown.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Of a candidate, if asked (`--runs`): the run of the Petri net that gets to it, a line for each step.
    pub fn run(&self) -> &[String] {
        &self.run
    }

    /// Whether it says that nothing happens, be it within bounds: the kind of verdict that needs evidence.
    pub fn is_claimed(&self) -> bool {
        matches!(self.known, Known::Proved(_) | Known::Bounded(..))
    }

    /// Takes in what another analysis says of the same claim.
    fn join(&mut self, other: RegionResult) {
        let (own, others) = (self.verdict(), other.verdict());
        if own < others {
            *self = other;
        } else if own == others {
            self.known = match (&self.known, other.known) {
                (Known::Bounded(_, own), Known::Bounded(by, others)) => {
                    Known::Bounded(by, widest(own.iter().copied().chain(others)))
                }
                (Known::Unknown(why), _) => Known::Unknown(why.clone()),
                (_, other) => other,
            };
        }
    }

    /// Nothing is known any more, for that reason.
    fn take_back(&mut self, why: Why) {
        self.known = Known::Unknown(why);
        self.assumptions.clear();
    }
}

/// What is known of the claims of a pair: once of each, in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Verdicts(BTreeMap<Claim, RegionResult>);

impl Verdicts {
    /// Of nothing.
    pub const NONE: Verdicts = Verdicts(BTreeMap::new());

    /// What is known of a claim; `None`: nobody has said anything of it.
    pub fn of(&self, claim: &Claim) -> Option<&RegionResult> {
        self.0.get(claim)
    }

    /// Whether anything was said of a claim.
    pub fn has(&self, claim: &Claim) -> bool {
        self.0.contains_key(claim)
    }

    /// Of how many claims something was said.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was said at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each, in the order of the claims' names.
    pub fn iter(&self) -> btree_map::Values<'_, Claim, RegionResult> {
        self.0.values()
    }

    /// The claims, in the order of their names.
    pub fn claims(&self) -> btree_map::Keys<'_, Claim, RegionResult> {
        self.0.keys()
    }

    /// Takes in what one more analysis says of a claim.
    pub fn note(&mut self, result: RegionResult) {
        match self.0.get_mut(&result.claim) {
            Some(own) => own.join(result),
            None => {
                self.0.insert(result.claim.clone(), result);
            }
        }
    }

    /// The same of all that another one says.
    pub fn join(&mut self, other: Verdicts) {
        other.0.into_values().for_each(|result| self.note(result));
    }

    /// Takes in what was found elsewhere of a claim of which this says nothing.
    pub fn supply(&mut self, result: RegionResult) {
        self.0.entry(result.claim.clone()).or_insert(result);
    }

    /// Says something of a claim of which nothing is known so far, though it was asked for. Whether that is so.
    pub fn settle(&mut self, result: &RegionResult) -> bool {
        match self.0.get_mut(&result.claim) {
            Some(own) if own.verdict() == Verdict::Unknown => {
                *own = result.clone();
                true
            }
            Some(_) | None => false,
        }
    }

    /// What has been found refutes what was claimed, or has yet to be claimed.
    pub fn refute(&mut self, races: &Verdicts) {
        let races = races.iter().filter(|r| r.verdict() == Verdict::Race);
        for race in races {
            self.0.insert(race.claim.clone(), race.clone());
        }
    }

    /// Keeps those that are wanted: of the others nothing has been said.
    pub fn retain(&mut self, mut wanted: impl FnMut(&RegionResult) -> bool) {
        self.0.retain(|_, result| wanted(result));
    }

    /// What is decided and must not be said is unknown for the reason given; `None`: it may be said.
    pub fn take_back(&mut self, mut why: impl FnMut(&RegionResult) -> Option<Why>) {
        let decided = |r: &&mut RegionResult| r.verdict() != Verdict::Unknown;
        for result in self.0.values_mut().filter(decided) {
            if let Some(why) = why(result) {
                result.take_back(why);
            }
        }
    }

    /// Of a claim nothing is known for that reason, whatever anybody said of it, unless a race was found.
    pub fn doubt(&mut self, claim: Claim, why: &Why) {
        let unknown = RegionResult::unknown(claim.clone(), why.clone());
        let known = self.0.entry(claim).or_insert(unknown);
        if known.verdict() != Verdict::Race {
            known.take_back(why.clone());
        }
    }

    /// A better reason for what is unknown; `None`: the one that it has is best.
    pub fn explain(&mut self, mut better: impl FnMut(&Claim, &Why) -> Option<Why>) {
        for result in self.0.values_mut() {
            if let Known::Unknown(why) = &mut result.known
                && let Some(better) = better(&result.claim, why)
            {
                *why = better;
            }
        }
    }

    /// Lists what claims rest on, of those that say that nothing happens. What is listed already is not listed again.
    pub fn rest_on(&mut self, mut more: impl FnMut(&RegionResult) -> Vec<Assumption>) {
        let claimed = |r: &&mut RegionResult| r.is_claimed();
        for result in self.0.values_mut().filter(claimed) {
            for assumption in more(result) {
                if !result.assumptions.contains(&assumption) {
                    result.assumptions.push(assumption);
                }
            }
        }
    }

    /// How a Petri net gets to what a claim excludes.
    pub fn show_run(&mut self, claim: &Claim, run: Vec<String>) {
        if let Some(result) = self.0.get_mut(claim) {
            result.run = run;
        }
    }
}

impl FromIterator<RegionResult> for Verdicts {
    fn from_iter<I: IntoIterator<Item = RegionResult>>(all: I) -> Verdicts {
        let mut verdicts = Verdicts::NONE;
        all.into_iter().for_each(|result| verdicts.note(result));
        verdicts
    }
}

impl<'a> IntoIterator for &'a Verdicts {
    type Item = &'a RegionResult;
    type IntoIter = btree_map::Values<'a, Claim, RegionResult>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Verdicts {
    type Item = RegionResult;
    type IntoIter = btree_map::IntoValues<Claim, RegionResult>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_doubted_is_unknown_unless_it_is_refuted() {
        let [proved, raced, new] = ["@a", "@b", "@c"].map(|name| Claim::Region(name.into()));
        let mut verdicts: Verdicts = [
            RegionResult::proved(proved.clone(), Tier::Lockset, Vec::new()),
            RegionResult::race(raced.clone(), Tier::Kiss),
        ]
        .into_iter()
        .collect();
        verdicts.show_run(&proved, vec!["begins".to_string()]);
        for claim in [&proved, &raced, &new] {
            verdicts.doubt(claim.clone(), &Why::NotFollowed);
        }
        let of = |claim: &Claim| verdicts.of(claim).expect("told").verdict();
        assert_eq!(of(&proved), Verdict::Unknown);
        assert_eq!(of(&raced), Verdict::Race);
        assert_eq!(of(&new), Verdict::Unknown);
        let run = verdicts.of(&proved).expect("told").run();
        assert_eq!(run, ["begins"], "how a net gets there stays known");
    }
}
