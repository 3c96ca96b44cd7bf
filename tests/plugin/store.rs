//! Builds that fill a store.

use serde_json::Value;

use super::place::{Place, RACE, Said, race, versions};

/// The modules of a store, and how many findings each has.
fn modules(place: &Place) -> Vec<(String, u64)> {
    let words = "sweep report store --format json";
    let mut report = place.command(env!("CARGO_BIN_EXE_irkiss"), words);
    let report = report.output().expect("irkiss runs").stdout;
    let report: Value = serde_json::from_slice(&report).expect("an object");
    let here = place.path("").display().to_string();
    let tasks = report["tasks"].as_array().expect("a list").iter();
    let module = |task: &Value| {
        let name = task["name"].as_str().expect("a name").replace(&here, "");
        (name, task["regions"]["race"].as_u64().expect("a number"))
    };
    tasks.map(module).collect()
}

/// Compiles into the store; what is said.
fn compiled(place: &Place, version: u32, words: &str) -> Said {
    let said = Said::of(
        place
            .clang(version, words)
            .env("IRKISS_STORE", place.path("store")),
    );
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    said
}

/// The race, unless a macro says that there is a lock.
fn with_lock() -> String {
    let lock = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n#ifndef LOCK\n\
        #define pthread_mutex_lock(m)\n#define pthread_mutex_unlock(m)\n#endif\n";
    let guarded = |text: String, place: &str| {
        let inside = format!("pthread_mutex_lock(&m); {place} pthread_mutex_unlock(&m);");
        text.replace(place, &inside)
    };
    let text = RACE.replacen("static int", &format!("{lock}static int"), 1);
    guarded(guarded(text, "shared++;"), "shared = 2;")
}

#[test]
fn each_call_that_compiles_a_source_is_a_module() {
    let place = race();
    place.write("race.c", &with_lock());
    std::fs::create_dir(place.path("safe")).expect("a folder");
    for (words, expected) in [
        ("-g -c race.c", &[("race.c", 1)][..]),
        (
            "-g -DLOCK -c race.c -o safe/race.o",
            &[("race.c", 1), ("race.c (safe/race.o)", 0)],
        ),
        // The same object of other options.
        (
            "-g -DLOCK -c race.c",
            &[
                ("race.c", 1),
                ("race.c (2)", 0),
                ("race.c (safe/race.o)", 0),
            ],
        ),
    ] {
        compiled(&place, 22, words);
        let modules = modules(&place);
        let modules: Vec<(&str, u64)> = modules.iter().map(|(n, r)| (n.as_str(), *r)).collect();
        assert_eq!(modules, expected, "{words}");
    }
    // The same call again, after an edit.
    place.write("race.c", &with_lock().replace("#ifndef LOCK", "#if 0"));
    compiled(&place, 22, "-g -c race.c");
    assert_eq!(modules(&place)[0], ("race.c".to_string(), 0));
    assert_eq!(modules(&place).len(), 3);
}

#[test]
fn what_is_the_same_is_told_again() {
    for version in versions(&["clang"]) {
        let place = race();
        let compile = |words: &str| compiled(&place, version, words).stderr;
        let first = compile("-g -c race.c");
        assert_eq!(compile("-g -c race.c"), first);
        // Nothing is checked for that: what the store says is told.
        let database = rusqlite::Connection::open(place.path("store/sweep.db")).expect("opens");
        let changed = database.execute(
            "UPDATE told SET told = replace(told, 'data race on shared', 'as it was told')",
            [],
        );
        assert_eq!(changed, Ok(1));
        assert!(compile("-g -c race.c").contains("race.c:4:9: warning: as it was told"));
        assert!(compile("-g -DOTHER=1 -c race.c -o other.o").contains("as it was told"));
        // Other options, and other code.
        let mut clang = place.clang(version, "-g -c race.c");
        clang.env("IRKISS_STORE", place.path("store"));
        let said = Said::of(clang.env("IRKISS_FLAGS", "--ts 2"));
        assert!(
            said.stderr.contains("data race on shared"),
            "{}",
            said.stderr
        );
        place.write("race.c", &format!("\n{RACE}"));
        assert!(compile("-g -c race.c").contains("race.c:5:9: warning: data race on shared"));
    }
}

#[test]
fn what_a_sweep_found_is_told_by_the_compiler() {
    let place = race();
    let mut clang = place.clang(22, "-g -c race.c");
    clang.env("IRKISS_STORE", place.path("store"));
    // Too short for anything.
    let said = Said::of(clang.env("IRKISS_FLAGS", "--timeout 0"));
    assert!(!said.stderr.contains("data race"), "{}", said.stderr);
    let again = Said::of(&mut clang);
    assert_eq!(again.stderr, said.stderr);
    let mut report = place.command(env!("CARGO_BIN_EXE_irkiss"), "sweep report store");
    let report = report.output().expect("irkiss runs").stdout;
    let report = String::from_utf8_lossy(&report);
    assert!(
        report.contains("race.c: the compiler's check was ended after 0 s"),
        "{report}"
    );
    let mut sweep = place.command(env!("CARGO_BIN_EXE_irkiss"), "sweep run store");
    assert!(sweep.status().expect("irkiss runs").success());
    let said = Said::of(&mut clang);
    assert!(
        said.stderr.contains("warning: data race on shared"),
        "{}",
        said.stderr
    );
}

#[test]
fn bitcode_and_result_are_kept_in_a_store() {
    let place = race();
    place.write("part.c", "int part(int x) { return x + 1; }\n");
    for unit in ["race.c", "part.c"] {
        let mut clang = place.clang(22, &format!("-g -c {unit}"));
        let said = Said::of(clang.env("IRKISS_STORE", "store"));
        let found = said.stderr.contains("[-Wpass-failed=irkiss-data-race]");
        assert_eq!(
            (said.code, found),
            (Some(0), unit == "race.c"),
            "{}",
            said.stderr
        );
    }
    let mut report = place.command(env!("CARGO_BIN_EXE_irkiss"), "sweep report store");
    let text = String::from_utf8(report.output().expect("irkiss runs").stdout).expect("UTF-8");
    assert!(text.contains("in all 1 finding in 1 module"), "{text}");
    assert!(text.contains("without entry points: 1 module"), "{text}");
    // What is no store stays as it is, and what is found is told all the same.
    std::fs::create_dir(place.path("other")).expect("a folder");
    place.write("other/file", "");
    let mut clang = place.clang(22, "-g -c race.c");
    let said = Said::of(clang.env("IRKISS_STORE", "other"));
    assert!(
        said.stderr.contains("warning: data race on shared"),
        "{}",
        said.stderr
    );
    let own = said
        .stderr
        .lines()
        .filter(|l| l.starts_with("irkiss: warning: race.c: other: "));
    assert_eq!((said.code, own.count()), (Some(0), 1), "{}", said.stderr);
}
