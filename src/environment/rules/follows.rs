//! What runs only after something else, in the state that this leaves, and what sleeps while nobody uses it: `[[follows]]` and
//! `[[sleep]]` in rule files.

use super::{Rule, Rules};

/// Functions that run after others have come to their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowsRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// Places of which a function of the same object has run before, successfully, and last.
    pub last: Vec<String>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

/// Functions that put a device to sleep and wake it: where the driver sets what takes `never_beside` of their rule back, they run
/// beside those places only by themselves (runtime power management), while nobody uses the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SleepRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// The argument that is the device: its users are counted at that address.
    pub device: usize,
    /// The argument that tells who puts it to sleep, and the bits of it that are set where it does so by itself.
    pub message: Option<(usize, u64)>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

impl Rules {
    /// The rule about what runs last before functions found at that place; of two the later one.
    pub fn follows(&self, place: &str) -> Option<&FollowsRule> {
        let named = |r: &&FollowsRule| r.on.iter().any(|p| p == place);
        self.follows.iter().rev().find(named)
    }

    /// The rules about functions found at that place that put a device to sleep or wake it.
    pub fn sleep(&self, place: &str) -> Option<(&SleepRule, &Rule)> {
        let named = |r: &&SleepRule| r.on.iter().any(|p| p == place);
        Some((self.sleep.iter().rev().find(named)?, self.place(place)?))
    }
}
