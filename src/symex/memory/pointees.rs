//! Which places a pointer term can mean: the *guarded set of objects*, read off the shape of its term. Its leaves are the addresses
//! among which its if-then-else tree chooses.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Node, Term, Terms};
use crate::symex::memory::objects::{ObjectId, Objects};

/// One thing that a pointer can mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// When.
    pub condition: Term,
    /// What.
    pub place: Place,
}

/// What an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
/// Summands of a sum that are looked at by themselves.
const MAX_ADDENDS: usize = 16;
/// Deeper terms than this are given up as unknown.
const MAX_DEPTH: u32 = 2000;

/// Targets at one place become one. An address may choose among hundreds, at each step of a loop over a table.
fn join_targets(terms: &mut Terms, all: Vec<Target>) -> Vec<Target> {
    let mut joined: Vec<Target> = Vec::with_capacity(all.len());
    let mut known: FxHashMap<Place, usize> = FxHashMap::default();
    for t in all {
        match known.entry(t.place) {
            Entry::Occupied(at) => {
                let same = &mut joined[*at.get()];
                same.condition = terms.or(same.condition, t.condition);
            }
            Entry::Vacant(at) => {
                at.insert(joined.len());
                joined.push(t);
            }
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

/// What a sum adds, and what it takes away.
fn addends(terms: &Terms, sum: Term) -> (Vec<Term>, Vec<Term>) {
    let (mut added, mut taken) = (Vec::new(), Vec::new());
    let mut open = vec![(sum, true)];
    while let Some((t, adds)) = open.pop() {
        match *terms.node(t) {
            Node::Add(a, b) if added.len() + taken.len() + open.len() < MAX_ADDENDS => {
                open.extend([(b, adds), (a, adds)]);
            }
            Node::Neg(a) => open.push((a, !adds)),
            _ if adds => added.push(t),
            _ => taken.push(t),
        }
    }
    (added, taken)
}

impl Objects {
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
            return self.targets_of_lazy(terms, t, object, zero);
        }
        if let Some(addresses) = self.guessed.get(&t).cloned() {
            self.guessed_pointers.insert(t);
            return self.targets_of_guess(terms, t, &addresses, zero);
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
            Node::Zext(_) | Node::Concat(..) => crate::symex::memory::ite_lift::lift(terms, t)
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
                let (base, plus) = if let Some(left_over) = self.left_over(terms, t) {
                    left_over
                } else if terms.as_const(b).is_some() || self.has_object(terms, a) {
                    (a, b)
                } else if self.has_object(terms, b) {
                    (b, a)
                } else {
                    return unknown;
                };
                let targets = self.targets(terms, base, depth + 1);
                let displaced = targets.iter().map(|target| Target {
                    condition: target.condition,
                    place: self.displaced(terms, target.place, plus, t),
                });
                displaced.collect()
            }
            _ => unknown,
        }
    }

    /// A place, and so many bytes on: what `whole` leads to.
    fn displaced(&self, terms: &mut Terms, place: Place, plus: Term, whole: Term) -> Place {
        match place {
            Place::Object(object, offset) => {
                let offset = terms.add(offset, plus);
                Place::Object(object, offset)
            }
            Place::Invalid(n) => {
                let sum = terms.add(n, plus);
                match terms.as_const(sum) {
                    // A displacement may lead from before an object into it.
                    Some(v) => {
                        let zero = terms.constant(self.pointer_bits, 0);
                        self.constant_place(terms, v as u64, zero, sum)
                    }
                    None => Place::Invalid(sum),
                }
            }
            Place::Unknown(_) => Place::Unknown(whole),
        }
    }

    /// Of a pointer that was made up when it was first read: null, an object that others lead to as well, or its own.
    fn targets_of_lazy(
        &mut self,
        terms: &mut Terms,
        t: Term,
        object: ObjectId,
        zero: Term,
    ) -> Vec<Target> {
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
        out
    }

    /// Of a guess: one of these addresses, or none.
    fn targets_of_guess(
        &self,
        terms: &mut Terms,
        t: Term,
        addresses: &[u64],
        zero: Term,
    ) -> Vec<Target> {
        let mut left = terms.tru();
        let mut out = Vec::with_capacity(addresses.len() + 1);
        for address in addresses {
            let constant = terms.constant(self.pointer_bits, u128::from(*address));
            let condition = terms.eq(t, constant);
            let place = self.constant_place(terms, *address, zero, constant);
            out.push(Target { condition, place });
            let not_here = terms.not(condition);
            left = terms.and(left, not_here);
        }
        out.push(Target {
            condition: left,
            place: Place::Invalid(t),
        });
        out
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

    /// Whether a sum or a choice leads to an object.
    fn has_object(&self, terms: &Terms, t: Term) -> bool {
        self.some_object(terms, (t, true), |_| true)
    }

    /// Whether a sum or a choice leads to one of these objects; if it does not `add`, its negative. Each shared subterm once.
    fn some_object(
        &self,
        terms: &Terms,
        (t, adds): (Term, bool),
        mut wanted: impl FnMut(ObjectId) -> bool,
    ) -> bool {
        // No object has an address of the upper half: such numbers are negative.
        let lead = |value: u128| {
            let value = value as u64 & self.mask();
            let negative = value >> (self.pointer_bits - 1) != 0;
            match (adds, negative) {
                (true, false) => self.at(value),
                (false, true) => self.at(value.wrapping_neg() & self.mask()),
                (true, true) | (false, false) => None,
            }
        };
        let mut seen = FxHashSet::default();
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let Some(value) = terms.as_const(t) {
                if lead(value).is_some_and(|(o, _)| wanted(o)) {
                    return true;
                }
            } else if let Some(object) = self.bound.get(&t).filter(|_| adds) {
                if wanted(*object) {
                    return true;
                }
            } else if let Some(addresses) = self.guessed.get(&t).filter(|_| adds) {
                let mut objects = addresses.iter().filter_map(|a| self.at(*a));
                if objects.any(|(o, _)| wanted(o)) {
                    return true;
                }
            } else if let Node::Ite(_, a, b) | Node::Add(a, b) = *terms.node(t) {
                open.extend([b, a]);
            }
        }
        false
    }

    /// Of a sum from which pointers are taken away: the one that is left over, and the rest. `new + (end - start)` leads to where `new` does,
    /// since `end` leads to nothing but what `start` leads to.
    fn left_over(&self, terms: &mut Terms, sum: Term) -> Option<(Term, Term)> {
        let (added, taken) = addends(terms, sum);
        let mut gone = FxHashSet::default();
        // What is taken away stands there as such, or its addresses do with the other sign.
        let away = taken.iter().map(|t| (*t, true));
        for t in away.chain(added.iter().map(|t| (*t, false))) {
            self.some_object(terms, t, |o| {
                gone.insert(o);
                false
            });
        }
        if gone.is_empty() {
            return None;
        }
        let leads = |n: &usize| self.some_object(terms, (added[*n], true), |o| !gone.contains(&o));
        let mut leading = (0..added.len()).filter(leads);
        let (base, None) = (leading.next()?, leading.next()) else {
            return None;
        };
        let zero = terms.constant(self.pointer_bits, 0);
        let others = added.iter().enumerate().filter(|(n, _)| *n != base);
        let plus = others.fold(zero, |all, (_, t)| terms.add(all, *t));
        let plus = taken.iter().fold(plus, |all, t| terms.sub(all, *t));
        Some((added[base], plus))
    }
}
