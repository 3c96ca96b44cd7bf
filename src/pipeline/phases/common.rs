//! Of what the searches found nothing against: whether it is about something that both threads have in common (`pair/common.rs`).

use rayon::prelude::*;

use super::apart::put_together;
use super::{At, Phase};
use crate::pair::{self, Asked};

/// So many pairs are run after earlier calls for what proofs wait for.
const AWAITED: usize = 64;

pub(super) struct Common;

impl Phase for Common {
    fn applies(&self, _: &At<'_, '_>) -> bool {
        true
    }

    fn run(&self, at: &At<'_, '_>) {
        let tasks = at.run.tasks.iter().enumerate();
        let asked = tasks.map(|(n, task)| Asked {
            n,
            task,
            races: false,
            held: at.run.results.held(n),
        });
        put_together(at, asked.collect());
        awaited(at);
        if let Some(stopped) = at.shared.deadline.passed() {
            at.run.results.not_asked(stopped);
        }
    }
}

/// What proofs still wait for, of some pairs: whether they are about something once one more entry point has run.
fn awaited(at: &At<'_, '_>) {
    let (tasks, results) = (at.run.tasks, &at.run.results);
    let all = (0..tasks.len()).map(|n| (n, results.awaited(n)));
    let some = all.filter(|(_, awaited)| !awaited.is_empty());
    let some: Vec<_> = some.take(AWAITED).collect();
    at.pool.install(|| {
        some.par_iter().for_each(|(n, awaited)| {
            let common = pair::common_after_one(at.shared, &tasks[*n], awaited);
            results.common(*n, Vec::new(), common);
        });
    });
}
