//! The command line: what may be said, and the options that it becomes.

mod build;
mod kbuild;
mod suggest;
mod sweep;
mod tier;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use irkiss::config::{MAX_CONTEXTS, MAX_TS, Options, Reduction, Track};
use irkiss::error::InputError;

pub use build::PluginArgs;
pub use kbuild::KbuildArgs;
pub use suggest::SuggestArgs;
pub use sweep::{
    FailOn, MergeArgs, PlanArgs, PruneArgs, ReportArgs, RunArgs, StatusArgs, Step, SweepArgs,
    SweepFormat,
};
pub use tier::TierArg;
pub use values::{
    ExploreArg, InstrumentArg, MarkedArg, Names, RaceCheckArg, RoundsArg, ScenarioArg, SolverArg,
};
use values::{parse_pair, parse_scenario};

const EXAMPLES: &str = "\
Examples:
  irkiss driver.bc                          check everything within the default bounds
  irkiss --list-entry-points driver.bc      what the kernel may call, and what may run beside what
  irkiss --pair nvram_open,nvram_write nvram.bc
  irkiss --ts 2 --unwind 4 driver.bc        look further: more pending threads, longer loops
  irkiss --format json driver.bc | jq .verdict
  irkiss --emit schedule -o s.json driver.bc && irkiss replay s.json driver.bc

Bitcode that keeps the most information:
  clang -g -O2 -Xclang -disable-llvm-passes -fno-discard-value-names -emit-llvm -c driver.c
In a kernel tree: make LLVM=1 drivers/x/y.ll
As a step of a kernel build: make LLVM=1 C=2 CHECK=\"irkiss kbuild\" drivers/x/
As a plugin of clang: clang -g -fpass-plugin=/path/to/irkiss-plugin.so -c driver.c; with opt and lld too (docs/plugin.md)

Verdicts, for each pair of entry points and each region of memory that both use:
  race      two accesses enabled at once, at least one writes, at least one is unmarked; the interleaving that
            is printed was replayed step by step by an interpreter of its own
  proved    no race, for any number of threads; the report says what the proof rests on
  bounded   none within the bounds printed (--ts, --unwind, --recursion); that is not `safe'
  unknown   the reason says why: something without a model, a budget, an entry point that got nowhere

Exit codes:
  0  nothing found, every pair proved or bounded      1  findings
  2  usage, configuration or input error              3  nothing found, but something is unknown
  101  a bug in irkiss";

/// Finds data races and failing assertions in LLVM bitcode of Linux drivers and pthread programs.
///
/// The driver is closed with a model of the kernel around it: its entry points are found, the pairs that may overlap are
/// checked. What is reported as found comes with an interleaving that an independent interpreter has replayed.
#[derive(Parser, Debug)]
#[command(
    name = "irkiss",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "irkiss [check] [OPTIONS] FILE…\n       irkiss prove [OPTIONS] FILE…\n       irkiss replay SCHEDULE.json FILE…\n       irkiss suggest [OPTIONS] FILE…\n       irkiss rules [--explain FUNCTION FILE…]\n       irkiss sweep plan|run|status|merge|report|prune STORE\n       irkiss doctor"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub check: CheckArgs,
}

/// Commands; `check` is the default.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check the input (the default: `irkiss FILE…`).
    Check(Box<CheckArgs>),
    /// Prove what can be proved for any number of threads, search for nothing (locksets, then coverability).
    Prove(Box<CheckArgs>),
    /// Run the schedules of `--emit schedule` again in the interpreter.
    Replay(ReplayArgs),
    /// Fields that most places access with one lock held, and the places that do not hold it.
    Suggest(SuggestArgs),
    /// The rules about the kernel's entry points; why entry points of an input may or may not overlap.
    Rules(RulesArgs),
    /// A step of a kernel build: make C=2 CHECK="irkiss kbuild" drivers/x/
    Kbuild(Box<KbuildArgs>),
    /// What the plugin of the compiler calls (docs/plugin.md); it reads what this prints.
    #[command(hide = true)]
    Plugin(Box<PluginArgs>),
    /// Many modules, night after night: what is new, fixed, no longer decided.
    Sweep(SweepArgs),
    /// What is installed, and which bitcode it reads.
    Doctor,
}

/// Arguments of `irkiss replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// What `irkiss --emit schedule` wrote.
    #[arg(value_name = "SCHEDULE.json")]
    pub schedule: PathBuf,
    /// The same files that it was made from, in the same order.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// How to report what was replayed.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Exit with 0 whatever was found.
    #[arg(long)]
    pub exit_zero: bool,
}

/// Arguments of `irkiss rules`.
#[derive(Args, Debug)]
pub struct RulesArgs {
    /// Say why this entry point of the input may or may not run beside the others, with the rules and what they cite.
    #[arg(long, value_name = "FUNCTION", requires = "files")]
    pub explain: Option<String>,
    /// Own rules and lock functions, besides the built-in ones.
    #[arg(long, value_name = "irkiss.toml")]
    pub config: Option<PathBuf>,
    /// The input of --explain.
    #[arg(value_name = "FILE", requires = "explain")]
    pub files: Vec<PathBuf>,
}

/// Arguments of `irkiss check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// LLVM bitcode (.bc, .ll, or .o that holds bitcode); several files are linked.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// How to report.
    #[arg(long, value_enum, default_value_t = CheckFormat::Human, help_heading = "Report")]
    pub format: CheckFormat,
    /// Write one of the intermediate results instead of a report.
    #[arg(long, value_enum, help_heading = "Report")]
    pub emit: Option<Emit>,
    /// Print the entry points and the pairs, check nothing.
    #[arg(long, conflicts_with = "emit", help_heading = "Report")]
    pub list_entry_points: bool,
    /// Write the report there instead of to standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Report")]
    pub output: Option<PathBuf>,
    /// Print the counts of terms, queries and instructions too.
    #[arg(long, help_heading = "Report")]
    pub stats: bool,
    /// Print the table of fields too: in how many pairs each is racy, proved, bounded, unknown.
    #[arg(long, help_heading = "Report")]
    pub fields: bool,
    /// Print too, for what no net proves, how its threads get to two accesses at once.
    #[arg(long, conflicts_with_all = ["emit", "list_entry_points"], help_heading = "Report")]
    pub runs: bool,
    /// Print which lock guards which field too.
    #[arg(long, conflicts_with_all = ["emit", "list_entry_points"], help_heading = "Report")]
    pub guarded_by: bool,
    /// Exit with 0 whatever was found; errors still exit with 2 or 101.
    #[arg(long, help_heading = "Report")]
    pub exit_zero: bool,

    #[command(flatten)]
    pub search: Search,
}

/// What to check, how far and how.
#[derive(Args, Debug)]
pub struct Search {
    /// What to check, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Property::Race, Property::Assert], help_heading = "What to check")]
    pub property: Vec<Property>,
    /// Only this pair of entry points; three or four (A,B,C) are a scenario: all of them beside each other.
    #[arg(long, value_name = "A,B", value_parser = parse_scenario, help_heading = "What to check")]
    pub pair: Option<Names>,
    /// Besides the pairs, the scenarios that the rules suggest: who takes a handler back, the handler, and one that arms it (slow).
    #[arg(long, conflicts_with = "pair", help_heading = "What to check")]
    pub triples: bool,
    /// Only this entry point (again for more); it need not be registered anywhere.
    #[arg(long, value_name = "NAME", help_heading = "What to check")]
    pub entry: Vec<String>,
    /// Only this field or variable, as reports name it: `struct foo.bar`, `foo.bar`, `@global` (again for more).
    #[arg(long, value_name = "NAME", help_heading = "What to check")]
    pub field: Vec<String>,
    /// Where the threads start: on the state that initialisation leaves, or at module_init.
    #[arg(long, value_enum, default_value_t = ScenarioArg::Steady, help_heading = "What to check")]
    pub scenario: ScenarioArg,
    /// Which accesses are marked: volatile and atomic ones (kcsan; the default for drivers), plain aligned writes of up to a word as
    /// well (kcsan-default), or atomic ones alone (c11; the default for programs and libraries that use pthreads, where `volatile`
    /// says nothing about threads).
    #[arg(long, value_enum, help_heading = "What to check")]
    pub marked: Option<MarkedArg>,
    /// Which conflicting accesses are races: those enabled at once (adjacent), or of these the ones whose order shows in what is
    /// read or left (value).
    #[arg(long, value_enum, default_value_t = RaceCheckArg::Adjacent, help_heading = "What to check")]
    pub race_check: RaceCheckArg,
    /// Own models of functions of the environment, in C (again for more).
    #[arg(long, value_name = "FILE.c", help_heading = "What to check")]
    pub model: Vec<PathBuf>,
    /// Own rules about entry points and own lock functions: [[rule]], [[holder]], [[object]], [locks].
    #[arg(long, value_name = "irkiss.toml", help_heading = "What to check")]
    pub config: Option<PathBuf>,

    /// Search executions in rounds too: threads take turns, so many for each. Finds what no balanced execution does.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CONTEXTS)), help_heading = "Bounds and budgets")]
    pub contexts: Option<u32>,
    /// Of these the ones with so many context switches at most.
    #[arg(long, value_name = "N", help_heading = "Bounds and budgets")]
    pub switches: Option<u32>,
    /// How executions in rounds are searched: contexts in the order in which they happen (lazy), or threads one after the other on
    /// stores that are guessed, Lal and Reps's transformation (eager; slow; the verdicts agree).
    #[arg(long, value_enum, default_value_t = RoundsArg::Lazy, help_heading = "How")]
    pub rounds: RoundsArg,
    /// Which fields executions in rounds follow: off (all of them), auto (those that turn out to matter), or a list to begin with.
    #[arg(long, value_name = "off|auto|none|FIELD,…", default_value = "off", value_parser = tier::parse_track, help_heading = "How")]
    pub track: Track,
    /// Interrupt threads at so many of a hundred switch points only, chosen as if at random: what needs the others is missed.
    #[arg(long, value_name = "PERCENT", default_value_t = Options::default().switch_points, value_parser = clap::value_parser!(u32).range(..=100), help_heading = "Bounds and budgets")]
    pub switch_points: u32,
    /// Threads that may be pending at once (MAX of KISS's multiset); at most 63.
    #[arg(long, value_name = "N", default_value_t = Options::default().ts, value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_TS)), help_heading = "Bounds and budgets")]
    pub ts: u32,
    /// Times that a loop goes round.
    #[arg(long, value_name = "N", default_value_t = Options::default().unwind, help_heading = "Bounds and budgets")]
    pub unwind: u32,
    /// Activations of one function beyond the first on one stack.
    #[arg(long, value_name = "N", default_value_t = Options::default().recursion, help_heading = "Bounds and budgets")]
    pub recursion: u32,
    /// Who decides the queries.
    #[arg(long, value_enum, default_value_t = SolverArg::Auto, help_heading = "Bounds and budgets")]
    pub solver: SolverArg,
    /// Budget of one solver query, in the solver's own units: the same on every machine; 0 is no budget.
    #[arg(long, value_name = "N", default_value_t = Options::default().rlimit, value_parser = clap::value_parser!(u64).range(..=u64::from(u32::MAX)), help_heading = "Bounds and budgets")]
    pub rlimit: u64,
    /// Budget of all solver queries together, in the same units, shared out evenly among the pairs that are searched: no pair gets
    /// less than an eighth of `--rlimit`. What an execution may cost is shared out likewise. 0: each pair may cost what it takes.
    #[arg(long, value_name = "N", default_value_t = Options::default().total_rlimit, help_heading = "Bounds and budgets")]
    pub total_rlimit: u64,
    /// Instructions that symbolic execution may take for one pair.
    #[arg(long, value_name = "N", default_value_t = Options::default().max_instructions, help_heading = "Bounds and budgets")]
    pub max_instructions: u64,
    /// Stop after so many seconds (Ctrl-C does too): what is found by then is reported, what is not decided is unknown. The one
    /// option whose effect depends on the machine; --work is the other way to end a run.
    #[arg(long, value_name = "SECONDS", help_heading = "Bounds and budgets")]
    pub timeout: Option<u64>,
    /// Stop likewise after so many units of work (a unit is an instruction executed symbolically, or what costs about as much; 1M is a
    /// million). With --jobs 1 the report is the same on every machine.
    #[arg(long, value_name = "UNITS", value_parser = values::parse_units, help_heading = "Bounds and budgets")]
    pub work: Option<u64>,
    /// Stop likewise once so much memory is taken (4G, 512M, or bytes) [default: half of what the machine, the container or
    /// `ulimit -v` leaves].
    #[arg(long, value_name = "SIZE", value_parser = irkiss::memory::parse, help_heading = "Bounds and budgets")]
    pub memory: Option<u64>,
    /// Pairs checked at once [default: the number of processors]. The output does not depend on it.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Bounds and budgets")]
    pub jobs: Option<u32>,

    /// Which analyses to run, separated by commas; auto is all there are, the cheap ones first (contexts with --contexts).
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [TierArg::Auto], help_heading = "How")]
    pub tier: Vec<TierArg>,
    /// At which accesses that locks protect threads may still switch: at all, at none of a pair that locks decide, at none of a
    /// region that locks decide (the verdicts agree).
    #[arg(long, value_enum, default_value_t = ReductionArg::Mr, help_heading = "How")]
    pub reduction: ReductionArg,
    /// Do not assume that there is one device (a lock in one object then protects data in another only if it is a global lock),
    /// nor that pointers lead to memory of their C type and that indices and lengths stay in their array (slow).
    #[arg(long, help_heading = "How")]
    pub strict: bool,
    /// Where switch points stand: before what other threads can see, or before everything (slow; the verdicts agree).
    #[arg(long, value_enum, default_value_t = InstrumentArg::Visible, help_heading = "How")]
    pub instrument: InstrumentArg,
    /// Merge states where paths meet, or go down every path (slow; the verdicts agree).
    #[arg(long, value_enum, default_value_t = ExploreArg::Merge, help_heading = "How")]
    pub explore: ExploreArg,
}

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One object, for scripts.
    Json,
}

/// `--format` of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people.
    Human,
    /// One object, for scripts.
    Json,
    /// Potential races as WHOOP lists them: what locks do not exclude, not confirmed; nothing is executed.
    Whoop,
}

/// `--emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The entry points and the pairs (with --format json: as in the report).
    EntryPoints,
    /// The concurrent program: the input closed with models and harness, with the numbers of its visible instructions.
    Program,
    /// The sequential program that KISS's transformation makes of it, as LLVM assembly.
    Sequential,
    /// The queries to the solver that decide the verdicts, in SMT-LIB 2, with its answers (one pair at a time).
    Smt2,
    /// The interleavings found, for `irkiss replay`.
    Schedule,
    /// The Petri nets of what locks leave open in a program with `main`, one per region, in PNML.
    Net,
    /// The same as graphs, in DOT.
    NetDot,
}

/// `--property`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Property {
    /// Data races.
    Race,
    /// Assertions.
    Assert,
    /// Uses of freed objects and double frees, across threads or not.
    Uaf,
    /// Misused locks: acquired twice, released without being held, still held at the end; sleeping where nobody may.
    LockMisuse,
    /// Deadlocks: threads that wait for one another's locks, or for their own; interrupts that wait for whom they interrupt.
    Deadlock,
    /// What goes on after the end: input and output on a device after remove() or disconnect(), any code after module exit.
    Removed,
    /// Lost updates and stale decisions: what is read in one critical section is the basis of a write in a later one of the same
    /// lock, and another thread writes between the two.
    Atomicity,
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
    /// The options of the check.
    fn options(&self) -> Options {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            ts: self.ts,
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
            race: self.property.contains(&Property::Race),
            assertions: self.property.contains(&Property::Assert),
            use_after_free: self.property.contains(&Property::Uaf),
            lock_misuse: self.property.contains(&Property::LockMisuse),
            deadlock: self.property.contains(&Property::Deadlock),
            removed: self.property.contains(&Property::Removed),
            atomicity: self.property.contains(&Property::Atomicity),
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

impl CheckArgs {
    /// The options of the check.
    pub fn options(&self) -> Options {
        Options {
            guarded_by: self.guarded_by,
            runs: self.runs,
            ..self.search.options()
        }
    }

    /// Errors: an option that would have no effect, rather than a run that ignores it.
    pub fn expect_effect(&self) -> Result<(), InputError> {
        self.search.expect_rounds()?;
        let locks = [
            (self.format == CheckFormat::Whoop, "--format"),
            (self.guarded_by, "--guarded-by"),
        ];
        for (asked, option) in locks {
            if asked && !self.search.tiers().lockset {
                return Err(InputError::new(
                    option,
                    "tells what locks do, and the --tier asked for does without",
                )
                .advise("leave one of the two out"));
            }
        }
        if self.format == CheckFormat::Whoop {
            let other = [
                (self.emit.is_some(), "--emit"),
                (self.list_entry_points, "--list-entry-points"),
                (self.guarded_by, "--guarded-by"),
                (self.fields, "--fields"),
                (self.stats, "--stats"),
                (self.runs, "--runs"),
            ];
            if let Some((_, option)) = other.into_iter().find(|(given, _)| *given) {
                let what = format!("whoop lists potential races alone, so {option} has no effect");
                return Err(InputError::new("--format", what).advise("leave one of the two out"));
            }
        }
        let text = match self.emit {
            Some(Emit::Program) => "program",
            Some(Emit::Sequential) => "sequential",
            Some(Emit::Smt2) => "smt2",
            Some(Emit::Net) => "net",
            Some(Emit::NetDot) => "net-dot",
            _ => return Ok(()),
        };
        if self.format == CheckFormat::Json {
            let what = format!("--emit {text} writes no report, so none in JSON");
            return Err(InputError::new("--format", what).advise("leave one of the two out"));
        }
        Ok(())
    }

    /// What to write instead of a report, if anything.
    pub fn emit(&self) -> Option<Emit> {
        if self.list_entry_points {
            Some(Emit::EntryPoints)
        } else {
            self.emit
        }
    }
}

/// What the command line asks for; `Err` is either the text of `--help`/`--version` or an error.
pub fn parse(args: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Cli, Stop> {
    Cli::try_parse_from(args).map_err(|e| {
        if e.use_stderr() {
            Stop::Usage(one_line(&e.render().to_string()))
        } else {
            Stop::Text(e.render().ansi().to_string())
        }
    })
}

/// Why there is nothing to do.
#[derive(Debug)]
pub enum Stop {
    /// Help or version, to be printed.
    Text(String),
    /// Usage error.
    Usage(InputError),
}

/// clap's message without the usage that follows it, on one line.
fn one_line(rendered: &str) -> InputError {
    let lines: Vec<&str> = rendered
        .lines()
        .map(str::trim)
        .take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"))
        .filter(|l| !l.is_empty())
        .collect();
    let text = lines.join(" ").replace(" tip: ", "; ");
    InputError::new("", text.strip_prefix("error: ").unwrap_or(&text))
        .advise("irkiss --help explains")
}

#[cfg(test)]
mod tests {
    use super::*;
    use irkiss::config::{Explore, Instrument, Marked, Scenario};

    pub(super) fn args(line: &str) -> Result<Cli, Stop> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn check_is_the_default() {
        let short = args("irkiss --ts 3 a.bc b.bc").expect("parses");
        assert!(short.command.is_none());
        assert_eq!(short.check.files.len(), 2);
        let long = args("irkiss check --ts 3 a.bc b.bc").expect("parses");
        let Some(Command::Check(check)) = long.command else {
            panic!("not check")
        };
        assert_eq!(check.options().ts, 3);
        assert_eq!(short.check.options().ts, 3);
    }

    #[test]
    fn without_options_it_is_the_default() {
        let cli = args("irkiss --jobs 1 a.bc").expect("parses");
        let (given, default) = (cli.check.options(), Options::default());
        let json = |o| serde_json::to_string(&o).expect("json");
        assert_eq!(json(given), json(default));
    }

    #[test]
    fn options_arrive() {
        let cli = args(
            "irkiss --property assert --pair a,b --marked c11 --scenario lifecycle --instrument every \
             --explore paths --timeout 9 -j 2 --entry x --entry y --model m.c a.bc",
        )
        .expect("parses");
        let o = cli.check.options();
        assert!(!o.race && o.assertions);
        assert_eq!(o.pair, Some(vec!["a".into(), "b".into()]));
        assert_eq!(o.marked, Some(Marked::C11));
        assert_eq!(o.scenario, Scenario::Lifecycle);
        assert_eq!(o.instrument, Instrument::Every);
        assert_eq!(o.explore, Explore::Paths);
        assert_eq!((o.timeout, o.jobs), (Some(9), 2));
        assert_eq!(o.entries, ["x", "y"]);
        assert_eq!(o.models, [PathBuf::from("m.c")]);
    }

    #[test]
    fn errors_are_one_line() {
        for line in [
            "irkiss",
            "irkiss --ts x a.bc",
            "irkiss --pair a a.bc",
            "irkiss replay s.json",
            "irkiss --nonsense a.bc",
            "irkiss --jobs 0 a.bc",
            "irkiss --ts 64 a.bc",
            "irkiss --list-entry-points --emit program a.bc",
        ] {
            match args(line) {
                Err(Stop::Usage(e)) => {
                    let text = e.to_string();
                    assert_eq!(text.lines().count(), 1, "{line}: {text}");
                    assert!(!text.starts_with("error"), "{text}");
                }
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn replay_takes_files() {
        let cli = args("irkiss replay s.json a.bc b.bc").expect("parses");
        let Some(Command::Replay(r)) = cli.command else {
            panic!("not replay")
        };
        assert_eq!(r.files.len(), 2);
    }
}
