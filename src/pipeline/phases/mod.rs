//! What is done about the pairs of an input, one phase a file, in the order of the list: each goes over all pairs that the phases before it
//! left something open of, many at once, and leaves its answers in [`crate::results::Results`].
//!
//! A phase is over before the next one begins, so that what all pairs need at little cost is not late for what one pair may take. What is
//! told is the same for any number of jobs. To have one more, write a file and a line. (What is asked of one pair in turn is the list of
//! `pair/tiers/`.)

mod apart;
pub(super) mod beside;
mod common;
mod earlier;
mod evidence;
mod listed;
mod locks;
mod runs;
mod search;

use super::checking::{Checking, Outlets};
use crate::concrete::Code;
use crate::pair::Shared;
use crate::progress::Progress;
use crate::report;
use crate::verdict::Finding;

/// What a phase has to work with.
pub(super) struct At<'a, 'p> {
    /// The pairs, and what is known of them.
    pub run: &'a Checking<'a>,
    /// What they have in common.
    pub shared: &'a Shared<'a, 'p>,
    /// For concrete runs; none: they are not asked for, or the program is not for them.
    pub code: Option<&'a Code>,
    /// Where they are checked.
    pub pool: &'a rayon::ThreadPool,
    /// Where the run tells of itself.
    pub outlets: &'a Outlets<'a>,
}

impl At<'_, '_> {
    fn progress(&self) -> &dyn Progress {
        self.outlets.progress
    }

    /// Tells what was found of the n-th pair, at once.
    fn found(&self, n: usize, finding: &Finding) {
        self.progress().finding(&report::at_once(finding));
        self.run.results.found(n, finding);
    }

    /// Whether there is no time left.
    fn is_over(&self) -> bool {
        self.shared.deadline.passed().is_some()
    }
}

/// One phase.
pub(super) trait Phase: Sync {
    /// Whether it has anything to do.
    fn applies(&self, at: &At<'_, '_>) -> bool;

    /// Does it, for all pairs. What it cannot decide stays open.
    fn run(&self, at: &At<'_, '_>);
}

/// All of them, in their order.
pub(super) const PHASES: &[&dyn Phase] = &[
    // Decides nothing: what a run that has no time for more lists as open.
    &listed::Listed,
    // What locks and nets prove, of all pairs: no search of one takes the time of another's proofs. May prove.
    &locks::Locks,
    // Concrete runs: of a program, of pairs of entry points. May find races, whatever a search would take.
    &runs::OfProgram,
    &runs::OfDriver,
    // Each thread executed once, by itself, and two of them put together: finds most races before the search of any pair. Says, too, what
    // the two have in common.
    &apart::Apart,
    // The tiers of each pair (`pair/tiers/`), those of which something is open first. May find, and may say `bounded`.
    &search::Search,
    // What pairs have shown to be reached counts for the proofs of others. After the searches, which show most of it.
    &evidence::Evidence,
    // Of what nothing was found against: whether it is about something that both threads have in common. Only takes claims back.
    &common::Common,
    // What is `bounded`, once more where one more entry point has run before. May find.
    &earlier::AfterOne,
    // Entry points that begin before initialisation is over: the input is closed once more. Last, for it is a program of its own.
    &beside::BesideInitialisation,
];
