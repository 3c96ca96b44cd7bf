//! The tasks of a night: what is there, under which name, and on which level.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;

use super::contents::Contents;
use super::store::{Night, Store};
use super::task::{Bitcode, Planned, Task};
use super::unit::Unit;
use super::{key, source};
use crate::config::Options;
use crate::error::InputError;

/// How a night is planned.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Where tasks come from.
    pub inputs: Vec<PathBuf>,
    /// The options of the first level.
    pub options: Options,
    /// What a budget left undecided gets the next larger one, up to this level.
    pub deepest: u32,
    /// Compilers at once.
    pub jobs: usize,
}

/// Plans a night after those that are in the store; its number.
///
/// # Errors
/// An input that is not there or holds nothing, no compiler, a store that cannot be written.
pub fn plan(
    store: &mut Store,
    wish: &Wish,
    told: &(dyn Fn(&str) + Sync),
) -> Result<i64, InputError> {
    let contents = store.contents()?;
    let tasks = tasks(store, wish, &contents, told)?;
    store.keep_contents(&contents)?;
    let (options, engine) = (key::of_options(&wish.options)?, key::of_engine()?);
    let before = levels_before(store)?;
    let mut planned = Vec::new();
    for task in tasks {
        let contents: Vec<String> = task.files.iter().map(|f| f.content.clone()).collect();
        let key = match contents.is_empty() {
            true => String::new(),
            false => key::of_task(&contents, &options, &engine),
        };
        let level = match store.deepest(&key)? {
            Some(level) => next_level(store, &key, level, wish.deepest)?,
            // New content begins where the task was, so that two nights can be compared.
            None => before
                .get(&task.name)
                .copied()
                .unwrap_or(0)
                .min(wish.deepest),
        };
        planned.push(Planned { task, key, level });
    }
    let last = store.last_night()?.map_or(0, |n| n.number);
    let night = Night {
        number: last + 1,
        began: now(),
        inputs: wish.inputs.clone(),
        options: wish.options.clone(),
        rules: options,
        engine,
        pruned: false,
    };
    store.add_night(&night, &planned)?;
    Ok(night.number)
}

/// The level on which a content is checked next: the deepest on which it was, or the one after, where a budget left something open.
fn next_level(store: &Store, key: &str, level: u32, deepest: u32) -> Result<u32, InputError> {
    let limited = store
        .ended(key, level)?
        .is_some_and(|(ended, _)| ended.limited());
    Ok(match limited && level < deepest {
        true => level + 1,
        false => level,
    })
}

/// The levels of the last night, by name.
fn levels_before(store: &Store) -> Result<BTreeMap<String, u32>, InputError> {
    let Some(night) = store.last_night()? else {
        return Ok(BTreeMap::new());
    };
    let tasks = store.tasks(night.number)?.into_iter();
    Ok(tasks.map(|t| (t.task.name, t.level)).collect())
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(i64::MAX))
}

/// What the inputs hold, each under a name of its own.
fn tasks(
    store: &Store,
    wish: &Wish,
    contents: &Contents,
    told: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Task>, InputError> {
    let mut tasks = Vec::new();
    for input in &wish.inputs {
        let source = source::of(input)?;
        let one = |(name, path): &(String, PathBuf)| task_of_file(name, path);
        let in_parallel = |work: &(dyn Fn() -> Vec<Task> + Sync)| match pool(wish.jobs) {
            Some(pool) => pool.install(work),
            None => work(),
        };
        tasks.extend(in_parallel(&|| {
            source.bitcode.par_iter().map(one).collect()
        }));
        let units: Vec<&Unit> = source.modules.iter().flat_map(|(_, units)| units).collect();
        compile(store, &units, wish.jobs, contents, told)?;
        for (name, units) in &source.modules {
            tasks.push(task_of_units(store, name, units)?);
        }
    }
    Ok(apart(tasks))
}

fn pool(jobs: usize) -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.max(1))
        .build()
        .ok()
}

fn task_of_file(name: &str, path: &PathBuf) -> Task {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let bytes = std::fs::metadata(&path).map_or(0, |d| d.len());
    let content = match path.to_str() {
        Some(_) => key::of_file(&path),
        None => Err(InputError::new(path.display(), "its name is no UTF-8").advise("rename it")),
    };
    let (files, problem) = match content {
        Ok(content) => (
            vec![Bitcode {
                path,
                content,
                bytes,
                made_as: None,
            }],
            None,
        ),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    Task {
        name: name.to_string(),
        files,
        problem,
        call: None,
    }
}

/// Compiles what has changed, as many at once as asked for. A connection to the database is one thread's: each has its own.
fn compile(
    store: &Store,
    units: &[&Unit],
    jobs: usize,
    contents: &Contents,
    told: &(dyn Fn(&str) + Sync),
) -> Result<(), InputError> {
    let mut stale = Vec::new();
    for unit in units {
        if unit.known(store, contents)?.is_none() {
            stale.push(*unit);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let folder = store.folder();
    let one = |unit: &&Unit| -> Result<(), InputError> {
        told(&format!("compiling {}", unit.source.display()));
        unit.compile(&Store::open(folder)?, contents).map(|_| ())
    };
    match pool(jobs) {
        Some(pool) => pool.install(|| stale.par_iter().try_for_each(one)),
        None => stale.iter().try_for_each(one),
    }
}

fn task_of_units(store: &Store, name: &str, units: &[Unit]) -> Result<Task, InputError> {
    let mut task = Task {
        name: name.to_string(),
        files: Vec::new(),
        problem: None,
        call: None,
    };
    for unit in units {
        // What was compiled a moment ago, though a file has changed since.
        match unit.last(store)?.map(|c| c.made) {
            Some(Ok(bitcode)) => task.files.push(bitcode),
            Some(Err(line)) => task.problem = Some(line),
            None => task.problem = Some(format!("{}: was not compiled", unit.source.display())),
        }
    }
    if units.is_empty() {
        task.problem = Some("its command does not name its source".to_string());
    }
    // Half a module is another module.
    if task.problem.is_some() {
        task.files.clear();
    }
    Ok(task)
}

/// Gives tasks of one name numbers.
fn apart(mut tasks: Vec<Task>) -> Vec<Task> {
    let mut seen = BTreeSet::new();
    for task in &mut tasks {
        let plain = task.name.clone();
        let mut n = 1;
        while !seen.insert(task.name.clone()) {
            n += 1;
            task.name = format!("{plain} ({n})");
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::reading::{Counts, Summary};
    use crate::sweep::task::{Cost, Done, Ended};
    use crate::verdict::Overall;

    fn done(limited: bool) -> Done {
        Done {
            ended: Ended::Reported(Summary {
                verdict: Overall::Unknown,
                stopped: None,
                regions: Counts::default(),
                findings: 0,
                limited,
                work: 1,
            }),
            report: Some("{}".to_string()),
            told: None,
            cost: Cost::default(),
        }
    }

    #[test]
    fn what_a_budget_left_open_gets_more_the_next_night() {
        let folder = tempfile::tempdir().expect("a folder");
        let bitcode = folder.path().join("in");
        std::fs::create_dir(&bitcode).expect("made");
        for name in ["a", "b"] {
            std::fs::write(bitcode.join(name).with_extension("bc"), name).expect("written");
        }
        let mut store = Store::create(&folder.path().join("s")).expect("a store");
        let mut wish = Wish {
            inputs: vec![bitcode],
            options: Options::default(),
            deepest: 2,
            jobs: 2,
        };
        let levels = |wish: &Wish, store: &mut Store| -> Vec<(String, u32)> {
            let night = plan(store, wish, &|_| {}).expect("planned");
            let tasks = store.tasks(night).expect("tasks");
            tasks.into_iter().map(|t| (t.key, t.level)).collect()
        };
        let first = levels(&wish, &mut store);
        assert_eq!([first[0].1, first[1].1], [0, 0]);
        store.keep(&first[0].0, 0, 1, &done(true)).expect("kept");
        store.keep(&first[1].0, 0, 1, &done(false)).expect("kept");
        let second = levels(&wish, &mut store);
        assert_eq!([second[0].1, second[1].1], [1, 0]);
        wish.deepest = 0;
        let third = levels(&wish, &mut store);
        assert_eq!([third[0].1, third[1].1], [0, 0]);
        assert_eq!(third[0].0, first[0].0);
    }
}
