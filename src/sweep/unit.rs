//! A file of a build, compiled to bitcode once for each state of its command, its compiler, its source and its headers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::contents::{self, Contents};
use super::store::Store;
use super::task::Bitcode;
use super::{headers, key};
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
    /// Who compiled it ([`compile::compiler`]).
    pub compiler: String,
    /// The files that it was made of.
    pub from: Vec<PathBuf>,
    /// What they held, as one name; empty: they changed meanwhile.
    pub held: String,
    /// The headers of these names that it was not made of ([`super::headers`]).
    pub passed_over: String,
}

impl Unit {
    /// The name of the command.
    fn name(&self) -> String {
        let words = self.words.join("\n");
        key::of_text(&format!("{}\n{words}", self.directory.display()))
    }

    /// What an earlier call made, if nothing has changed since: neither the command, nor the compiler, nor what the source and its
    /// headers hold.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn known(
        &self,
        store: &Store,
        contents: &Contents,
    ) -> Result<Option<Compiled>, InputError> {
        let compiled = self.last(store)?;
        // What did not compile may do so now: a header that was not there.
        let still = |c: &Compiled| {
            let made = c.made.as_ref();
            let there = made.is_ok_and(|bitcode| store.folder().join(&bitcode.path).exists());
            there
                && c.compiler == compile::compiler()
                && c.held == contents.of_files(&c.from)
                && c.passed_over == headers::passed_over(self, &c.from)
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
    pub fn compile(&self, store: &Store, contents: &Contents) -> Result<Compiled, InputError> {
        let began = contents::now();
        let mut from = vec![self.directory.join(&self.source)];
        let made = match self.bitcode() {
            Ok(bitcode) => {
                if let Some(files) = bitcode.depends() {
                    from = files.iter().map(|f| self.directory.join(f)).collect();
                }
                let path = store.take_bitcode(&bitcode.file)?;
                let content = path.file_stem().unwrap_or_default().to_string_lossy();
                let bytes = std::fs::metadata(store.folder().join(&path)).map_or(0, |d| d.len());
                Ok(Bitcode {
                    content: content.into_owned(),
                    path,
                    bytes,
                    made_as: Some(self.object.clone()),
                })
            }
            Err(error) => Err(error.to_string()),
        };
        let held = match Contents::any_changed_after(&from, began) {
            true => String::new(),
            false => contents.of_files(&from),
        };
        let compiled = Compiled {
            made,
            compiler: compile::compiler().to_string(),
            passed_over: headers::passed_over(self, &from),
            from,
            held,
        };
        store.keep_compiled(&self.name(), &compiled)?;
        Ok(compiled)
    }

    fn bitcode(&self) -> Result<compile::Bitcode, InputError> {
        let launchers = self.words.iter().take_while(|w| is_launcher(w)).count();
        let mut words = self.words.iter().skip(launchers);
        let target = words.next().and_then(|compiler| target_of(compiler));
        let flags = words.filter(|w| Path::new(w) != self.source);
        let mut line = Line::of_compiler(flags.map(OsString::from), &self.source, &self.directory);
        if let Some(target) = target.filter(|_| !line.names_target()) {
            line.flags.push(format!("--target={target}").into());
        }
        compile::Bitcode::of(&line)
    }
}

/// Whether a word starts the compiler that follows it.
fn is_launcher(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    ["ccache", "sccache", "distcc", "icecc"]
        .iter()
        .any(|l| name == *l)
}

/// The target of a cross compiler, as its name tells: `aarch64-linux-gnu-gcc-12`.
fn target_of(compiler: &str) -> Option<&str> {
    let name = Path::new(compiler).file_name()?.to_str()?;
    let version = |c: char| c.is_ascii_digit() || c == '.';
    let plain = name.trim_end_matches(version).trim_end_matches('-');
    let ends = ["-gcc", "-g++", "-clang", "-clang++", "-cc", "-c++"];
    let target = ends.iter().find_map(|end| plain.strip_suffix(end))?;
    target.contains('-').then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_tells_its_target() {
        let cross = "/opt/bin/aarch64-linux-gnu-gcc-12.2";
        assert_eq!(target_of(cross), Some("aarch64-linux-gnu"));
        let plus = "arm-linux-gnueabihf-g++";
        assert_eq!(target_of(plus), Some("arm-linux-gnueabihf"));
        for own in ["gcc", "clang-22", "/usr/bin/cc", "ccache", "my-gcc"] {
            assert_eq!(target_of(own), None, "{own}");
        }
        assert!(is_launcher("/usr/bin/ccache") && !is_launcher("clang"));
    }
}
