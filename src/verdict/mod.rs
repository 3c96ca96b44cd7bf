//! What irkiss says: verdicts, findings and the evidence for them. Plain data, made by the pipeline, read by the reports.

mod access;
mod act;
mod claim;
mod known;
mod step;
mod why;
pub mod within;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::analysis::guards::Guards;
use crate::assumption::Assumption;
use crate::config::{self, Options};
use crate::deadline::Stopped;
use crate::environment::entry::EntryPoint;
use crate::program::{FailKind, Silencer, Touch};
use crate::property::Property;
use crate::trace::schedule::Schedule;
pub use access::{Access, Frame, is_header};
pub use act::Act;
pub use claim::Claim;
pub use known::{RegionResult, Verdicts};
pub use step::{Does, Event, Memory, Nature, number};
pub use why::{Candidate, Cut, Ending, Why};
pub use within::Within;

/// Everything found out about one input.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Input files, as given.
    pub input: Vec<String>,
    /// What a build makes of it, as one names that to `make`, if it is of a build.
    pub object: Option<String>,
    /// The bounds within which `bounded` holds.
    pub bounds: Bounds,
    /// Entry points found; empty for a whole program.
    pub entries: Vec<EntryPoint>,
    /// One per pair (a whole program is one pair: `main` beside the threads that it starts).
    pub pairs: Vec<PairResult>,
    /// The source files of the input, without headers; sorted. Empty without debug information.
    pub sources: Vec<String>,
    /// Every finding has been replayed.
    pub findings: Vec<Finding>,
    /// Findings that are not told, since the user has said so.
    pub set_aside: Vec<SetAside>,
    /// Functions without a model that got the default: name, call sites.
    pub default_models: Vec<(String, u32)>,
    /// Inline assembly without a model: text, sites.
    pub unmodelled_asm: Vec<(String, u32)>,
    /// What nobody looked for: properties that were not asked for. That nothing gets to `BUG()` is one where something may.
    pub not_asked: Vec<Property>,
    /// Lines for the user: guessed contexts, things merged.
    pub notes: Vec<String>,
    /// Schedules that the solver gave and the interpreter did not confirm. Each is an internal error; the pair is unknown.
    pub not_replayed: u32,
    /// Which lock guards which field, if that was asked for.
    pub guarded_by: Option<Guards>,
    /// Counts for `--stats`.
    pub stats: BTreeMap<String, u64>,
    /// What ended the run before its time, if anything. Then what is unknown, and what was
    /// found, may differ from run to run.
    pub stopped: Option<Stopped>,
}

/// The bounds of the precise tiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// MAX of the multiset of pending threads.
    pub ts: u32,
    /// Contexts of each thread in the executions that are searched in rounds; none: not searched.
    pub contexts: Option<u32>,
    /// Context switches of these.
    pub switches: Option<u32>,
    /// Of a hundred switch points, those at which threads may be interrupted; none: all of them.
    #[serde(default)]
    pub switch_points: Option<u32>,
    /// Times that a back edge is taken in one activation.
    pub unwind: u32,
    /// Activations of one function on one stack beyond the first.
    pub recursion: u32,
    /// Bytes of a copy or fill whose length is not constant.
    pub copy_symbolic: u64,
    /// The same where it is one of a few constants.
    #[serde(default)]
    pub copy_few: u64,
    /// Bytes of a copy or fill of a constant length.
    pub copy_constant: u64,
    /// Times that a loop goes round whose trip count is constant: `unwind` does not count these.
    pub iterations: u32,
    /// The same of a loop that something else may end early, or in which others may run.
    #[serde(default)]
    pub open_iterations: u32,
    /// Whether pointers are taken to lead to memory of their C type only: what else they reach is not searched.
    pub typed: bool,
}

impl Bounds {
    /// The executions that are asked for.
    pub fn asked(&self) -> Vec<Within> {
        let balanced = Within::Balanced { ts: self.ts };
        let rounds = self.contexts.map(|contexts| Within::Rounds {
            contexts,
            switches: self.switches,
        });
        [balanced].into_iter().chain(rounds).collect()
    }

    /// The bounds of a run with these options.
    pub fn of(options: &Options) -> Bounds {
        Bounds {
            ts: options.ts,
            contexts: options.tiers.contexts.then_some(options.contexts),
            switches: options.switches,
            switch_points: Some(options.switch_points).filter(|n| *n < 100),
            unwind: options.unwind,
            recursion: options.recursion,
            copy_symbolic: config::MAX_SYMBOLIC_LENGTH,
            copy_few: config::MAX_LENGTH_OF_FEW,
            copy_constant: config::MAX_CONSTANT_LENGTH,
            iterations: config::MAX_ITERATIONS,
            open_iterations: config::MAX_OPEN_ITERATIONS,
            typed: !options.strict,
        }
    }
}

/// A verdict. There is none that says "safe".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Proved free of races, for any number of threads.
    Proved,
    /// None within the stated bounds.
    Bounded,
    /// Not known; the reason says why.
    Unknown,
    /// A race, replayed.
    Race,
}

/// The verdict of a whole input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overall {
    /// Everything was proved.
    Proved,
    /// Nothing within the bounds, nothing unknown.
    Bounded,
    /// Nothing found, but something is not known.
    Unknown,
    /// Something was found and replayed.
    Bug,
}

impl Outcome {
    /// Of an input of which nothing is known yet.
    pub fn empty(inputs: &[PathBuf], options: &Options) -> Outcome {
        Outcome {
            input: inputs.iter().map(|p| p.display().to_string()).collect(),
            object: None,
            bounds: Bounds::of(options),
            entries: Vec::new(),
            pairs: Vec::new(),
            sources: Vec::new(),
            findings: Vec::new(),
            set_aside: Vec::new(),
            default_models: Vec::new(),
            unmodelled_asm: Vec::new(),
            not_asked: not_asked(options),
            notes: Vec::new(),
            not_replayed: 0,
            guarded_by: None,
            stats: BTreeMap::new(),
            stopped: None,
        }
    }

    /// Bug wins, then unknown, then bounded, then proved. An input of which nothing was checked is unknown.
    pub fn overall(&self) -> Overall {
        if !self.findings.is_empty() {
            return Overall::Bug;
        }
        if self.not_replayed > 0 {
            return Overall::Unknown;
        }
        // What is found and not told is none: the user has said that it is meant, or known.
        let race = match self.set_aside.is_empty() {
            true => Overall::Bug,
            false => Overall::Bounded,
        };
        let pairs = self.pairs.iter().map(|p| p.overall_if(race));
        pairs.max().unwrap_or(Overall::Unknown)
    }

    /// Whether nothing runs beside anything else in it: a program, or a unit of one, that starts no thread.
    pub fn has_one_thread(&self) -> bool {
        let none = |r: &RegionResult| matches!(r.why(), Some(Why::NoThread { .. }));
        let alone = |p: &PairResult| !p.regions.is_empty() && p.regions.iter().all(none);
        self.findings.is_empty() && !self.pairs.is_empty() && self.pairs.iter().all(alone)
    }
}

/// The properties that these options leave out.
fn not_asked(options: &Options) -> Vec<Property> {
    let all = Property::ALL.iter().copied();
    all.filter(|p| *p != Property::Bug && !options.asks(*p))
        .collect()
}

impl PairResult {
    /// The worst of the regions. Two that never overlap are proved; two that share nothing are no more than bounded,
    /// because nothing says what could not be followed in them; a vacuous pair is unknown.
    pub fn overall(&self) -> Overall {
        self.overall_if(Overall::Bug)
    }

    /// The same, if a race counts as that.
    fn overall_if(&self, race: Overall) -> Overall {
        if self.serialized_by.is_some() {
            return Overall::Proved;
        }
        let regions = self.regions.iter().map(|r| match r.verdict() {
            Verdict::Proved => Overall::Proved,
            Verdict::Bounded => Overall::Bounded,
            Verdict::Unknown => Overall::Unknown,
            Verdict::Race => race,
        });
        let worst = regions.max().unwrap_or(Overall::Bounded);
        if self.vacuous().is_some() {
            worst.max(Overall::Unknown)
        } else {
            worst
        }
    }

    /// The entry point of which no visible site was shown reachable although it has some: what was checked of it is nothing.
    pub fn vacuous(&self) -> Option<&str> {
        if self.serialized_by.is_some() {
            return None;
        }
        let mut sites = self.threads().into_iter().zip(&self.reachable_sites);
        sites.find_map(|(name, (shown, of))| (*shown == 0 && *of > 0).then_some(name))
    }

    /// Where it stands among others.
    pub fn place(&self) -> (String, String, Vec<String>, String) {
        let (a, b) = (self.a.clone(), self.b.clone());
        (a, b, self.further.clone(), self.scenario.clone())
    }

    /// The entry points, one for each thread.
    pub fn threads(&self) -> Vec<&str> {
        let further = self.further.iter().map(String::as_str);
        [self.a.as_str(), &self.b]
            .into_iter()
            .chain(further)
            .collect()
    }

    /// For people: `a × b`, and what the user calls it.
    pub fn label(&self) -> String {
        let threads = self.threads().join(" × ");
        match self.scenario.as_str() {
            "" => threads,
            name => format!("{threads} ({name})"),
        }
    }
}

/// What a replay came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Replayed {
    /// The interpreter reached the failure that the schedule claims.
    Confirmed(Box<Finding>),
    /// It did not: fingerprint or message of the finding, and where the two parted.
    Refuted {
        /// Which finding of the schedule file.
        finding: String,
        /// At which step, and how.
        reason: String,
    },
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the tiers' names")]
pub enum Tier {
    Lockset,
    Coverability,
    Runs,
    Kiss,
    Contexts,
}

/// Result for two entry points.
#[derive(Clone, Debug)]
pub struct PairResult {
    /// First entry point.
    pub a: String,
    /// Second entry point.
    pub b: String,
    /// Further ones, of a scenario.
    pub further: Vec<String>,
    /// What the user calls the scenario; empty without a name.
    pub scenario: String,
    /// What keeps them from ever overlapping, if anything does (then there are no regions).
    pub serialized_by: Option<String>,
    /// One per memory region that both touch and one writes; assertions are a region of their own (`assertions`).
    pub regions: Verdicts,
    /// There is no memory that both use and one writes, and no assertion: no question to ask, so nothing was executed.
    pub nothing_shared: bool,
    /// Races that locks do not exclude, and that were not looked for since the source says that they are meant.
    pub suppressed: Vec<Suppressed>,
    /// Without regions: what it rests on that there is no question to ask.
    pub assumptions: Vec<Assumption>,
    /// Visible sites shown reachable, of all visible sites: of `a`, of `b`, of further ones. 0 where nothing was executed.
    pub reachable_sites: Vec<(u32, u32)>,
}

/// Memory of which no race is told, since the source says that it is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Suppressed {
    /// As [`Claim::name`].
    pub location: String,
    /// How the source says so.
    pub by: Silencer,
    /// The accesses: those that are meant, and those that they may race with. Sorted.
    pub accesses: Vec<SuppressedAccess>,
}

/// An access of a race that is not told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SuppressedAccess {
    /// Where it stands.
    #[serde(flatten)]
    pub at: Frame,
    /// What it does.
    pub kind: Touch,
    /// Whether it is this one that the source speaks of.
    pub silenced: bool,
}

/// Kinds of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Two conflicting accesses enabled at once.
    DataRace,
    /// An assertion that fails.
    Assertion,
    /// An access to an object that has been freed, or a second free.
    UseAfterFree,
    /// A thread acquires a lock that it holds.
    DoubleAcquire,
    /// A thread releases a lock that it does not hold.
    ReleaseNotHeld,
    /// What may sleep is called where nobody may.
    SleepInAtomic,
    /// An entry point returns with a lock that it has acquired.
    ReturnWithLockHeld,
    /// Threads that wait for one another's locks.
    Deadlock,
    /// The device is used, or the module runs, after its removal.
    UseAfterRemoval,
    /// A write on the basis of what another thread has overwritten.
    Atomicity,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: &'static [FindingKind] = &[
        FindingKind::DataRace,
        FindingKind::Assertion,
        FindingKind::UseAfterFree,
        FindingKind::DoubleAcquire,
        FindingKind::ReleaseNotHeld,
        FindingKind::SleepInAtomic,
        FindingKind::ReturnWithLockHeld,
        FindingKind::Deadlock,
        FindingKind::UseAfterRemoval,
        FindingKind::Atomicity,
    ];

    /// What a failure of that kind is told as.
    pub fn of(failure: FailKind) -> FindingKind {
        match failure {
            FailKind::Race => FindingKind::DataRace,
            FailKind::Assertion => FindingKind::Assertion,
            FailKind::UseAfterFree => FindingKind::UseAfterFree,
            FailKind::DoubleAcquire => FindingKind::DoubleAcquire,
            FailKind::ReleaseNotHeld => FindingKind::ReleaseNotHeld,
            FailKind::SleepInAtomic => FindingKind::SleepInAtomic,
            FailKind::ReturnWithLockHeld => FindingKind::ReturnWithLockHeld,
            FailKind::Deadlock | FailKind::WaitForEver => FindingKind::Deadlock,
            FailKind::UseAfterRemoval => FindingKind::UseAfterRemoval,
            FailKind::Atomicity => FindingKind::Atomicity,
        }
    }

    /// The property that it refutes.
    pub fn property(self) -> Property {
        match self {
            FindingKind::DataRace => Property::Race,
            FindingKind::Assertion => Property::Assert,
            FindingKind::UseAfterFree => Property::Uaf,
            FindingKind::DoubleAcquire
            | FindingKind::ReleaseNotHeld
            | FindingKind::SleepInAtomic
            | FindingKind::ReturnWithLockHeld => Property::LockMisuse,
            FindingKind::Deadlock => Property::Deadlock,
            FindingKind::UseAfterRemoval => Property::Removed,
            FindingKind::Atomicity => Property::Atomicity,
        }
    }

    /// Whether it is about how one thread uses locks, whatever runs beside it.
    pub fn is_lock_use(self) -> bool {
        self.property() == Property::LockMisuse
    }
}

/// A finding that is not told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SetAside {
    /// What was found.
    pub finding: Finding,
    /// Who says so.
    pub by: Excuse,
    /// What they say.
    pub reason: String,
}

/// Who says that a finding is not to be told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Excuse {
    /// An `[[allow]]` of a configuration file, or a comment in the source: where it stands.
    Allow(String),
    /// The file of known findings.
    Baseline,
}

/// Whether the starting state was executed or assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StateKind {
    /// Executed from the program's start or `module_init`.
    Reached,
    /// So, and contents of objects from outside were looked at: whatever others were tried there, the same happens.
    Tried,
    /// Rests on contents of objects that come from outside: these, where that was found out.
    Assumed(Option<Vec<Content>>),
}

impl StateKind {
    /// Its name, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            StateKind::Reached | StateKind::Tried => "reached",
            StateKind::Assumed(_) => "assumed",
        }
    }

    /// The contents that it rests on, as far as that is known.
    pub fn contents(&self) -> &[Content] {
        match self {
            StateKind::Assumed(Some(contents)) => contents,
            StateKind::Reached | StateKind::Tried | StateKind::Assumed(None) => &[],
        }
    }
}

/// What an object from outside has somewhere when it is first looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Where, as the source names it.
    pub place: String,
    /// What is there.
    pub value: ContentValue,
}

/// Of a [`Content`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentValue {
    /// A number.
    Number(u64),
    /// A pointer to another object from outside.
    Object,
    /// A pointer that leads nowhere, and is compared only.
    Address,
    /// The null pointer.
    Null,
    /// The address of a variable or function.
    Symbol(String),
}

impl std::fmt::Display for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            ContentValue::Number(n) => write!(f, "{} = {n}", self.place),
            ContentValue::Object => write!(f, "{} points to an object", self.place),
            ContentValue::Address => write!(f, "{} is not null", self.place),
            ContentValue::Null => write!(f, "{} is null", self.place),
            ContentValue::Symbol(name) => write!(f, "{} points to {name}", self.place),
        }
    }
}

/// A finding with its evidence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// The region: `struct foo.bar`, `@global`.
    pub location: String,
    /// One sentence for people.
    pub message: String,
    /// The two accesses of a race, or the failing assertion.
    pub accesses: Vec<Access>,
    /// Other pairs of threads in which it was found at the same two places: their entry points.
    #[serde(default)]
    pub also: Vec<Vec<String>>,
    /// Other pairs of places in the source whose accesses to the region were not excluded: one is shown for each region and
    /// pair of threads, the others were not asked for.
    #[serde(default)]
    pub other_pairs: u32,
    /// The functions whose accesses to the region were not excluded, shown or not, in the driver's own files as [`Access::at`] has
    /// them; sorted. Which pair of them is shown is chance, which functions take part is not: what a baseline knows.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Where the execution starts from.
    pub state: StateKind,
    /// Context switches in the interleaving.
    pub switches: u32,
    /// Inputs chosen, defaults used.
    pub assumptions: Vec<String>,
    /// Of a race: what the accesses do with the memory.
    #[serde(default)]
    pub nature: Nature,
    /// What may make it benign (a lone word-sized read, same value written, …).
    pub benign_hints: Vec<String>,
    /// The interleaving as the interpreter executed it.
    pub events: Vec<Event>,
    /// The interleaving as data, for `irkiss replay`.
    pub schedule: Schedule,
}

impl Finding {
    /// Takes in what was found at the same two places in another pair of threads.
    pub fn join(&mut self, other: &Finding) {
        let accesses = other.accesses.iter();
        self.also
            .push(accesses.map(|a| a.entry_point.clone()).collect());
        self.functions.extend_from_slice(&other.functions);
        self.functions.sort();
        self.functions.dedup();
    }
}
