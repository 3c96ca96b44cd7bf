//! What the kernel calls only where somebody asks for it: `[[asked]]` in rule files.

use serde::Deserialize;

use super::Rules;
use super::place::any_stands_for;

/// Functions that run because somebody asks for them, and beside what they do not where those who ask are frozen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRule {
    /// The places of the functions.
    pub on: Vec<String>,
    /// Functions of the environment that ask, and have been obeyed when they return.
    pub by: Vec<String>,
    /// Of these, an argument and the bits of it by which they leave it to a work item that is frozen, too.
    pub later: Vec<LaterRule>,
    /// Functions of the environment that may ask while something is set up or taken away, in whatever is no thread of its own.
    #[serde(default)]
    pub also_by: Vec<String>,
    /// Places, and names of groups, whose functions do not run meanwhile: who calls these is frozen, or holds the device's lock.
    pub frozen: Vec<String>,
    /// Places that parts of the kernel call that never ask themselves; where the input has entry points at others, nothing is known.
    pub never_ask: Vec<String>,
    /// Functions of the environment by which others get to ask.
    pub unless: Vec<String>,
    /// Places of the same object whose functions never run beside these.
    pub never_beside: Vec<String>,
    /// The kernel source that justifies the rule.
    #[serde(default)]
    pub cite: String,
}

/// A call that leaves it to others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaterRule {
    /// The function.
    pub function: String,
    /// The argument.
    pub argument: usize,
    /// The bits: one of them is set.
    pub bits: u64,
}

impl AskedRule {
    /// Whether parts of the kernel that call what stands there are known never to ask.
    pub fn never_asks(&self, place: &str) -> bool {
        any_stands_for(&self.never_ask, place)
    }
}

impl Rules {
    /// What the kernel calls only where somebody asks for it.
    pub fn asked(&self) -> &[AskedRule] {
        &self.asked
    }
}
