//! Which objects of a build make a module together.
//!
//! Kbuild says it in two places. A part knows the name of its module (`KBUILD_MODNAME`, which is not its own `KBUILD_BASENAME`), with
//! `-` and `,` replaced, and several names joined by `:`. The module's objects stand in `NAME.mod` in the folder of its Makefile, which kbuild
//! writes before it compiles any of them (since Linux 5.19; before that, when all are compiled). What is built in has no such list: its parts
//! have `KBUILD_MODFILE` in common, and the folder's `built-in.a` tells which of them are linked, once that has been made.

use std::path::{Path, PathBuf};

use super::call::{self, Made};
use super::line::Line;

/// A module, or what would be one if it were not built in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// What make makes of the parts, as it names that: `drivers/x/foo.o`.
    pub object: PathBuf,
    /// The objects, in the order in which they are linked.
    pub parts: Vec<PathBuf>,
}

/// To what the object of a call belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// It is a module by itself, or no part of one.
    Alone,
    /// To these modules of several objects.
    To(Vec<Module>),
    /// To the module of that name, of which nothing tells the other objects yet.
    Unlisted(String),
}

/// To what the object of a call belongs, as the files of the build tell.
pub fn of(line: &Line, object: &Path) -> Belongs {
    let (Some(name), Some(own)) = (
        line.defined("KBUILD_MODNAME"),
        line.defined("KBUILD_BASENAME"),
    ) else {
        return Belongs::Alone;
    };
    if name == own {
        return Belongs::Alone;
    }
    let is_module = line.flags.iter().any(|f| f == "-DMODULE");
    let names = name.split(':');
    let modules: Option<Vec<Module>> = match is_module {
        true => names.map(|n| listed(n, object)).collect(),
        false => line
            .defined("KBUILD_MODFILE")
            .and_then(|files| files.split(':').map(|f| built_in(f, object)).collect()),
    };
    match modules {
        None => Belongs::Unlisted(name.to_string()),
        // `foo-y := bar.o`: one file under another name.
        Some(all) if all.iter().all(|m| m.parts.len() < 2) => Belongs::Alone,
        Some(all) => Belongs::To(all),
    }
}

/// A name as kbuild makes a token of it.
fn token(name: &str) -> String {
    name.replace(['-', ','], "_")
}

/// The module of that name that has the object, as its list of objects says: in the nearest folder above the object.
fn listed(name: &str, object: &Path) -> Option<Module> {
    object.ancestors().skip(1).find_map(|folder| {
        let entries = std::fs::read_dir(here(folder)).ok()?;
        let lists = entries.flatten().map(|e| folder.join(e.file_name()));
        let is = |list: &PathBuf| {
            let stem = list.file_stem().map(|s| token(&s.to_string_lossy()));
            list.extension().is_some_and(|e| e == "mod") && stem.is_some_and(|s| s == name)
        };
        let mut modules = lists.filter(is).filter_map(|list| of_list(&list));
        modules.find(|m| m.parts.iter().any(|p| p == object))
    })
}

fn here(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

/// The module of a list of objects, `NAME.mod`; `None`: it cannot be read.
pub fn of_list(list: &Path) -> Option<Module> {
    let text = std::fs::read_to_string(list).ok()?;
    Some(Module {
        object: list.with_extension("o"),
        parts: objects_in(&text).map(PathBuf::from).collect(),
    })
}

/// The objects that such a text lists: on a line each, or on one line (before Linux 5.19, with undefined symbols on the next).
pub fn objects_in(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|w| w.ends_with(".o"))
}

/// What would be a module of that name, with its folder, if it were not built in.
fn built_in(name: &str, object: &Path) -> Option<Module> {
    let folder = Path::new(name).parent()?;
    let archive = std::fs::read(folder.join("built-in.a")).ok()?;
    let members = members(&archive)?;
    let is = |part: &PathBuf| match call::of(part) {
        Made::OfC(call) => {
            let files = call.line().defined("KBUILD_MODFILE").map(str::to_string);
            files.is_some_and(|f| f.split(':').any(|f| f == name))
        }
        Made::Not | Made::OfOther => false,
    };
    let parts: Vec<PathBuf> = members.iter().map(|m| folder.join(m)).filter(is).collect();
    parts.iter().any(|p| p == object).then(|| Module {
        object: Path::new(name).with_extension("o"),
        parts,
    })
}

/// The names in a thin archive, which has them all in one table.
fn members(archive: &[u8]) -> Option<Vec<String>> {
    const MAGIC: &[u8] = b"!<thin>\n";
    const HEADER: usize = 60;
    const SIZE: std::ops::Range<usize> = 48..58;
    let mut rest = archive.strip_prefix(MAGIC)?;
    while rest.len() >= HEADER {
        let (header, content) = rest.split_at(HEADER);
        let size: usize = std::str::from_utf8(&header[SIZE])
            .ok()?
            .trim()
            .parse()
            .ok()?;
        if header.starts_with(b"// ") {
            let names = String::from_utf8_lossy(content.get(..size)?).into_owned();
            let names = names.split("/\n").map(str::trim).filter(|n| !n.is_empty());
            return Some(names.map(str::to_string).collect());
        }
        // Before the table there may be one of symbols.
        rest = content.get(size + size % 2..)?;
    }
    Some(Vec::new())
}

/// The build of a kernel that a folder is, or lies in.
pub fn root_of_build(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let is = |f: &&Path| f.join(".config").is_file() && f.join("include/generated").is_dir();
    folder.ancestors().find(is).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_read() {
        let names = "a.o/\nsub/b.o/\n\n";
        let text = format!(
            "!<thin>\n{:<48}{:<10}`\n{names}{:<48}{:<10}`\n",
            "//",
            names.len(),
            "/0",
            133_072
        );
        assert_eq!(members(text.as_bytes()).expect("thin"), ["a.o", "sub/b.o"]);
        assert_eq!(members(b"!<thin>\n").expect("empty"), [""; 0]);
        assert_eq!(members(b"!<arch>\n"), None);
    }

    #[test]
    fn parts_find_their_list() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("sub")).expect("a folder");
        let (a, b) = (path("a.o"), path("sub/b.o"));
        let line = |module: &str, own: &str, more: &str| {
            let words = format!(
                "-Wp,-MMD,x -DKBUILD_BASENAME=\"{own}\" -DKBUILD_MODNAME=\"{module}\" {more} {own}.c"
            );
            Line::parse(words.split_whitespace().map(Into::into)).expect("a line")
        };
        let part = line("my_mod", "b", "-DMODULE");
        let unlisted = Belongs::Unlisted("my_mod".to_string());
        assert_eq!(of(&part, &b), unlisted);
        let list = format!("{}\n{}\n", a.display(), b.display());
        std::fs::write(path("my-mod.mod"), &list).expect("written");
        let module = Module {
            object: path("my-mod.o"),
            parts: vec![a.clone(), b.clone()],
        };
        assert_eq!(of(&part, &b), Belongs::To(vec![module.clone()]));
        // In two modules, of which one is not listed.
        let two = line("my_mod:other", "b", "-DMODULE");
        assert_eq!(of(&two, &b), Belongs::Unlisted("my_mod:other".to_string()));
        std::fs::write(path("other.mod"), format!("{}\n", b.display())).expect("written");
        let Belongs::To(both) = of(&two, &b) else {
            panic!("two modules")
        };
        assert_eq!((both.len(), &both[0]), (2, &module));
        // Built in: no list.
        assert_eq!(of(&line("my_mod", "b", ""), &b), unlisted);
        // One file, whatever its name.
        assert_eq!(of(&line("other", "b", "-DMODULE"), &b), Belongs::Alone);
        assert_eq!(of(&line("b", "b", "-DMODULE"), &b), Belongs::Alone);
        std::fs::write(path("my-mod.mod"), "elsewhere.o\n").expect("written");
        assert_eq!(of(&part, &b), unlisted);
    }
}
