//! The options that say what to check, how far and how: the same for every command that checks.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use irkiss::config::{MAX_CONTEXTS, MAX_TS, Options, Reduction, Track};
use irkiss::property::{Properties, Property};

use super::values::{self, parse_scenario};
use super::{
    ExploreArg, InstrumentArg, MarkedArg, Names, RaceCheckArg, RoundsArg, ScenarioArg, SolverArg,
    TierArg, tier,
};

/// What to check, how far and how.
#[derive(Args, Debug)]
pub struct Search {
    /// What to check, separated by commas [default: race,assert].
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [PropertyArg::One(Property::Race), PropertyArg::One(Property::Assert)], hide_default_value = true, help_heading = "What to check")]
    pub property: Vec<PropertyArg>,
    /// Only this pair of entry points; of three or four all beside each other.
    #[arg(long, value_name = "A,B", value_parser = parse_scenario, help_heading = "What to check")]
    pub pair: Option<Names>,
    /// Besides the pairs, the scenarios that the rules suggest: who takes a handler back, the handler, and one that arms it (slow).
    #[arg(
        long,
        conflicts_with = "pair",
        hide_short_help = true,
        help_heading = "What to check"
    )]
    pub triples: bool,
    /// Only this entry point (again for more), also one that nothing registers.
    #[arg(long, value_name = "NAME", help_heading = "What to check")]
    pub entry: Vec<String>,
    /// Only this field or variable, as reports name it: `struct foo.bar`, `foo.bar`, `@global` (again for more).
    #[arg(
        long,
        value_name = "NAME",
        hide_short_help = true,
        help_heading = "What to check"
    )]
    pub field: Vec<String>,
    /// Where the threads start: on the state that initialisation leaves, or at module_init.
    #[arg(long, value_enum, default_value_t = ScenarioArg::Steady, hide_short_help = true, help_heading = "What to check")]
    pub scenario: ScenarioArg,
    /// Which accesses are marked: volatile and atomic ones (kcsan; the default for drivers), plain aligned writes of up to a word as
    /// well (kcsan-default), or atomic ones alone (c11; the default for programs and libraries that use pthreads, where `volatile`
    /// says nothing about threads).
    #[arg(
        long,
        value_enum,
        hide_short_help = true,
        help_heading = "What to check"
    )]
    pub marked: Option<MarkedArg>,
    /// Which conflicting accesses are races: those enabled at once (adjacent), or of these the ones whose order shows in what is
    /// read or left (value).
    #[arg(long, value_enum, default_value_t = RaceCheckArg::Adjacent, hide_short_help = true, help_heading = "What to check")]
    pub race_check: RaceCheckArg,
    /// Own models of functions of the environment, in C (again for more).
    #[arg(
        long,
        value_name = "FILE.c",
        hide_short_help = true,
        help_heading = "What to check"
    )]
    pub model: Vec<PathBuf>,
    /// Own rules about entry points and own lock functions.
    ///
    /// [[rule]], [[holder]], [[object]], [locks] and others: docs/rules.md.
    #[arg(long, value_name = "irkiss.toml", help_heading = "What to check")]
    pub config: Option<PathBuf>,

    /// Search executions in rounds too: threads take turns, so many for each.
    ///
    /// Finds what no balanced execution does.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CONTEXTS)), help_heading = "Bounds and budgets")]
    pub contexts: Option<u32>,
    /// Of these the ones with so many context switches at most.
    #[arg(
        long,
        value_name = "N",
        hide_short_help = true,
        help_heading = "Bounds and budgets"
    )]
    pub switches: Option<u32>,
    /// How executions in rounds are searched: contexts in the order in which they happen (lazy), or threads one after the other on
    /// stores that are guessed, Lal and Reps's transformation (eager; slow; the verdicts agree).
    #[arg(long, value_enum, default_value_t = RoundsArg::Lazy, hide_short_help = true, help_heading = "How")]
    pub rounds: RoundsArg,
    /// Which fields executions in rounds follow: off (all of them), auto (those that turn out to matter), or a list to begin with.
    #[arg(long, value_name = "off|auto|none|FIELD,…", default_value = "off", value_parser = tier::parse_track, hide_short_help = true, help_heading = "How")]
    pub track: Track,
    /// Interrupt threads at so many of a hundred switch points only, chosen as if at random: what needs the others is missed.
    #[arg(long, value_name = "PERCENT", default_value_t = Options::default().switch_points, value_parser = clap::value_parser!(u32).range(..=100), hide_short_help = true, help_heading = "Bounds and budgets")]
    pub switch_points: u32,
    /// Threads that may be pending at once (MAX of KISS's multiset), up to 63 [default: 1].
    ///
    /// Unless this, --contexts or --tier is given, programs with main are searched on with larger bounds of either kind, as long as
    /// that costs little; the report says how far.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_TS)), help_heading = "Bounds and budgets")]
    pub ts: Option<u32>,
    /// Times that a loop goes round.
    #[arg(long, value_name = "N", default_value_t = Options::default().unwind, help_heading = "Bounds and budgets")]
    pub unwind: u32,
    /// Activations of one function beyond the first on one stack.
    #[arg(long, value_name = "N", default_value_t = Options::default().recursion, hide_short_help = true, help_heading = "Bounds and budgets")]
    pub recursion: u32,
    /// Who decides the queries.
    #[arg(long, value_enum, default_value_t = SolverArg::Auto, hide_short_help = true, help_heading = "Bounds and budgets")]
    pub solver: SolverArg,
    /// Budget of one solver query, in the solver's own units: the same on every machine; 0 is no budget.
    #[arg(long, value_name = "N", default_value_t = Options::default().rlimit, value_parser = clap::value_parser!(u64).range(..=u64::from(u32::MAX)), hide_short_help = true, help_heading = "Bounds and budgets")]
    pub rlimit: u64,
    /// Budget of all solver queries together, in the same units, shared out evenly among the pairs that are searched: no pair gets
    /// less than an eighth of `--rlimit`. What an execution may cost is shared out likewise. 0: each pair may cost what it takes.
    #[arg(long, value_name = "N", default_value_t = Options::default().total_rlimit, hide_short_help = true, help_heading = "Bounds and budgets")]
    pub total_rlimit: u64,
    /// Instructions that symbolic execution may take for one pair.
    #[arg(long, value_name = "N", default_value_t = Options::default().max_instructions, hide_short_help = true, help_heading = "Bounds and budgets")]
    pub max_instructions: u64,
    /// Stop after so many seconds; what is found by then is reported.
    ///
    /// Ctrl-C does too. What is not decided by then is unknown. The one option whose effect depends on the machine; --work is the other way to end a run.
    #[arg(long, value_name = "SECONDS", help_heading = "Bounds and budgets")]
    pub timeout: Option<u64>,
    /// Stop likewise after so many units of work (a unit is an instruction executed symbolically, or what costs about as much; 1M is a
    /// million). With --jobs 1 the report is the same on every machine.
    #[arg(long, value_name = "UNITS", value_parser = values::parse_units, hide_short_help = true, help_heading = "Bounds and budgets")]
    pub work: Option<u64>,
    /// Stop likewise once so much memory is taken (4G, 512M, or bytes) [default: half of what the machine, the container or
    /// `ulimit -v` leaves].
    #[arg(long, value_name = "SIZE", value_parser = irkiss::memory::parse, hide_short_help = true, help_heading = "Bounds and budgets")]
    pub memory: Option<u64>,
    /// Pairs checked at once [default: the number of processors].
    ///
    /// The output does not depend on it.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Bounds and budgets")]
    pub jobs: Option<u32>,

    /// Which analyses to run, separated by commas; auto is all there are, the cheap ones first (contexts with --contexts).
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [TierArg::Auto], hide_short_help = true, help_heading = "How")]
    pub tier: Vec<TierArg>,
    /// At which accesses that locks protect threads may still switch: at all, at none of a pair that locks decide, at none of a
    /// region that locks decide (the verdicts agree).
    #[arg(long, value_enum, default_value_t = ReductionArg::Mr, hide_short_help = true, help_heading = "How")]
    pub reduction: ReductionArg,
    /// Do not assume that there is one device (a lock in one object then protects data in another only if it is a global lock),
    /// nor that pointers lead to memory of their C type and that indices and lengths stay in their array (slow).
    #[arg(long, hide_short_help = true, help_heading = "How")]
    pub strict: bool,
    /// Where switch points stand: before what other threads can see, or before everything (slow; the verdicts agree).
    #[arg(long, value_enum, default_value_t = InstrumentArg::Visible, hide_short_help = true, help_heading = "How")]
    pub instrument: InstrumentArg,
    /// Merge states where paths meet, or go down every path (slow; the verdicts agree).
    #[arg(long, value_enum, default_value_t = ExploreArg::Merge, hide_short_help = true, help_heading = "How")]
    pub explore: ExploreArg,
}
/// A word of `--property`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyArg {
    /// That one.
    One(Property),
    /// All of them.
    All,
}

impl ValueEnum for PropertyArg {
    fn value_variants<'a>() -> &'a [PropertyArg] {
        static ALL: LazyLock<Vec<PropertyArg>> = LazyLock::new(|| {
            let each = Property::ALL.iter().map(|p| PropertyArg::One(*p));
            each.chain([PropertyArg::All]).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (word, about) = match self {
            PropertyArg::One(property) => (property.word(), property.about()),
            PropertyArg::All => ("all", "All of these"),
        };
        Some(PossibleValue::new(word).help(about))
    }
}

/// `--reduction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReductionArg {
    /// Yield-ALL.
    All,
    /// Yield-EPP: by pair of entry points.
    Epp,
    /// Yield-MR: by region of memory.
    Mr,
}

impl From<ReductionArg> for Reduction {
    fn from(arg: ReductionArg) -> Self {
        match arg {
            ReductionArg::All => Reduction::All,
            ReductionArg::Epp => Reduction::EntryPointPair,
            ReductionArg::Mr => Reduction::MemoryRegion,
        }
    }
}
impl Search {
    /// What is asked for.
    pub(super) fn properties(&self) -> Properties {
        let add = |set: Properties, word: &PropertyArg| match word {
            PropertyArg::One(property) => set.and(*property),
            PropertyArg::All => Properties::of(Property::ALL),
        };
        self.property.iter().fold(Properties::NONE, add)
    }

    /// Whether nobody says how far is searched.
    fn deepens(&self) -> bool {
        let bounds = [self.ts, self.contexts, self.switches];
        bounds.iter().all(Option::is_none) && self.tier == [TierArg::Auto]
    }

    /// The options of the check.
    pub(super) fn options(&self) -> Options {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            ts: self.ts.unwrap_or(Options::default().ts),
            deepen: self.deepens(),
            contexts: self.contexts.unwrap_or(Options::default().contexts),
            switches: self.switches,
            rounds_by: self.rounds.into(),
            track: self.track.clone(),
            switch_points: self.switch_points,
            unwind: self.unwind,
            recursion: self.recursion,
            instrument: self.instrument.into(),
            explore: self.explore.into(),
            marked: self.marked.map(Into::into),
            race_check: self.race_check.into(),
            scenario: self.scenario.into(),
            tiers: self.tiers(),
            reduction: self.reduction.into(),
            strict: self.strict,
            properties: self.properties(),
            solver: self.solver.into(),
            rlimit: self.rlimit,
            total_rlimit: self.total_rlimit,
            max_instructions: self.max_instructions,
            timeout: self.timeout,
            work: self.work,
            memory: self.memory,
            jobs: self.jobs.map_or(processors, |n| n as usize),
            pair: self.pair.as_ref().map(|names| names.0.clone()),
            triples: self.triples,
            fields: self.field.clone(),
            entries: self.entry.clone(),
            models: self.model.clone(),
            config: self.config.clone(),
            ..Options::default()
        }
    }
}
