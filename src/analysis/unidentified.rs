//! Where two threads would meet if an object from outside were another's.
//!
//! What a function without a model gives, and what an entry point is given that no rule describes, is an object of its own here. It may
//! be one that other threads have. So members of structs that both sides access, one of them in such an object, are told: of these
//! nothing is known, whatever was found out about other objects. The same holds for a struct that only the input knows, behind a pointer in
//! an object from outside that nobody here has set: what keeps a driver's data for it is the driver's own.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::accesses::{Key, Table};
use super::conflicts::Side;
use super::lockset::{Held, Lock, Mode};
use super::points_to::{ObjectId, ObjectKind, PointsTo, Space};
use super::regions::Namer;
use crate::index::Idx;
use crate::program::{Function, Origin, Program};

/// Memory where two threads may meet, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unidentified {
    /// As [`super::plan::PlannedRegion::name`]: `struct foo.bar`.
    pub name: String,
    /// The objects of which it is not known whose they are, for people, sorted.
    pub objects: Vec<String>,
}

/// The function that an object comes from of which nothing tells whose it is.
fn giver<'p>(program: &'p Program, points_to: &PointsTo, object: ObjectId) -> Option<&'p Function> {
    let top = points_to.objects()[object].top;
    match points_to.objects()[top].kind {
        ObjectKind::Lazy(place) => {
            let function = points_to.instances()[place.instance].function;
            Some(&program.functions[function]).filter(|f| f.outside)
        }
        _ => None,
    }
}

/// Whether a pointer in an object from outside leads to it that nobody here sets.
fn is_content(points_to: &PointsTo, object: ObjectId) -> bool {
    let at = match points_to.objects()[object].kind {
        ObjectKind::Child(at) => at,
        ObjectKind::Rest(..) => return points_to.is_rest_of_unset(object),
        _ => return false,
    };
    let made_up = |o: ObjectId| match points_to.objects()[o].kind {
        ObjectKind::Child(from) => from == at,
        ObjectKind::Rest(..) => true,
        _ => false,
    };
    points_to.held_at(at).into_iter().all(made_up)
}

/// The objects that only pointers in objects from outside lead to, which nobody here sets.
pub(super) fn contents(points_to: &PointsTo) -> FixedBitSet {
    let all = points_to.objects().iter_ids().map(|(object, _)| object);
    let contents = all.filter(|object| is_content(points_to, *object));
    contents.map(Idx::index).collect()
}

/// Whether that member, `struct foo.bar`, is of a struct that only the input knows.
fn is_own(program: &Program, points_to: &PointsTo, name: &str) -> bool {
    let name = name
        .strip_prefix("struct ")
        .and_then(|n| n.split('.').next());
    let origin = name.and_then(|n| points_to.layouts().origin(program, n));
    matches!(origin, Some(Origin::Source | Origin::Header))
}

/// The accesses of a thread to members of structs, by their names.
type Named<'t> = BTreeMap<String, Vec<(ObjectId, &'t Key)>>;

fn named<'t>(
    namer: &Namer<'_>,
    table: &'t Table,
    wanted: &dyn Fn(ObjectId) -> bool,
    fits: &dyn Fn(ObjectId, &str) -> bool,
    only: Option<&Named<'_>>,
) -> Named<'t> {
    let mut found = Named::new();
    for (object, keys) in &table.accesses {
        let Some(object) = object.filter(|o| wanted(*o)) else {
            continue;
        };
        for key in keys.keys() {
            if key.space != Space::Memory || !key.visible {
                continue;
            }
            let name = namer.bytes(key.address, key.len);
            if name.starts_with("struct ")
                && fits(object, &name)
                && only.is_none_or(|o| o.contains_key(&name))
            {
                found.entry(name).or_default().push((object, key));
            }
        }
    }
    found
}

/// Whether both would hold one lock, were the two objects one.
fn guarded(a: &Held, b: &Held) -> bool {
    a.iter().any(|(lock, mode)| {
        b.iter().any(|(other, other_mode)| {
            let same = match (lock, other) {
                (Lock::At(x), Lock::At(y)) => x == y,
                (Lock::Beside(d), Lock::Beside(e)) => d == e,
                _ => false,
            };
            let alone = *mode == Mode::Exclusive || *other_mode == Mode::Exclusive;
            same && alone && mode.is_lock() && other_mode.is_lock()
        })
    })
}

/// Where these threads may meet. `contents`: see [`contents`].
pub(super) fn meetings(
    program: &Program,
    points_to: &PointsTo,
    contents: &FixedBitSet,
    sides: &[Side],
) -> Vec<Unidentified> {
    let namer = Namer::new(program, points_to);
    let giver = |o: ObjectId| giver(program, points_to, o);
    let content = |o: ObjectId| contents.contains(o.index());
    let unknown = |o: ObjectId| giver(o).is_some() || content(o);
    let fits = |o: ObjectId, name: &str| giver(o).is_some() || is_own(program, points_to, name);
    // For the same arguments there is one object; without any, another one each time.
    let another = |o: ObjectId| giver(o).is_some_and(|f| f.params.is_empty());
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let own: Vec<Named<'_>> = sides
        .iter()
        .map(|s| named(&namer, &s.table, &unknown, &fits, None))
        .collect();
    for (n, first) in own.iter().enumerate().filter(|(_, o)| !o.is_empty()) {
        for (m, side) in sides.iter().enumerate() {
            if m == n && !side.many {
                continue;
            }
            let others = named(&namer, &side.table, &|_| true, &|_, _| true, Some(first));
            for (name, accesses) in &others {
                for (object, a) in &first[name] {
                    let meets = accesses.iter().any(|(other, b)| {
                        (object != other || another(*object))
                            && (a.write || b.write)
                            && (a.unmarked || b.unmarked)
                            && !guarded(&a.held, &b.held)
                    });
                    if meets {
                        let whose = match giver(*object) {
                            Some(_) => points_to.objects()[*object].top,
                            None => *object,
                        };
                        let objects = found.entry(name.clone()).or_default();
                        objects.insert(namer.object(whose));
                    }
                }
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|(name, objects)| Unidentified {
            name,
            objects: objects.into_iter().collect(),
        })
        .collect()
}
