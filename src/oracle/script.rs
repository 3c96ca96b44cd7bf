//! Where the explorers' values from outside come from: all are tried.

use std::collections::BTreeMap;

use crate::replay::input::{Source, low_bits};
use crate::replay::state::Stop;
use crate::trace::schedule::{LazyCell, ThreadNumber};

/// The choices of one step. When they are used up, the step stops with the alternatives, and is tried again with each.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    domain: &'a [u64],
    pair: &'a [u32],
    given: Vec<u64>,
    /// In the sequential program: MAX, and whether to check for races.
    pub sequential: Option<(u64, bool)>,
    /// What was read, by whom, in order.
    pub used: Vec<(ThreadNumber, u64)>,
}

impl<'a> Script<'a> {
    /// A script that answers with `given` and then stops; `domain` are the values to try.
    pub fn new(domain: &'a [u64], pair: &'a [u32], given: Vec<u64>) -> Script<'a> {
        Script {
            domain,
            pair,
            given,
            sequential: None,
            used: Vec::new(),
        }
    }
    /// The choice out of `alternatives`.
    pub fn choose(&mut self, thread: ThreadNumber, alternatives: Vec<u64>) -> Result<u64, Stop> {
        match self.given.get(self.used.len()) {
            Some(value) => {
                self.used.push((thread, *value));
                Ok(*value)
            }
            None => Err(Stop::NeedChoice(alternatives)),
        }
    }
}

impl Source for Script<'_> {
    fn nondet(&mut self, thread: ThreadNumber, bits: u32) -> Result<u64, Stop> {
        let mut values: Vec<u64> = self.domain.iter().map(|v| v & low_bits(bits)).collect();
        values.sort_unstable();
        values.dedup();
        self.choose(thread, values)
    }
    fn lazy(&self, _: &str) -> Option<&BTreeMap<u64, LazyCell>> {
        None
    }
    fn uninitialised(&self, _: &str) -> Option<&BTreeMap<u64, LazyCell>> {
        None
    }
    fn choice(&mut self, alternatives: u64) -> Option<Result<u64, Stop>> {
        self.sequential?;
        Some(self.choose(0, (0..alternatives).collect()))
    }
    fn ts_max(&self) -> Option<u64> {
        self.sequential.map(|(max, _)| max)
    }
    fn checks_races(&self) -> bool {
        self.sequential.is_some_and(|(_, races)| races)
    }
    fn pair(&self, n: u64) -> u64 {
        usize::try_from(n)
            .ok()
            .and_then(|n| self.pair.get(n))
            .map_or(0, |v| u64::from(*v))
    }
}
