//! What the make that calls was asked for: whether it compiles the other objects of a module, too.
//!
//! `make drivers/x/y.o` compiles one object of a module, `make drivers/x/` all of them, and nothing in the environment of a recipe says which it
//! is: the goals stand on the command line of kbuild's own make (`make -f scripts/Makefile.build obj=drivers/x drivers/x/y.o`).

use std::path::PathBuf;

use super::module::Module;

/// How many processes there may be between this one and make: shells, and irkiss itself.
const ABOVE: usize = 6;

/// What one make was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goals(Vec<PathBuf>);

impl Goals {
    /// Those of the make that calls this process; none where nobody knows: then all of a module is compiled.
    pub fn of_caller() -> Goals {
        let mut process = std::process::id();
        for _ in 0..ABOVE {
            let Some(above) = parent_of(process) else {
                break;
            };
            let line = std::fs::read(format!("/proc/{above}/cmdline")).unwrap_or_default();
            let words = line.split(|b| *b == 0).filter(|w| !w.is_empty());
            let words: Vec<String> = words
                .map(|w| String::from_utf8_lossy(w).into_owned())
                .collect();
            if let Some(goals) = of_words(&words) {
                return goals;
            }
            process = above;
        }
        Goals(Vec::new())
    }

    /// Whether all objects of a module are among them.
    pub fn cover(&self, module: &Module) -> bool {
        let is_of = |goal: &PathBuf| {
            let whole = goal.with_extension("") == module.object.with_extension("");
            whole || module.object.starts_with(goal)
        };
        let each = || module.parts.iter().all(|p| self.0.contains(p));
        self.0.is_empty() || self.0.iter().any(is_of) || each()
    }
}

fn parent_of(process: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|p| *p != 0)
}

/// The goals of a call of kbuild's own make; `None`: it is none.
fn of_words(words: &[String]) -> Option<Goals> {
    let makefile = words
        .iter()
        .position(|w| w.ends_with("scripts/Makefile.build"))?;
    let goals = words.iter().skip(makefile + 1);
    let goals = goals.filter(|w| !w.contains('=') && !w.starts_with('-'));
    Some(Goals(goals.map(PathBuf::from).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_make_compiles() {
        let goals = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_string).collect();
            of_words(&words)
        };
        let module = Module {
            object: "drivers/x/foo.o".into(),
            parts: ["drivers/x/a.o", "drivers/x/b.o"].map(Into::into).into(),
        };
        let build = "make -f ../scripts/Makefile.build obj=drivers/x need-modorder=1";
        for (more, all) in [
            ("", true),
            (" drivers/x/", true),
            (" drivers/x/foo.o", true),
            (" drivers/x/foo.ko", true),
            (" drivers/x/a.o", false),
            (" drivers/x/a.o drivers/x/b.o", true),
            (" drivers/x/a.o drivers/", true),
            (" drivers/y/", false),
        ] {
            let goals = goals(&format!("{build}{more}")).expect("kbuild's make");
            assert_eq!(goals.cover(&module), all, "{more}");
        }
        assert_eq!(goals("make -j2 drivers/x/a.o"), None);
        assert!(Goals(Vec::new()).cover(&module));
    }
}
