//! How one checks again what a report is about: by its files, or as the object of a build.

use crate::sweep::words::quoted;

/// What a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// What one types for it.
    name: String,
    /// Whether a build makes it.
    built: bool,
}

impl Again {
    /// Of an input; `object`: what a build makes of it, if that has checked it.
    pub fn of(input: &[String], object: Option<&str>) -> Again {
        let files: Vec<String> = input.iter().map(|f| quoted(f)).collect();
        Again {
            name: object.map_or_else(|| files.join(" "), quoted),
            built: object.is_some(),
        }
    }

    /// What `irkiss show` and `irkiss why` know it by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The command that checks it with these options; they may be empty.
    pub fn command(&self, options: &str) -> String {
        let options = match options {
            "" => String::new(),
            some => format!(" {some}"),
        };
        match self.built {
            true => format!("make C=2 CHECK=\"irkiss kbuild{options}\" {}", self.name),
            false => format!("irkiss{options} {}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_makes_is_checked_by_it() {
        let input = ["/src/a b.c".to_string()];
        let own = Again::of(&input, None);
        assert_eq!(own.command("--unwind 4"), "irkiss --unwind 4 '/src/a b.c'");
        let built = Again::of(&input, Some("drivers/a.o"));
        let command = "make C=2 CHECK=\"irkiss kbuild --unwind 4\" drivers/a.o";
        assert_eq!(built.command("--unwind 4"), command);
        assert_eq!(built.name(), "drivers/a.o");
    }
}
