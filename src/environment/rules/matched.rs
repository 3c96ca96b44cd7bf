//! What the kernel takes from the table of devices that a driver is for: `[[matched]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;

/// An entry of a driver's table, which functions of the driver are given, or ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedRule {
    /// The places of the functions that are given it.
    pub on: Vec<String>,
    /// The argument that is the entry.
    pub argument: usize,
    /// Functions of the environment that answer with one, or with what stands in it, or with null.
    pub by: Vec<String>,
    /// Of these, the members that they answer with, of the entries of those structs; none: with the entry.
    pub data: Vec<(String, String)>,
    /// The members of drivers that lead to their tables: struct, member.
    pub tables: Vec<(String, String)>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// What the kernel takes from tables.
    pub fn matched(&self) -> &[MatchedRule] {
        &self.matched
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchedText {
    #[serde(default)]
    on: Vec<Spanned<String>>,
    #[serde(default)]
    argument: usize,
    #[serde(default)]
    by: Vec<String>,
    #[serde(default)]
    data: Vec<Spanned<String>>,
    tables: Vec<Spanned<String>>,
    #[serde(default)]
    cite: String,
}

impl MatchedText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<MatchedRule, E> {
        let split = |names: Vec<String>| {
            let parts = names.iter().filter_map(|n| n.split_once('.'));
            parts
                .map(|(s, member)| (s.to_string(), member.to_string()))
                .collect()
        };
        Ok(MatchedRule {
            on: places(&self.on)?,
            argument: self.argument,
            by: self.by,
            data: split(places(&self.data)?),
            tables: split(places(&self.tables)?),
            cite: self.cite,
        })
    }
}
