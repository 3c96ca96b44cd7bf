//! The folder through which the nodes of a cluster get their work and give back what comes of it.
//!
//! It holds all that they need: what is to be done, the bitcode (linked, or copied from another disk), a script that starts irkiss; and for
//! each shard its log and one file for each result, which is there whole or not at all. No node opens the store's database: only the
//! sweep that shared the work out writes to it. A result that is there stays there until the sweep has ended, so neither a node that dies
//! nor a sweep that is killed loses more than what was running.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Kind, Open, Work, node};
use crate::config::Options;
use crate::error::InputError;
use crate::sweep::task::{Done, Planned};
use crate::sweep::words::quoted;

/// In the store: where its work is done.
const NOTE: &str = "elsewhere.json";

/// In the store: the logs of the last run's shards.
const LOGS: &str = "logs";

const HEAD: &str = "head.json";
const TODO: &str = "todo.json";
const STOP: &str = "stop";
const LOG: &str = "log";
const REFUSED: &str = "refused";
const BITCODE: &str = "bitcode";

/// The script that the nodes call.
pub const START: &str = "start.sh";

/// Where the work of a store is done, besides here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// By which engine.
    pub kind: Kind,
    /// What it calls it; none: it was not submitted yet.
    pub job: Option<String>,
    /// The store: a copy of it has no part in the work.
    pub store: PathBuf,
    /// The folder of the work.
    pub folder: PathBuf,
    /// The night.
    pub night: i64,
    /// How many shards there are.
    pub shards: usize,
}

/// Where the work of a store is done, if it is not here.
pub fn elsewhere(store: &Path) -> Option<Elsewhere> {
    let there: Elsewhere = parsed(&store.join(NOTE)).ok()?;
    (there.store == whole(store)).then_some(there)
}

/// A path that means the same from every folder.
pub(super) fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

impl Elsewhere {
    /// Notes it in the store.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn note(&self, store: &Path) -> Result<(), InputError> {
        written(&store.join(NOTE), self)
    }

    /// Forgets it, and all that is in its folder but the logs.
    pub(super) fn clear(&self, store: &Path) {
        let camp = Camp::at(&self.folder);
        let job = self.job.as_deref().unwrap_or("none");
        let logs = store.join(LOGS);
        let _ = std::fs::create_dir_all(&logs);
        for shard in 0..self.shards {
            let to = logs.join(format!("{job}-{shard}.log"));
            let _ = std::fs::copy(camp.log(shard), to);
        }
        // What cannot be removed is in nobody's way: each work has a folder of its own.
        let _ = std::fs::remove_dir_all(&self.folder);
        let _ = std::fs::remove_file(store.join(NOTE));
    }

    /// How many shards have all their results.
    pub fn done(&self) -> usize {
        let camp = Camp::at(&self.folder);
        let done = |shard: &usize| camp.todo(*shard).is_ok_and(|t| t.is_empty());
        (0..self.shards).filter(done).count()
    }

    /// Where the log of each shard is, with `N` for its number.
    pub fn logs(&self) -> PathBuf {
        self.folder.join("N").join(LOG)
    }
}

/// Removes the logs of the runs before.
pub(super) fn forget_logs(store: &Path) {
    let _ = std::fs::remove_dir_all(store.join(LOGS));
}

/// What holds for all shards.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    /// Which irkiss planned it.
    pub version: String,
    /// The night.
    pub night: i64,
    /// The options of the first level.
    pub options: Options,
    /// Tasks at once on a node.
    pub jobs: usize,
}

/// What a node has given back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Given {
    /// The name of the content.
    pub key: String,
    /// The level.
    pub level: u32,
    /// What came of it.
    pub what: What,
}

/// What came of a task on a node.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum What {
    /// It has ended.
    Done(Done),
    /// It did not run: a line.
    Skipped(String),
}

/// The folder.
#[derive(Clone, Debug)]
pub(super) struct Camp {
    folder: PathBuf,
}

/// The name of a task's files.
fn name(planned: &Planned) -> String {
    format!("{}-{}", planned.key, planned.level)
}

impl Camp {
    pub fn at(folder: &Path) -> Camp {
        Camp {
            folder: folder.to_path_buf(),
        }
    }

    /// Makes one for these shards.
    pub fn pitch(
        folder: &Path,
        work: &Work<'_>,
        shards: &[Vec<usize>],
    ) -> Result<Camp, InputError> {
        let camp = Camp::at(folder);
        made(&folder.join(BITCODE))?;
        let head = Head {
            version: work.version.to_string(),
            night: work.night,
            options: work.options.clone(),
            jobs: work.jobs,
        };
        written(&folder.join(HEAD), &head)?;
        for (number, shard) in shards.iter().enumerate() {
            made(&camp.shard(number))?;
            let open = shard.iter().map(|n| camp.packed(work, &work.open[*n]));
            let open: Vec<Open> = open.collect::<Result<_, _>>()?;
            written(&camp.shard(number).join(TODO), &open)?;
        }
        let start = folder.join(START);
        let failed = |e| InputError::new(start.display(), e);
        std::fs::write(&start, camp.script(work.program)).map_err(failed)?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&start, mode).map_err(failed)?;
        Ok(camp)
    }

    /// Starts the shard that the queue names.
    fn script(&self, program: &Path) -> String {
        let word = |path: &Path| quoted(&path.display().to_string());
        let folder = word(&self.folder);
        // The libraries that this irkiss is called with, in case that they lie beside it.
        let libraries = std::env::var("LD_LIBRARY_PATH").ok();
        let libraries = libraries.map(|l| format!("export LD_LIBRARY_PATH={}\n", quoted(&l)));
        format!(
            "#!/bin/sh\nn=${{SLURM_ARRAY_TASK_ID:-$HQ_TASK_ID}}\n{}exec >> {folder}/\"$n\"/{LOG} 2>&1\nexec {} {} {folder} \"$n\"\n",
            libraries.unwrap_or_default(),
            word(program),
            node::SUBCOMMAND
        )
    }

    /// A task whose bitcode lies here.
    fn packed(&self, work: &Work<'_>, open: &Open) -> Result<Open, InputError> {
        let mut open = open.clone();
        for file in &mut open.planned.task.files {
            let from = work.folder.join(&file.path);
            let path = Path::new(BITCODE).join(format!("{}.bc", file.content));
            let to = self.folder.join(&path);
            if !to.exists() && std::fs::hard_link(&from, &to).is_err() {
                // Another disk, or one without links.
                std::fs::copy(&from, &to).map_err(|e| InputError::new(to.display(), e))?;
            }
            file.made_as = Some(file.called().to_path_buf());
            file.path = path;
        }
        Ok(open)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn shard(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
    }

    pub fn log(&self, number: usize) -> PathBuf {
        self.shard(number).join(LOG)
    }

    pub fn head(&self) -> Result<Head, InputError> {
        parsed(&self.folder.join(HEAD))
    }

    fn given(&self, number: usize, planned: &Planned) -> PathBuf {
        self.shard(number).join(format!("{}.done", name(planned)))
    }

    fn mark(&self, number: usize, planned: &Planned) -> PathBuf {
        self.shard(number).join(format!("{}.begun", name(planned)))
    }

    /// All tasks of a shard.
    fn all(&self, number: usize) -> Result<Vec<Open>, InputError> {
        parsed(&self.shard(number).join(TODO))
    }

    /// What of a shard has not given anything yet.
    pub fn todo(&self, number: usize) -> Result<Vec<Open>, InputError> {
        let mut open = self.all(number)?;
        open.retain(|o| parsed::<Given>(&self.given(number, &o.planned)).is_err());
        Ok(open)
    }

    /// Notes that a task begins.
    pub fn begins(&self, number: usize, planned: &Planned) {
        let mark = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.mark(number, planned));
        // It only tells how often.
        let _ = mark.and_then(|mut file| file.write_all(b"."));
    }

    /// Gives back what came of a task.
    pub fn give(&self, number: usize, planned: &Planned, what: What) -> Result<(), InputError> {
        let given = Given {
            key: planned.key.clone(),
            level: planned.level,
            what,
        };
        written(&self.given(number, planned), &given)
    }

    /// What was given back that is not among the known ones; it is then.
    pub fn new_of(&self, shards: usize, known: &mut BTreeSet<PathBuf>) -> Vec<Given> {
        let mut new = Vec::new();
        for number in 0..shards {
            let Ok(listed) = std::fs::read_dir(self.shard(number)) else {
                continue;
            };
            for entry in listed.flatten() {
                let path = entry.path();
                let is_given = path.extension().is_some_and(|e| e == "done");
                if !is_given || known.contains(&path) {
                    continue;
                }
                // What a node was writing when its machine died is none.
                if let Ok(given) = parsed::<Given>(&path) {
                    known.insert(path);
                    new.push(given);
                }
            }
        }
        new
    }

    /// The names of tasks that began more often than they ended.
    pub fn vain(&self, shards: usize) -> Vec<String> {
        let mut vain = Vec::new();
        for number in 0..shards {
            for open in self.all(number).unwrap_or_default() {
                let begun = std::fs::metadata(self.mark(number, &open.planned));
                let begun = begun.map_or(0, |d| d.len());
                let ended = u64::from(self.given(number, &open.planned).exists());
                for _ in ended..begun {
                    vain.push(open.planned.task.name.clone());
                }
            }
        }
        vain
    }

    /// No more tasks begin.
    pub fn stop(&self) {
        let _ = std::fs::write(self.folder.join(STOP), "");
    }

    /// Whether no more tasks begin.
    pub fn is_stopped(&self) -> bool {
        self.folder.join(STOP).exists() || !self.folder.join(HEAD).exists()
    }

    /// A node cannot work: a line.
    pub fn refuse(&self, number: usize, line: &str) {
        let _ = written(&self.shard(number).join(REFUSED), &line);
    }

    /// What a node said that cannot work, with the number of its shard.
    pub fn refused(&self, shards: usize) -> Option<(usize, String)> {
        let said = |n: usize| Some((n, parsed(&self.shard(n).join(REFUSED)).ok()?));
        (0..shards).find_map(said)
    }

    /// The last line of a log.
    pub fn last_words(&self, number: usize) -> Option<String> {
        let log = std::fs::read(self.log(number)).ok()?;
        let log = String::from_utf8_lossy(&log).into_owned();
        log.lines().next_back().map(str::to_string)
    }
}

fn made(folder: &Path) -> Result<(), InputError> {
    std::fs::create_dir_all(folder).map_err(|e| {
        InputError::new(folder.display(), e).advise("--shared names another folder for the nodes")
    })
}

fn parsed<T: DeserializeOwned>(path: &Path) -> Result<T, InputError> {
    let bytes = std::fs::read(path).map_err(|e| InputError::new(path.display(), e))?;
    serde_json::from_slice(&bytes).map_err(|e| InputError::new(path.display(), e))
}

/// Whole or not at all, also beside another process that writes the same.
fn written(path: &Path, value: &impl Serialize) -> Result<(), InputError> {
    let failed = |e: std::io::Error| InputError::new(path.display(), e);
    let text = serde_json::to_vec(value).expect("it serialises");
    let draft = path.with_extension(format!("draft-{}-{}", node::host(), std::process::id()));
    std::fs::write(&draft, text).map_err(failed)?;
    std::fs::rename(&draft, path).map_err(failed)
}
