//! What a check within a build does by default, and the command line of the compiler's plugin.

use std::path::PathBuf;

use clap::Args;
use irkiss::config::Options;

use super::Search;

/// Seconds for one file of a compiler with the plugin, unless `--timeout` says otherwise. The plugin waits for as long (`src/plugin/irkiss-plugin.cpp`).
pub const BUILD_SECONDS: u64 = 60;

/// Units of work for one file of a build, unless `--work` or `--timeout` says otherwise: what ends a check, so that the same is found
/// on a busy machine. About 6 seconds of a processor; the clock is there for what no unit counts. What more finds of drivers/usb/misc/
/// stands in docs/usb-misc.md.
pub const BUILD_WORK: u64 = 2_000_000;

/// A module of more files gets as much as one of so many.
const MOST_FILES: u64 = 5;

impl Search {
    /// The options of a check of so many files within a build. `make -j` has the processors, and no module may hold up the build for
    /// longer than so many `seconds`.
    pub(super) fn in_a_build(&self, seconds: u64, files: usize) -> Options {
        let work = || BUILD_WORK * (files as u64).clamp(1, MOST_FILES);
        Options {
            work: self.work.or(self.timeout.is_none().then(work)),
            timeout: Some(self.timeout.unwrap_or(seconds)),
            jobs: self.jobs.map_or(1, |n| n as usize),
            ..self.options()
        }
    }
}

/// Arguments of `irkiss plugin`. Of an option that is given several times the last one holds: the plugin has defaults, the user's
/// environment comes after them, and the command line of the compiler after that.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub struct PluginArgs {
    /// The module, as bitcode.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What the compiler calls it.
    #[arg(long, value_name = "NAME")]
    pub source: String,
    /// The process of the compiler: what was said to it tells modules of one file apart.
    #[arg(long, value_name = "PID")]
    pub compiler: Option<u32>,
    /// Keep the bitcode and what came of it in this store; tell again what was told of the same bitcode.
    #[arg(long, value_name = "STORE")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    search: Search,
}

impl PluginArgs {
    /// The options of the check.
    pub fn options(&self) -> Options {
        self.search.in_a_build(BUILD_SECONDS, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Command, parse};

    #[test]
    fn the_last_word_holds() {
        let line = "irkiss plugin a.bc --source a.c --timeout 60 --ts 2 --property uaf --timeout 5 --ts 3 --jobs 2";
        let parsed = parse(line.split(' ').map(Into::into)).expect("parses");
        let Some(Command::Plugin(args)) = parsed.command else {
            panic!("{parsed:?}")
        };
        let options = args.options();
        assert_eq!((options.timeout, options.ts, options.jobs), (Some(5), 3, 2));
        assert!(options.use_after_free && !options.race);
        assert_eq!((args.source.as_str(), options.jobs), ("a.c", 2));
    }
}
