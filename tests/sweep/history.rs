//! What nights that could not look leave known, and nights that looked otherwise.

use super::bench::{Bench, program};

#[test]
fn a_night_that_could_not_look_leaves_known_what_was_known() {
    let bench = Bench::new();
    bench.write("p.c", &program(false, 1));
    bench.write("q.c", &program(true, 2));
    bench.commands(&["p", "q"]);
    bench.sweep("plan store .");
    bench.sweep("run store");
    bench.write("p.c", "#error not today\n");
    bench.night("store");
    assert_eq!(bench.changes("store", "no_longer_decided"), 1);
    let task = bench.task("store", "p");
    assert_eq!(
        (&task["last_checked"], &task["last_findings"]),
        (&1.into(), &1.into())
    );
    let said = bench.sweep("report store");
    assert!(
        said.contains("night 1 checked it last: 1 finding"),
        "{said}"
    );
    // That is news once.
    bench.night("store");
    assert_eq!(bench.changes("store", "no_longer_decided"), 0);
    assert_eq!(bench.changes("store", "carried"), 1);
    // A code host does not close it.
    let sarif = bench.sweep("report store --since last --format sarif");
    assert!(
        sarif.contains("\"baselineState\": \"unchanged\""),
        "{sarif}"
    );
    // Back, with the same race on another line.
    bench.write("p.c", &format!("// The same.\n{}", program(false, 1)));
    bench.night("store");
    assert_eq!(bench.changes("store", "new"), 0);
    assert_eq!(bench.changes("store", "checked_again"), 1);
    let words = ["report", "store", "--since", "last", "--fail-on", "new"];
    assert_eq!(bench.output(&words).status.code(), Some(0));
    // Gone for a night, and mended meanwhile.
    bench.commands(&["q"]);
    bench.night("store");
    assert_eq!(bench.changes("store", "gone"), 1);
    bench.commands(&["p", "q"]);
    bench.write("p.c", &program(true, 1));
    bench.night("store");
    assert_eq!(bench.changes("store", "added"), 0);
    assert_eq!(bench.changes("store", "fixed"), 1);
}

#[test]
fn a_finding_that_a_night_did_not_decide_stays_known() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.sweep("plan store bc");
    bench.sweep("run store");
    let again = |options: &str| {
        bench.sweep(&format!("plan store bc{options}"));
        bench.sweep("run store");
    };
    again(" --work 1");
    assert_eq!(bench.changes("store", "fixed"), 0);
    again("");
    assert_eq!(bench.changes("store", "new"), 0);
    again(" --work 1");
    std::fs::copy(bench.path("bc/p0.bc"), bench.path("bc/p1.bc")).expect("copied");
    again("");
    assert_eq!(bench.changes("store", "fixed"), 1);
    assert_eq!(bench.changes("store", "new"), 0);
}

#[test]
fn what_was_checked_otherwise_is_told() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.write("irkiss.toml", "");
    bench.sweep("plan store bc --property assert --config irkiss.toml");
    bench.sweep("run store");
    bench.sweep("plan store bc --property race --config irkiss.toml");
    bench.sweep("run store");
    let said = bench.sweep("report store --since last");
    let line = "this night was checked otherwise: --property race (was: --property assert)\n";
    assert!(said.contains(line), "{said}");
    assert!(
        said.contains("[irkiss-data-race] (same code, other options)"),
        "{said}"
    );
    let report = bench.report("store --since last");
    let same = &report["changes"]["same_code"];
    assert_eq!(same[1]["task"], "p1", "{report}");
    assert_eq!(same[1]["other"], "other options", "{report}");
    // The same words, and another file.
    bench.write("irkiss.toml", "# Nothing of our own.\n");
    bench.night("store");
    let said = bench.sweep("report store --since last");
    assert!(said.contains("irkiss.toml (has changed)\n"), "{said}");
    // Nothing else than the code.
    std::fs::copy(bench.path("bc/p0.bc"), bench.path("bc/p1.bc")).expect("copied");
    bench.night("store");
    let said = bench.sweep("report store --since last");
    assert!(
        !said.contains("otherwise") && !said.contains("same code"),
        "{said}"
    );
}

#[test]
fn why_modules_were_not_checked_is_told() {
    let bench = Bench::new();
    bench.bitcode(3);
    bench.sweep("plan store bc");
    let output = bench.output(&["run", "store", "--time", "0s"]);
    assert_eq!(output.status.code(), Some(3));
    let said = bench.sweep("report store");
    let line = "  did not run: the run ended after its time (--time 0s): p0, p1, p2\n";
    assert!(said.contains(line), "{said}");
    assert!(said.contains("(--time 0s): 3 modules left"), "{said}");
    let status = bench.sweep("status store");
    assert!(
        status.contains("3 modules, 0 checked, 0 findings; ended by --time 0s\n"),
        "{status}"
    );
    bench.sweep("run store");
    let status = bench.sweep("status store");
    assert!(
        status.contains("3 modules, 3 checked, 1 finding\n"),
        "{status}"
    );
    // A run that did not come to its end.
    let database = rusqlite::Connection::open(bench.path("store/sweep.db")).expect("opens");
    let begun = database.execute("UPDATE run SET run = '\"begun\"'", []);
    assert_eq!(begun, Ok(1));
    drop(database);
    let status = bench.sweep("status store");
    assert!(status.contains("its run was killed\n"), "{status}");
}

#[test]
fn old_nights_go_and_what_comparisons_need_stays() {
    let bench = Bench::new();
    bench.write("p.c", &program(false, 1));
    bench.write("q.c", &program(true, 2));
    bench.commands(&["p", "q"]);
    bench.sweep("plan store .");
    bench.sweep("run store");
    bench.write("p.c", "#error not for a while\n");
    for edit in 0..4 {
        bench.write("q.c", &format!("int edit_{edit};\n{}", program(true, 2)));
        bench.night("store");
    }
    let bitcode = || {
        let listed = bench.path("store/bitcode").read_dir().expect("a folder");
        listed.count()
    };
    assert_eq!(bitcode(), 6);
    // As if of days ago, and one that was left when somebody was killed.
    bench.write("store/bitcode/0123.bc.77", "half");
    for entry in bench.path("store/bitcode").read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = std::fs::File::options()
            .append(true)
            .open(path)
            .expect("a file");
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
        file.set_modified(then).expect("set back");
    }
    let before = bench.sweep("report store --since last");
    let said = bench.sweep("prune store --keep 2");
    assert!(
        said.starts_with("removed: 3 nights, 3 results, 4 files of bitcode"),
        "{said}"
    );
    assert!(said.ends_with("; 2 nights left\n"), "{said}");
    assert_eq!(bench.sweep("report store --since last"), before);
    // The night that knows p, and the two that are left.
    assert_eq!(bitcode(), 3);
    let line = bench.refused("report store --since 1");
    assert!(line.contains("night 1 was pruned"), "{line}");
    let line = bench.refused("report store --since 2");
    assert!(line.contains("there is no night 2"), "{line}");
    assert_eq!(
        bench.sweep("prune store --keep 2"),
        "nothing to remove; 2 nights\n"
    );
    bench.write("p.c", &program(false, 1));
    bench.night("store");
    assert_eq!(bench.changes("store", "new"), 0);
    assert_eq!(bench.changes("store", "checked_again"), 1);
}
