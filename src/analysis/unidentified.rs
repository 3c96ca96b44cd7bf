//! Where two threads would meet if an object from outside were another's.
//!
//! What a function without a model gives, and what an entry point is given that no rule describes, is an object of its own here. It may
//! be one that other threads have. So members of structs that both sides access, one of them in such an object, are told: of these
//! nothing is known, whatever was found out about other objects. The same holds for a struct that only the input knows, where it
//! lies around an object from outside, or behind a pointer in one that nobody here has set: what keeps a driver's data for it is the
//! driver's own, and was allocated by it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::accesses::{Key, Table};
use super::conflicts::Side;
use super::lockset::{Held, Lock, Mode};
use super::points_to::{ObjectId, ObjectKind, PointsTo, Space};
use super::regions::Namer;
use crate::environment::contract::GHOST_HOLDERS;
use crate::environment::discover;
use crate::index::Idx;
use crate::program::{Function, Origin, Program};
use crate::region::Region;

/// Memory where two threads may meet, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unidentified {
    /// As [`super::plan::PlannedRegion::name`]: `struct foo.bar`.
    pub name: Region,
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

/// The objects that only pointers in objects from outside lead to, which nobody here sets. Behind a pointer that somebody here sets there
/// is what he put there, and nothing made up, however deep.
pub(super) fn contents(points_to: &PointsTo) -> FixedBitSet {
    let objects = points_to.objects();
    let all = objects.iter_ids().map(|(object, _)| object);
    let behind_unset: FixedBitSet = all
        .filter(|object| is_content(points_to, *object))
        .map(Idx::index)
        .collect();
    let is_found = |object: ObjectId| {
        let mut at = object;
        while let ObjectKind::Child(from) = objects[at].kind {
            if !behind_unset.contains(at.index()) {
                return false;
            }
            at = from.object;
        }
        at != object || behind_unset.contains(at.index())
    };
    let all = objects.iter_ids().map(|(object, _)| object);
    all.filter(|o| is_found(*o)).map(Idx::index).collect()
}

/// Whether that member, `struct foo.bar`, is of a struct that only the input knows.
fn is_own(program: &Program, points_to: &PointsTo, name: &str) -> bool {
    let name = name
        .strip_prefix("struct ")
        .and_then(|n| n.split('.').next());
    let origin = name.and_then(|n| points_to.layouts().origin(program, n));
    matches!(origin, Some(Origin::Source | Origin::Header))
}

/// What lies in members of structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum HeldIn {
    /// What the input reads and writes.
    Memory,
    /// Locks: who holds them.
    Locks,
}

/// The accesses of a thread to members of structs, by what lies there and their names without indices.
#[derive(Default)]
pub(super) struct Members(FxHashMap<(HeldIn, String), Vec<Member>>);

/// Where two threads may meet, or not; each sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meetings {
    /// In memory.
    pub memory: Vec<Unidentified>,
    /// In a lock that both take: they wait for each other there, or not.
    pub locks: Vec<Unidentified>,
}

/// An access to a member.
struct Member {
    /// Its name, with indices.
    name: String,
    object: ObjectId,
    /// Its number among the keys of the object.
    key: usize,
    /// Whether nothing tells whose the object is.
    unknown: bool,
    /// Whether it is known all the same of two objects of a kind: the struct lies around either.
    of_each: bool,
}

/// What is known of the objects of an input.
struct Known<'a, 'p> {
    program: &'p Program,
    points_to: &'a PointsTo,
    namer: Namer<'a>,
    contents: &'a FixedBitSet,
}

impl HeldIn {
    /// What an access is to; `None`: to nothing by which threads meet.
    fn of(k: &Key) -> Option<HeldIn> {
        match k.space {
            Space::Memory if k.visible && k.silenced.is_none() => Some(HeldIn::Memory),
            Space::Ghost(Some(key)) if GHOST_HOLDERS.contains(&key) => Some(HeldIn::Locks),
            Space::Memory | Space::Ghost(_) | Space::Life => None,
        }
    }
}

impl Known<'_, '_> {
    fn giver(&self, object: ObjectId) -> Option<&Function> {
        giver(self.program, self.points_to, object)
    }

    /// Whether an access is to a struct in which an object from outside lies, or that lies behind it: of another name than that, or
    /// beginning before it.
    fn lies_around(&self, object: ObjectId, k: &Key) -> bool {
        if !matches!(self.points_to.objects()[object].kind, ObjectKind::Lazy(_)) {
            return false;
        }
        let layouts = self.points_to.layouts();
        let found = layouts.covering(self.program, object, k.address.rem, k.len.min(8));
        found.is_some_and(|(start, name)| {
            let own = self.namer.object(object);
            let own = own.split(':').next().unwrap_or_default();
            start < 0 || name != own && layouts.origin(self.program, own).is_some()
        })
    }

    /// Whether these are the two of a kind that are told apart.
    fn are_two(&self, a: ObjectId, b: ObjectId) -> bool {
        let [a, b] = [a, b].map(|o| self.namer.object(o));
        discover::another(&a) == b || discover::another(&b) == a
    }

    /// Made once for each kind of thread.
    fn members(&self, table: &Table) -> Members {
        let mut found = Members::default();
        let shared = table.accesses.iter();
        let shared = shared.filter_map(|(object, keys)| Some(((*object)?, keys)));
        let as_own = table.as_own.iter().map(|(object, keys)| (*object, keys));
        for (object, keys) in shared.chain(as_own) {
            let content = self.contents.contains(object.index());
            let is_child = matches!(self.points_to.objects()[object].kind, ObjectKind::Child(_));
            let given = (!is_child || content) && self.giver(object).is_some();
            for (key, k) in keys.keys().enumerate() {
                let Some(held_in) = HeldIn::of(k) else {
                    continue;
                };
                let name = self.namer.bytes(k.address, k.len);
                if name.starts_with("struct ") {
                    let own = || is_own(self.program, self.points_to, &name);
                    let around = || self.lies_around(object, k);
                    // Locks of the kernel's own objects are told by rules.
                    let given = given && held_in == HeldIn::Memory;
                    let own = own();
                    let around = own && around();
                    let unknown = given || content && own || around;
                    let member = Member {
                        name,
                        object,
                        key,
                        unknown,
                        of_each: around && !given && !content,
                    };
                    let whole = without_indices(&member.name);
                    found.0.entry((held_in, whole)).or_default().push(member);
                }
            }
        }
        found
    }
}

/// A name without what stands in brackets.
fn without_indices(name: &str) -> String {
    let parts = name.split('[');
    let mut whole = String::new();
    for (n, part) in parts.enumerate() {
        let after = part.split_once(']').map_or("", |(_, after)| after);
        whole.push_str(if n == 0 { part } else { after });
    }
    whole
}

/// Whether two members of one name are different elements of an array.
fn are_apart(a: &str, b: &str) -> bool {
    let indices = |name: &str| -> Vec<Option<u64>> {
        let parts = name.split('[').skip(1);
        parts
            .map(|p| p.split_once(']').and_then(|(index, _)| index.parse().ok()))
            .collect()
    };
    let both = indices(a).into_iter().zip(indices(b));
    let mut differ = both.filter_map(|(x, y)| Some(x? != y?));
    differ.any(|d| d)
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
) -> Meetings {
    let known = Known {
        program,
        points_to,
        namer: Namer::new(program, points_to),
        contents,
    };
    // For the same arguments there is one object; without any, another one each time.
    let another = |o: ObjectId| known.giver(o).is_some_and(|f| f.params.is_empty());
    let members = |side: &'_ Side| {
        let table = side.table.clone();
        table.members.get_or_init(|| known.members(&table));
        table
    };
    let mut found: FxHashMap<HeldIn, BTreeMap<String, BTreeSet<String>>> = FxHashMap::default();
    let tables: Vec<Arc<Table>> = sides.iter().map(members).collect();
    let of = |n: usize| tables[n].members.get().into_iter().flat_map(|m| &m.0);
    for n in 0..sides.len() {
        for (name, own) in of(n) {
            let mut unknown = own.iter().filter(|m| m.unknown).peekable();
            if unknown.peek().is_none() {
                continue;
            }
            let unknown: Vec<&Member> = unknown.collect();
            for (m, side) in sides.iter().enumerate() {
                let others = tables[m].members.get().and_then(|all| all.0.get(name));
                let Some(others) = others.filter(|_| m != n || side.many) else {
                    continue;
                };
                for member in &unknown {
                    let object = member.object;
                    let a = tables[n].key(object, member.key);
                    let meets = others.iter().any(|other| {
                        let b = tables[m].key(other.object, other.key);
                        (object != other.object || another(object))
                            && !(member.of_each && known.are_two(object, other.object))
                            && !are_apart(&member.name, &other.name)
                            && (a.write || b.write)
                            && (a.unmarked || b.unmarked || name.0 == HeldIn::Locks)
                            && !guarded(&a.held, &b.held)
                    });
                    if meets {
                        let whose = match known.giver(object) {
                            Some(_) => points_to.objects()[object].top,
                            None => object,
                        };
                        let found = found.entry(name.0).or_default();
                        let objects = found.entry(member.name.clone()).or_default();
                        objects.insert(known.namer.object(whose));
                    }
                }
            }
        }
    }
    let mut told = |held_in: HeldIn| {
        let found = found.remove(&held_in).unwrap_or_default().into_iter();
        let told = found.map(|(name, objects)| Unidentified {
            name: Region::new(name),
            objects: objects.into_iter().collect(),
        });
        told.collect()
    };
    Meetings {
        memory: told(HeldIn::Memory),
        locks: told(HeldIn::Locks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays_are_told_apart_where_both_are_known() {
        assert_eq!(without_indices("struct x.a[3].b[*].c"), "struct x.a.b.c");
        assert_eq!(without_indices("struct x.a"), "struct x.a");
        assert!(are_apart("struct x.a[3]", "struct x.a[4]"));
        assert!(!are_apart("struct x.a[3]", "struct x.a[*]"));
        assert!(!are_apart("struct x.a[3]", "struct x.a"));
    }
}
