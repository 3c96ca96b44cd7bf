//! Names of struct fields from debug info, and what an address or a value may be.

use std::collections::HashSet;

use crate::index::{DebugTypeId, FuncId, GlobalId, Idx, ValueId};
use crate::program::{
    Const, DebugTypeKind, FieldRef, Function, Instr, Op, Operand, Origin, Program,
};

/// Loads, selects and phis that are followed to find out what an address selects.
const MAX_DEPTH: u32 = 4;

/// A place in a struct: its name, the field, and where the struct starts in the object that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the innermost named struct.
    pub structure: String,
    /// Field in it, with dots for anonymous or nested parts.
    pub field: String,
    /// Byte offset of that struct in the outer object.
    pub start: u64,
    /// Type of the field.
    pub ty: Option<DebugTypeId>,
    /// Where that struct is declared.
    pub origin: Origin,
}

impl Place {
    /// `struct.field`, as rules name it.
    pub fn name(&self) -> String {
        format!("{}.{}", self.structure, self.field)
    }
}

/// The scalar field at a byte offset of a type; `None` if there is none or the type is not known.
pub fn place_at(program: &Program, ty: DebugTypeId, offset: u64) -> Option<Place> {
    place_in(program, ty, offset, &[])
}

/// The same with indices, each a stride in bytes: those of the arrays that the field is in.
fn place_in(program: &Program, ty: DebugTypeId, offset: u64, strides: &[u64]) -> Option<Place> {
    let mut strides = strides.to_vec();
    let whole = program.debug_types.get(ty)?.size;
    strides.retain(|s| whole == 0 || s % whole != 0);
    let mut place = Place {
        structure: String::new(),
        field: String::new(),
        start: 0,
        ty: Some(ty),
        origin: Origin::Unknown,
    };
    let mut at = offset;
    loop {
        let ty = program.debug_types.get(place.ty?)?;
        match &ty.kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                if !ty.name.is_empty() {
                    place.structure.clone_from(&ty.name);
                    place.field.clear();
                    place.start = offset - at;
                    place.origin = ty.origin;
                }
                let member = members
                    .iter()
                    .find(|m| m.offset <= at && at < m.offset + m.size)?;
                if !member.name.is_empty() {
                    if !place.field.is_empty() {
                        place.field.push('.');
                    }
                    place.field.push_str(&member.name);
                }
                at -= member.offset;
                place.ty = member.ty;
            }
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } => {
                let size = program.debug_types[*element].size;
                if size == 0 {
                    return None;
                }
                at %= size;
                strides.retain(|s| s % size != 0);
                place.ty = Some(*element);
            }
            _ => {
                let found = !place.field.is_empty() && at == 0 && strides.is_empty();
                return found.then_some(place);
            }
        }
    }
}

/// The debug type of a struct of that name that has members.
pub fn struct_named(program: &Program, name: &str) -> Option<DebugTypeId> {
    program
        .debug_types
        .iter_ids()
        .find(|(_, t)| {
            t.name == name
                && matches!(&t.kind, DebugTypeKind::Struct(members) if !members.is_empty())
        })
        .map(|(id, _)| id)
}

/// Size in bytes of the struct of that name; 0 where debug info does not have it.
pub fn struct_size(program: &Program, name: &str) -> u64 {
    struct_named(program, name).map_or(0, |t| program.debug_types[t].size)
}

/// Byte offset of a member, also one inside an anonymous part or a nested struct (`a.b`), of the struct of that name.
pub fn member_offset(program: &Program, structure: &str, path: &str) -> Option<u64> {
    member_of_struct(program, structure, path).map(|(offset, _)| offset)
}

/// The same, with its size in bytes: of a number or a pointer.
pub fn member_place(program: &Program, structure: &str, path: &str) -> Option<(u64, u64)> {
    let (offset, ty) = member_of_struct(program, structure, path)?;
    let bytes = program.debug_types[ty?].size;
    matches!(bytes, 1 | 2 | 4 | 8).then_some((offset, bytes))
}

/// The offset, with the type of the member.
pub fn member_of_struct(
    program: &Program,
    structure: &str,
    path: &str,
) -> Option<(u64, Option<DebugTypeId>)> {
    fn search(
        program: &Program,
        ty: DebugTypeId,
        member: &str,
    ) -> Option<(u64, Option<DebugTypeId>)> {
        let members = match &program.debug_types.get(ty)?.kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => members,
            _ => return None,
        };
        members.iter().find_map(|m| {
            if m.name == member {
                Some((m.offset, m.ty))
            } else if m.name.is_empty() {
                search(program, m.ty?, member).map(|(o, ty)| (o + m.offset, ty))
            } else {
                None
            }
        })
    }
    let mut ty = struct_named(program, structure);
    let mut offset = 0;
    for member in path.split('.') {
        let (at, inner) = search(program, ty?, member)?;
        offset += at;
        ty = inner;
    }
    Some((offset, ty))
}

/// The type of a global: its debug type, or the struct that its IR type is named after.
pub fn global_type(program: &Program, global: GlobalId) -> Option<DebugTypeId> {
    let g = &program.globals[global];
    g.debug_type
        .filter(|t| !matches!(program.debug_types[*t].kind, DebugTypeKind::Opaque))
        .or_else(|| struct_named(program, g.struct_name.as_deref()?))
}

/// What `ty` points to.
pub fn pointee(program: &Program, ty: DebugTypeId) -> Option<DebugTypeId> {
    match program.debug_types.get(ty)?.kind {
        DebugTypeKind::Pointer(target) => target,
        _ => None,
    }
}

/// The instruction that defines each value of a function.
pub struct Definitions<'a> {
    function: &'a Function,
    by_value: Vec<Option<&'a Instr>>,
}

/// What a pointer value may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A function.
    Function(FuncId),
    /// A place in a global.
    Global(GlobalId, i64),
    /// A parameter of the function at hand.
    Parameter(usize),
}

/// The variable that an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// A global.
    Global(GlobalId),
    /// A local variable of the function at hand, by the instruction that makes it.
    Local(ValueId),
}

impl<'a> Definitions<'a> {
    /// Of that function.
    pub fn new(function: &'a Function) -> Self {
        let mut by_value = vec![None; function.values.len()];
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            if let Some(result) = instr.result {
                by_value[result.index()] = Some(instr);
            }
        }
        Definitions { function, by_value }
    }

    /// The instruction that defines a value; `None` for parameters.
    pub fn of(&self, value: ValueId) -> Option<&'a Instr> {
        self.by_value[value.index()]
    }

    /// Everything known that the value may be: through phis, selects and casts.
    pub fn targets(&self, operand: &Operand) -> Vec<Target> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut work = vec![operand.clone()];
        while let Some(operand) = work.pop() {
            match operand {
                Operand::Const(Const::Func { function, .. }) => {
                    found.push(Target::Function(function));
                }
                Operand::Const(Const::Addr { global, offset, .. }) => {
                    found.push(Target::Global(global, offset));
                }
                Operand::Const(_) => {}
                Operand::Value(value) => {
                    if !seen.insert(value) {
                        continue;
                    }
                    if let Some(n) = self.function.params.iter().position(|p| *p == value) {
                        found.push(Target::Parameter(n));
                    }
                    match self.of(value).map(|i| &i.op) {
                        Some(Op::Phi(incoming)) => {
                            work.extend(incoming.iter().rev().map(|(_, o)| o.clone()));
                        }
                        Some(Op::Select {
                            if_true, if_false, ..
                        }) => work.extend([if_false.clone(), if_true.clone()]),
                        Some(Op::Cast { value, .. }) => work.push(value.clone()),
                        Some(Op::Gep {
                            base,
                            offset: 0,
                            scaled,
                            ..
                        }) if scaled.is_empty() => work.push(base.clone()),
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// The instructions of the function.
    pub fn instructions(&self) -> impl Iterator<Item = &'a Instr> + use<'a> {
        self.function.blocks.iter().flat_map(|b| &b.instrs)
    }

    /// Whether it stores the address of a function somewhere.
    pub fn stores_functions(&self) -> bool {
        let is_function = |value: &Operand| matches!(value, Operand::Const(Const::Func { .. }));
        self.instructions()
            .any(|i| matches!(&i.op, Op::Store { value, .. } if is_function(value)))
    }

    /// The variable that an address is in, through computations of addresses; `None` where it is not computed from one.
    pub fn base(&self, address: &Operand) -> Option<Base> {
        let mut operand = address.clone();
        loop {
            let value = match operand {
                Operand::Const(Const::Addr { global, .. }) => return Some(Base::Global(global)),
                Operand::Const(_) => return None,
                Operand::Value(value) => value,
            };
            operand = match &self.of(value)?.op {
                Op::Gep { base, .. } => base.clone(),
                Op::Cast { value, .. } => value.clone(),
                Op::Alloca { .. } => return Some(Base::Local(value)),
                _ => return None,
            };
        }
    }

    /// The value that an address is computed from, and how far behind it that lies, in bytes.
    pub fn within(&self, address: &Operand) -> (Operand, i64) {
        let (mut operand, mut far) = (address.clone(), 0);
        while let Operand::Value(value) = operand
            && let Some(Op::Gep {
                base,
                offset,
                scaled,
                ..
            }) = self.of(value).map(|i| &i.op)
            && scaled.is_empty()
        {
            far += offset;
            operand = base.clone();
        }
        (operand, far)
    }

    /// The variables that a value may have been loaded from: through phis, selects and casts.
    pub fn loaded_from(&self, operand: &Operand) -> Vec<Base> {
        let loads = self.loads(operand).into_iter();
        loads.filter_map(|ptr| self.base(ptr)).collect()
    }

    /// The struct fields that a value may have been loaded from: through phis, selects and casts.
    pub fn loaded(&self, program: &Program, operand: &Operand) -> Vec<Place> {
        let loads = self.loads(operand).into_iter();
        loads.filter_map(|ptr| self.place(program, ptr)).collect()
    }

    /// The addresses that a value may have been loaded from.
    fn loads(&self, operand: &Operand) -> Vec<&'a Operand> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut work = vec![operand.clone()];
        while let Some(operand) = work.pop() {
            let Operand::Value(value) = operand else {
                continue;
            };
            if !seen.insert(value) {
                continue;
            }
            match self.of(value).map(|i| &i.op) {
                Some(Op::Load { ptr, .. }) => found.push(ptr),
                Some(Op::Phi(incoming)) => work.extend(incoming.iter().map(|(_, o)| o.clone())),
                Some(Op::Select {
                    if_true, if_false, ..
                }) => work.extend([if_false.clone(), if_true.clone()]),
                Some(Op::Cast { value, .. }) => work.push(value.clone()),
                _ => {}
            }
        }
        found
    }

    /// The struct field that an address selects, by what is known of it: the field that the address computation names, the
    /// type of the global, of the parameter or of the pointer in a field that it starts from.
    pub fn place(&self, program: &Program, address: &Operand) -> Option<Place> {
        self.moved_place(program, address, 0, MAX_DEPTH)
    }

    /// The field that an address selects, and the address of what it is part of, by the computations of the address.
    fn selected(&self, address: &Operand) -> Option<(Operand, FieldRef)> {
        let mut operand = address.clone();
        while let Operand::Value(value) = operand {
            match &self.of(value)?.op {
                Op::Gep {
                    base,
                    field: Some(field),
                    ..
                } => return Some((base.clone(), field.clone())),
                Op::Cast { value, .. } => operand = value.clone(),
                _ => break,
            }
        }
        None
    }

    /// The struct that lies around what is at an address, and where, by the computations of the address.
    pub fn part_of(&self, address: &Operand) -> Option<(String, u64)> {
        let (_, outer) = self.selected(address)?;
        let start = u64::try_from(outer.beyond_start()).ok()?;
        Some((outer.struct_name, start))
    }

    /// The struct that the one lies in whose field an address selects, and where, by the computations of the address.
    pub fn around(&self, address: &Operand) -> Option<(String, u64)> {
        let (inner, _) = self.selected(address)?;
        self.part_of(&inner)
    }

    /// The fields that an address may select where it is one of two displacements; else the one that it selects.
    pub fn places(&self, program: &Program, address: &Operand) -> Vec<Place> {
        let either = || {
            let Operand::Value(value) = address else {
                return None;
            };
            let Op::Gep {
                base,
                offset,
                scaled,
                field: None,
            } = &self.of(*value)?.op
            else {
                return None;
            };
            let [(Operand::Value(index), scale)] = scaled.as_slice() else {
                return None;
            };
            let Op::Select {
                if_true, if_false, ..
            } = &self.of(*index)?.op
            else {
                return None;
            };
            let place = |index: &Operand| match index {
                Operand::Const(Const::Int { value, .. }) => {
                    let moved = i64::try_from(*value).ok()?.checked_mul(*scale)?;
                    self.moved_place(program, base, moved.checked_add(*offset)?, MAX_DEPTH)
                }
                _ => None,
            };
            Some(vec![place(if_true)?, place(if_false)?])
        };
        either().unwrap_or_else(|| self.place(program, address).into_iter().collect())
    }

    /// The same for an address moved by so many bytes, and by indices.
    fn moved_place(
        &self,
        program: &Program,
        address: &Operand,
        moved: i64,
        depth: u32,
    ) -> Option<Place> {
        let mut offset = moved;
        let mut strides = Vec::new();
        let mut operand = address.clone();
        let place = |ty: DebugTypeId, at: i64, strides: &[u64]| {
            place_in(program, ty, u64::try_from(at).ok()?, strides)
        };
        loop {
            let value = match &operand {
                Operand::Const(Const::Addr {
                    global, offset: o, ..
                }) => return place(global_type(program, *global)?, o + offset, &strides),
                Operand::Const(_) => return None,
                Operand::Value(value) => *value,
            };
            let known = match self.of(value).map(|i| &i.op) {
                Some(Op::Gep {
                    base,
                    offset: o,
                    scaled,
                    field,
                }) => {
                    if let Some(field) = field
                        && let Some(ty) = struct_named(program, &field.struct_name)
                    {
                        return place(ty, field.offset as i64 + offset, &strides);
                    }
                    if let Some(found) = self.bound_place(program, value, offset, &strides) {
                        return Some(found);
                    }
                    strides.extend(scaled.iter().map(|(_, scale)| scale.unsigned_abs()));
                    offset += o;
                    operand = base.clone();
                    continue;
                }
                Some(Op::Cast { value, .. }) => {
                    operand = value.clone();
                    continue;
                }
                Some(Op::Alloca { of: Some(of), .. }) => {
                    struct_named(program, of).and_then(|ty| place(ty, offset, &strides))
                }
                // A pointer that a field holds: to the type that the field says.
                Some(Op::Load { ptr, .. }) if depth > 0 => self
                    .moved_place(program, ptr, 0, depth - 1)
                    .and_then(|held| place(pointee(program, held.ty?)?, offset, &strides)),
                // One of several, all of one type.
                Some(Op::Select {
                    if_true, if_false, ..
                }) if depth > 0 && strides.is_empty() => [if_true, if_false]
                    .into_iter()
                    .find_map(|o| self.moved_place(program, o, offset, depth - 1)),
                Some(Op::Phi(incoming)) if depth > 0 && strides.is_empty() => incoming
                    .iter()
                    .find_map(|(_, o)| self.moved_place(program, o, offset, depth - 1)),
                Some(_) => None,
                None => {
                    let n = self.function.params.iter().position(|p| *p == value);
                    n.and_then(|n| *self.function.param_types.get(n)?)
                        .and_then(|ty| place(pointee(program, ty)?, offset, &strides))
                }
            };
            return known.or_else(|| self.bound_place(program, value, offset, &strides));
        }
    }

    /// By what the source variables that a value is bound to point to.
    fn bound_place(
        &self,
        program: &Program,
        value: ValueId,
        offset: i64,
        strides: &[u64],
    ) -> Option<Place> {
        let bound = &self.function.bound;
        let first = bound.partition_point(|(v, _, _)| *v < value);
        let mut all = bound[first..].iter().take_while(|(v, _, _)| *v == value);
        all.find_map(|(_, ty, beyond)| {
            let at = u64::try_from(beyond + offset).ok()?;
            (at < program.debug_types[*ty].size)
                .then(|| place_in(program, *ty, at, strides))
                .flatten()
        })
    }
}
