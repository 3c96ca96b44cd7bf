//! What packages are made of, as far as it is cheap to look at: where the libraries are looked for, completions, pages of the manual,
//! and that `irkiss doctor` finds fault. `scripts/try-package.sh` tries a whole package.

use std::path::Path;

use assert_cmd::Command;

fn command(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("irkiss").expect("the command is built");
    command.args(args);
    command
}

fn said(args: &[&str]) -> String {
    let output = command(args).output().expect("it runs");
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Commands that users see.
const COMMANDS: [&str; 8] = [
    "check", "prove", "replay", "suggest", "rules", "kbuild", "sweep", "doctor",
];

#[test]
fn libraries_are_looked_for_beside_an_installed_irkiss_first() {
    let irkiss = assert_cmd::cargo::cargo_bin("irkiss");
    let dynamic = std::process::Command::new("readelf")
        .arg("-dW")
        .arg(irkiss)
        .output()
        .expect("readelf (binutils) runs");
    let dynamic = String::from_utf8_lossy(&dynamic.stdout).into_owned();
    let runpath = dynamic.lines().find(|l| l.contains("RUNPATH"));
    let runpath = runpath.unwrap_or_else(|| panic!("no RUNPATH: {dynamic}"));
    assert!(runpath.contains("[$ORIGIN/../lib/irkiss"), "{runpath}");
    // LLVM brings a Z3 of its own; what irkiss names itself is searched first, whatever the order.
    let needed = |name: &str| {
        dynamic
            .lines()
            .any(|l| l.contains("NEEDED") && l.contains(name))
    };
    assert!(needed("libz3.so.5.4") && !needed("libz3.so.4"), "{dynamic}");
}

#[test]
fn completions_know_every_command_and_option() {
    for shell in ["bash", "zsh", "fish"] {
        let script = said(&["completions", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
        for option in ["switch-points", "help-all"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
        assert!(!script.contains("__frontend"), "{shell}");
    }
    let script = said(&["completions", "bash"]);
    let mut bash = std::process::Command::new("bash");
    let parsed = bash
        .args(["-n", "-c", &script])
        .status()
        .expect("bash runs");
    assert!(parsed.success());
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let to = folder.path().to_str().expect("UTF-8");
    assert!(said(&["man", "--to", to]).is_empty());
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    for command in COMMANDS {
        let page = page(&format!("irkiss-{command}.1"));
        assert!(page.contains(".TH"), "{command}");
    }
    let main = page("irkiss.1");
    assert_eq!(main, said(&["man"]));
    for word in ["Exit codes", "--help\\-all", "\\-\\-switch\\-points"] {
        assert!(
            main.contains(&word.replace("--help", "\\-\\-help")),
            "{word}"
        );
    }
}

#[test]
fn the_doctor_checks_a_program_and_says_what_is_missing() {
    let all = said(&["doctor"]);
    for part in [
        "LLVM     22.",
        "libz3.so.5.4",
        "cadical",
        "digest",
        "passed: ",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    // A kernel that is none, and no compiler for it.
    let folder = tempfile::tempdir().expect("temporary folder");
    let output = command(&["doctor", "--no-self-test"])
        .arg(folder.path())
        .env("PATH", folder.path())
        .env_remove("CC")
        .env_remove("IRKISS_CLANG")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for what in ["clang    broken: ", "kernel   broken: ", "install clang-22"] {
        assert!(text.contains(what), "{what}: {text}");
    }
    assert!(text.ends_with("2 needed and not working\n"), "{text}");
    // Nowhere to write.
    let output = command(&["doctor"])
        .env("TMPDIR", "/nowhere")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("check    broken: self-test: "), "{text}");
    assert!(text.contains("TMPDIR names another folder"), "{text}");
}

#[test]
fn the_version_is_told_with_its_parts() {
    let short = said(&["--version"]);
    assert_eq!(short.lines().count(), 1);
    for args in [&["-vV"][..], &["--version", "--verbose"]] {
        let long = said(args);
        assert!(long.starts_with(&short), "{long}");
        for part in ["LLVM 22.", "Z3 5.4", "SAT cadical", "models "] {
            assert!(long.contains(part), "{part}: {long}");
        }
    }
}

#[test]
fn what_is_said_can_be_less_more_or_coloured() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let input = folder.path().join("counter.ll");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::copy(root.join("src/commands/doctor/counter.ll"), &input).expect("copied");
    let run = |options: &[&str]| {
        let output = command(options).arg(&input).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr))
    };
    let (usual, quiet, verbose) = (run(&[]), run(&["-q"]), run(&["check", "-v"]));
    assert!(usual.1.is_empty() && quiet.1.is_empty());
    assert!(quiet.0.lines().count() < 6, "{}", quiet.0);
    assert!(quiet.0.contains("warning: data race"), "{}", quiet.0);
    assert!(verbose.0.lines().count() > usual.0.lines().count());
    assert!(
        verbose.1.contains("data race on"),
        "told at once: {}",
        verbose.1
    );
    assert!(
        verbose.1.contains("counter.c:"),
        "with its place: {}",
        verbose.1
    );
    let (coloured, _) = run(&["--color", "always"]);
    assert!(coloured.contains('\u{1b}') && !usual.0.contains('\u{1b}'));
}
