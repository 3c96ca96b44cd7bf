//! Which thread may change where another one goes: it writes memory of whose content a branch of the other one depends, or what a model keeps
//! of an object (the entries of a table).
//!
//! Misses what [`super::dependence`] misses, and reads of all other state of the models' and the harness's own.

use std::collections::BTreeSet;

use crate::environment::contract::GHOST_CONTENTS;
use crate::index::{FuncId, Idx};

use super::conflicts::meet;
use super::dependence::Dependence;
use super::plan::Planner;
use super::points_to::{InstanceId, Space};
use super::sections::AccessId;
use super::threads::closure;

impl Planner<'_> {
    /// The reads on which branches of the input's own code depend, in threads that start in these functions.
    pub fn steering(&self, roots: &[FuncId]) -> BTreeSet<AccessId> {
        let within = closure(self.points_to, self.instances_of(roots));
        let dependence = Dependence::new(self.program, self.points_to);
        let of_input = |f: FuncId| !self.program.functions[f].is_model;
        let places = dependence.of_branches(&within, of_input);
        let instances = within.ones().map(InstanceId::new);
        let accesses = instances.flat_map(|id| {
            let own = self.points_to.instances()[id].accesses.iter().enumerate();
            own.map(move |(n, access)| ((id, n as u32), access.place))
        });
        let steering = accesses.filter(|(_, place)| places.contains(place));
        steering.map(|(id, _)| id).collect()
    }

    /// At how many places in memory threads that start in the first functions write what such reads (of threads that start in the second
    /// ones) may read.
    pub fn steers(
        &self,
        writer: &[FuncId],
        reader: &[FuncId],
        reads: &BTreeSet<AccessId>,
    ) -> usize {
        let (Some(writer), Some(reader)) = (self.alone(writer), self.alone(reader)) else {
            return 0;
        };
        let mut count = 0;
        for (object, keys) in &reader.accesses {
            let Some(written) = writer.accesses.get(object).filter(|_| object.is_some()) else {
                continue;
            };
            let counts = |space: Space| match space {
                Space::Memory => true,
                Space::Ghost(key) => key.is_some_and(|key| GHOST_CONTENTS.contains(&key)),
                Space::Life => false,
            };
            let steering = keys.iter().filter(|(key, sites)| {
                let seen = key.visible || matches!(key.space, Space::Ghost(_));
                counts(key.space) && seen && sites.accesses.iter().any(|a| reads.contains(a))
            });
            let writes = || written.keys().filter(|k| k.write && counts(k.space));
            count += steering
                .filter(|(key, _)| writes().any(|w| meet(w, key)))
                .count();
        }
        count
    }
}
