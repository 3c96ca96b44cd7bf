//! Where objects that entry points share come from: `[[object]]`.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::RuleError;
use super::reader::Reader;

/// Where an object that several entry points share comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectRule {
    /// Its name in `shared:NAME`.
    pub name: String,
    /// `function#argument`: what the driver hands over there is the object.
    pub given: Vec<String>,
    /// The same, where the input calls none of the functions in [`ObjectRule::given`].
    pub otherwise: Vec<String>,
    /// Functions whose result is the object.
    pub returned: Vec<String>,
    /// Functions that give the driver the object, or null: their model.
    pub gives: Vec<String>,
    /// What the kernel has set before the driver sees the object: a member (`a.b`), and the object, or its member, that it
    /// points to.
    pub set: Vec<(String, String)>,
    /// What the kernel sets once initialisation is through: a member, and an object whose address it gets, or a member (`a.b`)
    /// whose value it gets.
    pub copied: Vec<(String, String)>,
    /// A pointer in another object that leads to it: where the driver has made it, or a list of several, the first of them (`a.b`).
    pub led_by: Option<String>,
    /// Where in it that pointer leads to, if not to its start (`a.b`): the member that is in a list.
    pub led_to: Option<String>,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectText {
    pub(super) name: String,
    #[serde(default)]
    given: Vec<Spanned<String>>,
    #[serde(default)]
    otherwise: Vec<Spanned<String>>,
    #[serde(default)]
    returned: Vec<Spanned<String>>,
    #[serde(default)]
    gives: Vec<Spanned<String>>,
    #[serde(default)]
    set: BTreeMap<String, String>,
    #[serde(default)]
    copied: BTreeMap<String, String>,
    led_by: Option<String>,
    led_to: Option<String>,
    #[serde(default)]
    cite: String,
}

impl ObjectText {
    pub(super) fn rule(self, reader: &mut Reader<'_>) -> Result<ObjectRule, RuleError> {
        Ok(ObjectRule {
            name: self.name,
            given: reader.places(&self.given)?,
            otherwise: reader.places(&self.otherwise)?,
            returned: reader.names(&self.returned),
            gives: reader.names(&self.gives),
            set: self.set.into_iter().collect(),
            copied: self.copied.into_iter().collect(),
            led_by: self.led_by,
            led_to: self.led_to,
            cite: self.cite,
        })
    }
}
