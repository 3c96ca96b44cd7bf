//! What is forgotten, and what is named still.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rusqlite::params;

use super::{Store, about};
use crate::error::InputError;
use crate::sweep::task::Task;
use crate::sweep::unit::Compiled;

/// Results that no task has.
const UNUSED: &str = "FROM result WHERE key NOT IN (SELECT key FROM task)";

impl Store {
    /// Forgets nights before that one, but for those tasks of theirs (night, name), and results that no task has any more; how many
    /// results that were. All or nothing.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn forget_before(
        &mut self,
        oldest: i64,
        needed: &BTreeSet<(i64, String)>,
    ) -> Result<usize, InputError> {
        let names = "SELECT night, name FROM task WHERE night < ?1";
        let old: Vec<(i64, String)> =
            self.rows(names, params![oldest], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let folder = self.folder.clone();
        let failed = |e| about(&folder, &e);
        let transaction = self.database.transaction().map_err(failed)?;
        for (night, name) in old.iter().filter(|t| !needed.contains(t)) {
            let delete = "DELETE FROM task WHERE night = ?1 AND name = ?2";
            transaction
                .execute(delete, params![night, name])
                .map_err(failed)?;
        }
        let unneeded = "night < ?1 AND night NOT IN (SELECT night FROM task)";
        for statement in [
            format!("DELETE FROM night WHERE {unneeded}"),
            "UPDATE night SET pruned = 1 WHERE night < ?1".to_string(),
            "DELETE FROM run WHERE night < ?1".to_string(),
        ] {
            transaction
                .execute(&statement, params![oldest])
                .map_err(failed)?;
        }
        let results = transaction
            .execute(&format!("DELETE {UNUSED}"), params![])
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(results)
    }

    /// Forgets what was told, compiled and read for no task that is there; the bitcode that is named still.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn forget_unnamed(&mut self) -> Result<BTreeSet<PathBuf>, InputError> {
        let tasks: Vec<String> = self.rows("SELECT task FROM task", params![], |row| row.get(0))?;
        let mut named = BTreeSet::new();
        for task in tasks {
            let task: Task = self.parsed(&task)?;
            named.extend(task.files.into_iter().map(|f| f.path));
        }
        let units: Vec<(String, Vec<u8>)> =
            self.rows("SELECT unit, compiled FROM unit", params![], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let (mut gone, mut read) = (Vec::new(), BTreeSet::new());
        for (unit, packed) in units {
            let compiled: Compiled = self.parsed(&self.unpacked(&packed)?)?;
            match compiled.made {
                Ok(bitcode) if named.contains(&bitcode.path) => read.extend(compiled.from),
                _ => gone.push(unit),
            }
        }
        let files: Vec<String> = self.rows("SELECT path FROM file", params![], |row| row.get(0))?;
        let folder = self.folder.clone();
        let failed = |e| about(&folder, &e);
        let transaction = self.database.transaction().map_err(failed)?;
        let unread = files.iter().filter(|f| !read.contains(&PathBuf::from(f)));
        for (statement, names) in [
            ("DELETE FROM unit WHERE unit = ?1", gone.iter().collect()),
            (
                "DELETE FROM file WHERE path = ?1",
                unread.collect::<Vec<&String>>(),
            ),
        ] {
            for name in names {
                transaction
                    .execute(statement, params![name])
                    .map_err(failed)?;
            }
        }
        let untold = "DELETE FROM told WHERE key NOT IN (SELECT key FROM task)";
        transaction.execute(untold, params![]).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(named)
    }

    /// Makes the database as small as what is in it.
    ///
    /// # Errors
    /// The store cannot be written, or there is no room for a copy.
    pub fn give_back_space(&self) -> Result<(), InputError> {
        let done = self.database.execute_batch("VACUUM");
        done.map_err(|e| self.failed(&e))
    }
}
