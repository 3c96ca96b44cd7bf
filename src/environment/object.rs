//! Objects that entry points share: where they come from, and what leads to them.

use serde::{Deserialize, Serialize};

/// Where the driver's code tells which object a shared object is, or is given it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// It hands the object to a function, as that argument.
    Given(String, usize),
    /// A function returns the object (if it returns a valid pointer).
    Returned(String),
    /// A call in that function of the input tells ([`super::identity::Told`]).
    Told(String),
    /// The model of a function of the environment: it returns the object, or null.
    Gives(String),
}

/// An object that entry points share, which is known to come from somewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedObject {
    /// The name in [`super::entry::Parameter::Shared`] and [`super::entry::Parameter::Member`].
    pub name: String,
    /// Where it comes from, as far as the input has such calls; the last one executed counts.
    pub sources: Vec<Source>,
    /// Pointers in it that are set from the start: byte offset, name of the other object, byte offset in that.
    pub set: Vec<(u64, String, u64)>,
    /// Pointers in it that are set once initialisation is through: byte offset, name of another object, and the byte offset in that of
    /// the value; none: its address is the value.
    pub copied: Vec<(u64, String, Option<u64>)>,
    /// The pointer in another object that leads to it once initialisation is through, if nothing else tells.
    #[serde(default)]
    pub led: Option<Led>,
    /// If it is the other one of two of a kind: the name of the first. It is the one before the last that the sources tell.
    #[serde(default)]
    pub another_of: Option<String>,
}

/// A pointer that leads to an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Led {
    /// The shared object that holds it.
    pub by: String,
    /// Its byte offset there.
    pub offset: u64,
    /// The byte offset in the object that it leads to.
    pub inner: u64,
}
