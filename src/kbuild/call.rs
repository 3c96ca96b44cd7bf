//! What kbuild keeps beside each object, `.x.o.cmd`: the call that made it, and the files that this call read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::line::Line;

/// The call that made an object of a C file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The object, as kbuild names it.
    pub object: PathBuf,
    /// The source, as kbuild names it.
    pub source: PathBuf,
    /// Its words, the compiler first.
    pub words: Vec<String>,
}

/// What is known of how an object was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// It is not there, or kbuild has not made it.
    Not,
    /// Of a C file.
    OfC(Call),
    /// Of something else: by an assembler, or a linker.
    OfOther,
}

/// What marks the list of files that a call read.
const LIST: &str = "deps_";
const CONFIGURATION: &str = "$(wildcard";

impl Call {
    /// The call that the text of a `.cmd` file tells, if it compiles a C file of the kernel.
    pub fn parse(text: &str) -> Option<Call> {
        let call = text
            .lines()
            .find(|l| l.starts_with("cmd_") || l.starts_with("savedcmd_"))?;
        let (object, call) = call.split_once(" := ")?;
        let object = object.split_once('_')?.1;
        // make's own escapes: `$(pound)` is not met in a compiler's call, `$$` is.
        let call = call.replace("$$", "$");
        // What follows the compiler works on the object.
        let words = shlex::split(call.split(" ; ").next()?)?;
        let words: Vec<String> = words
            .into_iter()
            .map(|w| w.trim_end_matches(';').to_string())
            .collect();
        let is_c = |w: &&String| w.ends_with(".c") && !w.ends_with(".mod.c");
        let source = words.last().filter(is_c).map(PathBuf::from)?;
        // Tools of the build are no part of the kernel.
        let of_kernel = words.iter().any(|w| w == "-D__KERNEL__") && object.ends_with(".o");
        of_kernel.then(|| Call {
            object: PathBuf::from(object),
            source,
            words,
        })
    }

    /// The same as a call of `$(CHECK)` without its own words.
    pub fn line(&self) -> Line {
        let first = self.words.iter().position(|w| w.starts_with('-'));
        let flags = self.words.iter().skip(first.unwrap_or(self.words.len()));
        let flags = flags.filter(|w| Path::new(w) != self.source);
        Line::of_kbuild(flags.map(OsString::from), &self.source)
    }

    /// The compiler, as the build calls it: `ccache clang-19`.
    pub fn compiler(&self) -> String {
        let words = self.words.iter().take_while(|w| !w.starts_with('-'));
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// `drivers/x/.y.o.cmd` of `drivers/x/y.o`.
fn beside(object: &Path) -> Option<PathBuf> {
    let name = object.file_name()?.to_str()?;
    Some(object.with_file_name(format!(".{name}.cmd")))
}

fn text_beside(object: &Path) -> Option<String> {
    std::fs::read_to_string(beside(object)?).ok()
}

/// How an object was made.
pub fn of(object: &Path) -> Made {
    match text_beside(object) {
        Some(_) if !object.is_file() => Made::Not,
        Some(text) => Call::parse(&text).map_or(Made::OfOther, Made::OfC),
        None => Made::Not,
    }
}

/// The files that kbuild's compiler read for an object; settings of the configuration among them, which need not be there.
pub fn read_for(object: &Path) -> Option<Vec<PathBuf>> {
    let text = text_beside(object)?;
    Some(read_in(&text)?.map(|(file, _)| file).collect())
}

/// The same of a text, and whether make takes a file that is not there for a reason to make the object again.
fn read_in(text: &str) -> Option<impl Iterator<Item = (PathBuf, bool)> + '_> {
    let start = text.find(LIST)?;
    let (_, list) = text[start..].split_once(":=")?;
    let end = list.find("\n\n").unwrap_or(list.len());
    let words = list[..end].split_whitespace().filter(|w| *w != "\\");
    let files = words.filter(|w| *w != CONFIGURATION);
    Some(files.map(|w| (PathBuf::from(w.trim_end_matches(')')), !w.ends_with(')'))))
}

/// Whether make would leave an object as it is: it is there, and none of the files that were read for it is newer.
pub fn is_up_to_date(object: &Path) -> bool {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|m| m.modified()).ok();
    let Some(made) = changed(object) else {
        return false;
    };
    let Some(text) = text_beside(object) else {
        return false;
    };
    let older = |time: SystemTime| time <= made;
    let source = Call::parse(&text).map(|call| (call.source, true));
    let read = read_in(&text).into_iter().flatten();
    let mut all = read.chain(source);
    all.all(|(file, needed)| changed(&file).map_or(!needed, older))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "savedcmd_drivers/x/y.o := ccache clang-19 -Wp,-MMD,drivers/x/.y.o.d -D__KERNEL__ -DKBUILD_BASENAME='\"y\"' \
        '-DKBUILD_MODNAME=\"z\"' -c -o drivers/x/y.o ../src/drivers/x/y.c ; ./tools/objtool/objtool --mcount drivers/x/y.o\n\n\
        source_drivers/x/y.o := y.c\n";

    #[test]
    fn a_call_of_kbuild() {
        let call = Call::parse(TEXT).expect("a call");
        assert_eq!(call.object, Path::new("drivers/x/y.o"));
        assert_eq!(call.source, Path::new("../src/drivers/x/y.c"));
        assert!(call.words.contains(&"-DKBUILD_MODNAME=\"z\"".to_string()));
        assert_eq!(call.compiler(), "ccache clang-19");
        for other in [
            "cmd_scripts/x.o := gcc -c -o scripts/x.o scripts/x.c",
            "cmd_a/x.mod.o := gcc -D__KERNEL__ -c -o a/x.mod.o a/x.mod.c",
            "cmd_a/x.o := ld -r -o a/x.o a/y.o a/z.o",
        ] {
            assert_eq!(Call::parse(other), None, "{other}");
        }
    }

    #[test]
    fn what_was_kept_is_what_check_is_called_with() {
        let line = Call::parse(TEXT).expect("a call").line();
        let words = "-D__linux__ --arch=x86_64 -m64 -Wp,-MMD,drivers/x/.y.o.d -D__KERNEL__ -DKBUILD_BASENAME=\"y\" \
            -DKBUILD_MODNAME=\"z\" ../src/drivers/x/y.c";
        let called = Line::parse(words.split_whitespace().map(Into::into)).expect("a line");
        assert_eq!(line, called);
        assert_eq!(line.object(), Path::new("drivers/x/y.o"));
    }

    #[test]
    fn the_list_of_kbuild_is_read_and_times_are_compared() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let object = path("x.o");
        assert_eq!((read_for(&object), of(&object)), (None, Made::Not));
        let header = path("a.h").display().to_string();
        let text = format!(
            "savedcmd_x.o := clang -c\n\nsource_x.o := x.c\n\ndeps_x.o := \\\n  $(wildcard include/config/NOT/THERE) \\\n  \
             {header} \\\n\nx.o: $(deps_x.o)\n"
        );
        std::fs::write(path(".x.o.cmd"), text).expect("written");
        let files = read_for(&object).expect("a list");
        assert_eq!(files, [Path::new("include/config/NOT/THERE"), &path("a.h")]);
        assert!(!is_up_to_date(&object), "not there");
        std::fs::write(path("a.h"), "").expect("written");
        std::fs::write(&object, "").expect("written");
        assert!(is_up_to_date(&object));
        assert_eq!(of(&object), Made::OfOther);
        let later = SystemTime::now() + std::time::Duration::from_secs(9);
        let open = std::fs::File::options().append(true).open(path("a.h"));
        open.and_then(|f| f.set_modified(later)).expect("its time");
        assert!(!is_up_to_date(&object), "a newer header");
        std::fs::remove_file(path("a.h")).expect("removed");
        assert!(!is_up_to_date(&object), "a header that is gone");
    }
}
