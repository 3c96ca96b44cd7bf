//! Decoding of small LLVM assembly texts.

use super::decode_ll;
use crate::program::*;

fn only_ops(text: &str, function: &str) -> Vec<Op> {
    let program = decode_ll(text).expect("parses");
    let id = program.function_named(function).expect("there");
    program.functions[id]
        .blocks
        .iter()
        .flat_map(|b| b.instrs.iter().map(|i| i.op.clone()))
        .collect()
}

#[test]
fn calls_of_primitives_are_primitives() {
    let ops = only_ops(
        "declare void @__irkiss_assume(i8)
         declare i64 @__irkiss_async(ptr, ptr)
         define void @t(ptr %a) { ret void }
         define void @f(i8 %c) {
           call void @__irkiss_assume(i8 %c)
           %n = call i64 @__irkiss_async(ptr @t, ptr null)
           ret void
         }",
        "f",
    );
    assert!(matches!(ops[0], Op::Icmp { .. }), "{ops:?}");
    assert!(matches!(
        &ops[1],
        Op::Primitive {
            primitive: Primitive::Assume,
            ..
        }
    ));
    let Op::Primitive {
        primitive: Primitive::Async,
        args,
    } = &ops[2]
    else {
        panic!("{ops:?}")
    };
    assert!(matches!(
        args[0],
        Operand::Const(Const::Func { int_bits: None, .. })
    ));
}

#[test]
fn address_computations_are_in_bytes_and_name_the_field() {
    let ops = only_ops(
        "%struct.in.3 = type { i32, i64 }
         %struct.out = type { i16, [4 x %struct.in.3], %union.anon }
         %union.anon = type { i32 }
         define ptr @f(ptr %p, i32 %i) {
           %a = getelementptr %struct.out, ptr %p, i64 0, i32 1, i32 %i, i32 1
           %b = getelementptr %struct.out, ptr %p, i64 1, i32 2, i32 0
           ret ptr %a
         }",
        "f",
    );
    let gep = |n: usize| match &ops[n] {
        Op::Gep {
            offset,
            scaled,
            field,
            ..
        } => (*offset, scaled.len(), field.clone()),
        other => panic!("{other:?}"),
    };
    // The 32-bit index is sign-extended first.
    assert!(matches!(
        ops[0],
        Op::Cast {
            kind: CastKind::SExt,
            ..
        }
    ));
    let (offset, scaled, field) = gep(1);
    assert_eq!((offset, scaled), (8 + 8, 1));
    let field = field.expect("named");
    assert_eq!((field.struct_name.as_str(), field.offset), ("in", 8));
    // sizeof(struct.out) = 8 + 4·16 + 4, rounded up to 80; the anonymous union's member counts for `out`.
    let (offset, _, field) = gep(2);
    assert_eq!(offset, 80 + 72);
    let field = field.expect("named");
    assert_eq!((field.struct_name.as_str(), field.offset), ("out", 72));
}

#[test]
fn initialisers_become_cells_with_addresses() {
    let program = decode_ll(
        "@x = global i32 7
         @s = constant { i8, ptr, [3 x i16], i64 } { i8 0, ptr getelementptr (i8, ptr @x, i64 2),
              [3 x i16] [i16 0, i16 5, i16 0], i64 ptrtoint (ptr @f to i64) }
         @e = external global i64
         @err = global ptr inttoptr (i64 -12 to ptr)
         define void @f() { ret void }",
    )
    .expect("parses");
    let s = &program.globals[program.global_named("s").expect("s")];
    let cells: Vec<(u64, u32)> = s
        .init
        .as_ref()
        .expect("init")
        .iter()
        .map(|c| (c.offset, c.size))
        .collect();
    assert_eq!(cells, [(8, 8), (18, 2), (24, 8)]);
    let cells = s.init.as_ref().expect("init");
    assert!(matches!(
        cells[0].value,
        Const::Addr {
            offset: 2,
            int_bits: None,
            ..
        }
    ));
    assert!(matches!(
        cells[2].value,
        Const::Func {
            int_bits: Some(64),
            ..
        }
    ));
    assert!(s.constant);
    let e = &program.globals[program.global_named("e").expect("e")];
    assert!(e.init.is_none());
    let err = &program.globals[program.global_named("err").expect("err")];
    let cell = &err.init.as_ref().expect("init")[0];
    assert_eq!(cell.value, Const::int(64, (-12i64) as u64 as u128));
}

#[test]
fn a_phi_of_an_error_pointer_gets_its_value_in_the_predecessor() {
    let program = decode_ll(
        "define ptr @f(i1 %c, ptr %p) {
         entry:
           br i1 %c, label %a, label %out
         a:
           br label %out
         out:
           %r = phi ptr [ %p, %entry ], [ inttoptr (i64 -5 to ptr), %a ]
           ret ptr %r
         }",
    )
    .expect("parses");
    let f = &program.functions[program.function_named("f").expect("f")];
    let blocks: Vec<&Block> = f.blocks.iter().collect();
    assert!(matches!(
        blocks[1].instrs[0].op,
        Op::Cast {
            kind: CastKind::IntToPtr,
            ..
        }
    ));
    let Op::Phi(incoming) = &blocks[2].instrs[0].op else {
        panic!()
    };
    assert_eq!(incoming.len(), 2);
    assert_eq!(
        incoming[1].1,
        Operand::Value(blocks[1].instrs[0].result.expect("value"))
    );
}

#[test]
fn atomics_and_volatile_are_marked() {
    let ops = only_ops(
        "define void @f(ptr %p) {
           %a = load atomic i32, ptr %p seq_cst, align 4
           %b = load volatile i32, ptr %p
           %c = load i32, ptr %p
           %d = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
           %e = extractvalue { i32, i1 } %d, 1
           %g = atomicrmw add ptr %p, i32 1 seq_cst
           ret void
         }",
        "f",
    );
    let marked = |n: usize| match &ops[n] {
        Op::Load { mode, .. } => mode.marked(),
        other => panic!("{other:?}"),
    };
    assert!(marked(0) && marked(1) && !marked(2));
    assert!(matches!(ops[3], Op::CmpXchg { .. }));
    assert!(matches!(ops[4], Op::Extract { index: 1, .. }));
    assert!(matches!(
        ops[5],
        Op::AtomicRmw {
            op: AtomicRmwOp::Add,
            ..
        }
    ));
}

#[test]
fn nested_aggregates_are_flattened() {
    let ops = only_ops(
        "define i32 @f({ i8, { i32, i64 } } %t) {
           %a = extractvalue { i8, { i32, i64 } } %t, 1
           %b = extractvalue { i32, i64 } %a, 0
           ret i32 %b
         }",
        "f",
    );
    assert!(matches!(ops[0], Op::Extract { index: 1, .. }));
    assert!(matches!(ops[1], Op::Extract { index: 2, .. }));
    assert!(matches!(ops[4], Op::Extract { index: 0, .. }), "{ops:?}");
}

#[test]
fn what_cannot_be_expressed_says_so() {
    let ops = only_ops(
        "define void @f() {
           call void asm sideeffect \"hlt\", \"\"()
           ret void
         }",
        "f",
    );
    assert!(matches!(&ops[0], Op::Unsupported(w) if w.starts_with("asm: hlt")));
}

#[test]
fn sites_come_from_metadata() {
    let program = decode_ll(
        "@x = global i32 0
         define void @f() {
         entry:
           store i32 1, ptr @x, !irkiss.site !0
           br label %entry2, !irkiss.site !1
         entry2:
           ret void
         }
         !0 = !{i32 4}
         !1 = !{i32 5}",
    )
    .expect("parses");
    let f = &program.functions[program.function_named("f").expect("f")];
    let first = f.blocks.iter().next().expect("block");
    assert_eq!(first.instrs[0].site, Some(crate::index::SiteId(4)));
    assert_eq!(first.term_site, Some(crate::index::SiteId(5)));
}

#[test]
fn switch_cases_are_kept() {
    let program = decode_ll(
        "define i32 @f(i8 %x) {
           switch i8 %x, label %d [ i8 -1, label %a  i8 3, label %a ]
         a:
           ret i32 1
         d:
           ret i32 0
         }",
    )
    .expect("parses");
    let f = &program.functions[program.function_named("f").expect("f")];
    let Terminator::Switch { cases, bits: 8, .. } = &f.blocks.iter().next().expect("b").term else {
        panic!()
    };
    assert_eq!(cases.iter().map(|c| c.0).collect::<Vec<_>>(), [255, 3]);
}
