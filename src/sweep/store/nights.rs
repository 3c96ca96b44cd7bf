//! Nights and their tasks, and how their runs ended.

use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};

use super::{Night, Store, about, text};
use crate::error::InputError;
use crate::sweep::task::{Planned, RunEnd, Task};

impl Store {
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
        let read = |row: &Row<'_>| -> rusqlite::Result<(i64, i64, [String; 4], bool)> {
            let texts = [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
            Ok((row.get(0)?, row.get(1)?, texts, row.get(6)?))
        };
        let row = self.database.query_row(query, of, read).optional();
        let Some((number, began, [inputs, options, rules, engine], pruned)) =
            row.map_err(|e| self.failed(&e))?
        else {
            return Ok(None);
        };
        Ok(Some(Night {
            number,
            began,
            inputs: self.parsed(&inputs)?,
            options: self.parsed(&options)?,
            rules,
            engine,
            pruned,
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
        let row = params![
            night.number,
            night.began,
            inputs,
            options,
            night.rules,
            night.engine,
            night.pruned
        ];
        let insert = "INSERT OR IGNORE INTO night VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
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

    /// Puts a task into a night, in the place of one of its name that the same call made. Beside one that another call made it gets a
    /// number.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn put_task(&mut self, night: i64, planned: &Planned) -> Result<(), InputError> {
        let folder = self.folder.clone();
        let failed = |e| about(&folder, &e);
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.database.transaction_with_behavior(behavior);
        let transaction = transaction.map_err(failed)?;
        let mut task = planned.task.clone();
        for n in 2.. {
            let query = "SELECT task FROM task WHERE night = ?1 AND name = ?2";
            let row = params![night, task.name];
            let there: Option<String> = transaction
                .query_row(query, row, |row| row.get(0))
                .optional()
                .map_err(failed)?;
            let there = there.and_then(|t| serde_json::from_str::<Task>(&t).ok());
            if there.is_none_or(|t| t.call == task.call) {
                break;
            }
            task.name = format!("{} ({n})", planned.task.name);
        }
        let row = params![night, task.name, planned.key, planned.level, text(&task)];
        let insert = "INSERT OR REPLACE INTO task VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction.execute(insert, row).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// The tasks of a night, by name.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn tasks(&self, night: i64) -> Result<Vec<Planned>, InputError> {
        let query = "SELECT night, key, level, task FROM task WHERE night = ?1 ORDER BY name";
        let tasks = self.planned(query, params![night])?;
        Ok(tasks.into_iter().map(|(_, planned)| planned).collect())
    }

    /// The tasks of that night and of all nights before it, those of one name together, the last night first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn tasks_until(&self, night: i64) -> Result<Vec<(i64, Planned)>, InputError> {
        let query =
            "SELECT night, key, level, task FROM task WHERE night <= ?1 ORDER BY name, night DESC";
        self.planned(query, params![night])
    }

    fn planned(
        &self,
        query: &str,
        of: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<(i64, Planned)>, InputError> {
        let rows = self.rows(query, of, |row| {
            let task: String = row.get(3)?;
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, task))
        })?;
        rows.into_iter()
            .map(|(night, key, level, task)| {
                let task: Task = self.parsed(&task)?;
                Ok((night, Planned { task, key, level }))
            })
            .collect()
    }

    /// How the last run of a night ended; none: it was not run.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_run(&self, night: i64) -> Result<Option<RunEnd>, InputError> {
        let query = "SELECT run FROM run WHERE night = ?1";
        let row = self
            .database
            .query_row(query, params![night], |row| row.get::<_, String>(0));
        let run = row.optional().map_err(|e| self.failed(&e))?;
        let run = run.map(|r| self.parsed(&r)).transpose()?;
        Ok(match run {
            Some(RunEnd::Begun) if !self.is_worked_on() => Some(RunEnd::Killed),
            other => other,
        })
    }

    /// Keeps how the last run of a night ended, or that it has begun.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep_run(&self, night: i64, run: &RunEnd) -> Result<(), InputError> {
        let insert = "INSERT OR REPLACE INTO run VALUES (?1, ?2)";
        let done = self.database.execute(insert, params![night, text(run)]);
        done.map(|_| ()).map_err(|e| self.failed(&e))
    }

    /// The numbers of all nights that are there as a whole.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn nights(&self) -> Result<Vec<i64>, InputError> {
        let query = "SELECT night FROM night WHERE NOT pruned ORDER BY night";
        self.rows(query, params![], |row| row.get(0))
    }

    /// Which irkiss checked in each night, also in those of which only a part is there.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn engines(&self) -> Result<Vec<(i64, String)>, InputError> {
        let query = "SELECT night, engine FROM night";
        self.rows(query, params![], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// A night in numbers.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn outline(&self, night: i64) -> Result<Outline, InputError> {
        let query = "SELECT count(*), sum(coalesce(json_extract(r.ended, '$.how') IN ('reported', 'no-entry-points'), 0)),
                sum(coalesce(json_extract(r.ended, '$.findings'), 0))
            FROM task t LEFT JOIN result r ON r.key = t.key AND r.level =
                (SELECT max(level) FROM result x WHERE x.key = t.key AND x.level <= t.level AND x.night <= t.night)
            WHERE t.night = ?1";
        // None: there is no row to count.
        let number = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok()).unwrap_or_default();
        let read = |row: &Row<'_>| -> rusqlite::Result<Outline> {
            Ok(Outline {
                tasks: number(row.get(0)?),
                checked: number(row.get(1)?),
                findings: number(row.get(2)?),
            })
        };
        let row = self.database.query_row(query, params![night], read);
        row.map_err(|e| self.failed(&e))
    }
}

/// A night in numbers.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// Its tasks.
    pub tasks: u64,
    /// Those that were checked.
    pub checked: u64,
    /// What was found in them.
    pub findings: u64,
}
