//! The command line of `irkiss suggest`.

use std::path::PathBuf;

use clap::Args;
use irkiss::command::THRESHOLD;
use irkiss::config::Options;

use super::{Format, MarkedArg, Names, ScenarioArg, parse_pair};

const SUGGEST: &str = "\
A place is a line of a function. It is guarded by a lock if whoever comes there holds it, as the owner where it writes. Only places
count that a conflicting access of another thread may meet: initialisation, objects that nobody else can reach yet, and what the
kernel keeps apart are left out, and the report says how many. The others are told where all places but one (of three or more) hold
the lock, or --threshold percent of them. A suggestion is no finding: nothing is executed.

Exit codes: 0 nothing to suggest, 1 suggestions, 2 usage or input error, 3 nothing to suggest, but not everything can be followed,
or the time was over";

/// Arguments of `irkiss suggest`.
#[derive(Args, Debug)]
#[command(after_help = SUGGEST)]
pub struct SuggestArgs {
    /// LLVM bitcode (.bc, .ll, or .o that holds bitcode); several files are linked.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// How to report.
    #[arg(long, value_enum, default_value_t = Format::Human, help_heading = "Report")]
    pub format: Format,
    /// Write the report there instead of to standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Report")]
    pub output: Option<PathBuf>,
    /// Share of places that hold the lock, in percent, from which on the others are told.
    #[arg(long, value_name = "PERCENT", default_value_t = THRESHOLD, value_parser = clap::value_parser!(u32).range(51..=99), help_heading = "Report")]
    pub threshold: u32,
    /// Exit with 0 whatever is suggested; errors still exit with 2 or 101.
    #[arg(long, help_heading = "Report")]
    pub exit_zero: bool,

    /// Only this pair of entry points.
    #[arg(long, value_name = "A,B", value_parser = parse_pair, help_heading = "What to look at")]
    pub pair: Option<Names>,
    /// Only this entry point (again for more); it need not be registered anywhere.
    #[arg(long, value_name = "NAME", help_heading = "What to look at")]
    pub entry: Vec<String>,
    /// Only this field or variable, as reports name it: `struct foo.bar`, `foo.bar`, `@global` (again for more).
    #[arg(long, value_name = "NAME", help_heading = "What to look at")]
    pub field: Vec<String>,
    /// Where the threads start: on the state that initialisation leaves, or at module_init.
    #[arg(long, value_enum, default_value_t = ScenarioArg::Steady, help_heading = "What to look at")]
    pub scenario: ScenarioArg,
    /// Which accesses are marked: volatile and atomic ones (kcsan; the default for drivers), plain aligned writes of up to a word as
    /// well (kcsan-default), or atomic ones alone (c11; the default for programs).
    #[arg(long, value_enum, help_heading = "What to look at")]
    pub marked: Option<MarkedArg>,
    /// Stop after so many seconds (Ctrl-C does too). Then nothing is told: of some of the places one cannot say what most of them do.
    #[arg(long, value_name = "SECONDS", help_heading = "What to look at")]
    pub timeout: Option<u64>,
    /// Stop likewise once so much memory is taken (4G, 512M, or bytes) [default: half of what there is].
    #[arg(long, value_name = "SIZE", value_parser = irkiss::memory::parse, help_heading = "What to look at")]
    pub memory: Option<u64>,
    /// Own models of functions of the environment, in C (again for more).
    #[arg(long, value_name = "FILE.c", help_heading = "What to look at")]
    pub model: Vec<PathBuf>,
    /// Own rules about entry points and own lock functions.
    #[arg(long, value_name = "irkiss.toml", help_heading = "What to look at")]
    pub config: Option<PathBuf>,
    /// Do not assume that there is one device: a lock in one object guards data in another only if it is a global lock.
    #[arg(long, help_heading = "What to look at")]
    pub strict: bool,
}

impl SuggestArgs {
    /// The options of the analysis.
    pub fn options(&self) -> Options {
        Options {
            pair: self.pair.as_ref().map(|names| names.0.clone()),
            entries: self.entry.clone(),
            fields: self.field.clone(),
            scenario: self.scenario.into(),
            marked: self.marked.map(Into::into),
            models: self.model.clone(),
            config: self.config.clone(),
            strict: self.strict,
            timeout: self.timeout,
            memory: self.memory,
            ..Options::default()
        }
    }
}
