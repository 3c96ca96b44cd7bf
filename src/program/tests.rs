//! The text form of a small program.

use super::print_program;
use crate::frontend::decode::decode_ll;

#[test]
fn a_program_reads_like_llvm() {
    let program = decode_ll(
        r#"target triple = "x86_64-linux-gnu"
%struct.s = type { i32, i32 }
@g = global %struct.s { i32 1, i32 2 }
@p = global ptr getelementptr (i8, ptr @g, i64 4)
declare void @__irkiss_assume(i1)
define i32 @f(ptr %a, i32 %n) {
entry:
  %x = getelementptr %struct.s, ptr %a, i64 0, i32 1
  %v = load volatile i32, ptr %x
  %c = icmp eq i32 %v, %n
  call void @__irkiss_assume(i1 %c)
  br i1 %c, label %yes, label %no
yes:
  store i32 7, ptr getelementptr (i8, ptr @g, i64 4)
  ret i32 %v
no:
  switch i32 %n, label %yes [ i32 3, label %end ]
end:
  ret i32 undef
}"#,
    )
    .expect("parses");
    let expected = "\
; target x86_64-linux-gnu (little-endian, 8-byte pointers)
@g = global [8 bytes] %s { +0: 4:1, +4: 4:2 }
@p = global [8 bytes] { +0: 8:@g+4 }
declare void @__irkiss_assume(i1 %0) ; primitive Assume

define i32 @f(ptr %0.a, i32 %1.n) { ; <no debug info>
bb0:
  %2.x: ptr = gep %0.a + 4 (%s+4)
  %3.v: i32 = load volatile i32, %2.x
  %4.c: i1 = icmp eq %3.v, %1.n
  primitive __irkiss_assume(%4.c)
  branch %4.c, bb1, bb2
bb1:
  store i32 7, @g+4
  return %3.v
bb2:
  switch %1.n [3: bb3], bb1
bb3:
  return undef:i32
}
";
    let printed = print_program(&program);
    assert_eq!(printed, expected, "\n{printed}");
}
