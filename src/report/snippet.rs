//! The source line of an access, with a mark under it.

use std::cell::RefCell;
use std::collections::HashMap;
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
    read: RefCell<HashMap<String, Option<Vec<String>>>>,
}

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
            read: RefCell::default(),
        }
    }

    fn load(&self, file: &str) -> Option<Vec<String>> {
        let bytes = self
            .folders
            .iter()
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
    /// Below the current folder: without it, as compilers do.
    fn shown(&self, file: &str) -> String {
        let below = self
            .here
            .as_ref()
            .and_then(|h| Path::new(file).strip_prefix(h).ok());
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
}
