//! Results that a build brings along: a plugin in the compiler, or a step of a build, checks a file and keeps what came of it.
//!
//! They belong to a night without inputs ([`begin`]), which fills as the build goes on; several compilers may write at once. The options
//! are those of the first level ([`super::budget::at`]), so that the next nights go on from there; a result that a clock has cut short is
//! not kept for another time.

use std::path::Path;

use super::store::{Night, Store};
use super::task::{Bitcode, Done, Planned, Task};
use super::{key, plan};
use crate::config::Options;
use crate::error::InputError;

/// A file of bitcode that is in the store.
#[derive(Clone, Debug)]
pub struct Known {
    planned: Planned,
    options: Options,
}

/// Begins a night that a build fills; its number.
///
/// # Errors
/// The store cannot be written.
pub fn begin(store: &mut Store, options: &Options) -> Result<i64, InputError> {
    let night = Night {
        number: store.last_night()?.map_or(0, |n| n.number) + 1,
        began: plan::now(),
        inputs: Vec::new(),
        options: options.clone(),
        engine: key::of_engine()?,
    };
    store.add_night(&night, &[])?;
    Ok(night.number)
}

impl Known {
    /// Takes the bitcode in, under the name of what it was compiled from; options of the first level.
    ///
    /// # Errors
    /// It cannot be read; the store cannot be written.
    pub fn of(
        store: &Store,
        name: &str,
        bitcode: &Path,
        options: &Options,
    ) -> Result<Known, InputError> {
        let path = store.take_bitcode(bitcode)?;
        let content = key::of_file(bitcode)?;
        let key = key::of_task(
            std::slice::from_ref(&content),
            &key::of_options(options)?,
            &key::of_engine()?,
        );
        let bytes = std::fs::metadata(bitcode).map_or(0, |d| d.len());
        let file = Bitcode {
            path,
            content,
            bytes,
        };
        let task = Task {
            name: name.to_string(),
            files: vec![file],
            problem: None,
        };
        Ok(Known {
            planned: Planned {
                task,
                key,
                level: 0,
            },
            options: options.clone(),
        })
    }

    /// Puts it into the night that a build fills, which begins if there is none; `done`: what came of it, unless a clock has cut it short.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep(&self, store: &mut Store, done: Option<&Done>) -> Result<(), InputError> {
        let night = match store.last_night()? {
            Some(night) if night.inputs.is_empty() => night.number,
            _ => begin(store, &self.options)?,
        };
        if let Some(done) = done {
            store.keep(&self.planned.key, self.planned.level, night, done)?;
        }
        store.put_task(night, &self.planned)
    }
}
