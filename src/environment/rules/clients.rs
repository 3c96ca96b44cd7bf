//! Places that users of a resource call: `[[clients]]` in rule files.

use serde::Deserialize;

use super::Rules;
use super::place::any_stands_for;

/// Other parts of the kernel call these as they need them, and no lock of the core says whether at the same time: who uses one resource
/// alone does one thing after the other, as a rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientsRule {
    /// The places: `struct.field`, or `struct.*`.
    pub of: Vec<String>,
    /// What is used, for people.
    pub resource: String,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

impl ClientsRule {
    /// Whether a place is one of them.
    pub fn names(&self, place: &str) -> bool {
        any_stands_for(&self.of, place)
    }
}

impl Rules {
    /// What users of resources call.
    pub fn clients(&self) -> &[ClientsRule] {
        &self.clients
    }
}
