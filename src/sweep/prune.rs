//! What no night needs any more goes: nights before the last few, results that none of the others has, bitcode of modules that are gone.
//!
//! A comparison looks back beyond the night that it names ([`super::history`]). What it would find there stays: of each module that is still
//! planned the last result that there is, and those on which an older finding rests that nothing has decided since.
//!
//! First the database forgets, in one transaction; then files go that it does not name. Whatever ends this in between leaves files that the
//! next time removes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::history::{Chain, engines};
use super::store::{BITCODE, Store};
use crate::error::InputError;

/// Nights that stay unless somebody asks for another number.
pub const KEEP: u32 = 30;

/// Bitcode that is younger may belong to a compiler that is about to tell of it.
const YOUNG: Duration = Duration::from_secs(3600);

/// What has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Nights.
    pub nights: usize,
    /// Results.
    pub results: usize,
    /// Files of bitcode.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Keeps the last so many nights and what they need.
///
/// # Errors
/// The store cannot be written; a sweep works on it.
pub fn prune(store: &mut Store, keep: u32) -> Result<Pruned, InputError> {
    let _alone = store.alone()?;
    let mut nights = store.nights()?;
    let keep = usize::try_from(keep).unwrap_or(usize::MAX);
    let kept = nights.split_off(nights.len().saturating_sub(keep));
    let mut pruned = Pruned {
        nights: nights.len(),
        ..Pruned::default()
    };
    if let Some(oldest) = kept.first() {
        let needed = needed(store, *oldest, &kept)?;
        pruned.results = store.forget_before(*oldest, &needed)?;
    }
    let named = store.forget_unnamed()?;
    for (path, bytes) in unnamed(store, &named)? {
        // What somebody else holds fast is there the next time too.
        if std::fs::remove_file(path).is_ok() {
            pruned.files += 1;
            pruned.bytes += bytes;
        }
    }
    if pruned.results > 0 {
        store.give_back_space()?;
    }
    Ok(pruned)
}

/// Tasks of nights before the oldest one that stays, which comparisons with nights that stay need: night, name.
fn needed(store: &Store, oldest: i64, kept: &[i64]) -> Result<BTreeSet<(i64, String)>, InputError> {
    let mut names = BTreeSet::new();
    for night in kept {
        let tasks = store.tasks(*night)?.into_iter();
        names.extend(tasks.map(|t| t.task.name));
    }
    let rows = store.tasks_until(oldest)?;
    let engines = engines(store)?;
    let mut needed = BTreeSet::new();
    for rows in rows.chunk_by(|a, b| a.1.task.name == b.1.task.name) {
        let name = &rows[0].1.task.name;
        if names.contains(name) {
            let nights = Chain::of(store, rows, &engines)?.nights();
            needed.extend(nights.into_iter().map(|n| (n, name.clone())));
        }
    }
    Ok(needed)
}

/// Files of bitcode that nothing names, and their lengths.
fn unnamed(store: &Store, named: &BTreeSet<PathBuf>) -> Result<BTreeMap<PathBuf, u64>, InputError> {
    let folder = store.folder().join(BITCODE);
    let listed = std::fs::read_dir(&folder).map_err(|e| InputError::new(folder.display(), e))?;
    let mut found = BTreeMap::new();
    for entry in listed.flatten() {
        let name = PathBuf::from(BITCODE).join(entry.file_name());
        let Ok(data) = entry.metadata() else {
            continue;
        };
        let age = data.modified().ok();
        let age = age.and_then(|m| SystemTime::now().duration_since(m).ok());
        if !named.contains(&name) && age.is_some_and(|a| a > YOUNG) {
            found.insert(entry.path(), data.len());
        }
    }
    Ok(found)
}
