//! Devices that runtime power management puts to sleep while nobody uses them: `[[power]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;
use crate::environment::entry::PowerRole;

/// What the runtime power management of a bus has to do with entry points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerRule {
    /// The struct that the bus's probe gets, with the device in its member `dev`.
    pub bus: String,
    /// Places, and what the functions found there are to the device.
    pub roles: Vec<(String, PowerRole)>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl PowerRule {
    /// What functions found at that place are to the device.
    pub fn role(&self, place: &str) -> Option<PowerRole> {
        let mut roles = self.roles.iter();
        roles.find(|(p, _)| p == place).map(|(_, role)| *role)
    }
}

impl Rules {
    /// The rules about runtime power management.
    pub fn power(&self) -> &[PowerRule] {
        &self.power
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PowerText {
    bus: String,
    #[serde(default)]
    begins: Vec<Spanned<String>>,
    #[serde(default)]
    suspends: Vec<Spanned<String>>,
    #[serde(default)]
    resumes: Vec<Spanned<String>>,
    #[serde(default)]
    idles: Vec<Spanned<String>>,
    #[serde(default)]
    uses: Vec<Spanned<String>>,
    #[serde(default)]
    sleeps: Vec<Spanned<String>>,
    #[serde(default)]
    children: Vec<Spanned<String>>,
    #[serde(default)]
    cite: String,
}

impl PowerText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<PowerRule, E> {
        let all = [
            (&self.begins, PowerRole::Begins),
            (&self.suspends, PowerRole::Suspends),
            (&self.resumes, PowerRole::Resumes),
            (&self.idles, PowerRole::Idles),
            (&self.uses, PowerRole::Uses),
            (&self.sleeps, PowerRole::Sleeps),
            (&self.children, PowerRole::Child),
        ];
        let mut roles = Vec::new();
        for (named, role) in all {
            roles.extend(places(named)?.into_iter().map(|p| (p, role)));
        }
        Ok(PowerRule {
            bus: self.bus,
            roles,
            cite: self.cite,
        })
    }
}
