//! What a thread does where a finding speaks of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::program::Touch;

/// What a thread does where a finding speaks of it, is about to do, or has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Act {
    /// It accesses memory.
    Touches(Touch),
    /// An assertion of it fails.
    Fails,
    /// It is about to acquire a lock.
    Acquires,
    /// It is about to release a lock.
    Releases,
    /// It is about to do what may sleep.
    Sleeps,
    /// It is about to return.
    Returns,
    /// It waits for a lock, or for another thread.
    Waits,
    /// It is about to use what is no longer there.
    Uses,
    /// An interrupt has come between.
    Interrupted,
    /// It has removed the device, or the module.
    Removed,
}

impl Act {
    const OTHERS: [Act; 9] = [
        Act::Fails,
        Act::Acquires,
        Act::Releases,
        Act::Sleeps,
        Act::Returns,
        Act::Waits,
        Act::Uses,
        Act::Interrupted,
        Act::Removed,
    ];

    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Act::Touches(touch) => touch.name(),
            Act::Fails => "assert",
            Act::Acquires => "acquire",
            Act::Releases => "release",
            Act::Sleeps => "sleep",
            Act::Returns => "return",
            Act::Waits => "wait",
            Act::Uses => "use",
            Act::Interrupted => "interrupted",
            Act::Removed => "removed",
        }
    }
}

impl Act {
    /// Whether it is what has happened to a thread, or what it has done, not what it is about to do.
    pub fn is_past(self) -> bool {
        matches!(self, Act::Interrupted | Act::Removed)
    }

    /// Whether it is about to do something with a lock or with what is no longer there, not with memory.
    pub fn is_ahead(self) -> bool {
        matches!(
            self,
            Act::Acquires | Act::Releases | Act::Sleeps | Act::Returns | Act::Uses
        )
    }
}

impl From<Act> for &'static str {
    fn from(act: Act) -> &'static str {
        act.name()
    }
}

impl TryFrom<String> for Act {
    type Error = String;

    fn try_from(name: String) -> Result<Act, String> {
        let touches = Touch::ALL.into_iter().map(Act::Touches);
        let mut all = touches.chain(Act::OTHERS);
        all.find(|act| act.name() == name)
            .ok_or_else(|| format!("`{name}` is nothing that a thread does"))
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let touches = Touch::ALL.into_iter().map(Act::Touches);
        for act in touches.chain(Act::OTHERS) {
            let text = serde_json::to_string(&act).expect("a name");
            let read: Act = serde_json::from_str(&text).expect("the same name");
            assert_eq!((read, text), (act, format!("\"{}\"", act.name())));
        }
        assert!(serde_json::from_str::<Act>("\"check\"").is_err());
    }
}
