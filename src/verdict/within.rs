//! How far executions were searched.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Executions that a search went through, all of them: what `bounded` says nothing happens in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Within {
    /// Balanced ones (Qadeer and Wu, KISS, section 4): what is scheduled runs within what scheduled it.
    Balanced {
        /// Threads that are pending at once, at most.
        ts: u32,
    },
    /// Those in rounds (Lal and Reps; STORM): threads take turns.
    Rounds {
        /// Turns of each thread, at most.
        contexts: u32,
        /// Context switches in all, at most; none: any number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        switches: Option<u32>,
    },
}

impl fmt::Display for Within {
    /// As the options are written: `ts=1`, `contexts=3 switches=4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Within::Balanced { ts } => write!(f, "ts={ts}"),
            Within::Rounds { contexts, switches } => {
                write!(f, "contexts={contexts}")?;
                switches.map_or(Ok(()), |n| write!(f, " switches={n}"))
            }
        }
    }
}

impl Within {
    /// Whether each of the other's executions is one of its own.
    pub fn covers(&self, other: &Within) -> bool {
        match (self, other) {
            (Within::Balanced { ts: own }, Within::Balanced { ts }) => own >= ts,
            (
                Within::Rounds {
                    contexts: own,
                    switches: None,
                },
                Within::Rounds { contexts, .. },
            ) => own >= contexts,
            _ => self == other,
        }
    }
}

/// All of them, without those that another covers.
pub fn widest(all: impl IntoIterator<Item = Within>) -> Vec<Within> {
    let mut all: Vec<Within> = all.into_iter().collect();
    all.sort();
    all.dedup();
    let covered = |w: &Within| all.iter().any(|other| other != w && other.covers(w));
    all.iter().filter(|w| !covered(w)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_bound_says_what_a_smaller_one_does() {
        let rounds = |contexts| Within::Rounds {
            contexts,
            switches: None,
        };
        let few = Within::Rounds {
            contexts: 9,
            switches: Some(2),
        };
        let all = [
            rounds(3),
            Within::Balanced { ts: 1 },
            rounds(2),
            few,
            rounds(3),
        ];
        assert_eq!(widest(all), [Within::Balanced { ts: 1 }, rounds(3), few]);
        assert_eq!(few.to_string(), "contexts=9 switches=2");
    }
}
