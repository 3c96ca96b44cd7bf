//! Errors that the user can do something about: what, where, what to do.
//!
//! Findings, limits and bugs are *not* errors of this kind: a limit is a
//! verdict (`unknown`), a bug of irkiss panics.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::deadline::Stopped;

/// Input, configuration or usage that cannot be worked with. Ends the run with exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputError {
    /// The file, option or entry point that it is about; empty where there is none.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
    /// What to do about it; empty where there is no good advice.
    pub advice: String,
}

impl InputError {
    /// An error about `place`.
    pub fn new(place: impl fmt::Display, what: impl fmt::Display) -> Self {
        InputError {
            place: place.to_string(),
            what: what.to_string(),
            advice: String::new(),
        }
    }
    /// The same with advice.
    pub fn advise(mut self, advice: impl fmt::Display) -> Self {
        self.advice = advice.to_string();
        self
    }
}

impl fmt::Display for InputError {
    /// One line: `PLACE: WHAT (ADVICE)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::new();
        if !self.place.is_empty() {
            line.push_str(&self.place);
            line.push_str(": ");
        }
        line.push_str(self.what.trim_end());
        if !self.advice.is_empty() {
            line.push_str(&format!(" ({})", self.advice));
        }
        f.write_str(&line.lines().map(str::trim).collect::<Vec<_>>().join("; "))
    }
}

impl std::error::Error for InputError {}

/// Why a run has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// The user can mend it.
    #[error("{0}")]
    Input(#[from] InputError),
    /// It was ended before there was anything to report. Ends the run with exit code 3.
    #[error("{place}{}stopped while {doing} ({why})", if place.is_empty() { "" } else { ": " })]
    Stopped {
        /// The file that was worked on; empty if none was.
        place: String,
        /// What was being done.
        doing: String,
        /// What ended it.
        why: Stopped,
    },
}

impl Failure {
    /// What ended the run, if anything did.
    pub fn stopped(&self) -> Option<Stopped> {
        match self {
            Failure::Stopped { why, .. } => Some(*why),
            Failure::Input(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_whatever_it_is_made_of() {
        let e = InputError::new("a.bc", "not bitcode\nmagic is 7f 45").advise("compile with -flto");
        assert_eq!(
            e.to_string(),
            "a.bc: not bitcode; magic is 7f 45 (compile with -flto)"
        );
        let stopped = |place: &str| Failure::Stopped {
            place: place.to_string(),
            doing: "reading".to_string(),
            why: Stopped::Timeout(5),
        };
        assert_eq!(
            stopped("a.bc").to_string(),
            "a.bc: stopped while reading (timeout: 5 s)"
        );
        assert_eq!(
            stopped("").to_string(),
            "stopped while reading (timeout: 5 s)"
        );
        assert_eq!(
            InputError::new("", "no input files").to_string(),
            "no input files"
        );
    }
}
