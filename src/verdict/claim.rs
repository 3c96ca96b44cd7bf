//! What a verdict is about.

use std::fmt;

use serde::{Serialize, Serializer};

/// What a verdict of a pair is about: one of its regions of memory, or something else that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// No data race on that region: `struct foo.bar`, `@global`, `@global+8`, `heap(kmalloc at f.c:12)+8`.
    Region(String),
    /// No assertion fails.
    Assertions,
    /// Nothing is used that has been freed.
    Freed,
    /// Locks are used as they should be.
    LockUse,
    /// No thread waits for ever.
    Deadlocks,
    /// Nothing is used, and nothing runs, after the removal of the device or module.
    Removed,
    /// No write rests on what another thread has overwritten since.
    Atomicity,
    /// Everything about these threads: where it is not known what could be asked.
    Threads,
}

impl Claim {
    /// Its kind, for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Claim::Region(_) => "race",
            Claim::Assertions => "assertions",
            Claim::Freed => "use-after-free",
            Claim::LockUse => "lock-use",
            Claim::Deadlocks => "deadlocks",
            Claim::Removed => "after-removal",
            Claim::Atomicity => "atomicity",
            Claim::Threads => "threads",
        }
    }

    /// Whether all that the threads execute bears on it: nothing tells beforehand which of their accesses would refute it.
    pub fn is_of_threads(&self) -> bool {
        match self {
            Claim::Assertions | Claim::LockUse | Claim::Deadlocks => true,
            Claim::Removed | Claim::Atomicity | Claim::Threads => true,
            Claim::Region(_) | Claim::Freed => false,
        }
    }

    /// The region of memory that it is about, if it is about one.
    pub fn region(&self) -> Option<&str> {
        match self {
            Claim::Region(name) => Some(name),
            Claim::Assertions
            | Claim::Freed
            | Claim::LockUse
            | Claim::Deadlocks
            | Claim::Removed
            | Claim::Atomicity
            | Claim::Threads => None,
        }
    }
}

/// Where a report says `location`.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Claim::Region(name) => name,
            Claim::Assertions => "assertions",
            Claim::Freed => "freed objects",
            Claim::LockUse => "use of locks",
            Claim::Deadlocks => "deadlocks",
            Claim::Removed => "after removal",
            Claim::Atomicity => "atomicity",
            Claim::Threads => "threads",
        })
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
