//! The command line of `irkiss sweep`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use irkiss::config::Options;
use irkiss::sweep::engine::Kind;
use irkiss::sweep::run::Shard;
use irkiss::sweep::{budget, prune};

use super::Search;

const SWEEP: &str = "\
A store is a folder. Each night is planned, run and reported:
  irkiss sweep plan STORE build/drivers/usb     bitcode below a folder, a kernel build (or a folder in it), or compile_commands.json
  irkiss sweep run STORE                        goes on from where it was ended, whatever ended it
  irkiss sweep report STORE --since last        what is new, fixed, no longer decided
The next night: plan STORE (the same inputs and options), run, report. What has not changed is taken from the store; what a budget left
undecided gets four times as much, up to --deepest. What is old goes with prune STORE.

On several machines: run STORE --engine slurm, or --engine hq, where they are a cluster; otherwise the same plan on each,
run --shard 1/3 … 3/3, then merge their stores into one.";

/// Arguments of `irkiss sweep`.
#[derive(Args, Debug)]
#[command(after_help = SWEEP)]
pub struct SweepArgs {
    #[command(subcommand)]
    pub step: Step,
}

/// What is done with a store.
#[derive(Subcommand, Debug)]
pub enum Step {
    /// Begin a night: find the modules, compile what is no bitcode yet, name what is to be checked.
    Plan(Box<PlanArgs>),
    /// Check what the last night has left to do.
    Run(RunArgs),
    /// How far the last night is.
    Status(StatusArgs),
    /// Put the results of other stores into one.
    Merge(MergeArgs),
    /// What a night found, or what has changed since another.
    Report(ReportArgs),
    /// Remove old nights, results that no other night has, and bitcode of modules that are gone.
    Prune(PruneArgs),
}

/// Arguments of `irkiss sweep prune`.
#[derive(Args, Debug)]
pub struct PruneArgs {
    /// The store.
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
    /// The last so many nights stay, and what comparisons with them need of older ones.
    #[arg(long, value_name = "N", default_value_t = prune::KEEP, value_parser = clap::value_parser!(u32).range(2..))]
    pub keep: u32,
}

/// Arguments of `irkiss sweep plan`.
#[derive(Args, Debug)]
pub struct PlanArgs {
    /// The store; made if it is not there.
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
    /// A file or folder of bitcode, a kernel build or a folder in it, a compile_commands.json [default: the inputs and the options of the
    /// last night].
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Budgets grow from night to night up to this level: each costs four times as much as the one before, 0 is the first.
    #[arg(long, value_name = "LEVEL", default_value_t = budget::DEEPEST, value_parser = clap::value_parser!(u32).range(..=12), help_heading = "Bounds and budgets")]
    pub deepest: u32,
    /// Begin a night that a build fills: compilers with the plugin bring the results (IRKISS_STORE).
    #[arg(long, conflicts_with = "inputs")]
    pub build: bool,
    #[command(flatten)]
    search: Search,
}

impl PlanArgs {
    /// Whether no option of the checks is given.
    pub fn has_usual_options(&self) -> bool {
        let usual = super::parse(["irkiss", "check", "x"].map(Into::into)).ok();
        let Some(super::Command::Check(usual)) = usual.and_then(|cli| cli.command) else {
            return false;
        };
        let text = |options: Options| serde_json::to_string(&Options { jobs: 1, ..options }).ok();
        text(self.options()) == text(usual.options())
    }

    /// The options of each module on the first level. `--jobs` is about compilers.
    pub fn options(&self) -> Options {
        self.search.options()
    }
}

/// Arguments of `irkiss sweep run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The store.
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
    /// Modules checked at once [default: the number of processors; on each node of a cluster: 1]. The results do not depend on it.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Only the I-th of N parts of the modules.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// Begin no module after so much time (30m, 8h): the next run goes on from there.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Who carries out a run.
#[derive(Args, Debug)]
#[command(next_help_heading = "Several machines")]
pub struct EngineArgs {
    /// Who carries it out.
    #[arg(long, value_enum, default_value_t = EngineArg::Local)]
    pub engine: EngineArg,
    /// A word for the command that hands in (sbatch, hq submit): --engine-option=--partition=long. May be given several times.
    #[arg(
        long = "engine-option",
        value_name = "WORD",
        allow_hyphen_values = true
    )]
    pub option: Vec<String>,
    /// A folder that all nodes see under this name: they get their work, and the bitcode, from there [default: one in the store].
    #[arg(long, value_name = "FOLDER")]
    pub shared: Option<PathBuf>,
    /// irkiss as the nodes find it; the same version [default: this one].
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// About how long a shard takes [default: 5m].
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub shard_time: Option<Duration>,
}

/// `--engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// This machine.
    Local,
    /// Slurm, by job arrays (sbatch, squeue, scancel).
    Slurm,
    /// HyperQueue, by task arrays (hq).
    Hq,
}

impl From<EngineArg> for Kind {
    fn from(engine: EngineArg) -> Kind {
        match engine {
            EngineArg::Local => Kind::Local,
            EngineArg::Slurm => Kind::Slurm,
            EngineArg::Hq => Kind::Hq,
        }
    }
}

/// Arguments of `irkiss sweep status`.
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// The store.
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
    /// How to report.
    #[arg(long, value_enum, default_value_t = super::Format::Human)]
    pub format: super::Format,
    /// Tell the name of the store's content: two stores with the same name say the same.
    #[arg(long)]
    pub content: bool,
}

/// Arguments of `irkiss sweep merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The store that gets the results; made if it is not there.
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
    /// The others.
    #[arg(value_name = "FROM", required = true)]
    pub from: Vec<PathBuf>,
}

/// Arguments of `irkiss sweep report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The store.
    #[arg(value_name = "STORE")]
    pub store: PathBuf,
    /// The night [default: the last one].
    #[arg(long, value_name = "N")]
    pub night: Option<i64>,
    /// Tell what has changed since another night: its number, `last` for the one before (of the first there is none:
    /// then all is told, and nothing is new), or another store (its last night).
    #[arg(long, value_name = "NIGHT|STORE")]
    pub since: Option<String>,
    /// How to report.
    #[arg(long, value_enum, default_value_t = SweepFormat::Human)]
    pub format: SweepFormat,
    /// Write the report there instead of to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// When to exit with 1: a finding that was not there (new, with --since), any finding (race), any finding or anything that is not
    /// decided (unknown). With 3 where no module at all could be checked.
    #[arg(long, value_enum, default_value_t = FailOn::Never)]
    pub fail_on: FailOn,
}

/// `--format` of a sweep's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    /// For people.
    Human,
    /// The same as a mail, with a subject.
    Mail,
    /// One object, for scripts.
    Json,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
    /// One page for a browser, with everything in it.
    Html,
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A finding that was not there.
    New,
    /// Any finding.
    Race,
    /// Any finding, and anything that is not decided.
    Unknown,
    /// Never.
    Never,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/');
    let numbers = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match numbers {
        Some((part, of)) if (1..=of).contains(&part) => Ok(Shard { part, of }),
        _ => Err("give a part and how many there are: 1/3".to_string()),
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "give a time: 90s, 30m, 8h".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use irkiss::sweep::words;

    /// What is printed of options says the same when it is typed.
    #[test]
    fn options_are_words_and_words_are_options() {
        let fields = |o: &Options| match serde_json::to_value(o).expect("json") {
            serde_json::Value::Object(fields) => fields,
            other => panic!("{other}"),
        };
        let usual = fields(&Options::default());
        let mut tried: Vec<String> = Vec::new();
        for line in [
            "",
            "--property race,bug,uaf,deadlock,lock-misuse,removed,atomicity --pair a,b --scenario lifecycle --marked kcsan-default",
            "--triples --entry x --entry y --field struct\u{a0}foo.bar --race-check value --marked c11 --strict",
            "--model m\u{a0}n.c --model o.c --config i.toml --marked kcsan --property assert",
            "--property race,uaf",
            "--contexts 3 --switches 4 --track a.b,c --switch-points 20 --ts 2 --unwind 3 --recursion 0",
            "--contexts 2 --track none --rlimit 0 --total-rlimit 7 --max-instructions 20000 --work 20M --timeout 9 --memory 1G",
            "--tier contexts --rounds eager",
            "--tier lockset,coverability --reduction epp",
            "--tier auto,coverability --reduction all --instrument every --explore paths --track auto --contexts 4",
            "--tier kiss --jobs 7",
            "--solver bits --guarded-by --runs",
            "--solver both",
            "--solver z3",
        ] {
            // A space within a word stands as a no-break space above.
            let words = line.split(' ').filter(|w| !w.is_empty());
            let words = words.map(|w| w.replace('\u{a0}', " ").into());
            let check = |words: Vec<std::ffi::OsString>| {
                let head = ["irkiss", "check"].map(Into::into).into_iter();
                let all = head.chain(words).chain(["a.bc".into()]);
                match crate::cli::parse(all).expect(line).command {
                    Some(crate::cli::Command::Check(check)) => check.options(),
                    other => panic!("{other:?}"),
                }
            };
            let options = check(words.collect());
            let typed = words::of(&options).join(" ");
            let again = check(
                shlex::split(&typed)
                    .expect("quoted")
                    .into_iter()
                    .map(Into::into)
                    .collect(),
            );
            let (again, options) = (fields(&again), fields(&options));
            assert_eq!(again, options, "{typed}");
            let other = options.into_iter().filter(|(k, v)| usual.get(k) != Some(v));
            tried.extend(other.map(|(name, _)| name));
        }
        // An option that nobody thought of here would be left out of what is printed.
        let forgotten: Vec<&String> = usual.keys().filter(|k| !tried.contains(k)).collect();
        assert!(forgotten.is_empty(), "{forgotten:?}");
    }

    #[test]
    fn parts_and_times() {
        assert_eq!(parse_shard("2/3"), Ok(Shard { part: 2, of: 3 }));
        for wrong in ["0/3", "4/3", "2", "a/b", "1/0"] {
            assert!(parse_shard(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_time("8h"), Ok(Duration::from_secs(8 * 3600)));
        assert!(parse_time("long").is_err());
    }
}
