//! Who runs when: a strategy a file, each with what it has to remember, behind one trait ([`crate::symex::machine::switch::Schedule`]).

use crate::index::FuncId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::Mode;
use crate::symex::machine::switch::Schedule;
use crate::symex::machine::values::hash_of;

pub(in crate::symex) mod as_written;
pub(in crate::symex) mod eager;
pub(in crate::symex) mod frame_rule;
pub(in crate::symex) mod join_points;
pub(in crate::symex) mod lanes;
pub(in crate::symex) mod levels;
pub mod paths;
pub(in crate::symex) mod replayed;
pub(in crate::symex) mod resume;
pub(in crate::symex) mod rounds;
#[cfg(test)]
mod tests;
pub(in crate::symex) mod thread_modular;

use crate::symex::machine::state::{State, Value};

/// Width of the number of a scheduled thread.
const THREAD_BITS: u32 = 8;

/// The schedule of a run of that function: threads within threads, unless it is the check itself and the check is one of rounds.
fn choose(run: &Executor<'_>, function: FuncId) -> Box<dyn Schedule> {
    let plain: Box<dyn Schedule> = match &run.mode {
        Mode::Merge => Box::new(lanes::Lanes::default()),
        Mode::Concrete(model) if model.lanes => Box::new(replayed::Replayed::default()),
        Mode::Path(_) | Mode::Concrete(_) => Box::new(as_written::AsWritten),
    };
    let marks = run.marks();
    if ![marks.main, marks.pair_main].contains(&Some(function)) {
        return plain;
    }
    let alone = run
        .check
        .slicing
        .as_ref()
        .is_some_and(|s| s.stored.is_some());
    match run.check.rounds {
        _ if eager::is_made_for(run) => Box::new(eager::Eager::new(plain)),
        Some(bounds) if alone && !run.writes_journal() => {
            Box::new(thread_modular::ThreadModular::new(bounds))
        }
        Some(bounds) => Box::new(rounds::RoundRobin::new(bounds)),
        None => plain,
    }
}

impl Executor<'_> {
    /// Runs a function without arguments as thread code, with what it schedules. Its name also names the run.
    ///
    /// Errors: the function has no body.
    pub fn run(&mut self, id: FuncId, from: State) -> Result<Option<State>, String> {
        let function = &self.program.functions[id];
        let name = function.name.as_str();
        if !function.is_defined() {
            return Err(format!("the program has no function {name}"));
        }
        let mut schedule = choose(self, id);
        Ok(schedule.check(self, (name, id), from))
    }
}

/// Runs a pending thread to its end, with what it schedules.
fn pending_thread(
    schedule: &mut dyn Schedule,
    run: &mut Executor<'_>,
    thread: u64,
    start: State,
    event: u64,
) -> Option<State> {
    let f = run.marks().schedule_thread?;
    let number = Value::Scalar(run.terms.constant(64, u128::from(thread)));
    let base = hash_of(&(event, thread));
    let exits = schedule.thread(run, f, &[number], start, base);
    let mut states: Vec<State> = exits.into_iter().map(|e| e.state).collect();
    let mut left = states.pop()?;
    while let Some(state) = states.pop() {
        left = run.merge_states(state, left).0;
    }
    Some(left)
}
