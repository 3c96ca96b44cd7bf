//! A module of several files in a build, checked as one.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use irkiss::config::Options;
use irkiss::error::InputError;
use irkiss::kbuild::call::{self, Made};
use irkiss::kbuild::compile::Folder;
use irkiss::kbuild::line::Line;
use irkiss::kbuild::module::Module;
use irkiss::report;
use irkiss::verdict::{Outcome, Verdict};

use super::after::{Said, with_found_config};
use super::build::{Worth, check_in_build};
use super::fresh::Names;
use super::kbuild::{tells_again, told};
use super::kept::{self, About, Kept, Lock};
use crate::cli::KbuildArgs;
use crate::{OK, end_at_limits};

/// A file of a module.
struct Part {
    object: PathBuf,
    line: Line,
    /// What its bitcode depends on, if that is known.
    name: Option<String>,
}

/// What came of the check of a module.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The exit code.
    pub code: u8,
    /// Whether something in it is not decided.
    pub left_open: bool,
    /// Whether it was checked now.
    pub is_new: bool,
}

impl Done {
    /// Of what was known.
    fn before(code: u8, left_open: bool) -> Done {
        Done {
            code,
            left_open,
            is_new: false,
        }
    }
}

/// A module with all that its check needs.
struct Whole<'a> {
    args: &'a KbuildArgs,
    module: &'a Module,
    parts: Vec<Part>,
    /// Objects that no C file makes.
    others: Vec<PathBuf>,
    options: Options,
    made_of: Option<String>,
}

impl<'a> Whole<'a> {
    fn of(
        args: &'a KbuildArgs,
        module: &'a Module,
        names: &Names,
    ) -> Result<Whole<'a>, InputError> {
        let (mut parts, mut others) = (Vec::new(), Vec::new());
        for object in &module.parts {
            match call::of(object) {
                Made::OfC(call) => {
                    let line = call.line();
                    parts.push(Part {
                        object: object.clone(),
                        name: names.of_bitcode(&line, object),
                        line,
                    });
                }
                Made::OfOther => others.push(object.clone()),
                Made::Not => {
                    let what = format!("{} is not compiled", object.display());
                    return Err(InputError::new(module.object.display(), what));
                }
            }
        }
        let first = parts.first().map(|p| p.line.source.as_path());
        let options = with_found_config(args.options(parts.len()), first);
        let bitcode: Vec<Option<String>> = parts.iter().map(|p| p.name.clone()).collect();
        let made_of = names.of_check(&bitcode, &options, args.baseline.as_deref());
        Ok(Whole {
            args,
            module,
            parts,
            others,
            options,
            made_of,
        })
    }

    /// Tells what is known of it as it is now. `None`: nothing is.
    fn known(&self, own: &Path, told_just_now: bool) -> anyhow::Result<Option<Done>> {
        let object = &self.module.object;
        let same = |note: &kept::Note| self.made_of.is_some() && note.made_of == self.made_of;
        if kept::note(object)
            .filter(same)
            .is_some_and(|n| n.about == About::NoEntryPoints)
        {
            kept::still_holds(object);
            return Ok(Some(Done::before(OK, false)));
        }
        let Some((report, more)) = kept::report(object, self.made_of.as_deref()) else {
            return Ok(None);
        };
        kept::waits_no_more(object);
        kept::still_holds(object);
        if told_just_now || !tells_again(self.args, own, self.module, &more) {
            return Ok(Some(Done::before(OK, more.left_open)));
        }
        let user = Said::read(&self.options, self.args.baseline.as_deref())?;
        let outcome = user.applied(&report.outcome(), &[]);
        let code = self.told(&outcome);
        Ok(Some(Done::before(code, more.left_open)))
    }

    /// Notes where its files are shown: as the module, or by themselves, too.
    fn show_parts(&self, left_open: bool) {
        let module = std::slice::from_ref(&self.module.object);
        for part in &self.parts {
            match left_open {
                true => kept::is_shown_itself(&part.object),
                false => kept::is_part_of(&part.object, module),
            }
        }
    }

    fn told(&self, outcome: &Outcome) -> u8 {
        let object = &self.module.object;
        told(
            outcome,
            object,
            &object.display().to_string(),
            None,
            self.args,
        )
    }

    /// What is said of how it was checked.
    fn note(&self) -> String {
        let files = report::count(self.parts.len(), "file");
        let mut text = format!("{}: {files}, checked as one", self.module.object.display());
        if !self.others.is_empty() {
            let others = super::records::listed(&self.others);
            text += &format!("; without what is not made of C: {others}");
        }
        text
    }

    /// The bitcode of each part, in a folder: kept, or compiled now; with the name of its source.
    fn bitcode(&self, folder: &Folder) -> Result<Vec<(PathBuf, String)>, InputError> {
        let mut files = Vec::new();
        for (n, part) in self.parts.iter().enumerate() {
            let name = format!("{n}.bc");
            let known = part.name.as_deref();
            let kept = known.and_then(|known| kept::bitcode(&part.object, known));
            let file = match kept {
                Some(content) => folder.put(&name, &content)?,
                None => {
                    let file = folder.compile(&part.line, &name)?;
                    if let Some(known) = known {
                        kept::keep_bitcode(&part.object, known, &file);
                    }
                    file
                }
            };
            files.push((file, part.line.source.display().to_string()));
        }
        Ok(files)
    }

    fn check(&self, own: &Path) -> anyhow::Result<Done> {
        let began = Instant::now();
        let object = &self.module.object;
        let user = Said::read(&self.options, self.args.baseline.as_deref())?;
        end_at_limits(&self.options);
        let folder = Folder::new()?;
        let files = self.bitcode(&folder)?;
        let left_open = AtomicBool::new(false);
        let said = |outcome: &Outcome| {
            let mut outcome = user.applied(outcome, &[]);
            outcome.input = files.iter().map(|(_, source)| source.clone()).collect();
            outcome.notes.push(self.note());
            let worth = Worth::of(outcome.stopped.is_some(), self.options.timeout);
            let whole = matches!(worth, Worth::Whole);
            let more = Kept {
                made_of: self.made_of.clone().filter(|_| whole),
                took_ms: u64::try_from(began.elapsed().as_millis()).ok(),
                told_with: Some(own.to_path_buf()),
                remark: Some(self.note()),
                // A file by itself need not have what was asked for by name.
                left_open: self.options.pair.is_none()
                    && self.options.entries.is_empty()
                    && is_left_open(&outcome),
                ..Kept::default()
            };
            kept::keep_report(object, &report::json::render(&outcome), &more);
            left_open.store(more.left_open, Ordering::Relaxed);
            self.told(&outcome)
        };
        let checked = check_in_build(&files, &self.options, &said, &|| folder.remove())?;
        let code = checked.unwrap_or_else(|| {
            kept::keep_note(object, About::NoEntryPoints, self.made_of.clone());
            OK
        });
        Ok(Done {
            code,
            left_open: left_open.load(Ordering::Relaxed),
            is_new: true,
        })
    }
}

/// Whether something in it is not decided: then its files by themselves may show more.
fn is_left_open(outcome: &Outcome) -> bool {
    let mut regions = outcome.pairs.iter().flat_map(|p| &p.regions);
    regions.any(|r| r.verdict == Verdict::Unknown)
}

/// Tells again what was found in a module, if it is as it was. `own`: the object of the call.
pub fn again(
    args: &KbuildArgs,
    own: &Path,
    module: &Module,
    names: &Names,
) -> anyhow::Result<Option<Done>> {
    let whole = Whole::of(args, module, names)?;
    let known = whole.known(own, false)?;
    if let Some(done) = known {
        whole.show_parts(done.left_open);
    }
    Ok(known)
}

/// Checks a module of which all parts are compiled. `own`: the object of the call.
pub fn check(
    args: &KbuildArgs,
    own: &Path,
    module: &Module,
    names: &Names,
) -> anyhow::Result<Done> {
    let checked = || -> anyhow::Result<Done> {
        let whole = Whole::of(args, module, names)?;
        let Some(lock) = Lock::of(&module.object, whole.made_of.as_deref()) else {
            // Another part was the last one, too; it tells.
            return Ok(Done::before(OK, false));
        };
        // Somebody may have been at it meanwhile, and told.
        let done = match whole.known(own, lock.waited)? {
            Some(done) => done,
            None => whole.check(own)?,
        };
        whole.show_parts(done.left_open);
        Ok(done)
    };
    checked().map_err(|error| {
        let shown = module.object.display();
        kept::keep_note(&module.object, About::Failed(error.to_string()), None);
        InputError::new(shown, format!("not checked as one: {error}")).into()
    })
}
