//! Races that concrete runs make happen (`concrete/`).

use rayon::prelude::*;

use super::{At, Phase};
use crate::pair;
use crate::verdict::Finding;

/// Runs of a whole program.
pub(super) struct OfProgram;

impl Phase for OfProgram {
    fn applies(&self, at: &At<'_, '_>) -> bool {
        at.run.tasks.len() == 1 && at.code.is_some() && at.run.closed.entries.is_empty()
    }

    fn run(&self, at: &At<'_, '_>) {
        let Some(code) = at.code else {
            return;
        };
        at.progress().stage("runs");
        let found = |finding: &Finding| at.found(0, finding);
        if let Some(known) = pair::of_program(at.shared, &at.run.tasks[0], code, &found) {
            at.run.results.early(0, known, 0);
        }
    }
}

/// Runs of two entry points of a driver, of each pair that may race.
pub(super) struct OfDriver;

impl Phase for OfDriver {
    fn applies(&self, at: &At<'_, '_>) -> bool {
        at.shared.runs.is_some()
    }

    fn run(&self, at: &At<'_, '_>) {
        at.progress().stage("runs");
        let (open_first, open) = at.run.results.open_first();
        let mut open = open_first[..open].to_vec();
        open.retain(|n| at.run.results.may_race(*n));
        at.pool.install(|| {
            open.par_iter().for_each(|n| {
                let found = |finding: &Finding| at.found(*n, finding);
                if let Some(races) = pair::races(at.shared, &at.run.tasks[*n], &found) {
                    at.run.results.early(*n, races, 0);
                }
            });
        });
    }
}
