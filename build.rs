//! Compiles the C models of `runtime-stubs/` to bitcode, one file per model and data layout, links those that use one
//! another, and writes `OUT_DIR/stubs.rs`, the table that `src/frontend/stubs.rs` includes. Needs clang 22 (`clang-22` on
//! PATH or in `/usr/bin`, or `IRKISS_CLANG`) and its `llvm-link`: the version whose bitcode the linked LLVM reads and whose
//! targets are all built in.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

/// A data layout for which the models are compiled.
struct Layout {
    name: &'static str,
    target: &'static str,
    little_endian: bool,
    pointer_bytes: u32,
}

/// The first layout that fits a module's architecture is taken; without one, the first of its byte order and pointer size.
const LAYOUTS: &[Layout] = &[
    layout("x86_64", "x86_64-linux-gnu", true, 8),
    layout("i386", "i386-linux-gnu", true, 4),
    layout("aarch64", "aarch64-linux-gnu", true, 8),
    layout("s390x", "s390x-linux-gnu", false, 8),
    layout("powerpc64le", "powerpc64le-linux-gnu", true, 8),
    layout("powerpc64", "powerpc64-linux-gnu", false, 8),
    layout("arm", "arm-linux-gnueabi", true, 4),
    layout("m68k", "m68k-linux-gnu", false, 4),
];

const fn layout(
    name: &'static str,
    target: &'static str,
    little_endian: bool,
    pointer_bytes: u32,
) -> Layout {
    Layout {
        name,
        target,
        little_endian,
        pointer_bytes,
    }
}

/// Models that are used together.
struct ModelGroup {
    /// Folder below `runtime-stubs/`.
    folder: &'static str,
    /// Variant of `Group`.
    variant: &'static str,
    /// Whether the models use one another: they are one module. Of the others, one is chosen.
    together: bool,
}

const GROUPS: &[ModelGroup] = &[
    ModelGroup {
        folder: "pthread",
        variant: "Pthread",
        together: true,
    },
    ModelGroup {
        folder: "linux",
        variant: "Linux",
        together: true,
    },
    ModelGroup {
        folder: "sequential",
        variant: "Sequential",
        together: false,
    },
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    // Beside an installed irkiss first; a package must not know where it was built.
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib/irkiss");
    println!("cargo:rerun-if-env-changed=IRKISS_PACKAGE");
    if env::var_os("IRKISS_PACKAGE").is_none() {
        println!(
            "cargo:rustc-link-arg=-Wl,-rpath,{}",
            root.join(".z3/lib").display()
        );
    }
    // Another libz3 of the system would be linked without a word.
    let libz3 = root.join(".z3/lib/libz3.so");
    println!("cargo:rerun-if-changed={}", libz3.display());
    if !libz3.exists() {
        return fail(".z3/lib/libz3.so is missing: run scripts/setup.sh");
    }
    if !has_llvm() {
        return fail("LLVM 22 is missing (no llvm-config-22): run scripts/setup.sh");
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=runtime-stubs");
    println!("cargo:rerun-if-env-changed=IRKISS_CLANG");
    println!("cargo:rerun-if-env-changed=PATH");
    let table = match compile_all(&root, &out) {
        Ok(table) => table,
        Err(message) => return fail(&message),
    };
    fs::write(out.join("stubs.rs"), table).expect("OUT_DIR is writable");
}

/// Ends the build with one line; what stands below it in the message comes after.
fn fail(message: &str) {
    for line in message.lines() {
        println!("cargo::error={line}");
    }
}

/// Whether llvm-sys finds the LLVM that is linked.
fn has_llvm() -> bool {
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let runs = |program: &Path| Command::new(program).arg("--version").output().is_ok();
    match env::var_os("LLVM_SYS_221_PREFIX") {
        Some(prefix) => runs(&Path::new(&prefix).join("bin/llvm-config")),
        None => runs(Path::new("llvm-config-22")) || runs(Path::new("llvm-config")),
    }
}

/// Compiles what is out of date and returns the text of `stubs.rs`.
fn compile_all(root: &Path, out: &Path) -> Result<String, String> {
    let clang = find_clang()?;
    let stubs = root.join("runtime-stubs");
    let newest_header = newest(&stubs.join("include"), "h")?.max(modified(&root.join("build.rs")));
    let mut table = String::from(
        "/// The data layouts for which there are models.\npub const LAYOUTS: &[Layout] = &[\n",
    );
    for l in LAYOUTS {
        writeln!(
            table,
            "    Layout {{ name: {:?}, target: {:?}, little_endian: {}, pointer_bytes: {} }},",
            l.name, l.target, l.little_endian, l.pointer_bytes
        )
        .expect("writing to a string");
    }
    let mut entries = String::new();
    let mut files_of_models = 0;
    for group in GROUPS {
        let folder = group.folder;
        let sources = files(&stubs.join(folder), "c")?;
        files_of_models += sources.len();
        for l in LAYOUTS {
            let mut objects = Vec::new();
            for source in &sources {
                let name = source
                    .file_stem()
                    .and_then(|s| s.to_str())
                    .ok_or_else(|| format!("{}: file name is not UTF-8", source.display()))?;
                let object = out.join(format!("{folder}-{name}-{}.bc", l.name));
                if modified(&object) <= newest_header.max(modified(source)) {
                    let source = format!("runtime-stubs/{folder}/{name}.c");
                    compile(&clang, root, &source, l, &object)?;
                }
                objects.push((name.to_string(), object));
            }
            if group.together {
                let all = out.join(format!("{folder}-{}.bc", l.name));
                let parts: Vec<PathBuf> = objects.into_iter().map(|(_, object)| object).collect();
                link(&parts, &all)?;
                objects = vec![(folder.to_string(), all)];
            }
            for (name, object) in objects {
                writeln!(
                    entries,
                    "    Stub {{ group: Group::{}, layout: {:?}, name: {name:?}, bytes: include_bytes!({:?}) }},",
                    group.variant,
                    l.name,
                    object.display().to_string()
                )
                .expect("writing to a string");
            }
        }
    }
    writeln!(
        table,
        "];\n/// Number of C files of models.\npub const MODEL_FILES: usize = {files_of_models};\n/// Every model for every layout.\npub const STUBS: &[Stub] = &[\n{entries}];"
    )
    .expect("writing to a string");
    Ok(table)
}

/// The models of a group as one module, if any of them is newer than it.
fn link(parts: &[PathBuf], all: &Path) -> Result<(), String> {
    let newest = parts.iter().map(|p| modified(p)).max();
    if newest.is_some_and(|newest| newest < modified(all)) {
        return Ok(());
    }
    let linker = find_linker()?;
    let run = Command::new(&linker)
        .args(parts)
        .arg("-o")
        .arg(all)
        .output()
        .map_err(|e| format!("cannot run {}: {e}", linker.display()))?;
    if run.status.success() {
        return Ok(());
    }
    // As in `compile`.
    let _ = fs::remove_file(all);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    Err(format!("the models do not go together:\n{said}"))
}

/// `llvm-link` of LLVM 22, which comes with the `llvm-config` that the build needs anyway.
fn find_linker() -> Result<PathBuf, String> {
    let mut candidates = vec![
        PathBuf::from("llvm-link-22"),
        PathBuf::from("/usr/lib/llvm-22/bin/llvm-link"),
    ];
    if let Some(prefix) = env::var_os("LLVM_SYS_221_PREFIX") {
        candidates.insert(0, Path::new(&prefix).join("bin/llvm-link"));
    }
    first_that_runs(&candidates).ok_or_else(|| {
        "llvm-link of LLVM 22 is needed for the models: install the package llvm-22".to_string()
    })
}

/// One model for one layout. Passes are off: the frontend runs its own list, the same as for the user's bitcode.
fn compile(
    clang: &Path,
    root: &Path,
    source: &str,
    layout: &Layout,
    object: &Path,
) -> Result<(), String> {
    let run = Command::new(clang)
        .current_dir(root)
        .args([
            "-target",
            layout.target,
            "-std=gnu23",
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            // They would make a return out of a block with locals one way of a switch, after what all its ways have in common.
            "-Xclang",
            "-disable-lifetime-markers",
        ])
        .args([
            "-ffreestanding",
            "-fno-builtin",
            "-fno-discard-value-names",
            "-g",
        ])
        .args(["-fno-stack-protector", "-fno-asynchronous-unwind-tables"])
        // Debug info names models as `runtime-stubs/…`, wherever they were built.
        .args(["-fdebug-compilation-dir=.", "-Wall", "-Wextra", "-Werror"])
        .args(["-Iruntime-stubs/include", "-emit-llvm", "-c", source, "-o"])
        .arg(object)
        .output()
        .map_err(|e| format!("cannot run {}: {e}", clang.display()))?;
    if run.status.success() {
        return Ok(());
    }
    // A half-written object must not look up to date the next time.
    let _ = fs::remove_file(object);
    Err(format!(
        "{source} does not compile for {}:\n{}",
        layout.target,
        String::from_utf8_lossy(&run.stderr)
    ))
}

/// The compiler: `IRKISS_CLANG`, or `clang-22`.
fn find_clang() -> Result<PathBuf, String> {
    let candidates: Vec<PathBuf> = match env::var_os("IRKISS_CLANG") {
        Some(path) => vec![PathBuf::from(path)],
        None => [
            "clang-22",
            "/usr/bin/clang-22",
            "/usr/lib/llvm-22/bin/clang",
        ]
        .iter()
        .map(PathBuf::from)
        .collect(),
    };
    first_that_runs(&candidates).ok_or_else(|| {
        format!(
            "clang 22 is needed to compile runtime-stubs/ (tried {}); install the package clang-22 or set IRKISS_CLANG",
            candidates.iter().map(|c| c.display().to_string()).collect::<Vec<_>>().join(", ")
        )
    })
}

/// The first of some programs that can be run.
fn first_that_runs(candidates: &[PathBuf]) -> Option<PathBuf> {
    let runs = |program: &&PathBuf| {
        let run = Command::new(program).arg("--version").output();
        run.is_ok_and(|o| o.status.success())
    };
    candidates.iter().find(runs).cloned()
}

/// Files of that extension, sorted; none if the folder is missing.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .path();
        if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Time of the last change of any such file.
fn newest(folder: &Path, extension: &str) -> Result<SystemTime, String> {
    Ok(files(folder, extension)?
        .iter()
        .map(|f| modified(f))
        .max()
        .unwrap_or(SystemTime::UNIX_EPOCH))
}

/// Time of the last change; the epoch if there is no such file.
fn modified(file: &Path) -> SystemTime {
    fs::metadata(file)
        .and_then(|m| m.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
