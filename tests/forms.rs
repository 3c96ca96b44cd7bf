//! Golden files of what lies between the stages, for five small cases: the concurrent program, the sequential one, and nets (`--emit`).
//! They show what a change to the frontend does. `IRKISS_BLESS=1 cargo test --test forms` writes them anew; read the difference.
//!
//! Of programs what the case defines and what the harness adds is kept; models and the run time are the same for all, and left out, as
//! are numbers of sites and lines of models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const CASES: [&str; 5] = [
    "kiss/bluetooth",
    "pthread/mutex_racy",
    "pthread/net_counter_racy",
    "language/atomic_section_racy",
    "drivers/racy_misc",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The case's bitcode, in that folder.
fn compile(case: &str, folder: &Path) -> PathBuf {
    let bitcode = folder.join("case.bc");
    let status = Command::new("clang-22")
        .current_dir(root())
        .args(["-target", "x86_64-linux-gnu", "-std=gnu17", "-g", "-O2"])
        .args(["-fno-discard-value-names", "-w", "-Iruntime-stubs/include"])
        .args(["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"])
        .arg(format!("test-bitcode/{case}.c"))
        .arg("-o")
        .arg(&bitcode)
        .status()
        .expect("clang-22");
    assert!(status.success(), "{case}");
    bitcode
}

fn emit(form: &str, bitcode: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_irkiss"))
        .args(["--emit", form])
        .arg(bitcode)
        .output()
        .expect("irkiss runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.replace(&format!("{}/", root().display()), "")
}

/// The name after `@` of a function's first line.
fn defined(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("define ")?;
    let name = &rest[rest.find('@')? + 1..];
    name.split('(').next()
}

/// The functions of a program in text whose first line is to be kept.
fn functions(text: &str, keep: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut within = false;
    for line in text.lines() {
        within |= line.starts_with("define ") && keep(line);
        if within {
            kept.push(line);
        }
        within &= line != "}";
    }
    kept
}

/// The text of a program without numbers of sites: what lies before them moves them.
fn program(text: &str, case: &str) -> String {
    let own = format!("{case}.c:");
    let keep = |line: &str| line.contains(&own) || line.ends_with("<no debug info>");
    let mut out = String::new();
    for line in functions(text, keep) {
        let (code, comment) = line.split_once(" ; ").unwrap_or((line, ""));
        let code = code.find(" !site").map_or(code, |at| &code[..at]);
        let line = match comment {
            "" => code.to_string(),
            _ => format!("{code} ; {comment}"),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// LLVM assembly of these functions, without metadata.
fn sequential(text: &str, names: &BTreeSet<String>) -> String {
    let keep = |line: &str| defined(line).is_some_and(|name| names.contains(name));
    let mut out = String::new();
    for line in functions(text, keep) {
        if line.trim_start().starts_with("#dbg_") {
            continue;
        }
        let line = line.split(", !").next().unwrap_or(line);
        let end = if line.starts_with("define ") {
            " {"
        } else {
            ""
        };
        let line = line.split(" #").next().unwrap_or(line);
        let line = line.split(" !dbg").next().unwrap_or(line);
        let line = line.split("; preds").next().unwrap_or(line).trim_end();
        let line = line.strip_suffix(" {").unwrap_or(line);
        out.push_str(&format!("{line}{end}\n"));
    }
    out
}

/// A net without what other models move: lines of models, and the numbers that the linker gives functions of one name.
fn net(text: &str) -> String {
    let digit = |c: char| c.is_ascii_digit();
    let mut parts = text.split(" ./runtime-stubs/");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let named = out.trim_end_matches(digit);
        if let Some(name) = named.strip_suffix('.').filter(|_| named.len() < out.len()) {
            out.truncate(name.len());
        }
        let ends = [".c:", ".h:"].map(|end| part.find(end).map_or(part.len(), |at| at + 2));
        let (file, rest) = part.split_at(ends[0].min(ends[1]));
        let rest = rest.trim_start_matches(|c| digit(c) || c == ':');
        out.push_str(&format!(" ./runtime-stubs/{file}{rest}"));
    }
    out
}

fn compare(case: &str, form: &str, text: &str) -> Result<(), String> {
    let name = format!("{}.{form}.txt", case.replace('/', "-"));
    let file = root().join("tests/data/forms").join(&name);
    if std::env::var_os("IRKISS_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).map_err(|e| e.to_string())?;
        return std::fs::write(&file, text).map_err(|e| e.to_string());
    }
    let known = std::fs::read_to_string(&file).map_err(|e| format!("{name}: {e}"))?;
    if known == text {
        return Ok(());
    }
    let differs = known.lines().zip(text.lines()).position(|(a, b)| a != b);
    let at = differs.unwrap_or_else(|| known.lines().count().min(text.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_string();
    Err(format!(
        "{name}, line {} (IRKISS_BLESS=1 accepts it):\n  was {}\n  is  {}",
        at + 1,
        line(&known),
        line(text)
    ))
}

#[test]
fn forms_are_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for case in CASES {
        let bitcode = compile(case, folder.path());
        let concurrent = program(&emit("program", &bitcode), case);
        let names = concurrent.lines().filter_map(defined);
        let names: BTreeSet<String> = names.map(str::to_string).collect();
        assert!(!names.is_empty(), "{case}: nothing of its own");
        let sequential = sequential(&emit("sequential", &bitcode), &names);
        assert!(sequential.lines().count() > names.len(), "{case}");
        let net = net(&emit("net", &bitcode));
        for (form, text) in [
            ("program", &concurrent),
            ("sequential", &sequential),
            ("net", &net),
        ] {
            wrong.extend(compare(case, form, text).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
