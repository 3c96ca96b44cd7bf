//! `irkiss sweep`: nights over bitcode and over builds, ended at any moment, in parts, with bad input.

mod bench;
mod builds;
mod engines;
mod history;
mod stores;

use std::process::{Command, Stdio};

use bench::{Bench, program, text};
use serde_json::Value;

#[test]
fn what_a_night_changes() {
    let bench = Bench::new();
    bench.write("p.c", &program(false, 1));
    bench.write("q.c", &program(true, 2));
    bench.commands(&["p", "q"]);
    bench.sweep("plan store .");
    assert!(bench.sweep("run store").contains("2 checked, 0 taken"));
    let first = bench.report("store");
    assert_eq!(
        first["findings"].as_array().map(Vec::len),
        Some(1),
        "{first}"
    );
    assert_eq!(first["findings"][0]["task"], "p");
    assert_eq!(first["tasks"][1]["regions"]["unknown"], 0, "{first}");
    let output = bench.output(&["report", "store", "--since", "last", "--fail-on", "new"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "of the first night nothing is new"
    );
    // Nothing has changed: nothing is done.
    bench.sweep("plan store");
    assert!(bench.sweep("run store").contains("0 checked, 2 taken"));
    // One is mended, one broken.
    bench.write("p.c", &program(true, 1));
    bench.write("q.c", &program(false, 2));
    bench.sweep("plan store");
    assert!(bench.sweep("run store").contains("2 checked, 0 taken"));
    let third = bench.report("store --since last");
    let changes = &third["changes"];
    assert_eq!(changes["new"].as_array().map(Vec::len), Some(1), "{third}");
    assert_eq!(changes["fixed"][0]["task"], "p", "{third}");
    assert_eq!(
        changes["no_longer_decided"].as_array().map(Vec::len),
        Some(0)
    );
    let mail = bench.sweep("report store --since last --format mail");
    let subject = "Subject: [irkiss] night 3: 1 new, 1 fixed, 0 no longer decided (2 modules)\n";
    assert!(mail.starts_with(subject), "{mail}");
    assert!(!mail.contains('\u{1b}'), "{mail}");
    let sarif: Value =
        serde_json::from_str(&bench.sweep("report store --since last --format sarif"))
            .expect("an object");
    let states: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|r| r["baselineState"].as_str())
        .collect();
    assert_eq!(states, ["new", "absent"], "{sarif}");
    for (fail_on, code) in [("new", 1), ("race", 1), ("unknown", 1), ("never", 0)] {
        let output = bench.output(&["report", "store", "--since", "last", "--fail-on", fail_on]);
        assert_eq!(output.status.code(), Some(code), "{fail_on}");
    }
    let since_first = bench.report("store --since 1");
    assert_eq!(
        since_first["changes"]["new"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_program_of_two_files_is_one_module() {
    let bench = Bench::new();
    bench.write(
        "one.c",
        "#include <pthread.h>\nextern int shared;\nvoid *work(void *a) { shared++; return a; }\n",
    );
    bench.write(
        "two.c",
        "#include <pthread.h>\nint shared;\nvoid *work(void *);\n\
         int main(void) { pthread_t t; if (pthread_create(&t, 0, work, 0)) return 1; shared++; pthread_join(t, 0); return 0; }\n",
    );
    let here = bench.folder.path().display();
    let entry = |file: &str| {
        format!(
            r#"{{"directory":"{here}","file":"{file}.c","arguments":["cc","-g","-c","{file}.c","-o","CMakeFiles/all.dir/{file}.c.o"]}}"#
        )
    };
    bench.write(
        "compile_commands.json",
        &format!("[{},{}]", entry("one"), entry("two")),
    );
    bench.sweep("plan store compile_commands.json");
    bench.sweep("run store");
    let report = bench.report("store");
    assert_eq!(report["tasks"][0]["name"], "all");
    assert_eq!(
        report["findings"].as_array().map(Vec::len),
        Some(1),
        "{report}"
    );
    // A header counts as much as the source.
    bench.write("one.c", "#include \"own.h\"\n");
    bench.write("own.h", "void *work(void *a) { return a; }\n");
    bench.sweep("plan store");
    bench.sweep("run store");
    assert_eq!(
        bench.report("store")["findings"].as_array().map(Vec::len),
        Some(0)
    );
    bench.write(
        "own.h",
        "extern int shared;\nvoid *work(void *a) { shared += 2; return a; }\n",
    );
    bench.sweep("plan store");
    assert!(bench.sweep("run store").contains("1 checked"));
    let report = bench.report("store --since 1");
    assert_eq!(
        report["findings"].as_array().map(Vec::len),
        Some(1),
        "{report}"
    );
}

#[test]
fn a_sweep_that_is_killed_goes_on() {
    let bench = Bench::new();
    bench.bitcode(6);
    bench.sweep("plan whole bc");
    bench.sweep("run whole --jobs 1");
    bench.sweep("plan killed bc");
    // However far it gets each time.
    for wait in [0, 10, 20, 40, 80, 160] {
        let mut sweep = bench
            .command(&["run", "killed", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("irkiss runs");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        sweep.kill().expect("it can be killed");
        sweep.wait().expect("it ends");
    }
    bench.sweep("run killed");
    assert_eq!(bench.content("whole"), bench.content("killed"));
}

#[test]
fn parts_make_a_whole() {
    let bench = Bench::new();
    bench.bitcode(6);
    bench.sweep("plan whole bc");
    bench.sweep("run whole");
    for part in 1..=3 {
        bench.sweep(&format!("plan part{part} bc"));
        bench.sweep(&format!("run part{part} --shard {part}/3"));
        assert_ne!(
            bench.content("whole"),
            bench.content(&format!("part{part}"))
        );
    }
    bench.sweep("merge merged part1 part2 part3");
    assert_eq!(bench.content("whole"), bench.content("merged"));
    // A part of another plan is none of it.
    bench.sweep("plan other bc --ts 2");
    let said = bench.refused("merge merged other");
    assert!(said.contains("planned otherwise"), "{said}");
    // Nor is one of other bitcode.
    std::fs::copy(bench.path("bc/p0.bc"), bench.path("bc/p1.bc")).expect("copied");
    bench.sweep("plan changed bc");
    let said = bench.refused("merge merged changed");
    assert!(said.contains("p1 is other bitcode"), "{said}");
}

#[test]
fn a_module_that_goes_wrong_costs_itself() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.write("bc/broken.bc", "BC\u{c0}\u{de} and no more");
    bench.write("bc/nothing.bc", "");
    bench.sweep("plan store bc");
    bench.sweep("run store");
    let report = bench.report("store");
    let problem = |name: &str| {
        let tasks = report["tasks"].as_array().expect("a list");
        let task = tasks
            .iter()
            .find(|t| t["name"] == name)
            .expect("it is there");
        task["problem"].as_str().unwrap_or_default().to_string()
    };
    for name in ["broken", "nothing"] {
        let line = problem(name);
        assert!(
            line.contains(&format!("{name}.bc")) && line.lines().count() == 1,
            "{line}"
        );
    }
    assert_eq!(problem("p0"), "");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    // What changes between the plan and the run belongs to the next plan.
    bench.sweep("plan other bc");
    std::fs::copy(bench.path("bc/p0.bc"), bench.path("bc/p1.bc")).expect("copied");
    let output = bench.output(&["run", "other"]);
    assert!(text(&output.stderr).contains("p1.bc: has changed since the plan"));
    assert_eq!(output.status.code(), Some(3));
    // One that takes more memory than there is says so, with what is known.
    bench.sweep("plan small bc --memory 1M");
    bench.sweep("run small");
    let small = bench.report("small");
    let stopped = small["tasks"][2]["stopped"].as_str().unwrap_or_default();
    let problem = small["tasks"][2]["problem"].as_str().unwrap_or_default();
    assert!(format!("{stopped}{problem}").contains("memory"), "{small}");
}

#[test]
fn nothing_new_where_nothing_was_checked_is_no_news() {
    let bench = Bench::new();
    bench.write("p.c", "#error not yet\n");
    bench.commands(&["p"]);
    bench.sweep("plan store .");
    bench.sweep("run store");
    let code = |fail_on: &str| {
        let words = ["report", "store", "--since", "last", "--fail-on", fail_on];
        bench.output(&words).status.code()
    };
    assert_eq!(
        [code("never"), code("new"), code("race")],
        [Some(0), Some(3), Some(3)]
    );
    // What did not compile is tried again.
    bench.write("p.c", &program(false, 1));
    bench.sweep("plan store");
    bench.sweep("run store");
    assert_eq!([code("never"), code("new")], [Some(0), Some(1)]);
}

#[test]
fn a_search_that_is_cut_short_loses_what_was_known() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.sweep("plan store bc");
    bench.sweep("run store");
    bench.sweep("plan store bc --work 1");
    bench.sweep("run store");
    let changes = &bench.report("store --since last")["changes"];
    let lost = changes["no_longer_decided"].as_array().expect("a list");
    let names: Vec<&str> = lost.iter().filter_map(|l| l["task"].as_str()).collect();
    assert_eq!(names, ["p0", "p1"], "{changes}");
    assert_eq!(
        changes["fixed"].as_array().map(Vec::len),
        Some(0),
        "{changes}"
    );
}

#[test]
fn what_is_no_store_is_refused_in_a_line() {
    let bench = Bench::new();
    bench.bitcode(1);
    bench.write("empty/readme", "nothing here");
    for (words, said) in [
        ("run bc", "is no store of a sweep"),
        ("plan bc bc", "not empty"),
        ("plan new empty", "no bitcode"),
        ("plan new gone", "no such file or folder"),
        ("plan new", "no night yet"),
        ("report bc", "is no store of a sweep"),
    ] {
        let line = bench.refused(words);
        assert!(line.contains(said), "{words}: {line}");
    }
    bench.sweep("plan store bc");
    for (words, said) in [
        ("report store --since 7", "there is no night 7"),
        ("report store --fail-on new", "--since"),
        ("run store --shard 3/2", "1/3"),
        ("plan store --ts 2", "name the inputs too"),
        ("plan store --build --ts 2", "IRKISS_FLAGS"),
    ] {
        let line = bench.refused(words);
        assert!(line.contains(said), "{words}: {line}");
    }
    // Two sweeps on one store.
    let lock = std::fs::File::options()
        .write(true)
        .open(bench.path("store/sweep.lock"))
        .expect("a lock");
    lock.try_lock().expect("nobody has it");
    let line = bench.refused("run store");
    assert!(line.contains("another sweep works on this store"), "{line}");
    drop(lock);
    // Another version's, and none at all.
    let version = |n: u32| {
        let database = rusqlite::Connection::open(bench.path("store/sweep.db")).expect("opens");
        database
            .pragma_update(None, "user_version", n)
            .expect("written");
    };
    version(99);
    let line = bench.refused("run store");
    assert!(line.contains("format 99"), "{line}");
    std::fs::write(bench.path("store/sweep.db"), vec![b'x'; 8192]).expect("written");
    for log in ["sweep.db-wal", "sweep.db-shm"] {
        let _ = std::fs::remove_file(bench.path("store").join(log));
    }
    let line = bench.refused("run store");
    assert!(line.contains("damaged"), "{line}");
}

#[test]
fn budgets_grow_from_night_to_night() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.sweep("plan store bc --work 1 --deepest 9");
    let mut open = usize::MAX;
    // 4^9 units decide such a program.
    for _ in 0..10 {
        bench.sweep("run store");
        let report = bench.report("store");
        let tasks = report["tasks"].as_array().expect("a list");
        let stopped = tasks.iter().filter(|t| t["stopped"].is_string()).count();
        assert!(stopped <= open, "{report}");
        open = stopped;
        bench.sweep("plan store --deepest 9");
    }
    assert_eq!(open, 0);
    let found = bench.report("store")["findings"].as_array().map(Vec::len);
    assert_eq!(found, Some(1));
}

#[test]
fn a_driver_that_is_broken_is_the_one_that_is_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(root.join("scripts/nightly-demo.sh"))
        .arg(folder.path().join("demo"))
        .env("IRKISS", assert_cmd::cargo::cargo_bin("irkiss"))
        .env_remove("IRKISS_CLANG")
        .env_remove("MAKEFLAGS")
        .output()
        .expect("the script runs");
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}");
}
