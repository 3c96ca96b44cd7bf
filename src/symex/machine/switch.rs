//! What the machine asks of a schedule, wherever another thread could run.

use crate::expr::Term;
use crate::index::FuncId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::resumed::Resumes;
use crate::symex::machine::values::hash_of;

use crate::symex::machine::state::{Exit, State, Value};

/// A call of `schedule()`.
pub(in crate::symex) struct SwitchCall<'a> {
    /// Its arguments.
    pub args: &'a [Value],
    /// What comes to it from before, if anything does.
    pub entry: Option<State>,
    /// What goes on there after other threads have run, and when.
    pub injected: Option<(Term, State)>,
    /// Names the call among all dynamic instances.
    pub context: u64,
}

impl SwitchCall<'_> {
    /// What comes to the call from before, and what goes on there, as one state.
    pub fn joined(self, run: &mut Executor<'_>) -> Option<State> {
        match (self.entry, self.injected) {
            (Some(came), Some((here, state))) => Some(run.merge_selected(here, state, came)),
            (Some(state), None) | (None, Some((_, state))) => Some(state),
            (None, None) => None,
        }
    }
}

/// Who runs when.
pub(in crate::symex) trait Schedule {
    /// Executes a function as a thread, with all that it schedules. `base` names the execution.
    fn thread(
        &mut self,
        run: &mut Executor<'_>,
        f: FuncId,
        args: &[Value],
        from: State,
        base: u64,
    ) -> Vec<Exit>;

    /// `schedule()`.
    fn at_switch_point(&mut self, run: &mut Executor<'_>, call: SwitchCall<'_>) -> Vec<Exit>;

    /// Where activations of the running thread are entered in the middle.
    fn resumes(&mut self) -> Option<&mut Resumes> {
        None
    }

    /// Executes a function without arguments from a state; what is left at the end. The name also names the run: inputs of different
    /// runs are different.
    fn check(
        &mut self,
        run: &mut Executor<'_>,
        (name, f): (&str, FuncId),
        from: State,
    ) -> Option<State> {
        let exits = self.thread(run, f, &[], from, hash_of(&(name, "run")));
        let mut exits: Vec<State> = exits.into_iter().map(|e| e.state).collect();
        let mut merged = exits.pop();
        while let Some(state) = exits.pop() {
            merged = merged.map(|m| run.merge_states(state, m).0);
        }
        merged
    }
}
