//! Where a sweep keeps what it knows: a folder with an SQLite database (write-ahead log) and the bitcode that irkiss compiled.
//!
//! What is written is written in one transaction: a process that is killed leaves the store as it was before or after. One sweep at a
//! time works on a store ([`Store::alone`]); a plugin or a step of a build may add results beside it. Who only reads ([`Store::look`])
//! needs no right to write.

mod bitcode;
mod looking;
mod nights;
mod prune;
mod results;

pub use nights::Outline;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Row};
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::Options;
use crate::error::InputError;

/// The format of the database; another one is another version's.
const FORMAT: i64 = 2;

/// The database, in the folder.
pub(in crate::sweep) const DATABASE: &str = "sweep.db";

/// The folder of bitcode, in the folder.
pub const BITCODE: &str = "bitcode";

/// What a sweep that works on the store locks.
const LOCK: &str = "sweep.lock";

/// How long somebody else may write.
const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
CREATE TABLE night (
    night INTEGER PRIMARY KEY, began INTEGER NOT NULL, inputs TEXT NOT NULL, options TEXT NOT NULL, rules TEXT NOT NULL,
    engine TEXT NOT NULL, pruned INTEGER NOT NULL DEFAULT 0);
CREATE TABLE run (
    night INTEGER PRIMARY KEY, run TEXT NOT NULL);
CREATE TABLE task (
    night INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, level INTEGER NOT NULL, task TEXT NOT NULL,
    PRIMARY KEY (night, name)) WITHOUT ROWID;
CREATE TABLE result (
    key TEXT NOT NULL, level INTEGER NOT NULL, ended TEXT NOT NULL, report BLOB, cost TEXT NOT NULL, night INTEGER NOT NULL,
    PRIMARY KEY (key, level));
CREATE TABLE told (
    key TEXT PRIMARY KEY, told TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE unit (
    unit TEXT PRIMARY KEY, compiled BLOB NOT NULL);
CREATE TABLE file (
    path TEXT PRIMARY KEY, seen TEXT NOT NULL) WITHOUT ROWID;
";

/// A store.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    database: Connection,
    /// Of a store that cannot be written, what had to be copied to be read.
    _copy: Option<looking::Copy>,
}

/// A night: what was planned with which options.
#[derive(Clone, Debug)]
pub struct Night {
    /// Its number, from 1.
    pub number: i64,
    /// When it was planned, in seconds since 1970.
    pub began: i64,
    /// Where its tasks come from.
    pub inputs: Vec<PathBuf>,
    /// The options of the first level.
    pub options: Options,
    /// The same and the content of the files that they name, as one name ([`key::of_options`](super::key::of_options)).
    pub rules: String,
    /// What checked ([`key::of_engine`](super::key::of_engine)).
    pub engine: String,
    /// Whether only what later nights need of it is there.
    pub pruned: bool,
}

/// Held by the one sweep that works on a store.
#[derive(Debug)]
pub struct Alone(#[expect(dead_code, reason = "the lock ends with the file")] File);

impl Store {
    /// Opens the store of a folder; a folder that is empty, or is not there, becomes one.
    ///
    /// # Errors
    /// A folder with something else in it, a store of another version, one that cannot be written.
    pub fn create(folder: &Path) -> Result<Store, InputError> {
        if !folder.join(DATABASE).exists() {
            let listed = std::fs::read_dir(folder).map(|mut f| f.next().is_some());
            if listed.unwrap_or(false) && !folder.join(LOCK).exists() {
                let what = "is no store of a sweep, and not empty";
                return Err(InputError::new(folder.display(), what).advise("name a new folder"));
            }
        }
        let bitcode = folder.join(BITCODE);
        std::fs::create_dir_all(&bitcode).map_err(|e| unwritable(folder, &e))?;
        Store::at(folder)
    }

    /// Opens the store of a folder.
    ///
    /// # Errors
    /// There is none; otherwise as [`Store::create`].
    pub fn open(folder: &Path) -> Result<Store, InputError> {
        if !folder.join(DATABASE).is_file() {
            let what = "is no store of a sweep";
            let advice = "irkiss sweep plan DIR INPUT… makes one";
            return Err(InputError::new(folder.display(), what).advise(advice));
        }
        Store::at(folder)
    }

    fn at(folder: &Path) -> Result<Store, InputError> {
        let path = folder.join(DATABASE);
        let failed = |e| about(folder, &e);
        let database = Connection::open(&path).map_err(failed)?;
        database.busy_timeout(PATIENCE).map_err(failed)?;
        let pragma = |name: &str, value: &str| database.pragma_update(None, name, value);
        pragma("journal_mode", "WAL").map_err(failed)?;
        pragma("synchronous", "NORMAL").map_err(failed)?;
        let mut store = Store {
            folder: folder.to_path_buf(),
            database,
            _copy: None,
        };
        store.expect_format()?;
        Ok(store)
    }

    /// Makes the tables of a new database; refuses those of another version.
    fn expect_format(&mut self) -> Result<(), InputError> {
        let folder = self.folder.clone();
        let failed = |e| about(&folder, &e);
        // Two processes may both find it new.
        let transaction = self
            .database
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(failed)?;
        let format: i64 = transaction
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(failed)?;
        match format {
            FORMAT => return Ok(()),
            0 => {}
            other => return Err(another_format(&folder, other)),
        }
        transaction.execute_batch(TABLES).map_err(failed)?;
        transaction
            .pragma_update(None, "user_version", FORMAT)
            .map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a sweep works on it now.
    pub fn is_worked_on(&self) -> bool {
        let lock = File::open(self.folder.join(LOCK));
        lock.is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
    }

    /// Keeps other sweeps away until it is dropped.
    ///
    /// # Errors
    /// Another sweep works on this store.
    pub fn alone(&self) -> Result<Alone, InputError> {
        let path = self.folder.join(LOCK);
        let place = self.folder.display();
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|e| unwritable(&self.folder, &e))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Alone(file)),
            Err(_) => Err(InputError::new(&place, "another sweep works on this store")
                .advise("wait for it, or name another folder")),
        }
    }

    fn rows<T>(
        &self,
        query: &str,
        of: &[&dyn rusqlite::ToSql],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, InputError> {
        let all = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.database.prepare_cached(query)?;
            statement.query_map(of, read)?.collect()
        };
        all().map_err(|e| self.failed(&e))
    }

    fn parsed<T: DeserializeOwned>(&self, text: &str) -> Result<T, InputError> {
        serde_json::from_str(text).map_err(|e| self.damaged(&e))
    }

    fn unpacked(&self, bytes: &[u8]) -> Result<String, InputError> {
        let mut text = String::new();
        let mut from = flate2::read::DeflateDecoder::new(bytes);
        std::io::Read::read_to_string(&mut from, &mut text).map_err(|e| self.damaged(&e))?;
        Ok(text)
    }

    fn damaged(&self, why: &dyn std::fmt::Display) -> InputError {
        InputError::new(
            self.folder.display(),
            format!("the store is damaged: {why}"),
        )
        .advise("remove the folder, or take the last copy of it")
    }

    fn failed(&self, error: &rusqlite::Error) -> InputError {
        about(&self.folder, error)
    }
}

/// A store of another version.
fn another_format(folder: &Path, format: i64) -> InputError {
    let what = format!("is a store of format {format}; this irkiss writes format {FORMAT}");
    let advice = "use the irkiss that made it, or a new folder";
    InputError::new(folder.display(), what).advise(advice)
}

/// What SQLite says, for the user.
fn about(folder: &Path, error: &rusqlite::Error) -> InputError {
    let place = folder.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            InputError::new(place, "the store is locked by another process").advise("wait for it")
        }
        Some(ErrorCode::DiskFull) => InputError::new(place, "no space is left for the store")
            .advise("make room and run again: what is done stays"),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            InputError::new(place, "the store is damaged, or something else")
                .advise("remove the folder, or take the last copy of it")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            cannot_be_written(folder)
        }
        _ => InputError::new(place, error),
    }
}

/// The folder is somebody else's, or on a disk that is only read.
fn cannot_be_written(folder: &Path) -> InputError {
    InputError::new(folder.display(), "the store cannot be written")
        .advise("report and status only read it; for the rest look at the folder's rights")
}

/// What the system says, for the user.
fn unwritable(folder: &Path, error: &std::io::Error) -> InputError {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            cannot_be_written(folder)
        }
        _ => InputError::new(folder.display(), error),
    }
}

/// The types that are kept have string keys and finite numbers only: they always serialise.
fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it serialises")
}

fn packed(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut from = flate2::read::DeflateEncoder::new(text.as_bytes(), flate2::Compression::fast());
    std::io::Read::read_to_end(&mut from, &mut bytes).expect("memory is enough");
    bytes
}
