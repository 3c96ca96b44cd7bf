//! Struct fields of address computations that have lost their types.
//!
//! Optimised code has `getelementptr i8, ptr %p, i64 12`. Where debug info says
//! what `%p` points to (a parameter, a variable bound by a debug record, a
//! global, a member that is a pointer), the field is known all the same. This
//! names things for people and for field-based splitting; nothing sound rests
//! on the absence of a name.

use std::collections::HashMap;

use crate::index::{DebugTypeId, FuncId, IdVec, ValueId};
use crate::program::{Const, DebugType, DebugTypeKind, FieldRef, Function, Op, Operand, Program};

/// Debug type of the source variable that an SSA value is.
pub(super) type BoundTypes = HashMap<(FuncId, ValueId), DebugTypeId>;

/// Fills in the missing fields of all address computations.
pub(super) fn recover(program: &mut Program, bound: &BoundTypes) {
    let types = &program.debug_types;
    let global_types: Vec<Option<DebugTypeId>> =
        program.globals.iter().map(|g| g.debug_type).collect();
    for id in program.functions.ids() {
        let mut function = std::mem::replace(&mut program.functions[id], empty());
        recover_function(&mut function, id, types, &global_types, bound);
        program.functions[id] = function;
    }
}

fn empty() -> Function {
    Function {
        name: String::new(),
        params: Vec::new(),
        variadic: false,
        ret: crate::program::Type::Void,
        values: IdVec::new(),
        blocks: IdVec::new(),
        loc: None,
        is_model: false,
        external: false,
        param_types: Vec::new(),
        primitive: None,
    }
}

/// What a pointer is known to point at: an object of a type, at an offset into it.
type Target = (DebugTypeId, u64);

fn recover_function(
    function: &mut Function,
    id: FuncId,
    types: &IdVec<DebugTypeId, DebugType>,
    global_types: &[Option<DebugTypeId>],
    bound: &BoundTypes,
) {
    let mut targets: HashMap<ValueId, Target> = HashMap::new();
    for (value, ty) in function.params.iter().zip(&function.param_types) {
        if let Some(target) = ty.and_then(|t| pointee(types, t)) {
            targets.insert(*value, (target, 0));
        }
    }
    for value in function.values.ids() {
        if let Some(target) = bound.get(&(id, value)).and_then(|t| pointee(types, *t)) {
            targets.entry(value).or_insert((target, 0));
        }
    }
    for block in function.blocks.iter_mut() {
        for instr in &mut block.instrs {
            let found = match &mut instr.op {
                Op::Gep {
                    base,
                    offset,
                    scaled,
                    field,
                } => target_of(base, &targets, global_types).and_then(|(ty, at)| {
                    let at = at.checked_add_signed(*offset)?;
                    if scaled.is_empty() && at >= types[ty].size && types[ty].size > 0 {
                        return None; // container_of, or an element of an array
                    }
                    if field.is_none() && *offset != 0 {
                        *field = named_field(types, ty, at);
                    }
                    scaled.is_empty().then_some((ty, at))
                }),
                Op::Load { ptr, .. } => target_of(ptr, &targets, global_types)
                    .and_then(|(ty, at)| scalar_at(types, ty, at))
                    .and_then(|member| pointee(types, member))
                    .map(|target| (target, 0)),
                _ => None,
            };
            if let (Some(target), Some(result)) = (found, instr.result) {
                targets.entry(result).or_insert(target);
            }
        }
    }
}

fn target_of(
    pointer: &Operand,
    targets: &HashMap<ValueId, Target>,
    global_types: &[Option<DebugTypeId>],
) -> Option<Target> {
    match pointer {
        Operand::Value(v) => targets.get(v).copied(),
        Operand::Const(Const::Addr { global, offset, .. }) => Some((
            (*global_types.get(global.0 as usize)?)?,
            u64::try_from(*offset).ok()?,
        )),
        Operand::Const(_) => None,
    }
}

fn pointee(types: &IdVec<DebugTypeId, DebugType>, ty: DebugTypeId) -> Option<DebugTypeId> {
    match &types[ty].kind {
        DebugTypeKind::Pointer(to) => *to,
        _ => None,
    }
}

/// The innermost named struct that covers byte `at`, and the offset of its member there.
fn named_field(
    types: &IdVec<DebugTypeId, DebugType>,
    ty: DebugTypeId,
    at: u64,
) -> Option<FieldRef> {
    let mut found = None;
    let (mut ty, mut at) = (ty, at);
    // Types nest finitely by value.
    for _ in 0..64 {
        match &types[ty].kind {
            DebugTypeKind::Struct(members) => {
                let member = members
                    .iter()
                    .rev()
                    .find(|m| m.offset <= at && at < m.offset + m.size.max(1))?;
                if types[ty].name.is_empty() {
                    found = found.map(|f: FieldRef| FieldRef {
                        offset: f.offset + member.offset,
                        ..f
                    });
                } else {
                    found = Some(FieldRef {
                        struct_name: types[ty].name.clone(),
                        offset: member.offset,
                    });
                }
                at -= member.offset;
                match member.ty {
                    Some(inner) => ty = inner,
                    None => break,
                }
            }
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } if types[*element].size > 0 => {
                at %= types[*element].size;
                ty = *element;
            }
            _ => break,
        }
    }
    found
}

/// The type of the scalar that starts at byte `at`.
fn scalar_at(
    types: &IdVec<DebugTypeId, DebugType>,
    ty: DebugTypeId,
    at: u64,
) -> Option<DebugTypeId> {
    let (mut ty, mut at) = (ty, at);
    for _ in 0..64 {
        match &types[ty].kind {
            DebugTypeKind::Struct(members) => {
                let member = members
                    .iter()
                    .rev()
                    .find(|m| m.offset <= at && at < m.offset + m.size.max(1))?;
                at -= member.offset;
                ty = member.ty?;
            }
            DebugTypeKind::Array {
                element: Some(element),
                ..
            } if types[*element].size > 0 => {
                at %= types[*element].size;
                ty = *element;
            }
            DebugTypeKind::Pointer(_) | DebugTypeKind::Scalar if at == 0 => return Some(ty),
            _ => return None,
        }
    }
    None
}
