//! The command line of `irkiss modules`.

use std::path::PathBuf;

use clap::Args;

use super::Search;

const MODULES: &str = "\
After a build, with or without CHECK=, in the folder in which make was called or with a path to where it built:
  irkiss modules drivers/usb/misc
  irkiss modules -j4 --work 20M build/drivers/usb/misc

Each module below the folder is checked with all of its files as one, what is built in as well, as make C=2 CHECK=\"irkiss kbuild\" does:
what has not changed since it was checked is told again. How each file is compiled, and which make a module together, kbuild has left
beside the objects (.x.o.cmd, x.mod, built-in.a). Findings are lines on standard error; then comes the table of irkiss show FOLDER.";

/// Arguments of `irkiss modules`.
#[derive(Args, Debug)]
#[command(after_help = MODULES)]
pub struct ModulesArgs {
    /// Folders of a kernel build.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// Do not tell what stands in this file (irkiss baseline write FILE).
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub baseline: Option<PathBuf>,
    /// Exit with 0 whatever was found.
    #[arg(long, help_heading = "Report")]
    pub exit_zero: bool,
    #[command(flatten)]
    search: Search,
}

impl ModulesArgs {
    /// Modules that are checked at once.
    pub fn jobs(&self) -> usize {
        self.search.jobs.map_or(1, |n| n as usize)
    }
}
