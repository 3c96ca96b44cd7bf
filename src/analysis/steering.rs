//! Which thread may change where another one goes: it writes memory of whose content a branch of the other one depends.
//!
//! Misses what [`super::dependence`] misses, and reads of the models' and the harness's own state.

use std::collections::BTreeSet;

use crate::index::{FuncId, SiteId};

use super::conflicts::meet;
use super::dependence::Dependence;
use super::plan::Planner;
use super::points_to::Space;
use super::threads::closure;

impl Planner<'_> {
    /// The reads of shared memory on which branches of the input's own code depend, in threads that start in these functions.
    pub fn steering(&self, roots: &[FuncId]) -> BTreeSet<SiteId> {
        let within = closure(self.points_to, self.instances_of(roots));
        let dependence = Dependence::new(self.program, self.points_to);
        let of_input = |f: FuncId| !self.program.functions[f].is_model;
        let places = dependence.of_branches(&within, of_input);
        let site = |place: super::points_to::Place| {
            let function = self.points_to.instances()[place.instance].function;
            let block = &self.program.functions[function].blocks[place.block];
            block.instrs.get(place.index as usize)?.site
        };
        places.into_iter().filter_map(site).collect()
    }

    /// At how many places in memory threads that start in the first functions write what such reads (of threads that start in the second
    /// ones) may read.
    pub fn steers(&self, writer: &[FuncId], reader: &[FuncId], reads: &BTreeSet<SiteId>) -> usize {
        let (Some(writer), Some(reader)) = (self.alone(writer), self.alone(reader)) else {
            return 0;
        };
        let mut count = 0;
        for (object, keys) in &reader.accesses {
            let Some(written) = writer.accesses.get(object).filter(|_| object.is_some()) else {
                continue;
            };
            let of_memory = |space: Space| space == Space::Memory;
            let steering = keys.iter().filter(|(key, sites)| {
                of_memory(key.space) && key.visible && sites.own.iter().any(|s| reads.contains(s))
            });
            let writes = || written.keys().filter(|k| k.write && of_memory(k.space));
            count += steering
                .filter(|(key, _)| writes().any(|w| meet(w, key)))
                .count();
        }
        count
    }
}
