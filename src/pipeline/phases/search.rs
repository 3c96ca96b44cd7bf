//! The check of each pair, those of which something is open first.

use rayon::prelude::*;

use super::{At, Phase};
use crate::pair::{self, Shared};
use crate::verdict::Finding;

pub(super) struct Search;

impl Phase for Search {
    fn applies(&self, _: &At<'_, '_>) -> bool {
        true
    }

    fn run(&self, at: &At<'_, '_>) {
        let (tasks, results, progress) = (at.run.tasks, &at.run.results, at.progress());
        progress.stage("checking");
        progress.pairs(tasks.len());
        let (open_first, open) = results.open_first();
        // What a race may cost does not depend on what else is asked.
        let racing = open_first[..open].iter().filter(|n| results.may_race(**n));
        let of_races = pair::Share::of(racing.count(), at.shared.options);
        let of_others = pair::Share::of(open, at.shared.options);
        at.pool.install(|| {
            open_first.into_par_iter().for_each(|n| {
                let found = |finding: &Finding| at.found(n, finding);
                let settled = results.settled(n);
                let common = results.in_common(n);
                let shown = results.shown(n);
                let shared = Shared {
                    settled: &settled,
                    common: &common,
                    shown: match tasks[n].in_steady() {
                        true => &[],
                        false => &shown,
                    },
                    share: match results.may_race(n) {
                        true => of_races,
                        false => of_others,
                    },
                    ..*at.shared
                };
                let checked = pair::check(&shared, &tasks[n], &found);
                results.done(n, checked);
                progress.pair_done();
            });
        });
    }
}
