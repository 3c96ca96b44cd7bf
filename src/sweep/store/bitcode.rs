//! Bitcode that lies in the store, and the units that it was compiled from.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, params};

use super::{BITCODE, Store, about, packed, text};
use crate::error::InputError;
use crate::sweep::contents::{Contents, Seen};
use crate::sweep::key;
use crate::sweep::unit::Compiled;

impl Store {
    /// What is known of a unit: the name of its command.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn compiled(&self, unit: &str) -> Result<Option<Compiled>, InputError> {
        let query = "SELECT compiled FROM unit WHERE unit = ?1";
        let row = self
            .database
            .query_row(query, params![unit], |row| row.get::<_, Vec<u8>>(0));
        let packed = row.optional().map_err(|e| self.failed(&e))?;
        packed
            .map(|bytes| self.parsed(&self.unpacked(&bytes)?))
            .transpose()
    }

    /// Keeps what is known of a unit.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep_compiled(&self, unit: &str, compiled: &Compiled) -> Result<(), InputError> {
        let insert = "INSERT OR REPLACE INTO unit VALUES (?1, ?2)";
        let row = params![unit, packed(&text(compiled))];
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
        } else if let Ok(file) = std::fs::File::options().append(true).open(&to) {
            // Used again: whoever clears up leaves what is young. It may be somebody else's file; then it stays as old as it is.
            let _ = file.set_modified(std::time::SystemTime::now());
        }
        Ok(name)
    }

    /// What is known of files.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn contents(&self) -> Result<Contents, InputError> {
        self.contents_by("SELECT path, seen FROM file", params![])
    }

    /// What is known of a file.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn contents_of(&self, path: &Path) -> Result<Contents, InputError> {
        let query = "SELECT path, seen FROM file WHERE path = ?1";
        self.contents_by(query, params![path.to_string_lossy()])
    }

    fn contents_by(
        &self,
        query: &str,
        of: &[&dyn rusqlite::ToSql],
    ) -> Result<Contents, InputError> {
        let rows: Vec<(String, String)> =
            self.rows(query, of, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut files = HashMap::new();
        for (path, seen) in rows {
            files.insert(PathBuf::from(path), self.parsed::<Seen>(&seen)?);
        }
        Ok(Contents::from(files))
    }

    /// Keeps what has been read of files.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep_contents(&mut self, contents: &Contents) -> Result<(), InputError> {
        let new = contents.take_new();
        if new.is_empty() {
            return Ok(());
        }
        let folder = self.folder.clone();
        let failed = |e| about(&folder, &e);
        let transaction = self.database.transaction().map_err(failed)?;
        for (path, seen) in new {
            // A name that is no text is read each time.
            if let Some(path) = path.to_str() {
                let insert = "INSERT OR REPLACE INTO file VALUES (?1, ?2)";
                let row = params![path, text(&seen)];
                transaction.execute(insert, row).map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)
    }
}
