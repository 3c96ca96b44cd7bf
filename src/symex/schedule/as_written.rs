//! `schedule()` executed as the run time has it: on single paths, where it chooses like any other code.

use crate::index::FuncId;
use crate::symex::machine::exec::Executor;

use crate::symex::machine::state::{Exit, State, Value};
use crate::symex::machine::switch::{Schedule, SwitchCall};

/// The run time's own schedule.
#[derive(Clone, Copy, Debug)]
pub(in crate::symex) struct AsWritten;

impl Schedule for AsWritten {
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit> {
        run.call_function(self, f, args, Some(from), base)
    }

    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit> {
        match run.marks().schedule {
            Some(f) => run.call_function(self, f, call.args, call.entry, call.context),
            None => Vec::new(),
        }
    }
}
