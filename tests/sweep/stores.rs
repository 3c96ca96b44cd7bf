//! Stores that can only be read.

use std::io::Write;
use std::process::Command;

use super::bench::{Bench, text};

/// Does that in a shell in which a folder can only be read. `None`: this machine does not let us.
fn with_read_only(bench: &Bench, folder: &str, script: &str) -> Option<(i32, String)> {
    let irkiss = assert_cmd::cargo::cargo_bin("irkiss");
    let bind = format!("mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}");
    std::fs::create_dir_all(bench.path("tmp")).expect("a folder");
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c"])
        .arg(format!("({bind}) || exit 99; {script}"))
        .env("IRKISS", irkiss)
        .env("TMPDIR", bench.path("tmp"))
        .current_dir(bench.folder.path())
        .output();
    let left_out = || {
        let line = "LEFT OUT: a folder that can only be read (unshare, mount)";
        let _ = writeln!(std::io::stderr(), "{line}");
    };
    match output {
        Ok(output)
            if !text(&output.stderr).contains("unshare") && output.status.code() != Some(99) =>
        {
            let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
            Some((output.status.code().unwrap_or(-1), said))
        }
        _ => {
            left_out();
            None
        }
    }
}

#[test]
fn what_is_allowed_is_left_out_when_it_is_told() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.sweep("plan store bc");
    bench.sweep("run store");
    let fails = |words: &str| {
        let all: Vec<&str> = ["report", "store", "--fail-on", "race"]
            .into_iter()
            .chain(words.split_whitespace())
            .collect();
        let output = bench.output(&all);
        (output.status.code(), text(&output.stdout))
    };
    assert_eq!(fails("").0, Some(1));
    let entry = "[[allow]]\nfield = \"count_1\"\nreason = \"a statistic\"\n";
    bench.write("irkiss.toml", entry);
    let (code, said) = fails("");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("not told: 1 finding"), "{said}");
    assert_eq!(bench.report("store")["allowed"], 1);
    for format in ["sarif", "html", "mail"] {
        let told = bench.sweep(&format!("report store --format {format}"));
        assert!(told.contains("not told"), "{format}: {told}");
    }
    // Neither new nor fixed: it is left out on both sides.
    bench.night("store");
    let (_, said) = fails("--since 1");
    assert!(
        said.contains("new: none") && said.contains("fixed: none"),
        "{said}"
    );
    // A comment does the same, and silences nothing once it is gone.
    std::fs::remove_file(bench.path("irkiss.toml")).expect("it is there");
    assert_eq!(fails("").0, Some(1));
    let source = std::fs::read_to_string(bench.path("src/p1.c")).expect("a source");
    let racing = "static void *work";
    let allowed = source.replace(
        racing,
        "/* irkiss: allow(race) a statistic */ static void *work",
    );
    bench.write("src/p1.c", &allowed);
    assert_eq!(fails("").0, Some(0));
    bench.write("src/p1.c", &source);
    assert_eq!(fails("").0, Some(1));
    bench.write("irkiss.toml", "[[allow]]\nfield = \"count_1\"\n");
    assert_eq!(fails("").0, Some(2), "an entry without a reason");
}

#[test]
fn a_store_that_can_only_be_read_is_read() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.sweep("plan store bc");
    bench.sweep("run store");
    bench.sweep("plan other bc --ts 2");
    bench.sweep("run other");
    let script = "$IRKISS sweep report store && $IRKISS sweep status store --content && \
        $IRKISS sweep report other --since store && $IRKISS sweep merge all store";
    let Some((code, said)) = with_read_only(&bench, "store", script) else {
        return;
    };
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("in all 1 finding in 1 module"), "{said}");
    assert!(said.contains("2 results taken over"), "{said}");
    assert_eq!(bench.content("store"), bench.content("all"));
    for words in [
        "run store",
        "plan store bc",
        "merge store other",
        "prune store",
    ] {
        let read_only = with_read_only(&bench, "store", &format!("$IRKISS sweep {words}"));
        let (code, said) = read_only.expect("it did so before");
        assert_eq!((code, said.lines().count()), (2, 1), "{words}: {said}");
        assert!(
            said.contains("the store cannot be written"),
            "{words}: {said}"
        );
    }
}

#[test]
fn what_is_only_in_the_log_is_read_too() {
    let bench = Bench::new();
    bench.bitcode(1);
    bench.sweep("plan store bc");
    let database = rusqlite::Connection::open(bench.path("store/sweep.db")).expect("opens");
    database
        .pragma_update(None, "wal_autocheckpoint", 0)
        .expect("set");
    let changed = database.execute("UPDATE night SET began = 86400", []);
    assert_eq!(changed, Ok(1));
    // A copy of a store that somebody writes to, or of one whose writer was killed.
    std::fs::create_dir(bench.path("copy")).expect("a folder");
    for name in ["sweep.db", "sweep.db-wal"] {
        let to = bench.path("copy").join(name);
        std::fs::copy(bench.path("store").join(name), to).expect("copied");
    }
    let Some((code, said)) = with_read_only(&bench, "copy", "$IRKISS sweep status copy") else {
        return;
    };
    assert!(code == 0 && said.contains("1970-01-02T"), "{said}");
    let left = bench.path("tmp").read_dir().expect("a folder");
    assert_eq!(left.count(), 0);
}
