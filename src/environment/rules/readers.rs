//! Names of locks that some entry points hold for reading: `[[reader_lock]]` in rule files.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::Rules;

/// A reader-writer lock. Who has its name in `serialized_by` holds it for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderRule {
    /// The name in [`super::Rule::serialized_by`].
    pub name: String,
    /// Places whose functions run while it is held for reading.
    pub readers: Vec<String>,
    /// Members of ops objects, and how strings there may end: around the functions of an object so called it may be held for reading
    /// only, one at a time.
    pub unless_named: Vec<(String, Vec<String>)>,
    /// Members of which nothing that `unless_named` names is known where the input touches them, and functions that change names.
    pub renamed: Vec<String>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// The locks that are held for reading.
    pub fn reader_locks(&self) -> &[ReaderRule] {
        &self.reader_locks
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReaderText {
    name: String,
    readers: Vec<Spanned<String>>,
    #[serde(default)]
    unless_named: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    renamed: Vec<String>,
    #[serde(default)]
    cite: String,
}

impl ReaderText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        places: impl FnOnce(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<ReaderRule, E> {
        Ok(ReaderRule {
            name: self.name,
            readers: places(&self.readers)?,
            unless_named: self.unless_named.into_iter().collect(),
            renamed: self.renamed,
            cite: self.cite,
        })
    }
}
