//! The project's own source, for tests of its house rules: files, their code without comments and strings, the names in it.

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub struct File {
    /// Path below `src/`.
    pub path: String,
    pub text: String,
}

impl File {
    /// The top-level module that it belongs to.
    pub fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }
    /// Folders between it and the crate root, itself included: `report/human.rs` 2, `report/mod.rs` 1, `error.rs` 1.
    pub fn depth(&self) -> usize {
        let parts = self.path.split('/').count();
        if self.path.ends_with("/mod.rs") {
            parts - 1
        } else {
            parts
        }
    }
    /// The files that are compiled into tests alone: the modules that it declares below `#[cfg(test)]`, as paths without `.rs`.
    pub fn test_modules(&self) -> Vec<String> {
        let folder = self.path.rsplit_once('/').map_or("", |(f, _)| f);
        let own = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        let folder = if self.path.ends_with("/mod.rs") {
            folder
        } else {
            own
        };
        self.text
            .split("#[cfg(test)]\n")
            .skip(1)
            .filter_map(|after| {
                let declaration = after.lines().next()?.trim();
                let name = declaration.strip_suffix(';')?.rsplit_once("mod ")?.1;
                Some(format!("{folder}/{name}"))
            })
            .collect()
    }
}

/// The sources that are part of the tool itself, not of its unit tests.
pub fn shipped() -> Vec<File> {
    let all = files();
    let tests: Vec<String> = all.iter().flat_map(File::test_modules).collect();
    let is_test = |f: &File| {
        let path = f.path.strip_suffix(".rs").unwrap_or(&f.path);
        tests
            .iter()
            .any(|t| path == t || path.starts_with(&format!("{t}/")))
    };
    all.into_iter().filter(|f| !is_test(f)).collect()
}

pub fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("src can be listed") {
            let path = entry.expect("src can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let files: Vec<File> = paths
        .iter()
        .map(|p| File {
            path: p
                .strip_prefix(&root)
                .expect("below src")
                .display()
                .to_string(),
            text: std::fs::read_to_string(p).expect("source is UTF-8"),
        })
        .filter(|f| f.path != "lib.rs")
        .collect();
    assert!(files.len() > 10, "the sources were not found");
    files
}

/// The code without comments, strings and characters, and without the unit tests at its end.
pub fn code(text: &str) -> String {
    parts(text).0
}

/// The strings of the code, without those of the unit tests at its end.
pub fn strings(text: &str) -> Vec<&str> {
    parts(text).1
}

/// Both.
pub fn parts(text: &str) -> (String, Vec<&str>) {
    let text = text
        .split_once("\n#[cfg(test)]\nmod tests")
        .map_or(text, |(before, _)| before);
    let mut out = String::new();
    let mut strings = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |n| n + 2)
        } else if let Some(hashes) = raw_string(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let from = hashes + 2;
            rest[from..]
                .find(&end)
                .map_or(rest.len(), |n| from + n + end.len())
        } else if c == '"' {
            quoted(rest)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            rest[2..].find('\'').map_or(1, |n| n + 3)
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        if c == '"' || c == 'r' {
            strings.push(&rest[..skip]);
        }
        out.push(' ');
        rest = &rest[skip..];
    }
    (out, strings)
}

/// Number of `#` if a raw string starts here.
pub fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some(hashes)
}

/// Length of the string literal that starts here.
pub fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (n, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return n + 1,
            _ => {}
        }
    }
    text.len()
}

pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

pub fn name_at(text: &str) -> &str {
    &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())]
}

/// The first segments that follow `prefix` (`crate::`): one name, or the names at the top of a group in braces.
pub fn after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if code[..at].ends_with(|c: char| is_name(c) || c == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.push(name_at(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = 0;
        for (n, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    names.push(name_at(group[start..n].trim_start()));
                    start = n + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    names.retain(|n| !n.is_empty());
    names
}

/// What leads back to itself in a graph: the nodes of each circle.
pub fn circles(calls: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<BTreeSet<String>> {
    let reach = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut todo: Vec<&str> = calls.get(from).into_iter().flatten().copied().collect();
        while let Some(file) = todo.pop() {
            if seen.insert(file) {
                todo.extend(calls.get(file).into_iter().flatten());
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = calls.keys().map(|f| (*f, reach(f))).collect();
    let on_one = reached.iter().filter(|(f, to)| to.contains(*f));
    let mut all: Vec<BTreeSet<String>> = on_one
        .map(|(f, to)| {
            let back = |t: &&&str| reached.get(**t).is_some_and(|r| r.contains(f));
            to.iter().filter(back).map(|t| (*t).to_string()).collect()
        })
        .collect();
    all.sort();
    all.dedup();
    all
}
