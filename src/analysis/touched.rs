//! How many regions of memory the threads of an input touch: what the regions without a proof are a share of.
//!
//! As the memory regions of WHOOP (ASE 2015, table I) these are all that an entry point may read or write, shared with another or
//! not. Named as reports name them; what covers smaller regions (a copy of the whole object) is none of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::conflicts::starred;
use super::plan::Planner;
use super::points_to::{Address, ObjectId, Space};
use super::regions::Namer;

impl Planner<'_> {
    /// The names of the regions that a thread touches.
    pub fn touched(&self) -> BTreeSet<String> {
        let mut cores: BTreeMap<ObjectId, BTreeSet<(bool, u64, Address)>> = BTreeMap::new();
        for table in self.tables() {
            for (object, keys) in &table.accesses {
                let Some(object) = object else { continue };
                let seen = keys.keys().filter(|k| k.visible && k.space == Space::Memory);
                let seen = seen.map(|k| (k.address.stride != 0, k.len, k.address));
                cores.entry(*object).or_default().extend(seen);
            }
        }
        let namer = Namer::new(self.program, self.points_to);
        let mut names = BTreeSet::new();
        for smallest_first in cores.into_values() {
            let mut kept: Vec<(Address, u64)> = Vec::new();
            for (_, len, address) in smallest_first {
                let covers = |(other, n): &(Address, u64)| address.overlaps(len, *other, *n);
                if !kept.iter().any(covers) {
                    kept.push((address, len));
                    names.insert(starred(&namer.bytes(address, len)));
                }
            }
        }
        names
    }
}
