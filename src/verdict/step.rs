//! The steps of an interleaving, and what the accesses of a race do: facts, as the interpreter saw them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Frame;
use crate::program::Touch;

/// One step of the interleaving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Thread number.
    pub thread: u32,
    /// Function, file and line.
    pub at: Frame,
    /// Where it stands in code of headers: the place in the driver's own file that this was inlined into or called from.
    #[serde(default)]
    pub called_at: Option<Frame>,
    /// The entry point or start function that the thread executes; empty in the harness.
    #[serde(default)]
    pub entry: String,
    /// What it does.
    pub does: Does,
    /// Whose memory it is about.
    #[serde(default)]
    pub memory: Memory,
    /// Whether a branch depends on what it reads, or gets.
    #[serde(default)]
    pub decides: bool,
}

/// Whose memory a step is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Memory {
    /// What several threads may use; of a step that is about no memory, too.
    #[default]
    Shared,
    /// A local variable.
    Local,
    /// What the harness keeps for itself, or whatever its own code does.
    Harness,
}

/// What a step does. Places are named as the source does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// Reads memory.
    Reads {
        /// Where.
        place: String,
        /// So many bytes.
        bytes: u64,
        /// What is there, where it is a scalar.
        value: Option<u64>,
        /// What that points to, if it is an address.
        to: Option<String>,
    },
    /// Writes memory.
    Writes {
        /// Where.
        place: String,
        /// So many bytes.
        bytes: u64,
        /// What is there afterwards, where it is a scalar.
        value: Option<u64>,
        /// What that points to, if it is an address.
        to: Option<String>,
    },
    /// Reads and writes memory at once.
    Updates {
        /// Where.
        place: String,
        /// What was there.
        before: u64,
        /// What is there afterwards.
        after: u64,
    },
    /// Acquires a lock.
    Locks {
        /// Which.
        lock: String,
        /// For reading.
        shared: bool,
    },
    /// Releases one.
    Unlocks {
        /// Which.
        lock: String,
        /// Held for reading.
        shared: bool,
    },
    /// Calls a function of the environment, whose answer was chosen.
    Gets {
        /// Which.
        from: String,
        /// What it returns.
        value: u64,
    },
    /// Another thread begins.
    Starts {
        /// Its number.
        thread: u32,
        /// What it executes, where that is known.
        function: Option<String>,
    },
    /// Another thread may begin from here on.
    Lets {
        /// The function that is called for that.
        by: String,
    },
    /// Memory is given back.
    Frees(String),
    /// What has been freed is accessed.
    UsesFreed(Touch),
    /// An assertion holds.
    Asserts,
    /// An assertion fails.
    Fails,
    /// The thread is ended there.
    Ends,
}

impl Does {
    /// The memory that it accesses.
    pub fn place(&self) -> Option<&str> {
        match self {
            Does::Reads { place, .. }
            | Does::Writes { place, .. }
            | Does::Updates { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Whether it changes memory.
    pub fn writes(&self) -> bool {
        matches!(self, Does::Writes { .. } | Does::Updates { .. })
    }
}

impl fmt::Display for Does {
    /// `reads 1 from counter`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Does::Reads {
                place,
                value: Some(value),
                ..
            } => write!(f, "reads {value} from {place}"),
            Does::Reads { place, bytes, .. } => write!(f, "reads {bytes} bytes of {place}"),
            Does::Writes {
                place,
                value: Some(value),
                ..
            } => write!(f, "writes {value} to {place}"),
            Does::Writes { place, bytes, .. } => write!(f, "writes {bytes} bytes of {place}"),
            Does::Updates {
                place,
                before,
                after,
            } => {
                write!(f, "reads {before} from {place}, writes {after}")
            }
            Does::Locks {
                lock,
                shared: false,
            } => write!(f, "locks {lock}"),
            Does::Locks { lock, shared: true } => write!(f, "locks {lock} for reading"),
            Does::Unlocks {
                lock,
                shared: false,
            } => write!(f, "unlocks {lock}"),
            Does::Unlocks { lock, shared: true } => write!(f, "unlocks {lock} (read)"),
            Does::Gets { from, value } => write!(f, "{from}() returns {}", number(*value)),
            Does::Starts {
                thread,
                function: Some(name),
            } => {
                write!(f, "starts thread {thread} ({name})")
            }
            Does::Starts {
                thread,
                function: None,
            } => write!(f, "starts thread {thread}"),
            Does::Lets { by } => write!(f, "{by}() lets another thread start"),
            Does::Frees(place) => write!(f, "frees {place}"),
            Does::Asserts => write!(f, "checks an assertion, which holds"),
            Does::UsesFreed(how) => write!(f, "{how}s what has been freed"),
            Does::Fails => write!(f, "the assertion fails"),
            Does::Ends => write!(f, "ends here"),
        }
    }
}

/// A number as a source would write it: small ones in decimal, errors with their sign, others in hexadecimal, and so those of one or two
/// bits, which are masks more often than counts.
pub fn number(value: u64) -> String {
    const LARGEST_ERROR: u64 = 4095;
    const COUNTS: u64 = 100;
    let negative = [(value as i64), i64::from(value as u32 as i32)]
        .into_iter()
        .find(|n| *n < 0 && n.unsigned_abs() <= LARGEST_ERROR);
    match negative {
        Some(n) => n.to_string(),
        None if value < COUNTS || (value < 1024 && value.count_ones() > 2) => value.to_string(),
        None => format!("{value:#x}"),
    }
}

/// What the two accesses of a race do with the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Nature {
    /// More bytes than a processor reads or writes at once, or the two are of different bytes: a mixture may be seen.
    pub torn: bool,
    /// A pointer is there.
    pub pointer: bool,
    /// Bit-fields are there: who writes one writes its neighbours.
    pub bit_fields: bool,
    /// Of each access: whether it is part of an update, one that writes what it makes of what it has read there.
    pub updates: Vec<bool>,
    /// Whether a branch depends on what is read.
    pub decides: bool,
    /// Whether both write the same or change the same bits in the same way, or nothing else than what stands there from the beginning is
    /// ever written.
    pub same_value: bool,
}
