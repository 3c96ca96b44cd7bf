//! Headers that a compile did not take, though they have the name of one that it took: which of them there are decides what an `#include`
//! means. One that comes to lie in a folder that is searched earlier is another program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::key;
use super::source::plain;
use super::unit::Unit;

/// Options that name a folder in which headers are searched.
const SEARCHED: [&str; 4] = ["-I", "-isystem", "-iquote", "-idirafter"];

/// The folders in which a call searches headers, that of the source among them.
fn folders(unit: &Unit) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut words = unit.words.iter();
    while let Some(word) = words.next() {
        let Some(rest) = SEARCHED.iter().find_map(|o| word.strip_prefix(o)) else {
            continue;
        };
        let folder = match rest.is_empty() {
            true => words.next().map(String::as_str),
            false => Some(rest),
        };
        found.extend(folder.map(|f| plain(&unit.directory.join(f))));
    }
    let source = plain(&unit.directory.join(&unit.source));
    found.extend(source.parent().map(Path::to_path_buf));
    found
}

/// Of the files that a call was made of, those of the same name that lie in other folders that it searches, as one name.
pub(super) fn passed_over(unit: &Unit, from: &[PathBuf]) -> String {
    let folders = folders(unit);
    let taken: BTreeSet<PathBuf> = from.iter().map(|f| plain(f)).collect();
    let mut names = BTreeSet::new();
    for file in &taken {
        let below = folders.iter().filter_map(|f| file.strip_prefix(f).ok());
        names.extend(below.map(Path::to_path_buf));
    }
    let mut found = String::new();
    for name in &names {
        for folder in &folders {
            let other = folder.join(name);
            if !taken.contains(&other) && other.is_file() {
                found.push_str(&other.display().to_string());
                found.push('\n');
            }
        }
    }
    key::of_text(&found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_comes_before_another_is_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path();
        for name in ["one", "two", "src"] {
            std::fs::create_dir(here.join(name)).expect("a folder");
        }
        let write = |name: &str| std::fs::write(here.join(name), "").expect("written");
        write("src/x.c");
        write("two/own.h");
        let words = "cc -Ione -isystem two -c src/x.c".split(' ');
        let unit = Unit {
            object: "x.o".into(),
            directory: here.to_path_buf(),
            words: words.map(str::to_string).collect(),
            source: "src/x.c".into(),
        };
        let from = ["src/x.c", "two/own.h"].map(|f| here.join(f));
        let before = passed_over(&unit, &from);
        write("one/other.h");
        assert_eq!(passed_over(&unit, &from), before);
        write("one/own.h");
        let after = passed_over(&unit, &from);
        assert_ne!(after, before);
        write("src/own.h");
        assert_ne!(passed_over(&unit, &from), after);
    }
}
