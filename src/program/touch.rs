//! What an access does with memory.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::SiteKind;

/// What an access does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Touch {
    /// Frees it.
    #[serde(rename = "free")]
    Frees,
    /// Reads it.
    #[serde(rename = "read")]
    Reads,
    /// Both, in one step.
    #[serde(rename = "read-write")]
    Updates,
    /// Writes it.
    #[serde(rename = "write")]
    Writes,
}

impl Touch {
    /// All of them.
    pub const ALL: [Touch; 4] = [Touch::Frees, Touch::Reads, Touch::Updates, Touch::Writes];

    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Touch::Reads => "read",
            Touch::Writes => "write",
            Touch::Updates => "read-write",
            Touch::Frees => "free",
        }
    }

    /// What a site does with memory; `None`: it is no access.
    pub fn of(kind: SiteKind) -> Option<Touch> {
        match kind {
            SiteKind::Read => Some(Touch::Reads),
            SiteKind::Write => Some(Touch::Writes),
            SiteKind::ReadWrite => Some(Touch::Updates),
            SiteKind::Free => Some(Touch::Frees),
            SiteKind::AtomicBegin
            | SiteKind::Assume
            | SiteKind::Assert
            | SiteKind::Check
            | SiteKind::Async
            | SiteKind::Stop
            | SiteKind::BackEdge => None,
        }
    }

    /// What is seen of an access while it is made: whether it reads, and whether it writes.
    pub fn seen(reads: bool, writes: bool) -> Touch {
        match (reads, writes) {
            (true, true) => Touch::Updates,
            (false, true) => Touch::Writes,
            _ => Touch::Reads,
        }
    }
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
