//! The command line: what may be said, and the options that it becomes.

pub mod after;
mod build;
mod check;
mod doubt;
pub mod format;
mod general;
mod help;
mod kbuild;
mod modules;
mod search;
mod suggest;
mod sweep;
mod tier;
mod values;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use irkiss::error::InputError;

pub use build::PluginArgs;
pub use check::{CheckArgs, Emit, Format};
pub use doubt::doubt;
pub use format::CheckFormat;
pub use general::{Color, CompletionsArgs, General, ManArgs};
pub use kbuild::KbuildArgs;
pub use modules::ModulesArgs;
pub use search::{Property, Search};
pub use suggest::SuggestArgs;
pub use sweep::{
    FailOn, MergeArgs, PlanArgs, PruneArgs, ReportArgs, RunArgs, StatusArgs, Step, SweepArgs,
    SweepFormat,
};
pub use tier::TierArg;
use values::parse_pair;
pub use values::{
    ExploreArg, InstrumentArg, MarkedArg, Names, RaceCheckArg, RoundsArg, ScenarioArg, SolverArg,
};

/// Finds data races and failing assertions in LLVM bitcode of Linux drivers and pthread programs.
///
/// The driver is closed with a model of the kernel around it: its entry points are found, the pairs that may overlap are
/// checked. What is reported as found comes with an interleaving that an independent interpreter has replayed.
#[derive(Parser, Debug)]
#[command(
    name = "irkiss",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = help::SHORT,
    after_long_help = help::LONG,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "irkiss [check] [OPTIONS] FILE…\n       irkiss COMMAND …"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub check: CheckArgs,
    #[command(flatten)]
    pub general: General,
    /// Print the version; with -v those of LLVM, Z3 and the models too.
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = "General")]
    version: Option<bool>,
}

/// Commands; `check` is the default.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check the input (the default: `irkiss FILE…`).
    Check(Box<CheckArgs>),
    /// Prove what can be proved for any number of threads, search for nothing.
    Prove(Box<CheckArgs>),
    /// One bug of the last report in full: its number, FILE:N, or its name.
    Show(after::ShowArgs),
    /// What is not decided, by cause, and what to type.
    Why(after::WhyArgs),
    /// Do not tell this bug any more, with a reason: an [[allow]] in irkiss.toml.
    Allow(after::AllowArgs),
    /// The findings that are known: what --baseline reads.
    Baseline(after::BaselineArgs),
    /// Two reports or folders of reports: new bugs, fixed ones, and what is no longer decided.
    Diff(after::DiffArgs),
    /// Run the schedules of `--emit schedule` again in the interpreter.
    Replay(ReplayArgs),
    /// Fields that most places access with one lock held, and the others.
    Suggest(SuggestArgs),
    /// The rules about entry points; why some may or may not overlap.
    Rules(RulesArgs),
    /// A step of a kernel build: make C=2 CHECK="irkiss kbuild" drivers/x/
    Kbuild(Box<KbuildArgs>),
    /// The modules of a kernel build, each with all of its files as one: irkiss modules drivers/x
    Modules(Box<ModulesArgs>),
    /// What the plugin of the compiler calls (docs/plugin.md); it reads what this prints.
    #[command(hide = true)]
    Plugin(Box<PluginArgs>),
    /// Many modules, night after night: what is new, fixed, no longer decided.
    Sweep(SweepArgs),
    /// What is installed, what is missing, and whether a small check works.
    Doctor(DoctorArgs),
    /// Completions for bash, zsh or fish.
    Completions(CompletionsArgs),
    /// This help as a page of the manual: irkiss man | man -l -
    Man(ManArgs),
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

/// Arguments of `irkiss doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// A kernel's source, or the folder that it is built in [default: this folder].
    #[arg(value_name = "KERNEL")]
    pub kernel: Option<PathBuf>,
    /// Leave the small program out.
    #[arg(long)]
    pub no_self_test: bool,
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
/// What the command line asks for.
///
/// # Errors
/// It asks for a text, or for nothing that can be done.
pub fn parse(args: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Cli, Stop> {
    let args = general::command_first(args.into_iter().collect());
    if args.len() < 2 {
        let help = Cli::command().render_help();
        return Err(Stop::Nothing(help.ansi().to_string()));
    }
    let matches = general::command().try_get_matches_from(&args);
    let cli = matches.and_then(|mut m| Cli::from_arg_matches_mut(&mut m));
    cli.map_err(|e| match e.kind() {
        ErrorKind::DisplayVersion => Stop::Version {
            parts: general::wants_parts(&args),
        },
        _ if e.use_stderr() => Stop::Usage(one_line(&e.render().to_string())),
        _ => Stop::Text(e.render().ansi().to_string()),
    })
}

/// Why there is nothing to do.
#[derive(Debug)]
pub enum Stop {
    /// Help, to be printed.
    Text(String),
    /// The version, also of the parts that irkiss is made of if asked for.
    Version { parts: bool },
    /// Nothing was said at all: the help, for standard error.
    Nothing(String),
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
    use irkiss::config::{Explore, Instrument, Marked, Options, Scenario};

    pub(super) fn args(line: &str) -> Result<Cli, Stop> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn the_definition_is_consistent() {
        general::command().debug_assert();
    }

    #[test]
    fn help_is_a_page_and_all_of_it_is_more() {
        let text = |line: &str| match args(line) {
            Err(Stop::Text(text)) => text,
            other => panic!("{line}: {other:?}"),
        };
        let (short, all) = (text("irkiss --help"), text("irkiss --help-all"));
        assert!(short.lines().count() <= 80, "{}", short.lines().count());
        for option in ["--format", "--ts", "--property", "--help-all", "kbuild"] {
            assert!(short.contains(option), "{option}");
        }
        let command = general::command();
        for arg in command.get_arguments() {
            let long = arg.get_long().map(|l| format!("--{l}"));
            assert!(long.is_none_or(|l| all.contains(&l)), "{arg:?}");
        }
        assert!(!short.contains("--switch-points") && all.contains("--switch-points"));
        assert!(text("irkiss check --help").lines().count() < 75);
        assert!(text("irkiss help check").contains("--switch-points"));
        assert!(matches!(args("irkiss"), Err(Stop::Nothing(help)) if help.contains("Usage:")));
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
        let given = cli.check.options();
        // Nobody says how far is searched.
        let default = Options {
            deepen: true,
            ..Options::default()
        };
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
            "irkiss --ts x a.bc",
            "irkiss --ts -1 a.bc",
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
