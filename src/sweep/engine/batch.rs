//! The queue of a cluster: shards are handed in as one array, and what they give back is taken from their folder as it comes.
//!
//! A shard that ends early (its node died, its time was over) leaves tasks without a result: they are shared out and handed in again, as
//! long as that brings something. A queue may do the same by itself; then the shard begins where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::camp::{self, Camp, Given, START, What};
use super::{Bring, Elsewhere, Engine, Told, Wanted, Work, elsewhere, shards};
use crate::error::InputError;
use crate::sweep::key;
use crate::sweep::run::Watch;

/// How often the folder is looked at, and how often the queue is asked.
const TICK: Duration = Duration::from_millis(500);
const ASK: Duration = Duration::from_secs(3);

/// How long results of a shard that has ended may take to be seen: a shared folder may be late.
const LATE: Duration = Duration::from_secs(2);

/// How long a queue that was told to end everything may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Rounds that bring nothing until nothing more is handed in.
const IN_VAIN: usize = 2;

/// What is handed in.
#[derive(Debug)]
pub struct Array<'a> {
    /// What people see in the queue.
    pub name: String,
    /// Shards: tasks 0 to one less.
    pub shards: usize,
    /// Processors for each.
    pub jobs: usize,
    /// The program; it finds its number where the queue tells it.
    pub start: PathBuf,
    /// Words of the user's.
    pub options: &'a [String],
}

/// What a queue says of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not begun, or is to begin again; why, if the queue says so.
    Waiting(String),
    /// It runs.
    Running,
    /// It has ended; how.
    Ended(String),
}

/// What a queue says of the shards that it knows still.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States(pub BTreeMap<usize, State>);

impl States {
    /// Whether a shard runs or is to run.
    pub fn are_active(&self) -> bool {
        self.0.values().any(|s| !matches!(s, State::Ended(_)))
    }

    fn running(&self) -> usize {
        let running = |s: &&State| **s == State::Running;
        self.0.values().filter(running).count()
    }

    /// Why all that is there waits.
    fn why_waiting(&self) -> Option<&str> {
        let active = self.0.values().filter(|s| !matches!(s, State::Ended(_)));
        let reasons: Option<Vec<&str>> = active
            .map(|s| match s {
                State::Waiting(why) => Some(why.as_str()),
                _ => None,
            })
            .collect();
        reasons?.first().copied().filter(|why| !why.is_empty())
    }
}

/// A queue, as its own commands show it.
pub trait Queue: Send + Sync {
    /// Hands in; what the queue calls it.
    ///
    /// # Errors
    /// It is not there, or does not take it.
    fn submit(&self, array: &Array<'_>) -> Result<String, InputError>;

    /// What it knows of each shard. Of none: it has forgotten all of it, or never heard of it.
    ///
    /// # Errors
    /// It does not answer now.
    fn states(&self, job: &str) -> Result<States, InputError>;

    /// Ends everything.
    ///
    /// # Errors
    /// It does not answer.
    fn cancel(&self, job: &str) -> Result<(), InputError>;
}

/// `1 shard`, `2 shards`.
fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

/// What a command of a queue says.
///
/// # Errors
/// It is not there, or fails: with its last line.
pub(super) fn said(program: &str, words: &[String]) -> Result<String, InputError> {
    let mut command = Command::new(program);
    let output = command.args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => InputError::new(program, "there is no such command")
            .advise("it belongs to the cluster: run on a machine that has it, or --engine local"),
        _ => InputError::new(program, e),
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let all = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
    let last = all.lines().rfind(|l| !l.trim().is_empty());
    let what = last.map_or_else(|| output.status.to_string(), str::to_string);
    let what = what
        .strip_prefix(&format!("{program}: error: "))
        .map_or(what.clone(), Into::into);
    Err(InputError::new(program, what))
}

/// The queue of a cluster as an engine.
pub struct Batch {
    wanted: Wanted,
    queue: Box<dyn Queue>,
    running: AtomicUsize,
}

/// How following a work has ended.
enum End {
    /// There is nothing in the queue any more; how the shards have ended.
    Over(States),
    /// Somebody, or the time, asked for it.
    Asked,
}

impl Engine for Batch {
    fn carry_out(
        &self,
        work: &Work<'_>,
        bring: Bring<'_>,
        watch: &dyn Watch,
    ) -> Result<usize, InputError> {
        let mut round = Round {
            engine: self,
            work,
            watch,
            bring,
            left: (0..work.open.len()).collect(),
        };
        round.without_what_has_changed()?;
        let mut vain = 0;
        let mut in_vain = 0;
        // What a sweep left that was killed; what is not ours is settled.
        let mut before = elsewhere(work.folder).filter(|e| e.kind == self.wanted.kind);
        if before.is_none() {
            camp::forget_logs(work.folder);
        }
        while !round.left.is_empty() && in_vain < IN_VAIN {
            let there = match before.take() {
                Some(there) => there,
                None if work.is_over() || work.asked_to_end() => break,
                None => self.handed_in(work, &round.left)?,
            };
            let many = round.left.len();
            let end = round.follow(&there);
            let lost = Camp::at(&there.folder).vain(there.shards);
            round.tell(&there, &end, &lost);
            if let (false, Some(job)) = (round.left.is_empty(), &there.job) {
                // A queue that would begin it again has nothing to begin.
                let _ = self.queue.cancel(job);
            }
            there.clear(work.folder);
            self.running.store(0, Ordering::Relaxed);
            if matches!(end?, End::Asked) {
                break;
            }
            vain += lost.len();
            in_vain = match round.left.len() < many {
                true => 0,
                false => in_vain + 1,
            };
        }
        // All of it was there already.
        if let Some(there) = before {
            if let Some(job) = &there.job {
                let _ = self.queue.cancel(job);
            }
            there.clear(work.folder);
        }
        Ok(vain)
    }

    fn at_once(&self, jobs: usize) -> usize {
        self.running.load(Ordering::Relaxed).max(1) * jobs
    }
}

impl Batch {
    /// With that queue.
    pub fn new(wanted: Wanted, queue: Box<dyn Queue>) -> Batch {
        Batch {
            wanted,
            queue,
            running: AtomicUsize::new(0),
        }
    }

    /// Shares out what is left, and hands it in.
    fn handed_in(&self, work: &Work<'_>, left: &[usize]) -> Result<Elsewhere, InputError> {
        let target = self.wanted.shard_time.as_millis() as f64 * work.jobs.max(1) as f64;
        let shards = shards::of(work.open, left, target);
        let store = camp::whole(work.folder);
        let top = self.wanted.shared.clone();
        let top = top.unwrap_or_else(|| store.join("shards"));
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let name = format!(
            "irkiss-{}-{}-{}",
            work.night,
            since.map_or(0, |d| d.as_nanos()),
            std::process::id()
        );
        let mut there = Elsewhere {
            kind: self.wanted.kind,
            job: None,
            store,
            folder: top.join(name),
            night: work.night,
            shards: shards.len(),
        };
        there.note(work.folder)?;
        let handed_in = Camp::pitch(&there.folder, work, &shards).and_then(|camp| {
            self.queue.submit(&Array {
                name: format!("irkiss-night-{}", work.night),
                shards: shards.len(),
                jobs: work.jobs,
                start: camp.folder().join(START),
                options: &self.wanted.options,
            })
        });
        match handed_in {
            Ok(job) => there.job = Some(job),
            Err(error) => {
                there.clear(work.folder);
                return Err(error);
            }
        }
        there.note(work.folder)?;
        Ok(there)
    }
}

/// Shards that are in the queue, until they are not.
struct Round<'a, 'b> {
    engine: &'a Batch,
    work: &'a Work<'a>,
    watch: &'a dyn Watch,
    bring: Bring<'b>,
    /// The tasks of which nothing is known yet.
    left: Vec<usize>,
}

impl Round<'_, '_> {
    /// What is not what was planned any more does not leave this machine.
    fn without_what_has_changed(&mut self) -> Result<(), InputError> {
        for n in self.left.clone() {
            let planned = &self.work.open[n].planned;
            if let Some(line) = key::changed(self.work.folder, planned) {
                (self.bring)(n, Told::Skipped(line))?;
                self.left.retain(|l| *l != n);
            }
        }
        Ok(())
    }

    fn follow(&mut self, there: &Elsewhere) -> Result<End, InputError> {
        let (Some(job), camp) = (&there.job, Camp::at(&there.folder)) else {
            return Ok(End::Over(States::default()));
        };
        let queue = &self.engine.queue;
        self.watch.note(&format!(
            "job {job}: {} in {}, logs in {}",
            count(self.left.len(), "module"),
            count(there.shards, "shard"),
            there.logs().display()
        ));
        let mut known = BTreeSet::new();
        let (mut asked, mut last_said) = (Instant::now(), String::new());
        let mut states = None;
        loop {
            if let Err(error) = self.take(&camp, there.shards, &mut known) {
                camp.stop();
                let _ = queue.cancel(job);
                return Err(error);
            }
            if self.left.is_empty() {
                return Ok(End::Over(States::default()));
            }
            let idle = self.engine.running.load(Ordering::Relaxed) == 0;
            if self.work.is_over() {
                camp.stop();
            }
            if self.work.asked_to_end() || self.work.is_over() && idle && states.is_some() {
                return self.end(&camp, there, job, &mut known);
            }
            if states.is_none() || asked.elapsed() >= ASK {
                asked = Instant::now();
                match queue.states(job) {
                    Ok(now) => {
                        self.engine.running.store(now.running(), Ordering::Relaxed);
                        let why = now.why_waiting().unwrap_or_default();
                        if !why.is_empty() && why != last_said {
                            self.watch.note(&format!("job {job} waits: {why}"));
                            last_said = why.to_string();
                        }
                        if !now.are_active() {
                            std::thread::sleep(LATE);
                            self.take(&camp, there.shards, &mut known)?;
                            return Ok(End::Over(now));
                        }
                        states = Some(now);
                    }
                    // A queue whose controller restarts answers later.
                    Err(error) if error.to_string() != last_said => {
                        last_said = error.to_string();
                        self.watch.note(&format!("{last_said}: asking again"));
                    }
                    Err(_) => {}
                }
            }
            std::thread::sleep(TICK);
        }
    }

    /// Ends everything, and takes what is there.
    fn end(
        &mut self,
        camp: &Camp,
        there: &Elsewhere,
        job: &str,
        known: &mut BTreeSet<PathBuf>,
    ) -> Result<End, InputError> {
        let queue = &self.engine.queue;
        camp.stop();
        if let Err(error) = queue.cancel(job) {
            self.watch
                .note(&format!("job {job} could not be ended: {error}"));
        }
        let began = Instant::now();
        while began.elapsed() < PATIENCE && queue.states(job).is_ok_and(|s| s.are_active()) {
            std::thread::sleep(TICK);
        }
        self.take(camp, there.shards, known)?;
        Ok(End::Asked)
    }

    /// Brings what is there and was not brought yet.
    fn take(
        &mut self,
        camp: &Camp,
        shards: usize,
        known: &mut BTreeSet<PathBuf>,
    ) -> Result<(), InputError> {
        for Given { key, level, what } in camp.new_of(shards, known) {
            let is_it = |n: &usize| {
                let planned = &self.work.open[*n].planned;
                planned.key == key && planned.level == level
            };
            let Some(at) = self.left.iter().position(is_it) else {
                continue;
            };
            let n = self.left.swap_remove(at);
            let told = match what {
                What::Done(done) => Told::Done(done),
                What::Skipped(line) => Told::Skipped(line),
            };
            (self.bring)(n, told)?;
        }
        match camp.refused(shards) {
            Some((shard, line)) => Err(InputError::new(format!("shard {shard} on {line}"), "")),
            None => Ok(()),
        }
    }

    /// What there is to say of a work that has ended early.
    fn tell(&self, there: &Elsewhere, end: &Result<End, InputError>, lost: &[String]) {
        let Ok(End::Over(states)) = end else {
            return;
        };
        for name in lost {
            let line = "its process or its machine was lost, it begins again";
            self.watch.note(&format!("{name}: {line}"));
        }
        if self.left.is_empty() || self.work.is_over() {
            return;
        }
        let camp = Camp::at(&there.folder);
        for shard in 0..there.shards {
            if camp.todo(shard).is_ok_and(|todo| todo.is_empty()) {
                continue;
            }
            let how = match states.0.get(&shard) {
                Some(State::Ended(how)) => how,
                _ => "ended",
            };
            let last = camp.last_words(shard).map(|l| format!(": {l}"));
            let last = last.unwrap_or_else(|| {
                format!(": no log (do the nodes see {}?)", there.folder.display())
            });
            self.watch.note(&format!("shard {shard} {how}{last}"));
        }
        self.watch.note(&format!(
            "{} left of shards that ended early",
            count(self.left.len(), "module")
        ));
    }
}
