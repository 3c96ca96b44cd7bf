//! The command as users and scripts meet it: exit codes, one-line errors, help.

use assert_cmd::Command;

fn irkiss(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("irkiss")
        .expect("the command is built")
        .args(args)
        .output()
        .expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn usage_errors_are_one_line_and_exit_2() {
    for args in [
        &[][..],
        &["--nonsense", "a.bc"],
        &["--pair", "one", "a.bc"],
        &["replay"],
        &["no-such-file.bc"],
        &["replay", "no-such-schedule.json", "no-such-file.bc"],
    ] {
        let output = irkiss(args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
        assert!(stderr.starts_with("irkiss: error: "), "{stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn help_explains_verdicts_and_exit_codes() {
    let output = irkiss(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    for word in ["Exit codes:", "bounded", "unknown", "Examples:", "replay"] {
        assert!(help.contains(word), "{word}");
    }
    assert!(
        !help.contains("__frontend"),
        "internal commands stay hidden"
    );
    assert!(!help.contains('\u{1b}'), "no colour where nobody sees it");
}

#[test]
fn version_and_doctor() {
    let version = text(&irkiss(&["--version"]).stdout);
    assert_eq!(
        version.trim(),
        concat!("irkiss ", env!("CARGO_PKG_VERSION"))
    );
    let doctor = irkiss(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0));
    let parts = text(&doctor.stdout);
    for part in ["irkiss", "LLVM     22.", "Z3", "5.4", "x86_64"] {
        assert!(parts.contains(part), "{part}: {parts}");
    }
}
