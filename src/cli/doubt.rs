//! Words that are taken for files and mean something else.

use std::path::Path;

use clap::{CommandFactory, ValueEnum};
use irkiss::command::nearest;
use irkiss::error::InputError;

use super::{Cli, PropertyArg};

/// What is wrong with the names of files, if it is that they are none: a command that is spelt wrong, a second value without a comma.
pub fn doubt(cli: &Cli) -> Option<InputError> {
    let Cli {
        command: None,
        check,
        ..
    } = cli
    else {
        return None;
    };
    let first = check.files.first()?;
    let word = first
        .to_str()
        .filter(|w| !exists(first) && !w.contains('/'))?;
    if word == "-" {
        let error = InputError::new("-", "standard input is not read");
        return Some(error.advise("write it to a file: it is read more than once"));
    }
    if PropertyArg::value_variants()
        .iter()
        .any(|p| p.to_possible_value().is_some_and(|v| v.get_name() == word))
    {
        let error = InputError::new(word, "no such file");
        return Some(error.advise("--property takes a list with commas: race,assert"));
    }
    let commands = Cli::command();
    let known = commands.get_subcommands().filter(|c| !c.is_hide_set());
    let known: Vec<&str> = known.map(clap::Command::get_name).collect();
    if known.contains(&word) {
        let error = InputError::new(word, "a command comes before its options");
        return Some(error.advise(format!("irkiss {word} …")));
    }
    let meant = nearest(word, known.into_iter()).filter(|_| !word.contains('.'))?;
    let error = InputError::new(word, "no such file and no such command");
    Some(error.advise(format!("did you mean `irkiss {meant}`?")))
}

fn exists(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn what_is_no_file_may_be_something_else() {
        let said = |line: &str| {
            let cli = parse(line.split(' ').map(Into::into)).expect(line);
            doubt(&cli).map(|e| e.to_string())
        };
        for (line, words) in [
            ("irkiss chek a.bc", "irkiss check"),
            ("irkiss docter", "irkiss doctor"),
            ("irkiss kbuid --ts 2", "irkiss kbuild"),
            ("irkiss --property race assert a.bc", "race,assert"),
            ("irkiss --ts 2 check a.bc", "irkiss check"),
            ("irkiss -", "standard input"),
        ] {
            let said = said(line).unwrap_or_else(|| panic!("{line}: nothing"));
            assert!(said.contains(words), "{line}: {said}");
        }
        for line in [
            "irkiss a.bc",
            "irkiss check chek",
            "irkiss ./chek",
            "irkiss chek.bc",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
