//! The tasks of a night, each in a process of its own, by one engine or another ([`super::engine`]).
//!
//! What has no result yet comes before what a deeper level may decide, and the dearest first in each. What a process brings is in the
//! store before anything is told of it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::engine::{Engine, Open, Told, Wanted, Work, settle};
use super::estimate::Estimate;
use super::key;
use super::store::Store;
use super::task::{Ended, RunEnd};
use crate::config::Options;
use crate::deadline::Deadline;
use crate::error::InputError;
use crate::memory;

/// How a night is run.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The executable that does a task ([`child::SUBCOMMAND`]).
    pub program: PathBuf,
    /// Who carries it out.
    pub wanted: Wanted,
    /// Processes at once; on each node.
    pub jobs: usize,
    /// Only this part of the tasks.
    pub shard: Option<Shard>,
    /// No task begins after so long.
    pub time: Option<Duration>,
}

/// The `i`-th of `n` parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 1.
    pub part: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// Whether the content of that name is in it. Each is in one.
    pub fn has(self, key: &str) -> bool {
        let number = key.get(..15).and_then(|k| u64::from_str_radix(k, 16).ok());
        number.unwrap_or_default() % self.of == self.part - 1
    }
}

/// Told by a sweep how far it is. Called from one thread.
pub trait Watch {
    /// So many tasks will run, and take about so long.
    fn begin(&self, tasks: usize, left: Duration);
    /// One has ended; so long is left for the others.
    fn ended(&self, name: &str, ended: &Ended, left: Duration);
    /// One cannot run: why.
    fn skipped(&self, name: &str, line: &str);
    /// The engine has something to say.
    fn note(&self, line: &str);
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Tasks that ran.
    pub done: usize,
    /// Tasks whose result was in the store.
    pub known: usize,
    /// Tasks of other shards.
    pub elsewhere: usize,
    /// Tasks whose bitcode is not what was planned any more.
    pub skipped: usize,
    /// Tasks that did not run: the sweep was asked to end, or its time was over, or those who were to do them were lost.
    pub left: usize,
    /// How often a task began in vain: its process or its machine was lost.
    pub lost: usize,
}

/// Runs what has no result yet of a night. `deadline`: when it is asked to end.
///
/// # Errors
/// The store cannot be written, a process not be started; another sweep works on the store.
pub fn run(
    store: &Store,
    night: i64,
    orders: &Orders,
    deadline: Deadline,
    watch: &dyn Watch,
) -> Result<Ran, InputError> {
    let _alone = store.alone()?;
    let Some(planned) = store.night_of(night)? else {
        return Ok(Ran::default());
    };
    if planned.engine != key::of_engine()? {
        let what = format!(
            "night {night} was planned by irkiss {}, which is another one",
            planned.engine
        );
        return Err(InputError::new(store.folder().display(), what).advise("plan again"));
    }
    settle(store, night, orders.wanted.kind)?;
    let (open, mut ran) = open(store, night, &planned.options, orders)?;
    let work = Work {
        folder: store.folder(),
        night,
        version: &planned.engine,
        program: &orders.program,
        options: &planned.options,
        open: &open,
        jobs: orders.jobs,
        // All of them together may not take more than one would by itself.
        memory: memory::usual_limit() / orders.jobs.max(1) as u64,
        // A time beyond what the clock can count is no end.
        until: orders.time.and_then(|t| Instant::now().checked_add(t)),
        deadline,
        begins: &|_| {},
        no_more: &|| false,
    };
    store.keep_run(night, &RunEnd::Begun)?;
    let engine = orders.wanted.engine();
    let result = carry_out(store, engine.as_ref(), &work, &mut ran, watch);
    let end = match &result {
        Err(error) => RunEnd::Failed(error.to_string()),
        Ok(()) if ran.left == 0 => RunEnd::Done,
        Ok(()) if work.asked_to_end() => RunEnd::Asked,
        Ok(()) if work.is_over() => RunEnd::Time(orders.time.map_or(0, |t| t.as_secs())),
        Ok(()) => RunEnd::Lost,
    };
    let kept = store.keep_run(night, &end);
    result.and(kept).map(|()| ran)
}

/// Has the engine carry it out, and keeps each result as soon as it is there.
fn carry_out(
    store: &Store,
    engine: &dyn Engine,
    work: &Work<'_>,
    ran: &mut Ran,
    watch: &dyn Watch,
) -> Result<(), InputError> {
    ran.left = work.open.len();
    let mut left: Vec<Option<f64>> = work.open.iter().map(|o| Some(o.guess)).collect();
    let mut estimate = Estimate::default();
    watch.begin(
        work.open.len(),
        still(&estimate, &left, engine.at_once(work.jobs)),
    );
    let mut bring = |n: usize, told: Told| {
        let Open { planned, guess, .. } = &work.open[n];
        let name = &planned.task.name;
        let done = match told {
            Told::Done(done) => done,
            Told::Skipped(line) => {
                left[n] = None;
                ran.left -= 1;
                ran.skipped += 1;
                watch.skipped(name, &line);
                return Ok(());
            }
        };
        store.keep(&planned.key, planned.level, work.night, &done)?;
        estimate.ended(*guess, done.cost.cpu as f64);
        left[n] = None;
        ran.done += 1;
        ran.left -= 1;
        let rest = still(&estimate, &left, engine.at_once(work.jobs));
        watch.ended(name, &done.ended, rest);
        Ok(())
    };
    ran.lost = engine.carry_out(work, &mut bring, watch)?;
    Ok(())
}

fn still(estimate: &Estimate, left: &[Option<f64>], jobs: usize) -> Duration {
    let guesses: Vec<f64> = left.iter().copied().flatten().collect();
    Duration::from_secs_f64(estimate.left(&guesses, jobs))
}

/// What is to run, in order, each content once; how many need not.
fn open(
    store: &Store,
    night: i64,
    options: &Options,
    orders: &Orders,
) -> Result<(Vec<Open>, Ran), InputError> {
    let mut ran = Ran::default();
    let (mut new, mut deeper) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for planned in store.tasks(night)? {
        if planned.key.is_empty() {
            continue;
        }
        if orders.shard.is_some_and(|s| !s.has(&planned.key)) {
            ran.elsewhere += 1;
            continue;
        }
        let twice = !seen.insert((planned.key.clone(), planned.level));
        if twice || store.ended(&planned.key, planned.level)?.is_some() {
            ran.known += 1;
            continue;
        }
        let before = store.best(&planned.key, planned.level, night)?;
        let known = before.is_some();
        let guess = Estimate::guess(
            &planned,
            before.map(|(level, _, cost)| (cost, level)),
            options,
        );
        let open = Open {
            planned,
            guess,
            deeper: known,
        };
        match known {
            true => deeper.push(open),
            false => new.push(open),
        }
    }
    for list in [&mut new, &mut deeper] {
        list.sort_by(|a, b| b.guess.total_cmp(&a.guess));
    }
    new.append(&mut deeper);
    Ok((new, ran))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_is_in_one_part() {
        for n in 1..5 {
            for text in ["a", "b", "c", "d", "e", "f"] {
                let key = key::of_text(text);
                let parts = (1..=n).filter(|part| Shard { part: *part, of: n }.has(&key));
                assert_eq!(parts.count(), 1);
            }
        }
    }
}
