//! What `irkiss sweep run` is told of an engine, and the process that does a shard on a node.

use std::io::Write;
use std::path::PathBuf;

use irkiss::deadline::Deadline;
use irkiss::error::InputError;
use irkiss::report::sweep::status::Away;
use irkiss::sweep::engine::{Kind, SHARD_TIME, Wanted, elsewhere, node};
use irkiss::sweep::store::Store;

use super::{Words, whole};
use crate::cli::RunArgs;
use crate::{OK, UNKNOWN, end_at_signals};

/// The engine that is asked for.
pub fn wanted(args: &RunArgs) -> Result<Wanted, InputError> {
    let given = &args.engine;
    let kind = given.engine.into();
    let for_a_cluster = [
        (!given.option.is_empty(), "--engine-option"),
        (given.shared.is_some(), "--shared"),
        (given.program.is_some(), "--program"),
        (given.shard_time.is_some(), "--shard-time"),
    ];
    if let (Kind::Local, Some((_, name))) = (kind, for_a_cluster.iter().find(|(set, _)| *set)) {
        return Err(InputError::new(name, "is for the queue of a cluster")
            .advise("name it: --engine slurm, --engine hq"));
    }
    Ok(Wanted {
        kind,
        options: given.option.clone(),
        shared: given.shared.as_deref().map(whole),
        shard_time: given.shard_time.unwrap_or(SHARD_TIME),
    })
}

/// Where the work of a store is done, for its status.
pub fn elsewhere_of(store: &Store) -> Option<Away> {
    let there = elsewhere(store.folder())?;
    Some(Away {
        engine: there.kind,
        done: there.done(),
        logs: there.logs(),
        job: there.job,
        shards: there.shards,
    })
}

/// The process that does a shard; the exit code.
pub fn shard(mut words: Words) -> anyhow::Result<u8> {
    let number = |word: std::ffi::OsString| word.to_str().and_then(|w| w.parse().ok());
    let (Some(folder), Some(number)) = (words.next(), words.next().and_then(number)) else {
        let what = "a folder and the number of a shard are needed";
        return Err(InputError::new(node::SUBCOMMAND, what).into());
    };
    end_at_signals();
    let deadline = Deadline::after(None);
    let tell = |line: &str| {
        let now = irkiss::report::sweep::now();
        // A log that cannot be written is none.
        let _ = writeln!(std::io::stdout(), "{now} {line}");
    };
    node::carry_out(&PathBuf::from(folder), number, deadline, &tell)?;
    Ok(match deadline.passed() {
        None => OK,
        Some(_) => UNKNOWN,
    })
}
