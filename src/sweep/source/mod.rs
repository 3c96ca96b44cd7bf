//! What there is to check: modules of bitcode, and the units of a build with what they are linked into.
//!
//! A kernel build tells it by itself: each `.mod` file lists the objects of a module, each `.NAME.o.cmd` the call that made an object
//! (`scripts/Makefile.build`). A `compile_commands.json` lists calls; objects lie in CMake's `CMakeFiles/TARGET.dir/` or Meson's `TARGET.p/`, which names the
//! program or library that they belong to. What nothing puts together is checked file by file, and a file that is compiled several times
//! as often as it is compiled (`variants.rs`).

mod variants;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::store::DATABASE;
use super::unit::Unit;
use crate::error::InputError;
use crate::kbuild::call::Call;
use crate::kbuild::module::{objects_in, root_of_build};

/// What an input holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Files of bitcode: name, path.
    pub bitcode: Vec<(String, PathBuf)>,
    /// Modules to compile: name, units; none where no call tells how.
    pub modules: Vec<(String, Vec<Unit>)>,
}

/// Looks into a file of bitcode, a folder of such files, a kernel build (or a folder in it), a `compile_commands.json` or a folder with one.
///
/// # Errors
/// It is not there, or holds nothing to check.
pub fn of(input: &Path) -> Result<Source, InputError> {
    let source = if input.is_file() {
        match input.file_name() {
            Some(name) if name == COMMANDS => commands(input)?,
            _ => Source {
                bitcode: vec![(stem(input), input.to_path_buf())],
                ..Source::default()
            },
        }
    } else if !input.is_dir() {
        return Err(InputError::new(input.display(), "no such file or folder"));
    } else if let Some(root) = root_of_build(input) {
        kernel(&root, input)?
    } else if input.join(COMMANDS).is_file() {
        commands(&input.join(COMMANDS))?
    } else {
        folder(input)?
    };
    if source == Source::default() {
        let what = "no bitcode, no compile_commands.json and no kernel build in it";
        let advice = "compile with -emit-llvm, or name the folder of a build";
        return Err(InputError::new(input.display(), what).advise(advice));
    }
    Ok(source)
}

/// What clang, CMake and the kernel's scripts write the calls of a build into.
const COMMANDS: &str = "compile_commands.json";

fn stem(path: &Path) -> String {
    path.with_extension("")
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The files below a folder, in order; hidden folders are none of a user's.
fn files(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_path_buf()];
    while let Some(next) = todo.pop() {
        let listed = std::fs::read_dir(&next).map_err(|e| InputError::new(next.display(), e))?;
        for entry in listed {
            let entry = entry.map_err(|e| InputError::new(next.display(), e))?;
            let kind = entry
                .file_type()
                .map_err(|e| InputError::new(next.display(), e))?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let path = entry.path();
            // A store that lies in there is none of its modules.
            if kind.is_dir() && !hidden && !path.join(DATABASE).is_file() {
                todo.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn folder(folder: &Path) -> Result<Source, InputError> {
    let bitcode = files(folder)?
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "bc"))
        .map(|f| (named(&f.with_extension(""), folder), f))
        .collect();
    Ok(Source {
        bitcode,
        ..Source::default()
    })
}

/// A path as a name: from the folder on.
pub(super) fn named(path: &Path, below: &Path) -> String {
    path.strip_prefix(below)
        .unwrap_or(path)
        .display()
        .to_string()
}

fn kernel(root: &Path, below: &Path) -> Result<Source, InputError> {
    let below = below
        .canonicalize()
        .map_err(|e| InputError::new(below.display(), e))?;
    let all = files(&below)?;
    let mut units: BTreeMap<PathBuf, Unit> = BTreeMap::new();
    for file in all
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "cmd"))
    {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        if let Some(call) = Call::parse(&text) {
            let unit = Unit {
                object: call.object,
                directory: root.to_path_buf(),
                source: call.source,
                words: call.words,
            };
            units.insert(unit.object.clone(), unit);
        }
    }
    let mut modules = Vec::new();
    let mut used = BTreeSet::new();
    for file in all
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "mod"))
    {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let objects: Vec<PathBuf> = objects_in(&text).map(PathBuf::from).collect();
        let of_module: Vec<Unit> = objects
            .iter()
            .filter_map(|o| units.get(o).cloned())
            .collect();
        if !of_module.is_empty() {
            used.extend(objects);
            modules.push((named(&file.with_extension(""), root), of_module));
        }
    }
    // What is built in is checked file by file.
    for (object, unit) in units {
        if !used.contains(&object) {
            modules.push((object.with_extension("").display().to_string(), vec![unit]));
        }
    }
    modules.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(Source {
        modules,
        ..Source::default()
    })
}

/// An entry of a `compile_commands.json`.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<PathBuf>,
}

fn commands(path: &Path) -> Result<Source, InputError> {
    let wrong = |e: &dyn std::fmt::Display| InputError::new(path.display(), e);
    let text = std::fs::read(path).map_err(|e| wrong(&e))?;
    let entries: Vec<Entry> = serde_json::from_slice(&text)
        .map_err(|e| wrong(&e).advise("a list of {directory, file, command or arguments}"))?;
    let mut together: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    let mut alone: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    let mut in_modules: BTreeMap<PathBuf, BTreeMap<PathBuf, String>> = BTreeMap::new();
    let top = path.parent().unwrap_or(Path::new("")).to_path_buf();
    for entry in entries {
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            (None, Some(command)) => shlex::split(&command)
                .ok_or_else(|| wrong(&format!("a command with an open quote: {command}")))?,
            (None, None) => return Err(wrong(&"an entry without command and arguments")),
        };
        if !is_source(&entry.file) {
            continue;
        }
        let directory = top.join(&entry.directory);
        let file = plain(&directory.join(&entry.file));
        let own_name = named(&file.with_extension(""), &common(&top, &file));
        let found = words.iter().find(|w| plain(&directory.join(w)) == file);
        let Some(source) = found.map(PathBuf::from) else {
            // Told of as a module that cannot be checked.
            alone.entry(own_name).or_default();
            continue;
        };
        let object = entry.output.or_else(|| output_of(&words));
        let object = object.unwrap_or_else(|| entry.file.with_extension("o"));
        let unit = Unit {
            object: object.clone(),
            directory,
            source,
            words,
        };
        let known = in_modules
            .entry(unit.directory.clone())
            .or_insert_with(|| of_modules(&unit.directory));
        let name = known.get(&object).cloned();
        let units = match name.or_else(|| target_of(&unit, &top)) {
            Some(name) => together.entry(name).or_default(),
            None => alone.entry(own_name).or_default(),
        };
        // A file of two lists put together has it twice.
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    let mut modules: Vec<(String, Vec<Unit>)> = Vec::new();
    for (name, units) in together {
        modules.extend(variants::of_target(&name, units));
    }
    for (name, units) in alone {
        modules.extend(variants::of_file(&name, units, &top));
    }
    modules.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(Source {
        modules,
        ..Source::default()
    })
}

/// A path without `.` and `..`, as far as its text tells.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The nearest folder above both; none if that is the root of all.
pub(super) fn common(a: &Path, b: &Path) -> PathBuf {
    a.ancestors()
        .find(|f| b.starts_with(f) && f.parent().is_some())
        .unwrap_or(Path::new(""))
        .to_path_buf()
}

fn is_source(file: &Path) -> bool {
    let extensions = ["c", "cc", "cpp", "cxx", "C", "c++"];
    file.extension()
        .is_some_and(|e| extensions.iter().any(|x| e == *x))
}

/// What the call writes.
fn output_of(words: &[String]) -> Option<PathBuf> {
    let at = words.iter().position(|w| w == "-o")?;
    words.get(at + 1).map(PathBuf::from)
}

/// The module of each object, if the folder is a kernel build.
fn of_modules(folder: &Path) -> BTreeMap<PathBuf, String> {
    let Some(root) = root_of_build(folder) else {
        return BTreeMap::new();
    };
    let mut found = BTreeMap::new();
    for file in files(&root).unwrap_or_default() {
        if file.extension().is_none_or(|e| e != "mod") {
            continue;
        }
        let name = named(&file.with_extension(""), &root);
        for object in objects_in(&std::fs::read_to_string(&file).unwrap_or_default()) {
            found.insert(PathBuf::from(object), name.clone());
        }
    }
    found
}

/// The program or library that an object belongs to: CMake's `sub/CMakeFiles/TARGET.dir/x.c.o`, or Meson's `sub/TARGET.p/x.c.o`.
fn target_of(unit: &Unit, top: &Path) -> Option<String> {
    let object = unit.directory.join(&unit.object);
    let of_cmake = |f: &&Path| {
        let above = f.parent().and_then(Path::file_name);
        above.is_some_and(|n| n == "CMakeFiles") && f.extension().is_some_and(|e| e == "dir")
    };
    let target = match object.ancestors().find(of_cmake) {
        Some(target) => target.parent()?.with_file_name(target.file_stem()?),
        None => {
            let folder = object.parent()?;
            let is_meson = folder.extension().is_some_and(|e| e == "p")
                && unit.directory.join("meson-info").is_dir();
            is_meson.then(|| folder.with_extension(""))?
        }
    };
    Some(named(&plain(&target), top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_cmake_and_files_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(COMMANDS);
        let here = folder.path().display();
        let text = format!(
            r#"[{{"directory":"{here}","file":"{here}/a.c","command":"cc -o CMakeFiles/p.dir/a.c.o -c {here}/a.c"}},
                {{"directory":"{here}/sub","file":"{here}/b.c","command":"cc -o CMakeFiles/q.dir/b.c.o -c {here}/b.c"}},
                {{"directory":"{here}","file":"{here}/c.c","arguments":["cc","-o","CMakeFiles/p.dir/c.c.o","-c","{here}/c.c"]}},
                {{"directory":"{here}","file":"sub/d.c","arguments":["cc","-c","sub/d.c"]}},
                {{"directory":"{here}","file":"e.S","arguments":["cc","-c","e.S"]}}]"#
        );
        std::fs::write(&path, text).expect("written");
        let source = of(folder.path()).expect("units");
        let names: Vec<(&str, usize)> = source
            .modules
            .iter()
            .map(|(name, units)| (name.as_str(), units.len()))
            .collect();
        assert_eq!(names, [("p", 2), ("sub/d", 1), ("sub/q", 1)]);
    }

    #[test]
    fn programs_of_meson() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().display();
        std::fs::create_dir(folder.path().join("meson-info")).expect("a folder");
        let entry = |target: &str, file: &str| {
            format!(
                r#"{{"directory":"{here}","file":"../{file}.c","output":"sub/{target}.p/{file}.c.o","command":"cc -c ../{file}.c -o sub/{target}.p/{file}.c.o"}}"#
            )
        };
        let entries = [
            entry("prog", "a"),
            entry("prog", "b"),
            entry("libx.so", "a"),
        ];
        let text = format!("[{}]", entries.join(","));
        std::fs::write(folder.path().join(COMMANDS), text).expect("written");
        let modules = of(folder.path()).expect("units").modules;
        let names: Vec<(&str, usize)> =
            modules.iter().map(|(n, u)| (n.as_str(), u.len())).collect();
        assert_eq!(names, [("sub/libx.so", 1), ("sub/prog", 2)]);
    }

    #[test]
    fn what_is_nothing_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = of(folder.path()).expect_err("nothing").to_string();
        assert!(said.contains("no bitcode"), "{said}");
        assert!(of(&folder.path().join("gone")).is_err());
    }
}
