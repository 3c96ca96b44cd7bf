//! The objects of a symbolic run, their addresses, and which of them a pointer term can mean.
//!
//! Every object has a concrete base address, far from all others, so that a pointer is an ordinary term and
//! comparisons of pointers, null tests and error-pointer tests fold.
//! What this assumes: no program result depends on the numeric distance between two objects; an index into an object of unknown
//! size leads no further than such an object reaches in a replay.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Term, Terms};
use crate::index::{FuncId, GlobalId};
use crate::symex::memory::cells::Cells;
use crate::symex::memory::pointees::Target;

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
    /// The copy of another object in a round after the first ([`crate::symex::memory::guessed`]).
    Copy(ObjectId, u32),
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
    pub lazy_cells: Cells,
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
    pub(in crate::symex) pointer_bits: u32,
    all: Vec<Object>,
    by_origin: FxHashMap<Origin, ObjectId>,
    by_slot: BTreeMap<u64, ObjectId>,
    next_base: u64,
    pub(in crate::symex) resolved: FxHashMap<Term, Arc<Vec<Target>>>,
    /// As `resolved`, for addresses with leaves that may still be bound to an object: good for that many bound ones.
    pub(in crate::symex) resolved_so_far: (usize, FxHashMap<Term, Arc<Vec<Target>>>),
    /// Symbolic integers that were used as pointers: each is null or the base of its own object.
    pub bound: FxHashMap<Term, ObjectId>,
    /// Further objects that a bound one may lead to: those of the same place, known by another offset.
    pub also: FxHashMap<Term, Vec<ObjectId>>,
    /// Words that are no pointers, whatever they are.
    pub no_pointers: FxHashSet<Term>,
    /// Words that are guessed: the addresses that each can be, if it is one.
    pub guessed: FxHashMap<Term, Arc<[u64]>>,
    /// Those of them that were used as pointers.
    pub guessed_pointers: FxHashSet<Term>,
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
            guessed: FxHashMap::default(),
            guessed_pointers: FxHashSet::default(),
        }
    }

    /// The same objects at the same addresses, nothing known of their content: for a run with terms of its own.
    pub fn layout(&self) -> Objects {
        let mut all = self.all.clone();
        for object in &mut all {
            object.extent = None;
            object.lazy_cells = Cells::new();
            object.lazy_array = None;
        }
        let named = self.by_origin.iter();
        let by_origin = named.filter(|(o, _)| !matches!(o, Origin::Indexed(..)));
        Objects {
            all,
            by_origin: by_origin.map(|(o, id)| (*o, *id)).collect(),
            by_slot: self.by_slot.clone(),
            next_base: self.next_base,
            ..Objects::new(self.pointer_bits)
        }
    }

    /// The object that another one is a copy of, or it itself.
    pub fn original(&self, id: ObjectId) -> ObjectId {
        match self.get(id).origin {
            Origin::Copy(of, _) => of,
            _ => id,
        }
    }

    /// Forgets what is known of addresses: what is guessed may now be others.
    pub fn forget_targets(&mut self) {
        self.resolved.clear();
        self.resolved_so_far.1.clear();
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
            lazy_cells: Cells::new(),
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

    /// First address as a term.
    pub fn address(&self, terms: &mut Terms, id: ObjectId) -> Term {
        terms.constant(self.pointer_bits, u128::from(self.get(id).base))
    }

    /// The object that holds a concrete address, and the offset there (up to half the gap behind its end, and a
    /// little before its start: container_of).
    pub(in crate::symex) fn at(&self, address: u64) -> Option<(ObjectId, u64)> {
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
        let object = self.get(self.original(id));
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
    pub(in crate::symex) fn within_reach(&self, terms: &mut Terms, offset: Term) -> Term {
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

    pub(in crate::symex) fn mask(&self) -> u64 {
        if self.pointer_bits >= 64 {
            u64::MAX
        } else {
            (1 << self.pointer_bits) - 1
        }
    }
}
