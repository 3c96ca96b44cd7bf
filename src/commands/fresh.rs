//! Whether the object of a build was checked before, as it is now: then its lines are told again and nothing is compiled.
//!
//! What a check depends on has one name: the contents of all files that kbuild's compiler read (its `.x.o.cmd` beside the object lists
//! them), the flags, the compiler, the options, the configuration, the known findings, and irkiss itself. Where kbuild keeps no list,
//! nothing is known.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use irkiss::config::Options;
use irkiss::kbuild::line::Line;
use irkiss::sweep::key;

/// What marks the list.
const LIST: &str = "deps_";
const CONFIGURATION: &str = "$(wildcard";

/// What of the environment says which compiler is called, and how.
const COMPILER: [&str; 3] = ["IRKISS_CLANG", "CC", "SRCARCH"];

/// The name of what a check of the object depends on; `None`: that cannot be told.
pub fn name(
    line: &Line,
    object: &Path,
    options: &Options,
    baseline: Option<&Path>,
) -> Option<String> {
    let mut files = read_by_compiler(object)?;
    files.push(line.source.clone());
    files.extend(options.config.clone());
    files.extend(baseline.map(Path::to_path_buf));
    files.sort();
    files.dedup();
    let mut parts = Vec::new();
    for file in &files {
        // What is not there may be a setting of the configuration that is off.
        let content = key::of_file(file).unwrap_or_default();
        parts.push(format!("{} {content}", file.display()));
    }
    for name in COMPILER {
        let value = std::env::var_os(name).unwrap_or_default();
        parts.push(format!("{name}={}", value.to_string_lossy()));
    }
    parts.extend(line.flags.iter().map(|f| f.to_string_lossy().into_owned()));
    let options = key::of_options(options).ok()?;
    Some(key::of_task(&parts, &options, &engine()?))
}

/// This executable, by when it was written and how long it is: to read it costs more than all else here, and it is asked for each file.
fn engine() -> Option<String> {
    let own = std::fs::metadata(key::executable().ok()?).ok()?;
    let written = own.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let version = env!("CARGO_PKG_VERSION");
    Some(format!("{version} {} {}", own.len(), written.as_nanos()))
}

/// The files that kbuild's compiler read for an object.
fn read_by_compiler(object: &Path) -> Option<Vec<PathBuf>> {
    let name = object.file_name()?.to_str()?;
    let list = std::fs::read_to_string(object.with_file_name(format!(".{name}.cmd"))).ok()?;
    let start = list.find(LIST)?;
    let (_, list) = list[start..].split_once(":=")?;
    let end = list.find("\n\n").unwrap_or(list.len());
    let words = list[..end].split_whitespace().filter(|w| *w != "\\");
    let files = words.filter(|w| *w != CONFIGURATION);
    Some(
        files
            .map(|w| PathBuf::from(w.trim_end_matches(')')))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_kbuild_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let object = folder.path().join("x.o");
        assert_eq!(read_by_compiler(&object), None);
        let text = "savedcmd_x.o := clang -c\n\nsource_x.o := x.c\n\ndeps_x.o := \\\n  \
                    $(wildcard include/config/SMP) \\\n  include/a.h \\\n\nx.o: $(deps_x.o)\n";
        std::fs::write(folder.path().join(".x.o.cmd"), text).expect("written");
        let files = read_by_compiler(&object).expect("a list");
        assert_eq!(
            files,
            ["include/config/SMP", "include/a.h"].map(PathBuf::from)
        );
    }
}
