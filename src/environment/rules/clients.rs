//! Places that users of a resource call: `[[clients]]` in rule files.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Rules;
use super::place::any_stands_for;
use crate::environment::entry::User;

/// Other parts of the kernel call these as they need them, and no lock of the core says whether at the same time: who uses one resource
/// alone does one thing after the other, as a rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientsRule {
    /// The places: `struct.field`, or `struct.*`.
    pub of: Vec<String>,
    /// Places that those call, too, who share a resource with others: of two of these nothing is said.
    #[serde(default)]
    pub also: Vec<String>,
    /// What is used, for people.
    pub resource: String,
    /// Bits by which the input opens the resource to everybody (`struct.member` and the bits): then the rule does not count.
    #[serde(default)]
    pub unless: BTreeMap<String, u64>,
    /// Functions by which the input hands the resource to others: where it calls one of them, the rule does not count.
    #[serde(default)]
    pub unless_calls: Vec<String>,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

impl ClientsRule {
    /// Who calls what stands at a place, if users do.
    pub fn user(&self, place: &str) -> Option<User> {
        if any_stands_for(&self.of, place) {
            return Some(User::Only);
        }
        any_stands_for(&self.also, place).then_some(User::Any)
    }
}

impl Rules {
    /// What users of resources call.
    pub fn clients(&self) -> &[ClientsRule] {
        &self.clients
    }
}
