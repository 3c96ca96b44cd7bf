//! What a build compiles: the same file twice, with other headers, by another compiler; and what is said of it.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::bench::{Bench, program, text};

/// One file of which a macro makes two programs, as two entries that CMake did not write.
fn twice(bench: &Bench, entries: &[&str]) {
    let both = format!(
        "#ifdef LOCK\n{}\n#else\n{}\n#endif\n",
        program(true, 1),
        program(false, 1)
    );
    bench.write("sub/x.c", &both);
    let here = bench.folder.path().display();
    let entry = |words: &&str| {
        format!(r#"{{"directory":"{here}","file":"sub/x.c","command":"cc -g -c sub/x.c {words}"}}"#)
    };
    let entries: Vec<String> = entries.iter().map(entry).collect();
    bench.write("compile_commands.json", &format!("[{}]", entries.join(",")));
}

#[test]
fn a_file_that_is_compiled_twice_is_two_modules() {
    for (entries, safe, racy) in [
        (
            ["-DLOCK -o one/x.o", "-o two/x.o"],
            "sub/x (one/x.o)",
            "sub/x (two/x.o)",
        ),
        (["-DLOCK", ""], "sub/x (-DLOCK)", "sub/x"),
    ] {
        let bench = Bench::new();
        twice(&bench, &entries);
        bench.sweep("plan store .");
        bench.sweep("run store");
        let report = bench.report("store");
        assert_eq!(
            report["tasks"].as_array().map(Vec::len),
            Some(2),
            "{report}"
        );
        assert_eq!(bench.task("store", safe)["regions"]["race"], 0);
        assert_eq!(bench.task("store", racy)["regions"]["race"], 1);
        // The order of the entries is none of their names.
        twice(&bench, &[entries[1], entries[0], entries[1]]);
        assert!(
            bench
                .sweep("plan store")
                .contains("2 modules, 2 done before")
        );
        assert_eq!(bench.changes("store", "added"), 0);
    }
}

#[test]
fn what_is_compiled_again_is_what_has_changed() {
    let bench = Bench::new();
    bench.write("p.c", &format!("#include \"own.h\"\n{}", program(true, 1)));
    bench.write("own.h", "int one;\n");
    bench.commands(&["p"]);
    let compiler = |version: &str| {
        let log = bench.path("log").display().to_string();
        let script = format!(
            "#!/bin/sh\ncase $1 in --version) echo {version};; *) echo x >> {log}; exec clang-22 \"$@\";; esac\n"
        );
        bench.write("clang", &script);
        let mode = PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(bench.path("clang"), mode).expect("executable");
    };
    let compiled = |words: &[&str]| {
        let _ = std::fs::remove_file(bench.path("log"));
        let mut plan = bench.command(words);
        let output = plan.env("IRKISS_CLANG", bench.path("clang")).output();
        let output = output.expect("irkiss runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read_to_string(bench.path("log")).map_or(0, |log| log.lines().count())
    };
    compiler("1");
    assert_eq!(compiled(&["plan", "store", "."]), 1);
    assert_eq!(compiled(&["plan", "store"]), 0);
    // An edit that keeps the length and the time.
    let header = bench.path("own.h");
    let time = std::fs::metadata(&header).and_then(|d| d.modified());
    let set_back = || {
        let file = std::fs::File::options().append(true).open(&header);
        let time = *time.as_ref().expect("a time");
        file.and_then(|f| f.set_modified(time)).expect("set back");
    };
    bench.write("own.h", "int two;\n");
    set_back();
    assert_eq!(compiled(&["plan", "store"]), 1);
    // Another time, and the same content.
    bench.write("own.h", "int two;\n");
    assert_eq!(compiled(&["plan", "store"]), 0);
    compiler("2");
    assert_eq!(compiled(&["plan", "store"]), 1);
    assert_eq!(compiled(&["plan", "store"]), 0);
}

#[test]
fn files_that_cannot_be_linked_are_called_by_their_names() {
    let bench = Bench::new();
    for name in ["one", "two"] {
        bench.write(&format!("{name}.c"), "int twice(void) { return 1; }\n");
    }
    let here = bench.folder.path().display();
    let entry = |file: &str| {
        format!(
            r#"{{"directory":"{here}","file":"{file}.c","command":"cc -c {file}.c -o CMakeFiles/p.dir/{file}.c.o"}}"#
        )
    };
    bench.write(
        "compile_commands.json",
        &format!("[{},{}]", entry("one"), entry("two")),
    );
    bench.sweep("plan store .");
    bench.sweep("run store");
    let task = bench.task("store", "p");
    let problem = task["problem"].as_str().unwrap_or_default();
    assert!(
        problem.starts_with("CMakeFiles/p.dir/two.c.o: ") && !problem.contains("bitcode/"),
        "{problem}"
    );
}

#[test]
fn the_command_that_is_told_finds_the_same() {
    let bench = Bench::new();
    bench.bitcode(2);
    bench.write("own rules.toml", "");
    let words = [
        "plan",
        "store",
        "bc",
        "--property",
        "race",
        "--ts",
        "2",
        "--config",
        "own rules.toml",
    ];
    assert!(bench.output(&words).status.success());
    bench.sweep("run store");
    let said = bench.sweep("report store");
    let command = said.lines().find_map(|l| l.trim().strip_prefix("irkiss "));
    let command = command.expect("a command");
    for option in ["--property race", "--ts 2", "--work 5M", "--config '"] {
        assert!(command.contains(option), "{command}");
    }
    let irkiss = assert_cmd::cargo::cargo_bin("irkiss");
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{} --format json {command}", irkiss.display()))
        .current_dir(bench.folder.path())
        .output()
        .expect("sh runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an object");
    let found = &bench.report("store")["findings"][0];
    assert_eq!(report["findings"][0]["fingerprint"], found["fingerprint"]);
}
