//! The concrete run of a model that was found in lanes: at each switch point, as the model says.

use crate::index::FuncId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::schedule::THREAD_BITS;
use crate::symex::schedule::levels::Levels;

use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};
use crate::symex::machine::values::{hash_of, input_name};

/// Switches as a model says.
#[derive(Debug, Default)]
pub(in crate::symex) struct Replayed {
    levels: Levels,
}

impl Schedule for Replayed {
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        self.levels.push(run, base, 0);
        let exits = run.call_function(self, f, args, Some(from), base);
        self.levels.pop(run);
        exits
    }

    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit> {
        let (Some(mut state), Mode::Concrete(model)) = (call.entry, run.mode.clone()) else {
            return Vec::new();
        };
        let Some(own) = model.switch_points.get(&call.context) else {
            return vec![Exit { state, value: None }];
        };
        loop {
            let pending = run.pending(&state);
            let number = self.levels.switch_number(run);
            let here = run.terms.as_const(number) == Some(u128::from(*own));
            if !here || !run.terms.is_true(pending) {
                return vec![Exit { state, value: None }];
            }
            let name = self.levels.last().switch_name();
            run.journal.switches.push(input_name(name, "switch"));
            let lane = self.levels.next_lane(run);
            let event = hash_of(&(self.levels.last().base, "event", lane));
            let chosen = run.input(hash_of(&(event, "thread")), THREAD_BITS, "thread");
            let thread = run.terms.as_const(chosen).unwrap_or(0) as u64;
            let waits = thread < run.created(&state) && {
                let waits = run.waits(&state, thread);
                run.terms.is_true(waits)
            };
            if !waits {
                return Vec::new();
            }
            match super::pending_thread(self, run, thread, state, event) {
                Some(left) => state = left,
                None => return Vec::new(),
            }
        }
    }
}
