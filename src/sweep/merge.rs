//! Stores of several machines, put together: each has run its part of the same plan.

use super::store::{BITCODE, Store};
use super::task::Planned;
use crate::error::InputError;

/// What was taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Results that were not there.
    pub new: usize,
    /// Results that were there already.
    pub known: usize,
}

/// Takes everything that `from` has into `into`: nights, tasks, results, bitcode. What `into` has stays.
///
/// # Errors
/// A store that cannot be read or written; a night that both have, planned with different options or by different versions.
pub fn merge(into: &mut Store, from: &Store) -> Result<Merged, InputError> {
    for number in from.nights()? {
        let Some(night) = from.night_of(number)? else {
            continue;
        };
        if let Some(there) = into.night_of(number)? {
            let same = there.engine == night.engine && there.rules == night.rules;
            if !same {
                let what = format!(
                    "night {number} was planned otherwise there (options, or another irkiss)"
                );
                return Err(InputError::new(from.folder().display(), what)
                    .advise("plan all shards alike, with one irkiss"));
            }
        }
        let tasks = from.tasks(number)?;
        for task in into.tasks(number)? {
            let same = |t: &&Planned| t.task.name == task.task.name;
            if tasks.iter().find(same).is_some_and(|t| t.key != task.key) {
                let what = format!(
                    "{} is other bitcode there than in {}",
                    task.task.name,
                    into.folder().display()
                );
                return Err(InputError::new(from.folder().display(), what)
                    .advise("check the same files on all machines"));
            }
        }
        into.add_night(&night, &tasks)?;
    }
    let mut merged = Merged::default();
    for (key, level) in from.results()? {
        if into.ended(&key, level)?.is_some() {
            merged.known += 1;
            continue;
        }
        if let Some((night, done)) = from.made(&key, level)? {
            into.keep(&key, level, night, &done)?;
            merged.new += 1;
        }
    }
    let bitcode = from.folder().join(BITCODE);
    let listed = std::fs::read_dir(&bitcode).map_err(|e| InputError::new(bitcode.display(), e))?;
    for entry in listed.flatten() {
        into.take_bitcode(&entry.path())?;
    }
    Ok(merged)
}
