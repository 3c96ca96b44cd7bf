//! Locks that the kernel holds around entry points, as the objects that they are: `[[kernel_lock]]` in rule files.

use serde::Deserialize;
use toml::Spanned;

use crate::environment::entry::{Context, Spin};

/// Lock functions of the user's own; the lock is the first argument, or one for all if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnLocks {
    /// Functions that acquire.
    pub acquire: Vec<String>,
    /// Functions that release.
    pub release: Vec<String>,
}

/// A name in `serialized_by` that stands for a lock which drivers may take themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRule {
    /// The name in [`super::Rule::serialized_by`].
    pub name: String,
    /// The function (of the kernel, without a result) that acquires it; the harness calls it around the entry point.
    pub acquire: String,
    /// The one that releases it.
    pub release: String,
    /// What these functions are given; none: the lock is a variable of the kernel's own.
    pub object: Option<LockObject>,
    /// Further functions that acquire or release it, by which a driver is known to use it.
    pub also: Vec<String>,
    /// It is there only if the driver sets the pointer to it.
    pub optional: bool,
    /// A field, and bits of it: it is not held around drivers that set one of these.
    pub unless: Option<(String, u64)>,
    /// Arguments of registering calls (`function#argument`): it is held only if each call there has the constant.
    pub only_if: Vec<(String, u64)>,
    /// If not empty: functions that make what it belongs to, their first argument. It is held only where the input calls one of them, so
    /// that there is one for each device.
    pub made_once_by: Vec<String>,
    /// It is held only if no entry point but those around which it is held may give it back.
    pub given_back_within: bool,
    /// What whoever holds it keeps away, if it is a spin lock.
    pub spin: Option<Spin>,
    /// Fields (`struct.field`): where the input may store anything but 0 in one of them, it is a lock that sleeps.
    pub sleeps_if_stored: Vec<String>,
    /// Where entry points run around which it is not held after all, or around which it is a lock that sleeps.
    pub otherwise: Option<Context>,
    /// Functions that are given the object: where the input calls none of them, another module sets the lock, if there is one.
    pub set_up_by: Vec<String>,
    /// Fields (`struct.field`): it is held only if all that the input stores there is the number.
    pub only_if_stored: Vec<(String, u64)>,
    /// Around some entry points it depends on what the driver sets.
    pub around: Option<Around>,
    /// Places around which another object's lock of that name is held: the harness does not take it there.
    pub elsewhere: Vec<String>,
    /// What the input calls that takes it by itself, so that nobody shares it.
    pub writers: Option<Writers>,
    /// Those who hold it share it: its name keeps nobody away, what the harness acquires does.
    pub shared: bool,
    /// The kernel source that justifies it.
    pub cite: String,
}

/// Functions that take a lock as they begin and give it back as they return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writers {
    /// The functions, of which the models are made from rules.
    pub functions: Vec<String>,
    /// The model's function that takes it.
    pub acquire: String,
    /// The one that gives it back.
    pub release: String,
}

/// Functions around which the lock is held or not as the driver sets fields: the core takes another one where these are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// The places of the functions.
    pub at: Vec<String>,
    /// `struct.field`: where the input may set one of them, the lock is not held around these.
    pub unless_set: Vec<String>,
    /// If not empty: it is held only where the input sets one of them.
    pub only_if_set: Vec<String>,
    /// Fields, and bits of them: it is held only where the input sets all of these.
    pub only_if_bits: Vec<(String, u64)>,
}

/// The address of a lock: a member of a shared object, or of what that member points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockObject {
    /// The shared object, which is named after its struct.
    pub shared: String,
    /// The member of it; empty: the object itself.
    pub member: String,
    /// If the member is a pointer: the member of what it points to, with its struct; an empty string: what it points to itself.
    pub through: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockText {
    pub name: String,
    pub acquire: Spanned<String>,
    pub release: Spanned<String>,
    #[serde(default)]
    pub object: String,
    #[serde(default)]
    pub also: Vec<Spanned<String>>,
    #[serde(default)]
    pub optional: bool,
    #[serde(default)]
    pub unless: std::collections::BTreeMap<String, u64>,
    #[serde(default)]
    pub only_if: std::collections::BTreeMap<String, u64>,
    #[serde(default)]
    pub only_if_stored: std::collections::BTreeMap<String, u64>,
    #[serde(default)]
    pub made_once_by: Vec<Spanned<String>>,
    #[serde(default)]
    pub given_back_within: bool,
    #[serde(default)]
    pub spin: Option<Spin>,
    #[serde(default)]
    pub sleeps_if_stored: Vec<String>,
    #[serde(default)]
    pub otherwise: Option<Context>,
    #[serde(default)]
    pub set_up_by: Vec<Spanned<String>>,
    #[serde(default)]
    pub around: Option<AroundText>,
    #[serde(default)]
    pub elsewhere: Vec<String>,
    #[serde(default)]
    pub writers: Option<WritersText>,
    #[serde(default)]
    pub shared: bool,
    #[serde(default)]
    pub cite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AroundText {
    pub at: Vec<String>,
    #[serde(default)]
    pub unless_set: Vec<String>,
    #[serde(default)]
    pub only_if_set: Vec<String>,
    #[serde(default)]
    pub only_if_bits: std::collections::BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WritersText {
    functions: Vec<Spanned<String>>,
    acquire: String,
    release: String,
}

impl LockText {
    /// The rule; `name` takes each function that it names.
    pub(super) fn rule(self, mut name: impl FnMut(&Spanned<String>) -> String) -> LockRule {
        let mut names =
            |all: &[Spanned<String>]| -> Vec<String> { all.iter().map(&mut name).collect() };
        let writers = self.writers.map(|w| Writers {
            functions: names(&w.functions),
            acquire: w.acquire,
            release: w.release,
        });
        let mut also = names(&self.also);
        also.extend(writers.iter().flat_map(|w| w.functions.iter().cloned()));
        LockRule {
            also,
            writers,
            made_once_by: names(&self.made_once_by),
            set_up_by: names(&self.set_up_by),
            acquire: name(&self.acquire),
            release: name(&self.release),
            name: self.name,
            object: LockObject::parse(&self.object),
            optional: self.optional,
            unless: self.unless.into_iter().next(),
            only_if: self.only_if.into_iter().collect(),
            only_if_stored: self.only_if_stored.into_iter().collect(),
            given_back_within: self.given_back_within,
            spin: self.spin,
            sleeps_if_stored: self.sleeps_if_stored,
            otherwise: self.otherwise,
            around: self.around.map(|a| Around {
                at: a.at,
                unless_set: a.unless_set,
                only_if_set: a.only_if_set,
                only_if_bits: a.only_if_bits.into_iter().collect(),
            }),
            elsewhere: self.elsewhere,
            shared: self.shared,
            cite: self.cite,
        }
    }
}

impl LockObject {
    /// The struct in which the member lies: `bus-device` is the device that an entry point gets, or of what it gets.
    pub fn structure(&self) -> &str {
        match self.shared == "bus-device" {
            true => "device",
            false => &self.shared,
        }
    }

    /// `object`, `object.member`, `object.pointer->` or `object.pointer->struct.member`; `None` for the empty string.
    pub(super) fn parse(text: &str) -> Option<LockObject> {
        let (place, through) = match text.split_once("->") {
            Some((place, through)) => (place, Some(through.to_string())),
            None => (text, None),
        };
        let (shared, member) = place.split_once('.').unwrap_or((place, ""));
        (!shared.is_empty()).then(|| LockObject {
            shared: shared.to_string(),
            member: member.to_string(),
            through,
        })
    }
}
