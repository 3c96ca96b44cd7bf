//! Properties that are checked one after the other, each part on a program of its own ([`Options::parts`]), and what is told of all of them.
//!
//! What a part has decided stays, whatever becomes of those after it. What a part had no time for is unknown.

use std::path::PathBuf;

use super::checking::{Outlets, check_until, same_place};
use super::{close, nothing};
use crate::config::Options;
use crate::deadline::Deadline;
use crate::error::Failure;
use crate::frontend::Goal;
use crate::pair::Queries;
use crate::progress::Progress;
use crate::property::Property;
use crate::verdict::{Claim, Outcome, PairResult, RegionResult, Why};

/// Checks all parts. See [`super::check`].
pub(super) fn check(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    overdue: &(dyn Fn(Outcome) + Sync),
    mut queries: Option<Queries>,
) -> Result<Outcome, Failure> {
    let end = Deadline::after(options.timeout);
    let mut known: Option<Outcome> = None;
    let parts = options.parts();
    for (n, part) in parts.iter().enumerate() {
        let is_last = n + 1 == parts.len();
        let before = known.clone();
        let late = |outcome| overdue(after(before.clone(), outcome, (part, end)));
        let outlets = Outlets {
            progress,
            overdue: &late,
            end,
            queries: queries.take(),
            again: true,
        };
        let deadline = if is_last { end } else { end.part((2, 3)) };
        known = Some(match (one(inputs, part, deadline, &outlets), known) {
            (Ok(outcome), known) => after(known, outcome, (part, end)),
            (Err(failure), Some(known)) => failed(known, part, &failure),
            (Err(failure), None) => return Err(failure),
        });
        queries = outlets.queries;
    }
    Ok(known.unwrap_or_else(|| Outcome::empty(inputs, options)))
}

/// Checks one part.
fn one(
    inputs: &[PathBuf],
    options: &Options,
    deadline: Deadline,
    outlets: &Outlets<'_>,
) -> Result<Outcome, Failure> {
    let goal = Goal::Sequential;
    match close(inputs, options, goal, outlets.progress, deadline) {
        Ok(closed) => check_until(inputs, &closed, options, deadline, outlets),
        // Reading was broken off: nothing is known, which is no fault of the input.
        Err(failure) => match failure.stopped() {
            Some(stopped) => Ok(nothing(inputs, options, stopped)),
            None => Err(failure),
        },
    }
}

/// What is known once a part has been checked, too.
fn after(known: Option<Outcome>, outcome: Outcome, (part, end): (&Options, Deadline)) -> Outcome {
    let Some(mut whole) = known else {
        return outcome;
    };
    whole
        .not_asked
        .retain(|what| outcome.not_asked.contains(what));
    let mut others = outcome.pairs;
    for pair in &mut whole.pairs {
        let place = pair.place();
        match others.iter().position(|o| o.place() == place) {
            Some(at) => add(pair, others.remove(at)),
            None => leave_open(pair, part, end.passed().map(Why::Stopped)),
        }
    }
    whole.pairs.extend(others);
    whole.pairs.sort_by_key(PairResult::place);
    for finding in outcome.findings {
        match whole.findings.iter_mut().find(|f| same_place(f, &finding)) {
            Some(known) => known.join(&finding),
            None => whole.findings.push(finding),
        }
    }
    for (all, more) in [
        (&mut whole.default_models, outcome.default_models),
        (&mut whole.unmodelled_asm, outcome.unmodelled_asm),
    ] {
        for one in more {
            if !all.iter().any(|(name, _)| *name == one.0) {
                all.push(one);
            }
        }
        all.sort();
    }
    for note in outcome.notes {
        if !whole.notes.contains(&note) {
            whole.notes.push(note);
        }
    }
    whole.not_replayed += outcome.not_replayed;
    for (name, n) in outcome.stats {
        let so_far = whole.stats.entry(name).or_default();
        *so_far += n;
    }
    whole.stats.insert("pairs".into(), whole.pairs.len() as u64);
    let work = crate::deadline::work_done();
    whole.stats.insert("work".into(), work);
    whole.stopped = whole.stopped.or(outcome.stopped);
    whole
}

/// What another part says of the same pair.
fn add(pair: &mut PairResult, other: PairResult) {
    for region in other.regions {
        pair.regions.supply(region);
    }
    pair.nothing_shared &= other.nothing_shared;
    if pair.reachable_sites.iter().all(|(_, all)| *all == 0) {
        pair.reachable_sites = other.reachable_sites;
    }
    for assumption in other.assumptions {
        if pair.regions.is_empty() && !pair.assumptions.contains(&assumption) {
            pair.assumptions.push(assumption);
        }
    }
}

/// A part that could not be checked takes nothing from those before it: what it would have asked is unknown.
fn failed(mut known: Outcome, part: &Options, failure: &Failure) -> Outcome {
    for pair in &mut known.pairs {
        leave_open(pair, part, Some(Why::NotSearched));
    }
    known.notes.push(format!("deadlocks: {failure}"));
    known
}

/// Nobody came to ask this part of the pair.
fn leave_open(pair: &mut PairResult, part: &Options, why: Option<Why>) {
    if let (true, Some(why), None) = (part.asks(Property::Deadlock), why, &pair.serialized_by) {
        pair.nothing_shared = false;
        let nothing = RegionResult::unknown(Claim::Deadlocks, why);
        pair.regions.note(nothing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::InputError;
    use crate::property::Properties;
    use crate::verdict::{Tier, Verdict};

    fn pair(claims: &[Claim]) -> PairResult {
        let region = |c: &Claim| RegionResult::bounded(c.clone(), Tier::Kiss, Vec::new());
        PairResult {
            a: "a".into(),
            b: "b".into(),
            further: Vec::new(),
            scenario: String::new(),
            serialized_by: None,
            regions: claims.iter().map(region).collect(),
            nothing_shared: false,
            suppressed: Vec::new(),
            assumptions: Vec::new(),
            reachable_sites: vec![(1, 2), (1, 2)],
        }
    }

    fn outcome(options: &Options, claims: &[Claim]) -> Outcome {
        Outcome {
            pairs: vec![pair(claims)],
            ..Outcome::empty(&[], options)
        }
    }

    fn verdicts(outcome: &Outcome) -> Vec<(Claim, Verdict)> {
        let regions = outcome.pairs.iter().flat_map(|p| &p.regions);
        regions.map(|r| (r.claim().clone(), r.verdict())).collect()
    }

    #[test]
    fn what_was_decided_stays_whatever_becomes_of_the_next_part() {
        let options = Options {
            properties: Properties::default().and(Property::Deadlock),
            ..Options::default()
        };
        let parts = options.parts();
        let first = outcome(&parts[0], &[Claim::Assertions]);
        assert!(first.not_asked.contains(&Property::Deadlock));
        let held = (Claim::Assertions, Verdict::Bounded);
        let second = outcome(&parts[1], &[Claim::Deadlocks]);
        let both = after(Some(first.clone()), second, (&parts[1], Deadline::NEVER));
        let decided = (Claim::Deadlocks, Verdict::Bounded);
        assert_eq!(verdicts(&both), [held.clone(), decided]);
        assert!(
            !both.not_asked.contains(&Property::Deadlock),
            "it was asked"
        );
        assert!(!both.not_asked.contains(&Property::Race), "so was that");
        let failure = Failure::from(InputError::new("demo.bc", "cannot be read"));
        let left = failed(first, &parts[1], &failure);
        let open = (Claim::Deadlocks, Verdict::Unknown);
        assert_eq!(verdicts(&left), [held, open]);
        assert!(left.notes.iter().any(|n| n.contains("cannot be read")));
    }
}
