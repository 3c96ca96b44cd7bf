//! Whether the object of a build was checked before, as it is now: then its lines are told again and nothing is compiled.
//!
//! What bitcode depends on has one name: the contents of all files that kbuild's compiler read (its `.x.o.cmd` beside the object lists
//! them), the flags, the compiler, and irkiss itself. What a check depends on has one, too: its bitcode, the options, the configuration, the
//! known findings. Where kbuild keeps no list, nothing is known.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use irkiss::config::Options;
use irkiss::kbuild::call;
use irkiss::kbuild::line::Line;
use irkiss::sweep::key;

/// What of the environment says which compiler is called, and how.
const COMPILER: [&str; 3] = ["IRKISS_CLANG", "CC", "SRCARCH"];

/// Names of contents; each file is read once.
#[derive(Debug, Default)]
pub struct Names {
    read: RefCell<BTreeMap<PathBuf, String>>,
}

impl Names {
    /// The name of what the bitcode of an object depends on; `None`: that cannot be told.
    pub fn of_bitcode(&self, line: &Line, object: &Path) -> Option<String> {
        let mut files = call::read_for(object)?;
        files.push(line.source.clone());
        files.sort();
        files.dedup();
        let mut parts = self.contents(&files);
        for name in COMPILER {
            let value = std::env::var_os(name).unwrap_or_default();
            parts.push(format!("{name}={}", value.to_string_lossy()));
        }
        parts.extend(line.flags.iter().map(|f| f.to_string_lossy().into_owned()));
        Some(key::of_task(&parts, "bitcode", &engine()?))
    }

    /// The name of what a check of such bitcode depends on; `None`: that cannot be told.
    pub fn of_check(
        &self,
        bitcode: &[Option<String>],
        options: &Options,
        baseline: Option<&Path>,
    ) -> Option<String> {
        let mut parts: Vec<String> = bitcode.iter().cloned().collect::<Option<_>>()?;
        let files: Vec<PathBuf> = options.config.iter().cloned().collect();
        let files = [files, baseline.map(Path::to_path_buf).into_iter().collect()].concat();
        parts.extend(self.contents(&files));
        let options = key::of_options(options).ok()?;
        Some(key::of_task(&parts, &options, &engine()?))
    }

    fn contents(&self, files: &[PathBuf]) -> Vec<String> {
        let mut read = self.read.borrow_mut();
        let named = files.iter().map(|file| {
            // What is not there may be a setting of the configuration that is off.
            let content = read
                .entry(file.clone())
                .or_insert_with(|| key::of_file(file).unwrap_or_default());
            format!("{} {content}", file.display())
        });
        named.collect()
    }
}

/// This executable, by when it was written and how long it is: to read it costs more than all else here, and it is asked for each file.
fn engine() -> Option<String> {
    let own = std::fs::metadata(key::executable().ok()?).ok()?;
    let written = own.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let version = env!("CARGO_PKG_VERSION");
    Some(format!("{version} {} {}", own.len(), written.as_nanos()))
}
