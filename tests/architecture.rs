//! The house rules of ARCHITECTURE.md, read from the source: who may import whom, and what must never be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[path = "support/sources.rs"]
mod sources;

use sources::{File, after, circles, code, files, name_at, shipped, strings};

/// The floor of every top-level module. No module imports one from a floor above its own.
const FLOORS: &[(&str, u32)] = &[
    ("assumption", 1),
    ("config", 1),
    ("deadline", 1),
    ("memory", 1),
    ("error", 1),
    ("forms", 1),
    ("faults", 1),
    ("identity", 1),
    ("index", 1),
    ("progress", 1),
    ("property", 1),
    ("region", 1),
    ("expr", 2),
    ("kbuild", 2),
    ("source", 2),
    ("program", 3),
    ("solver", 3),
    ("environment", 4),
    ("trace", 4),
    ("analysis", 5),
    ("frontend", 5),
    ("concrete", 6),
    ("symex", 6),
    ("verdict", 7),
    ("bugs", 8),
    ("oracle", 8),
    ("replay", 8),
    ("report", 8),
    ("sweep", 8),
    ("results", 9),
    ("finding", 9),
    ("pair", 9),
    ("pipeline", 9),
    ("command", 10),
    ("internals", 10),
    ("cli", 10),
    ("commands", 10),
    ("main", 10),
];

/// Crates that only some files may name: crate, files (a folder ends in `/`), why.
const CRATES: &[(&str, &[&str], &str)] = &[
    ("inkwell", &["frontend/"], "LLVM stays in the child process"),
    (
        "llvm_sys",
        &["frontend/"],
        "LLVM stays in the child process",
    ),
    (
        "z3",
        &["solver/z3.rs", "solver/linked.rs"],
        "the solver stands behind a trait",
    ),
    (
        "z3_sys",
        &["solver/linked.rs"],
        "only its address tells whose functions are called",
    ),
    (
        "rustsat",
        &["solver/bits/sat.rs"],
        "the SAT solver stands behind a type of its own",
    ),
    (
        "rustsat_cadical",
        &["solver/bits/sat.rs"],
        "the SAT solver stands behind a type of its own",
    ),
    (
        "clap",
        &["cli/"],
        "the library knows nothing of the command line",
    ),
    ("indicatif", &["progress.rs"], "progress is one trait"),
    ("rusqlite", &["sweep/store/"], "a store is one type"),
    (
        "annotate_snippets",
        &["report/"],
        "only the reports write for people",
    ),
];

/// Imports that are forbidden although the floors would allow them: module, what it must not import, why.
const NEVER: &[(&str, &[&str], &str)] = &[
    (
        "replay",
        &["symex", "expr", "solver", "frontend", "analysis"],
        "the interpreter confirms what the symbolic executor says: they share no code",
    ),
    (
        "oracle",
        &["symex", "expr", "solver", "frontend", "analysis"],
        "an oracle shares no code with what is compared with it",
    ),
    (
        "analysis",
        &["frontend"],
        "the engine works on owned programs",
    ),
    ("symex", &["frontend"], "the engine works on owned programs"),
    ("verdict", &["report", "replay"], "verdicts are plain data"),
];

/// What the names of the harness, of its models and of the run times begin with. Who stands above the frontend finds functions in the
/// maps of a program (`src/program/harness_map.rs`, `runtime.rs`), never by a name.
const OWN_NAMES: &[&str] = &["__irkiss_", "__kiss_", "__lr_"];

/// Modules that only the named ones may import.
const ONLY_FROM: &[(&str, &[&str])] = &[
    ("report", &["pipeline", "main", "commands"]),
    ("oracle", &[]),
];

/// Types whose methods lie in many files of a folder: no circle of calls among these files is longer than so many. May only shrink.
const CIRCLES: &[(&str, &str, usize)] = &[("symex/", "Executor", 4)];

/// Longest file, in lines.
const ONE_ROOM: usize = 600;

/// Longest function, in lines.
const ONE_PART: usize = 80;

/// Functions that are longer: file, name, lines. May only shrink.
const LONG: &[(&str, &str, usize)] = &[
    ("report/sample.rs", "outcome", 91),
    ("report/sample.rs", "race", 86),
];

/// The top-level modules that the file's code names.
fn imports(file: &File) -> BTreeSet<String> {
    let code = code(&file.text);
    let up = "super::".repeat(file.depth());
    let known = |n: &str| floor(n).is_some();
    ["crate::", "irkiss::", "$crate::", up.as_str()]
        .iter()
        .flat_map(|prefix| after(&code, prefix))
        .filter(|n| known(n) && *n != file.module())
        .map(str::to_string)
        .collect()
}

fn floor(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(m, _)| *m == module).map(|(_, f)| *f)
}

fn fail_with(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn every_module_has_a_floor() {
    let unknown: Vec<String> = files()
        .iter()
        .filter(|f| floor(f.module()).is_none())
        .map(|f| {
            format!(
                "{}: its module stands on no floor (tests/architecture.rs)",
                f.path
            )
        })
        .collect();
    fail_with(&unknown);
}

#[test]
fn no_import_goes_upward() {
    let mut violations = Vec::new();
    for file in shipped() {
        for import in imports(&file) {
            if floor(&import) > floor(file.module()) {
                violations.push(format!("{} imports {import}, a floor above", file.path));
            }
        }
    }
    fail_with(&violations);
}

#[test]
fn modules_form_no_circle() {
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in shipped() {
        let entry = graph.entry(file.module().to_string()).or_default();
        entry.extend(imports(&file));
    }
    // Take away what imports nothing that is left; what stays is on a circle or leads to one.
    loop {
        let leaves: Vec<String> = graph
            .iter()
            .filter(|(_, to)| to.iter().all(|t| !graph.contains_key(t)))
            .map(|(m, _)| m.clone())
            .collect();
        if leaves.is_empty() {
            break;
        }
        for leaf in leaves {
            graph.remove(&leaf);
        }
    }
    assert!(graph.is_empty(), "modules import in a circle: {graph:?}");
}

#[test]
fn forbidden_imports_are_absent() {
    let mut violations = Vec::new();
    for file in shipped() {
        let imports = imports(&file);
        for (module, forbidden, why) in NEVER {
            for f in forbidden.iter().filter(|f| imports.contains(**f)) {
                if file.module() == *module {
                    violations.push(format!("{} imports {f}: {why}", file.path));
                }
            }
        }
        for (module, allowed) in ONLY_FROM {
            if imports.contains(*module) && !allowed.contains(&file.module()) {
                violations.push(format!("{} imports {module}", file.path));
            }
        }
    }
    fail_with(&violations);
}

#[test]
fn names_of_the_harness_stay_in_the_frontend() {
    let mut violations = Vec::new();
    for file in shipped() {
        if floor(file.module()) < floor("frontend") || file.module() == "frontend" {
            continue;
        }
        for name in strings(&file.text) {
            if OWN_NAMES.iter().any(|own| name.contains(own)) {
                violations.push(format!("{}: {name}", file.path));
            }
        }
    }
    fail_with(&violations);
}

/// The methods of a type that a file defines, each with the methods that it calls on `self` or `run`. Of code without strings.
fn methods<'a>(code: &'a str, of: &str) -> Vec<(&'a str, BTreeSet<&'a str>)> {
    let mut found = Vec::new();
    for block in code.split("\nimpl").skip(1) {
        let Some((head, body)) = block.split_once('{') else {
            continue;
        };
        if !head.contains(&format!(" {of}")) || head.contains(" for ") {
            continue;
        }
        let body = body.split("\n}").next().unwrap_or_default();
        for method in body.split("fn ").skip(1) {
            let calls = ["self.", "run."].iter().flat_map(|on| {
                method.split(on).skip(1).filter_map(|after| {
                    let name = name_at(after);
                    after[name.len()..].starts_with('(').then_some(name)
                })
            });
            found.push((name_at(method), calls.collect()));
        }
    }
    found
}

#[test]
fn methods_form_no_long_circle() {
    for (folder, of, longest) in CIRCLES {
        let files: Vec<(String, String)> = shipped()
            .into_iter()
            .filter(|f| f.path.starts_with(folder))
            .map(|f| (code(&f.text), f.path))
            .collect();
        let mut defined: BTreeMap<&str, &str> = BTreeMap::new();
        for (code, path) in &files {
            defined.extend(
                methods(code, of)
                    .iter()
                    .map(|(name, _)| (*name, path.as_str())),
            );
        }
        assert!(defined.len() > 100, "the methods of {of} were not found");
        let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (code, path) in &files {
            let called = methods(code, of).into_iter().flat_map(|(_, calls)| calls);
            let others = called.filter_map(|name| defined.get(name).copied());
            let others = others.filter(|other| other != path);
            calls.entry(path).or_default().extend(others);
        }
        let long: Vec<String> = circles(&calls)
            .iter()
            .filter(|circle| circle.len() > *longest)
            .map(|circle| format!("files of {of} call each other in a circle: {circle:?}"))
            .collect();
        fail_with(&long);
    }
}

#[test]
fn crates_stay_where_they_belong() {
    let mut violations = Vec::new();
    for file in files() {
        // The unit tests count here: they are compiled into the same place.
        let code = code(&file.text.replace("#[cfg(test)]", ""));
        for (name, allowed, why) in CRATES {
            let here = allowed
                .iter()
                .any(|a| file.path == *a || (a.ends_with('/') && file.path.starts_with(a)));
            if !here && !after(&code, &format!("{name}::")).is_empty() {
                violations.push(format!("{} names {name}: {why}", file.path));
            }
        }
    }
    fail_with(&violations);
}

#[test]
fn every_file_has_a_header_and_is_one_room() {
    let mut violations = Vec::new();
    for file in files() {
        if !file.text.starts_with("//! ") {
            violations.push(format!("{}: no //! header", file.path));
        }
        let lines = file.text.lines().count();
        if lines > ONE_ROOM {
            violations.push(format!(
                "{}: {lines} lines, more than {ONE_ROOM}",
                file.path
            ));
        }
    }
    fail_with(&violations);
}

/// The functions of a text as rustfmt leaves it, with their names and lines: each ends at the brace below its first letter.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let Some(name) = declared(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_end = |line: &&str| {
            let own = line.strip_prefix(indent).unwrap_or_default();
            let closes = own == "}" || own.ends_with(['}', ';']);
            closes && !own.starts_with(' ')
        };
        let after = lines[n..].iter().position(is_end);
        found.push((name, after.map_or(lines.len() - n, |after| after + 1)));
    }
    found
}

/// The name of the function that a line begins to declare.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix("fn ") {
            return Some(name_at(after)).filter(|name| !name.is_empty());
        }
        let (word, after) = rest.split_once(' ')?;
        let before = ["pub", "const", "async", "unsafe", "extern", "\"C\""];
        if !before.contains(&word) && !word.starts_with("pub(") {
            return None;
        }
        rest = after;
    }
}

#[test]
fn no_function_is_long() {
    let mut violations = Vec::new();
    let mut needed: BTreeSet<(&str, &str)> = BTreeSet::new();
    for file in files() {
        for (name, lines) in functions(&file.text) {
            let listed = LONG.iter().find(|(f, n, _)| *f == file.path && *n == name);
            needed.extend(
                listed
                    .filter(|_| lines > ONE_PART)
                    .map(|(f, n, _)| (*f, *n)),
            );
            let most = listed.map_or(ONE_PART, |(.., most)| *most);
            if lines > most {
                let path = &file.path;
                violations.push(format!(
                    "{path}: {name} has {lines} lines, more than {most}"
                ));
            }
        }
    }
    for (file, name, _) in LONG.iter().filter(|(f, n, _)| !needed.contains(&(*f, *n))) {
        violations.push(format!(
            "{file}: {name} has no more than {ONE_PART} lines, and need not be listed"
        ));
    }
    fail_with(&violations);
}

#[test]
fn the_reader_sees_functions() {
    let text = "fn one() {}\n\nimpl X {\n    /// fn no\n    pub(super) const unsafe fn two(\n        a: u8,\n    ) -> u8 {\n        if a {\n        }\n        \
                a\n    }\n}\ntrait Y {\n    fn three(\n        &self,\n    );\n}\npub fn four<T>()\nwhere\n    T: Z,\n{\n    fn five() {\n    }\n}\n";
    assert_eq!(
        functions(text),
        [
            ("one", 1),
            ("two", 7),
            ("three", 3),
            ("four", 7),
            ("five", 2)
        ]
    );
}

/// A module with parts is `x/mod.rs`, never `x.rs` beside a folder.
#[test]
fn module_files_have_one_style() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let two = files().into_iter().filter(|f| {
        let folder = f.path.strip_suffix(".rs");
        folder.is_some_and(|folder| root.join(folder).is_dir())
    });
    let violations: Vec<String> = two
        .map(|f| format!("{} stands beside a folder of its name", f.path))
        .collect();
    fail_with(&violations);
}

#[test]
fn test_modules_are_told_apart() {
    let file = |path: &str, text: &str| File {
        path: path.into(),
        text: text.into(),
    };
    let declares = |path, text| file(path, text).test_modules();
    assert_eq!(
        declares(
            "a/mod.rs",
            "#[cfg(test)]\nmod tests;\n#[cfg(test)]\npub(crate) mod testing;"
        ),
        ["a/tests", "a/testing"]
    );
    assert_eq!(
        declares("a/b.rs", "#[cfg(test)]\nmod tests;"),
        ["a/b/tests"]
    );
    assert!(declares("a/b.rs", "mod tests;\n#[cfg(test)]\nmod tests {").is_empty());
    assert!(shipped().len() < files().len());
}

/// The rules above can fail: the reader sees every form of import, and no text that only looks like one.
#[test]
fn the_reader_sees_imports() {
    let file = |path: &str, text: &str| File {
        path: path.into(),
        text: text.into(),
    };
    let names = |path: &str, text: &str| -> Vec<String> {
        imports(&file(path, text)).into_iter().collect()
    };
    assert_eq!(
        names("expr/term.rs", "use crate::report::json;"),
        ["report"]
    );
    assert_eq!(
        names(
            "expr/term.rs",
            "use crate::{report::{a, symex}, trace, index::{Idx}};"
        ),
        ["index", "report", "trace"]
    );
    assert_eq!(
        names("expr/term.rs", "fn f() { crate::symex::run() }"),
        ["symex"]
    );
    assert_eq!(
        names("expr/term.rs", "use super::super::solver::X;"),
        ["solver"]
    );
    assert_eq!(names("expr/mod.rs", "use super::solver::X;"), ["solver"]);
    assert_eq!(
        names("main.rs", "use irkiss::{pipeline, report};"),
        ["pipeline", "report"]
    );
    for quiet in [
        "// use crate::report::json;",
        "/* crate::report */",
        "const S: &str = \"crate::report \\\" crate::trace\";",
        "const S: &str = r#\"crate::report\"#;",
        "const C: char = '\"'; // \" crate::report",
        "use crate::expr::report;",
        "\n#[cfg(test)]\nmod tests { use crate::report; }",
    ] {
        assert!(names("expr/term.rs", quiet).is_empty(), "{quiet}");
    }
    assert_eq!(
        strings("f(\"a\"); // \"b\"\nconst R: &str = r#\"c\"#; const C: char = '\"';"),
        ["\"a\"", "r#\"c\"#"]
    );
    assert!(after("self::z3::X", "z3::").is_empty());
    assert_eq!(after("use z3::Solver;", "z3::"), ["Solver"]);
}
