//! The check of a closed program: what its pairs share is made, then all phases are gone through (`phases/`), then what they found out is
//! put together. What is told is the same in any order of the pairs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::named::known_fields;
use super::phases::beside::Beside;
use super::phases::{At, PHASES};
use super::tasks::tasks;
use super::{GRACE, gather, outcome, planner, points_to};
use crate::analysis::Planner;
use crate::analysis::guards::{self, Guards};
use crate::concrete::{Code, Runs};
use crate::config::{Options, Track};
use crate::deadline::{self, Deadline, Stopped};
use crate::error::Failure;
use crate::faults;
use crate::frontend::Closed;
use crate::memory;
use crate::pair::{
    self, Earlier, Endings, Grounds, Isolated, Nets, Pass, Plans, Queries, Shared, Start, Task,
};
use crate::progress::Progress;
use crate::results::{Overdue, Results};
use crate::verdict::{Finding, Outcome, PairResult};

/// Where a run tells of itself.
pub(super) struct Outlets<'a> {
    pub progress: &'a dyn Progress,
    pub overdue: &'a (dyn Fn(Outcome) + Sync),
    /// When the run has to be over; a part of it may have to be before.
    pub end: Deadline,
    pub queries: Option<Queries>,
    /// Whether the inputs are files that can be closed once more.
    pub again: bool,
}

/// Checks all pairs, or those that the deadline leaves time for.
///
/// Errors: entry points or pairs that the program does not have.
pub(super) fn check_until(
    inputs: &[PathBuf],
    closed: &Closed,
    options: &Options,
    deadline: Deadline,
    outlets: &Outlets<'_>,
) -> Result<Outcome, Failure> {
    let (tasks, excluded) = tasks(closed, options)?;
    let run = Checking {
        inputs,
        closed,
        options,
        tasks: &tasks,
        excluded: &excluded,
        results: Results::new(&tasks),
        early: Isolated::default(),
        isolated: Isolated::default(),
        guarded_by: OnceLock::new(),
        beside: Beside::default(),
    };
    let too_late = Overdue::after(GRACE);
    let late = || {
        if let Some(stopped) = too_late.now(outlets.end) {
            (outlets.overdue)(run.so_far(stopped));
        }
    };
    outlets.end.watch(late, || run.all(deadline, outlets))
}

/// The pairs of an input, and what has been found out about them.
pub(super) struct Checking<'a> {
    pub inputs: &'a [PathBuf],
    pub closed: &'a Closed,
    options: &'a Options,
    pub tasks: &'a [Task],
    /// What the rules never run beside each other.
    excluded: &'a [PairResult],
    pub results: Results<'a>,
    /// What each entry point gets to, as far as its beginning shows it.
    pub early: Isolated,
    /// The same, as far as its pairs are searched.
    isolated: Isolated,
    guarded_by: OnceLock<Guards>,
    /// What entry points do beside initialisation.
    pub beside: Beside,
}

impl Checking<'_> {
    /// The stages after the first.
    fn all(&self, deadline: Deadline, outlets: &Outlets<'_>) -> Result<Outcome, Failure> {
        let (closed, options, progress) = (self.closed, self.options, outlets.progress);
        progress.stage("points-to analysis");
        let points_to = match points_to(closed, options, deadline) {
            Ok(points_to) => points_to,
            Err(stopped) => return Ok(self.nothing_more(stopped)),
        };
        let planner = planner(closed, &points_to, options);
        known_fields(closed, &planner, self.tasks, options)?;
        if options.guarded_by {
            let guards = || gather(closed, &planner, self.tasks, options, guards::THRESHOLD);
            self.guarded_by.get_or_init(guards);
        }
        progress.stage("initialisation");
        let start = Start::run(closed, options, deadline);
        let grounds = Grounds::new(closed, &planner, options);
        let earlier = Earlier::default();
        let endings = Endings::new(closed, planner.call_graph());
        let plans = Plans::default();
        let code = (options.tiers.runs)
            .then(|| Code::of(&closed.concurrent))
            .flatten();
        let of_driver = code.as_ref().filter(|_| !closed.entries.is_empty());
        let runs = of_driver.map(|code| {
            progress.stage("runs of the initialisation");
            Runs::new(code, &closed.concurrent, start.of_nobody(), deadline)
        });
        progress.stage("nets");
        let nets = Nets::prove(closed, &planner, self.tasks, options, deadline, false);
        let shared = Shared {
            closed,
            planner: &planner,
            plans: &plans,
            start: &start,
            isolated: &self.isolated,
            runs: runs.as_ref().filter(|runs| runs.is_started()),
            nets: &nets,
            grounds: &grounds,
            earlier: &earlier,
            endings: &endings,
            begun: None,
            named: options.pair.is_some(),
            options,
            deadline,
            queries: outlets.queries.as_ref(),
            pass: Pass::Search,
            share: pair::Share::of(self.tasks.len(), options),
            settled: &[],
            common: &[],
            shown: &[],
            purse: None,
        };
        // Queries come in the order of the pairs.
        let jobs = match outlets.queries {
            Some(_) => 1,
            None => options.jobs.max(1),
        };
        let Some(pool) = pool(jobs) else {
            memory::refused();
            return Ok(self.nothing_more(Stopped::OutOfMemory));
        };
        let at = At {
            run: self,
            shared: &shared,
            code: code.as_ref(),
            pool: &pool,
            outlets,
        };
        for phase in PHASES.iter().filter(|phase| phase.applies(&at)) {
            phase.run(&at);
        }
        Ok(self.over(&planner, &start, &nets))
    }

    /// What is there so far, for a run that does not stop by itself.
    fn so_far(&self, stopped: Stopped) -> Outcome {
        let mut results = self.results.so_far(stopped);
        self.told(&mut results)
    }

    /// The same of a run that has come to no pair yet.
    fn nothing_more(&self, stopped: Stopped) -> Outcome {
        self.collect(&self.results.so_far(stopped))
    }

    /// What is there when all pairs are over.
    fn over(&self, planner: &Planner<'_>, start: &Start<'_>, nets: &Nets) -> Outcome {
        let mut results = self.results.results();
        let mut outcome = self.told(&mut results);
        let touched = planner.touched();
        let [asked, ruled_out] = planner.asked();
        for (name, n) in [
            ("shared regions", touched.shared as u64),
            ("private regions", touched.private as u64),
            ("lockset queries", asked),
            ("lockset queries: ruled out", ruled_out),
        ] {
            outcome.stats.insert(name.into(), n);
        }
        for (name, n) in start.stats().into_iter().chain(nets.stats.clone()) {
            *outcome.stats.entry(name).or_default() += n;
        }
        if self.options.track != Track::All && self.options.tiers.contexts {
            self.tell_fields(planner, &results, &mut outcome);
        }
        outcome.notes.extend(start.notes());
        let own = self.tasks.iter().filter_map(|t| t.note(self.options));
        outcome.notes.extend(own.collect::<BTreeSet<String>>());
        outcome
    }

    /// Which fields there are, and which of them were followed.
    fn tell_fields(&self, planner: &Planner<'_>, results: &[pair::Checked], outcome: &mut Outcome) {
        let steady = self.tasks.first().is_some_and(pair::Task::in_steady);
        let Some(fields) = pair::fields(self.closed, planner, steady) else {
            return;
        };
        let joined = fields.joined(&self.closed.concurrent);
        for (name, n) in [
            ("memory: maps", fields.all().len()),
            ("memory: maps of several fields", joined.len()),
        ] {
            outcome.stats.insert(name.into(), n as u64);
        }
        outcome.notes.extend(joined);
        let counts = pair::fields_counted(fields, results, &self.options.track);
        outcome.stats.extend(counts);
        outcome.notes.extend(pair::fields_found(fields, results));
    }

    /// Results with where their threads get to by themselves, and what guards what.
    fn told(&self, results: &mut [pair::Checked]) -> Outcome {
        for (result, task) in results.iter_mut().zip(self.tasks) {
            result.tell_sites(task, &[&self.isolated, &self.early]);
            result.tell_two(task);
        }
        let mut outcome = self.collect(results);
        outcome.guarded_by = self.guarded_by.get().cloned();
        outcome
    }

    /// In the order of the pairs.
    fn collect(&self, results: &[pair::Checked]) -> Outcome {
        let results: Vec<pair::Checked> = results
            .iter()
            .cloned()
            .chain(self.beside.so_far())
            .collect();
        let mut pairs = self.excluded.to_vec();
        pairs.extend(results.iter().map(|r| r.pair.clone()));
        pairs.sort_by_key(PairResult::place);
        let mut out = outcome(self.inputs, self.options, self.closed, pairs);
        for result in &results {
            out.not_replayed += result.not_replayed;
            for (name, n) in &result.stats {
                *out.stats.entry(name.clone()).or_default() += n;
            }
            for finding in &result.findings {
                match out.findings.iter_mut().find(|f| same_place(f, finding)) {
                    Some(known) => known.join(finding),
                    None => out.findings.push(finding.clone()),
                }
            }
        }
        out.stats.insert("pairs".into(), out.pairs.len() as u64);
        out.stats.insert("work".into(), deadline::work_done());
        out.stopped = results.iter().find_map(|r| r.stopped);
        out
    }
}

/// Threads for the pairs. `None`: there is no memory for them.
fn pool(jobs: usize) -> Option<rayon::ThreadPool> {
    let here = faults::Here::now();
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .start_handler(move |_| here.stay());
    threads.stack_size(pair::stack_bytes()).build().ok()
}

/// Whether two findings are about the same two source places.
pub(super) fn same_place(x: &Finding, y: &Finding) -> bool {
    let places = |f: &Finding| {
        let mut p: Vec<_> = f
            .accesses
            .iter()
            .map(|a| (a.stack.first().cloned(), a.kind))
            .collect();
        p.sort_by(|a, b| format!("{a:?}").cmp(&format!("{b:?}")));
        p
    };
    x.kind == y.kind && places(x) == places(y)
}
