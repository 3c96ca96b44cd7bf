//! Every rule cites kernel source that is there: each file, and in it each name that the citation mentions.
//!
//! Needs a kernel tree (6.1): `make check-citations KERNEL=/path/to/linux`. Without one there is nothing to do.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The lines of the rule files that cite: file, line, text.
fn citations() -> Vec<(String, usize, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime-stubs/rules");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the rules")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        for (n, line) in text.lines().enumerate() {
            if let Some(cite) = line.strip_prefix("cite = \"") {
                let cite = cite.trim_end_matches('"').to_string();
                found.push((name.clone(), n + 1, cite));
            }
        }
    }
    found
}

/// The parts of a citation of Linux 6.1: a file of the kernel and what is said of it. What stands behind `6.12:` is of that kernel.
fn parts(cite: &str) -> Vec<(String, Vec<String>)> {
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    let older = cite.split_once("6.12: ").map_or(cite, |(before, _)| before);
    for word in older.split(' ') {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let is_file = word.ends_with(':')
            && bare.contains('/')
            && [".c", ".h", ".S", ".rst"].iter().any(|e| bare.ends_with(e));
        if is_file {
            parts.push((bare.to_string(), Vec::new()));
        } else if let Some((_, names)) = parts.last_mut() {
            let words = word.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(words.filter(|w| is_name(w)).map(str::to_string));
        }
    }
    parts
}

/// Names of C have an underscore, or capitals only.
fn is_name(word: &str) -> bool {
    word.len() > 2
        && (word.trim_matches('_').contains('_')
            || (word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase())))
        && !["RTNL", "NAPI", "ACPI", "SRCU"].contains(&word)
}

fn contains_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part)
            && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

#[test]
fn citations_have_a_file_and_name_something() {
    for (file, line, cite) in citations() {
        let parts = parts(&cite.replace("6.12: ", ""));
        assert!(!parts.is_empty(), "{file}:{line}: no file of the kernel");
    }
    assert!(citations().len() > 150);
}

#[test]
fn what_is_cited_is_there() {
    let Some(kernel) = std::env::var_os("IRKISS_KERNEL").map(PathBuf::from) else {
        eprintln!("no kernel tree in IRKISS_KERNEL: not checked");
        return;
    };
    let mut texts: HashMap<String, Option<String>> = HashMap::new();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (file, line, cite) in citations() {
        for (path, names) in parts(&cite) {
            let text = texts.entry(path.clone()).or_insert_with(|| {
                std::fs::read(kernel.join(&path))
                    .ok()
                    .map(|b| String::from_utf8_lossy(&b).into_owned())
            });
            let Some(text) = text else {
                wrong.push(format!("{file}:{line}: no file {path}"));
                continue;
            };
            for name in names {
                checked += 1;
                if !contains_word(text, &name) {
                    wrong.push(format!("{file}:{line}: no {name} in {path}"));
                }
            }
        }
    }
    println!("{checked} names checked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_citation_is_noticed() {
    let parts = parts("fs/read_write.c: ksys_read (f_pos); mm/mmap.c: mmap_region does");
    assert_eq!(
        parts,
        [
            (
                "fs/read_write.c".to_string(),
                vec!["ksys_read".to_string(), "f_pos".to_string()]
            ),
            ("mm/mmap.c".to_string(), vec!["mmap_region".to_string()]),
        ]
    );
    assert!(contains_word("int a_b(void)", "a_b"));
    assert!(!contains_word("int xa_b(void)", "a_b"));
}
