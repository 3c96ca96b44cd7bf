//! An atomic section: one step, taken whole or not at all.

use super::machine::{Depth, Machine, Thread};

/// A section that is open, and how things stood before it.
pub(super) struct Section {
    before: Depth,
    thread: Thread,
    accesses: usize,
    sites: usize,
    failed: usize,
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
            failed: machine.noted.failed.len(),
            met: false,
        }
    }

    /// What was accessed in it does not count.
    pub(super) fn forget_accesses(&self, machine: &mut Machine<'_>) {
        machine.seen.accesses.truncate(self.accesses);
    }

    /// Steps that had been taken before it.
    pub(super) fn steps(&self) -> usize {
        self.before.steps
    }

    /// Takes it back; the thread as it was before. `fails`: what went wrong in it does so when it is entered.
    pub(super) fn back(self, machine: &mut Machine<'_>, fails: bool) -> Thread {
        self.forget_accesses(machine);
        if !fails {
            machine.noted.failed.truncate(self.failed);
        }
        machine.seen.forget_sites(self.sites);
        machine.take_back(self.before);
        self.thread
    }
}
