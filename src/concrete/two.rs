//! Two threads that begin after the same initialisation.

use std::sync::Arc;

use super::explore::{Choices, INSTRUCTIONS_OF_A_UNIT};
use super::machine::{Machine, Mark, Pause, Until};
use crate::deadline::{self, Deadline};
use crate::index::FuncId;
use crate::trace::schedule::ThreadNumber;

/// Instructions of one run of a thread.
pub(super) const FUEL: u64 = 60_000;

/// A machine in which two threads are run, again and again.
#[derive(Debug)]
pub(super) struct Two<'p> {
    pub machine: Machine<'p>,
    /// After initialisation.
    from: Mark,
    /// The function in which the own code of threads begins.
    starter: FuncId,
    pub deadline: Deadline,
}

impl<'p> Two<'p> {
    /// Of a machine after initialisation.
    pub(super) fn new(machine: Machine<'p>, starter: FuncId, deadline: Deadline) -> Two<'p> {
        let from = machine.mark();
        Two {
            machine,
            from,
            starter,
            deadline,
        }
    }

    /// Brings both threads to where their own code begins, with these choices. `false`: they do not come there.
    pub(super) fn begin(&mut self, [first, second]: [Choices; 2]) -> bool {
        let machine = &mut self.machine;
        machine.rewind(&self.from);
        let mut before = first.before;
        let both = Arc::make_mut(&mut before);
        for (key, value) in second.before.iter() {
            both.entry(*key).or_insert(*value);
        }
        machine.before = before;
        machine.scripts = vec![first.own, second.own];
        let until = Until {
            call: Some(self.starter),
            ..Until::default()
        };
        self.go(0, until) == Pause::AtCall && self.machine.threads.len() == 2
    }

    pub(super) fn go(&mut self, thread: ThreadNumber, until: Until) -> Pause {
        self.machine.fuel = FUEL;
        let pause = self.machine.go(thread, until);
        deadline::worked((FUEL - self.machine.fuel) / INSTRUCTIONS_OF_A_UNIT);
        pause
    }
}
