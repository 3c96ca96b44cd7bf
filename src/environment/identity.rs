//! Whose object is it? What comes from outside of the input – a parameter that no rule reaches, the result of a function without
//! a model – is, in this order:
//!
//! 1. the object that the input made, registered or handed over, where provenance or the type leaves one;
//! 2. one object for one function and its arguments;
//! 3. an object of this call or activation alone.
//!
//! Which of them it is, is an assumption of every claim that rests on it: each is a [`Choice`].

use serde::{Deserialize, Serialize};

pub use crate::identity::{CallPlace, CallValue, Choice, ChoiceKind, FromOutside};

/// A pointer of the input that tells which object a shared object is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The call that makes the object, or hands it over.
    pub at: CallPlace,
    /// Which of its values is the object.
    pub value: CallValue,
    /// The name of the shared object.
    pub name: String,
}

/// The driver's data that a registering call hands over, and the object in which callbacks find it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The registering call.
    pub at: CallPlace,
    /// The argument that is the data.
    pub data: usize,
    /// The object that keeps it.
    pub keeper: Keeper,
    /// Where in it, in bytes.
    pub offset: u64,
}

/// What keeps data that a call hands over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeper {
    /// The object that the call returns.
    Result,
    /// The shared object of that name, which the callback of the same call gets.
    Shared(String),
}

/// A call of a function without a model that gives a shared object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The call.
    pub at: CallPlace,
    /// The name of the shared object.
    pub name: String,
}

/// A function of the environment that answers with what stands in the table of devices that a driver is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// Its linker name.
    pub function: String,
    /// Those of one number choose one entry.
    pub cell: usize,
    /// What it answers for each entry.
    pub gives: Vec<MatchValue>,
}

/// What such a function answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MatchValue {
    /// Null.
    Null,
    /// A number, as a pointer.
    Number(u64),
    /// An address: a global or function of the input, and an offset in bytes.
    Place(String, i64),
}

/// What was found of the objects of an input.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Which calls tell which object a shared one is.
    pub told: Vec<Told>,
    /// Where data is kept that the input hands over.
    pub kept: Vec<Kept>,
    /// Calls whose result is a shared object, if they have no model.
    pub answered: Vec<Answered>,
    /// Functions that answer from tables of drivers.
    pub matched: Vec<Matched>,
    /// What was assumed.
    pub choices: Vec<Choice>,
}

impl Identity {
    /// The names of the shared objects that calls tell or are answered with.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        let told = self.told.iter().map(|t| &t.name);
        let answered = self.answered.iter().map(|a| &a.name);
        told.chain(answered)
    }
}

/// The function of the harness that notes a shared object, of that name.
pub fn note_name(name: &str) -> String {
    format!("__irkiss_note.{name}")
}

/// What stands for a function whose result is a shared object, until it is known whether it has a model: prefix, name of the
/// function, [`GIVES`], name of the object.
pub const ANSWERED: &str = "__irkiss_answered.";

/// See [`ANSWERED`].
pub const GIVES: &str = "=";

/// Whether a function's name says that what it gives is new: no object that somebody else has.
pub fn makes_new(name: &str) -> bool {
    let ends = ["alloc", "dup", "new", "clone"];
    let whole = [
        "create", "copy", "dequeue", "pop", "next", "register", "init",
    ];
    name.split('_')
        .any(|word| whole.contains(&word) || ends.iter().any(|w| word.ends_with(w)))
}
