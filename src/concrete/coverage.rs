//! Where runs have gone: edges between blocks, each with the edge that an input decided last before it.
//!
//! Pairs, not single edges (n-gram coverage for n = 2: Wang, Duan, Song, Yin and Song, RAID 2019): of two conditions that both have to
//! hold, each may have held in a run in which the other did not. Of a program, whose calls of the C library are all of the same few functions,
//! a way through a function is another one for each place that calls it.

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
}

impl Default for Coverage {
    fn default() -> Self {
        Coverage {
            gone: FixedBitSet::with_capacity(1 << BITS),
            last: EdgeId::MAX,
            caller: None,
        }
    }
}

impl Coverage {
    /// A run begins.
    pub(super) fn begin_run(&mut self) {
        self.last = EdgeId::MAX;
    }

    /// The way that taking an edge now would be.
    pub(super) fn way(&self, edge: EdgeId) -> Way {
        let mut key = named(u64::from(self.last), u64::from(edge));
        if let Some(caller) = self.caller {
            key = named(key, u64::from(caller));
        }
        Way((key >> (64 - BITS)) as u32)
    }

    /// Whether a run has gone a way.
    pub(super) fn is_covered(&self, way: Way) -> bool {
        self.gone.contains(way.0 as usize)
    }

    /// Takes an edge; whether that is new.
    pub(super) fn take(&mut self, by_input: bool, edge: EdgeId) -> bool {
        let way = self.way(edge);
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
