//! The programs that irkiss needs beside it: where they are and of which version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use irkiss::report::doctor::State;

/// The versions of LLVM that Debian and its like have beside one another, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 11..=30;

/// What `make LLVM=` needs besides clang.
const OF_LLVM: [&str; 6] = [
    "ld.lld",
    "llvm-ar",
    "llvm-nm",
    "llvm-objcopy",
    "llvm-strip",
    "llvm-readelf",
];

/// The file of a program, as a shell would find it.
pub(super) fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_path_buf());
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&paths).map(|folder| folder.join(program));
    all.into_iter().find(|p| p.is_file())
}

/// The first line of what it says of its version.
fn version_of(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(str::to_string)
}

/// The number after the word `version`.
pub(super) fn major_of(version: &str) -> Option<u32> {
    let (_, rest) = version.split_once("version ")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// This program: where it is, and whether make finds it.
pub(super) fn own() -> State {
    let version = env!("CARGO_PKG_VERSION");
    let Ok(own) = std::env::current_exe() else {
        return State::Fine(version.to_string());
    };
    let real = |path: &Path| path.canonicalize().ok();
    let here = own.display();
    match on_path(Path::new("irkiss")) {
        Some(first) if real(&first) == real(&own) => State::Fine(format!("{version}, {here}")),
        Some(first) => State::lacking(
            format!(
                "{version}, {here}; `irkiss` is another: {}",
                first.display()
            ),
            "put this one first on PATH, or give make its whole path",
        ),
        None => State::lacking(
            format!("{version}, {here}, which is not on PATH"),
            "give make its whole path (CHECK=\"…/irkiss kbuild\"), or add its folder to PATH",
        ),
    }
}

/// The compiler of `irkiss kbuild` and of `--model`; what it makes must not be newer than the LLVM that reads it.
pub(super) fn clang(llvm: &str, needed: bool) -> State {
    let reads = major_in(llvm);
    let none = |what: String, advice: String| match needed {
        true => State::broken(what, advice),
        false => State::lacking(what, advice),
    };
    let mut tried = Vec::new();
    for clang in irkiss::kbuild::compile::usual_compilers() {
        let name = clang.display().to_string();
        let Some((path, version)) = on_path(&clang).and_then(|p| Some((p, version_of(&clang)?)))
        else {
            tried.push(name);
            continue;
        };
        let path = path.display();
        return match (major_of(&version), reads) {
            (Some(its), Some(reads)) if its > reads => none(
                format!(
                    "{path} is clang {its}: its bitcode is newer than the LLVM {reads} that reads it"
                ),
                format!("set IRKISS_CLANG=clang-{reads} (or older)"),
            ),
            _ => State::Fine(format!("{path} ({version}), for irkiss kbuild")),
        };
    }
    let reads = reads.map_or(String::new(), |r| format!("-{r}"));
    none(
        format!("not found (tried {})", tried.join(", ")),
        format!(
            "irkiss kbuild and --model FILE.c need one: install clang{reads}, or set IRKISS_CLANG"
        ),
    )
}

fn major_in(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// What `make LLVM=` is to be given, or what is missing of what it is given.
pub(super) fn for_make() -> State {
    let named = std::env::var("LLVM").ok().filter(|l| !l.is_empty());
    if let Some(said) = named {
        let missing = missing_of(&said);
        return match missing.is_empty() {
            true => State::Fine(format!("LLVM={said}: clang, lld and the others are there")),
            false => State::lacking(
                format!(
                    "LLVM={said} in the environment, and there is no {}",
                    missing.join(", ")
                ),
                "install clang, lld and llvm of one version, or unset it: kernels built by gcc are read too",
            ),
        };
    }
    let mut all = vec!["1".to_string()];
    all.extend(VERSIONS.rev().map(|v| format!("-{v}")));
    match all.iter().find(|said| missing_of(said).is_empty()) {
        Some(said) => State::Fine(format!("make LLVM={said} has clang, lld and the others")),
        None => State::lacking(
            "no whole set of LLVM's tools for make LLVM=1 (clang, lld, llvm of one version)"
                .to_string(),
            "install clang-22, lld-22 and llvm-22 for make LLVM=-22; kernels built by gcc need none of it",
        ),
    }
}

/// Programs that a kernel's Makefile would call for `LLVM=said`, and that are not there.
fn missing_of(said: &str) -> Vec<String> {
    let (before, after) = match said {
        folder if folder.ends_with('/') => (folder, ""),
        suffix if suffix.starts_with('-') => ("", suffix),
        _ => ("", ""),
    };
    let all = std::iter::once("clang").chain(OF_LLVM);
    let all = all.map(|tool| format!("{before}{tool}{after}"));
    all.filter(|tool| on_path(Path::new(tool)).is_none())
        .collect()
}

/// The compiler's plugins: beside the program, or where packages put them.
pub(super) fn plugins() -> State {
    let folders = std::env::current_exe().ok().and_then(|own| {
        let folder = own.parent()?.to_path_buf();
        let library = folder.parent()?.join("lib/irkiss");
        Some([folder, library])
    });
    let mut found = Vec::new();
    let mut at = None;
    for folder in folders.into_iter().flatten() {
        let any = folder.join("irkiss-plugin.so");
        if !any.is_file() {
            continue;
        }
        let of = |v: &u32| folder.join(format!("irkiss-plugin-{v}.so")).is_file();
        found = VERSIONS.filter(of).map(|v| v.to_string()).collect();
        at = Some(any);
        break;
    }
    match at {
        Some(at) if !found.is_empty() => {
            State::Fine(format!("{}, for LLVM {}", at.display(), found.join(", ")))
        }
        Some(at) => State::lacking(
            format!("{} is there, and none for any LLVM beside it", at.display()),
            "install the package again, or make plugin",
        ),
        None => State::lacking(
            "no irkiss-plugin.so beside irkiss or in ../lib/irkiss".to_string(),
            "only -fpass-plugin needs it: make plugin builds it",
        ),
    }
}

/// `irkiss.h`, which programs under check may include: where packages put it, or in the checkout that this was built in.
pub(super) fn header() -> State {
    let own = std::env::current_exe().ok();
    let above = own.iter().flat_map(|own| own.ancestors().skip(1));
    let mut folders = above
        .flat_map(|f| ["share/irkiss/include", "runtime-stubs/include"].map(|below| f.join(below)));
    match folders.find(|f| f.join("irkiss.h").is_file()) {
        Some(folder) => State::Fine(format!(
            "-I{} for programs that include <irkiss.h>",
            folder.display()
        )),
        None => State::lacking(
            "irkiss.h is in none of the folders above irkiss".to_string(),
            "only programs that include it need it: runtime-stubs/include of the source",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(
            major_of("Debian clang version 22.1.8 (1~deb12u1)"),
            Some(22)
        );
        assert_eq!(major_of("clang version 19.1.7"), Some(19));
        assert_eq!(major_of("gcc (Debian) 12.2.0"), None);
        assert_eq!(major_in("22.1.8"), Some(22));
    }

    #[test]
    fn the_tools_of_a_folder_are_looked_for_there() {
        let missing = missing_of("/nowhere/bin/");
        assert_eq!(missing[0], "/nowhere/bin/clang");
        assert_eq!(missing.len(), 1 + OF_LLVM.len());
    }
}
