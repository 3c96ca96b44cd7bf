//! The tasks of a night, as many at once as asked for, each in a process of its own.
//!
//! One thread waits for each process; the one that called writes what they bring into the store. What has no result yet comes before what
//! a deeper level may decide, and the dearest first in each.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::child::{self, Request};
use super::estimate::Estimate;
use super::store::Store;
use super::task::{Done, Ended, Planned, RunEnd};
use super::{budget, key};
use crate::config::Options;
use crate::deadline::Deadline;
use crate::error::InputError;
use crate::memory;

/// Where processes get their requests, in the store's folder.
const DESK: &str = "desk";

/// How a night is run.
#[derive(Clone, Debug)]
pub struct Orders {
    /// The executable that does a task ([`child::SUBCOMMAND`]).
    pub program: PathBuf,
    /// Processes at once.
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
    /// Tasks that did not run: the sweep was asked to end, or its time was over.
    pub left: usize,
}

/// What a worker tells of a task.
enum Told {
    /// It has ended.
    Done(Done),
    /// It did not run: a line.
    Skipped(String),
}

/// A task that is to run.
struct Open {
    planned: Planned,
    guess: f64,
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
    let mut options = planned.options;
    // All of them together may not take more than one would by itself.
    let share = memory::usual_limit() / orders.jobs.max(1) as u64;
    options.memory = options.memory.or(Some(share));
    let (open, mut ran) = open(store, night, &options, orders)?;
    let desk = store.folder().join(DESK);
    // What a sweep left that was killed.
    let _ = std::fs::remove_dir_all(&desk);
    std::fs::create_dir_all(&desk).map_err(|e| InputError::new(desk.display(), e))?;
    let crew = Crew {
        folder: store.folder(),
        options: &options,
        program: &orders.program,
        desk: &desk,
        end: AtomicBool::new(false),
        // A time beyond what the clock can count is no end.
        until: orders.time.and_then(|t| Instant::now().checked_add(t)),
        deadline,
        queue: Mutex::new((0..open.len()).collect()),
        open: &open,
    };
    store.keep_run(night, &RunEnd::Begun)?;
    ran.left = open.len();
    let mut left: Vec<Option<f64>> = open.iter().map(|o| Some(o.guess)).collect();
    let mut estimate = Estimate::default();
    watch.begin(open.len(), still(&estimate, &left, orders.jobs));
    let (send, receive) = mpsc::channel();
    let result = std::thread::scope(|scope| {
        for worker in 0..orders.jobs.max(1) {
            let (send, crew) = (send.clone(), &crew);
            scope.spawn(move || crew.work(worker, &send));
        }
        drop(send);
        let mut failed = None;
        for (n, done) in receive {
            let kept = done.and_then(|told| {
                let Open { planned, guess } = &open[n];
                let done = match told {
                    Told::Done(done) => done,
                    Told::Skipped(line) => {
                        left[n] = None;
                        ran.left -= 1;
                        ran.skipped += 1;
                        watch.skipped(&planned.task.name, &line);
                        return Ok(());
                    }
                };
                store.keep(&planned.key, planned.level, night, &done)?;
                estimate.ended(*guess, done.cost.cpu as f64);
                left[n] = None;
                ran.done += 1;
                ran.left -= 1;
                let rest = still(&estimate, &left, orders.jobs);
                watch.ended(&planned.task.name, &done.ended, rest);
                Ok(())
            });
            if let Err(error) = kept {
                // The others are not begun for nothing.
                crew.end.store(true, Ordering::Relaxed);
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(ran), Err)
    });
    let _ = std::fs::remove_dir_all(&desk);
    let end = match &result {
        Err(error) => RunEnd::Failed(error.to_string()),
        Ok(ran) if ran.left == 0 => RunEnd::Done,
        Ok(_) if crew.deadline.passed().is_some() => RunEnd::Asked,
        Ok(_) => RunEnd::Time(orders.time.map_or(0, |t| t.as_secs())),
    };
    let kept = store.keep_run(night, &end);
    result.and_then(|ran| kept.map(|()| ran))
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
        let open = Open { planned, guess };
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

/// Those who work on a night.
struct Crew<'a> {
    folder: &'a Path,
    options: &'a Options,
    program: &'a Path,
    desk: &'a Path,
    /// Something went wrong for all of them.
    end: AtomicBool,
    until: Option<Instant>,
    deadline: Deadline,
    queue: Mutex<VecDeque<usize>>,
    open: &'a [Open],
}

impl Crew<'_> {
    /// Takes tasks until there are none; tells of each.
    fn work(&self, worker: usize, send: &mpsc::Sender<(usize, Result<Told, InputError>)>) {
        let desk = self.desk.join(worker.to_string());
        while let Some(n) = self.next() {
            let done = match self.done(&self.open[n].planned, &desk) {
                Ok(Some(done)) => Ok(done),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            if send.send((n, done)).is_err() {
                return;
            }
        }
    }

    fn next(&self) -> Option<usize> {
        let over = self.until.is_some_and(|u| Instant::now() >= u);
        if over || self.asked_to_end() {
            return None;
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.pop_front()
    }

    fn asked_to_end(&self) -> bool {
        self.end.load(Ordering::Relaxed) || self.deadline.passed().is_some()
    }

    /// `None`: the sweep ends.
    fn done(&self, planned: &Planned, desk: &Path) -> Result<Option<Told>, InputError> {
        let files = &planned.task.files;
        let paths: Vec<PathBuf> = files.iter().map(|f| self.folder.join(&f.path)).collect();
        for (file, path) in files.iter().zip(&paths) {
            let line = match key::of_file(path) {
                Ok(content) if content == file.content => continue,
                Ok(_) => format!("{}: has changed since the plan", path.display()),
                Err(error) => error.to_string(),
            };
            // That is no result of this content: the next plan sees what is there then.
            return Ok(Some(Told::Skipped(line)));
        }
        let request = Request {
            files: paths,
            shown: vec![planned.task.name.clone()],
            called: files
                .iter()
                .map(|f| f.called().display().to_string())
                .collect(),
            options: budget::at(self.options, planned.level),
            source: planned.task.call.as_ref().map(|c| c.source.clone()),
        };
        let done = child::run(self.program, &request, desk, &|| self.asked_to_end())?;
        Ok(done.map(Told::Done))
    }
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
