//! A store that is only read: on a disk that is read only, or in a folder of somebody else.
//!
//! SQLite wants to write a little beside a database with a write-ahead log even to read it. Where it cannot, and there is a log with
//! something in it, database and log are copied to where it can.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, access};

use super::{DATABASE, FORMAT, PATIENCE, Store, about, another_format};
use crate::error::InputError;

/// A folder with copies, which goes away.
#[derive(Debug)]
pub(super) struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        // What cannot be removed is a file in the temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Copy {
    /// Of the database and its log.
    fn of(folder: &Path) -> Result<Copy, InputError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("irkiss-sweep-{}-{n}", std::process::id());
        let copy = Copy(std::env::temp_dir().join(name));
        let failed = |e| InputError::new(copy.0.display(), e).advise("TMPDIR names another folder");
        std::fs::create_dir(&copy.0).map_err(failed)?;
        for name in [DATABASE, LOG] {
            std::fs::copy(folder.join(name), copy.0.join(name)).map_err(failed)?;
        }
        Ok(copy)
    }
}

/// The write-ahead log.
const LOG: &str = "sweep.db-wal";

impl Store {
    /// Opens the store of a folder to read it, also where it cannot be written.
    ///
    /// # Errors
    /// There is none; a store of another version; one that cannot be read.
    pub fn look(folder: &Path) -> Result<Store, InputError> {
        let path = folder.join(DATABASE);
        let can_write = |p: &Path| access(p, Access::WRITE_OK).is_ok();
        // One that is not there is told of there.
        if !path.is_file() || can_write(folder) && can_write(&path) {
            return Store::open(folder);
        }
        let plainly = Store::reading(folder, &uri(&path, ""), None);
        if plainly.is_ok() {
            // Somebody writes, and SQLite has what it needs beside the database.
            return plainly;
        }
        let logged = std::fs::metadata(folder.join(LOG)).is_ok_and(|d| d.len() > 0);
        if !logged {
            return Store::reading(folder, &uri(&path, "&immutable=1"), None);
        }
        let copy = Copy::of(folder)?;
        let copied = uri(&copy.0.join(DATABASE), "").replace("mode=ro", "mode=rw");
        Store::reading(folder, &copied, Some(copy))
    }

    fn reading(folder: &Path, uri: &str, copy: Option<Copy>) -> Result<Store, InputError> {
        let failed = |e| about(folder, &e);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI;
        let database = Connection::open_with_flags(uri, flags).map_err(failed)?;
        database.busy_timeout(PATIENCE).map_err(failed)?;
        let format: i64 = database
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(failed)?;
        match format {
            FORMAT => Ok(Store {
                folder: folder.to_path_buf(),
                database,
                _copy: copy,
            }),
            other => Err(another_format(folder, other)),
        }
    }
}

/// The file as SQLite wants it (https://www.sqlite.org/uri.html).
fn uri(path: &Path, more: &str) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.display().to_string();
    let quoted = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file://{quoted}?mode=ro{more}")
}
