//! Searches with ever larger bounds, the cheapest first, as long as they cost little: iterative deepening (Korf 1985), over the bounds of
//! KISS and of executions in rounds.
//!
//! One round costs next to nothing for any number of threads. The search of KISS after it has bounds that suit most inputs, and a small
//! budget here, for what it costs grows sevenfold with each thread. Two rounds reach what no balanced execution does; then come more of
//! either. Each step says what it has gone through ([`crate::verdict::Within`]); one that is cut says nothing, unless it finds something.
//! All of them together are paid from one purse in the solver's units, so that what is reached is the same on every machine.
//!
//! Deviation from iterative deepening: a step does not begin where the last one ended, it begins anew. Loops and recursion keep their bounds here.

use std::mem::discriminant;

use super::{Open, Stage, kiss};
use crate::config::{Explore, Options, Rounds};
use crate::pair::budget::Share;
use crate::pair::ledger::Ledger;
use crate::pair::queries::Aim;
use crate::pair::{Shared, refinement};
use crate::solver::SharedBudget;
use crate::verdict::{RegionResult, Why, Within};

/// Instructions and terms of one step.
const INSTRUCTIONS: u64 = 200_000;
const TERMS: usize = 400_000;
/// Terms that it may ask for, new or not.
const LOOKUPS: u64 = 2_000_000;

/// What all steps may take of both, and of the solver, in its units: no step begins beyond.
const SIZE: u64 = 400_000;
const RLIMIT: u64 = 4_000_000;

/// Units of the solver for one query of a step.
const RLIMIT_OF_QUERY: u64 = 2_000_000;

/// The same of the first search, where others follow.
const INSTRUCTIONS_OF_FIRST: u64 = 400_000;
const TERMS_OF_FIRST: usize = 800_000;
const LOOKUPS_OF_FIRST: u64 = 20_000_000;
const RLIMIT_OF_FIRST: u64 = 16_000_000;

/// The steps after the first search, in the order of what they cost.
const STEPS: &[Within] = &[
    rounds(2),
    rounds(3),
    Within::Balanced { ts: 2 },
    rounds(4),
    rounds(6),
    Within::Balanced { ts: 3 },
    rounds(8),
    rounds(11),
    rounds(16),
];

const fn rounds(contexts: u32) -> Within {
    Within::Rounds {
        contexts,
        switches: None,
    }
}

/// Searches on.
pub(super) struct Deeper;

/// Whether a task is searched beyond the bounds that were asked for: programs. Of drivers, whose pairs begin on states that initialisation
/// has filled, each step costs more than what it finds is worth.
pub(super) fn applies(open: &Open<'_, '_>) -> bool {
    let options = open.shared.options;
    let plain = options.tiers.kiss
        && !options.tiers.contexts
        && options.explore == Explore::Merge
        && options.switch_points == 100;
    options.deepen && plain && open.task.is_program() && open.is_searched()
}

/// One round: each thread goes once, up to where others go on.
pub(super) struct OneRound;

impl Stage for OneRound {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        applies(open) && left(open)
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let purse = SharedBudget::of(RLIMIT);
        let options = of_step(open.shared.options);
        let mut told = within(open, &options, (TERMS, LOOKUPS, &purse), rounds(1));
        // Where threads get nowhere in one round, they may in what is asked for.
        let counts = |r: &RegionResult| r.why().is_none_or(Why::is_suspicion);
        told.regions.retain(counts);
        merge(open, told);
    }
}

impl Stage for Deeper {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        applies(open) && left(open)
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let purse = SharedBudget::of(RLIMIT);
        let options = of_step(open.shared.options);
        // Where one of a kind was cut, larger ones are.
        let mut cut = Vec::new();
        let mut size = 0;
        for step in STEPS {
            if cut.contains(&discriminant(step)) {
                continue;
            }
            let told = within(open, &options, (TERMS, LOOKUPS, &purse), *step);
            cut.extend(told.is_cut().then(|| discriminant(step)));
            size += told.size();
            merge(open, told);
            let over = size > SIZE || purse.left() == 0 || open.shared.deadline.passed().is_some();
            if over || !left(open) {
                break;
            }
        }
        // Where nobody has gone through anything, the first search may have what it takes.
        if is_open(open) && open.shared.deadline.passed().is_none() {
            let told = kiss::balanced(open, open.shared, (open.raced(), Aim::Verdicts));
            merge(open, told);
        }
    }
}

/// Whether something is not refuted yet.
fn left(open: &Open<'_, '_>) -> bool {
    let asked = open.asked();
    let raced = open.raced();
    asked.iter().any(|claim| !raced.contains(claim))
}

/// Whether a claim was cut in each search so far.
fn is_open(open: &Open<'_, '_>) -> bool {
    open.ledger.as_ref().is_none_or(Ledger::is_cut)
}

/// The first search: with a small budget, if others follow.
pub(super) fn first(open: &Open<'_, '_>) -> Ledger {
    if !applies(open) {
        return kiss::balanced(open, open.shared, (open.raced(), Aim::Verdicts));
    }
    let purse = SharedBudget::of(RLIMIT_OF_FIRST);
    let options = small(open.shared.options, INSTRUCTIONS_OF_FIRST);
    let ts = Within::Balanced { ts: options.ts };
    within(
        open,
        &options,
        (TERMS_OF_FIRST, LOOKUPS_OF_FIRST, &purse),
        ts,
    )
}

fn of_step(options: &Options) -> Options {
    let small = small(options, INSTRUCTIONS);
    Options {
        rlimit: RLIMIT_OF_QUERY.min(small.rlimit),
        ..small
    }
}

fn small(options: &Options, instructions: u64) -> Options {
    Options {
        max_instructions: options.max_instructions.min(instructions),
        ..options.clone()
    }
}

/// One search.
fn within(
    open: &Open<'_, '_>,
    options: &Options,
    (terms, lookups, purse): (usize, u64, &SharedBudget),
    step: Within,
) -> Ledger {
    let mut options = options.clone();
    match step {
        Within::Balanced { ts } => options.ts = ts,
        Within::Rounds { contexts, switches } => {
            let bounds = Rounds { contexts, switches };
            (options.contexts, options.switches) = (bounds.contexts, bounds.switches);
        }
    }
    let shared = &Shared {
        options: &options,
        purse: Some(purse),
        share: Share {
            terms: terms.min(open.shared.share.terms),
            lookups,
            ..open.shared.share
        },
        ..*open.shared
    };
    let mut told = match step {
        Within::Balanced { .. } => kiss::balanced(open, shared, (open.raced(), Aim::Verdicts)),
        Within::Rounds { .. } => {
            let (raced, isolated) = (open.raced(), open.isolated.as_ref());
            refinement::rounds(shared, open.task, &open.plan, isolated, &raced, open.found)
        }
    };
    told.count("searches with other bounds", 1);
    told
}

/// Adds it to what is known.
fn merge(open: &mut Open<'_, '_>, told: Ledger) {
    match &mut open.ledger {
        Some(known) => {
            let ts = open.task.ts(open.shared.options);
            known.beyond(Within::Balanced { ts }, told);
        }
        None => open.ledger = Some(told),
    }
}
