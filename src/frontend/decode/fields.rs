//! Struct fields of address computations that have lost their types.
//!
//! Optimised code has `getelementptr i8, ptr %p, i64 12`. Where debug info says
//! what `%p` points to (a parameter, a variable bound by a debug record, a
//! global, a member that is a pointer), the field is known all the same. This
//! names things for people and for field-based splitting; nothing sound rests
//! on the absence of a name.

use std::collections::HashMap;

use crate::index::{DebugTypeId, FuncId, IdVec, ValueId};
use crate::program::{
    Const, DebugType, DebugTypeKind, FieldRef, Function, Op, Operand, Program, told_name,
};

/// Debug types of the source variables that an SSA value is, and how many bytes it lies beyond what the variable says.
pub(super) type BoundTypes = HashMap<(FuncId, ValueId), Vec<(DebugTypeId, i64)>>;

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

/// Names what the sites access, where it is a field of a struct that debug info knows: `struct foo.bar`.
pub(super) fn name_sites(program: &mut Program) {
    let structs: HashMap<&str, DebugTypeId> = program
        .debug_types
        .iter_ids()
        .filter(|(_, t)| matches!(&t.kind, DebugTypeKind::Struct(_)) && !t.name.is_empty())
        .map(|(id, t)| (t.name.as_str(), id))
        .collect();
    let mut names = Vec::new();
    for function in program.functions.iter() {
        let mut fields: HashMap<ValueId, &FieldRef> = HashMap::new();
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            match (&instr.op, instr.result) {
                (
                    Op::Gep {
                        field: Some(field), ..
                    },
                    Some(result),
                ) => {
                    fields.insert(result, field);
                }
                (
                    Op::Load { ptr, .. }
                    | Op::Store { ptr, .. }
                    | Op::AtomicRmw { ptr, .. }
                    | Op::CmpXchg { ptr, .. },
                    _,
                ) => {
                    if let (Some(site), Operand::Value(pointer)) = (instr.site, ptr)
                        && let Some(field) = fields.get(pointer)
                    {
                        names.push((site, field_name(&program.debug_types, &structs, field)));
                    }
                }
                _ => {}
            }
        }
    }
    for (site, name) in names {
        if let Some(entry) = program.sites.iter_mut().nth(site.0 as usize) {
            entry.object.get_or_insert(name);
        }
    }
}

/// `struct foo.bar`, or `struct foo+8` where debug info does not know the member.
fn field_name(
    types: &IdVec<DebugTypeId, DebugType>,
    structs: &HashMap<&str, DebugTypeId>,
    field: &FieldRef,
) -> String {
    let member = structs
        .get(field.struct_name.as_str())
        .and_then(|id| match &types[*id].kind {
            DebugTypeKind::Struct(members) => members
                .iter()
                .find(|m| m.offset == field.offset && !m.name.is_empty()),
            _ => None,
        });
    let name = told_name(&field.struct_name);
    match member {
        Some(member) => format!("struct {name}.{}", member.name),
        None => format!("struct {name}+{}", field.offset),
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
        outside: false,
        assumes: Vec::new(),
        any_answer: false,
        interrupts: false,
        external: false,
        param_types: Vec::new(),
        ret_type: None,
        bound: Vec::new(),
        primitive: None,
    }
}

/// What a pointer is known to point at: an object of a type, at an offset into it (or before it: what contains it is not known).
type Target = (DebugTypeId, i64);

fn recover_function(
    function: &mut Function,
    id: FuncId,
    types: &IdVec<DebugTypeId, DebugType>,
    global_types: &[Option<DebugTypeId>],
    bound: &BoundTypes,
) {
    let mut targets: HashMap<ValueId, Vec<Target>> = HashMap::new();
    for (value, ty) in function.params.iter().zip(&function.param_types) {
        if let Some(target) = ty.and_then(|t| pointee(types, t)) {
            targets.insert(*value, vec![(target, 0)]);
        }
    }
    for value in function.values.ids() {
        for (ty, beyond) in bound.get(&(id, value)).into_iter().flatten() {
            if let Some(target) = pointee(types, *ty) {
                targets.entry(value).or_default().push((target, *beyond));
                if matches!(types[target].kind, DebugTypeKind::Struct(_)) {
                    function.bound.push((value, target, *beyond));
                }
            }
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
                } => targets_of(base, &targets, global_types)
                    .into_iter()
                    .find_map(|(ty, at)| {
                        let at = at.checked_add(*offset)?;
                        let inside = u64::try_from(at).ok()?;
                        if scaled.is_empty() && inside >= types[ty].size && types[ty].size > 0 {
                            return None; // container_of, or an element of an array
                        }
                        if field.is_none() && *offset != 0 {
                            *field = named_field(types, ty, inside);
                        }
                        scaled.is_empty().then_some((ty, at))
                    }),
                Op::Load { ptr, .. } => targets_of(ptr, &targets, global_types)
                    .into_iter()
                    .find_map(|(ty, at)| scalar_at(types, ty, u64::try_from(at).ok()?))
                    .and_then(|member| pointee(types, member))
                    .map(|target| (target, 0)),
                _ => None,
            };
            if let (Some(target), Some(result)) = (found, instr.result) {
                targets.entry(result).or_insert_with(|| vec![target]);
            }
        }
    }
}

fn targets_of(
    pointer: &Operand,
    targets: &HashMap<ValueId, Vec<Target>>,
    global_types: &[Option<DebugTypeId>],
) -> Vec<Target> {
    match pointer {
        Operand::Value(v) => targets.get(v).cloned().unwrap_or_default(),
        Operand::Const(Const::Addr { global, offset, .. }) => {
            let ty = global_types.get(global.0 as usize).copied().flatten();
            ty.map(|ty| (ty, *offset)).into_iter().collect()
        }
        Operand::Const(_) => Vec::new(),
    }
}

fn pointee(types: &IdVec<DebugTypeId, DebugType>, ty: DebugTypeId) -> Option<DebugTypeId> {
    match &types[ty].kind {
        DebugTypeKind::Pointer(to) => *to,
        _ => None,
    }
}

/// The innermost named struct that covers byte `at`, its member there, and where in that.
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
                        within: 0,
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
                let inside = at % types[*element].size;
                if let Some(field) = &mut found {
                    field.within = field.within.saturating_add_unsigned(at - inside);
                }
                (ty, at) = (*element, inside);
            }
            _ => break,
        }
    }
    if let Some(field) = &mut found {
        field.within = field.within.saturating_add_unsigned(at);
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

#[cfg(test)]
mod tests {
    use super::super::decode_ll;
    use crate::program::{DebugTypeKind, Op};

    /// What clang -O2 -g makes of `struct s { int a; struct { long b; int c; } in; struct s *next; }; int f(struct s *p)
    /// { return p->next->in.c; }`.
    const OPTIMISED: &str = r#"
define i32 @f(ptr %p) !dbg !5 {
  %a = getelementptr i8, ptr %p, i64 24
  %n = load ptr, ptr %a
  %b = getelementptr i8, ptr %n, i64 16
  %v = load i32, ptr %b, !irkiss.site !30
  ret i32 %v
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.c", directory: "/src")
!5 = distinct !DISubprogram(name: "f", file: !2, line: 3, type: !6, unit: !1, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{!8, !9}
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)
!10 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "s", file: !2, size: 256, elements: !11)
!11 = !{!12, !13, !14}
!12 = !DIDerivedType(tag: DW_TAG_member, name: "a", baseType: !8, size: 32)
!13 = !DIDerivedType(tag: DW_TAG_member, name: "in", baseType: !15, size: 128, offset: 64)
!14 = !DIDerivedType(tag: DW_TAG_member, name: "next", baseType: !9, size: 64, offset: 192)
!15 = !DICompositeType(tag: DW_TAG_structure_type, file: !2, size: 128, elements: !16)
!16 = !{!17, !18}
!17 = !DIDerivedType(tag: DW_TAG_member, name: "b", baseType: !19, size: 64)
!18 = !DIDerivedType(tag: DW_TAG_member, name: "c", baseType: !8, size: 32, offset: 64)
!19 = !DIDerivedType(tag: DW_TAG_typedef, name: "word", baseType: !8)
!30 = !{i32 0}
"#;

    #[test]
    fn fields_of_optimised_code_come_from_debug_info() {
        let program = decode_ll(OPTIMISED).expect("parses");
        let f = &program.functions[program.function_named("f").expect("f")];
        let fields: Vec<(String, u64)> = f
            .blocks
            .iter()
            .flat_map(|b| &b.instrs)
            .filter_map(|i| match &i.op {
                Op::Gep { field, .. } => field.clone().map(|f| (f.struct_name, f.offset)),
                _ => None,
            })
            .collect();
        // The anonymous struct's member counts for `s`.
        assert_eq!(fields, [("s".to_string(), 24), ("s".to_string(), 16)]);
        let parameter = f.param_types[0].expect("known");
        let DebugTypeKind::Pointer(Some(s)) = program.debug_types[parameter].kind else {
            panic!("{:?}", program.debug_types[parameter]);
        };
        assert_eq!(program.debug_types[s].name, "s");
        assert_eq!(program.debug_types[s].size, 32);
        assert_eq!(program.source.describe(f.loc), "/src/a.c:3:0");
    }
}
