//! What it adds to a rule where an ops object is used: `[[holder]]` in rule files.

/// Whose the data of a text file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextData {
    /// Each opening has memory of its own.
    Own,
}

/// What it adds to a rule that an ops object is used in a certain place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderRule {
    /// IR struct name of the ops object.
    pub of: String,
    /// The places that name the object: `struct.field` or `function#argument`. They may also name a table of pointers to it.
    pub inside: Vec<String>,
    /// Places on the way there: an object that is named here stands for what it names.
    pub through: Vec<String>,
    /// The fields of the ops object that are concerned; `*` for all.
    pub fields: Vec<String>,
    /// A global of the kernel that the calls which use the object must get, too: the chain of a notifier.
    pub with: Option<String>,
    /// Whether nothing runs beside them, nor one beside itself: the kernel has stopped all others.
    pub alone: bool,
    /// Replaces [`super::Rule::beside_itself`], if given.
    pub beside_itself: Option<bool>,
    /// Added to [`super::Rule::serialized_by`].
    pub serialized_by: Vec<String>,
    /// As [`super::Rule::reader`].
    pub reader: bool,
    /// Places whose functions, where the object at [`HolderRule::inside`] registers them, never run beside these.
    pub never_beside: Vec<String>,
    /// As [`super::Rule::pinned_by`]: fields of the objects at [`HolderRule::inside`], each of which names the module.
    pub pinned_by: Vec<String>,
    /// The shared object that is the device of the attributes, if it is not the one that the driver tells.
    pub device: Option<String>,
    /// Whose the data of text files is, if it is not what registration hands over.
    pub text: Option<TextData>,
    /// Why; `{}` stands for the place.
    pub reason: String,
    /// The kernel source that justifies the rule.
    pub cite: String,
}

impl HolderRule {
    /// Whether it is about that field of the ops object.
    pub fn is_about(&self, field: &str) -> bool {
        self.fields.iter().any(|f| f == field || f == "*")
    }

    /// Whether it is about an object that is used at that place, in a call that gets that global of the kernel, too.
    pub fn holds_at(&self, place: Option<&str>, with: Option<&str>) -> bool {
        let there = place.is_some_and(|p| self.inside.iter().any(|i| i == p));
        there && (self.with.is_none() || self.with.as_deref() == with)
    }
}
