//! What the kernel also holds around functions that the input has called in no other way: `[[also_held]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;

/// Adds to the rule of a place, for inputs that call these functions, and not those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlsoHeldRule {
    /// The places of the functions concerned.
    pub on: Vec<String>,
    /// Functions of which the input calls one.
    pub calls: Vec<String>,
    /// Functions: where the input calls one of them, the rule does not hold.
    pub unless: Vec<String>,
    /// Functions: where anything but initialisation may call one of them, it does not hold either.
    pub unless_later: Vec<String>,
    /// Added to [`super::Rule::serialized_by`].
    pub serialized_by: Vec<String>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// The rules about what is also held.
    pub fn also_held(&self) -> &[AlsoHeldRule] {
        &self.also_held
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlsoHeldText {
    on: Vec<Spanned<String>>,
    calls: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    unless_later: Vec<String>,
    serialized_by: Vec<String>,
    #[serde(default)]
    cite: String,
}

impl AlsoHeldText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        places: impl FnOnce(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<AlsoHeldRule, E> {
        Ok(AlsoHeldRule {
            on: places(&self.on)?,
            calls: self.calls,
            unless: self.unless,
            unless_later: self.unless_later,
            serialized_by: self.serialized_by,
            cite: self.cite,
        })
    }
}
