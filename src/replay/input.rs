//! Where values from outside come from: a schedule, or an explorer that tries them all.

use std::collections::BTreeMap;

use super::state::Stop;
use crate::trace::schedule::{Inputs, LazyCell, ThreadNumber};

/// Answers what the program asks of its environment.
pub trait Source {
    /// The next value that `thread` reads from outside, of `bits` bits.
    ///
    /// Errors: there is none; the execution ends there.
    fn nondet(&mut self, thread: ThreadNumber, bits: u32) -> Result<u64, Stop>;
    /// Initial content of the lazy object of that name; absent bytes are zero.
    fn lazy(&self, name: &str) -> Option<&BTreeMap<u64, LazyCell>>;
    /// Initial content of a heap or stack object (`"T.N"`: the `N`-th that thread `T` made, both kinds counted together).
    fn uninitialised(&self, name: &str) -> Option<&BTreeMap<u64, LazyCell>>;
    /// Entry point number `n` of the pair under check.
    fn pair(&self, n: u64) -> u64;
    /// A number below `alternatives`, in the sequential program; elsewhere there is none.
    fn choice(&mut self, _alternatives: u64) -> Option<Result<u64, Stop>> {
        None
    }
    /// MAX, in the sequential program.
    fn ts_max(&self) -> Option<u64> {
        None
    }
    /// Whether accesses are checked for races, in the sequential program.
    fn checks_races(&self) -> bool {
        false
    }
}

/// The inputs of a schedule. What it does not list is zero.
#[derive(Clone, Debug)]
pub struct Recorded<'a> {
    inputs: &'a Inputs,
    pair: &'a [u32],
    used: BTreeMap<ThreadNumber, usize>,
}

impl<'a> Recorded<'a> {
    /// Reads `inputs` from their start.
    pub fn new(inputs: &'a Inputs, pair: &'a [u32]) -> Recorded<'a> {
        Recorded {
            inputs,
            pair,
            used: BTreeMap::new(),
        }
    }
}

impl Source for Recorded<'_> {
    fn nondet(&mut self, thread: ThreadNumber, bits: u32) -> Result<u64, Stop> {
        let n = self.used.entry(thread).or_insert(0);
        let value = self
            .inputs
            .nondet
            .get(&thread)
            .and_then(|values| values.get(*n))
            .copied()
            .unwrap_or(0);
        *n += 1;
        Ok(value & low_bits(bits))
    }
    fn lazy(&self, name: &str) -> Option<&BTreeMap<u64, LazyCell>> {
        self.inputs.lazy.get(name)
    }
    fn uninitialised(&self, name: &str) -> Option<&BTreeMap<u64, LazyCell>> {
        self.inputs.uninitialised.get(name)
    }
    fn pair(&self, n: u64) -> u64 {
        usize::try_from(n)
            .ok()
            .and_then(|n| self.pair.get(n))
            .map_or(0, |v| u64::from(*v))
    }
}

/// All ones in the lowest `bits` bits.
pub fn low_bits(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}
