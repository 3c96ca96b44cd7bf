//! What `irkiss doctor` says: what is linked, what can be read, what is missing and what that costs.

use super::style::{STRONG, WARNING, paint};

/// What was found. Collected by the command.
pub struct Findings {
    /// Version of the LLVM linked.
    pub llvm: String,
    /// Version of the Z3 linked.
    pub z3: String,
    /// Architectures with models.
    pub layouts: Vec<&'static str>,
    /// Number of files with models.
    pub models: usize,
    /// The compiler for `--model`, and what it says of its version.
    pub clang: Option<(String, String)>,
}

/// The text: one line per part.
pub fn render(f: &Findings) -> String {
    let mut out = String::new();
    let mut row = |what: &str, text: &str| {
        line!(out, "{} {text}", paint(STRONG, format!("{what:<8}")));
    };
    row("irkiss", env!("CARGO_PKG_VERSION"));
    row("LLVM", &f.llvm);
    row("Z3", &f.z3);
    row(
        "models",
        &format!("{} files for {}", f.models, f.layouts.join(", ")),
    );
    let major = f.llvm.split('.').next().unwrap_or_default();
    row(
        "reads",
        &format!(
            ".bc, .ll and .o with bitcode, made by clang {major} or older; other targets by byte order and pointer size"
        ),
    );
    match &f.clang {
        Some((path, version)) => row("clang", &format!("{path} ({version}), for --model FILE.c")),
        None => row(
            "clang",
            &paint(
                WARNING,
                "not found: --model FILE.c will not work (install clang-22, or set IRKISS_CLANG)",
            ),
        ),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_there_and_what_is_not() {
        let mut f = Findings {
            llvm: "22.1.8".into(),
            z3: "5.4.0".into(),
            layouts: vec!["x86_64", "s390x"],
            models: 12,
            clang: Some(("clang-22".into(), "Debian clang version 22".into())),
        };
        let all = anstream::adapter::strip_str(&render(&f)).to_string();
        assert!(all.contains("LLVM     22.1.8\n") && all.contains("Z3       5.4.0\n"));
        assert!(all.contains("clang 22 or older") && all.contains("x86_64, s390x"));
        assert!(!all.contains("not found"));
        f.clang = None;
        assert!(render(&f).contains("not found"));
    }
}
