//! The command line of `irkiss kbuild`, apart from what kbuild adds to it.

use std::path::PathBuf;

use clap::Args;
use irkiss::config::Options;

use super::Search;

/// Seconds for one file or module, unless `--timeout` says otherwise: a brake. What ends a check are units of work.
const KBUILD_SECONDS: u64 = 300;

const KBUILD: &str = "\
In a kernel tree, with nothing changed in it (C=1: only files that are compiled anew; O= and -j as ever):
  make LLVM=1 C=2 CHECK=\"irkiss kbuild\" drivers/usb/misc/
  make LLVM=1 C=2 CHECK=\"irkiss kbuild --timeout 300\" drivers/usb/misc/yurex.o
  make LLVM=1 C=2 CHECK=\"irkiss kbuild\" CF=\"--ts 2\" M=drivers/x

Kbuild hands over one file at a time with the flags of its compiler; what is said before them is irkiss's, in CHECK= or in CF=,
long options only. The file is compiled again with clang (IRKISS_CLANG, CC if it is a clang, clang-22) into a temporary folder.
One that is a module is checked at once. Of a module of several files the bitcode of each is kept, and with the last one that is compiled they
are checked as one, as drivers/x/foo.o; files that are as they were need not be compiled for it. irkiss modules drivers/x does the rest
after the build: what is built in, for which kbuild says too late what belongs together, and modules of which one file was made alone.

Findings are lines on standard error, `file:line:col: warning: ... [irkiss-data-race]', each with the other access as a note.
Each report is kept beside the object, in .irkiss/: irkiss show drivers/x/y.o:1 draws the picture of a finding.
What has not changed since (the sources, their headers, flags, options, irkiss itself) is not checked again: its lines are told again.
After the build, irkiss show drivers/x is a table: what was checked, what was found, what is not decided and why, the time.
A check ends after 2M units of work for each file, at most 10M, the same on each machine.
A module with pairs that were not decided gets one note, except under make -s. A file without entry points gets nothing.
The exit code is 0 whatever happens, so that the build goes on, unless --error-exitcode says otherwise.";

/// Arguments of `irkiss kbuild`, apart from those that kbuild adds.
#[derive(Args, Debug)]
#[command(
    after_help = KBUILD,
    override_usage = "make C=2 CHECK=\"irkiss kbuild [OPTIONS]\" TARGET…"
)]
pub struct KbuildArgs {
    /// Exit with this code, which ends the build, where something is found and where a file cannot be checked.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Report")]
    pub error_exitcode: u8,
    /// Do not tell what stands in this file (irkiss baseline write FILE).
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub baseline: Option<PathBuf>,
    /// The object is checked with the other files of its module, whether make would compile one of them again or not.
    #[arg(long, hide = true)]
    pub whole: bool,
    /// The object is checked without the other files of its module, which has been checked as one.
    #[arg(long, hide = true)]
    pub alone: bool,
    #[command(flatten)]
    search: Search,
}

impl KbuildArgs {
    /// The options of a check of so many files.
    pub fn options(&self, files: usize) -> Options {
        self.search.in_a_build(KBUILD_SECONDS, files)
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::BUILD_WORK;
    use super::super::{Command, parse};
    use super::KBUILD_SECONDS;

    #[test]
    fn a_build_has_defaults_of_its_own() {
        let of_files = |line: &str, files: usize| match parse(line.split(' ').map(Into::into))
            .expect("parses")
            .command
        {
            Some(Command::Kbuild(kbuild)) => kbuild.options(files),
            other => panic!("{other:?}"),
        };
        let options = |line: &str| of_files(line, 1);
        let plain = options("irkiss kbuild");
        assert_eq!((plain.timeout, plain.jobs), (Some(KBUILD_SECONDS), 1));
        assert_eq!(plain.work, Some(BUILD_WORK));
        let own = options("irkiss kbuild --timeout 5 --jobs 3 --ts 2");
        assert_eq!((own.timeout, own.jobs, own.ts), (Some(5), 3, 2));
        assert_eq!(own.work, None);
        let work = |line: &str, files: usize| of_files(line, files).work;
        assert_eq!(work("irkiss kbuild", 3), Some(3 * BUILD_WORK));
        assert_eq!(work("irkiss kbuild", 60), Some(5 * BUILD_WORK));
        assert_eq!(work("irkiss kbuild --work 7", 60), Some(7));
    }
}
