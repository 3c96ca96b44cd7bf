//! What the kernel itself does around a function that it calls: `[[does]]` in rule files.

use serde::Deserialize;

use super::Rules;

/// Functions of the models that stand for what the kernel does in the same thread. Each is given the first arguments of the function, which
/// are pointers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoesRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// What is called before.
    pub before: Option<String>,
    /// What is called after the function has returned.
    pub after: Option<String>,
    /// How many arguments they are given.
    #[serde(default = "one")]
    pub arguments: usize,
    /// The kernel source that justifies it.
    #[serde(default)]
    pub cite: String,
}

fn one() -> usize {
    1
}

impl Rules {
    /// What the kernel does around functions found at that place; of two rules the later one.
    pub fn does(&self, place: &str) -> Option<&DoesRule> {
        let named = |r: &&DoesRule| r.on.iter().any(|p| p == place);
        self.does.iter().rev().find(named)
    }
}
