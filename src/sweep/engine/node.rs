//! The process that does a shard on a node: `irkiss __shard FOLDER NUMBER`. It needs nothing but this executable and the folder.

use std::path::Path;

use super::camp::{Camp, What};
use super::{Open, Told, Work, local};
use crate::deadline::Deadline;
use crate::error::InputError;
use crate::memory;
use crate::sweep::key;
use crate::sweep::task::{Ended, Planned};

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "__shard";

/// What the machine is called.
pub(super) fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
    name.trim().chars().filter(plain).collect()
}

/// Bytes of memory that the queue gives to the shard, if it says so: Slurm does, in MiB.
fn given() -> Option<u64> {
    let number = |name| std::env::var(name).ok()?.parse::<u64>().ok();
    let processors = number("SLURM_CPUS_ON_NODE").unwrap_or(1);
    let each = number("SLURM_MEM_PER_CPU").map(|m| m.saturating_mul(processors));
    // Zero: all that there is.
    let all = number("SLURM_MEM_PER_NODE").or(each).filter(|m| *m > 0);
    all.map(|m| m.saturating_mul(1 << 20))
}

/// Does what is left of a shard; `tell` gets lines for its log.
///
/// # Errors
/// The folder is not there, or this is another irkiss than the one that planned it.
pub fn carry_out(
    folder: &Path,
    number: usize,
    deadline: Deadline,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), InputError> {
    let camp = Camp::at(folder);
    let done = of_camp(&camp, number, deadline, tell);
    if let Err(error) = &done {
        camp.refuse(number, &format!("{}: {error}", host()));
    }
    done
}

fn of_camp(
    camp: &Camp,
    number: usize,
    deadline: Deadline,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), InputError> {
    let head = camp.head()?;
    let here = key::of_engine()?;
    if here != head.version {
        let what = format!(
            "is irkiss {here}, but the night was planned by {}",
            head.version
        );
        let program = key::executable()?;
        return Err(InputError::new(program.display(), what)
            .advise("install the same irkiss on all machines"));
    }
    let open = camp.todo(number)?;
    let program = key::executable()?;
    tell(&format!("{} begins {} modules", host(), open.len()));
    let begins = |planned: &Planned| {
        camp.begins(number, planned);
        tell(&format!("begins {}", planned.task.name));
    };
    let work = Work {
        folder: camp.folder(),
        night: head.night,
        version: &head.version,
        program: &program,
        options: &head.options,
        open: &open,
        jobs: head.jobs,
        memory: memory::usual_share(head.jobs as u64, memory::processors(), given()),
        until: None,
        deadline,
        begins: &begins,
        no_more: &|| camp.is_stopped(),
    };
    // A shard that is begun again may have a predecessor whose machine is only believed to be dead.
    let desk = camp
        .shard(number)
        .join(format!("desk-{}-{}", host(), std::process::id()));
    let done = local::at_desk(&work, &desk, &mut |n, told| {
        let Open { planned, .. } = &open[n];
        let (line, what) = match told {
            Told::Done(done) => (line(&done.ended), What::Done(done)),
            Told::Skipped(line) => (line.clone(), What::Skipped(line)),
        };
        camp.give(number, planned, what)?;
        tell(&format!("ended {}: {line}", planned.task.name));
        Ok(())
    });
    let _ = std::fs::remove_dir_all(&desk);
    if deadline.passed().is_some() {
        tell("asked to end");
    }
    done
}

/// How a task ended, for the log.
fn line(ended: &Ended) -> String {
    match ended {
        Ended::Reported(summary) => format!("{} findings", summary.findings),
        Ended::NoEntryPoints => "no entry points".to_string(),
        other => other.line().unwrap_or_default(),
    }
}
