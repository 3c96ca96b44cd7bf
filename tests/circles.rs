//! The house rule about circles inside rooms: files of one folder that import each other, directly or by others, have to be read together.
//! Which there are stands here; a circle may only become smaller.

#[path = "support/sources.rs"]
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use sources::{File, circles, code, name_at, shipped};

/// A circle of more files than this is one too many, unless it is on the list.
const FEW: usize = 6;

/// The larger circles that there are: one of the modules in it, and how many they are.
const LARGER: &[(&str, usize)] = &[
    // A type with fields of many files, which have methods of it.
    ("symex::machine::exec", 22),
    ("analysis::plan", 9),
    ("analysis::points_to::solver", 8),
    ("sweep::plan", 8),
    ("concrete::machine", 7),
    ("commands::kbuild", 7),
];

/// `symex::machine::exec` of `symex/machine/exec.rs`.
fn module(file: &File) -> String {
    let path = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.replace('/', "::")
}

/// Every path that a `use` names: `a::{b, c::{d}}` is `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else {
        return vec![tree.to_string()];
    };
    let inside = rest.strip_suffix('}').unwrap_or(rest);
    let mut depth = 0;
    let parts = inside.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    let parts: Vec<&str> = parts.filter(|p| !p.is_empty()).collect();
    let each = parts.into_iter().flat_map(expand);
    each.map(|p| format!("{prefix}{p}")).collect()
}

/// The modules that a file imports from, as paths from the crate's root: the longest that there is of each.
fn imported(file: &File, known: &BTreeSet<String>) -> BTreeSet<String> {
    let own = module(file);
    let code = code(&file.text);
    let uses = code.split("use ").skip(1).filter_map(|u| u.split_once(';'));
    let trees = uses.map(|(tree, _)| tree.split_whitespace().collect::<String>());
    let mut found = BTreeSet::new();
    for path in trees.flat_map(|tree| expand(&tree)) {
        let mut up: Vec<&str> = own.split("::").collect();
        let mut rest = path.as_str();
        if let Some(absolute) = rest.strip_prefix("crate::") {
            (up, rest) = (Vec::new(), absolute);
        } else if rest.starts_with("super::") {
            while let Some(above) = rest.strip_prefix("super::") {
                up.pop();
                rest = above;
            }
        } else if let Some(below) = rest.strip_prefix("self::") {
            rest = below;
        } else {
            continue;
        }
        let names = rest.split("::").map(name_at).filter(|n| !n.is_empty());
        let mut path: Vec<&str> = up.into_iter().chain(names).collect();
        while !path.is_empty() && !known.contains(&path.join("::")) {
            path.pop();
        }
        found.insert(path.join("::"));
    }
    found.remove(&own);
    found.remove("");
    found
}

#[test]
fn imports_form_no_long_circle() {
    let files = shipped();
    let known: BTreeSet<String> = files.iter().map(module).collect();
    let all: Vec<(String, BTreeSet<String>)> = files
        .iter()
        .map(|f| (module(f), imported(f, &known)))
        .collect();
    let edges: usize = all.iter().map(|(_, to)| to.len()).sum();
    assert!(edges > 1000, "the imports were not found: {edges}");
    let graph: BTreeMap<&str, BTreeSet<&str>> = all
        .iter()
        .map(|(from, to)| (from.as_str(), to.iter().map(String::as_str).collect()))
        .collect();
    let found = circles(&graph);
    let mut wrong = Vec::new();
    for circle in found.iter().filter(|c| c.len() > FEW) {
        let listed = LARGER.iter().find(|(one, _)| circle.contains(*one));
        if listed.is_none_or(|(_, n)| circle.len() > *n) {
            wrong.push(format!(
                "{} files import each other: {circle:?}",
                circle.len()
            ));
        }
    }
    for (one, n) in LARGER {
        let now = found
            .iter()
            .find(|c| c.contains(*one))
            .map_or(0, BTreeSet::len);
        if now < *n {
            wrong.push(format!(
                "the circle of {one} has {now} files now: write that down"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_reader_sees_what_a_use_names() {
    let all = expand("crate::a::{b,c::{d,e},f}");
    assert_eq!(
        all,
        [
            "crate::a::b",
            "crate::a::c::d",
            "crate::a::c::e",
            "crate::a::f"
        ]
    );
    let known = ["x", "x::y", "x::y::z", "x::w"].map(String::from);
    let file = File {
        path: "x/y/z.rs".into(),
        text: "use super::Thing;\nuse crate::x::{w::Other, y};\nuse std::fmt;\n".into(),
    };
    let found = imported(&file, &BTreeSet::from(known));
    assert_eq!(Vec::from_iter(found), ["x::w", "x::y"]);
}
