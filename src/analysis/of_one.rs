//! Objects of which there are several although there is one device, and what their locks do not guard.
//!
//! A file may be opened often, a converter has several ports: a lock that `open` allocates is another one for each file, that of a port
//! another one for each port, and says nothing of memory that all of them use. The threads of a pair share one file and one port, so that
//! neither locks nor a search tell: of such memory nothing is known.
//!
//! What it takes for an object's own: what the harness gives entry points as that object, and what functions allocate that run for one
//! of them only. What the pointers in such an object lead to when nothing
//! stores them may be everybody's, and counts as that.

use fixedbitset::FixedBitSet;

use super::lockset::Doubts;
use super::points_to::{Address, ObjectId, ObjectKind, PointsTo};
use crate::index::{GlobalId, Idx};
use crate::program::Program;

/// A kind of object of which there may be several.
#[derive(Clone, Debug)]
pub struct Several {
    /// Its name, for people.
    pub name: String,
    /// The cells of the harness that hold the address of one.
    pub cells: Vec<GlobalId>,
    /// The functions that run for one of them alone: what they allocate, there is once for each.
    pub makers: FixedBitSet,
    /// Whether what they allocate is everybody's as soon as memory that is everybody's leads to it.
    pub kept: bool,
}

/// The objects of which there is one for each of a kind, by [`super::points_to::ObjectId`].
pub(super) struct Own {
    /// The name of the kind.
    pub name: String,
    objects: FixedBitSet,
}

impl Own {
    /// Whether what lies at `at` is one's own while `data` is not: a lock there may be another one for each who accesses that.
    pub fn guards_only_its_own(&self, at: Address, data: Address) -> bool {
        self.objects.contains(at.object.index()) && !self.objects.contains(data.object.index())
    }

    /// Whether a lock in one of these objects may be one's own, while `data` is not.
    pub fn may_guard_only_its_own(&self, within: &[ObjectId], data: Address) -> bool {
        let own = |object: &ObjectId| self.objects.contains(object.index());
        within.iter().any(own) && !own(&data.object)
    }

    /// The same doubts, and those about locks of one of several.
    pub fn doubts<'a>(&'a self, doubts: &Doubts<'a>) -> Doubts<'a> {
        doubts.of_several(&self.objects)
    }
}

/// The objects of such a kind.
pub(super) fn own(program: &Program, points_to: &PointsTo, several: &Several) -> Own {
    let mut objects = made_by(program, points_to, &several.makers);
    let made = objects.clone();
    let cells = several.cells.iter();
    for cell in cells.filter_map(|c| points_to.object(ObjectKind::Global(*c))) {
        let given = points_to.pointees(cell).into_iter();
        // What the driver makes itself is part of what it makes.
        let given = given.filter(|o| matches!(points_to.objects()[*o].kind, ObjectKind::Lazy(_)));
        objects.extend(given.map(Idx::index));
    }
    if several.kept {
        drop_published(program, points_to, &made, &mut objects);
        add_children(points_to, &made, &mut objects);
    }
    Own {
        name: several.name.clone(),
        objects,
    }
}

/// Where an object's own pointer leads to something of its own, what it leads to otherwise is that as well: who set it up is not seen.
fn add_children(points_to: &PointsTo, made: &FixedBitSet, own: &mut FixedBitSet) {
    let all = points_to.objects().iter_ids();
    let children = all.filter_map(|(id, object)| match object.kind {
        ObjectKind::Child(at) if own.contains(at.object.index()) => {
            let is_made = |o: &ObjectId| made.contains(o.index()) && own.contains(o.index());
            points_to.held_at(at).iter().any(is_made).then_some(id)
        }
        _ => None,
    });
    let children: Vec<ObjectId> = children.collect();
    own.extend(children.into_iter().map(Idx::index));
}

/// Takes those of `made` away to which memory leads that is everybody's, until there is none.
fn drop_published(
    program: &Program,
    points_to: &PointsTo,
    made: &FixedBitSet,
    own: &mut FixedBitSet,
) {
    let holders: Vec<_> = points_to
        .objects()
        .iter_ids()
        .filter(|(_, object)| match object.kind {
            ObjectKind::Global(g) => !program.harness.own_globals.contains(&g),
            ObjectKind::Heap(_) | ObjectKind::Lazy(_) | ObjectKind::Child(_) => true,
            ObjectKind::ThreadSlot(_)
            | ObjectKind::Function(_)
            | ObjectKind::Stack(_)
            | ObjectKind::Parameter(..)
            | ObjectKind::Rest(..)
            | ObjectKind::Carrier(_) => false,
        })
        .map(|(id, _)| (id.index(), points_to.pointees(id)))
        .collect();
    loop {
        let shared = holders.iter().filter(|(id, _)| !own.contains(*id));
        let lost: Vec<usize> = shared
            .flat_map(|(_, led_to)| led_to.iter().map(|o| o.index()))
            .filter(|o| own.contains(*o) && made.contains(*o))
            .collect();
        if lost.is_empty() {
            return;
        }
        for o in lost {
            own.set(o, false);
        }
    }
}

/// The objects that these functions allocate, themselves or by models that they call.
fn made_by(program: &Program, points_to: &PointsTo, functions: &FixedBitSet) -> FixedBitSet {
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
