//! Files of call lines as bitcode, in a folder of their own that goes away.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use super::line::Line;
use crate::error::InputError;

/// A folder that nobody else may look into; it is removed when this is dropped, or by [`Folder::remove`].
#[derive(Debug)]
pub struct Folder(PathBuf);

/// Bitcode of one file, in a folder of its own.
#[derive(Debug)]
pub struct Bitcode {
    folder: Folder,
    /// The bitcode.
    pub file: PathBuf,
}

/// What the kernel takes for words that say something to KCSAN alone, and that a kernel built without it drops: kept as annotations.
const KEPT: &str = "\
#if defined(__no_kcsan) && !defined(__SANITIZE_THREAD__)
#undef __no_kcsan
#undef __no_sanitize_thread
#define __no_kcsan __attribute__((__annotate__(\"no_kcsan\")))
#define __no_sanitize_thread __no_kcsan
#endif
";

impl Bitcode {
    /// Compiles the file as [`Folder::compile`] does.
    ///
    /// # Errors
    /// The same.
    pub fn of(line: &Line) -> Result<Bitcode, InputError> {
        let folder = Folder::new()?;
        let file = folder.compile(line, "file.bc")?;
        Ok(Bitcode { folder, file })
    }

    /// What it was made of, as the compiler names it; `None`: the compiler left no list.
    pub fn depends(&self) -> Option<Vec<PathBuf>> {
        let text = std::fs::read_to_string(depends_of(&self.file)).ok()?;
        Some(listed(&text, &self.folder.0))
    }

    /// Removes the folder now: for a process that ends without dropping anything.
    pub fn remove(&self) {
        self.folder.remove();
    }
}

impl Folder {
    /// One that nobody else has made before.
    ///
    /// # Errors
    /// The temporary folder cannot be written.
    pub fn new() -> Result<Folder, InputError> {
        let mut taken = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        for folder in folders_of(std::process::id()) {
            match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Folder(folder)),
                // Of a process that had this number before, and was killed.
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => taken = e,
                Err(e) => return Err(no_folder(&folder, &e)),
            }
        }
        Err(no_folder(&std::env::temp_dir(), &taken))
    }

    /// Puts a file of that content into it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<PathBuf, InputError> {
        let path = self.0.join(name);
        std::fs::write(&path, content).map_err(|e| no_folder(&path, &e))?;
        Ok(path)
    }

    /// Compiles the file, into one of that name, with the first clang there is: `IRKISS_CLANG`, kbuild's own compiler (`CC`) if it is a
    /// clang, `clang-22`, `clang`. In the form that keeps the most: no passes, all names, debug information.
    ///
    /// # Errors
    /// No clang; what clang says of the file; the folder cannot be written.
    pub fn compile(&self, line: &Line, name: &str) -> Result<PathBuf, InputError> {
        let file = self.0.join(name);
        let mut flags = line.flags.clone();
        // After the kernel's own `-include`.
        let kept = self.put("kept.h", KEPT.as_bytes())?;
        flags.extend(["-include".into(), kept.into_os_string()]);
        if !line.names_target()
            && let Some(target) = target_of(std::env::var("SRCARCH").ok().as_deref())
        {
            flags.push(format!("--target={target}").into());
        }
        let mut missing = Vec::new();
        for clang in usual_compilers() {
            match run_with_known(&clang, &flags, line, &file)? {
                Some(output) if output.status.success() => return Ok(file),
                Some(output) => return Err(failure(&clang, line, &output)),
                None => missing.push(clang.display().to_string()),
            }
        }
        let what = format!("no clang found (tried {})", missing.join(", "));
        Err(InputError::new("", what).advise("install clang-22 or set IRKISS_CLANG"))
    }

    /// Removes it now: for a process that ends without dropping anything.
    pub fn remove(&self) {
        // What cannot be removed is a file in the temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Calls a compiler; what a newer gcc knows beyond the list of `line` is left out when clang says so, once. `None`: it is not there.
fn run_with_known(
    clang: &Path,
    flags: &[OsString],
    line: &Line,
    to: &Path,
) -> Result<Option<Output>, InputError> {
    let mut unknown = Vec::new();
    loop {
        let known: Vec<&OsString> = flags
            .iter()
            .filter(|f| !unknown.contains(&f.to_string_lossy().into_owned()))
            .collect();
        let output = match run(clang, &known, line, to) {
            Ok(output) => output,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(InputError::new(clang.display(), e)),
        };
        if output.status.success() || !unknown.is_empty() {
            return Ok(Some(output));
        }
        unknown = unknown_flags(&String::from_utf8_lossy(&output.stderr));
        if unknown.is_empty() {
            return Ok(Some(output));
        }
    }
}

/// Names of the folder of a process, in the order in which they are tried.
fn folders_of(process: u32) -> impl Iterator<Item = PathBuf> {
    let parent = std::env::temp_dir();
    (0..256).map(move |n| parent.join(format!("irkiss-kbuild-{process}-{n}")))
}

fn no_folder(folder: &Path, error: &std::io::Error) -> InputError {
    InputError::new(folder.display(), error).advise("TMPDIR names another folder")
}

/// Removes what a process left that could not do so itself any more.
pub(super) fn clean_up_after(process: u32) {
    for folder in folders_of(process) {
        // Most are not there.
        let _ = std::fs::remove_dir_all(folder);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Where the compiler lists what the bitcode is made of.
fn depends_of(bitcode: &Path) -> PathBuf {
    bitcode.with_extension("d")
}

/// The files that a list for make names (`x.o: a.c b.h \\`), without the header that is put in front of each file.
fn listed(text: &str, own: &Path) -> Vec<PathBuf> {
    let files = text.split_once(": ").map_or("", |(_, files)| files);
    let files = files
        .replace("\\\n", " ")
        .replace("\\ ", "\0")
        .replace("$$", "$");
    let names = files
        .split_whitespace()
        .map(|f| PathBuf::from(f.replace('\0', " ")));
    names.filter(|f| !f.starts_with(own)).collect()
}

fn run(
    clang: &Path,
    flags: &[&OsString],
    line: &Line,
    to: &Path,
) -> Result<Output, std::io::Error> {
    let mut command = Command::new(clang);
    command
        .args(flags)
        .args(["-w", "-O2", "-Xclang", "-disable-llvm-passes"])
        .args(["-g", "-fno-discard-value-names", "-emit-llvm", "-c"]);
    if let Some(directory) = &line.directory {
        command.current_dir(directory);
    }
    // As the kernel calls it, also where the shell came there by a symbolic link: paths are shortened by it.
    let here = match &line.directory {
        Some(directory) => Ok(directory.clone()),
        None => std::env::current_dir(),
    };
    if let Ok(here) = here {
        let mut option = OsString::from("-fdebug-compilation-dir=");
        option.push(here);
        command.arg(option);
    }
    command
        .args(["-MD", "-MF"])
        .arg(depends_of(to))
        .arg(&line.source)
        .arg("-o")
        .arg(to)
        .stdin(Stdio::null())
        .output()
}

/// The compilers that are tried here, in order.
pub fn usual_compilers() -> Vec<PathBuf> {
    compilers(std::env::var_os("IRKISS_CLANG"), std::env::var_os("CC"))
}

/// The compilers to try, in order.
fn compilers(own: Option<OsString>, cc: Option<OsString>) -> Vec<PathBuf> {
    if let Some(own) = own {
        return vec![PathBuf::from(own)];
    }
    // `ccache clang-19` is clang-19: nothing of what is made here is worth keeping.
    let cc = cc.unwrap_or_default();
    let is_clang = |word: &&str| {
        let name = Path::new(word).file_name().and_then(OsStr::to_str);
        name.is_some_and(|n| n.starts_with("clang"))
    };
    let cc = cc.to_string_lossy();
    let of_kbuild = cc.split_whitespace().find(is_clang);
    let mut all: Vec<PathBuf> = of_kbuild.map(PathBuf::from).into_iter().collect();
    all.extend(["clang-22", "clang"].map(PathBuf::from));
    all
}

/// Variables that change what clang makes of a call.
const HEEDED: [&str; 5] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "SOURCE_DATE_EPOCH",
    "SRCARCH",
];

/// Who compiles, for this process: the program, its length and time, what it says of its version, and the variables that it heeds. Two
/// with the same name make the same of a call.
pub fn compiler() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let all = usual_compilers();
        let mut name = all.iter().find_map(|c| version_of(c)).unwrap_or_default();
        for variable in HEEDED {
            if let Some(value) = std::env::var_os(variable) {
                name.push_str(&format!("\n{variable}={}", value.to_string_lossy()));
            }
        }
        blake3::hash(name.as_bytes()).to_hex().to_string()
    })
}

/// `None`: there is no such program.
fn version_of(clang: &Path) -> Option<String> {
    let said = Command::new(clang).arg("--version").output().ok()?;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = match clang.components().count() {
        1 => std::env::split_paths(&paths)
            .map(|folder| folder.join(clang))
            .find(|p| p.is_file()),
        _ => Some(clang.to_path_buf()),
    };
    let file = found.and_then(|p| p.canonicalize().ok());
    let data = file.as_ref().and_then(|f| std::fs::metadata(f).ok());
    let shape = data.map(|d| (d.len(), d.modified().ok()));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    Some(format!("{clang:?} {file:?} {shape:?} {said}"))
}

/// The target of an architecture of the kernel, as its `scripts/Makefile.clang` has it: gcc's name says what clang must be told.
fn target_of(arch: Option<&str>) -> Option<&'static str> {
    Some(match arch? {
        "arm" => "arm-linux-gnueabi",
        "arm64" => "aarch64-linux-gnu",
        "hexagon" => "hexagon-linux-musl",
        "loongarch" => "loongarch64-linux-gnusf",
        "m68k" => "m68k-linux-gnu",
        "mips" => "mipsel-linux-gnu",
        "powerpc" => "powerpc64le-linux-gnu",
        "riscv" => "riscv64-linux-gnu",
        "s390" => "s390x-linux-gnu",
        "x86" => "x86_64-linux-gnu",
        _ => return None,
    })
}

/// The flags that clang says it does not know.
fn unknown_flags(stderr: &str) -> Vec<String> {
    let quoted = |l: &str| l.split('\'').nth(1).map(str::to_string);
    stderr
        .lines()
        .filter(|l| {
            l.contains("error: unknown argument") || l.contains("error: unsupported option")
        })
        .filter_map(quoted)
        .collect()
}

/// Why there is no bitcode, on one line: clang's first error.
fn failure(clang: &Path, line: &Line, output: &Output) -> InputError {
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said
        .lines()
        .find(|l| l.contains("error:"))
        .or_else(|| said.lines().next())
        .map_or_else(|| output.status.to_string(), str::to_string);
    let what = format!("does not compile with {}: {first}", clang.display());
    InputError::new(line.source.display(), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_in_order() {
        let names = |own: Option<&str>, cc: &str| -> Vec<String> {
            let all = compilers(own.map(Into::into), Some(cc.into()));
            all.iter().map(|p| p.display().to_string()).collect()
        };
        assert_eq!(names(Some("/x/clang"), "clang-19"), ["/x/clang"]);
        assert_eq!(names(None, "clang-19"), ["clang-19", "clang-22", "clang"]);
        assert_eq!(names(None, "ccache /opt/bin/clang")[0], "/opt/bin/clang");
        assert_eq!(names(None, "x86_64-linux-gnu-gcc"), ["clang-22", "clang"]);
    }

    #[test]
    fn a_list_for_make() {
        let text = "x.o: a.c \\\n  /tmp/own/kept.h b\\ c.h \\\n  d.h\n";
        let files = listed(text, Path::new("/tmp/own"));
        assert_eq!(files, ["a.c", "b c.h", "d.h"].map(PathBuf::from));
    }

    #[test]
    fn unknown_flags_are_read_from_what_clang_says() {
        let said = "clang: error: unknown argument: '-fconserve-stack'\n\
            clang: error: unknown argument '-mfoo=3'; did you mean '-mfoo'?\n\
            clang: error: unsupported option '-mbar' for target 'x86_64-linux-gnu'\nx.c:1:1: error: expected 'int'\n";
        assert_eq!(
            unknown_flags(said),
            ["-fconserve-stack", "-mfoo=3", "-mbar"]
        );
    }
}
