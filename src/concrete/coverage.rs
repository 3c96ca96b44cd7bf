//! Where runs have gone: edges between blocks, each with the edge that an input decided last before it.
//!
//! Pairs, not single edges (n-gram coverage for n = 2: Wang, Duan, Song, Yin and Song, RAID 2019): of two conditions that both have to
//! hold, each may have held in a run in which the other did not. Of a program, whose calls of the C library are all of the same few functions,
//! a way through a function is another one for each place that calls it, and one that an input decided is another one the second and the
//! third time that a run goes it (counts of hits: AFL): a line has ended once its second byte is read, and a header with its second line.

use fixedbitset::FixedBitSet;

use super::code::{EdgeId, Pc};
use super::inputs::named;

/// Bits of the number of a way. Two ways of one number are taken for one.
const BITS: u32 = 18;

/// An edge, and the one before it that an input decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Way(u32);

/// The ways that were gone in any run.
#[derive(Clone, Debug)]
pub(super) struct Coverage {
    gone: FixedBitSet,
    /// The edge that an input decided last in the run at hand.
    last: EdgeId,
    /// Where the function at hand was called, if that makes another way of an edge.
    pub caller: Option<Pc>,
    /// Which run is at hand, and of ways that an input decided, by their number without that: the last run that went them, how often.
    run: u32,
    times: Vec<(u32, u8)>,
}

/// So many times that a run goes a way are told from more.
const MOST_TIMES: u8 = 3;

impl Default for Coverage {
    fn default() -> Self {
        Coverage {
            gone: FixedBitSet::with_capacity(1 << BITS),
            last: EdgeId::MAX,
            caller: None,
            run: 0,
            times: Vec::new(),
        }
    }
}

impl Coverage {
    /// A run begins.
    pub(super) fn begin_run(&mut self) {
        self.last = EdgeId::MAX;
        self.run += 1;
    }

    /// The way that taking an edge now would be.
    pub(super) fn way(&self, edge: EdgeId) -> Way {
        let key = self.key(edge);
        let times = match self.times.get((key >> (64 - BITS)) as usize) {
            Some((run, times)) if *run == self.run => *times,
            _ => 0,
        };
        self.numbered(key, times)
    }

    fn key(&self, edge: EdgeId) -> u64 {
        let key = named(u64::from(self.last), u64::from(edge));
        self.caller.map_or(key, |pc| named(key, u64::from(pc)))
    }

    fn numbered(&self, key: u64, times: u8) -> Way {
        let key = match times {
            0 => key,
            n => named(key, u64::from(n)),
        };
        Way((key >> (64 - BITS)) as u32)
    }

    /// A way that an input decided is gone once more; how often it was gone before, as far as that is told apart.
    fn count(&mut self, key: u64) -> u8 {
        if self.caller.is_none() {
            return 0;
        }
        self.times.resize(1 << BITS, (0, 0));
        let (run, times) = &mut self.times[(key >> (64 - BITS)) as usize];
        if std::mem::replace(run, self.run) != self.run {
            *times = 0;
        }
        let before = *times;
        *times = (before + 1).min(MOST_TIMES - 1);
        before
    }

    /// Whether a run has gone a way.
    pub(super) fn is_covered(&self, way: Way) -> bool {
        self.gone.contains(way.0 as usize)
    }

    /// Takes an edge; whether that is new.
    pub(super) fn take(&mut self, by_input: bool, edge: EdgeId) -> bool {
        let key = self.key(edge);
        let times = if by_input { self.count(key) } else { 0 };
        let way = self.numbered(key, times);
        if by_input {
            self.last = edge;
        }
        !self.gone.put(way.0 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_another_way_for_another_caller() {
        let mut coverage = Coverage {
            caller: Some(7),
            ..Coverage::default()
        };
        assert!(coverage.take(true, 1));
        coverage.begin_run();
        coverage.caller = Some(8);
        assert!(coverage.take(true, 1));
        coverage.begin_run();
        assert!(!coverage.take(true, 1));
    }

    #[test]
    fn a_decision_is_another_way_the_second_time() {
        let mut coverage = Coverage {
            caller: Some(7),
            ..Coverage::default()
        };
        let mut run = || {
            coverage.begin_run();
            [1, 2, 1, 2].map(|edge| coverage.take(true, edge))
        };
        assert_eq!(run(), [true; 4]);
        assert_eq!(run(), [false; 4]);
    }

    #[test]
    fn an_edge_after_another_decision_is_another_way() {
        let mut coverage = Coverage::default();
        assert!(coverage.take(true, 1));
        assert!(coverage.take(true, 2));
        coverage.begin_run();
        assert!(coverage.take(true, 3));
        assert!(coverage.take(true, 2));
        assert!(!coverage.is_covered(coverage.way(2)));
        coverage.begin_run();
        assert!(!coverage.take(true, 1));
    }
}
