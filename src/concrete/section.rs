//! An atomic section: one step, taken whole or not at all.

use super::machine::{Depth, Machine, Thread};

/// A section that is open, and how things stood before it.
pub(super) struct Section {
    before: Depth,
    thread: Thread,
    accesses: usize,
    sites: usize,
    /// Whether the access that is waited for was in it.
    pub met: bool,
}

impl Section {
    /// The thread is about to begin it.
    pub(super) fn begin(machine: &Machine<'_>, thread: &Thread) -> Section {
        Section {
            before: machine.depth(),
            thread: thread.clone(),
            accesses: machine.seen.accesses.len(),
            sites: machine.seen.sites.len(),
            met: false,
        }
    }

    /// What was accessed in it does not count.
    pub(super) fn forget_accesses(&self, machine: &mut Machine<'_>) {
        machine.seen.accesses.truncate(self.accesses);
    }

    /// Takes it back; the thread as it was before.
    pub(super) fn back(self, machine: &mut Machine<'_>) -> Thread {
        self.forget_accesses(machine);
        machine.seen.forget_sites(self.sites);
        machine.take_back(self.before);
        self.thread
    }
}
