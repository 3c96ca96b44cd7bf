//! What is checked together: a whole program, initialisation, or one entry point, two, or those of a scenario.

use std::sync::Arc;

use super::Checked;
use super::ledger::Ledger;
use crate::analysis::late::Counting;
use crate::assumption::Assumption;
use crate::config::Options;
use crate::deadline::Stopped;
use crate::environment::contract::{EARLIER, tell};
use crate::environment::entry::{EntryPoint, EntryPoints};
use crate::environment::scenario::Together;
use crate::index::{EntryId, Idx};
use crate::verdict::{Finding, PairResult, Why};

/// No entry point: a thread that does nothing.
pub(super) const NOBODY: u32 = u32::MAX;

/// What to check together.
#[derive(Clone, Debug)]
pub struct Task {
    /// Names for the report: of the threads, the first one outside.
    names: Vec<String>,
    /// What the user calls it; empty without a name.
    scenario: String,
    /// The entry points, in the order of the threads; none for a whole program and for initialisation.
    entries: Vec<EntryId>,
    lifecycle: bool,
    /// One thread: the first entry point, or (none) initialisation.
    pub(super) alone: bool,
    /// The kind of object, where the rules keep the two apart for one object and there are several.
    of_two: Option<String>,
    /// The kind of object, where the second thread gets another one than the first.
    of_another: Option<String>,
    /// The entry point that ran before them, to its end.
    earlier: Option<EntryId>,
    /// Beside initialisation: the sites that count.
    late: Option<Arc<Counting>>,
}

/// What stands for the second thread where there is none.
const ALONE: &str = "(alone)";

/// What reports call initialisation.
const INITIALISATION: &str = "initialisation";

impl Task {
    fn new(names: &[&str], entries: &[EntryId], lifecycle: bool) -> Task {
        Task {
            names: names.iter().map(ToString::to_string).collect(),
            scenario: String::new(),
            entries: entries.to_vec(),
            lifecycle,
            alone: false,
            of_two: None,
            of_another: None,
            earlier: None,
            late: None,
        }
    }

    /// The same threads, where that entry point ran before them, to its end.
    #[must_use]
    pub(super) fn after(self, earlier: EntryId) -> Task {
        Task {
            earlier: Some(earlier),
            ..self
        }
    }

    /// The same, for two objects of that kind: for one they are kept apart.
    #[must_use]
    pub fn of_two(self, object: &str) -> Task {
        Task {
            of_two: Some(object.to_string()),
            ..self
        }
    }

    /// Of what it takes two objects. Nothing makes two, so that only what holds of any is said.
    pub(super) fn takes_two(&self) -> Option<&str> {
        self.of_two.as_deref()
    }

    /// The same threads, of which the second one gets another object of that kind than the first: the entry points say so.
    #[must_use]
    pub fn of_another(self, object: &str) -> Task {
        Task {
            of_another: Some(object.to_string()),
            ..self
        }
    }

    /// Whether its threads are about one object of each kind.
    pub(super) fn is_of_one(&self) -> bool {
        self.of_two.is_none() && self.of_another.is_none()
    }

    /// The kind of object of which each of the two threads has its own.
    pub(super) fn has_two(&self) -> Option<&str> {
        self.of_another.as_deref()
    }

    /// A program with `main`: its first thread beside those that it starts.
    pub fn whole_program() -> Task {
        Task::new(&["main", "threads"], &[], false)
    }

    /// Initialisation, with nobody beside it.
    pub fn initialisation() -> Task {
        Task {
            alone: true,
            ..Task::new(&[INITIALISATION, ALONE], &[], false)
        }
    }

    /// An entry point, with nobody beside it.
    pub fn alone(i: EntryId, a: &EntryPoint, lifecycle: bool) -> Task {
        Task {
            alone: true,
            ..Task::new(&[&a.function, ALONE], &[i], lifecycle)
        }
    }

    /// Two entry points of a driver.
    pub fn pair(i: EntryId, a: &EntryPoint, j: EntryId, b: &EntryPoint, lifecycle: bool) -> Task {
        Task::new(&[&a.function, &b.function], &[i, j], lifecycle)
    }

    /// An entry point and initialisation, which begins it and goes on.
    pub(super) fn beside_initialisation(i: EntryId, a: &EntryPoint, late: Counting) -> Task {
        Task {
            late: Some(Arc::new(late)),
            ..Task::new(&[&a.function, INITIALISATION], &[i], true)
        }
    }

    /// Of an entry point beside initialisation, what counts.
    pub(super) fn late(&self) -> Option<&Counting> {
        self.late.as_deref()
    }

    /// The entry points of a scenario.
    pub fn scenario(together: &Together, entries: &EntryPoints, lifecycle: bool) -> Task {
        let threads = together.threads.iter();
        let names: Vec<&str> = threads.map(|e| entries[*e].function.as_str()).collect();
        Task {
            scenario: together.name.clone(),
            ..Task::new(&names, &together.threads, lifecycle)
        }
    }

    /// Whether the user's rules name it: a scenario.
    pub(super) fn is_named(&self) -> bool {
        !self.scenario.is_empty()
    }

    /// Whether more than two threads run beside each other: the rules may keep some of these apart.
    pub fn is_scenario(&self) -> bool {
        self.entries.len() > 2
    }

    /// The names of the first of its threads; of a whole program, whose threads are told by what they run, none.
    pub fn names(&self) -> Vec<&str> {
        if self.alone {
            return vec![&self.names[0]];
        }
        let mut names = match self.is_program() {
            true => Vec::new(),
            false => self.sides(),
        };
        names.extend(self.lifecycle.then_some(INITIALISATION));
        names
    }

    /// The names of its sides, the outer one first.
    pub(super) fn sides(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The entry points that its threads execute.
    pub fn entries(&self) -> &[EntryId] {
        &self.entries
    }

    /// The two entry points of a pair.
    pub(super) fn two(&self) -> Option<(EntryId, EntryId)> {
        match self.entries[..] {
            [a, b] => Some((a, b)),
            _ => None,
        }
    }

    /// Whether it is a program with `main`.
    pub(super) fn is_program(&self) -> bool {
        self.entries.is_empty() && !self.alone
    }

    pub(super) fn is_lifecycle(&self) -> bool {
        self.lifecycle
    }

    /// Whether it is about entry points that begin on the state that initialisation leaves.
    pub fn in_steady(&self) -> bool {
        !self.entries.is_empty() && !self.lifecycle
    }

    /// How many threads may be pending: what is asked for, and of a scenario all beside the one that runs.
    pub fn ts(&self, options: &Options) -> u32 {
        let pending = match self.entries.len() {
            0..=2 => 0,
            n => n - 1,
        };
        options.ts.max(pending as u32)
    }

    /// What a report says of its bounds, where they are its own.
    pub fn note(&self, options: &Options) -> Option<String> {
        let (threads, ts) = (self.entries.len(), self.ts(options));
        (ts > options.ts).then(|| format!("scenarios of {threads} threads: ts={ts}"))
    }

    /// The numbers of its entry points, as the harness asks for them: of the first two, whether it is the lifecycle, and of further
    /// ones, plus one; last, of the one that ran before them, plus one.
    pub(super) fn numbers(&self) -> Vec<u32> {
        if self.is_program() {
            return vec![0; 3];
        }
        let number = |n: usize| self.entries.get(n).map_or(NOBODY, |e| e.index() as u32);
        let mut all = vec![number(0), number(1), u32::from(self.lifecycle)];
        all.extend((2..self.entries.len()).map(|n| number(n) + 1));
        if let Some(earlier) = self.earlier {
            tell(&mut all, EARLIER, earlier.index() as u32 + 1);
        }
        all
    }

    /// What is said of the task before it is checked.
    pub fn unchecked(&self) -> PairResult {
        self.result(Ledger::default()).pair
    }

    /// The places of the threads that are tried outside, too: those that say something new.
    pub(super) fn others_outside(&self) -> Vec<usize> {
        let new = |n: &usize| !self.entries[..*n].contains(&self.entries[*n]);
        (1..self.entries.len()).filter(new).collect()
    }

    /// The same threads with that one outside.
    pub(super) fn swapped(&self, outer: usize) -> Task {
        let mut task = self.clone();
        task.names.swap(0, outer);
        task.entries.swap(0, outer);
        task
    }

    /// What is said of a task that is not over: its findings so far, everything else unknown.
    pub fn unfinished(&self, findings: &[Finding], stopped: Stopped) -> Checked {
        let mut ledger = Ledger::unknown(&[], &Why::Stopped(stopped));
        ledger.races(findings);
        Checked {
            findings: findings.to_vec(),
            stopped: Some(stopped),
            ..self.result(ledger)
        }
    }

    /// The sites shown where nothing was executed.
    pub(super) fn none_reached(&self) -> Vec<(u32, u32)> {
        vec![(0, 0); self.names.len()]
    }

    /// What is said of the task where no more than `ledger` is known.
    pub(super) fn result(&self, ledger: Ledger) -> Checked {
        Checked {
            pair: PairResult {
                a: self.names[0].clone(),
                b: self.names[1].clone(),
                further: self.names[2..].to_vec(),
                scenario: self.scenario.clone(),
                serialized_by: None,
                nothing_shared: false,
                suppressed: Vec::new(),
                regions: ledger.regions,
                assumptions: Vec::new(),
                reachable_sites: self.none_reached(),
            },
            findings: Vec::new(),
            not_replayed: ledger.not_replayed,
            matter: ledger.matter,
            stats: ledger.stats,
            shown: Vec::new(),
            unproved: ledger.unproved,
            held: Vec::new(),
            stopped: None,
        }
    }
}

impl Checked {
    /// What claims and findings of two objects rest on. Where the two do not get anywhere, there may be no second one.
    pub fn tell_two(&mut self, task: &Task) {
        let Some(object) = task.has_two() else {
            return;
        };
        let two = Assumption::TwoOf(object.to_string());
        self.pair.regions.explain(|_, why| match why {
            Why::Nowhere { .. } | Why::NotReached { .. } | Why::NothingCommon => {
                Some(Why::OneOfSeveral(object.to_string()))
            }
            _ => None,
        });
        self.pair.regions.rest_on(|_| vec![two.clone()]);
        let told = two.to_string();
        for finding in &mut self.findings {
            if !finding.assumptions.contains(&told) {
                finding.assumptions.push(told.clone());
            }
        }
    }
}
