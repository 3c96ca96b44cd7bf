//! `irkiss modules`: what `make C=2 CHECK="irkiss kbuild"` does, from what a build has left beside its objects, and modules that are
//! built in as one, too.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use irkiss::error::InputError;
use irkiss::kbuild::call::{self, Call, Made};
use irkiss::kbuild::module::{self, Module, root_of_build};
use rayon::prelude::*;

use super::kept::{self, About};
use super::{tree, whole};
use crate::cli::ModulesArgs;
use crate::{FINDINGS, OK, UNKNOWN, write_out};

/// Checks them and shows what is known of the folders; the exit code.
///
/// # Errors
/// A folder is none of a build; irkiss cannot be started.
pub fn check(args: &ModulesArgs) -> anyhow::Result<u8> {
    let words = words_of_check(args);
    let mut calls = Vec::new();
    for folder in &args.folders {
        let root = root_of_build(folder).ok_or_else(|| {
            InputError::new(folder.display(), "no folder of a kernel build")
                .advise("name one below the folder in which make has built")
        })?;
        for call in calls_below(&root, folder)? {
            let object = root.join(&call.object);
            calls.push((object, command(&root, &call, &words)?));
        }
    }
    run(calls, args.jobs())?;
    let (mut bugs, mut open) = (0, false);
    for folder in &args.folders {
        let summary = tree::summary(folder)?;
        bugs += summary.bugs();
        open |= summary.is_open();
        write_out(None, &summary.render(super::after::width()))?;
    }
    Ok(match (bugs, open) {
        _ if args.exit_zero => OK,
        (0, false) => OK,
        (0, true) => UNKNOWN,
        _ => FINDINGS,
    })
}

/// Options of which the value is a file.
const FILES: [&str; 3] = ["--baseline", "--config", "--model"];

/// Words of the command line that each check gets, which is called elsewhere: long ones, with their values.
fn words_of_check(args: &ModulesArgs) -> Vec<OsString> {
    let mut folders: Vec<&OsStr> = args.folders.iter().map(|f| f.as_os_str()).collect();
    let mut all = std::env::args_os().skip(1);
    let (mut words, mut named) = (Vec::new(), false);
    while let Some(word) = all.next() {
        if !named && word == "modules" {
            named = true;
            continue;
        }
        let text = word.to_string_lossy();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_ref(), None),
        };
        if let Some(n) = folders.iter().position(|f| **f == *word) {
            folders.remove(n);
        } else if FILES.contains(&name) {
            let file = value.map(OsString::from).or_else(|| all.next());
            let file = whole(Path::new(&file.unwrap_or_default()));
            words.extend([OsString::from(name), file.into_os_string()]);
        } else if text == "-j" || text == "--jobs" {
            all.next();
        } else if !is_own(name) {
            words.push(word.clone());
        }
    }
    words
}

/// Whether an option is none of a check.
fn is_own(name: &str) -> bool {
    let is_short = name.starts_with('-') && !name.starts_with("--");
    is_short || ["--jobs", "--exit-zero", "--quiet", "--verbose"].contains(&name)
}

/// One call for each module or object below a folder: that of its last part.
fn calls_below(root: &Path, folder: &Path) -> Result<Vec<Call>, InputError> {
    let failed = |e| InputError::new(folder.display(), e);
    let below = folder.canonicalize().map_err(failed)?;
    let (mut lists, mut objects) = (Vec::new(), Vec::new());
    collect(&below, &mut lists, &mut objects);
    let mut calls: BTreeMap<PathBuf, Call> = BTreeMap::new();
    for object in objects {
        if let Made::OfC(call) = call::of(&object) {
            calls.insert(call.object.clone(), call);
        }
    }
    let modules = lists.iter().filter_map(|list| module::of_list(list));
    let (mut taken, mut last) = (BTreeSet::new(), Vec::new());
    for Module { parts, .. } in modules {
        last.extend(parts.iter().rev().find_map(|p| calls.get(p)).cloned());
        taken.extend(parts);
    }
    // What is built in, by what it would be a module of.
    let mut built_in: BTreeMap<String, Call> = BTreeMap::new();
    for (object, call) in &calls {
        if !taken.contains(object) {
            let line = call.line();
            let is_linked = |module: &&str| {
                let archive = Path::new(module).with_file_name("built-in.a");
                root.join(archive).is_file()
            };
            let module = line.defined("KBUILD_MODFILE").filter(is_linked);
            let own = object.with_extension("").display().to_string();
            built_in.insert(module.map_or(own, str::to_string), call.clone());
        }
    }
    last.extend(built_in.into_values());
    Ok(last)
}

/// The lists of modules, and the objects, below a folder.
fn collect(folder: &Path, lists: &mut Vec<PathBuf>, objects: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if hidden {
            continue;
        }
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            collect(&path, lists, objects);
        }
        match path.extension().and_then(|e| e.to_str()) {
            Some("mod") => lists.push(path),
            Some("o") => objects.push(path),
            _ => {}
        }
    }
}

/// The call by kbuild of an object that is compiled.
fn command(root: &Path, call: &Call, words: &[OsString]) -> Result<Command, InputError> {
    let own = std::env::current_exe().map_err(|e| InputError::new("this executable", e))?;
    let mut command = Command::new(own);
    command.arg("kbuild").arg("--whole").args(words);
    let flags = call.words.iter().skip_while(|w| !w.starts_with('-'));
    command.args(flags).current_dir(root);
    command.env("CC", call.compiler());
    if let Some(architecture) = architecture_of(call) {
        command.env("SRCARCH", architecture);
    }
    command.env_remove("KBUILD_CHECKSRC").env_remove("quiet");
    Ok(command)
}

/// The architecture, as kbuild calls it: its headers are searched.
fn architecture_of(call: &Call) -> Option<&str> {
    call.words.iter().find_map(|word| {
        let folder = word
            .strip_prefix("-I")?
            .strip_suffix("/include/generated")?;
        folder.strip_prefix("./arch/")
    })
}

/// Runs all of them, so many at once, each of an object. What goes wrong with one it says itself, unless it is ended.
fn run(commands: Vec<(PathBuf, Command)>, jobs: usize) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1));
    let run = |(object, mut command): (PathBuf, Command)| -> Result<(), InputError> {
        let status = command.status();
        let status = status.map_err(|e| InputError::new("cannot start a process", e))?;
        if status.code().is_none() {
            let why = format!("the check was ended: {status}");
            kept::keep_note(&object, About::Failed(why), None);
        }
        Ok(())
    };
    pool.build()?
        .install(|| commands.into_par_iter().try_for_each(run))?;
    Ok(())
}
