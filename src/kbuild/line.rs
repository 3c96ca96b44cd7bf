//! A call line of kbuild, taken apart: what is meant for irkiss, what for clang, what only gcc or sparse knows.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::InputError;

/// A call of `$(CHECK)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Options of irkiss, from `CHECK=` or `CF=`.
    pub own: Vec<OsString>,
    /// Flags that clang gets.
    pub flags: Vec<OsString>,
    /// The C file, as kbuild named it.
    pub source: PathBuf,
    /// Kbuild's list of headers, where it said one. Never written.
    pub depfile: Option<PathBuf>,
    /// Where the compiler is called; none: here.
    pub directory: Option<PathBuf>,
}

/// What the flags of a kernel's compiler begin with: `c_flags` in `scripts/Makefile.lib`.
const DEPFILE: [&str; 2] = ["-Wp,-MMD,", "-Wp,-MD,"];

/// Flags that take the next word with them and are left out together with it.
const WITH_VALUE: &[&str] = &["-o", "-MF", "-MT", "-MQ", "-mllvm", "--param"];

/// Sparse's flags (CHECKFLAGS), for lines in which their place does not tell. Elsewhere `-mbig-endian` may be clang's.
const SPARSE: &[&str] = &[
    "-D__linux__",
    "-Dlinux",
    "-D__STDC__",
    "-Dunix",
    "-D__unix__",
    "-mlittle-endian",
    "-mbig-endian",
];

/// Flags that are left out: exact words.
const WORDS: &[&str] = &[
    // Lists of headers, kinds of output.
    "-MD",
    "-MMD",
    "-MP",
    "-MG",
    "-c",
    "-S",
    "-E",
    // gcc's alone.
    "-fconserve-stack",
    "-fno-allow-store-data-races",
    "-fno-ipa-cp-clone",
    "-fno-ipa-sra",
    "-fno-partial-inlining",
    "-fno-reorder-blocks",
    "-fno-tree-ch",
    "-fno-tree-loop-im",
    "-fno-var-tracking-assignments",
    "-fno-sched-pressure",
    "-fno-stack-clash-protection",
    "-fmerge-all-constants",
    "-femit-struct-debug-baseonly",
    "-mrecord-mcount",
    "-mno-fp-ret-in-387",
    "-mskip-rax-setup",
    "-maccumulate-outgoing-args",
];

/// Flags that are left out: what they begin with.
const PREFIXES: &[&str] = &[
    "--arch=",
    // Warnings are sparse's and the compiler's to give. `-Wno-…` stays: some errors of clang are switched off by it.
    "-Werror",
    "-Wa,",
    "-Wl,",
    // The program is wanted as it is written: no instrumentation, no summaries for linking, no profile.
    "-fsanitize",
    "-fno-sanitize",
    "-flto",
    "-fno-lto",
    "-fsplit-lto-unit",
    "-fprofile",
    "-ftest-coverage",
    "-fwhole-program-vtables",
    // Sources are named as kbuild names them.
    "-fdebug-prefix-map=",
    "-ffile-prefix-map=",
    "-save-temps",
    // gcc's alone.
    "-fplugin",
    "--param=",
    "-mpreferred-stack-boundary=",
    "-mindirect-branch",
    "-mfunction-return=",
    "-mharden-sls=",
    "-fdiagnostics-show-context",
    "-fmin-function-alignment=",
    "-fno-tree-",
    "-falign-jumps=",
    "-falign-loops=",
];

impl Line {
    /// Takes the words of a call apart, without the program and without `kbuild`.
    ///
    /// The compiler's flags start at the list of headers (`-Wp,-MMD,FILE`), which kbuild has first. Before it stand `CHECK=`'s own
    /// words, sparse's flags and `CF=`: of these, what is no flag of sparse is an option of irkiss. A line without a list of
    /// headers has the compiler's flags from its first word on, or from `--` on.
    ///
    /// Errors: no C file at the end.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Line, InputError> {
        let mut words: Vec<OsString> = words.into_iter().collect();
        let source = words.pop().map(PathBuf::from);
        let Some(source) = source.filter(|s| is_c_file(s)) else {
            let what = "no C file at the end of the command line";
            return Err(InputError::new("", what)
                .advise("kbuild calls it: make C=2 CHECK=\"irkiss kbuild\" drivers/x/"));
        };
        let separator = words.iter().position(|w| w == "--");
        let start = words
            .iter()
            .position(|w| depfile(w).is_some())
            .or(separator)
            .unwrap_or(0);
        let mut compiler = words.split_off(start);
        if !compiler.iter().any(|w| depfile(w).is_some()) {
            compiler.retain(|w| !SPARSE.iter().any(|s| w == s));
        }
        let (own, _) = match separator.filter(|s| *s < words.len()) {
            Some(s) => words.split_at(s),
            None => words.split_at(words.len()),
        };
        Ok(Line {
            own: own.iter().filter(|w| !is_sparse(w)).cloned().collect(),
            depfile: compiler.iter().find_map(|w| depfile(w)),
            flags: for_clang(compiler),
            source,
            directory: None,
        })
    }

    /// The call of kbuild's compiler, here, without its name and without the source.
    pub fn of_kbuild(words: impl IntoIterator<Item = OsString>, source: &Path) -> Line {
        let words: Vec<OsString> = words.into_iter().collect();
        Line {
            own: Vec::new(),
            depfile: words.iter().find_map(|w| depfile(w)),
            flags: for_clang(words),
            source: source.to_path_buf(),
            directory: None,
        }
    }

    /// The call of a compiler in that folder, without its name and without the source.
    pub fn of_compiler(
        words: impl IntoIterator<Item = OsString>,
        source: &Path,
        directory: &Path,
    ) -> Line {
        Line {
            own: Vec::new(),
            flags: for_clang(words.into_iter().collect()),
            source: source.to_path_buf(),
            depfile: None,
            directory: Some(directory.to_path_buf()),
        }
    }

    /// The object that kbuild makes of the source: beside the list of headers that its compiler wrote, else beside the source.
    pub fn object(&self) -> PathBuf {
        let object = self.source.with_extension("o");
        let object = match (&self.depfile, object.file_name()) {
            (Some(list), Some(name)) => list.with_file_name(name),
            _ => object,
        };
        // Of a module outside of the kernel's tree, as its list of objects has it.
        let plain = object.strip_prefix(".").map(Path::to_path_buf);
        plain.unwrap_or(object)
    }

    /// What a macro is defined as, without quotes: `foo` of `-DKBUILD_MODNAME="foo"`.
    pub fn defined(&self, name: &str) -> Option<&str> {
        let mut words = self.flags.iter().rev().filter_map(|w| w.to_str());
        let value = words.find_map(|w| {
            let rest = w.strip_prefix("-D")?.strip_prefix(name)?;
            rest.strip_prefix('=')
        })?;
        Some(value.trim_matches('"'))
    }

    /// Whether it is the file that kbuild compiles to learn what its compiler makes, which has nothing in it.
    pub fn is_probe(&self) -> bool {
        self.source.ends_with("scripts/mod/empty.c")
    }

    /// The target that the flags name, if they do.
    pub fn names_target(&self) -> bool {
        let is = |w: &OsString| {
            w.to_str()
                .is_some_and(|w| w.starts_with("--target=") || w == "-target")
        };
        self.flags.iter().any(is)
    }
}

fn is_c_file(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "c" || e == "i")
}

/// The file in which the compiler would leave its list of headers.
fn depfile(word: &OsStr) -> Option<PathBuf> {
    let word = word.to_str()?;
    let name = DEPFILE.iter().find_map(|p| word.strip_prefix(p))?;
    Some(PathBuf::from(name))
}

/// Sparse's flags and macros: one dash. Options of irkiss have two.
fn is_sparse(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    (word.starts_with('-') && !word.starts_with("--")) || word.starts_with("--arch=")
}

/// Without what clang does not know or must not do.
fn for_clang(words: Vec<OsString>) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--" || WORDS.contains(&text.as_ref()) || depfile(&word).is_some() {
            continue;
        }
        if WITH_VALUE.contains(&text.as_ref()) {
            words.next();
            continue;
        }
        let warning =
            text.starts_with("-W") && !text.starts_with("-Wno-") && !text.starts_with("-Wp,");
        if warning || PREFIXES.iter().any(|p| text.starts_with(p)) {
            continue;
        }
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::parse(text.split_whitespace().map(Into::into)).expect("a C file at the end")
    }

    fn words(list: &[OsString]) -> String {
        let list: Vec<_> = list.iter().map(|w| w.to_string_lossy()).collect();
        list.join(" ")
    }

    const CHECKFLAGS: &str = "-D__linux__ -Dlinux -D__STDC__ -Dunix -D__unix__ -Wbitwise -Wno-return-void \
        -Wno-unknown-attribute -D__x86_64__ --arch=x86_64 -mlittle-endian -m64";

    #[test]
    fn what_kbuild_says_of_a_file() {
        let l = line(&format!(
            "{CHECKFLAGS} -Wp,-MMD,drivers/x/.y.o.d -nostdinc -I./include -include a.h -D__KERNEL__ --target=x86_64-linux-gnu \
             -Wall -Werror=return-type -Wno-int-conversion -m64 -O2 -I ./drivers/x -DMODULE -DKBUILD_MODNAME=\"y\" ../drivers/x/y.c"
        ));
        assert!(l.own.is_empty(), "{:?}", l.own);
        assert_eq!(l.source, Path::new("../drivers/x/y.c"));
        assert_eq!(l.depfile.as_deref(), Some(Path::new("drivers/x/.y.o.d")));
        assert_eq!(
            words(&l.flags),
            "-nostdinc -I./include -include a.h -D__KERNEL__ --target=x86_64-linux-gnu -Wno-int-conversion -m64 -O2 \
             -I ./drivers/x -DMODULE -DKBUILD_MODNAME=\"y\""
        );
        assert!(l.names_target() && !l.is_probe());
    }

    #[test]
    fn options_of_irkiss_in_check_and_in_cf() {
        let rest = "-Wp,-MD,.y.o.d -I ./x -O2 y.c";
        let l = line(&format!("--timeout 7 {CHECKFLAGS} --ts 2 {rest}"));
        assert_eq!(words(&l.own), "--timeout 7 --ts 2");
        assert_eq!(words(&l.flags), "-I ./x -O2");
        // An explicit end of the options.
        let l = line(&format!("--timeout 7 -- {CHECKFLAGS} {rest}"));
        assert_eq!(words(&l.own), "--timeout 7");
        let l = line("--timeout 7 -- -I ./x -O2 y.c");
        assert_eq!(
            (words(&l.own), words(&l.flags)),
            ("--timeout 7".into(), "-I ./x -O2".into())
        );
    }

    #[test]
    fn a_line_without_a_list_of_headers_is_the_compilers() {
        let l = line(
            "-D__linux__ -mlittle-endian --arch=x86_64 --target=s390x-linux-gnu -MMD -MF f -o x.o -c -O2 y.c",
        );
        assert!(l.own.is_empty() && l.depfile.is_none());
        assert_eq!(words(&l.flags), "--target=s390x-linux-gnu -O2");
    }

    #[test]
    fn what_only_gcc_knows_is_left_out() {
        let l = line(
            "-Wp,-MMD,.y.o.d -mpreferred-stack-boundary=3 -fplugin=./s.so -fplugin-arg-s-x -mindirect-branch=thunk-extern \
             --param=allow-store-data-races=0 --param x=1 -fconserve-stack -fsanitize=kernel-address -mllvm -x -Wa,-g -O2 y.c",
        );
        assert_eq!(words(&l.flags), "-O2");
        assert!(!l.names_target());
    }

    #[test]
    fn a_line_without_a_source_is_refused() {
        for bad in ["", "-O2", "-Wp,-MMD,.y.o.d -O2 -Dx", "x.S"] {
            let words = bad.split_whitespace().map(Into::into);
            assert!(Line::parse(words).is_err(), "{bad}");
        }
        assert!(line("-O2 /src/scripts/mod/empty.c").is_probe());
    }
}
