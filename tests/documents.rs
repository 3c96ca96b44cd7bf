//! The runs that README.md and some documents show are what irkiss does: a line `$ irkiss …` within a block of text is executed, and what
//! stands below it must be what irkiss prints. `IRKISS_BLESS=1` writes the document anew. And the files that the documents name are there.
//!
//! Input is `target/demo/NAME.bc`, made of the case of that name as `make demo` makes its own. `$ clang-22 …` compiles with the plugin,
//! called `target/release/irkiss-plugin.so` as `make build` leaves it, and what it prints is the compiler's.

use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: [&str; 5] = [
    "README.md",
    "docs/formats.md",
    "docs/plugin.md",
    "docs/searching.md",
    "docs/sweeps.md",
];

/// The store of sweeps that documents show: each of them begins without.
const STORE: &str = "target/demo/store";
const FENCE: &str = "```";
const PROMPT: &str = "$ irkiss ";
const COMPILER: &str = "$ clang-22 ";
const PLUGIN: &str = "target/release/irkiss-plugin.so";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source of the case of that name.
fn source_of(name: &str) -> PathBuf {
    let folders = std::fs::read_dir(root().join("test-bitcode")).expect("the cases");
    let mut files = folders.map(|f| f.expect("an entry").path().join(format!("{name}.c")));
    let found = files.find(|file| file.exists());
    found.unwrap_or_else(|| panic!("no case {name}: a run that nobody can execute"))
}

/// Makes the bitcode that a run reads.
fn make(input: &str) {
    let name = input
        .strip_prefix("target/demo/")
        .and_then(|n| n.strip_suffix(".bc"))
        .unwrap_or_else(|| panic!("{input}: not of a case"));
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

/// What clang 22 says with the plugin.
fn compile(arguments: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins");
    let built = Command::new(root().join("scripts/plugin.sh"))
        .arg(&folder)
        .status();
    assert!(built.expect("the script runs").success());
    let plugin = folder.join("irkiss-plugin.so").display().to_string();
    let output = Command::new("clang-22")
        .current_dir(root())
        .args(arguments.replace(PLUGIN, &plugin).split_whitespace())
        .env("IRKISS", env!("CARGO_BIN_EXE_irkiss"))
        .output()
        .expect("clang-22 runs");
    String::from_utf8(output.stderr).expect("text")
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

/// The document with what its runs print now, and how many there are.
fn with_runs(text: &str) -> (String, usize) {
    let (mut now, mut runs, mut hidden) = (String::new(), 0, false);
    let mut fenced = false;
    for line in text.lines() {
        if line.starts_with(FENCE) {
            fenced = !fenced;
            hidden = false;
        }
        let printed = match (line.strip_prefix(PROMPT), line.strip_prefix(COMPILER)) {
            _ if !fenced => None,
            (Some(arguments), _) => Some(run(arguments)),
            (None, Some(arguments)) => Some(compile(arguments)),
            (None, None) => None,
        };
        if let Some(printed) = printed {
            now.push_str(&format!("{line}\n{printed}"));
            runs += 1;
            hidden = true;
        } else if !hidden {
            now.push_str(&format!("{line}\n"));
        }
    }
    (now, runs)
}

#[test]
fn runs_are_what_irkiss_prints() {
    let mut all = 0;
    for document in DOCUMENTS {
        let file = root().join(document);
        let text = std::fs::read_to_string(&file).expect("the document");
        let _ = std::fs::remove_dir_all(root().join(STORE));
        let (now, runs) = with_runs(&text);
        all += runs;
        if std::env::var_os("IRKISS_BLESS").is_some() {
            std::fs::write(&file, now).expect("written");
            continue;
        }
        let differs = text.lines().zip(now.lines()).position(|(a, b)| a != b);
        assert!(
            text == now,
            "{document} does not show what irkiss prints, from line {} (IRKISS_BLESS=1 accepts it):\n  {:?}",
            differs.map_or(0, |n| n + 1),
            differs.and_then(|n| now.lines().nth(n))
        );
    }
    assert!(all >= 4, "{all} runs");
}
