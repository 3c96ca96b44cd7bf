//! Writes queries down.

use std::io::Write;

use super::{Answer, Solver, SolverStats, smt2};
use crate::expr::{Term, Terms};

/// `⋀ cᵢ` is handed on as it is; a script that asks the same is written, with
/// the answer in a comment and as its `:status`.
pub struct Log<S> {
    inner: S,
    sink: Box<dyn Write>,
    written: u64,
    failed: bool,
}

impl<S: Solver> Log<S> {
    /// Before `inner`; scripts go to `sink`, one after the other, with `(reset)` between.
    pub fn new(inner: S, sink: Box<dyn Write>) -> Self {
        Log {
            inner,
            sink,
            written: 0,
            failed: false,
        }
    }
}

impl<S: Solver> Solver for Log<S> {
    fn check(&mut self, terms: &mut Terms, conjuncts: &[Term]) -> Answer {
        let answer = self.inner.check(terms, conjuncts);
        let status = match answer {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        };
        self.written += 1;
        let script = smt2::script(terms, conjuncts, status);
        let text = format!("; query {}: {status}\n{script}(reset)\n", self.written);
        // A dump that cannot be written must not change a verdict: it ends, and says so once.
        if !self.failed && self.sink.write_all(text.as_bytes()).is_err() {
            self.failed = true;
        }
        answer
    }

    fn stats(&self) -> SolverStats {
        self.inner.stats()
    }
}

impl<S> Drop for Log<S> {
    fn drop(&mut self) {
        self.failed |= self.sink.flush().is_err();
        if self.failed {
            eprintln!("warning: the queries could not be written completely");
        }
    }
}
