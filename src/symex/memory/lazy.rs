//! Pointers that were chosen when they were first read: what they lead to. Lazy initialisation (Khurshid, Păsăreanu and Visser:
//! Generalized symbolic execution for model checking and testing, TACAS 2003), without its choice of every object of the type: what a
//! pointer may lead to is decided by rules and types beforehand.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::expr::{Node, Term};
use crate::index::FuncId;
use crate::symex::machine::exec::Executor;
use crate::symex::memory::objects::{Initial, Origin};
use crate::symex::memory::pointees::{Place, Target};

/// Choices that an address may be made of before it is given up as unknown.
const MAX_CHOICES: usize = 1024;

impl Executor<'_> {
    /// What an address that is used can mean, once what it is made of is bound.
    pub(in crate::symex) fn bound_targets(&mut self, address: Term) -> Arc<Vec<Target>> {
        let targets = self.objects.resolve(&mut self.terms, address);
        let mut again = false;
        for t in targets.iter() {
            if let Place::Unknown(term) = t.place {
                again |= self.bind_pointer(term);
            }
        }
        match again {
            true => self.objects.resolve(&mut self.terms, address),
            false => targets,
        }
    }

    /// A lazily chosen integer is used as a pointer: from now on it is null or the address of an object of its own. The
    /// pointer may have a displacement: a constant, or an index that was not itself read as a pointer; and be chosen among several.
    /// Whether one is new.
    pub(in crate::symex) fn bind_pointer(&mut self, term: Term) -> bool {
        let mut todo = vec![term];
        let mut seen = FxHashSet::default();
        let mut any = false;
        while let Some(t) = todo.pop() {
            if !seen.insert(t) || seen.len() > MAX_CHOICES {
                continue;
            }
            if self.chosen.lazy_vars.contains_key(&t) || self.chosen.indexed_words.contains_key(&t)
            {
                any |= self.bind(t);
                continue;
            }
            match *self.terms.node(t) {
                Node::Add(_, b) if self.chosen.lazy_pointers.contains(&b) => todo.push(b),
                Node::Add(a, b)
                    if self.terms.as_const(b).is_some()
                        || self.chosen.lazy_pointers.contains(&a) =>
                {
                    todo.push(a);
                }
                Node::Add(a, b) if self.is_index(b, 0) => todo.push(a),
                Node::Add(a, b) if self.is_index(a, 0) => todo.push(b),
                Node::Ite(_, a, b) => todo.extend([a, b]),
                _ => {}
            }
        }
        any
    }

    /// A lazily chosen integer is called: from now on it is null or one of those functions, which the input puts into such places.
    pub(in crate::symex) fn bind_functions(&mut self, term: Term, functions: &[FuncId]) {
        let mut todo = vec![term];
        let mut seen = FxHashSet::default();
        while let Some(t) = todo.pop() {
            if !seen.insert(t) || seen.len() > MAX_CHOICES {
                continue;
            }
            if let Node::Ite(_, a, b) = *self.terms.node(t) {
                todo.extend([a, b]);
                continue;
            }
            let chosen = self.chosen.lazy_vars.contains_key(&t)
                || self.chosen.indexed_words.contains_key(&t);
            let width = self.terms.width(t);
            if !chosen || self.objects.bound.contains_key(&t) || width != self.pointer_bits() {
                continue;
            }
            let objects: Vec<_> = functions.iter().map(|f| self.function_object(*f)).collect();
            let Some((first, others)) = objects.split_first() else {
                return;
            };
            let zero = self.terms.constant(self.pointer_bits(), 0);
            let mut axiom = self.terms.eq(t, zero);
            for object in &objects {
                let there = self.objects.address(&mut self.terms, *object);
                let is = self.terms.eq(t, there);
                axiom = self.terms.or(axiom, is);
            }
            self.chosen.axioms.push(axiom);
            self.objects.also.insert(t, others.to_vec());
            self.objects.bound.insert(t, *first);
            self.chosen.lazy_pointers.insert(t);
        }
    }

    /// Whether a term can only be the index of an address by its shape: a multiple, or widened from fewer bits.
    fn is_index(&self, term: Term, depth: u32) -> bool {
        let is = |t: Term| self.is_index(t, depth + 1);
        match *self.terms.node(term) {
            _ if depth > 20 => false,
            Node::Mul(_, b) | Node::Shl(_, b) => self.terms.as_const(b).is_some(),
            Node::Zext(a) => self.terms.width(a) < self.pointer_bits(),
            Node::Const(c) => c < 1 << 16,
            Node::Add(a, b) | Node::Ite(_, a, b) => is(a) && is(b),
            _ => false,
        }
    }

    /// Of the integer itself.
    fn bind(&mut self, term: Term) -> bool {
        if self.objects.bound.contains_key(&term) || self.terms.width(term) != self.pointer_bits() {
            return false;
        }
        let (parent, index, origin) = match (
            self.chosen.lazy_vars.get(&term),
            self.chosen.indexed_words.get(&term),
        ) {
            (Some(&(parent, offset)), _) => {
                let index = self.terms.constant(64, u128::from(offset));
                (parent, index, Origin::Child(parent, offset))
            }
            (None, Some(&(parent, index))) => (parent, index, Origin::Indexed(parent, index)),
            (None, None) => return false,
        };
        let child = self.objects.intern(origin, None, Initial::Lazy);
        let base = self.objects.address(&mut self.terms, child);
        let zero = self.terms.constant(self.pointer_bits(), 0);
        let null = self.terms.eq(term, zero);
        let is = self.terms.eq(term, base);
        let mut axiom = self.terms.or(null, is);
        // Where the place is one that another offset has named before, what it holds is what that has led to.
        let constant = self.terms.as_const(index).is_some();
        let mut also = Vec::new();
        for (other, object) in self
            .chosen
            .bound_places
            .get(&parent)
            .cloned()
            .unwrap_or_default()
        {
            if constant && self.terms.as_const(other).is_some() {
                continue;
            }
            let same = self.terms.eq(index, other);
            if self.terms.is_false(same) {
                continue;
            }
            let there = self.objects.address(&mut self.terms, object);
            let leads_there = self.terms.eq(term, there);
            let case = self.terms.and(same, leads_there);
            axiom = self.terms.or(axiom, case);
            also.push(object);
        }
        self.chosen.axioms.push(axiom);
        self.chosen
            .bound_places
            .entry(parent)
            .or_default()
            .push((index, child));
        if !also.is_empty() {
            self.objects.also.insert(term, also);
        }
        self.objects.bound.insert(term, child);
        true
    }

    /// Whether a number, found where such a pointer is null, is null with a displacement: the address of a member.
    pub(in crate::symex) fn is_displaced_null(&self, number: Term) -> bool {
        match *self.terms.node(number) {
            Node::Add(a, b) => [a, b].iter().any(|t| {
                self.objects.bound.contains_key(t)
                    || self.objects.no_pointers.contains(t)
                    || self.is_displaced_null(*t)
            }),
            _ => false,
        }
    }
}
