//! Each thread by itself, whatever the others do and in whatever order: what is impossible so is impossible in any number of rounds
//! (Flanagan and Qadeer: Thread-modular model checking, SPIN 2003).
//!
//! The threads run once each, in the order of their numbers, and a read of what some thread writes does not depend on that order. A
//! number is arbitrary, as in [`crate::symex::machine::quiet`]. A pointer (and whatever else is always followed) is one of the values
//! that any of the threads ever stores there, or what was there before; where a thread stores what one before it should have been offered, all
//! run again with what is known by then. Of locks the ghost state is arbitrary: nobody waits for one. What else the models note of an
//! object (that a timer is armed, say) is like a pointer, or arbitrary where too much is noted. Nobody's object has been freed.
//!
//! What a thread before it in the order has stored is offered under the condition that it has come to that store: where it stops at its
//! access of a race, what it would have done later has not happened.
//!
//! For a race it is enough that one thread gets to its access and another, later in the order, to its own: both are there at once in
//! this order if they are in any. What another thread does to the one that comes first is among what its reads may give.

use crate::config::Rounds;
use crate::index::FuncId;
use crate::symex::machine::ends::EndKind;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::guard::Guard;
use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::memory::stored::Stored;
use crate::symex::schedule::rounds::RoundRobin;

/// How often the threads run before it is given up that nobody stores anything new.
const PASSES: usize = 4;

/// Why nothing is known so.
const MANY: &str = "threads store more than can be told apart in what each of them reads";

/// Each thread by itself.
pub(in crate::symex) struct ThreadModular {
    /// How the threads of a pass are executed.
    turns: RoundRobin,
}

impl ThreadModular {
    /// Within these bounds.
    pub fn new(bounds: Rounds) -> ThreadModular {
        ThreadModular {
            turns: RoundRobin::new(bounds),
        }
    }

    fn passes(
        &mut self,
        run: &mut Executor<'_>,
        check: (&str, FuncId),
        from: State,
    ) -> Option<State> {
        let before = (
            run.found.failures.len(),
            run.found.ends.len(),
            run.found.reached.clone(),
        );
        for pass in 0..PASSES {
            run.found.failures.truncate(before.0);
            run.found.ends.truncate(before.1);
            run.found.reached.clone_from(&before.2);
            run.views.stored().next_pass(pass > 1);
            let left = self.turns.check(run, check, from.clone());
            let done = !run.views.stored().grown();
            if run.budget.ran_out || done {
                if done && run.views.stored().misses() {
                    break;
                }
                return left;
            }
        }
        run.end(&Guard::always(), EndKind::Unsupported(MANY.into()), None);
        None
    }
}

impl Schedule for ThreadModular {
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        self.turns.thread(run, f, args, from, base)
    }

    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit> {
        self.turns.at_switch_point(run, call)
    }

    /// Executes `main` and all threads that are started, once each, until nobody stores anything new.
    fn check(
        &mut self,
        run: &mut Executor<'_>,
        check: (&str, FuncId),
        from: State,
    ) -> Option<State> {
        run.views.stored = Some(Stored::from(from.memory.clone()));
        let left = self.passes(run, check, from);
        run.views.stored = None;
        left
    }
}
