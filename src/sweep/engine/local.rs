//! Processes of this machine.
//!
//! One thread waits for each process; the one that called takes what they bring.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use super::{Bring, Engine, Told, Work};
use crate::config::Options;
use crate::error::InputError;
use crate::sweep::child::{self, Request};
use crate::sweep::run::Watch;
use crate::sweep::task::Planned;
use crate::sweep::{budget, key};

/// Where processes get their requests, in the store's folder.
const DESK: &str = "desk";

/// This machine.
#[derive(Clone, Copy, Debug)]
pub struct Local;

impl Engine for Local {
    fn carry_out(
        &self,
        work: &Work<'_>,
        bring: Bring<'_>,
        _: &dyn Watch,
    ) -> Result<usize, InputError> {
        let desk = work.folder.join(DESK);
        // What a sweep left that was killed.
        let _ = std::fs::remove_dir_all(&desk);
        let done = at_desk(work, &desk, bring);
        let _ = std::fs::remove_dir_all(&desk);
        done.map(|()| 0)
    }

    fn at_once(&self, jobs: usize) -> usize {
        jobs
    }
}

/// Carries tasks out at a desk: a folder where processes get their requests, and where nobody else works.
///
/// # Errors
/// What goes wrong for all of them.
pub(super) fn at_desk(work: &Work<'_>, desk: &Path, bring: Bring<'_>) -> Result<(), InputError> {
    std::fs::create_dir_all(desk).map_err(|e| InputError::new(desk.display(), e))?;
    let crew = Crew {
        work,
        options: Options {
            memory: work.options.memory.or(Some(work.memory)),
            ..work.options.clone()
        },
        desk,
        end: AtomicBool::new(false),
        queue: Mutex::new((0..work.open.len()).collect()),
    };
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for worker in 0..work.jobs.max(1) {
            let (send, crew) = (send.clone(), &crew);
            scope.spawn(move || crew.work(worker, &send));
        }
        drop(send);
        let mut failed = None;
        for (n, told) in receive {
            if let Err(error) = told.and_then(|told| bring(n, told)) {
                // The others are not begun for nothing.
                crew.end.store(true, Ordering::Relaxed);
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(()), Err)
    })
}

/// Those who work on a night.
struct Crew<'a> {
    work: &'a Work<'a>,
    options: Options,
    desk: &'a Path,
    /// Something went wrong for all of them.
    end: AtomicBool,
    queue: Mutex<VecDeque<usize>>,
}

impl Crew<'_> {
    /// Takes tasks until there are none; tells of each.
    fn work(&self, worker: usize, send: &mpsc::Sender<(usize, Result<Told, InputError>)>) {
        let desk = self.desk.join(worker.to_string());
        while let Some(n) = self.next() {
            let done = match self.done(&self.work.open[n].planned, &desk) {
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
        if self.work.is_over() || (self.work.no_more)() || self.asked_to_end() {
            return None;
        }
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.pop_front()
    }

    fn asked_to_end(&self) -> bool {
        self.end.load(Ordering::Relaxed) || self.work.asked_to_end()
    }

    /// `None`: the sweep ends.
    fn done(&self, planned: &Planned, desk: &Path) -> Result<Option<Told>, InputError> {
        let folder = self.work.folder;
        if let Some(line) = key::changed(folder, planned) {
            // That is no result of this content: the next plan sees what is there then.
            return Ok(Some(Told::Skipped(line)));
        }
        let files = &planned.task.files;
        let request = Request {
            files: files.iter().map(|f| folder.join(&f.path)).collect(),
            shown: vec![planned.task.name.clone()],
            called: files
                .iter()
                .map(|f| f.called().display().to_string())
                .collect(),
            options: budget::at(&self.options, planned.level),
            source: planned.task.call.as_ref().map(|c| c.source.clone()),
        };
        (self.work.begins)(planned);
        let done = child::run(self.work.program, &request, desk, &|| self.asked_to_end())?;
        Ok(done.map(Told::Done))
    }
}
