//! Devices that runtime power management puts to sleep while nobody uses them: `[[power]]` and `[[uses_parent]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use super::Rules;
use crate::environment::entry::PowerRole;

/// What the runtime power management of a bus has to do with entry points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerRule {
    /// The structs that the probes of such buses get, with the device in their member `dev`.
    pub buses: Vec<String>,
    /// Functions of which one must switch it on; empty where the bus does so before it calls probe.
    pub off_until: Vec<String>,
    /// Functions that switch it on, and off, in the first argument's device.
    pub turns_on: Vec<String>,
    /// See [`PowerRule::turns_on`].
    pub turns_off: Vec<String>,
    /// Functions by which the device falls asleep with the system, whoever uses it.
    pub forced_by: Vec<String>,
    /// Groups of places that run nothing then.
    pub frozen: Vec<String>,
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

/// Functions of a child that run while the kernel uses its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentRule {
    /// The places of the functions, whose first argument has a device in its member `dev`.
    pub on: Vec<String>,
    /// A flag of that struct without which the kernel does not, of one byte.
    pub flag: Option<String>,
    /// The kernel source that justifies it.
    pub cite: String,
}

impl Rules {
    /// The rule about functions found at that place that run while the kernel uses the parent of their device.
    pub fn uses_parent(&self, place: &str) -> Option<&ParentRule> {
        let named = |r: &&ParentRule| r.on.iter().any(|p| p == place);
        self.parents.iter().rev().find(named)
    }

    /// Whether a function switches runtime power management of a device on, or off.
    pub fn switches_power(&self, function: &String) -> Option<bool> {
        let mut rules = self.power.iter();
        rules.find_map(|r| match r.turns_on.contains(function) {
            true => Some(true),
            false => r.turns_off.contains(function).then_some(false),
        })
    }

    /// The rules about runtime power management.
    pub fn power(&self) -> &[PowerRule] {
        &self.power
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PowerText {
    bus: Buses,
    #[serde(default)]
    off_until: Vec<String>,
    #[serde(default)]
    turns_on: Vec<String>,
    #[serde(default)]
    turns_off: Vec<String>,
    #[serde(default)]
    forced_by: Vec<String>,
    #[serde(default)]
    frozen: Vec<String>,
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
    cite: String,
}

/// One bus, or several that are alike.
#[derive(Deserialize)]
#[serde(untagged)]
enum Buses {
    One(String),
    Several(Vec<String>),
}

impl PowerText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        mut places: impl FnMut(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<PowerRule, E> {
        let begins = match self.off_until.is_empty() {
            true => PowerRole::Begins,
            false => PowerRole::BeginsOff,
        };
        let all = [
            (&self.begins, begins),
            (&self.suspends, PowerRole::Suspends),
            (&self.resumes, PowerRole::Resumes),
            (&self.idles, PowerRole::Idles),
            (&self.uses, PowerRole::Uses),
            (&self.sleeps, PowerRole::Sleeps),
        ];
        let mut roles = Vec::new();
        for (named, role) in all {
            roles.extend(places(named)?.into_iter().map(|p| (p, role)));
        }
        Ok(PowerRule {
            buses: match self.bus {
                Buses::One(bus) => vec![bus],
                Buses::Several(buses) => buses,
            },
            off_until: self.off_until,
            turns_on: self.turns_on,
            turns_off: self.turns_off,
            forced_by: self.forced_by,
            frozen: self.frozen,
            roles,
            cite: self.cite,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParentText {
    on: Vec<Spanned<String>>,
    flag: Option<String>,
    #[serde(default)]
    cite: String,
}

impl ParentText {
    /// The rule, if `places` takes all that it names.
    pub fn rule<E>(
        self,
        places: impl FnOnce(&[Spanned<String>]) -> Result<Vec<String>, E>,
    ) -> Result<ParentRule, E> {
        Ok(ParentRule {
            on: places(&self.on)?,
            flag: self.flag,
            cite: self.cite,
        })
    }
}
