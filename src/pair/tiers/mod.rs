//! What decides the claims of a pair: one file each, the cheapest first. The list is the order in which they are asked.
//!
//! Each takes what those before it left open, and adds what it finds out to [`Open`]. To have one more, write a file and a line.

mod candidates;
mod deeper;
mod guided;
mod kiss;
mod locks;
mod nets;
mod rounds;
mod scout;
mod switches;

use super::open::Open;

pub(super) use kiss::balanced;
pub use nets::nets;

/// What decides claims, or prepares for what does.
pub(super) trait Stage: Sync {
    /// Whether it has anything to do for this pair, under these options.
    fn applies(&self, open: &Open<'_, '_>) -> bool;

    /// Does it. What it cannot decide stays open.
    fn decide(&self, open: &mut Open<'_, '_>);
}

/// Where threads switch, and what each gets to by itself, for a search outside of the list.
pub(super) fn prepare(open: &mut Open<'_, '_>) {
    switches::SwitchPoints.decide(open);
}

/// What locks leave open, for what is asked outside of the list.
pub(super) fn after_locks(open: &mut Open<'_, '_>) {
    locks::Locks.decide(open);
}

/// All of them, in their order.
pub(super) const TIERS: &[&dyn Stage] = &[
    // WHOOP. Needs the locks held at each access, which are computed once for all pairs. May prove a region, for any number of threads.
    // First: it costs nothing here, and what it proves needs neither a check nor a switch point.
    &locks::Locks,
    // Decides nothing: where the searches interrupt threads, and what each thread gets to by itself.
    &switches::SwitchPoints,
    // KISS with no thread waiting. Needs a program. May find races; that it finds none says nothing. Costs little for any number of threads,
    // and what it finds nobody dearer is asked for, nets included.
    &scout::Scout,
    // Coverability of a Petri net. Needs regions that locks leave open, and that locks could follow everything. May prove a region by the
    // order of threads, for any number of them; says of others how the net gets to both accesses. Before any search: a proof saves one.
    &nets::Nets,
    // Where nobody searches. Says what kept locks and nets from proving what is left.
    &candidates::Candidates,
    // One round, of a program: costs next to nothing for any number of threads, and most of what is found in more needs no more. Before
    // KISS, which may come to no end.
    &deeper::OneRound,
    // KISS. May find, and may say `bounded` of balanced executions with so many threads waiting, each thread outside once.
    &kiss::Kiss,
    // Lal and Reps, STORM. May find what needs a thread to go on before those that interrupted it have ended, and says `bounded` of so many
    // rounds. After KISS, since the solver's work grows faster.
    &rounds::InRounds,
    // Larger bounds, where few pairs are searched and it costs little: what the searches before leave open or call `bounded`. After those,
    // whose bounds the user knows.
    &deeper::Deeper,
    // What a net gets to and nobody has found, with the switches that its run has. May find; concludes nothing else. Last, for it is
    // asked only for what all others left.
    &guided::Hints,
];
