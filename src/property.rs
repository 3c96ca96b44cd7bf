//! What may go wrong, as one asks for it: the closed list of properties, and sets of them.
//!
//! To have one more: a line here; a kind of finding with its property (`verdict/mod.rs`), and a claim where there is something to say that
//! it does not happen (`verdict/claim.rs`). The compiler names the rest.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A property: its name, for `--property` and comments; as what options that were written have it; several such things, in words; what
/// is looked for.
macro_rules! properties {
    ($($name:ident = $word:literal, $written:literal, $several:literal, $about:literal;)*) => {
        /// Something that may go wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Property {
            $(#[doc = $about] $name,)*
        }

        impl Property {
            /// Every one, in the order in which they are told.
            pub const ALL: &'static [Property] = &[$(Property::$name,)*];

            /// Its name, for `--property` and for comments: `race`, `uaf`.
            pub fn word(self) -> &'static str {
                match self { $(Property::$name => $word,)* }
            }

            /// The one of that name.
            pub fn named(word: &str) -> Option<Property> {
                Property::ALL.iter().copied().find(|p| p.word() == word)
            }

            /// What is looked for, several of them: `data races`.
            pub fn several(self) -> &'static str {
                match self { $(Property::$name => $several,)* }
            }

            /// What is looked for, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $(Property::$name => $about,)* }
            }

            /// The key under which options are written that ask for it.
            fn written(self) -> &'static str {
                match self { $(Property::$name => $written,)* }
            }
        }
    };
}

properties! {
    Race = "race", "race", "data races", "Data races";
    Assert = "assert", "assertions", "failing assertions", "Assertions";
    Bug = "bug", "bugs", "BUG()", "Assertions, and that nothing gets to the kernel's BUG()";
    Uaf = "uaf", "use_after_free", "uses after free", "Uses of freed objects and double frees, across threads or not";
    Deadlock = "deadlock", "deadlock", "deadlocks", "Deadlocks: threads that wait for one another's locks, or for their own; interrupts that wait for whom they interrupt";
    LockMisuse = "lock-misuse", "lock_misuse", "misused locks", "Misused locks: acquired twice, released without being held, still held at the end; sleeping where nobody may";
    Removed = "removed", "removed", "uses after removal", "What goes on after the end: input and output on a device after remove() or disconnect(), any code after module exit";
    Atomicity = "atomicity", "atomicity", "lost updates under locks", "Lost updates and stale decisions: what is read in one critical section is the basis of a write in a later one of the same lock, and another thread writes between the two";
}

/// A set of properties. That nothing gets to `BUG()` is an assertion, too: who asks for that asks for these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Properties(u16);

impl Properties {
    /// None at all.
    pub const NONE: Properties = Properties(0);

    /// These.
    pub fn of(all: &[Property]) -> Properties {
        let with = |set: Properties, property: &Property| set.and(*property);
        all.iter().fold(Properties::NONE, with)
    }

    /// With one more.
    pub fn and(self, property: Property) -> Properties {
        Properties(self.0 | bit(property) | implied_by(property).0)
    }

    /// Without one, and what implies it.
    pub fn without(self, property: Property) -> Properties {
        let gone = |p: &Property| *p == property || implied_by(*p).has(property);
        let gone = Property::ALL.iter().filter(|p| gone(p));
        Properties(gone.fold(self.0, |left, p| left & !bit(*p)))
    }

    /// Those that the other set has as well.
    pub fn among(self, other: Properties) -> Properties {
        Properties(self.0 & other.0)
    }

    /// Whether one is asked for.
    pub fn has(self, property: Property) -> bool {
        self.0 & bit(property) != 0
    }

    /// Each, in the order of [`Property::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Property> {
        let all = Property::ALL.iter().copied();
        all.filter(move |property| self.has(*property))
    }

    /// Whether it asks for nothing.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

fn bit(property: Property) -> u16 {
    1 << property as u16
}

/// Those that are asked for with it.
fn implied_by(property: Property) -> Properties {
    match property {
        Property::Bug => Properties(bit(Property::Assert)),
        _ => Properties::NONE,
    }
}

/// Races and assertions.
impl Default for Properties {
    fn default() -> Properties {
        Properties::of(&[Property::Race, Property::Assert])
    }
}

impl fmt::Debug for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Whether each is asked for, by name; between processes as bits.
impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_u16(self.0);
        }
        let mut map = serializer.serialize_map(Some(Property::ALL.len()))?;
        for property in Property::ALL {
            map.serialize_entry(property.written(), &self.has(*property))?;
        }
        map.end()
    }
}

/// What is not named is not asked for; other names are somebody else's.
impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Properties, D::Error> {
        struct Named;
        impl<'de> Visitor<'de> for Named {
            type Value = Properties;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("properties by name, each true or false")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut set = Properties::NONE;
                while let Some(name) = map.next_key::<String>()? {
                    let mut all = Property::ALL.iter();
                    match all.find(|property| property.written() == name) {
                        Some(property) if map.next_value()? => set = set.and(*property),
                        Some(_) => {}
                        None => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(set)
            }
        }
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_map(Named),
            false => u16::deserialize(deserializer).map(Properties),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_and_read() {
        for set in [
            Properties::NONE,
            Properties::default(),
            Properties::of(Property::ALL),
        ] {
            let text = serde_json::to_string(&set).expect("written");
            let read: Properties = serde_json::from_str(&text).expect("read");
            assert_eq!(read, set, "{text}");
        }
        let bits = postcard::to_allocvec(&Properties::default()).expect("written");
        let read: Properties = postcard::from_bytes(&bits).expect("read");
        assert_eq!(read, Properties::default());
        let other = r#"{"ts": 1, "race": true, "assertions": false}"#;
        let read: Properties = serde_json::from_str(other).expect("read");
        assert_eq!(read, Properties::of(&[Property::Race]));
    }

    #[test]
    fn who_asks_for_bug_asks_for_assertions() {
        let bugs = Properties::of(&[Property::Bug]);
        assert!(bugs.has(Property::Assert));
        assert!(bugs.without(Property::Assert).is_empty());
        let left = bugs.without(Property::Bug);
        assert_eq!(left.iter().collect::<Vec<_>>(), [Property::Assert]);
    }
}
