//! Who carries out what is open of a night: this machine ([`local`]), or the queue of a cluster ([`batch`]: [`slurm`], [`hq`]).
//!
//! An engine says nothing about results: each is that of a process of its own ([`super::child`]), wherever it runs, and is kept under the
//! name of its content. So it is the same for every engine, any sharing out and any number of restarts.

pub mod batch;
mod camp;
mod hq;
mod local;
pub mod node;
mod settle;
mod shards;
mod slurm;

pub use batch::{Batch, Queue};
pub use camp::{Elsewhere, elsewhere};
pub use hq::HyperQueue;
pub use local::Local;
pub use settle::settle;
pub use slurm::Slurm;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::run::Watch;
use super::task::{Done, Planned};
use crate::config::Options;
use crate::deadline::Deadline;
use crate::error::InputError;

/// Which engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Processes of this machine.
    #[default]
    Local,
    /// Slurm, by job arrays.
    Slurm,
    /// HyperQueue, by task arrays.
    Hq,
}

impl Kind {
    /// Its queue; none: this machine has none.
    pub fn queue(self) -> Option<Box<dyn Queue>> {
        match self {
            Kind::Local => None,
            Kind::Slurm => Some(Box::new(Slurm)),
            Kind::Hq => Some(Box::new(HyperQueue)),
        }
    }
}

/// Which engine, and how.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Which.
    pub kind: Kind,
    /// Words for its command that submits.
    pub options: Vec<String>,
    /// The folder through which the nodes get their work; none: one in the store.
    pub shared: Option<PathBuf>,
    /// How long a shard should take.
    pub shard_time: Duration,
}

/// How long a shard should take, unless somebody asks for something else.
pub const SHARD_TIME: Duration = Duration::from_secs(300);

impl Wanted {
    /// This machine.
    pub fn local() -> Wanted {
        Wanted {
            kind: Kind::Local,
            options: Vec::new(),
            shared: None,
            shard_time: SHARD_TIME,
        }
    }

    /// The engine.
    pub fn engine(&self) -> Box<dyn Engine> {
        match self.kind.queue() {
            None => Box::new(Local),
            Some(queue) => Box::new(Batch::new(self.clone(), queue)),
        }
    }
}

/// A task that is to be carried out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Open {
    /// What is to be done.
    pub planned: Planned,
    /// Milliseconds of the processor that it will take, about.
    pub guess: f64,
    /// Whether it has a result with a smaller budget.
    pub deeper: bool,
}

/// What is to be carried out.
pub struct Work<'a> {
    /// The folder of the store: files whose paths are not whole lie there.
    pub folder: &'a Path,
    /// The night.
    pub night: i64,
    /// Which irkiss planned it.
    pub version: &'a str,
    /// The executable that does a task ([`super::child::SUBCOMMAND`]).
    pub program: &'a Path,
    /// The options of the first level.
    pub options: &'a Options,
    /// The tasks, the first first.
    pub open: &'a [Open],
    /// Tasks at once; on each node.
    pub jobs: usize,
    /// Bytes of memory that each may take, where the options do not say.
    pub memory: u64,
    /// When no more tasks begin.
    pub until: Option<Instant>,
    /// When all is to end.
    pub deadline: Deadline,
    /// Told of each task that begins here.
    pub begins: &'a (dyn Fn(&Planned) + Sync),
    /// Whether no more tasks may begin, for another reason than the time.
    pub no_more: &'a (dyn Fn() -> bool + Sync),
}

impl Work<'_> {
    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|u| Instant::now() >= u)
    }

    /// Whether all is to end.
    pub fn asked_to_end(&self) -> bool {
        self.deadline.passed().is_some()
    }
}

/// What is told of a task.
pub enum Told {
    /// It has ended.
    Done(Done),
    /// It did not run: a line.
    Skipped(String),
}

/// Takes what is told of the task of that number; an error is one for all of them.
pub type Bring<'a> = &'a mut dyn FnMut(usize, Told) -> Result<(), InputError>;

/// Who carries out tasks.
pub trait Engine {
    /// Carries out what is open, and brings what comes of it. What it has not brought in the end is left for another run. How often a
    /// task began in vain, since its process or its machine was lost.
    ///
    /// # Errors
    /// What goes wrong for all of them.
    fn carry_out(
        &self,
        work: &Work<'_>,
        bring: Bring<'_>,
        watch: &dyn Watch,
    ) -> Result<usize, InputError>;

    /// How many tasks it does at once, with so many at once on each machine, as far as it knows now.
    fn at_once(&self, jobs: usize) -> usize;
}
