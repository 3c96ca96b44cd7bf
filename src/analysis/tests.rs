//! Plans of small programs: what must be checked, what may go.

use super::testing::{function, program, sites};
use super::*;
use crate::index::{Idx, SiteId};
use crate::program::{Program, SiteKind};

fn pair(text: &str) -> (Program, PairPlan) {
    let program = program(text);
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    let (a, b) = (function(&program, "a"), function(&program, "b"));
    let plan = Planner::new(&program, &points_to, PlanOptions::default()).pair(&[a], &[b]);
    (program, plan)
}

fn whole(text: &str) -> (Program, PairPlan) {
    let program = program(text);
    let main = function(&program, "main");
    let points_to = PointsTo::solve(&program, &[main], true);
    let plan = Planner::new(&program, &points_to, PlanOptions::default()).program(main);
    (program, plan)
}

fn names(plan: &PairPlan) -> Vec<&str> {
    plan.regions.iter().map(|r| r.name.name()).collect()
}

fn checked(plan: &PairPlan, sites: &[SiteId]) -> Vec<bool> {
    sites.iter().map(|s| plan.checked[s.index()]).collect()
}

fn enabled(plan: &PairPlan, sites: &[SiteId]) -> Vec<bool> {
    sites.iter().map(|s| plan.enabled[s.index()]).collect()
}

/// `main` calls both threads, as a harness does.
const MAIN: &str = "define void @main() { call void @a() call void @b() ret void }\n";

#[test]
fn only_fields_that_both_touch_are_checked() {
    let text = "@s = global { i32, i32, i32 } zeroinitializer
         define void @a() {
           store i32 1, ptr @s
           %p = getelementptr i8, ptr @s, i64 4
           store i32 1, ptr %p
           %q = getelementptr i8, ptr @s, i64 8
           %r = load i32, ptr %q
           ret void
         }
         define void @b() {
           %x = load i32, ptr @s
           %q = getelementptr i8, ptr @s, i64 8
           %r = load i32, ptr %q
           ret void
         }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    assert_eq!(names(&plan), ["@s"]);
    let writes = sites(&p, "a", SiteKind::Write);
    assert_eq!(checked(&plan, &writes), [true, false]);
    assert_eq!(enabled(&plan, &writes), [true, false]);
    // Two reads do not conflict.
    let reads = sites(&p, "b", SiteKind::Read);
    assert_eq!(enabled(&plan, &reads), [true, false]);
    assert_eq!(plan.regions[0].sites_a, [writes[0]]);
    assert_eq!(plan.regions[0].sites_b, [reads[0]]);
    assert!(plan.sides[0][writes[1].index()]);
    assert!(!plan.sides[1][writes[1].index()]);
}

#[test]
fn marked_accesses_keep_their_switch_points() {
    let text = "@x = global i32 0
         define void @a() { store volatile i32 1, ptr @x ret void }
         define void @b() { %v = load atomic i32, ptr @x seq_cst, align 4 ret void }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    assert!(plan.regions.is_empty());
    assert_eq!(checked(&plan, &sites(&p, "a", SiteKind::Write)), [false]);
    assert_eq!(enabled(&plan, &sites(&p, "a", SiteKind::Write)), [true]);
    assert_eq!(enabled(&plan, &sites(&p, "b", SiteKind::Read)), [true]);
}

#[test]
fn volatile_is_unmarked_under_c11() {
    let text = "@x = global i32 0
         define void @a() { store volatile i32 1, ptr @x ret void }
         define void @b() { %v = load atomic i32, ptr @x seq_cst, align 4 ret void }";
    let mut program = program(&format!("{text}\n{MAIN}"));
    for site in program.sites.iter_mut() {
        site.marked &= site.kind == SiteKind::Read;
    }
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    let (a, b) = (function(&program, "a"), function(&program, "b"));
    let options = PlanOptions {
        marked: crate::config::Marked::C11,
        ..PlanOptions::default()
    };
    let plan = Planner::new(&program, &points_to, options).pair(&[a], &[b]);
    assert_eq!(names(&plan), ["@x"]);
}

#[test]
fn a_section_is_checked_against_a_plain_access() {
    let text = "@x = global i32 0
         @y = global i32 0
         define void @a() {
           call void @__irkiss_atomic_begin()
           store i32 1, ptr @x
           call void @__irkiss_atomic_end()
           call void @__irkiss_atomic_begin()
           store i32 1, ptr @y
           call void @__irkiss_atomic_end()
           ret void
         }
         define void @b() {
           %v = load i32, ptr @x
           call void @__irkiss_atomic_begin()
           %w = load i32, ptr @y
           call void @__irkiss_atomic_end()
           ret void
         }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    assert_eq!(names(&plan), ["@x"]);
    let begins = sites(&p, "a", SiteKind::AtomicBegin);
    assert_eq!(checked(&plan, &begins), [true, false]);
    // y is only accessed in sections: no race, but the order matters.
    assert_eq!(enabled(&plan, &begins), [true, true]);
    assert_eq!(
        checked(&plan, &sites(&p, "a", SiteKind::Write)),
        [true, false]
    );
    assert_eq!(
        checked(&plan, &sites(&p, "b", SiteKind::AtomicBegin)),
        [false]
    );
}

#[test]
fn sections_begun_by_wrappers_reach_to_their_end() {
    let text = "@x = global i32 0
         define void @begin() { call void @__irkiss_atomic_begin() ret void }
         define void @end() { call void @__irkiss_atomic_end() ret void }
         define void @a() {
           call void @begin()
           store i32 1, ptr @x
           call void @end()
           store i32 2, ptr @x
           ret void
         }
         define void @b() {
           call void @__irkiss_atomic_begin()
           %v = load i32, ptr @x
           call void @__irkiss_atomic_end()
           ret void
         }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    let writes = sites(&p, "a", SiteKind::Write);
    assert_eq!(plan.regions[0].sites_a, [writes[1]]);
    assert_eq!(checked(&plan, &writes), [false, true]);
    assert_eq!(
        enabled(&plan, &sites(&p, "begin", SiteKind::AtomicBegin)),
        [true]
    );
}

#[test]
fn locks_conflict_by_address() {
    let text = "@l = global i32 0
         @m = global i32 0
         define void @lock(ptr %l) #0 {
           call void @__irkiss_atomic_begin()
           call void @__irkiss_ghost_set(ptr %l, i32 1, i64 1)
           call void @__irkiss_atomic_end()
           ret void
         }
         define void @a() { call void @lock(ptr @l) ret void }
         define void @b() { call void @lock(ptr @l) ret void }
         define void @c() { call void @lock(ptr @m) ret void }
         define void @main() { call void @a() call void @b() call void @c() ret void }";
    let program = program(text);
    let points_to = PointsTo::solve(&program, &[function(&program, "main")], true);
    let id = |name| function(&program, name);
    let options = PlanOptions::default();
    let begin = sites(&program, "lock", SiteKind::AtomicBegin);
    let same = Planner::new(&program, &points_to, options).pair(&[id("a")], &[id("b")]);
    assert_eq!(enabled(&same, &begin), [true]);
    let other = Planner::new(&program, &points_to, options).pair(&[id("a")], &[id("c")]);
    assert_eq!(enabled(&other, &begin), [false]);
}

#[test]
fn what_a_thread_allocates_for_itself_is_private() {
    let text = "@published = global ptr null
         define void @a() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 0)
           store i32 1, ptr %p
           %q = call ptr @__irkiss_alloc(i64 8, i8 0)
           store ptr %q, ptr @published
           store i32 1, ptr %q
           ret void
         }
         define void @b() { call void @a() ret void }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    let writes = sites(&p, "a", SiteKind::Write);
    // Private; the pointer itself; published.
    assert_eq!(checked(&plan, &writes), [false, true, true]);
    assert_eq!(enabled(&plan, &writes), [false, true, true]);
}

#[test]
fn free_conflicts_with_accesses_without_being_a_race() {
    let text = "@p = global ptr null
         define void @a() {
           %q = load ptr, ptr @p
           call void @__irkiss_free(ptr %q)
           ret void
         }
         define void @b() {
           %q = load ptr, ptr @p
           %v = load i32, ptr %q
           ret void
         }
         define void @main() {
           %o = call ptr @__irkiss_alloc(i64 8, i8 1)
           store ptr %o, ptr @p
           call void @a()
           call void @b()
           ret void
         }";
    let (p, plan) = pair(text);
    assert!(plan.regions.is_empty());
    assert_eq!(enabled(&plan, &sites(&p, "a", SiteKind::Free)), [true]);
    assert_eq!(
        enabled(&plan, &sites(&p, "b", SiteKind::Read)),
        [false, true]
    );
}

#[test]
fn synchronisation_is_always_a_switch_point() {
    let text = "@x = global i32 0
         define void @a() {
         entry:
           call void @__irkiss_assume(i8 1)
           br label %loop
         loop:
           %n = call i32 @__irkiss_nondet_u32()
           %c = icmp eq i32 %n, 0
           br i1 %c, label %end, label %loop
         end:
           call void @__irkiss_atomic_begin()
           call void @__irkiss_assume(i8 1)
           call void @__irkiss_atomic_end()
           ret void
         }
         define void @b() { ret void }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    for kind in [SiteKind::Assume, SiteKind::BackEdge, SiteKind::AtomicBegin] {
        assert!(
            enabled(&plan, &sites(&p, "a", kind))[0],
            "{kind:?} has to stay"
        );
    }
}

#[test]
fn model_memory_that_no_user_sees_is_not_reported() {
    let text = "@internal = global i32 0
         @user = global i32 0
         define void @model(ptr %p) #0 {
           store i32 1, ptr @internal
           call void @__irkiss_havoc(ptr %p, i64 4)
           ret void
         }
         define void @a() { call void @model(ptr @user) ret void }
         define void @b() { call void @model(ptr @user) ret void }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    assert_eq!(names(&plan), ["@user"]);
    let writes = sites(&p, "model", SiteKind::Write);
    assert_eq!(checked(&plan, &writes), [false, true]);
    assert_eq!(enabled(&plan, &writes), [true, true]);
}

#[test]
fn a_program_is_planned_over_its_threads() {
    let (p, plan) = whole(
        "@x = global i32 0
         @once = global i32 0
         @often = global i32 0
         define void @t(ptr %p) {
           %v = load i32, ptr @x
           store i32 1, ptr @once
           ret void
         }
         define void @u(ptr %p) { store i32 1, ptr @often ret void }
         define void @main() {
         entry:
           store i32 1, ptr @x
           %n = call i64 @__irkiss_async(ptr @t, ptr null)
           store i32 2, ptr @x
           br label %loop
         loop:
           %m = call i64 @__irkiss_async(ptr @u, ptr null)
           %r = call i32 @__irkiss_nondet_u32()
           %c = icmp eq i32 %r, 0
           br i1 %c, label %end, label %loop
         end:
           ret void
         }",
    );
    // t is started once and does not race with itself, u is started in a loop.
    assert_eq!(names(&plan), ["@often", "@x"]);
    // Before the first thread starts, main is alone.
    assert_eq!(
        checked(&plan, &sites(&p, "main", SiteKind::Write)),
        [false, true]
    );
    assert!(enabled(&plan, &sites(&p, "main", SiteKind::Async))[0]);
}

#[test]
fn what_each_thread_has_of_its_own_is_private() {
    let text = "@own = global [64 x i32] zeroinitializer
         @any = global [64 x i32] zeroinitializer
         define void @a() {
           %s = call i64 @__irkiss_self()
           %p = getelementptr [64 x i32], ptr @own, i64 0, i64 %s
           store i32 1, ptr %p
           %q = getelementptr [64 x i32], ptr @any, i64 0, i64 %s
           store i32 1, ptr %q
           ret void
         }
         define void @b() {
           call void @a()
           %v = load i32, ptr @any
           ret void
         }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    assert_eq!(names(&plan), ["@any[*]"]);
    assert_eq!(
        enabled(&plan, &sites(&p, "a", SiteKind::Write)),
        [false, true]
    );
}

#[test]
fn threads_started_by_a_pair_take_part() {
    let text = "@x = global i32 0
         define void @late(ptr %p) { store i32 1, ptr @x ret void }
         define void @a() {
           %n = call i64 @__irkiss_async(ptr @late, ptr null)
           ret void
         }
         define void @b() { %v = load i32, ptr @x ret void }";
    let (p, plan) = pair(&format!("{text}\n{MAIN}"));
    assert_eq!(names(&plan), ["@x"]);
    assert_eq!(checked(&plan, &sites(&p, "late", SiteKind::Write)), [true]);
    assert!(plan.sides[1][sites(&p, "late", SiteKind::Write)[0].index()]);
}

#[test]
fn regions_are_named_after_fields() {
    let text = "%struct.dev = type { i32, i32, [4 x i32] }
         @p = global ptr null
         define void @a() {
           %d = load ptr, ptr @p
           %f = getelementptr %struct.dev, ptr %d, i64 0, i32 1
           store i32 1, ptr %f
           ret void
         }
         define void @b() { call void @a() ret void }
         define void @main() {
           %o = call ptr @__irkiss_alloc(i64 24, i8 1)
           store ptr %o, ptr @p
           call void @a()
           call void @b()
           ret void
         }";
    let (_, plan) = pair(text);
    assert_eq!(names(&plan), ["struct dev+4"]);
    assert_eq!(plan.regions[0].objects, ["heap(allocated at main)"]);
}
