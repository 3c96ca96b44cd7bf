//! C types of objects, and what they rule out.
//!
//! Andersen's sets mix what once went through the same list or callback. In a
//! driver with many lists a few such mixtures, moved by `container_of`, soon
//! make every pointer lead everywhere. The filter: where a member of `struct s`
//! is addressed, the base leads only to places that may hold a `struct s` by the
//! C type of the object, as far as it is known. Kernel code keeps to this with few
//! exceptions, for which everything is let pass: raw storage (arrays of
//! integers, `cb`), flexible arrays and what lies behind a struct
//! (`netdev_priv`), unions, a struct taken for the larger one that it begins.
//!
//! The type of an object: that of the global; for an allocation the struct whose members the
//! allocating function addresses or that it hands on as; for what is found behind a
//! pointer of a lazily initialised object the declared type of that pointer (`void *`: what its first reader takes it for).
//! Beyond that, what is first addressed as a struct there stays one. (Not in what the program allocates without saying what it
//! is: what comes first may have come there by a mixture, and everything is let pass.)
//!
//! Linking gives structs of one shape one name in the IR, so a name there stands for every struct of that size with pointers
//! at the same offsets; what its members are declared to be is known only where no other struct has that shape.
//!
//! Misses: memory that is used as two unrelated structs, one after the other
//! (`--strict` does without the filter).

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{DebugTypeId, IdVec};
use crate::program::{DebugMember, DebugTypeKind, FieldRef, Program};

use super::address::Address;
use super::objects::{Object, ObjectKind};

/// Levels of nested members, and of calls that an allocation is returned through.
pub(super) const MAX_DEPTH: u32 = 8;

/// Elements of an array that count for a shape.
const MAX_ALIKE: u64 = 4;

/// Structs in one object that are known.
const MAX_PARTS: usize = 16;

/// Places in a struct that are looked at for one stride.
const MAX_ELEMENTS: u64 = 4096;

/// What an object is by its C type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Content {
    /// Not known: anything.
    #[default]
    Unknown,
    /// That struct or union, or an array of it.
    Compound(DebugTypeId),
    /// Integers smaller than a pointer (a buffer), or code: no pointers are kept there.
    Plain,
}

/// A member of a struct that an address computation leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The struct.
    pub of: DebugTypeId,
    /// Byte offset in it.
    pub offset: u64,
    /// Bytes from there to the address (elements of an array).
    pub within: i64,
}

/// What the program takes a pointer for that it computes an address from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken {
    /// Not known.
    Anything,
    /// The struct with that member.
    Struct(Member),
    /// The words of a bit map (`set_bit`), which may be a single one.
    Words,
}

/// Size, and byte offsets of the pointers (the first of them, in large arrays; of a union those of the member that it has as its
/// type in the IR).
type Shape = (u64, Vec<u64>);

/// The structs and unions of a program by name.
pub(super) struct Types<'p> {
    pub program: &'p Program,
    by_name: FxHashMap<&'p str, DebugTypeId>,
    /// For each type the first of its shape, and whether others have that.
    shapes: IdVec<DebugTypeId, (DebugTypeId, bool)>,
    inside: FxHashMap<(DebugTypeId, DebugTypeId), bool>,
    /// What memory of a type may hold at an offset, as far as it was asked for.
    there: RefCell<FxHashMap<(DebugTypeId, u64, DebugTypeId), bool>>,
    /// Whether types rule anything out.
    pub enabled: bool,
}

fn pointers_in(program: &Program, ty: DebugTypeId, at: u64, depth: u32, out: &mut Vec<u64>) {
    if depth == 0 {
        return;
    }
    match &program.debug_types[ty].kind {
        DebugTypeKind::Pointer(_) => out.push(at),
        DebugTypeKind::Struct(members) => {
            for member in members {
                if let Some(ty) = member.ty {
                    pointers_in(program, ty, at + member.offset, depth - 1, out);
                }
            }
        }
        DebugTypeKind::Array {
            element: Some(element),
            count,
        } => {
            let size = program.debug_types[*element].size;
            for n in 0..(*count).min(MAX_ALIKE) {
                pointers_in(program, *element, at + n * size, depth - 1, out);
            }
        }
        DebugTypeKind::Union(members) => {
            if let Some(ty) = storage(program, members, depth) {
                pointers_in(program, ty, at, depth - 1, out);
            }
        }
        _ => {}
    }
}

/// The member whose type clang gives a union in the IR: the one of the strictest alignment, of these the largest, of these the
/// first.
fn storage(program: &Program, members: &[DebugMember], depth: u32) -> Option<DebugTypeId> {
    let mut best: Option<((u64, u64), DebugTypeId)> = None;
    for ty in members.iter().filter_map(|m| m.ty) {
        let rank = (alignment(program, ty, depth), program.debug_types[ty].size);
        if best.is_none_or(|(other, _)| rank > other) {
            best = Some((rank, ty));
        }
    }
    best.map(|(_, ty)| ty)
}

/// Natural alignment in bytes; packed structs are taken for others.
fn alignment(program: &Program, ty: DebugTypeId, depth: u32) -> u64 {
    let described = &program.debug_types[ty];
    match &described.kind {
        _ if depth == 0 => 1,
        DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
            let members = members.iter().filter_map(|m| m.ty);
            let all = members.map(|t| alignment(program, t, depth - 1));
            all.max().unwrap_or(1)
        }
        DebugTypeKind::Array {
            element: Some(element),
            ..
        } => alignment(program, *element, depth - 1),
        _ => described.size.clamp(1, 16),
    }
}

impl<'p> Types<'p> {
    pub fn new(program: &'p Program, enabled: bool) -> Types<'p> {
        let mut by_name = FxHashMap::default();
        let mut ambiguous = FxHashSet::default();
        for (id, ty) in program.debug_types.iter_ids() {
            let compound = matches!(ty.kind, DebugTypeKind::Struct(_) | DebugTypeKind::Union(_));
            if !compound || ty.name.is_empty() {
                continue;
            }
            by_name.entry(ty.name.as_str()).or_insert(id);
        }
        let mut shapes: FxHashMap<Shape, (DebugTypeId, bool)> = FxHashMap::default();
        let mut shape_of = FxHashMap::default();
        for (id, ty) in program.debug_types.iter_ids() {
            if !matches!(ty.kind, DebugTypeKind::Struct(_) | DebugTypeKind::Union(_)) {
                continue;
            }
            let mut pointers = Vec::new();
            pointers_in(program, id, 0, MAX_DEPTH, &mut pointers);
            let shape = (ty.size, pointers);
            let (first, several) = shapes.entry(shape.clone()).or_insert((id, false));
            *several |= program.debug_types[*first].name != ty.name;
            let named = by_name.get(ty.name.as_str());
            if named.is_some_and(|n| shape_of.get(n).is_some_and(|s| *s != shape)) {
                ambiguous.insert(ty.name.as_str());
            }
            shape_of.insert(id, shape);
        }
        by_name.retain(|name, _| !ambiguous.contains(name));
        let shape = |id| shape_of.get(&id).and_then(|s| shapes.get(s)).copied();
        let all = program.debug_types.ids();
        Types {
            program,
            by_name,
            shapes: all.map(|id| shape(id).unwrap_or((id, false))).collect(),
            inside: FxHashMap::default(),
            there: RefCell::default(),
            enabled,
        }
    }

    /// The struct of that name in the IR, if there is just one of the name.
    pub fn named(&self, name: &str) -> Option<DebugTypeId> {
        let plain = super::super::layouts::plain_name(name);
        let plain = plain.strip_prefix("union.").unwrap_or(plain);
        self.by_name.get(plain).copied()
    }

    /// One number for all structs of the same shape.
    fn canonical(&self, ty: DebugTypeId) -> DebugTypeId {
        self.shapes[ty].0
    }

    /// Whether a name in the IR may stand for another struct of the same shape.
    fn is_unsure(&self, ty: DebugTypeId) -> bool {
        self.shapes[ty].1
    }

    /// The struct or union that a type is, or is an array of.
    pub fn compound(&self, ty: DebugTypeId) -> Option<DebugTypeId> {
        match self.program.debug_types[ty].kind {
            DebugTypeKind::Struct(_) | DebugTypeKind::Union(_) => Some(ty),
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } => self.compound(element),
            _ => None,
        }
    }

    /// What a pointer of that type leads to.
    pub fn behind(&self, ty: DebugTypeId) -> Content {
        match self.program.debug_types[ty].kind {
            DebugTypeKind::Pointer(Some(to)) => match self.compound(to) {
                Some(compound) => Content::Compound(compound),
                None if self.is_numbers(to) || self.is_code(to) => Content::Plain,
                None => Content::Unknown,
            },
            _ => Content::Unknown,
        }
    }

    fn is_code(&self, ty: DebugTypeId) -> bool {
        self.program.debug_types[ty].kind == DebugTypeKind::Function
    }

    /// Whether it is an integer smaller than a pointer, or an array of such.
    pub fn is_numbers(&self, ty: DebugTypeId) -> bool {
        let described = &self.program.debug_types[ty];
        match described.kind {
            DebugTypeKind::Scalar => {
                (1..u64::from(self.program.layout.pointer_bytes)).contains(&described.size)
            }
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } => self.is_numbers(element),
            _ => false,
        }
    }

    /// The declared type of a member.
    pub fn member_type(&self, field: &FieldRef) -> Option<DebugTypeId> {
        let of = self.named(&field.struct_name)?;
        if self.is_unsure(of) {
            return None;
        }
        let members = self.members(of).iter();
        members
            .filter(|m| m.offset == field.offset)
            .find_map(|m| m.ty)
    }

    pub fn members(&self, ty: DebugTypeId) -> &'p [DebugMember] {
        match &self.program.debug_types[ty].kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => members,
            _ => &[],
        }
    }

    /// What a pointer found at an address of an object leads to, where its reader may know; `None` if no pointer is there.
    pub fn refine(&self, object: Content, address: Address, read: Content) -> Option<Content> {
        let (true, Content::Compound(ty)) = (self.enabled, object) else {
            return Some(read);
        };
        let size = self.program.debug_types[ty].size;
        let Ok(first) = u64::try_from(address.rem) else {
            return Some(read);
        };
        if self.is_unsure(ty) {
            return Some(read);
        }
        let found = match address.stride {
            // A pointer is read where it is declared.
            1 => return None,
            0 if first >= size => return Some(read),
            0 => self.pointed(ty, first, MAX_DEPTH),
            stride if stride % size.max(1) == 0 => self.pointed(ty, first % size, MAX_DEPTH),
            stride => (first..size)
                .step_by(usize::try_from(stride).ok()?)
                .take(match address.count {
                    0 => MAX_ELEMENTS as usize,
                    count => count as usize,
                })
                .find_map(|o| self.pointed(ty, o, MAX_DEPTH))
                .map(|_| Content::Unknown),
        }?;
        Some(match read {
            Content::Unknown => found,
            known => known,
        })
    }

    /// What the pointer at an offset of a struct leads to; `None` if there is no pointer.
    pub fn pointed(&self, ty: DebugTypeId, offset: u64, depth: u32) -> Option<Content> {
        let described = &self.program.debug_types[ty];
        match &described.kind {
            _ if depth == 0 => Some(Content::Unknown),
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                let there = |m: &&DebugMember| {
                    m.offset <= offset && (m.size == 0 || offset < m.offset + m.size)
                };
                let mut here = members.iter().filter(there).peekable();
                if here.peek().is_none() {
                    return Some(Content::Unknown);
                }
                // Of a union the first that is a pointer.
                here.find_map(|m| match m.ty {
                    Some(t) => self.pointed(t, offset - m.offset, depth - 1),
                    None => Some(Content::Unknown),
                })
            }
            DebugTypeKind::Array {
                element: Some(element),
                count,
            } => match self.program.debug_types[*element].size {
                size if size > 0 && *count > 0 => self.pointed(*element, offset % size, depth - 1),
                _ => Some(Content::Unknown),
            },
            DebugTypeKind::Pointer(_) if offset == 0 => Some(self.behind(ty)),
            DebugTypeKind::Pointer(_) | DebugTypeKind::Scalar | DebugTypeKind::Function => None,
            DebugTypeKind::Array { element: None, .. } | DebugTypeKind::Opaque => {
                Some(Content::Unknown)
            }
        }
    }

    /// Whether memory of a type may hold a `want` at a byte offset.
    fn holds_at(&self, ty: DebugTypeId, offset: u64, want: DebugTypeId) -> bool {
        let key = (ty, offset, want);
        if let Some(known) = self.there.borrow().get(&key) {
            return *known;
        }
        let holds = self.holds(ty, offset, want, MAX_DEPTH);
        self.there.borrow_mut().insert(key, holds);
        holds
    }

    fn holds(&self, ty: DebugTypeId, offset: u64, want: DebugTypeId, depth: u32) -> bool {
        let described = &self.program.debug_types[ty];
        if depth == 0 {
            return true;
        }
        match &described.kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                let same = self.canonical(ty) == self.canonical(want);
                if offset == 0 && (same || self.begins(want, ty, depth)) {
                    return true;
                }
                let there = |m: &&DebugMember| {
                    m.offset <= offset && (m.size == 0 || offset < m.offset + m.size)
                };
                let mut some = false;
                for member in members.iter().filter(there) {
                    some = true;
                    let Some(ty) = member.ty else { return true };
                    if self.holds(ty, offset - member.offset, want, depth - 1) {
                        return true;
                    }
                }
                // Behind the last member there may be anything, between two nothing.
                !some && !members.iter().any(|m| m.offset > offset)
            }
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } => match self.program.debug_types[*element].size {
                0 => true,
                _ if self.compound(*element).is_none() => {
                    self.program.debug_types[*element].kind == DebugTypeKind::Scalar
                }
                size => self.holds(*element, offset % size, want, depth - 1),
            },
            DebugTypeKind::Scalar | DebugTypeKind::Pointer(_) | DebugTypeKind::Function => false,
            DebugTypeKind::Array { element: None, .. } | DebugTypeKind::Opaque => true,
        }
    }

    /// Whether a struct begins with a member of the other type: a pointer to that may be taken for one to the whole.
    pub fn begins(&self, whole: DebugTypeId, part: DebugTypeId, depth: u32) -> bool {
        let size = |t: DebugTypeId| self.program.debug_types[t].size;
        if self.is_unsure(whole) {
            return size(whole) >= size(part);
        }
        let part = self.canonical(part);
        let mut at = whole;
        for _ in 0..depth {
            if self.canonical(at) == part {
                return true;
            }
            let first = self.members(at).iter().find(|m| m.offset == 0);
            match first.and_then(|m| m.ty).and_then(|t| self.compound(t)) {
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    }

    /// Whether memory of a type may hold a `want` at some offset, or be part of one.
    fn holds_anywhere(&mut self, ty: DebugTypeId, want: DebugTypeId) -> bool {
        if let Some(known) = self.inside.get(&(ty, want)) {
            return *known;
        }
        let result = self.search(ty, want, MAX_DEPTH) || self.search(want, ty, MAX_DEPTH);
        self.inside.insert((ty, want), result);
        result
    }

    fn search(&self, ty: DebugTypeId, want: DebugTypeId, depth: u32) -> bool {
        if depth == 0 || self.is_unsure(ty) || self.canonical(ty) == self.canonical(want) {
            return true;
        }
        match &self.program.debug_types[ty].kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                members.iter().any(|m| match m.ty {
                    Some(t) => self.search(t, want, depth - 1),
                    None => true,
                })
            }
            DebugTypeKind::Array { element, count } => match element {
                _ if *count == 0 => true,
                Some(e) if self.compound(*e).is_some() => self.search(*e, want, depth - 1),
                Some(e) => self.program.debug_types[*e].kind == DebugTypeKind::Scalar,
                None => true,
            },
            DebugTypeKind::Scalar | DebugTypeKind::Pointer(_) | DebugTypeKind::Function => false,
            DebugTypeKind::Opaque => true,
        }
    }

    /// Whether such a member may be at that address. What fits and is new becomes a part of the object.
    pub fn fit(&mut self, object: &mut Object, at: Address, member: Member) -> bool {
        // A buffer is read as one struct or another; what a global is has been declared.
        let raw = match object.content {
            Content::Compound(_) => false,
            Content::Plain => true,
            // What comes first may have come by a mixture.
            Content::Unknown => matches!(
                object.kind,
                ObjectKind::Global(_) | ObjectKind::Heap(_) | ObjectKind::Stack(_)
            ),
        };
        if raw || !self.enabled {
            return true;
        }
        let before = 0i64.saturating_sub_unsigned(member.offset);
        let base = at.moved(before.saturating_sub(member.within), 0);
        if let (Content::Compound(ty), true) = (object.content, object.parts.is_empty()) {
            object.parts.push((0, ty));
        }
        if base.stride > 0 {
            return object.parts.is_empty() || self.holds_element(object, base, member.of);
        }
        let offset = base.rem;
        if !object.holds(base) {
            if self.is_unsure(member.of) {
                return object.holds(at);
            }
            // The head of a list taken for an element: what is addressed is a head.
            let mut members = self.members(member.of).iter();
            let addressed = members.find(|m| m.offset == member.offset);
            return match addressed.and_then(|m| m.ty).and_then(|t| self.compound(t)) {
                Some(of) => object.holds(at) && self.agrees(object, at.rem, of) != Some(false),
                None => false,
            };
        }
        match self.agrees(object, offset, member.of) {
            Some(_) if self.has_no_room(object, offset, member) => false,
            Some(agrees) => agrees,
            None => {
                let sure = object.lazy && !self.is_unsure(member.of);
                if sure && object.parts.len() < MAX_PARTS {
                    object.parts.push((offset, member.of));
                }
                true
            }
        }
    }

    /// Whether the member is a flexible array, and the struct followed by others: there are no elements.
    fn has_no_room(&self, object: &Object, offset: i64, member: Member) -> bool {
        let size = |ty: DebugTypeId| self.program.debug_types[ty].size;
        let flexible = |m: &DebugMember| {
            let kind = m.ty.map(|t| &self.program.debug_types[t].kind);
            m.offset == member.offset && matches!(kind, Some(DebugTypeKind::Array { count: 0, .. }))
        };
        let end = offset.saturating_add_unsigned(size(member.of));
        self.members(member.of).iter().any(flexible)
            && object.parts.iter().any(|(start, ty)| {
                *start < offset && end < start.saturating_add_unsigned(size(*ty))
            })
    }

    /// Whether one of the offsets of an address may be that of such a struct.
    fn holds_element(&mut self, object: &Object, at: Address, of: DebugTypeId) -> bool {
        object.parts.iter().any(|&(start, ty)| {
            let size = self.program.debug_types[ty].size;
            let stride = i128::from(at.stride);
            let first = i128::from(at.rem) - i128::from(start);
            // Of elements that are counted, these alone.
            let (first, count) = match at.count {
                0 => (first.rem_euclid(stride), usize::MAX),
                count => (first, count as usize),
            };
            let (Ok(first), Ok(step)) = (u64::try_from(first), usize::try_from(at.stride)) else {
                return true;
            };
            if size / at.stride > MAX_ELEMENTS {
                return self.holds_anywhere(ty, of);
            }
            let mut offsets = (first..size).step_by(step).take(count);
            // Or behind the struct.
            object.size.is_none_or(|s| s > size) || offsets.any(|o| self.holds_at(ty, o, of))
        })
    }

    /// Whether the parts of an object that a struct at an offset overlaps are compatible with it; `None`: yes, and it adds
    /// to what is known.
    fn agrees(&self, object: &Object, offset: i64, of: DebugTypeId) -> Option<bool> {
        let size = |ty: DebugTypeId| self.program.debug_types[ty].size;
        let mut known = false;
        for &(at, ty) in &object.parts {
            let distance = offset.saturating_sub(at);
            let before = distance.unsigned_abs();
            if distance >= 0 && before < size(ty) {
                if !self.holds_at(ty, before, of) {
                    return Some(false);
                }
                known |= before.saturating_add(size(of)) <= size(ty);
            } else if distance < 0
                && before < size(of)
                && !self.is_unsure(of)
                && !self.holds_at(of, before, ty)
            {
                return Some(false);
            }
        }
        known.then_some(true)
    }
}
