//! `--format whoop`: what locks leave open.

use std::path::PathBuf;

use super::tasks::tasks;
use super::{GRACE, close, planner, points_to};
use crate::analysis::potential::{Found, Listing, Open};
use crate::config::Options;
use crate::deadline::{Deadline, Stopped};
use crate::error::{Failure, InputError};
use crate::frontend::Goal;
use crate::pair::{self, Task};
use crate::progress::Progress;
use crate::results::Overdue;
use crate::verdict::PairResult;

/// What locks leave open, access by access (`--format whoop`), and the pairs of entry points that this was asked of. Nothing is
/// executed. `overdue`: as in [`super::check`].
///
/// Errors: as [`super::check`].
pub fn potential(
    inputs: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
    overdue: &(dyn Fn(Vec<PairResult>, Open) + Sync),
) -> Result<(Vec<PairResult>, Open), Failure> {
    let deadline = Deadline::after(options.timeout);
    if options.pair.as_ref().is_some_and(|names| names.len() > 2) {
        let what = "more than two entry points: what locks leave open is listed for pairs";
        return Err(InputError::new("--pair", what).advise("name two").into());
    }
    let nothing = |why: Stopped| (Vec::new(), Open::stopped(why));
    let closed = match close(inputs, options, Goal::Concurrent, progress, deadline) {
        Ok(closed) => closed,
        Err(failure) => return failure.stopped().map(nothing).ok_or(failure),
    };
    let (mut tasks, mut pairs) = tasks(&closed, options)?;
    pairs.extend(tasks.iter().map(Task::unchecked));
    tasks.retain(|t| !t.is_scenario());
    let found = Found::default();
    let so_far = |why: Option<Stopped>| {
        let mut open = found.open(why);
        if !options.fields.is_empty() {
            let asked = |location: &str| pair::asked_for(location, &options.fields);
            open.races.retain(|race| asked(&race.location));
        }
        open
    };
    let too_late = Overdue::after(GRACE);
    let late = || {
        if let Some(why) = too_late.now(deadline) {
            overdue(pairs.clone(), so_far(Some(why)));
        }
    };
    let listed = deadline.watch(late, || {
        progress.stage("locksets");
        let points_to = points_to(&closed, options, deadline)?;
        let planner = planner(&closed, &points_to, options);
        let mut listing = Listing::new(&planner, &found, deadline);
        for task in &tasks {
            let threads = pair::threads(&closed.concurrent, &planner, task);
            listing.add(&threads, &task.names())?;
        }
        Ok(())
    });
    let open = so_far(listed.err());
    Ok((pairs, open))
}
