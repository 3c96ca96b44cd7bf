//! The C models of the environment as bitcode: which of them to link, and how a user's own model is compiled.
//!
//! `build.rs` compiles every `runtime-stubs/{pthread,linux,sequential}/*.c` for each data layout of [`LAYOUTS`], links
//! those of `pthread` and of `linux` to one module, and embeds the bitcode. Which functions of them are used is decided by name when they are linked:
//!
//! - A definition `NAME` in a model satisfies a declaration `NAME` in the module under check. A definition in the module
//!   under check wins over the model's (so models are linked as `linkonce`, or after dropping what is defined already).
//! - `irkiss_model__NAME` replaces the module's own *internal* function `NAME` (static inline functions of headers).
//! - A function of the module whose name starts with [`ATOMIC_PREFIX`] is an atomic section as a whole: its calls are
//!   bracketed with `__irkiss_atomic_begin`/`__irkiss_atomic_end` ([`is_atomic_function`]; SV-COMP's rule).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Which environment the models are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// C library, POSIX and C11 threads, SV-COMP's names.
    Pthread,
    /// The Linux kernel's interface to drivers.
    Linux,
    /// The run times of sequential programs: of KISS (figures 4 and 5 of the paper), of Lal and Reps's transformation.
    Sequential,
}

/// A data layout for which there are models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Architecture, as target triples begin.
    pub name: &'static str,
    /// Target triple that the models were compiled for.
    pub target: &'static str,
    /// Byte order.
    pub little_endian: bool,
    /// Size of a pointer (4 or 8).
    pub pointer_bytes: u32,
}

/// Bitcode of models for one layout: of all of a group where these use one another, else of one C file.
#[derive(Clone, Copy)]
pub struct Stub {
    /// The group that it belongs to.
    pub group: Group,
    /// [`Layout::name`].
    pub layout: &'static str,
    /// Name of the file without extension, or of the group's folder.
    pub name: &'static str,
    /// LLVM bitcode.
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/stubs.rs"));

/// Functions of the user's program with this prefix are atomic sections (SV-COMP).
pub const ATOMIC_PREFIX: &str = "__VERIFIER_atomic_";

/// Headers for models and programs under check: file name, content.
pub const HEADERS: &[(&str, &str)] = &[
    (
        "irkiss.h",
        include_str!("../../runtime-stubs/include/irkiss.h"),
    ),
    (
        "irkiss_internal.h",
        include_str!("../../runtime-stubs/include/irkiss_internal.h"),
    ),
    (
        "irkiss_linux.h",
        include_str!("../../runtime-stubs/include/irkiss_linux.h"),
    ),
];

/// Whether the function of that name is an atomic section as a whole: `__VERIFIER_atomic_…`, except the two brackets.
pub fn is_atomic_function(name: &str) -> bool {
    name.strip_prefix(ATOMIC_PREFIX)
        .is_some_and(|rest| rest != "begin" && rest != "end")
}

/// The layout that fits a module: by the architecture of its triple, else by byte order and pointer size.
///
/// The models touch only objects that they lay out themselves and those of the API's own public layout, so another
/// architecture of the same byte order and pointer size serves. The linker stage sets their triple and data layout to the
/// module's. `None`: no such byte order and pointer size (16-bit targets).
pub fn layout_for(
    triple: &str,
    little_endian: bool,
    pointer_bytes: u32,
) -> Option<&'static Layout> {
    let arch = match triple.split('-').next().unwrap_or_default() {
        "i486" | "i586" | "i686" => "i386",
        "arm64" => "aarch64",
        "ppc64le" => "powerpc64le",
        "ppc64" => "powerpc64",
        "amd64" => "x86_64",
        other => other,
    };
    let fits = |l: &&Layout| l.little_endian == little_endian && l.pointer_bytes == pointer_bytes;
    LAYOUTS
        .iter()
        .find(|l| l.name == arch && fits(l))
        .or_else(|| LAYOUTS.iter().find(fits))
}

/// The models of a group for a module of that triple, byte order and pointer size, in order of their names.
///
/// # Errors
/// A message if there is no layout that fits ([`layout_for`]).
pub fn select(
    group: Group,
    triple: &str,
    little_endian: bool,
    pointer_bytes: u32,
) -> Result<Vec<Stub>, String> {
    let layout = layout_for(triple, little_endian, pointer_bytes).ok_or_else(|| {
        format!("no models for target `{triple}` with {pointer_bytes}-byte pointers")
    })?;
    Ok(STUBS
        .iter()
        .filter(|s| s.group == group && s.layout == layout.name)
        .copied()
        .collect())
}

/// Compiles a user's model (`--model FILE.c`) to bitcode for the module's target.
///
/// The compiler is `IRKISS_CLANG`, or the first of `clang-22`, `clang` that runs; `irkiss.h` and `irkiss_internal.h` are on
/// the include path. `.bc` and `.ll` files are passed through as they are.
///
/// # Errors
/// A message if the file cannot be read, no compiler is found, or the compiler rejects the file (with what it says).
pub fn compile_model(source: &Path, triple: &str) -> Result<Vec<u8>, String> {
    if source.extension().is_some_and(|e| e == "bc" || e == "ll") {
        return std::fs::read(source).map_err(|e| format!("{}: {e}", source.display()));
    }
    let headers = HeaderFolder::new()?;
    let mut tried = Vec::new();
    for clang in clang_candidates() {
        let mut command = Command::new(&clang);
        if !triple.is_empty() {
            command.args(["-target", triple]);
        }
        let run = command
            .args(["-O1", "-Xclang", "-disable-llvm-passes"])
            .args([
                "-ffreestanding",
                "-fno-builtin",
                "-fno-discard-value-names",
                "-g",
            ])
            .arg("-I")
            .arg(&headers.0)
            .args(["-emit-llvm", "-c", "-o", "-"])
            .arg(source)
            .output();
        match run {
            Ok(output) if output.status.success() => return Ok(output.stdout),
            Ok(output) => {
                return Err(format!(
                    "{} does not compile:\n{}",
                    source.display(),
                    String::from_utf8_lossy(&output.stderr).trim_end()
                ));
            }
            Err(e) => tried.push(format!("{}: {e}", clang.display())),
        }
    }
    Err(format!(
        "no clang to compile {} ({}); set IRKISS_CLANG",
        source.display(),
        tried.join(", ")
    ))
}

/// The compilers to try, in order.
fn clang_candidates() -> Vec<PathBuf> {
    match std::env::var_os("IRKISS_CLANG") {
        Some(clang) => vec![PathBuf::from(clang)],
        None => vec![PathBuf::from("clang-22"), PathBuf::from("clang")],
    }
}

/// A folder with [`HEADERS`], removed when dropped.
struct HeaderFolder(PathBuf);

impl HeaderFolder {
    fn new() -> Result<HeaderFolder, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let path = std::env::temp_dir().join(format!(
            "irkiss-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        ));
        std::fs::create_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let folder = HeaderFolder(path);
        for (name, content) in HEADERS {
            let file = folder.0.join(name);
            std::fs::write(&file, content).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        Ok(folder)
    }
}

impl Drop for HeaderFolder {
    fn drop(&mut self) {
        // Nothing depends on it: what remains is three small files in the temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_chosen_by_architecture_then_by_shape() {
        let name = |t, le, p| layout_for(t, le, p).map(|l| l.name);
        assert_eq!(name("x86_64-pc-linux-gnu", true, 8), Some("x86_64"));
        assert_eq!(name("i686-pc-linux-gnu", true, 4), Some("i386"));
        assert_eq!(name("s390x-ibm-linux-gnu", false, 8), Some("s390x"));
        assert_eq!(name("riscv64-linux-gnu", true, 8), Some("x86_64"));
        assert_eq!(name("powerpc-linux-gnu", false, 4), Some("m68k"));
        assert_eq!(name("", true, 8), Some("x86_64"));
        assert_eq!(name("msp430", true, 2), None);
    }

    #[test]
    fn every_layout_has_every_model() {
        let names = |layout: &str| -> Vec<_> {
            STUBS
                .iter()
                .filter(|s| s.layout == layout)
                .map(|s| (s.group as u8, s.name))
                .collect()
        };
        for l in LAYOUTS {
            assert_eq!(names(l.name), names("x86_64"), "{}", l.name);
        }
        assert!(STUBS.iter().all(|s| s.bytes.starts_with(b"BC")));
    }

    #[test]
    fn atomic_functions_by_name() {
        assert!(is_atomic_function("__VERIFIER_atomic_inc"));
        assert!(!is_atomic_function("__VERIFIER_atomic_begin"));
        assert!(!is_atomic_function("__VERIFIER_atomic_end"));
        assert!(!is_atomic_function("main"));
    }

    #[test]
    fn a_user_model_is_compiled_and_its_errors_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("good.c");
        std::fs::write(
            &good,
            "#include <irkiss.h>\nvoid f(void) { irkiss_atomic(__irkiss_assume(1)); }\n",
        )
        .unwrap();
        assert!(
            compile_model(&good, "s390x-linux-gnu")
                .unwrap()
                .starts_with(b"BC")
        );
        let bad = folder.path().join("bad.c");
        std::fs::write(&bad, "int f(void) { return undeclared; }\n").unwrap();
        let message = compile_model(&bad, "").unwrap_err();
        assert!(message.contains("undeclared"), "{message}");
    }
}
