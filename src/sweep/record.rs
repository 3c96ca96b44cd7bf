//! Results that a build brings along: a plugin in the compiler, or a step of a build, checks a file and keeps what came of it.
//!
//! They belong to a night without inputs ([`begin`]), which fills as the build goes on; several compilers may write at once. The options
//! are those of the first level ([`super::budget::at`]), so that the next nights go on from there; a result that a clock has cut short is
//! not kept for another time. What was told of a module is told again where nothing has changed ([`Told`]).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::source::{common, named, plain};
use super::store::{Night, Store};
use super::task::{Bitcode, Done, Planned, Task};
use super::{key, plan};
use crate::config::Options;
use crate::error::InputError;

/// What the plugin told of a content, word for word (`src/report/wire.rs`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The words.
    pub text: String,
    /// A clock ended the check after so many seconds: who gives it more checks again. None: no clock did.
    pub seconds: Option<u64>,
}

/// The call of a compiler or linker that made a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What the compiler calls the module.
    pub source: String,
    /// A name of all that was said to the compiler.
    pub words: String,
}

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
        rules: key::of_options(options)?,
        engine: key::of_engine()?,
        pruned: false,
    };
    store.add_night(&night, &[])?;
    Ok(night.number)
}

impl Known {
    /// Takes the bitcode in, under a name of what it was compiled from; options of the first level. `words`: of the compiler's call, here.
    ///
    /// # Errors
    /// It cannot be read; the store cannot be written.
    pub fn of(
        store: &mut Store,
        source: &str,
        words: &[String],
        bitcode: &Path,
        options: &Options,
    ) -> Result<Known, InputError> {
        let path = store.take_bitcode(bitcode)?;
        let content = key::of_file(bitcode)?;
        // A build asks for each of its files.
        let contents = store.contents_of(&key::executable()?)?;
        let engine = key::of_engine_in(&contents)?;
        store.keep_contents(&contents)?;
        let options_key = key::of_options(options)?;
        let key = key::of_task(std::slice::from_ref(&content), &options_key, &engine);
        let here = std::env::current_dir().unwrap_or_default();
        let words = settled(words);
        let call = Call {
            source: source.to_string(),
            words: key::of_text(&format!("{}\n{}", here.display(), words.join("\n"))),
        };
        let name = name_of(source, &words, &here, &content);
        let bytes = std::fs::metadata(bitcode).map_or(0, |d| d.len());
        let file = Bitcode {
            path,
            content,
            bytes,
            made_as: Some(source.into()),
        };
        let task = Task {
            name,
            files: vec![file],
            problem: None,
            call: Some(call),
        };
        Ok(Known {
            planned: Planned {
                task,
                key,
                level: 0,
            },
            // How long a compiler waits is nothing to a sweep.
            options: Options {
                timeout: None,
                ..options.clone()
            },
        })
    }

    /// What was told of it before, unless it may take longer now.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn told(&self, store: &Store, timeout: Option<u64>) -> Result<Option<String>, InputError> {
        let told = store.told(&self.planned.key)?;
        let enough = |t: &Told| match (t.seconds, timeout) {
            (None, _) => true,
            (Some(then), Some(now)) => now <= then,
            (Some(_), None) => false,
        };
        Ok(told.filter(enough).map(|t| t.text))
    }

    /// Puts it into the night that a build fills, which begins if there is none; the night's number.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn put(&self, store: &mut Store) -> Result<i64, InputError> {
        let night = match store.last_night()? {
            Some(night) if night.inputs.is_empty() => night.number,
            _ => begin(store, &self.options)?,
        };
        store.put_task(night, &self.planned)?;
        Ok(night)
    }

    /// Keeps what came of it in that night, unless a clock has cut it short, and what was told.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn keep(
        &self,
        store: &Store,
        night: i64,
        done: Option<&Done>,
        told: Option<&Told>,
    ) -> Result<(), InputError> {
        if let Some(done) = done {
            store.keep(&self.planned.key, self.planned.level, night, done)?;
        }
        told.map_or(Ok(()), |told| store.keep_told(&self.planned.key, told))
    }
}

/// The words without those that are others each time, those of files put in their place.
fn settled(words: &[String]) -> Vec<String> {
    let words = words.iter().flat_map(|word| {
        let text = word.strip_prefix('@').map(std::fs::read_to_string);
        let said = text.and_then(Result::ok).and_then(|t| shlex::split(&t));
        said.unwrap_or_else(|| vec![word.clone()])
    });
    words.filter(|w| !is_temporary(Path::new(w))).collect()
}

/// Whether the compiler has made up the name, for another program that it calls: `/tmp/main-0a1b2c.o`.
fn is_temporary(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let made_up = stem.rsplit_once('-').is_some_and(|(_, end)| {
        end.len() >= 6
            && end
                .chars()
                .all(|c| c.is_ascii_hexdigit() && !c.is_uppercase())
    });
    made_up && path.parent() == Some(&std::env::temp_dir())
}

/// What the call writes, if that is a file that stays.
fn output_of(words: &[String], here: &Path) -> Option<PathBuf> {
    let at = words.iter().rposition(|w| w == "-o");
    let after = at.and_then(|at| words.get(at + 1)).map(String::as_str);
    let joined = || words.iter().rev().find_map(|w| w.strip_prefix("--output="));
    let output = after.or_else(joined)?;
    let stays = !["-", "/dev/null"].contains(&output) && !output.starts_with('-');
    stays.then(|| plain(&here.join(output)))
}

/// A name that is the same the next time, and another one where the same file is compiled into something else.
fn name_of(source: &str, words: &[String], here: &Path, content: &str) -> String {
    let output = output_of(words, here);
    let path = Path::new(source);
    if !path.is_file() {
        // A program has no name when it is linked, nor what comes by a pipe.
        return match output {
            Some(output) => format!("{} ({source})", output.display()),
            None => format!("{source} {}", &content[..12]),
        };
    }
    let path = plain(&here.join(path));
    let own = path.display().to_string();
    let beside = |o: &Path| o.parent() == path.parent() && o.file_stem() == path.file_stem();
    match output {
        // Without `-o` it lies here, under the name of its source.
        Some(output) if !beside(&output) => {
            format!("{own} ({})", named(&output, &common(&path, &output)))
        }
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_called_by_its_source_and_where_it_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        let source = here.join("x.c").display().to_string();
        std::fs::write(&source, "").expect("written");
        let name = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_string).collect();
            name_of(&source, &settled(&words), here, "0123456789abcdef")
        };
        for plain in [
            "clang -c x.c",
            "clang -c x.c -o x.o",
            "clang -S x.c -o ./x.s",
            "clang -c x.c -o /dev/null",
        ] {
            assert_eq!(name(plain), source, "{plain}");
        }
        assert_eq!(name("clang x.c -o a/x.o"), format!("{source} (a/x.o)"));
        let temporary = std::env::temp_dir().join("x-01ab9f.o");
        let words = format!("clang -cc1 -o {} x.c", temporary.display());
        assert_eq!(name(&words), source);
        let linked = ["ld.lld", "-o", "prog"].map(str::to_string);
        let name = name_of("the linked program", &linked, here, "0123456789abcdef");
        assert_eq!(
            name,
            format!("{} (the linked program)", here.join("prog").display())
        );
    }
}
