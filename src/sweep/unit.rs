//! A file of a build, compiled to bitcode once for each state of its command, its source and its headers.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::key;
use super::store::Store;
use super::task::Bitcode;
use crate::error::InputError;
use crate::kbuild::compile;
use crate::kbuild::line::Line;

/// A compiler's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it makes, as the build names it.
    pub object: PathBuf,
    /// Where it is called.
    pub directory: PathBuf,
    /// Its words, the compiler first.
    pub words: Vec<String>,
    /// The source, one of the words.
    pub source: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// The bitcode, in the store, or why there is none.
    pub made: Result<Bitcode, String>,
    /// The files that it was made of.
    pub from: Vec<State>,
}

/// A file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    path: PathBuf,
    bytes: u64,
    /// When it was changed last, in nanoseconds.
    changed: i128,
}

impl State {
    fn of(path: &Path) -> Option<State> {
        let data = std::fs::metadata(path).ok()?;
        Some(State {
            path: path.to_path_buf(),
            bytes: data.len(),
            changed: i128::from(data.mtime()) * 1_000_000_000 + i128::from(data.mtime_nsec()),
        })
    }

    fn is_so_still(&self) -> bool {
        State::of(&self.path).as_ref() == Some(self)
    }
}

impl Unit {
    /// The name of the command.
    fn name(&self) -> String {
        let words = self.words.join("\n");
        key::of_text(&format!("{}\n{words}", self.directory.display()))
    }

    /// What an earlier call made, if nothing has changed since.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn known(&self, store: &Store) -> Result<Option<Compiled>, InputError> {
        let compiled = self.last(store)?;
        // What did not compile may do so now: a header that was not there, another compiler.
        let still = |c: &Compiled| {
            let made = c.made.as_ref();
            let there = made.is_ok_and(|bitcode| store.folder().join(&bitcode.path).exists());
            there && c.from.iter().all(State::is_so_still)
        };
        Ok(compiled.filter(still))
    }

    /// What the last call made.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last(&self, store: &Store) -> Result<Option<Compiled>, InputError> {
        store.compiled(&self.name())
    }

    /// Compiles it into the store. What does not compile is told in the result.
    ///
    /// # Errors
    /// The store cannot be written; there is no compiler.
    pub fn compile(&self, store: &Store) -> Result<Compiled, InputError> {
        let source = self.directory.join(&self.source);
        let alone = || State::of(&source).into_iter().collect();
        let compiled = match self.bitcode() {
            Ok(bitcode) => {
                let path = store.take_bitcode(&bitcode.file)?;
                let content = path.file_stem().unwrap_or_default().to_string_lossy();
                let bytes = std::fs::metadata(store.folder().join(&path)).map_or(0, |d| d.len());
                Compiled {
                    made: Ok(Bitcode {
                        content: content.into_owned(),
                        path,
                        bytes,
                    }),
                    from: match bitcode.depends() {
                        Some(files) => self.states(&files),
                        None => alone(),
                    },
                }
            }
            Err(error) => Compiled {
                made: Err(error.to_string()),
                from: alone(),
            },
        };
        store.keep_compiled(&self.name(), &compiled)?;
        Ok(compiled)
    }

    fn bitcode(&self) -> Result<compile::Bitcode, InputError> {
        let words = self.words.iter().skip(1);
        let flags = words.filter(|w| Path::new(w) != self.source);
        let line = Line::of_compiler(flags.map(OsString::from), &self.source, &self.directory);
        compile::Bitcode::of(&line)
    }

    fn states(&self, files: &[PathBuf]) -> Vec<State> {
        let paths = files.iter().map(|f| self.directory.join(f));
        paths.filter_map(|p| State::of(&p)).collect()
    }
}
