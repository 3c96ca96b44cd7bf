//! One path at a time: the differential test of merging.
//!
//! The executor is run again for every path, with the decisions of the path before it in reverse lexicographic order.
//! Nothing is merged, nothing is scheduled in lanes; `schedule()` is executed as it is written.

use crate::index::FuncId;
use crate::symex::machine::exec::Executor;
use crate::symex::machine::mode::{Decisions, Mode};
use crate::symex::machine::state::State;

/// More paths than this are given up.
const MAX_PATHS: usize = 200_000;

/// Executes a function on every path from a state; ends and failures of all paths are gathered in `run`.
///
/// Errors: more than 200,000 paths; a function that the program does not have.
pub fn run_all(run: &mut Executor<'_>, function: FuncId, from: &State) -> Result<(), String> {
    let mut decisions = Decisions::default();
    for _ in 0..MAX_PATHS {
        decisions.used = 0;
        run.set_mode(Mode::Path(decisions));
        run.run(function, from.clone())?;
        let Mode::Path(used) = run.set_mode(Mode::Merge) else {
            return Err("path mode was left".into());
        };
        decisions = used;
        let taken = decisions.used;
        decisions.taken.truncate(taken);
        // The last decision that can still go the other way does; what follows it is forgotten.
        loop {
            match decisions.taken.pop() {
                None => return Ok(()),
                Some((true, _)) => {
                    decisions.taken.push((false, true));
                    break;
                }
                Some((false, _)) => {}
            }
        }
    }
    Err(format!("more than {MAX_PATHS} paths"))
}
