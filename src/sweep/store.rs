//! Where a sweep keeps what it knows: a folder with an SQLite database (write-ahead log) and the bitcode that irkiss compiled.
//!
//! What is written is written in one transaction: a process that is killed leaves the store as it was before or after. One sweep at a
//! time works on a store ([`Store::alone`]); a plugin or a step of a build may add results beside it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use rustix::fs::{FlockOperation, flock};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key;
use super::task::{Cost, Done, Ended, Planned, Task};
use super::unit::Compiled;
use crate::config::Options;
use crate::error::InputError;

/// The format of the database; another one is another version's.
const FORMAT: i64 = 1;

/// The database, in the folder.
pub(super) const DATABASE: &str = "sweep.db";

/// The folder of bitcode, in the folder.
pub const BITCODE: &str = "bitcode";

/// What a sweep that works on the store locks.
const LOCK: &str = "sweep.lock";

/// How long somebody else may write.
const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
CREATE TABLE night (
    night INTEGER PRIMARY KEY, began INTEGER NOT NULL, inputs TEXT NOT NULL, options TEXT NOT NULL, engine TEXT NOT NULL);
CREATE TABLE task (
    night INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, level INTEGER NOT NULL, task TEXT NOT NULL,
    PRIMARY KEY (night, name)) WITHOUT ROWID;
CREATE TABLE result (
    key TEXT NOT NULL, level INTEGER NOT NULL, ended TEXT NOT NULL, report BLOB, cost TEXT NOT NULL, night INTEGER NOT NULL,
    PRIMARY KEY (key, level));
CREATE TABLE unit (
    unit TEXT PRIMARY KEY, compiled TEXT NOT NULL) WITHOUT ROWID;
";

/// A store.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    database: Connection,
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
    /// What checked ([`key::of_engine`]).
    pub engine: String,
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
        std::fs::create_dir_all(&bitcode).map_err(|e| InputError::new(bitcode.display(), e))?;
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
            other => {
                let what =
                    format!("is a store of format {other}; this irkiss writes format {FORMAT}");
                let advice = "use the irkiss that made it, or a new folder";
                return Err(InputError::new(folder.display(), what).advise(advice));
            }
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
            .map_err(|e| InputError::new(&place, e))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Alone(file)),
            Err(_) => Err(InputError::new(&place, "another sweep works on this store")
                .advise("wait for it, or name another folder")),
        }
    }

    /// The last night, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_night(&self) -> Result<Option<Night>, InputError> {
        self.night("SELECT * FROM night ORDER BY night DESC LIMIT 1", params![])
    }

    /// The night of that number, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn night_of(&self, number: i64) -> Result<Option<Night>, InputError> {
        self.night("SELECT * FROM night WHERE night = ?1", params![number])
    }

    fn night(&self, query: &str, of: &[&dyn rusqlite::ToSql]) -> Result<Option<Night>, InputError> {
        let read = |row: &Row<'_>| -> rusqlite::Result<(i64, i64, String, String, String)> {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        };
        let row = self.database.query_row(query, of, read).optional();
        let Some((number, began, inputs, options, engine)) = row.map_err(|e| self.failed(&e))?
        else {
            return Ok(None);
        };
        Ok(Some(Night {
            number,
            began,
            inputs: self.parsed(&inputs)?,
            options: self.parsed(&options)?,
            engine,
        }))
    }

    /// Adds a night with its tasks; all or nothing.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn add_night(&mut self, night: &Night, tasks: &[Planned]) -> Result<(), InputError> {
        let folder = self.folder.clone();
        let failed = |e| about(&folder, &e);
        let transaction = self.database.transaction().map_err(failed)?;
        let (inputs, options) = (text(&night.inputs), text(&night.options));
        let row = params![night.number, night.began, inputs, options, night.engine];
        let insert = "INSERT OR IGNORE INTO night VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction.execute(insert, row).map_err(failed)?;
        for planned in tasks {
            let task = text(&planned.task);
            let row = params![
                night.number,
                planned.task.name,
                planned.key,
                planned.level,
                task
            ];
            let insert = "INSERT OR IGNORE INTO task VALUES (?1, ?2, ?3, ?4, ?5)";
            transaction.execute(insert, row).map_err(failed)?;
        }
        transaction.commit().map_err(failed)
    }

    /// Puts a task into a night, in the place of one of its name.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn put_task(&self, night: i64, planned: &Planned) -> Result<(), InputError> {
        let task = text(&planned.task);
        let row = params![night, planned.task.name, planned.key, planned.level, task];
        let insert = "INSERT OR REPLACE INTO task VALUES (?1, ?2, ?3, ?4, ?5)";
        self.database
            .execute(insert, row)
            .map_err(|e| self.failed(&e))?;
        Ok(())
    }

    /// The tasks of a night, by name.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn tasks(&self, night: i64) -> Result<Vec<Planned>, InputError> {
        let query = "SELECT key, level, task FROM task WHERE night = ?1 ORDER BY name";
        let rows = self.rows(query, params![night], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, u32>(1)?,
                row.get::<_, String>(2)?,
            ))
        })?;
        rows.into_iter()
            .map(|(key, level, task)| {
                let task: Task = self.parsed(&task)?;
                Ok(Planned { task, key, level })
            })
            .collect()
    }

    /// The numbers of all nights.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn nights(&self) -> Result<Vec<i64>, InputError> {
        self.rows("SELECT night FROM night ORDER BY night", params![], |row| {
            row.get(0)
        })
    }

    /// How the content of that name ended on that level, and what it cost.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn ended(&self, key: &str, level: u32) -> Result<Option<(Ended, Cost)>, InputError> {
        let query = "SELECT ended, cost FROM result WHERE key = ?1 AND level = ?2";
        let read = |row: &Row<'_>| -> rusqlite::Result<(String, String)> {
            Ok((row.get(0)?, row.get(1)?))
        };
        let row = self.database.query_row(query, params![key, level], read);
        match row.optional().map_err(|e| self.failed(&e))? {
            Some((ended, cost)) => Ok(Some((self.parsed(&ended)?, self.parsed(&cost)?))),
            None => Ok(None),
        }
    }

    /// The same on that level, or on the deepest one below it on which there is a result that was made by that night.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn best(
        &self,
        key: &str,
        level: u32,
        night: i64,
    ) -> Result<Option<(u32, Ended, Cost)>, InputError> {
        let query = "SELECT max(level) FROM result WHERE key = ?1 AND level <= ?2 AND night <= ?3";
        let found: Option<u32> = self
            .database
            .query_row(query, params![key, level, night], |row| row.get(0))
            .map_err(|e| self.failed(&e))?;
        let Some(level) = found else {
            return Ok(None);
        };
        Ok(self
            .ended(key, level)?
            .map(|(ended, cost)| (level, ended, cost)))
    }

    /// The deepest level on which there is a result for the content of that name.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn deepest(&self, key: &str) -> Result<Option<u32>, InputError> {
        let query = "SELECT max(level) FROM result WHERE key = ?1";
        let level = self
            .database
            .query_row(query, params![key], |row| row.get(0));
        level.map_err(|e| self.failed(&e))
    }

    /// The report, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn report(&self, key: &str, level: u32) -> Result<Option<String>, InputError> {
        let query = "SELECT report FROM result WHERE key = ?1 AND level = ?2";
        let row = self.database.query_row(query, params![key, level], |row| {
            row.get::<_, Option<Vec<u8>>>(0)
        });
        let packed = row.optional().map_err(|e| self.failed(&e))?.flatten();
        packed.map(|bytes| self.unpacked(&bytes)).transpose()
    }

    /// All results: name of the content, level.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn results(&self) -> Result<Vec<(String, u32)>, InputError> {
        let query = "SELECT key, level FROM result ORDER BY key, level";
        self.rows(query, params![], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// A whole result, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn done(&self, key: &str, level: u32) -> Result<Option<Done>, InputError> {
        let Some((ended, cost)) = self.ended(key, level)? else {
            return Ok(None);
        };
        let report = self.report(key, level)?;
        Ok(Some(Done {
            ended,
            report,
            cost,
        }))
    }

    /// A whole result and the night in which it was made, if there is one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn made(&self, key: &str, level: u32) -> Result<Option<(i64, Done)>, InputError> {
        let query = "SELECT night FROM result WHERE key = ?1 AND level = ?2";
        let row = self
            .database
            .query_row(query, params![key, level], |row| row.get(0));
        let night: Option<i64> = row.optional().map_err(|e| self.failed(&e))?;
        let done = self.done(key, level)?;
        Ok(night.zip(done))
    }

    /// Keeps a result that was made in that night. One that is there already stays.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep(&self, key: &str, level: u32, night: i64, done: &Done) -> Result<(), InputError> {
        let report = done.report.as_deref().map(packed);
        let row = params![
            key,
            level,
            text(&done.ended),
            report,
            text(&done.cost),
            night
        ];
        let insert = "INSERT OR IGNORE INTO result VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.database
            .execute(insert, row)
            .map_err(|e| self.failed(&e))?;
        Ok(())
    }

    /// What is known of a unit: the name of its command.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn compiled(&self, unit: &str) -> Result<Option<Compiled>, InputError> {
        let query = "SELECT compiled FROM unit WHERE unit = ?1";
        let row = self
            .database
            .query_row(query, params![unit], |row| row.get::<_, String>(0));
        let text = row.optional().map_err(|e| self.failed(&e))?;
        text.map(|t| self.parsed(&t)).transpose()
    }

    /// Keeps what is known of a unit.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep_compiled(&self, unit: &str, compiled: &Compiled) -> Result<(), InputError> {
        let insert = "INSERT OR REPLACE INTO unit VALUES (?1, ?2)";
        let row = params![unit, text(compiled)];
        self.database
            .execute(insert, row)
            .map_err(|e| self.failed(&e))?;
        Ok(())
    }

    /// Takes bitcode in; its name.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn take_bitcode(&self, from: &Path) -> Result<PathBuf, InputError> {
        let content = key::of_file(from)?;
        let name = Path::new(BITCODE).join(format!("{content}.bc"));
        let to = self.folder.join(&name);
        if !to.exists() {
            let failed = |e| InputError::new(to.display(), e);
            // Whole or not at all, also beside a process that takes in the same.
            let draft = to.with_extension(format!("bc.{}", std::process::id()));
            std::fs::copy(from, &draft).map_err(failed)?;
            std::fs::rename(&draft, &to).map_err(failed)?;
        }
        Ok(name)
    }

    /// The content of the store as one name: nights, tasks, how they ended, reports; not when, nor what it cost. Two stores with the same
    /// name say the same.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn content(&self) -> Result<String, InputError> {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        for night in self.nights()? {
            add(&format!("night {night}"));
            for planned in self.tasks(night)? {
                add(&format!(
                    "{} {} {}",
                    planned.task.name, planned.key, planned.level
                ));
            }
        }
        for (key, level) in self.results()? {
            let ended = self.ended(&key, level)?.map(|(ended, _)| text(&ended));
            add(&format!("{key} {level}"));
            add(&ended.unwrap_or_default());
            add(&self.report(&key, level)?.unwrap_or_default());
        }
        Ok(hasher.finalize().to_hex().to_string())
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
            InputError::new(place, "the store cannot be written")
                .advise("look at the folder's rights")
        }
        _ => InputError::new(place, error),
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
