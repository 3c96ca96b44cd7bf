//! Refinement: where following all memory of a driver costs too much, only that is followed which runs of the net depend on.
//!
//! Beginning with none of what is written after initialisation, each run that the net has to a candidate is taken to be spurious: it may
//! branch contrary to what it wrote. Those cells are followed in the next net that most such runs access.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::cells::{Kind, Location};
use super::explore::Explorer;

/// Cells that are followed more, each time.
const AT_ONCE: usize = 3;

impl Explorer<'_> {
    /// Of a finished construction: only what is written later and tells a thread where to go is worth states.
    pub(super) fn learn_what_varies(&mut self) {
        for cell in self.cells.table.iter() {
            let at = cell.location;
            let memory = matches!(at.kind, Kind::Memory(_));
            let data = memory
                && !cell.tested
                && !cell.counter
                && (cell.changes || cell.contents.len() > 1);
            let asked = cell.by_model || self.lessons.demanded.contains(&at);
            let set = if data {
                &mut self.lessons.banned
            } else if !cell.changes && !cell.counter {
                continue;
            } else if self.lazy && memory && !asked {
                &mut self.lessons.deferred
            } else {
                &mut self.lessons.varying
            };
            self.again |= set.insert(at);
        }
    }

    /// From now on, memory that is written later is followed only if it is asked for.
    pub(super) fn follow_less(&mut self) {
        self.lazy = true;
        self.too_large = false;
        self.lessons.varying.clear();
    }

    /// Asks for some of what each of the runs accesses; whether there is any that is not followed yet.
    pub(super) fn demand(&mut self, runs: Vec<Vec<Location>>) -> bool {
        let mut wanted: BTreeMap<Location, usize> = BTreeMap::new();
        for run in runs {
            let words = run.into_iter().map(|l| self.word(l));
            let deferred: BTreeSet<Location> = words
                .filter(|l| self.lessons.deferred.contains(l))
                .collect();
            for location in deferred {
                *wanted.entry(location).or_default() += 1;
            }
        }
        let mut wanted: Vec<(Location, usize)> = wanted.into_iter().collect();
        wanted.sort_by_key(|(location, runs)| (Reverse(*runs), *location));
        for (location, _) in wanted.iter().take(AT_ONCE) {
            self.lessons.deferred.remove(location);
            self.lessons.demanded.insert(*location);
        }
        !wanted.is_empty()
    }
}
