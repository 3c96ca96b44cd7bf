//! Functions of the environment of which it is enough to say what they answer: `runtime-stubs/linux/declared.toml`,
//! `runtime-stubs/pthread/declared.toml`.
//!
//! A function that is there was looked at: it writes no memory that a driver's
//! threads share, calls nothing of the driver back and takes no lock that a
//! driver sees, beyond what `why` says. It has no body in C; its default gets the
//! answer that the table tells. What is `listed` has a gap (`why` says which),
//! so reports name it as a function without a model.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::assumption::Fixed;
use crate::frontend::stubs::Group as Models;

/// What a function answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Any value of its type; a pointer is null or leads to a fresh object.
    #[default]
    Arbitrary,
    /// 0.
    Zero,
    /// 0 or 1.
    Flag,
    /// 0 or a negative error code.
    ZeroOrError,
    /// A number that is not negative.
    NonNegative,
    /// -1, or the number of a file that no model knows.
    Descriptor,
    /// A fresh object.
    Object,
    /// A fresh object, or a pointer that carries an error code.
    ObjectOrError,
    /// Its first argument.
    FirstArgument,
}

/// A group of functions that are alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What they are.
    #[cfg_attr(not(test), expect(dead_code, reason = "for who reads the table"))]
    pub name: String,
    /// Why it is enough to tell the answer; where the source is.
    #[cfg_attr(not(test), expect(dead_code, reason = "for who reads the table"))]
    pub why: String,
    /// What they answer; of no meaning for those that return nothing.
    #[serde(default)]
    pub answer: Answer,
    /// What the answer fixes although the functions do not.
    #[serde(default)]
    pub assumes: Option<Fixed>,
    /// Whether their answers follow from what they are given, although any is taken.
    #[serde(default)]
    pub any_answer: bool,
    /// Whether there is a gap that a report should tell.
    #[serde(default)]
    pub listed: bool,
    /// Their names.
    pub functions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Vec<Group>,
}

/// The tables: of the kernel, of the C library.
const TEXTS: [(Models, &str); 2] = [
    (
        Models::Linux,
        include_str!("../../../runtime-stubs/linux/declared.toml"),
    ),
    (
        Models::Pthread,
        include_str!("../../../runtime-stubs/pthread/declared.toml"),
    ),
];

/// The groups of the table of such models.
///
/// # Panics
/// If the table is broken (a test reads it).
pub fn groups(models: Models) -> &'static [Group] {
    static GROUPS: [OnceLock<Vec<Group>>; 2] = [const { OnceLock::new() }; 2];
    let Some(n) = TEXTS.iter().position(|(m, _)| *m == models) else {
        return &[];
    };
    GROUPS[n].get_or_init(|| {
        toml::from_str::<File>(TEXTS[n].1)
            .expect("the tables of declared functions are tested")
            .group
    })
}

/// What the table says of a function; of several names that end in `*`, the longest that fits counts.
pub fn declared(models: Models, name: &str) -> Option<&'static Group> {
    type Table = BTreeMap<&'static str, &'static Group>;
    static BY_NAME: [OnceLock<Table>; 2] = [const { OnceLock::new() }; 2];
    let n = TEXTS.iter().position(|(m, _)| *m == models)?;
    let table = BY_NAME[n].get_or_init(|| {
        groups(models)
            .iter()
            .flat_map(|g| g.functions.iter().map(move |f| (f.as_str(), g)))
            .collect()
    });
    let family = || {
        let fits = |f: &&str| {
            f.strip_suffix('*')
                .is_some_and(|start| name.starts_with(start))
        };
        let longest = table.keys().copied().filter(fits).max_by_key(|f| f.len())?;
        table.get(longest)
    };
    table.get(name).or_else(family).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::environment::Rules;
    use crate::frontend::model_names;

    #[test]
    fn nothing_is_declared_twice_or_beside_a_model() {
        for (models, _) in TEXTS {
            check(models);
        }
    }

    fn check(of: Models) {
        let mut models: BTreeSet<String> = model_names(of).into_iter().map(|m| m.0).collect();
        // Models that are made from rules.
        if of == Models::Linux {
            let rules = Rules::built_in();
            models.extend(rules.effects().iter().flat_map(|e| e.on.clone()));
        }
        let mut seen = BTreeMap::new();
        for group in groups(of) {
            assert!(!group.why.is_empty(), "{}", group.name);
            for function in &group.functions {
                if let Some(before) = seen.insert(function, &group.name) {
                    panic!("{function} is in `{before}` and in `{}`", group.name);
                }
                assert!(
                    !models.contains(function),
                    "{function} of `{}` has a model in C",
                    group.name
                );
            }
        }
    }

    /// Functions that the frontend takes apart itself (`scan.rs`).
    const LOWERED: &[&str] = &["sscanf"];

    /// Of the functions of the kernel that drivers call most (Linux 6.1, 166 drivers), each has a model or is declared.
    #[test]
    fn the_functions_called_most_were_all_looked_at() {
        let mut models: BTreeSet<String> = model_names(Models::Linux)
            .into_iter()
            .map(|m| m.0)
            .collect();
        // Models that are made from rules.
        let rules = Rules::built_in();
        models.extend(rules.effects().iter().flat_map(|e| e.on.clone()));
        let table = include_str!("../../../tests/data/kernel-externs.txt");
        let names = table
            .lines()
            .filter(|l| !l.starts_with('#'))
            .filter_map(|l| l.split_whitespace().nth(2));
        let mut counted = 0;
        let mut unexamined = Vec::new();
        for name in names {
            counted += 1;
            if !models.contains(name)
                && declared(Models::Linux, name).is_none()
                && !LOWERED.contains(&name)
            {
                unexamined.push(name);
            }
        }
        assert!(counted >= 500, "{counted}");
        assert!(unexamined.is_empty(), "{unexamined:?}");
    }
}
