//! What is proved of small programs, and what must not be.

mod completed;
mod conditions;
mod faults;
mod objects;
mod rwlock;

use super::super::testing::{function, program};
use super::super::{PlanOptions, Planner, PointsTo};
use crate::config::Reduction;

/// Locks as the models have them.
const LOCKS: &str = "
    @m = global i32 0
    @n = global i32 0
    @x = global i32 0
    define void @take(ptr %l) #0 {
      call void @__irkiss_atomic_begin()
      %o = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
      %f = icmp eq i64 %o, 0
      %c = zext i1 %f to i8
      call void @__irkiss_assume(i8 %c)
      %s = call i64 @__irkiss_self()
      %me = add i64 %s, 1
      call void @__irkiss_ghost_set(ptr %l, i32 1, i64 %me)
      call void @__irkiss_atomic_end()
      ret void
    }
    define i32 @try(ptr %l) #0 {
    entry:
      call void @__irkiss_atomic_begin()
      %o = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
      %f = icmp eq i64 %o, 0
      br i1 %f, label %yes, label %out
    yes:
      %s = call i64 @__irkiss_self()
      %me = add i64 %s, 1
      call void @__irkiss_ghost_set(ptr %l, i32 1, i64 %me)
      br label %out
    out:
      %r = phi i32 [ 0, %entry ], [ 1, %yes ]
      call void @__irkiss_atomic_end()
      ret i32 %r
    }
    define i32 @interruptible(ptr %l) #0 {
    entry:
      %u = call i32 @__irkiss_nondet_u32()
      %c = icmp eq i32 %u, 0
      br i1 %c, label %yes, label %out
    yes:
      call void @take(ptr %l)
      br label %out
    out:
      %r = phi i32 [ -4, %entry ], [ 0, %yes ]
      ret i32 %r
    }
    define void @drop(ptr %l) #0 {
      call void @__irkiss_ghost_set(ptr %l, i32 1, i64 0)
      ret void
    }
    define void @init(ptr %l) #0 {
      call void @__irkiss_ghost_set(ptr %l, i32 7, i64 1)
      call void @__irkiss_ghost_set(ptr %l, i32 1, i64 0)
      ret void
    }
    define void @take_shared(ptr %l) #0 {
      call void @__irkiss_atomic_begin()
      %o = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
      %more = add i64 %o, 1
      call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %more)
      call void @__irkiss_atomic_end()
      ret void
    }
    define void @drop_shared(ptr %l) #0 {
      call void @__irkiss_atomic_begin()
      %o = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
      %less = add i64 %o, -1
      call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %less)
      call void @__irkiss_atomic_end()
      ret void
    }
    define void @guarded() {
      call void @take(ptr @m)
      store i32 1, ptr @x
      call void @drop(ptr @m)
      ret void
    }
    define void @a() { call void @guarded() ret void }
";

/// `main` calls both threads, as a harness does.
const MAIN: &str = "define void @main() { call void @a() call void @b() ret void }";

/// Names of the regions that are proved, and of those that are not, with and without `--strict`.
fn verdict_of(text: &str, strict: bool) -> (Vec<String>, Vec<String>) {
    let program = program(text);
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    let (a, b) = (function(&program, "a"), function(&program, "b"));
    let options = PlanOptions {
        strict,
        ..PlanOptions::default()
    };
    let plan = Planner::new(&program, &points_to, options).pair(&[a], &[b]);
    assert_eq!(plan.gap, None);
    let proved = plan
        .proved
        .into_iter()
        .map(|r| r.name.to_string())
        .collect();
    (
        proved,
        plan.regions
            .into_iter()
            .map(|r| r.name.to_string())
            .collect(),
    )
}

/// Thread `a` stores to `@x` under `@m`; the text is thread `b`. Whether `@x` is proved.
fn proved(b: &str) -> bool {
    match verdict_of(&format!("{LOCKS}{b}{MAIN}"), false) {
        (proved, open) if open.is_empty() => {
            assert_eq!(proved, ["@x"]);
            true
        }
        (proved, open) => {
            assert_eq!((proved.as_slice(), open), (&[][..], vec!["@x".to_string()]));
            false
        }
    }
}

/// A body between braces, with `%e` what `call` returns; `yes` is where `condition` holds.
fn tried(call: &str, condition: &str) -> String {
    format!(
        "define void @b() {{
           %e = call i32 {call}
           %c = icmp {condition}
           br i1 %c, label %yes, label %no
         yes:
           store i32 2, ptr @x
           call void @drop(ptr @m)
           ret void
         no:
           ret void
         }}"
    )
}

#[test]
fn a_common_lock_proves() {
    let with = |lock: &str, then: &str| {
        format!(
            "define void @b() {{
               call void @take(ptr @{lock}) {then} %v = load i32, ptr @x
               call void @drop(ptr @{lock}) ret void
             }}"
        )
    };
    assert!(proved(&with("m", "")));
    assert!(!proved(&with("n", "")));
    assert!(!proved(&with(
        "m",
        "call void @drop(ptr @m) call void @take(ptr @n)"
    )));
    assert!(proved(&with(
        "m",
        "call void @take(ptr @n) call void @drop(ptr @n)"
    )));
    assert!(!proved("define void @b() { store i32 2, ptr @x ret void }"));
    let after = "call void @take(ptr @m) call void @drop(ptr @m) store i32 2, ptr @x";
    assert!(!proved(&format!("define void @b() {{ {after} ret void }}")));
}

#[test]
fn a_lock_that_was_tried_is_held_where_it_was_taken() {
    assert!(proved(&tried("@try(ptr @m)", "ne i32 %e, 0")));
    assert!(proved(&tried("@try(ptr @m)", "eq i32 %e, 1")));
    assert!(!proved(&tried("@try(ptr @m)", "eq i32 %e, 0")));
    assert!(!proved(&tried("@try(ptr @m)", "eq i32 0, 0")));
    assert!(!proved(&tried("@try(ptr @n)", "ne i32 %e, 0")));
}

#[test]
fn error_paths_hold_nothing() {
    assert!(proved(&tried("@interruptible(ptr @m)", "eq i32 %e, 0")));
    assert!(proved(&tried("@interruptible(ptr @m)", "sge i32 %e, 0")));
    assert!(!proved(&tried("@interruptible(ptr @m)", "slt i32 %e, 0")));
    assert!(!proved(&tried("@interruptible(ptr @m)", "ne i32 %e, 7")));
}

/// `if (c) lock(); if (d) work(); if (c) unlock();`
fn conditional(c: &str, d: &str) -> String {
    format!(
        "define void @b() {{
         entry:
           %c = call i32 @__irkiss_nondet_u32()
           %d = call i32 @__irkiss_nondet_u32()
           %t1 = icmp ne i32 {c}, 0
           br i1 %t1, label %l, label %m
         l:
           call void @take(ptr @m)
           br label %m
         m:
           %t2 = icmp ne i32 {d}, 0
           br i1 %t2, label %w, label %n
         w:
           store i32 2, ptr @x
           br label %n
         n:
           %t3 = icmp ne i32 %c, 0
           br i1 %t3, label %u, label %z
         u:
           call void @drop(ptr @m)
           ret void
         z:
           ret void
         }}"
    )
}

#[test]
fn a_lock_under_a_condition() {
    assert!(proved(&conditional("%c", "%c")));
    // Something else decides whether it works, or whether it has the lock that it gives back.
    assert!(!proved(&conditional("%c", "%d")));
    assert!(!proved(&conditional("%d", "%c")));
}

/// The parameter is two where the second test asks; whether it was zero says nothing of that.
#[test]
fn a_parameter_that_is_not_zero_need_not_be_one() {
    let b = "define void @f(i8 %k) {
           %w = zext i8 %k to i32
           %c = icmp ne i32 %w, 0
           br i1 %c, label %in, label %out
         in:
           call void @take(ptr @m)
           %d = icmp eq i8 %k, 2
           br i1 %d, label %early, label %work
         early:
           call void @drop(ptr @m)
           br label %work
         work:
           store i32 2, ptr @x
           br label %out
         out:
           ret void
         }
         define void @b() {
           %k = call i32 @__irkiss_nondet_u32()
           %t = trunc i32 %k to i8
           call void @f(i8 %t)
           ret void
         }";
    assert!(!proved(b));
}

#[test]
fn readers_exclude_writers_only() {
    let both = |a: &str, access: &str| {
        let a = format!(
            "define void @a() {{
               call void @take{a}(ptr @m) store i32 1, ptr @x call void @drop{a}(ptr @m) ret void
             }}"
        );
        let b = format!(
            "define void @b() {{
               call void @take_shared(ptr @m) {access} call void @drop_shared(ptr @m) ret void
             }}"
        );
        let text = LOCKS.replace("define void @a() { call void @guarded() ret void }", &a);
        verdict_of(&format!("{text}{b}{MAIN}"), false).1.is_empty()
    };
    assert!(both("", "%v = load i32, ptr @x"));
    assert!(both("", "store i32 2, ptr @x"));
    assert!(!both("_shared", "%v = load i32, ptr @x"));
    // Given back in the other way: the read hold is still there, the owner's is not b's to give.
    assert!(!both("", "call void @drop(ptr @m) %v = load i32, ptr @x"));
}

#[test]
fn who_releases_what_others_hold_takes_the_proof_away() {
    let body = "call void @take(ptr @m) store i32 2, ptr @x call void @drop(ptr @m)";
    let b = |more: &str| format!("define void @b() {{ {body} {more} ret void }}");
    assert!(proved(&b("")));
    assert!(!proved(&b("call void @drop(ptr @m)")));
    // Of another lock: nothing to this one.
    assert!(proved(&b("call void @drop(ptr @n)")));
    // Who initialises it takes it from who has it.
    assert!(!proved(&b("call void @init(ptr @m)")));
    assert!(proved(&b("call void @init(ptr @n)")));
    // Wherever a pointer leads that may be anything's.
    let which = "%c = call i32 @__irkiss_nondet_u32() %t = icmp eq i32 %c, 0
         %p = select i1 %t, ptr @m, ptr @n call void @drop(ptr %p)";
    assert!(!proved(&b(which)));
}

#[test]
fn threads_that_never_return() {
    let b = |inner: &str| {
        format!(
            "define void @b() {{
             entry:
               br label %again
             again:
               call void @take(ptr @m) store i32 2, ptr @x call void @drop(ptr @m) {inner}
               br label %again
             }}"
        )
    };
    assert!(proved(&b("")));
    assert!(!proved(&b("store i32 2, ptr @x")));
    // Held from the second time on.
    let b = "define void @b() {
         entry:
           br label %again
         again:
           store i32 2, ptr @x
           %e = call i32 @try(ptr @m)
           br label %again
         }";
    assert!(!proved(b));
}

#[test]
fn recursion() {
    let b = |before: &str, after: &str| {
        format!(
            "define void @r() {{
               {before}
               store i32 2, ptr @x
               %c = call i32 @__irkiss_nondet_u32()
               %t = icmp eq i32 %c, 0
               br i1 %t, label %more, label %end
             more:
               {after}
               call void @r()
               store i32 3, ptr @x
               br label %end
             end:
               ret void
             }}
             define void @b() {{ call void @take(ptr @m) call void @r() call void @drop(ptr @m) ret void }}"
        )
    };
    assert!(proved(&b("", "")));
    assert!(!proved(&b("", "call void @drop(ptr @m)")));
    assert!(!proved(&b(
        "call void @drop(ptr @m)",
        "call void @take(ptr @m)"
    )));
    // Each activation takes what it has given back before it goes down.
    let own = "define void @r() {
           call void @take(ptr @m)
           store i32 2, ptr @x
           call void @drop(ptr @m)
           %c = call i32 @__irkiss_nondet_u32()
           %t = icmp eq i32 %c, 0
           br i1 %t, label %more, label %end
         more:
           call void @r()
           br label %end
         end:
           ret void
         }
         define void @b() { call void @r() ret void }";
    assert!(proved(own));
}

/// Two functions that call each other: the one that is called gives nothing back by itself.
#[test]
fn functions_that_call_each_other() {
    let b = |first: &str, second: &str, entered: &str, lock: &str| {
        let function = |name: &str, other: &str, gives: &str| {
            format!(
                "define void @{name}() {{
                   %c = call i32 @__irkiss_nondet_u32()
                   %t = icmp eq i32 %c, 0
                   br i1 %t, label %more, label %end
                 more:
                   call void @{other}()
                   ret void
                 end:
                   {gives}
                   ret void
                 }}"
            )
        };
        let gives = format!("call void @drop(ptr @{lock})");
        let mut functions = [function(first, second, ""), function(second, first, &gives)];
        functions.sort();
        format!(
            "{}define void @b() {{
               br i1 false, label %never, label %go
             go:
               call void @take(ptr @m) call void @{first}() store i32 2, ptr @x ret void
             never:
               call void @{entered}()
               ret void
             }}",
            functions.concat()
        )
    };
    // Whichever of the two is come upon first.
    for (first, second) in [("r", "s"), ("s", "r")] {
        for entered in ["r", "s"] {
            assert!(proved(&b(first, second, entered, "n")));
            assert!(!proved(&b(first, second, entered, "m")));
        }
    }
}

/// A function that is analysed once for all callers: too long to be looked at for each call.
#[test]
fn one_caller_holds_the_lock_and_another_does_not() {
    let pad = (0..200).map(|n| format!("%p{n} = add i32 %k, {n} "));
    let b = |second: &str| {
        format!(
            "define void @f(i32 %k) {{ {} store i32 2, ptr @x ret void }}
             define void @b() {{
               call void @take(ptr @m) call void @f(i32 1) call void @drop(ptr @m)
               call void @take(ptr @{second}) call void @f(i32 2) call void @drop(ptr @{second})
               ret void
             }}",
            pad.clone().collect::<String>()
        )
    };
    assert!(proved(&b("m")));
    assert!(!proved(&b("n")));
}

/// Where ways meet that hold the same, what only one of them knows is forgotten.
#[test]
fn ways_that_meet_keep_what_both_know() {
    let b = |first: u32, second: u32, test: &str| {
        format!(
            "define void @b() {{
             entry:
               call void @take(ptr @m)
               %c = call i32 @__irkiss_nondet_u32()
               %t = icmp eq i32 %c, 0
               br i1 %t, label %l, label %r
             l:
               br label %j
             r:
               br label %j
             j:
               %k = phi i32 [ {first}, %l ], [ {second}, %r ]
               %u = icmp {test} i32 %k, 0
               br i1 %u, label %early, label %work
             early:
               call void @drop(ptr @m)
               br label %work
             work:
               store i32 2, ptr @x
               ret void
             }}"
        )
    };
    assert!(proved(&b(0, 0, "ne")));
    assert!(proved(&b(1, 2, "eq")));
    for test in ["eq", "ne"] {
        assert!(!proved(&b(0, 1, test)));
        assert!(!proved(&b(1, 0, test)));
    }
}

/// The same of the ways out of a function.
#[test]
fn results_that_differ_where_the_locks_do_not() {
    let b = |first: u32, second: u32, test: &str| {
        format!(
            "define i32 @f() {{
               call void @take(ptr @n) call void @drop(ptr @n)
               %c = call i32 @__irkiss_nondet_u32()
               %t = icmp eq i32 %c, 0
               br i1 %t, label %l, label %r
             l:
               ret i32 {first}
             r:
               ret i32 {second}
             }}
             define void @b() {{
               call void @take(ptr @m)
               %k = call i32 @f()
               %u = icmp {test} i32 %k, 0
               br i1 %u, label %early, label %work
             early:
               call void @drop(ptr @m)
               br label %work
             work:
               store i32 2, ptr @x
               ret void
             }}"
        )
    };
    assert!(proved(&b(0, 0, "ne")));
    assert!(proved(&b(1, 2, "eq")));
    for test in ["eq", "ne"] {
        assert!(!proved(&b(0, 1, test)));
        assert!(!proved(&b(1, 0, test)));
    }
}

#[test]
fn strict_wants_the_lock_beside_the_data() {
    let body = "%h = load ptr, ptr @h
         call void @take(ptr %h) store i32 1, ptr @x call void @drop(ptr %h) ret void";
    let thread = |name: &str| format!("define void @{name}() {{ {body} }}\n");
    let text = format!(
        "{}@h = global ptr null
         {}define void @main() {{
           %o = call ptr @__irkiss_alloc(i64 8, i8 1)
           store ptr %o, ptr @h
           call void @a() call void @b() ret void
         }}",
        LOCKS.replace(
            "define void @a() { call void @guarded() ret void }",
            &thread("a")
        ),
        thread("b")
    );
    assert_eq!(verdict_of(&text, false).0, ["@x"]);
    assert_eq!(verdict_of(&text, true).1, ["@x"]);
    // A global lock counts for everything.
    let b = "define void @b() { call void @guarded() ret void }";
    assert_eq!(verdict_of(&format!("{LOCKS}{b}{MAIN}"), true).0, ["@x"]);
}

/// The accesses lose their switch points, the locks keep them.
#[test]
fn switch_points_that_go() {
    use crate::index::Idx;
    use crate::program::SiteKind;
    let text = format!("{LOCKS}define void @b() {{ call void @guarded() ret void }}{MAIN}");
    let program = program(&text);
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    let (a, b) = (function(&program, "a"), function(&program, "b"));
    for (reduction, kept) in [
        (Reduction::All, true),
        (Reduction::EntryPointPair, false),
        (Reduction::MemoryRegion, false),
    ] {
        let options = PlanOptions {
            reduction,
            ..PlanOptions::default()
        };
        let plan = Planner::new(&program, &points_to, options).pair(&[a], &[b]);
        let sites = |f, kind| super::super::testing::sites(&program, f, kind);
        let write = sites("guarded", SiteKind::Write)[0];
        assert_eq!(plan.enabled[write.index()], kept, "{reduction:?}");
        assert!(!plan.checked[write.index()]);
        let begin = sites("take", SiteKind::AtomicBegin)[0];
        assert!(plan.enabled[begin.index()]);
    }
}
