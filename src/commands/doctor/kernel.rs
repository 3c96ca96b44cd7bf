//! A kernel's tree: whether `irkiss kbuild` can be called there.

use std::path::{Path, PathBuf};

use irkiss::report::doctor::State;

/// What is known of a folder in which a kernel is built.
struct Tree {
    folder: PathBuf,
    /// `6.1.158`; empty where nothing tells.
    version: String,
}

/// The tree that was named, or this folder if it is one.
pub(super) fn look(named: Option<&Path>, llvm: &str) -> State {
    let here = PathBuf::from(".");
    let folder = named.unwrap_or(&here);
    match (Tree::at(folder), named) {
        (Some(tree), _) => tree.state(llvm),
        (None, None) => State::Nothing(
            "none in this folder (irkiss doctor /path/to/linux looks at one)".to_string(),
        ),
        (None, Some(named)) => State::broken(
            format!(
                "{}: neither a kernel's source nor a folder in which one is built",
                named.display()
            ),
            "name the folder in which make is called, or the one of O=",
        ),
    }
}

impl Tree {
    /// Source, a folder for O=, or the headers that distributions ship.
    fn at(folder: &Path) -> Option<Tree> {
        let makefile = std::fs::read_to_string(folder.join("Makefile")).ok()?;
        let number = |name: &str| {
            let lines = makefile.lines().filter_map(|l| l.split_once('='));
            let found = lines
                .filter(|(n, _)| n.trim() == name)
                .map(|(_, v)| v.trim());
            found.map(str::to_string).next()
        };
        let release = folder.join("include/config/kernel.release");
        let release = std::fs::read_to_string(release).unwrap_or_default();
        let is_source = folder.join("Kconfig").is_file() && folder.join("Kbuild").is_file();
        let is_build = folder.join(".config").is_file() && folder.join("include").is_dir();
        let version = match (number("VERSION"), number("PATCHLEVEL"), number("SUBLEVEL")) {
            (Some(v), Some(p), Some(s)) if is_source => format!("{v}.{p}.{s}"),
            _ if is_build => release.trim().to_string(),
            _ => return None,
        };
        Some(Tree {
            folder: folder.to_path_buf(),
            version,
        })
    }

    fn state(&self, llvm: &str) -> State {
        let name = match self.folder == Path::new(".") {
            true => "this folder".to_string(),
            false => self.folder.display().to_string(),
        };
        let what = format!("Linux {} in {name}", self.version);
        let Ok(config) = std::fs::read_to_string(self.folder.join(".config")) else {
            return State::lacking(
                format!("{what}: not configured"),
                "make defconfig (or whatever you build; with O= name that folder here)",
            );
        };
        if !self.folder.join("include/generated/autoconf.h").is_file() {
            return State::lacking(
                format!("{what}: not prepared"),
                "make prepare modules_prepare",
            );
        }
        let compiler = value(&config, "CONFIG_CC_VERSION_TEXT").unwrap_or("nobody knows what");
        let clang = value(&config, "CONFIG_CLANG_VERSION").and_then(|v| v.parse::<u32>().ok());
        let major = clang.map_or(0, |v| v / 10_000);
        let reads = llvm.split('.').next().and_then(|v| v.parse::<u32>().ok());
        if reads.is_some_and(|reads| major > reads) {
            let reads = reads.unwrap_or_default();
            return State::lacking(
                format!(
                    "{what}: configured for {compiler}, newer than the LLVM {reads} that reads its bitcode"
                ),
                format!("call make with IRKISS_CLANG=clang-{reads} in the environment"),
            );
        }
        let llvm = if major > 0 { "LLVM=… " } else { "" };
        State::Fine(format!(
            "{what}, configured for {compiler}: make {llvm}C=2 CHECK=\"irkiss kbuild\" drivers/x/"
        ))
    }
}

/// What `.config` sets an option to, without quotes.
fn value<'c>(config: &'c str, option: &str) -> Option<&'c str> {
    let lines = config.lines().filter_map(|l| l.split_once('='));
    let mut found = lines
        .filter(|(name, _)| *name == option)
        .map(|(_, v)| v.trim_matches('"'));
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    #[test]
    fn a_tree_is_told_what_it_lacks() {
        let temporary = tempfile::tempdir().expect("temporary folder");
        let tree = temporary.path();
        assert!(matches!(look(Some(tree), "22.1"), State::Broken { .. }));
        write(
            tree,
            "Makefile",
            "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\n",
        );
        write(tree, "Kconfig", "");
        write(tree, "Kbuild", "");
        let lacks = |words: &str| match look(Some(tree), "22.1") {
            State::Lacking { what, .. } => assert!(what.contains(words), "{what}"),
            other => panic!("{other:?}"),
        };
        lacks("Linux 6.1.9");
        lacks("not configured");
        write(
            tree,
            ".config",
            "CONFIG_CC_VERSION_TEXT=\"clang version 23.0.1\"\nCONFIG_CLANG_VERSION=230001\n",
        );
        lacks("not prepared");
        write(tree, "include/generated/autoconf.h", "");
        lacks("newer than the LLVM 22");
        write(
            tree,
            ".config",
            "CONFIG_CC_VERSION_TEXT=\"gcc 12.2.0\"\nCONFIG_CLANG_VERSION=0\n",
        );
        match look(Some(tree), "22.1") {
            State::Fine(text) => assert!(text.contains("configured for gcc 12.2.0"), "{text}"),
            other => panic!("{other:?}"),
        }
    }
}
