//! Functions of a table that the kernel calls before and after others of the same table: `[[bracket]]` in rule files. What the first of
//! them locks is held around the others.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;
use crate::environment::entry::Context;

/// Functions that run within a bracket of two others of the same object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketRule {
    /// The places of the functions that begin it.
    pub before: Vec<String>,
    /// The places of the functions that end it.
    pub after: Vec<String>,
    /// The places of the functions within.
    pub around: Vec<String>,
    /// So many of the first arguments are the same for all of them.
    pub same: usize,
    /// The argument of the functions within, and of those that end it, that is what the one that begins it answers.
    pub gives: Option<usize>,
    /// It counts only where the one that begins it may call one of these functions of the environment; empty: always.
    pub only_if_calls: Vec<String>,
    /// Where the functions within run then.
    pub context: Option<Context>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// The brackets that functions found at that place run within, or begin, or end.
    pub fn brackets(&self) -> &[BracketRule] {
        &self.brackets
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BracketText {
    before: Vec<Spanned<String>>,
    after: Vec<Spanned<String>>,
    around: Vec<Spanned<String>>,
    #[serde(default)]
    same: usize,
    gives: Option<usize>,
    #[serde(default)]
    only_if_calls: Vec<String>,
    context: Option<Context>,
    #[serde(default)]
    cite: String,
}

impl BracketText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<BracketRule, E> {
        Ok(BracketRule {
            before: places(&self.before)?,
            after: places(&self.after)?,
            around: places(&self.around)?,
            same: self.same,
            gives: self.gives,
            only_if_calls: self.only_if_calls,
            context: self.context,
            cite: self.cite,
        })
    }
}
