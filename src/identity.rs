//! What objects from outside of the input are taken to be: an assumption of every claim that rests on it.
//!
//! Whose they are is found out in `environment/discover/identity.rs`.

use serde::{Deserialize, Serialize};

/// A direct call in the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallPlace {
    /// The calling function.
    pub function: String,
    /// The called one.
    pub callee: String,
    /// Which of its calls there it is, counted from 0.
    pub number: usize,
}

/// A value of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CallValue {
    /// What it returns.
    Result,
    /// What it is given, counted from 0.
    Argument(usize),
}

/// What something from outside is taken to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceKind {
    /// The one object of its type that the input made, registered or handed over.
    TheOne,
    /// The shared object of its type that other entry points get by rules.
    Shared,
    /// One object for the function and its arguments.
    SameArguments,
    /// An object of this call or activation alone.
    Private,
}

/// What comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromOutside {
    /// What an entry point is given.
    Parameter {
        /// The place that the entry point was found at.
        via: String,
        /// Which parameter, counted from 0.
        number: usize,
        /// Whether a rule describes it, by its type.
        ruled: bool,
    },
    /// What a function without a model gives.
    Result(String),
}

/// An assumption about an object from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Choice {
    /// What it is taken to be.
    pub kind: ChoiceKind,
    /// Its type, the name of a struct; empty where that is not known.
    pub object: String,
    /// What comes from outside.
    pub what: FromOutside,
    /// The call that tells which object it is, if one does.
    pub from: Option<(CallPlace, CallValue)>,
    /// The function of the input that is given it; its linker name.
    pub by: String,
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let object = match self.object.is_empty() {
            true => "object".to_string(),
            false => format!("struct {}", self.object),
        };
        let what = match &self.what {
            FromOutside::Parameter { via, number, ruled } => {
                let unknown = if *ruled {
                    ""
                } else {
                    ", which no rule describes"
                };
                format!("parameter {number} of {via}{unknown}")
            }
            FromOutside::Result(function) => {
                format!("the result of {function}, which has no model")
            }
        };
        match (self.kind, &self.from) {
            (ChoiceKind::TheOne, Some((at, CallValue::Result))) => {
                write!(
                    f,
                    "one {object} for all, the result of {}: {what}",
                    at.callee
                )
            }
            (ChoiceKind::TheOne, Some((at, CallValue::Argument(n)))) => {
                write!(
                    f,
                    "one {object} for all, argument {n} of {}: {what}",
                    at.callee
                )
            }
            (ChoiceKind::TheOne | ChoiceKind::Shared, _) => {
                write!(f, "one {object} for all: {what}")
            }
            (ChoiceKind::SameArguments, _) => {
                write!(f, "one {object} for the same arguments: {what}")
            }
            (ChoiceKind::Private, _) => write!(f, "another {object} each time: {what}"),
        }
    }
}
