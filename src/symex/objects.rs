//! The objects of a symbolic run, their addresses, and which of them a pointer term can mean.
//!
//! Every object has a concrete base address, far from all others, so that a pointer is an ordinary term and
//! comparisons of pointers, null tests and error-pointer tests fold. The *guarded set of objects* that a pointer can
//! mean is read off the shape of its term: the leaves of its if-then-else tree.
//! What this assumes: no program result depends on the numeric distance between two objects; an index into an object of unknown
//! size leads no further than such an object reaches in a replay.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Node, Term, Terms};
use crate::index::{FuncId, GlobalId};

/// An object: a global, a stack slot, a heap block, or one made when first used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// What an object holds before the program writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// The initialiser of a global.
    Global(GlobalId),
    /// Zeros.
    Zero,
    /// Arbitrary bytes (fresh stack or heap memory).
    Arbitrary,
    /// Arbitrary, and what is read as a pointer leads to null or to a further such object.
    Lazy,
}

/// Where an object came from: enough to give it the same name in a concrete run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A global.
    Global(GlobalId),
    /// A function's address (not readable).
    Function(FuncId),
    /// An instruction, in one dynamic instance (a hash of call path and iterations).
    Instance(u64),
    /// Reached through the pointer at that offset of a lazy object.
    Child(ObjectId, u64),
    /// Reached through the pointer at that index of a lazy object.
    Indexed(ObjectId, Term),
    /// The stand-in for addresses that are plain numbers (ghost state of irq lines and the like).
    Numbers,
}

/// Facts about an object that no execution changes.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it came from.
    pub origin: Origin,
    /// First address.
    pub base: u64,
    /// Size in bytes, if constant.
    pub size: Option<u64>,
    /// Size in bytes, if what the program computes says it (a heap block).
    pub extent: Option<Term>,
    /// Content before any write.
    pub initial: Initial,
    /// Initial content that was asked for so far: offset to (bytes, value). Fixed once chosen.
    pub lazy_cells: BTreeMap<u64, (u32, Term)>,
    /// Initial content as an array, once a symbolic offset needed it.
    pub lazy_array: Option<crate::expr::ArrayTerm>,
}

const SPACING_64: u64 = 1 << 26;
const BASE_64: u64 = 0x1000_0000_0000;
const REACH_64: u64 = 1 << 18;
const SPACING_32: u64 = 1 << 16;
const REACH_32: u64 = 1 << 14;
const BASE_32: u64 = 0x1000_0000;

/// All objects of a run.
#[derive(Clone, Debug)]
pub struct Objects {
    pointer_bits: u32,
    all: Vec<Object>,
    by_origin: FxHashMap<Origin, ObjectId>,
    by_slot: BTreeMap<u64, ObjectId>,
    next_base: u64,
    resolved: FxHashMap<Term, Arc<Vec<Target>>>,
    /// As `resolved`, for addresses with leaves that may still be bound to an object: good for that many bound ones.
    resolved_so_far: (usize, FxHashMap<Term, Arc<Vec<Target>>>),
    /// Symbolic integers that were used as pointers: each is null or the base of its own object.
    pub bound: FxHashMap<Term, ObjectId>,
    /// Further objects that a bound one may lead to: those of the same place, known by another offset.
    pub also: FxHashMap<Term, Vec<ObjectId>>,
    /// Words that are no pointers, whatever they are.
    pub no_pointers: FxHashSet<Term>,
}

/// One thing that a pointer can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// When.
    pub condition: Term,
    /// What.
    pub place: Place,
}

/// What an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte of an object.
    Object(ObjectId, Term),
    /// Null, an error value, or some other number that is no address.
    Invalid(Term),
    /// Not known: a term that no rule understands.
    Unknown(Term),
}

/// More targets than this are given up as unknown.
const MAX_TARGETS: usize = 256;
/// Addresses among which a tree chooses, above which a target's condition is that the tree is this one, not how it comes to it: of
/// all targets together, that would be the tree over again for each.
const FEW_LEAVES: usize = 4;
/// Choices of a tree that are looked at.
const MAX_NODES: usize = 8192;
/// Deeper terms than this are given up as unknown.
const MAX_DEPTH: u32 = 2000;

/// Targets at one place become one.
fn join_targets(terms: &mut Terms, all: Vec<Target>) -> Vec<Target> {
    let mut joined: Vec<Target> = Vec::with_capacity(all.len());
    for t in all {
        match joined.iter_mut().find(|m| m.place == t.place) {
            Some(m) => m.condition = terms.or(m.condition, t.condition),
            None => joined.push(t),
        }
    }
    joined
}

/// The leaves of a tree that has more than a few, the constants first.
fn many_leaves(terms: &Terms, tree: Term) -> Option<Vec<Term>> {
    let mut seen = FxHashSet::default();
    let (mut constants, mut others) = (Vec::new(), Vec::new());
    let mut todo = vec![tree];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        match *terms.node(t) {
            Node::Ite(_, a, b) => todo.extend([a, b]),
            Node::Const(_) => constants.push(t),
            _ => others.push(t),
        }
        if seen.len() > MAX_NODES || constants.len() + others.len() > MAX_TARGETS {
            return None;
        }
    }
    constants.append(&mut others);
    (constants.len() > FEW_LEAVES).then_some(constants)
}

impl Objects {
    /// No objects yet.
    pub fn new(pointer_bits: u32) -> Objects {
        let next_base = if pointer_bits >= 64 { BASE_64 } else { BASE_32 };
        Objects {
            pointer_bits,
            all: Vec::new(),
            by_origin: FxHashMap::default(),
            by_slot: BTreeMap::new(),
            next_base,
            resolved: FxHashMap::default(),
            resolved_so_far: (0, FxHashMap::default()),
            bound: FxHashMap::default(),
            also: FxHashMap::default(),
            no_pointers: FxHashSet::default(),
        }
    }

    /// The object of that origin, made if need be.
    pub fn intern(&mut self, origin: Origin, size: Option<u64>, initial: Initial) -> ObjectId {
        if let Some(&id) = self.by_origin.get(&origin) {
            return id;
        }
        let id = ObjectId(self.all.len() as u32);
        let spacing = if self.pointer_bits >= 64 {
            SPACING_64
        } else {
            SPACING_32
        };
        let base = self.next_base;
        self.next_base += spacing * (2 + size.unwrap_or(0) / spacing);
        self.by_origin.insert(origin, id);
        self.by_slot.insert(base, id);
        self.all.push(Object {
            origin,
            base,
            size,
            extent: None,
            initial,
            lazy_cells: BTreeMap::new(),
            lazy_array: None,
        });
        id
    }

    /// An object that exists already.
    pub fn find(&self, origin: Origin) -> Option<ObjectId> {
        self.by_origin.get(&origin).copied()
    }

    /// The facts.
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.all[id.0 as usize]
    }

    /// The facts, to be extended.
    pub fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.all[id.0 as usize]
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// First address as a term.
    pub fn address(&self, terms: &mut Terms, id: ObjectId) -> Term {
        terms.constant(self.pointer_bits, u128::from(self.get(id).base))
    }

    /// The object that holds a concrete address, and the offset there (up to half the gap behind its end, and a
    /// little before its start: container_of).
    fn at(&self, address: u64) -> Option<(ObjectId, u64)> {
        let spacing = if self.pointer_bits >= 64 {
            SPACING_64
        } else {
            SPACING_32
        };
        let before = spacing / 4;
        let (base, id) = self
            .by_slot
            .range(..=address.wrapping_add(before))
            .next_back()?;
        let extent = self.get(*id).size.unwrap_or(0) + spacing / 2;
        let offset = address.wrapping_sub(*base);
        if (offset as i64) < 0 {
            return Some((*id, offset & self.mask()));
        }
        (offset < extent).then_some((*id, offset))
    }

    /// The lazy object at an address, which is no global, and how far beyond its start.
    pub fn lazy_at(&self, address: u64) -> Option<(ObjectId, u64)> {
        let (object, offset) = self.at(address)?;
        let global = matches!(self.get(object).origin, Origin::Global(_));
        (self.get(object).initial == Initial::Lazy && !global).then_some((object, offset))
    }

    /// The global or function at an address, and how far beyond its start.
    pub fn symbol_at(&self, address: u64) -> Option<(Origin, u64)> {
        let (object, offset) = self.at(address)?;
        let origin = self.get(object).origin;
        let named = matches!(origin, Origin::Global(_) | Origin::Function(_));
        (address != 0 && named).then_some((origin, offset))
    }

    /// A heap block of that many bytes, where `condition` holds; elsewhere it is what it was if it is there already.
    pub fn allocate(
        &mut self,
        terms: &mut Terms,
        origin: Origin,
        (size, condition): (Term, Term),
        initial: Initial,
    ) -> ObjectId {
        let constant = terms.as_const(size).map(|n| n as u64);
        let id = match self.find(origin) {
            None => self.intern(origin, constant, initial),
            Some(id) if self.get(id).size.is_some() => return id,
            Some(id) => id,
        };
        if constant.is_none() {
            let extent = match self.get(id).extent {
                Some(other) => terms.ite(condition, size, other),
                None => size,
            };
            self.get_mut(id).extent = Some(extent);
        }
        id
    }

    /// Whether that many bytes at an offset lie in an object: the condition.
    pub fn inside(&self, terms: &mut Terms, id: ObjectId, offset: Term, bytes: Term) -> Term {
        let object = self.get(id);
        let size = match (object.size, object.extent) {
            (Some(size), _) => terms.constant(self.pointer_bits, u128::from(size)),
            (None, Some(size)) => size,
            (None, None) if terms.as_const(offset).is_some() => return terms.tru(),
            (None, None) => return self.within_reach(terms, offset),
        };
        // offset + bytes <= size, with offset unsigned
        let fits = terms.ule(bytes, size);
        let last = terms.sub(size, bytes);
        let before = terms.ule(offset, last);
        let here = terms.and(fits, before);
        match object.size {
            Some(_) => here,
            None => {
                let near = self.within_reach(terms, offset);
                terms.and(here, near)
            }
        }
    }

    /// Whether an offset lies in an object of unknown size.
    fn within_reach(&self, terms: &mut Terms, offset: Term) -> Term {
        let reach = match self.pointer_bits {
            64.. => REACH_64,
            _ => REACH_32,
        };
        // A word there is whole.
        let margin = terms.constant(self.pointer_bits, u128::from(reach - 16));
        let width = terms.constant(self.pointer_bits, u128::from(2 * reach - 32));
        let distance = terms.add(offset, margin);
        terms.ult(distance, width)
    }

    fn mask(&self) -> u64 {
        if self.pointer_bits >= 64 {
            u64::MAX
        } else {
            (1 << self.pointer_bits) - 1
        }
    }

    /// The guarded set of things that an address can mean. The conditions exclude each other and cover all cases.
    pub fn resolve(&mut self, terms: &mut Terms, address: Term) -> Arc<Vec<Target>> {
        self.targets(terms, address, 0)
    }

    /// Bottom up, each shared subterm once.
    fn targets(&mut self, terms: &mut Terms, t: Term, depth: u32) -> Arc<Vec<Target>> {
        if let Some(known) = self.resolved.get(&t) {
            return known.clone();
        }
        if self.resolved_so_far.0 != self.bound.len() {
            self.resolved_so_far = (self.bound.len(), FxHashMap::default());
        }
        if let Some(known) = self.resolved_so_far.1.get(&t) {
            return known.clone();
        }
        let out = self.targets_of(terms, t, depth);
        let shared = Arc::new(join_targets(terms, out));
        // An unknown leaf may be bound to an object later.
        if shared.iter().any(|t| matches!(t.place, Place::Unknown(_))) {
            self.resolved_so_far.1.insert(t, shared.clone());
        } else {
            self.resolved.insert(t, shared.clone());
        }
        shared
    }

    fn targets_of(&mut self, terms: &mut Terms, t: Term, depth: u32) -> Vec<Target> {
        let yes = terms.tru();
        let unknown = vec![Target {
            condition: yes,
            place: Place::Unknown(t),
        }];
        if depth > MAX_DEPTH {
            return unknown;
        }
        let zero = terms.constant(self.pointer_bits, 0);
        if let Some(value) = terms.as_const(t) {
            let place = self.constant_place(terms, value as u64, zero, t);
            return vec![Target {
                condition: yes,
                place,
            }];
        }
        if let Some(&object) = self.bound.get(&t) {
            let null = terms.eq(t, zero);
            let mut left = terms.not(null);
            let mut out = vec![Target {
                condition: null,
                place: Place::Invalid(t),
            }];
            for other in self.also.get(&t).cloned().unwrap_or_default() {
                let base = self.address(terms, other);
                let here = terms.eq(t, base);
                out.push(Target {
                    condition: here,
                    place: Place::Object(other, zero),
                });
                let not_here = terms.not(here);
                left = terms.and(left, not_here);
            }
            out.push(Target {
                condition: left,
                place: Place::Object(object, zero),
            });
            return out;
        }
        if self.no_pointers.contains(&t) {
            return vec![Target {
                condition: yes,
                place: Place::Invalid(t),
            }];
        }
        match *terms.node(t) {
            Node::Ite(c, a, b) => {
                if let Some(leaves) = many_leaves(terms, t) {
                    return self.targets_of_leaves(terms, t, &leaves, depth);
                }
                self.either(terms, (c, a, b), depth).unwrap_or(unknown)
            }
            Node::Zext(_) | Node::Concat(..) => super::lift::lift(terms, t)
                .and_then(|choice| self.either(terms, choice, depth))
                .unwrap_or(unknown),
            Node::Add(a, b) => {
                // The constant stands on the right; if it is an address, the rest is an index.
                if let Some(value) = terms.as_const(b)
                    && self.at(value as u64).is_some()
                    && !self.has_object(terms, a)
                {
                    let place = self.constant_place(terms, value as u64, a, t);
                    return vec![Target {
                        condition: yes,
                        place,
                    }];
                }
                let (base, plus) = if terms.as_const(b).is_some() || self.has_object(terms, a) {
                    (a, b)
                } else if self.has_object(terms, b) {
                    (b, a)
                } else {
                    return unknown;
                };
                let targets = self.targets(terms, base, depth + 1);
                targets
                    .iter()
                    .map(|target| {
                        let place = match target.place {
                            Place::Object(object, offset) => {
                                let offset = terms.add(offset, plus);
                                Place::Object(object, offset)
                            }
                            Place::Invalid(n) => {
                                let sum = terms.add(n, plus);
                                match terms.as_const(sum) {
                                    // A displacement may lead from before an object into it.
                                    Some(v) => self.constant_place(terms, v as u64, zero, sum),
                                    None => Place::Invalid(sum),
                                }
                            }
                            Place::Unknown(_) => Place::Unknown(t),
                        };
                        Target {
                            condition: target.condition,
                            place,
                        }
                    })
                    .collect()
            }
            _ => unknown,
        }
    }

    /// Of one address if a condition holds, of another if not; `None` if these are too many.
    fn either(
        &mut self,
        terms: &mut Terms,
        (c, a, b): (Term, Term, Term),
        depth: u32,
    ) -> Option<Vec<Target>> {
        let left = self.targets(terms, a, depth + 1);
        let right = self.targets(terms, b, depth + 1);
        let not_c = terms.not(c);
        let mut out = Vec::with_capacity(left.len() + right.len());
        for (side, condition) in [(left, c), (right, not_c)] {
            for target in side.iter() {
                let condition = terms.and(condition, target.condition);
                if !terms.is_false(condition) {
                    out.push(Target {
                        condition,
                        place: target.place,
                    });
                }
            }
        }
        (out.len() <= MAX_TARGETS).then_some(out)
    }

    /// Of a tree over these: each where the tree equals it and none before it.
    fn targets_of_leaves(
        &mut self,
        terms: &mut Terms,
        tree: Term,
        leaves: &[Term],
        depth: u32,
    ) -> Vec<Target> {
        let constants = leaves
            .iter()
            .filter(|l| terms.as_const(**l).is_some())
            .count();
        // What an index has led out of its object is nowhere, even if another leaf is the same number.
        let astray = self.astray(terms, tree, &leaves[constants..], depth);
        let not_astray = terms.not(astray);
        let mut none_before = not_astray;
        let mut out = Vec::with_capacity(leaves.len());
        for (n, &leaf) in leaves.iter().enumerate() {
            let targets = self.targets(terms, leaf, depth + 1);
            let object = matches!(
                targets[..],
                [Target {
                    place: Place::Object(..),
                    ..
                }]
            );
            // Programs compare with null: that condition should read as theirs do.
            let here = match terms.as_const(leaf) {
                Some(_) if !object => terms.eq(tree, leaf),
                _ => terms.is_leaf(tree, leaf),
            };
            // Constants exclude each other.
            let only = match (n < constants, n + 1 == leaves.len()) {
                (true, _) => terms.and(here, not_astray),
                (false, true) => none_before,
                (false, false) => terms.and(none_before, here),
            };
            let not_here = terms.not(here);
            none_before = terms.and(none_before, not_here);
            for target in targets.iter() {
                let condition = terms.and(only, target.condition);
                if !terms.is_false(condition) {
                    out.push(Target {
                        condition,
                        place: target.place,
                    });
                }
            }
        }
        out
    }

    /// When a tree is one of these leaves and the leaf's index leads out of its object.
    fn astray(&mut self, terms: &mut Terms, tree: Term, leaves: &[Term], depth: u32) -> Term {
        let mut any = terms.fals();
        for leaf in leaves {
            let targets = self.targets(terms, *leaf, depth + 1);
            for target in targets.iter() {
                let Place::Object(object, offset) = target.place else {
                    continue;
                };
                if terms.as_const(offset).is_some() {
                    continue;
                }
                let mut near = self.within_reach(terms, offset);
                if let Some(size) = self.get(object).size {
                    let size = terms.constant(self.pointer_bits, u128::from(size));
                    let inside = terms.ule(offset, size);
                    near = terms.or(near, inside);
                }
                let far = terms.not(near);
                let here = terms.is_leaf(tree, *leaf);
                let all = terms.and_all(&[here, target.condition, far]);
                any = terms.or(any, all);
            }
        }
        any
    }

    fn constant_place(&self, terms: &mut Terms, value: u64, plus: Term, whole: Term) -> Place {
        let extra = terms.as_const(plus);
        // A constant displacement may lead from before an object into it.
        let total = extra.map(|e| value.wrapping_add(e as u64) & self.mask());
        let found = self.at(value).or_else(|| {
            total
                .and_then(|t| self.at(t))
                .map(|(o, _)| (o, value.wrapping_sub(self.get(o).base)))
        });
        match found {
            Some((object, offset)) => {
                let offset = terms.constant(self.pointer_bits, u128::from(offset & self.mask()));
                let offset = terms.add(offset, plus);
                Place::Object(object, offset)
            }
            None => match total {
                Some(n) => Place::Invalid(terms.constant(self.pointer_bits, u128::from(n))),
                None if value < 1 << 16 => Place::Invalid(whole),
                None => Place::Unknown(whole),
            },
        }
    }

    /// Whether a sum or a choice leads to an object. Each shared subterm once.
    fn has_object(&self, terms: &Terms, t: Term) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let Some(value) = terms.as_const(t) {
                if self.at(value as u64).is_some() {
                    return true;
                }
            } else if self.bound.contains_key(&t) {
                return true;
            } else if let Node::Ite(_, a, b) | Node::Add(a, b) = *terms.node(t) {
                open.extend([b, a]);
            }
        }
        false
    }
}
