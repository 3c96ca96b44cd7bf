//! The command line of `irkiss check`: what is reported, and how.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use irkiss::config::Options;
use irkiss::error::InputError;

use super::Search;
use super::after::Told;
use super::format::CheckFormat;

/// Arguments of `irkiss check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// LLVM bitcode (.bc, .ll, or .o that holds bitcode); several files are linked.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// How to report (docs/formats.md).
    #[arg(long, value_enum, default_value_t = CheckFormat::Human, help_heading = "Report")]
    pub format: CheckFormat,
    /// Write one of the intermediate results instead of a report.
    #[arg(long, value_enum, hide_short_help = true, help_heading = "Report")]
    pub emit: Option<Emit>,
    /// Print the entry points and the pairs, check nothing.
    #[arg(long, conflicts_with = "emit", help_heading = "Report")]
    pub list_entry_points: bool,
    /// Write the report there instead of to standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Report")]
    pub output: Option<PathBuf>,
    /// Print the counts of terms, queries and instructions too.
    #[arg(long, hide_short_help = true, help_heading = "Report")]
    pub stats: bool,
    /// Print the table of fields too: in how many pairs each is racy, proved, bounded, unknown.
    #[arg(long, hide_short_help = true, help_heading = "Report")]
    pub fields: bool,
    /// Print too, for what no net proves, how its threads get to two accesses at once.
    #[arg(long, conflicts_with_all = ["emit", "list_entry_points"], hide_short_help = true, help_heading = "Report")]
    pub runs: bool,
    /// Print which lock guards which field too.
    #[arg(long, conflicts_with_all = ["emit", "list_entry_points"], hide_short_help = true, help_heading = "Report")]
    pub guarded_by: bool,
    /// Exit with 0 whatever was found; errors still exit with 2 or 101.
    #[arg(long, hide_short_help = true, help_heading = "Report")]
    pub exit_zero: bool,

    #[command(flatten)]
    pub told: Told,
    #[command(flatten)]
    pub search: Search,
}
/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One object, for scripts.
    Json,
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
        self.expect_whole_report()?;
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

    /// Errors: what only reports for people and scripts have.
    fn expect_whole_report(&self) -> Result<(), InputError> {
        let CheckFormat::Of(format) = self.format else {
            return Ok(());
        };
        let more = [
            (self.emit.is_some(), "--emit"),
            (self.list_entry_points, "--list-entry-points"),
            (self.guarded_by, "--guarded-by"),
            (self.fields, "--fields"),
            (self.stats, "--stats"),
            (self.runs, "--runs"),
        ];
        let given = more.into_iter().find(|(given, _)| *given);
        let Some((_, option)) = given else {
            return Ok(());
        };
        let what = format!("{} has no room for what {option} asks for", format.code());
        Err(InputError::new("--format", what).advise("leave one of the two out, or take json"))
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
