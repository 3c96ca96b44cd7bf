//! The plugin of clang, opt and lld (docs/plugin.md), under each of the compilers for which it could be built: what is found comes as
//! warnings, what is compiled stays as it was, and whatever goes wrong with the checker ends no compile.
//!
//! A compiler that is not installed is named on standard error and left out; LLVM 22 is always there.

mod place;
mod store;

use place::{Place, RACE, Said, any_plugin, is_installed, left_out, race, versions};

#[test]
fn a_finding_is_a_warning_and_the_object_is_the_same() {
    for version in versions(&["clang"]) {
        let place = race();
        for flags in ["-O2", "-O0", "-Os -fsanitize=thread"] {
            let said =
                Said::of(&mut place.clang(version, &format!("{flags} -g -c race.c -o with.o")));
            assert_eq!(said.code, Some(0), "{}", said.stderr);
            let told = said.diagnostics();
            assert_eq!(told.len(), 4, "{version} {flags}: {}", said.stderr);
            assert!(
                told[0].starts_with("race.c:4:9: warning: data race on shared: ")
                    && told[0].ends_with(" [-Wpass-failed=irkiss-data-race]"),
                "{told:?}"
            );
            assert!(
                told[1].starts_with("race.c:11:10: note: write to shared"),
                "{told:?}"
            );
            assert!(
                told[3].contains(": note: ") && told[3].contains("replayed"),
                "{told:?}"
            );
            let plain = place
                .command(
                    &format!("clang-{version}"),
                    &format!("{flags} -g -c race.c -o without.o"),
                )
                .status();
            assert!(plain.expect("clang runs").success());
            let bytes = |name| std::fs::read(place.path(name)).expect("an object");
            assert!(bytes("with.o") == bytes("without.o"), "{version} {flags}");
        }
        place.expect_clean();
    }
}

#[test]
fn the_switches_of_warnings_are_the_compilers() {
    for version in versions(&["clang"]) {
        let place = race();
        let said =
            |flags: &str| Said::of(&mut place.clang(version, &format!("{flags} -g -c race.c")));
        said("-Wno-pass-failed").expect_silence("-Wno-pass-failed");
        said("-w").expect_silence("-w");
        let pragma = "#pragma clang diagnostic ignored \"-Wpass-failed\"\n";
        place.write("meant.c", &format!("{pragma}{RACE}"));
        Said::of(&mut place.clang(version, "-g -c meant.c")).expect_silence("pragma");
        let error = said("-Werror");
        assert_eq!(error.code, Some(1), "{}", error.stderr);
        assert!(
            error
                .stderr
                .contains("[-Werror,-Wpass-failed=irkiss-data-race]"),
            "{}",
            error.stderr
        );
        let warning = said("-Werror -Wno-error=pass-failed");
        assert_eq!(warning.code, Some(0), "{}", warning.stderr);
        assert!(
            warning.stderr.contains("warning: data race"),
            "{}",
            warning.stderr
        );
    }
}

/// Lines of findings without what differs by design: how files are called, and the name of the rule.
fn bare(lines: &[&str]) -> Vec<String> {
    let bare = |l: &&str| {
        let file = l.find(".c:").expect("a file of C");
        l[file..].split(" [").next().expect("a part").to_string()
    };
    lines.iter().map(bare).collect()
}

#[test]
fn a_step_of_a_kernel_build_finds_the_same() {
    let files = [
        "test-bitcode/drivers/racy_misc.c",
        "test-bitcode/drivers/kernel.h",
    ];
    for version in versions(&["clang"]) {
        let place = Place::with(&files);
        let mut check = place.command(env!("CARGO_BIN_EXE_irkiss"), "kbuild -O2 racy_misc.c");
        check.env("IRKISS_CLANG", format!("clang-{version}"));
        let check = Said::of(&mut check);
        // The step of a build says where the picture is, too.
        let own = check.diagnostics();
        let without = own
            .iter()
            .map(|l| l.split("; picture: ").next().unwrap_or(l));
        let expected = bare(&without.collect::<Vec<_>>());
        assert!(expected.len() >= 3, "{}", check.stderr);
        // Without clang's own warnings.
        let plugin = Said::of(&mut place.clang(
            version,
            "-g -O2 -Wno-everything -Wpass-failed -c racy_misc.c",
        ));
        assert_eq!(bare(&plugin.diagnostics()[..expected.len()]), expected);
    }
}

#[test]
fn what_goes_wrong_is_one_line_and_the_compile_succeeds() {
    let troubles = [
        ("kill -SEGV $$", "was ended by signal 11"),
        ("echo no such thing; exit 2", "no such thing"),
        ("echo out of luck >&2; exit 101", "out of luck"),
        ("exit 0", "it says nothing"),
        ("printf 'trouble\\tmemory is short\\n'", "memory is short"),
        // What began well is told, and that it is not all.
        ("printf 'warning\\tirkiss-x\\trace.c\\t4'", "is not checked"),
    ];
    for version in versions(&["clang"]) {
        let place = race();
        for (text, about) in troubles {
            let mut clang = place.clang(version, "-Werror -c race.c -o race.o");
            let said = Said::of(clang.env("IRKISS", place.checker(text)));
            assert_eq!(said.code, Some(0), "{text}: {}", said.stderr);
            assert_eq!(said.stderr.lines().count(), 1, "{text}: {}", said.stderr);
            assert!(
                said.stderr.starts_with("irkiss: warning: race.c "),
                "{}",
                said.stderr
            );
            assert!(said.stderr.contains(about), "{text}: {}", said.stderr);
            std::fs::remove_file(place.path("race.o")).expect("an object");
        }
        let mut missing = place.clang(version, "-c race.c");
        let said = Said::of(missing.env("IRKISS", "/nonexistent/irkiss"));
        assert_eq!(
            (said.code, said.stderr.lines().count()),
            (Some(0), 1),
            "{}",
            said.stderr
        );
        assert!(
            said.stderr.contains("/nonexistent/irkiss: No such file"),
            "{}",
            said.stderr
        );
        let mut usage = place.clang(version, "-c race.c");
        let said = Said::of(usage.env("IRKISS_FLAGS", "--nonsense"));
        assert_eq!(
            (said.code, said.stderr.lines().count()),
            (Some(0), 1),
            "{}",
            said.stderr
        );
        assert!(said.stderr.contains("--nonsense"), "{}", said.stderr);
        place.expect_clean();
    }
}

#[test]
fn a_checker_that_hangs_is_ended() {
    let place = race();
    // The one that it waits for holds the pipe as well.
    let checker = place.checker("sleep 1000; true");
    let mut clang = place.clang(22, "-c race.c -o race.o");
    clang
        .env("IRKISS", checker)
        .env("IRKISS_FLAGS", "--timeout 0");
    let started = std::time::Instant::now();
    let said = Said::of(&mut clang);
    assert_eq!(
        (said.code, said.stderr.lines().count()),
        (Some(0), 1),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr.contains("did not end within 10 s"),
        "{}",
        said.stderr
    );
    // The checker would sleep for far longer.
    assert!(started.elapsed().as_secs() < 900);
    assert!(place.path("race.o").exists());
    place.expect_clean();
}

#[test]
fn options_of_the_check() {
    for version in versions(&["clang"]) {
        let place = race();
        let mut clang = place.clang(version, "-g -c race.c");
        let said = Said::of(clang.env("IRKISS_FLAGS", "--property assert"));
        said.expect_silence("races are not asked for");
        let mut clang = place.clang(version, "-g -c race.c");
        let said = Said::of(clang.env("IRKISS_FLAGS", "--timeout 0"));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        assert!(
            said.stderr.starts_with("race.c: note: irkiss: "),
            "{}",
            said.stderr
        );
        // Clang 22 loads the plugin before it reads -mllvm; older ones have to be told to.
        let library = any_plugin().display().to_string();
        let load = match version {
            ..22 => format!("-Xclang -load -Xclang {library} "),
            _ => String::new(),
        };
        let words = format!("{load}-mllvm -irkiss-flags=--property=assert -g -c race.c");
        Said::of(&mut place.clang(version, &words)).expect_silence("-mllvm");
    }
}

#[test]
fn what_has_nothing_to_check_says_nothing() {
    for version in versions(&["clang"]) {
        let place = race();
        place.write("empty.c", "int just_data;\n");
        place.write("part.c", "int part(int x) { return x + 1; }\n");
        let started = place.path("started");
        let checker = place.checker(&format!("touch {}; echo end", started.display()));
        for words in ["-c empty.c", "-fsyntax-only race.c", "-E race.c"] {
            Said::of(place.clang(version, words).env("IRKISS", &checker)).expect_silence(words);
            assert!(!started.exists(), "{words}");
        }
        Said::of(&mut place.clang(version, "-c part.c")).expect_silence("part.c");
        // A program of one thread: what a configure script compiles, for instance.
        place.write("alone.c", "static int n;\nint main(void) { return n++; }\n");
        Said::of(&mut place.clang(version, "-c alone.c")).expect_silence("alone.c");
        // Of a file with errors there is no module.
        place.write("broken.c", "int f(void) { return undeclared; }\n");
        let said = Said::of(place.clang(version, "-c broken.c").env("IRKISS", &checker));
        assert_eq!(said.code, Some(1));
        assert!(
            !said.stderr.contains("irkiss") && !started.exists(),
            "{}",
            said.stderr
        );
    }
}

#[test]
fn without_debug_info_the_function_is_told_and_what_to_do() {
    for version in versions(&["clang"]) {
        let place = race();
        let said = Said::of(&mut place.clang(version, "-O2 -c race.c -o with.o"));
        let told = said.diagnostics();
        assert!(
            told[0].starts_with("race.c:7:5: warning: main(): data race on shared: "),
            "{}",
            said.stderr
        );
        let advice: Vec<&&str> = told
            .iter()
            .filter(|l| l.contains("compiled without -g"))
            .collect();
        assert_eq!(advice.len(), 1, "{}", said.stderr);
        // As the advice says: lines, and the object is that of a compile without debug info.
        let said =
            Said::of(&mut place.clang(version, "-O2 -Rpass-analysis=irkiss -c race.c -o lines.o"));
        assert!(
            said.stderr.starts_with("race.c:4:9: warning: "),
            "{}",
            said.stderr
        );
        let bytes = |name| std::fs::read(place.path(name)).expect("an object");
        assert!(bytes("with.o") == bytes("lines.o"), "{version}");
    }
}

#[test]
fn opt_has_it_as_a_pass_and_at_the_start_of_its_pipelines() {
    for version in versions(&["clang", "opt"]) {
        let place = race();
        let compile = "-g -Xclang -disable-O0-optnone -emit-llvm -c race.c -o race.bc";
        let status = place.command(&format!("clang-{version}"), compile).status();
        assert!(status.expect("clang runs").success());
        let load = format!("-load-pass-plugin={}", any_plugin().display());
        let opt = |words: &str, to: &str| {
            let mut opt = place.command(&format!("opt-{version}"), words);
            opt.args(["race.bc", "-o", to]);
            opt
        };
        for passes in ["irkiss", "default<O2>"] {
            let said = Said::of(&mut opt(&format!("{load} -passes={passes}"), "with.bc"));
            assert_eq!(said.code, Some(0), "{}", said.stderr);
            let first = said.stderr.lines().next().expect("a warning");
            assert!(
                first.starts_with("warning: race.c:4:9: data race on shared: ")
                    && first.ends_with(" [irkiss-data-race]"),
                "{first}"
            );
        }
        let plain = opt("-passes=default<O2>", "without.bc").status();
        assert!(plain.expect("opt runs").success());
        let bytes = |name| std::fs::read(place.path(name)).expect("bitcode");
        assert!(bytes("with.bc") == bytes("without.bc"));
        // The plugin comes first: opt knows its options from there on.
        let words = format!("{load} -passes=irkiss -irkiss-flags=--property=assert");
        let said = Said::of(&mut opt(&words, "o.bc"));
        said.expect_silence("options of opt");
    }
}

#[test]
fn without_the_plugin_of_its_version_a_compiler_goes_on() {
    for version in versions(&["clang"]) {
        let place = race();
        std::fs::copy(any_plugin(), place.path("lone.so")).expect("copied");
        let lone = place.path("lone.so");
        let mut clang = place.command(&format!("clang-{version}"), "-c race.c");
        let said = Said::of(clang.arg(format!("-fpass-plugin={}", lone.display())));
        assert_eq!(
            (said.code, said.stderr.lines().count()),
            (Some(0), 1),
            "{}",
            said.stderr
        );
        let missing = format!(
            "no {}",
            place.path(&format!("irkiss-plugin-{version}.so")).display()
        );
        assert!(said.stderr.contains(&missing), "{}", said.stderr);
    }
}

const EXAMPLE: [&str; 5] = [
    "docs/examples/counter/Makefile",
    "docs/examples/counter/CMakeLists.txt",
    "docs/examples/counter/main.c",
    "docs/examples/counter/counter.c",
    "docs/examples/counter/counter.h",
];

/// The one race of the example, which no file shows by itself.
fn expect_race_of_the_example(said: &str) {
    let of_irkiss = said.lines().filter(|l| l.contains("[irkiss-data-race]"));
    let found: Vec<&str> = of_irkiss.collect();
    assert_eq!(found.len(), 1, "{said}");
    assert!(
        found[0].contains("counter.c:8:8: data race on total: "),
        "{said}"
    );
    assert!(said.contains("counter.c:8:8: note: "), "{said}");
}

#[test]
fn a_program_is_checked_as_a_whole_when_it_is_linked() {
    for version in versions(&["clang", "ld.lld"]) {
        let place = Place::with(&EXAMPLE);
        let said = |own: &str| {
            let mut make = place.command("make", &format!("-s CC=clang-{version} {own}"));
            let said = Said::of(&mut make);
            assert_eq!(said.code, Some(0), "{}", said.stderr);
            said.stderr
        };
        expect_race_of_the_example(&said(&format!("IRKISS_PLUGIN={}", any_plugin().display())));
        let with = std::fs::read(place.path("counter")).expect("the program");
        said("clean");
        let link = "LDFLAGS=-pthread -flto -fuse-ld=lld";
        let mut make = place.command("make", &format!("-s CC=clang-{version}"));
        Said::of(make.args(["CFLAGS=-g -O0 -flto", link])).expect_silence("without the plugin");
        assert!(with == std::fs::read(place.path("counter")).expect("the program"));
        // Units of such a build wait for the link, and say so unless the user does.
        let mut clang = place.clang(version, "-flto -c main.c");
        let unit = Said::of(&mut clang);
        assert!(
            unit.stderr
                .starts_with("main.c: note: irkiss: left to the link"),
            "{}",
            unit.stderr
        );
        Said::of(clang.env("IRKISS_LTO", "link")).expect_silence("IRKISS_LTO=link");
    }
}

#[test]
fn a_cmake_project_is_checked_when_it_is_linked() {
    if !is_installed("cmake") {
        return left_out("cmake");
    }
    for version in versions(&["clang", "ld.lld"]) {
        let place = Place::with(&EXAMPLE);
        let configure = format!(
            "-B build -DCMAKE_C_COMPILER=clang-{version} -DIRKISS_PLUGIN={}",
            any_plugin().display()
        );
        let said = Said::of(&mut place.command("cmake", &configure));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let said = Said::of(&mut place.command("cmake", "--build build"));
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        expect_race_of_the_example(&said.stderr);
    }
}
