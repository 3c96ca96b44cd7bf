//! What kbuild calls for each object: a file that is a module by itself is checked at once; one of several waits for the others, and the last
//! one that is compiled checks them as one (`whole.rs`).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use irkiss::kbuild::call::{self, Made};
use irkiss::kbuild::compile::Folder;
use irkiss::kbuild::goals::Goals;
use irkiss::kbuild::line::Line;
use irkiss::kbuild::module::{self, Belongs, Module};
use irkiss::report;
use irkiss::report::snippet::Disk;
use irkiss::verdict::Outcome;

use super::after::{Said, with_found_config};
use super::build::{Worth, check_in_build, undecided};
use super::fresh::Names;
use super::kept::{self, About, Kept};
use super::whole;
use crate::cli::KbuildArgs;
use crate::{OK, end_at_limits};

/// When the object of a call is checked, and with what.
enum Due {
    /// At once, by itself; of one that is a part of something: what to say about that.
    Alone(Option<String>),
    /// As a part of each of these modules.
    With(Vec<(Module, When)>),
}

/// When a module is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum When {
    /// All of it is compiled.
    Now,
    /// These parts are still to be compiled.
    Later(Vec<PathBuf>),
    /// This make does not compile these parts, and none did before.
    Never(Vec<PathBuf>),
}

impl Due {
    fn of(args: &KbuildArgs, line: &Line, object: &Path) -> Due {
        let modules = match module::of(line, object) {
            Belongs::Alone => return Due::Alone(None),
            Belongs::Unlisted(name) => {
                let folder = object.parent().unwrap_or(Path::new("")).display();
                return Due::Alone(Some(format!(
                    "one of the files of {name}, checked without the others; when all are compiled: irkiss modules {folder}"
                )));
            }
            Belongs::To(modules) => modules,
        };
        let goals = Goals::of_caller();
        let mut with = Vec::new();
        let mut lacking = None;
        for module in modules {
            match When::of(args, &goals, &module, object) {
                When::Never(parts) => {
                    lacking = Some(format!(
                        "one of {} files of {module}, checked without the others ({} not compiled); as one: make C=1 CHECK=\"irkiss \
                         kbuild\" {module}",
                        module.parts.len(),
                        parts.len(),
                        module = module.object.display(),
                    ));
                }
                when => with.push((module, when)),
            }
        }
        match with.is_empty() {
            true => Due::Alone(lacking),
            false => Due::With(with),
        }
    }
}

impl When {
    fn of(args: &KbuildArgs, goals: &Goals, module: &Module, own: &Path) -> When {
        let others = || {
            let parts = module.parts.iter();
            parts.filter(move |p| p.as_path() != own)
        };
        let is_missing = |part: &&PathBuf| call::of(part) == Made::Not;
        let missing: Vec<PathBuf> = others().filter(is_missing).cloned().collect();
        if args.whole || !goals.cover(module) {
            return match missing.is_empty() {
                true => When::Now,
                false => When::Never(missing),
            };
        }
        if !missing.is_empty() {
            return When::Later(missing);
        }
        let old = others().filter(|part| !call::is_up_to_date(part));
        let old: Vec<PathBuf> = old.cloned().collect();
        match old.is_empty() {
            true => When::Now,
            false => When::Later(old),
        }
    }
}

/// Tells again what was found for the object of a call by kbuild, if all that the check depends on is as it was; the exit code. This takes neither
/// a compiler nor another process.
pub fn again(args: &KbuildArgs, line: &Line) -> anyhow::Result<Option<u8>> {
    let object = line.object();
    let names = Names::default();
    let modules = match Due::of(args, line, &object) {
        Due::Alone(part) => return alone_again(args, line, &object, part.as_deref(), &names),
        Due::With(modules) => modules,
    };
    let mut worst = OK;
    for (module, when) in &modules {
        let code = match when {
            When::Now => whole::again(args, &object, module, &names)?,
            When::Later(parts) => {
                let name = names.of_bitcode(line, &object);
                let is_kept = name.is_some_and(|n| kept::has_bitcode(&object, &n));
                is_kept.then(|| {
                    kept::keep_note(&module.object, About::WaitsFor(parts.clone()), None);
                    OK
                })
            }
            When::Never(_) => None,
        };
        match code {
            Some(code) => worst = worst.max(code),
            None => return Ok(None),
        }
    }
    keep_part(&object, &modules);
    Ok(Some(worst))
}

/// Compiles and checks the object of a call by kbuild; the exit code.
pub fn check(args: &KbuildArgs, line: &Line) -> anyhow::Result<u8> {
    let object = line.object();
    let names = Names::default();
    let modules = match Due::of(args, line, &object) {
        Due::Alone(part) => {
            let checked = alone(args, line, &object, part.as_deref(), &names);
            if let Err(error) = &checked {
                kept::keep_note(&object, About::Failed(error.to_string()), None);
            }
            return checked;
        }
        Due::With(modules) => modules,
    };
    keep_part(&object, &modules);
    let mut worst = OK;
    for (module, when) in &modules {
        let code = match when {
            When::Now => whole::check(args, &object, module, &names)?,
            When::Later(parts) => {
                keep_bitcode(line, &object, &names)?;
                kept::keep_note(&module.object, About::WaitsFor(parts.clone()), None);
                OK
            }
            When::Never(_) => OK,
        };
        worst = worst.max(code);
    }
    Ok(worst)
}

/// Notes why the object of a call, or the module that it completes, was not checked.
pub fn failed(args: &KbuildArgs, line: &Line, why: &str) {
    let object = line.object();
    let note = |object: &Path| kept::keep_note(object, About::Failed(why.to_string()), None);
    match Due::of(args, line, &object) {
        Due::With(modules) if modules.iter().any(|(_, when)| *when == When::Now) => {
            let now = modules.iter().filter(|(_, when)| *when == When::Now);
            now.for_each(|(module, _)| note(&module.object));
        }
        Due::With(_) | Due::Alone(_) => note(&object),
    }
}

fn keep_part(object: &Path, modules: &[(Module, When)]) {
    let modules = modules.iter().map(|(module, _)| module.object.clone());
    kept::keep_note(object, About::PartOf(modules.collect()), None);
}

/// Keeps bitcode of a part, unless it is kept as it is now.
fn keep_bitcode(line: &Line, object: &Path, names: &Names) -> anyhow::Result<()> {
    let name = names.of_bitcode(line, object);
    if name.as_ref().is_some_and(|n| kept::has_bitcode(object, n)) {
        return Ok(());
    }
    let folder = Folder::new()?;
    let compiled = folder.compile(line, "file.bc");
    if let Err(error) = &compiled {
        kept::keep_note(object, About::Failed(error.to_string()), None);
    }
    let file = compiled?;
    // Without a name nobody could tell what it is of.
    if let Some(name) = name {
        kept::keep_bitcode(object, &name, &file);
    }
    Ok(())
}

fn alone_again(
    args: &KbuildArgs,
    line: &Line,
    object: &Path,
    part: Option<&str>,
    names: &Names,
) -> anyhow::Result<Option<u8>> {
    let options = with_found_config(args.options(1), Some(&line.source));
    let bitcode = [names.of_bitcode(line, object)];
    let made_of = names.of_check(&bitcode, &options, args.baseline.as_deref());
    let same = |note: &kept::Note| made_of.is_some() && note.made_of == made_of;
    if let Some(note) = kept::note(object).filter(same) {
        kept::still_holds(object);
        return Ok((note.about == About::NoEntryPoints).then_some(OK));
    }
    let Some((report, _)) = kept::report(object, made_of.as_deref()) else {
        return Ok(None);
    };
    kept::still_holds(object);
    // What the user says is asked again: a day may have passed.
    let user = Said::read(&options, args.baseline.as_deref())?;
    let outcome = user.applied(&report.outcome(), &[]);
    let source = line.source.display().to_string();
    Ok(Some(told(&outcome, object, &source, part, args)))
}

fn alone(
    args: &KbuildArgs,
    line: &Line,
    object: &Path,
    part: Option<&str>,
    names: &Names,
) -> anyhow::Result<u8> {
    let began = Instant::now();
    let options = with_found_config(args.options(1), Some(&line.source));
    let user = Said::read(&options, args.baseline.as_deref())?;
    let source = line.source.display().to_string();
    let bitcode = [names.of_bitcode(line, object)];
    let made_of = names.of_check(&bitcode, &options, args.baseline.as_deref());
    end_at_limits(&options);
    let folder = Folder::new()?;
    let file = folder.compile(line, "file.bc")?;
    let said = |outcome: &Outcome| {
        let mut outcome = user.applied(outcome, &[]);
        outcome.input = vec![source.clone()];
        outcome.notes.extend(part.map(str::to_string));
        // A clock may end it elsewhere another time.
        let worth = Worth::of(outcome.stopped.is_some(), options.timeout);
        let more = Kept {
            made_of: made_of.clone().filter(|_| matches!(worth, Worth::Whole)),
            took_ms: u64::try_from(began.elapsed().as_millis()).ok(),
            told_with: None,
            alone: part.is_some(),
        };
        kept::keep_report(object, &report::json::render(&outcome), &more);
        told(&outcome, object, &source, part, args)
    };
    let files = [(file, source.clone())];
    let checked = check_in_build(&files, &options, &said, &|| folder.remove())?;
    Ok(checked.unwrap_or_else(|| {
        kept::keep_note(object, About::NoEntryPoints, made_of.clone());
        OK
    }))
}

/// Tells what was found for an object; the exit code. `part`: what to say of one that is a part of something.
pub fn told(
    outcome: &Outcome,
    object: &Path,
    source: &str,
    part: Option<&str>,
    args: &KbuildArgs,
) -> u8 {
    let shown = object.display().to_string();
    let mut text = report::lines::render_for(outcome, &Disk::beside(&[]), &shown);
    text.push_str(&undecided(outcome, source, &shown));
    if let Some(part) = part.filter(|_| !text.is_empty()) {
        text.push_str(&format!("{source}: note: irkiss: {part}\n"));
    }
    // One write: other files are checked beside this one. Nobody is left to be told where it fails.
    let _ = std::io::stderr().write_all(text.as_bytes());
    match outcome.findings.is_empty() {
        true => OK,
        false => args.error_exitcode,
    }
}

/// Whether this call tells what is known of a module that is as it was. Where each object is handed over (`C=2`), one of them does: that with
/// which it was checked.
pub fn tells_again(args: &KbuildArgs, own: &Path, module: &Module, known: &Kept) -> bool {
    let each = std::env::var_os("KBUILD_CHECKSRC").is_some_and(|c| c == "2");
    let other = known.told_with.as_ref().filter(|o| *o != own);
    let other_tells = other.is_some_and(|o| module.parts.contains(o));
    args.whole || !each || !other_tells || !Goals::of_caller().cover(module)
}
