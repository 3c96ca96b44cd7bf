//! Objects of which a device may have several, and objects of one ops object each: `[[several]]`, `[[one_each]]` in rule files.

use serde::Deserialize;

use super::Rules;
use super::several::OneOrMore;

/// What keeps functions of one object apart does not keep those of two apart.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeveralRule {
    /// The shared object.
    pub object: String,
    /// Shared objects of which each of these has one of its own.
    #[serde(default)]
    pub also: Vec<String>,
    /// Names of locks that each of them has: who runs under one runs for one object.
    #[serde(default)]
    pub locks: Vec<String>,
    /// What tells that there are several, each `function#argument` (calls give it more than one value, or one that is not constant) or
    /// `struct.member` (a number other than one in a variable of that type). Nothing: there always are.
    #[serde(default, deserialize_with = "words")]
    pub told: Vec<String>,
    /// Whether the arguments are their number: there are several where it is more than one.
    #[serde(default)]
    pub counts: bool,
    /// Locks of what the objects are part of: they keep functions of two apart, too.
    #[serde(default)]
    pub still: Vec<String>,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

/// One word, or a list of them.
fn words<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Vec<String>, D::Error> {
    OneOrMore::deserialize(from).map(|all| all.0)
}

/// Each object of a kind has one ops object: functions that stand in no common one never run for one object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneEachRule {
    /// The object, for people.
    pub object: String,
    /// The struct of its ops objects.
    pub of: String,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

impl Rules {
    /// The objects of one ops object each.
    pub fn one_each(&self) -> &[OneEachRule] {
        &self.one_each
    }

    /// The objects of which there may be several.
    pub fn several(&self) -> &[SeveralRule] {
        &self.several
    }
}
