//! The command lines of what comes after a check: showing, comparing, silencing.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::format::ShowFormat;

/// How a check tells what it found.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Report")]
pub struct Told {
    /// How much of each interleaving: what decides, over the source, or every step of every finding.
    #[arg(long, value_enum, hide_short_help = true, default_value_t = TraceWord::Short)]
    pub trace: TraceWord,
    /// Do not tell what stands in this file (irkiss baseline write FILE).
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Several files are one program or module, and an error where they cannot be linked. Without: files that cannot be linked, since
    /// each is a module or a program of its own, are checked one after the other, with a report each.
    #[arg(long, hide_short_help = true)]
    pub link: bool,
    /// Which outcomes are failures: exit codes 1 (something was found) and 3 (something is unknown). new: only findings that the
    /// baseline has not; race: findings; unknown: those and what is unknown; never: none.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "exit_zero")]
    pub fail_on: Option<FailOn>,
}

/// Words of `--trace`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the help says it")]
pub enum TraceWord {
    #[default]
    Short,
    Full,
}

/// Words of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "the help says it")]
pub enum FailOn {
    New,
    Race,
    Unknown,
    Never,
}

/// Arguments of `irkiss show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// The number of a bug in the last report, FILE:N of that of a file (of several checks, the one of most), the name of a bug
    /// in any report, a file for all of its bugs, or a folder of a kernel build for a table of all that was checked below it.
    #[arg(value_name = "N")]
    pub which: String,
    /// How much of the interleaving, for people.
    #[arg(long, value_enum, default_value_t = TraceWord::Short)]
    pub trace: TraceWord,
    /// How to show it (docs/formats.md).
    #[arg(long, value_enum, default_value_t = ShowFormat::Human)]
    pub format: ShowFormat,
    /// Write it there instead of to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `irkiss why`.
#[derive(Args, Debug)]
pub struct WhyArgs {
    /// A file that was checked, or a report of --format json; without: the last report.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Arguments of `irkiss allow`.
#[derive(Args, Debug)]
pub struct AllowArgs {
    /// The name of a bug, as reports print it; or of a finding (--format json).
    #[arg(value_name = "ID")]
    pub id: String,
    /// Why it is meant.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The last day on which it is not told: 2027-01-31.
    #[arg(long, value_name = "DAY")]
    pub until: Option<String>,
    /// The file that gets the entry; without: the nearest irkiss.toml from here upwards, or a new one here.
    #[arg(long, value_name = "irkiss.toml")]
    pub config: Option<PathBuf>,
}

/// Arguments of `irkiss baseline`.
#[derive(Args, Debug)]
pub struct BaselineArgs {
    #[command(subcommand)]
    pub command: BaselineCommand,
}

/// What is done with a baseline.
#[derive(Subcommand, Debug)]
pub enum BaselineCommand {
    /// Write what is found now: the file that --baseline reads.
    Write {
        /// The file to write.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Files that were checked, or reports of --format json; without: the last report.
        #[arg(value_name = "REPORT")]
        reports: Vec<PathBuf>,
    },
}

/// Arguments of `irkiss diff`.
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// What was before: a report of --format json, a folder of such, a file that was checked, or a baseline.
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// What is now: a report, a folder of reports, or a file that was checked.
    #[arg(value_name = "HEAD")]
    pub head: PathBuf,
    /// How to tell the differences.
    #[arg(long, value_enum, default_value_t = super::Format::Human)]
    pub format: super::Format,
    /// Which differences are failures (exit code 1). new: new bugs; race: any bug that is there; unknown: those, and what is no
    /// longer decided; never: none.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = FailOn::New)]
    pub fail_on: FailOn,
}
