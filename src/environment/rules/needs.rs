//! What must stand in a member of an argument, or the kernel does not call the function: `[[needs]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;

/// Bits of which one is set in an argument of functions whenever they are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedsRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// The argument that points to the struct.
    pub argument: usize,
    /// The struct and its member, of 32 bits.
    pub of: (String, String),
    /// The bits.
    pub bits: u32,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// What functions found at that place need; of two rules the later one.
    pub fn needs(&self, place: &str) -> Option<&NeedsRule> {
        let named = |r: &&NeedsRule| r.on.iter().any(|p| p == place);
        self.needs.iter().rev().find(named)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NeedsText {
    on: Vec<Spanned<String>>,
    #[serde(default)]
    argument: usize,
    of: Spanned<String>,
    bits: u32,
    #[serde(default)]
    cite: String,
}

impl NeedsText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<NeedsRule, E> {
        places(std::slice::from_ref(&self.of))?;
        let of = self.of.get_ref();
        let (structure, member) = of.split_once('.').unwrap_or((of, ""));
        Ok(NeedsRule {
            on: places(&self.on)?,
            argument: self.argument,
            of: (structure.to_string(), member.to_string()),
            bits: self.bits,
            cite: self.cite,
        })
    }
}
