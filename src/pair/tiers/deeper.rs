//! Searches with ever larger bounds, the cheapest first, as long as they cost little: iterative deepening (Korf 1985), over the bounds of
//! KISS and of executions in rounds.
//!
//! The first search has bounds that suit most inputs, and a small budget here, for what it costs grows sevenfold with each thread. Two
//! rounds cost next to nothing for any number of threads, and reach what no balanced execution does; then come more of either. Each step
//! says what it has gone through ([`crate::verdict::Within`]); one that is cut says nothing, unless it finds something. All of them
//! together are paid from one purse in the solver's units, so that what is reached is the same on every machine.
//!
//! Loops and recursion keep their bounds here.

use super::{Open, Stage, kiss};
use crate::config::{Explore, Options, Rounds};
use crate::pair::budget::Share;
use crate::pair::ledger::Ledger;
use crate::pair::{Shared, refinement};
use crate::solver::SharedBudget;
use crate::verdict::Within;

/// Instructions and terms of one step.
const INSTRUCTIONS: u64 = 1_000_000;
const TERMS: usize = 2_000_000;

/// Units of the solver for one query of a step, and for all steps.
const RLIMIT_OF_QUERY: u64 = 4_000_000;
const RLIMIT: u64 = 8_000_000;

/// The same of the first search, where others follow.
const INSTRUCTIONS_OF_FIRST: u64 = 400_000;
const TERMS_OF_FIRST: usize = 800_000;
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

/// Whether a task is searched beyond the bounds that were asked for.
pub(super) fn applies(open: &Open<'_, '_>) -> bool {
    let options = open.shared.options;
    let plain = options.tiers.kiss
        && !options.tiers.contexts
        && options.explore == Explore::Merge
        && options.switch_points == 100;
    options.deepen && plain && open.shared.share.deeper && open.is_searched()
}

impl Stage for Deeper {
    fn applies(&self, open: &Open<'_, '_>) -> bool {
        applies(open) && left(open)
    }

    fn decide(&self, open: &mut Open<'_, '_>) {
        let purse = SharedBudget::of(RLIMIT);
        let small = small(open.shared.options, INSTRUCTIONS);
        let options = Options {
            rlimit: RLIMIT_OF_QUERY.min(small.rlimit),
            ..small
        };
        for step in STEPS {
            let told = within(open, &options, (TERMS, &purse), *step);
            let cut = told.is_cut();
            merge(open, told);
            let over = cut || purse.left() == 0 || open.shared.deadline.passed().is_some();
            if over || !left(open) {
                break;
            }
        }
        // Where nobody has gone through anything, the first search may have what it takes.
        if is_open(open) && open.shared.deadline.passed().is_none() {
            let told = kiss::balanced(open, open.shared);
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
        return kiss::balanced(open, open.shared);
    }
    let purse = SharedBudget::of(RLIMIT_OF_FIRST);
    let options = small(open.shared.options, INSTRUCTIONS_OF_FIRST);
    let ts = Within::Balanced { ts: options.ts };
    within(open, &options, (TERMS_OF_FIRST, &purse), ts)
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
    (terms, purse): (usize, &SharedBudget),
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
            ..open.shared.share
        },
        ..*open.shared
    };
    let mut told = match step {
        Within::Balanced { .. } => kiss::balanced(open, shared),
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
        Some(known) => known.deepen(told),
        None => open.ledger = Some(told),
    }
}
