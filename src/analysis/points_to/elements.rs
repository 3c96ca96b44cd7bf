//! Elements of arrays within structs: `dev->buf[i]` stays in `buf`.
//!
//! A pointer moved by a number that is not known leads anywhere in its object, or to any place at the same distance. Where the
//! program says which member it indexes, the access is one of that member as a whole: it is told by the member's beginning,
//! of which the distance to a lock beside it is constant.

use crate::index::DebugTypeId;
use crate::program::{DebugMember, DebugTypeKind, Op, Operand, Program};

use super::address::Address;
use super::instances::InstanceId;
use super::objects::Object;
use super::solver::Solver;
use super::types::{Content, MAX_DEPTH, Taken, Types};

/// Address computations looked through.
const MAX_STEPS: u32 = 4;

/// The array that an access stays in: it begins so many bytes from a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The pointer to the struct.
    pub base: Operand,
    /// From there to the array.
    pub bytes: i64,
}

/// A span, the struct that its base is taken for, the distance of the structs if they are elements of an array, and the length of
/// the array in bytes.
pub(super) struct Found {
    pub span: Span,
    pub taken: Taken,
    pub stride: u64,
    pub len: u64,
}

impl Solver<'_> {
    /// The member that `ptr` indexes with a number that is not constant, or (`any`) at all.
    pub fn span(&self, i: InstanceId, ptr: &Operand, any: bool) -> Option<Found> {
        let function = &self.program.functions[self.instances[i].function];
        if function.is_model || !self.types.enabled {
            return None;
        }
        let mut at = ptr;
        let (mut moved, mut indexed) = (0i64, any);
        let mut scales: Vec<(&Operand, i64)> = Vec::new();
        for _ in 0..MAX_STEPS {
            let Operand::Value(v) = at else { return None };
            let Op::Gep {
                base,
                offset,
                scaled,
                field,
            } = self.definition(self.instances[i].function, *v)?
            else {
                return None;
            };
            let Some(field) = field else {
                moved = moved.checked_add(*offset)?;
                scales.extend(scaled.iter().map(|(index, scale)| (index, *scale)));
                at = base;
                continue;
            };
            scales.extend(scaled.iter().map(|(index, scale)| (index, *scale)));
            let len = self.array_of_scalars(self.types.member_type(field)?)?;
            let mut stride = 0;
            for (index, scale) in scales {
                match self.constant_in(i, index, 0) {
                    // Smaller than the member: of the array that it is.
                    _ if scale.unsigned_abs() < len => indexed = true,
                    // Which struct of an array.
                    None => stride = super::address::gcd(stride, scale.unsigned_abs()),
                    Some(_) => return None,
                }
            }
            let inside = moved.checked_add(field.within)?;
            if !indexed || !u64::try_from(inside).is_ok_and(|o| o < len) {
                return None;
            }
            return Some(Found {
                span: Span {
                    base: base.clone(),
                    bytes: offset.checked_sub(field.within)?,
                },
                taken: self.taken_for_array(i, field),
                stride,
                len,
            });
        }
        None
    }

    fn array_of_scalars(&self, ty: DebugTypeId) -> Option<u64> {
        array_of_scalars(self.program, ty)
    }
}

impl Types<'_> {
    /// An address of an object moved by `bytes` and any multiple of `stride`. By C's rules for pointers that stays in the array
    /// of elements of that size which it comes to, if the object is known to have one there.
    pub fn indexed(
        &self,
        object: &Object,
        from: Address,
        bytes: i64,
        stride: u64,
        taken: Taken,
    ) -> Address {
        let moved = from.moved(bytes, stride);
        if stride == 0 || !self.enabled {
            return moved;
        }
        // The next element, in a loop.
        if from.count > 0
            && from.stride == stride
            && bytes > 0
            && bytes.unsigned_abs() % stride == 0
        {
            return from;
        }
        let words = matches!(taken, Taken::Words);
        let first = from.moved(bytes, 0).offset();
        let parts = object.parts.iter().copied();
        let whole = match object.content {
            Content::Compound(ty) => Some((0, ty)),
            _ => None,
        };
        let array = first.and_then(|offset| {
            parts.chain(whole).find_map(|(start, ty)| {
                let inside = u64::try_from(offset.checked_sub(start)?).ok()?;
                let (element, count) = array_in(self.program, ty, inside, (stride, words))?;
                let before = i64::try_from(inside - element).ok()?;
                Some((offset - before, count))
            })
        });
        match array {
            Some((first, count)) => Address::elements(from.object, first, stride, count),
            None => moved,
        }
    }
}

/// The types within a type that an offset lies in, outermost first, each with its beginning. What begins with a struct may be the
/// struct: its first member is looked into only if asked for (`first`).
fn nested(
    program: &Program,
    outermost: DebugTypeId,
    offset: u64,
    first: bool,
) -> Vec<(DebugTypeId, u64)> {
    let mut found = Vec::new();
    let mut next = Some((outermost, 0));
    while let Some((ty, start)) = next.take() {
        let described = &program.debug_types[ty];
        let inside = offset - start;
        if inside >= described.size || found.len() >= MAX_DEPTH as usize {
            break;
        }
        found.push((ty, start));
        next = match &described.kind {
            DebugTypeKind::Struct(members) if first || inside > 0 => {
                let there = |m: &&DebugMember| m.offset <= inside && inside < m.offset + m.size;
                let member = members.iter().find(there);
                member.and_then(|m| Some((m.ty?, start + m.offset)))
            }
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } => {
                let within = inside.checked_rem(program.debug_types[*element].size);
                within.map(|within| (*element, offset - within))
            }
            _ => None,
        };
    }
    found
}

/// The array of elements of `stride` bytes within a type that an offset lies in: the place in the first element that
/// corresponds to it, and how many elements there are. `words`: a single integer of that size is one, too.
fn array_in(
    program: &Program,
    ty: DebugTypeId,
    offset: u64,
    (stride, words): (u64, bool),
) -> Option<(u64, u32)> {
    let mut all = nested(program, ty, offset, words).into_iter();
    let found = all.find_map(|(ty, start)| {
        let described = &program.debug_types[ty];
        match described.kind {
            DebugTypeKind::Array {
                element: Some(element),
                count: count @ 2..,
            } if program.debug_types[element].size == stride => Some((
                start + (offset - start) % stride,
                u32::try_from(count).ok()?,
            )),
            DebugTypeKind::Scalar if words && described.size == stride => Some((start, 1)),
            _ => None,
        }
    });
    found.or_else(|| first_array_in(program, ty, offset, stride))
}

/// The same of an array of structs of `stride` bytes with which a struct begins, unless structs of that size are around it: what a pointer
/// to its beginning is moved by tells that the array is meant.
fn first_array_in(
    program: &Program,
    ty: DebugTypeId,
    offset: u64,
    stride: u64,
) -> Option<(u64, u32)> {
    let mut all = nested(program, ty, offset, true).into_iter();
    let (ty, start) = all.find(|(ty, _)| {
        let described = &program.debug_types[*ty];
        match &described.kind {
            DebugTypeKind::Array { .. } => true,
            _ => described.size == stride,
        }
    })?;
    let DebugTypeKind::Array {
        element: Some(element),
        count: count @ 2..,
    } = program.debug_types[ty].kind
    else {
        return None;
    };
    let described = &program.debug_types[element];
    let structs = matches!(
        described.kind,
        DebugTypeKind::Struct(_) | DebugTypeKind::Union(_)
    );
    (structs && described.size == stride).then(|| {
        Some((
            start + (offset - start) % stride,
            u32::try_from(count).ok()?,
        ))
    })?
}

/// The size of an array of scalars or pointers in bytes. One element may stand for as many as there is room for.
fn array_of_scalars(program: &Program, ty: DebugTypeId) -> Option<u64> {
    let described = &program.debug_types[ty];
    let DebugTypeKind::Array {
        element: Some(element),
        count: 2..,
    } = described.kind
    else {
        return None;
    };
    let scalar = match program.debug_types[element].kind {
        DebugTypeKind::Scalar | DebugTypeKind::Pointer(_) => true,
        DebugTypeKind::Array { .. } => array_of_scalars(program, element).is_some(),
        _ => false,
    };
    (scalar && described.size > 0).then_some(described.size)
}

/// How many bytes an access of unknown length at an address may have: to the end of the array of scalars that C declares there,
/// if there is one.
pub(super) fn bytes_left(program: &Program, object: &Object, at: Address) -> Option<u64> {
    let offset = at.offset()?;
    let parts = object.parts.iter().copied();
    let whole = match object.content {
        Content::Compound(ty) => Some((0, ty)),
        _ => None,
    };
    parts.chain(whole).find_map(|(start, ty)| {
        let inside = u64::try_from(offset.checked_sub(start)?).ok()?;
        let mut all = nested(program, ty, inside, false).into_iter();
        all.find_map(|(ty, start)| Some(array_of_scalars(program, ty)? - (inside - start)))
    })
}
