//! A folder in which sweeps are tried.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A program whose two threads count; `lock`: whether they hold a mutex. `salt` makes its content one of its own.
pub fn program(lock: bool, salt: u32) -> String {
    let (take, give) = match lock {
        true => ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
        false => ("", ""),
    };
    format!(
        "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint count_{salt};\n\
         static void *work(void *arg) {{ {take} count_{salt} += {salt}; {give} return arg; }}\n\
         int main(void) {{ pthread_t t; if (pthread_create(&t, 0, work, 0)) return 1; work(0); pthread_join(t, 0); return 0; }}\n"
    )
}

/// A folder with a source tree, a store and whatever else.
pub struct Bench {
    pub folder: TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        Bench {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("written");
    }

    /// Bitcode of so many programs, the odd ones racy, in the folder `bc`.
    pub fn bitcode(&self, programs: u32) {
        for n in 0..programs {
            let source = format!("src/p{n}.c");
            self.write(&source, &program(n % 2 == 0, n));
            self.write("bc/.keep", "");
            let status = Command::new("clang-22")
                .args([
                    "-g",
                    "-O1",
                    "-Xclang",
                    "-disable-llvm-passes",
                    "-emit-llvm",
                    "-c",
                ])
                .arg(self.path(&source))
                .arg("-o")
                .arg(self.path(&format!("bc/p{n}.bc")))
                .status();
            assert!(status.expect("clang runs").success());
        }
    }

    /// A `compile_commands.json` as CMake writes it: each program of one file but `both`, which has two.
    pub fn commands(&self, programs: &[&str]) {
        let here = self.folder.path().display();
        let entry = |program: &str, file: &str| {
            format!(
                r#"{{"directory":"{here}","file":"{here}/{file}.c","command":"/usr/bin/cc -g -o CMakeFiles/{program}.dir/{file}.c.o -c {here}/{file}.c"}}"#
            )
        };
        let entries: Vec<String> = programs.iter().map(|p| entry(p, p)).collect();
        self.write(
            "compile_commands.json",
            &format!("[{}]", entries.join(",\n")),
        );
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("irkiss"));
        command
            .arg("sweep")
            .args(words)
            .current_dir(self.folder.path());
        command.env_remove("IRKISS_CLANG").env("CC", "clang-22");
        command
    }

    pub fn output(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("irkiss runs")
    }

    /// What it prints, where all goes well.
    pub fn sweep(&self, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        let output = self.output(&words);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{words:?}: {out}{err}");
        out
    }

    /// A night over the same inputs as the last one.
    pub fn night(&self, store: &str) {
        self.sweep(&format!("plan {store}"));
        self.sweep(&format!("run {store}"));
    }

    /// How many are in a list of the changes since the last night.
    pub fn changes(&self, store: &str, what: &str) -> usize {
        let report = self.report(&format!("{store} --since last"));
        let list = report["changes"][what].as_array().map(Vec::len);
        list.unwrap_or_else(|| panic!("no list {what}: {report}"))
    }

    /// What is said of a module.
    pub fn task(&self, store: &str, name: &str) -> Value {
        let report = self.report(store);
        let tasks = report["tasks"].as_array().expect("a list");
        let task = tasks.iter().find(|t| t["name"] == name);
        task.unwrap_or_else(|| panic!("no {name}: {report}"))
            .clone()
    }

    /// The line that it ends with, and its exit code.
    pub fn refused(&self, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        let output = self.output(&words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let err = text(&output.stderr);
        assert_eq!(err.lines().count(), 1, "{err}");
        err
    }

    pub fn content(&self, store: &str) -> String {
        let status = self.sweep(&format!("status {store} --content --format json"));
        let status: Value = serde_json::from_str(&status).expect("an object");
        status["content"].as_str().expect("a name").to_string()
    }

    pub fn report(&self, words: &str) -> Value {
        serde_json::from_str(&self.sweep(&format!("report {words} --format json")))
            .expect("an object")
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
