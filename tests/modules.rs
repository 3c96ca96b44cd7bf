//! Modules of several files in a kernel build: `irkiss kbuild` on each part, as kbuild calls it, `irkiss modules` afterwards, and what is shown
//! of both. The build is played: an object and kbuild's own files beside it (`.x.o.cmd`, `x.mod`, `built-in.a`), as Linux 6.1 leaves them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// Registers what another file counts.
const FILE: &str = r#"#include "kernel.h"
extern void demo_get(void);
extern void demo_put(void);
static int demo_open(struct inode *inode, struct file *file)
{
    demo_get();
    return 0;
}
static int demo_release(struct inode *inode, struct file *file)
{
    demo_put();
    return 0;
}
static const struct file_operations demo_fops = { .open = demo_open, .release = demo_release };
static struct miscdevice demo_device = { .name = "demo", .fops = &demo_fops };
static int demo_init(void) { return misc_register(&demo_device); }
static void demo_exit(void) { misc_deregister(&demo_device); }
module_init(demo_init)
module_exit(demo_exit)
"#;

/// Counts, and forgets the lock once.
const RACY: &str = r#"#include "kernel.h"
static DEFINE_MUTEX(lock);
static int demo_users;
void demo_get(void)
{
    mutex_lock(&lock);
    demo_users++;
    mutex_unlock(&lock);
}
void demo_put(void)
{
    demo_users--;
}
"#;

fn safe() -> String {
    RACY.replace(
        "    demo_users--;\n",
        "    mutex_lock(&lock);\n    demo_users--;\n    mutex_unlock(&lock);\n",
    )
}

/// A source tree and, below it, what is built of it.
struct Build {
    folder: TempDir,
}

/// What irkiss said.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    fn of(output: Output) -> Said {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Said {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
    fn races(&self) -> usize {
        self.err.matches("[irkiss-data-race]").count()
    }
    fn expect_silence(&self) {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""));
    }
}

impl Build {
    fn new() -> Build {
        let build = Build {
            folder: tempfile::tempdir().expect("a folder"),
        };
        for name in [
            "src/drivers/demo",
            "build/drivers/demo",
            "build/include/generated",
            "tmp",
        ] {
            std::fs::create_dir_all(build.path(name)).expect("folders");
        }
        std::fs::write(build.path("build/.config"), "").expect("written");
        let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-bitcode/drivers/kernel.h");
        std::fs::copy(cases, build.path("src/drivers/demo/kernel.h")).expect("copied");
        build
    }

    /// With a module of two files, of which nothing is compiled yet.
    fn with_module(users: &str) -> Build {
        let build = Build::new();
        build.write("users.c", users);
        build.write("file.c", FILE);
        build.list("my-demo", &["users", "file"]);
        build
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.path("build/drivers/demo").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path("src/drivers/demo").join(name), text).expect("written");
    }

    fn list(&self, module: &str, parts: &[&str]) {
        let lines: Vec<String> = parts
            .iter()
            .map(|p| format!("drivers/demo/{p}.o\n"))
            .collect();
        std::fs::write(self.beside(&format!("{module}.mod")), lines.concat()).expect("written");
    }

    /// The compiler's words for a file of a module; of what is built in, too.
    fn flags(&self, part: &str, is_module: bool) -> Vec<String> {
        let module = if part == "safe" { part } else { "my_demo" };
        let own = match is_module {
            true => "-DMODULE",
            false => "-DKBUILD_MODFILE=\"drivers/demo/my-demo\"",
        };
        let words = format!(
            "-Wp,-MMD,drivers/demo/.{part}.o.d -nostdinc -I./arch/x86/include/generated -D__KERNEL__ \
             --target=x86_64-linux-gnu -O2 -g {own} -DKBUILD_BASENAME=\"{part}\" -DKBUILD_MODNAME=\"{module}\""
        );
        words.split_whitespace().map(str::to_string).collect()
    }

    fn source(part: &str) -> String {
        format!("../src/drivers/demo/{part}.c")
    }

    /// What make leaves when it has compiled a file.
    fn compile_as(&self, part: &str, is_module: bool) {
        let flags = self.flags(part, is_module);
        let quoted: Vec<String> = flags.iter().map(|f| format!("'{f}'")).collect();
        let (source, object) = (Self::source(part), format!("drivers/demo/{part}.o"));
        let text = format!(
            "cmd_{object} := clang-22 {} -c -o {object} {source} \n\nsource_{object} := {source}\n\ndeps_{object} := \\\n    \
             $(wildcard include/config/NOT) \\\n  ../src/drivers/demo/kernel.h \\\n\n{object}: $(deps_{object})\n",
            quoted.join(" ")
        );
        std::fs::write(self.beside(&format!("{part}.o")), "object").expect("written");
        std::fs::write(self.beside(&format!(".{part}.o.cmd")), text).expect("written");
    }

    fn compile(&self, part: &str) {
        self.compile_as(part, true);
    }

    /// irkiss, as the recipes of a build see it.
    fn irkiss(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("irkiss"));
        command
            .current_dir(self.path("build"))
            .env("CC", "clang-22")
            .env("SRCARCH", "x86")
            .env("TMPDIR", self.path("tmp"))
            .env("IRKISS_STATE", "")
            .env_remove("IRKISS_CLANG")
            .env_remove("KBUILD_CHECKSRC")
            .env_remove("quiet");
        command
    }

    /// Kbuild's call for a file.
    fn call(&self, part: &str) -> Command {
        let mut command = self.irkiss();
        command
            .args(["kbuild", "-D__linux__", "--arch=x86_64", "-m64"])
            .args(self.flags(part, true))
            .arg(Self::source(part));
        command
    }

    fn check(&self, part: &str) -> Said {
        Said::of(self.call(part).output().expect("irkiss runs"))
    }

    /// The file is compiled, then checked: a step of `C=1`.
    fn step(&self, part: &str) -> Said {
        self.compile(part);
        self.check(part)
    }

    /// What a command prints.
    fn said(&self, words: &[&str]) -> Said {
        Said::of(self.irkiss().args(words).output().expect("irkiss runs"))
    }

    /// A clang that counts how often it compiles; the file in which it does.
    fn counting(&self) -> (PathBuf, PathBuf) {
        let (clang, log) = (self.path("clang"), self.path("log"));
        let script = format!(
            "#!/bin/sh\necho x >> {}\nexec clang-22 \"$@\"\n",
            log.display()
        );
        std::fs::write(&clang, script).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&clang, mode).expect("executable");
        (clang, log)
    }

    /// A file that make finds newer than all that it has made.
    fn make_newer(&self, source: &str) {
        let path = self.path("src/drivers/demo").join(source);
        let file = std::fs::File::options().append(true).open(path);
        let later = SystemTime::now() + Duration::from_secs(60);
        file.and_then(|f| f.set_modified(later)).expect("its time");
    }
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn the_last_file_that_is_compiled_has_the_module_checked_as_one() {
    let build = Build::with_module(RACY);
    build.step("users").expect_silence();
    let said = build.step("file");
    assert_eq!((said.code, said.races()), (Some(0), 1), "{}", said.err);
    assert!(
        said.err.starts_with("../src/drivers/demo/users.c:"),
        "{}",
        said.err
    );
    assert!(
        said.err.contains("irkiss show drivers/demo/my-demo.o:1"),
        "{}",
        said.err
    );
    assert_eq!(build.path("tmp").read_dir().expect("a folder").count(), 0);
    // A part is shown as what it is a part of.
    let shown = build.said(&["show", "drivers/demo/users.o"]);
    assert!(shown.out.contains("demo_users"), "{}", shown.out);
    assert!(
        shown.out.contains("my-demo.o: 2 files, checked as one"),
        "{}",
        shown.out
    );
    assert!(
        shown
            .err
            .contains("users.o is checked with the other files of its module")
            && shown.err.contains("drivers/demo/my-demo.o"),
        "{}",
        shown.err
    );
    let why = build.said(&["why", "drivers/demo/file.o"]);
    assert!(why.out.starts_with("drivers/demo/my-demo.o"), "{}", why.out);
}

#[test]
fn a_safe_module_is_silent() {
    let build = Build::with_module(&safe());
    build.step("users").expect_silence();
    build.step("file").expect_silence();
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains("1 object checked (1 of several files); 0 bugs in 0 objects"),
        "{table}"
    );
}

/// Of one file alone the lock of another is not known.
#[test]
fn a_lock_that_another_file_takes_is_seen() {
    let build = Build::new();
    let lock = "#include \"kernel.h\"\nstatic DEFINE_MUTEX(lock);\nvoid demo_get(void) { mutex_lock(&lock); }\n\
                void demo_put(void) { mutex_unlock(&lock); }\n";
    let file = FILE.replace(
        "    demo_get();\n",
        "    demo_get(); users++; demo_put();\n",
    );
    let file = file.replace(
        "    demo_put();\n    return",
        "    demo_get(); users--; demo_put();\n    return",
    );
    build.write("lock.c", lock);
    build.write(
        "file.c",
        &file.replacen("static", "static int users;\nstatic", 1),
    );
    build.compile("file");
    let alone = build.check("file");
    assert_eq!(alone.races(), 1, "no list: {}", alone.err);
    assert!(
        alone
            .err
            .contains("one of the files of my_demo, checked without the others")
            && alone.err.contains("irkiss modules drivers/demo"),
        "{}",
        alone.err
    );
    build.list("my-demo", &["lock", "file"]);
    build.check("file").expect_silence();
    build.step("lock").expect_silence();
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains("0 bugs"),
        "what was said of the file alone is gone: {table}"
    );
}

#[test]
fn what_has_changed_is_compiled_and_the_rest_kept() {
    let build = Build::with_module(RACY);
    let (clang, log) = build.counting();
    let check = |part: &str| {
        build.compile(part);
        let mut call = build.call(part);
        Said::of(call.env("IRKISS_CLANG", &clang).output().expect("it runs"))
    };
    check("users");
    assert_eq!(check("file").races(), 1);
    assert_eq!(lines(&log), 2, "each file once");
    build.write("users.c", &safe());
    check("users").expect_silence();
    assert_eq!(lines(&log), 3, "what has changed");
    // Back again.
    build.write("users.c", RACY);
    assert_eq!(check("users").races(), 1);
    // The same content: told again, without a compiler.
    let before = lines(&log);
    assert_eq!(check("file").races(), 1);
    assert_eq!(lines(&log), before);
}

#[test]
fn what_make_compiles_again_is_waited_for() {
    let build = Build::with_module(RACY);
    build.step("users");
    build.step("file");
    // A header has changed: make compiles both again.
    build.make_newer("kernel.h");
    build.check("users").expect_silence();
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains(
            "not checked: drivers/demo/my-demo.o: as it is now: waits for drivers/demo/file.o"
        ),
        "{table}"
    );
    let file = std::fs::File::options()
        .append(true)
        .open(build.beside("file.o"));
    let later = SystemTime::now() + Duration::from_secs(90);
    file.and_then(|f| f.set_modified(later)).expect("its time");
    assert_eq!(build.check("users").races(), 1);
}

#[test]
fn where_each_file_is_handed_over_one_tells() {
    let build = Build::with_module(RACY);
    build.step("users");
    build.step("file");
    let all = |c: &str| -> usize {
        let parts = ["users", "file"].map(|part| {
            let said = build.call(part).env("KBUILD_CHECKSRC", c).output();
            Said::of(said.expect("irkiss runs")).races()
        });
        parts.iter().sum()
    };
    assert_eq!(all("2"), 1, "C=2 of what has not changed");
    build.write("users.c", &RACY.replace("void demo_put", "\nvoid demo_put"));
    build.compile("users");
    assert_eq!(all("2"), 1, "C=2 of what has changed in one file");
}

#[test]
fn one_file_that_is_asked_for_alone() {
    let build = Build::with_module(RACY);
    build.write(
        "file.c",
        &FILE
            .replace("    demo_put();", "    demo_put(); seen = 1; seen = 2;")
            .replacen("static", "static int seen;\nstatic", 1),
    );
    // `make drivers/demo/file.o`: the goals are words of kbuild's make.
    let asked = |part: &str, goals: &str| {
        build.compile(part);
        let call = build.call(part);
        let words: Vec<String> = std::iter::once(call.get_program())
            .chain(call.get_args())
            .map(|w| format!("'{}'", w.to_string_lossy()))
            .collect();
        std::fs::write(
            build.path("make.sh"),
            format!("{}\nexit $?\n", words.join(" ")),
        )
        .expect("written");
        let mut make = Command::new("bash");
        make.arg(build.path("make.sh"))
            .args(["scripts/Makefile.build", "obj=drivers/demo", goals])
            .current_dir(build.path("build"));
        for (name, value) in call.get_envs() {
            match value {
                Some(value) => make.env(name, value),
                None => make.env_remove(name),
            };
        }
        Said::of(make.output().expect("bash runs"))
    };
    asked("file", "drivers/demo/").expect_silence();
    let alone = asked("file", "drivers/demo/file.o");
    assert_eq!(alone.races(), 1, "{}", alone.err);
    assert!(
        alone.err.contains(
            "one of 2 files of drivers/demo/my-demo.o, checked without the others (1 not compiled)"
        ),
        "{}",
        alone.err
    );
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains("(without the others of its module)"),
        "{table}"
    );
    // The other one was compiled once, whenever that was.
    build.compile("users");
    build.make_newer("users.c");
    let whole = asked("file", "drivers/demo/file.o");
    assert_eq!(whole.races(), 2, "{}", whole.err);
}

#[test]
fn modules_of_a_build_that_nobody_has_checked() {
    let build = Build::with_module(RACY);
    let (clang, log) = build.counting();
    build.write(
        "safe.c",
        &std::fs::read_to_string("test-bitcode/drivers/safe_misc.c").expect("a case"),
    );
    for part in ["users", "file", "safe"] {
        build.compile(part);
    }
    build.list("my-demo", &["users", "file"]);
    build.list("safe", &["safe"]);
    let modules = || {
        let mut command = build.irkiss();
        command.args(["modules", "-j2", "drivers/demo"]);
        Said::of(
            command
                .env("IRKISS_CLANG", &clang)
                .output()
                .expect("it runs"),
        )
    };
    let said = modules();
    assert_eq!((said.code, said.races()), (Some(1), 1), "{}", said.err);
    assert!(
        said.out.contains("drivers/demo/my-demo.o  (2 files)"),
        "{}",
        said.out
    );
    assert!(
        said.out
            .contains("2 objects checked (1 of several files); 1 bug in 1 object"),
        "{}",
        said.out
    );
    assert_eq!(lines(&log), 3);
    let again = modules();
    assert_eq!((again.races(), lines(&log)), (1, 3), "{}", again.err);
    build.list("my-demo", &["users", "file", "gone"]);
    let half = build.said(&["modules", "drivers/demo"]);
    let waits = "not checked: drivers/demo/my-demo.o: as it is now: waits for drivers/demo/gone.o";
    assert!(half.out.contains(waits), "{}", half.out);
    assert_eq!(half.races(), 0, "{}", half.err);
    let none = build.said(&["modules", "../src"]);
    assert_eq!(none.code, Some(2), "{}", none.err);
    assert!(
        none.err.contains("no folder of a kernel build"),
        "{}",
        none.err
    );
}

#[test]
fn what_is_built_in_is_one_when_its_archive_says_so() {
    let build = Build::with_module(RACY);
    std::fs::remove_file(build.beside("my-demo.mod")).expect("there is no list");
    for part in ["users", "file"] {
        build.compile_as(part, false);
    }
    let alone = build.said(&["modules", "drivers/demo"]);
    assert_eq!(
        alone.races(),
        0,
        "nothing tells what is linked: {}",
        alone.err
    );
    let names = "users.o/\nfile.o/\n";
    let archive = format!("!<thin>\n{:<48}{:<10}`\n{names}", "//", names.len());
    std::fs::write(build.beside("built-in.a"), archive).expect("written");
    let whole = build.said(&["modules", "drivers/demo"]);
    assert_eq!(whole.races(), 1, "{}", whole.err);
    assert!(
        whole.out.contains("drivers/demo/my-demo.o  (2 files)"),
        "{}",
        whole.out
    );
}

#[test]
fn a_file_that_does_not_compile_is_told_of() {
    let build = Build::with_module(RACY);
    build.write(
        "file.c",
        "#include \"kernel.h\"\nint f(void) { return undeclared; }\n",
    );
    build.step("users").expect_silence();
    let said = build.step("file");
    assert_eq!(said.code, Some(0));
    assert!(
        said.err
            .starts_with("irkiss kbuild: drivers/demo/my-demo.o: not checked as one: ")
            && said.err.contains("undeclared"),
        "{}",
        said.err
    );
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains("not checked: drivers/demo/my-demo.o: "),
        "{table}"
    );
    let shown = build.said(&["show", "drivers/demo/users.o"]);
    assert_eq!(shown.code, Some(2), "{}", shown.err);
    assert!(shown.err.contains("not checked: "), "{}", shown.err);
}

/// What is left open is looked for file by file, too: there the lock of another file is not known, and the first check and the next say so alike.
#[test]
fn what_is_decided_as_one_stays_so_where_something_else_is_open() {
    let build = Build::new();
    let lock = "#include \"kernel.h\"\nstatic DEFINE_MUTEX(lock);\nvoid demo_get(void) { mutex_lock(&lock); }\n\
                void demo_put(void) { mutex_unlock(&lock); }\n";
    // How often nobody knows.
    let counts = "    demo_get();\n    users++;\n    demo_put();\n    for (unsigned int i = 0; i < demo_asks(); i++)\n        if (i == 7)\n            \
                  deep++;\n";
    let file = FILE.replace(
        "    demo_put();\n    return 0;",
        "    demo_get();\n    users--;\n    demo_put();\n    return deep;",
    );
    let file = file.replacen("    demo_get();\n", counts, 1);
    let variables = "extern unsigned int demo_asks(void);\nstatic int users, deep;\nstatic";
    build.write("lock.c", lock);
    build.write("file.c", &file.replacen("static", variables, 1));
    build.list("my-demo", &["lock", "file"]);
    build.step("lock").expect_silence();
    let first = build.step("file");
    assert_eq!(first.races(), 0, "{}", first.err);
    let again = build.call("file").env("KBUILD_CHECKSRC", "2").output();
    let again = Said::of(again.expect("irkiss runs"));
    assert_eq!(again.races(), 0, "{}", again.err);
    let note = build.said(&["why", "drivers/demo/my-demo.o"]).out;
    assert!(note.contains("deep"), "something is open: {note}");
}

/// Another file says that there is no device, always: as one nothing is got to, and each file by itself may show more.
#[test]
fn what_is_left_open_as_one_is_checked_file_by_file_too() {
    let build = Build::new();
    let racy = std::fs::read_to_string("test-bitcode/drivers/racy_misc.c").expect("a case");
    let racy = racy.replace(
        "return misc_register",
        "return demo_setup() ?: misc_register",
    );
    build.write(
        "file.c",
        &racy.replacen("static", "extern int demo_setup(void);\nstatic", 1),
    );
    build.write("setup.c", "int demo_setup(void) { return -19; }\n");
    build.list("my-demo", &["setup", "file"]);
    build.step("setup").expect_silence();
    let said = build.step("file");
    assert_eq!(said.races(), 1, "{}", said.err);
    let about = "one of 2 files of drivers/demo/my-demo.o, checked without the others, too";
    assert!(said.err.contains(about), "{}", said.err);
    assert!(
        said.err.contains("irkiss show drivers/demo/file.o:1"),
        "{}",
        said.err
    );
    let shown = build.said(&["show", "drivers/demo/file.o"]).out;
    assert!(
        shown.contains("demo_users") && shown.contains(about),
        "{shown}"
    );
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains("drivers/demo/file.o  (without the others of its module)")
            && table.contains("drivers/demo/my-demo.o  (2 files)")
            && !table.contains("irkiss modules"),
        "{table}"
    );
    // As it was: told again, by the file that it is of.
    let again = |part: &str| {
        let said = build.call(part).env("KBUILD_CHECKSRC", "2").output();
        Said::of(said.expect("irkiss runs")).races()
    };
    assert_eq!((again("setup"), again("file")), (0, 1));
    // As one it is seen whole again: what was said of the file alone is gone.
    build.write("setup.c", "int demo_setup(void) { return 0; }\n");
    let whole = build.step("setup");
    assert!(
        whole.races() == 1 && whole.err.contains("irkiss show drivers/demo/my-demo.o:1"),
        "{}",
        whole.err
    );
    let table = build.said(&["show", "drivers/demo"]).out;
    assert!(
        table.contains("1 object checked (1 of several files); 1 bug in 1 object"),
        "{table}"
    );
}
