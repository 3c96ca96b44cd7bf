//! What kbuild calls for each object: a file that is a module by itself is checked at once; one of several waits for the others, and the last
//! one that is compiled checks them as one (`whole.rs`).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
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
use super::kept::{self, About, Alone, Kept};
use super::{records, settled, whole};
use crate::cli::KbuildArgs;
use crate::{OK, end_at_limits};

/// When the object of a call is checked, and with what.
enum Due {
    /// At once, by itself; what to say of one that is a part of something.
    Alone(Option<Part>),
    /// As a part of each of these modules.
    With(Vec<(Module, When)>),
}

/// A file of a module that is checked without the others.
pub struct Part {
    why: Alone,
    /// What is said about that.
    text: String,
    /// The module, if it has been checked as one.
    module: Option<PathBuf>,
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
        if args.alone {
            return Due::Alone(Some(Part::left_open(line, object)));
        }
        let modules = match module::of(line, object) {
            Belongs::Alone => return Due::Alone(None),
            Belongs::Unlisted(name) => {
                let folder = object.parent().unwrap_or(Path::new("")).display();
                return Due::Alone(Some(Part {
                    why: Alone::OthersMissing,
                    text: format!(
                        "one of the files of {name}, checked without the others; when all are compiled: irkiss modules {folder}"
                    ),
                    module: None,
                }));
            }
            Belongs::To(modules) => modules,
        };
        let goals = Goals::of_caller();
        let mut with = Vec::new();
        let mut lacking = None;
        for module in modules {
            match When::of(args, &goals, &module, object) {
                When::Never(parts) => {
                    let text = format!(
                        "one of {} files of {module}, checked without the others ({} not compiled); as one: make C=1 CHECK=\"irkiss \
                         kbuild\" {module}",
                        module.parts.len(),
                        parts.len(),
                        module = module.object.display(),
                    );
                    lacking = Some(Part {
                        why: Alone::OthersMissing,
                        text,
                        module: None,
                    });
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

impl Part {
    /// One of a module that has been checked as one, and of which something is not decided.
    fn left_open(line: &Line, object: &Path) -> Part {
        let modules = match module::of(line, object) {
            Belongs::To(modules) => modules,
            Belongs::Alone | Belongs::Unlisted(_) => Vec::new(),
        };
        let whole = modules.first().map_or(object, |m| m.object.as_path());
        let files = modules.first().map_or(1, |m| m.parts.len());
        Part {
            why: Alone::LeftOpen,
            text: format!(
                "one of {files} files of {whole}, checked without the others, too: as one this is not decided (irkiss why {whole})",
                whole = whole.display()
            ),
            module: modules.first().map(|m| m.object.clone()),
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
                false if args.whole => When::Later(missing),
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
        Due::Alone(part) => return alone_again(args, line, &object, part.as_ref(), &names),
        Due::With(modules) => modules,
    };
    let mut worst = OK;
    let mut shown_itself = false;
    for (module, when) in &modules {
        let code = match when {
            When::Now => match whole::again(args, &object, module, &names)? {
                Some(known) if known.left_open && args.whole => None,
                Some(known) if known.left_open => {
                    shown_itself = true;
                    let part = Part::left_open(line, &object);
                    let own = alone_again(args, line, &object, Some(&part), &names)?;
                    own.map(|own| own.max(known.code))
                }
                known => known.map(|known| known.code),
            },
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
    if !shown_itself {
        keep_part(&object, &modules);
    }
    Ok(Some(worst))
}

/// Compiles and checks the object of a call by kbuild; the exit code.
pub fn check(args: &KbuildArgs, line: &Line) -> anyhow::Result<u8> {
    let object = line.object();
    let names = Names::default();
    let modules = match Due::of(args, line, &object) {
        Due::Alone(part) => {
            let checked = alone(args, line, &object, part.as_ref(), &names);
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
            When::Now => {
                let done = whole::check(args, &object, module, &names)?;
                let own = std::slice::from_ref(&object);
                let parts: &[PathBuf] = match done.is_new || args.whole {
                    true => &module.parts,
                    false => own,
                };
                let open = done.left_open;
                let alone = if open {
                    each_alone(args, line, parts)?
                } else {
                    OK
                };
                done.code.max(alone)
            }
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

/// Checks files of a module of which something is not decided by themselves, too, each in a process of its own; the worst exit code.
fn each_alone(args: &KbuildArgs, line: &Line, parts: &[PathBuf]) -> anyhow::Result<u8> {
    let own = std::env::current_exe()?;
    let mut worst = OK;
    for part in parts {
        let Made::OfC(call) = call::of(part) else {
            continue;
        };
        // A user who has ended the check of the module wants no other.
        if Worth::of(true, None).is_nothing() {
            break;
        }
        let options = line.own.iter().filter(|w| *w != "--whole");
        let mut command = Command::new(&own);
        command.arg("kbuild").args(options).arg("--alone");
        command.args(call.words.iter().skip_while(|w| !w.starts_with('-')));
        // What goes wrong it says itself.
        let status = command.status()?;
        let code = status.code().and_then(|c| u8::try_from(c).ok());
        worst = worst.max(code.unwrap_or_else(|| {
            let why = format!("the check was ended: {status}");
            kept::keep_note(part, About::Failed(why), None);
            args.error_exitcode
        }));
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
    part: Option<&Part>,
    names: &Names,
) -> anyhow::Result<Option<u8>> {
    let options = with_found_config(args.options(1), Some(&line.source));
    let bitcode = [names.of_bitcode(line, object)];
    let made_of = names.of_check(&bitcode, &options, args.baseline.as_deref());
    let same = |note: &kept::Note| made_of.is_some() && note.made_of == made_of;
    if let Some(note) = kept::note(object).filter(same) {
        kept::still_holds(object);
        let nothing = matches!(note.about, About::NoEntryPoints | About::PartOf(_));
        return Ok(nothing.then_some(OK));
    }
    let known = kept::report(object, made_of.as_deref());
    let same = |more: &Kept| more.alone == part.map(|p| p.why);
    let Some((report, _)) = known.filter(|(_, more)| same(more)) else {
        return Ok(None);
    };
    kept::still_holds(object);
    kept::is_shown_itself(object);
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
    part: Option<&Part>,
    names: &Names,
) -> anyhow::Result<u8> {
    let began = Instant::now();
    let options = with_found_config(args.options(1), Some(&line.source));
    let user = Said::read(&options, args.baseline.as_deref())?;
    let source = line.source.display().to_string();
    let bitcode = [names.of_bitcode(line, object)];
    let made_of = names.of_check(&bitcode, &options, args.baseline.as_deref());
    end_at_limits(&options);
    let module = part.and_then(|p| p.module.as_deref());
    let whole = module.and_then(|m| records::built(&kept::report_place(m)).ok());
    let folder = Folder::new()?;
    let known = bitcode[0].as_deref();
    let file = match known.and_then(|known| kept::bitcode(object, known)) {
        Some(content) => folder.put("file.bc", &content)?,
        None => folder.compile(line, "file.bc")?,
    };
    let said = |outcome: &Outcome| {
        let mut outcome = user.applied(outcome, &[]);
        outcome.input = vec![source.clone()];
        outcome.notes.extend(part.map(|p| p.text.clone()));
        // A clock may end it elsewhere another time.
        let worth = Worth::of(outcome.stopped.is_some(), options.timeout);
        let more = Kept {
            made_of: made_of.clone().filter(|_| matches!(worth, Worth::Whole)),
            took_ms: u64::try_from(began.elapsed().as_millis()).ok(),
            remark: part.map(|p| p.text.clone()),
            alone: part.map(|p| p.why),
            module: part.and_then(|p| p.module.clone()),
            ..Kept::default()
        };
        kept::keep_report(object, &report::json::render(&outcome), &more);
        if let Some((whole, _)) = &whole {
            settled::leave_out(&mut outcome.findings, whole);
        }
        told(&outcome, object, &source, part, args)
    };
    let files = [(file, source.clone())];
    let checked = check_in_build(&files, &options, &said, &|| folder.remove())?;
    Ok(checked.unwrap_or_else(|| {
        let module = part.and_then(|p| p.module.clone());
        let about = module.map_or(About::NoEntryPoints, |m| About::PartOf(vec![m]));
        kept::keep_note(object, about, made_of.clone());
        OK
    }))
}

/// Tells what was found for an object; the exit code. `part`: what to say of one that is a part of something.
pub fn told(
    outcome: &Outcome,
    object: &Path,
    source: &str,
    part: Option<&Part>,
    args: &KbuildArgs,
) -> u8 {
    let shown = object.display().to_string();
    let mut text = report::lines::render_for(outcome, &Disk::beside(&[]), &shown);
    // What its module as one leaves open has been told.
    if part.is_none_or(|p| p.module.is_none()) {
        text.push_str(&undecided(outcome, source, &shown));
    }
    if let Some(part) = part.filter(|_| !text.is_empty()) {
        text.push_str(&format!("{source}: note: irkiss: {}\n", part.text));
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
