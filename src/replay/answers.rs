//! Which answers an execution takes that a model chooses although the real function computes them.
//!
//! What comes after them may rest on answers that the real function never gives. Trying others does not tell: of `pow(2, 3) == 8` all but
//! one answer leads to the same failure.

use std::collections::BTreeSet;

use super::confirm::{Watch, execute, machine};
use crate::program::Program;
use crate::trace::schedule::{Failure, Schedule};

/// The functions that give them, by name.
pub fn taken(program: &Program, schedule: &Schedule) -> Vec<String> {
    let machine = machine(program);
    let Ok(ended) = execute(&machine, schedule, Watch::Nothing) else {
        return Vec::new();
    };
    // An assertion may be about what a function without a model does where it is given pointers.
    let given = match schedule.failure {
        Failure::Assertion(_) => ended.log.given.as_slice(),
        _ => &[],
    };
    let names = ended.log.any_answers.iter().chain(given);
    let names = names.map(|f| program.functions[*f].name.clone());
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect()
}
