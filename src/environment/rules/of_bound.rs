//! What initialises parts that a bound device has registered: `[[of_bound]]` in rule files.

use serde::Deserialize;

use super::Rules;
use super::place::any_stands_for;

/// The functions are no probes: the kernel calls them for what the probe of a driver has registered, as its parts come together.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfBoundRule {
    /// The places: `struct.field`, or `struct.*`.
    pub on: Vec<String>,
    /// The kernel source that justifies it.
    #[serde(default)]
    pub cite: String,
}

impl Rules {
    /// Whether functions found at that place are called for what a bound device has registered.
    pub fn is_of_bound(&self, place: &str) -> bool {
        let mut all = self.of_bound.iter();
        all.any(|r| any_stands_for(&r.on, place))
    }
}
