//! What a check is asked to do. Plain data; filled by the command line.

use serde::de::{self, Deserializer};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::property::{Properties, Property};

/// A copy or fill of a length that is not constant is followed up to this many bytes. No option changes it.
pub const MAX_SYMBOLIC_LENGTH: u64 = 64;
/// A copy or fill of a length that is one of a few constants is followed up to this many bytes. No option changes it.
pub const MAX_LENGTH_OF_FEW: u64 = 1 << 12;
/// A copy or fill of a constant length is followed up to this many bytes. No option changes it.
pub const MAX_CONSTANT_LENGTH: u64 = 1 << 16;
/// A loop whose trip count is constant is unrolled as often as it says, up to this. No option changes it.
pub const MAX_ITERATIONS: u32 = 4096;
/// The same of a loop that something else may end early, or in which others may run.
pub const MAX_OPEN_ITERATIONS: u32 = 32;

/// The most that `--ts` can be: the multiset of the sequential program (kiss.c) has so many places.
pub const MAX_TS: u32 = 63;

/// The most that `--contexts` can be: beyond this the terms outgrow any budget.
pub const MAX_CONTEXTS: u32 = 64;

/// Options of a check.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Options {
    /// `--ts`: MAX of KISS, the bound of the multiset of pending threads.
    pub ts: u32,
    /// Whether programs are searched beyond these bounds, as long as it costs little (unless `--ts`, `--contexts` or `--tier` is given).
    #[serde(default)]
    pub deepen: bool,
    /// `--contexts`: K of STORM, the contexts of each thread.
    #[serde(default = "two")]
    pub contexts: u32,
    /// `--switches`: context switches in all.
    #[serde(default)]
    pub switches: Option<u32>,
    /// `--rounds`: in which way executions in rounds are searched.
    #[serde(default)]
    pub rounds_by: RoundsBy,
    /// `--track`: which fields executions in rounds follow.
    #[serde(default)]
    pub track: Track,
    /// `--switch-points`: of a hundred switch points, those at which threads may be interrupted.
    #[serde(default = "hundred")]
    pub switch_points: u32,
    /// `--unwind`: times that a loop's back edge is taken in one activation.
    pub unwind: u32,
    /// `--recursion`: activations of one function on one stack beyond the first.
    pub recursion: u32,
    /// `--instrument`.
    pub instrument: Instrument,
    /// `--explore`.
    pub explore: Explore,
    /// `--marked`: which reading of marked accesses. `None`: the one that fits the input ([`Marked::C11`] for programs, for
    /// drivers [`Marked::Kcsan`]).
    pub marked: Option<Marked>,
    /// `--race-check`: which conflicting accesses are races.
    #[serde(default)]
    pub race_check: RaceCheck,
    /// `--scenario`.
    pub scenario: Scenario,
    /// `--tier`: which analyses run.
    #[serde(default)]
    pub tiers: Tiers,
    /// `--reduction`: which switch points locksets take away.
    #[serde(default)]
    pub reduction: Reduction,
    /// `--strict`: a lock in one object proves nothing about data in another, unless it is a global lock; pointers may lead to
    /// memory of any type.
    #[serde(default)]
    pub strict: bool,
    /// `--property`: what is looked for.
    pub properties: Properties,
    /// `--solver`: who decides the queries.
    #[serde(default)]
    pub solver: Backend,
    /// Solver budget per query, in the solver's own resource units (the same on every machine).
    pub rlimit: u64,
    /// `--total-rlimit`: the same for all queries of an input, shared out among its pairs; 0: no bound.
    #[serde(default)]
    pub total_rlimit: u64,
    /// Instruction budget of symbolic execution per pair.
    pub max_instructions: u64,
    /// `--timeout`: wall-clock seconds for the whole input.
    pub timeout: Option<u64>,
    /// `--work`: units of work for the whole input ([`crate::deadline::worked`]).
    #[serde(default)]
    pub work: Option<u64>,
    /// `--memory`: bytes that the process, and the one that reads the input, may have in memory; none: half of what there is.
    #[serde(default)]
    pub memory: Option<u64>,
    /// `--jobs`.
    pub jobs: usize,
    /// `--pair A,B`, or up to four entry points.
    pub pair: Option<Vec<String>>,
    /// `--triples`: scenarios that the rules suggest, too.
    #[serde(default)]
    pub triples: bool,
    /// `--entry NAME…`.
    pub entries: Vec<String>,
    /// `--field NAME…`: only these regions; empty: all.
    #[serde(default)]
    pub fields: Vec<String>,
    /// `--guarded-by`: tell which lock guards which field.
    #[serde(default)]
    pub guarded_by: bool,
    /// Whether the runs of nets that get to candidates are told.
    #[serde(default)]
    pub runs: bool,
    /// `--model FILE.c`, compiled and linked like the built-in models.
    pub models: Vec<std::path::PathBuf>,
    /// `--config FILE`: the user's own rules and lock functions.
    pub config: Option<std::path::PathBuf>,
}

/// `--solver`: who decides the queries that the cheap parts of the chain of solvers leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Backend {
    /// A SAT solver on single bits, and Z3 for what that leaves open.
    #[default]
    Auto,
    /// The SAT solver alone.
    Bits,
    /// Z3 alone.
    Z3,
    /// Both are asked each question; where they disagree the run ends with a panic.
    Both,
}

/// `--instrument`: where switch points stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instrument {
    /// Before visible instructions.
    Visible,
    /// Before every instruction, as figures 4 and 5 of the KISS paper have it.
    Every,
}

/// `--explore`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Explore {
    /// Merge states at joins.
    Merge,
    /// Enumerate paths.
    Paths,
}

/// `--marked`: which pairs of accesses race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Marked {
    /// Volatile and atomic accesses are marked; two marked accesses do not race.
    #[default]
    Kcsan,
    /// As [`Marked::Kcsan`], and plain aligned writes of up to a word are marked too (KCSAN_ASSUME_PLAIN_WRITES_ATOMIC, which is
    /// KCSAN's default), unless they are the write of `x op= y`.
    KcsanDefault,
    /// Only atomic accesses are marked (C11: volatile says nothing about threads).
    C11,
}

/// `--race-check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RaceCheck {
    /// Two that are enabled at once, whatever they store.
    #[default]
    Adjacent,
    /// Of these the ones whose order shows: two writes of one value do not race, nor does a write of the value that is there
    /// already beside a read.
    Value,
}

/// `--tier`: the analyses, the cheap ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tiers {
    /// Locksets: proofs for any number of threads, and fewer switch points for the others.
    pub lockset: bool,
    /// Coverability: proofs for any number of threads, of what locks leave open.
    #[serde(default)]
    pub coverability: bool,
    /// The same of drivers, whose nets cost more and prove little: only on request.
    #[serde(default)]
    pub driver_nets: bool,
    /// Concrete runs: races that are made to happen.
    #[serde(default)]
    pub runs: bool,
    /// KISS: execution with replay.
    pub kiss: bool,
    /// STORM: the same, of so many contexts for each thread.
    #[serde(default)]
    pub contexts: bool,
}

/// The bounds of executions in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// K: contexts for each thread.
    pub contexts: u32,
    /// Context switches in all, if bounded.
    pub switches: Option<u32>,
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Options::serialize(self, serializer)
    }
}

/// What was written before properties were a set of their own has them among the other options: stores of sweeps and schedules are read by
/// later versions.
impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Options, D::Error> {
        // Between two processes of one version.
        if !deserializer.is_human_readable() {
            return Options::deserialize(deserializer);
        }
        let mut all = serde_json::Map::deserialize(deserializer)?;
        if !all.contains_key("properties") {
            let among = serde_json::Value::Object(all.clone());
            all.insert("properties".to_string(), among);
        }
        Options::deserialize(serde_json::Value::Object(all)).map_err(de::Error::custom)
    }
}

impl Tiers {
    /// Whether executions are searched at all.
    pub fn searches(self) -> bool {
        self.kiss || self.contexts
    }
}

impl Options {
    /// These options in parts that are checked one after the other, each on a program of its own. Deadlocks are a part by themselves: to
    /// follow who waits for whom makes every other question cost many times as much.
    pub fn parts(&self) -> Vec<Options> {
        let (all, deadlock) = (self.properties, Property::Deadlock);
        let others = all.without(deadlock);
        if !all.has(deadlock) || others.is_empty() {
            return vec![self.clone()];
        }
        let part = |properties| Options {
            properties,
            ..self.clone()
        };
        vec![part(others), part(Properties::of(&[deadlock]))]
    }

    /// Whether a property is asked for.
    pub fn asks(&self, property: Property) -> bool {
        self.properties.has(property)
    }

    /// The part of these options under which a deadlock is found, or anything else.
    pub fn part_of(&self, deadlock: bool) -> Options {
        let parts = self.parts();
        let asked = |p: &Options| p.asks(Property::Deadlock);
        let found = parts.into_iter().find(|p| asked(p) == deadlock);
        found.unwrap_or_else(|| self.clone())
    }

    /// The bounds of the tier of contexts.
    pub fn rounds(&self) -> Rounds {
        Rounds {
            contexts: self.contexts,
            switches: self.switches,
        }
    }
}

fn two() -> u32 {
    2
}

fn hundred() -> u32 {
    100
}

impl Default for Tiers {
    fn default() -> Self {
        Tiers {
            lockset: true,
            coverability: true,
            driver_nets: false,
            runs: true,
            kiss: true,
            contexts: false,
        }
    }
}

/// `--reduction`: at which accesses that a lock protects threads may still switch (WHOOP §IV).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduction {
    /// Yield-ALL: at all.
    All,
    /// Yield-EPP: at none of a pair of entry points that locks keep free of races, at all of any other.
    EntryPointPair,
    /// Yield-MR: at none.
    #[default]
    MemoryRegion,
}

/// `--rounds`: in which way executions in rounds are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RoundsBy {
    /// Contexts are executed in the order in which they happen, on the store that there is.
    #[default]
    Lazy,
    /// Lal and Reps's transformation: threads are executed one after the other, on stores that are guessed.
    Eager,
}

/// `--track`: which fields executions in rounds follow, beside those that must always be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Track {
    /// All.
    #[default]
    All,
    /// Those that turn out to matter.
    Auto,
    /// These, and those that turn out to matter.
    Fields(Vec<String>),
}

/// `--scenario`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scenario {
    /// Pairs start on the state that initialisation leaves.
    Steady,
    /// From `module_init` on; threads are born where the driver registers them.
    Lifecycle,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            ts: 1,
            deepen: false,
            contexts: two(),
            switches: None,
            rounds_by: RoundsBy::default(),
            track: Track::default(),
            switch_points: hundred(),
            unwind: 2,
            recursion: 1,
            instrument: Instrument::Visible,
            explore: Explore::Merge,
            marked: None,
            race_check: RaceCheck::default(),
            scenario: Scenario::Steady,
            tiers: Tiers::default(),
            reduction: Reduction::default(),
            strict: false,
            properties: Properties::default(),
            solver: Backend::default(),
            rlimit: 20_000_000,
            total_rlimit: 200_000_000,
            max_instructions: 20_000_000,
            timeout: None,
            work: None,
            memory: None,
            jobs: 1,
            pair: None,
            triples: false,
            entries: Vec::new(),
            fields: Vec::new(),
            guarded_by: false,
            runs: false,
            models: Vec::new(),
            config: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_older_options_stand_among_the_others() {
        let mut written = serde_json::to_value(Options::default()).expect("written");
        let same: Options = serde_json::from_value(written.clone()).expect("read");
        assert_eq!(same.properties, Properties::default());
        let options = written.as_object_mut().expect("options");
        options.remove("properties");
        options.insert("race".into(), false.into());
        options.insert("use_after_free".into(), true.into());
        let older: Options = serde_json::from_str(&written.to_string()).expect("read");
        assert_eq!(older.properties, Properties::of(&[Property::Uaf]));
        let asked = Options {
            properties: older.properties,
            ..Options::default()
        };
        let bits = postcard::to_allocvec(&asked).expect("written");
        let read: Options = postcard::from_bytes(&bits).expect("read");
        assert_eq!(read.properties, asked.properties);
    }

    /// Whatever is asked for is a question of one part, and of one alone.
    #[test]
    fn parts_ask_everything_once() {
        for bits in 1..1_u32 << Property::ALL.len() {
            let on = |p: &&Property| bits >> (**p as u32) & 1 == 1;
            let asked: Vec<Property> = Property::ALL.iter().filter(on).copied().collect();
            let options = Options {
                properties: Properties::of(&asked),
                ..Options::default()
            };
            let parts = options.parts();
            for property in Property::ALL {
                let by = parts.iter().filter(|p| p.asks(*property)).count();
                let is_asked = options.asks(*property);
                assert_eq!(by, usize::from(is_asked), "{asked:?}, {property:?}");
            }
            let deadlock = options.asks(Property::Deadlock);
            let part = options.part_of(deadlock);
            assert_eq!(part.asks(Property::Deadlock), deadlock, "{asked:?}");
        }
    }
}
