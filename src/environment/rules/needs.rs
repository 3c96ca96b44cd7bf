//! What must stand in a member of an argument, or the kernel does not call the function, and what an argument is while others are
//! frozen: `[[needs]]` and `[[while_frozen]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;
use super::writes::Part;

/// What stands in such a member.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needed {
    /// One of these bits is set.
    Bits(u32),
    /// It is below a count: a member, of 16 bits, of what an argument leads to; 0 where that is 0.
    Below(Part),
}

/// What stands in an argument of functions whenever they are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedsRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// The argument that points to the struct.
    pub argument: usize,
    /// The struct and its member, of 32 bits.
    pub of: (String, String),
    /// What stands there.
    pub needed: Needed,
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
    bits: Option<u32>,
    below: Option<Part>,
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
            needed: match self.below {
                Some(part) => Needed::Below(part),
                None => Needed::Bits(self.bits.unwrap_or(u32::MAX)),
            },
            cite: self.cite,
        })
    }
}

/// What an argument is while those are frozen who ask for anything else: `[[while_frozen]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// The group of places who are frozen: what never runs beside it, runs meanwhile.
    pub frozen: String,
    /// The argument, a number.
    pub argument: usize,
    /// Its values.
    pub values: Vec<u64>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// What an argument of functions found at that place is while others are frozen; of two rules the later one.
    pub fn while_frozen(&self, place: &str) -> Option<&FrozenRule> {
        let named = |r: &&FrozenRule| r.on.iter().any(|p| p == place);
        self.while_frozen.iter().rev().find(named)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrozenText {
    on: Vec<Spanned<String>>,
    frozen: String,
    argument: usize,
    values: Vec<u64>,
    #[serde(default)]
    cite: String,
}

impl FrozenText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<FrozenRule, E> {
        Ok(FrozenRule {
            on: places(&self.on)?,
            frozen: self.frozen,
            argument: self.argument,
            values: self.values,
            cite: self.cite,
        })
    }
}
