//! Small programs whose points-to sets are known.

use super::*;
use crate::analysis::regions::Namer;
use crate::analysis::testing::{function, program};
use crate::program::Program;

/// Names of the places that the value `value` of `function` may point to, sorted.
fn targets(program: &Program, points_to: &PointsTo, name: &str, value: &str) -> Vec<String> {
    let f = function(program, name);
    let (id, _) = program.functions[f]
        .values
        .iter_ids()
        .find(|(_, v)| v.name == value)
        .expect("value is there");
    let namer = Namer::new(program, points_to);
    let mut all: Vec<String> = points_to
        .targets(f, &Operand::Value(id))
        .into_iter()
        .map(|a| match a.stride {
            0 if a.rem == 0 => namer.object(a.object),
            0 => format!("{}+{}", namer.object(a.object), a.rem),
            s if a.count > 0 => format!("{}+{}%{s}*{}", namer.object(a.object), a.rem, a.count),
            s => format!("{}+{}%{s}", namer.object(a.object), a.rem),
        })
        .collect();
    all.sort();
    all
}

fn solve(text: &str) -> (Program, PointsTo) {
    let program = program(text);
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    (program, points_to)
}

#[test]
fn fields_are_kept_apart() {
    let (p, pt) = solve(
        "@a = global i64 0
         @b = global i64 0
         @s = global { ptr, ptr } zeroinitializer
         define void @main() {
           store ptr @a, ptr @s
           %f = getelementptr i8, ptr @s, i64 8
           store ptr @b, ptr %f
           %x = load ptr, ptr @s
           %y = load ptr, ptr %f
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "main", "x"), ["@a"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["@b"]);
    assert_eq!(targets(&p, &pt, "main", "f"), ["@s+8"]);
}

#[test]
fn an_unknown_index_reaches_its_field_in_all_elements() {
    let (p, pt) = solve(
        "@a = global i64 0
         @b = global i64 0
         @t = global [4 x { ptr, ptr }] zeroinitializer
         define void @main(i64 %i, i64 %j) {
           %p = getelementptr [4 x { ptr, ptr }], ptr @t, i64 0, i64 %i, i32 1
           store ptr @a, ptr %p
           %q = getelementptr i8, ptr @t, i64 24
           %x = load ptr, ptr %q
           %r = getelementptr i8, ptr @t, i64 32
           store ptr @b, ptr %r
           %y = load ptr, ptr %r
           %s = getelementptr [4 x { ptr, ptr }], ptr @t, i64 0, i64 %j
           %z = load ptr, ptr %s
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "main", "p"), ["@t+8%16"]);
    assert_eq!(targets(&p, &pt, "main", "x"), ["@a"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["@b"]);
    assert_eq!(targets(&p, &pt, "main", "z"), ["@b"]);
}

#[test]
fn a_pointer_that_a_loop_moves_is_widened() {
    let (p, pt) = solve(
        "@t = global [400 x i32] zeroinitializer
         define void @main() {
         entry:
           br label %loop
         loop:
           %p = phi ptr [ @t, %entry ], [ %next, %loop ]
           %next = getelementptr i8, ptr %p, i64 4
           %c = icmp eq ptr %next, null
           br i1 %c, label %end, label %loop
         end:
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "main", "p"), ["@t", "@t+0%4"]);
}

#[test]
fn a_pointer_moved_through_memory_is_widened_too() {
    let (p, pt) = solve(
        "@t = global [4000 x i32] zeroinitializer
         @at = global ptr @t
         define void @main() {
         entry:
           br label %loop
         loop:
           %p = load ptr, ptr @at
           %next = getelementptr i8, ptr %p, i64 4
           store ptr %next, ptr @at
           br label %loop
         }",
    );
    let all = targets(&p, &pt, "main", "p");
    assert!(all.contains(&"@t+0%4".to_string()), "{all:?}");
}

#[test]
fn indirect_calls_are_resolved_while_solving() {
    let (p, pt) = solve(
        "@ops = global { ptr, ptr } { ptr @open, ptr @close }
         @a = global i64 0
         define ptr @open(ptr %o) { ret ptr %o }
         define ptr @close(ptr %c) { ret ptr null }
         define void @main() {
           %f = load ptr, ptr @ops
           %r = call ptr %f(ptr @a)
           ret void
         }",
    );
    let graph = pt.call_graph();
    let main = function(&p, "main");
    assert_eq!(graph.callees[main], [function(&p, "open")]);
    assert_eq!(targets(&p, &pt, "main", "r"), ["@a"]);
    assert!(pt.instances_of(function(&p, "close")).is_empty());
}

#[test]
fn integers_carry_pointers() {
    let (p, pt) = solve(
        "@a = global { i64, i64 } zeroinitializer
         @n = global i64 0
         define void @main() {
           store i64 ptrtoint (ptr @a to i64), ptr @n
           %i = load i64, ptr @n
           %j = add i64 %i, 9
           %k = and i64 %j, -8
           %q = inttoptr i64 %k to ptr
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "main", "q"), ["@a+8"]);
}

#[test]
fn heap_objects_differ_by_the_call_of_the_allocator() {
    let (p, pt) = solve(
        "define ptr @kmalloc(i64 %n) #0 {
           %p = call ptr @__irkiss_alloc(i64 %n, i8 0)
           ret ptr %p
         }
         define ptr @wrapper(i64 %n) {
           %p = call ptr @kmalloc(i64 %n)
           ret ptr %p
         }
         define void @main() {
           %x = call ptr @wrapper(i64 8)
           %y = call ptr @wrapper(i64 8)
           ret void
         }",
    );
    let f = function(&p, "main");
    let object = |name: &str| {
        let mut values = p.functions[f].values.iter_ids();
        let value = values.find(|(_, v)| v.name == name).expect("there");
        let all = pt.targets(f, &Operand::Value(value.0));
        assert_eq!(all.len(), 1);
        all[0].object
    };
    assert_ne!(object("x"), object("y"));
}

#[test]
fn lazy_memory_leads_to_the_same_child_for_the_same_offset() {
    let (p, pt) = solve(
        "@name = constant [6 x i8] c\"file1\\00\"
         define void @main() {
           %f = call ptr @__irkiss_lazy(i64 0, ptr @name)
           %p = getelementptr i8, ptr %f, i64 32
           %x = load ptr, ptr %p
           %y = load ptr, ptr %p
           %z = load ptr, ptr %f
           %q = getelementptr i8, ptr %x, i64 8
           %deep = load ptr, ptr %q
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "main", "f"), ["file1"]);
    assert_eq!(targets(&p, &pt, "main", "x"), ["file1->[32]"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["file1->[32]"]);
    assert_eq!(targets(&p, &pt, "main", "z"), ["file1->[0]"]);
    assert_eq!(targets(&p, &pt, "main", "deep"), ["file1->[32]->[8]"]);
}

#[test]
fn a_walk_through_a_lazy_list_ends() {
    let (p, pt) = solve(
        "@list = external global ptr
         define void @main() {
         entry:
           br label %loop
         loop:
           %p = phi ptr [ @list, %entry ], [ %next, %loop ]
           %next = load ptr, ptr %p
           %c = icmp eq ptr %next, null
           br i1 %c, label %end, label %loop
         end:
           ret void
         }",
    );
    let all = targets(&p, &pt, "main", "next");
    assert!(all.contains(&"@list->…".to_string()), "{all:?}");
    assert!(all.contains(&"@list->[0]".to_string()), "{all:?}");
}

#[test]
fn memcpy_copies_pointers_and_lazy_content() {
    let (p, pt) = solve(
        "@a = global i64 0
         @s = global { ptr, ptr } zeroinitializer
         @d = global { i64, ptr, ptr } zeroinitializer
         @l = external global { ptr, ptr }
         define void @main() {
           %s1 = getelementptr i8, ptr @s, i64 8
           %d1 = getelementptr i8, ptr @d, i64 8
           %d2 = getelementptr i8, ptr @d, i64 16
           call void @llvm.memcpy.p0.p0.i64(ptr %d1, ptr @s, i64 16, i1 0)
           store ptr @a, ptr %s1
           %x = load ptr, ptr %d2
           %e = alloca { ptr, ptr }
           call void @llvm.memcpy.p0.p0.i64(ptr %e, ptr @l, i64 16, i1 0)
           %e1 = getelementptr i8, ptr %e, i64 8
           %y = load ptr, ptr %e1
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "main", "x"), ["@a"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["@l->[8]"]);
}

#[test]
fn threads_get_their_own_argument() {
    let (p, pt) = solve(
        "@a = global i64 0
         @b = global i64 0
         define void @one(ptr %x) { ret void }
         define void @two(ptr %y) { ret void }
         define void @main() {
           %n = call i64 @__irkiss_async(ptr @one, ptr @a)
           %m = call i64 @__irkiss_async(ptr @two, ptr @b)
           ret void
         }",
    );
    assert_eq!(targets(&p, &pt, "one", "x"), ["@a"]);
    assert_eq!(targets(&p, &pt, "two", "y"), ["@b"]);
    assert_eq!(
        pt.call_graph().threads_started(&[function(&p, "main")]),
        [function(&p, "one"), function(&p, "two")]
    );
}

#[test]
fn a_thread_that_starts_itself_has_an_end() {
    let (p, pt) = solve(
        "define void @again(ptr %x) {
           %n = call i64 @__irkiss_async(ptr @again, ptr %x)
           ret void
         }
         define void @main() {
           %n = call i64 @__irkiss_async(ptr @again, ptr null)
           ret void
         }",
    );
    assert!(pt.instances_of(function(&p, "again")).len() <= 2);
}

#[test]
fn cycles_of_copies_agree() {
    let (p, pt) = solve(
        "@a = global i64 0
         @b = global i64 0
         define void @main(i1 %c) {
         entry:
           br label %one
         one:
           %x = phi ptr [ @a, %entry ], [ %y, %two ]
           br label %two
         two:
           %y = phi ptr [ %x, %one ], [ @b, %more ], [ %z, %three ]
           br i1 %c, label %one, label %more
         more:
           br i1 %c, label %two, label %three
         three:
           %z = phi ptr [ %y, %more ]
           br label %two
         }",
    );
    for value in ["x", "y", "z"] {
        assert_eq!(targets(&p, &pt, "main", value), ["@a", "@b"]);
    }
}

/// `struct a { struct a *next; }`, `struct b { long n; struct b *next; }`, objects of both, and a pointer that may be either.
const TWO_TYPES: &str = r#"
%struct.a = type { ptr }
%struct.b = type { i64, ptr }
@a = global %struct.a zeroinitializer, !dbg !20
@b = global %struct.b zeroinitializer, !dbg !22
@raw = global [64 x i8] zeroinitializer, !dbg !24
@many = global { i64, [3 x %struct.a] } zeroinitializer, !dbg !26
define void @main(i1 %c, i1 %d, i64 %n) {
  %one = select i1 %c, ptr @a, ptr @b
  %any = select i1 %d, ptr %one, ptr @raw
  %x = getelementptr %struct.a, ptr %any, i32 0, i32 0
  %y = getelementptr %struct.b, ptr %any, i32 0, i32 1
  %list = getelementptr i8, ptr @many, i64 8
  %element = getelementptr %struct.a, ptr %list, i64 %n
  %z = getelementptr %struct.a, ptr %element, i32 0, i32 0
  ret void
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug, globals: !3)
!2 = !DIFile(filename: "a.c", directory: "/src")
!3 = !{!20, !22, !24, !26}
!4 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!5 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!6 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "a", file: !2, size: 64, elements: !7)
!7 = !{!8}
!8 = !DIDerivedType(tag: DW_TAG_member, name: "next", baseType: !9, size: 64)
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!10 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "b", file: !2, size: 128, elements: !11)
!11 = !{!12, !13}
!12 = !DIDerivedType(tag: DW_TAG_member, name: "n", baseType: !4, size: 64)
!13 = !DIDerivedType(tag: DW_TAG_member, name: "next", baseType: !14, size: 64, offset: 64)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)
!15 = !DICompositeType(tag: DW_TAG_array_type, baseType: !5, size: 512, elements: !16)
!16 = !{!17}
!17 = !DISubrange(count: 64)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "a", scope: !1, file: !2, line: 1, type: !6, isLocal: false, isDefinition: true)
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "b", scope: !1, file: !2, line: 2, type: !10, isLocal: false, isDefinition: true)
!24 = !DIGlobalVariableExpression(var: !25, expr: !DIExpression())
!25 = distinct !DIGlobalVariable(name: "raw", scope: !1, file: !2, line: 3, type: !15, isLocal: false, isDefinition: true)
!26 = !DIGlobalVariableExpression(var: !27, expr: !DIExpression())
!27 = distinct !DIGlobalVariable(name: "many", scope: !1, file: !2, line: 4, type: !28, isLocal: false, isDefinition: true)
!28 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "many", file: !2, size: 256, elements: !29)
!29 = !{!30, !31}
!30 = !DIDerivedType(tag: DW_TAG_member, name: "n", baseType: !4, size: 64)
!31 = !DIDerivedType(tag: DW_TAG_member, name: "list", baseType: !32, size: 192, offset: 64)
!32 = !DICompositeType(tag: DW_TAG_array_type, baseType: !6, size: 192, elements: !33)
!33 = !{!34}
!34 = !DISubrange(count: 3)
"#;

#[test]
fn a_member_is_looked_for_where_the_type_allows_it() {
    let (p, pt) = solve(TWO_TYPES);
    assert_eq!(targets(&p, &pt, "main", "any"), ["@a", "@b", "@raw"]);
    assert_eq!(targets(&p, &pt, "main", "x"), ["@a", "@raw"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["@b+8", "@raw+8"]);
    // An element of an array that is a member.
    assert_eq!(targets(&p, &pt, "main", "z"), ["@many+8%8*3"]);
    let strict = PointsTo::solve(&p, &[function(&p, "main")], false);
    assert_eq!(targets(&p, &strict, "main", "x"), ["@a", "@b", "@raw"]);
    assert_eq!(
        targets(&p, &strict, "main", "y"),
        ["@a+8", "@b+8", "@raw+8"]
    );
}

#[test]
fn a_pointer_that_is_always_null_is_not_lost() {
    let (p, pt) = solve(
        "@never = global ptr null
         @elsewhere = external global i64
         define void @main(i64 %n) {
           %x = load ptr, ptr @never
           %a = load i32, ptr %x
           %odd = mul i64 %n, 3
           %y = inttoptr i64 %odd to ptr
           %b = load i32, ptr %y
           ret void
         }",
    );
    let main = pt.instances_of(function(&p, "main"))[0];
    let lost: Vec<bool> = pt.instances()[main]
        .accesses
        .iter()
        .map(|a| pt.is_lost(a))
        .collect();
    assert_eq!(lost, [false, false, true]);
}

/// A value `%name` that is any of these pointers.
fn any_of(name: &str, all: &[String]) -> String {
    let mut text = format!("%{name}.0 = select i1 %c, ptr {}, ptr {}\n", all[0], all[0]);
    for (n, one) in all.iter().enumerate().skip(1) {
        text += &format!(
            "%{name}.{n} = select i1 %c, ptr {one}, ptr %{name}.{}\n",
            n - 1
        );
    }
    let last = all.len() - 1;
    text + &format!("%{name} = select i1 %c, ptr %{name}.{last}, ptr %{name}.0\n")
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{prefix}{n}")).collect()
}

/// What ten destinations get of ten sources, at both of two offsets. `source`: how each is declared.
fn ten_copied_to_ten(source: &str, stored: bool) -> (Program, PointsTo) {
    let (from, to) = (names("@s", 10), names("@d", 10));
    let mut text = String::new();
    for (s, d) in from.iter().zip(&to) {
        text += &format!("{s} = {source}\n{d} = global {{ ptr, ptr }} zeroinitializer\n");
    }
    text += "@a = global i64 0\n@b = global i64 0\ndefine void @main(i1 %c, i64 %n) {\n";
    text += &any_of("p", &from);
    text += &any_of("q", &to);
    text += "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 16, i1 0)\n";
    if stored {
        text +=
            "%f = getelementptr i8, ptr @s4, i64 8\nstore ptr @a, ptr %f\nstore ptr @b, ptr @s7\n";
    }
    text += "%x = load ptr, ptr @d3\n%g = getelementptr i8, ptr @d6, i64 8\n%y = load ptr, ptr %g\nret void\n}";
    solve(&text)
}

#[test]
fn what_is_copied_between_many_objects_keeps_its_offset() {
    let (p, pt) = ten_copied_to_ten("global { ptr, ptr } zeroinitializer", true);
    assert_eq!(targets(&p, &pt, "main", "x"), ["@b"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["@a"]);
    let carriers = pt.objects().iter_ids();
    let carriers = carriers.filter(|(_, o)| matches!(o.kind, ObjectKind::Carrier(_)));
    let shared: Vec<bool> = carriers.map(|(id, _)| pt.is_shared(id)).collect();
    assert_eq!(shared, [false]);
}

#[test]
fn what_is_found_in_many_objects_is_copied_to_many() {
    let (p, pt) = ten_copied_to_ten("external global { ptr, ptr }", false);
    let at = |offset: u32| -> Vec<String> {
        names("@s", 10)
            .iter()
            .map(|s| format!("{s}->[{offset}]"))
            .collect()
    };
    assert_eq!(targets(&p, &pt, "main", "x"), at(0));
    assert_eq!(targets(&p, &pt, "main", "y"), at(8));
}

#[test]
fn a_buffer_that_is_copied_from_at_many_offsets_is_copied_from_at_any() {
    let mut text = "@a = global i64 0
        @d = global [8 x ptr] zeroinitializer
        @e = global [8 x ptr] zeroinitializer
        @s = global [100 x ptr] zeroinitializer
        define void @main(i1 %c, i64 %n) {\n"
        .to_string();
    for n in 0..40 {
        text += &format!("%s{n} = getelementptr i8, ptr @s, i64 {}\n", n * 16);
    }
    text += &any_of("p", &names("%s", 40));
    text += &any_of("q", &["@d".to_string(), "@e".to_string()]);
    text += "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 8, i1 0)
        store ptr @a, ptr %s39
        %x = load ptr, ptr @d
        %y = load ptr, ptr @e
        ret void
        }";
    let (p, pt) = solve(&text);
    assert_eq!(targets(&p, &pt, "main", "x"), ["@a"]);
    assert_eq!(targets(&p, &pt, "main", "y"), ["@a"]);
}

#[test]
fn what_is_moved_within_a_buffer_gets_everywhere_before() {
    let (p, pt) = solve(
        "@a = global i64 0
         @s = global [400 x ptr] zeroinitializer
         define void @main(i64 %n) {
           %next = getelementptr i8, ptr @s, i64 8
           call void @llvm.memmove.p0.p0.i64(ptr @s, ptr %next, i64 %n, i1 0)
           %far = getelementptr i8, ptr @s, i64 3160
           store ptr @a, ptr %far
           %x = load ptr, ptr @s
           ret void
         }
         declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)",
    );
    assert_eq!(targets(&p, &pt, "main", "x"), ["@a"]);
}
