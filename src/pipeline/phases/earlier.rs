//! Of what nothing was found against: whether it is so where one more entry point has run before (`pair/earlier.rs`).

use rayon::prelude::*;

use super::{At, Phase};
use crate::pair;
use crate::verdict::{Finding, RegionResult};

pub(super) struct AfterOne;

impl Phase for AfterOne {
    fn applies(&self, at: &At<'_, '_>) -> bool {
        !at.is_over()
    }

    fn run(&self, at: &At<'_, '_>) {
        let (tasks, results) = (at.run.tasks, &at.run.results);
        let left: Vec<(usize, Vec<RegionResult>)> = (0..tasks.len())
            .map(|n| (n, results.not_refuted(n)))
            .filter(|(_, claims)| !claims.is_empty())
            .collect();
        if left.is_empty() {
            return;
        }
        at.progress().stage("after an earlier call");
        at.pool.install(|| {
            left.par_iter().for_each(|(n, claims)| {
                let found = |finding: &Finding| at.found(*n, finding);
                if !at.is_over()
                    && let Some(races) = pair::after_one(at.shared, &tasks[*n], claims, &found)
                {
                    results.late(*n, &races);
                }
            });
        });
    }
}
