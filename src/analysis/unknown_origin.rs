//! Accesses through pointers of which nothing tells where they come from: made of a number, or bytes, that no pointer is known to have
//! become.
//!
//! In a program there is nobody else who could have made such a pointer, so that it may lead to whatever another thread accesses. Each
//! pair of such an access and another thread's in the user's code is a question to the search; locks prove nothing of it. Of drivers, which get such
//! pointers from outside, see [`super::unidentified`]. What it misses: what two such accesses have in common beside memory that
//! somebody accesses by a known pointer is told as unknown memory, as everywhere.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::accesses::Key;
use super::conflicts::{Race, Side, core};
use super::points_to::{ObjectId, ObjectKind, PointsTo, Space};
use crate::index::{Idx, SiteId};
use crate::program::Program;

/// What may race so, by the object that the other access is of; the places at which threads switch for it are added to `enabled`.
pub(super) fn races<'k>(
    program: &Program,
    points_to: &PointsTo,
    sides: &'k [Side],
    enabled: &mut FixedBitSet,
) -> BTreeMap<ObjectId, Vec<Race<'k>>> {
    let mut found: BTreeMap<ObjectId, Vec<Race<'k>>> = BTreeMap::new();
    for (n, side) in sides.iter().enumerate() {
        let Some(unknown) = side.table.accesses.get(&None) else {
            continue;
        };
        let others = sides.iter().enumerate();
        for (m, other) in others.filter(|(m, _)| *m != n || side.many) {
            for (object, keys) in &other.table.accesses {
                let Some(object) = object.filter(|o| is_variable(program, points_to, *o)) else {
                    continue;
                };
                for (a, sites) in unknown.iter() {
                    let of_user = |s: &&SiteId| !program.sites[**s].in_model;
                    let conflicting = keys.iter().filter(|(b, others)| {
                        may_race(a, b) && others.own.iter().any(|s| of_user(&s))
                    });
                    for (b, others) in conflicting {
                        for switched in [sites, others] {
                            let all = switched.outside.iter().chain(&switched.begins);
                            enabled.extend(all.map(|s| s.index()));
                        }
                        // The first side is named first, as in the regions that both know.
                        let (first, second, unmarked) = match n <= m {
                            true => (sites, others, [a.unmarked, b.unmarked]),
                            false => (others, sites, [b.unmarked, a.unmarked]),
                        };
                        found.entry(object).or_default().push(Race {
                            core: core(b, b),
                            first,
                            second,
                            unmarked,
                        });
                    }
                }
            }
        }
    }
    found
}

fn is_variable(program: &Program, points_to: &PointsTo, object: ObjectId) -> bool {
    match points_to.objects()[object].kind {
        ObjectKind::Global(g) => !program.globals[g].constant,
        ObjectKind::Function(_) => false,
        _ => true,
    }
}

fn may_race(a: &Key, b: &Key) -> bool {
    let memory = a.space == Space::Memory && b.space == Space::Memory;
    let silenced = a.silenced.or(b.silenced).is_some();
    memory && (a.write || b.write) && (a.unmarked || b.unmarked) && b.visible && !silenced
}
