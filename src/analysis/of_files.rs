//! Objects of which there is one for each open file, and what their locks do not guard.
//!
//! There is one device, but a file may be opened often: a lock that `open` allocates is another one for each file, and says nothing of
//! memory that all of them use. The threads of a pair share one file, so that neither locks nor a search tell: of such memory nothing
//! is known.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::accesses::Key;
use super::conflicts::{Side, core, meet};
use super::lockset::{self, Doubts};
use super::points_to::{ObjectKind, PointsTo, Space};
use super::regions::{Namer, starred};
use crate::index::Idx;
use crate::program::Program;

/// The objects that these functions allocate, themselves or by models that they call.
pub(super) fn made_by(
    program: &Program,
    points_to: &PointsTo,
    functions: &FixedBitSet,
) -> FixedBitSet {
    let mut made = FixedBitSet::with_capacity(points_to.objects().len());
    for (id, object) in points_to.objects().iter_ids() {
        let ObjectKind::Heap(place) = object.kind else {
            continue;
        };
        let mut instance = &points_to.instances()[place.instance];
        while let (Some(site), true) =
            (instance.site, program.functions[instance.function].is_model)
        {
            instance = &points_to.instances()[site.instance];
        }
        made.set(id.index(), functions.contains(instance.function.index()));
    }
    made
}

/// The memory that only locks of single files guard, although it is not of one file: names of regions, sorted, elements of arrays
/// told apart by none ([`starred`]).
pub(super) fn unguarded(
    program: &Program,
    points_to: &PointsTo,
    sides: &[Side],
    doubts: &Doubts<'_>,
    of_files: &FixedBitSet,
) -> Vec<String> {
    if of_files.is_clear() {
        return Vec::new();
    }
    let of_all = doubts.with_files(of_files);
    let namer = Namer::new(program, points_to);
    let guarded_by_files = |a: &Key, b: &Key| {
        let ends = [a, b].map(|k| (&k.held, k.address, k.len));
        let guarded = |doubts: &Doubts<'_>| lockset::common(ends[0], ends[1], doubts).is_some();
        guarded(doubts) && !guarded(&of_all)
    };
    let mut found = BTreeSet::new();
    for (n, first) in sides.iter().enumerate() {
        let from = if first.many { n } else { n + 1 };
        for second in sides.iter().skip(from) {
            for (object, keys) in &first.table.accesses {
                let shared = object.is_some_and(|o| !of_files.contains(o.index()));
                let Some(others) = second.table.accesses.get(object).filter(|_| shared) else {
                    continue;
                };
                for a in keys.keys().filter(|a| asked(a)) {
                    let only_by_files = |b: &&Key| {
                        asked(b)
                            && (a.write || b.write)
                            && (a.unmarked || b.unmarked)
                            && meet(a, b)
                            && guarded_by_files(a, b)
                    };
                    let others = others.near(a).map(|n| others.get(n).0);
                    found.extend(others.filter(only_by_files).map(|b| {
                        let (address, len) = core(a, b);
                        starred(&namer.bytes(address, len))
                    }));
                }
            }
        }
    }
    found.into_iter().collect()
}

fn asked(key: &Key) -> bool {
    key.space == Space::Memory && key.visible && key.silenced.is_none()
}
