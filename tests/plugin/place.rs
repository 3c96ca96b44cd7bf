//! A folder in which things are compiled with the plugin, and what is said there.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The versions of LLVM that are tried.
pub const VERSIONS: [u32; 4] = [22, 21, 20, 19];

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the plugins, built by the script of the project.
pub fn plugins() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins");
        let status = Command::new(root().join("scripts/plugin.sh"))
            .arg(&folder)
            .status();
        assert!(status.expect("the script runs").success());
        folder
    })
}

/// Tells what is not tried, past the harness, which keeps to itself what a test prints.
pub fn left_out(missing: &str) {
    let _ = writeln!(std::io::stderr(), "LEFT OUT: not installed: {missing}");
}

/// Whether there is such a program.
pub fn is_installed(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success())
}

/// The versions for which there are the plugin and these programs (`clang` stands for `clang-22`).
pub fn versions(programs: &[&str]) -> Vec<u32> {
    let has = |version: &u32| {
        let plugin = plugins().join(format!("irkiss-plugin-{version}.so"));
        let mut missing: Vec<String> = programs
            .iter()
            .map(|p| format!("{p}-{version}"))
            .filter(|p| !is_installed(p))
            .collect();
        if !plugin.exists() {
            missing.push(format!("llvm-{version}-dev"));
        }
        if !missing.is_empty() {
            left_out(&format!("LLVM {version}: {}", missing.join(", ")));
        }
        missing.is_empty()
    };
    VERSIONS.into_iter().filter(has).collect()
}

/// A folder in which things are compiled.
pub struct Place {
    pub folder: TempDir,
}

/// What a program said.
pub struct Said {
    pub code: Option<i32>,
    pub stderr: String,
}

impl Said {
    pub fn of(command: &mut Command) -> Said {
        let Output { status, stderr, .. } = command.output().expect("it runs");
        Said {
            code: status.code(),
            stderr: String::from_utf8(stderr).expect("UTF-8"),
        }
    }
    /// The lines that are diagnostics, without what shows the source.
    pub fn diagnostics(&self) -> Vec<&str> {
        let is = |l: &&str| {
            let kinds = ["warning:", "note:", "error:"];
            kinds.iter().any(|k| l.contains(k))
        };
        self.stderr.lines().filter(is).collect()
    }
    /// Asserts that nothing was said, and that it went well.
    pub fn expect_silence(&self, about: &str) {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{about}");
    }
}

impl Place {
    /// With these files of the project.
    pub fn with(files: &[&str]) -> Place {
        let place = Place {
            folder: tempfile::tempdir().expect("a folder"),
        };
        for file in files {
            let from = root().join(file);
            let to = place.path(from.file_name().and_then(|n| n.to_str()).expect("a name"));
            std::fs::copy(from, to).expect("copied");
        }
        std::fs::create_dir(place.path("tmp")).expect("a folder");
        place
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }
    /// A checker of our own, a shell script.
    pub fn checker(&self, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("checker");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("executable");
        path
    }
    /// A program here, with the irkiss of this test, and no settings from outside.
    pub fn command(&self, program: &str, words: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(words.split_whitespace())
            .current_dir(self.folder.path())
            .env("IRKISS", env!("CARGO_BIN_EXE_irkiss"))
            .env("TMPDIR", self.path("tmp"));
        for name in ["IRKISS_FLAGS", "IRKISS_LTO", "IRKISS_STORE", "quiet"] {
            command.env_remove(name);
        }
        command
    }
    /// Compiles with the plugin.
    pub fn clang(&self, version: u32, words: &str) -> Command {
        let mut command = self.command(&format!("clang-{version}"), words);
        command.arg(plugin_option());
        command
    }
    /// Asserts that nothing was left behind.
    pub fn expect_clean(&self) {
        let left: Vec<_> = self.path("tmp").read_dir().expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

pub fn any_plugin() -> PathBuf {
    plugins().join("irkiss-plugin.so")
}

pub fn plugin_option() -> String {
    format!("-fpass-plugin={}", any_plugin().display())
}

pub const RACE: &str = "\
#include <pthread.h>
static int shared;
static void *work(void *arg) {
  shared++;
  return arg;
}
int main(void) {
  pthread_t worker;
  if (pthread_create(&worker, 0, work, 0))
    return 1;
  shared = 2;
  pthread_join(worker, 0);
  return shared;
}
";

pub fn race() -> Place {
    let place = Place::with(&[]);
    place.write("race.c", RACE);
    place
}
