//! `irkiss kbuild` as kbuild calls it: the flags of a real call (Linux 6.1, x86-64, `LLVM=-19`; the folders are others), a tree
//! with a driver of `test-bitcode/`, and what must be left as it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// `CHECKFLAGS` of the kernel's Makefiles.
const CHECKFLAGS: &str = "-D__linux__ -Dlinux -D__STDC__ -Dunix -D__unix__ -Wbitwise -Wno-return-void -Wno-unknown-attribute \
    -D__x86_64__ --arch=x86_64 -mlittle-endian -m64";

/// `c_flags` for a clang, after the list of headers and the folders of headers.
const CLANG_FLAGS: &str = "-D__KERNEL__ --target=x86_64-linux-gnu -fintegrated-as \
    -Werror=unknown-warning-option -Werror=ignored-optimization-argument -Qunused-arguments -fmacro-prefix-map=../= -Wall -Wundef \
    -Werror=strict-prototypes -Wno-trigraphs -fno-strict-aliasing -fno-common -fshort-wchar -fno-PIE \
    -Werror=implicit-function-declaration -Werror=implicit-int -Werror=return-type -Wno-format-security -std=gnu11 -mno-sse \
    -mno-mmx -mno-sse2 -mno-3dnow -mno-avx -fcf-protection=none -m64 -falign-loops=1 -mno-80387 -mno-fp-ret-in-387 \
    -mstack-alignment=8 -mskip-rax-setup -mtune=generic -mno-red-zone -mcmodel=kernel -Wno-sign-compare \
    -fno-asynchronous-unwind-tables -fno-delete-null-pointer-checks -Wno-frame-address -O2 -Wframe-larger-than=2048 \
    -fno-stack-protector -Wno-gnu -fomit-frame-pointer -fno-stack-clash-protection -fzero-call-used-regs=used-gpr \
    -falign-functions=64 -Wvla -Wno-pointer-sign -Wcast-function-type -Wimplicit-fallthrough -fno-strict-overflow -fno-stack-check \
    -Werror=date-time -Wno-initializer-overrides -Wno-enum-compare-conditional -g -gdwarf-5 -gz=zlib";

/// `c_flags` for a gcc: what differs.
const GCC_FLAGS: &str = "-D__KERNEL__ -fmacro-prefix-map=../= -Wall -std=gnu11 -mno-sse -mpreferred-stack-boundary=3 -mskip-rax-setup \
    -mindirect-branch=thunk-extern -mindirect-branch-register -mfunction-return=thunk-extern -mrecord-mcount -fconserve-stack \
    -fno-allow-store-data-races --param=allow-store-data-races=0 -fplugin=./scripts/gcc-plugins/structleak_plugin.so \
    -fno-var-tracking-assignments -Wno-alloc-size-larger-than -Wimplicit-fallthrough=5 -fgcc-flag-of-the-future -O2 -g";

/// An object tree beside a source tree, as `make O=` has them. Kbuild calls from the object tree.
struct Tree {
    folder: TempDir,
}

impl Tree {
    /// With these drivers of `test-bitcode/` in `drivers/demo/`, and kbuild's own files beside them.
    fn with(drivers: &[&str]) -> Tree {
        let tree = Tree {
            folder: tempfile::tempdir().expect("temporary folder"),
        };
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode/drivers");
        for name in ["drivers/demo", "scripts/mod"] {
            std::fs::create_dir_all(tree.source().join(name)).expect("folders");
            std::fs::create_dir_all(tree.object().join(name)).expect("folders");
        }
        for name in drivers.iter().chain(&["kernel.h", "net.h"]) {
            let to = tree.source().join("drivers/demo").join(name);
            std::fs::copy(cases.join(name), to).expect("copied");
        }
        let object = |name: &str| tree.object().join("drivers/demo").join(name);
        std::fs::write(object(".driver.o.d"), "driver.o: kernel.h\n").expect("written");
        std::fs::write(object("driver.o"), "object").expect("written");
        tree
    }
    fn source(&self) -> PathBuf {
        self.folder.path().join("src")
    }
    /// Below the sources, so that kbuild names them `../…`.
    fn object(&self) -> PathBuf {
        self.folder.path().join("src/build")
    }
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.source().join(name), text).expect("written");
    }
    /// Kbuild's call: what `CHECK=` says after `irkiss kbuild`, `CHECKFLAGS`, the flags of the compiler, the file.
    fn command(&self, own: &str, cf: &str, flags: &str, file: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("irkiss"));
        command
            .arg("kbuild")
            .args(own.split_whitespace())
            .args(CHECKFLAGS.split_whitespace())
            .args(cf.split_whitespace())
            .arg("-Wp,-MMD,drivers/demo/.driver.o.d")
            .args(["-nostdinc", "-I./include", "-I../include"])
            .args(flags.split_whitespace())
            .args(["-I", "../drivers/demo", "-I", "./drivers/demo", "-DMODULE"])
            .args([
                "-DKBUILD_BASENAME=\"driver\"",
                "-DKBUILD_MODNAME=\"driver\"",
            ])
            .arg("-D__KBUILD_MODNAME=kmod_driver")
            .arg(file)
            .current_dir(self.object())
            .env("CC", "clang-22")
            .env("SRCARCH", "x86")
            .env("TMPDIR", self.tmp())
            .env_remove("IRKISS_CLANG")
            .env_remove("quiet");
        command
    }
    /// An empty folder for temporary files.
    fn tmp(&self) -> PathBuf {
        let folder = self.folder.path().join("tmp");
        std::fs::create_dir_all(&folder).expect("folder");
        folder
    }
    fn run(&self, file: &str) -> Said {
        said(&mut self.command("", "", CLANG_FLAGS, file))
    }
    /// Every file of the two trees and of the temporary folder, with its time and content.
    fn contents(&self) -> BTreeMap<PathBuf, (std::time::SystemTime, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.source(), self.tmp()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let time = path.metadata().and_then(|m| m.modified()).expect("a time");
                    let bytes = std::fs::read(&path).expect("readable");
                    found.insert(path, (time, bytes));
                }
            }
        }
        found
    }
}

struct Said {
    code: Option<i32>,
    stderr: String,
}

fn said(command: &mut Command) -> Said {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("irkiss runs");
    assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    Said {
        code: status.code(),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

impl Said {
    /// One line about what went wrong, and the build goes on.
    fn expect_one_line(&self, about: &str) {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        assert!(
            self.stderr.starts_with("irkiss kbuild: "),
            "{}",
            self.stderr
        );
        assert!(self.stderr.contains(about), "{about}: {}", self.stderr);
    }
}

#[test]
fn a_race_is_a_warning_with_a_note_and_the_trees_stay_as_they_are() {
    let tree = Tree::with(&["racy_misc.c"]);
    let before = tree.contents();
    let said = tree.run("../drivers/demo/racy_misc.c");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let lines: Vec<&str> = said.stderr.lines().collect();
    let first = lines.first().expect("a finding");
    assert!(
        first.starts_with("../drivers/demo/racy_misc.c:12:15: warning: data race on demo_users: write of 4 bytes in demo_open")
            && first.ends_with(" [irkiss-data-race]"),
        "{first}"
    );
    assert!(
        lines[1].starts_with("../drivers/demo/racy_misc.c:19:15: note: ")
            && lines[1].contains(" demo_users of 4 bytes by thread ")
            && lines[1].contains("(demo_release)")
            && lines[1].ends_with("no lock held"),
        "{}",
        lines[1]
    );
    let form = |l: &&str| l.contains(": warning: ") || l.contains(": note: ");
    assert!(lines.iter().all(form), "{}", said.stderr);
    assert_eq!(
        said.stderr.matches("warning:").count(),
        1,
        "release beside open and beside itself: one counter"
    );
    let picture = "irkiss show ";
    assert!(
        lines.last().is_some_and(|l| l.contains(picture)),
        "{lines:?}"
    );
    // What is kept for `irkiss show` stands in a folder of its own.
    let mut after = tree.contents();
    after.retain(|path, _| !path.to_string_lossy().contains(".irkiss"));
    assert!(before == after, "no file is written, none is left");
    // The same again, byte for byte: people compare such lines.
    assert_eq!(said.stderr, tree.run("../drivers/demo/racy_misc.c").stderr);
}

#[test]
fn what_is_kept_is_named_as_make_names_it() {
    let tree = Tree::with(&["racy_misc.c"]);
    tree.run("../drivers/demo/racy_misc.c");
    let irkiss = |args: &[&str]| {
        let exe = assert_cmd::cargo::cargo_bin("irkiss");
        let output = Command::new(exe)
            .args(args)
            .current_dir(tree.object())
            .output();
        let output = output.expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let kept = std::fs::read_dir(tree.object().join("drivers/demo/.irkiss")).expect("a folder");
    let kept: Vec<String> = kept
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let stem = kept[0].strip_suffix(".json.gz").expect("a report");
    let object = format!("drivers/demo/{stem}.o");
    let shown = irkiss(&["show", &object]);
    assert!(
        shown.contains(&format!("irkiss show {object}:1")),
        "{shown}"
    );
    assert!(!shown.contains("no reason recorded"), "{shown}");
    let why = irkiss(&["why", &object]);
    assert!(why.starts_with(&object), "{why}");
    let written = irkiss(&["baseline", "write", "known.json", "drivers"]);
    assert!(written.contains("1 bug known"), "{written}");
}

#[test]
fn without_findings_there_is_nothing_to_say() {
    let tree = Tree::with(&["safe_misc.c"]);
    tree.write(
        "scripts/mod/empty.c",
        "/* empty file to figure out endianness / word size */\n",
    );
    tree.write(
        "drivers/demo/part.c",
        "int demo_part(int x) { return x + 1; }\n",
    );
    for file in [
        "../drivers/demo/safe_misc.c",
        "../scripts/mod/empty.c",
        "../drivers/demo/part.c",
    ] {
        let said = tree.run(file);
        assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{file}");
    }
    // Kbuild compiles the probe before anything else; it is not even looked at.
    let no_compiler = said(
        tree.command("", "", CLANG_FLAGS, "../scripts/mod/empty.c")
            .env("IRKISS_CLANG", "/nonexistent/clang"),
    );
    assert_eq!(
        (no_compiler.code, no_compiler.stderr.as_str()),
        (Some(0), "")
    );
}

#[test]
fn flags_of_gcc_are_no_obstacle() {
    let tree = Tree::with(&["racy_misc.c"]);
    let said = said(
        tree.command("", "", GCC_FLAGS, "../drivers/demo/racy_misc.c")
            .env("CC", "x86_64-linux-gnu-gcc"),
    );
    assert_eq!(said.code, Some(0));
    assert_eq!(
        said.stderr.matches("[irkiss-data-race]").count(),
        1,
        "{}",
        said.stderr
    );
}

#[test]
fn what_cannot_be_compiled_or_read_is_one_line() {
    let tree = Tree::with(&["racy_misc.c"]);
    tree.write(
        "drivers/demo/broken.c",
        "#include \"kernel.h\"\nint f(void) { return undeclared; }\nint g(void) { return too; }\n",
    );
    tree.run("../drivers/demo/broken.c")
        .expect_one_line("broken.c:2:22: error: ");
    let file = "../drivers/demo/racy_misc.c";
    let no_clang = said(
        tree.command("", "", CLANG_FLAGS, file)
            .env("IRKISS_CLANG", "/nonexistent/clang"),
    );
    no_clang.expect_one_line("no clang found");
    // A target with pointers of two bytes.
    let flags = "--target=avr -mmcu=atmega328p -O2";
    said(&mut tree.command("", "", flags, file)).expect_one_line("racy_misc.c: ");
    said(&mut tree.command("--nonsense", "", CLANG_FLAGS, file)).expect_one_line("--nonsense");
    said(&mut tree.command("", "--ts 99", CLANG_FLAGS, file)).expect_one_line("--ts");
    said(&mut tree.command("", "", CLANG_FLAGS, "-DX")).expect_one_line("no C file");
    assert_eq!(tree.tmp().read_dir().expect("a folder").count(), 0);
}

#[test]
fn options_of_irkiss_in_check_and_in_cf() {
    let tree = Tree::with(&["racy_misc.c"]);
    let file = "../drivers/demo/racy_misc.c";
    // Assertions alone: the races are not asked for.
    for (own, cf) in [
        ("--property assert", ""),
        ("", "--property assert"),
        ("--property assert --", ""),
    ] {
        let said = said(&mut tree.command(own, cf, CLANG_FLAGS, file));
        assert_eq!(
            (said.code, said.stderr.as_str()),
            (Some(0), ""),
            "{own} {cf}"
        );
    }
    let said = said(&mut tree.command("--error-exitcode 3", "", CLANG_FLAGS, file));
    assert_eq!(said.code, Some(3), "{}", said.stderr);
}

#[test]
fn a_gate_fails_where_nothing_could_be_checked() {
    let tree = Tree::with(&["racy_misc.c", "safe_misc.c"]);
    tree.write(
        "drivers/demo/broken.c",
        "int f(void) { return undeclared; }\n",
    );
    let gate = |file: &str| said(&mut tree.command("--error-exitcode 3", "", CLANG_FLAGS, file));
    assert_eq!(gate("../drivers/demo/broken.c").code, Some(3));
    assert_eq!(gate("../drivers/demo/safe_misc.c").code, Some(0));
    assert_eq!(gate("../scripts/mod/empty.c").code, Some(0));
}

#[test]
fn what_time_did_not_suffice_for_is_a_note_under_make_s_too() {
    let tree = Tree::with(&["racy_misc.c"]);
    let file = "../drivers/demo/racy_misc.c";
    let late = said(&mut tree.command("--timeout 0", "", CLANG_FLAGS, file));
    assert_eq!(late.code, Some(0));
    assert!(
        late.stderr.starts_with(&format!("{file}: note: irkiss: ")),
        "{}",
        late.stderr
    );
    assert!(late.stderr.contains("timeout: 0 s"), "{}", late.stderr);
    let silent = said(
        tree.command("--timeout 0", "", CLANG_FLAGS, file)
            .env("quiet", "silent_"),
    );
    assert_eq!(silent.code, Some(0));
    assert_eq!(silent.stderr.lines().count(), 1, "{}", silent.stderr);
    assert!(silent.stderr.contains("irkiss why "), "{}", silent.stderr);
}

/// A compiler that kills the process that calls it stands for a crash, and for the kernel that runs out of memory.
#[test]
fn a_crash_does_not_break_the_build() {
    let tree = Tree::with(&["racy_misc.c"]);
    let killer = tree.folder.path().join("clang");
    std::fs::write(&killer, "#!/bin/sh\nkill -KILL $PPID\n").expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&killer, mode).expect("executable");
    let file = "../drivers/demo/racy_misc.c";
    said(
        tree.command("", "", CLANG_FLAGS, file)
            .env("IRKISS_CLANG", &killer),
    )
    .expect_one_line("racy_misc.c: the check was ended by signal 9");
    assert_eq!(tree.tmp().read_dir().expect("a folder").count(), 0);
    let gate = said(
        tree.command("--error-exitcode 3", "", CLANG_FLAGS, file)
            .env("IRKISS_CLANG", &killer),
    );
    assert_eq!(gate.code, Some(3), "{}", gate.stderr);
}

#[test]
fn help_says_how_make_calls_it() {
    let output = Command::new(assert_cmd::cargo::cargo_bin("irkiss"))
        .args(["kbuild", "--help"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    for word in [
        "make C=2 CHECK=\"irkiss kbuild",
        "--error-exitcode",
        "IRKISS_CLANG",
        "--timeout",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
