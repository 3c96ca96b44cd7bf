//! The runs that README.md shows are what irkiss does: a line `$ irkiss …` within a block of text is executed, and what stands below it
//! must be what irkiss prints. `IRKISS_BLESS=1` writes the document anew. And the files that the documents name are there.
//!
//! Input is `target/demo/NAME.bc`, made of the case of that name as `make demo` makes its own.

use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENT: &str = "README.md";
const FENCE: &str = "```";
const PROMPT: &str = "$ irkiss ";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source of the case of that name.
fn source_of(name: &str) -> PathBuf {
    let folders = std::fs::read_dir(root().join("test-bitcode")).expect("the cases");
    let mut files = folders.map(|f| f.expect("an entry").path().join(format!("{name}.c")));
    let found = files.find(|file| file.exists());
    found.unwrap_or_else(|| panic!("{DOCUMENT}: no case {name}: a run that nobody can execute"))
}

/// Makes the bitcode that a run reads.
fn make(input: &str) {
    let name = input
        .strip_prefix("target/demo/")
        .and_then(|n| n.strip_suffix(".bc"))
        .unwrap_or_else(|| panic!("{DOCUMENT}: {input}: not of a case"));
    let source = source_of(name);
    let source = source.strip_prefix(root()).expect("within the project");
    std::fs::create_dir_all(root().join("target/demo")).expect("a folder");
    let status = Command::new("clang-22")
        .current_dir(root())
        .args(["-g", "-O2", "-Xclang", "-disable-llvm-passes"])
        .args(["-fno-discard-value-names", "-Iruntime-stubs/include", "-w"])
        .args(["-emit-llvm", "-c"])
        .arg(source)
        .args(["-o", input])
        .status()
        .expect("clang-22");
    assert!(status.success(), "{input}");
}

/// What irkiss prints.
fn run(arguments: &str) -> String {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    arguments
        .iter()
        .filter(|a| a.ends_with(".bc"))
        .for_each(|a| make(a));
    let output = Command::new(env!("CARGO_BIN_EXE_irkiss"))
        .current_dir(root())
        .args(&arguments)
        .output()
        .expect("irkiss runs");
    String::from_utf8(output.stdout).expect("text")
}

/// ARCHITECTURE.md names files by their whole path, below `src/` or the project: none is gone, and none could be another. What other
/// documents say of files below `src/` is true, too.
#[test]
fn files_that_are_named_are_there() {
    let docs = std::fs::read_dir(root().join("docs")).expect("the documents");
    let docs = docs.map(|f| f.expect("an entry").path());
    let docs = docs.filter(|f| f.extension().is_some_and(|e| e == "md"));
    let others = ["README.md", "CONTRIBUTING.md"].map(|f| root().join(f));
    let own = root().join("ARCHITECTURE.md");
    let is_file = |name: &&str| {
        let known = [".rs", ".c", ".toml", ".txt", ".md", ".sh", ".py"];
        known.iter().any(|end| name.ends_with(end)) && !name.contains(' ')
    };
    let mut gone = Vec::new();
    for file in docs.chain(others).chain([own.clone()]) {
        let text = std::fs::read_to_string(&file).expect("the document");
        let quoted = text.split('`').skip(1).step_by(2).filter(is_file);
        let named: Vec<&str> = quoted
            .filter(|name| file == own || name.starts_with("src/"))
            .collect();
        assert!(file != own || named.len() > 50, "{named:?}");
        let exists = |name: &str| {
            let below = |folder: &str| root().join(folder).join(name).is_file();
            below("") || below("src")
        };
        let lost = named.iter().filter(|name| !exists(name));
        gone.extend(lost.map(|name| format!("{}: {name}", file.display())));
    }
    assert!(gone.is_empty(), "{}", gone.join("\n"));
}

#[test]
fn runs_are_what_irkiss_prints() {
    let file = root().join(DOCUMENT);
    let text = std::fs::read_to_string(&file).expect("the document");
    let (mut now, mut runs, mut hidden) = (String::new(), 0, false);
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with(FENCE) {
            fenced = !fenced;
            hidden = false;
        }
        if let Some(arguments) = line.strip_prefix(PROMPT).filter(|_| fenced) {
            now.push_str(&format!("{line}\n{}", run(arguments)));
            runs += 1;
            hidden = true;
        } else if !hidden {
            now.push_str(&format!("{line}\n"));
        }
    }
    assert!(runs >= 3, "{runs} runs");
    if std::env::var_os("IRKISS_BLESS").is_some() {
        std::fs::write(&file, now).expect("written");
        return;
    }
    let differs = text.lines().zip(now.lines()).position(|(a, b)| a != b);
    assert!(
        text == now,
        "{DOCUMENT} does not show what irkiss prints, from line {} (IRKISS_BLESS=1 accepts it):\n  {:?}",
        differs.map_or(0, |n| n + 1),
        differs.and_then(|n| now.lines().nth(n))
    );
}
