//! What is true of functions in ops objects that have a certain function of the kernel's in another field: `[[ops_with]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;

/// Adds to the rule of a place where the ops object has one of these functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpsWithRule {
    /// The places of the functions concerned.
    pub on: Vec<String>,
    /// The other field of the ops object, `struct.field`.
    pub field: String,
    /// The functions of the kernel of which one stands there.
    pub is: Vec<String>,
    /// Functions: where the input calls one of them, the rule does not hold.
    pub unless: Vec<String>,
    /// Added to [`super::Rule::serialized_by`]; activations of one function do not overlap either.
    pub serialized_by: Vec<String>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// The rules about ops objects with certain functions.
    pub fn ops_with(&self) -> &[OpsWithRule] {
        &self.ops_with
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpsWithText {
    on: Vec<Spanned<String>>,
    field: Spanned<String>,
    is: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    serialized_by: Vec<String>,
    #[serde(default)]
    cite: String,
}

impl OpsWithText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<OpsWithRule, E> {
        places(std::slice::from_ref(&self.field))?;
        Ok(OpsWithRule {
            on: places(&self.on)?,
            field: self.field.into_inner(),
            is: self.is,
            unless: self.unless,
            serialized_by: self.serialized_by,
            cite: self.cite,
        })
    }
}
