//! What may be said to every command, and what is made of the description of the command line itself: completions, pages of the manual.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, Command, CommandFactory, ValueEnum};
use irkiss::progress::Manner;

use super::Cli;

/// Options of every command.
#[derive(Args, Debug)]
pub struct General {
    /// Only findings, a few lines each; no progress.
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "General"
    )]
    quiet: bool,
    /// --stats and --fields, and progress also where there is no terminal.
    #[arg(short, long, global = true, help_heading = "General")]
    verbose: bool,
    /// Colours: auto, always or never.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, hide_possible_values = true, global = true, help_heading = "General")]
    pub color: Color,
    /// Print this help.
    #[arg(short, long, global = true, action = ArgAction::HelpShort, help_heading = "General")]
    help: Option<bool>,
    /// Print the help with every option.
    #[arg(long, global = true, action = ArgAction::HelpLong, help_heading = "General")]
    help_all: Option<bool>,
}

impl General {
    /// How much is said.
    pub fn manner(&self) -> Manner {
        match (self.quiet, self.verbose) {
            (true, _) => Manner::Quiet,
            (_, true) => Manner::Verbose,
            _ => Manner::Usual,
        }
    }
}

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Also into files and pipes.
    Always,
    /// None.
    Never,
}

/// Arguments of `irkiss completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// A shell with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    /// For ~/.local/share/bash-completion/completions/irkiss.
    Bash,
    /// For a folder of $fpath, as _irkiss.
    Zsh,
    /// For ~/.config/fish/completions/irkiss.fish.
    Fish,
}

impl CompletionsArgs {
    /// The script for the shell.
    pub fn script(&self) -> String {
        let shell = match self.shell {
            Shell::Bash => clap_complete::Shell::Bash,
            Shell::Zsh => clap_complete::Shell::Zsh,
            Shell::Fish => clap_complete::Shell::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "irkiss", &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}

/// Arguments of `irkiss man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Write the page of each command there, instead of the one of irkiss to standard output.
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
}

/// A page of the manual.
pub struct Page {
    /// `irkiss-check.1`.
    pub file: String,
    /// In roff.
    pub text: String,
}

impl ManArgs {
    /// The pages, that of irkiss first.
    ///
    /// # Errors
    /// None that are known: it is written to memory.
    pub fn pages() -> std::io::Result<Vec<Page>> {
        let mut whole = Cli::command().disable_help_subcommand(true);
        whole.build();
        let mut pages = Vec::new();
        let mut left = vec![("irkiss".to_string(), whole)];
        while let Some((name, command)) = left.pop() {
            let inner = command.get_subcommands().filter(|c| !c.is_hide_set());
            left.extend(inner.map(|c| (format!("{name}-{}", c.get_name()), c.clone())));
            // The name of a page may not be known for as long as clap wants.
            let title: &'static str = Box::leak(name.clone().into_boxed_str());
            let mut text = Vec::new();
            clap_mangen::Man::new(command.name(title)).render(&mut text)?;
            pages.push(Page {
                file: format!("{name}.1"),
                text: String::from_utf8_lossy(&text).into_owned(),
            });
        }
        Ok(pages)
    }
}

/// The description of the command line as it is read: -1 is a value, wherever one is expected.
pub(super) fn command() -> Command {
    fn with_numbers(command: Command) -> Command {
        command
            .mut_args(
                |arg| match arg.get_action().takes_values() && !arg.is_positional() {
                    true => arg.allow_negative_numbers(true),
                    false => arg,
                },
            )
            .mut_subcommands(with_numbers)
    }
    with_numbers(Cli::command())
}

/// Puts the command first where options for all of them stand before it: `irkiss -v check x.bc`.
pub(super) fn command_first(args: Vec<OsString>) -> Vec<OsString> {
    let cli = Cli::command();
    let mut at = 1;
    while let Some(word) = args.get(at).and_then(|w| w.to_str()) {
        match word {
            "-q" | "-v" | "--quiet" | "--verbose" => at += 1,
            "--color" => at += 2,
            _ if word.starts_with("--color=") => at += 1,
            _ => break,
        }
    }
    let named = args.get(at).and_then(|w| w.to_str());
    let is_command = named.is_some_and(|n| cli.find_subcommand(n).is_some());
    let mut args = args;
    if at > 1 && is_command {
        args[1..=at].rotate_right(1);
    }
    args
}

/// Whether the version is wanted with that of what it stands on: `--version --verbose`, `-vV`.
pub(super) fn wants_parts(args: &[OsString]) -> bool {
    args.iter().filter_map(|a| a.to_str()).any(|a| {
        let cluster = a.strip_prefix('-').filter(|a| !a.starts_with('-'));
        a == "--verbose" || cluster.is_some_and(|c| c.contains('v'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Stop, parse};
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(Into::into).collect()
    }

    #[test]
    fn options_for_all_stand_before_or_after_a_command() {
        for line in [
            "irkiss -v --color never check a.bc",
            "irkiss check -v a.bc --color=never",
            "irkiss -v a.bc --color never",
        ] {
            let cli = parse(words(line)).unwrap_or_else(|e| panic!("{line}: {e:?}"));
            assert_eq!(cli.general.manner(), Manner::Verbose, "{line}");
            assert_eq!(cli.general.color, Color::Never, "{line}");
        }
        assert!(matches!(
            parse(words("irkiss -v -q a.bc")),
            Err(Stop::Usage(_))
        ));
    }

    #[test]
    fn versions_are_told_with_their_parts_if_wanted() {
        for (line, wanted) in [
            ("irkiss --version", false),
            ("irkiss -V", false),
            ("irkiss -vV", true),
            ("irkiss -Vv", true),
            ("irkiss --version --verbose", true),
            ("irkiss --verbose --version", true),
        ] {
            match parse(words(line)) {
                Err(Stop::Version { parts }) => assert_eq!(parts, wanted, "{line}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn there_is_a_page_for_every_command() {
        let pages = ManArgs::pages().expect("in memory");
        let has = |file: &str| pages.iter().find(|p| p.file == file);
        assert_eq!(pages[0].file, "irkiss.1");
        for file in ["irkiss-check.1", "irkiss-sweep-plan.1", "irkiss-doctor.1"] {
            assert!(has(file).is_some(), "{file}");
        }
        assert!(has("irkiss-plugin.1").is_none(), "hidden");
        let check = &has("irkiss-check.1").expect("it is there").text;
        assert!(
            check.contains("switch\\-points"),
            "all options, also rare ones"
        );
    }
}
