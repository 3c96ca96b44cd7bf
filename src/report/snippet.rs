//! The source line of an access, with a mark under it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::verdict::Frame;

/// Where source text comes from.
pub trait Sources {
    /// Line `line` (from 1) of `file`, as debug info names it; `None` where it cannot be read.
    fn line(&self, file: &str, line: u32) -> Option<String>;
    /// How `file` is called in a report: shorter where it can be; [`Sources::line`] knows it by that name too.
    fn shown(&self, file: &str) -> String {
        file.to_string()
    }
}

/// Sources on this machine: as named, or else below one of the given folders.
pub struct Disk {
    here: Option<PathBuf>,
    folders: Vec<PathBuf>,
    /// Of a source's folder: the root of the tree of sources that it is in, if it is in one.
    trees: RefCell<BTreeMap<PathBuf, Option<PathBuf>>>,
    read: RefCell<HashMap<String, Option<Vec<String>>>>,
}

/// What stands in the root of a kernel's tree, and nowhere below (Documentation/process/howto.rst, Kbuild).
const ROOT: [&str; 2] = ["Kbuild", "MAINTAINERS"];

impl Disk {
    /// Looks in the current folder and in those of the input files.
    pub fn beside(inputs: &[PathBuf]) -> Self {
        let mut folders = vec![PathBuf::new()];
        folders.extend(
            inputs
                .iter()
                .filter_map(|i| i.parent())
                .map(Path::to_path_buf),
        );
        Disk {
            here: std::env::current_dir().ok(),
            folders,
            trees: RefCell::default(),
            read: RefCell::default(),
        }
    }

    /// The root of the tree that a source is in, if it is in one.
    fn tree(&self, file: &Path) -> Option<PathBuf> {
        let folder = file.parent().filter(|f| f.is_absolute())?;
        let mut trees = self.trees.borrow_mut();
        let tree = trees.entry(folder.to_path_buf()).or_insert_with(|| {
            let root = |f: &&Path| ROOT.iter().all(|name| f.join(name).is_file());
            folder.ancestors().find(root).map(Path::to_path_buf)
        });
        tree.clone()
    }

    fn load(&self, file: &str) -> Option<Vec<String>> {
        let trees = self.trees.borrow();
        let roots: BTreeSet<&PathBuf> = trees.values().flatten().collect();
        let bytes = self
            .folders
            .iter()
            .chain(roots)
            .find_map(|folder| std::fs::read(folder.join(file)).ok())?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.lines().map(str::to_string).collect())
    }
}

impl Sources for Disk {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut read = self.read.borrow_mut();
        let lines = read
            .entry(file.to_string())
            .or_insert_with(|| self.load(file));
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        lines.as_ref()?.get(index).cloned()
    }
    /// Below the current folder: without it, as compilers do; in a kernel's tree elsewhere: as kernel people call it.
    fn shown(&self, file: &str) -> String {
        let path = Path::new(file);
        let here = self.here.as_ref().and_then(|h| path.strip_prefix(h).ok());
        let below = here.map(Path::to_path_buf).or_else(|| {
            let tree = self.tree(path)?;
            path.strip_prefix(tree).ok().map(Path::to_path_buf)
        });
        below.map_or(file.to_string(), |p| p.display().to_string())
    }
}

/// The line with the column marked and `label` beside the mark; empty where the source cannot be read.
pub(super) fn render(sources: &dyn Sources, frame: &Frame, label: &str) -> String {
    if frame.line == 0 {
        return String::new();
    }
    let Some(text) = sources.line(&frame.file, frame.line) else {
        return String::new();
    };
    let span = token(&text, frame.column);
    let snippet = Snippet::source(text.as_str())
        .path(frame.file.as_str())
        .line_start(frame.line as usize)
        .annotation(AnnotationKind::Primary.span(span).label(label));
    let group = Group::with_level(Level::WARNING).element(snippet);
    let mut rendered = Renderer::styled().render(&[group]);
    rendered.push('\n');
    rendered
}

/// The bytes of the name, or of the one character, at `column` (from 1, in bytes as clang counts); of the whole text
/// of the line where the column is unknown or past the end.
fn token(text: &str, column: u32) -> std::ops::Range<usize> {
    let start = (column as usize).wrapping_sub(1);
    match text.get(start..) {
        Some(rest) if !rest.is_empty() => {
            let name = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            let first = rest.chars().next().map_or(1, char::len_utf8);
            start..start + name.max(first)
        }
        _ => text.len() - text.trim_start().len()..text.trim_end().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_a_name_an_operator_or_the_line() {
        assert_eq!(token("\tcount++;", 2), 1..6);
        assert_eq!(token("\tcount++;", 7), 6..7);
        assert_eq!(token("\tcount++;", 0), 1..9);
        assert_eq!(token("\tcount++;", 40), 1..9);
        assert_eq!(token("é = 1;", 2), 0..7, "inside a character");
        assert_eq!(token("", 1), 0..0);
    }

    #[test]
    fn reads_beside_the_input() {
        let dir = tempfile::tempdir().expect("temporary folder");
        std::fs::write(dir.path().join("a.c"), "one\ntwo\n").expect("write");
        let disk = Disk::beside(&[dir.path().join("a.bc")]);
        assert_eq!(disk.line("a.c", 2).as_deref(), Some("two"));
        assert_eq!(disk.line("a.c", 0), None);
        assert_eq!(disk.line("a.c", 3), None);
        assert_eq!(disk.line("nowhere.c", 1), None);
        let here = std::env::current_dir().expect("there is one");
        let below = here.join("src/lib.rs").display().to_string();
        assert_eq!(disk.shown(&below), "src/lib.rs");
        assert_eq!(disk.line("src/lib.rs", 1), disk.line(&below, 1));
        assert_eq!(disk.shown("/elsewhere/a.c"), "/elsewhere/a.c");
    }

    #[test]
    fn in_a_kernels_tree_without_its_folder() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let folder = dir.path().join("drivers/char");
        std::fs::create_dir_all(&folder).expect("folder");
        let source = folder.join("a.c");
        std::fs::write(&source, "one\n").expect("write");
        let source = source.display().to_string();
        assert_eq!(Disk::beside(&[]).shown(&source), source, "no tree");
        for name in ROOT {
            std::fs::write(dir.path().join(name), "").expect("write");
        }
        let disk = Disk::beside(&[]);
        assert_eq!(disk.shown(&source), "drivers/char/a.c");
        assert_eq!(disk.line("drivers/char/a.c", 1).as_deref(), Some("one"));
    }
}
