//! Objects that stand for one concrete object in every execution.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::faults::{LocksetFault, NetFault, seeded};
use crate::index::{IdVec, Idx};
use crate::program::Program;

use super::super::points_to::{InstanceId, ObjectId, ObjectKind, Place, PointsTo};
use super::super::threads::in_loop;

/// The objects of which there is one: global variables, what is allocated where control passes once, and what the pointers of
/// such an object at a constant offset lead to when they are first read.
pub(in crate::analysis) fn objects(program: &Program, points_to: &PointsTo) -> FixedBitSet {
    let mut once = Once {
        program,
        points_to,
        loops: !seeded(LocksetFault::LoopMakesOne) && !seeded(NetFault::LoopMakesOne),
        ways: points_to.ways_in(),
        known: FxHashMap::default(),
    };
    let mut single = FixedBitSet::with_capacity(points_to.objects().len());
    // Children come after their parents: depth by depth.
    let mut order: Vec<ObjectId> = points_to.objects().ids().collect();
    order.sort_by_key(|o| (points_to.objects()[*o].depth, *o));
    for id in order {
        let one = match points_to.objects()[id].kind {
            ObjectKind::Global(g) => !program.globals[g].thread_local,
            ObjectKind::Stack(p) | ObjectKind::Heap(p) | ObjectKind::Lazy(p) => once.place(p),
            ObjectKind::Child(address) => {
                address.stride == 0 && single.contains(address.object.index())
            }
            ObjectKind::ThreadSlot(_)
            | ObjectKind::Function(_)
            | ObjectKind::Parameter(..)
            | ObjectKind::Rest(..)
            | ObjectKind::Carrier(_) => false,
        };
        single.set(id.index(), one);
    }
    single
}

/// What control passes at most once in an execution.
struct Once<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// Whether what is in a loop may be passed again (always, but for a fault).
    loops: bool,
    /// The calls and thread starts by which an instance is entered.
    ways: IdVec<InstanceId, Vec<Place>>,
    known: FxHashMap<InstanceId, bool>,
}

impl Once<'_> {
    fn place(&mut self, place: Place) -> bool {
        let function = self.points_to.instances()[place.instance].function;
        let again = self.loops && in_loop(&self.program.functions[function], place.block);
        !again && self.instance(place.instance)
    }

    fn instance(&mut self, id: InstanceId) -> bool {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        // Recursion enters more than once.
        self.known.insert(id, false);
        let once = match self.ways[id].as_slice() {
            [] => true,
            [place] => {
                let place = *place;
                self.place(place)
            }
            _ => false,
        };
        self.known.insert(id, once);
        once
    }
}
