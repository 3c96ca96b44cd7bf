//! What a run shows, beside what it does: where it came, what it accessed, and which ways an input kept it from.

use rustc_hash::FxHashMap;

use super::code::EdgeId;
use super::coverage::Way;
use super::inputs::{Domain, Input};
use super::machine::{Machine, Mark, Register};
use super::memory::{BYTES, Taint};
use crate::index::{Idx, SiteId};
use crate::trace::schedule::ThreadNumber;

/// Marks a taint that is the number of a comparison, not of an input.
const COMPARED: Taint = 1 << 31;

/// Comparisons of inputs that are kept of one run.
const MOST_COMPARED: usize = 1 << 16;

/// Masks that are kept of one input.
const MOST_MASKS: usize = 6;

/// An access of memory that others may see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub thread: ThreadNumber,
    pub site: SiteId,
    pub at: u64,
    pub bytes: u64,
    pub write: bool,
    /// How many steps its thread has taken before the one that it is in.
    pub step: u32,
    /// Whether it is in an atomic section.
    pub in_section: bool,
    /// Threads that have been made by then.
    pub threads: u32,
}

/// What an input was compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// Number of the input, plus one: of the first, if there are several.
    pub input: Taint,
    /// Whether it is a byte, and those after it may be further ones of the same number.
    pub bytes: bool,
    /// What came of the input, and what that was compared with.
    pub own: u64,
    pub other: u64,
}

/// A way that was not taken, and the comparison that decided it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotTaken {
    /// Which; none: the thread waits.
    pub way: Option<Way>,
    pub compared: Compared,
}

/// What a run showed. It stays when the run is taken back.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Visible instructions of threads' own code, without doubles, in the order in which they were met first.
    pub sites: Vec<SiteId>,
    /// Whether each of them is there.
    pub is_seen: fixedbitset::FixedBitSet,
    /// The accesses of sites that are wanted.
    pub accesses: Vec<Access>,
    pub not_taken: Vec<NotTaken>,
    /// Ways that no run before had gone.
    pub new_ways: u32,
    /// The inputs that were asked for, those of sections that could not be taken too.
    pub asked: Vec<Input>,
    compared: Vec<Compared>,
    /// Constants that masked what came of an input.
    masks: FxHashMap<Taint, Vec<u64>>,
}

impl Seen {
    /// The masks of an input.
    pub(super) fn masks(&self, input: Taint) -> &[u64] {
        self.masks.get(&input).map_or(&[], Vec::as_slice)
    }

    /// Comparisons of inputs.
    pub(super) fn comparisons(&self) -> usize {
        self.compared.len()
    }

    /// Forgets sites from the n-th on.
    pub(super) fn forget_sites(&mut self, from: usize) {
        for site in self.sites.drain(from..) {
            self.is_seen.set(site.index(), false);
        }
    }

    pub(super) fn clear(&mut self, sites: usize, to: &Mark) {
        self.sites.clear();
        self.is_seen.clear();
        self.is_seen.grow(sites);
        self.accesses.clear();
        self.not_taken.clear();
        self.new_ways = 0;
        // What came before has marks of these.
        self.asked.truncate(to.asked);
        self.compared.truncate(to.compared);
        self.masks.clear();
    }
}

impl Machine<'_> {
    /// Writes down that a thread's own code came to a visible instruction.
    pub(super) fn met(&mut self, domain: Domain, site: SiteId) {
        if domain != Domain::Before && !self.seen.is_seen.contains(site.index()) {
            self.seen.is_seen.grow_and_insert(site.index());
            self.seen.sites.push(site);
        }
    }

    /// What a comparison of two registers leaves of where they came from.
    pub(super) fn compared(&mut self, a: Register, b: Register) -> Taint {
        let old = [a.taint, b.taint].into_iter().find(|t| t & COMPARED != 0);
        if let Some(old) = old {
            return old;
        }
        let (own, other) = if a.taint != 0 { (a, b) } else { (b, a) };
        if own.taint == 0 || self.seen.compared.len() >= MOST_COMPARED {
            return 0;
        }
        self.seen.compared.push(Compared {
            input: own.taint & !BYTES,
            bytes: own.taint & BYTES != 0,
            own: own.value,
            other: other.value,
        });
        COMPARED | (self.seen.compared.len() - 1) as Taint
    }

    /// A condition turned out so: the other way, if no run has gone it yet, is written down with what decided.
    pub(super) fn decided(&mut self, by: Register, taken: EdgeId, other: EdgeId) {
        if by.taint != 0 {
            let way = self.coverage.way(other);
            if !self.coverage.is_covered(way) {
                let compared = self.what_decided(by);
                self.not_taken(Some(way), compared);
            }
        }
        self.take(by.taint != 0, taken);
    }

    /// A way is taken; whether an input decided that.
    pub(super) fn take(&mut self, by_input: bool, taken: EdgeId) {
        self.seen.new_ways += u32::from(self.coverage.take(by_input, taken));
    }

    /// A thread waits for a condition.
    pub(super) fn waits(&mut self, by: Register) {
        if by.taint != 0 {
            let compared = self.what_decided(by);
            self.not_taken(None, compared);
        }
    }

    fn what_decided(&self, by: Register) -> Compared {
        match by.taint & COMPARED {
            0 => Compared {
                input: by.taint & !BYTES,
                bytes: by.taint & BYTES != 0,
                own: by.value,
                other: by.value ^ 1,
            },
            _ => self.seen.compared[(by.taint & !COMPARED) as usize],
        }
    }

    /// A way that a number would have to be another for.
    pub(super) fn would_be(&mut self, by: Register, other: u64, edge: EdgeId) {
        if by.taint == 0 || by.taint & COMPARED != 0 {
            return;
        }
        let way = self.coverage.way(edge);
        if !self.coverage.is_covered(way) {
            let compared = Compared {
                input: by.taint & !BYTES,
                bytes: by.taint & BYTES != 0,
                own: by.value,
                other,
            };
            self.not_taken(Some(way), compared);
        }
    }

    fn not_taken(&mut self, way: Option<Way>, compared: Compared) {
        if self.seen.not_taken.len() < MOST_COMPARED {
            self.seen.not_taken.push(NotTaken { way, compared });
        }
    }

    /// A constant masked what came of an input.
    pub(super) fn masked(&mut self, a: Register, b: Register) {
        let (own, mask) = if a.taint != 0 { (a, b) } else { (b, a) };
        if own.taint == 0 || own.taint & COMPARED != 0 || mask.taint != 0 {
            return;
        }
        let masks = self.seen.masks.entry(own.taint & !BYTES).or_default();
        if masks.len() < MOST_MASKS && !masks.contains(&mask.value) {
            masks.push(mask.value);
        }
    }
}
