//! Results: how the content of a name ended on a level, and what is said of it.

use rusqlite::{OptionalExtension, Row, params};

use super::{Store, packed, text};
use crate::error::InputError;
use crate::sweep::record::Told;
use crate::sweep::task::{Cost, Done, Ended};

impl Store {
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
            told: None,
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
        let told = done.told.as_ref().map(|text| Told {
            text: text.clone(),
            seconds: None,
        });
        told.map_or(Ok(()), |told| self.keep_told(key, &told))
    }

    /// What the compiler's plugin told of the content of that name, if it may be told again.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn told(&self, key: &str) -> Result<Option<Told>, InputError> {
        let query = "SELECT told FROM told WHERE key = ?1";
        let row = self
            .database
            .query_row(query, params![key], |row| row.get::<_, String>(0));
        let told = row.optional().map_err(|e| self.failed(&e))?;
        told.map(|t| self.parsed(&t)).transpose()
    }

    /// Keeps it, in the place of what was told before.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep_told(&self, key: &str, told: &Told) -> Result<(), InputError> {
        let insert = "INSERT OR REPLACE INTO told VALUES (?1, ?2)";
        let done = self.database.execute(insert, params![key, text(told)]);
        done.map(|_| ()).map_err(|e| self.failed(&e))
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
}
