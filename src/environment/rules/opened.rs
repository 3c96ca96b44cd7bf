//! What a file's open hands over that is called for that file: `[[of_files]]` in rule files.

use serde::Deserialize;

use super::Rules;

/// Functions, and ops objects, that are handed over as a file is opened, and called as long as that file is open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenedRule {
    /// The arguments that they are handed over in.
    pub on: Vec<String>,
    /// The places of the functions that open files.
    pub by: Vec<String>,
    /// The parameter of the functions that is what stands in a member of the file's inode, and that member (`inode.i_private`).
    pub data: Option<(usize, String)>,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

impl Rules {
    /// The rules about what is called for one open file.
    pub fn opened(&self) -> &[OpenedRule] {
        &self.opened
    }
}
