//! What tasks will cost: which begin first, and when the sweep will be over.
//!
//! What a task cost before is the best guess. Of one that never ran the size of its bitcode tells something: the cost grows about as a
//! power of it, up to the budget. The factor is learnt while the sweep runs; it starts from what drivers of a kernel cost.

use super::budget;
use super::task::{Cost, Planned};
use crate::config::Options;

/// Milliseconds of the processor that a module of [`USUAL_BYTES`] costs on the first level, before anything is known.
const USUAL: f64 = 4_000.0;
const USUAL_BYTES: f64 = 150_000.0;

/// How the cost grows with the size.
const POWER: f64 = 0.7;

/// Units of work that a millisecond of the processor does about.
const UNITS: f64 = 250.0;

/// Milliseconds that a task takes before it does work that is counted: reading, closing.
const BEGINNING: f64 = 300.0;

/// How many tasks the first guess is worth.
const TRUST: f64 = 4.0;

/// What is known of the cost of tasks.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// What tasks took that have ended, and what had been guessed of them.
    taken: f64,
    guessed: f64,
}

impl Default for Estimate {
    fn default() -> Self {
        Estimate {
            taken: TRUST * USUAL,
            guessed: TRUST * USUAL,
        }
    }
}

impl Estimate {
    /// Before anything of this sweep is known: milliseconds of the processor. `before`: what the task cost once, on which level; `options`:
    /// those of the first level.
    pub fn guess(planned: &Planned, before: Option<(Cost, u32)>, options: &Options) -> f64 {
        let times = |levels: u32| budget::FACTOR.saturating_pow(levels) as f64;
        let work = budget::at(options, planned.level).work.unwrap_or(u64::MAX);
        let most = BEGINNING + work as f64 / UNITS;
        match before {
            Some((cost, level)) => {
                let deeper = times(planned.level.saturating_sub(level));
                (cost.cpu as f64 * deeper).min(most.max(cost.cpu as f64))
            }
            None => {
                let size = planned.bytes() as f64 / USUAL_BYTES;
                (USUAL * size.powf(POWER)).min(most)
            }
        }
        .max(1.0)
    }

    /// A task has ended: what had been guessed of it, what it took, in milliseconds.
    pub fn ended(&mut self, guessed: f64, taken: f64) {
        self.guessed += guessed;
        self.taken += taken;
    }

    /// Seconds on the clock that tasks of these guesses will take with so many at once. No task can be shared out: the last one to end is
    /// at least as long as the longest.
    pub fn left(&self, guesses: &[f64], jobs: usize) -> f64 {
        let factor = self.taken / self.guessed;
        let all: f64 = guesses.iter().sum();
        let longest = guesses.iter().copied().fold(0.0, f64::max);
        (all / jobs.max(1) as f64).max(longest) * factor / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::task::{Bitcode, Task};
    use super::*;

    fn planned(bytes: u64, level: u32) -> Planned {
        let file = Bitcode {
            path: "x.bc".into(),
            content: "x".to_string(),
            bytes,
            made_as: None,
        };
        Planned {
            task: Task {
                name: "x".to_string(),
                files: vec![file],
                problem: None,
                call: None,
            },
            key: "k".to_string(),
            level,
        }
    }

    #[test]
    fn the_larger_the_dearer_and_what_was_counts_most() {
        let options = Options::default();
        let guess = |bytes, level| Estimate::guess(&planned(bytes, level), None, &options);
        assert!(guess(400_000, 0) > guess(100_000, 0));
        assert!(guess(9_000_000, 1) > guess(9_000_000, 0));
        let small = Options {
            work: Some(1000),
            ..Options::default()
        };
        assert!(Estimate::guess(&planned(9_000_000, 0), None, &small) < 1000.0);
        let cost = Cost {
            cpu: 700,
            ..Cost::default()
        };
        assert_eq!(
            Estimate::guess(&planned(9, 1), Some((cost, 0)), &options),
            2800.0
        );
    }

    #[test]
    fn what_is_left_follows_what_was_taken() {
        let mut estimate = Estimate::default();
        let guesses = [1000.0; 40];
        let before = estimate.left(&guesses, 2);
        assert!((before - 20.0).abs() < 0.01, "{before}");
        for _ in 0..100 {
            estimate.ended(1000.0, 3000.0);
        }
        let after = estimate.left(&guesses, 2);
        assert!((50.0..60.0).contains(&after), "{after}");
        assert!(estimate.left(&[9000.0], 2) > 20.0);
    }
}
