//! Where an access of a finding stands, and what it does.

use serde::{Deserialize, Serialize};

use super::Act;
use crate::program::Touch;

/// A function activation on a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// Source name of the function.
    pub function: String,
    /// File, as debug info names it; empty where unknown.
    pub file: String,
    /// Line, 0 where unknown.
    pub line: u32,
    /// Column, 0 where unknown.
    pub column: u32,
}

impl Frame {
    /// Whether it stands in a header: what many sources share.
    pub fn in_header(&self) -> bool {
        is_header(&self.file)
    }
}

/// Whether a file is a header: what many sources share.
pub fn is_header(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, e)| e);
    matches!(
        ending,
        None | Some("h" | "hh" | "hpp" | "hxx" | "tcc" | "inc")
    ) && !name.is_empty()
}

/// One access of a finding, as the interpreter saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Thread number.
    pub thread: u32,
    /// Entry point or start function of the thread.
    pub entry_point: String,
    /// Innermost frame first; inlined frames and the tool's own models left out of it where user frames exist.
    pub stack: Vec<Frame>,
    /// What the thread does.
    pub kind: Act,
    /// Bytes accessed.
    pub bytes: u32,
    /// Whether it is marked.
    pub marked: bool,
    /// Locks held by the thread: names of the lock objects.
    pub locks: Vec<String>,
    /// Of misused locks and deadlocks: where each of `locks` was acquired.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acquired: Vec<Frame>,
    /// Of a deadlock: the lock that the thread waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// The function without a model that makes it, if it makes it: its type allows that, nothing else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_by: Option<String>,
    /// Value found in memory just before the access, where it is a scalar.
    pub value: Option<u64>,
}

impl Access {
    /// What it does with memory, if it is an access to memory.
    pub fn touch(&self) -> Option<Touch> {
        match self.kind {
            Act::Touches(touch) => Some(touch),
            _ => None,
        }
    }

    /// Where it is told to stand: the innermost place that is in no header, since what is inlined from one is the same for all who use
    /// it; else the innermost.
    pub fn at(&self) -> Option<&Frame> {
        let own = self.stack.iter().find(|f| !f.in_header());
        own.or(self.stack.first())
    }

    /// The function of a header that it stands in, if [`Access::at`] is somewhere else.
    pub fn within(&self) -> Option<&Frame> {
        let top = self.stack.first()?;
        (Some(top) != self.at()).then_some(top)
    }
}
