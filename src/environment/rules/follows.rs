//! What runs only after something else, in the state that this leaves, what does not run again before something else has, and what
//! sleeps while nobody uses it: `[[follows]]`, `[[once]]` and `[[sleep]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

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

/// Functions that do not run again, once they have run successfully, before others have: what opens a device that is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnceRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// Places of the same object, of which a function has to come to its end first.
    pub until: Vec<String>,
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

    /// Whether functions at a place end what others have begun, by a rule of what does not run again before that.
    pub fn ends_something(&self, place: &str) -> bool {
        self.once.iter().any(|r| r.until.iter().any(|p| p == place))
    }

    /// The places whose functions begin what functions at a place end.
    pub fn begins(&self, place: &str) -> Vec<String> {
        let ends = self
            .once
            .iter()
            .filter(|r| r.until.iter().any(|p| p == place));
        ends.flat_map(|r| r.on.iter().cloned()).collect()
    }

    /// The rule about what lets functions found at that place run again; of two the later one.
    pub fn once(&self, place: &str) -> Option<&OnceRule> {
        let named = |r: &&OnceRule| r.on.iter().any(|p| p == place);
        self.once.iter().rev().find(named)
    }

    /// The rules about functions found at that place that put a device to sleep or wake it.
    pub fn sleep(&self, place: &str) -> Option<(&SleepRule, &Rule)> {
        let named = |r: &&SleepRule| r.on.iter().any(|p| p == place);
        Some((self.sleep.iter().rev().find(named)?, self.place(place)?))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FollowsText {
    on: Vec<Spanned<String>>,
    last: Vec<Spanned<String>>,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OnceText {
    on: Vec<Spanned<String>>,
    until: Vec<Spanned<String>>,
    #[serde(default)]
    cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SleepText {
    on: Vec<Spanned<String>>,
    device: usize,
    message: Option<usize>,
    #[serde(default)]
    alone: u64,
    #[serde(default)]
    cite: String,
}

impl FollowsText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<FollowsRule, E> {
        Ok(FollowsRule {
            on: places(&self.on)?,
            last: places(&self.last)?,
            cite: self.cite,
        })
    }
}

impl OnceText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<OnceRule, E> {
        Ok(OnceRule {
            on: places(&self.on)?,
            until: places(&self.until)?,
            cite: self.cite,
        })
    }
}

impl SleepText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        places: impl FnOnce(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<SleepRule, E> {
        Ok(SleepRule {
            on: places(&self.on)?,
            device: self.device,
            message: self.message.map(|n| (n, self.alone)),
            cite: self.cite,
        })
    }
}
