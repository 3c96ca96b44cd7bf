//! What functions of the environment write in the objects that they are given: `[[writes]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// The argument of that number.
    Argument(usize),
    /// The address of a member of what an argument leads to.
    Address(Part),
    /// The address of an object of that struct that the function makes.
    New(String),
    /// These bits become 1, by an atomic operation.
    Sets(u64),
    /// These bits become 0, by an atomic operation.
    Clears(u64),
}

/// A member of what an argument leads to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The argument.
    pub of: usize,
    /// `struct.member`.
    pub member: String,
}

/// A member that a call writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WritesRule {
    /// The functions.
    pub on: Vec<String>,
    /// The argument that leads to the object.
    pub object: usize,
    /// The object's struct and the member.
    pub member: (String, String),
    /// What is written there.
    pub value: Written,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// What a function of the environment writes.
    pub fn writes<'a>(&'a self, function: &'a str) -> impl Iterator<Item = &'a WritesRule> {
        let named = move |r: &&WritesRule| r.on.iter().any(|f| f == function);
        self.writes.iter().filter(named)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WritesText {
    pub on: Vec<Spanned<String>>,
    #[serde(default)]
    object: usize,
    pub member: Spanned<String>,
    value: Written,
    #[serde(default)]
    cite: String,
}

impl WritesText {
    /// The rule, of functions and a member that were looked at.
    pub fn rule(self, on: Vec<String>, member: &str) -> WritesRule {
        let (structure, member) = member.split_once('.').unwrap_or((member, ""));
        WritesRule {
            on,
            object: self.object,
            member: (structure.to_string(), member.to_string()),
            value: self.value,
            cite: self.cite,
        }
    }
}
