//! What waits for grace periods of RCU: `[[grace]]` in rule files.

use serde::Deserialize;

use super::Rules;

/// Functions of the kernel that wait until all who read under RCU have come to the end of that, or have somebody else wait.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraceRule {
    /// The functions.
    pub on: Vec<String>,
    /// Places whose functions somebody runs once it is over.
    #[serde(default)]
    pub then: Vec<String>,
    /// The kernel source that justifies it.
    #[serde(default)]
    pub cite: String,
}

impl Rules {
    /// The functions that wait for a grace period, or have somebody wait.
    pub fn waits_for_readers(&self) -> impl Iterator<Item = &str> {
        self.graces.iter().flat_map(|g| &g.on).map(String::as_str)
    }

    /// The same, and what has somebody run something once one is over.
    pub fn asks_for_grace(&self) -> impl Iterator<Item = &str> {
        let then = self.graces.iter().flat_map(|g| &g.then);
        let calls = then.filter_map(|place| Some(place.split_once('#')?.0));
        self.waits_for_readers().chain(calls)
    }

    /// Whether what stands there runs once a grace period is over.
    pub fn is_after_grace(&self, place: &str) -> bool {
        self.graces
            .iter()
            .any(|g| g.then.iter().any(|p| p == place))
    }
}
