//! What threads do by themselves is executed once for all pairs, and put together: most races are found so, whatever the search of one
//! pair would take (`pair/apart.rs`).

use rayon::prelude::*;

use super::{At, Phase};
use crate::pair::{self, Asked, Told};

pub(super) struct Apart;

impl Phase for Apart {
    fn applies(&self, _: &At<'_, '_>) -> bool {
        true
    }

    fn run(&self, at: &At<'_, '_>) {
        let results = &at.run.results;
        let (open_first, open) = results.open_first();
        let asked = |(place, n): (usize, usize)| Asked {
            n,
            task: &at.run.tasks[n],
            races: place < open && results.may_race(n),
            held: results.held(n),
        };
        put_together(at, open_first.into_iter().enumerate().map(asked).collect());
    }
}

/// Asks for races, and for what pairs have in common.
pub(super) fn put_together(at: &At<'_, '_>, asked: Vec<Asked<'_>>) {
    let sessions = pair::sessions(at.shared, asked);
    if sessions.is_empty() {
        return;
    }
    at.progress().stage("each thread by itself");
    let results = &at.run.results;
    let told = Told {
        races: &|n, races, cost| results.early(n, races, cost),
        found: &|n, finding| at.found(n, finding),
        common: &|n, asked, common| results.common(n, asked, common),
    };
    let settled = |n: usize| results.settled(n);
    at.pool.install(|| {
        sessions
            .par_iter()
            .for_each(|asked| pair::session(at.shared, (asked, &settled), &told));
    });
}
