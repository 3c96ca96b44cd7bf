//! How many regions of memory the threads of an input touch: what the regions without a proof are a share of.
//!
//! As the memory regions of WHOOP (ASE 2015, table I) these are all that an entry point may read or write, shared with another or
//! not. Named as reports name them; what covers smaller regions (a copy of the whole object) is none of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::index::{IdVec, Idx};
use crate::region::starred;

use super::plan::Planner;
use super::points_to::{Address, ObjectId, Space};
use super::regions::Namer;

/// Regions that the threads of an input touch.
pub struct Touched {
    /// In memory that two threads may reach.
    pub shared: usize,
    /// In memory that one thread alone reaches.
    pub private: usize,
}

impl Planner<'_> {
    /// Counts the regions that threads touch.
    pub fn touched(&self) -> Touched {
        let points_to = self.points_to;
        let mut cores: IdVec<ObjectId, BTreeSet<(bool, u64, Address)>> =
            IdVec::filled(BTreeSet::new(), points_to.objects().len());
        let threads = self.executed();
        for (id, instance) in points_to.instances().iter_ids() {
            if !threads.contains(id.index()) {
                continue;
            }
            for access in instance
                .accesses
                .iter()
                .filter(|a| a.space == Space::Memory)
            {
                for address in points_to.reached(access) {
                    let len = points_to.length(self.program, access, address);
                    cores[address.object].insert((address.stride != 0, len, address));
                }
            }
        }
        let namer = Namer::new(self.program, points_to);
        let mut names = [BTreeSet::new(), BTreeSet::new()];
        for (object, smallest_first) in cores.iter_ids() {
            if !points_to.is_user_visible(object) {
                continue;
            }
            let names = &mut names[usize::from(points_to.is_shared(object))];
            // The ranges kept, by where they begin; those of elements of arrays.
            let mut ranges: BTreeMap<i64, i128> = BTreeMap::new();
            let mut elements: Vec<(Address, u64)> = Vec::new();
            for (_, len, address) in smallest_first {
                let covers = match address.offset() {
                    Some(start) => {
                        let end = i128::from(start) + i128::from(*len);
                        let next = ranges.range(start..).next();
                        let before = ranges.range(..start).next_back();
                        next.is_some_and(|(s, _)| i128::from(*s) < end)
                            || before.is_some_and(|(_, e)| *e > i128::from(start))
                            || {
                                ranges.insert(start, end);
                                false
                            }
                    }
                    None => {
                        let meets =
                            |(other, n): &(Address, u64)| address.overlaps(*len, *other, *n);
                        let whole = ranges.iter().any(|(start, end)| {
                            let n = u64::try_from(end - i128::from(*start)).unwrap_or(u64::MAX);
                            address.overlaps(*len, Address::at(object, *start), n)
                        });
                        whole || elements.iter().any(meets) || {
                            elements.push((*address, *len));
                            false
                        }
                    }
                };
                if !covers {
                    names.insert(starred(&namer.bytes(*address, *len)));
                }
            }
        }
        let [private, shared] = names.map(|n| n.len());
        Touched { shared, private }
    }
}
