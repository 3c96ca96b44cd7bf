//! Slices of small programs: which globals are read on the way to the one store to `@x`.

use super::*;
use crate::analysis::PointsTo;
use crate::analysis::testing::{function, program};
use crate::program::Const;

const GLOBALS: &str = "@x = global i32 0
    @a = global i32 0
    @b = global i32 0
    @c = global i32 0
    declare i1 @outside()
";

/// By data, by control.
fn sources(text: &str) -> [Vec<String>; 2] {
    let program = program(&format!("{GLOBALS}{text}"));
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    let dependence = Dependence::new(&program, &points_to);
    let mut all = FixedBitSet::with_capacity(points_to.instances().len());
    all.insert_range(..);
    let instr = |p: &Place| {
        let i = &points_to.instances()[p.instance];
        &program.functions[i.function].blocks[p.block].instrs[p.index as usize]
    };
    let of = |p: &Operand| match p {
        Operand::Const(Const::Addr { global, .. }) => program.globals[*global].name.clone(),
        _ => "?".to_string(),
    };
    let places = points_to.instances().iter();
    let mut places = places.flat_map(|i| i.accesses.iter().map(|a| a.place));
    let write = places.find(|p| matches!(&instr(p).op, Op::Store { ptr, .. } if of(ptr) == "x"));
    let write = write.expect("a store to @x");
    let Op::Store { value, .. } = &instr(&write).op else {
        panic!("a store");
    };
    let found = dependence.of(write, Some(value), &all);
    [found.data, found.control].map(|places| {
        let mut names: Vec<String> = places
            .iter()
            .map(|p| match &instr(p).op {
                Op::Load { ptr, .. } => of(ptr),
                _ => "?".to_string(),
            })
            .collect();
        names.sort();
        names.dedup();
        names
    })
}

#[test]
fn values_are_followed_and_conditions() {
    let [data, control] = sources(
        "define void @main() {
           %a = load i32, ptr @a
           %b = load i32, ptr @b
           %c = load i32, ptr @c
           %set = icmp eq i32 %b, 0
           %sum = add i32 %a, 1
           br i1 %set, label %yes, label %no
         yes:
           store i32 %sum, ptr @x
           br label %no
         no:
           ret void
         }",
    );
    assert_eq!(data, ["a"]);
    assert_eq!(control, ["b"]);
}

#[test]
fn what_comes_after_both_ways_is_not_controlled() {
    let [data, control] = sources(
        "define void @main() {
           %b = load i32, ptr @b
           %set = icmp eq i32 %b, 0
           br i1 %set, label %yes, label %no
         yes:
           %c = load i32, ptr @c
           br label %no
         no:
           store i32 5, ptr @x
           ret void
         }",
    );
    assert!(data.is_empty() && control.is_empty());
}

#[test]
fn an_early_return_controls_what_follows_and_calls_hand_that_on() {
    let [data, control] = sources(
        "define i32 @check() {
           %b = load i32, ptr @b
           %set = icmp eq i32 %b, 0
           br i1 %set, label %yes, label %no
         yes:
           br label %no
         no:
           %r = phi i32 [ -1, %yes ], [ 0, %0 ]
           ret i32 %r
         }
         define void @act(i32 %v) {
           store i32 %v, ptr @x
           ret void
         }
         define void @main() {
           %r = call i32 @check()
           %bad = icmp ne i32 %r, 0
           %a = load i32, ptr @a
           br i1 %bad, label %out, label %go
         go:
           call void @act(i32 %a)
           br label %out
         out:
           ret void
         }",
    );
    assert_eq!(data, ["a"]);
    assert_eq!(control, ["b"]);
}

#[test]
fn local_variables_in_memory_are_followed() {
    let [data, control] = sources(
        "define void @fill(ptr %out) {
           %a = load i32, ptr @a
           store i32 %a, ptr %out
           ret void
         }
         define void @main() {
           %local = alloca { i32, i32 }
           %second = getelementptr i8, ptr %local, i64 4
           call void @fill(ptr %second)
           %v = load i32, ptr %second
           store i32 %v, ptr @x
           ret void
         }",
    );
    assert_eq!(data, ["a"]);
    assert!(control.is_empty());
}
